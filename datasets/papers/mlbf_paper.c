/* The seed paper's two filters as printed: Cen, Xu, Sun, "A Multi-Layer Bloom Filter for Duplicated URL Detection".
 * For reproducing its figures; do not use them for anything else. Called through contender.c, by `strata replay`.
 *
 *   bloom-paper  one array of m bits, k hashes of the whole URL: one layer, without the extra array
 *
 *   mlbf-paper   a1        a2        ...  aL          Hash_j, j = 1..k, reduced mod m
 *                | | |     | | |          | | |
 *              [layer 1] [layer 2]      [layer L]     m bits each
 *                \ \ \-----\-\-\----------\-\-\--> XOR over layers, for each j, mod m
 *                                        [extra]      m bits
 *
 * Our choices where the paper says nothing or is wrong, kept by tests/golden/replay.txt:
 *   - Hash_j is XXH3_64 with seed j, taken of the segment's XXH3_128 fingerprint and not of its bytes, so that a
 *     segment is read once. Fingerprints agree by chance with probability 2^-128: every figure is as if the bytes had
 *     been hashed.
 *   - The address is hash mod m. The XOR is of addresses, runs over all layers (Algorithm 2 prints it inside an `if`
 *     after `return`), and is reduced mod m, since the XOR of two numbers below m may exceed it.
 *   - It sets bits of an m-bit array (the text says "an array of k bits").
 *   - A URL deeper than L keeps its whole remainder in layer L; a shallower one uses the layers it has.
 *   - The caller drops the scheme and cuts at '/': nothing here knows a URL.
 *   - Nothing is fetched ahead: the paper's programs do not, and its figures are times.
 *
 * What is wrong with it, certain and by construction: the XOR has no layer salt, so (a,b) and (b,a) agree, and so do
 * (a,a) and (b,b). See README.md. */
#define XXH_INLINE_ALL /* most segments are shorter than 17 bytes: the call would cost as much as the hash */
#include <xxhash.h>

#include "datasets/replay/contender.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef struct paper_filter {
  uint64_t m, seed;
  uint32_t k, layers;
  bool has_extra; /* behind the layers; false: bloom-paper */
  uint64_t *bits; /* of all arrays */
  uint64_t bits_bytes;
} paper_filter;

static uint64_t array_words(uint64_t m)
{
  return (m + 63) / 64;
}

static uint64_t *array_of(const paper_filter *f, uint32_t layer)
{
  assert(layer < f->layers + f->has_extra);
  return f->bits + layer * array_words(f->m);
}

static bool bit_test(const uint64_t *bits, uint64_t address)
{
  return bits[address / 64] >> address % 64 & 1;
}

static bool bit_set(uint64_t *bits, uint64_t address) /* true: it was clear */
{
  bool was_clear = !bit_test(bits, address);
  bits[address / 64] |= UINT64_C(1) << address % 64;
  return was_clear;
}

static uint64_t address(XXH128_hash_t fingerprint, uint32_t j, uint64_t m)
{
  uint64_t bytes[] = {fingerprint.low64, fingerprint.high64};
  return XXH3_64bits_withSeed(bytes, sizeof bytes, j) % m;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* One for each layer that the key uses. */
typedef struct fingerprints {
  XXH128_hash_t at[MLBF_LAYERS_MAX];
  uint32_t count;
} fingerprints;

/* Of segments that follow each other in one string. */
static XXH128_hash_t fingerprint(const mlbf_span *segments, size_t count, uint64_t seed)
{
  const char *begin = segments[0].bytes, *end = (const char *)segments[count - 1].bytes + segments[count - 1].size;
  assert(end >= begin);
  return XXH3_128bits_withSeed(begin, (size_t)(end - begin), seed);
}

static void take_fingerprints(const paper_filter *f, const mlbf_key *key, fingerprints *made)
{
  uint32_t last = (key->count < f->layers ? (uint32_t)key->count : f->layers) - 1;
  assert(last < MLBF_LAYERS_MAX);
  for (uint32_t i = 0; i < last; i++)
    made->at[i] = fingerprint(&key->segments[i], 1, f->seed);
  made->at[last] = fingerprint(&key->segments[last], key->count - last, f->seed);
  made->count = last + 1;
}

/* In the extra array. */
static uint64_t xor_address(const paper_filter *f, const fingerprints *key, uint32_t j)
{
  uint64_t xored = 0;
  for (uint32_t i = 0; i < key->count; i++)
    xored ^= address(key->at[i], j, f->m);
  return xored % f->m;
}

/* Algorithm 2 */
static bool is_seen(const paper_filter *f, const fingerprints *key)
{
  for (uint32_t i = 0; i < key->count; i++)
    for (uint32_t j = 1; j <= f->k; j++)
      if (!bit_test(array_of(f, i), address(key->at[i], j, f->m)))
        return false;
  for (uint32_t j = 1; f->has_extra && j <= f->k; j++)
    if (!bit_test(array_of(f, f->layers), xor_address(f, key, j)))
      return false;
  return true;
}

/* Algorithm 1; what Algorithm 2 would have said before: a key is seen if all its bits were set. */
static bool insert(const paper_filter *f, const fingerprints *key)
{
  bool is_new = false;
  for (uint32_t i = 0; i < key->count; i++)
    for (uint32_t j = 1; j <= f->k; j++)
      is_new |= bit_set(array_of(f, i), address(key->at[i], j, f->m));
  for (uint32_t j = 1; f->has_extra && j <= f->k; j++)
    is_new |= bit_set(array_of(f, f->layers), xor_address(f, key, j));
  return !is_new;
}

/* ---- as a contender -------------------------------------------------------------------------- */

static void paper_insert(void *state, const key_batch *batch, bool *was_seen)
{
  const paper_filter *f = state;
  for (size_t i = 0; i < batch->count; i++) {
    fingerprints key;
    take_fingerprints(f, &batch->keys[CUT_PAPER][i], &key);
    was_seen[i] = insert(f, &key);
  }
}

static void paper_test(void *state, const key_batch *batch, bool *seen)
{
  const paper_filter *f = state;
  for (size_t i = 0; i < batch->count; i++) {
    fingerprints key;
    take_fingerprints(f, &batch->keys[CUT_PAPER][i], &key);
    seen[i] = is_seen(f, &key);
  }
}

static void paper_free(void *state)
{
  paper_filter *old = state;
  munmap(old->bits, old->bits_bytes);
  free(old);
}

/* Cleared, and in huge pages where the system has them, as this library's filters, which it is timed beside. */
static void *map_bits(uint64_t bytes)
{
  enum { HUGE_LEAST = 8 << 20 };
  void *bits = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bits == MAP_FAILED)
    return NULL;
  if (bytes >= HUGE_LEAST)
    madvise(bits, bytes, MADV_HUGEPAGE);
  return bits;
}

bool contender_make_paper(bool has_layers, const contender_setting *setting, contender *made, const char **reason)
{
  uint32_t layers = has_layers ? setting->layers : 1, arrays = layers + has_layers;
  uint64_t bytes = arrays * array_words(setting->m) * sizeof(uint64_t);
  assert(setting->m > 0 && setting->k >= 1 && layers >= 1 && layers <= MLBF_LAYERS_MAX);
  paper_filter *f = malloc(sizeof *f);
  uint64_t *bits = f != NULL ? map_bits(bytes) : NULL;
  if (bits == NULL) {
    free(f);
    *reason = "out of memory";
    return false;
  }
  *f = (paper_filter){setting->m, setting->seed, setting->k, layers, has_layers, bits, bytes};
  *made = (contender){
    .state = f,
    .insert = paper_insert,
    .test = paper_test,
    .free = paper_free,
    .bits = arrays * setting->m,
    .hashes = setting->k,
  };
  return true;
}
