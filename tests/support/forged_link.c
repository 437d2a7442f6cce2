#include "tests/support/forged_link.h"

#include <stdio.h>
#include <string.h>

#include "mlbf/hash/aes.h"

enum { BLOCK = MLBF_HASH_BLOCK, WIDE = MLBF_LAYERS_MAX - 1, WIDE_BLOCKS = FORGED_BLOCKS / WIDE };

static mlbf_hash128 both(mlbf_hash128 a, mlbf_hash128 b)
{
  return (mlbf_hash128){a.low ^ b.low, a.high ^ b.high};
}

static mlbf_hash128 aes4(const mlbf_hash_keys *keys, mlbf_hash128 x)
{
  for (int i = 0; i < MLBF_HASH_ROUNDS; i++)
    x = mlbf_aes_round(x, keys->round[i]);
  return x;
}

/* What block `i` of a segment adds to its sum. */
static mlbf_hash128 block_sum(const mlbf_hash_keys *keys, uint32_t layer, size_t i, const char *text)
{
  mlbf_hash128 x, offset = keys->layer[layer], place = {i / MLBF_HASH_BLOCKS, 0};
  if (place.low)
    offset = both(offset, aes4(keys, both(place, keys->piece)));
  memcpy(&x, text, sizeof x);
  return aes4(keys, both(both(x, offset), keys->block[i % MLBF_HASH_BLOCKS]));
}

mlbf_hash128 forged_sum(const mlbf_hash_keys *keys, uint32_t layer, const void *text, size_t size)
{
  const char *bytes = text;
  char last[BLOCK] = {0};
  mlbf_hash128 sum = {0, 0};
  size_t i = 0;
  for (; (i + 1) * BLOCK <= size; i++)
    sum = both(sum, block_sum(keys, layer, i, bytes + i * BLOCK));
  if (size % BLOCK)
    memcpy(last, bytes + i * BLOCK, size % BLOCK);
  last[size % BLOCK] = (char)0x80;
  return both(sum, block_sum(keys, layer, i, last));
}

/* ---- linear algebra over GF(2) ---------------------------------------------------------------------------- */

/* A vector, and of which of the given ones it is the XOR. */
typedef struct combination {
  mlbf_hash128 vector;
  uint64_t of[(FORGED_BLOCKS + 63) / 64];
} combination;

static bool bit_of(mlbf_hash128 vector, size_t bit)
{
  return (bit < 64 ? vector.low >> bit : vector.high >> (bit - 64)) & 1;
}

static void add(combination *to, const combination *what)
{
  to->vector = both(to->vector, what->vector);
  for (size_t i = 0; i < sizeof to->of / sizeof *to->of; i++)
    to->of[i] ^= what->of[i];
}

/* Vectors with different leading bits: pivot[b] has bit b, and none below that another pivot has. */
typedef struct basis {
  combination pivot[128];
  bool has[128];
} basis;

/* Without the pivots' bits; returns the first bit that is left, 128 if there is none. */
static size_t reduce(const basis *by, combination *what)
{
  size_t left = 128;
  for (size_t bit = 0; bit < 128; bit++) {
    if (!bit_of(what->vector, bit))
      continue;
    if (by->has[bit])
      add(what, &by->pivot[bit]);
    else if (left == 128)
      left = bit;
  }
  return left;
}

/* Which of the vectors have the XOR `wanted`. */
static bool solve(const mlbf_hash128 *vectors, size_t count, mlbf_hash128 wanted, combination *solution)
{
  static basis made;
  memset(&made, 0, sizeof made);
  for (size_t i = 0; i < count; i++) {
    combination next = {.vector = vectors[i]};
    next.of[i / 64] = UINT64_C(1) << i % 64;
    size_t bit = reduce(&made, &next);
    if (bit < 128) {
      made.pivot[bit] = next;
      made.has[bit] = true;
    }
  }
  *solution = (combination){.vector = wanted};
  return reduce(&made, solution) == 128;
}

/* ---- links ------------------------------------------------------------------------------------------------ */

/* Where the blocks of choice are: `segments` segments, of `blocks` each, the first behind `prefix` blocks. */
typedef struct skeleton {
  uint32_t layer;
  size_t segments, blocks, prefix;
} skeleton;

static char *block_at(const skeleton *of, char *text, size_t choice)
{
  return text + (of->prefix + choice) * BLOCK;
}

static void write_block(const skeleton *of, char *text, size_t choice, bool second)
{
  char block[BLOCK + 16];
  snprintf(block, sizeof block, "%c%012zu.%02x", choice % of->blocks ? '-' : '/', choice, second ? 0xbbu : 0xaau);
  memcpy(block_at(of, text, choice), block, BLOCK);
}

/* The text of the segments, in which each choice's last bytes say how it was made. */
static bool forge(const mlbf_hash_keys *keys, const skeleton *of, mlbf_hash128 wanted, char *text)
{
  size_t choices = of->segments * of->blocks;
  mlbf_hash128 differences[FORGED_BLOCKS];
  for (size_t i = 0; i < choices; i++) {
    uint32_t layer = of->layer + (uint32_t)(i / of->blocks);
    size_t block = of->prefix + i % of->blocks;
    write_block(of, text, i, true);
    differences[i] = block_sum(keys, layer, block, block_at(of, text, i));
    write_block(of, text, i, false);
    differences[i] = both(differences[i], block_sum(keys, layer, block, block_at(of, text, i)));
  }
  for (size_t i = 0; i < of->segments; i++) {
    const char *begin = i ? block_at(of, text, i * of->blocks) : text;
    size_t size = (of->blocks + (i ? 0 : of->prefix)) * BLOCK;
    wanted = both(wanted, forged_sum(keys, of->layer + (uint32_t)i, begin, size));
  }
  combination chosen;
  if (!solve(differences, choices, wanted, &chosen))
    return false;
  for (size_t i = 0; i < choices; i++)
    write_block(of, text, i, chosen.of[i / 64] >> i % 64 & 1);
  return true;
}

bool forge_deep(const mlbf_hash_keys *keys, const char *host, mlbf_hash128 sum, forged_link *made)
{
  made->count = 2;
  made->segments[0] = (mlbf_span){host, strlen(host)};
  made->segments[1] = (mlbf_span){made->text, (size_t)FORGED_BLOCKS * BLOCK};
  return forge(keys, &(skeleton){1, 1, FORGED_BLOCKS, 0}, sum, made->text);
}

bool forge_wide(const mlbf_hash_keys *keys, const char *host, mlbf_hash128 sum, forged_link *made)
{
  made->count = MLBF_LAYERS_MAX;
  made->segments[0] = (mlbf_span){host, strlen(host)};
  for (size_t i = 0; i < WIDE; i++)
    made->segments[1 + i] = (mlbf_span){made->text + i * WIDE_BLOCKS * BLOCK, (size_t)WIDE_BLOCKS * BLOCK};
  return forge(keys, &(skeleton){1, WIDE, WIDE_BLOCKS, 0}, sum, made->text);
}

bool forge_bytes(const mlbf_hash_keys *keys, const char *host, mlbf_hash128 sum, forged_link *made)
{
  made->count = 1;
  made->segments[0] = (mlbf_span){made->text, FORGED_TEXT};
  memcpy(made->text, host, BLOCK);
  return forge(keys, &(skeleton){MLBF_LAYERS_MAX, 1, FORGED_BLOCKS, 1}, sum, made->text);
}
