/* A cache of segments' hashes that a log holds already, so that it need not get them again. recent.h says what for.
 *
 * Always: what is found was noted since the last clear: two words of a hash are compared whole. What is not found may
 * have been noted: a set of four forgets its oldest. The number of sets is a power of two. One that noted nothing has
 * no memory yet but addresses.
 *
 * Called by frontier/seen/seen.c and by the trap detector, one cache a thread. Memory alone: after a crash it is empty,
 * and the log gets some segments twice. */
#include "mlbf/recent.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Sets of four hashes, the latest first, of which a new one replaces the oldest: a set is a line of memory. With one
 * place for each hash, two that come again and again (a calendar's path, a parameter's name) and share their place
 * would never be known. */
enum { WAYS = 4, LINE = WAYS * sizeof(mlbf_hash128) };

typedef struct set {
  mlbf_hash128 latest[WAYS]; /* all zero is an empty place, and the hash 0, 0 is never noted */
} set;

struct mlbf_recent {
  size_t mask;
  set *sets;
  unsigned char memory[]; /* of the sets, which begin on a line of it */
};

mlbf_recent *mlbf_recent_create(size_t slots)
{
  size_t count = 1;
  while (count * WAYS < slots && count <= SIZE_MAX / 4 / sizeof(set))
    count *= 2;
  mlbf_recent *recent = calloc(1, sizeof *recent + (count + 1) * sizeof(set)); /* its pages are touched when used */
  if (recent) {
    recent->mask = count - 1;
    recent->sets = (set *)(void *)(recent->memory + (LINE - (uintptr_t)recent->memory % LINE) % LINE);
    assert((uintptr_t)recent->sets % LINE == 0);
  }
  return recent;
}

void mlbf_recent_free(mlbf_recent *recent)
{
  free(recent);
}

bool mlbf_recent_note(mlbf_recent *recent, mlbf_hash128 segment)
{
  assert((recent->mask & (recent->mask + 1)) == 0);
  mlbf_hash128 *latest = recent->sets[segment.high & recent->mask].latest;
  unsigned way = 0;
  while (way < WAYS && (latest[way].low != segment.low || latest[way].high != segment.high))
    way++;
  if (way == 0)
    return segment.low || segment.high;
  assert(way <= WAYS);
  memmove(latest + 1, latest, (way < WAYS ? way : WAYS - 1) * sizeof *latest);
  latest[0] = segment;
  return way < WAYS && (segment.low || segment.high);
}

void mlbf_recent_fetch(const mlbf_recent *recent, mlbf_hash128 segment)
{
  __builtin_prefetch(&recent->sets[segment.high & recent->mask], 1);
}
