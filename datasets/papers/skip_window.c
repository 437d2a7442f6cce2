/* The SKIP window of skip_window.h, and both formulas. Called by paper_skip.c.
 *
 * Always: 1 <= p <= w; cells of the new generation are below p, those of the old at most w. The hash is unkeyed, XXH3,
 * and its k cells are found as a classic filter of mlbf/ finds its bits: by a generator that the hash starts. */
#include "datasets/papers/skip_window.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct skip_window {
  uint64_t window, position; /* w, and p of the next insertion */
  uint64_t cells, seed;
  uint32_t hashes;
  uint32_t *fresh, *old;
};

__extension__ typedef unsigned __int128 product;

skip_window *skip_create(uint64_t window, uint64_t cells, uint32_t hashes, uint64_t seed)
{
  assert(window > 0 && window < UINT32_MAX && cells > 0 && hashes >= 1 && hashes <= SKIP_HASHES_MAX);
  skip_window *s = malloc(sizeof *s);
  if (s == NULL)
    return NULL;
  *s = (skip_window){.window = window, .position = 1, .cells = cells, .seed = seed, .hashes = hashes};
  s->fresh = calloc(cells, sizeof *s->fresh);
  s->old = calloc(cells, sizeof *s->old);
  if (s->fresh != NULL && s->old != NULL)
    return s;
  skip_free(s);
  return NULL;
}

void skip_free(skip_window *old)
{
  if (old == NULL)
    return;
  free(old->fresh);
  free(old->old);
  free(old);
}

static void find_cells(const skip_window *s, uint64_t key, uint64_t at[SKIP_HASHES_MAX])
{
  XXH128_hash_t hash = XXH3_128bits_withSeed(&key, sizeof key, s->seed);
  uint64_t number = hash.low64;
  for (uint32_t i = 0; i < s->hashes; i++, number = number * 0xd1342543de82ef95u + (hash.high64 | 1))
    at[i] = (uint64_t)((product)number * s->cells >> 64);
}

static uint32_t least(const uint32_t *cells, const uint64_t *at, uint32_t count)
{
  uint32_t value = UINT32_MAX;
  for (uint32_t i = 0; i < count; i++)
    value = cells[at[i]] < value ? cells[at[i]] : value;
  return value;
}

static bool is_seen(const skip_window *s, const uint64_t at[SKIP_HASHES_MAX])
{
  return least(s->fresh, at, s->hashes) > 0 || least(s->old, at, s->hashes) >= s->position;
}

bool skip_test(const skip_window *s, uint64_t key)
{
  uint64_t at[SKIP_HASHES_MAX];
  find_cells(s, key, at);
  return is_seen(s, at);
}

bool skip_insert(skip_window *s, uint64_t key)
{
  uint64_t at[SKIP_HASHES_MAX];
  assert(s->position >= 1 && s->position <= s->window);
  find_cells(s, key, at);
  bool was_seen = is_seen(s, at);
  for (uint32_t i = 0; i < s->hashes; i++)
    s->fresh[at[i]] = (uint32_t)s->position;
  if (s->position++ < s->window)
    return was_seen;
  uint32_t *clear = s->old;
  s->old = s->fresh;
  s->fresh = memset(clear, 0, s->cells * sizeof *clear);
  s->position = 1;
  return was_seen;
}

static double rate_of(double keys, double cells, uint32_t hashes) /* f */
{
  return pow(-expm1(-(double)hashes * keys / cells), hashes);
}

static double rate_at(double position, double window, double cells, uint32_t hashes)
{
  double fresh = rate_of(position, cells, hashes);
  return 1 - (1 - fresh) * (1 - rate_of(window - position, cells, hashes));
}

double skip_expected(double window, double cells, uint32_t hashes)
{
  enum { STEPS = 1024 }; /* Simpson's rule; the sum over each p differs from the integral by 1/w */
  double sum = rate_at(0, window, cells, hashes) + rate_at(window, window, cells, hashes);
  for (int i = 1; i < STEPS; i++)
    sum += (i % 2 ? 4 : 2) * rate_at(window * i / STEPS, window, cells, hashes);
  return sum / (3 * STEPS);
}

double epoch_expected(double window, double cells, uint32_t hashes)
{
  enum { STEPS = 64, EPOCHS = 12 }; /* middles of so many parts of an epoch: the curve is all but straight */
  double sum = 0;
  for (int i = 0; i < STEPS; i++)
    sum += rate_of(window * (1 + (i + 0.5) / STEPS / EPOCHS), cells, hashes);
  return sum / STEPS;
}

double skip_printed(double window, double cells, uint32_t hashes)
{
  return pow(-expm1(window * hashes * log1p(-1 / (2 * cells))), hashes);
}
