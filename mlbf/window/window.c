#include <math.h>

#include "mlbf/filter/rate.h"
#include "mlbf/window/window_inside.h"

enum { CELLS_LEAST = 1024 }; /* the formula is of large arrays; in small ones two of a key's places often coincide */

bool mlbf_window_options_are_sound(const mlbf_window_options *options)
{
  bool has_rate = options->rate > 0 && options->rate < 1;
  bool is_one = has_rate ? options->bits == 0 : options->rate == 0 && options->bits > 0;
  bool has_unit = options->unit == MLBF_WINDOW_INSERTIONS || options->unit == MLBF_WINDOW_MS;
  return has_unit && is_one && options->bits <= mlbf_window_bits_most && options->hashes <= MLBF_HASHES_MAX &&
         options->window > 0 && options->window <= mlbf_window_most && options->keys <= mlbf_window_most &&
         (options->keys > 0 || options->unit == MLBF_WINDOW_INSERTIONS);
}

uint64_t mlbf_window_keys(const mlbf_window_options *options)
{
  return options->keys ? options->keys : options->window;
}

double mlbf_window_rate(double keys, double cells, uint32_t hashes)
{
  return mlbf_layout_rate(MLBF_LAYOUT_CLASSIC, hashes, cells, keys);
}

static uint32_t best_hashes(double cells_a_key)
{
  double best = round(cells_a_key * M_LN2);
  return best < 1 ? 1 : best > MLBF_HASHES_MAX ? MLBF_HASHES_MAX : (uint32_t)best;
}

bool mlbf_window_size(const mlbf_window_options *options, double keys, double bits_a_cell, uint64_t *cells,
                      uint32_t *hashes)
{
  double exact = (double)options->bits / bits_a_cell, cells_a_key;
  *hashes = options->hashes;
  if (options->rate > 0) {
    if (*hashes == 0)
      *hashes = mlbf_layout_best_hashes(MLBF_LAYOUT_CLASSIC, options->rate, &cells_a_key);
    cells_a_key = mlbf_layout_bits_per_key(MLBF_LAYOUT_CLASSIC, *hashes, options->rate);
    exact = fmax(ceil(keys * cells_a_key), CELLS_LEAST);
  } else if (*hashes == 0) {
    *hashes = best_hashes(exact / keys);
  }
  if (!(exact >= 1 && exact * bits_a_cell <= (double)mlbf_window_bits_most))
    return false;
  *cells = (uint64_t)exact;
  return true;
}

mlbf_status mlbf_window_make(mlbf_table_kind kind, const mlbf_window_options *options,
                             const uint64_t numbers[WINDOW_NUMBERS], mlbf_table_sizer body_bytes, mlbf_table *table)
{
  mlbf_table plan = {.kind = kind};
  memcpy(plan.numbers, numbers, WINDOW_NUMBERS * sizeof *numbers);
  plan.numbers[UNIT] = options->unit;
  plan.numbers[WINDOW] = options->window;
  plan.numbers[KEYS] = mlbf_window_keys(options);
  mlbf_keying keying = mlbf_keying_none;
  mlbf_status status = mlbf_keying_make(options->secret, options->seed, &keying);
  if (status == MLBF_OK)
    status = mlbf_table_make(kind, &keying, options->profile, body_bytes(&plan), table);
  if (status == MLBF_OK)
    memcpy(table->numbers, plan.numbers, sizeof plan.numbers);
  return status;
}

bool mlbf_window_numbers_are_sound(const mlbf_table *table, int rate)
{
  const uint64_t *n = table->numbers;
  mlbf_window_options options = {
    .unit = (mlbf_window_unit)n[UNIT], .window = n[WINDOW], .keys = n[KEYS], .rate = mlbf_table_double(n[rate])};
  bool is_sound = n[UNIT] <= MLBF_WINDOW_MS && mlbf_window_options_are_sound(&options) && n[KEYS] > 0 && n[CELLS] > 0 &&
                  n[HASHES] > 0 && n[HASHES] <= MLBF_HASHES_MAX && n[SEEN] <= n[INSERTIONS];
  for (int i = WINDOW_NUMBERS; i < MLBF_TABLE_NUMBERS; i++)
    is_sound = is_sound && n[i] == 0;
  return is_sound;
}

uint64_t mlbf_window_now(const mlbf_table *table, int clock, uint64_t now_ms)
{
  if (table->numbers[UNIT] == MLBF_WINDOW_INSERTIONS)
    return table->numbers[INSERTIONS];
  return now_ms > table->numbers[clock] ? now_ms : table->numbers[clock];
}

mlbf_status mlbf_window_save(const mlbf_table *table, const char *path)
{
  return mlbf_table_save(table, &(mlbf_span){table->body, table->body_bytes}, 1, path);
}
