/* Measures a list's shape:
 *
 *    segments (hash salted by role) --sort--> distinct of each role; pages of each host --sort--> how uneven
 *
 * Roles: 0 is the host, 1..SHAPE_DEPTHS a directory at that depth, LEAF the last segment. */
#include "datasets/make/shape.h"
#include "datasets/sort/list.h"
#include "datasets/sort/rng.h"
#include "datasets/sort/sorter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOST = 0, LEAF = SHAPE_DEPTHS + 1, ROLES };

/* Hosts that hold the top of a list; the power law is fitted through the share of URLs they have. One in 100 is
 * far enough from both ends: neither the one largest host nor the long tail decides. */
static const double top_hosts = 0.01;

const url_shape shape_usual = {
  .hosts = 0.1,
  .power = 16,
  .depth = {9830, 16384, 16384, 9830, 7864, 3277, 1967},              /* 15, 25, 25, 15, 12, 5, 3 % */
  .new_directory = {13107, 13107, 13107, 13107, 13107, 13107, 13107}, /* 20 % */
  .new_leaf = 42598,                                                  /* 65 % */
  .queries = 6554,                                                    /* 10 % */
};

typedef struct sighting {
  key_hash hash;
  uint64_t role;
} sighting;

struct shape_meter {
  const char *directory;
  sorter *sightings;
  uint64_t urls, queries, hosts;
  uint64_t depth[SHAPE_DEPTHS];
  uint64_t count[ROLES], distinct[ROLES];
};

static int by_role_and_hash(const void *a, const void *b)
{
  const sighting *one = a, *two = b;
  if (one->role != two->role)
    return one->role < two->role ? -1 : 1;
  return key_hash_compare(&one->hash, &two->hash);
}

static int largest_first(const void *a, const void *b)
{
  uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
  return (one < two) - (one > two);
}

shape_meter *shape_meter_create(const char *directory)
{
  shape_meter *made = calloc(1, sizeof *made);
  if (made == NULL)
    return NULL;
  made->directory = directory;
  made->sightings = sorter_create(directory, sizeof(sighting), by_role_and_hash, SORTER_MEMORY);
  if (made->sightings != NULL)
    return made;
  free(made);
  return NULL;
}

void shape_meter_free(shape_meter *old)
{
  if (old == NULL)
    return;
  sorter_free(old->sightings);
  free(old);
}

static bool note(shape_meter *to, uint64_t role, const char *bytes, size_t size)
{
  sighting seen = {key_hash_of(bytes, size), role};
  to->count[role]++;
  return sorter_add(to->sightings, &seen);
}

/* "//host/a/b/?q": a '/' at `begin` begins a segment; the last one before the query is the leaf, a '/' at its end
 * included. */
bool shape_meter_add(shape_meter *to, const char *key, size_t size)
{
  const char *query = memchr(key, '?', size);
  size_t end = query != NULL ? (size_t)(query - key) : size, begin = 2, depth = 0;
  while (begin < end && key[begin] != '/')
    begin++;
  bool is_kept = note(to, HOST, key, begin);
  while (is_kept && begin < end) {
    const char *next = memchr(key + begin + 1, '/', end - begin - 1);
    bool is_leaf = next == NULL || next == key + end - 1 || depth + 1 == SHAPE_DEPTHS;
    size_t stop = is_leaf ? end : (size_t)(next - key);
    depth++;
    is_kept = note(to, stop < end ? depth : LEAF, key + begin, stop - begin);
    begin = stop;
  }
  to->urls++;
  to->queries += query != NULL;
  to->depth[depth > 0 ? depth - 1 : 0]++;
  return is_kept;
}

/* Distinct segments of each role, and the number of URLs on each host. */
static bool count_distinct(shape_meter *of, sorter *pages)
{
  if (!sorter_finish(of->sightings))
    return false;
  sighting last = {.role = ROLES};
  uint64_t run = 0;
  for (const sighting *seen; (seen = sorter_next(of->sightings)) != NULL; last = *seen) {
    bool is_new = seen->role != last.role || key_hash_compare(&seen->hash, &last.hash) != 0;
    of->distinct[seen->role] += is_new;
    if (is_new && last.role == HOST && !sorter_add(pages, &run))
      return false;
    run = is_new ? 1 : run + 1;
  }
  return (last.role != HOST || sorter_add(pages, &run)) && sorter_finish(pages);
}

/* x^power = share of the first x. A host has at least one URL: the last one's share of them, power / hosts, is
 * no less than one. */
static unsigned fit_power(const shape_meter *of, sorter *pages)
{
  uint64_t top = (uint64_t)ceil((double)of->distinct[HOST] * top_hosts), held = 0;
  for (uint64_t i = 0; i < top; i++)
    held += *(const uint64_t *)sorter_next(pages);
  double x = (double)top / (double)of->distinct[HOST], share = (double)held / (double)of->urls;
  double power = x < 1 ? SHAPE_POWERS * log(share) / log(x) : SHAPE_POWERS;
  double least = ceil(SHAPE_POWERS * (double)of->distinct[HOST] / (double)of->urls);
  return (unsigned)fmin(fmax(round(power), fmax(least, 1)), SHAPE_POWERS);
}

static unsigned share_of(uint64_t part, uint64_t whole)
{
  return whole == 0 ? 0 : (unsigned)round((double)part / (double)whole * SHAPE_ONE);
}

/* Cumulative, so that the rounded shares sum up to one. */
static void fit_depths(const shape_meter *of, url_shape *shape)
{
  uint64_t sum = 0;
  unsigned before = 0;
  for (int i = 0; i < SHAPE_DEPTHS; i++) {
    sum += of->depth[i];
    shape->depth[i] = share_of(sum, of->urls) - before;
    before += shape->depth[i];
  }
}

bool shape_meter_finish(shape_meter *of, url_shape *shape)
{
  if (of->urls == 0) {
    errno = EINVAL;
    return false;
  }
  sorter *pages = sorter_create(of->directory, sizeof(uint64_t), largest_first, SORTER_MEMORY);
  bool is_counted = pages != NULL && count_distinct(of, pages);
  if (is_counted) {
    *shape = (url_shape){.hosts = (double)of->distinct[HOST] / (double)of->urls};
    shape->power = fit_power(of, pages);
    fit_depths(of, shape);
    for (int i = 0; i < SHAPE_DEPTHS; i++)
      shape->new_directory[i] = share_of(of->distinct[i + 1], of->count[i + 1]);
    shape->new_leaf = share_of(of->distinct[LEAF], of->count[LEAF]);
    shape->queries = share_of(of->queries, of->urls);
  }
  sorter_free(pages);
  return is_counted;
}
