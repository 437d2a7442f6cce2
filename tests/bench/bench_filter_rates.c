/* How often filters are wrong, and what they tell: measured rates on six kinds of query, at equal memory.
 *
 *   bench_filter_rates [URLS [SECTION]]     as bench_filters
 *
 *   bits       bits a key over log2(1/rate), and the rate measured
 *   promise    mlbf at 1e-2, 1e-3, 1e-6: no kind of query may exceed the promise
 *   memory     mlbf, bloom with optimal k and mlbf-paper with the same total memory
 *   signals    share of NEW_COMBINATION in a list, a calendar, facets and a link loop; distinct segments a layer */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "mlbf/filter.h"
#include "mlbf/plan.h"
#include "tests/bench/url_list.h"

enum { QUERY_SEGMENTS = 300, MADE_TEXT = 64 };

static mlbf_filter *create(mlbf_options options)
{
  mlbf_filter *filter = NULL;
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

/* The truth: what was inserted, as 128-bit hashes made by other means than the filters'. */

typedef struct truth {
  XXH128_hash_t *slots;
  size_t mask;
} truth;

static XXH128_hash_t truth_hash(const mlbf_span *segments, size_t count)
{
  XXH128_hash_t hash = { 4242, 1 };
  for (size_t i = 0; i < count; i++) { /* a chain: all that came before seeds the next, in both halves */
    XXH128_hash_t next = XXH3_128bits_withSeed(segments[i].bytes, segments[i].size, hash.low64);
    hash.low64 = next.low64 ^ hash.high64;
    hash.high64 = (next.high64 ^ (hash.high64 << 1 | hash.high64 >> 63)) * 0x9e3779b97f4a7c15u;
  }
  return hash;
}

static size_t truth_find(const truth *all, XXH128_hash_t hash)
{
  size_t at = hash.low64 & all->mask;
  while (all->slots[at].high64 && !XXH128_isEqual(all->slots[at], hash))
    at = (at + 1) & all->mask;
  return at;
}

static truth truth_create(size_t keys)
{
  size_t size = 1;
  while (size < 2 * keys)
    size *= 2;
  truth all = { calloc(size, sizeof *all.slots), size - 1 };
  if (!all.slots)
    exit(1);
  return all;
}

static bool truth_has(const truth *all, const mlbf_span *segments, size_t count)
{
  return all->slots[truth_find(all, truth_hash(segments, count))].high64 != 0;
}

/* The keys: of a list, or of a list with another host for every so many keys. */

typedef struct source {
  const url_list *list;
  size_t keys;          /* the first so many are inserted */
  size_t keys_per_host; /* 0: hosts as they are */
} source;

typedef struct query {
  mlbf_span segments[QUERY_SEGMENTS];
  size_t count;
  char text[MADE_TEXT];
} query;

static void source_key(const source *from, size_t i, query *key)
{
  const mlbf_key *url = &from->list->keys[i];
  key->count = url->count < QUERY_SEGMENTS - 2 ? url->count : QUERY_SEGMENTS - 2;
  memcpy(key->segments, url->segments, key->count * sizeof *key->segments);
  if (from->keys_per_host) {
    int size = snprintf(key->text, MADE_TEXT, "host-%zu.example", i / from->keys_per_host);
    key->segments[0] = (mlbf_span){ key->text, (size_t)size };
  }
}

/* Query number i of each kind; false if the key it starts from does not lend itself to it. */

static bool make_fresh(const source *from, uint64_t i, query *out)
{
  size_t others = from->list->count - from->keys;
  if (others == 0)
    return false;
  source_key(from, from->keys + i % others, out);
  return i < others;
}

/* Every segment known at its depth, the whole new: one URL's beginning, another's end. */
static bool make_recombined(const source *from, uint64_t i, query *out)
{
  query other;
  source_key(from, mix(2 * i) % from->keys, out);
  source_key(from, mix(2 * i + 1) % from->keys, &other);
  size_t shorter = out->count < other.count ? out->count : other.count;
  if (shorter < 2)
    return false;
  for (size_t cut = 1 + mix(i) % (shorter - 1); cut < other.count; cut++)
    out->segments[cut] = other.segments[cut];
  out->count = other.count;
  return true;
}

static bool make_permuted(const source *from, uint64_t i, query *out)
{
  source_key(from, mix(i) % from->keys, out);
  if (out->count < 3)
    return false;
  size_t a = 1 + mix(i + 1) % (out->count - 1), b = 1 + mix(i + 2) % (out->count - 1);
  mlbf_span swap = out->segments[a];
  out->segments[a] = out->segments[b];
  out->segments[b] = swap;
  return a != b;
}

static bool make_repeated(const source *from, uint64_t i, query *out)
{
  query other;
  source_key(from, mix(i) % from->keys, out);
  source_key(from, mix(i + 77) % from->keys, &other);
  if (other.count < 2)
    return false;
  out->segments[out->count] = out->segments[out->count + 1] = other.segments[1];
  out->count += 2;
  return true;
}

static bool make_prefix(const source *from, uint64_t i, query *out)
{
  source_key(from, i % from->keys, out);
  if (out->count < 2)
    return false;
  out->count -= 1 + mix(i) % (out->count - 1);
  return i < from->keys;
}

static bool make_newhost(const source *from, uint64_t i, query *out)
{
  source_key(from, mix(i) % from->keys, out);
  int size = snprintf(out->text, MADE_TEXT, "new-host-%llu.test", (unsigned long long)i);
  out->segments[0] = (mlbf_span){ out->text, (size_t)size };
  return true;
}

static const struct query_set {
  const char *name;
  bool (*make)(const source *from, uint64_t i, query *out);
} sets[] = {
  { "fresh", make_fresh },       { "recombined", make_recombined }, { "permuted", make_permuted },
  { "repeated", make_repeated }, { "prefix", make_prefix },         { "newhost", make_newhost },
};
enum { SETS = sizeof sets / sizeof *sets };

static mlbf_verdict visit(mlbf_filter *filter, const query *key, bool is_insert)
{
  mlbf_hashes hashes;
  mlbf_verdict verdict;
  mlbf_hash(filter, key->segments, key->count, &hashes);
  if (!is_insert)
    return mlbf_test(filter, &hashes);
  mlbf_insert(filter, &hashes, &verdict);
  return verdict;
}

static truth insert_all(const source *from, mlbf_filter **filters, size_t count)
{
  truth all = truth_create(from->keys);
  for (size_t i = 0; i < from->keys; i++) {
    query key;
    source_key(from, i, &key);
    XXH128_hash_t hash = truth_hash(key.segments, key.count);
    all.slots[truth_find(&all, hash)] = hash;
    for (size_t f = 0; f < count; f++)
      visit(filters[f], &key, true);
  }
  return all;
}

typedef struct tally {
  uint64_t queries, wrong[8];
} tally;

/* `limit` starting points. A query that was inserted does not count; each filter knows all of those, so the truth is
 * asked only where all say "seen". */
static tally ask(const source *from, const truth *all, const struct query_set *set, mlbf_filter **filters,
                 size_t filter_count, uint64_t limit)
{
  tally found = { 0 };
  for (uint64_t i = 0; i < limit; i++) {
    query key;
    bool is_seen[8], by_all = true;
    if (!set->make(from, i, &key))
      continue;
    for (size_t f = 0; f < filter_count; f++) {
      is_seen[f] = visit(filters[f], &key, false).outcome == MLBF_SEEN;
      by_all = by_all && is_seen[f];
    }
    if (by_all && truth_has(all, key.segments, key.count))
      continue;
    found.queries++;
    for (size_t f = 0; f < filter_count; f++)
      found.wrong[f] += is_seen[f];
  }
  return found;
}

static void bench_bits(const url_list *list)
{
  static const double rates[] = { 1e-2, 1e-3, 1e-6 };
  static const mlbf_kind kinds[] = { MLBF_KIND_BLOOM, MLBF_KIND_LINE, MLBF_KIND_MLBF };
  source from = { list, list->count / 2, 0 };
  puts("bits: a key, over log2(1/rate), rate measured on fresh URLs");
  for (size_t k = 0; k < 3; k++)
    for (size_t r = 0; r < 3; r++) {
      mlbf_filter *filter = create((mlbf_options){ .kind = kinds[k], .keys = from.keys, .rate = rates[r] });
      truth all = insert_all(&from, &filter, 1);
      tally found = ask(&from, &all, &sets[0], &filter, 1, from.keys);
      mlbf_stats stats;
      mlbf_stats_read(filter, &stats);
      double bits = (double)stats.bits / (double)from.keys;
      printf("  %-6s %.0e  %6.2f bits  %.3f  measured %.3e (%zu of %zu)\n", mlbf_kind_name(kinds[k]), rates[r], bits,
             bits / log2(1 / rates[r]), (double)found.wrong[0] / (double)found.queries, (size_t)found.wrong[0],
             (size_t)found.queries);
      free(all.slots);
      mlbf_free(filter);
    }
}

static void bench_promise(const url_list *list)
{
  static const double rates[] = { 1e-2, 1e-3, 1e-6 };
  source from = { list, list->count / 2, 0 };
  mlbf_filter *filters[6];
  for (int i = 0; i < 6; i++)
    filters[i] = create((mlbf_options){ .kind = MLBF_KIND_MLBF, .keys = from.keys, .rate = rates[i / 2],
                                        .signals = i % 2 });
  truth all = insert_all(&from, filters, 6);
  printf("promise: %zu keys; measured rate of mlbf at each promise, without and with signals\n", from.keys);
  printf("  %-11s %9s", "", "queries");
  for (int i = 0; i < 6; i++) {
    mlbf_stats stats;
    mlbf_plan plan;
    mlbf_stats_read(filters[i], &stats);
    mlbf_options same = { .kind = MLBF_KIND_MLBF, .keys = from.keys, .rate = rates[i / 2], .signals = i % 2 };
    mlbf_plan_make(&same, &plan, NULL);
    printf("  %.0e%s %.3fx", rates[i / 2], i % 2 ? "+s" : "  ", (double)plan.bits / (double)plan.arrays[0].bits);
  }
  puts("");
  for (int s = 0; s < SETS; s++) {
    tally found = ask(&from, &all, &sets[s], filters, 6, 4000000);
    printf("  %-11s %9zu", sets[s].name, (size_t)found.queries);
    for (int i = 0; i < 6; i++)
      printf("  %12.3e", (double)found.wrong[i] / (double)found.queries);
    puts("");
  }
  free(all.slots);
  for (int i = 0; i < 6; i++)
    mlbf_free(filters[i]);
}

static void bench_memory_of(source from, double bits_per_key, const char *what, int first_set)
{
  uint64_t bits = (uint64_t)(bits_per_key * (double)from.keys);
  mlbf_filter *filters[] = {
    create((mlbf_options){ .kind = MLBF_KIND_MLBF, .keys = from.keys, .bits = bits }),
    create((mlbf_options){ .kind = MLBF_KIND_BLOOM, .keys = from.keys, .bits = bits }),
    create((mlbf_options){ .kind = MLBF_KIND_MLBF_PAPER, .keys = from.keys, .bits = bits / 5, .hashes = 3,
                            .layers = 4 }),
  };
  truth all = insert_all(&from, filters, 3);
  printf("memory: %s, %.1f bits a key in all; false positives\n", what, bits_per_key);
  printf("  %-11s %9s %9s %9s %9s   %9s %9s\n", "", "queries", "mlbf", "bloom", "paper", "to bloom", "to paper");
  for (int s = first_set; s < SETS; s++) {
    tally found = ask(&from, &all, &sets[s], filters, 3, 4000000);
    printf("  %-11s %9zu %9zu %9zu %9zu   %9.4f %9.5f\n", sets[s].name, (size_t)found.queries, (size_t)found.wrong[0],
           (size_t)found.wrong[1], (size_t)found.wrong[2], (double)found.wrong[0] / (double)found.wrong[1],
           (double)found.wrong[0] / (double)found.wrong[2]);
  }
  free(all.slots);
  for (int i = 0; i < 3; i++)
    mlbf_free(filters[i]);
}

static void bench_memory(const url_list *list)
{
  size_t keys = list->count / 2;
  const int new_hosts = SETS - 1; /* the other sets are the real list's */
  bench_memory_of((source){ list, keys, 0 }, 24, "real hosts, the paper's own memory", 0);
  bench_memory_of((source){ list, keys, 20 }, 10.47, "0.05 hosts a key", new_hosts);
  bench_memory_of((source){ list, keys, 5 }, 10.47, "0.2 hosts a key", new_hosts);
  bench_memory_of((source){ list, keys, 20 }, 15.8, "0.05 hosts a key", new_hosts);
  bench_memory_of((source){ list, keys, 5 }, 15.8, "0.2 hosts a key", new_hosts);
}

/* Traps: generators of endless URLs, one host each. */

static void text_segments(char (*text)[MADE_TEXT], size_t count, query *out)
{
  for (size_t i = 0; i < count; i++)
    out->segments[i] = (mlbf_span){ text[i], strlen(text[i]) };
  out->count = count;
}

static void make_calendar(uint64_t i, char (*text)[MADE_TEXT], query *out)
{
  snprintf(text[0], MADE_TEXT, "calendar-%llu.example", (unsigned long long)(i / 20000));
  snprintf(text[1], MADE_TEXT, "/events");
  snprintf(text[2], MADE_TEXT, "/%llu", 1990 + (unsigned long long)(i % 20000 / 360));
  snprintf(text[3], MADE_TEXT, "/%02llu", 1 + (unsigned long long)(i / 30 % 12));
  snprintf(text[4], MADE_TEXT, "/%02llu", 1 + (unsigned long long)(i % 30));
  text_segments(text, 5, out);
}

static void make_facet(uint64_t i, char (*text)[MADE_TEXT], query *out)
{
  static const char *const names[] = { "?color=", "&size=", "&brand=", "&sort=", "&page=" };
  snprintf(text[0], MADE_TEXT, "shop-%llu.example", (unsigned long long)(i / 20000));
  snprintf(text[1], MADE_TEXT, "/list");
  uint64_t choice = mix(i);
  for (size_t f = 0; f < 5; f++, choice /= 9)
    snprintf(text[2 + f], MADE_TEXT, "%s%llu", names[f], (unsigned long long)(choice % 9));
  text_segments(text, 7, out);
}

static void make_loop(uint64_t i, char (*text)[MADE_TEXT], query *out)
{
  static const char *const names[] = { "/news", "/about", "/contact", "/archive" };
  snprintf(text[0], MADE_TEXT, "loop-%llu.example", (unsigned long long)(i / 20000));
  size_t depth = 6 + mix(i) % 9;
  uint64_t way = mix(i + 5);
  for (size_t d = 1; d < depth; d++, way /= 4)
    snprintf(text[d], MADE_TEXT, "%s", names[way % 4]);
  text_segments(text, depth, out);
}

typedef struct share {
  uint64_t new_keys, combinations;
} share;

static void count_verdict(share *of, mlbf_verdict verdict)
{
  of->new_keys += verdict.outcome != MLBF_SEEN;
  of->combinations += verdict.outcome == MLBF_NEW_COMBINATION;
}

static void print_share(const char *name, share of)
{
  printf("  %-34s %9zu new, %5.1f %% of them NEW_COMBINATION\n", name, (size_t)of.new_keys,
         100.0 * (double)of.combinations / (double)of.new_keys);
}

static void bench_traps(mlbf_filter *filter)
{
  static const struct { const char *name; void (*make)(uint64_t, char (*)[MADE_TEXT], query *); } traps[] = {
    { "calendar, after the list", make_calendar }, { "facets, after the list", make_facet },
    { "link loop, after the list", make_loop },
  };
  for (size_t t = 0; t < 3; t++) {
    share of = { 0, 0 };
    for (uint64_t i = 0; i < 100000; i++) {
      char text[16][MADE_TEXT];
      query key;
      traps[t].make(i, text, &key);
      count_verdict(&of, visit(filter, &key, true));
    }
    print_share(traps[t].name, of);
  }
}

static void bench_layers(const mlbf_filter *filter, const source *from)
{
  mlbf_stats stats;
  mlbf_stats_read(filter, &stats);
  puts("  layer  distinct, exactly   estimated   error");
  for (size_t layer = 0; layer < MLBF_LAYERS_MAX; layer++) {
    truth all = truth_create(from->keys);
    size_t exact = 0;
    for (size_t i = 0; i < from->keys; i++) {
      query key;
      source_key(from, i, &key);
      if (key.count <= layer)
        continue;
      bool is_folded = layer == MLBF_LAYERS_MAX - 1;
      XXH128_hash_t hash = truth_hash(key.segments + layer, is_folded ? key.count - layer : 1);
      size_t at = truth_find(&all, hash);
      exact += all.slots[at].high64 == 0;
      all.slots[at] = hash;
    }
    printf("  %5zu  %17zu  %10.0f  %+.2f %%\n", layer + 1, exact, stats.layer_distinct[layer],
           exact ? 100 * (stats.layer_distinct[layer] / (double)exact - 1) : 0.0);
    free(all.slots);
  }
}

static void bench_signals(const url_list *list)
{
  source from = { list, list->count * 9 / 10, 0 };
  mlbf_options options = { .kind = MLBF_KIND_MLBF, .keys = from.keys, .rate = 1e-6, .signals = true };
  mlbf_filter *filter = create(options);
  share first = { 0, 0 }, rest = { 0, 0 };
  for (size_t i = 0; i < from.keys; i++) {
    query key;
    source_key(&from, i, &key);
    count_verdict(i < from.keys / 2 ? &first : &rest, visit(filter, &key, true));
  }
  puts("signals: with 1e-6 promised, a list in random order, then traps");
  print_share("real list, first half", first);
  print_share("real list, second half", rest);
  bench_layers(filter, &from);
  bench_traps(filter);
  mlbf_free(filter);
}

int main(int argc, char **argv)
{
  static const struct { const char *name; void (*run)(const url_list *list); } sections[] = {
    { "bits", bench_bits }, { "promise", bench_promise }, { "memory", bench_memory }, { "signals", bench_signals },
  };
  setvbuf(stdout, NULL, _IOLBF, 0);
  bool is_made_up = argc < 2 || strcmp(argv[1], "-") == 0;
  url_list list = url_list_read(is_made_up ? NULL : argv[1], 7000000, 20261120);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    if (argc < 3 || strcmp(argv[2], sections[i].name) == 0)
      sections[i].run(&list);
  url_list_free(&list);
  return 0;
}
