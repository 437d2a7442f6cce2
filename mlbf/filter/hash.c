/* XXH3, unkeyed: what the papers' structures use. */
#define XXH_INLINE_ALL /* most segments are shorter than 17 bytes: the call would cost as much as the hash */
#include <xxhash.h>

#include "mlbf/filter/hash.h"

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

void mlbf_hash_paper(uint64_t seed, uint32_t layers, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  uint32_t depth = count < layers ? (uint32_t)count : layers;
  for (uint32_t i = 0; i + 1 < depth; i++)
    hashes->layer[i] = hash_span(segments[i].bytes, segments[i].size, seed);
  hashes->layer[depth - 1] = mlbf_hash_bytes(segments + depth - 1, count - (depth - 1), seed);
  hashes->depth = depth;
  hashes->whole = (mlbf_hash128){0, 0};
}
