#include "tests/second_inside.h"

#include <errno.h>
#include <lmdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

const char *const second_table_names[SECOND_TABLES] = {"waiting", "ended", "hosts", "hashes", "chunks", "revoked",
                                                     "waiting-high", "waiting-low", "waiting-trap", "visits", "due",
                                                     "places", "host-changes", "meta", "exact"};

void second_fault(second_view *v, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  v->faults++;
  if (!v->is_quiet && v->faults <= 20) {
    fputs("second reader: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
  }
  va_end(arguments);
}

static uint64_t number(const uint8_t *at, unsigned bytes)
{
  uint64_t value = 0;
  while (bytes--)
    value = value << 8 | at[bytes];
  return value;
}

static double real(const uint8_t *at)
{
  uint64_t bits = number(at, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

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

/* ---- every record, as it stands ------------------------------------------------------------------------ */

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

/* ---- one record ---------------------------------------------------------------------------------------- */

/* The place of this sequence; 0, where no URL is, if it is beyond `next`. */
static second_url *url_at(second_view *v, const second_record *r)
{
  uint64_t sequence = number(r->key, 8);
  if (sequence > 0 && sequence < v->url_room)
    return &v->urls[sequence];
  second_fault(v, "sequence %llu was not given yet", (unsigned long long)sequence);
  return &v->urls[0];
}

static unsigned class_of(const second_record *r)
{
  return (unsigned)(r->table - SECOND_WAITING);
}

/* Fields at `at` in the value, if the record says so; returns where the URL begins. */
static size_t read_fields(second_view *v, const second_record *r, size_t at, bool has_fields, second_url *u)
{
  if (!has_fields)
    return at;
  size_t end = r->value_size - at < 4 ? SIZE_MAX : at + 4 + number(r->value + at, 4);
  if (end > r->value_size) {
    second_fault(v, "URL %llu: fields of a wrong size", (unsigned long long)number(r->key, 8));
    return at;
  }
  for (at += 4; at < end;) {
    size_t size = end - at < 5 ? SIZE_MAX : number(r->value + at + 1, 4);
    if (size > end - at - 5 || (r->value[at] == 1 ? size != 16 : r->value[at] != 2 || size > 65536)) {
      second_fault(v, "URL %llu: field %u of %zu bytes", (unsigned long long)number(r->key, 8), r->value[at], size);
      return end;
    }
    if (r->value[at] == 1)
      u->key_hash = r->value + at + 5;
    else {
      u->payload = r->value + at + 5;
      u->payload_size = size;
    }
    at += 5 + size;
  }
  return end;
}

static void read_queue(second_view *v, const second_record *r)
{
  const uint8_t *at = r->value;
  second_url *u = url_at(v, r);
  uint64_t begin = number(at + 20, 4) & 0x7fffffff, end = number(at + 24, 3), verdict = number(at + 27, 1);
  *u = (second_url){.found = u->found + 1, .host = number(at + 4, 4), .depth = (unsigned)number(at + 8, 2),
                    .hops = (unsigned)number(at + 10, 2), .via = number(at + 12, 8), .class = class_of(r),
                    .outcome = (unsigned)verdict & 7, .layer = (unsigned)verdict >> 3};
  u->text = (const char *)at + read_fields(v, r, 28, number(at + 20, 4) >> 31, u);
  if (begin > end || end > strlen(u->text) || u->host >= v->host_count ||
      strlen(v->hosts[u->host].name) != end - begin ||
      memcmp(v->hosts[u->host].name, u->text + begin, end - begin) != 0)
    second_fault(v, "queue %s: its host is not that of its host id", u->text);
}

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

/* The URLs of a chunk, as records of the queue; a chunk's host is that of each. */
static void split_chunk(second_view *v, const second_record *chunk)
{
  uint8_t *key = chunk->key, *value = chunk->value;
  uint64_t id = number(key, 8) >> 32, class = number(key, 8) >> 30 & 3;
  second_table table = (second_table)(SECOND_WAITING + class);
  v->chunks++;
  for (size_t at = 4, size; at < chunk->value_size; at += 12 + size) {
    size = chunk->value_size - at < 12 ? SIZE_MAX : (size_t)number(value + at + 8, 4);
    if (size > chunk->value_size - at - 12 || size < 24) {
      second_fault(v, "chunk %llx ends within a URL", (unsigned long long)number(key, 8));
      return;
    }
    if (number(value + at + 12, 4) != id)
      second_fault(v, "chunk %llx holds a URL of another host", (unsigned long long)number(key, 8));
    /* the size of the record stands where a value of the queue has its checksum */
    keep_record(v, table, &(MDB_val){8, value + at}, &(MDB_val){4 + size, value + at + 8});
  }
}

static void split_packs(second_view *v)
{
  static void (*const split[SECOND_TABLES])(second_view *, const second_record *) = {
    [SECOND_QUEUE] = split_queue,          [SECOND_QUEUE_HIGH] = split_queue, [SECOND_QUEUE_LOW] = split_queue,
    [SECOND_QUEUE_TRAP] = split_queue, [SECOND_HISTORY] = split_history, [SECOND_CHUNKS] = split_chunk};
  uint64_t rows = 0, chunk_rows = 0, places = 0;
  for (size_t i = 0, count = v->record_count; i < count; i++) {
    second_record pack = v->records[i]; /* keep_record moves the array */
    size_t before = v->record_count;
    if (pack.table < SECOND_TABLES && split[pack.table] && pack.key_size == 8)
      split[pack.table](v, &pack);
    rows += v->record_count - before;
    chunk_rows += pack.table == SECOND_CHUNKS ? v->record_count - before : 0;
  }
  for (uint64_t i = 0; i < v->place_room; i++)
    places += (place_of(v, i) >> 13 != 0) + (place_of(v, i) >> 12 & 1);
  if (rows - chunk_rows != places)
    second_fault(v, "%llu rows count, and %llu places say so", (unsigned long long)(rows - chunk_rows),
          (unsigned long long)places);
}

static void read_history(second_view *v, const second_record *r)
{
  const uint8_t *at = r->value;
  second_url *u = url_at(v, r);
  *u = (second_url){.found = u->found + 1, .state = number(at + 4, 2) & 0x3fff, .code = (unsigned)number(at + 6, 2),
                    .depth = (unsigned)number(at + 8, 2), .hops = (unsigned)number(at + 10, 2),
                    .via = number(at + 12, 8), .host = UINT64_MAX};
  u->text = (const char *)at + read_fields(v, r, 20, number(at + 4, 2) >> 15, u);
  if (u->state < 1 || u->state > 4)
    second_fault(v, "history %s: state %u", u->text, u->state);
}

static void read_host_at(second_view *v, const second_record *r, uint64_t id)
{
  const uint8_t *at = r->value;
  second_host h = {.name = (const char *)at + 36, .queued = {number(at + 4, 7)}, .done = number(at + 12, 8),
                   .failed = number(at + 20, 8), .skipped = number(at + 28, 8)};
  if (at[11] > 1 || (at[11] == 1 && r->value_size < 114)) {
    second_fault(v, "host %llu: a head of kind %u", (unsigned long long)id, at[11]);
  } else if (at[11] == 1) {
    h.name = (const char *)at + 114;
    for (unsigned class = 1; class < 4; class++) {
      h.queued[class] = number(at + 28 + 8 * class, 8);
      h.queued[0] -= h.queued[class];
    }
    if (number(at + 60, 8) > h.done + h.failed + h.skipped || number(at + 72, 4) > number(at + 68, 4) || at[112] > 3 ||
        at[113] > 1)
      second_fault(v, "host %s: what is said of traps and controls cannot be", h.name);
  }
  v->hosts[id] = h;
  v->host_count += id == v->host_count;
}

static void read_host(second_view *v, const second_record *r)
{
  if (number(r->key, 8) != v->host_count)
    second_fault(v, "host %zu is missing", v->host_count);
  read_host_at(v, r, v->host_count);
}

/* Seven bits a byte, lowest first; `*at` behind it, or behind `end` if there is none. */
static uint64_t short_number(const uint8_t *value, size_t *at, size_t end)
{
  uint64_t all = 0;
  for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
    uint8_t byte = value[(*at)++];
    all |= (uint64_t)(byte & 127) << shift;
    if (byte < 128)
      return all;
  }
  *at = end + 1;
  return 0;
}

/* As a value of `hosts` with no checksum; its name points into it. */
static uint8_t *keep_host(second_view *v, const uint8_t *record, size_t size)
{
  v->changed_hosts = realloc(v->changed_hosts, (v->changed_count + 1) * sizeof *v->changed_hosts);
  if (!v->changed_hosts)
    abort();
  uint8_t **value = &v->changed_hosts[v->changed_count++];
  *value = calloc(1, 4 + size + 1);
  if (!*value)
    abort();
  memcpy(*value + 4, record, size);
  return *value;
}

/* One change, from `at` on; returns where it ends. */
static size_t read_change(second_view *v, const second_record *r, size_t at)
{
  size_t end = r->value_size;
  uint64_t id = short_number(r->value, &at, end), kind = at < end ? r->value[at++] : 3, size = 0;
  second_host h = {0};
  if (kind == 2) {
    size = short_number(r->value, &at, end);
    if (at > end || size > end - at || size < 32 || id > v->host_count)
      return end + 1;
    second_record whole = {.table = SECOND_HOSTS, .value_size = 4 + size, .value = keep_host(v, r->value + at, size)};
    read_host_at(v, &whole, id);
    return at + size;
  }
  if (kind > 2 || id >= v->host_count)
    return end + 1;
  h.name = v->hosts[id].name;
  h.queued[0] = short_number(r->value, &at, end);
  h.done = short_number(r->value, &at, end);
  h.failed = short_number(r->value, &at, end);
  h.skipped = short_number(r->value, &at, end);
  for (unsigned class = 1; kind == 1 && class < 4; class++)
    h.queued[class] = short_number(r->value, &at, end);
  for (unsigned i = 0; kind == 1 && i < 3; i++)
    (void)short_number(r->value, &at, end); /* of traps */
  v->hosts[id] = h;
  return at;
}

static void read_changes(second_view *v, const second_record *r)
{
  uint64_t key = number(r->key, 8), changes = number(r->value + 12, 8), read = 0;
  size_t at = 37;
  if (!v->next_change) {
    v->first_change = key;
    v->host_records = v->host_count;
  } else if (key != v->next_change) {
    second_fault(v, "host-changes: number %llu is missing", (unsigned long long)v->next_change);
  }
  v->next_change = key + 1;
  for (; at < r->value_size && read < changes; read++)
    at = read_change(v, r, at);
  if (at != r->value_size || read != changes || r->value[20] != 255)
    second_fault(v, "host-changes, number %llu: it makes no sense", (unsigned long long)key);
  v->changes_agree = number(r->value + 4, 8) == v->host_count && number(r->value + 21, 8) == v->first_change &&
                     number(r->value + 29, 8) == v->host_records;
}

static void read_visit(second_view *v, const second_record *r)
{
  const uint8_t *at = r->value;
  size_t etag = number(at + 37, 2), modified = number(at + 39, 2), head = 43 + etag + modified;
  const second_url *u = url_at(v, r);
  v->visits++;
  bool is_queued = at[20] & 2, has_due = number(at + 16, 4) != 0;
  if (at[20] > 3 || is_queued == has_due || at[41] > 3 || at[42] < 1 || at[42] > 3 || etag > 1024 || modified > 1024 ||
      r->value_size < head + 24)
    second_fault(v, "visit %llu: fields that cannot be", (unsigned long long)number(r->key, 8));
  else if (!u->text || !strstr((const char *)at + head + 24 + (number(at + head + 16, 4) >> 31 ? 25 : 0), u->text))
    second_fault(v, "visit %llu is of another URL", (unsigned long long)number(r->key, 8));
}

static void read_due(second_view *v, const second_record *r)
{
  uint64_t key = number(r->key, 8), sequence = number(r->value + 4, 8);
  v->dues++;
  if (r->value_size != 12 || (uint32_t)sequence != (uint32_t)key)
    second_fault(v, "due %llx: its key is of another URL", (unsigned long long)key);
  for (size_t i = 0; i < v->record_count; i++) {
    const second_record *visit = &v->records[i];
    if (visit->table == SECOND_VISITS && number(visit->key, 8) == sequence && visit->value_size >= 43 &&
        number(visit->value + 16, 4) == key >> 32)
      return;
  }
  second_fault(v, "due %llx: no visit is due then", (unsigned long long)key);
}

static void keep_hash(second_view *v, const uint8_t *hash)
{
  if ((v->log_keys & (v->log_keys - 1)) == 0)
    v->log_hashes = realloc(v->log_hashes, (v->log_keys ? 2 * v->log_keys : 1) * sizeof *v->log_hashes);
  if (!v->log_hashes)
    abort();
  v->log_hashes[v->log_keys] = hash;
}

static void read_hashes(second_view *v, const second_record *r)
{
  v->log_has_gap |= number(r->key, 8) != v->log_keys;
  v->checkpoint_is_at_chunk |= v->log_keys == v->progress[CHECKPOINT_KEYS];
  size_t at = 4;
  while (at + 17 <= r->value_size && r->value[at + 16] <= 16) {
    unsigned segments = r->value[at + 16];
    keep_hash(v, r->value + at);
    at += 17;
    for (; segments && at + 17 <= r->value_size; segments--, at += 17, v->log_segments++)
      if (r->value[at] < 1 || r->value[at] > 16)
        second_fault(v, "hashes: a segment of layer %u", r->value[at]);
    v->log_keys++;
  }
  if (at != r->value_size)
    second_fault(v, "hashes: a chunk of %zu bytes ends at %zu", r->value_size, at);
}

static void read_revoked(second_view *v, const second_record *r)
{
  v->revoked += (r->value_size - 4) / 8;
  if (r->value_size < 12 || r->value_size % 8 != 4)
    second_fault(v, "revoked: a row of %zu bytes", r->value_size);
}

/* ---- meta ---------------------------------------------------------------------------------------------- */

const second_record *second_meta(const second_view *v, const char *name)
{
  for (size_t i = 0; i < v->record_count; i++)
    if (v->records[i].table == SECOND_META && strcmp((const char *)v->records[i].key, name) == 0)
      return &v->records[i];
  return NULL;
}

static void read_identity(second_view *v)
{
  const second_record *r = second_meta(v, "identity");
  if (!r || r->value_size < 44 || r->value_size - 44 >= sizeof v->profile) {
    second_fault(v, "identity: missing, or of a wrong size");
    return;
  }
  memcpy(v->identity_magic, r->value + 4, 16);
  v->version = (uint32_t)number(r->value + 20, 4);
  v->filter = (uint32_t)number(r->value + 24, 4);
  v->is_exact = v->filter >> 8 == 1;
  v->filter &= ~(uint32_t)0x100;
  v->rate = real(r->value + 28);
  v->expected_urls = number(r->value + 36, 8);
  memcpy(v->profile, r->value + 44, r->value_size - 44);
  if (memcmp(r->value + 4, "STRATA frontier", 16) != 0 || v->version < (v->is_exact ? 4 : 3) || v->version > 6)
    second_fault(v, "identity: \"%s\", version %u", v->identity_magic, v->version);
}

static void read_progress(second_view *v)
{
  const second_record *r = second_meta(v, "progress");
  v->progress[NEXT_SEQUENCE] = 1;
  if (!r)
    return;
  if (r->value_size != 108) {
    second_fault(v, "progress: %zu bytes", r->value_size);
    return;
  }
  for (size_t i = 0; i < PROGRESS; i++)
    v->progress[i] = number(r->value + 4 + 8 * i, 8);
  v->expected_lost = real(r->value + 100);
  r = second_meta(v, "acceptance");
  if (r && r->value_size != 28)
    second_fault(v, "acceptance: %zu bytes", r->value_size);
  else if (r) {
    v->noted = number(r->value + 4, 8);
    v->forced = number(r->value + 12, 8);
    v->known_before = number(r->value + 20, 8);
  }
}

static void read_texts(second_view *v)
{
  const second_record *r = second_meta(v, "counters");
  v->counters = r ? (const char *)r->value + 4 : "";
  r = second_meta(v, "journal");
  if (r && r->value_size >= 12) {
    v->has_journal = true;
    v->journal_offset = number(r->value + 4, 8);
    v->owed = (const char *)r->value + 12;
    v->owed_size = r->value_size - 12;
  }
}

/* So many hosts at most are in `host-changes` alone: a change has two bytes. */
static size_t host_room(const second_view *v)
{
  size_t bytes = 0;
  for (size_t i = 0; i < v->record_count; i++)
    bytes += v->records[i].table == SECOND_HOST_CHANGES ? v->records[i].value_size : 0;
  return bytes / 2;
}

void second_read(const char *directory, bool is_quiet, second_view *view)
{
  static const struct {
    second_table table;
    size_t head;
    void (*read)(second_view *, const second_record *);
  } order[] = {{SECOND_HOSTS, 36, read_host},        {SECOND_HOST_CHANGES, 37, read_changes},
               {SECOND_WAITING, 28, read_queue},
               {SECOND_WAITING_HIGH, 28, read_queue}, {SECOND_WAITING_LOW, 28, read_queue},
               {SECOND_WAITING_TRAP, 28, read_queue}, {SECOND_ENDED, 20, read_history},
               {SECOND_HASHES, 4, read_hashes},      {SECOND_REVOKED, 4, read_revoked},
               {SECOND_VISITS, 67, read_visit},      {SECOND_DUE, 12, read_due}};
  *view = (second_view){.is_quiet = is_quiet};
  second_view *v = view;
  read_environment(v, directory);
  for (size_t i = 0; i < v->record_count; i++)
    if (!checksum_holds(&v->records[i]))
      second_fault(v, "table %s, record %zu: the checksum fails", second_table_names[v->records[i].table], i);
  read_places(v);
  split_packs(v);
  read_identity(v);
  read_progress(v);
  read_texts(v);
  v->url_room = v->progress[NEXT_SEQUENCE] < (uint64_t)1 << 32 ? v->progress[NEXT_SEQUENCE] : 1;
  v->urls = calloc(v->url_room + 1, sizeof *v->urls);
  v->hosts = calloc(v->record_count + host_room(v) + 1, sizeof *v->hosts);
  if (!v->urls || !v->hosts)
    abort();
  for (size_t t = 0; t < sizeof order / sizeof *order; t++)
    for (size_t i = 0; i < v->record_count; i++) {
      const second_record *r = &v->records[i];
      if (r->table != order[t].table)
        continue;
      if (r->key_size != 8 || r->value_size < order[t].head)
        second_fault(v, "table %d: a record of %zu bytes", (int)r->table, r->value_size);
      else
        order[t].read(v, r);
    }
  second_agree(v);
}

void second_free(second_view *v)
{
  for (size_t i = 0; i < v->record_count; i++) {
    free(v->records[i].key);
    free(v->records[i].value);
  }
  for (size_t i = 0; i < v->changed_count; i++)
    free(v->changed_hosts[i]);
  free(v->changed_hosts);
  free(v->log_hashes);
  free(v->records);
  free(v->places);
  free(v->urls);
  free(v->hosts);
}

const second_url *second_find(const second_view *v, const char *text)
{
  for (uint64_t i = 1; i < v->url_room; i++)
    if (v->urls[i].found && strcmp(v->urls[i].text, text) == 0)
      return &v->urls[i];
  return NULL;
}
