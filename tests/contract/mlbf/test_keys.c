/* What mlbf_hash makes of keys, and filters of hashes, by mlbf/filter.h alone: on each processor, as STRATA_CPU has it,
 * what a second, slow reading of FORMAT.md computes; and what must differ differs. test_hash.c has each function of
 * it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/support/one_key.h"
#include "mlbf/filter.h"
#include "mlbf/secret.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/slow_hash.h"
#include "tests/support/test.h"

enum { TEXT = 4096, DEEPEST = 24 };

/* What this processor has, and less of it. */
static const char *const processors[] = {"all", "avx2", "portable"};
enum { PROCESSORS = sizeof processors / sizeof *processors };

static bool equal(mlbf_hash128 a, mlbf_hash128 b)
{
  return a.low == b.low && a.high == b.high;
}

static mlbf_filter *make(mlbf_kind kind, uint64_t seed)
{
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = kind,
                          .keys = 100,
                          .rate = 0.01,
                          .seed = seed,
                          .signals = kind == MLBF_KIND_MLBF /* for all layers */};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  return filter;
}

/* ---- on each processor -------------------------------------------------------------------------------------- */

/* Of one seed on each of them: with layers, and without. */
typedef struct machines {
  mlbf_filter *layered[PROCESSORS], *plain[PROCESSORS];
  slow_hash_keys slow;
} machines;

static machines begin_machines(uint64_t seed)
{
  machines m = {.layered = {NULL}};
  uint8_t secret[MLBF_SECRET_BYTES];
  for (int i = 0; i < PROCESSORS; i++) {
    setenv("STRATA_CPU", processors[i], 1);
    m.layered[i] = make(MLBF_KIND_MLBF, seed);
    m.plain[i] = make(MLBF_KIND_LINE, seed);
  }
  unsetenv("STRATA_CPU");
  mlbf_secret_from_seed(seed, secret);
  slow_hash_keys_make(secret, &m.slow);
  return m;
}

static void end_machines(machines *m)
{
  for (int i = 0; i < PROCESSORS; i++) {
    mlbf_free(m->layered[i]);
    mlbf_free(m->plain[i]);
  }
}

static void expect_as_defined(const machines *m, const mlbf_span *segments, size_t count)
{
  one_key wanted, made;
  slow_hash_layers(&m->slow, segments, count, &wanted);
  mlbf_hash128 whole = slow_hash_whole(&m->slow, segments, count);
  for (int i = 0; i < PROCESSORS; i++) {
    one_key_hash(m->plain[i], segments, count, &made);
    bool is_right = equal(made.whole, whole);
    one_key_hash(m->layered[i], segments, count, &made);
    is_right = is_right && equal(made.whole, wanted.whole) && made.depth == wanted.depth;
    for (uint32_t layer = 0; layer < wanted.depth && is_right; layer++)
      is_right = equal(made.layer[layer], wanted.layer[layer]);
    if (!is_right)
      fail_msg("%s: a key of %zu segments, the first of %zu bytes", processors[i], count, segments[0].size);
  }
}

static void fill(unsigned char *text, size_t size)
{
  for (size_t i = 0; i < size; i++)
    text[i] = (unsigned char)dice_throw(256);
}

/* Into one to 24 segments, adjacent or not, empty ones among them. */
CASE(every_cut_is_hashed_as_defined)
{
  static unsigned char text[TEXT];
  static const size_t sizes[] = {1, 2, 20, 40, 80, 600};
  fill(text, sizeof text);
  for (uint64_t seed = 1; seed <= 20; seed++) {
    machines m = begin_machines(seed);
    for (int turn = 0; turn < 20; turn++) {
      mlbf_span segments[DEEPEST];
      size_t at = dice_throw(64), most = sizes[dice_throw(6)], count = 1 + dice_throw(DEEPEST);
      for (size_t i = 0; i < count; i++) {
        size_t size = dice_throw(most);
        if (at + size > TEXT || dice_throw(8) == 0)
          at = dice_throw(TEXT - 600);
        segments[i] = (mlbf_span){text + at, size};
        at += size;
      }
      expect_as_defined(&m, segments, count);
    }
    end_machines(&m);
  }
}

/* Between two pages that cannot be read: who reads a byte beside the text ends the test. */
CASE(nothing_beside_a_text_is_read)
{
  enum { PAGE = 4096 };
  unsigned char *all = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *page = all + PAGE;
  assert_true(all != MAP_FAILED);
  assert_int_equal(mprotect(page, PAGE, PROT_READ | PROT_WRITE), 0);
  fill(page, PAGE);
  machines m = begin_machines(4);
  for (size_t size = 0; size <= 600; size++) {
    unsigned char *const begins[] = {page, page + PAGE - size};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
      const mlbf_span two[] = {{begins[i], size / 3}, {begins[i] + size / 3, size - size / 3}};
      expect_as_defined(&m, two, 2);
      expect_as_defined(&m, &(mlbf_span){begins[i], size}, 1);
    }
  }
  end_machines(&m);
  munmap(all, 3 * PAGE);
}

/* One by one, and many at once. */
static void insert_some(mlbf_filter *filter)
{
  enum { TOGETHER = 100, KEYS = 6000 };
  static uint64_t ids[TOGETHER];
  mlbf_span spans[TOGETHER];
  mlbf_key keys[TOGETHER];
  mlbf_verdict verdicts[TOGETHER];
  for (uint64_t id = 0; id < KEYS; id += TOGETHER) {
    for (size_t i = 0; i < TOGETHER; i++) {
      ids[i] = id + i;
      spans[i] = (mlbf_span){&ids[i], sizeof ids[i]};
      keys[i] = (mlbf_key){&spans[i], 1};
    }
    if (id / TOGETHER % 2) {
      mlbf_insert(filter, keys, TOGETHER, verdicts);
      continue;
    }
    for (size_t i = 0; i < TOGETHER; i++) {
      one_key hashes;
      one_key_hash(filter, &spans[i], 1, &hashes);
      one_key_insert(filter, &hashes, verdicts);
    }
  }
}

CASE(filters_have_the_same_bytes)
{
  static const mlbf_options rows[] = {
    {.kind = MLBF_KIND_BLOOM, .rate = 0.01}, {.kind = MLBF_KIND_LINE, .rate = 0.05},
    {.kind = MLBF_KIND_LINE, .rate = 0.01},  {.kind = MLBF_KIND_LINE, .rate = 1e-3},
    {.kind = MLBF_KIND_LINE, .rate = 1e-6},  {.kind = MLBF_KIND_MLBF, .rate = 0.01},
    {.kind = MLBF_KIND_MLBF, .rate = 1e-6},
  };
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  scratch_make_fast(directory);
  scratch_join(directory, "filter", path);
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    char *first = NULL;
    size_t first_size = 0;
    for (int i = 0; i < PROCESSORS; i++) {
      mlbf_options options = rows[row];
      options.size = sizeof options;
      mlbf_filter *filter = NULL;
      size_t size;
      options.keys = 5000;
      options.seed = 1;
      setenv("STRATA_CPU", processors[i], 1);
      assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
      insert_some(filter);
      assert_int_equal(mlbf_save(filter, path), MLBF_OK);
      mlbf_free(filter);
      char *bytes = scratch_read(path, &size);
      if (first) {
        assert_int_equal(size, first_size);
        assert_memory_equal(bytes, first, size);
        free(bytes);
      } else {
        first = bytes;
        first_size = size;
      }
    }
    free(first);
  }
  unsetenv("STRATA_CPU");
  scratch_remove(directory);
}

/* ---- what must differ --------------------------------------------------------------------------------------- */

/* Up to 20 words, space-separated, as segments. */
static one_key layered(const char *words, uint64_t seed)
{
  mlbf_span segments[20];
  size_t count = 0;
  for (const char *word = words; *word; word += strspn(word, " ")) {
    size_t size = strcspn(word, " ");
    segments[count++] = (mlbf_span){word, size};
    word += size;
  }
  mlbf_filter *filter = make(MLBF_KIND_MLBF, seed);
  one_key hashes;
  one_key_hash(filter, segments, count, &hashes);
  mlbf_free(filter);
  return hashes;
}

static bool whole_equal(const char *a, const char *b)
{
  mlbf_hash128 one = layered(a, 1).whole, other = layered(b, 1).whole;
  return one.low == other.low || one.high == other.high;
}

#define FIFTEEN "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 "

CASE(order_repetition_and_depth_matter)
{
  assert_false(whole_equal("h /a /b", "h /b /a"));
  assert_false(whole_equal("/a /a", "/b /b"));
  assert_false(whole_equal("h /a /a", "h"));
  assert_false(whole_equal("h /a /a", "h /b /b"));
  assert_false(whole_equal("h /a", "h /a /a /a"));
  assert_false(whole_equal("/a /b", "/a/b"));
  assert_false(whole_equal(FIFTEEN "16 17 18", FIFTEEN "16 18 17"));
  assert_false(whole_equal(FIFTEEN "16 16 17", FIFTEEN "17 16 16"));
  assert_false(whole_equal(FIFTEEN "16 17", FIFTEEN "16"));
  assert_false(whole_equal(FIFTEEN "16 17 17", FIFTEEN "16 18 18"));
  assert_true(whole_equal("h /a /b", "h /a /b"));
  one_key twice = layered("/a /a", 1);
  assert_false(equal(twice.layer[0], twice.layer[1]));
  assert_false(equal(twice.layer[0], layered("/a", 1).whole));
}

/* Recombination: were whole hashes linear in the segments' sums, d would be the XOR of a, b and c. */
CASE(a_recombined_key_is_not_the_xor_of_its_relatives)
{
  one_key a = layered("h1 /x", 1), b = layered("h1 /y", 1), c = layered("h2 /x", 1), d = layered("h2 /y", 1);
  assert_true(equal(a.layer[0], b.layer[0]));
  assert_true(equal(b.layer[1], d.layer[1]));
  assert_int_not_equal(a.whole.low ^ b.whole.low ^ c.whole.low, d.whole.low);
  assert_int_not_equal(a.whole.high ^ b.whole.high ^ c.whole.high, d.whole.high);
}

CASE(the_secret_changes_everything)
{
  one_key one = layered("h /a", 1), other = layered("h /a", 2);
  assert_int_not_equal(one.whole.low, other.whole.low);
  assert_int_not_equal(one.whole.high, other.whole.high);
  for (int i = 0; i < 2; i++) {
    assert_int_not_equal(one.layer[i].low, other.layer[i].low);
    assert_int_not_equal(one.layer[i].high, other.layer[i].high);
  }
}

CASE(depth_is_folded_at_sixteen)
{
  assert_int_equal(layered("h /a", 1).depth, 2);
  assert_int_equal(layered("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20", 1).depth, MLBF_LAYERS_MAX);
}

static int prepare(void **state)
{
  (void)state;
  dice_begin(5);
  return 0;
}

EACH_CASE(prepare, NULL)
