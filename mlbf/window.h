/* mlbf/window.h: options and statistics of both windows. A window answers "was this key inserted within the last w
 * insertions?" or "... within the last w milliseconds?", and forgets older keys by itself.
 *
 *   (not installed)  SKIP Bloom filter (Tang, Lin, Han) as printed: exact window, 2 counters of log2(w+1) bits per cell
 *   window_epoch.h   ours: 4-bit cells, at least 50 times fewer false positives at equal bits; use this one
 *
 * Both: a key inserted within the window is always seen (no false negatives); any other key is called seen with a
 * small probability. Inserting a key again restarts its time, whether it was seen or not.
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

typedef struct mlbf_window_options {
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

typedef struct mlbf_window_stats {
  mlbf_window_unit unit;
  uint64_t window;
  uint64_t slack; /* a key is certainly forgotten once it is older than window + slack, in the same unit */
  uint64_t keys;  /* design load, as in the options */
  uint64_t cells; /* of one array */
  uint32_t arrays, cell_bits, hashes;
  uint64_t bits, memory_bytes;
  uint64_t insertions, seen; /* all, and those answered "seen" */
  double fill;               /* share of cells that now match a query; of a sample if there are many */
  double rate;               /* false-positive probability now, from fill */
  double promised_rate;      /* at the design load */
  uint64_t seed;
  const char *profile; /* the window's own */
} mlbf_window_stats;

#ifdef __cplusplus
}
#endif
#endif
