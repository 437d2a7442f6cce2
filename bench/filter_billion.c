#include "bench/filter_billion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/filter_queries.h"
#include "datasets/replay/contender.h"

enum { KINDS = 2, SEEDS = 32, QUERIES = 2100000, DRAWS = 4 * QUERIES, LINE_MAX_BYTES = 128 };

static const struct {
  const char *name;
  mlbf_kind kind;
  bool signals;
} kinds[KINDS] = {{"line", MLBF_KIND_LINE, false}, {"mlbf-signals", MLBF_KIND_MLBF, true}};

typedef struct group {
  mlbf_filter *filters[KINDS][SEEDS];
  truth known; /* what was inserted or asked */
  uint64_t queries[SETS], wrong[KINDS][SETS];
} group;

/* The keys of a batch that count, as each kind wants them. */
typedef struct chosen {
  size_t count;
  mlbf_span texts[BATCH_KEYS];
  mlbf_key keys[KINDS][BATCH_KEYS];
} chosen;

static void choose(chosen *to, const key_batch *batch, truth *known)
{
  to->count = 0;
  for (size_t i = 0; i < batch->count; i++) {
    const mlbf_key *cut = &batch->keys[CUT_LAYERS][i];
    if (!truth_add(known, batch->hash[i]))
      continue;
    const mlbf_span *last = &cut->segments[cut->count - 1];
    const char *begin = cut->segments[0].bytes, *end = (const char *)last->bytes + last->size;
    to->texts[to->count] = (mlbf_span){begin, (size_t)(end - begin)};
    to->keys[0][to->count] = (mlbf_key){&to->texts[to->count], 1};
    to->keys[1][to->count++] = *cut;
  }
}

static void create_filters(group *of, uint64_t keys, unsigned long number)
{
  for (size_t k = 0; k < KINDS; k++)
    for (size_t s = 0; s < SEEDS; s++) {
      const mlbf_options options = {.size = sizeof(mlbf_options),
                                    .kind = kinds[k].kind,
                                    .keys = keys,
                                    .rate = 1e-6,
                                    .seed = 1 + number * SEEDS + s,
                                    .signals = kinds[k].signals};
      if (mlbf_create(&options, &of->filters[k][s]) != MLBF_OK)
        need(NULL);
    }
}

static void insert_keys(group *of, const source *from, key_batch *batch)
{
  static chosen some;
  mlbf_verdict verdicts[BATCH_KEYS];
  for (uint64_t rank = 0; source_fill(from, &rank, batch);) {
    choose(&some, batch, &of->known);
    for (size_t k = 0; k < KINDS; k++)
      for (size_t s = 0; s < SEEDS; s++)
        mlbf_insert(of->filters[k][s], some.keys[k], some.count, verdicts);
  }
}

static uint64_t count_seen(const mlbf_filter *filter, const mlbf_key *keys, size_t count)
{
  mlbf_verdict verdicts[BATCH_KEYS];
  uint64_t seen = 0;
  mlbf_test(filter, keys, count, verdicts);
  for (size_t i = 0; i < count; i++)
    seen += verdicts[i].outcome == MLBF_SEEN;
  return seen;
}

static void ask_set(group *of, const source *from, size_t set, unsigned long number, key_batch *batch)
{
  static chosen some;
  const query_options options = {.list = from->list,
                                 .inserted = from->keys,
                                 .limit = DRAWS,
                                 .layers = PAPER_LAYERS,
                                 .seed = SEED + number,
                                 .directory = query_directory()};
  query_source *queries = need(query_open(sets[set], &options));
  while (of->queries[set] < (uint64_t)QUERIES * SEEDS && query_next(queries, batch)) {
    choose(&some, batch, &of->known);
    of->queries[set] += some.count * SEEDS;
    for (size_t k = 0; k < KINDS; k++)
      for (size_t s = 0; s < SEEDS; s++)
        of->wrong[k][set] += count_seen(of->filters[k][s], some.keys[k], some.count);
  }
  query_close(queries);
}

/* In one write, so that two jobs do not mix their lines. */
static void append_counts(const group *of, unsigned long number, const char *path)
{
  char text[KINDS * SETS * LINE_MAX_BYTES];
  size_t size = 0;
  for (size_t k = 0; k < KINDS; k++)
    for (size_t s = 0; s < SETS; s++)
      size += (size_t)snprintf(text + size, sizeof text - size, "%lu %s %s %llu %llu\n", number, kinds[k].name,
                               protocol_name(sets[s]), (unsigned long long)of->queries[s],
                               (unsigned long long)of->wrong[k][s]);
  FILE *file = need(fopen(path, "a"));
  if (fwrite(text, 1, size, file) != size || fclose(file) != 0)
    need(NULL);
}

typedef struct sums {
  double queries, wrong;
} sums;

/* The file's counts, added to `to` if it is not NULL; true if group `number` is among them. */
static bool read_counts(const char *path, unsigned long number, sums (*to)[SETS])
{
  char line[LINE_MAX_BYTES], kind[32], set[32];
  unsigned long its;
  bool is_there = false;
  sums one;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "%lu %31s %31s %lf %lf", &its, kind, set, &one.queries, &one.wrong) != 5)
      continue;
    is_there |= its == number;
    for (size_t k = 0; to && k < KINDS; k++)
      for (size_t s = 0; s < SETS; s++)
        if (strcmp(kind, kinds[k].name) == 0 && strcmp(set, protocol_name(sets[s])) == 0) {
          to[k][s].queries += one.queries;
          to[k][s].wrong += one.wrong;
        }
  }
  if (file)
    fclose(file);
  return is_there;
}

static void run_group(const source *from, unsigned long number, key_batch *batch, const char *counts)
{
  group of = {.known = truth_create(from->keys + (uint64_t)SETS * QUERIES)};
  clock_t start = clock();
  create_filters(&of, from->keys, number);
  insert_keys(&of, from, batch);
  for (size_t s = 0; s < SETS; s++) {
    clock_t begin = clock();
    ask_set(&of, from, s, number, batch);
    printf("group %lu, %s: %.1f M queries of each filter, %.0f ns an answer\n", number, protocol_name(sets[s]),
           (double)of.queries[s] / SEEDS / 1e6,
           (double)(clock() - begin) / CLOCKS_PER_SEC * 1e9 / (double)of.queries[s] / KINDS);
  }
  append_counts(&of, number, counts);
  printf("group %lu: %.0f s of one processor\n", number, (double)(clock() - start) / CLOCKS_PER_SEC);
  for (size_t k = 0; k < KINDS; k++)
    for (size_t s = 0; s < SEEDS; s++)
      mlbf_free(of.filters[k][s]);
  free(of.known.slots);
}

void bench_billion(const url_list *urls, unsigned long first, unsigned long last, const char *counts)
{
  sums all[KINDS][SETS] = {0};
  source from = source_make(urls, 0);
  key_batch *batch = need(batch_create());
  for (unsigned long number = first; number <= last; number++)
    if (!read_counts(counts, number, NULL))
      run_group(&from, number, batch, counts);
  read_counts(counts, 0, all);
  for (size_t k = 0; k < KINDS; k++) {
    printf("billion: %s at promised 1e-6, %zu keys\n", kinds[k].name, (size_t)from.keys);
    for (size_t s = 0; s < SETS; s++)
      print_interval(protocol_name(sets[s]), all[k][s].queries, all[k][s].wrong);
  }
  free(batch);
  urllist_free(from.list);
}
