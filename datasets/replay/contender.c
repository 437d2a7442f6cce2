/* See contender.h. One table has all filters of ours: what they are, and what memory they get. Always: what
 * contender_make makes takes the bits that contender_bits says. replay.c makes and frees them, `strata replay` names
 * them. */
#include "datasets/replay/contender.h"

#include "mlbf/plan.h"
#include "mlbf/secret.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double heritrix_rate = 0x1p-22;

static void filter_insert(void *state, const key_batch *batch, bool *was_seen)
{
  mlbf_verdict verdicts[BATCH_KEYS];
  mlbf_insert(state, batch->keys[CUT_LAYERS], batch->count, verdicts);
  for (size_t i = 0; i < batch->count; i++)
    was_seen[i] = verdicts[i].outcome == MLBF_SEEN;
}

static void filter_test(void *state, const key_batch *batch, bool *is_seen)
{
  mlbf_verdict verdicts[BATCH_KEYS];
  mlbf_test(state, batch->keys[CUT_LAYERS], batch->count, verdicts);
  for (size_t i = 0; i < batch->count; i++)
    is_seen[i] = verdicts[i].outcome == MLBF_SEEN;
}

static void filter_free(void *state)
{
  mlbf_free(state);
}

static bool make_filter(const mlbf_options *options, contender *made, const char **reason)
{
  mlbf_filter *filter = NULL;
  mlbf_status status = mlbf_create(options, &filter);
  if (status != MLBF_OK) {
    *reason = mlbf_status_text(status);
    return false;
  }
  mlbf_stats stats;
  mlbf_stats_read(filter, &stats);
  *made = (contender){
    .state = filter,
    .insert = filter_insert,
    .test = filter_test,
    .free = filter_free,
    .bits = stats.bits,
    .hashes = stats.hashes,
    .promised_rate = stats.promised_rate,
  };
  return true;
}

typedef enum memory { MEMORY_PAPER, MEMORY_PAPER_LAYERS, MEMORY_EQUAL, MEMORY_BY_RATE, MEMORY_EXACT } memory;

static const struct {
  const char *name;
  mlbf_kind kind;
  memory memory;
} kinds[CONTENDER_KINDS] = {
  {"bloom-paper", 0, MEMORY_PAPER},
  {"mlbf-paper", 0, MEMORY_PAPER_LAYERS},
  {"bloom", MLBF_KIND_BLOOM, MEMORY_EQUAL},
  {"mlbf", MLBF_KIND_MLBF, MEMORY_EQUAL},
  {"line", MLBF_KIND_LINE, MEMORY_EQUAL},
  {"heritrix", MLBF_KIND_BLOOM, MEMORY_BY_RATE},
  {"exact", 0, MEMORY_EXACT},
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

/* Of one of this library's. Also from seed 0, of which mlbf would draw a secret, every run draws the same one. */
static mlbf_options options_for(int kind, const contender_setting *setting, uint64_t keys,
                                uint8_t secret[MLBF_SECRET_BYTES])
{
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = kinds[kind].kind, .keys = keys, .secret = secret, .seed = setting->seed};
  mlbf_secret_from_seed(setting->seed, secret);
  if (kinds[kind].memory == MEMORY_BY_RATE)
    options.rate = heritrix_rate;
  else
    options.bits = setting->bits_per_url > 0 ? (uint64_t)ceil(setting->bits_per_url * (double)keys)
                                             : (setting->layers + 1) * setting->m;
  return options;
}

static bool make_kind(int kind, const contender_setting *setting, uint64_t keys, contender *made, const char **reason)
{
  uint8_t secret[MLBF_SECRET_BYTES];
  switch (kinds[kind].memory) {
  case MEMORY_PAPER: return contender_make_paper(false, setting, made, reason);
  case MEMORY_PAPER_LAYERS: return contender_make_paper(true, setting, made, reason);
  case MEMORY_EXACT: return contender_make_exact(keys, made, reason);
  default: break;
  }
  mlbf_options options = options_for(kind, setting, keys, secret);
  return make_filter(&options, made, reason);
}

static bool make_program(const char *name, const contender_setting *setting, uint64_t keys, contender *made,
                         const char **reason)
{
  program *started = program_create(&(program_options){name, keys, setting->limit_ms, setting->directory});
  if (started == NULL)
    *reason = strerror(errno);
  else
    *made = (contender){.name = name, .program = started};
  return started != NULL;
}

bool contender_make(const char *name, const contender_setting *setting, uint64_t keys, contender *made,
                    const char **reason)
{
  if (program_is_name(name))
    return make_program(name, setting, keys, made, reason);
  for (int kind = 0; kind < CONTENDER_KINDS; kind++) {
    if (strcmp(kinds[kind].name, name) != 0)
      continue;
    bool is_made = make_kind(kind, setting, keys, made, reason);
    if (is_made)
      made->name = kinds[kind].name;
    return is_made;
  }
  *reason = "there is no such filter";
  return false;
}

static uint64_t bits_for(int kind, const contender_setting *setting, uint64_t keys)
{
  uint8_t secret[MLBF_SECRET_BYTES];
  mlbf_plan plan;
  switch (kinds[kind].memory) {
  case MEMORY_PAPER: return setting->m;
  case MEMORY_PAPER_LAYERS: return (setting->layers + 1) * setting->m;
  case MEMORY_EXACT: return contender_exact_bits(keys);
  default: break;
  }
  mlbf_options options = options_for(kind, setting, keys, secret);
  return mlbf_plan_make(&options, &plan, NULL) == MLBF_OK ? plan.bits : 0;
}

uint64_t contender_bits(const char *name, const contender_setting *setting, uint64_t keys)
{
  for (int kind = 0; kind < CONTENDER_KINDS; kind++)
    if (strcmp(kinds[kind].name, name) == 0)
      return bits_for(kind, setting, keys);
  return 0;
}

void contender_free(contender *old)
{
  if (old->free != NULL)
    old->free(old->state);
  program_free(old->program);
  *old = (contender){.name = NULL};
}
