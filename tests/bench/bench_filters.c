/* How fast filters are, against whom. One run, contenders interleaved, medians of ROUNDS, printed as ratios.
 *
 *   bench_filters [URLS [SECTION]]     URLS: a list, plain or .zst; `-`: made-up URLs of real length
 *
 *   strings   add, new, seen for each URL string at 10 bits a key: libbloom, RedisBloom's bloom.c
 *   sets      batched test-and-set at one measured false-positive rate: a line in RocksDB's manner
 *   floor     the same beyond the caches: hashing and one prefetched line, read and written
 *   layers    mlbf and bloom at the same total memory */
#include <bloom.h>
#include <immintrin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <xxhash.h>

#include "mlbf/filter.h"
#include "mlbf/plan.h"
#include "mlbf/rate.h"
#include "tests/bench/url_list.h"

enum { ROUNDS = 5, BATCH = 32, CHUNK = 512 };

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

static double median(double *values)
{
  qsort(values, ROUNDS, sizeof *values, compare_doubles);
  return values[ROUNDS / 2];
}

static void *need(void *memory)
{
  if (!memory) {
    fputs("out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

/* Cleared, and in huge pages if the system has them, as our filters are. */
static void *table_allocate(uint64_t bytes)
{
  const uint64_t huge = 2 << 20;
  bytes = (bytes + huge - 1) / huge * huge;
  void *table = need(aligned_alloc(huge, bytes));
  madvise(table, bytes, MADV_HUGEPAGE);
  memset(table, 0, bytes);
  return table;
}

static mlbf_filter *create(mlbf_kind kind, uint64_t keys, double rate, uint64_t bits)
{
  mlbf_options options = { .kind = kind, .keys = keys, .rate = rate, .bits = bits };
  mlbf_filter *filter = NULL;
  mlbf_status status = mlbf_create(&options, &filter);
  if (status != MLBF_OK) {
    fprintf(stderr, "%s\n", mlbf_status_text(status));
    exit(1);
  }
  return filter;
}

/* A contender is made, given keys and asked about keys; both return how many it had seen. */
typedef struct contender {
  const char *name;
  void (*make)(uint64_t keys);
  uint64_t (*add)(const url_list *list, size_t begin, size_t end);
  uint64_t (*ask)(const url_list *list, size_t begin, size_t end);
  void (*drop)(void);
  double add_ns[ROUNDS], new_ns[ROUNDS], seen_ns[ROUNDS], rate;
} contender;

/* libbloom */

static struct bloom libbloom;
static const double ten_bits_rate = 0.0081922; /* exp(-10 ln(2)^2): what makes libbloom take 10 bits a key */

static void libbloom_make(uint64_t keys)
{
  bloom_init(&libbloom, (int)keys, ten_bits_rate);
}

static uint64_t libbloom_add(const url_list *list, size_t begin, size_t end)
{
  uint64_t seen = 0;
  for (size_t i = begin; i < end; i++)
    seen += (uint64_t)bloom_add(&libbloom, list->texts[i].bytes, (int)list->texts[i].size);
  return seen;
}

static uint64_t libbloom_ask(const url_list *list, size_t begin, size_t end)
{
  uint64_t seen = 0;
  for (size_t i = begin; i < end; i++)
    seen += (uint64_t)bloom_check(&libbloom, list->texts[i].bytes, (int)list->texts[i].size);
  return seen;
}

static void libbloom_drop(void)
{
  bloom_free(&libbloom);
}

/* RedisBloom's bloom.c as BF.RESERVE makes it (64-bit hashes, no rounding), from a library made elsewhere */

#ifdef HAVE_REDISBLOOM
int bench_redisbloom_init(uint64_t entries, double error);
int bench_redisbloom_add(const void *text, size_t size);
int bench_redisbloom_check(const void *text, size_t size);
void bench_redisbloom_free(void);

static void redisbloom_make(uint64_t keys)
{
  bench_redisbloom_init(keys, ten_bits_rate);
}

static uint64_t redisbloom_add(const url_list *list, size_t begin, size_t end)
{
  uint64_t seen = 0;
  for (size_t i = begin; i < end; i++)
    seen += (uint64_t)bench_redisbloom_add(list->texts[i].bytes, list->texts[i].size);
  return seen;
}

static uint64_t redisbloom_ask(const url_list *list, size_t begin, size_t end)
{
  uint64_t seen = 0;
  for (size_t i = begin; i < end; i++)
    seen += (uint64_t)bench_redisbloom_check(list->texts[i].bytes, list->texts[i].size);
  return seen;
}
#endif

/* Ours: one filter at a time, since contenders take turns. */

static mlbf_filter *ours;
static mlbf_verdict verdicts[CHUNK];

static uint64_t count_seen(size_t count)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i++)
    seen += verdicts[i].outcome == MLBF_SEEN;
  return seen;
}

static uint64_t insert_keys(const mlbf_key *keys, size_t begin, size_t end)
{
  uint64_t seen = 0;
  for (size_t i = begin; i < end; i += CHUNK) {
    size_t count = end - i < CHUNK ? end - i : CHUNK;
    mlbf_insert_keys(ours, keys + i, count, verdicts);
    seen += count_seen(count);
  }
  return seen;
}

static uint64_t test_keys(const mlbf_key *keys, size_t begin, size_t end)
{
  uint64_t seen = 0;
  for (size_t i = begin; i < end; i += CHUNK) {
    size_t count = end - i < CHUNK ? end - i : CHUNK;
    mlbf_test_keys(ours, keys + i, count, verdicts);
    seen += count_seen(count);
  }
  return seen;
}

static uint64_t whole_add(const url_list *list, size_t begin, size_t end)
{
  return insert_keys(list->whole, begin, end);
}

static uint64_t whole_ask(const url_list *list, size_t begin, size_t end)
{
  return test_keys(list->whole, begin, end);
}

static uint64_t layered_add(const url_list *list, size_t begin, size_t end)
{
  return insert_keys(list->keys, begin, end);
}

static uint64_t layered_ask(const url_list *list, size_t begin, size_t end)
{
  return test_keys(list->keys, begin, end);
}

static uint64_t single_add(const url_list *list, size_t begin, size_t end)
{
  uint64_t seen = 0;
  for (size_t i = begin; i < end; i++) {
    mlbf_hashes hashes;
    mlbf_verdict verdict;
    mlbf_hash(ours, &list->texts[i], 1, &hashes);
    mlbf_insert(ours, &hashes, &verdict);
    seen += verdict.outcome == MLBF_SEEN;
  }
  return seen;
}

static uint64_t single_ask(const url_list *list, size_t begin, size_t end)
{
  uint64_t seen = 0;
  for (size_t i = begin; i < end; i++) {
    mlbf_hashes hashes;
    mlbf_hash(ours, &list->texts[i], 1, &hashes);
    seen += mlbf_test(ours, &hashes).outcome == MLBF_SEEN;
  }
  return seen;
}

static void line_make(uint64_t keys)
{
  ours = create(MLBF_KIND_LINE, keys, 0, 10 * keys);
}

static void our_drop(void)
{
  mlbf_free(ours);
}

/* One round: n keys in, n others asked, the first n asked again. */
static void run_round(contender *one, const url_list *list, int round)
{
  size_t keys = list->count / 2;
  one->make(keys);
  double start = now_ns();
  one->add(list, 0, keys);
  double added = now_ns();
  uint64_t wrong = one->ask(list, keys, 2 * keys);
  double asked = now_ns();
  if (one->ask(list, 0, keys) != keys) {
    fprintf(stderr, "%s lost a key\n", one->name);
    exit(1);
  }
  double done = now_ns();
  one->add_ns[round] = (added - start) / (double)keys;
  one->new_ns[round] = (asked - added) / (double)keys;
  one->seen_ns[round] = (done - asked) / (double)keys;
  one->rate = (double)wrong / (double)keys;
  one->drop();
}

static void run_contenders(contender *contenders, size_t count, const url_list *list)
{
  for (int round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < count; i++)
      run_round(&contenders[i], list, round);
  double add = median(contenders[0].add_ns), new_key = median(contenders[0].new_ns);
  double seen = median(contenders[0].seen_ns);
  printf("  %-26s %8s %8s %8s  %9s   times slower than the first\n", "ns a key", "add", "new", "seen", "fp rate");
  for (size_t i = 0; i < count; i++) {
    contender *one = &contenders[i];
    double a = median(one->add_ns), n = median(one->new_ns), s = median(one->seen_ns);
    printf("  %-26s %8.1f %8.1f %8.1f  %9.2e   %5.2f %5.2f %5.2f\n", one->name, a, n, s, one->rate,
           a / add, n / new_key, s / seen);
  }
}

static void bench_strings(const url_list *list)
{
  contender contenders[] = {
    { .name = "line, batches", .make = line_make, .add = whole_add, .ask = whole_ask, .drop = our_drop },
    { .name = "line, one by one", .make = line_make, .add = single_add, .ask = single_ask, .drop = our_drop },
    { .name = "libbloom", .make = libbloom_make, .add = libbloom_add, .ask = libbloom_ask, .drop = libbloom_drop },
#ifdef HAVE_REDISBLOOM
    { .name = "RedisBloom", .make = redisbloom_make, .add = redisbloom_add, .ask = redisbloom_ask,
      .drop = bench_redisbloom_free },
#endif
  };
  printf("strings: 10 bits a key, %zu URLs of %.0f bytes in, as many others asked\n", list->count / 2,
         list->mean_length);
  run_contenders(contenders, sizeof contenders / sizeof *contenders, list);
#ifndef HAVE_REDISBLOOM
  puts("  RedisBloom: skipped, no library was given by STRATA_REDISBLOOM");
#endif
}

/* A line in RocksDB's manner (FastLocalBloom, RocksDB 6.6): the lower half of a 64-bit hash chooses the line, the
 * upper half, multiplied again and again by 2^32 / golden ratio, gives positions from its top 9 bits. Asked eight
 * probes at a time with AVX2, added one by one; here with the same batches and prefetches as ours. */
typedef struct rocks_line {
  uint32_t *lines;
  uint64_t bits;
  int probes;
} rocks_line;

static rocks_line rocks;

static uint32_t *rocks_place(uint64_t hash)
{
  uint64_t lines = rocks.bits / 512;
  return rocks.lines + 16 * (((hash & UINT32_MAX) * lines) >> 32);
}

__attribute__((target("avx2"))) static bool rocks_test(const uint32_t *line, uint32_t hash)
{
  const __m256i powers = _mm256_setr_epi32(0x00000001, (int)0x9e3779b9, (int)0xe35e67b1, 0x734297e9, 0x35fbe861,
                                           (int)0xdeb7c719, 0x0448b211, 0x3459b749);
  const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  int left = rocks.probes;
  for (;;) {
    __m256i hashes = _mm256_mullo_epi32(_mm256_set1_epi32((int)hash), powers);
    __m256i index = _mm256_srli_epi32(hashes, 28);
    const __m256i *halves = (const __m256i *)(const void *)line;
    __m256i lower = _mm256_permutevar8x32_epi32(_mm256_load_si256(halves), index);
    __m256i upper = _mm256_permutevar8x32_epi32(_mm256_load_si256(halves + 1), index);
    __m256i words = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(lower), _mm256_castsi256_ps(upper),
                                                         _mm256_castsi256_ps(hashes)));
    __m256i used = _mm256_srli_epi32(_mm256_cmpgt_epi32(_mm256_set1_epi32(left), numbers), 31);
    __m256i bits = _mm256_sllv_epi32(used, _mm256_srli_epi32(_mm256_slli_epi32(hashes, 4), 27));
    bool all = _mm256_testc_si256(words, bits);
    if (!all || left <= 8)
      return all;
    hash *= 0xab25f4c1;
    left -= 8;
  }
}

static void rocks_set(uint32_t *line, uint32_t hash)
{
  for (int i = 0; i < rocks.probes; i++, hash *= 0x9e3779b9)
    line[hash >> 28] |= UINT32_C(1) << (hash >> 23 & 31);
}

static uint64_t rocks_settle(const uint64_t *hashes, uint32_t *const *lines, size_t count)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t hash = (uint32_t)(hashes[i] >> 32);
    bool is_known = rocks_test(lines[i], hash);
    if (!is_known)
      rocks_set(lines[i], hash);
    seen += is_known;
  }
  return seen;
}

static uint64_t rocks_add(const url_list *list, size_t begin, size_t end)
{
  uint64_t seen = 0, hashes[BATCH];
  uint32_t *lines[BATCH];
  for (size_t i = begin; i < end; i += BATCH) {
    size_t count = end - i < BATCH ? end - i : BATCH;
    for (size_t j = 0; j < count; j++) {
      hashes[j] = XXH3_64bits(list->texts[i + j].bytes, list->texts[i + j].size);
      lines[j] = rocks_place(hashes[j]);
      __builtin_prefetch(lines[j], 1);
    }
    seen += rocks_settle(hashes, lines, count);
  }
  return seen;
}

static void rocks_make(uint64_t keys, double rate)
{
  double bits_per_key;
  rocks.probes = (int)mlbf_layout_best_hashes(MLBF_LAYOUT_LINE, rate, &bits_per_key);
  rocks.bits = (uint64_t)(bits_per_key * (double)keys / 512 + 1) * 512;
  rocks.lines = table_allocate(rocks.bits / 8);
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

static uint64_t our_stream(const uint64_t *stream, size_t count)
{
  uint64_t seen = 0;
  mlbf_hash128 wholes[BATCH];
  bool was_new[BATCH];
  for (size_t i = 0; i < count; i += BATCH) {
    size_t size = count - i < BATCH ? count - i : BATCH;
    for (size_t j = 0; j < size; j++)
      wholes[j] = (mlbf_hash128){ stream[i + j], stream[i + j] * 0x9fb21c651e98df25u };
    mlbf_insert_wholes(ours, wholes, size, was_new);
    for (size_t j = 0; j < size; j++)
      seen += !was_new[j];
  }
  return seen;
}

static uint64_t rocks_stream(const uint64_t *stream, size_t count)
{
  uint64_t seen = 0;
  uint32_t *lines[BATCH];
  for (size_t i = 0; i < count; i += BATCH) {
    size_t size = count - i < BATCH ? count - i : BATCH;
    for (size_t j = 0; j < size; j++)
      __builtin_prefetch(lines[j] = rocks_place(stream[i + j]), 1);
    seen += rocks_settle(stream + i, lines, size);
  }
  return seen;
}

static void bench_stream(size_t keys, double rate)
{
  uint64_t *stream = mixed_hashes(keys), our_seen = 0, rocks_seen = 0;
  double our_ns[ROUNDS], rocks_ns[ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    ours = create(MLBF_KIND_LINE, keys, rate, 0);
    double start = now_ns();
    our_seen = our_stream(stream, 2 * keys);
    our_ns[round] = (now_ns() - start) / (2.0 * (double)keys);
    our_drop();
    rocks_make(keys, rate);
    start = now_ns();
    rocks_seen = rocks_stream(stream, 2 * keys);
    rocks_ns[round] = (now_ns() - start) / (2.0 * (double)keys);
    free(rocks.lines);
  }
  double us = median(our_ns), them = median(rocks_ns);
  printf("  64-bit hashes, %5.1f M keys, fp %.0e: line %.1f ns, RocksDB's manner %.1f ns, ratio %.2f"
         " (seen: %zu, %zu)\n",
         (double)keys / 1e6, rate, us, them, them / us, (size_t)our_seen, (size_t)rocks_seen);
  free(stream);
}

/* URL strings, all in and then all again. */
static void bench_string_sets(const url_list *list, double rate)
{
  size_t keys = list->count / 2;
  double our_ns[ROUNDS], rocks_ns[ROUNDS], operations = 2 * (double)keys;
  uint64_t our_wrong = 0, rocks_wrong = 0;
  for (int round = 0; round < ROUNDS; round++) {
    ours = create(MLBF_KIND_LINE, keys, rate, 0);
    double start = now_ns();
    whole_add(list, 0, keys);
    whole_add(list, 0, keys);
    our_ns[round] = (now_ns() - start) / operations;
    our_wrong = whole_ask(list, keys, 2 * keys);
    our_drop();
    rocks_make(keys, rate);
    start = now_ns();
    rocks_add(list, 0, keys);
    rocks_add(list, 0, keys);
    rocks_ns[round] = (now_ns() - start) / operations;
    rocks_wrong = 0;
    for (size_t i = keys; i < 2 * keys; i++) {
      uint64_t hash = XXH3_64bits(list->texts[i].bytes, list->texts[i].size);
      rocks_wrong += rocks_test(rocks_place(hash), (uint32_t)(hash >> 32));
    }
    free(rocks.lines);
  }
  double us = median(our_ns), them = median(rocks_ns);
  printf("  URL strings, %5.1f M keys, fp measured %.2e and %.2e: line %.1f ns, RocksDB's manner %.1f ns, ratio %.2f\n",
         (double)keys / 1e6, (double)our_wrong / (double)keys, (double)rocks_wrong / (double)keys, us, them, them / us);
}

static void bench_sets(const url_list *list)
{
  puts("sets: batched test-and-set, times the opponent takes");
  bench_string_sets(list, 1e-2);
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
      XXH128_hash_t hash = XXH3_128bits_withSeed(list->texts[i + j].bytes, list->texts[i + j].size, 0);
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
  ours = create(MLBF_KIND_LINE, keys, 1e-2, 0);
  mlbf_stats stats;
  mlbf_stats_read(ours, &stats);
  uint64_t words = stats.bits / 64, *table = table_allocate(stats.bits / 8);
  insert_keys(list->whole, 0, list->count);
  floor_run(table, words, list);
  for (int round = 0; round < ROUNDS; round++) {
    double start = now_ns();
    insert_keys(list->whole, 0, list->count);
    double middle = now_ns();
    floor_run(table, words, list);
    our_ns[round] = (middle - start) / (double)list->count;
    floor_ns[round] = (now_ns() - middle) / (double)list->count;
  }
  double us = median(our_ns), least = median(floor_ns);
  printf("floor: %.0f MB: line %.1f ns, XXH3_128 and one prefetched line %.1f ns, ratio %.2f\n",
         (double)stats.bits / 8e6, us, least, us / least);
  free(table);
  our_drop();
}

/* mlbf at a rate, and bloom with all its bits. */

static double layers_rate;
static uint64_t layers_bits;

static void layers_mlbf_make(uint64_t keys)
{
  ours = create(MLBF_KIND_MLBF, keys, layers_rate, 0);
  mlbf_stats stats;
  mlbf_stats_read(ours, &stats);
  layers_bits = stats.bits;
}

static void layers_bloom_make(uint64_t keys)
{
  ours = create(MLBF_KIND_BLOOM, keys, 0, layers_bits);
}

/* Keys of hosts never seen: the same paths under made-up hosts. */
static void bench_new_hosts(const url_list *list)
{
  enum { QUERIES = 500000, HOST = 40 };
  size_t count = list->count < QUERIES ? list->count : QUERIES, segments = 0;
  for (size_t i = 0; i < count; i++)
    segments += list->keys[i].count;
  mlbf_span *spans = need(calloc(segments, sizeof *spans)), *texts = need(calloc(count, sizeof *texts));
  size_t listed = (size_t)((const char *)list->texts[count - 1].bytes - list->text) + list->texts[count - 1].size;
  char *text = need(malloc(count * HOST + listed));
  url_list queries = { .count = count, .keys = need(calloc(count, sizeof(mlbf_key))),
                       .whole = need(calloc(count, sizeof(mlbf_key))), .texts = texts };
  char *at = text;
  for (size_t i = 0; i < count; i++) {
    size_t host = (size_t)snprintf(at, HOST, "new-host-%zu.example", i), rest = 0;
    spans[0] = (mlbf_span){ at, host };
    for (size_t s = 1; s < list->keys[i].count; s++) {
      const mlbf_span *segment = &list->keys[i].segments[s];
      memcpy(at + host + rest, segment->bytes, segment->size);
      spans[s] = (mlbf_span){ at + host + rest, segment->size };
      rest += segment->size;
    }
    queries.keys[i] = (mlbf_key){ spans, list->keys[i].count };
    texts[i] = (mlbf_span){ at, host + rest };
    queries.whole[i] = (mlbf_key){ &texts[i], 1 };
    spans += list->keys[i].count;
    at += host + rest;
  }
  double layered_ns[ROUNDS], bloom_ns[ROUNDS];
  layers_mlbf_make(list->count);
  mlbf_filter *layered = ours, *bloom = create(MLBF_KIND_BLOOM, list->count, 0, layers_bits);
  insert_keys(list->keys, 0, list->count);
  ours = bloom;
  insert_keys(list->whole, 0, list->count);
  for (int round = 0; round < ROUNDS; round++) {
    ours = layered;
    double start = now_ns();
    test_keys(queries.keys, 0, count);
    double middle = now_ns();
    ours = bloom;
    test_keys(queries.whole, 0, count);
    bloom_ns[round] = (now_ns() - middle) / (double)count;
    layered_ns[round] = (middle - start) / (double)count;
  }
  double us = median(layered_ns), them = median(bloom_ns);
  printf("  new hosts: mlbf %.1f ns, bloom %.1f ns, ratio %.2f\n", us, them, them / us);
  mlbf_free(layered);
  mlbf_free(bloom);
  free(spans - segments);
  free(texts);
  free(text);
  free(queries.keys);
  free(queries.whole);
}

/* Keys that are hashes already, as from a log or from one hashing for several filters: 20 a host, neighbours. */
static void hashes_make(uint64_t id, mlbf_hashes *hashes)
{
  hashes->whole = (mlbf_hash128){ (id + 1) * 0x9e3779b97f4a7c15u, (id + 1) * 0xd1342543de82ef95u };
  hashes->whole.low ^= hashes->whole.low >> 29;
  hashes->whole.low *= 0xbf58476d1ce4e5b9u;
  hashes->whole.high ^= hashes->whole.low >> 32;
  hashes->layer[0] = (mlbf_hash128){ (id / 20 + 1) * 0xbf58476d1ce4e5b9u, (id / 20 + 1) * 0x94d049bb133111ebu };
  hashes->layer[0].high ^= hashes->layer[0].low >> 32;
  hashes->depth = 1;
}

static double run_hashes(mlbf_filter *filter, uint64_t begin, uint64_t end, bool is_insert)
{
  mlbf_hashes hashes[BATCH];
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

static void bench_layers_hashed(uint64_t keys)
{
  double times[2][3][ROUNDS];
  for (int round = 0; round < ROUNDS; round++)
    for (int kind = 0; kind < 2; kind++) {
      if (kind == 0)
        layers_mlbf_make(keys);
      else
        layers_bloom_make(keys);
      times[kind][0][round] = run_hashes(ours, 0, keys, true);
      times[kind][1][round] = run_hashes(ours, 2 * keys, 3 * keys, false); /* hosts nobody inserted */
      times[kind][2][round] = run_hashes(ours, 0, keys, false);
      our_drop();
    }
  static const char *const names[] = { "add", "new host", "seen" };
  printf("  hashes, %4.1f M keys:", (double)keys / 1e6);
  for (int i = 0; i < 3; i++) {
    double us = median(times[0][i]), them = median(times[1][i]);
    printf("  %s: mlbf %.1f ns, bloom %.1f ns, ratio %.2f", names[i], us, them, them / us);
  }
  puts("");
}

static void bench_layers(const url_list *list)
{
  for (layers_rate = 1e-2; layers_rate > 1e-7; layers_rate /= layers_rate < 1e-2 ? 1000 : 10) {
    contender contenders[] = {
      { .name = "mlbf", .make = layers_mlbf_make, .add = layered_add, .ask = layered_ask, .drop = our_drop },
      { .name = "bloom, same memory", .make = layers_bloom_make, .add = whole_add, .ask = whole_ask, .drop = our_drop },
    };
    printf("layers: promised %.0e, both in batches\n", layers_rate);
    run_contenders(contenders, 2, list);
    bench_new_hosts(list);
    bench_layers_hashed(3500000);
    if (layers_rate != 1e-3)
      bench_layers_hashed(30000000);
  }
}

int main(int argc, char **argv)
{
  static const struct { const char *name; void (*run)(const url_list *list); } sections[] = {
    { "strings", bench_strings }, { "sets", bench_sets }, { "floor", bench_floor }, { "layers", bench_layers },
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
