/* Bit arrays: where a key's bits are, how full an array is.
 *
 * Always: an array's words lie in a body that its filter owns, from the start of a cache line on; bits behind its last
 * are never set. Called by the filter's core and its paths. */
#include "mlbf/filter/array.h"

#include <assert.h>

enum { LINE_BYTES = 64, FILL_SAMPLE_WORDS = 1 << 16, FILL_RUNS = 512 };

static uint64_t array_bytes(const mlbf_array_plan *array)
{
  return (array->bits + MLBF_LINE_BITS - 1) / MLBF_LINE_BITS * LINE_BYTES;
}

mlbf_array mlbf_array_over(const mlbf_array_plan *plan, uint64_t *words, const mlbf_line_path *path)
{
  uint64_t lines = plan->bits / MLBF_LINE_BITS, pages = mlbf_layout_pages(lines);
  mlbf_array made = {.words = words, .bits = plan->bits, .hashes = plan->hashes, .layout = plan->layout, .path = path};
  assert(mlbf_layout_fits(plan));
  made.places = plan->layout == MLBF_LAYOUT_CLASSIC ? plan->bits : lines;
  if (plan->layout == MLBF_LAYOUT_TWO_LINES)
    made.places = pages;
  made.page_lines = plan->layout == MLBF_LAYOUT_TWO_LINES ? (uint32_t)(lines / pages) : 1;
  return made;
}

uint64_t mlbf_body_offset(const mlbf_plan *plan, uint32_t i)
{
  uint64_t offset = 0;
  assert(i <= plan->array_count && plan->array_count <= MLBF_ARRAYS_MAX);
  for (uint32_t before = 0; before < i; before++)
    offset += array_bytes(&plan->arrays[before]);
  return offset;
}

uint64_t mlbf_body_bytes(const mlbf_plan *plan)
{
  return mlbf_body_offset(plan, plan->array_count);
}

static uint64_t popcount_words(const uint64_t *words, uint64_t count, uint64_t stride)
{
  uint64_t set = 0;
  for (uint64_t i = 0; i < count; i++)
    set += (uint64_t)__builtin_popcountll(words[i * stride]);
  return set;
}

uint64_t mlbf_array_popcount(const mlbf_array *array)
{
  return popcount_words(array->words, (array->bits + 63) / 64, 1);
}

double mlbf_array_fill(const mlbf_array *array)
{
  uint64_t words = (array->bits + 63) / 64;
  assert(words);
  if (words <= FILL_SAMPLE_WORDS)
    return (double)popcount_words(array->words, words, 1) / (double)array->bits;
  if (array->is_mapped) {
    uint64_t set = 0, run = FILL_SAMPLE_WORDS / FILL_RUNS;
    for (uint64_t i = 0; i < FILL_RUNS; i++)
      set += popcount_words(array->words + i * (words / FILL_RUNS), run, 1);
    return (double)set / (64.0 * FILL_SAMPLE_WORDS);
  }
  uint64_t stride = words / FILL_SAMPLE_WORDS;
  return (double)popcount_words(array->words, FILL_SAMPLE_WORDS, stride) / (64.0 * FILL_SAMPLE_WORDS);
}

double mlbf_array_keys(const mlbf_array *array)
{
  return mlbf_layout_keys(array->layout, array->hashes, (double)array->bits, mlbf_array_fill(array));
}

/* A multiplicative congruential step with the key's own increment. Plain double hashing (a + i b) needs
 * no multiplication but gives keys whose b is near a simple fraction few distinct bits. */
static uint64_t next_place(uint64_t place, uint64_t increment)
{
  return place * 0xd1342543de82ef95u + increment; /* the multiplier of Steele and Vigna's best 64-bit LCG */
}

bool mlbf_classic_test(const mlbf_array *array, mlbf_hash128 hash)
{
  uint64_t place = hash.low, increment = hash.high | 1;
  assert(array->bits && array->hashes);
  for (uint32_t i = 0; i < array->hashes; i++, place = next_place(place, increment))
    if (!mlbf_bit_test(array, mlbf_scale(place, array->bits)))
      return false;
  return true;
}

bool mlbf_classic_insert(mlbf_array *array, mlbf_hash128 hash)
{
  uint64_t place = hash.low, increment = hash.high | 1;
  bool was_new = false;
  assert(array->bits && array->hashes);
  for (uint32_t i = 0; i < array->hashes; i++, place = next_place(place, increment))
    was_new |= mlbf_bit_set(array, mlbf_scale(place, array->bits));
  return was_new;
}

void mlbf_classic_insert_within(mlbf_array *array, mlbf_hash128 hash, uint64_t first, uint64_t count)
{
  uint64_t place = hash.low, increment = hash.high | 1;
  for (uint32_t i = 0; i < array->hashes; i++, place = next_place(place, increment)) {
    uint64_t bit = mlbf_scale(place, array->bits);
    if (bit - first < count)
      mlbf_bit_set(array, bit);
  }
}

void mlbf_classic_prefetch(const mlbf_array *array, mlbf_hash128 hash)
{
  uint64_t place = hash.low, increment = hash.high | 1;
  for (uint32_t i = 0; i < array->hashes; i++, place = next_place(place, increment))
    mlbf_fetch(&array->words[mlbf_scale(place, array->bits) / 64]);
}
