/* datasets/make/shape.h: the shape of a URL list, in a few numbers. It is measured from a real list, and the generator
 * makes lists of it.
 *
 *     hosts          number of distinct hosts, and how unevenly URLs are distributed over them: a power law
 *     depth          segments after the host; a query or a final '/' does not count
 *     directories    all segments but the last: how many are new, at each depth
 *     leaf           the last segment: how many are new
 *     queries        how many URLs have a query
 */
#ifndef STRATA_DATASETS_SHAPE_H
#define STRATA_DATASETS_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SHAPE_DEPTHS = 15, /* deeper URLs count as this deep */
  SHAPE_ONE = 65536, /* shares are whole numbers of this many, so that every machine draws alike */
  SHAPE_POWERS = 64,
};

typedef struct url_shape {
  double hosts;                 /* distinct hosts a URL, in (0, 1] */
  unsigned power;               /* the first share x of the hosts, largest first, has x^(power / SHAPE_POWERS) of
                                       the URLs; 1..SHAPE_POWERS, which is all alike */
  unsigned depth[SHAPE_DEPTHS]; /* URLs with 1, 2, ... segments; their sum is SHAPE_ONE */
  unsigned new_directory[SHAPE_DEPTHS]; /* of SHAPE_ONE directories at depth 1, 2, ... */
  unsigned new_leaf;                    /* of SHAPE_ONE */
  unsigned queries;                     /* of SHAPE_ONE */
} url_shape;

/* The generator's own: about what large public lists have in common. */
extern const url_shape shape_usual;

typedef struct shape_meter shape_meter;

/* Measure URLs as they come, any number of them: a sorter's memory and room in `directory`. NULL: errno. */
shape_meter *shape_meter_create(const char *directory);
void shape_meter_free(shape_meter *old); /* NULL is fine */

bool shape_meter_add(shape_meter *to, const char *key, size_t size); /* rowkey.h's key. False: errno says why */

/* The shape of all that was added. False: errno says why; EINVAL: nothing was added. */
bool shape_meter_finish(shape_meter *of, url_shape *shape);

#endif
