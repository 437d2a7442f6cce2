/* The second reader's first half: every record as it is in LMDB, and its checksum. What they mean is read in
 * second_rows.c and second_reader.c. */
#include "tests/support/second_inside.h"

#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

const char *const second_table_names[SECOND_TABLES] = {"text",         "ended",  "states",  "again",  "hosts",
                                                       "host-changes", "hashes", "revoked", "visits", "due",
                                                       "unconfirmed",  "meta",   "identity"};

/* NUL behind, so that what ends a value may be read as text. */
static uint8_t *copy_of(const MDB_val *bytes)
{
  uint8_t *copy = malloc(bytes->mv_size + 1);
  if (!copy)
    abort();
  memcpy(copy, bytes->mv_data, bytes->mv_size);
  copy[bytes->mv_size] = 0;
  return copy;
}

static void keep_record(second_view *v, second_table table, const MDB_val *key, const MDB_val *value)
{
  if ((v->record_count & (v->record_count - 1)) == 0) {
    size_t room = v->record_count ? 2 * v->record_count : 1;
    v->records = realloc(v->records, room * sizeof *v->records);
    if (!v->records)
      abort();
  }
  v->records[v->record_count++] = (second_record){table, key->mv_size, value->mv_size, copy_of(key), copy_of(value)};
}

static void read_table(second_view *v, MDB_txn *txn, second_table table)
{
  MDB_dbi dbi;
  MDB_cursor *cursor;
  MDB_val key, value;
  int error = mdb_dbi_open(txn, second_table_names[table], table >= SECOND_META ? 0 : MDB_INTEGERKEY, &dbi);
  if (table == SECOND_UNCONFIRMED && error == MDB_NOTFOUND)
    return; /* made by the first writer with exact keys */
  if (error || (error = mdb_cursor_open(txn, dbi, &cursor))) {
    second_fault(v, "table %s: %s", second_table_names[table], mdb_strerror(error));
    return;
  }
  while ((error = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0)
    keep_record(v, table, &key, &value);
  if (error != MDB_NOTFOUND)
    second_fault(v, "table %s: %s", second_table_names[table], mdb_strerror(error));
  mdb_cursor_close(cursor);
}

static int open_environment(const char *directory, MDB_env **env, MDB_txn **txn)
{
  *txn = NULL;
  if (mdb_env_create(env) != 0)
    abort();
  mdb_env_set_maxdbs(*env, SECOND_TABLES);
  mdb_env_set_mapsize(*env, (size_t)1 << 32);
  int error = mdb_env_open(*env, directory, MDB_RDONLY, 0666);
  return error ? error : mdb_txn_begin(*env, NULL, MDB_RDONLY, txn);
}

static void close_environment(MDB_env *env, MDB_txn *txn)
{
  if (txn)
    mdb_txn_abort(txn);
  mdb_env_close(env);
}

static void read_environment(second_view *v, const char *directory)
{
  MDB_env *env;
  MDB_txn *txn;
  int error = open_environment(directory, &env, &txn);
  if (error)
    second_fault(v, "%s: %s", directory, mdb_strerror(error));
  for (int i = 0; i < SECOND_TABLES && !error; i++)
    read_table(v, txn, (second_table)i);
  close_environment(env, txn);
}

bool second_is_unborn(const char *directory)
{
  char path[4096];
  struct stat file;
  snprintf(path, sizeof path, "%s/data.mdb", directory);
  if (stat(path, &file) != 0 || file.st_size < 2 * sysconf(_SC_PAGESIZE))
    return true; /* not even LMDB's two meta pages: it would begin them, read-only as it is, and say EBADF */
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi names;
  MDB_stat names_stat;
  int error = open_environment(directory, &env, &txn);
  bool is_unborn = error == 0 && mdb_dbi_open(txn, NULL, 0, &names) == 0 && mdb_stat(txn, names, &names_stat) == 0 &&
                   names_stat.ms_entries == 0;
  close_environment(env, txn);
  bool is_torn = error == MDB_INVALID && file.st_size <= 5 * sysconf(_SC_PAGESIZE); /* in its first pages */
  return is_unborn || is_torn;
}

/* Values of rows and states have theirs inside: second_rows.c. */
static bool checksum_holds(const second_record *r)
{
  if (r->table == SECOND_TEXT || r->table == SECOND_ENDED || r->table == SECOND_STATES ||
      r->table == SECOND_UNCONFIRMED)
    return true;
  bool is_named = r->table == SECOND_META || r->table == SECOND_IDENTITY;
  uint64_t seed = is_named ? XXH3_64bits(r->key, r->key_size) : number(r->key, 8);
  return r->value_size >= 4 &&
         number(r->value, 4) == (XXH3_64bits_withSeed(r->value + 4, r->value_size - 4, seed) & 0xffffffff);
}

void second_records(second_view *v, const char *directory)
{
  read_environment(v, directory);
  for (size_t i = 0; i < v->record_count; i++)
    if (!checksum_holds(&v->records[i]))
      second_fault(v, "table %s, record %zu: the checksum fails", second_table_names[v->records[i].table], i);
}
