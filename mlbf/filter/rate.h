/* mlbf/filter/rate.h: the false-positive rate of a bit array, from its layout and load. Pure arithmetic.
 *
 *   layout       where a key's k bits lie                                   cache lines a key touches
 *   CLASSIC      anywhere in the array                                      k
 *   LANES        one 512-bit line, one bit in each of its 8 words (k = 8)   1
 *   LINE         one 512-bit line, anywhere in it                           1
 *   TWO_LINES    two unrelated lines, k/2 bits anywhere in each (k even)    2
 *
 * Lines fill unevenly: keys per line are Poisson distributed and crowded lines err more often, so LANES and
 * LINE need more bits than CLASSIC for one rate. TWO_LINES errs mainly if both lines are crowded, so it needs
 * fewer bits than one line of twice the width: at 1e-6, 1.55 x log2(1/rate) bits per key, not 1.69. */
#ifndef STRATA_MLBF_RATE_H
#define STRATA_MLBF_RATE_H

#include "mlbf/plan.h"

/* Probability that a key never inserted finds all its bits set, with `keys` distinct keys in `bits` bits. */
double mlbf_layout_rate(mlbf_layout layout, uint32_t hashes, double bits, double keys);

/* Distinct keys expected where this share of the bits is set. */
double mlbf_layout_keys(mlbf_layout layout, uint32_t hashes, double bits, double fill);

/* Bits per key for `rate`; infinite if this layout with k = `hashes` cannot have it. */
double mlbf_layout_bits_per_key(mlbf_layout layout, uint32_t hashes, double rate);

/* The k of 1..limit with the fewest bits for `rate` (CLASSIC: equation (1) of the papers), and those bits. */
uint32_t mlbf_layout_best_hashes(mlbf_layout layout, double rate, double *bits_per_key);

#endif
