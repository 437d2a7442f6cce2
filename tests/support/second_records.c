/* The second reader's first half: every record as it stands in LMDB, its checksum, and the rows of packs as
 * records of their own. What they mean is read in second_reader.c. */
#include "tests/support/second_inside.h"

#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

const char *const second_table_names[SECOND_TABLES] = {
  "waiting",      "ended",  "hosts", "hashes", "revoked",      "waiting-high", "waiting-low",
  "waiting-trap", "visits", "due",   "places", "host-changes", "meta",         "exact"};

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
  if (table == SECOND_EXACT && error == MDB_NOTFOUND)
    return; /* where it has to be there, its keys are missed */
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
  bool is_torn = error == MDB_INVALID && file.st_size <= 4 * sysconf(_SC_PAGESIZE); /* in its first pages */
  return is_unborn || is_torn;
}

static bool checksum_holds(const second_record *r)
{
  bool is_named = r->table == SECOND_META || r->table == SECOND_EXACT;
  uint64_t seed = is_named ? XXH3_64bits(r->key, r->key_size) : number(r->key, 8);
  return r->value_size >= 4 &&
         number(r->value, 4) == (XXH3_64bits_withSeed(r->value + 4, r->value_size - 4, seed) & 0xffffffff);
}

/* ---- rows -------------------------------------------------------------------------------------------------- */

/* The bytes of all places, two each, one behind the other. */
static void read_places(second_view *v)
{
  uint64_t groups = 0;
  for (size_t i = 0; i < v->record_count; i++) {
    const second_record *r = &v->records[i];
    if (r->table != SECOND_PLACES)
      continue;
    if (r->key_size != 8 || r->value_size != 4 + 1024 || number(r->key, 8) >> 22)
      second_fault(v, "places: a record of %zu bytes", r->value_size);
    else if (number(r->key, 8) >= groups)
      groups = number(r->key, 8) + 1;
  }
  v->place_room = 512 * groups;
  v->places = calloc(2 * v->place_room + 1, 1);
  if (!v->places)
    abort();
  for (size_t i = 0; i < v->record_count; i++) {
    const second_record *r = &v->records[i];
    if (r->table == SECOND_PLACES && r->key_size == 8 && r->value_size == 4 + 1024 && number(r->key, 8) < groups)
      memcpy(v->places + 1024 * number(r->key, 8), r->value + 4, 1024);
  }
}

/* What the place of this sequence says; 0 if nobody said anything. */
static unsigned place_of(const second_view *v, uint64_t sequence)
{
  return sequence < v->place_room ? (unsigned)number(v->places + 2 * sequence, 2) : 0;
}

static void keep_row(second_view *v, second_table table, void *sequence, size_t size, uint8_t *bytes)
{
  MDB_val key = {8, sequence}, value = {size, bytes};
  keep_record(v, table, &key, &value);
}

/* The rows of a pack of a queue that wait. */
static void split_queue(second_view *v, const second_record *pack)
{
  unsigned class = pack->table == SECOND_QUEUE ? 0 : 1 + (unsigned)(pack->table - SECOND_QUEUE_HIGH);
  int last = -1;
  for (size_t at = 4, size; at < pack->value_size; at += 5 + size) {
    size = pack->value_size - at < 5 ? SIZE_MAX : (size_t)number(pack->value + at + 1, 4);
    if (pack->value_size - at < 5 || size > pack->value_size - at - 5 || size < 24 || pack->value[at] <= last ||
        pack->value[at] > 15) {
      second_fault(v, "pack %llu of the queue: row at %zu", (unsigned long long)number(pack->key, 8), at);
      return;
    }
    last = pack->value[at];
    uint64_t sequence = 16 * number(pack->key, 8) + (unsigned)last;
    if (place_of(v, sequence) >> 13 == class + 1) /* the size stands where a value has its checksum */
      keep_row(v, (second_table)(SECOND_WAITING + class), &sequence, 4 + size, pack->value + at + 1);
  }
}

/* The rows of a pack of the history that count. */
static void split_history(second_view *v, const second_record *pack)
{
  for (size_t at = 4, size; at < pack->value_size; at += 14 + size) {
    size = pack->value_size - at < 14 ? SIZE_MAX : (size_t)number(pack->value + at + 10, 4);
    if (pack->value_size - at < 14 || size > pack->value_size - at - 14 || size < 16) {
      second_fault(v, "pack %llu of the history: row at %zu", (unsigned long long)number(pack->key, 8), at);
      return;
    }
    unsigned place = place_of(v, number(pack->value + at, 8));
    if (place >> 12 & 1 && (place & 0xfff) == number(pack->value + at + 8, 2))
      keep_row(v, SECOND_ENDED, pack->value + at, 4 + size, pack->value + at + 10);
  }
}

static void split_packs(second_view *v)
{
  static void (*const split[SECOND_TABLES])(second_view *, const second_record *) = {[SECOND_QUEUE] = split_queue,
                                                                                     [SECOND_QUEUE_HIGH] = split_queue,
                                                                                     [SECOND_QUEUE_LOW] = split_queue,
                                                                                     [SECOND_QUEUE_TRAP] = split_queue,
                                                                                     [SECOND_HISTORY] = split_history};
  uint64_t rows = 0, places = 0;
  for (size_t i = 0, count = v->record_count; i < count; i++) {
    second_record pack = v->records[i]; /* keep_record moves the array */
    size_t before = v->record_count;
    if (pack.table < SECOND_TABLES && split[pack.table] && pack.key_size == 8)
      split[pack.table](v, &pack);
    rows += v->record_count - before;
  }
  for (uint64_t i = 0; i < v->place_room; i++)
    places += (place_of(v, i) >> 13 != 0) + (place_of(v, i) >> 12 & 1);
  if (rows != places)
    second_fault(v, "%llu rows count, and %llu places say so", (unsigned long long)rows, (unsigned long long)places);
}

void second_records(second_view *v, const char *directory)
{
  read_environment(v, directory);
  for (size_t i = 0; i < v->record_count; i++)
    if (!checksum_holds(&v->records[i]))
      second_fault(v, "table %s, record %zu: the checksum fails", second_table_names[v->records[i].table], i);
  read_places(v);
  split_packs(v);
}
