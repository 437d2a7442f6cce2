/* datasets/replay/claims.h: the seed paper's claims against the measurements: words and numbers for the report. */
#ifndef STRATA_DATASETS_CLAIMS_H
#define STRATA_DATASETS_CLAIMS_H

#include "datasets/replay/results.h"

/* A verdict needs events. It is CLAIM_TOO_FEW with fewer than CLAIM_EVENTS errors on both sides, or timings, and where
 * the interval of what was measured lies on both sides of what is claimed: chance would often give another. */
typedef enum claim_verdict { CLAIM_UNKNOWN, CLAIM_HOLDS, CLAIM_PARTLY, CLAIM_FAILS, CLAIM_TOO_FEW } claim_verdict;

enum { CLAIM_EVENTS = 30 };

/* For people: "unknown", "holds", "partly", "fails", "too few to tell". */
const char *claim_verdict_text(claim_verdict verdict);

typedef struct claim {
  const char *said; /* by the paper, or by this library of its own filter */
  char measured[320];
  claim_verdict verdict;
} claim;

enum { CLAIMS_MAX = 12 };

typedef struct claims_input {
  const replay_results *results;
  const contender_setting *setting;
  uint64_t n;                      /* of the rows to look at: the largest there is */
  uint64_t distinct, both_schemes; /* of the list */
} claims_input;

/* Judge them all; how many there are. What needs a row that is missing is CLAIM_UNKNOWN. */
size_t claims_judge(const claims_input *input, claim claims[CLAIMS_MAX]);

/* Formula (4) of the paper for n inserted URLs: f^L, f = (1 - e^(-kn/m))^k. */
double claims_formula_4(const contender_setting *setting, uint64_t n);

#endif
