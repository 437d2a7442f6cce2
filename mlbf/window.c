#include <math.h>

#include "mlbf/plan.h"
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
  return pow(-expm1(-(double)hashes * keys / cells), hashes);
}

/* m for the rate: solve (1 - e^(-kn/m))^k = f. */
static double cells_for_rate(double keys, double rate, uint32_t hashes)
{
  return -(double)hashes * keys / log1p(-pow(rate, 1.0 / hashes));
}

static uint32_t best_hashes(double ratio)
{
  double best = round(ratio * M_LN2);
  return best < 1 ? 1 : best > MLBF_HASHES_MAX ? MLBF_HASHES_MAX : (uint32_t)best;
}

bool mlbf_window_size(const mlbf_window_options *options, double keys, double bits_a_cell, uint64_t *cells,
                      uint32_t *hashes)
{
  double exact = (double)options->bits / bits_a_cell;
  if (options->rate > 0) {
    *hashes = options->hashes ? options->hashes : best_hashes(-log2(options->rate) / M_LN2);
    exact = fmax(ceil(cells_for_rate(keys, options->rate, *hashes)), CELLS_LEAST);
  } else {
    *hashes = options->hashes ? options->hashes : best_hashes(exact / keys);
  }
  if (!(exact >= 1 && exact * bits_a_cell <= (double)mlbf_window_bits_most))
    return false;
  *cells = (uint64_t)exact;
  return true;
}
