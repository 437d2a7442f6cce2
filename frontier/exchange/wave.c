/* See wave.h.
 *
 *     w1 drawn ... p, q reply idle ... | w2 drawn, with a digest of these replies | ... p, q reply idle
 *
 * If the replies to w2 have that digest, nothing changed at p or q from before the drawing until after it. So the
 * digest is in the wave, and neither its own memory of w1 nor the order of replies counts for the one who concludes. */
#include "frontier/exchange/wave.h"

#include "frontier/base/record.h"

uint64_t beliefs_add(uint64_t before, uint64_t incarnation)
{
  uint8_t bytes[8];
  put_le(bytes, incarnation, 8);
  return XXH3_64bits_withSeed(bytes, sizeof bytes, before);
}

/* 0: not all replied to this wave, are idle, and believe in the lives of all. */
static uint64_t digest_of(uint64_t wave, const frontier_reply *replies, uint32_t partitions)
{
  uint64_t digest = 0, beliefs = 0;
  for (uint32_t p = 0; p < partitions; p++) {
    const frontier_reply *r = &replies[p];
    if (!wave || r->wave != wave || r->partition != p || !r->is_idle)
      return 0;
    beliefs = beliefs_add(beliefs, r->incarnation);
    digest = beliefs_add(beliefs_add(beliefs_add(digest, r->incarnation), r->boot), r->version);
  }
  for (uint32_t p = 0; p < partitions; p++)
    if (replies[p].beliefs != beliefs)
      return 0;
  return digest ? digest : 1;
}

void frontier_wave_next(const frontier_wave *last, const frontier_reply *replies, uint32_t partitions, uint64_t random,
                        frontier_wave *next)
{
  *next = (frontier_wave){random, last ? digest_of(last->number, replies, partitions) : 0};
}

bool frontier_wave_is_over(const frontier_wave *wave, const frontier_reply *replies, uint32_t partitions)
{
  return wave->digest && digest_of(wave->number, replies, partitions) == wave->digest;
}
