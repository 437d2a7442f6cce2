/* mlbf/line.h: bits of a key inside one or two cache lines. Internal to mlbf/.
 *
 *   LANES       line = scale(low)     one bit in each of the 8 words; word i takes bits 6i..6i+5 of `high`
 *   LINE        line = scale(low)     k bits anywhere, from the upper half of `high`
 *   TWO_LINES   line = scale(low)     k/2 bits anywhere, from the upper half of `high`
 *               line = scale(low rotated by 32)   k/2 more, from the lower half of `high`
 *
 * Every path (scalar or any vector width) sets the same bits. */
#ifndef STRATA_MLBF_LINE_H
#define STRATA_MLBF_LINE_H

#include "mlbf/array.h"

bool mlbf_line_test(const mlbf_array *array, mlbf_hash128 hash);
bool mlbf_line_insert(mlbf_array *array, mlbf_hash128 hash); /* true: it was new */
void mlbf_line_prefetch(const mlbf_array *array, mlbf_hash128 hash);

#endif
