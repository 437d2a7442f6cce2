/* The web itself: its options and its dice. */
#include "tests/contract/web/web_inside.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST_TO_LEAST = 1000 }; /* pages of a host, if few have most: a bounded Pareto distribution, exponent 1 */

web *web_create(const web_options *options)
{
  web *w = calloc(1, sizeof *w);
  if (!w)
    abort();
  w->options = *options;
  for (size_t i = 0; i < WEB_SHARES; i++)
    w->limit[i] = options->share[i] >= 1 ? UINT64_MAX : (uint64_t)(options->share[i] * 0x1p64);
  w->least_pages = options->pages * (1 - 1.0 / LARGEST_TO_LEAST) / log(LARGEST_TO_LEAST); /* so the mean is right */
  return w;
}

void web_free(web *w)
{
  free(w);
}

const web_options *web_options_of(const web *w)
{
  return &w->options;
}

/* The finalizer of splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t z)
{
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

uint64_t web_dice(const web *w, unsigned salt, uint64_t a, uint64_t b)
{
  uint64_t z = mix(w->options.seed + 0x9E3779B97F4A7C15u * (salt + 1));
  return mix(mix(z ^ (a * 0xD6E8FEB86659FD93u)) + b * 0xA0761D6478BD642Fu);
}

uint64_t web_dice_next(uint64_t *state)
{
  return mix(*state += 0x9E3779B97F4A7C15u);
}

bool web_says(const web *w, web_share share, uint64_t dice)
{
  return dice < w->limit[share];
}

/* A power of two first, then a number below it: no logarithms. */
uint32_t web_popular(uint64_t dice, uint32_t n)
{
  unsigned powers = n < 2 ? 1 : (unsigned)(32 - __builtin_clz(n));
  unsigned power = (unsigned)(((dice >> 32) * powers) >> 32);
  uint64_t low = dice & UINT32_MAX, least = (uint64_t)1 << power;
  uint64_t drawn = least + ((low * least) >> 32);
  return (uint32_t)(drawn > n ? (low * n) >> 32 : drawn - 1);
}

uint32_t web_host_pages(const web *w, uint32_t host)
{
  if (!w->options.zipf)
    return w->options.pages;
  double u = (double)(web_dice(w, WEB_ASK_SIZE, host, 0) >> 11) / 0x1p53;
  double round = (double)(web_dice(w, WEB_ASK_SIZE_ROUND, host, 0) >> 11) / 0x1p53;
  double pages = w->least_pages / (1 - u * (1 - 1.0 / LARGEST_TO_LEAST)) + round;
  return pages < 1 ? 1 : (uint32_t)pages;
}
