#include "mlbf/papers/revoke.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mlbf/file/disk_io.h"
#include "mlbf/file/file.h"
#include "mlbf/filter/inside.h"

/* Kinds with layers are refused: a pair and generations do not use layers. */
static bool kind_fits(mlbf_kind kind)
{
  return kind == MLBF_KIND_BLOOM || kind == MLBF_KIND_LINE;
}

static bool has(const mlbf_filter *filter, mlbf_span key)
{
  mlbf_hashes hashes;
  mlbf_hash(filter, &key, 1, &hashes);
  mlbf_outcome outcome = mlbf_test(filter, &hashes).outcome;
  return outcome == MLBF_SEEN;
}

static mlbf_status put(mlbf_filter *filter, mlbf_span key)
{
  mlbf_hashes hashes;
  mlbf_verdict verdict;
  mlbf_hash(filter, &key, 1, &hashes);
  return mlbf_insert(filter, &hashes, &verdict);
}

static bool is_in(mlbf_status status)
{
  return status == MLBF_OK || status == MLBF_FULL;
}

/* Revocation */

struct mlbf_pair {
  mlbf_filter *seen, *revoked;
};

mlbf_status mlbf_pair_make(mlbf_filter *seen, mlbf_filter *revoked, mlbf_pair **pair)
{
  bool fits = kind_fits(seen->plan.kind) && kind_fits(revoked->plan.kind);
  mlbf_pair *made = fits ? malloc(sizeof *made) : NULL;
  if (!made) {
    mlbf_free(seen);
    mlbf_free(revoked);
    return fits ? MLBF_NO_MEMORY : MLBF_BAD_ARGUMENT;
  }
  assert(seen != revoked);
  *made = (mlbf_pair){seen, revoked};
  *pair = made;
  return MLBF_OK;
}

mlbf_status mlbf_pair_create(const mlbf_options *seen, const mlbf_options *revoked, mlbf_pair **pair)
{
  mlbf_filter *first = NULL, *second = NULL;
  mlbf_status status = mlbf_create(seen, &first);
  if (status == MLBF_OK)
    status = mlbf_create(revoked, &second);
  if (status == MLBF_OK)
    return mlbf_pair_make(first, second, pair);
  mlbf_free(first);
  return status;
}

void mlbf_pair_free(mlbf_pair *pair)
{
  if (!pair)
    return;
  mlbf_free(pair->seen);
  mlbf_free(pair->revoked);
  free(pair);
}

mlbf_status mlbf_pair_insert(mlbf_pair *pair, mlbf_span key, bool *is_member)
{
  mlbf_status status = put(pair->seen, key);
  if (is_in(status))
    *is_member = !has(pair->revoked, key);
  return status;
}

mlbf_status mlbf_pair_revoke(mlbf_pair *pair, mlbf_span key)
{
  return put(pair->revoked, key);
}

bool mlbf_pair_test(const mlbf_pair *pair, mlbf_span key)
{
  return has(pair->seen, key) && !has(pair->revoked, key);
}

void mlbf_pair_rates(const mlbf_pair *pair, double *false_member, double *false_stranger)
{
  *false_stranger = mlbf_rate(pair->revoked);
  *false_member = mlbf_rate(pair->seen) * (1 - *false_stranger);
}

mlbf_filter *mlbf_pair_seen(mlbf_pair *pair)
{
  return pair->seen;
}

mlbf_filter *mlbf_pair_revoked(mlbf_pair *pair)
{
  return pair->revoked;
}

/* Ageing */

struct mlbf_generations {
  uint32_t count;
  mlbf_filter *filters[MLBF_GENERATIONS_MAX]; /* oldest first; the last takes the insertions */
};

void mlbf_generations_free(mlbf_generations *generations)
{
  for (uint32_t i = 0; generations && i < generations->count; i++)
    mlbf_free(generations->filters[i]);
  free(generations);
}

mlbf_status mlbf_generations_create(const mlbf_options *options, uint32_t count, mlbf_generations **generations)
{
  if (count < 2 || count > MLBF_GENERATIONS_MAX || !kind_fits(options->kind))
    return MLBF_BAD_ARGUMENT;
  mlbf_generations *made = calloc(1, sizeof *made);
  mlbf_status status = made ? MLBF_OK : MLBF_NO_MEMORY;
  while (status == MLBF_OK && made->count < count) {
    status = mlbf_create(options, &made->filters[made->count]);
    made->count += status == MLBF_OK;
  }
  if (status == MLBF_OK)
    *generations = made;
  else
    mlbf_generations_free(made);
  return status;
}

bool mlbf_generations_test(const mlbf_generations *generations, mlbf_span key)
{
  for (uint32_t i = generations->count; i-- > 0;)
    if (has(generations->filters[i], key))
      return true;
  return false;
}

mlbf_status mlbf_generations_insert(mlbf_generations *generations, mlbf_span key, bool *was_member)
{
  assert(generations->count >= 2 && generations->count <= MLBF_GENERATIONS_MAX);
  bool was = mlbf_generations_test(generations, key);
  mlbf_status status = put(generations->filters[generations->count - 1], key);
  if (is_in(status))
    *was_member = was;
  return status;
}

mlbf_status mlbf_generations_age(mlbf_generations *generations)
{
  mlbf_filter *oldest = generations->filters[0], *fresh;
  assert(generations->count >= 2 && generations->count <= MLBF_GENERATIONS_MAX);
  mlbf_status status = mlbf_filter_make(&oldest->plan, &oldest->keying, oldest->profile, &fresh);
  if (status != MLBF_OK)
    return status;
  memmove(generations->filters, generations->filters + 1, (generations->count - 1) * sizeof(mlbf_filter *));
  generations->filters[generations->count - 1] = fresh;
  mlbf_free(oldest);
  return MLBF_OK;
}

double mlbf_generations_rate(const mlbf_generations *generations)
{
  double right = 1;
  for (uint32_t i = 0; i < generations->count; i++)
    right *= 1 - mlbf_rate(generations->filters[i]);
  return 1 - right;
}

mlbf_status mlbf_generations_save(const mlbf_generations *generations, const char *path)
{
  return mlbf_file_save((const mlbf_filter *const *)generations->filters, generations->count, path);
}

static bool are_alike(const mlbf_filter *a, const mlbf_filter *b)
{
  return a->plan.kind == b->plan.kind && a->plan.arrays[0].bits == b->plan.arrays[0].bits &&
         a->plan.arrays[0].hashes == b->plan.arrays[0].hashes && a->plan.arrays[0].layout == b->plan.arrays[0].layout &&
         a->plan.keys == b->plan.keys && mlbf_keying_equal(&a->keying, &b->keying) &&
         strcmp(a->profile, b->profile) == 0;
}

static mlbf_status read_all(int file, mlbf_generations *made)
{
  uint64_t offset = 0;
  uint32_t slices = 1;
  while (made->count < slices) {
    mlbf_status status = mlbf_file_load_slice(file, NULL, &offset, made->count, &slices, &made->filters[made->count]);
    if (status != MLBF_OK)
      return status;
    made->count++;
    mlbf_filter *newest = made->filters[made->count - 1];
    if (slices < 2 || slices > MLBF_GENERATIONS_MAX || !kind_fits(newest->plan.kind) ||
        !are_alike(made->filters[0], newest))
      return MLBF_MISMATCH;
  }
  return MLBF_OK;
}

mlbf_status mlbf_generations_load(const char *path, mlbf_generations **generations)
{
  int file = mlbf_disk_open(path);
  if (file < 0)
    return MLBF_IO;
  mlbf_generations *made = calloc(1, sizeof *made);
  mlbf_status status = made ? read_all(file, made) : MLBF_NO_MEMORY;
  int why = errno;
  close(file);
  if (status == MLBF_OK)
    *generations = made;
  else
    mlbf_generations_free(made);
  errno = why;
  return status;
}
