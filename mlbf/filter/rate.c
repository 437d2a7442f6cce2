#include "mlbf/filter/rate.h"

#include <math.h>

/* A lookup in a line: k bits to test, and the chance that one inserted key leaves a bit clear. */
typedef struct line_model {
  double lines_per_key;
  double hashes;
  double miss; /* P(a given bit stays clear) after one key in this line */
} line_model;

static line_model model_of(mlbf_layout layout, uint32_t hashes)
{
  if (layout == MLBF_LAYOUT_LANES)
    return (line_model){1, MLBF_LANES, 1 - 1.0 / 64};
  double lines = layout == MLBF_LAYOUT_TWO_LINES ? 2 : 1;
  double in_line = hashes / lines;
  return (line_model){lines, in_line, pow(1 - 1.0 / MLBF_LINE_BITS, in_line)};
}

/* Sum over j keys in the line, Poisson(load): P(j) (1 - miss^j)^k. Terms beyond 12 standard deviations
 * are smaller than any rate we plan for. */
static double line_rate(line_model model, double load)
{
  enum { HEAVY = 100000 }; /* so many keys in one line: the line is full, its spread does not matter */
  if (load > HEAVY)
    return pow(1 - exp(-load * (1 - model.miss)), model.hashes);
  double spread = 12 * sqrt(load) + 60;
  double first = floor(fmax(0, load - spread)), last = load + spread;
  double probability = exp(-load + first * log(fmax(load, 1e-300)) - lgamma(first + 1));
  double clear = pow(model.miss, first), sum = 0;
  for (double j = first; j <= last; j++) {
    sum += probability * pow(1 - clear, model.hashes);
    probability *= load / (j + 1);
    clear *= model.miss;
  }
  return fmin(sum, 1);
}

double mlbf_layout_rate(mlbf_layout layout, uint32_t hashes, double bits, double keys)
{
  if (layout == MLBF_LAYOUT_CLASSIC)
    return pow(-expm1(-(double)hashes * keys / bits), hashes);
  line_model model = model_of(layout, hashes);
  double rate = line_rate(model, model.lines_per_key * keys * MLBF_LINE_BITS / bits);
  return layout == MLBF_LAYOUT_TWO_LINES ? rate * rate : rate;
}

/* Bits a key is expected to clear away from one clear bit, as the rate of an exponential: -log(1 - fill) per key. */
static double filling_speed(mlbf_layout layout, uint32_t hashes, double bits)
{
  if (layout == MLBF_LAYOUT_CLASSIC)
    return hashes / bits;
  line_model model = model_of(layout, hashes);
  return model.lines_per_key * (1 - model.miss) * MLBF_LINE_BITS / bits;
}

double mlbf_layout_keys(mlbf_layout layout, uint32_t hashes, double bits, double fill)
{
  double full = 1 - 0.5 / bits; /* a full array tells only that it holds at least this many */
  return -log1p(-fmin(fill, full)) / filling_speed(layout, hashes, bits);
}

double mlbf_layout_bits_per_key(mlbf_layout layout, uint32_t hashes, double rate)
{
  if (layout == MLBF_LAYOUT_CLASSIC) /* equation (1): m = -k n / ln(1 - f^(1/k)) */
    return -(double)hashes / log1p(-pow(rate, 1.0 / hashes));
  double low = 0.01, high = 1024; /* bits a key; the rate falls as they grow */
  if (mlbf_layout_rate(layout, hashes, high, 1) > rate)
    return INFINITY;
  for (int i = 0; i < 50; i++) {
    double middle = sqrt(low * high);
    if (mlbf_layout_rate(layout, hashes, middle, 1) > rate)
      low = middle;
    else
      high = middle;
  }
  return high;
}

uint32_t mlbf_layout_best_hashes(mlbf_layout layout, double rate, double *bits_per_key)
{
  uint32_t first = 1, step = 1, last = MLBF_HASHES_MAX;
  if (layout == MLBF_LAYOUT_LANES)
    first = last = MLBF_LANES;
  else if (layout == MLBF_LAYOUT_LINE)
    last = MLBF_LINE_HASHES_MAX;
  else if (layout == MLBF_LAYOUT_TWO_LINES)
    first = step = 2;
  uint32_t best = first;
  *bits_per_key = INFINITY;
  for (uint32_t hashes = first; hashes <= last; hashes += step) {
    double bits = mlbf_layout_bits_per_key(layout, hashes, rate);
    if (bits < *bits_per_key) {
      *bits_per_key = bits;
      best = hashes;
    }
  }
  return best;
}
