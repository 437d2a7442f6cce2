/* mlbf/window_epoch.h: a window of 4-bit cells, each holding the epoch in which it was last written.
 *
 * The window is cut into up to 12 epochs. A key is seen if all its cells were written in the current, unfinished epoch
 * or the 12 before, so nothing within the window is missed, and nothing older than window + slack (one epoch, 8 % of
 * the window) is kept. Each insertion also clears expired cells in a few cache lines, round robin: no pauses.
 *
 * At equal bits it has b / 2 times as many cells as one of SKIP's arrays, b = ceil(log2(w+1)), since one 4-bit cell
 * replaces two of b bits. At k = 4 that gives at least 50 times fewer false positives wherever SKIP is of use: up to
 * its w/m of 0.34 at b = 10, 0.52 at b = 12, 1.0 at b = 20, where SKIP calls 19, 42 and 86 % of all keys seen. */
#ifndef STRATA_MLBF_WINDOW_EPOCH_H
#define STRATA_MLBF_WINDOW_EPOCH_H

#include "mlbf/window.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mlbf_epoch mlbf_epoch;

/* Memory: 4 bits per cell, 5.2 bytes per key at 1e-2, 15.6 at 1e-6 (the slack included). MLBF_BAD_ARGUMENT,
 * MLBF_NO_MEMORY; `*window` is set only on success. */
mlbf_status mlbf_epoch_create(const mlbf_window_options *options, mlbf_epoch **window);
void mlbf_epoch_free(mlbf_epoch *window); /* NULL is fine */

/* Inserts `key`; was it inserted within the window before? MLBF_OK; MLBF_DAMAGED: the window is mapped and its file is
 * damaged, `*was_seen` is untouched, and later calls may fail too.
 * Cost: k random cells, and the sequential sweep. After some epochs without insertions the next insertion sweeps for
 * all of them, at most the whole array once. */
mlbf_status mlbf_epoch_insert(mlbf_epoch *window, mlbf_span key, uint64_t now_ms, bool *was_seen);

/* The same question; changes nothing. */
mlbf_status mlbf_epoch_test(const mlbf_epoch *window, mlbf_span key, uint64_t now_ms, bool *is_seen);

/* Size, promised rate and present state. */
void mlbf_epoch_stats_read(const mlbf_epoch *window, mlbf_window_stats *stats);

/* As mlbf_save, mlbf_load, mlbf_load_with, mlbf_map and mlbf_verify. MLBF_MISMATCH: a file of another structure. */
mlbf_status mlbf_epoch_save(const mlbf_epoch *window, const char *path);
mlbf_status mlbf_epoch_load(const char *path, mlbf_epoch **window);
mlbf_status mlbf_epoch_load_with(const char *path, const uint8_t *secret, mlbf_epoch **window);
mlbf_status mlbf_epoch_map(const char *path, mlbf_epoch **window);
mlbf_status mlbf_epoch_verify(mlbf_epoch *window);

/* False-positive rate of keys never inserted, if every insertion is a different key: the average of (1 - e^(-kn/m))^k
 * as n, the number of keys in live cells, grows from w to 13/12 w during an epoch. */
double mlbf_epoch_expected(double window, double cells, uint32_t hashes);

#ifdef __cplusplus
}
#endif
#endif
