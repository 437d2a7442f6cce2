/* False-positive rates: of a layout of bits at a load, and how many bits a rate takes. rate.h has the equations' terms.
 *
 *     classic      f = (1 - e^(-kn/m))^k
 *     a line       f = sum over j keys in the line, Poisson, of P(j) (1 - miss^j)^k
 *     two lines    the product of two such, but for the keys that have both lines in common
 *
 * Always: a rate is 0 to 1, falls as bits grow and rises with keys. Sizes that these functions find are in files: the
 * same question must get the same answer, to the last bit, in every version.
 *
 * Called by plan.c, and by filters, windows and counters to estimate from fill. No state. */
#include "mlbf/filter/rate.h"

#include <assert.h>
#include <math.h>

bool mlbf_layout_fits(const mlbf_array_plan *plan)
{
  uint64_t lines = plan->bits / MLBF_LINE_BITS;
  if (plan->bits == 0 || plan->hashes == 0 || plan->hashes > MLBF_HASHES_MAX)
    return false;
  if (plan->layout == MLBF_LAYOUT_CLASSIC)
    return true;
  if (plan->layout != MLBF_LAYOUT_LINE && plan->layout != MLBF_LAYOUT_TWO_LINES)
    return false;
  if (plan->bits % MLBF_LINE_BITS != 0) /* so there is a line, and a page */
    return false;
  uint32_t hashes = mlbf_layout_next_hashes(plan->layout, 0);
  while (hashes && hashes != plan->hashes)
    hashes = mlbf_layout_next_hashes(plan->layout, hashes);
  bool is_paged = plan->layout == MLBF_LAYOUT_LINE || lines % mlbf_layout_pages(lines) == 0;
  return hashes && is_paged;
}

uint64_t mlbf_layout_pages(uint64_t lines)
{
  return (lines + MLBF_PAGE_LINES - 1) / MLBF_PAGE_LINES;
}

uint32_t mlbf_layout_next_hashes(mlbf_layout layout, uint32_t hashes)
{
  static const uint8_t in_line[] = {1, 2, 4, 8, 12};
  uint32_t lines = layout == MLBF_LAYOUT_TWO_LINES ? 2 : 1;
  if (layout == MLBF_LAYOUT_CLASSIC)
    return hashes < MLBF_HASHES_MAX ? hashes + 1 : 0;
  for (size_t i = 0; i < sizeof in_line; i++)
    if (lines * in_line[i] > hashes)
      return lines * in_line[i];
  return 0;
}

/* A lookup in a line: how many bits it asks, and the chance that one inserted key leaves a given bit clear. */
typedef struct line_model {
  double lines_per_key;
  uint32_t hashes;
  double miss;
} line_model;

static line_model model_of(mlbf_layout layout, uint32_t hashes)
{
  uint32_t lines = layout == MLBF_LAYOUT_TWO_LINES ? 2 : 1, in_line = hashes / lines;
  double miss = 1 - fmin(in_line, 8) / MLBF_LINE_BITS;
  if (in_line > 8)
    miss *= 1 - (in_line - 8.0) / MLBF_LINE_BITS;
  return (line_model){lines, in_line, miss};
}

static double power(double base, uint32_t exponent)
{
  double result = exponent % 2 ? base : 1;
  for (exponent /= 2; exponent; exponent /= 2) {
    base *= base;
    result *= exponent % 2 ? base : 1;
  }
  return result;
}

static double poisson(double mean, double j)
{
  return exp(-mean + j * log(fmax(mean, 1e-300)) - lgamma(j + 1));
}

enum { HEAVY = 100000 }; /* so many keys in one line: the line is full, its spread does not matter */

/* Sum over j keys in the line, Poisson(load) and `more`: P(j) (1 - miss^(j + more))^k. Exact, for lanes fill unaware of
 * each other once their number of keys is given. Terms beyond 12 standard deviations are smaller than any rate we plan
 * for. */
static double line_rate(line_model model, double load, double more)
{
  if (load > HEAVY)
    return power(1 - exp(-load * (1 - model.miss)), model.hashes);
  double width = 12 * sqrt(load) + 60;
  double first = floor(fmax(0, load - width)), last = load + width;
  double probability = poisson(load, first);
  double clear = pow(model.miss, first + more), sum = 0;
  for (double j = first; j <= last; j++) {
    sum += probability * power(1 - clear, model.hashes);
    probability *= load / (j + 1);
    clear *= model.miss;
  }
  return fmin(sum, 1);
}

/* The keys that have both lines of a key, in a page of n lines a share 1 / (n - 1) of those that have the one, crowd
 * both at once. */
static double two_lines_rate(line_model model, double load, double page_lines)
{
  double share = page_lines > 2 ? 1 / (page_lines - 1) : 1, common = load * share;
  if (load > HEAVY)
    return power(line_rate(model, load, 0), 2);
  double width = 12 * sqrt(common) + 20, sum = 0;
  for (double t = floor(fmax(0, common - width)); t <= common + width; t++)
    sum += poisson(common, t) * power(line_rate(model, load - common, t), 2);
  return fmin(sum, 1);
}

double mlbf_layout_rate(mlbf_layout layout, uint32_t hashes, double bits, double keys)
{
  if (layout == MLBF_LAYOUT_CLASSIC)
    return pow(-expm1(-(double)hashes * keys / bits), hashes);
  assert(hashes > 0 && bits >= MLBF_LINE_BITS && keys >= 0);
  line_model model = model_of(layout, hashes);
  double lines = bits / MLBF_LINE_BITS, load = model.lines_per_key * keys / lines;
  if (layout == MLBF_LAYOUT_LINE)
    return line_rate(model, load, 0);
  return two_lines_rate(model, load, lines / ceil(lines / MLBF_PAGE_LINES));
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

double mlbf_layout_fill(mlbf_layout layout, uint32_t hashes, double bits, double keys)
{
  return -expm1(-keys * filling_speed(layout, hashes, bits));
}

/* The rate with so many bits a key, and many lines. */
static double rate_with(mlbf_layout layout, uint32_t hashes, double bits_per_key)
{
  const double keys = 0x1p+32;
  return mlbf_layout_rate(layout, hashes, bits_per_key * keys, keys);
}

/* The logarithm of how many times too high the rate is with exp(x) bits a key. */
static double excess(mlbf_layout layout, uint32_t hashes, double rate, double x)
{
  return log(rate_with(layout, hashes, exp(x))) - log(rate);
}

/* Makes [low, high], in which the rate comes down to `rate`, so narrow that the bisection below has little to ask. It
 * looks around what the best k needs, for few bits a key take long to compute; then regula falsi on logarithms, with
 * Illinois' halving. */
static void narrow(mlbf_layout layout, uint32_t hashes, double rate, double *low, double *high)
{
  enum { STEPS = 12 };
  const double near = 1e-10, least = log(*low), most = log(*high);
  double a = fmin(fmax(log(-1.6 * log2(rate)), least), most), b = a, above = excess(layout, hashes, rate, a),
         below = above;
  for (double step = 0.1; below > 0 && b < most; step *= 2) {
    a = b;
    above = below;
    below = excess(layout, hashes, rate, b = fmin(b + step, most));
  }
  for (double step = 0.1; above <= 0 && a > least; step *= 2) {
    b = a;
    below = above;
    above = excess(layout, hashes, rate, a = fmax(a - step, least));
  }
  for (int i = 0, side = 0; i < STEPS && b - a > near && above > 0 && below < 0; i++) {
    double x = fmin(fmax(a + (b - a) * above / (above - below), a + near / 4), b - near / 4);
    double off = excess(layout, hashes, rate, x);
    if (off > 0) {
      a = x;
      above = off;
      below /= side > 0 ? 2 : 1;
      side = 1;
    } else {
      b = x;
      below = off;
      above /= side < 0 ? 2 : 1;
      side = -1;
    }
  }
  *low = above > 0 ? exp(a) : *low;
  *high = below <= 0 ? exp(b) : *high;
}

/* By bisection, as the sizes of files were always found; only what lies within `narrow` is computed. */
double mlbf_layout_bits_per_key(mlbf_layout layout, uint32_t hashes, double rate)
{
  if (layout == MLBF_LAYOUT_CLASSIC) /* equation (1): m = -k n / ln(1 - f^(1/k)) */
    return -(double)hashes / log1p(-pow(rate, 1.0 / hashes));
  double low = 0.01, high = 1024; /* bits a key; the rate falls as they grow */
  if (rate_with(layout, hashes, high) > rate)
    return INFINITY;
  double too_few = low, enough = high;
  narrow(layout, hashes, rate, &too_few, &enough);
  for (int i = 0; i < 40; i++) {
    double middle = sqrt(low * high);
    if (middle <= too_few || (middle < enough && rate_with(layout, hashes, middle) > rate))
      low = middle;
    else
      high = middle;
  }
  assert(low < high);
  return high;
}

/* From the largest k down, as the best one is not among the small ones: for those that need more bits one look at the
 * rate says so. Of two that need the same, the smaller. */
uint32_t mlbf_layout_best_hashes(mlbf_layout layout, double rate, double *bits_per_key)
{
  uint32_t all[MLBF_HASHES_MAX], count = 0, best = 0;
  for (uint32_t hashes = 0; (hashes = mlbf_layout_next_hashes(layout, hashes)) != 0;)
    all[count++] = hashes; /* at most MLBF_HASHES_MAX, each larger */
  *bits_per_key = INFINITY;
  while (count-- > 0) {
    if (isfinite(*bits_per_key) && rate_with(layout, all[count], *bits_per_key) > rate)
      continue;
    double bits = mlbf_layout_bits_per_key(layout, all[count], rate);
    if (bits <= *bits_per_key) {
      *bits_per_key = bits;
      best = all[count];
    }
  }
  assert(best || !isfinite(*bits_per_key));
  return best;
}
