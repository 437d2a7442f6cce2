/* bench_frontier: the contract of ours, hosts and all, over SQLite. One file, WAL, every transaction synced; the
 * schedule of hosts is in memory (frontier_polite.h). */
#include "bench/frontier_polite.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

enum {
  INSERT_SEEN,
  INSERT_QUEUE,
  READ_QUEUE,
  DELETE_QUEUE,
  INSERT_HISTORY,
  PUT_HOST,
  PUT_COUNTS,
  BEGIN,
  COMMIT,
  STATEMENTS,
};

/* Tuned: pages of 8 KiB, locks taken once for all, 1 GiB of cache, and the log is copied back when it has 256 MiB.
 * Seen is keyed by a 64-bit hash of the URL: the smallest and fastest exact-enough set SQLite can keep. Counts, which
 * change all the time, lie apart from names, which do not: ten times as many hosts to a page. */
static const char schema[] = "PRAGMA page_size=8192; PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL;"
                             "PRAGMA synchronous=FULL; PRAGMA cache_size=-1048576; PRAGMA wal_autocheckpoint=32768;"
                             "CREATE TABLE IF NOT EXISTS seen(hash INTEGER PRIMARY KEY);"
                             "CREATE TABLE IF NOT EXISTS queue(id INTEGER PRIMARY KEY, url TEXT);"
                             "CREATE TABLE IF NOT EXISTS history(id INTEGER PRIMARY KEY, state INTEGER, code INTEGER,"
                             " url TEXT);"
                             "CREATE TABLE IF NOT EXISTS host(id INTEGER PRIMARY KEY, delay_ms INTEGER, name TEXT);"
                             "CREATE TABLE IF NOT EXISTS counts(host INTEGER PRIMARY KEY, done INTEGER,"
                             " failed INTEGER);";

static const char *const texts[STATEMENTS] = {
  "INSERT OR IGNORE INTO seen VALUES(?)",
  "INSERT INTO queue VALUES(?, ?)",
  "SELECT url FROM queue WHERE id = ?",
  "DELETE FROM queue WHERE id = ?",
  "INSERT INTO history VALUES(NULL, ?, ?, ?)",
  "REPLACE INTO host VALUES(?, ?, ?)",
  "REPLACE INTO counts VALUES(?, ?, ?)",
  "BEGIN",
  "COMMIT",
};

typedef struct stored {
  sqlite3 *db;
  sqlite3_stmt *statement[STATEMENTS];
  polite *hosts;
  uint64_t last_number;
  unsigned in_group;
} stored;

static void demand(stored *s, bool good)
{
  if (!good)
    contender_fail("sqlite", sqlite3_errmsg(s->db));
}

static void run(stored *s, int which)
{
  int got = sqlite3_step(s->statement[which]);
  demand(s, got == SQLITE_DONE || got == SQLITE_ROW);
  sqlite3_reset(s->statement[which]);
}

static void bind(stored *s, int which, int at, uint64_t value)
{
  sqlite3_bind_int64(s->statement[which], at, (int64_t)value);
}

static void bind_text(stored *s, int which, int at, const char *text, size_t size)
{
  sqlite3_bind_text(s->statement[which], at, text, (int)size, SQLITE_STATIC);
}

/* ---- a transaction ---------------------------------------------------------------------------------------- */

static void put_host(stored *s, polite_host *host)
{
  if (!host->is_recorded) {
    bind(s, PUT_HOST, 1, host->id);
    bind(s, PUT_HOST, 2, host->delay_ms);
    bind_text(s, PUT_HOST, 3, host->name, host->name_size);
    run(s, PUT_HOST);
    host->is_recorded = true;
  }
  if (host->done + host->failed) {
    bind(s, PUT_COUNTS, 1, host->id);
    bind(s, PUT_COUNTS, 2, host->done);
    bind(s, PUT_COUNTS, 3, host->failed);
    run(s, PUT_COUNTS);
  }
}

/* A host is written once, whatever happened to it since the last commit. */
static void commit(stored *s)
{
  for (polite_host *host; (host = polite_changed(s->hosts));)
    put_host(s, host);
  run(s, COMMIT);
  s->in_group = 0;
}

static void count_operation(stored *s)
{
  if (++s->in_group < CONTENDER_GROUP)
    return;
  commit(s);
  run(s, BEGIN);
}

/* ---- open ------------------------------------------------------------------------------------------------- */

static void each_row(stored *s, const char *query, void visit(stored *s, sqlite3_stmt *row))
{
  sqlite3_stmt *rows;
  demand(s, sqlite3_prepare_v2(s->db, query, -1, &rows, NULL) == SQLITE_OK);
  int got;
  while ((got = sqlite3_step(rows)) == SQLITE_ROW)
    visit(s, rows);
  demand(s, got == SQLITE_DONE);
  sqlite3_finalize(rows);
}

/* They come in order of ids, so each gets its own again. */
static void read_host(stored *s, sqlite3_stmt *row)
{
  const char *name = (const char *)sqlite3_column_text(row, 0);
  polite_host *host = polite_host_restore(s->hosts, name, (size_t)sqlite3_column_bytes(row, 0),
                                          (uint64_t)sqlite3_column_int64(row, 1));
  host->done = (uint64_t)sqlite3_column_int64(row, 2);
  host->failed = (uint64_t)sqlite3_column_int64(row, 3);
}

static void read_queued(stored *s, sqlite3_stmt *row)
{
  const char *url = (const char *)sqlite3_column_text(row, 1);
  s->last_number = (uint64_t)sqlite3_column_int64(row, 0);
  polite_queued(s->hosts, polite_host_of(s->hosts, url, (size_t)sqlite3_column_bytes(row, 1)), s->last_number);
}

static void *open_stored(const char *directory, uint64_t expected_urls)
{
  (void)expected_urls;
  char path[4096];
  stored *s = calloc(1, sizeof *s);
  if (!s)
    contender_fail("sqlite", "out of memory");
  s->hosts = polite_create();
  snprintf(path, sizeof path, "%s/sqlite.db", directory);
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX; /* one thread, so no locks for more */
  demand(s, sqlite3_open_v2(path, &s->db, flags, NULL) == SQLITE_OK);
  demand(s, sqlite3_exec(s->db, schema, NULL, NULL, NULL) == SQLITE_OK);
  for (int i = 0; i < STATEMENTS; i++)
    demand(s, sqlite3_prepare_v2(s->db, texts[i], -1, &s->statement[i], NULL) == SQLITE_OK);
  each_row(s, "SELECT name, delay_ms, done, failed FROM host LEFT JOIN counts ON host = id ORDER BY id", read_host);
  each_row(s, "SELECT id, url FROM queue ORDER BY id", read_queued);
  run(s, BEGIN);
  return s;
}

/* ---- the way of a URL ------------------------------------------------------------------------------------- */

static bool add(void *self, const char *url, size_t size)
{
  stored *s = self;
  bind(s, INSERT_SEEN, 1, XXH3_64bits(url, size));
  run(s, INSERT_SEEN);
  if (sqlite3_changes(s->db) == 0)
    return false;
  polite_host *host = polite_host_of(s->hosts, url, size);
  bind(s, INSERT_QUEUE, 1, ++s->last_number);
  bind_text(s, INSERT_QUEUE, 2, url, size);
  run(s, INSERT_QUEUE);
  polite_queued(s->hosts, host, s->last_number);
  count_operation(s);
  return true;
}

/* The next URL of a host goes in flight. */
static void take(stored *s, polite_host *host, contender_lease *lease)
{
  sqlite3_stmt *read = s->statement[READ_QUEUE];
  uint64_t number = polite_take(host);
  bind(s, READ_QUEUE, 1, number);
  demand(s, sqlite3_step(read) == SQLITE_ROW);
  const char *url = (const char *)sqlite3_column_text(read, 0);
  polite_start(s->hosts, host, number, url, (size_t)sqlite3_column_bytes(read, 0), lease);
  sqlite3_reset(read);
}

static size_t next(void *self, contender_lease *leases, size_t max)
{
  stored *s = self;
  size_t count = 0, may;
  for (polite_host *host; count < max && (host = polite_turn(s->hosts, &may)); polite_offer(s->hosts, host))
    for (; may > 0 && count < max; may--)
      take(s, host, &leases[count++]);
  return count;
}

static void done(void *self, uint64_t id, contender_state state, unsigned code)
{
  stored *s = self;
  polite_lease *lease = polite_lease_of(s->hosts, id);
  bind(s, DELETE_QUEUE, 1, lease->number);
  run(s, DELETE_QUEUE);
  bind(s, INSERT_HISTORY, 1, state);
  bind(s, INSERT_HISTORY, 2, code);
  bind_text(s, INSERT_HISTORY, 3, lease->url.text, lease->url.size);
  run(s, INSERT_HISTORY);
  polite_end(s->hosts, lease, state);
  count_operation(s);
}

static void delay(void *self, uint64_t id, uint64_t delay_ms)
{
  stored *s = self;
  polite_delay(s->hosts, polite_lease_of(s->hosts, id)->host, delay_ms);
}

static void each_ended(void *self, contender_visitor *visit, void *context)
{
  stored *s = self;
  sqlite3_stmt *rows;
  demand(s, sqlite3_prepare_v2(s->db, "SELECT url, state, code FROM history", -1, &rows, NULL) == SQLITE_OK);
  while (sqlite3_step(rows) == SQLITE_ROW)
    visit(context, (const char *)sqlite3_column_text(rows, 0), (size_t)sqlite3_column_bytes(rows, 0),
          (contender_state)sqlite3_column_int(rows, 1), (unsigned)sqlite3_column_int(rows, 2));
  demand(s, sqlite3_finalize(rows) == SQLITE_OK);
}

static void each_host(void *self, contender_host_visitor *visit, void *context)
{
  stored *s = self;
  polite_each_host(s->hosts, visit, context);
}

static void close_stored(void *self)
{
  stored *s = self;
  commit(s);
  for (int i = 0; i < STATEMENTS; i++)
    sqlite3_finalize(s->statement[i]);
  sqlite3_close(s->db);
  polite_free(s->hosts);
  free(s);
}

const contender contender_sqlite = {.name = "sqlite",
                                    .keeps_contract = true,
                                    .open = open_stored,
                                    .add = add,
                                    .next = next,
                                    .done = done,
                                    .delay = delay,
                                    .each_ended = each_ended,
                                    .each_host = each_host,
                                    .close = close_stored};
