/* The keyed hash: what FIPS 197 and a second, slow reading of FORMAT.md compute, every path computes, too. What must
 * differ differs, what must agree agrees. And secrets from seeds and files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mlbf/hash/aes.h"
#include "mlbf/hash/keyed_hash.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/slow_hash.h"
#include "tests/support/test.h"

enum { TEXT = 4096, LONGEST = 1100, DEEPEST = 24 };

static bool equal(mlbf_hash128 a, mlbf_hash128 b)
{
  return a.low == b.low && a.high == b.high;
}

static void from_digits(const char *digits, uint8_t *bytes)
{
  for (size_t i = 0; digits[2 * i]; i++) {
    char two[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
    bytes[i] = (uint8_t)strtoul(two, NULL, 16);
  }
}

static mlbf_hash128 block_from(const char *digits)
{
  mlbf_hash128 block;
  uint8_t bytes[16];
  from_digits(digits, bytes);
  memcpy(&block, bytes, sizeof block);
  return block;
}

/* ---- AES ---------------------------------------------------------------------------------------------------- */

/* FIPS 197, appendix B: the states that rounds 1 to 3 begin with, and the round keys between them. */
CASE(a_round_is_that_of_fips_197)
{
  static const struct {
    const char *start, *key, *end;
  } rounds[] = {
    {"193de3bea0f4e22b9ac68d2ae9f84808", "a0fafe1788542cb123a339392a6c7605", "a49c7ff2689f352b6b5bea43026a5049"},
    {"a49c7ff2689f352b6b5bea43026a5049", "f2c295f27a96b9435935807a7359f67f", "aa8f5f0361dde3ef82d24ad26832469a"},
  };
  for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
    slow_block start = {{0}}, key = {{0}}, end = {{0}};
    from_digits(rounds[i].start, start.bytes);
    from_digits(rounds[i].key, key.bytes);
    from_digits(rounds[i].end, end.bytes);
    assert_memory_equal(slow_aes_round(start, key).bytes, end.bytes, 16);
    mlbf_hash128 made = mlbf_aes_round(block_from(rounds[i].start), block_from(rounds[i].key));
    assert_true(equal(made, block_from(rounds[i].end)));
  }
}

/* Appendix C.3 for the slow one; the block of zeros under the key of zeros is counter 0 of ours; then both agree. */
CASE(aes_256_is_that_of_fips_197)
{
  enum { COUNT = 300 };
  uint8_t key[32], zeros[32] = {0};
  slow_block text = {{0}}, expected = {{0}};
  mlbf_hash128 made[COUNT];
  from_digits("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", key);
  from_digits("00112233445566778899aabbccddeeff", text.bytes);
  from_digits("8ea2b7ca516745bfeafc49904b496089", expected.bytes);
  assert_memory_equal(slow_aes256(key, text).bytes, expected.bytes, 16);
  mlbf_aes256_counter(zeros, made, 1);
  assert_true(equal(made[0], block_from("dc95c078a2408989ad48a21492842087")));
  for (int turn = 0; turn < 20; turn++) {
    for (size_t i = 0; i < sizeof key; i++)
      key[i] = (uint8_t)dice_throw(256);
    mlbf_aes256_counter(key, made, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
      slow_block counter = {{(uint8_t)i, (uint8_t)(i >> 8)}};
      expected = slow_aes256(key, counter);
      assert_memory_equal(&made[i], expected.bytes, 16);
    }
  }
}

/* ---- paths -------------------------------------------------------------------------------------------------- */

typedef struct both_keys {
  mlbf_hash_keys fast;
  slow_hash_keys slow;
} both_keys;

static void keys_from_seed(uint64_t seed, both_keys *keys)
{
  uint8_t secret[MLBF_SECRET_BYTES];
  mlbf_secret_from_seed(seed, secret);
  mlbf_hash_keys_make(secret, &keys->fast);
  slow_hash_keys_make(secret, &keys->slow);
}

/* A key whose hash is known. */
typedef struct known_key {
  mlbf_span segments[DEEPEST];
  size_t count;
  one_key layered;
  mlbf_hash128 whole; /* of kinds without layers */
} known_key;

static void known_make(const both_keys *keys, known_key *known)
{
  slow_hash_layers(&keys->slow, known->segments, known->count, &known->layered);
  known->whole = slow_hash_whole(&keys->slow, known->segments, known->count);
}

static void expect_hash(const mlbf_hash_path *path, const known_key *known, mlbf_hash128 made, mlbf_hash128 expected,
                        const char *of)
{
  if (!equal(made, expected))
    fail_msg("%s, %s: a key of %zu segments, the first of %zu bytes, the last of %zu", path->cpu.name, of, known->count,
             known->segments[0].size, known->segments[known->count - 1].size);
}

/* Every path, with as many layers as each kind has. */
static void expect_known(const both_keys *keys, const known_key *known)
{
  static const uint32_t layer_counts[] = {0, 1, MLBF_LAYERS_MAX};
  mlbf_key key = {known->segments, known->count};
  for (const mlbf_hash_path *const *path = mlbf_hash_paths; *path; path++)
    for (size_t i = 0; (*path)->cpu.is_usable() && i < sizeof layer_counts / sizeof *layer_counts; i++) {
      one_key made;
      uint8_t layers[MLBF_LAYERS_MAX];
      uint32_t wanted = known->layered.depth < layer_counts[i] ? known->layered.depth : layer_counts[i];
      mlbf_hashes hashes = {&made.whole, &made.depth, made.layer, layers};
      assert_int_equal((*path)->hash(&keys->fast, &key, 1, 0, layer_counts[i], MLBF_LAYERS_MAX, &hashes), 1);
      expect_hash(*path, known, made.whole, i == 0 ? known->whole : known->layered.whole, "the key");
      assert_int_equal(made.depth, wanted);
      for (uint32_t layer = 0; layer < wanted; layer++) {
        expect_hash(*path, known, made.layer[layer], known->layered.layer[layer], "a layer");
        assert_int_equal(layers[layer], layer + 1);
      }
    }
}

static void fill(unsigned char *text, size_t size)
{
  for (size_t i = 0; i < size; i++)
    text[i] = (unsigned char)dice_throw(256);
}

CASE(every_size_is_hashed_as_defined)
{
  static unsigned char text[TEXT];
  both_keys keys;
  keys_from_seed(1, &keys);
  fill(text, sizeof text);
  for (size_t size = 0; size <= LONGEST; size++) {
    known_key known = {.segments = {{text + size % 67, size}}, .count = 1};
    known_make(&keys, &known);
    expect_known(&keys, &known);
  }
}

/* Cut at random into one to 24 segments, adjacent or not, empty ones among them. */
static void random_key(const unsigned char *text, known_key *known)
{
  static const size_t sizes[] = {1, 2, 20, 40, 80, 600};
  size_t at = dice_throw(64), most = sizes[dice_throw(sizeof sizes / sizeof *sizes)];
  known->count = 1 + dice_throw(DEEPEST);
  for (size_t i = 0; i < known->count; i++) {
    size_t size = dice_throw(most);
    if (at + size > TEXT || dice_throw(8) == 0)
      at = dice_throw(TEXT - 600);
    known->segments[i] = (mlbf_span){text + at, size};
    at += size;
  }
}

CASE(every_cut_is_hashed_as_defined)
{
  static unsigned char text[TEXT];
  both_keys keys;
  fill(text, sizeof text);
  for (uint64_t i = 0; i < 400; i++) {
    known_key known;
    if (i % 20 == 0)
      keys_from_seed(i + 1, &keys);
    random_key(text, &known);
    known_make(&keys, &known);
    expect_known(&keys, &known);
  }
}

enum { BATCH = 32 };

/* With room for the segments of some of them: the others are left. */
static void expect_batch(const mlbf_hash_path *path, const both_keys *keys, const known_key *known,
                         const mlbf_key *texts, size_t count, size_t room)
{
  mlbf_hash128 wholes[BATCH], segments[BATCH * MLBF_LAYERS_MAX];
  uint32_t ends[BATCH];
  uint8_t layers[BATCH * MLBF_LAYERS_MAX];
  mlbf_hashes hashes = {wholes, ends, segments, layers};
  assert_int_equal(path->hash(&keys->fast, texts, count, BATCH - count, 0, room, &hashes), count);
  for (size_t i = 0; i < count; i++)
    expect_hash(path, &known[i], wholes[i], known[i].whole, "a batch without layers");
  size_t done = path->hash(&keys->fast, texts, count, BATCH - count, MLBF_LAYERS_MAX, room, &hashes), at = 0;
  for (size_t i = 0; i < done; i++) {
    expect_hash(path, &known[i], wholes[i], known[i].layered.whole, "a batch with layers");
    for (uint32_t layer = 0; layer < known[i].layered.depth; layer++, at++) {
      expect_hash(path, &known[i], segments[at], known[i].layered.layer[layer], "a segment");
      assert_int_equal(layers[at], layer + 1);
    }
    assert_int_equal(ends[i], at);
  }
  assert_true(at <= room && (done == count || at + known[done].layered.depth > room));
}

CASE(a_batch_has_the_hashes_of_its_keys)
{
  static unsigned char text[TEXT];
  static known_key known[BATCH];
  mlbf_key of[BATCH];
  both_keys keys;
  keys_from_seed(3, &keys);
  fill(text, sizeof text);
  for (int turn = 0; turn < 10; turn++) {
    for (size_t i = 0; i < BATCH; i++) {
      random_key(text, &known[i]);
      known_make(&keys, &known[i]);
      of[i] = (mlbf_key){known[i].segments, known[i].count};
    }
    for (const mlbf_hash_path *const *path = mlbf_hash_paths; *path; path++)
      for (size_t count = 0; (*path)->cpu.is_usable() && count <= BATCH; count += turn ? 16 : 1)
        expect_batch(*path, &keys, known, of, count, turn % 2 ? 40 : SIZE_MAX);
  }
}

/* `pages` readable ones between two that are not. */
static unsigned char *guarded(size_t pages, size_t page)
{
  unsigned char *all = mmap(NULL, (pages + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(all != MAP_FAILED);
  assert_int_equal(mprotect(all + page, pages * page, PROT_READ | PROT_WRITE), 0);
  return all + page;
}

/* A path that reads a byte beside the text ends the test. */
CASE(nothing_beside_a_text_is_read)
{
  enum { PAGE = 4096 };
  unsigned char *pages = guarded(2, PAGE), *end = pages + (size_t)2 * PAGE;
  both_keys keys;
  keys_from_seed(4, &keys);
  fill(pages, (size_t)2 * PAGE);
  for (size_t size = 0; size <= 600; size++) {
    unsigned char *const begins[] = {end - size, pages, pages + PAGE - size / 2, pages + PAGE - size};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
      known_key known = {.segments = {{begins[i], size / 3}, {begins[i] + size / 3, size - size / 3}}, .count = 2};
      if (size % 2)
        known = (known_key){.segments = {{begins[i], size}}, .count = 1};
      known_make(&keys, &known);
      expect_known(&keys, &known);
    }
  }
  munmap(pages - PAGE, (size_t)4 * PAGE);
}

/* Nor of the keys, whose texts are fetched before their turn. */
CASE(nothing_behind_the_keys_is_read)
{
  enum { PAGE = 4096 };
  unsigned char *page = guarded(1, PAGE);
  both_keys keys;
  static known_key known[BATCH];
  keys_from_seed(5, &keys);
  mlbf_span *spans = (mlbf_span *)(void *)(page + PAGE) - BATCH;
  mlbf_key *of = (mlbf_key *)(void *)spans - BATCH;
  for (size_t i = 0; i < BATCH; i++) {
    known[i] = (known_key){.segments = {{"some text", i % 9}}, .count = 1};
    known_make(&keys, &known[i]);
    spans[i] = known[i].segments[0];
    of[i] = (mlbf_key){&spans[i], 1};
  }
  mlbf_key *last = (mlbf_key *)(void *)(page + PAGE) - 1;
  for (const mlbf_hash_path *const *path = mlbf_hash_paths; *path; path++) {
    if (!(*path)->cpu.is_usable())
      continue;
    expect_batch(*path, &keys, known, of, BATCH, SIZE_MAX);
  }
  *last = (mlbf_key){known[1].segments, 1};
  for (const mlbf_hash_path *const *path = mlbf_hash_paths; *path; path++) {
    mlbf_hash128 whole;
    if ((*path)->cpu.is_usable())
      (*path)->hash(&keys.fast, last, 1, 0, 0, 0, &(mlbf_hashes){.keys = &whole});
  }
  munmap(page - PAGE, (size_t)3 * PAGE);
}

/* A span without bytes may point nowhere. */
CASE(an_empty_segment_may_be_null)
{
  both_keys keys;
  keys_from_seed(6, &keys);
  known_key known = {.segments = {{NULL, 0}, {"a", 1}, {NULL, 0}}, .count = 3};
  known_make(&keys, &known);
  expect_known(&keys, &known);
  known.count = 1;
  known_make(&keys, &known);
  expect_known(&keys, &known);
}

static const mlbf_hash_path *path_with(const char *limit)
{
  static const uint8_t secret[MLBF_SECRET_BYTES];
  mlbf_hash_keys keys;
  if (limit)
    assert_int_equal(setenv("STRATA_CPU", limit, 1), 0);
  else
    assert_int_equal(unsetenv("STRATA_CPU"), 0);
  mlbf_hash_keys_make(secret, &keys);
  return keys.path;
}

CASE(the_environment_limits_the_path)
{
  const char *given = getenv("STRATA_CPU");
  char *before = given ? strdup(given) : NULL;
  assert_ptr_equal(path_with("portable"), &mlbf_hash_portable);
  const mlbf_hash_path *best = path_with(NULL), *limited = path_with("avx2"), *other = path_with("another");
  if (before)
    setenv("STRATA_CPU", before, 1);
  else
    unsetenv("STRATA_CPU");
  free(before);
  assert_ptr_equal(best, other);
#ifdef __x86_64__
  bool has_aesni = mlbf_hash_aesni.cpu.is_usable(), has_vaes = mlbf_hash_vaes.cpu.is_usable();
  assert_ptr_equal(limited, has_aesni ? &mlbf_hash_aesni : &mlbf_hash_portable);
  assert_ptr_equal(best, has_vaes ? &mlbf_hash_vaes : limited);
#else
  assert_ptr_equal(best, &mlbf_hash_portable);
  assert_ptr_equal(limited, &mlbf_hash_portable);
#endif
}

/* ---- what must agree ---------------------------------------------------------------------------------------- */

CASE(cutting_does_not_change_a_hash_of_bytes)
{
  const char *text = "http://example.org/some/where?and=a&query=of&some=length";
  size_t size = strlen(text);
  both_keys keys;
  keys_from_seed(5, &keys);
  mlbf_hash128 expected = mlbf_hash_text(&keys.fast, (mlbf_span){text, size}), made;
  mlbf_hashes hashes = {.keys = &made};
  char *copy = strdup(text);
  for (size_t cut = 0; cut <= size; cut++) {
    mlbf_span adjacent[] = {{text, cut}, {text + cut, size - cut}};
    mlbf_span apart[] = {{copy, cut}, {text + cut, size - cut}};
    keys.fast.path->hash(&keys.fast, &(mlbf_key){adjacent, 2}, 1, 0, 0, 0, &hashes);
    assert_true(equal(made, expected));
    keys.fast.path->hash(&keys.fast, &(mlbf_key){apart, 2}, 1, 0, 0, 0, &hashes);
    assert_true(equal(made, expected));
  }
  free(copy);
}

/* ---- secrets ------------------------------------------------------------------------------------------------ */

CASE(a_seed_gives_one_secret)
{
  enum { SEEDS = 100 };
  static uint8_t secrets[SEEDS][MLBF_SECRET_BYTES];
  uint8_t drawn[2][MLBF_SECRET_BYTES];
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    uint8_t key[32] = "strata: a secret from a seed", again[MLBF_SECRET_BYTES];
    for (int i = 0; i < 8; i++)
      key[24 + i] ^= (uint8_t)(seed * 0x0101010101010101u >> 8 * i);
    mlbf_secret_from_seed(seed * 0x0101010101010101u, secrets[seed]);
    mlbf_secret_from_seed(seed * 0x0101010101010101u, again);
    assert_memory_equal(secrets[seed], again, sizeof again);
    slow_block halves[2] = {slow_aes256(key, (slow_block){{0}}), slow_aes256(key, (slow_block){{1}})};
    assert_memory_equal(secrets[seed], halves, sizeof halves);
    for (uint64_t other = 0; other < seed; other++)
      assert_memory_not_equal(secrets[seed], secrets[other], 8);
  }
  for (int i = 0; i < 2; i++)
    assert_int_equal(mlbf_secret_draw(drawn[i]), MLBF_OK);
  assert_memory_not_equal(drawn[0], drawn[1], 8);
}

CASE(the_check_value_is_counter_0)
{
  both_keys keys;
  uint8_t secret[MLBF_SECRET_BYTES];
  keys_from_seed(7, &keys);
  mlbf_secret_from_seed(7, secret);
  assert_memory_equal(&keys.fast.check.low, slow_aes256(secret, (slow_block){{0}}).bytes, 8);
}

#define DIGITS "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eFf"
#define RAW "0123456789abcdefghijklmnopqrst\n\xff"

/* From a file that holds these bytes. */
static mlbf_status read_from(const char *directory, const char *bytes, size_t size, uint8_t *secret)
{
  char path[SCRATCH_PATH];
  scratch_join(directory, "secret", path);
  scratch_write(path, bytes, size);
  return mlbf_secret_read(path, secret);
}

CASE(a_secret_is_read_or_refused)
{
  static const struct {
    const char *bytes;
    size_t size;
    bool is_refused;
  } rows[] = {
    {RAW, 32, false},
    {DIGITS, 64, false},
    {DIGITS "\n", 65, false},
    {DIGITS "\r\n", 66, false},
    {"", 0, true},
    {RAW, 31, true},
    {RAW "0", 33, true},
    {DIGITS, 63, true},
    {DIGITS "0", 65, true},
    {DIGITS " ", 65, true},
    {" " DIGITS, 65, true},
    {DIGITS "\n\n\n", 67, true},
    {DIGITS "\0", 65, true},
    {DIGITS "00", 66, true},
    {RAW RAW, 64, true},
    {"0x" DIGITS, 64, true},
    {"g" DIGITS, 64, true},
    {"\xff" DIGITS, 64, true},
    {"\0" DIGITS, 64, true},
    {DIGITS DIGITS, 128, true},
    {DIGITS "\n" DIGITS, 129, true},
    {DIGITS "\n\n\nand more", 75, true},
    {DIGITS "\n\n", 66, true},
    {DIGITS "\r", 65, true},
  };
  char directory[SCRATCH_PATH], missing[SCRATCH_PATH];
  scratch_make(directory);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint8_t secret[MLBF_SECRET_BYTES], expected[MLBF_SECRET_BYTES];
    memset(secret, 0x55, sizeof secret);
    memset(expected, 0x55, sizeof expected);
    mlbf_status status = read_from(directory, rows[i].bytes, rows[i].size, secret);
    if (status != (rows[i].is_refused ? MLBF_BAD_ARGUMENT : MLBF_OK))
      fail_msg("row %zu: %s", i, mlbf_status_text(status));
    if (!rows[i].is_refused && rows[i].size == 32)
      memcpy(expected, RAW, 32);
    else if (!rows[i].is_refused)
      from_digits(DIGITS, expected);
    assert_memory_equal(secret, expected, sizeof secret);
  }
  uint8_t secret[MLBF_SECRET_BYTES];
  scratch_join(directory, "missing", missing);
  assert_int_equal(mlbf_secret_read(missing, secret), MLBF_IO);
  assert_int_equal(mlbf_secret_read(directory, secret), MLBF_IO);
  scratch_remove(directory);
}

static int prepare(void **state)
{
  (void)state;
  dice_begin(1);
  return 0;
}

EACH_CASE(prepare, NULL)
