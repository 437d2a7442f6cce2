/* mlbf/hash/hash_path.h: one path of keyed_hash.h, from five primitives. Each hash_*.c defines these for its
 * processors, then includes this file once, so that they are inlined in the loops:
 *
 *   typedef ... block;                                     16 bytes
 *   static block block_of(const mlbf_hash128 *number);
 *   static block block_from(uint64_t low);
 *   static mlbf_hash128 number_of(block);
 *   static block both(block, block);                       XOR
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
  return both(offset, aes4(keys, both(block_of(&place), block_of(&keys->piece))));
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
        sum = both(sum, sum_of_piece(keys, piece_offset(keys, layer, part, number++), piece, used, true));
        used = 0;
      }
    }
  }
  return both(sum, sum_of_piece(keys, piece_offset(keys, layer, part, number), piece, used, true));
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
    sum = both(sum, sum_of_spans(keys, MLBF_LAYERS_MAX - 1, i, &segments[i], 1));
  return sum;
}

MLBF_INLINE block finish_whole(const mlbf_hash_keys *keys, block sum, uint64_t depth)
{
  return aes4(keys, both(both(sum, block_of(&keys->whole)), block_from(depth)));
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

static void path_wholes(const mlbf_hash_keys *keys, const mlbf_key *of, size_t count, size_t following,
                        mlbf_hash128 *wholes)
{
  for (size_t i = 0; i < count; i++) {
    fetch_ahead(of + i, count + following - i);
    block sum = of[i].count == 1 ? sum_of_segment(keys, MLBF_LAYERS_MAX, of[i].segments, true)
                                 : sum_of_spans(keys, MLBF_LAYERS_MAX, 0, of[i].segments, of[i].count);
    wholes[i] = number_of(finish_whole(keys, sum, 0));
  }
}

static mlbf_hash128 path_text(const mlbf_hash_keys *keys, uint64_t number, mlbf_span text)
{
  return number_of(finish_whole(keys, sum_of_segment(keys, MLBF_LAYERS_MAX, &text, false), number));
}

static mlbf_hash128 path_one(const mlbf_hash_keys *keys, const mlbf_span *segments, size_t count, mlbf_hash128 *hashes)
{
  uint32_t depth = count < MLBF_LAYERS_MAX ? (uint32_t)count : MLBF_LAYERS_MAX;
  block whole = {0};
  for (uint32_t layer = 0; layer < depth; layer++) {
    bool is_remainder = layer + 1 == MLBF_LAYERS_MAX && count > MLBF_LAYERS_MAX;
    block sum = __builtin_expect(is_remainder, 0) ? sum_of_remainder(keys, segments + layer, count - layer)
                                                  : sum_of_segment(keys, layer, segments + layer, false);
    whole = both(whole, sum);
    hashes[layer] = number_of(aes4(keys, both(sum, block_of(&keys->segment))));
  }
  return number_of(finish_whole(keys, whole, count));
}

/* Key by key: in one loop over the segments of the whole batch, copied side by side, fewer branches are guessed wrong,
 * but all took longer. */
MLBF_INLINE void layers_of_batch(const mlbf_hash_keys *keys, const mlbf_key *of, size_t count, size_t following,
                                 bool with_deep, mlbf_layer_hashes *hashes)
{
  size_t deep = 0;
  hashes->begin[0] = 0;
  for (size_t i = 0; i < count; i++) {
    const mlbf_span *segments = of[i].segments;
    size_t depth = of[i].count < MLBF_LAYERS_MAX ? of[i].count : MLBF_LAYERS_MAX;
    fetch_ahead(of + i, count + following - i);
    block whole = sum_of_segment(keys, 0, segments, false);
    hashes->hosts[i] = number_of(aes4(keys, both(whole, block_of(&keys->segment))));
    for (uint32_t layer = 1; layer < depth; layer++) {
      bool is_remainder = layer + 1 == MLBF_LAYERS_MAX && of[i].count > MLBF_LAYERS_MAX;
      block sum = __builtin_expect(is_remainder, 0) ? sum_of_remainder(keys, segments + layer, of[i].count - layer)
                                                    : sum_of_segment(keys, layer, segments + layer, false);
      whole = both(whole, sum);
      if (with_deep) {
        hashes->deep[deep] = number_of(aes4(keys, both(sum, block_of(&keys->segment))));
        hashes->layer[deep++] = (uint8_t)layer;
      }
    }
    hashes->wholes[i] = number_of(finish_whole(keys, whole, of[i].count));
    hashes->begin[i + 1] = (uint16_t)deep;
  }
}

static void path_layers(const mlbf_hash_keys *keys, const mlbf_key *of, size_t count, size_t following, bool with_deep,
                        mlbf_layer_hashes *hashes)
{
  if (with_deep)
    layers_of_batch(keys, of, count, following, true, hashes);
  else
    layers_of_batch(keys, of, count, following, false, hashes);
}
