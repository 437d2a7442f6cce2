/* FORMAT.md held to its word: a short story is told to the library, and the second reader, which knows only FORMAT.md,
 * must find every number of it at its offset. The same story lies in golden/frontier-8/, written once: the library must
 * read that, and write the same records today. With another version number in it, everything must refuse it.
 *
 * After a wanted change of the format, STRATA_GOLDEN=DIRECTORY has the writer's case make the golden files there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <lmdb.h>
#include <xxhash.h>

#include "frontier/admin.h"
#include "frontier/frontier.h"
#include "frontier/host.h"
#include "frontier/promote.h"
#include "frontier/recrawl.h"
#include "tests/support/one_key.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/slow_hash.h"
#include "tests/support/test.h"

/* ---- the story ----------------------------------------------------------------------------------------- */

static const struct page {
  const char *url;
  frontier_origin origin;
  unsigned state, code; /* how it ends; 0: it stays in the queue */
  const char *report;
} pages[] = {
  {"http://example.org/", {0, 0, 0}, 1, 200, "{\"page\":1}"},
  {"http://example.org/a/b", {1, 1, 0}, 2, 28, "{\"page\":2}"},
  {"https://www.example.net:8443/c?d&e", {1, 2, 3}, 3, 65535, ""},
  {"http://example.org/a/c", {2, 1000, 0}, 0, 0, NULL},
  {"https://www.example.net:8443/c", {3, 7, 1}, 0, 0, NULL},
};
enum { PAGES = sizeof pages / sizeof *pages, MORE = 4 };

static const uint8_t story_secret[MLBF_SECRET_BYTES] = "a secret that golden files have";

static const frontier_options story_options = {.filter = MLBF_KIND_MLBF,
                                               .profile = URL_NO_WWW,
                                               .expected_urls = 1000,
                                               .rate = 1e-6,
                                               .per_host = 8,
                                               .depth_cap = UINT16_MAX,
                                               .secret = story_secret};

static void parse(const char *text, url_profile profile, url *u)
{
  assert_int_equal(url_parse(text, strlen(text), profile, u), URL_OK);
}

static frontier *open_or_fail(const char *directory, const frontier_options *options)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  if (frontier_open(directory, options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

static bool is_both(void *context, const char *fetch, size_t size)
{
  (void)context;
  return size == strlen("http://example.net/both") && memcmp(fetch, "http://example.net/both", size) == 0;
}

/* URLs 6 to 9, of which the last is put first; and page 1 forgotten. */
static void tell_more(frontier *f, url_profile profile)
{
  static const mlbf_span own_key[] = {{"item", 4}, {"/7", 2}};
  static url u;
  frontier_verdict verdict;
  bool was_seen;
  parse("http://example.org/p", profile, &u);
  assert_int_equal(frontier_force(f, &(frontier_link){.target = &u, .payload = "a\0b", .payload_size = 3}, 0, &verdict),
                   FRONTIER_OK);
  parse("http://example.org/k", profile, &u);
  assert_int_equal(frontier_note(f, &(frontier_link){.target = &u, .key = own_key, .key_count = 2}, 0, &verdict),
                   FRONTIER_OK);
  parse(pages[1].url, profile, &u);
  assert_int_equal(frontier_force(f, &(frontier_link){.target = &u, .origin = {.depth = 4}}, 0, &verdict), FRONTIER_OK);
  assert_int_equal(verdict.outcome, FRONTIER_SEEN);
  parse("http://example.net/both", profile, &u);
  assert_int_equal(
    frontier_force(
      f, &(frontier_link){.target = &u, .key = own_key + 1, .key_count = 1, .payload = "c", .payload_size = 1}, 0,
      &verdict),
    FRONTIER_OK);
  uint64_t from = 0;
  size_t promoted = 0;
  assert_int_equal(frontier_promote(f, is_both, NULL, 10, &from, &promoted), FRONTIER_OK);
  assert_int_equal(promoted, 1);
  parse(pages[0].url, profile, &u);
  assert_int_equal(frontier_forget(f, &(frontier_link){.target = &u}, &was_seen), FRONTIER_OK);
  assert_true(was_seen);
}

static void tell_story(const char *directory, frontier_options options)
{
  char journal[SCRATCH_PATH];
  snprintf(journal, sizeof journal, "%s.journal", directory);
  options.journal_path = journal;
  frontier *f = open_or_fail(directory, &options);
  static url u;
  frontier_verdict verdict;
  for (size_t i = 0; i < PAGES; i++) {
    parse(pages[i].url, options.profile, &u);
    assert_int_equal(frontier_add(f, &u, pages[i].origin, 0, &verdict), FRONTIER_OK);
    assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
  }
  parse(pages[0].url, options.profile, &u);
  assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  assert_int_equal(verdict.outcome, FRONTIER_SEEN);
  assert_int_equal(frontier_count(f, "pages", 2), FRONTIER_OK);
  assert_int_equal(frontier_count(f, "skipped-robots", UINT64_MAX), FRONTIER_OK);
  assert_int_equal(frontier_setting_put(f, "scope", "host\0x", 6), FRONTIER_OK);
  frontier_host_control control = {.delay_ms = 0, .budget = 1000, .trap_budget = 10, .per_host = 9};
  assert_int_equal(frontier_host_set(f, "example.org", &control), FRONTIER_OK);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);

  frontier_lease leases[PAGES];
  size_t count;
  int64_t wait_ms;
  assert_int_equal(frontier_next(f, 0, leases, PAGES, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, PAGES);
  assert_int_equal(frontier_visit_note(f, 1, &(frontier_visit){.at_s = 1700000000, .etag = "\"e\"", .etag_size = 3}),
                   FRONTIER_OK);
  for (uint64_t id = 1; id <= PAGES; id++) {
    const struct page *p = &pages[id - 1];
    if (p->state)
      assert_int_equal(frontier_done(f, id, (frontier_state)p->state, (uint16_t)p->code, p->report, strlen(p->report),
                                     0),
                       FRONTIER_OK);
  }
  tell_more(f, options.profile);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  char *lines = scratch_read(journal, &count);
  assert_string_equal(lines, "{\"page\":1}\n{\"page\":2}\n");
  free(lines);
  remove(journal);
}

/* ---- what the second reader must find ------------------------------------------------------------------- */

static void check_urls(const second_view *v)
{
  static const uint64_t hosts[PAGES] = {0, 0, 1, 0, 1};
  assert_int_equal(v->url_room, PAGES + 1 + MORE);
  for (size_t i = 0; i < PAGES; i++) {
    const second_url *u = &v->urls[i + 1];
    assert_string_equal(u->text, pages[i].url);
    assert_int_equal(u->state, pages[i].state);
    assert_int_equal(u->code, pages[i].code);
    assert_int_equal(u->depth, pages[i].origin.depth);
    assert_int_equal(u->hops, pages[i].origin.hops);
    assert_int_equal(u->via, pages[i].origin.via);
    assert_int_equal(u->host, hosts[i]);
    assert_int_not_equal(u->outcome, FRONTIER_SEEN);
    assert_false(u->is_again || u->was_trap);
  }
}

static void check_more(const second_view *v)
{
  const second_url *with_payload = &v->urls[6], *noted = &v->urls[7], *forced = &v->urls[8], *both = &v->urls[9];
  assert_string_equal(with_payload->text, "http://example.org/p");
  assert_int_equal(with_payload->payload_size, 3);
  assert_memory_equal(with_payload->payload, "a\0b", 3);
  assert_null(with_payload->key_hash);
  assert_string_equal(noted->text, "http://example.org/k");
  assert_int_equal(noted->state, 4);
  assert_non_null(noted->key_hash);
  assert_string_equal(forced->text, pages[1].url);
  assert_int_equal(forced->depth, 4);
  assert_int_equal(forced->outcome, FRONTIER_SEEN);
  assert_string_equal(both->text, "http://example.net/both");
  assert_int_equal(both->payload_size, 1);
  assert_non_null(both->key_hash);
  assert_true(both->is_again && both->class == 1);
  assert_int_equal(v->noted, 1);
  assert_int_equal(v->forced, 1);
  assert_int_equal(v->revoked, 1);
  assert_int_equal(v->visits, 1);
  assert_int_equal(v->dues, 1);
}

static void check_hosts(const second_view *v)
{
  assert_int_equal(v->host_count, 3);
  assert_string_equal(v->hosts[0].name, "example.org");
  assert_int_equal(v->hosts[0].queued[2], 1); /* it is deep: class low */
  assert_int_equal(v->hosts[0].queued[0], 2);
  assert_int_equal(v->hosts[0].done, 1);
  assert_int_equal(v->hosts[0].failed, 1);
  assert_int_equal(v->hosts[0].skipped, 0);
  assert_string_equal(v->hosts[1].name, "www.example.net:8443");
  assert_int_equal(v->hosts[1].queued[0], 1);
  assert_int_equal(v->hosts[1].skipped, 1);
  assert_string_equal(v->hosts[2].name, "example.net");
  assert_int_equal(v->hosts[2].queued[1], 1);
  assert_int_equal(v->hosts[2].queued[0], 0);
}

static void check_meta(const second_view *v)
{
  assert_int_equal(v->version, 8);
  assert_int_equal(v->filter, 2);
  assert_true(v->rate == 1e-6);
  assert_int_equal(v->expected_urls, 1000);
  assert_string_equal(v->profile, "no-www");
  static const uint64_t progress[] = {10, 9, 9, 1, 1, 1, 1, 2, 0, 4, 3, 1};
  for (size_t i = 0; i < sizeof progress / sizeof *progress; i++)
    if (v->progress[i] != progress[i])
      fail_msg("progress, number %zu: %llu", i, (unsigned long long)v->progress[i]);
  assert_true(v->expected_lost >= 0 && v->expected_lost < 1e-4);
  assert_string_equal(v->counters, "pages 2\nskipped-robots 18446744073709551615\n");
  const second_record *scope = second_meta(v, "setting/scope");
  assert_non_null(scope);
  assert_int_equal(scope->value_size, 4 + 6);
  assert_memory_equal(scope->value + 4, "host\0x", 6);
  assert_true(v->has_journal);
  assert_int_equal(v->journal_offset + v->owed_size, strlen("{\"page\":1}\n{\"page\":2}\n"));
}

static void assert_hash(const uint8_t *at, mlbf_hash128 wanted)
{
  uint64_t halves[2];
  memcpy(halves, at, sizeof halves);
  assert_true(halves[0] == wanted.low && halves[1] == wanted.high);
}

/* The first chunk of the log begins with "http://example.org/", key of segments "http://example.org" and "/". */
static void check_first_hashes(const second_view *v)
{
  const mlbf_span segments[] = {{"http://example.org", 18}, {"/", 1}};
  slow_hash_keys keys;
  one_key hashes;
  const second_record *chunk = v->records;
  while (chunk->table != SECOND_HASHES)
    chunk++;
  assert_memory_equal(v->secret, story_secret, sizeof story_secret);
  slow_hash_keys_make(v->secret, &keys);
  slow_hash_layers(&keys, segments, 2, &hashes);
  const uint8_t *at = chunk->value + 4;
  assert_hash(at, hashes.whole);
  assert_int_equal(at[16], 2);
  assert_int_equal(at[17], 1);
  assert_hash(at + 18, hashes.layer[0]);
  assert_int_equal(at[34], 2);
  assert_hash(at + 35, hashes.layer[1]);
}

CASE(the_second_reader_finds_every_number)
{
  char directory[SCRATCH_PATH];
  scratch_make_fast(directory);
  tell_story(directory, story_options);
  second_view v;
  second_read(directory, false, &v);
  assert_int_equal(v.faults, 0);
  check_urls(&v);
  check_more(&v);
  check_hosts(&v);
  check_meta(&v);
  check_first_hashes(&v);
  second_free(&v);
  scratch_remove(directory);
}

/* ---- the golden files ----------------------------------------------------------------------------------- */

static void open_golden_copy(char directory[SCRATCH_PATH])
{
  scratch_make_fast(directory);
  scratch_copy(TESTS_DIR "/golden/frontier-8", directory);
}

CASE(the_library_reads_the_golden_files)
{
  char directory[SCRATCH_PATH];
  open_golden_copy(directory);
  frontier *f = open_or_fail(directory, &story_options);
  static url u;
  for (size_t i = 0; i < PAGES; i++) {
    frontier_verdict verdict;
    parse(pages[i].url, URL_NO_WWW, &u);
    assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
    assert_int_equal(verdict.outcome, i ? FRONTIER_SEEN : FRONTIER_NEW_COMBINATION);
  }
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, 5);
  assert_int_equal(stats.noted, 1);
  assert_int_equal(stats.forced, 1);
  frontier_lease leases[PAGES + MORE];
  size_t count;
  int64_t wait_ms;
  assert_int_equal(frontier_next(f, 0, leases, PAGES + MORE, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 5);
  for (size_t i = 0; i < count; i++)
    if (leases[i].id == 6) {
      assert_int_equal(leases[i].payload_size, 3);
      assert_memory_equal(leases[i].payload, "a\0b", 3);
    }
  frontier_close(f);
  scratch_remove(directory);
}

/* Checksums of rows are seeded with the directory's id, which is drawn. */
static void forget_sums(const second_record *r)
{
  enum { VALUE_HEAD = 32, BLOCK_HEAD = 24, SUMMED_STATES = 260 };
  if (r->table == SECOND_STATES)
    for (size_t at = 0; at < r->value_size; at += SUMMED_STATES)
      memset(r->value + at, 0, 4);
  if (r->table != SECOND_TEXT && r->table != SECOND_ENDED)
    return;
  memset(r->value + 4, 0, 4);
  memset(r->value + r->value_size - 4, 0, 4);
  for (size_t at = VALUE_HEAD; memcmp(r->value + at, "SB", 2) == 0;) {
    uint32_t size;
    memcpy(&size, r->value + at + 16, sizeof size);
    memset(r->value + at + 4, 0, 4);
    at += BLOCK_HEAD + size;
  }
}

CASE(the_writer_makes_the_golden_records)
{
  char golden[SCRATCH_PATH], fresh[SCRATCH_PATH];
  const char *anew = getenv("STRATA_GOLDEN");
  if (anew) {
    tell_story(anew, story_options);
    return;
  }
  open_golden_copy(golden);
  scratch_make_fast(fresh);
  tell_story(fresh, story_options);
  second_view old, new;
  second_read(golden, false, &old);
  second_read(fresh, false, &new);
  assert_int_equal(old.faults, 0);
  assert_int_equal(old.record_count, new.record_count);
  for (size_t i = 0; i < old.record_count; i++) {
    const second_record *a = &old.records[i], *b = &new.records[i];
    assert_int_equal(a->table, b->table);
    assert_int_equal(a->key_size, b->key_size);
    assert_memory_equal(a->key, b->key, a->key_size);
    assert_int_equal(a->value_size, b->value_size);
    if ((a->table == SECOND_META || a->table == SECOND_IDENTITY) &&
        memcmp(a->key, "identity", 8) == 0) { /* it has an id that is drawn, and so another checksum */
      memcpy(b->value, a->value, 4);
      memcpy(b->value + 76, a->value + 76, 16);
    }
    forget_sums(a);
    forget_sums(b);
    assert_memory_equal(a->value, b->value, a->value_size);
  }
  second_free(&old);
  second_free(&new);
  scratch_remove(golden);
  scratch_remove(fresh);
}

/* ---- what is not as it should be ------------------------------------------------------------------------ */

/* Change one record by LMDB's means: byte `at` of the value is flipped, or, `at` past its end, the record goes. */
static void spoil(const char *directory, const second_record *r, size_t at)
{
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  MDB_val key = {r->key_size, r->key}, value = {r->value_size, r->value};
  assert_int_equal(mdb_env_create(&env), 0);
  mdb_env_set_maxdbs(env, SECOND_TABLES);
  assert_int_equal(mdb_env_open(env, directory, MDB_NOSYNC, 0666), 0);
  assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
  unsigned flags = r->table >= SECOND_META ? 0 : MDB_INTEGERKEY;
  assert_int_equal(mdb_dbi_open(txn, second_table_names[r->table], flags, &dbi), 0);
  if (at < r->value_size) {
    r->value[at] ^= 1;
    assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
    r->value[at] ^= 1;
  } else {
    assert_int_equal(mdb_del(txn, dbi, &key, NULL), 0);
  }
  assert_int_equal(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
}

static bool is_free_to_go(const second_record *r)
{
  const char *name = (const char *)r->key;
  if (r->table == SECOND_META)
    return strncmp(name, "setting/", 8) == 0 || strcmp(name, "counters") == 0 || strncmp(name, "journal", 7) == 0;
  return r->table == SECOND_REVOKED || r->table == SECOND_DUE;
}

/* The reader that the other tests trust: not one flipped byte, not one record gone passes it. */
static void notices_all(const char *sound)
{
  second_view whole;
  second_read(sound, false, &whole);
  assert_int_equal(whole.faults, 0);
  for (size_t i = 0; i < whole.record_count; i++)
    for (size_t at = 0; at <= whole.records[i].value_size; at += at < 8 ? 1 : 1 + whole.records[i].value_size / 4) {
      char directory[SCRATCH_PATH];
      second_view v;
      scratch_make_fast(directory);
      scratch_copy(sound, directory);
      spoil(directory, &whole.records[i], at);
      second_read(directory, true, &v);
      if (v.faults == 0 && !(at == whole.records[i].value_size && is_free_to_go(&whole.records[i])))
        fail_msg("table %s, record %zu, byte %zu", second_table_names[whole.records[i].table], i, at);
      second_free(&v);
      scratch_remove(directory);
    }
  second_free(&whole);
}

/* By a program with tiny limits: so many endings that some are in the table by sequence. */
static void make_with_states(char directory[SCRATCH_PATH])
{
  char line[3 * SCRATCH_PATH];
  scratch_make_fast(directory);
  snprintf(line, sizeof line, FRONTIER_DRIVER " %s %s/lines 1 150 >/dev/null", directory, directory);
  assert_int_equal(system(line), 0); // NOLINT(cert-env33-c): the path is our own
}

CASE(the_second_reader_notices)
{
  char golden[SCRATCH_PATH];
  open_golden_copy(golden);
  notices_all(golden);
  scratch_remove(golden);
  make_with_states(golden);
  second_view v;
  second_read(golden, false, &v);
  unsigned states = 0;
  for (size_t i = 0; i < v.record_count; i++)
    states += v.records[i].table == SECOND_STATES;
  assert_true(states > 0);
  second_free(&v);
  notices_all(golden);
  scratch_remove(golden);
}

/* A new value for `identity`, rightly sealed. */
static void put_identity(const char *directory, const second_view *v, size_t at, uint8_t byte)
{
  second_record r = *second_meta(v, "identity");
  uint8_t *value = malloc(r.value_size);
  assert_non_null(value);
  memcpy(value, r.value, r.value_size);
  value[at] = byte;
  uint64_t sum = XXH3_64bits_withSeed(value + 4, r.value_size - 4, XXH3_64bits("identity", 8));
  for (int i = 0; i < 4; i++)
    value[i] = (uint8_t)(sum >> (8 * i));
  r.value = value;
  spoil(directory, &r, 0); /* flips a bit of the checksum ... */
  value[0] ^= 1;
  spoil(directory, &r, 0); /* ... and back, in the value that is stored */
  free(value);
}

CASE(another_identity_is_refused)
{
  static const struct row {
    size_t at;
    uint8_t byte;
    frontier_status status;
  } rows[] = {{23, 1, FRONTIER_VERSION},    {4, 'Z', FRONTIER_NOT_OURS},  {24, 77, FRONTIER_VERSION},
              {44, 'b', FRONTIER_MISMATCH}, {176, 'z', FRONTIER_VERSION}, {24, 1, FRONTIER_MISMATCH},
              {112, 'k', FRONTIER_MISMATCH}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char directory[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE] = "";
    second_view v;
    frontier *f = NULL;
    open_golden_copy(directory);
    second_read(directory, false, &v);
    put_identity(directory, &v, rows[i].at, rows[i].byte);
    second_free(&v);
    second_read(directory, true, &v); /* sealed rightly: fields are wrong, no checksum */
    assert_in_range(v.faults, 1, 2);  /* its second copy differs; and it */
    second_free(&v);
    assert_int_equal(frontier_open(directory, &story_options, &f, message), rows[i].status);
    assert_non_null(strstr(message, directory));
    scratch_remove(directory);
  }
}

static void drop_table(const char *directory, const char *name)
{
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  assert_int_equal(mdb_env_create(&env), 0);
  mdb_env_set_maxdbs(env, SECOND_TABLES);
  assert_int_equal(mdb_env_open(env, directory, MDB_NOSYNC, 0666), 0);
  assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
  assert_int_equal(mdb_dbi_open(txn, name, MDB_INTEGERKEY, &dbi), 0);
  assert_int_equal(mdb_drop(txn, dbi, 1), 0);
  assert_int_equal(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
}

static void say_nothing(void *context, const char *sentence)
{
  (void)context, (void)sentence;
}

/* Everything that opens a directory, `way` by `way`; false: there is no such way. */
static bool try_to_open(int way, const char *directory, frontier_status *status, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_options options = story_options;
  frontier_findings found;
  frontier_repairs done;
  frontier_sizes sizes;
  frontier *f;
  options.read_only = way == 1;
  options.previous_path = way == 2 ? directory : NULL;
  switch (way) {
  case 0:
  case 1: *status = frontier_open(directory, &options, &f, message); return true;
  case 2: *status = frontier_open(NULL, &options, &f, message); return true;
  case 3: *status = frontier_check(directory, NULL, say_nothing, NULL, &found, message); return true;
  case 4: *status = frontier_repair(directory, NULL, say_nothing, NULL, &done, message); return true;
  case 5: *status = frontier_compact(directory, &sizes, message); return true;
  default: return false;
  }
}

/* Formats 1 to 7 lack tables, which nothing may make there; 6 and older have no secret; 9 is of a later build. */
CASE(another_format_is_refused_and_left_as_it_is)
{
  static const char *const files[] = {"data.mdb", "seen.1"};
  for (uint8_t version = 1; version <= 9; version += version == 7 ? 2 : 1) {
    char directory[SCRATCH_PATH], path[SCRATCH_PATH], words[80], *before[2], *after;
    size_t sizes[2], size;
    second_view v;
    open_golden_copy(directory);
    second_read(directory, false, &v);
    put_identity(directory, &v, 20, version);
    second_free(&v);
    if (version < 8)
      drop_table(directory, "text");
    if (version < 5)
      drop_table(directory, "host-changes");
    if (version < 2)
      drop_table(directory, "revoked");
    for (int i = 0; i < 2; i++) {
      scratch_join(directory, files[i], path);
      before[i] = scratch_read(path, &sizes[i]);
    }
    snprintf(words, sizeof words, " is of %s format, %d (this strata reads 8): `strata export ",
             version > 8 ? "a newer" : "an older", version);
    char message[FRONTIER_MESSAGE_SIZE];
    frontier_status status;
    for (int way = 0; *message = '\0', try_to_open(way, directory, &status, message); way++) {
      if (status != FRONTIER_VERSION || !strstr(message, words) || strncmp(message, directory, strlen(directory)) != 0)
        fail_msg("format %d, way %d: status %d, \"%s\"", version, way, status, message);
      for (int i = 0; i < 2; i++) {
        scratch_join(directory, files[i], path);
        after = scratch_read(path, &size);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(after, before[i], size);
        free(after);
      }
    }
    free(before[0]);
    free(before[1]);
    scratch_remove(directory);
  }
}

CASE(a_missing_table_is_damage)
{
  for (int i = 0; i < SECOND_UNCONFIRMED; i++) { /* that one need not be there */
    char directory[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE] = "";
    frontier *f = NULL;
    frontier_options options = story_options;
    open_golden_copy(directory);
    drop_table(directory, second_table_names[i]);
    for (int reading = 0; reading < 2; reading++) {
      options.read_only = reading;
      assert_int_equal(frontier_open(directory, &options, &f, message), FRONTIER_DAMAGED);
      assert_non_null(strstr(message, second_table_names[i]));
    }
    scratch_remove(directory);
  }
}

CASE(another_programs_environment_is_left_alone)
{
  char directory[SCRATCH_PATH], data[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE] = "";
  scratch_make_fast(directory);
  scratch_join(directory, "data.mdb", data);
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  MDB_val key = {5, (void *)(uintptr_t) "theirs"}, value = key;
  assert_int_equal(mdb_env_create(&env), 0);
  mdb_env_set_maxdbs(env, 2);
  assert_int_equal(mdb_env_open(env, directory, 0, 0666), 0);
  assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
  assert_int_equal(mdb_dbi_open(txn, "meta", MDB_CREATE, &dbi), 0);
  assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
  assert_int_equal(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
  size_t before_size, after_size;
  char *before = scratch_read(data, &before_size);
  frontier *f = NULL;
  assert_int_equal(frontier_open(directory, &story_options, &f, message), FRONTIER_NOT_OURS);
  char *after = scratch_read(data, &after_size);
  assert_int_equal(before_size, after_size);
  assert_memory_equal(before, after, before_size);
  free(before);
  free(after);
  scratch_remove(directory);
}
