#include "mlbf/count.h"

#include <math.h>
#include <stdlib.h>

#include "mlbf/cells.h"
#include "mlbf/overflow.h"
#include "mlbf/rate.h"
#include "mlbf/table.h"

enum { BASE_BITS_USUAL = 3, BASE_BITS_MOST = 15, FILL_SAMPLE = 1 << 16, FLAG_MINIMAL = 1, FLAG_DELTA = 2 };

static const uint64_t cells_most = UINT64_C(1) << 44;

/* table.numbers */
enum { KEYS, CELLS, HASHES, BASE_BITS, LIMIT, FLAGS, RATE, ADDITIONS, OVERFLOWS, NUMBERS };

struct mlbf_count {
  mlbf_table table;  /* its body: cells | entries a chunk, 2 bytes each | entries */
  mlbf_cells cells;
  mlbf_overflow overflow;
  uint32_t base_bits;
};

static bool is_minimal(const mlbf_count *count)
{
  return count->table.numbers[FLAGS] & FLAG_MINIMAL;
}

/* One cell */

static uint32_t get_cell(const mlbf_count *count, uint64_t cell)
{
  uint32_t raw = (uint32_t)mlbf_cells_get(&count->cells, cell), flag = UINT32_C(1) << count->base_bits;
  if (!(raw & flag))
    return raw;
  return (raw & (flag - 1)) | mlbf_overflow_get(&count->overflow, cell) << count->base_bits;
}

/* After mlbf_overflow_reserve. */
static void set_cell(mlbf_count *count, uint64_t cell, uint32_t value)
{
  uint32_t flag = UINT32_C(1) << count->base_bits, rest = value >> count->base_bits;
  if (rest > 0 || mlbf_cells_get(&count->cells, cell) & flag)
    mlbf_overflow_set(&count->overflow, cell, rest);
  mlbf_cells_set(&count->cells, cell, (value & (flag - 1)) | (rest > 0 ? flag : 0));
}

/* Creation */

static uint64_t counts_bytes(uint64_t cells) /* of the chunks' entry counts in a file */
{
  return (mlbf_overflow_chunks(cells) * sizeof(uint16_t) + 63) / 64 * 64;
}

static uint64_t body_bytes(const mlbf_table *table)
{
  const uint64_t *n = table->numbers;
  double rate = mlbf_table_double(n[RATE]);
  bool is_sound = n[KEYS] > 0 && n[CELLS] > 0 && n[CELLS] <= cells_most && n[HASHES] > 0 &&
                  n[HASHES] <= MLBF_HASHES_MAX && n[BASE_BITS] > 0 && n[BASE_BITS] <= BASE_BITS_MOST &&
                  n[LIMIT] <= MLBF_COUNT_LIMIT_MOST && n[LIMIT] + 1 >= UINT64_C(1) << n[BASE_BITS] &&
                  n[FLAGS] <= (FLAG_MINIMAL | FLAG_DELTA) && rate > 0 && rate <= 1 && n[OVERFLOWS] <= n[CELLS];
  for (int i = NUMBERS; i < MLBF_TABLE_NUMBERS; i++)
    is_sound = is_sound && n[i] == 0;
  if (!is_sound)
    return 0;
  uint64_t cells = mlbf_cells_bytes(n[CELLS], (uint32_t)n[BASE_BITS] + 1);
  return cells + counts_bytes(n[CELLS]) + n[OVERFLOWS] * sizeof(uint32_t);
}

/* Takes the table over, also if there is no memory. */
static mlbf_status wrap(mlbf_table *table, mlbf_count **count)
{
  mlbf_count *made = calloc(1, sizeof *made);
  if (!made || !mlbf_overflow_make(&made->overflow, table->numbers[CELLS])) {
    free(made);
    mlbf_table_drop(table);
    return MLBF_NO_MEMORY;
  }
  made->table = *table;
  made->base_bits = (uint32_t)table->numbers[BASE_BITS];
  made->cells = (mlbf_cells){ table->body, table->numbers[CELLS], made->base_bits + 1, table->guard };
  *count = made;
  return MLBF_OK;
}

/* An empty filter of this geometry. */
static mlbf_status make(const uint64_t *numbers, uint64_t seed, const char *profile, mlbf_count **count)
{
  mlbf_table plan = { .kind = MLBF_TABLE_COUNT }, table;
  memcpy(plan.numbers, numbers, sizeof plan.numbers);
  plan.numbers[ADDITIONS] = plan.numbers[OVERFLOWS] = 0;
  if (body_bytes(&plan) == 0)
    return MLBF_BAD_ARGUMENT;
  uint64_t cells = mlbf_cells_bytes(numbers[CELLS], (uint32_t)numbers[BASE_BITS] + 1);
  mlbf_status status = mlbf_table_make(plan.kind, seed, profile, cells, &table);
  if (status != MLBF_OK)
    return status;
  memcpy(table.numbers, plan.numbers, sizeof table.numbers);
  return wrap(&table, count);
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

mlbf_status mlbf_count_create(const mlbf_count_options *options, mlbf_count **count)
{
  uint64_t cells;
  uint32_t hashes;
  if (!size_cells(options, &cells, &hashes))
    return MLBF_BAD_ARGUMENT;
  double rate = mlbf_layout_rate(MLBF_LAYOUT_CLASSIC, hashes, (double)cells, (double)options->keys);
  uint64_t numbers[MLBF_TABLE_NUMBERS] = {
    [KEYS] = options->keys, [CELLS] = cells, [HASHES] = hashes,
    [BASE_BITS] = options->base_bits ? options->base_bits : BASE_BITS_USUAL,
    [LIMIT] = options->limit ? options->limit : MLBF_COUNT_LIMIT_MOST,
    [FLAGS] = options->minimal ? FLAG_MINIMAL : 0, [RATE] = mlbf_table_number(rate),
  };
  return make(numbers, options->seed, options->profile, count);
}

void mlbf_count_free(mlbf_count *count)
{
  if (!count)
    return;
  mlbf_overflow_drop(&count->overflow);
  mlbf_table_drop(&count->table);
  free(count);
}

/* Use */

/* H2: each place once. */
static uint32_t without_equal(const uint64_t *places, uint32_t number, uint64_t cells[MLBF_HASHES_MAX])
{
  uint32_t kept = 0;
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

static mlbf_status read_cells(const mlbf_count *count, const uint64_t *cells, uint32_t number, cell_values *are)
{
  are->least = UINT32_MAX;
  are->most = 0;
  for (uint32_t i = 0; i < number; i++) {
    if (!mlbf_cells_touch(&count->cells, cells[i]))
      return MLBF_DAMAGED;
    uint32_t value = are->value[i] = get_cell(count, cells[i]);
    are->least = value < are->least ? value : are->least;
    are->most = value > are->most ? value : are->most;
  }
  return MLBF_OK;
}

static bool reserve_all(mlbf_count *count, const uint64_t *cells, uint32_t number)
{
  for (uint32_t i = 0; i < number; i++)
    if (!mlbf_overflow_reserve(&count->overflow, cells[i], number))
      return false;
  return true;
}

static uint32_t saturated(const mlbf_count *count, uint64_t sum)
{
  uint64_t limit = count->table.numbers[LIMIT];
  return (uint32_t)(sum < limit ? sum : limit);
}

mlbf_status mlbf_count_add_at(mlbf_count *count, const uint64_t *places, uint32_t number, uint32_t times,
                              uint32_t *now)
{
  cell_values are;
  uint64_t cells[MLBF_HASHES_MAX];
  uint32_t kept = without_equal(places, number, cells);
  mlbf_status status = read_cells(count, cells, kept, &are);
  if (status != MLBF_OK)
    return status;
  uint32_t raised = saturated(count, (uint64_t)are.least + times);
  uint32_t highest = is_minimal(count) ? raised : saturated(count, (uint64_t)are.most + times);
  if (highest >> count->base_bits && !reserve_all(count, cells, kept))
    return MLBF_NO_MEMORY;
  for (uint32_t i = 0; i < kept; i++) {
    uint32_t value = is_minimal(count) ? raised : saturated(count, (uint64_t)are.value[i] + times);
    if (value > are.value[i])
      set_cell(count, cells[i], value);
  }
  count->table.numbers[ADDITIONS] += times;
  *now = raised;
  return MLBF_OK;
}

mlbf_status mlbf_count_get_at(const mlbf_count *count, const uint64_t *places, uint32_t number, uint32_t *times)
{
  cell_values are;
  mlbf_status status = read_cells(count, places, number, &are);
  if (status == MLBF_OK)
    *times = are.least;
  return status;
}

static uint32_t places_of(const mlbf_count *count, mlbf_span key, uint64_t places[MLBF_HASHES_MAX])
{
  uint32_t hashes = (uint32_t)count->table.numbers[HASHES];
  mlbf_places(mlbf_hash_bytes(&key, 1, count->table.seed), count->cells.count, hashes, places);
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

mlbf_status mlbf_count_get(const mlbf_count *count, mlbf_span key, uint32_t *times)
{
  uint64_t places[MLBF_HASHES_MAX];
  uint32_t hashes = places_of(count, key, places);
  return mlbf_count_get_at(count, places, hashes, times);
}

mlbf_status mlbf_count_remove(mlbf_count *count, mlbf_span key, uint32_t times, uint32_t *now)
{
  cell_values are;
  uint64_t places[MLBF_HASHES_MAX], cells[MLBF_HASHES_MAX];
  if (count->table.numbers[FLAGS])
    return MLBF_BAD_ARGUMENT;
  uint32_t hashes = places_of(count, key, places), kept = without_equal(places, hashes, cells);
  mlbf_status status = read_cells(count, cells, kept, &are);
  if (status != MLBF_OK)
    return status;
  if (are.least < times)
    return MLBF_BAD_ARGUMENT;
  for (uint32_t i = 0; i < kept; i++)
    if (are.value[i] < count->table.numbers[LIMIT]) /* a saturated cell no longer knows what it lost */
      set_cell(count, cells[i], are.value[i] - times);
  return mlbf_count_get_at(count, cells, kept, now);
}

/* Cell by cell */

static mlbf_status check_pair(const mlbf_count *a, const mlbf_count *b)
{
  static const int equal[] = { CELLS, HASHES, BASE_BITS, LIMIT };
  bool is_equal = a->table.seed == b->table.seed && strcmp(a->table.profile, b->table.profile) == 0 &&
                  is_minimal(a) == is_minimal(b);
  for (size_t i = 0; i < sizeof equal / sizeof *equal; i++)
    is_equal = is_equal && a->table.numbers[equal[i]] == b->table.numbers[equal[i]];
  if (!is_equal)
    return MLBF_MISMATCH;
  bool is_whole = (!a->table.guard || mlbf_guard_check_all(a->table.guard)) &&
                  (!b->table.guard || mlbf_guard_check_all(b->table.guard));
  return is_whole ? MLBF_OK : MLBF_DAMAGED;
}

/* Every cell of `made` becomes a + b, saturated; or, with `minus`, a - b. */
static mlbf_status combine(const mlbf_count *a, const mlbf_count *b, bool minus, mlbf_count *made)
{
  for (uint64_t cell = 0; cell < made->cells.count; cell++) {
    uint32_t x = get_cell(a, cell), y = get_cell(b, cell);
    if (x == 0 && y == 0)
      continue;
    if (minus && x < y)
      return MLBF_MISMATCH;
    if (!mlbf_overflow_reserve(&made->overflow, cell, 1))
      return MLBF_NO_MEMORY;
    set_cell(made, cell, minus ? x - y : saturated(made, (uint64_t)x + y));
  }
  return MLBF_OK;
}

static mlbf_status make_from(const mlbf_count *a, const mlbf_count *b, bool minus, mlbf_count **made)
{
  mlbf_count *fresh;
  mlbf_status status = check_pair(a, b);
  if (status == MLBF_OK)
    status = make(a->table.numbers, a->table.seed, a->table.profile, &fresh);
  if (status != MLBF_OK)
    return status;
  status = combine(a, b, minus, fresh);
  if (status == MLBF_OK)
    *made = fresh;
  else
    mlbf_count_free(fresh);
  return status;
}

mlbf_status mlbf_count_merge(mlbf_count *into, const mlbf_count *from)
{
  mlbf_count *merged, kept;
  mlbf_status status = make_from(into, from, false, &merged);
  if (status != MLBF_OK)
    return status;
  merged->table.numbers[ADDITIONS] = into->table.numbers[ADDITIONS] + from->table.numbers[ADDITIONS];
  kept = *into;
  *into = *merged;
  *merged = kept;
  mlbf_count_free(merged);
  return MLBF_OK;
}

mlbf_status mlbf_count_difference(const mlbf_count *later, const mlbf_count *earlier, mlbf_count **delta)
{
  mlbf_count *made;
  mlbf_status status = make_from(later, earlier, true, &made);
  if (status != MLBF_OK)
    return status;
  uint64_t before = earlier->table.numbers[ADDITIONS], after = later->table.numbers[ADDITIONS];
  made->table.numbers[ADDITIONS] = after > before ? after - before : 0;
  made->table.numbers[FLAGS] |= FLAG_DELTA;
  *delta = made;
  return MLBF_OK;
}

/* Statistics */

static double fill_of(const mlbf_count *count)
{
  uint64_t cells = count->cells.count, sample = cells < FILL_SAMPLE ? cells : FILL_SAMPLE, filled = 0;
  for (uint64_t i = 0; i < sample; i++) {
    uint64_t cell = (uint64_t)((mlbf_product)cells * i / sample);
    filled += mlbf_cells_touch(&count->cells, cell) && mlbf_cells_get(&count->cells, cell) > 0;
  }
  return (double)filled / (double)sample;
}

static uint64_t table_bits(const mlbf_count *count)
{
  return 8 * (counts_bytes(count->cells.count) + count->overflow.entries * sizeof(uint32_t));
}

void mlbf_count_stats_read(const mlbf_count *count, mlbf_count_stats *stats)
{
  const uint64_t *n = count->table.numbers;
  uint32_t limit_bits = 32 - (uint32_t)__builtin_clz((uint32_t)n[LIMIT]);
  double fill = fill_of(count);
  *stats = (mlbf_count_stats){
    .keys = n[KEYS], .additions = n[ADDITIONS], .cells = n[CELLS], .hashes = (uint32_t)n[HASHES],
    .base_bits = count->base_bits, .limit = (uint32_t)n[LIMIT], .minimal = is_minimal(count),
    .overflows = count->overflow.entries, .bits = n[CELLS] * (count->base_bits + 1) + table_bits(count),
    .plain_bits = n[CELLS] * limit_bits, .fill = fill,
    .memory_bytes = count->table.body_bytes + count->overflow.chunk_count * sizeof(mlbf_chunk),
    .estimated_keys = mlbf_layout_keys(MLBF_LAYOUT_CLASSIC, (uint32_t)n[HASHES], (double)n[CELLS], fill),
    .rate = pow(fill, (double)n[HASHES]), .seed = count->table.seed, .profile = count->table.profile,
  };
  for (uint64_t i = 0; i < count->overflow.chunk_count; i++)
    stats->memory_bytes += count->overflow.chunks[i].room * sizeof(uint32_t);
}

/* Files */

static uint64_t cells_bytes(const mlbf_count *count)
{
  return mlbf_cells_bytes(count->cells.count, count->cells.bits);
}

mlbf_status mlbf_count_save(const mlbf_count *count, const char *path)
{
  const mlbf_overflow *overflow = &count->overflow;
  uint16_t *counts = calloc(1, counts_bytes(count->cells.count));
  mlbf_span *parts = malloc((overflow->chunk_count + 2) * sizeof *parts);
  mlbf_status status = MLBF_NO_MEMORY;
  if (counts && parts) {
    parts[0] = (mlbf_span){ count->table.body, cells_bytes(count) };
    parts[1] = (mlbf_span){ counts, counts_bytes(count->cells.count) };
    for (uint64_t i = 0; i < overflow->chunk_count; i++) {
      counts[i] = overflow->chunks[i].count;
      parts[2 + i] = (mlbf_span){ overflow->chunks[i].entries, counts[i] * sizeof(uint32_t) };
    }
    mlbf_table table = count->table;
    table.numbers[OVERFLOWS] = overflow->entries;
    status = mlbf_table_save(&table, parts, overflow->chunk_count + 2, path);
  }
  free(counts);
  free(parts);
  return status;
}

/* Entries of one chunk: ascending, each of a flagged cell, each with a rest, none beyond the limit. */
static bool chunk_is_sound(const mlbf_count *count, uint64_t chunk)
{
  const mlbf_chunk *of = &count->overflow.chunks[chunk];
  uint64_t first = chunk * MLBF_CHUNK_CELLS, limit = count->table.numbers[LIMIT];
  for (uint32_t i = 0; i < of->count; i++) {
    uint64_t cell = first + (of->entries[i] >> 16);
    bool is_ordered = i == 0 || of->entries[i - 1] >> 16 < of->entries[i] >> 16;
    if (!is_ordered || of->entries[i] >> 16 >= MLBF_CHUNK_CELLS || cell >= count->cells.count ||
        !(of->entries[i] & 0xffff) || !mlbf_cells_touch(&count->cells, cell) ||
        !(mlbf_cells_get(&count->cells, cell) >> count->base_bits) || get_cell(count, cell) > limit)
      return false;
  }
  return true;
}

/* Points the chunks into the body, having checked what they will find there. */
static bool read_overflow(mlbf_count *count)
{
  uint64_t counts_at = cells_bytes(count), entries_at = counts_at + counts_bytes(count->cells.count);
  uint64_t entries = count->table.numbers[OVERFLOWS], taken = 0;
  if (!mlbf_table_touch(&count->table, counts_at, count->table.body_bytes - counts_at))
    return false;
  for (uint64_t i = 0; i < count->overflow.chunk_count; i++) {
    mlbf_chunk *chunk = &count->overflow.chunks[i];
    memcpy(&chunk->count, count->table.body + counts_at + 2 * i, sizeof chunk->count);
    if (chunk->count > entries - taken || chunk->count > MLBF_CHUNK_CELLS)
      return false;
    chunk->entries = (uint32_t *)(void *)(count->table.body + entries_at + 4 * taken);
    taken += chunk->count;
    if (!chunk_is_sound(count, i))
      return false;
  }
  count->overflow.entries = entries;
  return taken == entries;
}

/* A flagged cell without an entry would have lost the rest of its count. */
static bool flags_are_sound(const mlbf_count *count)
{
  uint64_t flagged = 0;
  for (uint64_t cell = 0; cell < count->cells.count; cell++)
    flagged += mlbf_cells_get(&count->cells, cell) >> count->base_bits;
  return flagged == count->overflow.entries;
}

static mlbf_status open_count(const char *path, bool is_mapped, mlbf_count **count)
{
  mlbf_table table;
  mlbf_count *made;
  mlbf_status status = mlbf_table_open(path, MLBF_TABLE_COUNT, is_mapped, body_bytes, &table);
  if (status == MLBF_OK)
    status = wrap(&table, &made);
  if (status != MLBF_OK)
    return status;
  if (!read_overflow(made) || (!is_mapped && !flags_are_sound(made))) {
    mlbf_count_free(made);
    return MLBF_DAMAGED;
  }
  *count = made;
  return MLBF_OK;
}

mlbf_status mlbf_count_load(const char *path, mlbf_count **count)
{
  return open_count(path, false, count);
}

mlbf_status mlbf_count_map(const char *path, mlbf_count **count)
{
  return open_count(path, true, count);
}

mlbf_status mlbf_count_verify(mlbf_count *count)
{
  mlbf_status status = mlbf_table_verify(&count->table);
  if (status == MLBF_OK)
    count->cells.guard = NULL;
  return status;
}
