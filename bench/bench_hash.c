/* The keyed hash: how long it takes, against whom, and how random it is.
 *
 *   bench_hash speed URLS               ns a URL of each path, and of other hashes
 *   bench_hash collisions URLS COUNT    the list, and made URLs up to COUNT: pairs that agree, and how many should
 *   bench_hash quality [TIMES]          what test_hash_quality does, with TIMES as many values
 *
 * speed: URLs come a thousand at a time, cut and in the cache, as from a parser; each contender hashes them in turn, in
 * another order each time. What is given is the median over the thousands, of this thread's processor time. Opponents:
 * libxxhash inlined; libsodium-dev; libhighwayhash-dev. They hash one text, as it is; "segments" hashes each segment of
 * the URL, and the whole, as layers does.
 *
 * collisions: the low and the high halves of the wholes, sorted; 16 bytes a URL each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#ifdef HAVE_SODIUM
#include <sodium.h>
#endif

#include "datasets/make/generator.h"
#include "mlbf/filter/hash.h"
#include "mlbf/hash/keyed_hash.h"
#include "bench/url_list.h"
#include "tests/support/hash_quality.h"

enum { CHUNK = 1024, TURNS = 600, CONTENDERS_MAX = 32 };

static void *need(void *memory)
{
  if (!memory) {
    fputs("out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

static void keys_of_seed(uint64_t seed, mlbf_hash_keys *keys)
{
  uint8_t secret[MLBF_SECRET_BYTES];
  mlbf_secret_from_seed(seed, secret);
  mlbf_hash_keys_make(secret, keys);
}

/* ---- speed -------------------------------------------------------------------------------------------------- */

/* A thousand URLs, whole and cut. */
typedef struct url_chunk {
  mlbf_span whole[CHUNK], segments[CHUNK][MLBF_LAYERS_MAX];
  mlbf_key wholes[CHUNK], cut[CHUNK];
} url_chunk;

typedef struct hash_contender {
  char name[48];
  void (*run)(const struct hash_contender *contender, const url_chunk *chunk);
  const mlbf_hash_path *path;
  uint32_t layers; /* so many have hashes; 0: the key is hashed end to end */
  double ns[TURNS];
} hash_contender;

static mlbf_hash_keys ours;
static uint8_t secret_of_xxh3[XXH3_SECRET_DEFAULT_SIZE];
static uint64_t seed_of_xxh3;
static volatile uint64_t sink;

enum { BATCH = 32 }; /* as filters hash them */

static void run_ours(const hash_contender *contender, const mlbf_key *keys)
{
  static mlbf_hash128 wholes[BATCH], segments[BATCH * MLBF_LAYERS_MAX];
  static uint32_t ends[BATCH];
  static uint8_t layers[BATCH * MLBF_LAYERS_MAX];
  mlbf_hashes hashes = {wholes, ends, segments, layers};
  uint64_t sum = 0;
  for (size_t i = 0; i < CHUNK; i += BATCH) {
    contender->path->hash(&ours, keys + i, BATCH, CHUNK - BATCH - i, contender->layers, SIZE_MAX, &hashes);
    sum ^= wholes[0].low ^ segments[0].low;
  }
  sink ^= sum;
}

static void run_wholes(const hash_contender *contender, const url_chunk *chunk)
{
  run_ours(contender, chunk->wholes);
}

static void run_layers(const hash_contender *contender, const url_chunk *chunk)
{
  run_ours(contender, chunk->cut);
}

/* A hash of one text: over the URLs whole, and over their segments. */
#define OPPONENT(name, call)                                                               \
  static inline __attribute__((always_inline)) uint64_t name(mlbf_span text)               \
  {                                                                                        \
    return call;                                                                           \
  }                                                                                        \
  static void run_##name(const hash_contender *contender, const url_chunk *chunk)          \
  {                                                                                        \
    uint64_t sum = 0;                                                                      \
    (void)contender;                                                                       \
    for (size_t i = 0; i < CHUNK; i++)                                                     \
      sum ^= name(chunk->whole[i]);                                                        \
    sink ^= sum;                                                                           \
  }                                                                                        \
  static void run_segments_##name(const hash_contender *contender, const url_chunk *chunk) \
  {                                                                                        \
    uint64_t sum = 0;                                                                      \
    (void)contender;                                                                       \
    for (size_t i = 0; i < CHUNK; i++) {                                                   \
      for (size_t j = 0; j < chunk->cut[i].count; j++)                                     \
        sum += name(chunk->segments[i][j]) * (j + 1);                                      \
      sum ^= name(chunk->whole[i]);                                                        \
    }                                                                                      \
    sink ^= sum;                                                                           \
  }

static uint64_t folded(XXH128_hash_t hash)
{
  return hash.low64 ^ hash.high64;
}

OPPONENT(xxh3_64, XXH3_64bits_withSeed(text.bytes, text.size, seed_of_xxh3))
OPPONENT(xxh3_128, folded(XXH3_128bits_withSeed(text.bytes, text.size, seed_of_xxh3)))
OPPONENT(xxh3_128_secret, folded(XXH3_128bits_withSecret(text.bytes, text.size, secret_of_xxh3, sizeof secret_of_xxh3)))

#ifdef HAVE_SODIUM
static uint64_t sodium(int (*hash)(unsigned char *, const unsigned char *, unsigned long long, const unsigned char *),
                       mlbf_span text)
{
  uint64_t out[2];
  hash((unsigned char *)out, text.bytes, text.size, secret_of_xxh3);
  return out[0];
}
OPPONENT(siphash_2_4, sodium(crypto_shorthash_siphash24, text))
OPPONENT(siphash_2_4_128, sodium(crypto_shorthash_siphashx24, text))
#endif

#ifdef HAVE_HIGHWAYHASH
uint64_t SipHash13C(const uint64_t *key, const char *bytes, uint64_t size);
uint64_t HighwayHash64(const uint64_t key[4], const char *bytes, uint64_t size);
static _Alignas(32) uint64_t key_of_highway[4];
OPPONENT(siphash_1_3, SipHash13C(key_of_highway, text.bytes, text.size))
OPPONENT(highwayhash_64, HighwayHash64(key_of_highway, text.bytes, text.size))
#endif

static hash_contender *enter(hash_contender *contenders, size_t *count, const char *name, const char *more)
{
  hash_contender *made = &contenders[(*count)++];
  snprintf(made->name, sizeof made->name, "%s%s", name, more);
  return made;
}

#define ENTER(opponent, name)                                                     \
  do {                                                                            \
    enter(contenders, &count, name, "")->run = run_##opponent;                    \
    enter(contenders, &count, name, ", segments")->run = run_segments_##opponent; \
  } while (0)

static size_t enter_all(hash_contender *contenders)
{
  static const struct {
    const char *name;
    uint32_t layers; /* so many have hashes; 0: the key is hashed end to end */
  } shapes[] = {{", layers with deep ones", MLBF_LAYERS_MAX}, {", layers, hosts alone", 1}};
  size_t count = 0;
  for (const mlbf_hash_path *const *path = mlbf_hash_paths; *path; path++) {
    if (!(*path)->cpu.is_usable())
      continue;
    hash_contender *whole = enter(contenders, &count, (*path)->cpu.name, ", wholes");
    whole->run = run_wholes;
    whole->path = *path;
    for (size_t i = 0; i < 2; i++) {
      hash_contender *layers = enter(contenders, &count, (*path)->cpu.name, shapes[i].name);
      layers->run = run_layers;
      layers->path = *path;
      layers->layers = shapes[i].layers;
    }
  }
  ENTER(xxh3_64, "XXH3_64, seed");
  ENTER(xxh3_128, "XXH3_128, seed");
  ENTER(xxh3_128_secret, "XXH3_128, secret");
#ifdef HAVE_SODIUM
  ENTER(siphash_2_4, "SipHash-2-4, 64 bits");
  ENTER(siphash_2_4_128, "SipHash-2-4, 128 bits");
#endif
#ifdef HAVE_HIGHWAYHASH
  ENTER(siphash_1_3, "SipHash-1-3, 64 bits");
  ENTER(highwayhash_64, "HighwayHash, 64 bits");
#endif
  return count;
}

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

static size_t chunk_make(const url_list *list, size_t first, url_chunk *chunk)
{
  size_t segments = 0;
  for (size_t i = 0; i < CHUNK; i++) {
    mlbf_span text = list->texts[(first + i) % list->count];
    chunk->whole[i] = text;
    chunk->wholes[i] = (mlbf_key){&chunk->whole[i], 1};
    chunk->cut[i] = (mlbf_key){chunk->segments[i], url_cut(text.bytes, text.size, chunk->segments[i])};
    segments += chunk->cut[i].count;
  }
  return segments;
}

static void speed(const char *path)
{
  static hash_contender contenders[CONTENDERS_MAX];
  static url_chunk chunk;
  url_list list = url_list_read(path, SIZE_MAX, 1);
  size_t count = enter_all(contenders), segments = 0;
  keys_of_seed(1, &ours);
  XXH3_generateSecret(secret_of_xxh3, sizeof secret_of_xxh3, "a secret", 8);
  seed_of_xxh3 = (uint64_t)(now_ns() * 0) + 7;
#ifdef HAVE_HIGHWAYHASH
  memcpy(key_of_highway, secret_of_xxh3, sizeof key_of_highway);
#endif
  for (size_t turn = 0; turn < TURNS; turn++) {
    segments += chunk_make(&list, turn * CHUNK, &chunk);
    for (size_t i = 0; i < count; i++) {
      hash_contender *next = &contenders[(turn + i) % count];
      double begin = now_ns();
      next->run(next, &chunk);
      next->ns[turn] = (now_ns() - begin) / CHUNK;
    }
  }
  printf("%zu URLs of %.1f bytes, %.1f segments\n", list.count, list.mean_length,
         (double)segments / ((double)TURNS * CHUNK));
  for (size_t i = 0; i < count; i++) {
    qsort(contenders[i].ns, TURNS, sizeof(double), compare_doubles);
    printf("%-34s %7.1f ns\n", contenders[i].name, contenders[i].ns[TURNS / 2]);
  }
  url_list_free(&list);
}

/* ---- collisions --------------------------------------------------------------------------------------------- */

static uint64_t agreeing_pairs(const uint64_t *sorted, uint64_t count, unsigned bits)
{
  uint64_t pairs = 0, run = 0;
  for (uint64_t i = 1; i < count; i++) {
    run = sorted[i] >> (64 - bits) == sorted[i - 1] >> (64 - bits) ? run + 1 : 0;
    pairs += run;
  }
  return pairs;
}

static void print_pairs(const char *half, const char *end, uint64_t *values, uint64_t count)
{
  static const unsigned bits[] = {64, 56, 52, 48, 40, 36};
  hash_sort(values, count);
  for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
    double expected = (double)count * ((double)count - 1) / 2 / ldexp(1, (int)bits[i]);
    uint64_t pairs = agreeing_pairs(values, count, bits[i]);
    printf("%-4s %-6s %2u bits: %12llu pairs, %14.4f expected, %+.1f sd\n", half, end, bits[i],
           (unsigned long long)pairs, expected, ((double)pairs - expected) / sqrt(expected + 1));
  }
}

static mlbf_hash128 hash_url(mlbf_span text)
{
  mlbf_span segments[MLBF_LAYERS_MAX];
  mlbf_key key = {segments, url_cut(text.bytes, text.size, segments)};
  mlbf_hash128 whole, host;
  uint32_t end;
  uint8_t layer;
  ours.path->hash(&ours, &key, 1, 0, 1, 1, &(mlbf_hashes){&whole, &end, &host, &layer});
  return whole;
}

/* The list, then made URLs; none twice. */
static void hash_all(const char *path, uint64_t count, uint64_t *low, uint64_t *high)
{
  url_list list = url_list_read(path, count, 1);
  mlbf_hash128 hash;
  char line[GENERATOR_URL_SIZE];
  uint64_t at = 0;
  for (; at < list.count; at++) {
    hash = hash_url(list.texts[at]);
    low[at] = hash.low;
    high[at] = hash.high;
  }
  printf("%llu real URLs, %llu made\n", (unsigned long long)at, (unsigned long long)(count - at));
  url_list_free(&list);
  if (at == count)
    return;
  url_generator *made = need(generator_create(count - at, 1, &shape_usual));
  for (size_t size; (size = generator_next(made, line)) != 0; at++) {
    hash = hash_url((mlbf_span){line, size});
    low[at] = hash.low;
    high[at] = hash.high;
  }
  generator_free(made);
}

/* Two keys whose 128 bits agree agree in `low`, so the first row shows them, too. */
static void collisions(const char *path, uint64_t count)
{
  uint64_t *low = need(malloc(count * sizeof *low)), *high = need(malloc(count * sizeof *high));
  keys_of_seed(1, &ours);
  hash_all(path, count, low, high);
  print_pairs("low", "top", low, count);
  print_pairs("high", "top", high, count);
  for (uint64_t i = 0; i < count; i++) {
    low[i] = mlbf_rotate(low[i], 32);
    high[i] = mlbf_rotate(high[i], 32);
  }
  print_pairs("low", "middle", low, count);
  print_pairs("high", "middle", high, count);
  free(low);
  free(high);
}

/* ---- quality ------------------------------------------------------------------------------------------------ */

static void print_verdict(const char *what, hash_verdict verdict)
{
  printf("%-28s %10llu values, %llu equal, 32-bit pairs %+.1f sd, chi-square %+.1f sd\n", what,
         (unsigned long long)verdict.values, (unsigned long long)verdict.equal, verdict.pairs, verdict.chi_square);
  fflush(stdout);
}

static void quality(unsigned times)
{
  double worst = 0, of_segments = 0;
  for (size_t length = 1; length <= 80; length++) {
    hash_filters filters = hash_filters_make(length);
    double found = fabs(hash_avalanche(&filters, length, 200 * times));
    worst = found > worst ? found : worst;
    found = length <= 40 ? fabs(hash_avalanche_segments(&filters, length, 40 * times)) : 0;
    of_segments = found > of_segments ? found : of_segments;
    hash_filters_free(filters);
  }
  hash_filters last = hash_filters_make(80);
  printf("avalanche, 1 to 80 bytes, the worst of 3.3 million: %.1f sd; of segments: %.1f sd\n", worst, of_segments);
  print_verdict("differences", hash_differential(&last, 120 * times, 4096));
  print_verdict("quadruples", hash_quadruples(&last, UINT64_C(400000) * times));
  for (const hash_family *family = hash_families; family->name; family++) {
    char name[40];
    snprintf(name, sizeof name, "%s, layers", family->name);
    if (strcmp(family->name, "permutations") != 0 && strcmp(family->name, "recombinations") != 0)
      print_verdict(family->name, hash_family_verdict(&last, family, UINT64_C(400000) * times, false));
    print_verdict(name, hash_family_verdict(&last, family, UINT64_C(400000) * times, true));
  }
  hash_filters_free(last);
}

int main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "speed") == 0)
    speed(argv[2]);
  else if (argc == 4 && strcmp(argv[1], "collisions") == 0)
    collisions(argv[2], strtoull(argv[3], NULL, 10));
  else if (argc >= 2 && argc <= 3 && strcmp(argv[1], "quality") == 0)
    quality(argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 20);
  else {
    fputs("usage: bench_hash speed URLS | collisions URLS COUNT | quality [TIMES]\n", stderr);
    return 2;
  }
  return 0;
}
