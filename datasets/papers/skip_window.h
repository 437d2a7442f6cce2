/* datasets/papers/skip_window.h: the SKIP Bloom filter of Tang, Lin and Han as printed: a window over insertions with
 * two generations of counters.
 *
 *   position p   1 2 3 ... w | 1 2 3 ... w       each insertion writes p into its k cells of the new generation
 *                old         | new, p now        and moves p on; after p = w the new becomes the old, the new is clear
 *
 *   seen  iff  min over k of new > 0, or min over k of old >= p
 *
 * which is exactly "within the last w insertions". For windows to be used, mlbf/window.h has at least 50 times
 * fewer false positives at equal bits. */
#ifndef STRATA_DATASETS_SKIP_WINDOW_H
#define STRATA_DATASETS_SKIP_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct skip_window skip_window;

enum { SKIP_HASHES_MAX = 32 };

/* Two arrays of m = `cells` each, which the paper gives ceil(log2(w + 1)) bits a cell. `window` is w, below 2^32; k is
 * 1 to 32. NULL: out of memory. */
skip_window *skip_create(uint64_t window, uint64_t cells, uint32_t hashes, uint64_t seed);
void skip_free(skip_window *old); /* NULL is fine */

/* Was the key among the last w insertions, as far as it can tell? */
bool skip_insert(skip_window *s, uint64_t key);
bool skip_test(const skip_window *s, uint64_t key);

/* False positives on keys never inserted, when every insertion is another key: the average over p = 1..w of
 * 1 - (1 - f(p)) (1 - f(w - p)), f(q) = (1 - e^(-kq/m))^k. `cells` is m, of one array. */
double skip_expected(double window, double cells, uint32_t hashes);

/* The same of mlbf/window.h's: the average of (1 - e^(-kn/m))^k as n, the number of keys in live cells, grows from w to
 * 13/12 w during an epoch. */
double epoch_expected(double window, double cells, uint32_t hashes);

/* What the paper prints instead, (1 - (1 - 1/(2m))^(wk))^k: as if both arrays were one of 2m cells. 4 to 43 times too
 * low (strata replay --paper skip). */
double skip_printed(double window, double cells, uint32_t hashes);

#endif
