/* Yan and Cho's revocation pair and generations (revocation.h): a filter each, asked together.
 *
 * A generation begins empty, and all have the same options, so that none differs but in its keys. Called by a test. */
#include "datasets/papers/revocation.h"

#include <assert.h>
#include <string.h>

static bool has(const mlbf_filter *filter, mlbf_span key)
{
  mlbf_verdict verdict;
  mlbf_test(filter, &(mlbf_key){&key, 1}, 1, &verdict);
  return verdict.outcome == MLBF_SEEN;
}

static void insert(mlbf_filter *filter, mlbf_span key)
{
  mlbf_insert(filter, &(mlbf_key){&key, 1}, 1, NULL); /* MLBF_FULL is no failure: its rate rises */
}

bool pair_insert(const revocation_pair *pair, mlbf_span key)
{
  insert(pair->seen, key);
  return !has(pair->revoked, key);
}

void pair_revoke(const revocation_pair *pair, mlbf_span key)
{
  insert(pair->revoked, key);
}

bool pair_test(const revocation_pair *pair, mlbf_span key)
{
  return has(pair->seen, key) && !has(pair->revoked, key);
}

void pair_rates(const revocation_pair *pair, double *false_positives, double *false_negatives)
{
  *false_negatives = mlbf_rate(pair->revoked);
  *false_positives = mlbf_rate(pair->seen) * (1 - *false_negatives);
}

mlbf_status generations_make(const mlbf_options *options, uint32_t count, generations *made)
{
  mlbf_status status = MLBF_OK;
  assert(count >= 2 && count <= GENERATIONS_MAX);
  *made = (generations){.options = *options};
  while (status == MLBF_OK && made->count < count) {
    status = mlbf_create(options, &made->filters[made->count]);
    made->count += status == MLBF_OK;
  }
  if (status != MLBF_OK)
    generations_free(made);
  return status;
}

mlbf_status generations_age(generations *old)
{
  mlbf_filter *fresh;
  mlbf_status status = mlbf_create(&old->options, &fresh);
  if (status != MLBF_OK)
    return status;
  mlbf_free(old->filters[0]);
  memmove(old->filters, old->filters + 1, (old->count - 1) * sizeof *old->filters);
  old->filters[old->count - 1] = fresh;
  return MLBF_OK;
}

void generations_free(generations *old)
{
  for (uint32_t i = 0; i < old->count; i++)
    mlbf_free(old->filters[i]);
  *old = (generations){.count = 0};
}

bool generations_test(const generations *all, mlbf_span key)
{
  for (uint32_t i = 0; i < all->count; i++)
    if (has(all->filters[i], key))
      return true;
  return false;
}

bool generations_insert(generations *all, mlbf_span key)
{
  bool was_member = generations_test(all, key);
  insert(all->filters[all->count - 1], key);
  return was_member;
}

double generations_rate(const generations *all)
{
  double right = 1;
  for (uint32_t i = 0; i < all->count; i++)
    right *= 1 - mlbf_rate(all->filters[i]);
  return 1 - right;
}
