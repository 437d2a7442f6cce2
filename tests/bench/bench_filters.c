/* How fast filters are, against whom. One run, contenders taking turns, medians, printed as ratios.
 *
 *   bench_filters [URLS [SECTION]]     URLS: a list, plain or .zst; `-`: made-up URLs of real length
 *
 *   strings   a list, then 3.5 million made-up URLs, at 10 bits a key: libbloom, RedisBloom's bloom.c
 *   sets      batched test-and-set at one measured false-positive rate: a line in RocksDB's manner
 *   floor     the same beyond the caches: hashing and one prefetched line, read and written
 *   layers    mlbf and bloom at the same total memory
 *   large     strings, sets and layers with 30 million made-up URLs
 *
 * URL strings come a thousand at a time, as from a parser: composed, cut and in the cache before the clock starts.
 * A turn is 64 of those, long enough that a contender finds its own filter in the caches; another is first each round.
 * What is given is the median over the thousands, a URL. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "mlbf/plan.h"
#include "tests/bench/filter_contenders.h"
#include "tests/bench/url_list.h"

enum { ROUNDS = 5, BATCH = 32, CONTENDERS_MAX = 4, TURN_URLS = 64 * CHUNK_URLS, TEXT_MAX = 8192, ASKED_MAX = 2000000 };

/* Processor time of this thread: what others do on the machine costs us cache lines, but not their time slices. */
static double now_ns(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
  qsort(values, count, sizeof *values, compare_doubles);
  return count ? values[count / 2] : 0;
}

/* URLs by number: of a list, or made up. The first `keys` are inserted. */
typedef struct url_source {
  const url_list *list; /* NULL: made up */
  size_t keys;
} url_source;

/* What is done with them. MIXED goes on adding, new ones and old ones as a coin falls: the stream a crawler has. The
 * others know what comes, and so does, after some, the branch predictor. */
enum phase { ADD, MIXED, NEW, NEW_HOST, SEEN, PHASES };

static size_t added(const url_source *from)
{
  return from->keys / 4 * 3;
}

static size_t phase_size(const url_source *from, enum phase phase)
{
  if (phase == ADD)
    return added(from);
  return from->keys / 2 < ASKED_MAX ? from->keys / 2 : ASKED_MAX;
}

static uint64_t mix(uint64_t x)
{
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* Which URL the i-th of a phase is. */
static size_t url_number(const url_source *from, enum phase phase, size_t i)
{
  uint64_t dice = mix(i + 1);
  if (phase == NEW)
    return from->keys + i;
  if (phase == MIXED)
    return dice & 1 ? added(from) + i / 2 : (size_t)(dice >> 1) % added(from);
  return i;
}

/* A chunk, and the memory its URLs lie in. */
typedef struct stage {
  url_chunk chunk;
  size_t size;
  mlbf_span segments[CHUNK_URLS][MLBF_LAYERS_MAX];
  char bytes[CHUNK_URLS * TEXT_MAX];
} stage;

/* URL number i of the source; with another host, nobody's, if the phase wants it. */
static size_t compose(const url_source *from, size_t i, enum phase phase, char *to)
{
  char made_up[URL_MADE_UP];
  mlbf_span text = {made_up, 0};
  if (from->list)
    text = from->list->texts[i];
  else
    text.size = url_make_up(i, made_up);
  size_t begin = 0, size = text.size < TEXT_MAX / 2 ? text.size : TEXT_MAX / 2;
  if (phase == NEW_HOST) {
    mlbf_span segments[MLBF_LAYERS_MAX];
    url_cut(text.bytes, size, segments);
    begin = (size_t)snprintf(to, URL_MADE_UP, "new-host-%zu.example", i);
    text.bytes = (const char *)text.bytes + segments[0].size;
    size -= segments[0].size;
  }
  memcpy(to + begin, text.bytes, size);
  return begin + size;
}

static void stage_fill(stage *to, const url_source *from, enum phase phase, size_t begin, size_t count)
{
  url_chunk *chunk = &to->chunk;
  char *text = to->bytes;
  chunk->count = count;
  for (size_t i = 0; i < count; i++) {
    size_t size = compose(from, url_number(from, phase, begin + i), phase, text);
    chunk->texts[i] = (mlbf_span){text, size};
    chunk->whole[i] = (mlbf_key){&chunk->texts[i], 1};
    chunk->layered[i] = (mlbf_key){to->segments[i], url_cut(text, size, to->segments[i])};
    text += size;
  }
}

/* One contender's times, a chunk each, and what it answered. */
typedef struct record {
  void *state;
  double *ns;
  size_t chunks;
  uint64_t seen;
  double median_ns[PHASES], rate;
} record;

typedef struct trial {
  const contender *const *contenders;
  size_t count;
  record records[CONTENDERS_MAX];
  stage *stage;
} trial;

static void take_turn(trial *of, size_t which, const url_source *from, enum phase phase, size_t begin, size_t end)
{
  const contender *one = of->contenders[which];
  record *its = &of->records[which];
  for (size_t i = begin; i < end; i += CHUNK_URLS) {
    stage_fill(of->stage, from, phase, i, end - i < CHUNK_URLS ? end - i : CHUNK_URLS);
    double start = now_ns();
    its->seen += (phase <= MIXED ? one->add : one->ask)(its->state, &of->stage->chunk);
    its->ns[its->chunks++] = (now_ns() - start) / (double)of->stage->chunk.count;
  }
}

static void run_phase(trial *of, const url_source *from, enum phase phase)
{
  size_t count = phase_size(from, phase);
  for (size_t c = 0; c < of->count; c++) {
    of->records[c].seen = of->records[c].chunks = 0;
    of->records[c].ns = need(malloc((count / CHUNK_URLS + count / TURN_URLS + 2) * sizeof(double)));
  }
  for (size_t i = 0, turn = 0; i < count; i += TURN_URLS, turn++)
    for (size_t c = 0; c < of->count; c++)
      take_turn(of, (turn + c) % of->count, from, phase, i, count - i < TURN_URLS ? count : i + TURN_URLS);
  for (size_t c = 0; c < of->count; c++) {
    record *its = &of->records[c];
    its->median_ns[phase] = median(its->ns, its->chunks);
    free(its->ns);
    if (phase == NEW)
      its->rate = (double)its->seen / (double)count;
    if (phase == SEEN && its->seen != count) {
      fprintf(stderr, "%s lost a key\n", of->contenders[c]->name);
      exit(1);
    }
  }
}

static void print_trial(const trial *of)
{
  printf("  %-20s %7s %7s %7s %9s %7s  %9s   times the first's\n", "ns a URL", "add", "mixed", "new", "new host",
         "seen", "fp rate");
  for (size_t c = 0; c < of->count; c++) {
    const record *its = &of->records[c], *first = &of->records[0];
    const double *ns = its->median_ns;
    printf("  %-20s %7.1f %7.1f %7.1f %9.1f %7.1f  %9.2e  ", of->contenders[c]->name, ns[ADD], ns[MIXED], ns[NEW],
           ns[NEW_HOST], ns[SEEN], its->rate);
    for (int phase = 0; phase < PHASES; phase++)
      printf(" %5.2f", ns[phase] / first->median_ns[phase]);
    puts("");
  }
}

/* All contenders get `bits`, or bits for `rate`. */
static void run_trial(const char *what, const contender *const *contenders, size_t count, const url_source *from,
                      double rate, uint64_t bits)
{
  printf("%s, %.1f M URLs %s\n", what, (double)from->keys / 1e6, from->list ? "of the list" : "made up");
  trial of = {.contenders = contenders, .count = count, .stage = need(calloc(1, sizeof *of.stage))};
  for (size_t c = 0; c < count; c++)
    of.records[c].state = contenders[c]->make(from->keys, rate, bits);
  for (int phase = 0; phase < PHASES; phase++)
    run_phase(&of, from, (enum phase)phase);
  print_trial(&of);
  for (size_t c = 0; c < count; c++)
    contenders[c]->drop(of.records[c].state);
  free(of.stage);
}

static void bench_strings_of(const url_source *from)
{
  static const contender *const contenders[] = {
    &contender_line,
    &contender_line_single,
    &contender_libbloom,
#ifdef HAVE_REDISBLOOM
    &contender_redisbloom,
#endif
  };
  run_trial("strings: 10 bits a key", contenders, sizeof contenders / sizeof *contenders, from, 0, 10 * from->keys);
#ifndef HAVE_REDISBLOOM
  puts("  RedisBloom: skipped, no library was given by STRATA_REDISBLOOM");
#endif
}

static void bench_sets_of(const url_source *from)
{
  static const contender *const contenders[] = {&contender_line, &contender_rocks};
  run_trial("sets: fp 1e-2", contenders, 2, from, 1e-2, 0);
}

/* Bits of mlbf for a rate. */
static uint64_t mlbf_bits(uint64_t keys, double rate)
{
  mlbf_options options = {.kind = MLBF_KIND_MLBF, .keys = keys, .rate = rate};
  mlbf_plan plan;
  return mlbf_plan_make(&options, &plan, NULL) == MLBF_OK ? plan.bits : 0;
}

static void bench_layers_of(const url_source *from, double rate)
{
  static const contender *const contenders[] = {&contender_mlbf, &contender_bloom};
  char what[64];
  snprintf(what, sizeof what, "layers: promised %.0e", rate);
  run_trial(what, contenders, 2, from, 0, mlbf_bits(from->keys, rate));
}

static url_source made_up(size_t keys)
{
  return (url_source){NULL, keys};
}

static url_source half_of(const url_list *list)
{
  return (url_source){list, list->count / 2};
}

/* Keys that are 64-bit hashes already: a stream in which half are new and half came before, mixed. */
static uint64_t *mixed_hashes(size_t keys)
{
  uint64_t *stream = need(malloc(2 * keys * sizeof *stream)), state = 1, made = 0;
  for (size_t i = 0; i < 2 * keys; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    bool is_new = made == 0 || (state >> 63 && made < keys);
    uint64_t id = is_new ? made++ : (state >> 20) % made;
    stream[i] = XXH3_64bits_withSeed(&id, sizeof id, 77);
  }
  return stream;
}

static uint64_t our_stream(mlbf_filter *filter, const uint64_t *stream, size_t count)
{
  uint64_t seen = 0;
  mlbf_hash128 wholes[BATCH];
  bool was_new[BATCH];
  for (size_t i = 0; i < count; i += BATCH) {
    size_t size = count - i < BATCH ? count - i : BATCH;
    for (size_t j = 0; j < size; j++)
      wholes[j] = (mlbf_hash128){stream[i + j], stream[i + j] * 0x9fb21c651e98df25u};
    mlbf_insert_wholes(filter, wholes, size, was_new);
    for (size_t j = 0; j < size; j++)
      seen += !was_new[j];
  }
  return seen;
}

static uint64_t rocks_stream(void *filter, const uint64_t *stream, size_t count)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i += BATCH)
    seen += rocks_add_hashes(filter, stream + i, count - i < BATCH ? count - i : BATCH);
  return seen;
}

static void bench_stream(size_t keys, double rate)
{
  uint64_t *stream = mixed_hashes(keys), our_seen = 0, rocks_seen = 0;
  double our_ns[ROUNDS], rocks_ns[ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    mlbf_filter *ours = filter_create(MLBF_KIND_LINE, keys, rate, 0);
    void *rocks = rocks_make(keys, rate, 0);
    double start = now_ns();
    our_seen = our_stream(ours, stream, 2 * keys);
    double middle = now_ns();
    rocks_seen = rocks_stream(rocks, stream, 2 * keys);
    rocks_ns[round] = (now_ns() - middle) / (2.0 * (double)keys);
    our_ns[round] = (middle - start) / (2.0 * (double)keys);
    mlbf_free(ours);
    rocks_drop(rocks);
  }
  double us = median(our_ns, ROUNDS), them = median(rocks_ns, ROUNDS);
  printf("sets: 64-bit hashes, %.1f M keys, fp %.0e: line %.1f ns, RocksDB's manner %.1f ns, ratio %.2f"
         " (seen: %zu, %zu)\n",
         (double)keys / 1e6, rate, us, them, them / us, (size_t)our_seen, (size_t)rocks_seen);
  free(stream);
}

static void bench_sets(const url_list *list)
{
  const url_source sources[] = {half_of(list), made_up(3500000)};
  bench_sets_of(&sources[0]);
  bench_sets_of(&sources[1]);
  bench_stream(3500000, 1e-2);
  bench_stream(30000000, 1e-2);
}

/* The floor: hash alone, and read and write one word of one prefetched line. */
static uint64_t floor_run(uint64_t *table, uint64_t words, const url_list *list)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < list->count; i += BATCH) {
    size_t count = list->count - i < BATCH ? list->count - i : BATCH;
    uint64_t *places[BATCH], bits[BATCH];
    for (size_t j = 0; j < count; j++) {
      XXH128_hash_t hash = XXH3_128bits(list->texts[i + j].bytes, list->texts[i + j].size);
      bits[j] = UINT64_C(1) << (hash.high64 & 63);
      places[j] = table + (hash.low64 >> 32) * words / 8 / UINT32_MAX * 8;
      __builtin_prefetch(places[j], 1);
    }
    for (size_t j = 0; j < count; j++) {
      seen += (*places[j] & bits[j]) != 0;
      *places[j] |= bits[j];
    }
  }
  return seen;
}

static void bench_floor(const url_list *list)
{
  const uint64_t keys = 400000000; /* about 500 MB at 1e-2: a dozen times any last-level cache */
  double our_ns[ROUNDS], floor_ns[ROUNDS];
  mlbf_filter *ours = filter_create(MLBF_KIND_LINE, keys, 1e-2, 0);
  mlbf_key *whole = need(malloc(list->count * sizeof *whole));
  mlbf_verdict *verdicts = need(malloc(list->count * sizeof *verdicts));
  for (size_t i = 0; i < list->count; i++)
    whole[i] = (mlbf_key){&list->texts[i], 1};
  mlbf_stats stats;
  mlbf_stats_read(ours, &stats);
  uint64_t words = stats.bits / 64, *table = table_allocate(stats.bits / 8);
  mlbf_insert_keys(ours, whole, list->count, verdicts);
  floor_run(table, words, list);
  for (int round = 0; round < ROUNDS; round++) {
    double start = now_ns();
    mlbf_insert_keys(ours, whole, list->count, verdicts);
    double middle = now_ns();
    floor_run(table, words, list);
    our_ns[round] = (middle - start) / (double)list->count;
    floor_ns[round] = (now_ns() - middle) / (double)list->count;
  }
  double us = median(our_ns, ROUNDS), least = median(floor_ns, ROUNDS);
  printf("floor: %.0f MB: line %.1f ns, XXH3_128 and one prefetched line %.1f ns, ratio %.2f\n",
         (double)stats.bits / 8e6, us, least, us / least);
  free(table);
  free(whole);
  free(verdicts);
  mlbf_free(ours);
}

/* Keys that are hashes already, as from a log or from one hashing for several filters: 20 a host, neighbours. */
static void hashes_make(uint64_t id, mlbf_hashes *hashes)
{
  hashes->whole = (mlbf_hash128){(id + 1) * 0x9e3779b97f4a7c15u, (id + 1) * 0xd1342543de82ef95u};
  hashes->whole.low ^= hashes->whole.low >> 29;
  hashes->whole.low *= 0xbf58476d1ce4e5b9u;
  hashes->whole.high ^= hashes->whole.low >> 32;
  hashes->layer[0] = (mlbf_hash128){(id / 20 + 1) * 0xbf58476d1ce4e5b9u, (id / 20 + 1) * 0x94d049bb133111ebu};
  hashes->layer[0].high ^= hashes->layer[0].low >> 32;
  hashes->depth = 1;
}

static double run_hashes(mlbf_filter *filter, uint64_t begin, uint64_t end, bool is_insert)
{
  mlbf_hashes hashes[BATCH];
  mlbf_verdict verdicts[BATCH];
  double start = now_ns();
  for (uint64_t id = begin; id < end; id += BATCH) {
    for (uint64_t j = 0; j < BATCH; j++)
      hashes_make(id + j, &hashes[j]);
    if (is_insert)
      mlbf_insert_many(filter, hashes, BATCH, verdicts);
    else
      mlbf_test_many(filter, hashes, BATCH, verdicts);
  }
  return (now_ns() - start) / (double)(end - begin);
}

static void bench_layers_hashed(uint64_t keys, double rate)
{
  double times[2][3][ROUNDS];
  for (int round = 0; round < ROUNDS; round++)
    for (int kind = 0; kind < 2; kind++) {
      mlbf_filter *ours = kind == 0 ? filter_create(MLBF_KIND_MLBF, keys, rate, 0)
                                    : filter_create(MLBF_KIND_BLOOM, keys, 0, mlbf_bits(keys, rate));
      times[kind][0][round] = run_hashes(ours, 0, keys, true);
      times[kind][1][round] = run_hashes(ours, 2 * keys, 3 * keys, false); /* hosts nobody inserted */
      times[kind][2][round] = run_hashes(ours, 0, keys, false);
      mlbf_free(ours);
    }
  static const char *const names[] = {"add", "new host", "seen"};
  printf("layers: promised %.0e, hashes, %4.1f M keys:", rate, (double)keys / 1e6);
  for (int i = 0; i < 3; i++) {
    double us = median(times[0][i], ROUNDS), them = median(times[1][i], ROUNDS);
    printf("  %s: mlbf %.1f ns, bloom %.1f ns, ratio %.2f", names[i], us, them, them / us);
  }
  puts("");
}

static void bench_layers(const url_list *list)
{
  static const double rates[] = {1e-2, 1e-3, 1e-6};
  const url_source from = half_of(list);
  for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
    bench_layers_of(&from, rates[r]);
    bench_layers_hashed(3500000, rates[r]);
    bench_layers_hashed(30000000, rates[r]);
  }
}

static void bench_strings(const url_list *list)
{
  const url_source sources[] = {half_of(list), made_up(3500000)};
  bench_strings_of(&sources[0]);
  bench_strings_of(&sources[1]);
}

static void bench_large(const url_list *list)
{
  const url_source from = made_up(30000000);
  (void)list;
  bench_strings_of(&from);
  bench_sets_of(&from);
  bench_layers_of(&from, 1e-2);
  bench_layers_of(&from, 1e-6);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(const url_list *list);
  } sections[] = {
    {"strings", bench_strings}, {"sets", bench_sets},   {"floor", bench_floor},
    {"layers", bench_layers},   {"large", bench_large},
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
