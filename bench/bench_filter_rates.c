/* How often filters are wrong, and what they tell: measured rates on six kinds of query, at equal memory.
 *
 *   bench_filter_rates [URLS [SECTION]]     URLS: a list, plain or .zst; `-`: made-up URLs of real length
 *   bench_filter_rates URLS billion FIRST LAST COUNTS
 *
 *   bits       bits a key over log2(1/rate), and the rate measured
 *   promise    mlbf at 1e-2, 1e-3, 1e-6: no kind of query may exceed the promise
 *   memory     mlbf, bloom with optimal k and mlbf-paper with the same total memory
 *   billion    line and mlbf with signals at 1e-6, 10^9 queries of each kind: filter_billion.h
 *   signals    share of NEW_COMBINATION in a list, a calendar, facets and a link loop; distinct segments a layer
 *
 * The queries are those of `strata replay` (datasets/replay/protocol.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/replay/contender.h"
#include "mlbf/plan.h"
#include "bench/filter_billion.h"
#include "bench/filter_queries.h"

enum { FILTERS_MAX = 32 };

static mlbf_filter *create(mlbf_options options)
{
  mlbf_filter *filter = NULL;
  options.seed = options.seed ? options.seed : 1;
  mlbf_status status = mlbf_create(&options, &filter);
  if (status != MLBF_OK) {
    fprintf(stderr, "%s\n", mlbf_status_text(status));
    exit(1);
  }
  return filter;
}

static uint64_t mix(uint64_t x)
{
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* `paper`: the paper's filter beside ours, the last of all; NULL: none. */
static truth insert_all(const source *from, mlbf_filter **filters, size_t count, const contender *paper)
{
  truth all = truth_create(from->keys);
  key_batch *batch = need(batch_create());
  for (uint64_t rank = 0; source_fill(from, &rank, batch);) {
    mlbf_verdict verdicts[BATCH_KEYS];
    bool was_seen[BATCH_KEYS];
    for (size_t i = 0; i < batch->count; i++)
      truth_add(&all, batch->hash[i]);
    for (size_t f = 0; f < count; f++)
      mlbf_insert(filters[f], batch->keys[CUT_LAYERS], batch->count, verdicts);
    if (paper)
      paper->insert(paper->state, batch, was_seen);
  }
  free(batch);
  return all;
}

typedef struct tally {
  uint64_t queries, wrong[FILTERS_MAX];
} tally;

/* A query that was inserted does not count; each filter knows all of those, so the truth is asked only where all say
 * "seen". */
static void judge(const truth *all, const key_batch *batch, bool (*is_seen)[BATCH_KEYS], size_t filters, tally *found)
{
  for (size_t i = 0; i < batch->count; i++) {
    bool by_all = true;
    for (size_t f = 0; f < filters; f++)
      by_all = by_all && is_seen[f][i];
    if (by_all && truth_knows(all, batch->hash[i]))
      continue;
    found->queries++;
    for (size_t f = 0; f < filters; f++)
      found->wrong[f] += is_seen[f][i];
  }
}

/* 4 million queries, or 32 million answers. */
static tally ask(const source *from, const truth *all, protocol set, mlbf_filter **filters, size_t count,
                 const contender *paper)
{
  const query_options options = {.list = from->list,
                                 .inserted = from->keys,
                                 .limit = count > 8 ? 2000000 : 4000000,
                                 .layers = PAPER_LAYERS,
                                 .seed = SEED,
                                 .directory = query_directory()};
  query_source *queries = need(query_open(set, &options));
  key_batch *batch = need(batch_create());
  tally found = {0};
  while (query_next(queries, batch)) {
    static bool is_seen[FILTERS_MAX][BATCH_KEYS];
    mlbf_verdict verdicts[BATCH_KEYS];
    for (size_t f = 0; f < count; f++) {
      mlbf_test(filters[f], batch->keys[CUT_LAYERS], batch->count, verdicts);
      for (size_t i = 0; i < batch->count; i++)
        is_seen[f][i] = verdicts[i].outcome == MLBF_SEEN;
    }
    if (paper)
      paper->test(paper->state, batch, is_seen[count]);
    judge(all, batch, is_seen, count + (paper != NULL), &found);
  }
  query_close(queries);
  free(batch);
  return found;
}

static void free_all(mlbf_filter **filters, size_t count, truth *all)
{
  for (size_t f = 0; f < count; f++)
    mlbf_free(filters[f]);
  free(all->slots);
}

static void bench_bits(const url_list *urls)
{
  static const double rates[] = {1e-2, 1e-3, 1e-6};
  static const mlbf_kind kinds[] = {MLBF_KIND_BLOOM, MLBF_KIND_LINE, MLBF_KIND_MLBF};
  source from = source_make(urls, 0);
  puts("bits: a key, over log2(1/rate), rate measured on fresh URLs");
  for (size_t k = 0; k < 3; k++)
    for (size_t r = 0; r < 3; r++) {
      mlbf_filter *filter = create((mlbf_options){
        .size = sizeof(mlbf_options), .kind = kinds[k], .keys = from.keys, .rate = rates[r]});
      truth all = insert_all(&from, &filter, 1, NULL);
      tally found = ask(&from, &all, PROTOCOL_FRESH, &filter, 1, NULL);
      mlbf_stats stats;
      mlbf_stats_read(filter, &stats);
      double bits = (double)stats.bits / (double)from.keys;
      printf("  %-6s %.0e  %6.2f bits  %.3f  measured %.3e (%zu of %zu)\n", mlbf_kind_name(kinds[k]), rates[r], bits,
             bits / log2(1 / rates[r]), (double)found.wrong[0] / (double)found.queries, (size_t)found.wrong[0],
             (size_t)found.queries);
      free_all(&filter, 1, &all);
    }
  urllist_free(from.list);
}

/* One rate: as many filters as give counts that say something, each with another seed, so that one query asked of all
 * is as many independent ones. */
static void bench_promise_of(const source *from, double rate, bool signals, size_t count)
{
  mlbf_filter *filters[FILTERS_MAX];
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = from->keys, .rate = rate, .signals = signals};
  mlbf_plan plan;
  mlbf_plan_make(&options, &plan, NULL);
  for (size_t f = 0; f < count; f++) {
    options.seed = 1 + f;
    filters[f] = create(options);
  }
  truth all = insert_all(from, filters, count, NULL);
  printf("promise: %.0e%s, %zu keys, %zu seeds, %.3f times the bits of the integrity layer alone\n", rate,
         signals ? " with signals" : "", (size_t)from->keys, count, (double)plan.bits / (double)plan.arrays[0].bits);
  for (size_t s = 0; s < SETS; s++) {
    tally found = ask(from, &all, sets[s], filters, count, NULL);
    double queries = (double)found.queries * (double)count, wrong = 0;
    for (size_t f = 0; f < count; f++)
      wrong += (double)found.wrong[f];
    print_interval(protocol_name(sets[s]), queries, wrong);
  }
  free_all(filters, count, &all);
}

static void bench_promise(const url_list *urls)
{
  source from = source_make(urls, 0);
  for (int signals = 0; signals < 2; signals++) {
    bench_promise_of(&from, 1e-2, signals, 1);
    bench_promise_of(&from, 1e-3, signals, 2);
    bench_promise_of(&from, 1e-6, signals, 16);
  }
  urllist_free(from.list);
}

static void bench_memory_of(const source *from, double bits_per_key, const char *what, size_t first_set)
{
  uint64_t bits = (uint64_t)(bits_per_key * (double)from->keys);
  mlbf_filter *filters[] = {
    create((mlbf_options){.size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = from->keys, .bits = bits}),
    create((mlbf_options){.size = sizeof(mlbf_options), .kind = MLBF_KIND_BLOOM, .keys = from->keys, .bits = bits}),
  };
  const contender_setting setting = {.m = bits / (PAPER_LAYERS + 1), .k = PAPER_K, .layers = PAPER_LAYERS, .seed = 1};
  contender paper;
  const char *reason;
  if (!contender_make("mlbf-paper", &setting, from->keys, &paper, &reason)) {
    fprintf(stderr, "%s\n", reason);
    exit(1);
  }
  truth all = insert_all(from, filters, 2, &paper);
  printf("memory: %s, %.1f bits a key in all; false positives\n", what, bits_per_key);
  printf("  %-11s %9s %9s %9s %9s   %9s %9s\n", "", "queries", "mlbf", "bloom", "paper", "to bloom", "to paper");
  for (size_t s = first_set; s < SETS; s++) {
    tally found = ask(from, &all, sets[s], filters, 2, &paper);
    printf("  %-11s %9zu %9zu %9zu %9zu   %9.4f %9.5f\n", protocol_name(sets[s]), (size_t)found.queries,
           (size_t)found.wrong[0], (size_t)found.wrong[1], (size_t)found.wrong[2],
           (double)found.wrong[0] / (double)found.wrong[1], (double)found.wrong[0] / (double)found.wrong[2]);
  }
  free_all(filters, 2, &all);
  contender_free(&paper);
}

static void bench_memory(const url_list *urls)
{
  const size_t new_hosts = SETS - 1; /* the other sets are the real list's */
  source real = source_make(urls, 0), few = source_make(urls, 20), many = source_make(urls, 5);
  bench_memory_of(&real, 24, "real hosts, the paper's own memory", 0);
  for (double bits = 10.5; bits < 32; bits *= 1.5) {
    bench_memory_of(&few, bits, "0.05 hosts a key", new_hosts);
    bench_memory_of(&many, bits, "0.2 hosts a key", new_hosts);
  }
  urllist_free(real.list);
  urllist_free(few.list);
  urllist_free(many.list);
}

/* Traps: generators of endless URLs, 20,000 a host. Each writes URL number i. */

enum { TRAP_TEXT = 256, TRAP_HOST = 20000 };

static size_t make_calendar(uint64_t i, char *text)
{
  unsigned long long day = i % TRAP_HOST;
  return (size_t)snprintf(text, TRAP_TEXT, "//calendar-%llu.example/events/%llu/%02llu/%02llu",
                          (unsigned long long)(i / TRAP_HOST), 1990 + day / 360, 1 + day / 30 % 12, 1 + day % 30);
}

static size_t make_facet(uint64_t i, char *text)
{
  uint64_t choice = mix(i);
  unsigned facets[5];
  for (size_t f = 0; f < 5; f++, choice /= 9)
    facets[f] = choice % 9;
  return (size_t)snprintf(text, TRAP_TEXT, "//shop-%llu.example/list?color=%u&size=%u&brand=%u&sort=%u&page=%u",
                          (unsigned long long)(i / TRAP_HOST), facets[0], facets[1], facets[2], facets[3], facets[4]);
}

static size_t make_loop(uint64_t i, char *text)
{
  static const char *const names[] = {"/news", "/about", "/contact", "/archive"};
  size_t size = (size_t)snprintf(text, TRAP_TEXT, "//loop-%llu.example", (unsigned long long)(i / TRAP_HOST));
  uint64_t way = mix(i + 5);
  for (size_t depth = 5 + mix(i) % 9; depth > 0; depth--, way /= 4)
    size += (size_t)snprintf(text + size, TRAP_TEXT - size, "%s", names[way % 4]);
  return size;
}

typedef struct share {
  uint64_t new_keys, combinations;
} share;

static void insert_batch(mlbf_filter *filter, const key_batch *batch, share *of)
{
  mlbf_verdict verdicts[BATCH_KEYS];
  mlbf_insert(filter, batch->keys[CUT_LAYERS], batch->count, verdicts);
  for (size_t i = 0; i < batch->count; i++) {
    of->new_keys += verdicts[i].outcome != MLBF_SEEN;
    of->combinations += verdicts[i].outcome == MLBF_NEW_COMBINATION;
  }
}

static void print_share(const char *name, share of)
{
  printf("  %-34s %9zu new, %5.1f %% of them NEW_COMBINATION\n", name, (size_t)of.new_keys,
         100.0 * (double)of.combinations / (double)of.new_keys);
}

static void bench_trap(mlbf_filter *filter, key_batch *batch, const char *name, size_t (*make)(uint64_t, char *))
{
  share of = {0, 0};
  for (uint64_t i = 0; i < 100 * BATCH_KEYS;) {
    for (batch_clear(batch); !batch_is_full(batch); i++) {
      char text[TRAP_TEXT];
      batch_add(batch, text, make(i, text));
    }
    insert_batch(filter, batch, &of);
  }
  print_share(name, of);
}

static void bench_layers(const mlbf_filter *filter, const source *from, key_batch *batch)
{
  mlbf_stats stats;
  mlbf_stats_read(filter, &stats);
  puts("  layer  distinct, exactly   estimated   error");
  for (size_t layer = 0; layer < MLBF_LAYERS_MAX; layer++) {
    truth all = truth_create(from->keys);
    size_t exact = 0;
    for (uint64_t rank = 0; source_fill(from, &rank, batch);)
      for (size_t i = 0; i < batch->count; i++) {
        const mlbf_key *key = &batch->keys[CUT_LAYERS][i];
        if (key->count > layer)
          exact += truth_add(&all, key_hash_of(key->segments[layer].bytes, key->segments[layer].size));
      }
    printf("  %5zu  %17zu  %10.0f  %+.2f %%\n", layer + 1, exact, stats.layer_distinct[layer],
           exact ? 100 * (stats.layer_distinct[layer] / (double)exact - 1) : 0.0);
    free(all.slots);
  }
}

static void bench_signals(const url_list *urls)
{
  source from = source_make(urls, 0);
  from.keys = from.keys * 9 / 5;
  mlbf_filter *filter = create((mlbf_options){
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = from.keys, .rate = 1e-6, .signals = true});
  share first = {0, 0}, rest = {0, 0};
  key_batch *batch = need(batch_create());
  for (uint64_t rank = 0; source_fill(&from, &rank, batch);)
    insert_batch(filter, batch, rank <= from.keys / 2 ? &first : &rest);
  puts("signals: with 1e-6 promised, a list in random order, then traps");
  print_share("the list, first half", first);
  print_share("the list, second half", rest);
  bench_layers(filter, &from, batch);
  bench_trap(filter, batch, "calendar, after the list", make_calendar);
  bench_trap(filter, batch, "facets, after the list", make_facet);
  bench_trap(filter, batch, "link loop, after the list", make_loop);
  free(batch);
  mlbf_free(filter);
  urllist_free(from.list);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(const url_list *urls);
  } sections[] = {
    {"bits", bench_bits},
    {"promise", bench_promise},
    {"memory", bench_memory},
    {"signals", bench_signals},
  };
  setvbuf(stdout, NULL, _IOLBF, 0);
  bool is_made_up = argc < 2 || strcmp(argv[1], "-") == 0;
  url_list list = url_list_read(is_made_up ? NULL : argv[1], 7000000, SEED);
  if (argc == 6 && strcmp(argv[2], "billion") == 0)
    bench_billion(&list, strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10), argv[5]);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    if (argc < 3 || strcmp(argv[2], sections[i].name) == 0)
      sections[i].run(&list);
  url_list_free(&list);
  return 0;
}
