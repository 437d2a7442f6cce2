/* datasets/make/generator.h: URL lists of any size from a seed, for tests and benches that need more URLs than
 * the published lists have, or other ones.
 *
 * A list follows a shape (shape.h), measured from a real list, or the default. For n URLs the default gives
 * (test_generator.c checks these numbers):
 *
 *     hosts          n / 10, sizes by a power law: the host of rank r has about r^-3/4 of the largest's pages,
 *                    the largest n^3/4 / 10^1/4 (56,000 of a million)
 *     depth          1 to 7 segments after the host, 3.1 on average
 *     directories    one in five is new, the others from words all hosts share at that depth
 *     leaves         two in three are new
 *     queries        one URL in ten
 *
 * Every URL of a list is a different page, the same (n, seed) gives the same bytes on every machine, and the
 * order is shuffled. All names end in .example, which RFC 2606 reserves: no real server has such a name.
 * Memory is constant; about 0.3 us per URL. */
#ifndef STRATA_DATASETS_GENERATOR_H
#define STRATA_DATASETS_GENERATOR_H

#include "datasets/make/shape.h"

#define GENERATOR_COUNT_MAX (UINT64_C(1) << 40) /* keeps the host arithmetic exact in a double's 53 bits */
enum { GENERATOR_URL_SIZE = 768 };              /* room for any generated URL, 16 segments, and its NUL */

typedef struct url_generator url_generator;

/* A list of `count` URLs, 1..GENERATOR_COUNT_MAX, of this shape. NULL: out of memory. */
url_generator *generator_create(uint64_t count, uint64_t seed, const url_shape *shape);
void generator_free(url_generator *generator); /* NULL is fine */

/* The next URL, NUL-terminated; its size, or 0 after the last. */
size_t generator_next(url_generator *generator, char url[GENERATOR_URL_SIZE]);

#endif
