/* mlbf/digest.h: similarity digests of byte strings.
 *
 * After Roussev, "Data Fingerprinting with Similarity Digests" (2010) and "Managing Terabyte-Scale Investigations with
 * Similarity Digests" (2012). A window of 64 bytes is a feature if its entropy is the rarest in more than 16 of the
 * neighbourhoods of 64 windows that it is in (blocks: the 192 windows with the most). It sets five bits in a 256-byte
 * Bloom filter. Two strings with common features have filters with more common bits than chance explains.
 *
 *     stream   filters of 160 features, one after another: about 2.7 % of the input. For files.
 *     blocks   one filter of at most 192 features for each 16 KiB (sdbf-dd). For large things, and in parallel.
 *
 * Where sdhash 4.0 and the papers differ, we follow sdhash: with sdhash's table of
 * ranks our digests equal sdhash's byte for byte. The built-in table is our own.
 *
 * Threads: digests never change once made; any number of threads may read one. */
#ifndef STRATA_MLBF_DIGEST_H
#define STRATA_MLBF_DIGEST_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MLBF_DIGEST_SIZE_MIN = 512,        /* bytes of input: shorter ones have too few features to compare */
  MLBF_DIGEST_STREAM_MAX = 16 << 20, /* use blocks for more: comparing time grows with the number of filters */
  MLBF_DIGEST_BLOCK = 16384,
  MLBF_DIGEST_FILTER_BYTES = 256,
  MLBF_ENTROPY_CLASSES = 1001, /* 0: one byte 64 times; 1000: 64 different bytes */
};

/* How rare each entropy class is: the lowest rank wins, rank 0 is never a feature. */
typedef struct mlbf_digest_ranks {
  uint16_t rank[MLBF_ENTROPY_CLASSES];
} mlbf_digest_ranks;

/* A table from counts of windows by class: the rarer a class, the lower its rank, from 1; classes 0 to 99 get 0 and
 * never win. mlbf_digest_count adds to counts[], which starts as zeros. */
void mlbf_digest_count(const void *bytes, size_t size, uint64_t counts[MLBF_ENTROPY_CLASSES]);
void mlbf_digest_ranks_from_counts(const uint64_t counts[MLBF_ENTROPY_CLASSES], mlbf_digest_ranks *ranks);

/* Reads a table from text: 1001 whole numbers below 65536, one per line; lines that begin with # are skipped.
 * BAD_ARGUMENT: the text is not valid, and `*line` is the line of the error. */
mlbf_status mlbf_digest_ranks_parse(const char *text, size_t size, mlbf_digest_ranks *ranks, size_t *line);

typedef struct mlbf_digest mlbf_digest;

/* Begin with MLBF_DIGEST_OPTIONS_DEFAULT; `size` as in mlbf_options. */
typedef struct mlbf_digest_options {
  size_t size;
  const mlbf_digest_ranks *ranks; /* NULL: the built-in table */
  bool blocks;                    /* else a stream */
  unsigned threads; /* for blocks: how many make it, 0 or 1: the caller's alone; the digest does not depend on it */
} mlbf_digest_options;

/* An initializer, in C and in C++: a stream with the built-in table. */
#define MLBF_DIGEST_OPTIONS_DEFAULT             \
  {                                             \
    sizeof(mlbf_digest_options), NULL, false, 0 \
  }

/* The digest of these bytes; free it. `options` NULL: the default ones. BAD_ARGUMENT: fewer than MLBF_DIGEST_SIZE_MIN
 * bytes, or a wrong `size`. Memory beside the digest: 64 KiB, for blocks 48 KiB a thread. */
mlbf_status mlbf_digest_create(const mlbf_digest_options *options, const void *bytes, size_t size,
                               mlbf_digest **digest);
void mlbf_digest_free(mlbf_digest *digest); /* NULL is fine */

/* How many filters it has. */
size_t mlbf_digest_filters(const mlbf_digest *digest);
/* How many features are in all of them. */
uint64_t mlbf_digest_features(const mlbf_digest *digest);
/* The name in the text that a digest was parsed from; of a created digest "". */
const char *mlbf_digest_name(const mlbf_digest *digest);

/* The digest as one line of text without its end, "sdbf:03:..." or "sdbf-dd:03:..."; free it. NULL: no memory. Bytes of
 * `name` that would break the line, control bytes and ':', are written as '?'. */
char *mlbf_digest_text(const mlbf_digest *digest, const char *name);

/* Parses one such line, without its end. BAD_ARGUMENT: the line is not valid, and `*why` says why. */
mlbf_status mlbf_digest_parse(const char *text, size_t size, mlbf_digest **digest, const char **why);

/* How common bits become a score. `chance`: common bits expected by chance; `most`: possible. */
typedef enum mlbf_digest_rule {
  MLBF_DIGEST_RULE_CURRENT, /* sdhash 4.0's, with its table of cutoffs computed */
  MLBF_DIGEST_RULE_PAPER,   /* the papers': filters of 6 features or more; cutoff: chance + 0.35 (most - chance) */
} mlbf_digest_rule;

enum {
  MLBF_DIGEST_INCOMPARABLE = -1, /* too few features in one of them */
  MLBF_DIGEST_NO_MEMORY = -2,
};

/* How much of the *smaller* digest is found in the larger, from 0 (no more than chance) to 100. Not a metric, and not
 * always symmetric for digests with equal numbers of filters. */
int mlbf_digest_score(const mlbf_digest *a, const mlbf_digest *b, mlbf_digest_rule rule);

#ifdef __cplusplus
}
#endif
#endif
