/* Sizing: from keys and a rate, or from bits, to the arrays of a filter. Every constant that decides how large a filter
 * gets is here.
 *
 * Always: a plan that is made is one that can be created, and keeps its promise: at so many keys the rate is at most
 * the one that was asked for. Equal options give equal plans in every version, as files have them. What is refused is
 * refused with a reason, in words for the user.
 *
 * Called by filter.c, chain.c, rebuild.c and filter_file.c, and by `strata plan` and the frontier. No state. */
#include "mlbf/plan.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "mlbf/filter/inside.h"
#include "mlbf/filter/rate.h"
#include "mlbf/filter/options_size.h"

static const uint64_t bits_max = UINT64_C(1) << 48; /* 32 TiB: beyond any machine, below any overflow */

/* A filter of few lines: keys would crowd by chance more than the Poisson model says. */
enum { LINES_MIN = 64 };

/* We plan for a little less than was promised, so that a filter at its design load measures below the promise
 * and not around it: 2.5 % is 5 standard deviations of 4 million queries at 1e-2, and costs 0.6 % of the bits.
 * bloom keeps to equation (1). */
static const double caution = 0.975;

/* mlbf: what its layers get. Measured on 4.2 million real URLs (0.05 hosts, 1.6 distinct segments a URL over
 * all layers) and on lists with up to 0.2 hosts a URL; which depth holds the leaves differs from list to list,
 * so deeper layers share one array, where every segment has the same room whatever its depth. */
static const double layer_share = 0.08;  /* of the integrity layer's bits, without signals */
static const double hosts_per_key = 0.2; /* the most we plan for */
static const double host_bits = 9;       /* a host; more buys nothing a person would notice */
static const double signal_host_bits_per_key = 0.5;
static const double signal_deep_bits_per_key = 3.15; /* nearly 2 bits for each of 1.6 segments */

__attribute__((format(printf, 2, 3))) static mlbf_status refuse(char *reason, const char *format, ...)
{
  va_list values;
  if (!reason)
    return MLBF_BAD_ARGUMENT;
  va_start(values, format);
  vsnprintf(reason, MLBF_REASON_SIZE, format, values);
  va_end(values);
  return MLBF_BAD_ARGUMENT;
}

static mlbf_status read_options(const mlbf_options *given, mlbf_options *options, char *reason)
{
  if (given->size < sizeof given->size)
    return refuse(reason, "size is %zu: begin with MLBF_OPTIONS_DEFAULT", given->size);
  if (!mlbf_sized_read(options, sizeof *options, given))
    return refuse(reason, "size is %zu, and a field is set that this library does not have", given->size);
  return MLBF_OK;
}

static mlbf_status check_rate(const mlbf_options *options, char *reason)
{
  double rate = options->rate;
  if (rate == 0)
    return options->bits ? MLBF_OK : refuse(reason, "rate is 0, and bits, too");
  if (!(rate > 0 && rate < 1)) /* NaN, too */
    return refuse(reason, "rate is %g: not between 0 and 1", rate);
  if (options->bits)
    return refuse(reason, "rate is %g, and bits is %" PRIu64 ": one must be 0", rate, options->bits);
  return MLBF_OK;
}

static mlbf_status check_options(const mlbf_options *options, char *reason)
{
  const char *kind = mlbf_kind_name(options->kind);
  if (!kind)
    return refuse(reason, "kind is %u: there is no such kind of filter", (unsigned)options->kind);
  if (options->keys == 0)
    return refuse(reason, "keys is 0");
  if (options->keys > bits_max)
    return refuse(reason, "keys is %" PRIu64 ": at most 2^48", options->keys);
  if (options->bits > bits_max)
    return refuse(reason, "bits is %" PRIu64 ": at most 2^48", options->bits);
  if (options->hashes > MLBF_HASHES_MAX)
    return refuse(reason, "hashes is %" PRIu32 ": at most %d", options->hashes, MLBF_HASHES_MAX);
  if (options->hashes && options->kind != MLBF_KIND_BLOOM)
    return refuse(reason, "hashes is %" PRIu32 ": kind %s chooses them itself", options->hashes, kind);
  if (options->signals && options->kind != MLBF_KIND_MLBF)
    return refuse(reason, "signals is true: kind %s has none", kind);
  if (options->profile && strlen(options->profile) >= MLBF_PROFILE_SIZE)
    return refuse(reason, "profile is of %zu bytes: at most %d", strlen(options->profile), MLBF_PROFILE_SIZE - 1);
  return check_rate(options, reason);
}

/* Both in whole lines, and in TWO_LINES in pages of equal size. */
static double at_least(mlbf_layout layout, double bits)
{
  double lines = fmax(ceil(bits / MLBF_LINE_BITS), LINES_MIN);
  double pages = layout == MLBF_LAYOUT_TWO_LINES ? ceil(lines / MLBF_PAGE_LINES) : 1;
  return pages * ceil(lines / pages) * MLBF_LINE_BITS;
}

/* With fewer lines there may be fewer pages, too: not every quotient that is rounded down fits. */
static double at_most(mlbf_layout layout, double bits)
{
  uint64_t lines = (uint64_t)fmax(floor(bits / MLBF_LINE_BITS), 1);
  while (layout == MLBF_LAYOUT_TWO_LINES && lines % mlbf_layout_pages(lines) != 0)
    lines--; /* at most 255 times: pages may all be full */
  return (double)(lines * MLBF_LINE_BITS);
}

/* At 1e-3 one line takes 6 % more bits than two, and less time. */
static mlbf_layout line_layout_for(double rate)
{
  return rate >= 1e-3 ? MLBF_LAYOUT_LINE : MLBF_LAYOUT_TWO_LINES;
}

/* Bits as doubles until the limit has been checked: 2^48 keys times 40 bits fits no integer. */
typedef struct draft {
  mlbf_layout layout;
  uint32_t hashes;
  double bits;
} draft;

static draft draft_for_rate(mlbf_layout layout, double keys, double rate)
{
  double bits_per_key;
  uint32_t hashes = mlbf_layout_best_hashes(layout, rate * caution, &bits_per_key);
  return (draft){layout, hashes, at_least(layout, keys * bits_per_key)};
}

/* The best k, and so the best rate, of `bits` bits in this layout. */
static draft draft_for_bits(mlbf_layout layout, double keys, double bits)
{
  draft best = {layout, 0, at_most(layout, bits)};
  double best_rate = 2;
  for (uint32_t hashes = 0; (hashes = mlbf_layout_next_hashes(layout, hashes)) != 0;) {
    double rate = mlbf_layout_rate(layout, hashes, best.bits, keys);
    if (rate < best_rate) {
      best_rate = rate;
      best.hashes = hashes;
    }
  }
  return best;
}

static double draft_rate(draft array, double keys)
{
  return mlbf_layout_rate(array.layout, array.hashes, array.bits, keys);
}

static size_t draft_bloom(const mlbf_options *options, draft *arrays)
{
  double keys = (double)options->keys, bits_per_key = 0;
  uint32_t hashes = options->hashes;
  if (options->bits) {
    double best = round(M_LN2 * (double)options->bits / keys);
    arrays[0] = (draft){MLBF_LAYOUT_CLASSIC, hashes, (double)options->bits};
    if (!hashes)
      arrays[0].hashes = (uint32_t)fmin(fmax(best, 1), MLBF_HASHES_MAX);
    return 1;
  }
  if (hashes)
    bits_per_key = mlbf_layout_bits_per_key(MLBF_LAYOUT_CLASSIC, hashes, options->rate);
  else
    hashes = mlbf_layout_best_hashes(MLBF_LAYOUT_CLASSIC, options->rate, &bits_per_key);
  arrays[0] = (draft){MLBF_LAYOUT_CLASSIC, hashes, ceil(keys * bits_per_key)};
  return 1;
}

static size_t draft_line(const mlbf_options *options, draft *arrays)
{
  double keys = (double)options->keys;
  if (!options->bits) {
    arrays[0] = draft_for_rate(line_layout_for(options->rate), keys, options->rate);
    return 1;
  }
  /* The rate these bits give in two lines says which layout such a rate is served by. */
  draft two = draft_for_bits(MLBF_LAYOUT_TWO_LINES, keys, (double)options->bits);
  arrays[0] = draft_for_bits(line_layout_for(draft_rate(two, keys)), keys, (double)options->bits);
  return 1;
}

static double host_array_bits(const mlbf_options *options, double whole_bits)
{
  double keys = (double)options->keys;
  return options->signals ? keys * signal_host_bits_per_key
                          : fmin(whole_bits * layer_share, keys * hosts_per_key * host_bits);
}

/* The integrity layer has layout TWO_LINES at every rate: nearly as few bits as CLASSIC, with two cache lines. */
static size_t draft_mlbf(const mlbf_options *options, draft *arrays)
{
  double keys = (double)options->keys;
  double deep_bits = options->signals ? keys * signal_deep_bits_per_key : 0;
  if (options->bits) {
    double left = (double)options->bits - deep_bits;
    double whole = fmax(left / (1 + layer_share), left - keys * hosts_per_key * host_bits);
    if (options->signals)
      whole = left - host_array_bits(options, 0);
    arrays[0] = draft_for_bits(MLBF_LAYOUT_TWO_LINES, keys, fmax(whole, MLBF_LINE_BITS));
  } else {
    arrays[0] = draft_for_rate(MLBF_LAYOUT_TWO_LINES, keys, options->rate);
  }
  double bits = host_array_bits(options, arrays[0].bits);
  arrays[1] = draft_for_bits(MLBF_LAYOUT_LINE, keys * hosts_per_key, bits);
  /* one bit a segment: at two bits of room each, a second one would only crowd the array */
  arrays[2] = (draft){MLBF_LAYOUT_CLASSIC, 1, at_least(MLBF_LAYOUT_CLASSIC, deep_bits)};
  return options->signals ? 3 : 2;
}

static size_t draft_arrays(const mlbf_options *options, draft *arrays)
{
  switch (options->kind) {
  case MLBF_KIND_BLOOM: return draft_bloom(options, arrays);
  case MLBF_KIND_LINE: return draft_line(options, arrays);
  default: return draft_mlbf(options, arrays);
  }
}

/* The arrays of checked options; all together in bits. */
static mlbf_status draft_all(const mlbf_options *options, draft *arrays, size_t *count, char *reason)
{
  double total = 0;
  *count = draft_arrays(options, arrays);
  assert(*count >= 1 && *count <= MLBF_ARRAYS_MAX);
  for (size_t i = 0; i < *count; i++)
    total += arrays[i].bits;
  if (!(total <= (double)bits_max)) /* infinite, if no number of bits gives that rate */
    return refuse(reason, "rate is %g: more than 2^48 bits for %" PRIu64 " keys", options->rate, options->keys);
  return MLBF_OK;
}

mlbf_status mlbf_plan_make(const mlbf_options *given, mlbf_plan *plan, char reason[MLBF_REASON_SIZE])
{
  mlbf_options known;
  const mlbf_options *options = &known;
  draft arrays[MLBF_ARRAYS_MAX];
  size_t count = 0;
  mlbf_status status = read_options(given, &known, reason);
  if (status == MLBF_OK)
    status = check_options(options, reason);
  if (status == MLBF_OK)
    status = draft_all(options, arrays, &count, reason);
  if (status != MLBF_OK)
    return status;

  mlbf_plan made = {.kind = options->kind,
                    .keys = options->keys,
                    .rate = options->rate,
                    .signals = options->signals,
                    .array_count = (uint32_t)count};
  for (size_t i = 0; i < count; i++) {
    made.arrays[i] = (mlbf_array_plan){arrays[i].layout, arrays[i].hashes, (uint64_t)arrays[i].bits};
    assert(made.arrays[i].bits >= 1 && made.arrays[i].hashes >= 1 && made.arrays[i].hashes <= MLBF_HASHES_MAX);
    made.bits += made.arrays[i].bits;
  }
  if (made.rate == 0) /* a promise is inside (0,1), however absurd the size */
    made.rate = fmin(fmax(mlbf_plan_rate(&made, made.keys), 1e-300), 1 - 1e-15);
  assert(made.rate > 0 && made.rate < 1);
  *plan = made;
  return MLBF_OK;
}

double mlbf_plan_rate(const mlbf_plan *plan, uint64_t keys)
{
  const mlbf_array_plan *whole = &plan->arrays[0];
  return mlbf_layout_rate(whole->layout, whole->hashes, (double)whole->bits, (double)keys);
}
