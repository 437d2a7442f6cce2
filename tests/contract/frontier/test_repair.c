/* frontier_repair: whatever was done to a directory, it is sound afterwards or says that it cannot be; nothing that is
 * still whole is lost; and the crawl goes on to its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "frontier/host.h"
#include "frontier/promote.h"
#include "frontier/recrawl.h"
#include "tests/support/dice.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/small_crawl.h"
#include "tests/support/spoil.h"
#include "tests/support/test.h"

enum { URLS = 1500, FETCHED = 500, PAGE = 4096 };

static char root[SCRATCH_PATH], sound[SCRATCH_PATH], sound_journal[SCRATCH_PATH];
static char work[SCRATCH_PATH], journal[SCRATCH_PATH], data[SCRATCH_PATH];
static uint64_t accepted, reachable; /* by the crawl now, and in the end */

static small_crawl crawl_in(const char *directory, const char *journal_path, unsigned fetched)
{
  return (small_crawl){.directory = directory, .journal = journal_path, .seed = 1, .urls = URLS, .fetched = fetched};
}

static uint64_t count_urls(const char *directory)
{
  second_view v;
  second_read(directory, false, &v);
  assert_int_equal(v.faults, 0);
  uint64_t urls = v.url_room - 1;
  second_free(&v);
  return urls;
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "sound", sound);
  scratch_join(root, "sound-journal", sound_journal);
  scratch_join(root, "work", work);
  scratch_join(root, "journal", journal);
  scratch_join(work, "data.mdb", data);
  small_crawl c = crawl_in(sound, sound_journal, FETCHED);
  small_crawl_make(&c);
  accepted = count_urls(sound);

  assert_int_equal(mkdir(work, 0777), 0);
  scratch_copy(sound, work);
  c = crawl_in(work, NULL, URLS);
  small_crawl_make(&c);
  reachable = count_urls(work);
  assert_true(reachable > accepted && accepted > FETCHED);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static void copy_sound(void)
{
  size_t size;
  char *lines = scratch_read(sound_journal, &size);
  scratch_remove(work);
  assert_int_equal(mkdir(work, 0777), 0);
  scratch_copy(sound, work);
  scratch_write(journal, lines, size);
  free(lines);
}

static unsigned remarks;
static char last_gone[FRONTIER_MESSAGE_SIZE], transcript[1 << 16];

static void note(void *context, const char *sentence)
{
  (void)context;
  remarks++;
  if (strncmp(sentence, "gone: ", 6) == 0)
    snprintf(last_gone, sizeof last_gone, "%s", sentence);
  size_t used = strlen(transcript);
  snprintf(transcript + used, sizeof transcript - used, "%s\n", sentence);
}

static frontier_repairs repair(frontier_status expected)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_repairs done;
  remarks = 0;
  *last_gone = *transcript = '\0';
  frontier_status status = frontier_repair(work, journal, note, NULL, &done, message);
  if (status != expected)
    fail_msg("status %d, \"%s\"\n%s", (int)status, message, transcript);
  return done;
}

static void assert_sound(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "", said[FRONTIER_MESSAGE_SIZE];
  frontier_findings found;
  snprintf(said, sizeof said, "%.500s", transcript);
  *transcript = '\0';
  if (frontier_check(work, journal, note, NULL, &found, message) != FRONTIER_OK)
    fail_msg("%s", message);
  if (found.faults)
    fail_msg("after \"%s\" the check still says:\n%s", said, transcript);
}

/* To the end. Nothing whole was lost, so with nothing gone every URL is there, once. */
static void assert_goes_on(const frontier_repairs *done)
{
  small_crawl c = crawl_in(work, journal, 10 * URLS);
  frontier *f = small_crawl_open(&c);
  small_crawl_run(&c, f);
  assert_true(frontier_is_finished(f));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_sound();
  if (done->gone + done->keys_gone == 0)
    assert_int_equal(count_urls(work), reachable);
}

CASE(a_sound_directory_is_left_alone)
{
  size_t size;
  copy_sound();
  char *before = scratch_read(data, &size);
  frontier_repairs done = repair(FRONTIER_OK);
  assert_int_equal(remarks, 0);
  assert_false(done.was_rebuilt);
  char *after = scratch_read(data, &size);
  assert_memory_equal(before, after, size);
  free(before);
  free(after);
}

CASE(a_filter_is_made_from_the_log)
{
  char path[SCRATCH_PATH];
  size_t size;
  for (int slot = 0; slot < 2; slot++) {
    copy_sound();
    scratch_join(work, slot ? "seen.1" : "seen.0", path);
    char *bytes = scratch_read(path, &size);
    bytes[size / 2] ^= 4;
    scratch_write(path, bytes, size);
    free(bytes);
    frontier_repairs done = repair(FRONTIER_OK);
    assert_true(remarks >= 2 && !done.was_rebuilt);
    assert_sound();
    assert_goes_on(&done);
  }
}

/* Lines lost at its end stop a crawl from going on. A repair takes the file as it is. */
CASE(a_journal_is_taken_as_it_is)
{
  size_t size;
  for (int i = 0; i < 3; i++) {
    copy_sound();
    char *lines = scratch_read(journal, &size);
    if (i == 2)
      lines[size / 2] ^= 1;
    scratch_write(journal, lines, i == 0 ? size - 1 : i == 1 ? size / 2 : size);
    free(lines);
    frontier_repairs done = repair(FRONTIER_OK);
    assert_false(done.was_rebuilt);
    assert_sound();
    assert_goes_on(&done);
  }
}

/* One kind of damage to the pages of data.mdb. */
static void spoil(unsigned kind, char *bytes, size_t size)
{
  size_t page = PAGE * (2 + dice_throw(size / PAGE - 2));
  switch (kind % 5) {
  case 0: bytes[dice_throw(size)] ^= (char)(1 << dice_throw(8)); break;
  case 1: memset(bytes + page, 0, PAGE); break;
  case 2: memcpy(bytes + page, bytes + PAGE * dice_throw(size / PAGE), PAGE); break;
  case 3: memset(bytes + PAGE * dice_throw(2), 0x5a, PAGE); break;
  default:
    for (int i = 0; i < 5; i++)
      memset(bytes + PAGE * (2 + dice_throw(size / PAGE - 2)), 0x5a, PAGE);
  }
}

CASE(what_is_whole_is_kept)
{
  unsigned rebuilt = 0, hopeless = 0;
  uint64_t gone = 0, found_again = 0;
  dice_begin(20261121);
  for (unsigned i = 0; i < 60; i++) {
    size_t size;
    char message[FRONTIER_MESSAGE_SIZE] = "";
    frontier_repairs done;
    copy_sound();
    char *bytes = scratch_read(data, &size);
    spoil(i, bytes, size);
    scratch_write(data, bytes, size);
    free(bytes);
    *transcript = '\0';
    frontier_status status = frontier_repair(work, journal, note, NULL, &done, message);
    if (status == FRONTIER_DAMAGED && strstr(message, "cannot be repaired")) {
      hopeless++;
      continue;
    }
    if (status != FRONTIER_OK)
      fail_msg("damage %u: %s", i, message);
    rebuilt += done.was_rebuilt;
    gone += done.gone;
    found_again += done.found_again;
    /* what the last transaction brought may not be known */
    if (done.was_rebuilt && done.kept + done.gone < accepted - 60)
      fail_msg("%llu kept and %llu gone of %llu", (unsigned long long)done.kept, (unsigned long long)done.gone,
               (unsigned long long)accepted);
    assert_sound();
    assert_goes_on(&done);
  }
  print_message("%u rebuilt, %u hopeless; %llu URLs gone, %llu found again\n", rebuilt, hopeless,
                (unsigned long long)gone, (unsigned long long)found_again);
  assert_in_range(rebuilt, 30, 60);
  assert_in_range(hopeless, 0, 5);
}

/* The pages that lead to all others, of every table or of the whole file: the URLs are found all the same. */
static void a_lost_root_loses_nothing(bool of_file)
{
  size_t size;
  copy_sound();
  char *bytes = scratch_read(data, &size);
  for (size_t at = 2 * PAGE; at < size; at += PAGE)
    if (bytes[at + 10] == 1) /* a branch */
      memset(bytes + at, 0, PAGE);
  if (of_file)
    memset(bytes, 0, 2 * PAGE);
  scratch_write(data, bytes, size);
  free(bytes);
  frontier_repairs done = repair(FRONTIER_OK);
  assert_true(done.was_rebuilt);
  assert_int_equal(done.kept, accepted);
  assert_true(done.found_again > accepted / 4);
  assert_int_equal(done.gone + done.keys_gone, 0);
  assert_sound();
  assert_goes_on(&done);
}

CASE(lost_branches_lose_nothing)
{
  a_lost_root_loses_nothing(false);
}

CASE(lost_roots_lose_nothing)
{
  a_lost_root_loses_nothing(true);
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* In few values, as a crawl with large commits has them; `ended` is folded. */
static void copy_compacted(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_sizes sizes;
  copy_sound();
  if (frontier_compact(work, &sizes, message) != FRONTIER_OK)
    fail_msg("%s", message);
}

static frontier_stats stats_of_work(void)
{
  small_crawl c = crawl_in(work, NULL, 0);
  frontier_options options = small_crawl_options(&c);
  frontier_stats stats;
  options.read_only = true;
  frontier *f = must_open(work, &options);
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  return stats;
}

static unsigned ask_all(void)
{
  small_crawl c = crawl_in(work, NULL, 0);
  frontier_options options = small_crawl_options(&c);
  url *u = malloc(sizeof *u);
  unsigned seen = 0;
  options.read_only = true;
  frontier *f = must_open(work, &options);
  for (unsigned i = 0; i < URLS; i++) {
    frontier_verdict verdict;
    small_crawl_url(&c, i, u);
    assert_int_equal(frontier_lookup(f, u, &verdict), FRONTIER_OK);
    seen += verdict.outcome == FRONTIER_SEEN;
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  free(u);
  return seen;
}

/* Of a value of `table`, the byte at `at` of block 1. What the check says of it. */
static frontier_repairs spoil_and_repair(const char *table, size_t at_byte, const char *said)
{
  spoil_value v = spoil_read(work, table, 0);
  assert_non_null(v.bytes);
  assert_true(spoil_flip(work, &v, at_byte) > 0);
  spoil_free(&v);
  frontier_repairs done = repair(FRONTIER_OK);
  assert_true(done.was_rebuilt);
  if (!strstr(transcript, said))
    fail_msg("nothing says \"%s\":\n%s", said, transcript);
  return done;
}

/* Its 64 URLs are gone, and new when they are found again. */
CASE(a_lost_block_loses_its_rows)
{
  enum { IN_BLOCK = 64 };
  copy_compacted();
  unsigned seen = ask_all();
  assert_int_equal(seen, accepted);
  spoil_value v = spoil_read(work, "text", 0);
  size_t at = spoil_block(&v, 3) + 40;
  spoil_free(&v);
  frontier_repairs done = spoil_and_repair("text", at, "rows 193 to 256 of table text are damaged");
  assert_int_equal(done.gone, IN_BLOCK);
  assert_int_equal(done.kept, accepted - IN_BLOCK);
  assert_int_equal(done.keys_gone, 0);
  assert_sound();
  assert_int_equal(ask_all(), seen - IN_BLOCK);
  assert_goes_on(&done);
}

/* What its beginning and end say, its blocks say too. */
CASE(a_lost_head_or_foot_loses_nothing)
{
  for (int i = 0; i < 3; i++) {
    copy_compacted();
    spoil_value v = spoil_read(work, "text", 0);
    size_t at = i == 0 ? 16 : i == 1 ? v.size - 1 : v.size - 7;
    spoil_free(&v);
    frontier_stats before = stats_of_work();
    frontier_repairs done = spoil_and_repair("text", at, "of value 1 of table text is damaged");
    assert_int_equal(done.kept, accepted);
    assert_int_equal(done.gone + done.keys_gone, 0);
    frontier_stats after = stats_of_work();
    assert_int_equal(after.done, before.done);
    assert_int_equal(after.queued, before.queued);
    assert_sound();
    assert_goes_on(&done);
  }
}

enum { IN_FIRST_BLOCK = 32 + 24 + 3 };

/* How its URLs ended is lost: they wait again, and no others do. */
CASE(lost_states_are_fetched_again)
{
  for (int folded = 0; folded < 2; folded++) {
    if (folded)
      copy_compacted();
    else
      copy_sound();
    frontier_stats before = stats_of_work();
    uint64_t ended = before.done + before.failed + before.skipped;
    frontier_repairs done = folded ? spoil_and_repair("states", 1, "how URLs 0 to 63 ended is damaged")
                                   : spoil_and_repair("ended", IN_FIRST_BLOCK, "of table ended are damaged");
    assert_non_null(strstr(transcript, "fetched again"));
    assert_int_equal(done.kept, accepted);
    assert_int_equal(done.gone + done.keys_gone, 0);
    frontier_stats after = stats_of_work();
    uint64_t left = after.done + after.failed + after.skipped;
    assert_in_range(ended - left, 1, 64);
    assert_int_equal(after.queued + left, before.queued + ended);
    assert_sound();
    assert_goes_on(&done);
  }
}

/* Nothing leads to a large value: its blocks are found. */
CASE(rows_are_found_without_a_tree)
{
  size_t size;
  copy_compacted();
  char *bytes = scratch_read(data, &size);
  memset(bytes, 0, 2 * PAGE);
  for (size_t at = 2 * PAGE; at < size; at += PAGE)
    if (bytes[at + 10] == 4) /* the first page of a large value: what it begins with */
      memset(bytes + at, 0, 64);
  scratch_write(data, bytes, size);
  free(bytes);
  frontier_repairs done = repair(FRONTIER_OK);
  assert_int_equal(done.kept + done.gone, accepted);
  assert_in_range(done.gone, 64, accepted / 2); /* of each value the first block's */
  assert_int_equal(done.found_again, done.kept);
  assert_sound();
  assert_goes_on(&done);
}

/* A copy of a database is one transaction, so that its other root leads to nothing. */
CASE(a_lost_root_of_a_copy_loses_nothing)
{
  for (int compacted = 0; compacted < 2; compacted++)
    for (size_t page = 0; page < 2; page++) {
      size_t size;
      char copy[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE] = "";
      if (compacted)
        copy_compacted();
      else
        copy_sound();
      small_crawl c = crawl_in(work, NULL, 0);
      frontier_options options = small_crawl_options(&c);
      if (!compacted) {
        scratch_join(root, "copy", copy);
        options.read_only = true;
        frontier *f = must_open(work, &options);
        assert_int_equal(frontier_snapshot(f, copy, NULL, message), FRONTIER_OK);
        frontier_close(f);
        scratch_copy(copy, work);
        scratch_remove(copy);
      }
      char *bytes = scratch_read(data, &size);
      memset(bytes + page * PAGE, 0, PAGE);
      scratch_write(data, bytes, size);
      free(bytes);
      frontier_repairs done = repair(FRONTIER_OK);
      assert_int_equal(done.kept, accepted);
      assert_int_equal(done.gone + done.keys_gone, 0);
      assert_sound();
    }
}

/* The records of hosts are lost: their names are in rows. */
CASE(hosts_are_found_in_rows)
{
  copy_compacted();
  for (size_t i = 0;; i++) {
    spoil_value v = spoil_read(work, "hosts", i);
    if (!v.bytes)
      break;
    assert_true(spoil_flip(work, &v, v.size - 1) > 0);
    spoil_free(&v);
  }
  for (size_t i = 0;; i++) {
    spoil_value v = spoil_read(work, "host-changes", i);
    if (!v.bytes)
      break;
    assert_true(spoil_flip(work, &v, v.size - 1) > 0);
    spoil_free(&v);
  }
  frontier_repairs done = repair(FRONTIER_OK);
  assert_int_equal(done.kept, accepted);
  assert_int_equal(done.gone + done.keys_gone, 0);
  assert_sound();
  assert_goes_on(&done);
}

/* ---- what is gone is new ------------------------------------------------------------------------------------ */

enum { TEXT_MAX = 200, TEXTS_MAX = 8000 };
static char texts[TEXTS_MAX][TEXT_MAX]; /* by id */
static bool is_kept[TEXTS_MAX];

static bool note_text(void *context, const frontier_record *record)
{
  bool of_kept = context != NULL;
  assert_true(record->id < TEXTS_MAX && record->url_size < TEXT_MAX);
  is_kept[record->id] = of_kept;
  if (!of_kept)
    snprintf(texts[record->id], TEXT_MAX, "%.*s", (int)record->url_size, record->url);
  return true;
}

static frontier *open_exactly(bool is_exact)
{
  small_crawl c = crawl_in(work, journal, 0);
  c.exact = is_exact;
  frontier_options options = small_crawl_options(&c);
  return must_open(work, &options);
}

/* Blocks of rows of table `text`, but for every fourth; a file has copies of none. */
static void lose_texts(void)
{
  enum { IN_BLOCK = 30 };
  size_t size, met = 0;
  char *bytes = scratch_read(data, &size);
  for (char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), "SBT\1", 4)); at += 4)
    if (met++ % 4)
      memset(at + IN_BLOCK, 0x5a, 4);
  scratch_write(data, bytes, size);
  free(bytes);
}

static void what_is_gone_is_new_again(bool is_exact)
{
  static url u;
  frontier_verdict verdict;
  uint64_t gone = 0, kept = 0;
  scratch_remove(work);
  unlink(journal);
  memset(texts, 0, sizeof texts);
  memset(is_kept, 0, sizeof is_kept);
  small_crawl c = crawl_in(work, journal, FETCHED);
  c.exact = is_exact;
  c.secret = (const uint8_t *)"thirty-two bytes that are given!"; /* so that pages lie as they did the last time */
  small_crawl_make(&c);
  frontier *f = open_exactly(is_exact);
  assert_int_equal(frontier_each(f, note_text, NULL), FRONTIER_OK);
  frontier_close(f);
  lose_texts();
  frontier_repairs done = repair(FRONTIER_OK);
  assert_sound();
  f = open_exactly(is_exact);
  assert_int_equal(frontier_each(f, note_text, &done), FRONTIER_OK);
  for (size_t id = 1; id < TEXTS_MAX; id++) {
    if (!*texts[id])
      continue;
    assert_int_equal(url_parse(texts[id], strlen(texts[id]), URL_STRICT, &u), URL_OK);
    assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
    if ((verdict.outcome == FRONTIER_SEEN) != is_kept[id])
      fail_msg("%s is %s, and %s", texts[id], is_kept[id] ? "kept" : "gone", frontier_outcome_name(verdict.outcome));
    *(is_kept[id] ? &kept : &gone) += 1;
  }
  /* a key that is added at the end of the log takes a number for which there is no URL */
  print_message("%llu kept, %llu gone\n", (unsigned long long)kept, (unsigned long long)gone);
  assert_true(gone > 20 && kept > 50 && gone <= done.gone);
  frontier_close(f);
  done = repair(FRONTIER_OK); /* and it is left alone now */
  assert_false(done.was_rebuilt);
}

CASE(lost_urls_are_new_again)
{
  what_is_gone_is_new_again(false);
}

CASE(lost_urls_are_new_again_exactly)
{
  what_is_gone_is_new_again(true);
}

/* ---- URLs that wait again --------------------------------------------------------------------------------- */

static bool is_every_fifth(void *context, const char *text, size_t size)
{
  (void)text, (void)size;
  return ++*(unsigned *)context % 5 == 0;
}

/* Some are visited, some of these wait for the next visit, and some that wait were put first. */
static void begin_again(void)
{
  enum { VISITS = 90, DUE = 12, AT_ONCE = 6, NOW_S = 1000000 };
  small_crawl c = crawl_in(work, NULL, 0);
  frontier_options options = small_crawl_options(&c);
  frontier_lease leases[AT_ONCE];
  size_t count = 0, promoted;
  int64_t wait_ms;
  uint64_t from = 0;
  unsigned asked = 0;
  copy_sound();
  frontier *f = must_open(work, &options);
  frontier_clock(f, 0, (uint64_t)NOW_S * 1000);
  for (unsigned done = 0; done < VISITS; done += (unsigned)count) {
    assert_int_equal(frontier_next(f, 0, leases, AT_ONCE, &count, &wait_ms), FRONTIER_OK);
    assert_true(count > 0 || wait_ms == 0);
    for (size_t i = 0; i < count; i++) {
      frontier_visit visit = {.at_s = NOW_S, .etag = "\"abc\"", .etag_size = 5};
      assert_int_equal(frontier_visit_note(f, leases[i].id, &visit), FRONTIER_OK);
      assert_int_equal(frontier_done(f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
    }
  }
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  assert_int_equal(frontier_recrawl(f, 10, 1000, NOW_S), FRONTIER_OK); /* those that were never visited */
  for (unsigned taken = 0; taken < DUE; taken += (unsigned)count)
    assert_int_equal(frontier_next(f, 0, leases, AT_ONCE, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(frontier_promote(f, is_every_fifth, &asked, URLS, &from, &promoted), FRONTIER_OK);
  assert_true(promoted > 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  *transcript = '\0';
  assert_sound();
}

CASE(those_that_wait_again_do_so_after)
{
  enum { TRIES = 25 };
  size_t size, journal_size;
  begin_again();
  char *bytes = scratch_read(data, &size), *spoilt = malloc(size);
  char *lines = scratch_read(journal, &journal_size);
  spoil_value first = spoil_read(work, "again", 0);
  assert_non_null(first.bytes);
  assert_true(spoil_flip(work, &first, first.size - 1) > 0); /* its first row is still there */
  frontier_repairs done = repair(FRONTIER_OK);
  assert_int_equal(done.kept, accepted);
  assert_int_equal(done.gone + done.keys_gone, 0);
  assert_sound();
  spoil_free(&first);
  dice_begin(20261123);
  for (unsigned i = 0; i < TRIES; i++) {
    char message[FRONTIER_MESSAGE_SIZE] = "", kept[SCRATCH_PATH];
    memcpy(spoilt, bytes, size);
    spoil(i, spoilt, size);
    scratch_write(data, spoilt, size);
    scratch_write(journal, lines, journal_size);
    scratch_join(work, "data.mdb.damaged", kept);
    unlink(kept);
    *transcript = '\0';
    frontier_status status = frontier_repair(work, journal, note, NULL, &done, message);
    if (status == FRONTIER_DAMAGED && strstr(message, "cannot be repaired"))
      continue;
    if (status != FRONTIER_OK)
      fail_msg("damage %u: %s", i, message);
    assert_sound();
  }
  free(lines);
  free(spoilt);
  free(bytes);
}

/* The old file is kept, and never written over by a second repair. */
CASE(the_damaged_file_is_kept)
{
  size_t size, kept_size;
  char kept[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_repairs done;
  copy_sound();
  scratch_join(work, "data.mdb.damaged", kept);
  char *bytes = scratch_read(data, &size);
  memset(bytes + size / PAGE / 2 * PAGE, 0x77, PAGE);
  memset(bytes + 144, 0, 8); /* and with it the older root */
  scratch_write(data, bytes, size);
  repair(FRONTIER_OK);
  char *old = scratch_read(kept, &kept_size);
  assert_int_equal(kept_size, size);
  assert_memory_equal(old, bytes, size);
  scratch_write(data, bytes, size);
  assert_int_equal(frontier_repair(work, journal, note, NULL, &done, message), FRONTIER_BUSY);
  assert_non_null(strstr(message, "data.mdb.damaged"));
  free(old);
  free(bytes);
}

EACH_CASE(begin, end)
