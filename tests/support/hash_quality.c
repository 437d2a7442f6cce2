#include "tests/support/one_key.h"
#include "tests/support/hash_quality.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/site/random.h"

enum { TEXT_MOST = 8192, SEGMENTS = 5 };

static void *need(size_t bytes)
{
  void *memory = calloc(bytes, 1);
  if (!memory) {
    fputs("out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

/* By bits, as a plan by rate takes a millisecond, and rounds may have secrets of their own. */
hash_filters hash_filters_make(uint64_t seed)
{
  hash_filters made = {NULL, NULL};
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_BLOOM, .keys = 100, .rate = 0.5, .seed = seed};
  mlbf_status status = mlbf_create(&options, &made.plain);
  options = (mlbf_options){
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = 100, .bits = 1 << 18, .seed = seed};
  if (status != MLBF_OK || mlbf_create(&options, &made.layered) != MLBF_OK)
    abort();
  return made;
}

void hash_filters_free(hash_filters filters)
{
  mlbf_free(filters.plain);
  mlbf_free(filters.layered);
}

static double worse(double a, double b)
{
  return fabs(a) > fabs(b) ? a : b;
}

static uint64_t half_of(mlbf_hash128 value, unsigned bit)
{
  if (bit == 0)
    return value.low;
  if (bit >= 64)
    return value.high >> (bit - 64);
  return value.low >> bit | value.high << (64 - bit);
}

static mlbf_hash128 both(mlbf_hash128 a, mlbf_hash128 b)
{
  return (mlbf_hash128){a.low ^ b.low, a.high ^ b.high};
}

/* ---- values that should be random --------------------------------------------------------------------------- */

void hash_sort(uint64_t *values, uint64_t count)
{
  uint64_t *from = values, *to = need((count + 1) * sizeof *to), *other = to;
  for (unsigned shift = 0; shift < 64; shift += 8) { /* eight passes: the last leaves them where they came from */
    uint64_t begin[256] = {0}, at = 0;
    for (uint64_t i = 0; i < count; i++)
      begin[from[i] >> shift & 255]++;
    for (int digit = 0; digit < 256; digit++) {
      uint64_t size = begin[digit];
      begin[digit] = at;
      at += size;
    }
    for (uint64_t i = 0; i < count; i++)
      to[begin[from[i] >> shift & 255]++] = from[i];
    uint64_t *swap = from;
    from = to;
    to = swap;
  }
  free(other);
}

/* Wilson and Hilferty: a chi-square as a deviation of the normal distribution. */
static double deviation_of(double chi_square, double freedom)
{
  double spread = 2 / (9 * freedom);
  return (cbrt(chi_square / freedom) - (1 - spread)) / sqrt(spread);
}

static double chi_square_of(const uint32_t *cells, uint64_t count, uint64_t values)
{
  double expected = (double)values / (double)count, sum = 0;
  for (uint64_t i = 0; i < count; i++)
    sum += ((double)cells[i] - expected) * ((double)cells[i] - expected) / expected;
  return deviation_of(sum, (double)count - 1);
}

enum { LINES = 1000, PLACES = 512 };

/* `x` as a share of 2^64, of LINES. */
static uint64_t scaled(uint64_t x)
{
  return ((x >> 32) * LINES + ((x & UINT32_MAX) * LINES >> 32)) >> 32;
}

/* As mlbf's lines divide a value: a line from its low half, a place from its high half; and both crossed. */
static uint64_t cell_of_line(mlbf_hash128 value)
{
  return scaled(value.low) * (PLACES / 8) + (((value.high >> 32) * 0x9e3779b9) & UINT32_MAX) / (1u << 26);
}

static uint64_t cell_of_other_line(mlbf_hash128 value)
{
  return scaled(value.low << 32 | value.low >> 32) * (PLACES / 8) + (value.high & 63);
}

typedef uint64_t cell_of(mlbf_hash128 value);

static double chi_square_by(const mlbf_hash128 *values, uint64_t count, uint64_t cells, cell_of *cell)
{
  if (count < 5 * cells)
    return 0;
  uint32_t *in = need(cells * sizeof *in);
  for (uint64_t i = 0; i < count; i++)
    in[cell(values[i])]++;
  double deviation = chi_square_of(in, cells, count);
  free(in);
  return deviation;
}

static double chi_square_at(const mlbf_hash128 *values, uint64_t count, unsigned bit, unsigned bits)
{
  uint64_t cells = UINT64_C(1) << bits;
  if (count < 5 * cells || bit + bits > 128)
    return 0;
  uint32_t *in = need(cells * sizeof *in);
  for (uint64_t i = 0; i < count; i++)
    in[half_of(values[i], bit) & (cells - 1)]++;
  double deviation = chi_square_of(in, cells, count);
  free(in);
  return deviation;
}

/* Pairs of equal neighbours among sorted ones; of c equal ones c (c - 1) / 2. */
static uint64_t equal_pairs(const uint64_t *sorted, uint64_t count)
{
  uint64_t pairs = 0, run = 0;
  for (uint64_t i = 1; i < count; i++) {
    run = sorted[i] == sorted[i - 1] ? run + 1 : 0;
    pairs += run;
  }
  return pairs;
}

static double pairs_at(const mlbf_hash128 *values, uint64_t count, unsigned bit, uint64_t *scratch)
{
  for (uint64_t i = 0; i < count; i++)
    scratch[i] = half_of(values[i], bit) & UINT32_MAX;
  hash_sort(scratch, count);
  double expected = (double)count * ((double)count - 1) / 2 / 0x1p32;
  return ((double)equal_pairs(scratch, count) - expected) / sqrt(expected + 1);
}

static int compare_values(const void *a, const void *b)
{
  const mlbf_hash128 *x = a, *y = b;
  if (x->low != y->low)
    return x->low < y->low ? -1 : 1;
  return (x->high > y->high) - (x->high < y->high);
}

hash_verdict hash_judge(mlbf_hash128 *values, uint64_t count)
{
  hash_verdict verdict = {.values = count};
  uint64_t *scratch = need((count + 1) * sizeof *scratch);
  for (unsigned bit = 0; bit < 128; bit += 32)
    verdict.pairs = worse(verdict.pairs, pairs_at(values, count, bit, scratch));
  free(scratch);
  for (unsigned bit = 0; bit < 128; bit += 8) {
    verdict.chi_square = worse(verdict.chi_square, chi_square_at(values, count, bit, 8));
    verdict.chi_square = worse(verdict.chi_square, chi_square_at(values, count, bit, 16));
  }
  uint64_t cells = (uint64_t)LINES * (PLACES / 8);
  verdict.chi_square = worse(verdict.chi_square, chi_square_by(values, count, cells, cell_of_line));
  verdict.chi_square = worse(verdict.chi_square, chi_square_by(values, count, cells, cell_of_other_line));
  qsort(values, count, sizeof *values, compare_values);
  for (uint64_t i = 1; i < count; i++)
    verdict.equal += compare_values(&values[i - 1], &values[i]) == 0;
  return verdict;
}

/* ---- one bit in, every bit out --------------------------------------------------------------------------------- */

static void fill(uint8_t *text, size_t size, uint64_t *state)
{
  for (size_t i = 0; i < size; i++)
    text[i] = (uint8_t)random_next(state);
}

static mlbf_hash128 hash_text(const hash_filters *filters, const uint8_t *text, size_t size)
{
  one_key hashes;
  one_key_hash(filters->plain, &(mlbf_span){text, size}, 1, &hashes);
  return hashes.whole;
}

static void count_bits(mlbf_hash128 difference, uint32_t counts[128])
{
  for (unsigned bit = 0; bit < 64; bit++) {
    counts[bit] += difference.low >> bit & 1;
    counts[64 + bit] += difference.high >> bit & 1;
  }
}

static double worst_of(const uint32_t *counts, size_t size, unsigned rounds)
{
  double worst = 0;
  for (size_t i = 0; i < size; i++)
    worst = worse(worst, (counts[i] - rounds / 2.0) / (sqrt(rounds) / 2));
  return worst;
}

/* For texts of which there are too few for one secret. */
static bool needs_others(size_t length)
{
  return length < 4;
}

double hash_avalanche(const hash_filters *given, size_t length, unsigned rounds)
{
  uint32_t(*counts)[128] = need(8 * length * sizeof *counts);
  uint8_t text[TEXT_MOST];
  uint64_t state = length;
  for (unsigned round = 0; round < rounds; round++) {
    hash_filters filters = needs_others(length) ? hash_filters_make(length << 32 | round) : *given;
    fill(text, length, &state);
    mlbf_hash128 before = hash_text(&filters, text, length);
    for (size_t bit = 0; bit < 8 * length; bit++) {
      text[bit / 8] ^= (uint8_t)(1 << bit % 8);
      count_bits(both(before, hash_text(&filters, text, length)), counts[bit]);
      text[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    if (needs_others(length))
      hash_filters_free(filters);
  }
  double worst = worst_of(counts[0], 8 * length * 128, rounds);
  free(counts);
  return worst;
}

double hash_avalanche_segments(const hash_filters *given, size_t length, unsigned rounds)
{
  size_t bits = 8 * length * SEGMENTS;
  uint32_t(*whole)[128] = need(bits * sizeof *whole), (*layer)[128] = need(bits * sizeof *layer);
  uint8_t text[TEXT_MOST] = {0};
  uint64_t state = length;
  mlbf_span segments[SEGMENTS];
  double worst = 0;
  for (size_t i = 0; i < SEGMENTS; i++)
    segments[i] = (mlbf_span){text + i * length, length};
  for (unsigned round = 0; round < rounds; round++) {
    hash_filters filters = needs_others(length) ? hash_filters_make(length << 32 | round) : *given;
    one_key before, after;
    fill(text, length * SEGMENTS, &state);
    one_key_hash(filters.layered, segments, SEGMENTS, &before);
    for (size_t bit = 0; bit < bits; bit++) {
      text[bit / 8] ^= (uint8_t)(1 << bit % 8);
      one_key_hash(filters.layered, segments, SEGMENTS, &after);
      text[bit / 8] ^= (uint8_t)(1 << bit % 8);
      count_bits(both(before.whole, after.whole), whole[bit]);
      for (size_t i = 0; i < SEGMENTS; i++) {
        mlbf_hash128 difference = both(before.layer[i], after.layer[i]);
        if (i == bit / 8 / length)
          count_bits(difference, layer[bit]);
        else if (difference.low | difference.high)
          worst = INFINITY;
      }
    }
    if (needs_others(length))
      hash_filters_free(filters);
  }
  worst = worse(worst, worse(worst_of(whole[0], bits * 128, rounds), worst_of(layer[0], bits * 128, rounds)));
  free(whole);
  free(layer);
  return worst;
}

/* ---- differences ------------------------------------------------------------------------------------------- */

/* One bit, two bits, one byte, two blocks alike, a few random bytes, or all: by turns. */
static void make_difference(unsigned number, uint8_t *difference, size_t length, uint64_t *state)
{
  memset(difference, 0, length);
  size_t at = random_next(state) % length, other = random_next(state) % length;
  uint8_t byte = (uint8_t)(1 << random_next(state) % 8), any = (uint8_t)(1 + random_next(state) % 255);
  switch (number % 6) {
  case 0: difference[at] = byte; break;
  case 1:
    difference[at] = byte;
    difference[other] ^= (uint8_t)(other == at ? any | byte : byte);
    break;
  case 2: difference[at] = any; break;
  case 3:
    for (size_t i = at % 16; i < length; i += 16)
      difference[i] = any;
    break;
  case 4: fill(difference + at, length - at, state); break;
  default: fill(difference, length, state);
  }
  size_t i = 0;
  while (i < length && !difference[i])
    i++;
  if (i == length)
    difference[at] = 1;
}

hash_verdict hash_differential(const hash_filters *filters, unsigned differences, unsigned pairs)
{
  uint64_t count = (uint64_t)differences * pairs, state = 1;
  mlbf_hash128 *values = need(count * sizeof *values);
  for (unsigned i = 0; i < differences; i++) {
    uint8_t text[80], difference[80];
    size_t length = 8 + random_next(&state) % 73; /* in shorter ones texts would repeat */
    make_difference(i, difference, length, &state);
    for (unsigned pair = 0; pair < pairs; pair++) {
      fill(text, length, &state);
      mlbf_hash128 one = hash_text(filters, text, length);
      for (size_t j = 0; j < length; j++)
        text[j] ^= difference[j];
      values[(uint64_t)i * pairs + pair] = both(one, hash_text(filters, text, length));
    }
  }
  hash_verdict verdict = hash_judge(values, count);
  free(values);
  return verdict;
}

hash_verdict hash_quadruples(const hash_filters *filters, uint64_t count)
{
  mlbf_hash128 *values = need(count * sizeof *values);
  uint64_t state = 2;
  for (uint64_t i = 0; i < count; i++) {
    uint8_t text[4][24];
    size_t size = 8 + i % 17, first = i % 3, second = first + 1 + i % 2;
    mlbf_span segments[SEGMENTS] = {{"host", 4}, {"/a", 2}, {"/b", 2}, {"/c", 2}, {"/d", 2}};
    values[i] = (mlbf_hash128){0, 0};
    for (size_t j = 0; j < 4; j++)
      fill(text[j], size, &state);
    for (unsigned which = 0; which < 4; which++) {
      one_key hashes;
      segments[first] = (mlbf_span){text[which & 1], size};
      segments[second] = (mlbf_span){text[2 + (which >> 1)], size};
      one_key_hash(filters->layered, segments, 3 + i % 3, &hashes);
      values[i] = both(values[i], hashes.whole);
    }
  }
  hash_verdict verdict = hash_judge(values, count);
  free(values);
  return verdict;
}

/* ---- keys that are alike ----------------------------------------------------------------------------------- */

static size_t whole_text(const uint8_t *text, size_t size, mlbf_span *segments)
{
  segments[0] = (mlbf_span){text, size};
  return 1;
}

/* All texts of `size` bytes with at most three bits set: 0; a; a > b; a > b > c. */
static size_t sparse(uint64_t number, size_t size, uint8_t *text, mlbf_span *segments)
{
  memset(text, 0, size);
  uint64_t bits = 8 * size;
  if (number > bits + bits * (bits - 1) / 2) {
    number -= 1 + bits + bits * (bits - 1) / 2;
    uint64_t c = 2;
    while ((c + 1) * c * (c - 1) / 6 <= number)
      c++;
    text[c / 8] |= (uint8_t)(1 << c % 8);
    number += 1 + bits - c * (c - 1) * (c - 2) / 6;
  }
  if (number > bits) {
    number -= 1 + bits;
    uint64_t b = 1;
    while ((b + 1) * b / 2 <= number)
      b++;
    text[b / 8] |= (uint8_t)(1 << b % 8);
    number += 1 - b * (b - 1) / 2;
  }
  if (number)
    text[(number - 1) / 8] |= (uint8_t)(1 << (number - 1) % 8);
  return whole_text(text, size, segments);
}

#define SPARSE_COUNT(size) \
  (1 + 8 * (size) + 8 * (size) * (8 * (size)-1) / 2 + 8 * (size) * (8 * (size)-1) * (8 * (size)-2) / 6)
#define SPARSE(size)                                                               \
  static size_t sparse_##size(uint64_t number, uint8_t *text, mlbf_span *segments) \
  {                                                                                \
    return sparse(number, size, text, segments);                                   \
  }
SPARSE(3)
SPARSE(16)
SPARSE(20)
SPARSE(40)
SPARSE(64)

/* A text of 5 to 104 bytes, repeated to 120. */
static size_t cyclic(uint64_t number, uint8_t *text, mlbf_span *segments)
{
  uint64_t state = number;
  size_t period = 5 + number % 100;
  fill(text, period, &state);
  for (size_t i = period; i < 120; i++)
    text[i] = text[i - period];
  return whole_text(text, 120, segments);
}

static size_t counter(uint64_t number, uint8_t *text, mlbf_span *segments)
{
  for (int i = 0; i < 8; i++)
    text[i] = (uint8_t)(number >> 8 * i);
  return whole_text(text, 8, segments);
}

static size_t high_counter(uint64_t number, uint8_t *text, mlbf_span *segments)
{
  memset(text, 0, 96);
  for (int i = 0; i < 8; i++)
    text[16 * (i % 6) + 15 - i] = (uint8_t)(number >> 8 * i);
  return whole_text(text, 96, segments);
}

static size_t page_counter(uint64_t number, uint8_t *text, mlbf_span *segments)
{
  int size = snprintf((char *)text, TEXT_MOST, "/page/%llu", (unsigned long long)number);
  segments[0] = (mlbf_span){"www.example.org", 15};
  segments[1] = (mlbf_span){text, (size_t)size};
  return 2;
}

/* Zeros, a byte 0x80 or 1 at the end of some: what padding must not confuse. */
static size_t zeros(uint64_t number, uint8_t *text, mlbf_span *segments)
{
  static const uint8_t ends[] = {0, 0x80, 1};
  size_t size = number / 3 + (number % 3 != 0);
  memset(text, 0, size + 1);
  if (number % 3)
    text[size - 1] = ends[number % 3];
  return whole_text(text, size, segments);
}

/* One to seven segments of nine, in every order, with repetition. */
static size_t permutation(uint64_t number, uint8_t *text, mlbf_span *segments)
{
  static const mlbf_span words[] = {{"", 0},
                                    {"\0", 1},
                                    {"/", 1},
                                    {"\x80", 1},
                                    {"/a", 2},
                                    {"/b", 2},
                                    {"www.host.com", 12},
                                    {"/sixteen-bytes..", 16},
                                    {"/seventeen-bytes..", 18}};
  size_t count = 1;
  (void)text;
  for (uint64_t size = 9; number >= size; size *= 9, count++)
    number -= size;
  for (size_t i = 0; i < count; i++, number /= 9)
    segments[i] = words[number % 9];
  return count;
}

/* Eight segments, each one of six, of some bytes. */
static size_t recombination(uint64_t number, uint8_t *text, mlbf_span *segments)
{
  static const mlbf_span words[] = {{"/abc", 4},
                                    {"/abd", 4},
                                    {"/abd/", 5},
                                    {"/x", 2},
                                    {"/directory-of-something", 23},
                                    {"/directory-of-somethinh", 23}};
  (void)text;
  for (size_t i = 0; i < 8; i++, number /= 6)
    segments[i] = words[number % 6];
  return 8;
}

const hash_family hash_families[] = {
  {"sparse, 3 bytes", SPARSE_COUNT(3), sparse_3},
  {"sparse, 16 bytes", SPARSE_COUNT(16), sparse_16},
  {"sparse, 20 bytes", SPARSE_COUNT(20), sparse_20},
  {"sparse, 40 bytes", SPARSE_COUNT(40), sparse_40},
  {"sparse, 64 bytes", SPARSE_COUNT(64), sparse_64},
  {"cyclic", UINT64_MAX, cyclic},
  {"counters", UINT64_MAX, counter},
  {"counters, spread", UINT64_MAX, high_counter},
  {"numbered pages", UINT64_MAX, page_counter},
  {"zeros", 3 * 6000, zeros},
  {"permutations", 9 + 81 + 729 + 6561 + 59049 + 531441 + 4782969, permutation},
  {"recombinations", 6 * 6 * 6 * 6 * 6 * 6 * 6 * 6, recombination},
  {NULL, 0, NULL},
};

hash_verdict hash_family_verdict(const hash_filters *filters, const hash_family *family, uint64_t limit,
                                 bool is_layered)
{
  uint64_t count = limit < family->most ? limit : family->most;
  mlbf_hash128 *values = need(count * sizeof *values);
  static uint8_t text[TEXT_MOST];
  for (uint64_t i = 0; i < count; i++) {
    mlbf_span segments[MLBF_LAYERS_MAX];
    one_key hashes;
    size_t size = family->make(i, text, segments);
    one_key_hash(is_layered ? filters->layered : filters->plain, segments, size, &hashes);
    values[i] = hashes.whole;
  }
  hash_verdict verdict = hash_judge(values, count);
  free(values);
  return verdict;
}
