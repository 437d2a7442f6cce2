/* The frontier's LMDB environment. See store.h for the tables, FORMAT.md for the bytes.
 *
 * Default LMDB flags on purpose: MDB_NOSYNC can corrupt the file on power cut, MDB_WRITEMAP turns a full
 * disk into SIGBUS. The map is address space, not memory: as large as the machine grants. */
#include "frontier/store.h"

#include "frontier/record.h"
#include "frontier/shelf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct store {
  char *directory;
  MDB_env *env;    /* NULL: a commit failed, and opening it again failed too */
  size_t doubtful; /* the number of that commit's transaction; 0: there is none */
  bool is_lost;    /* it is there, and whoever asked for it does not know */
  MDB_dbi table[STORE_TABLES];
  bool has_table[STORE_TABLES]; /* those of later formats may be missing from a directory that is only read */
  MDB_dbi meta, exact;
  bool has_exact;
  MDB_txn *writing;
  int error;       /* of the open transaction: LMDB's or errno's */
  shelf *shelf;    /* changes of the queue and the history, written at its end */
  uint8_t *scratch;
  size_t scratch_size;
  char message[FRONTIER_MESSAGE_SIZE];
};

enum { OLD_TABLES = 5 }; /* queues and history of formats 1 and 2 */
enum { FREE_MIN = 1 << 20 }; /* bytes: with less room than this left, a short write is put down to that */

static const char *const table_names[STORE_TABLES] = {
  "hosts", "hashes", "chunks", "revoked", "visits", "due",
  "waiting", "waiting-high", "waiting-low", "waiting-trap", "ended", "places"};

static bool is_shelved(store_table table)
{
  return table >= STORE_QUEUE && table <= STORE_HISTORY;
}

static shelf_tables shelf_of(const store *s)
{
  shelf_tables tables = {.history = s->table[STORE_HISTORY], .places = s->table[STORE_PLACES]};
  memcpy(tables.queue, s->table + STORE_QUEUE, sizeof tables.queue);
  return tables;
}

const char *store_table_name(store_table table)
{
  return table_names[table];
}

static frontier_status status_of(int error)
{
  switch (error) {
  case 0: return FRONTIER_OK;
  case MDB_NOTFOUND: case ENOENT: return FRONTIER_NOT_FOUND;
  case MDB_INVALID: return FRONTIER_NOT_OURS;
  case MDB_VERSION_MISMATCH: return FRONTIER_VERSION;
  case MDB_CORRUPTED: case MDB_PAGE_NOTFOUND: return FRONTIER_DAMAGED;
  case MDB_MAP_FULL: case ENOSPC: case EDQUOT: case EFBIG: return FRONTIER_NO_SPACE;
  case ENOMEM: return FRONTIER_NO_MEMORY;
  default: return FRONTIER_IO;
  }
}

/* Meta records are found, and sealed, by name. */
static uint64_t name_seal(const char *name)
{
  return XXH3_64bits(name, strlen(name));
}

static MDB_val name_key(const char *name)
{
  union { const char *in; void *out; } bytes = {.in = name}; /* LMDB reads keys only */
  return (MDB_val){strlen(name), bytes.out};
}

/* LMDB says EIO for a write cut short. Cut short by what? Mostly a full disk, or a limit on file size. */
static int cause_of(store *s, int error, const char *directory)
{
  struct statvfs disk;
  struct stat file;
  struct rlimit limit;
  int fd;
  if (error != EIO)
    return error;
  if (statvfs(directory, &disk) == 0 && disk.f_bavail * disk.f_frsize < FREE_MIN)
    return ENOSPC;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && s->env && mdb_env_get_fd(s->env, &fd) == 0 &&
      fstat(fd, &file) == 0 && (rlim_t)file.st_size + FREE_MIN > limit.rlim_cur)
    return EFBIG;
  return error;
}

/* ---- open --------------------------------------------------------------------------------------------- */

/* LMDB makes its file by one write of two pages, each with a meta record, and syncs it with our first transaction,
 * which writes two more. Where that was cut short, by a full disk or a crash, nothing was ever in the file: it is
 * shorter, or any of its sectors is zeros, and neither meta record is of a transaction. LMDB refuses that for good,
 * with words that say nothing (a reader of an empty file hears EBADF). A longer file may have had something in it, and
 * is left alone. */
enum { META_TRANSACTION = 144, META_END = 152, PAGES_AT_BIRTH = 4 };

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

static bool is_stillborn(const char *path)
{
  long page = sysconf(_SC_PAGESIZE);
  FILE *file = fopen(path, "rb");
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

/* 1 TiB of address space, or what a limit (ulimit -v, a sanitizer) leaves. */
static int open_with_largest_map(MDB_env **env, const char *directory, unsigned flags)
{
#if defined(__SANITIZE_THREAD__)
  size_t map = (size_t)64 << 30;
#else
  size_t map = (size_t)1 << 40;
#endif
  for (;; map /= 2) {
    int error = mdb_env_create(env);
    if (error)
      return error;
    mdb_env_set_mapsize(*env, map);
    mdb_env_set_maxdbs(*env, STORE_TABLES + 2 + OLD_TABLES);
    error = mdb_env_open(*env, directory, flags, 0666);
    if (!error)
      return 0;
    mdb_env_close(*env);
    *env = NULL;
    if (error != ENOMEM || map <= (size_t)64 << 20)
      return error;
  }
}

/* Our tables, or MDB_INVALID if somebody else's are there. A writer makes what later formats added. */
static int open_tables(store *s, MDB_txn *txn, bool is_new, bool read_only)
{
  int error = 0;
  for (int i = 0; i < STORE_TABLES && !error; i++) {
    bool may_be_missing = is_new || i >= STORE_TABLES_OLDEST;
    error = mdb_dbi_open(txn, table_names[i], MDB_INTEGERKEY | (may_be_missing && !read_only ? MDB_CREATE : 0),
                         &s->table[i]);
    s->has_table[i] = !error;
    if (error == MDB_NOTFOUND && may_be_missing)
      error = 0;
  }
  if (!error) {
    error = mdb_dbi_open(txn, "exact", 0, &s->exact);
    s->has_exact = !error;
    error = error == MDB_NOTFOUND ? 0 : error;
  }
  return error == MDB_NOTFOUND || error == MDB_INCOMPATIBLE ? MDB_INVALID : error;
}

/* Nothing is made in an environment without our identity. */
static int find_identity(store *s, MDB_txn *txn)
{
  MDB_val key = name_key("identity"), value;
  int error = mdb_dbi_open(txn, "meta", 0, &s->meta);
  if (!error)
    error = mdb_get(txn, s->meta, &key, &value);
  return error == MDB_NOTFOUND || error == MDB_INCOMPATIBLE ? MDB_INVALID : error;
}

static int adopt_or_make(store *s, bool read_only, const void *identity, size_t identity_size)
{
  MDB_txn *txn;
  MDB_dbi names;
  MDB_stat stat;
  int error = mdb_txn_begin(s->env, NULL, read_only ? MDB_RDONLY : 0, &txn);
  if (error)
    return error;
  error = mdb_dbi_open(txn, NULL, 0, &names);
  if (!error)
    error = mdb_stat(txn, names, &stat);
  bool is_new = !error && stat.ms_entries == 0;
  if (is_new && read_only)
    error = ENOENT;
  if (!error)
    error = is_new ? mdb_dbi_open(txn, "meta", MDB_CREATE, &s->meta) : find_identity(s, txn);
  if (!error)
    error = open_tables(s, txn, is_new, read_only);
  if (!error && is_new) {
    s->writing = txn;
    s->error = 0;
    store_put_meta(s, "identity", identity, identity_size);
    s->writing = NULL;
    error = s->error;
  }
  if (error) {
    mdb_txn_abort(txn);
    return error;
  }
  return mdb_txn_commit(txn); /* also of a reading one: it keeps the table handles */
}

frontier_status store_open(const char *directory, bool read_only, const void *identity, size_t identity_size,
                           store **out, char message[FRONTIER_MESSAGE_SIZE])
{
  store *s = calloc(1, sizeof *s);
  if (!s || !(s->shelf = shelf_create()) || !(s->directory = strdup(directory))) {
    if (s)
      store_close(s);
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s: out of memory", directory);
    return FRONTIER_NO_MEMORY;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/data.mdb", directory);
  bool is_empty = is_stillborn(path);
  if (is_empty && !read_only)
    unlink(path); /* and begin again */
  int error = is_empty && read_only
                ? ENOENT
                : open_with_largest_map(&s->env, directory, MDB_NOTLS | (read_only ? MDB_RDONLY : 0));
  if (!error)
    error = adopt_or_make(s, read_only, identity, identity_size);
  if (error) {
    error = s->env ? cause_of(s, error, directory) : error;
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s/data.mdb: %s", directory,
             error == MDB_INVALID                          ? "not a Strata frontier"
             : error == ENOENT && access(path, F_OK) == 0 ? "empty: its making was cut short; crawl again to begin it"
                                                           : mdb_strerror(error));
    store_close(s);
    return status_of(error);
  }
  *out = s;
  return FRONTIER_OK;
}

void store_close(store *s)
{
  if (!s)
    return;
  if (s->writing)
    mdb_txn_abort(s->writing);
  if (s->env)
    mdb_env_close(s->env);
  free(s->directory);
  shelf_free(s->shelf);
  free(s->scratch);
  free(s);
}

const char *store_message(const store *s)
{
  return s->message;
}

/* LMDB's words are for those who know it. */
static const char *words_of(int error)
{
  return error == MDB_PANIC ? "the disk failed while a commit was written" : mdb_strerror(error);
}

static frontier_status failed(store *s, int error, const char *doing)
{
  error = cause_of(s, error, s->directory);
  snprintf(s->message, sizeof s->message, "%s/data.mdb: %s: %s", s->directory, doing, words_of(error));
  return status_of(error);
}

/* ---- after a commit that failed --------------------------------------------------------------------------
 *
 * Nothing is assumed. LMDB may have met an error after which it refuses everything, and the new root may be in the file or
 * not. So the environment is opened again, and the number of its last transaction tells whether that one is there. */

static int reopen(store *s)
{
  if (s->env)
    mdb_env_close(s->env);
  s->env = NULL;
  int error = open_with_largest_map(&s->env, s->directory, MDB_NOTLS);
  if (!error)
    error = adopt_or_make(s, false, NULL, 0);
  if (error && s->env) {
    mdb_env_close(s->env);
    s->env = NULL;
  }
  return error;
}

static bool has_landed(const store *s, size_t transaction)
{
  MDB_envinfo info;
  return mdb_env_info(s->env, &info) == 0 && info.me_last_txnid >= transaction;
}

/* It is there, but was it written for good? With one more transaction behind it, it was. */
static int confirm(store *s)
{
  MDB_txn *txn;
  MDB_val key = name_key("identity"), value;
  int error = mdb_txn_begin(s->env, NULL, 0, &txn);
  if (error)
    return error;
  error = mdb_get(txn, s->meta, &key, &value);
  uint8_t *copy = error ? NULL : malloc(value.mv_size);
  if (copy) {
    memcpy(copy, value.mv_data, value.mv_size);
    value.mv_data = copy;
    error = mdb_put(txn, s->meta, &key, &value, 0);
  }
  error = !error && !copy ? ENOMEM : error;
  free(copy);
  if (!error)
    return mdb_txn_commit(txn);
  mdb_txn_abort(txn);
  return error;
}

/* OK: it is on disk after all. Else nothing of it is; or, where even that could not be found out, the handle is of no more
 * use once it has been (store_begin). */
static frontier_status settle_doubt(store *s, size_t transaction, int error)
{
  frontier_status status = failed(s, error, "committing");
  s->doubtful = transaction;
  if (reopen(s) != 0)
    return status;
  s->doubtful = 0;
  if (!has_landed(s, transaction))
    return status;
  s->is_lost = confirm(s) != 0;
  return s->is_lost ? status : FRONTIER_OK;
}

/* Meanwhile the caller may have gathered more, so a doubt that is settled late cannot be put right here. */
static frontier_status settle_late(store *s)
{
  int error = reopen(s);
  if (error)
    return failed(s, error, "opening it again");
  s->is_lost = s->doubtful && has_landed(s, s->doubtful);
  s->doubtful = 0;
  return FRONTIER_OK;
}

static int begin_reading(store *s, MDB_txn **txn)
{
  return s->env ? mdb_txn_begin(s->env, NULL, MDB_RDONLY, txn) : EIO;
}

/* ---- writing ------------------------------------------------------------------------------------------ */

/* A reader that was killed holds on to the pages of its time until somebody looks whether it lives: the file would
 * grow for ever. */
frontier_status store_begin(store *s)
{
  frontier_status status = s->env ? FRONTIER_OK : settle_late(s);
  if (status != FRONTIER_OK)
    return status;
  if (s->is_lost) {
    snprintf(s->message, sizeof s->message, "%s/data.mdb: its last commit failed, and is there; open it again", s->directory);
    return FRONTIER_IO;
  }
  s->error = mdb_reader_check(s->env, NULL);
  int error = s->error ? s->error : mdb_txn_begin(s->env, NULL, 0, &s->writing);
  return error ? failed(s, error, "beginning a transaction") : FRONTIER_OK;
}

/* The body behind its checksum, in memory that lives until the next call. */
static uint8_t *sealed(store *s, uint64_t key, const void *body, size_t size)
{
  if (s->scratch_size < RECORD_HEAD + size) {
    size_t wanted = 2 * (RECORD_HEAD + size);
    uint8_t *larger = realloc(s->scratch, wanted);
    if (!larger)
      return NULL;
    s->scratch = larger;
    s->scratch_size = wanted;
  }
  if (size)
    memcpy(s->scratch + RECORD_HEAD, body, size);
  record_seal(key, s->scratch, RECORD_HEAD + size);
  return s->scratch;
}

static void put(store *s, MDB_dbi dbi, MDB_val key, uint64_t seal, const void *body, size_t size, unsigned flags)
{
  if (s->error)
    return;
  uint8_t *bytes = sealed(s, seal, body, size);
  if (!bytes) {
    s->error = ENOMEM;
    return;
  }
  MDB_val value = {.mv_size = RECORD_HEAD + size, .mv_data = bytes};
  s->error = mdb_put(s->writing, dbi, &key, &value, flags);
}

static void shelve(store *s, store_table table, shelf_action action, uint64_t key, const void *body, size_t size)
{
  if (!s->error && !shelf_change(s->shelf, table, action, key, body, size))
    s->error = ENOMEM;
}

void store_put(store *s, store_table table, uint64_t key, const void *body, size_t size)
{
  if (is_shelved(table))
    shelve(s, table, SHELF_PUT, key, body, size);
  else
    put(s, s->table[table], (MDB_val){sizeof key, &key}, key, body, size, 0);
}

void store_append(store *s, store_table table, uint64_t key, const void *body, size_t size)
{
  if (is_shelved(table))
    shelve(s, table, SHELF_APPEND, key, body, size);
  else
    put(s, s->table[table], (MDB_val){sizeof key, &key}, key, body, size, MDB_APPEND);
}

void store_put_meta(store *s, const char *name, const void *body, size_t size)
{
  put(s, s->meta, name_key(name), name_seal(name), body, size, 0);
}

/* The checksum is of the key alone: there is nothing else. */
void store_put_exact(store *s, const store_exact_key *key)
{
  store_exact_key copy = *key;
  MDB_val k = {sizeof copy, copy.bytes};
  put(s, s->exact, k, XXH3_64bits(&copy, sizeof copy), NULL, 0, MDB_NOOVERWRITE);
  if (s->error == MDB_KEYEXIST)
    s->error = 0;
}

void store_delete(store *s, store_table table, uint64_t key)
{
  if (is_shelved(table)) {
    shelve(s, table, SHELF_DELETE, key, NULL, 0);
    return;
  }
  if (s->error)
    return;
  MDB_val k = {sizeof key, &key};
  int error = mdb_del(s->writing, s->table[table], &k, NULL);
  s->error = error == MDB_NOTFOUND ? 0 : error;
}

frontier_status store_commit(store *s)
{
  MDB_txn *txn = s->writing;
  shelf_tables tables = shelf_of(s);
  if (!s->error)
    s->error = shelf_write(s->shelf, txn, &tables);
  shelf_forget(s->shelf);
  s->writing = NULL;
  if (s->error) {
    mdb_txn_abort(txn);
    return failed(s, s->error, "writing");
  }
  size_t transaction = mdb_txn_id(txn);
  int error = mdb_txn_commit(txn);
  return error ? settle_doubt(s, transaction, error) : FRONTIER_OK;
}

void store_fail(store *s)
{
  s->error = ENOMEM;
}

/* ---- from older formats -------------------------------------------------------------------------------- */

/* Up to `limit` records of an old table, as they stand there, onto the shelf; how many they were. */
static int move_old(store *s, MDB_dbi from, store_table to, size_t limit, size_t *moved)
{
  MDB_cursor *cursor;
  MDB_val k, v;
  uint64_t key;
  int error = mdb_cursor_open(s->writing, from, &cursor);
  if (error)
    return error;
  for (*moved = 0; *moved < limit && !(error = mdb_cursor_get(cursor, &k, &v, MDB_FIRST)); ++*moved) {
    if (k.mv_size == sizeof key)
      memcpy(&key, k.mv_data, sizeof key);
    if (k.mv_size != sizeof key || !record_is_whole(key, v.mv_data, v.mv_size))
      error = MDB_CORRUPTED;
    else if (!shelf_change(s->shelf, to, SHELF_PUT, key, (const uint8_t *)v.mv_data + RECORD_HEAD,
                           v.mv_size - RECORD_HEAD))
      error = ENOMEM;
    else
      error = mdb_cursor_del(cursor, 0);
    if (error)
      break;
  }
  mdb_cursor_close(cursor);
  return error == MDB_NOTFOUND ? 0 : error;
}

frontier_status store_upgrade(store *s, const void *identity, size_t identity_size)
{
  enum { LOT = 8192 };
  static const char *const names[OLD_TABLES] = {"queue", "queue-high", "queue-low", "queue-trap", "history"};
  for (size_t moved = LOT; moved;) {
    frontier_status status = store_begin(s);
    if (status != FRONTIER_OK)
      return status;
    moved = 0;
    for (int i = 0; i < OLD_TABLES && !moved && !s->error; i++) {
      MDB_dbi old;
      s->error = mdb_dbi_open(s->writing, names[i], MDB_INTEGERKEY, &old);
      if (!s->error)
        s->error = move_old(s, old, (store_table)(STORE_QUEUE + i), LOT, &moved);
      else if (s->error == MDB_NOTFOUND)
        s->error = 0; /* format 1 had one queue */
    }
    if (!moved)
      store_put_meta(s, "identity", identity, identity_size);
    status = store_commit(s);
    if (status != FRONTIER_OK)
      return status;
  }
  return FRONTIER_OK;
}

/* ---- reading ------------------------------------------------------------------------------------------ */

/* As store_each within a transaction; LMDB's error, MDB_CORRUPTED where a checksum fails. */
static int each_value(store *s, MDB_txn *txn, store_table table, uint64_t from, store_visitor *visit, void *context)
{
  MDB_cursor *cursor;
  MDB_val k = {sizeof from, &from}, v;
  int error = mdb_cursor_open(txn, s->table[table], &cursor);
  if (error)
    return error;
  error = mdb_cursor_get(cursor, &k, &v, MDB_SET_RANGE);
  for (bool go_on = true; !error && go_on;) {
    uint64_t key;
    memcpy(&key, k.mv_data, sizeof key);
    const uint8_t *value = v.mv_data;
    if (!record_is_whole(key, value, v.mv_size))
      error = MDB_CORRUPTED;
    else if ((go_on = visit(context, key, value + RECORD_HEAD, v.mv_size - RECORD_HEAD)))
      error = mdb_cursor_get(cursor, &k, &v, MDB_NEXT);
  }
  mdb_cursor_close(cursor);
  return error == MDB_NOTFOUND ? 0 : error;
}

frontier_status store_each(store *s, store_table table, uint64_t from, store_visitor *visit, void *context)
{
  MDB_txn *txn;
  shelf_tables tables = shelf_of(s);
  if (!s->has_table[table])
    return FRONTIER_OK;
  int error = begin_reading(s, &txn);
  if (error)
    return failed(s, error, "reading");
  error = is_shelved(table) ? shelf_each(txn, &tables, table, from, visit, context)
                            : each_value(s, txn, table, from, visit, context);
  mdb_txn_abort(txn);
  if (error != MDB_CORRUPTED)
    return error ? failed(s, error, "reading") : FRONTIER_OK;
  snprintf(s->message, sizeof s->message, "a record of table %s is damaged", table_names[table]);
  return FRONTIER_DAMAGED;
}

frontier_status store_get_meta(store *s, const char *name, uint8_t **body, size_t *size)
{
  MDB_txn *txn;
  int error = begin_reading(s, &txn);
  if (error)
    return failed(s, error, "reading");
  MDB_val k = name_key(name), v;
  frontier_status status = FRONTIER_OK;
  error = mdb_get(txn, s->meta, &k, &v);
  if (error) {
    status = error == MDB_NOTFOUND ? FRONTIER_NOT_FOUND : failed(s, error, "reading");
  } else if (!record_is_whole(name_seal(name), v.mv_data, v.mv_size)) {
    snprintf(s->message, sizeof s->message, "the record \"%s\" is damaged", name);
    status = FRONTIER_DAMAGED;
  } else {
    uint8_t *copy = malloc(v.mv_size);
    if (copy) {
      memcpy(copy, (const uint8_t *)v.mv_data + RECORD_HEAD, v.mv_size - RECORD_HEAD);
      *body = copy;
      *size = v.mv_size - RECORD_HEAD;
    } else {
      snprintf(s->message, sizeof s->message, "%s/data.mdb: out of memory for a record", s->directory);
      status = FRONTIER_NO_MEMORY;
    }
  }
  mdb_txn_abort(txn);
  return status;
}

frontier_status store_count(store *s, store_table table, uint64_t *records)
{
  MDB_txn *txn;
  MDB_stat stat;
  *records = 0;
  if (!s->has_table[table])
    return FRONTIER_OK;
  int error = begin_reading(s, &txn);
  if (error)
    return failed(s, error, "reading");
  error = mdb_stat(txn, s->table[table], &stat);
  mdb_txn_abort(txn);
  if (error)
    return failed(s, error, "reading");
  *records = stat.ms_entries;
  return FRONTIER_OK;
}

/* ---- keys without doubt --------------------------------------------------------------------------------- */

frontier_status store_find_exact(store *s, bool may_make)
{
  MDB_txn *txn;
  if (s->has_exact || !may_make)
    return s->has_exact ? FRONTIER_OK : FRONTIER_NOT_FOUND;
  int error = mdb_txn_begin(s->env, NULL, 0, &txn);
  if (error)
    return failed(s, error, "beginning a transaction");
  error = mdb_dbi_open(txn, "exact", MDB_CREATE, &s->exact);
  if (error)
    mdb_txn_abort(txn);
  else
    error = mdb_txn_commit(txn);
  s->has_exact = !error;
  return error ? failed(s, error, "making a table") : FRONTIER_OK;
}

frontier_status store_has_exact(store *s, const store_exact_key *keys, size_t count, bool *has)
{
  MDB_txn *txn;
  MDB_val value;
  int error = begin_reading(s, &txn);
  if (error)
    return failed(s, error, "reading");
  for (size_t i = 0; i < count && (!error || error == MDB_NOTFOUND); i++) {
    store_exact_key copy = keys[i];
    MDB_val key = {sizeof copy.bytes, copy.bytes};
    error = mdb_get(txn, s->exact, &key, &value);
    has[i] = !error;
  }
  mdb_txn_abort(txn);
  return error && error != MDB_NOTFOUND ? failed(s, error, "reading") : FRONTIER_OK;
}

frontier_status store_count_exact(store *s, uint64_t *keys)
{
  MDB_txn *txn;
  MDB_stat stat;
  *keys = 0;
  if (!s->has_exact)
    return FRONTIER_OK;
  int error = begin_reading(s, &txn);
  if (error)
    return failed(s, error, "reading");
  error = mdb_stat(txn, s->exact, &stat);
  mdb_txn_abort(txn);
  if (!error)
    *keys = stat.ms_entries;
  return error ? failed(s, error, "reading") : FRONTIER_OK;
}

/* ---- copies ---------------------------------------------------------------------------------------------- */

frontier_status store_copy(store *s, const char *path)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error = fd < 0 ? errno : s->env ? mdb_env_copyfd2(s->env, fd, MDB_CP_COMPACT) : EIO;
  if (!error && fsync(fd) != 0)
    error = errno;
  if (fd >= 0)
    close(fd);
  if (!error)
    return FRONTIER_OK;
  unlink(path);
  return failed(s, error, "copying it");
}
