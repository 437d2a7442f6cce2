#include "tests/bench/filter_contenders.h"

#include <bloom.h>
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#define XXH_INLINE_ALL /* as RocksDB has it */
#include <xxhash.h>

#include "mlbf/filter/rate.h"

enum { BATCH = 32 };

void *need(void *memory)
{
  if (!memory) {
    fputs("out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

void *table_allocate(uint64_t bytes)
{
  const uint64_t huge = 2 << 20;
  bytes = (bytes + huge - 1) / huge * huge;
  void *table = need(aligned_alloc(huge, bytes));
  madvise(table, bytes, MADV_HUGEPAGE);
  memset(table, 0, bytes);
  return table;
}

mlbf_filter *filter_create(mlbf_kind kind, uint64_t keys, double rate, uint64_t bits)
{
  mlbf_options options = {.kind = kind, .keys = keys, .rate = bits ? 0 : rate, .bits = bits};
  mlbf_filter *filter = NULL;
  mlbf_status status = mlbf_create(&options, &filter);
  if (status != MLBF_OK) {
    fprintf(stderr, "%s\n", mlbf_status_text(status));
    exit(1);
  }
  return filter;
}

/* Ours */

static void *line_make(uint64_t keys, double rate, uint64_t bits)
{
  return filter_create(MLBF_KIND_LINE, keys, rate, bits);
}

static void *mlbf_make(uint64_t keys, double rate, uint64_t bits)
{
  return filter_create(MLBF_KIND_MLBF, keys, rate, bits);
}

static void *bloom_make(uint64_t keys, double rate, uint64_t bits)
{
  return filter_create(MLBF_KIND_BLOOM, keys, rate, bits);
}

static uint64_t count_seen(const mlbf_verdict *verdicts, size_t count)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i++)
    seen += verdicts[i].outcome == MLBF_SEEN;
  return seen;
}

static uint64_t add_whole(void *state, const url_chunk *chunk)
{
  mlbf_verdict verdicts[CHUNK_URLS];
  mlbf_insert_keys(state, chunk->whole, chunk->count, verdicts);
  return count_seen(verdicts, chunk->count);
}

static uint64_t ask_whole(void *state, const url_chunk *chunk)
{
  mlbf_verdict verdicts[CHUNK_URLS];
  mlbf_test_keys(state, chunk->whole, chunk->count, verdicts);
  return count_seen(verdicts, chunk->count);
}

static uint64_t add_layered(void *state, const url_chunk *chunk)
{
  mlbf_verdict verdicts[CHUNK_URLS];
  mlbf_insert_keys(state, chunk->layered, chunk->count, verdicts);
  return count_seen(verdicts, chunk->count);
}

static uint64_t ask_layered(void *state, const url_chunk *chunk)
{
  mlbf_verdict verdicts[CHUNK_URLS];
  mlbf_test_keys(state, chunk->layered, chunk->count, verdicts);
  return count_seen(verdicts, chunk->count);
}

static uint64_t add_single(void *state, const url_chunk *chunk)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < chunk->count; i++) {
    mlbf_hashes hashes;
    mlbf_verdict verdict;
    mlbf_hash(state, &chunk->texts[i], 1, &hashes);
    mlbf_insert(state, &hashes, &verdict);
    seen += verdict.outcome == MLBF_SEEN;
  }
  return seen;
}

static uint64_t ask_single(void *state, const url_chunk *chunk)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < chunk->count; i++) {
    mlbf_hashes hashes;
    mlbf_hash(state, &chunk->texts[i], 1, &hashes);
    seen += mlbf_test(state, &hashes).outcome == MLBF_SEEN;
  }
  return seen;
}

static void our_drop(void *state)
{
  mlbf_free(state);
}

const contender contender_line = {"line, batches", line_make, add_whole, ask_whole, our_drop};
const contender contender_line_single = {"line, one by one", line_make, add_single, ask_single, our_drop};
const contender contender_mlbf = {"mlbf, batches", mlbf_make, add_layered, ask_layered, our_drop};
const contender contender_bloom = {"bloom, batches", bloom_make, add_whole, ask_whole, our_drop};

/* libbloom: asks for a rate and takes the bits of equation (1), so 10 bits are asked for by their rate */

static const double ten_bits_rate = 0.0081922; /* exp(-10 ln(2)^2) */

static void *libbloom_make(uint64_t keys, double rate, uint64_t bits)
{
  struct bloom *made = need(malloc(sizeof *made));
  if (bloom_init(made, (int)keys, bits ? ten_bits_rate : rate) != 0)
    need(NULL);
  return made;
}

static uint64_t libbloom_add(void *state, const url_chunk *chunk)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < chunk->count; i++)
    seen += (uint64_t)bloom_add(state, chunk->texts[i].bytes, (int)chunk->texts[i].size);
  return seen;
}

static uint64_t libbloom_ask(void *state, const url_chunk *chunk)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < chunk->count; i++)
    seen += (uint64_t)bloom_check(state, chunk->texts[i].bytes, (int)chunk->texts[i].size);
  return seen;
}

static void libbloom_drop(void *state)
{
  bloom_free(state);
  free(state);
}

const contender contender_libbloom = {"libbloom", libbloom_make, libbloom_add, libbloom_ask, libbloom_drop};

/* RedisBloom */

#ifdef HAVE_REDISBLOOM
int bench_redisbloom_init(uint64_t entries, double error);
int bench_redisbloom_add(const void *text, size_t size);
int bench_redisbloom_check(const void *text, size_t size);
void bench_redisbloom_free(void);

static void *redisbloom_make(uint64_t keys, double rate, uint64_t bits)
{
  static char one;
  bench_redisbloom_init(keys, bits ? ten_bits_rate : rate);
  return &one;
}

static uint64_t redisbloom_add(void *state, const url_chunk *chunk)
{
  uint64_t seen = 0;
  (void)state;
  for (size_t i = 0; i < chunk->count; i++)
    seen += (uint64_t)bench_redisbloom_add(chunk->texts[i].bytes, chunk->texts[i].size);
  return seen;
}

static uint64_t redisbloom_ask(void *state, const url_chunk *chunk)
{
  uint64_t seen = 0;
  (void)state;
  for (size_t i = 0; i < chunk->count; i++)
    seen += (uint64_t)bench_redisbloom_check(chunk->texts[i].bytes, chunk->texts[i].size);
  return seen;
}

static void redisbloom_drop(void *state)
{
  (void)state;
  bench_redisbloom_free();
}

const contender contender_redisbloom = {"RedisBloom", redisbloom_make, redisbloom_add, redisbloom_ask, redisbloom_drop};
#endif

/* RocksDB's manner */

typedef struct rocks {
  uint32_t *lines;
  uint64_t line_count;
  int probes;
} rocks;

void *rocks_make(uint64_t keys, double rate, uint64_t bits)
{
  double bits_per_key = 0;
  rocks *made = need(malloc(sizeof *made));
  made->probes = (int)mlbf_layout_best_hashes(MLBF_LAYOUT_LINE, rate, &bits_per_key);
  made->line_count = (bits ? bits : (uint64_t)(bits_per_key * (double)keys)) / 512 + 1;
  made->lines = table_allocate(made->line_count * 64);
  return made;
}

void rocks_drop(void *state)
{
  free(((rocks *)state)->lines);
  free(state);
}

static uint32_t *rocks_place(const rocks *filter, uint64_t hash)
{
  return filter->lines + 16 * (((hash & UINT32_MAX) * filter->line_count) >> 32);
}

__attribute__((target("avx2"))) static bool rocks_test(const uint32_t *line, uint32_t hash, int probes)
{
  const __m256i powers = _mm256_setr_epi32(0x00000001, (int)0x9e3779b9, (int)0xe35e67b1, 0x734297e9, 0x35fbe861,
                                           (int)0xdeb7c719, 0x0448b211, 0x3459b749);
  const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (int left = probes;; left -= 8) {
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
  }
}

static void rocks_set(uint32_t *line, uint32_t hash, int probes)
{
  for (int i = 0; i < probes; i++, hash *= 0x9e3779b9)
    line[hash >> 28] |= UINT32_C(1) << (hash >> 23 & 31);
}

static uint64_t rocks_settle(const rocks *filter, const uint64_t *hashes, size_t count)
{
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t *line = rocks_place(filter, hashes[i]), hash = (uint32_t)(hashes[i] >> 32);
    bool is_known = rocks_test(line, hash, filter->probes);
    if (!is_known)
      rocks_set(line, hash, filter->probes);
    seen += is_known;
  }
  return seen;
}

uint64_t rocks_add_hashes(void *state, const uint64_t *hashes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    __builtin_prefetch(rocks_place(state, hashes[i]), 1);
  return rocks_settle(state, hashes, count);
}

static size_t rocks_hash(const rocks *filter, const url_chunk *chunk, size_t begin, uint64_t *hashes)
{
  size_t count = chunk->count - begin < BATCH ? chunk->count - begin : BATCH;
  for (size_t i = 0; i < count; i++) {
    hashes[i] = XXH3_64bits(chunk->texts[begin + i].bytes, chunk->texts[begin + i].size);
    __builtin_prefetch(rocks_place(filter, hashes[i]), 1);
  }
  return count;
}

static uint64_t rocks_add(void *state, const url_chunk *chunk)
{
  uint64_t hashes[BATCH], seen = 0;
  for (size_t i = 0; i < chunk->count; i += BATCH) {
    size_t count = rocks_hash(state, chunk, i, hashes);
    seen += rocks_settle(state, hashes, count);
  }
  return seen;
}

static uint64_t rocks_ask(void *state, const url_chunk *chunk)
{
  const rocks *filter = state;
  uint64_t hashes[BATCH], seen = 0;
  for (size_t i = 0; i < chunk->count; i += BATCH) {
    size_t count = rocks_hash(filter, chunk, i, hashes);
    for (size_t j = 0; j < count; j++)
      seen += rocks_test(rocks_place(filter, hashes[j]), (uint32_t)(hashes[j] >> 32), filter->probes);
  }
  return seen;
}

const contender contender_rocks = {"RocksDB's manner", rocks_make, rocks_add, rocks_ask, rocks_drop};
