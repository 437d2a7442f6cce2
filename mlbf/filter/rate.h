/* mlbf/filter/rate.h: the false-positive rate of a bit array, from its layout and load. Pure arithmetic.
 *
 *   layout       where a key's k bits lie                                          cache lines a key touches
 *   CLASSIC      anywhere in the array                                             k
 *   LINE         one 512-bit line, one bit in each of k lanes (k = 1, 2, 4, 8;     1
 *                12: in each of 8, and of 4 over them)
 *   TWO_LINES    two lines of one page, k/2 bits in each, as in LINE               2
 *
 * Lines fill unevenly: keys per line are Poisson distributed and crowded lines err more often, so LINE needs more bits
 * than CLASSIC for one rate. TWO_LINES errs mainly if both lines are crowded, so it needs fewer bits than one line of
 * twice the width: at 1e-6, 1.58 x log2(1/rate) bits per key, not 1.69. Few values of k are enough: with half or one
 * and a half times the best one a filter needs one or two hundredths more bits. */
#ifndef STRATA_MLBF_RATE_H
#define STRATA_MLBF_RATE_H

#include "mlbf/plan.h"

/* Whether a key's bits can be placed so: k is one of the layout's, and the bits are whole lines or pages. */
bool mlbf_layout_fits(const mlbf_array_plan *plan);

/* TWO_LINES: the pages of so many lines, the fewest that there are; each has lines / pages lines. */
uint64_t mlbf_layout_pages(uint64_t lines);

/* The k after this one that the layout can have; the first after 0, and 0 after the last. */
uint32_t mlbf_layout_next_hashes(mlbf_layout layout, uint32_t hashes);

/* Probability that a key never inserted finds all its bits set, with `keys` distinct keys in `bits` bits. */
double mlbf_layout_rate(mlbf_layout layout, uint32_t hashes, double bits, double keys);

/* Distinct keys expected where this share of the bits is set. */
double mlbf_layout_keys(mlbf_layout layout, uint32_t hashes, double bits, double fill);

/* The share of bits expected to be set with `keys` distinct keys: the other way. */
double mlbf_layout_fill(mlbf_layout layout, uint32_t hashes, double bits, double keys);

/* Bits per key for `rate` in a large array; infinite if this layout with k = `hashes` cannot have it. */
double mlbf_layout_bits_per_key(mlbf_layout layout, uint32_t hashes, double rate);

/* The k with the fewest bits for `rate` (CLASSIC: equation (1) of the papers), and those bits. */
uint32_t mlbf_layout_best_hashes(mlbf_layout layout, double rate, double *bits_per_key);

#endif
