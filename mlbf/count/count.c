/* Counting filters: made, added to, asked. count.h draws the cells.
 *
 * Always (assert_count): a cell and its entry in the overflow table together hold a count of at most `limit`, and the
 * cell is flagged if and only if there is an entry. So a key's count, the least of its cells, is never too low until it
 * has reached the limit. An addition reserves what it may need before it changes a cell: it is made as a whole, or
 * refused.
 *
 * Called where a crawl counts links (frontier/links/inlinks.c) and what lies below a directory (fanout.c), and by the
 * paper's experiment. Memory alone: count_file.c saves it. */
#include "mlbf/count/count_inside.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "mlbf/filter/rate.h"
#include "mlbf/filter/options_size.h"

enum { BASE_BITS_MOST = 15, FILL_SAMPLE = 1 << 16 };

static const uint64_t cells_most = UINT64_C(1) << 44;

/* ---- creation ------------------------------------------------------------------------------------------ */

uint64_t count_body_bytes(const mlbf_block_file *file)
{
  const uint64_t *n = file->numbers;
  double rate = mlbf_number_double(n[RATE]);
  bool is_sound = n[KEYS] > 0 && n[CELLS] > 0 && n[CELLS] <= cells_most && n[HASHES] > 0 &&
                  n[HASHES] <= MLBF_HASHES_MAX && n[BASE_BITS] > 0 && n[BASE_BITS] <= BASE_BITS_MOST &&
                  n[LIMIT] <= MLBF_COUNT_LIMIT_MOST && n[LIMIT] + 1 >= UINT64_C(1) << n[BASE_BITS] &&
                  n[FLAGS] <= (COUNT_MINIMAL | COUNT_DELTA) && rate > 0 && rate <= 1 && n[OVERFLOWS] <= n[CELLS];
  for (int i = NUMBERS; i < MLBF_NUMBERS; i++)
    is_sound = is_sound && n[i] == 0;
  if (!is_sound)
    return 0;
  uint64_t cells = mlbf_cells_bytes(n[CELLS], (uint32_t)n[BASE_BITS] + 1);
  return cells + count_chunk_bytes(n[CELLS]) + n[OVERFLOWS] * sizeof(uint32_t);
}

mlbf_status count_wrap(mlbf_block_file *file, mlbf_count **count)
{
  mlbf_count *made = calloc(1, sizeof *made);
  if (!made || !mlbf_overflow_make(&made->overflow, file->numbers[CELLS])) {
    free(made);
    mlbf_block_file_drop(file);
    return MLBF_NO_MEMORY;
  }
  made->file = *file;
  made->base_bits = (uint32_t)file->numbers[BASE_BITS];
  made->cells = (mlbf_cells){file->body, file->numbers[CELLS], made->base_bits + 1};
  assert_count(made);
  *count = made;
  return MLBF_OK;
}

mlbf_status count_make(const uint64_t *numbers, const mlbf_keying *keying, const char *profile, mlbf_count **count)
{
  mlbf_block_file plan = {.kind = MLBF_FILE_COUNT}, file;
  memcpy(plan.numbers, numbers, sizeof plan.numbers);
  plan.numbers[ADDITIONS] = plan.numbers[OVERFLOWS] = 0;
  if (count_body_bytes(&plan) == 0)
    return MLBF_BAD_ARGUMENT;
  uint64_t cells = mlbf_cells_bytes(numbers[CELLS], (uint32_t)numbers[BASE_BITS] + 1);
  mlbf_status status = mlbf_block_file_make(plan.kind, keying, profile, cells, &file);
  if (status != MLBF_OK)
    return status;
  memcpy(file.numbers, plan.numbers, sizeof file.numbers);
  return count_wrap(&file, count);
}

/* m and k as of a classic filter of this rate: a count is wrong if all its cells have another key's too. */
static bool size_cells(const mlbf_count_options *options, uint64_t *cells, uint32_t *hashes)
{
  double cells_a_key;
  bool has_rate = options->rate > 0 && options->rate < 1;
  if (options->keys == 0 || options->hashes > MLBF_HASHES_MAX || has_rate == (options->cells > 0))
    return false;
  *hashes = options->hashes;
  *cells = options->cells;
  if (*hashes == 0)
    *hashes = has_rate ? mlbf_layout_best_hashes(MLBF_LAYOUT_CLASSIC, options->rate, &cells_a_key)
                       : (uint32_t)fmin(fmax(round((double)options->cells / (double)options->keys * M_LN2), 1),
                                        MLBF_HASHES_MAX);
  if (!has_rate)
    return true;
  double exact = mlbf_layout_bits_per_key(MLBF_LAYOUT_CLASSIC, *hashes, options->rate) * (double)options->keys;
  *cells = exact < (double)cells_most ? (uint64_t)ceil(exact) : 0;
  return *cells > 0;
}

mlbf_count_options mlbf_count_options_default(void)
{
  return (mlbf_count_options)MLBF_COUNT_OPTIONS_DEFAULT;
}

mlbf_status mlbf_count_create(const mlbf_count_options *given, mlbf_count **count)
{
  mlbf_count_options known;
  const mlbf_count_options *options = &known;
  uint64_t cells;
  uint32_t hashes;
  if (!mlbf_sized_read(&known, sizeof known, given) || !size_cells(options, &cells, &hashes))
    return MLBF_BAD_ARGUMENT;
  double rate = mlbf_layout_rate(MLBF_LAYOUT_CLASSIC, hashes, (double)cells, (double)options->keys);
  uint64_t numbers[MLBF_NUMBERS] = {
    [KEYS] = options->keys,
    [CELLS] = cells,
    [HASHES] = hashes,
    [BASE_BITS] = options->base_bits,
    [LIMIT] = options->limit,
    [FLAGS] = options->minimal ? COUNT_MINIMAL : 0,
    [RATE] = mlbf_double_number(rate),
  };
  mlbf_keying keying;
  mlbf_status status = mlbf_keying_make(options->secret, options->seed, &keying);
  return status == MLBF_OK ? count_make(numbers, &keying, options->profile, count) : status;
}

void mlbf_count_free(mlbf_count *count)
{
  if (!count)
    return;
  mlbf_overflow_drop(&count->overflow);
  mlbf_block_file_drop(&count->file);
  free(count);
}

/* ---- use ----------------------------------------------------------------------------------------------- */

/* H2: each place once. */
static uint32_t without_equal(const uint64_t *places, uint32_t number, uint64_t cells[MLBF_HASHES_MAX])
{
  uint32_t kept = 0;
  assert(number <= MLBF_HASHES_MAX);
  for (uint32_t i = 0; i < number; i++) {
    uint32_t at = 0;
    while (at < kept && cells[at] != places[i])
      at++;
    cells[at] = places[i];
    kept += at == kept;
  }
  return kept;
}

/* What a key's cells hold. */
typedef struct cell_values {
  uint32_t value[MLBF_HASHES_MAX], least, most;
} cell_values;

static void read_cells(const mlbf_count *count, const uint64_t *cells, uint32_t number, cell_values *held)
{
  held->least = UINT32_MAX;
  held->most = 0;
  for (uint32_t i = 0; i < number; i++) {
    uint32_t value = held->value[i] = count_get_cell(count, cells[i]);
    held->least = value < held->least ? value : held->least;
    held->most = value > held->most ? value : held->most;
  }
}

static bool reserve_all(mlbf_count *count, const uint64_t *cells, uint32_t number)
{
  for (uint32_t i = 0; i < number; i++)
    if (!mlbf_overflow_reserve(&count->overflow, cells[i], number))
      return false;
  return true;
}

mlbf_status mlbf_count_add_at(mlbf_count *count, const uint64_t *places, uint32_t number, uint32_t times, uint32_t *now)
{
  cell_values held;
  uint64_t cells[MLBF_HASHES_MAX];
  assert_count(count);
  assert(number >= 1 && number <= MLBF_HASHES_MAX);
  uint32_t kept = without_equal(places, number, cells);
  read_cells(count, cells, kept, &held);
  uint32_t raised = count_saturated(count, (uint64_t)held.least + times);
  uint32_t highest = count_is_minimal(count) ? raised : count_saturated(count, (uint64_t)held.most + times);
  if (highest >> count->base_bits && !reserve_all(count, cells, kept))
    return MLBF_NO_MEMORY;
  for (uint32_t i = 0; i < kept; i++) {
    uint32_t value = count_is_minimal(count) ? raised : count_saturated(count, (uint64_t)held.value[i] + times);
    if (value > held.value[i])
      count_set_cell(count, cells[i], value);
  }
  assert_count(count);
  assert(mlbf_count_get_at(count, cells, kept) == raised);
  count->file.numbers[ADDITIONS] += times;
  *now = raised;
  return MLBF_OK;
}

uint32_t mlbf_count_get_at(const mlbf_count *count, const uint64_t *places, uint32_t number)
{
  cell_values held;
  assert_count(count);
  assert(number >= 1 && number <= MLBF_HASHES_MAX);
  read_cells(count, places, number, &held);
  return held.least;
}

static uint32_t places_of(const mlbf_count *count, mlbf_span key, uint64_t places[MLBF_HASHES_MAX])
{
  uint32_t hashes = (uint32_t)count->file.numbers[HASHES];
  mlbf_places(mlbf_hash_text(&count->file.keying.keys, key), count->cells.count, hashes, places);
  for (uint32_t i = 0; i < hashes; i++)
    __builtin_prefetch(count->cells.bytes + places[i] * count->cells.bits / 8, 1);
  return hashes;
}

mlbf_status mlbf_count_add(mlbf_count *count, mlbf_span key, uint32_t times, uint32_t *now)
{
  uint64_t places[MLBF_HASHES_MAX];
  uint32_t hashes = places_of(count, key, places);
  return mlbf_count_add_at(count, places, hashes, times, now);
}

uint32_t mlbf_count_get(const mlbf_count *count, mlbf_span key)
{
  uint64_t places[MLBF_HASHES_MAX];
  uint32_t hashes = places_of(count, key, places);
  return mlbf_count_get_at(count, places, hashes);
}

/* ---- statistics ---------------------------------------------------------------------------------------- */

static double fill_of(const mlbf_count *count)
{
  uint64_t cells = count->cells.count, sample = cells < FILL_SAMPLE ? cells : FILL_SAMPLE, filled = 0;
  for (uint64_t i = 0; i < sample; i++) {
    uint64_t cell = (uint64_t)((mlbf_product)cells * i / sample);
    filled += mlbf_cells_get(&count->cells, cell) > 0;
  }
  return (double)filled / (double)sample;
}

static uint64_t table_bits(const mlbf_count *count)
{
  return 8 * (count_chunk_bytes(count->cells.count) + count->overflow.entries * sizeof(uint32_t));
}

void mlbf_count_secret(const mlbf_count *count, uint8_t secret[MLBF_SECRET_BYTES])
{
  memcpy(secret, count->file.keying.secret, MLBF_SECRET_BYTES);
}

void mlbf_count_stats_read(const mlbf_count *count, mlbf_count_stats *stats)
{
  const uint64_t *n = count->file.numbers;
  uint32_t limit_bits = 32 - (uint32_t)__builtin_clz((uint32_t)n[LIMIT]);
  double fill = fill_of(count);
  *stats = (mlbf_count_stats){
    .keys = n[KEYS],
    .additions = n[ADDITIONS],
    .cells = n[CELLS],
    .hashes = (uint32_t)n[HASHES],
    .base_bits = count->base_bits,
    .limit = (uint32_t)n[LIMIT],
    .minimal = count_is_minimal(count),
    .overflows = count->overflow.entries,
    .bits = n[CELLS] * (count->base_bits + 1) + table_bits(count),
    .plain_bits = n[CELLS] * limit_bits,
    .fill = fill,
    .memory_bytes = count->file.body_bytes + count->overflow.chunk_count * sizeof(mlbf_chunk),
    .estimated_keys = mlbf_layout_keys(MLBF_LAYOUT_CLASSIC, (uint32_t)n[HASHES], (double)n[CELLS], fill),
    .rate = pow(fill, (double)n[HASHES]),
    .seed = count->file.keying.seed,
    .profile = count->file.profile,
  };
  for (uint64_t i = 0; i < count->overflow.chunk_count; i++)
    stats->memory_bytes += count->overflow.chunks[i].room * sizeof(uint32_t);
}
