#include "datasets/replay/contender.h"

#include "mlbf/plan.h"
#include "mlbf/secret.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double heritrix_rate = 0x1p-22;

typedef struct filter_state {
  mlbf_filter *filter;
  key_cut cut;
} filter_state;

static void filter_insert(void *state, const key_batch *batch, bool *was_seen)
{
  filter_state *of = state;
  mlbf_verdict verdicts[BATCH_KEYS];
  mlbf_insert_keys(of->filter, batch->keys[of->cut], batch->count, verdicts);
  for (size_t i = 0; i < batch->count; i++)
    was_seen[i] = verdicts[i].outcome == MLBF_SEEN;
}

/* As many hashes at once as the library fetches ahead for. */
enum { GROUP = 32 };

static void filter_test(void *state, const key_batch *batch, bool *is_seen)
{
  const filter_state *of = state;
  for (size_t begin = 0; begin < batch->count; begin += GROUP) {
    size_t count = batch->count - begin < GROUP ? batch->count - begin : GROUP;
    const mlbf_key *keys = batch->keys[of->cut] + begin;
    mlbf_hashes hashes[GROUP];
    mlbf_verdict verdicts[GROUP];
    for (size_t i = 0; i < count; i++)
      mlbf_hash(of->filter, keys[i].segments, keys[i].count, &hashes[i]);
    mlbf_test_many(of->filter, hashes, count, verdicts);
    for (size_t i = 0; i < count; i++)
      is_seen[begin + i] = verdicts[i].outcome == MLBF_SEEN;
  }
}

static void filter_free(void *state)
{
  filter_state *old = state;
  mlbf_free(old->filter);
  free(old);
}

static bool make_filter(const mlbf_options *options, key_cut cut, contender *made, const char **reason)
{
  filter_state *state = calloc(1, sizeof *state);
  mlbf_status status = state != NULL ? mlbf_create(options, &state->filter) : MLBF_NO_MEMORY;
  if (status != MLBF_OK) {
    *reason = mlbf_status_text(status);
    free(state);
    return false;
  }
  state->cut = cut;
  mlbf_stats stats;
  mlbf_stats_read(state->filter, &stats);
  bool is_printed = options->kind == MLBF_KIND_BLOOM_PAPER || options->kind == MLBF_KIND_MLBF_PAPER;
  *made = (contender){
    .state = state,
    .insert = filter_insert,
    .test = filter_test,
    .free = filter_free,
    .bits = stats.bits,
    .hashes = stats.hashes,
    .promised_rate = is_printed ? 0 : stats.promised_rate,
  };
  return true;
}

typedef enum memory { MEMORY_PAPER, MEMORY_EQUAL, MEMORY_BY_RATE, MEMORY_EXACT } memory;

static const struct {
  const char *name;
  mlbf_kind kind;
  key_cut cut;
  memory memory;
} kinds[CONTENDER_KINDS] = {
  {"bloom-paper", MLBF_KIND_BLOOM_PAPER, CUT_PAPER, MEMORY_PAPER},
  {"mlbf-paper", MLBF_KIND_MLBF_PAPER, CUT_PAPER, MEMORY_PAPER},
  {"bloom", MLBF_KIND_BLOOM, CUT_LAYERS, MEMORY_EQUAL},
  {"mlbf", MLBF_KIND_MLBF, CUT_LAYERS, MEMORY_EQUAL},
  {"line", MLBF_KIND_LINE, CUT_LAYERS, MEMORY_EQUAL},
  {"heritrix", MLBF_KIND_BLOOM, CUT_LAYERS, MEMORY_BY_RATE},
  {"exact", 0, CUT_LAYERS, MEMORY_EXACT},
};

const char *contender_name(int kind)
{
  assert(kind >= 0 && kind < CONTENDER_KINDS);
  return kinds[kind].name;
}

uint64_t contender_m_for(uint64_t n)
{
  return 8 * (uint64_t)ceil((double)n * PAPER_M / PAPER_N / 8);
}

/* Also from seed 0, of which mlbf would draw a secret, every run draws the same one. */
static mlbf_options options_of(int kind, const contender_setting *setting, uint64_t keys,
                               uint8_t secret[MLBF_SECRET_BYTES])
{
  mlbf_options options = {.kind = kinds[kind].kind, .keys = keys, .seed = setting->seed};
  mlbf_secret_from_seed(setting->seed, secret);
  if (kinds[kind].memory != MEMORY_PAPER)
    options.secret = secret;
  switch (kinds[kind].memory) {
  case MEMORY_PAPER:
    options.bits = setting->m;
    options.hashes = setting->k;
    options.layers = options.kind == MLBF_KIND_MLBF_PAPER ? setting->layers : 0;
    break;
  case MEMORY_EQUAL:
    options.bits = setting->bits_per_url > 0 ? (uint64_t)ceil(setting->bits_per_url * (double)keys)
                                             : (setting->layers + 1) * setting->m;
    break;
  case MEMORY_BY_RATE:
  case MEMORY_EXACT: options.rate = heritrix_rate; break;
  }
  return options;
}

bool contender_make(const char *name, const contender_setting *setting, uint64_t keys, contender *made,
                    const char **reason)
{
  for (int kind = 0; kind < CONTENDER_KINDS; kind++) {
    if (strcmp(kinds[kind].name, name) != 0)
      continue;
    uint8_t secret[MLBF_SECRET_BYTES];
    mlbf_options options = options_of(kind, setting, keys, secret);
    bool is_made = kinds[kind].memory == MEMORY_EXACT ? contender_make_exact(keys, made, reason)
                                                      : make_filter(&options, kinds[kind].cut, made, reason);
    if (is_made)
      made->name = kinds[kind].name;
    return is_made;
  }
  *reason = "there is no such filter";
  return false;
}

uint64_t contender_bits(const char *name, const contender_setting *setting, uint64_t keys)
{
  for (int kind = 0; kind < CONTENDER_KINDS; kind++) {
    uint8_t secret[MLBF_SECRET_BYTES];
    mlbf_plan plan;
    if (strcmp(kinds[kind].name, name) != 0)
      continue;
    if (kinds[kind].memory == MEMORY_EXACT)
      return contender_exact_bits(keys);
    mlbf_options options = options_of(kind, setting, keys, secret);
    return mlbf_plan_make(&options, &plan, NULL) == MLBF_OK ? plan.bits : 0;
  }
  return 0;
}

void contender_free(contender *old)
{
  if (old->free != NULL)
    old->free(old->state);
  *old = (contender){.name = NULL};
}
