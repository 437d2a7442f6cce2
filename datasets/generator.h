/* datasets/generator.h: URL lists of any size from a seed, for tests and benches that need more URLs, or
 * others, than anyone may hand out.
 *
 * What the list looks like, of n URLs (test_generator.c holds these numbers to it):
 *
 *     hosts          n / 10, sizes by a power law: the host of rank r has about r^-3/4 of the largest's pages,
 *                    the largest n^3/4 / 10^1/4 (56,000 of a million)
 *     depth          1 to 7 segments after the host, 3.1 on average
 *     directories    chosen unevenly, two in three from words all hosts share at that depth
 *     leaves         numbered within their host, so that hosts share leaf names as they do in real lists
 *     queries        one URL in ten
 *
 * Every URL of a list is a different page, the same (n, seed) gives the same bytes on every machine, and the
 * order is shuffled. All names end in .example, which RFC 2606 keeps free: nobody's server is ever asked.
 * Memory is constant; about 0.2 us a URL. */
#ifndef STRATA_DATASETS_GENERATOR_H
#define STRATA_DATASETS_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

#define GENERATOR_COUNT_MAX (UINT64_C(1) << 40) /* keeps the host arithmetic exact in a double's 53 bits */
enum { GENERATOR_URL_SIZE = 256 };              /* room for any generated URL and its NUL */

typedef struct url_generator url_generator;

/* A list of `count` URLs, 1..GENERATOR_COUNT_MAX. NULL: out of memory. */
url_generator *generator_create(uint64_t count, uint64_t seed);
void generator_free(url_generator *generator); /* NULL is fine */

/* The next URL, NUL-terminated; its size, or 0 after the last. */
size_t generator_next(url_generator *generator, char url[GENERATOR_URL_SIZE]);

#endif
