/* mlbf/hash/hash_path.h: one path of keyed_hash.h, from five primitives. Each hash_*.c defines these for its
 * processors, then includes this file once, so that they are inlined in the loops:
 *
 *   typedef ... block;                                     16 bytes
 *   static block block_of(const mlbf_hash128 *number);
 *   static block block_from(uint64_t low);
 *   static mlbf_hash128 number_of(block);
 *   static block xor(block, block);                       XOR
 *   static block aes4(const mlbf_hash_keys *, block);
 *   static block sum_of_piece(const mlbf_hash_keys *, block offset, const void *bytes, size_t size, bool is_long);
 *
 * sum_of_piece: of `size` bytes, fewer than a piece, padded with a byte 0x80 and zeros to whole blocks; or of a whole
 * piece, which is not padded. `is_long`: probably a whole URL, not a segment. Block i is XORed with block key i and
 * `offset`, then encrypted. */
#include <string.h>

#include "mlbf/hash/keyed_hash.h"

/* Of piece `number` of part `part` of a layer; parts after the first are segments beyond the last layer. */
static block piece_offset(const mlbf_hash_keys *keys, uint32_t layer, uint64_t part, uint64_t number)
{
  block offset = block_of(&keys->layer[layer]);
  if (part == 0 && number == 0)
    return offset;
  mlbf_hash128 place = {number, part};
  return xor(offset, aes4(keys, xor(block_of(&place), block_of(&keys->piece))));
}

/* Spans end to end, however they are cut and however long. Rare: nearly all segments are one span shorter than a
 * piece. */
__attribute__((noinline)) static block sum_of_spans(const mlbf_hash_keys *keys, uint32_t layer, uint64_t part,
                                                    const mlbf_span *spans, size_t count)
{
  unsigned char piece[MLBF_HASH_PIECE];
  size_t used = 0;
  uint64_t number = 0;
  block sum = {0};
  for (size_t i = 0; i < count; i++) {
    const unsigned char *bytes = spans[i].bytes;
    for (size_t left = spans[i].size; left > 0;) {
      size_t room = MLBF_HASH_PIECE - used, taken = left < room ? left : room;
      memcpy(piece + used, bytes, taken);
      used += taken;
      bytes += taken;
      left -= taken;
      if (used == MLBF_HASH_PIECE) {
        sum = xor(sum, sum_of_piece(keys, piece_offset(keys, layer, part, number++), piece, used, true));
        used = 0;
      }
    }
  }
  return xor(sum, sum_of_piece(keys, piece_offset(keys, layer, part, number), piece, used, true));
}

MLBF_INLINE block sum_of_segment(const mlbf_hash_keys *keys, uint32_t layer, const mlbf_span *segment, bool is_long)
{
  if (__builtin_expect(segment->size >= MLBF_HASH_PIECE, 0))
    return sum_of_spans(keys, layer, 0, segment, 1);
  return sum_of_piece(keys, block_of(&keys->layer[layer]), segment->bytes, segment->size, is_long);
}

/* The last layer of a key that has more segments than there are layers. */
__attribute__((noinline)) static block sum_of_remainder(const mlbf_hash_keys *keys, const mlbf_span *segments,
                                                        size_t count)
{
  block sum = {0};
  for (size_t i = 0; i < count; i++)
    sum = xor(sum, sum_of_spans(keys, MLBF_LAYERS_MAX - 1, i, &segments[i], 1));
  return sum;
}

MLBF_INLINE block finish_key(const mlbf_hash_keys *keys, block sum, uint64_t depth)
{
  return aes4(keys, xor(xor(sum, block_of(&keys->whole)), block_from(depth)));
}

/* Two lines: the mean URL has 64 bytes, and begins anywhere. */
MLBF_INLINE void fetch_two_lines(const void *begin)
{
  // NOLINTNEXTLINE(performance-no-int-to-ptr): never read, and `begin` may be NULL, to which nothing may be added
  const void *next = (const void *)((uintptr_t)begin + 64);
  __builtin_prefetch(begin);
  __builtin_prefetch(next);
}

/* While key i is hashed, fetches the bytes of a later key, and the spans of one still later. URLs come from memory as
 * often as from a cache. */
MLBF_INLINE void fetch_ahead(const mlbf_key *key, size_t left)
{
  enum { TEXT_AHEAD = 16, SPANS_AHEAD = 2 * TEXT_AHEAD };
  if (left > SPANS_AHEAD)
    fetch_two_lines(key[SPANS_AHEAD].segments);
  if (left > TEXT_AHEAD)
    fetch_two_lines(key[TEXT_AHEAD].segments[0].bytes);
}

/* Of kinds without layers: the bytes of all segments, end to end. */
MLBF_INLINE void hash_texts(const mlbf_hash_keys *secret, const mlbf_key *keys, size_t count, size_t following,
                            mlbf_hashes *hashes)
{
  for (size_t i = 0; i < count; i++) {
    fetch_ahead(keys + i, count + following - i);
    block sum = keys[i].count == 1 ? sum_of_segment(secret, MLBF_LAYERS_MAX, keys[i].segments, true)
                                   : sum_of_spans(secret, MLBF_LAYERS_MAX, 0, keys[i].segments, keys[i].count);
    hashes->keys[i] = number_of(finish_key(secret, sum, 0));
    if (hashes->ends)
      hashes->ends[i] = 0;
  }
}

/* The integrity layer's hash: the XOR of the segments' sums, and their number. Key by key: in one loop over segments of
 * many keys, copied side by side, fewer branches are guessed wrong, but all took longer. */
MLBF_INLINE size_t hash_segments(const mlbf_hash_keys *secret, const mlbf_key *keys, size_t count, size_t following,
                                 uint32_t layers, size_t room, const mlbf_hashes *hashes)
{
  mlbf_hash128 *made = hashes->segments, *made_keys = hashes->keys;
  uint8_t *made_layers = hashes->layers;
  uint32_t *ends = hashes->ends;
  size_t end = 0, i = 0;
  for (; i < count; i++) {
    const mlbf_span *segments = keys[i].segments;
    const size_t all = keys[i].count;
    const uint32_t depth = all < MLBF_LAYERS_MAX ? (uint32_t)all : MLBF_LAYERS_MAX;
    if ((depth < layers ? depth : layers) > room - end)
      break;
    fetch_ahead(keys + i, count + following - i);
    block combined = {0};
    for (uint32_t layer = 0; layer < depth; layer++) {
      bool is_remainder = layer + 1 == MLBF_LAYERS_MAX && all > MLBF_LAYERS_MAX;
      block sum = __builtin_expect(is_remainder, 0) ? sum_of_remainder(secret, segments + layer, all - layer)
                                                    : sum_of_segment(secret, layer, segments + layer, false);
      combined = xor(combined, sum); /* the XOR of the integrity layer */
      if (layer < layers) {
        made[end] = number_of(aes4(secret, xor(sum, block_of(&secret->segment))));
        made_layers[end++] = (uint8_t)(layer + 1);
      }
    }
    made_keys[i] = number_of(finish_key(secret, combined, all));
    ends[i] = (uint32_t)end;
  }
  return i;
}

static size_t path_hash(const mlbf_hash_keys *secret, const mlbf_key *keys, size_t count, size_t following,
                        uint32_t layers, size_t room, mlbf_hashes *hashes)
{
  if (layers == 1)
    return hash_segments(secret, keys, count, following, 1, room, hashes);
  if (layers > 1)
    return hash_segments(secret, keys, count, following, MLBF_LAYERS_MAX, room, hashes);
  hash_texts(secret, keys, count, following, hashes);
  return count;
}

static mlbf_hash128 path_text(const mlbf_hash_keys *secret, uint64_t number, mlbf_span text)
{
  return number_of(finish_key(secret, sum_of_segment(secret, MLBF_LAYERS_MAX, &text, false), number));
}
