/* bench_frontier: a queue that knows no hosts, written plainly over SQLite. One file, WAL, every transaction synced. */
#include "bench/frontier_contender.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { INSERT_SEEN, INSERT_QUEUE, READ_QUEUE, INSERT_HISTORY, DELETE_QUEUE, BEGIN, COMMIT, STATEMENTS };

/* Seen is keyed by a 64-bit hash of the URL: the smallest and fastest exact-enough set SQLite can keep. */
static const char schema[] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-262144;"
                             "CREATE TABLE IF NOT EXISTS seen(hash INTEGER PRIMARY KEY);"
                             "CREATE TABLE IF NOT EXISTS queue(id INTEGER PRIMARY KEY, url TEXT);"
                             "CREATE TABLE IF NOT EXISTS history(id INTEGER PRIMARY KEY, state INTEGER, code INTEGER,"
                             " url TEXT);";

static const char *const texts[STATEMENTS] = {
  "INSERT OR IGNORE INTO seen VALUES(?)",
  "INSERT INTO queue VALUES(?, ?)",
  "SELECT id, url FROM queue WHERE id > ? ORDER BY id LIMIT ?",
  "INSERT INTO history SELECT id, ?2, ?3, url FROM queue WHERE id = ?1",
  "DELETE FROM queue WHERE id = ?",
  "BEGIN",
  "COMMIT",
};

typedef struct plain {
  sqlite3 *db;
  sqlite3_stmt *statement[STATEMENTS];
  int64_t last_id, handed_out;
  unsigned in_group;
} plain;

static void demand(plain *p, bool good)
{
  if (!good)
    contender_fail("sqlite-fifo", sqlite3_errmsg(p->db));
}

static void run(plain *p, int which)
{
  int got = sqlite3_step(p->statement[which]);
  demand(p, got == SQLITE_DONE || got == SQLITE_ROW);
  sqlite3_reset(p->statement[which]);
}

static void count_operation(plain *p)
{
  if (++p->in_group < CONTENDER_GROUP)
    return;
  run(p, COMMIT);
  run(p, BEGIN);
  p->in_group = 0;
}

static void *open_plain(const char *directory, uint64_t expected_urls)
{
  (void)expected_urls;
  char path[4096];
  plain *p = calloc(1, sizeof *p);
  if (!p)
    contender_fail("sqlite-fifo", "out of memory");
  snprintf(path, sizeof path, "%s/sqlite.db", directory);
  demand(p, sqlite3_open(path, &p->db) == SQLITE_OK && sqlite3_exec(p->db, schema, NULL, NULL, NULL) == SQLITE_OK);
  for (int i = 0; i < STATEMENTS; i++)
    demand(p, sqlite3_prepare_v2(p->db, texts[i], -1, &p->statement[i], NULL) == SQLITE_OK);
  run(p, BEGIN);
  return p;
}

static bool add(void *self, const char *url, size_t size)
{
  plain *p = self;
  sqlite3_bind_int64(p->statement[INSERT_SEEN], 1, (int64_t)XXH3_64bits(url, size));
  run(p, INSERT_SEEN);
  if (sqlite3_changes(p->db) == 0)
    return false;
  sqlite3_bind_int64(p->statement[INSERT_QUEUE], 1, ++p->last_id);
  sqlite3_bind_text(p->statement[INSERT_QUEUE], 2, url, (int)size, SQLITE_STATIC);
  run(p, INSERT_QUEUE);
  count_operation(p);
  return true;
}

static size_t next(void *self, contender_lease *leases, size_t max)
{
  plain *p = self;
  sqlite3_stmt *read = p->statement[READ_QUEUE];
  size_t count = 0;
  sqlite3_bind_int64(read, 1, p->handed_out);
  sqlite3_bind_int64(read, 2, (int64_t)max);
  for (; sqlite3_step(read) == SQLITE_ROW; count++) {
    leases[count].id = (uint64_t)sqlite3_column_int64(read, 0);
    leases[count].url.size = (size_t)sqlite3_column_bytes(read, 1);
    memcpy(leases[count].url.text, sqlite3_column_text(read, 1), leases[count].url.size);
  }
  sqlite3_reset(read);
  if (count)
    p->handed_out = (int64_t)leases[count - 1].id;
  return count;
}

static void done(void *self, uint64_t id, contender_state state, unsigned code)
{
  plain *p = self;
  sqlite3_bind_int64(p->statement[INSERT_HISTORY], 1, (int64_t)id);
  sqlite3_bind_int(p->statement[INSERT_HISTORY], 2, (int)state);
  sqlite3_bind_int(p->statement[INSERT_HISTORY], 3, (int)code);
  run(p, INSERT_HISTORY);
  sqlite3_bind_int64(p->statement[DELETE_QUEUE], 1, (int64_t)id);
  run(p, DELETE_QUEUE);
  count_operation(p);
}

static void close_plain(void *self)
{
  plain *p = self;
  run(p, COMMIT);
  for (int i = 0; i < STATEMENTS; i++)
    sqlite3_finalize(p->statement[i]);
  sqlite3_close(p->db);
  free(p);
}

const contender contender_sqlite_fifo = {
  .name = "sqlite-fifo", .open = open_plain, .add = add, .next = next, .done = done, .close = close_plain};
