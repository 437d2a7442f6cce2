/* Transactions of the LMDB environment, and what is true after a commit that failed. store.h has the tables.
 *
 * Always: each value has a checksum in front, seeded with its key. One write transaction is open at most, and none
 * while the store is pinned. Nothing is put while it is unknown whether the last commit is on disk (assert_gathering).
 *
 *     ready --begin--> writing --LMDB committed it-----------------------------> ready: OK
 *                         '--LMDB failed--> open it again: is our transaction there?
 *                               no                                             -> ready: failed, commit it again
 *                               yes, and one more transaction can be committed -> ready: OK
 *                               yes, but that fails                            -> lost: each begin fails
 *                               it cannot be opened                            -> doubtful: the next begin asks again
 *
 * Called by core/ under the handle's mutex (base/lock.h), and by admin/ on stores of its own. The store has no lock.
 *
 * After a crash: LMDB opens the file as of the last commit that reached the disk whole. Nothing needs mending.
 *
 * LMDB syncs each commit, on purpose: MDB_NOSYNC can corrupt the file on power cut, MDB_WRITEMAP turns a full disk
 * into SIGBUS. */
#include "frontier/store/store_inside.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { FREE_MIN = 1 << 20 }; /* bytes: with less room than this left, a short write is put down to that */

static const char *const table_names[STORE_TABLES] = {"hosts",        "hashes", "revoked", "visits", "due",
                                                      "host-changes", "text",   "ended",   "states", "again",
                                                      "unconfirmed",  "outbox", "marks"};

/* Changes are gathered between begin and seal. */
static void assert_gathering(const store *s)
{
  assert(s->is_gathering && !s->is_read_only);
  (void)s;
}

uint64_t store_id(const store *s)
{
  return s->id;
}

const char *store_table_name(store_table table)
{
  return table_names[table];
}

frontier_status store_status(int error)
{
  switch (error) {
  case 0: return FRONTIER_OK;
  case MDB_NOTFOUND:
  case ENOENT: return FRONTIER_NOT_FOUND;
  case MDB_INVALID: return FRONTIER_NOT_OURS;
  case MDB_VERSION_MISMATCH: return FRONTIER_VERSION;
  case MDB_CORRUPTED:
  case MDB_PAGE_NOTFOUND: return FRONTIER_DAMAGED;
  case MDB_MAP_FULL:
  case ENOSPC:
  case EDQUOT:
  case EFBIG: return FRONTIER_NO_SPACE;
  case ENOMEM: return FRONTIER_NO_MEMORY;
  default: return FRONTIER_IO;
  }
}

static uint64_t name_seal(const char *name)
{
  return XXH3_64bits(name, strlen(name));
}

MDB_val store_name_key(const char *name)
{
  union {
    const char *in;
    void *out;
  } bytes = {.in = name}; /* LMDB reads keys only */
  return (MDB_val){strlen(name), bytes.out};
}

/* LMDB says EIO for a write cut short. Cut short by what? Mostly a full disk, or a limit on file size. */
int store_cause(const store *s, int error, const char *directory)
{
  struct statvfs disk;
  struct stat file;
  struct rlimit limit;
  int fd;
  if (error != EIO)
    return error;
  if (statvfs(directory, &disk) == 0 && disk.f_bavail * disk.f_frsize < FREE_MIN)
    return ENOSPC;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && s->env &&
      mdb_env_get_fd(s->env, &fd) == 0 && fstat(fd, &file) == 0 && (rlim_t)file.st_size + FREE_MIN > limit.rlim_cur)
    return EFBIG;
  return error;
}

const char *store_message(const store *s)
{
  return s->message;
}

frontier_status store_failed(store *s, int error, const char *doing)
{
  char words[STORE_WORDS];
  error = store_cause(s, error, s->directory);
  if (s->is_dead)
    snprintf(words, sizeof words, "a page of it is damaged; end this program and run strata check");
  else
    store_words(s->env, error, words);
  snprintf(s->message, sizeof s->message, "%s/data.mdb: %s: %s", s->directory, doing, words);
  return store_status(error);
}

/* ---- after a commit that failed --------------------------------------------------------------------------
 *
 * Nothing is assumed. LMDB may have met an error after which it refuses everything, and the new root may be in the file
 * or not. So the environment is opened again, and the number of its last transaction tells whether that one is there.
 */

static bool has_landed(const store *s, size_t transaction)
{
  MDB_envinfo info;
  return mdb_env_info(s->env, &info) == 0 && info.me_last_txnid >= transaction;
}

/* It is there, but was it written for good? If one more transaction can be committed after it, it was. */
static int confirm(store *s)
{
  MDB_txn *txn;
  MDB_val key = store_name_key("identity"), value;
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

/* OK: it is on disk after all. Else nothing of it is; or, where even that could not be found out, the handle is of no
 * more use once it has been (store_begin). */
static frontier_status settle_doubt(store *s, size_t transaction, int error)
{
  frontier_status status = store_failed(s, error, "committing");
  s->doubtful = transaction;
  if (store_reopen(s) != 0)
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
  int error = store_reopen(s);
  if (error)
    return store_failed(s, error, "opening it again");
  s->is_lost = s->doubtful && has_landed(s, s->doubtful);
  s->doubtful = 0;
  return FRONTIER_OK;
}

/* A writer with more address space may have made the file larger than a reader's map. A writer whose environment could
 * not be opened again after a commit tries so once more; what became of the commit is asked before the next one. */
int store_begin_reading(store *s, MDB_txn **txn)
{
  if (s->pinned) {
    *txn = s->pinned;
    s->readings++;
    return 0;
  }
  int error = s->env || s->is_read_only ? 0 : store_reopen(s);
  if (!error)
    error = s->env ? store_mdb_begin(s, MDB_RDONLY, txn) : MDB_MAP_RESIZED;
  if (error == MDB_MAP_RESIZED && !(error = store_follow(s)))
    error = store_mdb_begin(s, MDB_RDONLY, txn);
  s->readings += !error;
  return error;
}

void store_end_reading(store *s, MDB_txn *txn)
{
  if (txn != s->pinned)
    store_mdb_abort(s, txn);
  assert(s->readings);
  s->readings--;
}

frontier_status store_pin(store *s)
{
  MDB_txn *txn;
  assert(!s->pinned && !s->is_gathering);
  int error = store_begin_reading(s, &txn);
  if (error)
    return store_failed(s, error, "reading");
  s->pinned = txn;
  return FRONTIER_OK;
}

void store_unpin(store *s)
{
  MDB_txn *txn = s ? s->pinned : NULL;
  if (!txn)
    return;
  s->pinned = NULL;
  store_end_reading(s, txn);
}

/* ---- writing ------------------------------------------------------------------------------------------ */

frontier_status store_begin(store *s)
{
  assert(!s->is_gathering && !s->is_read_only && !s->pinned);
  s->is_gathering = true;
  return FRONTIER_OK;
}

void store_put_sealed(store *s, const MDB_dbi *table, write_what what, MDB_val key, uint64_t seal, const void *body,
                      size_t size)
{
  assert_gathering(s);
  uint8_t *value = write_set_put(&s->gathered, table, what, key.mv_data, key.mv_size, RECORD_HEAD + size);
  if (!value)
    return;
  if (size)
    memcpy(value + RECORD_HEAD, body, size);
  record_seal(seal, value, RECORD_HEAD + size);
}

void store_put(store *s, store_table table, uint64_t key, const void *body, size_t size)
{
  store_put_sealed(s, &s->table[table], WRITE_PUT, (MDB_val){sizeof key, &key}, key, body, size);
}

void store_append(store *s, store_table table, uint64_t key, const void *body, size_t size)
{
  store_put_sealed(s, &s->table[table], WRITE_APPEND, (MDB_val){sizeof key, &key}, key, body, size);
}

void store_append_raw(store *s, store_table table, uint64_t key, const uint8_t *value, size_t size)
{
  assert_gathering(s);
  uint8_t *copy = write_set_put(&s->gathered, &s->table[table], WRITE_APPEND, &key, sizeof key, size);
  if (copy)
    memcpy(copy, value, size);
}

void store_put_meta(store *s, const char *name, const void *body, size_t size)
{
  store_put_sealed(s, &s->meta, WRITE_PUT, store_name_key(name), name_seal(name), body, size);
}

void store_delete_meta(store *s, const char *name)
{
  assert_gathering(s);
  write_set_put(&s->gathered, &s->meta, WRITE_DELETE, name, strlen(name), 0);
}

void store_delete(store *s, store_table table, uint64_t key)
{
  assert_gathering(s);
  write_set_put(&s->gathered, &s->table[table], WRITE_DELETE, &key, sizeof key, 0);
}

void store_fail(store *s)
{
  s->gathered.has_failed = true;
}

bool store_is_sealed(const store *s)
{
  return s->is_sealed;
}

/* The two sets change places. */
frontier_status store_seal(store *s)
{
  assert_gathering(s);
  assert(!s->is_sealed);
  s->is_gathering = false;
  if (s->gathered.has_failed) {
    write_set_clear(&s->gathered);
    snprintf(s->message, sizeof s->message, "%s/data.mdb: out of memory for a transaction", s->directory);
    return FRONTIER_NO_MEMORY;
  }
  write_set swap = s->sealed;
  s->sealed = s->gathered;
  s->gathered = swap;
  s->is_sealed = true;
  return FRONTIER_OK;
}

/* A reader that was killed holds on to the pages of its time until somebody looks whether it lives: the file would
 * grow for ever. */
static int land(void *context)
{
  store *s = context;
  MDB_txn *txn;
  int error = mdb_reader_check(s->env, NULL);
  if (!error)
    error = mdb_txn_begin(s->env, NULL, 0, &txn);
  if (error)
    return error;
  error = write_set_apply(&s->sealed, txn);
  if (error) {
    mdb_txn_abort(txn);
    return error;
  }
  size_t transaction = mdb_txn_id(txn);
  error = mdb_txn_commit(txn);
  s->landing.transaction = error ? transaction : 0;
  if (!error)
    store_keep_length(s);
  return error;
}

void store_land(store *s)
{
  assert(s->is_sealed);
  s->landing.transaction = 0;
  s->landing.error = s->env ? store_guarded(s, land, s) : EIO;
}

frontier_status store_landed(store *s)
{
  assert(s->is_sealed);
  int error = s->landing.error;
  frontier_status status = FRONTIER_OK;
  if (error)
    status = s->landing.transaction ? settle_doubt(s, s->landing.transaction, error)
                                    : store_failed(s, error, "writing");
  if (status != FRONTIER_OK)
    return status;
  write_set_clear(&s->sealed);
  s->is_sealed = false;
  return FRONTIER_OK;
}

/* Before it is written: what an earlier failure left undone, and room in the map. */
frontier_status store_make_ready(store *s)
{
  assert(s->is_sealed);
  if (s->is_dead)
    return store_failed(s, MDB_CORRUPTED, "beginning a transaction");
  frontier_status status = s->env && !s->doubtful ? FRONTIER_OK : settle_late(s);
  if (status != FRONTIER_OK)
    return status;
  if (s->is_lost) {
    snprintf(s->message, sizeof s->message, "%s/data.mdb: its last commit failed, and is there; open it again",
             s->directory);
    return FRONTIER_IO;
  }
  int error = store_make_room(s);
  assert(error || s->env);
  return error ? store_failed(s, error, "beginning a transaction") : FRONTIER_OK;
}

frontier_status store_commit(store *s)
{
  frontier_status status = store_seal(s);
  if (status != FRONTIER_OK)
    return status;
  status = store_make_ready(s);
  if (status == FRONTIER_OK) {
    store_land(s);
    status = store_landed(s);
  }
  if (status != FRONTIER_OK) {
    write_set_clear(&s->sealed);
    s->is_sealed = false;
  }
  return status;
}

/* ---- reading ------------------------------------------------------------------------------------------ */

/* As store_each within a transaction; LMDB's error, MDB_CORRUPTED where a checksum fails. */
static int each_value(store *s, MDB_txn *txn, store_table table, uint64_t from, store_visitor *visit, void *context)
{
  assert(table != STORE_TEXT && table != STORE_ENDED && table != STORE_UNCONFIRMED); /* rows: store_rows.c */
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

typedef struct part_reading {
  store *s;
  MDB_txn *txn;
  const store_part *part;
  void *context;
} part_reading;

static int each_record(void *context)
{
  const part_reading *r = context;
  const store_part *part = r->part;
  return r->s->has_table[part->table] ? each_value(r->s, r->txn, part->table, part->from, part->visit, r->context) : 0;
}

frontier_status store_each_of(store *s, const store_part *parts, size_t count, void *context)
{
  MDB_txn *txn;
  size_t read = 0;
  int error = store_begin_reading(s, &txn);
  if (error)
    return store_failed(s, error, "reading");
  while (read < count && !error)
    error = store_guarded(s, each_record, &(part_reading){s, txn, &parts[read++], context});
  store_end_reading(s, txn);
  if (error != MDB_CORRUPTED || s->is_dead)
    return error ? store_failed(s, error, "reading") : FRONTIER_OK;
  snprintf(s->message, sizeof s->message, "a record of table %s is damaged; strata check says more",
           table_names[parts[read - 1].table]);
  return FRONTIER_DAMAGED;
}

frontier_status store_each(store *s, store_table table, uint64_t from, store_visitor *visit, void *context)
{
  return store_each_of(s, &(store_part){table, from, visit}, 1, context);
}

frontier_status store_get_meta(store *s, const char *name, uint8_t **body, size_t *size)
{
  MDB_txn *txn;
  int error = store_begin_reading(s, &txn);
  if (error)
    return store_failed(s, error, "reading");
  MDB_val k = store_name_key(name), v;
  frontier_status status = FRONTIER_OK;
  error = store_mdb_get(s, txn, s->meta, &k, &v);
  if (error) {
    status = error == MDB_NOTFOUND ? FRONTIER_NOT_FOUND : store_failed(s, error, "reading");
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
  store_end_reading(s, txn);
  return status;
}

frontier_status store_count(store *s, store_table table, uint64_t *records)
{
  MDB_txn *txn;
  MDB_stat stat;
  *records = 0;
  if (!s->has_table[table])
    return FRONTIER_OK;
  int error = store_begin_reading(s, &txn);
  if (error)
    return store_failed(s, error, "reading");
  error = mdb_stat(txn, s->table[table], &stat);
  store_end_reading(s, txn);
  if (error)
    return store_failed(s, error, "reading");
  *records = stat.ms_entries;
  return FRONTIER_OK;
}

/* ---- copies ---------------------------------------------------------------------------------------------- */

frontier_status store_copy(store *s, const char *path)
{
  MDB_txn *txn;
  int error = store_begin_reading(s, &txn); /* from here on the map reaches as far as the file */
  if (error)
    return store_failed(s, error, "copying it");
  unlink(path); /* what is left of an earlier one may have another mode */
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  error = fd < 0 ? errno : mdb_env_copyfd2(s->env, fd, MDB_CP_COMPACT);
  store_end_reading(s, txn);
  if (!error && fsync(fd) != 0)
    error = errno;
  if (fd >= 0)
    close(fd);
  if (!error)
    return FRONTIER_OK;
  unlink(path);
  return store_failed(s, error, "copying it");
}
