/* Three roles turn with the generation g:
 *
 *                 array 0   array 1          array 0   array 1   array 2     with `steady`
 *     g = 0       new       old              new       spare     old
 *     g = 1       old       new              old       new       spare
 *     g = 2       new       old              spare     old       new
 *
 * Without `steady` the old array of g is cleared at once when g + 1 begins, and becomes the new one. With it the spare
 * array is cleared meanwhile, and becomes the new one.
 *
 * By time, a tick replaces an insertion: p is the tick's number in its generation. All keys of one tick have the same
 * p, and a key stays seen for w ticks plus the rest of its own tick. */
#include "mlbf/papers/window_skip.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "mlbf/filter/cells.h"
#include "mlbf/window/window_inside.h"

/* Among table.numbers. */
enum { ARRAYS = WINDOW_OWN, TICK, RATE, CLOCK, CLEARED };

struct mlbf_skip {
  mlbf_table table;
};

/* w: positions of a generation. */
static uint64_t positions_of(const mlbf_table *table)
{
  return (table->numbers[WINDOW] + table->numbers[TICK] - 1) / table->numbers[TICK];
}

static uint64_t generation_at(const mlbf_table *table, uint64_t clock)
{
  return clock / table->numbers[TICK] / positions_of(table);
}

static uint64_t position_at(const mlbf_table *table, uint64_t clock) /* p, 1..w */
{
  return clock / table->numbers[TICK] % positions_of(table) + 1;
}

static uint32_t bits_for(uint64_t positions) /* ceil(log2(w + 1)) */
{
  return 64 - (uint32_t)__builtin_clzll(positions);
}

static uint64_t array_bytes(const mlbf_table *table)
{
  return mlbf_cells_bytes(table->numbers[CELLS], bits_for(positions_of(table)));
}

/* The numbers are a file's, checked by body_bytes before there is a window. */
static void assert_skip(const mlbf_skip *window)
{
  const uint64_t *n = window->table.numbers;
  assert(n[ARRAYS] == 2 || n[ARRAYS] == 3);
  assert(n[TICK] > 0 && bits_for(positions_of(&window->table)) <= MLBF_CELL_BITS_MAX);
  assert(n[HASHES] >= 1 && n[HASHES] <= MLBF_HASHES_MAX && n[SEEN] <= n[INSERTIONS]);
  assert(n[CLEARED] <= array_bytes(&window->table));
  assert(n[ARRAYS] * array_bytes(&window->table) == window->table.body_bytes);
  (void)n;
}

/* The array that was the new one `before` generations ago. */
static mlbf_cells array_of(const mlbf_skip *window, uint64_t generation, uint64_t before)
{
  const mlbf_table *table = &window->table;
  uint64_t arrays = table->numbers[ARRAYS], index = (generation % arrays + arrays - before) % arrays;
  assert(before < arrays);
  return (mlbf_cells){table->body + index * array_bytes(table), table->numbers[CELLS], bits_for(positions_of(table)),
                      table->guard};
}

/* Creation */

static uint64_t tick_of(uint64_t unit, uint64_t window)
{
  return unit == MLBF_WINDOW_MS ? (window + MLBF_SKIP_TICKS - 1) / MLBF_SKIP_TICKS : 1;
}

static uint64_t body_bytes(const mlbf_table *table)
{
  const uint64_t *n = table->numbers;
  if (!mlbf_window_numbers_are_sound(table, RATE) || n[TICK] != tick_of(n[UNIT], n[WINDOW]) || n[ARRAYS] < 2 ||
      n[ARRAYS] > 3 || n[CELLS] > mlbf_window_bits_most / 3 / MLBF_CELL_BITS_MAX)
    return 0;
  uint64_t array = bits_for(positions_of(table)) <= MLBF_CELL_BITS_MAX ? array_bytes(table) : 0;
  return n[CLEARED] <= array ? n[ARRAYS] * array : 0;
}

static mlbf_status hand_over(mlbf_status status, mlbf_skip *made, mlbf_skip **window)
{
  if (status == MLBF_OK)
    *window = made;
  else
    free(made);
  return status;
}

mlbf_status mlbf_skip_create(const mlbf_window_options *options, mlbf_skip **window)
{
  uint64_t cells;
  uint32_t hashes;
  if (!mlbf_window_options_are_sound(options))
    return MLBF_BAD_ARGUMENT;
  uint64_t arrays = options->steady ? 3 : 2, tick = tick_of(options->unit, options->window);
  double keys = (double)mlbf_window_keys(options);
  double bits = (double)arrays * bits_for((options->window + tick - 1) / tick);
  if (!mlbf_window_size(options, keys, bits, &cells, &hashes))
    return MLBF_BAD_ARGUMENT;
  double rate = options->rate > 0 ? options->rate : mlbf_window_rate(keys, (double)cells, hashes);
  uint64_t numbers[WINDOW_NUMBERS] = {
    [CELLS] = cells, [HASHES] = hashes, [ARRAYS] = arrays, [TICK] = tick, [RATE] = mlbf_table_number(rate)};
  mlbf_skip *made = malloc(sizeof *made);
  if (!made)
    return MLBF_NO_MEMORY;
  return hand_over(mlbf_window_make(MLBF_TABLE_SKIP, options, numbers, body_bytes, &made->table), made, window);
}

void mlbf_skip_free(mlbf_skip *window)
{
  if (!window)
    return;
  mlbf_table_drop(&window->table);
  free(window);
}

/* Clearing */

static bool clear(mlbf_skip *window, uint64_t begin, uint64_t size)
{
  assert(begin + size <= window->table.body_bytes);
  if (!mlbf_table_touch(&window->table, begin, size))
    return false;
  memset(window->table.body + begin, 0, size);
  return true;
}

/* The spare array of this generation, as far as `share` bytes. */
static bool clear_spare(mlbf_skip *window, uint64_t generation, uint64_t share)
{
  uint64_t *cleared = &window->table.numbers[CLEARED];
  if (window->table.numbers[ARRAYS] < 3 || share <= *cleared)
    return true;
  uint64_t begin = (uint64_t)(array_of(window, generation, 2).bytes - window->table.body) + *cleared;
  uint64_t size = share - *cleared;
  *cleared = share;
  return clear(window, begin, size);
}

/* From one generation to the next: what was the oldest array is clear, and the new one. */
static bool swap(mlbf_skip *window, uint64_t generation)
{
  uint64_t bytes = array_bytes(&window->table);
  if (!clear_spare(window, generation, bytes))
    return false;
  window->table.numbers[CLEARED] = 0;
  if (window->table.numbers[ARRAYS] == 3)
    return true;
  return clear(window, (uint64_t)(array_of(window, generation, 1).bytes - window->table.body), bytes);
}

static bool advance(mlbf_skip *window, uint64_t now)
{
  uint64_t *n = window->table.numbers, generation = generation_at(&window->table, n[CLOCK]);
  assert(now >= n[CLOCK]);
  uint64_t last = generation_at(&window->table, now), bytes = array_bytes(&window->table);
  if (last - generation > 1) { /* all of it is too old, if there is anything */
    if (n[INSERTIONS] > 0 && !clear(window, 0, window->table.body_bytes))
      return false;
    n[CLEARED] = 0;
  } else if (last > generation && !swap(window, generation)) {
    return false;
  }
  n[CLOCK] = now;
  uint64_t position = position_at(&window->table, now), positions = positions_of(&window->table);
  return clear_spare(window, last, (uint64_t)((mlbf_product)bytes * position / positions));
}

/* Use */

static bool places_of(const mlbf_skip *window, mlbf_span key, uint64_t generation, uint64_t places[MLBF_HASHES_MAX])
{
  const uint64_t *n = window->table.numbers;
  mlbf_cells fresh = array_of(window, generation, 0), old = array_of(window, generation, 1);
  mlbf_places(mlbf_hash_bytes(&key, 1, window->table.keying.seed), n[CELLS], (uint32_t)n[HASHES], places);
  for (uint64_t i = 0; i < n[HASHES]; i++) {
    __builtin_prefetch(fresh.bytes + places[i] * fresh.bits / 8, 1);
    __builtin_prefetch(old.bytes + places[i] * old.bits / 8);
  }
  for (uint64_t i = 0; window->table.guard && i < n[HASHES]; i++)
    if (!mlbf_cells_touch(&fresh, places[i]) || !mlbf_cells_touch(&old, places[i]))
      return false;
  return true;
}

static uint64_t least(const mlbf_cells *cells, const uint64_t *places, uint64_t count)
{
  uint64_t value = UINT64_MAX;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t cell = mlbf_cells_get(cells, places[i]);
    value = cell < value ? cell : value;
  }
  return value;
}

mlbf_status mlbf_skip_insert(mlbf_skip *window, mlbf_span key, uint64_t now_ms, bool *was_seen)
{
  uint64_t places[MLBF_HASHES_MAX], *n = window->table.numbers, now = mlbf_window_now(&window->table, CLOCK, now_ms);
  uint64_t generation = generation_at(&window->table, now), position = position_at(&window->table, now);
  assert_skip(window);
  if (!places_of(window, key, generation, places) || !advance(window, now))
    return MLBF_DAMAGED;
  mlbf_cells fresh = array_of(window, generation, 0), old = array_of(window, generation, 1);
  *was_seen = least(&fresh, places, n[HASHES]) > 0 || least(&old, places, n[HASHES]) >= position;
  for (uint64_t i = 0; i < n[HASHES]; i++)
    mlbf_cells_set(&fresh, places[i], position);
  n[INSERTIONS]++;
  n[SEEN] += *was_seen;
  assert_skip(window);
  return MLBF_OK;
}

mlbf_status mlbf_skip_test(const mlbf_skip *window, mlbf_span key, uint64_t now_ms, bool *is_seen)
{
  uint64_t places[MLBF_HASHES_MAX], k = window->table.numbers[HASHES];
  uint64_t now = mlbf_window_now(&window->table, CLOCK, now_ms), position = position_at(&window->table, now);
  uint64_t written = generation_at(&window->table, window->table.numbers[CLOCK]);
  uint64_t since = generation_at(&window->table, now) - written;
  assert_skip(window);
  if (!places_of(window, key, written, places))
    return MLBF_DAMAGED;
  mlbf_cells fresh = array_of(window, written, 0), old = array_of(window, written, 1);
  if (since == 0)
    *is_seen = least(&fresh, places, k) > 0 || least(&old, places, k) >= position;
  else /* what was new is old by now; what was old is gone */
    *is_seen = since == 1 && least(&fresh, places, k) >= position;
  return MLBF_OK;
}

/* Two samples: places a key's new cells may be at, and its old ones. */
static void fill_of(const mlbf_skip *window, double *fresh_fill, double *old_fill)
{
  enum { SAMPLE = 1 << 16 };
  const mlbf_table *table = &window->table;
  uint64_t generation = generation_at(table, table->numbers[CLOCK]);
  uint64_t position = position_at(table, mlbf_window_now(table, CLOCK, 0)), cells = table->numbers[CELLS];
  mlbf_cells fresh = array_of(window, generation, 0), old = array_of(window, generation, 1);
  uint64_t sample = cells < SAMPLE ? cells : SAMPLE, in_fresh = 0, in_old = 0;
  for (uint64_t i = 0; i < sample; i++) {
    uint64_t cell = (uint64_t)((mlbf_product)cells * i / sample);
    in_fresh += mlbf_cells_touch(&fresh, cell) && mlbf_cells_get(&fresh, cell) > 0;
    in_old += mlbf_cells_touch(&old, cell) && mlbf_cells_get(&old, cell) >= position;
  }
  *fresh_fill = (double)in_fresh / (double)sample;
  *old_fill = (double)in_old / (double)sample;
}

void mlbf_skip_stats_read(const mlbf_skip *window, mlbf_window_stats *stats)
{
  const mlbf_table *table = &window->table;
  const uint64_t *n = table->numbers;
  double fresh, old;
  fill_of(window, &fresh, &old);
  *stats = (mlbf_window_stats){
    .unit = (mlbf_window_unit)n[UNIT],
    .window = n[WINDOW],
    .slack = (positions_of(table) + 1) * n[TICK] - 1 - n[WINDOW],
    .keys = n[KEYS],
    .cells = n[CELLS],
    .arrays = (uint32_t)n[ARRAYS],
    .cell_bits = bits_for(positions_of(table)),
    .hashes = (uint32_t)n[HASHES],
    .memory_bytes = table->body_bytes,
    .insertions = n[INSERTIONS],
    .seen = n[SEEN],
    .fill = fmax(fresh, old),
    .promised_rate = mlbf_table_double(n[RATE]),
    .seed = table->keying.seed,
    .profile = table->profile,
  };
  stats->bits = stats->cells * stats->cell_bits * stats->arrays;
  stats->rate = 1 - (1 - pow(fresh, stats->hashes)) * (1 - pow(old, stats->hashes));
}

/* Formulas */

static double rate_at(double position, double window, double cells, uint32_t hashes)
{
  double fresh = mlbf_window_rate(position, cells, hashes);
  return 1 - (1 - fresh) * (1 - mlbf_window_rate(window - position, cells, hashes));
}

double mlbf_skip_expected(double window, double cells, uint32_t hashes)
{
  enum { STEPS = 1024 }; /* Simpson's rule; the sum over each p differs from the integral by 1/w */
  double sum = rate_at(0, window, cells, hashes) + rate_at(window, window, cells, hashes);
  for (int i = 1; i < STEPS; i++)
    sum += (i % 2 ? 4 : 2) * rate_at(window * i / STEPS, window, cells, hashes);
  return sum / (3 * STEPS);
}

double mlbf_skip_printed(double window, double cells, uint32_t hashes)
{
  return pow(-expm1(window * hashes * log1p(-1 / (2 * cells))), hashes);
}

/* Files */

mlbf_status mlbf_skip_save(const mlbf_skip *window, const char *path)
{
  return mlbf_window_save(&window->table, path);
}

static mlbf_status open_window(const char *path, bool is_mapped, mlbf_skip **window)
{
  mlbf_skip *made = malloc(sizeof *made);
  if (!made)
    return MLBF_NO_MEMORY;
  return hand_over(mlbf_table_open(path, MLBF_TABLE_SKIP, NULL, is_mapped, body_bytes, &made->table), made, window);
}

mlbf_status mlbf_skip_load(const char *path, mlbf_skip **window)
{
  return open_window(path, false, window);
}

mlbf_status mlbf_skip_map(const char *path, mlbf_skip **window)
{
  return open_window(path, true, window);
}

mlbf_status mlbf_skip_verify(mlbf_skip *window)
{
  return mlbf_table_verify(&window->table);
}
