#include <math.h>

#include "mlbf/rate.h"
#include "mlbf/window_inside.h"

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
