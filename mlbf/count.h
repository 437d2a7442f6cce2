/* mlbf/count.h: how often was a key added? The refined counting filter of Yan and Cho ("Enhancing Collaborative Spam
 * Detection with Bloom Filters", 2006).
 *
 * A count is the minimum of a key's k cells. It is never too low, until cells saturate at `limit`; it is too high with
 * a small probability. The paper's two refinements:
 *
 *   H1  raise only the smallest cells: the others are higher because they count other keys too. 1.3 to 15 times fewer
 *       wrong counts, depending on the order of keys (strata replay --paper counting).
 *   H2  if two of a key's hashes give the same cell, it is raised once.
 *
 * Most counts are small, so a cell has s + 1 bits: s of the count, and a flag that the high part of the count is in the
 * overflow table of the cell's chunk.
 *
 *   cells   | 0 01 | 0 11 | 1 10 | 0 00 | ...   s = 2        chunk of 1024 cells: [ (2, 5) (91, 1) ... ] sorted
 *                            ^ flag; count = 5 * 4 + 2
 *
 * Threads: one writer at a time; any number of readers while no thread writes. */
#ifndef STRATA_MLBF_COUNT_H
#define STRATA_MLBF_COUNT_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MLBF_COUNT_LIMIT_PAPER = 31, MLBF_COUNT_LIMIT_MOST = 65535 };

/* Begin with MLBF_COUNT_OPTIONS_DEFAULT; `size` as in mlbf_options. */
typedef struct mlbf_count_options {
  size_t size;
  uint64_t keys;         /* different keys expected, > 0 */
  double rate;           /* share of keys whose count may be too high, at that many keys, in (0,1); or 0, and `cells`
                        * given. Holds without H1; with H1 wrong counts are rarer */
  uint64_t cells;        /* m; or 0 */
  uint32_t hashes;       /* k, 1..32; 0 = the best */
  uint32_t base_bits;    /* s, 1..15; link counts take the least memory at 3 */
  uint32_t limit;        /* counts saturate here: 2^s-1..65535; the paper has 31 */
  bool minimal;          /* H1 */
  const uint8_t *secret; /* as in mlbf_options */
  uint64_t seed;
  const char *profile; /* how the caller made its keys; kept in files, compared when merging; "" or NULL */
} mlbf_count_options;

/* An initializer, in C and in C++: a million keys at a rate of 0.01, s = 3, counts up to 65535, H1; else zeros. */
#define MLBF_COUNT_OPTIONS_DEFAULT                                                                 \
  {                                                                                                \
    sizeof(mlbf_count_options), 1000000, 0.01, 0, 0, 3, MLBF_COUNT_LIMIT_MOST, true, NULL, 0, NULL \
  }
mlbf_count_options mlbf_count_options_default(void); /* the same, for other languages and assignments */

typedef struct mlbf_count mlbf_count;

/* MLBF_BAD_ARGUMENT, MLBF_NO_MEMORY; `*count` is set only on success. */
mlbf_status mlbf_count_create(const mlbf_count_options *options, mlbf_count **count);
void mlbf_count_free(mlbf_count *count); /* NULL is fine */

/* Adds `key` `times` times in a row; `*now` is its new count. MLBF_NO_MEMORY: nothing was added, `*now`
 * is untouched. */
mlbf_status mlbf_count_add(mlbf_count *count, mlbf_span key, uint32_t times, uint32_t *now);

/* The count of `key`; `limit` means "or more". */
uint32_t mlbf_count_get(const mlbf_count *count, mlbf_span key);

/* The same for callers with hash functions of their own: `places` are 1 to 32 cell numbers, each below `cells`. */
mlbf_status mlbf_count_add_at(mlbf_count *count, const uint64_t *places, uint32_t number, uint32_t times,
                              uint32_t *now);
uint32_t mlbf_count_get_at(const mlbf_count *count, const uint64_t *places, uint32_t number);

/* Every cell becomes the sum of both filters' cells, at most `limit`: `into` then has the counts of both, never too
 * low. Geometry, limit, H1, secret and profile must be equal, else MLBF_MISMATCH. On failure, also MLBF_NO_MEMORY,
 * nothing is changed. */
mlbf_status mlbf_count_merge(mlbf_count *into, const mlbf_count *from);

/* The delta: cells of `later` minus those of `earlier`, an earlier state of the same filter. It compresses well. Merged
 * into a copy of `earlier`, for instance on another server, it gives `later`; merged into a merge of whole filters that
 * include `earlier`, it replaces `earlier` by `later`.
 * Without H1 it may be merged into any filter, and adds its counts. With H1 it may not: cells that were already high
 * were not raised, so counts of another filter could become too low. This happens too if a server merges the deltas of
 * two clients that both started from its filter (which the paper does not say).
 * MLBF_MISMATCH as above, or if a cell is lower in `later`: `earlier` is then not an earlier state of it. */
mlbf_status mlbf_count_difference(const mlbf_count *later, const mlbf_count *earlier, mlbf_count **delta);

typedef struct mlbf_count_stats {
  uint64_t keys;      /* design load */
  uint64_t additions; /* sum of all `times`; after a merge, of both filters */
  uint64_t cells;
  uint32_t hashes, base_bits, limit;
  bool minimal;
  uint64_t overflows;  /* cells whose count is partly in a table */
  uint64_t bits;       /* of cells and tables, as in a file */
  uint64_t plain_bits; /* the same, if each cell could hold `limit` */
  uint64_t memory_bytes;
  double fill;           /* share of cells that are not 0; of a sample if there are many */
  double estimated_keys; /* different keys, from fill */
  double rate;           /* share of keys whose count may be too high, from fill; with H1 at most that */
  uint64_t seed;
  const char *profile; /* the filter's own */
} mlbf_count_stats;

/* Size, design rate and present state. */
void mlbf_count_stats_read(const mlbf_count *count, mlbf_count_stats *stats);

/* Its secret, wherever it came from: for other filters that must agree with it. */
void mlbf_count_secret(const mlbf_count *count, uint8_t secret[MLBF_SECRET_BYTES]);

/* As mlbf_save and mlbf_load. MLBF_MISMATCH: a file of another structure. */
mlbf_status mlbf_count_save(const mlbf_count *count, const char *path);
mlbf_status mlbf_count_load(const char *path, const uint8_t *secret, mlbf_count **count);

#ifdef __cplusplus
}
#endif
#endif
