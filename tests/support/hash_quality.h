/* Statistics of the keyed hash: how far from random its values are, in standard deviations. A test runs them for
 * seconds, bench/bench_hash.c for hours. */
#ifndef STRATA_TESTS_HASH_QUALITY_H
#define STRATA_TESTS_HASH_QUALITY_H

#include "mlbf/filter.h"

/* Two filters of one secret: they hash keys end to end, and with layers. */
typedef struct hash_filters {
  mlbf_filter *plain, *layered;
} hash_filters;

hash_filters hash_filters_make(uint64_t seed);
void hash_filters_free(hash_filters filters);

/* Of a set of values that should be random. */
typedef struct hash_verdict {
  uint64_t values, equal; /* pairs that agree in all 128 bits */
  double pairs;           /* that agree in 32 bits: deviation of the worst of four windows */
  double chi_square;      /* of windows of 8 and 16 bits at every byte, of lines and places in them: the worst */
} hash_verdict;

/* Reorders the values. */
hash_verdict hash_judge(mlbf_hash128 *values, uint64_t count);

/* Each bit of texts of this length flipped, `rounds` times: the worst of (bit in, bit out). Of texts shorter than four
 * bytes there are too few for one secret: each round has another. */
double hash_avalanche(const hash_filters *filters, size_t length, unsigned rounds);

/* Keys of 5 segments of up to `length` bytes, a bit of one of them flipped: as seen in the whole, and in its layer. The
 * other layers must not change: then infinite. */
double hash_avalanche_segments(const hash_filters *filters, size_t length, unsigned rounds);

/* Values are the differences of the hashes of `pairs` random pairs of texts, for each of `differences` fixed
 * differences of the texts: bits, bytes, random ones, in texts of 1 to 80 bytes. */
hash_verdict hash_differential(const hash_filters *filters, unsigned differences, unsigned pairs);

/* Values are the XORs of the wholes of (a,b), (a,d), (c,b), (c,d), beside other segments. */
hash_verdict hash_quadruples(const hash_filters *filters, uint64_t count);

/* Keys that are alike. */
typedef struct hash_family {
  const char *name;
  uint64_t most; /* how many there are */
  /* key `number` of the family */
  size_t (*make)(uint64_t number, uint8_t *text, mlbf_span *segments);
} hash_family;

extern const hash_family hash_families[]; /* up to one without a name */

/* The first `limit` of them, with layers or end to end. */
hash_verdict hash_family_verdict(const hash_filters *filters, const hash_family *family, uint64_t limit,
                                 bool is_layered);

/* Ascending; needs as much memory again. */
void hash_sort(uint64_t *values, uint64_t count);

#endif
