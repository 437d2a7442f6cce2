/* The chain: a filter for an unknown number of keys. growth.h draws it.
 *
 * Always, of a chain (assert_chain): all slices are of one kind and secret, so one hash serves all. Slice i + 1 has
 * room for twice the keys of slice i at 0.8 of its rate. Only the last slice takes keys, and a new slice is added only
 * when the last has its design load. A key is inserted only if no slice knew it, with its segments, into one slice. So
 * a key is SEEN if one slice says so, and a segment is new only if none knows it. If a slice cannot be made, the chain
 * stays as it is.
 *
 * `strata uniq` and Python have chains; the frontier keeps a log and so makes its filter anew (remake.h). One
 * thread at a time. All is in memory; mlbf/file/chain_file.c saves a chain. */
#include "mlbf/growth.h"

#include <stdlib.h>

#include "mlbf/filter/growth_inside.h"

enum { SLICE_GROWTH = 2 };

/* Each slice's share of the promised rate p: (1 - tightening) tightening^i sums to 1. 0.8 and not 0.5: the newest
 * slice holds half of all keys, and as the 12th it needs a rate of 0.017 p, not 0.0002 p. */
static const double tightening = 0.8;

/* As mlbf_create, with the secret of `like`. */
static mlbf_status create_like(const mlbf_filter *like, const mlbf_options *options, mlbf_filter **filter)
{
  mlbf_plan plan;
  mlbf_status status = mlbf_plan_make(options, &plan, NULL);
  return status == MLBF_OK ? mlbf_filter_make(&plan, &like->keying, like->profile, filter) : status;
}

static mlbf_options options_like(const mlbf_filter *filter, double keys, double rate)
{
  return (mlbf_options){
    .kind = filter->plan.kind, .keys = (uint64_t)keys, .rate = rate, .signals = filter->plan.signals};
}

mlbf_status mlbf_chain_create_sized(const mlbf_options *given, size_t options_size, mlbf_chain **chain)
{
  mlbf_options known, options;
  const mlbf_options *first = &known;
  if (!mlbf_options_take(&known, given, options_size))
    return MLBF_BAD_ARGUMENT;
  options = known;
  options.rate *= 1 - tightening;
  if (first->bits || !(first->rate < 1))
    return MLBF_BAD_ARGUMENT;
  mlbf_chain *made = calloc(1, sizeof *made);
  if (!made)
    return MLBF_NO_MEMORY;
  mlbf_status status = mlbf_create(&options, &made->slices[0]);
  if (status != MLBF_OK) {
    free(made);
    return status;
  }
  made->count = 1;
  *chain = made;
  return MLBF_OK;
}

void mlbf_chain_free(mlbf_chain *chain)
{
  for (uint32_t i = 0; chain && i < chain->count; i++)
    mlbf_free(chain->slices[i]);
  free(chain);
}

void mlbf_chain_hash(const mlbf_chain *chain, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  mlbf_hash(chain->slices[0], segments, count, hashes);
}

static bool some_slice_knows(const mlbf_chain *chain, uint32_t layer, mlbf_hash128 segment)
{
  for (uint32_t i = chain->count; i-- > 0;)
    if (mlbf_test_segment(chain->slices[i], layer, segment))
      return true;
  return false;
}

/* A new key's verdict: a slice knows only the segments of its own keys, so a segment is unknown if all say so. */
static mlbf_verdict new_verdict(const mlbf_chain *chain, const mlbf_hashes *hashes)
{
  uint32_t layers = mlbf_layer_count(chain->slices[0]);
  if (layers == 0)
    return (mlbf_verdict){MLBF_NEW, 0};
  for (uint32_t layer = 1; layer <= layers && layer <= hashes->depth; layer++)
    if (!some_slice_knows(chain, layer, hashes->layer[layer - 1]))
      return (mlbf_verdict){MLBF_NEW_SEGMENT, layer};
  return (mlbf_verdict){MLBF_NEW_COMBINATION, 0};
}

mlbf_verdict mlbf_chain_test(const mlbf_chain *chain, const mlbf_hashes *hashes)
{
  assert_chain(chain);
  for (uint32_t i = chain->count; i-- > 0;) {
    mlbf_verdict verdict = mlbf_test(chain->slices[i], hashes);
    if (verdict.outcome == MLBF_SEEN)
      return verdict;
  }
  return new_verdict(chain, hashes);
}

void mlbf_chain_prefetch(const mlbf_chain *chain, const mlbf_hashes *hashes)
{
  for (uint32_t i = 0; i < chain->count; i++)
    chain->slices[i]->operations->prefetch(chain->slices[i], hashes);
}

static mlbf_status add_slice(mlbf_chain *chain)
{
  const mlbf_filter *last = chain->slices[chain->count - 1];
  if (chain->count == MLBF_SLICES_MAX)
    return MLBF_BAD_ARGUMENT;
  mlbf_options options = options_like(last, (double)last->plan.keys * SLICE_GROWTH, last->plan.rate * tightening);
  mlbf_status status = create_like(last, &options, &chain->slices[chain->count]);
  chain->count += status == MLBF_OK;
  assert_chain(chain);
  return status;
}

mlbf_status mlbf_chain_insert(mlbf_chain *chain, const mlbf_hashes *hashes, mlbf_verdict *verdict)
{
  mlbf_filter *first = chain->slices[0];
  assert_chain(chain);
  if (chain->count == 1 && first->keys < first->plan.keys)
    return mlbf_insert(first, hashes, verdict); /* tests and sets in one pass */
  mlbf_verdict found = mlbf_chain_test(chain, hashes), ignored;
  if (found.outcome != MLBF_SEEN) {
    const mlbf_filter *last = chain->slices[chain->count - 1];
    mlbf_status status = last->keys < last->plan.keys ? MLBF_OK : add_slice(chain);
    if (status == MLBF_OK)
      status = mlbf_insert(chain->slices[chain->count - 1], hashes, &ignored);
    if (status != MLBF_OK)
      return status;
  }
  *verdict = found;
  return MLBF_OK;
}

mlbf_status mlbf_chain_insert_many(mlbf_chain *chain, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts,
                                   size_t *settled)
{
  mlbf_status status = MLBF_OK;
  size_t i = 0, fetched = 0;
  for (; i < count; i++) {
    for (; fetched < count && fetched < i + MLBF_BATCH; fetched++)
      mlbf_chain_prefetch(chain, &hashes[fetched]);
    status = mlbf_chain_insert(chain, &hashes[i], &verdicts[i]);
    if (status != MLBF_OK)
      break;
  }
  *settled = i;
  return status;
}

void mlbf_chain_stats_read(const mlbf_chain *chain, mlbf_chain_stats *stats)
{
  *stats = (mlbf_chain_stats){.kind = chain->slices[0]->plan.kind,
                              .profile = chain->slices[0]->profile,
                              .slices = chain->count,
                              .promised_rate = chain->slices[0]->plan.rate / (1 - tightening)};
  double all_right = 1;
  for (uint32_t i = 0; i < chain->count; i++) {
    stats->keys += chain->slices[i]->keys;
    stats->bits += chain->slices[i]->plan.bits;
    all_right *= 1 - mlbf_rate(chain->slices[i]);
  }
  stats->rate = 1 - all_right;
}
