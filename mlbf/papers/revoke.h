/* mlbf/papers/revoke.h: two schemes of Yan and Cho on plain filters: revoking keys, and expiring them. As in the paper;
 * `strata forget` uses neither; mlbf_pair says why.
 *
 *   revocation pair      member  =  in `seen` and not in `revoked`
 *   generations          member  =  in any of g filters; the oldest is dropped, an empty one begins
 *
 * Their OR of servers' filters is mlbf_union; saturating and delta merges of counts are in count.h. */
#ifndef STRATA_MLBF_REVOKE_H
#define STRATA_MLBF_REVOKE_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pair. Each filter has false positives, and those of `revoked` are false negatives of the pair:
 *
 *   "member" for a key never inserted     rate of seen x (1 - rate of revoked)
 *   "no member" for a member              rate of revoked: a false negative, which plain filters do not have
 *
 * A revoked key can never be a member again: inserting it does not clear its bits in `revoked`. So a crawler that
 * forgets URLs to fetch them again must not use a pair, but an exact table, applied when the filter is rebuilt. */
typedef struct mlbf_pair mlbf_pair;

/* Kinds without layers (bloom, line): MLBF_BAD_ARGUMENT otherwise. MLBF_NO_MEMORY. */
mlbf_status mlbf_pair_create(const mlbf_options *seen, const mlbf_options *revoked, mlbf_pair **pair);
void mlbf_pair_free(mlbf_pair *pair); /* NULL is fine */

/* Makes a pair of two filters, for instance loaded ones, and takes ownership of both, also if it fails. */
mlbf_status mlbf_pair_make(mlbf_filter *seen, mlbf_filter *revoked, mlbf_pair **pair);

/* `*is_member` after it: false if the key is (or seems) revoked. MLBF_FULL as mlbf_insert. */
mlbf_status mlbf_pair_insert(mlbf_pair *pair, mlbf_span key, bool *is_member);
mlbf_status mlbf_pair_revoke(mlbf_pair *pair, mlbf_span key);
bool mlbf_pair_test(const mlbf_pair *pair, mlbf_span key);

/* The two rates drawn above, now, from fill. */
void mlbf_pair_rates(const mlbf_pair *pair, double *false_member, double *false_stranger);

/* The filters themselves, to be saved or merged by the calls of filter.h; they stay the pair's. */
mlbf_filter *mlbf_pair_seen(mlbf_pair *pair);
mlbf_filter *mlbf_pair_revoked(mlbf_pair *pair);

/* Generations. */
typedef struct mlbf_generations mlbf_generations;

enum { MLBF_GENERATIONS_MAX = 64 };

/* `count` (2..64) filters of these options each, so `options->rate` is each one's and the whole may be wrong `count`
 * times as often. Kinds without layers. */
mlbf_status mlbf_generations_create(const mlbf_options *options, uint32_t count, mlbf_generations **generations);
void mlbf_generations_free(mlbf_generations *generations); /* NULL is fine */

/* Into the youngest generation, also if an older one has it: a key lives as long as its last insertion. `*was_member`:
 * some generation had it. MLBF_FULL: the youngest has passed its design load; it is time to age. */
mlbf_status mlbf_generations_insert(mlbf_generations *generations, mlbf_span key, bool *was_member);
bool mlbf_generations_test(const mlbf_generations *generations, mlbf_span key);

/* Drops the oldest generation and begins an empty one. MLBF_NO_MEMORY: nothing is changed. */
mlbf_status mlbf_generations_age(mlbf_generations *generations);

/* That some generation is wrong about a stranger, now, from fill. */
double mlbf_generations_rate(const mlbf_generations *generations);

/* One file, oldest first (FORMAT.md: slices); loading wants at least two slices of equal options: MLBF_MISMATCH. */
mlbf_status mlbf_generations_save(const mlbf_generations *generations, const char *path);
mlbf_status mlbf_generations_load(const char *path, mlbf_generations **generations);

#ifdef __cplusplus
}
#endif
#endif
