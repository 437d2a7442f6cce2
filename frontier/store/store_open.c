/* From a directory to an LMDB environment with our tables in it, and nothing made in anybody else's. */
#include "frontier/store/store_inside.h"
#include "frontier/store/store_urls.h"

#include "frontier/base/own_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* LMDB makes its file by one write of two pages, each with a meta record, and syncs it with our first transaction,
 * which writes three more. Where that was cut short, by a full disk or a crash, nothing was ever in the file: it is
 * shorter, or any of its sectors is zeros, and neither meta record is of a transaction. LMDB refuses that for good,
 * with words that say nothing (a reader of an empty file hears EBADF). A longer file may have had something in it, and
 * is left alone. */
enum { META_TRANSACTION = 144, META_END = 152, PAGES_AT_BIRTH = 5 };

/* All that it says is in one sector, so it is there or not; what is cut off is zeros here. Without both pages there is
 * nothing behind it, whatever it says. */
static bool is_meta_of_nothing(const uint8_t meta[META_END], size_t got, uint8_t number, bool has_pages)
{
  static const uint8_t nothing[META_END];
  const uint8_t head[20] = {number, [10] = 8, [16] = 0xde, 0xc0, 0xef, 0xbe};
  if (memcmp(meta, nothing, META_END) == 0)
    return true;
  bool is_lmdb = memcmp(meta, head, got < sizeof head ? got : sizeof head) == 0;
  return is_lmdb && (!has_pages || memcmp(meta + META_TRANSACTION, nothing, 8) == 0);
}

bool store_is_stillborn(const char *path)
{
  long page = sysconf(_SC_PAGESIZE);
  FILE *file = own_file_stream(path, "r", 0);
  if (!file)
    return false;
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : LONG_MAX;
  bool is_so = size <= PAGES_AT_BIRTH * page;
  for (uint8_t i = 0; i < 2 && is_so; i++) {
    uint8_t meta[META_END] = {0};
    is_so = fseek(file, i * page, SEEK_SET) == 0;
    size_t got = is_so ? fread(meta, 1, sizeof meta, file) : 0;
    is_so = is_so && is_meta_of_nothing(meta, got, i, size >= 2 * page);
  }
  fclose(file);
  return is_so;
}

/* Our tables, or MDB_INVALID if somebody else's are there. Only a new environment gets those that are missing. */
static int open_tables(store *s, MDB_txn *txn, bool is_new)
{
  int error = 0;
  for (int i = 0; i < STORE_TABLES && !error; i++) {
    unsigned flags = MDB_INTEGERKEY | (is_new && i < (int)STORE_ALWAYS ? MDB_CREATE : 0);
    error = mdb_dbi_open(txn, store_table_name((store_table)i), flags, &s->table[i]);
    s->has_table[i] = !error;
    unsigned kept = MDB_INTEGERKEY;
    if (!error)
      error = mdb_dbi_flags(txn, s->table[i], &kept);
    error = error == MDB_NOTFOUND ? 0 : !error && kept != MDB_INTEGERKEY ? MDB_CORRUPTED : error;
  }
  return error == MDB_INCOMPATIBLE ? MDB_INVALID : error;
}

typedef struct adoption {
  store *s;
  MDB_txn *txn;
  bool read_only;
  const void *identity;
  size_t identity_size;
} adoption;

static int adopt(void *context)
{
  const adoption *a = context;
  store *s = a->s;
  MDB_dbi names;
  MDB_stat stat;
  int error = mdb_dbi_open(a->txn, NULL, 0, &names);
  if (!error)
    error = mdb_stat(a->txn, names, &stat);
  bool is_new = !error && stat.ms_entries == 0;
  if (is_new && a->read_only)
    error = ENOENT;
  if (!error)
    error = is_new ? mdb_dbi_open(a->txn, "meta", MDB_CREATE, &s->meta) : store_find_identity(s, a->txn);
  if (!error)
    error = open_tables(s, a->txn, is_new);
  return error || !is_new ? error : store_make_identity(s, a->txn, a->identity, a->identity_size);
}

int store_adopt(store *s, bool read_only, const void *identity, size_t identity_size)
{
  adoption a = {.s = s, .read_only = read_only, .identity = identity, .identity_size = identity_size};
  int error = mdb_txn_begin(s->env, NULL, read_only ? MDB_RDONLY : 0, &a.txn);
  if (error)
    return error;
  error = store_guarded(s, adopt, &a);
  if (!error)
    return store_mdb_commit(s, a.txn); /* also of a reading one: it keeps the table handles */
  store_mdb_abort(s, a.txn);
  return error;
}

typedef struct opening {
  bool read_only, is_still;
  uint64_t map_size;
} opening;

static frontier_status open_as(const char *directory, const opening *how, const void *identity, size_t identity_size,
                               store **out, char message[FRONTIER_MESSAGE_SIZE])
{
  store *s = calloc(1, sizeof *s);
  if (!s || !(s->directory = strdup(directory))) {
    if (s)
      store_close(s);
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s: out of memory", directory);
    return FRONTIER_NO_MEMORY;
  }
  frontier_status is_free = open_here_add(directory, &s->here);
  if (is_free != FRONTIER_OK) {
    store_close(s);
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%.400s: %s", directory,
             is_free == FRONTIER_BUSY ? "this process itself has it open" : "out of memory");
    return is_free;
  }
  char path[4096], words[STORE_WORDS];
  s->is_read_only = how->read_only;
  s->is_still = how->is_still;
  s->map_first = how->map_size;
  snprintf(path, sizeof path, "%s/data.mdb", directory);
  bool is_empty = store_is_stillborn(path);
  if (is_empty && !how->read_only)
    unlink(path); /* and begin again */
  int error = is_empty && how->read_only ? ENOENT : store_map(s);
  if (!error)
    error = store_adopt(s, how->read_only, identity, identity_size);
  if (!error && !store_learn_id(s))
    error = ENOMEM;
  if (error) {
    error = s->env ? store_cause(s, error, directory) : error;
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s/data.mdb: %s", directory,
             error == MDB_INVALID                         ? "not a Strata frontier"
             : error == ENOENT && access(path, F_OK) == 0 ? "empty: its making was cut short; crawl again to begin it"
                                                          : store_words(s->env, error, words));
    store_close(s);
    return store_status(error);
  }
  *out = s;
  return FRONTIER_OK;
}

frontier_status store_open(const char *directory, bool read_only, const void *identity, size_t identity_size,
                           store **out, char message[FRONTIER_MESSAGE_SIZE])
{
  return store_open_mapped(directory, read_only, 0, identity, identity_size, out, message);
}

frontier_status store_open_mapped(const char *directory, bool read_only, uint64_t map_size, const void *identity,
                                  size_t identity_size, store **out, char message[FRONTIER_MESSAGE_SIZE])
{
  const opening how = {.read_only = read_only, .map_size = map_size};
  return open_as(directory, &how, identity, identity_size, out, message);
}

frontier_status store_open_still(const char *directory, store **out, char message[FRONTIER_MESSAGE_SIZE])
{
  const opening how = {.read_only = true, .is_still = true};
  return open_as(directory, &how, "", 0, out, message);
}

const char *store_missing_table(const store *s)
{
  for (int i = 0; i < (int)STORE_ALWAYS; i++)
    if (!s->has_table[i])
      return store_table_name((store_table)i);
  return NULL;
}

frontier_status store_find_table(store *s, store_table table, bool may_make)
{
  MDB_txn *txn;
  bool *is_there = &s->has_table[table];
  if (*is_there || !may_make)
    return *is_there ? FRONTIER_OK : FRONTIER_NOT_FOUND;
  int error = store_mdb_begin(s, 0, &txn);
  if (error)
    return store_failed(s, error, "beginning a transaction");
  error = mdb_dbi_open(txn, store_table_name(table), MDB_INTEGERKEY | MDB_CREATE, &s->table[table]);
  if (error)
    store_mdb_abort(s, txn);
  else
    error = store_mdb_commit(s, txn);
  *is_there = !error;
  return error ? store_failed(s, error, "making a table") : FRONTIER_OK;
}

void store_close(store *s)
{
  if (!s)
    return;
  store_unpin(s);
  if (!s->is_dead) { /* else LMDB has it open until the process ends */
    if (s->env)
      mdb_env_close(s->env);
    open_here_remove(s->here);
  }
  free(s->directory);
  write_set_free(&s->gathered);
  write_set_clear(&s->sealed);
  write_set_free(&s->sealed);
  store_forget_tail(s);
  free(s);
}
