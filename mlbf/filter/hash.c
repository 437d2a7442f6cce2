#define XXH_INLINE_ALL /* most segments are shorter than 17 bytes: the call would cost as much as the hash */
#include <xxhash.h>

#include "mlbf/filter/hash.h"

/* David Stafford's 13th variant of the 64-bit finalizer, as in splitmix64: a bijection. */
static uint64_t mix64(uint64_t x)
{
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static const uint64_t golden = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio, odd */

void mlbf_salts_make(uint64_t seed, mlbf_salts *salts)
{
  for (uint64_t i = 0; i < MLBF_LAYERS_MAX; i++)
    salts->layer[i] = mix64(seed + (i + 1) * golden);
}

static mlbf_hash128 hash_span(const void *bytes, size_t size, uint64_t seed)
{
  XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, seed);
  return (mlbf_hash128){hash.low64, hash.high64};
}

/* Segments are usually cut from one string: then the whole is one span and needs no streaming. */
static bool are_adjacent(const mlbf_span *spans, size_t count, size_t *size)
{
  *size = spans[0].size;
  for (size_t i = 1; i < count; i++) {
    if ((const char *)spans[i - 1].bytes + spans[i - 1].size != (const char *)spans[i].bytes)
      return false;
    *size += spans[i].size;
  }
  return true;
}

mlbf_hash128 mlbf_hash_bytes(const mlbf_span *spans, size_t count, uint64_t seed)
{
  size_t size;
  if (are_adjacent(spans, count, &size))
    return hash_span(spans[0].bytes, size, seed);
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_128bits_reset_withSeed(&state, seed);
  for (size_t i = 0; i < count; i++)
    XXH3_128bits_update(&state, spans[i].bytes, spans[i].size);
  XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return (mlbf_hash128){hash.low64, hash.high64};
}

/* The last layer of a key deeper than there are layers: each segment is seeded by all before it. */
static mlbf_hash128 hash_remainder(const mlbf_span *segments, size_t count, uint64_t salt)
{
  mlbf_hash128 hash = hash_span(segments[0].bytes, segments[0].size, salt);
  for (size_t i = 1; i < count; i++) {
    mlbf_hash128 next = hash_span(segments[i].bytes, segments[i].size, salt ^ hash.low);
    hash.low = next.low;
    hash.high = mlbf_rotate(hash.high, 1) ^ next.high;
  }
  return hash;
}

/* Segment i at its layer; the last layer takes all that follow. */
static mlbf_hash128 hash_layer(const mlbf_salts *salts, const mlbf_span *segments, size_t count, size_t i)
{
  if (i + 1 == MLBF_LAYERS_MAX && count > MLBF_LAYERS_MAX)
    return hash_remainder(segments + i, count - i, salts->layer[i]);
  return hash_span(segments[i].bytes, segments[i].size, salts->layer[i]);
}

static mlbf_hash128 finish(uint64_t low, uint64_t high, size_t count)
{
  return (mlbf_hash128){mix64(low + count * golden), mix64(high - count * golden)};
}

static uint32_t depth_of(size_t count)
{
  return count < MLBF_LAYERS_MAX ? (uint32_t)count : MLBF_LAYERS_MAX;
}

mlbf_hash128 mlbf_hash_first_layer(const mlbf_salts *salts, const mlbf_span *segments)
{
  return hash_span(segments[0].bytes, segments[0].size, salts->layer[0]);
}

mlbf_hash128 mlbf_hash_whole(const mlbf_salts *salts, const mlbf_span *segments, size_t count, mlbf_hash128 first)
{
  uint64_t low = first.low, high = first.high;
  for (uint32_t i = 1; i < depth_of(count); i++) {
    mlbf_hash128 layer = hash_layer(salts, segments, count, i);
    low ^= layer.low;
    high ^= layer.high;
  }
  return finish(low, high, count);
}

void mlbf_hash_layered(const mlbf_salts *salts, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  uint64_t low = 0, high = 0;
  hashes->depth = depth_of(count);
  for (uint32_t i = 0; i < hashes->depth; i++) {
    hashes->layer[i] = hash_layer(salts, segments, count, i);
    low ^= hashes->layer[i].low;
    high ^= hashes->layer[i].high;
  }
  hashes->whole = finish(low, high, count);
}

void mlbf_hash_paper(uint64_t seed, uint32_t layers, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  uint32_t depth = count < layers ? (uint32_t)count : layers;
  for (uint32_t i = 0; i + 1 < depth; i++)
    hashes->layer[i] = hash_span(segments[i].bytes, segments[i].size, seed);
  hashes->layer[depth - 1] = mlbf_hash_bytes(segments + depth - 1, count - (depth - 1), seed);
  hashes->depth = depth;
  hashes->whole = (mlbf_hash128){0, 0};
}
