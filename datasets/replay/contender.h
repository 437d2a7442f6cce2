/* datasets/replay/contender.h: one interface for all filters of a replay.
 *
 *     bloom-paper   the seed paper's classic filter: m bits, k hashes
 *     mlbf-paper    the seed paper's: L layers and the XOR array, m bits and k hashes each
 *     bloom, mlbf, line     this library's, of equal total memory
 *     heritrix      classic at false positives 2^-22, as Heritrix's BloomUriUniqFilter is set up
 *     exact         every key's 128-bit hash in a table
 *     exec:COMMAND  a program (program.h), of whose memory nothing is known
 */
#ifndef STRATA_DATASETS_CONTENDER_H
#define STRATA_DATASETS_CONTENDER_H

#include "datasets/replay/batch.h"
#include "datasets/replay/program.h"

/* The interface a test's lying filter implements as well. Answers are written for each key of the batch. A program has
 * neither `insert` nor `test`: it is asked everything first. */
typedef struct contender {
  const char *name;
  void *state;
  void (*insert)(void *state, const key_batch *batch, bool *was_seen); /* test-and-set, in order */
  void (*test)(void *state, const key_batch *batch, bool *is_seen);
  void (*free)(void *state);
  program *program;     /* NULL: none */
  uint64_t bits;        /* of memory, all arrays together; 0: unknown */
  uint32_t hashes;      /* k of the deciding array; 0: has none */
  double promised_rate; /* of false positives on any query at its design load; 0: promises nothing */
} contender;

typedef struct contender_setting {
  uint64_t m; /* bloom-paper, mlbf-paper: bits of each array */
  uint32_t k, layers;
  double bits_per_url; /* bloom, mlbf, line; 0: together as many bits as mlbf-paper, (layers + 1) m */
  uint64_t seed;
  uint32_t limit_ms;     /* exec: the longest silence */
  const char *directory; /* exec: of its files */
} contender_setting;

/* The setting of the paper's experiment, which inserts up to PAPER_N URLs. */
enum { PAPER_M = 16829152, PAPER_N = 3000000, PAPER_K = 3, PAPER_LAYERS = 4 };

/* The m with which `n` URLs fill the paper's filters as its largest n did, in whole bytes. */
uint64_t contender_m_for(uint64_t n);

/* Bits of memory that contender_make would take; 0: there is no such filter. */
uint64_t contender_bits(const char *name, const contender_setting *setting, uint64_t keys);

enum { CONTENDER_KINDS = 7 };
const char *contender_name(int kind); /* 0..CONTENDER_KINDS-1, the paper's two first; static */

/* The contender called `name`, empty, for `keys` keys. False: `*reason` says why, and nothing was made. */
bool contender_make(const char *name, const contender_setting *setting, uint64_t keys, contender *made,
                    const char **reason);
void contender_free(contender *old); /* one of zero bytes is fine */

/* papers/mlbf_paper.c: mlbf-paper; without layers, bloom-paper */
bool contender_make_paper(bool has_layers, const contender_setting *setting, contender *made, const char **reason);

/* exact_set.c */
bool contender_make_exact(uint64_t keys, contender *made, const char **reason);
uint64_t contender_exact_bits(uint64_t keys);

#endif
