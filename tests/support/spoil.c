/* See spoil.h. Knows of a value of rows what FORMAT.md says. */
#include "tests/support/spoil.h"

#include "tests/support/scratch.h"

#include <lmdb.h>
#include <stdlib.h>
#include <string.h>

static void checked(int error)
{
  if (error)
    abort();
}

static MDB_env *open_table(const char *directory, const char *table, unsigned flags, MDB_txn **txn, MDB_dbi *dbi)
{
  enum { TABLES = 32 };
  MDB_env *env;
  checked(mdb_env_create(&env));
  checked(mdb_env_set_maxdbs(env, TABLES));
  checked(mdb_env_set_mapsize(env, (size_t)1 << 32));
  checked(mdb_env_open(env, directory, flags, 0666));
  checked(mdb_txn_begin(env, NULL, flags, txn));
  checked(mdb_dbi_open(*txn, table, MDB_INTEGERKEY, dbi));
  return env;
}

spoil_value spoil_read(const char *directory, const char *table, size_t which)
{
  MDB_txn *txn;
  MDB_dbi dbi;
  MDB_cursor *cursor;
  MDB_val key, value;
  spoil_value v = {0};
  MDB_env *env = open_table(directory, table, MDB_RDONLY, &txn, &dbi);
  checked(mdb_cursor_open(txn, dbi, &cursor));
  int error = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
  for (; !error && which; which--)
    error = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
  if (!error) {
    memcpy(&v.key, key.mv_data, sizeof v.key);
    v.bytes = malloc(value.mv_size);
    v.size = value.mv_size;
    checked(!v.bytes);
    memcpy(v.bytes, value.mv_data, v.size);
  }
  mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  mdb_env_close(env);
  return v;
}

void spoil_delete(const char *directory, const char *table, uint64_t number)
{
  MDB_txn *txn;
  MDB_dbi dbi;
  MDB_val key = {sizeof number, &number};
  MDB_env *env = open_table(directory, table, 0, &txn, &dbi);
  checked(mdb_del(txn, dbi, &key, NULL));
  checked(mdb_txn_commit(txn));
  mdb_env_close(env);
}

void spoil_free(spoil_value *v)
{
  free(v->bytes);
  *v = (spoil_value){0};
}

unsigned spoil_flip(const char *directory, const spoil_value *v, size_t at)
{
  enum { AROUND = 16 };
  char path[SCRATCH_PATH];
  size_t size, begin = at < AROUND ? 0 : at - AROUND, end = at + AROUND < v->size ? at + AROUND : v->size;
  unsigned copies = 0;
  scratch_join(directory, "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  checked(!bytes || at >= v->size);
  for (char *from = bytes, *hit; (hit = memmem(from, size - (size_t)(from - bytes), v->bytes + begin, end - begin));
       from = hit + 1, copies++)
    hit[at - begin] = (char)(hit[at - begin] ^ 1);
  scratch_write(path, bytes, size);
  free(bytes);
  return copies;
}

size_t spoil_block(const spoil_value *v, size_t i)
{
  enum { HEAD = 32, BLOCK_HEAD = 24, SIZE_AT = 16 };
  size_t at = HEAD;
  for (uint32_t size; i; i--, at += BLOCK_HEAD + size)
    memcpy(&size, v->bytes + at + SIZE_AT, sizeof size);
  return at;
}
