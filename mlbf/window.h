/* mlbf/window.h: was this key inserted within the last w insertions, or within the last w milliseconds? Older keys are
 * forgotten by themselves.
 *
 * A key inserted within the window is always seen (no false negatives); any other key is called seen with a small
 * probability. Inserting a key again restarts its time, whether it was seen or not.
 *
 * Cells have 4 bits, each for the epoch in which it was last written. The window is cut into up to 12 epochs. A key is
 * seen if all its cells were written in the current, unfinished epoch or the 12 before, so nothing within the window is
 * missed, and nothing older than window + slack (one epoch, 8 % of the window) is kept. Each insertion also clears
 * expired cells in a few cache lines, round robin: no pauses.
 *
 * The SKIP Bloom filter (Tang, Lin, Han) has two arrays of cells of b = ceil(log2(w+1)) bits. At equal bits this window
 * has b / 2 times as many cells as one of these. At k = 4 that gives at least 50 times fewer false positives wherever
 * SKIP is of use: up to its w/m of 0.34 at b = 10, 0.52 at b = 12, 1.0 at b = 20, where SKIP calls 19, 42 and 86 % of
 * all keys seen.
 *
 * Time comes from the caller, in milliseconds from any origin, so that a test (or a replay of a log) can control it.
 * If time goes back, the last time is used: keys are then kept longer, never shorter.
 *
 * Threads: one writer at a time; any number of readers while no thread writes. */
#ifndef STRATA_MLBF_WINDOW_H
#define STRATA_MLBF_WINDOW_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mlbf_window_unit {
  MLBF_WINDOW_INSERTIONS = 1, /* every insertion counts, also of a known key; `now_ms` is ignored */
  MLBF_WINDOW_MS = 2,
} mlbf_window_unit;

/* Begin with MLBF_WINDOW_OPTIONS_DEFAULT; `size` as in mlbf_options. */
typedef struct mlbf_window_options {
  size_t size;
  mlbf_window_unit unit;
  uint64_t window;       /* insertions or milliseconds: 1..2^40 */
  uint64_t keys;         /* different keys expected within one window; 0 = window, if that is in insertions */
  double rate;           /* promised false-positive rate at that many keys, in (0,1); or 0, and `bits` given */
  uint64_t bits;         /* of all cells together; or 0 */
  uint32_t hashes;       /* k, 1..32; 0 = the best */
  const uint8_t *secret; /* as in mlbf_options */
  uint64_t seed;
  const char *profile; /* how the caller made its keys; kept in files; "" or NULL */
} mlbf_window_options;

/* An initializer, in C and in C++: a million insertions at a rate of 1e-6; all else is zero. */
#define MLBF_WINDOW_OPTIONS_DEFAULT                                                            \
  {                                                                                            \
    sizeof(mlbf_window_options), MLBF_WINDOW_INSERTIONS, 1000000, 0, 1e-6, 0, 0, NULL, 0, NULL \
  }
mlbf_window_options mlbf_window_options_default(void); /* the same, for other languages and assignments */

typedef struct mlbf_window_stats {
  mlbf_window_unit unit;
  uint64_t window;
  uint64_t slack; /* a key is certainly forgotten once it is older than window + slack, in the same unit */
  uint64_t keys;  /* design load, as in the options */
  uint64_t cells;
  uint32_t hashes;
  uint64_t bits, memory_bytes;
  uint64_t insertions, seen; /* all, and those answered "seen" */
  double fill;               /* share of cells that now match a query; of a sample if there are many */
  double rate;               /* false-positive probability now, from fill */
  double promised_rate;      /* at the design load */
  uint64_t seed;
  const char *profile; /* the window's own */
} mlbf_window_stats;

typedef struct mlbf_epoch mlbf_epoch;

/* Memory: 4 bits per cell, 5.2 bytes per key at 1e-2, 15.6 at 1e-6 (the slack included). MLBF_BAD_ARGUMENT,
 * MLBF_NO_MEMORY; `*window` is set only on success. */
mlbf_status mlbf_epoch_create(const mlbf_window_options *options, mlbf_epoch **window);
void mlbf_epoch_free(mlbf_epoch *window); /* NULL is fine */

/* Inserts `key`; was it inserted within the window before?
 * Cost: k random cells, and the sequential sweep. After some epochs without insertions the next insertion sweeps for
 * all of them, at most the whole array once. */
bool mlbf_epoch_insert(mlbf_epoch *window, mlbf_span key, uint64_t now_ms);

/* The same question; changes nothing. */
bool mlbf_epoch_test(const mlbf_epoch *window, mlbf_span key, uint64_t now_ms);

/* Size, promised rate and present state. */
void mlbf_epoch_stats_read(const mlbf_epoch *window, mlbf_window_stats *stats);

/* As mlbf_save and mlbf_load. MLBF_MISMATCH: a file of another structure. */
mlbf_status mlbf_epoch_save(const mlbf_epoch *window, const char *path);
mlbf_status mlbf_epoch_load(const char *path, const uint8_t *secret, mlbf_epoch **window);

#ifdef __cplusplus
}
#endif
#endif
