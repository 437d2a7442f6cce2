/* mlbf/count.h: how often was a key added? The refined counting filter of Yan and Cho ("Enhancing Collaborative Spam
 * Detection with Bloom Filters", 2006).
 *
 * A count is the least of a key's k cells. It is never too low, until cells saturate at `limit`; it is too high with a
 * small probability. The paper's two refinements:
 *
 *   H1  raise only the cells that are least: the others are high because of other keys already. Between 1.3 and 15
 *       times fewer wrong counts, by how keys follow each other (strata replay --paper counting). Cells then no longer
 *       hold sums, so nothing can be removed: deleting half of the keys would make 22 to 62 % of the rest vanish.
 *   H2  equal places of one key count once.
 *
 * Most counts are small, so a cell has s + 1 bits: s of the count, and a flag that says the rest of it is in the
 * overflow table of its chunk.
 *
 *   cells   | 0 01 | 0 11 | 1 10 | 0 00 | ...   s = 2        chunk of 1024 cells: [ (2, 5) (91, 1) ... ] sorted
 *                            ^ flag; count = 5 * 4 + 2
 *
 * Threads: one writer at a time; any number of readers while nobody writes. */
#ifndef STRATA_MLBF_COUNT_H
#define STRATA_MLBF_COUNT_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MLBF_COUNT_LIMIT_PAPER = 31, MLBF_COUNT_LIMIT_MOST = 65535 };

typedef struct mlbf_count_options {
  uint64_t keys;       /* different keys expected, > 0 */
  double rate;         /* share of keys whose count may be too high, with that many, in (0,1); or 0, and `cells` given.
                        * Kept without H1; with it wrong counts are rarer */
  uint64_t cells;      /* m; or 0 */
  uint32_t hashes;     /* k, 1..32; 0 = the best */
  uint32_t base_bits;  /* s, 1..15; 0 = 3, the least memory for link counts (tests/bench/bench_counts) */
  uint32_t limit;      /* counts saturate here: 2^s-1..65535; 0 = 65535; the paper has 31 */
  bool minimal;        /* H1 */
  uint64_t seed;
  const char *profile; /* how the caller made its keys; kept in files, compared when merging; "" or NULL */
} mlbf_count_options;

typedef struct mlbf_count mlbf_count;

/* MLBF_BAD_ARGUMENT, MLBF_NO_MEMORY; `*count` is set only on success. */
mlbf_status mlbf_count_create(const mlbf_count_options *options, mlbf_count **count);
void mlbf_count_free(mlbf_count *count); /* NULL is fine */

/* `key` came `times` times more, one directly after the other; `*now` is its count with them. MLBF_NO_MEMORY and
 * MLBF_DAMAGED (a mapped file): nothing was added, `*now` is untouched. */
mlbf_status mlbf_count_add(mlbf_count *count, mlbf_span key, uint32_t times, uint32_t *now);

/* The count of `key`; `limit` means "or more". MLBF_DAMAGED. */
mlbf_status mlbf_count_get(const mlbf_count *count, mlbf_span key, uint32_t *times);

/* Undo `times` additions of a key that was added at least as often; who removes what was never there makes other
 * counts too low. MLBF_BAD_ARGUMENT, and nothing is changed: with H1, for a delta, or if the count is less. Cells that
 * are saturated stay so. */
mlbf_status mlbf_count_remove(mlbf_count *count, mlbf_span key, uint32_t times, uint32_t *now);

/* The same for callers with hash functions of their own: `places`, each below `cells`, 1 to 32 of them. */
mlbf_status mlbf_count_add_at(mlbf_count *count, const uint64_t *places, uint32_t number, uint32_t times,
                              uint32_t *now);
mlbf_status mlbf_count_get_at(const mlbf_count *count, const uint64_t *places, uint32_t number, uint32_t *times);

/* Every cell min(limit, a + b): `into` then has the counts of both, never too low. Geometry, limit, H1, seed and
 * profile must be equal: MLBF_MISMATCH, and nothing is changed; nor is it after MLBF_NO_MEMORY. */
mlbf_status mlbf_count_merge(mlbf_count *into, const mlbf_count *from);

/* What has come since: cells of `later` minus those of `earlier`, an earlier state of the same filter. Merged into a
 * copy of `earlier` (anywhere: this is what servers send each other) it makes `later`, cell by cell; merged into a sum
 * of whole filters of which `earlier` is one, it makes the sum with `later` instead. Small once compressed.
 * Without H1 it may be merged into any filter, and adds what came. With H1 it may not: a cell that was high already was
 * not raised, so the counts of another filter could come out too low, and so could those of a server that takes the
 * deltas of two clients who both began with its filter (the paper does not say so; tests/mlbf/test_count.c shows it).
 * MLBF_MISMATCH as above, or if some cell is lower in `later`: then `earlier` is no earlier state of it. */
mlbf_status mlbf_count_difference(const mlbf_count *later, const mlbf_count *earlier, mlbf_count **delta);

typedef struct mlbf_count_stats {
  uint64_t keys;           /* design load */
  uint64_t additions;      /* all there were, each time one; after a merge those of both */
  uint64_t cells;
  uint32_t hashes, base_bits, limit;
  bool minimal;
  uint64_t overflows;      /* cells whose count is partly in a table */
  uint64_t bits;           /* cells and tables: what a file has */
  uint64_t plain_bits;     /* what it would be with cells that hold `limit` each */
  uint64_t memory_bytes;
  double fill;             /* share of cells that are not 0; of a sample if there are many */
  double estimated_keys;   /* different keys, from fill */
  double rate;             /* share of keys whose count may be too high, from fill; with H1 at most that */
  uint64_t seed;
  const char *profile;     /* the filter's own */
} mlbf_count_stats;

/* Its size, its promise, and what it holds now. */
void mlbf_count_stats_read(const mlbf_count *count, mlbf_count_stats *stats);

/* As mlbf_save, mlbf_load, mlbf_map and mlbf_verify; a map reads its overflow tables at once. MLBF_MISMATCH: a file
 * of another structure. */
mlbf_status mlbf_count_save(const mlbf_count *count, const char *path);
mlbf_status mlbf_count_load(const char *path, mlbf_count **count);
mlbf_status mlbf_count_map(const char *path, mlbf_count **count);
mlbf_status mlbf_count_verify(mlbf_count *count);

#ifdef __cplusplus
}
#endif
#endif
