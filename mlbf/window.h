/* mlbf/window.h: what both windows have in common. A window answers "was this key inserted within the last w
 * insertions?" or "... within the last D of time?", and forgets what is older by itself.
 *
 *   window_skip.h    SKIP Bloom filter (Tang, Lin, Han): exact window, 2 counters of log2(w+1) bits a place; literal
 *   window_epoch.h   ours: 4-bit cells, 50 times fewer false positives and more at equal bits; the one to take
 *
 * Both: a key inserted within the window is always seen (no false negative, ever); a key that was not is called seen
 * with a small probability. Inserting a key again makes it young again, whether it was seen or not.
 *
 * Time comes from the caller, in milliseconds from any beginning, so that a test (or a replay of a log) can hold the
 * clock. Time that goes back is taken as standing still: keys are then kept longer, never shorter.
 *
 * Threads: one writer at a time; any number of readers while nobody writes. */
#ifndef STRATA_MLBF_WINDOW_H
#define STRATA_MLBF_WINDOW_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mlbf_window_unit {
  MLBF_WINDOW_INSERTIONS = 1, /* every insertion counts, of a known key too; times given are ignored */
  MLBF_WINDOW_MS = 2,
} mlbf_window_unit;

typedef struct mlbf_window_options {
  mlbf_window_unit unit;
  uint64_t window;     /* insertions or milliseconds: 1..2^40, skip by insertions 1..2^32-2 */
  uint64_t keys;       /* different keys expected within one window; 0 = window, if that is in insertions */
  double rate;         /* promised false-positive rate with that many keys, in (0,1); or 0, and `bits` given */
  uint64_t bits;       /* of all cells together; or 0 */
  uint32_t hashes;     /* k, 1..32; 0 = the best */
  uint64_t seed;
  const char *profile; /* how the caller made its keys; kept in files; "" or NULL */
  bool steady;         /* skip: a third array, cleared bit by bit, instead of a pause at each swap */
} mlbf_window_options;

typedef struct mlbf_window_stats {
  mlbf_window_unit unit;
  uint64_t window;
  uint64_t slack;          /* a key is certainly forgotten once it is older than window + slack, in the same unit */
  uint64_t keys;           /* design load, as in the options */
  uint64_t cells;          /* of one array */
  uint32_t arrays, cell_bits, hashes;
  uint64_t bits, memory_bytes;
  uint64_t insertions, seen; /* all there were, and those answered "seen" */
  double fill;             /* share of places that would let a key pass as seen, now; of a sample if there are many */
  double rate;             /* false-positive probability now, from fill */
  double promised_rate;    /* at the design load */
  uint64_t seed;
  const char *profile;     /* the window's own */
} mlbf_window_stats;

#ifdef __cplusplus
}
#endif
#endif
