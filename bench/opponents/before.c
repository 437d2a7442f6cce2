/* `line`, and `mlbf` with signals, of another checkout of this project: today's and yesterday's in one run. */
#include "mlbf/filter.h"
#include "bench/filter_opponent.h"

enum { AT_ONCE = 1024 };

static mlbf_filter *create(mlbf_options options, uint64_t *bits)
{
  mlbf_filter *made = NULL;
  mlbf_stats stats;
  options.seed = 1;
  if (mlbf_create(&options, &made) != MLBF_OK)
    opponent_need(NULL);
  mlbf_stats_read(made, &stats);
  *bits = stats.bits;
  return made;
}

static void *make_line(uint64_t keys, double rate, bool tells, uint64_t *bits)
{
  (void)tells;
  return create((mlbf_options){.size = sizeof(mlbf_options), .kind = MLBF_KIND_LINE, .keys = keys, .rate = rate}, bits);
}

static void *make_signals(uint64_t keys, double rate, bool tells, uint64_t *bits)
{
  (void)tells;
  return create(
    (mlbf_options){.size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = keys, .rate = rate, .signals = true},
    bits);
}

static uint64_t count_seen(const mlbf_verdict *verdicts, size_t count)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i++)
    seen += verdicts[i].outcome == MLBF_SEEN;
  return seen;
}

/* At most AT_ONCE keys. */
static uint64_t add_cut(void *to, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  mlbf_verdict verdicts[AT_ONCE];
  (void)texts;
  mlbf_insert(to, (const mlbf_key *)cut, count, verdicts);
  return count_seen(verdicts, count);
}

static uint64_t ask_cut(const void *whom, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  mlbf_verdict verdicts[AT_ONCE];
  (void)texts;
  mlbf_test(whom, (const mlbf_key *)cut, count, verdicts);
  return count_seen(verdicts, count);
}

static void whole_keys(const opponent_text *texts, size_t count, mlbf_key *keys)
{
  for (size_t i = 0; i < count; i++)
    keys[i] = (mlbf_key){(const mlbf_span *)&texts[i], 1};
}

static uint64_t add_whole(void *to, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  mlbf_key keys[AT_ONCE];
  (void)cut;
  whole_keys(texts, count, keys);
  return add_cut(to, texts, (const opponent_key *)keys, count);
}

static uint64_t ask_whole(const void *whom, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  mlbf_key keys[AT_ONCE];
  (void)cut;
  whole_keys(texts, count, keys);
  return ask_cut(whom, texts, (const opponent_key *)keys, count);
}

static void drop(void *whom)
{
  mlbf_free(whom);
}

const filter_opponent filter_before_line = {make_line, add_whole, ask_whole, drop};
const filter_opponent filter_before_signals = {make_signals, add_cut, ask_cut, drop};
