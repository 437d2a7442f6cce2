/* frontier/late/key_file.h: keys in order, in files, compared with plain arrays; then the same files changed: whatever
 * was done to them, there is a status, and keys in order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "frontier/late/key_file.h"
#include "tests/support/dice.h"
#include "tests/support/each_fault.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { PAGE = 4096, RUN_PAGE = 255, DOUBTS_PAGE = 170, MOST = 40000 };

static char directory[SCRATCH_PATH], path[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
static key_place place = {directory, 77, 0640};

static int begin(void **state)
{
  (void)state;
  dice_begin(17);
  scratch_make_fast(directory);
  return 0;
}

static int end(void **state)
{
  (void)state;
  faults_end();
  scratch_remove(directory);
  return 0;
}

/* ---- keys of many kinds ------------------------------------------------------------------------------------ */

typedef enum shape { EVEN, EQUAL, FEW_VALUES, LONG_PREFIX, LOW_HALVES, ONE_END, ZEROS_AND_ONES, SHAPES } shape;

static uint64_t any(void)
{
  return dice_throw(1ull << 32) << 32 | dice_throw(1ull << 32);
}

static mlbf_hash128 key_of(shape s)
{
  mlbf_hash128 key = {any(), any()};
  switch (s) {
  case EQUAL: return (mlbf_hash128){5, 5};
  case FEW_VALUES: return (mlbf_hash128){dice_throw(3), dice_throw(3) << 62};
  case LONG_PREFIX: return (mlbf_hash128){key.low, 0xabcdef0123456700 | dice_throw(4)};
  case LOW_HALVES: return (mlbf_hash128){key.low, 0};
  case ONE_END: return (mlbf_hash128){key.low, key.high >> dice_throw(64)};
  case ZEROS_AND_ONES: return (mlbf_hash128){dice_throw(2) ? 0 : UINT64_MAX, dice_throw(2) ? 0 : UINT64_MAX};
  default: return key;
  }
}

static int compare_numbered(const void *a, const void *b)
{
  const numbered_key *x = a, *y = b;
  int order = key_compare(x->key, y->key);
  return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

static numbered_key *some_keys(shape s, size_t count)
{
  numbered_key *keys = malloc((count + 1) * sizeof *keys);
  for (size_t i = 0; i < count; i++)
    keys[i] = (numbered_key){key_of(s), dice_throw(1000)};
  return keys;
}

CASE(sorted_as_qsort_sorts)
{
  static const size_t counts[] = {0, 1, 2, 16, 17, 100, 256, 1024, 1025, 5000, MOST};
  for (shape s = EVEN; s < SHAPES; s++)
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      size_t count = counts[i];
      numbered_key *keys = some_keys(s, count), *wanted = malloc((count + 1) * sizeof *keys);
      mlbf_hash128 *plain = malloc((count + 1) * sizeof *plain);
      memcpy(wanted, keys, count * sizeof *keys);
      for (size_t j = 0; j < count; j++)
        plain[j] = keys[j].key;
      qsort(wanted, count, sizeof *wanted, compare_numbered);
      numbered_keys_sort(keys, count);
      keys_sort(plain, count);
      assert_memory_equal(keys, wanted, count * sizeof *keys);
      for (size_t j = 0; j < count; j++)
        assert_int_equal(key_compare(plain[j], wanted[j].key), 0);
      free(keys);
      free(wanted);
      free(plain);
    }
}

/* Each byte splits one item off: the deepest recursion that there is. */
CASE(sorted_though_they_share_what_they_can)
{
  enum { STEPS = 24, EACH = 40 };
  static numbered_key keys[STEPS * EACH], wanted[STEPS * EACH];
  for (size_t i = 0; i < STEPS * EACH; i++) {
    uint8_t bytes[24] = {0}, *at = bytes + i / EACH;
    memset(bytes, 0x55, sizeof bytes);
    for (; at < bytes + sizeof bytes; at++)
      *at = (uint8_t)dice_throw(256);
    memcpy(&keys[i].key.high, bytes, 8);
    memcpy(&keys[i].key.low, bytes + 8, 8);
    memcpy(&keys[i].number, bytes + 16, 8);
    keys[i].key.high = __builtin_bswap64(keys[i].key.high);
    keys[i].key.low = __builtin_bswap64(keys[i].key.low);
    keys[i].number = __builtin_bswap64(keys[i].number);
  }
  memcpy(wanted, keys, sizeof keys);
  qsort(wanted, STEPS * EACH, sizeof *wanted, compare_numbered);
  numbered_keys_sort(keys, STEPS * EACH);
  assert_memory_equal(keys, wanted, sizeof keys);
}

/* ---- files ------------------------------------------------------------------------------------------------- */

static frontier_status try_to_write(key_file_kind kind, uint64_t number, const numbered_key *keys, size_t count)
{
  key_writer *w = NULL;
  mlbf_hash128 some[700];
  uint64_t numbers[700];
  *message = '\0';
  frontier_status status = key_writer_begin(&place, kind, number, count, &w, message);
  for (size_t at = 0, n; at < count && status == FRONTIER_OK; at += n) {
    n = dice_throw(count - at < 700 ? count - at : 700) + 1;
    for (size_t i = 0; i < n; i++) {
      some[i] = keys[at + i].key;
      numbers[i] = keys[at + i].number;
    }
    status = key_writer_add(w, some, kind == KEY_FILE_DOUBTS ? numbers : NULL, n, message);
  }
  if (status == FRONTIER_OK)
    status = key_writer_finish(w, message);
  if (status != FRONTIER_OK)
    key_writer_end(w);
  return status;
}

static void write_keys(key_file_kind kind, uint64_t number, const numbered_key *keys, size_t count)
{
  if (try_to_write(kind, number, keys, count) != FRONTIER_OK)
    fail_msg("%s", message);
}

static key_file *open_keys(key_file_kind kind, uint64_t number)
{
  key_file *f = NULL;
  if (key_file_open(&place, kind, number, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

/* The first of these that is not below. */
static size_t lower_bound(const numbered_key *keys, size_t count, mlbf_hash128 key)
{
  size_t low = 0;
  while (count > 0) {
    size_t half = count / 2;
    bool is_below = key_compare(keys[low + half].key, key) < 0;
    low += is_below ? half + 1 : 0;
    count = is_below ? count - half - 1 : half;
  }
  return low;
}

static void assert_at(key_cursor *c, const numbered_key *keys, size_t count, size_t at)
{
  const numbered_key *item;
  assert_int_equal(key_cursor_get(c, &item, message), FRONTIER_OK);
  if (at == count)
    assert_null(item);
  else {
    assert_non_null(item);
    assert_int_equal(key_compare(item->key, keys[at].key), 0);
  }
}

static void assert_all(const key_file *f, key_file_kind kind, const numbered_key *keys, size_t count)
{
  key_cursor *c = key_cursor_open(f, 1 + dice_throw(20));
  const numbered_key *item;
  for (size_t i = 0; i < count; i++, key_cursor_step(c)) {
    assert_at(c, keys, count, i);
    assert_int_equal(key_cursor_get(c, &item, message), FRONTIER_OK);
    assert_int_equal(item->number, kind == KEY_FILE_DOUBTS ? keys[i].number : 0);
  }
  assert_at(c, keys, count, count);
  key_cursor_close(c);
}

static void assert_seeks(const key_file *f, const numbered_key *keys, size_t count, shape s)
{
  key_cursor *c = key_cursor_open(f, 1 + dice_throw(20));
  for (int i = 0; i < 400; i++) {
    mlbf_hash128 key = dice_throw(3) ? key_of(s) : count ? keys[dice_throw(count)].key : key_of(s);
    key.low += dice_throw(3) - 1;
    size_t at = lower_bound(keys, count, key), steps = dice_throw(2) ? 0 : dice_throw(600);
    assert_int_equal(key_cursor_seek(c, key, message), FRONTIER_OK);
    for (; at < count && steps > 0; at++, steps--)
      key_cursor_step(c);
    assert_at(c, keys, count, at);
  }
  key_cursor_close(c);
}

CASE(read_as_written)
{
  static const size_t counts[] = {0, 1, 169, 170, 171, 254, 255, 256, 510, 511, 8160, 8161, 9000, MOST};
  for (shape s = EVEN; s < SHAPES; s++)
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
      for (int k = 0; k < 2; k++) {
        key_file_kind kind = k ? KEY_FILE_RUN : KEY_FILE_DOUBTS;
        size_t count = counts[i], per_page = k ? RUN_PAGE : DOUBTS_PAGE;
        numbered_key *keys = some_keys(s, count);
        numbered_keys_sort(keys, count);
        write_keys(kind, i, keys, count);
        key_file *f = open_keys(kind, i);
        assert_int_equal(key_file_count(f), count);
        assert_int_equal(key_file_number(f), i);
        assert_int_equal(key_file_bytes(f), PAGE * (1 + (count + per_page - 1) / per_page));
        assert_all(f, kind, keys, count);
        assert_seeks(f, keys, count, s);
        key_file_close(f);
        free(keys);
      }
}

/* In order and near each other, as a pass asks. */
CASE(sought_in_order)
{
  numbered_key *keys = some_keys(EVEN, MOST);
  numbered_keys_sort(keys, MOST);
  write_keys(KEY_FILE_RUN, 1, keys, MOST);
  key_file *f = open_keys(KEY_FILE_RUN, 1);
  for (size_t step = 1; step < MOST; step *= 3) {
    key_cursor *c = key_cursor_open(f, 16);
    for (size_t i = 0; i < MOST; i += 1 + dice_throw(step)) {
      assert_int_equal(key_cursor_seek(c, keys[i].key, message), FRONTIER_OK);
      assert_at(c, keys, MOST, i);
    }
    key_cursor_close(c);
  }
  key_file_close(f);
  free(keys);
}

static void set_path(const char *name)
{
  scratch_join(directory, name, path);
}

CASE(named_and_swept)
{
  static const char *const stay[] = {"keys.3", "keys.12", "doubts.1", "keys",
                                     "keys.",  "keys.1x", "keys.01",  "keys.2.tmp2"},
                           *const go[] = {"keys.1", "keys.2", "keys.3.tmp", "keys.18446744073709551615", "keys.0"};
  static const uint64_t kept[] = {12, 3};
  struct stat file;
  char name[KEY_FILE_NAME];
  key_file_name(KEY_FILE_DOUBTS, UINT64_MAX, name);
  assert_string_equal(name, "doubts.18446744073709551615");
  for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
    set_path(stay[i]);
    scratch_write(path, "x", 1);
  }
  for (size_t i = 0; i < sizeof go / sizeof *go; i++) {
    set_path(go[i]);
    scratch_write(path, "x", 1);
  }
  key_files_sweep(&place, KEY_FILE_RUN, kept, 2);
  for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
    set_path(stay[i]);
    assert_int_equal(stat(path, &file), 0);
  }
  for (size_t i = 0; i < sizeof go / sizeof *go; i++) {
    set_path(go[i]);
    assert_int_equal(stat(path, &file), -1);
  }
  key_file_unlink(&place, KEY_FILE_RUN, 3);
  key_file_unlink(&place, KEY_FILE_RUN, 3);
  set_path("keys.3");
  assert_int_equal(stat(path, &file), -1);
}

/* ---- files that were changed ------------------------------------------------------------------------------- */

/* From the beginning, or from keys sought, to the end: keys in order, or DAMAGED. */
static frontier_status read_through(key_file_kind kind, uint64_t number, uint64_t *count)
{
  key_file *f = NULL;
  frontier_status status = key_file_open(&place, kind, number, &f, message);
  key_cursor *c = status == FRONTIER_OK ? key_cursor_open(f, 1 + dice_throw(8)) : NULL;
  mlbf_hash128 last = {0, 0};
  const numbered_key *item = NULL;
  *count = 0;
  while (status == FRONTIER_OK && (status = key_cursor_get(c, &item, message)) == FRONTIER_OK && item) {
    assert_true(key_compare(last, item->key) <= 0);
    last = item->key;
    ++*count;
    key_cursor_step(c);
  }
  for (int i = 0; i < 20 && f; i++) {
    frontier_status sought = key_cursor_seek(c, key_of(EVEN), message);
    if (sought == FRONTIER_OK)
      sought = key_cursor_get(c, &item, message);
    assert_true(sought == FRONTIER_OK || sought == FRONTIER_DAMAGED);
  }
  key_cursor_close(c);
  key_file_close(f);
  return status;
}

CASE(every_change_of_a_byte_is_damage)
{
  uint64_t count;
  size_t size;
  numbered_key *keys = some_keys(EVEN, 600);
  numbered_keys_sort(keys, 600);
  write_keys(KEY_FILE_RUN, 1, keys, 600);
  set_path("keys.1");
  char *bytes = scratch_read(path, &size);
  assert_int_equal(size, 4 * PAGE);
  for (size_t at = 0; at < size; at += at % PAGE < 64 ? 1 : 1 + dice_throw(50)) {
    char was = bytes[at];
    bytes[at] ^= (char)(1 << dice_throw(8));
    scratch_write(path, bytes, size);
    assert_int_equal(read_through(KEY_FILE_RUN, 1, &count), FRONTIER_DAMAGED);
    assert_true(count < 600 && count % RUN_PAGE == 0);
    bytes[at] = was;
  }
  scratch_write(path, bytes, size);
  assert_int_equal(read_through(KEY_FILE_RUN, 1, &count), FRONTIER_OK);
  free(bytes);
  free(keys);
}

CASE(every_cut_is_damage)
{
  uint64_t count;
  size_t size;
  numbered_key *keys = some_keys(EVEN, 600);
  numbered_keys_sort(keys, 600);
  write_keys(KEY_FILE_RUN, 1, keys, 600);
  set_path("keys.1");
  char *bytes = scratch_read(path, &size);
  for (size_t cut = 0; cut < size; cut += 1 + dice_throw(300)) {
    scratch_write(path, bytes, cut);
    assert_int_equal(read_through(KEY_FILE_RUN, 1, &count), FRONTIER_DAMAGED);
  }
  char *longer = realloc(bytes, size + PAGE);
  assert_non_null(longer);
  bytes = longer;
  memset(bytes + size, 0, PAGE);
  scratch_write(path, bytes, size + PAGE);
  assert_int_equal(read_through(KEY_FILE_RUN, 1, &count), FRONTIER_DAMAGED);
  scratch_write(path, bytes, size);
  assert_int_equal(read_through(KEY_FILE_RUN, 1, &count), FRONTIER_OK);
  free(bytes);
  free(keys);
}

/* It is cut under an open cursor: no signal. */
CASE(cut_while_it_is_read)
{
  numbered_key *keys = some_keys(EVEN, MOST);
  const numbered_key *item;
  numbered_keys_sort(keys, MOST);
  write_keys(KEY_FILE_RUN, 1, keys, MOST);
  key_file *f = open_keys(KEY_FILE_RUN, 1);
  key_cursor *c = key_cursor_open(f, 4);
  assert_at(c, keys, MOST, 0);
  set_path("keys.1");
  assert_int_equal(truncate(path, 10 * PAGE), 0);
  assert_int_equal(key_cursor_seek(c, (mlbf_hash128){0, UINT64_MAX / 2}, message), FRONTIER_DAMAGED);
  assert_int_equal(key_cursor_seek(c, keys[300].key, message), FRONTIER_OK);
  frontier_status status = FRONTIER_OK;
  size_t steps = 0;
  for (; status == FRONTIER_OK; steps++, key_cursor_step(c))
    status = key_cursor_get(c, &item, message);
  assert_int_equal(status, FRONTIER_DAMAGED);
  assert_true(steps < 10 * RUN_PAGE);
  key_cursor_close(c);
  key_file_close(f);
  free(keys);
}

CASE(not_the_file_that_was_asked_for)
{
  char other[SCRATCH_PATH];
  key_file *f = NULL;
  numbered_key *keys = some_keys(EVEN, 600);
  uint64_t count;
  numbered_keys_sort(keys, 600);
  write_keys(KEY_FILE_RUN, 1, keys, 600);
  set_path("keys.1");
  assert_int_equal(key_file_open(&place, KEY_FILE_RUN, 2, &f, message), FRONTIER_NOT_FOUND);
  static const char *const names[] = {"keys.2", "doubts.1"};
  for (size_t i = 0; i < 2; i++) {
    scratch_join(directory, names[i], other);
    assert_int_equal(link(path, other), 0);
  }
  assert_int_equal(read_through(KEY_FILE_RUN, 2, &count), FRONTIER_DAMAGED);
  assert_int_equal(read_through(KEY_FILE_DOUBTS, 1, &count), FRONTIER_DAMAGED);
  place.id++;
  assert_int_equal(read_through(KEY_FILE_RUN, 1, &count), FRONTIER_DAMAGED);
  place.id--;
  scratch_join(directory, "keys.3", other);
  assert_int_equal(symlink("keys.1", other), 0);
  assert_int_equal(read_through(KEY_FILE_RUN, 3, &count), FRONTIER_DAMAGED);
  scratch_join(directory, "keys.4", other);
  assert_int_equal(mkdir(other, 0777), 0);
  assert_int_equal(read_through(KEY_FILE_RUN, 4, &count), FRONTIER_DAMAGED);
  assert_int_equal(read_through(KEY_FILE_RUN, 1, &count), FRONTIER_OK);
  free(keys);
}

/* ---- hostile files: all checksums hold ---------------------------------------------------------------------- */

static void seal(uint8_t *page, uint64_t number, uint64_t index)
{
  uint64_t where[2] = {number, index};
  uint64_t sum = XXH3_64bits_withSeed(page + 8, PAGE - 8, XXH3_64bits_withSeed(where, sizeof where, place.id));
  memcpy(page, &sum, 8);
}

static void change(uint8_t *bytes, size_t size)
{
  static const uint64_t numbers[] = {0, 1, 254, 255, 256, UINT64_MAX, 1ull << 63, 1ull << 32, 3000, 65536};
  size_t at = dice_throw(size / 8) * 8, with;
  switch (dice_throw(5)) {
  case 0: bytes[dice_throw(size)] ^= (uint8_t)(1 << dice_throw(8)); break;
  case 1: memcpy(bytes + at, numbers + dice_throw(10), 8); break;
  case 2: memcpy(bytes + 48, numbers + dice_throw(10), 8); break;
  case 3:
    with = dice_throw(size / PAGE) * PAGE;
    memcpy(bytes + at / PAGE * PAGE, bytes + with, PAGE);
    break;
  default: memcpy(bytes + at, bytes + dice_throw(size / 8) * 8, 8); break;
  }
}

CASE(hostile_files_end_in_order_or_damaged)
{
  enum { ROUNDS = 4000, KEYS = 3000, PAGES = 19 };
  static uint8_t bytes[PAGES * PAGE];
  size_t size, harmless = 0;
  uint64_t count;
  for (int round = 0; round < ROUNDS; round++) {
    key_file_kind kind = round % 2 ? KEY_FILE_RUN : KEY_FILE_DOUBTS;
    if (round < 2) {
      numbered_key *keys = some_keys(EVEN, KEYS);
      numbered_keys_sort(keys, KEYS);
      write_keys(kind, 9, keys, KEYS);
      free(keys);
    }
    set_path(round % 2 ? "keys.9" : "doubts.9");
    char *whole = scratch_read(path, &size);
    assert_true(size <= sizeof bytes && size % PAGE == 0);
    memcpy(bytes, whole, size);
    for (uint64_t n = 1 + dice_throw(4); n > 0; n--)
      change(bytes, size);
    for (size_t page = 0; page < size / PAGE; page++)
      seal(bytes + page * PAGE, 9, page);
    scratch_write(path, bytes, dice_throw(10) ? size : dice_throw(size));
    frontier_status status = read_through(kind, 9, &count);
    assert_true(status == FRONTIER_OK || status == FRONTIER_DAMAGED);
    harmless += status == FRONTIER_OK;
    scratch_write(path, whole, size);
    free(whole);
  }
  assert_true(harmless > 0 && harmless < ROUNDS);
}

/* ---- a disk that fails ------------------------------------------------------------------------------------- */

CASE(no_file_after_a_failure)
{
  static const struct {
    fault_class what;
    int error;
    frontier_status status;
  } rows[] = {{FAULT_WRITE, ENOSPC, FRONTIER_NO_SPACE},
              {FAULT_WRITE, EIO, FRONTIER_IO},
              {FAULT_WRITE, FAULT_SHORT, FRONTIER_IO},
              {FAULT_SYNC, EIO, FRONTIER_IO},
              {FAULT_ALLOC, ENOMEM, FRONTIER_NO_MEMORY}};
  numbered_key *keys = some_keys(EVEN, MOST);
  struct stat file;
  uint64_t count;
  numbered_keys_sort(keys, MOST);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fault_loop l = {.what = rows[i].what, .error = rows[i].error};
    while (fault_next(&l)) {
      key_file_unlink(&place, KEY_FILE_RUN, 1);
      if (fault_begin(&l))
        fault_end(&l, (int)try_to_write(KEY_FILE_RUN, 1, keys, MOST));
      if (l.outcome == FRONTIER_OK) /* a short write goes on */
        assert_true(!l.has_struck || l.error == FAULT_SHORT);
      else {
        assert_true(l.has_struck);
        assert_int_equal(l.outcome, rows[i].status);
        assert_true(*message);
        set_path("keys.1");
        assert_int_equal(stat(path, &file), -1);
        set_path("keys.1.tmp");
        assert_int_equal(stat(path, &file), -1);
      }
    }
    assert_true(l.number > 1);
  }
  write_keys(KEY_FILE_RUN, 1, keys, MOST);
  assert_int_equal(read_through(KEY_FILE_RUN, 1, &count), FRONTIER_OK);
  assert_int_equal(count, MOST);
  set_path("keys.1");
  assert_int_equal(stat(path, &file), 0);
  assert_int_equal(file.st_mode & 0137, 0);
  free(keys);
}

EACH_CASE(begin, end)
