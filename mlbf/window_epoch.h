/* mlbf/window_epoch.h: a window of 4-bit cells, each holding the epoch in which its place was last written.
 *
 * The window is cut into up to 12 epochs. A key is seen if all its cells were written in this epoch or the 12 before,
 * so nothing within the window is missed, and nothing older than window + slack (one epoch, 8 % of the window) is
 * kept. Cells too old are cleared by a sweep that goes round with the insertions, a few cache lines a key: no
 * pauses. Against SKIP at equal bits this has b / 2 times as many places as one of its arrays, b = ceil(log2(w+1)),
 * as 4 bits take the place of two times b. At k = 4 that makes 50 times fewer false positives and more as long as w/m,
 * m being SKIP's, is below 0.34 at b = 10, 0.52 at b = 12, 1.0 at b = 20; then SKIP calls 19, 42 and 86 % of all keys
 * seen. */
#ifndef STRATA_MLBF_WINDOW_EPOCH_H
#define STRATA_MLBF_WINDOW_EPOCH_H

#include "mlbf/window.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mlbf_epoch mlbf_epoch;

/* Memory: 4 bits a cell, 5.2 bytes a key at 1e-2, 15.6 at 1e-6 (the epoch of slack included). MLBF_BAD_ARGUMENT,
 * MLBF_NO_MEMORY; `*window` is set only on success. */
mlbf_status mlbf_epoch_create(const mlbf_window_options *options, mlbf_epoch **window);
void mlbf_epoch_free(mlbf_epoch *window); /* NULL is fine */

/* Was `key` inserted within the window? And insert it. MLBF_OK; MLBF_DAMAGED: the window is mapped and its file turns
 * out damaged, `*was_seen` is untouched, and so may every later call be.
 * Cost: k cells anywhere, and the sweep, which is sequential. After a silence of some epochs the next insertion sweeps
 * for all of them, at most the whole array once. */
mlbf_status mlbf_epoch_insert(mlbf_epoch *window, mlbf_span key, uint64_t now_ms, bool *was_seen);

/* The same question; changes nothing. */
mlbf_status mlbf_epoch_test(const mlbf_epoch *window, mlbf_span key, uint64_t now_ms, bool *is_seen);

/* Its size, its promise, and what it holds now. */
void mlbf_epoch_stats_read(const mlbf_epoch *window, mlbf_window_stats *stats);

/* As mlbf_save, mlbf_load, mlbf_map and mlbf_verify. MLBF_MISMATCH: a file of another structure. */
mlbf_status mlbf_epoch_save(const mlbf_epoch *window, const char *path);
mlbf_status mlbf_epoch_load(const char *path, mlbf_epoch **window);
mlbf_status mlbf_epoch_map(const char *path, mlbf_epoch **window);
mlbf_status mlbf_epoch_verify(mlbf_epoch *window);

/* False positives on keys never inserted, when every insertion is another key: the average of (1 - e^(-kn/m))^k as n,
 * the keys of live cells, grows from w to 13/12 w while an epoch lasts. */
double mlbf_epoch_expected(double window, double cells, uint32_t hashes);

#ifdef __cplusplus
}
#endif
#endif
