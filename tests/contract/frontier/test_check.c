/* frontier_check: a sound directory has no fault; whatever is flipped, cut or taken away is noticed or without
 * consequence, and nothing makes the check crash or run for ever. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "frontier/promote.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/small_crawl.h"
#include "tests/support/spoil.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

enum { URLS = 2000, FETCHED = 700, REMARKS_MAX = 200 };

static char root[SCRATCH_PATH], sound[SCRATCH_PATH], spoilt[SCRATCH_PATH], journal[SCRATCH_PATH];
static second_view whole;

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "sound", sound);
  scratch_join(root, "spoilt", spoilt);
  scratch_join(root, "journal", journal);
  assert_int_equal(mkdir(spoilt, 0777), 0);
  small_crawl c = {
    .directory = sound, .journal = journal, .seed = 1, .urls = URLS, .fetched = FETCHED, .secret = test_secret(0)};
  assert_int_equal(small_crawl_make(&c), FETCHED);
  second_read(sound, false, &whole);
  assert_int_equal(whole.faults, 0);
  return 0;
}

static int end(void **state)
{
  (void)state;
  second_free(&whole);
  scratch_remove(root);
  return 0;
}

typedef struct remarks {
  char text[REMARKS_MAX][FRONTIER_MESSAGE_SIZE];
  unsigned count;
} remarks;

static remarks heard;

static void note(void *context, const char *sentence)
{
  remarks *r = context;
  assert_true(strlen(sentence) > 10);
  for (const char *at = sentence; *at; at++)
    assert_true((unsigned char)*at >= 0x20);
  if (r->count < REMARKS_MAX)
    snprintf(r->text[r->count], sizeof *r->text, "%s", sentence);
  r->count++;
}

static frontier_findings check(const char *directory, const char *journal_path)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_findings found;
  heard.count = 0;
  if (frontier_check(directory, journal_path, note, &heard, &found, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_int_equal(found.faults, heard.count);
  return found;
}

static void assert_heard(const char *what)
{
  for (unsigned i = 0; i < heard.count && i < REMARKS_MAX; i++)
    if (strstr(heard.text[i], what))
      return;
  for (unsigned i = 0; i < heard.count && i < REMARKS_MAX; i++)
    print_message("%s\n", heard.text[i]);
  fail_msg("of %u remarks none has \"%s\"", heard.count, what);
}

static void assert_silent(void)
{
  for (unsigned i = 0; i < heard.count && i < REMARKS_MAX; i++)
    print_message("%s\n", heard.text[i]);
  assert_int_equal(heard.count, 0);
}

CASE(a_sound_directory_has_no_fault)
{
  frontier_findings found = check(sound, journal);
  assert_silent();
  assert_int_equal(found.urls, whole.url_room - 1);
  assert_int_equal(found.hosts, whole.host_count);
  assert_int_equal(found.log_keys, whole.log_keys);
  assert_true(found.lines > 0);
  assert_true(found.pages > 50);
}

/* How each URL of the crawl ended, read by FORMAT.md alone: of the oldest from the table by sequence, to which they
 * were moved, of the others from where endings are written first. */
CASE(endings_are_in_two_tables)
{
  unsigned tables[SECOND_TABLES] = {0}, ended = 0;
  for (size_t i = 0; i < whole.record_count; i++)
    tables[whole.records[i].table]++;
  assert_true(tables[SECOND_STATES] > 0 && tables[SECOND_ENDED] > 0);
  for (size_t i = 1; i < whole.url_room; i++) {
    unsigned number = (unsigned)strtoul(strrchr(whole.urls[i].text, '/') + 1, NULL, 10), got = whole.urls[i].state;
    unsigned wanted = number % 11 == 10 ? FRONTIER_SKIPPED : number % 7 == 6 ? FRONTIER_FAILED : FRONTIER_DONE;
    assert_true(got == 0 || got == wanted);
    ended += got != 0;
  }
  assert_int_equal(ended, FETCHED);
}

CASE(a_writer_keeps_it_out)
{
  char path[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_findings found;
  scratch_join(sound, "LOCK", path);
  int fd = open(path, O_RDWR);
  assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
  assert_int_equal(frontier_check(sound, NULL, note, &heard, &found, message), FRONTIER_BUSY);
  assert_non_null(strstr(message, sound));
  close(fd);
  assert_int_equal(frontier_check("/nowhere", NULL, note, &heard, &found, message), FRONTIER_NOT_FOUND);
  assert_non_null(strstr(message, "/nowhere"));
}

/* ---- one byte ------------------------------------------------------------------------------------------- */

/* Do both directories hold the same records? A flip where nothing lies changes none. */
static bool holds_the_same(const char *directory)
{
  second_view v;
  second_read(directory, true, &v);
  bool same = v.faults == 0 && v.record_count == whole.record_count;
  for (size_t i = 0; same && i < v.record_count; i++)
    same = v.records[i].value_size == whole.records[i].value_size &&
           memcmp(v.records[i].value, whole.records[i].value, v.records[i].value_size) == 0;
  second_free(&v);
  return same;
}

/* One bit of our own files: always noticed. */
CASE(a_flipped_bit_of_ours_is_noticed)
{
  static const char *const names[] = {"seen.0", "seen.1"};
  dice_begin(20261120);
  scratch_copy(sound, spoilt);
  for (size_t n = 0; n < 2; n++) {
    char path[SCRATCH_PATH];
    size_t size;
    scratch_join(spoilt, names[n], path);
    char *bytes = scratch_read(path, &size);
    assert_non_null(bytes);
    for (int i = 0; i < 40; i++) {
      size_t at = i < 8 ? (size_t)i * 4 : dice_throw(size);
      bytes[at] = (char)(bytes[at] ^ 1 << dice_throw(8));
      scratch_write(path, bytes, size);
      check(spoilt, NULL);
      if (!heard.count)
        fail_msg("%s: byte %zu was changed, and nobody noticed", names[n], at);
      assert_heard(names[n]);
      free(bytes);
      scratch_copy(sound, spoilt);
      bytes = scratch_read(path, &size);
    }
    free(bytes);
  }
}

CASE(a_flipped_bit_of_the_journal_is_noticed)
{
  char path[SCRATCH_PATH];
  size_t size;
  scratch_join(root, "other-journal", path);
  char *bytes = scratch_read(journal, &size);
  dice_begin(20261120);
  for (int i = 0; i < 100; i++) {
    size_t at = dice_throw(size);
    char was = bytes[at];
    bytes[at] = (char)(bytes[at] ^ 1 << dice_throw(8));
    scratch_write(path, bytes, size);
    check(sound, path);
    if (!heard.count)
      fail_msg("byte %zu was changed, and nobody noticed", at);
    assert_heard(path);
    bytes[at] = was;
  }
  scratch_write(path, bytes, size - 1);
  check(sound, path);
  assert_heard("missing");
  scratch_write(path, bytes, 0); /* moved away by its user */
  check(sound, path);
  assert_silent();
  free(bytes);
}

/* The number of the transaction in either root: one that is too high by a little makes the root of the transaction
 * before the valid one, and that directory is as whole as this one. */
static bool is_transaction_before(size_t at)
{
  enum { PAGE = 4096, NUMBER = 144 };
  second_view v;
  if (at / PAGE > 1 || at % PAGE < NUMBER || at % PAGE >= NUMBER + 8)
    return false;
  second_read(spoilt, true, &v);
  bool is_whole = v.faults == 0;
  second_free(&v);
  return is_whole;
}

/* LMDB's file: noticed, or the records are the same as before. */
CASE(a_flipped_bit_of_the_database_is_noticed_or_harmless)
{
  char path[SCRATCH_PATH];
  size_t size;
  unsigned harmless = 0, noticed = 0;
  scratch_copy(sound, spoilt);
  scratch_join(spoilt, "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  dice_begin(20261120);
  for (int i = 0; i < 400; i++) {
    size_t at = i < 152 ? (size_t)i : i < 304 ? 4096 + (size_t)i - 152 : dice_throw(size);
    char was = bytes[at];
    bytes[at] = (char)(bytes[at] ^ 1 << dice_throw(8));
    scratch_write(path, bytes, size);
    check(spoilt, NULL);
    if (heard.count)
      noticed++;
    else if (holds_the_same(spoilt) || is_transaction_before(at))
      harmless++;
    else
      fail_msg("data.mdb: byte %zu was changed, its records are others, and nobody noticed", at);
    bytes[at] = was;
  }
  print_message("%u noticed, %u without consequence\n", noticed, harmless);
  assert_true(noticed > 100);
  free(bytes);
}

/* ---- whole pages ---------------------------------------------------------------------------------------- */

CASE(a_page_of_something_else_is_noticed)
{
  enum { PAGE = 4096 };
  char path[SCRATCH_PATH], was[PAGE];
  size_t size;
  scratch_copy(sound, spoilt);
  scratch_join(spoilt, "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  dice_begin(20261120);
  unsigned noticed = 0;
  for (int i = 0; i < 150; i++) {
    size_t page = PAGE * dice_throw(size / PAGE);
    memcpy(was, bytes + page, PAGE);
    switch (i % 4) {
    case 0: memset(bytes + page, 0, PAGE); break;
    case 1: memset(bytes + page, 0xff, PAGE); break;
    case 2: memcpy(bytes + page, bytes + PAGE * dice_throw(size / PAGE), PAGE); break;
    default:
      for (int j = 16; j < PAGE; j++)
        bytes[page + (size_t)j] = (char)dice_throw(256);
    }
    scratch_write(path, bytes, size);
    check(spoilt, NULL);
    bool is_same = memcmp(was, bytes + page, PAGE) == 0;
    noticed += heard.count > 0;
    if (!heard.count && !is_same && !holds_the_same(spoilt))
      fail_msg("data.mdb: page %zu is another, and nobody noticed", page / PAGE);
    memcpy(bytes + page, was, PAGE);
  }
  print_message("%u noticed\n", noticed);
  assert_true(noticed > 50);
  free(bytes);
}

CASE(a_cut_file_is_noticed)
{
  char path[SCRATCH_PATH];
  size_t size;
  scratch_copy(sound, spoilt);
  scratch_join(spoilt, "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  dice_begin(20261120);
  for (int i = 0; i < 20; i++) {
    size_t cut = i < 4 ? (size_t)i * 2048 : dice_throw(size * 3 / 4);
    scratch_write(path, bytes, cut);
    check(spoilt, NULL);
    assert_true(heard.count > 0);
  }
  free(bytes);
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

static void begin_compacted(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_sizes sizes;
  scratch_copy(sound, spoilt);
  if (frontier_compact(spoilt, &sizes, message) != FRONTIER_OK)
    fail_msg("%s", message);
}

/* What is said of a value of that table with this byte changed; how many of its URLs could still be read. */
static uint64_t urls_without(const char *table, size_t block, size_t byte, const char *said)
{
  begin_compacted();
  spoil_value v = spoil_read(spoilt, table, 0);
  assert_non_null(v.bytes);
  spoil_flip(spoilt, &v, block ? spoil_block(&v, block - 1) + byte : byte < v.size ? byte : v.size - 1);
  spoil_free(&v);
  frontier_findings found = check(spoilt, NULL);
  assert_heard(said);
  return found.urls;
}

CASE(damaged_rows_cost_their_block)
{
  enum { IN_BLOCK = 64, FIRST = 1, SECOND = 2, AT_END = 1 << 20, OF_ROWS = 16, IN_A_ROW = 40 };
  uint64_t all = whole.url_room - 1;
  assert_int_equal(urls_without("text", SECOND, IN_A_ROW, "rows 65 to 128 of table text are damaged"), all - IN_BLOCK);
  assert_heard("URLs 65 to 128: they are nowhere");
  assert_int_equal(urls_without("text", FIRST, 0, "rows 1 to 64 of table text are damaged"), all - IN_BLOCK);
  assert_int_equal(urls_without("text", 0, OF_ROWS, "the beginning or the end of value 1 of table text"), all);
  assert_int_equal(urls_without("text", 0, AT_END, "the beginning or the end of value 1 of table text"), all);
  assert_int_equal(urls_without("states", 0, 1, "how URLs 0 to 63 ended is damaged"), all);
  assert_heard("or not so many of each kind");
}

/* ---- what does not agree -------------------------------------------------------------------------------- */

/* One record less, by LMDB's own means. */
static void take_away(const char *table, size_t which)
{
  spoil_value v = spoil_read(spoilt, table, which);
  assert_non_null(v.bytes);
  spoil_delete(spoilt, table, v.key);
  spoil_free(&v);
}

static bool is_every_third(void *context, const char *text, size_t size)
{
  (void)text, (void)size;
  return ++*(unsigned *)context % 3 == 0;
}

static void promote_some(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  small_crawl c = {.directory = spoilt, .urls = URLS, .secret = test_secret(0)};
  frontier_options options = small_crawl_options(&c);
  frontier *f;
  uint64_t from = 0;
  unsigned asked = 0;
  size_t promoted;
  assert_int_equal(frontier_open(spoilt, &options, &f, message), FRONTIER_OK);
  assert_int_equal(frontier_promote(f, is_every_third, &asked, URLS, &from, &promoted), FRONTIER_OK);
  assert_true(promoted > 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  check(spoilt, NULL);
  assert_silent();
}

CASE(a_missing_record_is_noticed)
{
  static const struct {
    const char *table, *said;
  } rows[] = {{"text", "they are nowhere"},
              {"ended", "of table ended are missing"},
              {"hosts", "there is no record of them"},
              {"hashes", "hash log: keys"},
              {"again", "it waits again, and is not in table again"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    scratch_copy(sound, spoilt);
    if (strcmp(rows[i].table, "again") == 0)
      promote_some();
    take_away(rows[i].table, strcmp(rows[i].table, "again") == 0 ? 0 : 1);
    check(spoilt, NULL);
    assert_heard(rows[i].said);
  }
}

CASE(an_old_filter_file_is_noticed)
{
  char other[SCRATCH_PATH], from[SCRATCH_PATH], to[SCRATCH_PATH];
  size_t size;
  scratch_join(root, "other", other);
  small_crawl c = {
    .directory = other, .seed = 2, .urls = 50, .fetched = 10, .path = "/other/", .secret = test_secret(0)};
  small_crawl_make(&c);
  scratch_join(other, "seen.1", from);
  char *bytes = scratch_read(from, &size);
  scratch_copy(sound, spoilt);
  scratch_join(spoilt, whole.progress[3] ? "seen.1" : "seen.0", to);
  assert_non_null(bytes);
  scratch_write(to, bytes, size); /* whole, of the same kind and rate, and not of this crawl */
  free(bytes);
  check(spoilt, NULL);
  assert_heard("does not know it");
}

CASE(a_filter_file_of_another_secret_is_noticed)
{
  char path[SCRATCH_PATH];
  char profile[] = "strict";
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = MLBF_KIND_MLBF,
                          .keys = 500,
                          .rate = 1e-6,
                          .secret = test_secret(1),
                          .signals = true,
                          .profile = profile};
  mlbf_filter *filter;
  scratch_copy(sound, spoilt);
  scratch_join(spoilt, whole.progress[3] ? "seen.1" : "seen.0", path);
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  mlbf_free(filter);
  check(spoilt, NULL);
  assert_heard("secret");
}

EACH_CASE(begin, end)
