/* A frontier's directory with bytes changed: in values inside LMDB, with the checksum left wrong (damage) or made
 * right (malice), and in the files beside it. Whatever is read is refused in words or taken for what it says; damage
 * never makes a URL up, nor forgets one. (Pages of data.mdb itself: hostile_directory.c.)
 *
 * An input is a list of changes, 6 bytes each: what, which, at (2 bytes, little-endian), byte, unused. */
#include "frontier/frontier.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"

#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { URLS = 12, CHANGE = 6, CHANGES_MAX = 8 };
typedef enum change { FLIP, FORGE, RESIZE, DELETE, FLIP_FILE, CUT_FILE, CHANGES } change;

static char root[SCRATCH_PATH], original[SCRATCH_PATH], copy[SCRATCH_PATH], journal[SCRATCH_PATH];
static second_view records;
static char *journal_text;
static size_t journal_size;

static void check(bool holds)
{
  if (!holds)
    abort();
}

static void parse(unsigned number, url *u)
{
  char text[64];
  int size = snprintf(text, sizeof text, "http://h%u.test/a/%u?b", number % 3, number);
  check(url_parse(text, (size_t)size, URL_STRICT, u) == URL_OK);
}

/* Priorities, two groups, a time, and opaque targets in one of these. */
static frontier_link link_of(unsigned number, url *u, mlbf_span *key)
{
  frontier_link link = {
    .target = u, .origin = {.depth = (uint16_t)number}, .priority = number % 4 == 2 ? 0 : (int32_t)number % 4 - 1};
  parse(number, u);
  link.not_before_ms = number == 7 ? 300 : 0;
  if (number % 3 == 2) {
    link.group = &"two"[number % 2]; /* "two", "wo" */
    link.group_size = strlen(link.group);
  }
  if (number % 6 == 5) {
    *key = (mlbf_span){u->fetch, u->fetch_size};
    link = (frontier_link){.key = key, .key_count = 1, .group = link.group, .group_size = link.group_size};
    link.opaque = u->fetch;
    link.opaque_size = u->fetch_size;
  }
  return link;
}

static frontier *open_one(const char *directory, bool read_only, frontier_status *status)
{
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 8,
                              .rate = 1e-9,
                              .per_host = 2,
                              .depth_cap = 5,
                              .journal_path = journal,
                              .read_only = read_only};
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  *status = frontier_open(directory, &options, &f, message);
  check((f != NULL) == (*status == FRONTIER_OK) && (f || strlen(message) > 10));
  return f;
}

/* ---- once ------------------------------------------------------------------------------------------------- */

static void remove_all(void)
{
  scratch_remove(root);
}

static void tell_story(void)
{
  static url u;
  mlbf_span key;
  frontier_status status;
  frontier_verdict verdict;
  frontier_lease leases[4];
  size_t count, settled;
  int64_t wait_ms;
  frontier *f = open_one(original, false, &status);
  check(f != NULL);
  for (unsigned i = 0; i < URLS; i++) {
    frontier_link link = link_of(i, &u, &key);
    check(frontier_add_batch(f, &link, 1, 0, &verdict, &settled) == FRONTIER_OK);
    check(i % 5 || frontier_sync(f) == FRONTIER_OK);
  }
  check(frontier_count(f, "pages", 3) == FRONTIER_OK && frontier_setting_put(f, "scope", "host", 4) == FRONTIER_OK);
  check(frontier_next(f, 0, leases, 4, &count, &wait_ms) == FRONTIER_OK && count == 4);
  for (size_t i = 0; i < 2; i++)
    check(frontier_done(f, leases[i].id, FRONTIER_DONE, 200, "line", 4, 0) == FRONTIER_OK);
  const frontier_return with = {.has_payload = true, .payload = "again", .payload_size = 5, .not_before_ms = 100};
  check(frontier_release_with(f, leases[2].id, &with, 0) == FRONTIER_OK);
  check(frontier_close(f) == FRONTIER_OK);
}

static void prepare(void)
{
  scratch_make_fast(root);
  scratch_join(root, "original", original);
  scratch_join(root, "copy", copy);
  scratch_join(root, "journal", journal);
  atexit(remove_all);
  tell_story();
  second_read(original, false, &records);
  check(records.faults == 0);
  journal_text = scratch_read(journal, &journal_size);
}

/* ---- changes ---------------------------------------------------------------------------------------------- */

static size_t word(const uint8_t *at)
{
  return at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

static void put_sum(uint8_t *at, const uint8_t *bytes, size_t size, uint64_t seed)
{
  uint64_t sum = XXH3_64bits_withSeed(bytes, size, seed);
  for (int i = 0; i < 4; i++)
    at[i] = (uint8_t)(sum >> (8 * i));
}

/* Its blocks, as far as they can be found, its foot, and its head. */
static void seal_rows(uint8_t *value, size_t size)
{
  size_t blocks = size < 36 ? 0 : word(value + 24);
  if (size < 36 || blocks > (size - 36) / 4)
    return;
  size_t foot = size - 4 - 4 * blocks;
  for (size_t i = 0; i < blocks; i++) {
    size_t at = word(value + foot + 4 * i) & 0xfffffff;
    if (at >= 32 && at <= foot && foot - at >= 24 && word(value + at + 16) <= foot - at - 24)
      put_sum(value + at + 4, value + at + 8, 16 + word(value + at + 16), records.id);
  }
  put_sum(value + size - 4, value + foot, 4 * blocks, records.id);
  put_sum(value + 4, value + 8, 24, records.id);
}

static void seal(const second_record *r, uint8_t *value, size_t size)
{
  uint64_t key = 0;
  memcpy(&key, r->key, r->key_size < sizeof key ? r->key_size : sizeof key);
  if (r->table == SECOND_TEXT || r->table == SECOND_ENDED)
    seal_rows(value, size);
  else if (r->table == SECOND_STATES)
    for (size_t i = 0; 260 * (i + 1) <= size && i < 7; i++)
      put_sum(value + 260 * i, value + 260 * i + 4, 256, records.id ^ (7 * key + i));
  else
    put_sum(value, value + 4, size - 4, r->table == SECOND_META ? XXH3_64bits(r->key, r->key_size) : key);
}

/* Sizes of a filter that nobody would forge by chance, and that would only cost time here. */
static bool is_a_size(const second_record *r, size_t at)
{
  const char *name = (const char *)r->key;
  return r->table == SECOND_META && ((strcmp(name, "identity") == 0 && at >= 36 && at < 76) ||
                                     (strcmp(name, "progress") == 0 && at >= 6 && at < 28));
}

static void change_record(MDB_txn *txn, change what, const second_record *r, size_t at, uint8_t byte)
{
  static uint8_t value[4 + 65536];
  MDB_dbi dbi;
  MDB_val key = {r->key_size, r->key}, new = {r->value_size, value};
  check(mdb_dbi_open(txn, second_table_names[r->table], r->table >= SECOND_META ? 0 : MDB_INTEGERKEY, &dbi) == 0);
  memset(value, byte, sizeof value);
  memcpy(value, r->value, r->value_size);
  if (what == DELETE) {
    mdb_del(txn, dbi, &key, NULL);
    return;
  }
  if (what == RESIZE)
    new.mv_size = 4 + at;
  else
    value[at % r->value_size] ^= byte;
  if (what != FLIP && !is_a_size(r, at % r->value_size))
    seal(r, value, new.mv_size);
  check(mdb_put(txn, dbi, &key, &new, 0) == 0);
}

static void change_file(change what, unsigned which, size_t at, uint8_t byte)
{
  static const char *const names[] = {"seen.0", "seen.1", "LOCK"};
  char path[SCRATCH_PATH];
  size_t size;
  if (which % 4 < 3)
    scratch_join(copy, names[which % 4], path);
  else
    memcpy(path, journal, sizeof path);
  char *bytes = scratch_read(path, &size);
  if (bytes && size) {
    bytes[at % size] = (char)(bytes[at % size] ^ byte);
    scratch_write(path, bytes, what == CUT_FILE ? at % size : size);
  }
  free(bytes);
}

typedef struct outcome {
  bool is_forged;     /* a record was made up, or taken away: nothing it says can be held against the reader */
  bool is_in_records; /* else only the files beside LMDB were changed */
} outcome;

static outcome change_all(const uint8_t *data, size_t size)
{
  outcome o = {false, false};
  MDB_env *env;
  MDB_txn *txn;
  check(mdb_env_create(&env) == 0 && mdb_env_set_maxdbs(env, SECOND_TABLES) == 0);
  check(mdb_env_set_mapsize(env, (size_t)1 << 26) == 0 && mdb_env_open(env, copy, MDB_NOSYNC, 0666) == 0);
  check(mdb_txn_begin(env, NULL, 0, &txn) == 0);
  for (size_t i = 0; i + CHANGE <= size && i < (size_t)CHANGE * CHANGES_MAX; i += CHANGE) {
    change what = (change)(data[i] % CHANGES);
    size_t at = data[i + 2] | (size_t)data[i + 3] << 8;
    const second_record *r = &records.records[data[i + 1] % records.record_count];
    if (what == FLIP_FILE || what == CUT_FILE) {
      change_file(what, data[i + 1], at, data[i + 4]);
      o.is_in_records |= data[i + 1] % 4 == 3; /* the journal's bytes are as good as a record */
      continue;
    }
    change_record(txn, what, r, at, data[i + 4]);
    o.is_forged |= what != FLIP;
    o.is_in_records = true;
  }
  check(mdb_txn_commit(txn) == 0);
  mdb_env_close(env);
  return o;
}

/* ---- use -------------------------------------------------------------------------------------------------- */

static void use(frontier *f, bool is_forged)
{
  static url u;
  mlbf_span key;
  frontier_verdict verdict;
  frontier_stats stats;
  frontier_lease leases[8];
  size_t count = 0, size;
  int64_t wait_ms;
  const void *value;
  check(frontier_stats_read(f, &stats) == FRONTIER_OK);
  frontier_setting_get(f, "scope", &value, &size);
  for (unsigned i = 0; i < URLS; i++) {
    frontier_link link = link_of(i, &u, &key);
    check(frontier_lookup_batch(f, &link, 1, &verdict) == FRONTIER_OK &&
          (is_forged || verdict.outcome == FRONTIER_SEEN));
  }
  for (uint64_t now_ms = 0; now_ms < 5; now_ms++) {
    if (frontier_next(f, now_ms * 200, leases, 8, &count, &wait_ms) != FRONTIER_OK)
      break;
    for (size_t i = 0; i < count; i++) {
      const second_url *truth = leases[i].id < records.url_room ? &records.urls[leases[i].id] : NULL;
      check(is_forged || (truth && truth->state == 0 && strcmp(truth->text, leases[i].url) == 0));
      check(leases[i].host_begin <= leases[i].host_end && leases[i].host_end <= leases[i].url_size);
      check(frontier_done(f, leases[i].id, FRONTIER_DONE, 1, "x", 1, now_ms) == FRONTIER_OK);
    }
  }
  parse(URLS, &u);
  frontier_add(f, &u, (frontier_origin){0}, 0, &verdict);
  frontier_sync(f);
}

static bool look(void *context, const frontier_record *record)
{
  size_t *bytes = context;
  for (size_t i = 0; i < record->url_size; i++)
    *bytes += record->url[i] != '\0'; /* each may be read */
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  frontier_status status;
  if (!records.record_count)
    prepare();
  scratch_remove(copy);
  check(mkdir(copy, 0777) == 0);
  scratch_copy(original, copy);
  scratch_write(journal, journal_text, journal_size);
  outcome o = change_all(data, size);
  frontier *f = open_one(copy, false, &status);
  check(f || o.is_in_records); /* what is not in LMDB is harmless */
  check(f || o.is_forged || status == FRONTIER_DAMAGED || status == FRONTIER_NOT_OURS);
  if (f)
    use(f, o.is_forged);
  frontier_close(f);
  f = open_one(copy, true, &status);
  frontier_stats stats;
  size_t bytes = 0;
  if (f) {
    frontier_stats_read(f, &stats);
    frontier_each(f, look, &bytes);
  }
  frontier_close(f);
  return 0;
}
