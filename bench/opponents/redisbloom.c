/* RedisBloom's bloom.c as BF.RESERVE makes a filter: 64-bit hashes, no rounding of the size. */
#include "bench/filter_opponent.h"

#include <bloom.h>

bloom_hashval bloom_calc_hash64(const void *buffer, int len); /* bloom.h lacks it; sb.c declares it so, too */

void (*RedisModule_Free)(void *) = free;
void *(*RedisModule_Calloc)(size_t, size_t) = calloc;
void *(*RedisModule_TryCalloc)(size_t, size_t) = calloc;

static void *make(uint64_t keys, double rate, bool tells, uint64_t *bits)
{
  struct bloom *made = opponent_need(malloc(sizeof *made));
  (void)tells;
  if (bloom_init(made, keys, rate, BLOOM_OPT_FORCE64 | BLOOM_OPT_NOROUND) != 0)
    opponent_need(NULL);
  *bits = made->bits;
  return made;
}

static uint64_t add(void *to, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  (void)cut;
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i++)
    seen += (uint64_t)bloom_add_h(to, bloom_calc_hash64(texts[i].bytes, (int)texts[i].size));
  return seen;
}

static uint64_t ask(const void *whom, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  (void)cut;
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i++)
    seen += (uint64_t)bloom_check_h(whom, bloom_calc_hash64(texts[i].bytes, (int)texts[i].size));
  return seen;
}

static void drop(void *whom)
{
  bloom_free(whom);
  free(whom);
}

const filter_opponent filter_redisbloom = {make, add, ask, drop};
