/* libbloom 1.6, the version of Debian 12, built here with -O3 -march=native. */
#include "bench/filter_opponent.h"

#include <bloom.h>

static void *make(uint64_t keys, double rate, bool tells, uint64_t *bits)
{
  struct bloom *made = opponent_need(malloc(sizeof *made));
  (void)tells;
  if (bloom_init(made, (int)keys, rate) != 0)
    opponent_need(NULL);
  *bits = 8 * (uint64_t)made->bytes;
  return made;
}

static uint64_t add(void *to, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  (void)cut;
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i++)
    seen += (uint64_t)bloom_add(to, texts[i].bytes, (int)texts[i].size);
  return seen;
}

static uint64_t ask(const void *whom, const opponent_text *texts, const opponent_key *cut, size_t count)
{
  (void)cut;
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i++)
    seen += (uint64_t)bloom_check((void *)whom, texts[i].bytes, (int)texts[i].size);
  return seen;
}

static void drop(void *whom)
{
  bloom_free(whom);
  free(whom);
}

const filter_opponent filter_libbloom = {make, add, ask, drop};
