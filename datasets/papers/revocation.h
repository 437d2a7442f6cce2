/* datasets/papers/revocation.h: two schemes of Yan and Cho on plain filters: revoking keys, and expiring them.
 *
 *   revocation pair      member  =  in `seen` and not in `revoked`
 *   generations          member  =  in any of g filters; the oldest is dropped, an empty one begins
 *
 * Each filter of a pair has false positives, and those of `revoked` are false negatives of the pair:
 *
 *   "member" for a key never inserted     rate of seen x (1 - rate of revoked)
 *   "no member" for a member              rate of revoked: a false negative, which plain filters do not have
 *
 * A revoked key can never be a member again: inserting it does not clear its bits in `revoked`. So `strata forget`,
 * whose URLs are fetched again, has an exact table instead, applied when the filter is rebuilt.
 *
 * Their third scheme, the OR of servers' filters, is mlbf_union. No command prints rates of these two; a test does. */
#ifndef STRATA_DATASETS_REVOCATION_H
#define STRATA_DATASETS_REVOCATION_H

#include "mlbf/filter.h"

typedef struct revocation_pair {
  mlbf_filter *seen, *revoked; /* of kinds without layers; the caller makes and frees them */
} revocation_pair;

bool pair_insert(const revocation_pair *pair,
                 mlbf_span key); /* is it a member now? not if it (or its like) is revoked */
void pair_revoke(const revocation_pair *pair, mlbf_span key);
bool pair_test(const revocation_pair *pair, mlbf_span key);

/* The two rates drawn above, now, from fill. */
void pair_rates(const revocation_pair *pair, double *false_positives, double *false_negatives);

enum { GENERATIONS_MAX = 64 };

typedef struct generations {
  uint32_t count;
  mlbf_options options;                  /* of each: the whole may be wrong `count` times as often */
  mlbf_filter *filters[GENERATIONS_MAX]; /* oldest first */
} generations;

/* 2 to 64 of a kind without layers. MLBF_NO_MEMORY: nothing was made, or nothing has changed. */
mlbf_status generations_make(const mlbf_options *options, uint32_t count, generations *made);
mlbf_status generations_age(generations *old);
void generations_free(generations *old);

/* Into the youngest, also if an older one has it: a key lives as long as its last insertion. Had one of them it? */
bool generations_insert(generations *all, mlbf_span key);
bool generations_test(const generations *all, mlbf_span key);
double generations_rate(const generations *all); /* that one is wrong about a stranger, now, from fill */

#endif
