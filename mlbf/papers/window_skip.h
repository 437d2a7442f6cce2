/* mlbf/papers/window_skip.h: the SKIP Bloom filter of Tang, Lin and Han as printed: a window over insertions (or time)
 * with two generations of counters.
 *
 *   position p   1 2 3 ... w | 1 2 3 ... w       each insertion writes p into its k cells of the new generation
 *                old         | new, p now        and moves p on; after p = w the new becomes the old, the new is clear
 *
 *   seen  iff  min over k of new > 0, or min over k of old >= p
 *
 * which is exactly "within the last w insertions". For reproducing the paper, and for windows exact to the insertion;
 * otherwise use window_epoch.h, which has at least 50 times fewer false positives at equal bits. */
#ifndef STRATA_MLBF_WINDOW_SKIP_H
#define STRATA_MLBF_WINDOW_SKIP_H

#include "mlbf/window.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mlbf_skip mlbf_skip;

/* A window in time is cut into this many ticks (fewer if it has fewer milliseconds); slack is one tick. */
enum { MLBF_SKIP_TICKS = 4095 };

/* Two arrays (steady: three) of cells of ceil(log2(w+1)) bits. `rate` is promised for the worst position, p = w;
 * mlbf_skip_expected is the average. MLBF_BAD_ARGUMENT, MLBF_NO_MEMORY. */
mlbf_status mlbf_skip_create(const mlbf_window_options *options, mlbf_skip **window);
void mlbf_skip_free(mlbf_skip *window); /* NULL is fine */

/* As the same calls of window_epoch.h. Cost: 2k cells; each w insertions an array is cleared, at once or (steady)
 * bit by bit. */
mlbf_status mlbf_skip_insert(mlbf_skip *window, mlbf_span key, uint64_t now_ms, bool *was_seen);
mlbf_status mlbf_skip_test(const mlbf_skip *window, mlbf_span key, uint64_t now_ms, bool *is_seen);
void mlbf_skip_stats_read(const mlbf_skip *window, mlbf_window_stats *stats);

/* As mlbf_save, mlbf_load, mlbf_map and mlbf_verify. MLBF_MISMATCH: a file of another structure. */
mlbf_status mlbf_skip_save(const mlbf_skip *window, const char *path);
mlbf_status mlbf_skip_load(const char *path, mlbf_skip **window);
mlbf_status mlbf_skip_map(const char *path, mlbf_skip **window);
mlbf_status mlbf_skip_verify(mlbf_skip *window);

/* False positives on keys never inserted, when every insertion is another key: the average over p = 1..w of
 * 1 - (1 - f(p)) (1 - f(w - p)), f(q) = (1 - e^(-kq/m))^k. `cells` is m, of one array. */
double mlbf_skip_expected(double window, double cells, uint32_t hashes);

/* What the paper prints instead, (1 - (1 - 1/(2m))^(wk))^k: as if both arrays were one of 2m cells. 4 to 43 times too
 * low (strata replay --paper skip). */
double mlbf_skip_printed(double window, double cells, uint32_t hashes);

#ifdef __cplusplus
}
#endif
#endif
