/* mlbf/similar/digest_sha1_lanes.h: SHA-1 (FIPS 180-4) of LANES messages of 64 bytes. Each digest_sha1*.c
 * defines LANES, includes this once, and is compiled for its own processors.
 *
 * A message of 64 bytes is two blocks: itself, and the padding, which is the same for all. So the second block's
 * schedule is computed once, not in lanes. */
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

enum { ROUNDS = 80 };

static inline uint32_t rotated(uint32_t word, int by)
{
  return word << by | word >> (32 - by);
}

static inline uint32_t big_endian(const uint8_t *at)
{
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

#define ROTATED(word, by) ((word) << (by) | (word) >> (32 - (by)))

/* One round: F is the function of b, c and d, ADDED the constant and the word of the schedule. */
#define ROUND(F, ADDED)                             \
  do {                                              \
    lanes next = ROTATED(a, 5) + (F) + e + (ADDED); \
    e = d;                                          \
    d = c;                                          \
    c = ROTATED(b, 30);                             \
    b = a;                                          \
    a = next;                                       \
  } while (0)

/* WORD(t) is the schedule. */
#define EIGHTY_ROUNDS(WORD)                                  \
  do {                                                       \
    for (int t = 0; t < 20; t++)                             \
      ROUND(d ^ (b & (c ^ d)), WORD(t) + 0x5a827999u);       \
    for (int t = 20; t < 40; t++)                            \
      ROUND(b ^ c ^ d, WORD(t) + 0x6ed9eba1u);               \
    for (int t = 40; t < 60; t++)                            \
      ROUND((b & c) | (d & (b | c)), WORD(t) + 0x8f1bbcdcu); \
    for (int t = 60; t < ROUNDS; t++)                        \
      ROUND(b ^ c ^ d, WORD(t) + 0xca62c1d6u);               \
  } while (0)

/* The padding: a one bit, zeros, and the length, 512 bits. */
static void padding_schedule(uint32_t words[ROUNDS])
{
  for (int t = 0; t < 16; t++)
    words[t] = t == 0 ? 0x80000000u : t == 15 ? 512 : 0;
  for (int t = 16; t < ROUNDS; t++)
    words[t] = rotated(words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16], 1);
}

static inline lanes message_words(const uint8_t *const messages[LANES], int t)
{
  lanes words = {0};
  for (int lane = 0; lane < LANES; lane++)
    words[lane] = big_endian(messages[lane] + 4 * t);
  return words;
}

static void hash_lanes(const uint8_t *const messages[LANES], digest_sha1 hashes[LANES])
{
  static const uint32_t start[DIGEST_SHA1_WORDS] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  uint32_t padding[ROUNDS];
  lanes message[ROUNDS], between[DIGEST_SHA1_WORDS];
  const lanes zero = {0};
  padding_schedule(padding);
  for (int t = 0; t < 16; t++)
    message[t] = message_words(messages, t);
  for (int t = 16; t < ROUNDS; t++) {
    lanes word = message[t - 3] ^ message[t - 8] ^ message[t - 14] ^ message[t - 16];
    message[t] = ROTATED(word, 1);
  }
  lanes a = zero + start[0], b = zero + start[1], c = zero + start[2], d = zero + start[3], e = zero + start[4];
#define MESSAGE(t) message[t]
  EIGHTY_ROUNDS(MESSAGE);
  a += start[0], b += start[1], c += start[2], d += start[3], e += start[4];
  between[0] = a, between[1] = b, between[2] = c, between[3] = d, between[4] = e;
#define PADDING(t) padding[t]
  EIGHTY_ROUNDS(PADDING);
  a += between[0], b += between[1], c += between[2], d += between[3], e += between[4];
  for (int lane = 0; lane < LANES; lane++) {
    uint32_t *hash = hashes[lane];
    hash[0] = a[lane], hash[1] = b[lane], hash[2] = c[lane], hash[3] = d[lane], hash[4] = e[lane];
  }
}

static void hash_many(const uint8_t *const messages[DIGEST_SHA1_MANY], digest_sha1 hashes[DIGEST_SHA1_MANY])
{
  for (int i = 0; i < DIGEST_SHA1_MANY; i += LANES)
    hash_lanes(messages + i, hashes + i);
}
