/* The rows of bench_filters: ours, a floor, and the opponents that were linked. */
#include "bench/filter_contenders.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "mlbf/plan.h"

_Static_assert(sizeof(opponent_text) == sizeof(mlbf_span) && sizeof(opponent_key) == sizeof(mlbf_key),
               "a list's spans are passed as they are");

#define LINE .kind = MLBF_KIND_LINE
const contender contenders[] = {
  {.name = "line", LINE},
  {.name = "line one by one", LINE, .single = true},
  {.name = "mlbf", .kind = MLBF_KIND_MLBF},
  {.name = "mlbf signals", .kind = MLBF_KIND_MLBF, .signals = true},
  {.name = "bloom", .against = "mlbf", .kind = MLBF_KIND_BLOOM},
  {.name = "bloom same bits", .against = "mlbf signals", .kind = MLBF_KIND_BLOOM, .same_bits = true},
  {.name = "floor", .against = "line", .is_floor = true},
  {.name = "RocksDB", .against = "line", .opponent = &filter_rocksdb},
  {.name = "RocksDB tells", .against = "line", .opponent = &filter_rocksdb, .tells = true},
  {.name = "split block", .against = "line", .opponent = &filter_split_block},
  {.name = "split block tells", .against = "line", .opponent = &filter_split_block, .tells = true},
  {.name = "RedisBloom", .against = "line", .opponent = &filter_redisbloom, .tells = true},
  {.name = "libbloom", .against = "line", .opponent = &filter_libbloom, .tells = true},
  {.name = "line before", .against = "line", .opponent = &filter_before_line, .tells = true},
  {.name = "signals before", .against = "mlbf signals", .opponent = &filter_before_signals, .tells = true},
};
const size_t contender_count = sizeof contenders / sizeof *contenders;

bool contender_is_there(const contender *row)
{
  return row->kind || row->is_floor || row->opponent;
}

url_keys url_keys_make(const url_list *list)
{
  url_keys made = {.count = list->count, .texts = list->texts};
  made.whole = opponent_need(malloc(list->count * sizeof *made.whole));
  made.layered = opponent_need(malloc(list->count * sizeof *made.layered));
  made.segments = opponent_need(malloc(list->count * MLBF_LAYERS_MAX * sizeof *made.segments));
  mlbf_span *next = made.segments;
  for (size_t i = 0; i < list->count; i++) {
    const mlbf_span *text = &list->texts[i];
    made.whole[i] = (mlbf_key){text, 1};
    made.layered[i] = (mlbf_key){next, url_cut(text->bytes, text->size, next)};
    next += made.layered[i].count;
  }
  return made;
}

void url_keys_free(url_keys *keys)
{
  free(keys->whole);
  free(keys->layered);
  free(keys->segments);
}

url_keys url_keys_part(const url_keys *of, size_t begin, size_t count)
{
  return (url_keys){count, of->texts + begin, of->whole + begin, of->layered + begin, NULL};
}

mlbf_filter *bench_filter(mlbf_kind kind, bool signals, uint64_t keys, double rate, uint64_t bits)
{
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = kind,
                          .keys = keys,
                          .rate = bits ? 0 : rate,
                          .seed = 1,
                          .signals = signals,
                          .bits = bits};
  mlbf_filter *filter = NULL;
  mlbf_status status = mlbf_create(&options, &filter);
  if (status != MLBF_OK) {
    fprintf(stderr, "%s\n", mlbf_status_text(status));
    exit(1);
  }
  return filter;
}

/* The floor */

typedef struct floor_lines {
  uint64_t *words, lines;
} floor_lines;

static floor_lines *floor_make(uint64_t bits)
{
  floor_lines *made = opponent_need(malloc(sizeof *made));
  made->lines = bits / MLBF_LINE_BITS;
  made->words = opponent_table(made->lines * 64);
  return made;
}

static uint64_t floor_run(const floor_lines *of, const url_keys *chunk, bool is_add)
{
  uint64_t seen = 0;
  for (size_t begin = 0; begin < chunk->count; begin += OPPONENT_BATCH) {
    size_t count = chunk->count - begin < OPPONENT_BATCH ? chunk->count - begin : OPPONENT_BATCH;
    uint64_t *words[OPPONENT_BATCH], bits[OPPONENT_BATCH];
    for (size_t i = 0; i < count; i++) {
      uint64_t hash = XXH3_64bits(chunk->texts[begin + i].bytes, chunk->texts[begin + i].size);
      bits[i] = UINT64_C(1) << (hash & 63);
      words[i] = of->words + ((hash >> 32) * of->lines >> 32) * MLBF_LINE_WORDS;
      __builtin_prefetch(words[i], 1);
    }
    for (size_t i = 0; i < count; i++) {
      seen += (*words[i] & bits[i]) != 0;
      if (is_add)
        *words[i] |= bits[i];
    }
  }
  return seen;
}

/* Ours */

static uint64_t signals_bits(uint64_t keys, double rate)
{
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = keys, .rate = rate, .signals = true};
  mlbf_plan plan;
  return mlbf_plan_make(&options, &plan, NULL) == MLBF_OK ? plan.bits : 0;
}

static uint64_t count_seen(const mlbf_verdict *verdicts, size_t count)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i++)
    seen += verdicts[i].outcome == MLBF_SEEN;
  return seen;
}

static uint64_t run_single(mlbf_filter *filter, const url_keys *chunk, bool is_add)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < chunk->count; i++) {
    const mlbf_key key = {&chunk->texts[i], 1};
    mlbf_verdict verdict;
    if (is_add)
      mlbf_insert(filter, &key, 1, &verdict);
    else
      mlbf_test(filter, &key, 1, &verdict);
    seen += verdict.outcome == MLBF_SEEN;
  }
  return seen;
}

static uint64_t run_batches(const contender *row, mlbf_filter *filter, const url_keys *chunk, bool is_add)
{
  mlbf_verdict verdicts[CHUNK_URLS];
  const mlbf_key *keys = row->kind == MLBF_KIND_MLBF ? chunk->layered : chunk->whole;
  if (is_add)
    mlbf_insert(filter, keys, chunk->count, verdicts);
  else
    mlbf_test(filter, keys, chunk->count, verdicts);
  return count_seen(verdicts, chunk->count);
}

/* All rows */

void *contender_make(const contender *row, uint64_t keys, double rate, uint64_t *bits)
{
  if (row->opponent)
    return row->opponent->make(keys, rate, row->tells, bits);
  mlbf_kind kind = row->is_floor ? MLBF_KIND_LINE : row->kind;
  uint64_t wanted = row->same_bits ? signals_bits(keys, rate) : 0;
  mlbf_filter *filter = bench_filter(kind, row->signals, keys, rate, wanted);
  mlbf_stats stats;
  mlbf_stats_read(filter, &stats);
  *bits = stats.bits;
  if (!row->is_floor)
    return filter;
  mlbf_free(filter);
  return floor_make(*bits);
}

static uint64_t run(const contender *row, void *filter, const url_keys *chunk, bool is_add)
{
  if (row->is_floor)
    return floor_run(filter, chunk, is_add);
  if (row->single)
    return run_single(filter, chunk, is_add);
  return run_batches(row, filter, chunk, is_add);
}

uint64_t contender_add(const contender *row, void *filter, const url_keys *chunk)
{
  if (row->opponent)
    return row->opponent->add(filter, (const opponent_text *)chunk->texts, (const opponent_key *)chunk->layered,
                              chunk->count);
  return run(row, filter, chunk, true);
}

uint64_t contender_ask(const contender *row, void *filter, const url_keys *chunk)
{
  if (row->opponent)
    return row->opponent->ask(filter, (const opponent_text *)chunk->texts, (const opponent_key *)chunk->layered,
                              chunk->count);
  return run(row, filter, chunk, false);
}

void contender_drop(const contender *row, void *filter)
{
  if (row->opponent)
    row->opponent->drop(filter);
  else if (!row->is_floor)
    mlbf_free(filter);
  else {
    free(((floor_lines *)filter)->words);
    free(filter);
  }
}

static int compare_doubles(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double median(double *values, size_t count)
{
  qsort(values, count, sizeof *values, compare_doubles);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}
