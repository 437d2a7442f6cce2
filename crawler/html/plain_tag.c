/* A tag in bit masks, one bit a byte: its end is the first '>' outside of quotes. */
#include "crawler/html/plain_tag.h"

#include <stdbool.h>
#include <stddef.h>

#include "crawler/base/chars.h"

#ifdef __SSE2__
#include <emmintrin.h>

enum { LOOKED_AT = 32 };

static uint32_t where(const __m128i bytes[2], char c)
{
  const __m128i equal = _mm_set1_epi8(c);
  return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes[0], equal)) |
         (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes[1], equal)) << 16;
}

static uint32_t where_controls(const __m128i bytes[2])
{
  const __m128i last = _mm_set1_epi8(' ' - 1);
  const __m128i capped[2] = {_mm_cmpeq_epi8(_mm_min_epu8(bytes[0], last), bytes[0]),
                             _mm_cmpeq_epi8(_mm_min_epu8(bytes[1], last), bytes[1])};
  return (uint32_t)_mm_movemask_epi8(capped[0]) | (uint32_t)_mm_movemask_epi8(capped[1]) << 16;
}

/* Of each bit, whether an odd number of `bits` is at or below it: from each opening quote up to its closing one. */
static uint32_t between(uint32_t bits)
{
  for (unsigned by = 1; by < LOOKED_AT; by *= 2)
    bits ^= bits << by;
  return bits;
}

/* A quote is a value's only behind a name and '='. Anything else - a quote in a name, a value without quotes that has
 * one, name = "value" with spaces - is for the states. */
static bool is_well_written(uint32_t quotes, uint32_t values, uint32_t equals, uint32_t no_name)
{
  uint32_t signs = equals & ~values, opening = quotes & values, closing = quotes & ~values;
  return signs << 1 == opening && !((no_name | signs | closing) & signs >> 1);
}

const char *plain_tag_end(const char *at, const char *end, const plain_tag_names matter)
{
  if (end - at < LOOKED_AT)
    return NULL;
  bool is_end_tag = *at == '/';
  if (!is_letter(at[is_end_tag]))
    return NULL;
  const __m128i bytes[2] = {_mm_loadu_si128((const __m128i *)(const void *)at),
                            _mm_loadu_si128((const __m128i *)(const void *)(at + LOOKED_AT / 2))};
  uint32_t quotes = where(bytes, '"'), values = between(quotes), ends = where(bytes, '>') & ~values;
  if (!ends)
    return NULL;
  unsigned size = (unsigned)__builtin_ctz(ends);
  uint32_t tag = (1U << size) - 1, spaces = where(bytes, ' ') | where(bytes, '\n');
  uint32_t no_name = spaces | (where(bytes, '/') & ~(uint32_t)is_end_tag);
  unsigned name_end = (unsigned)__builtin_ctz(no_name | 1U << size), name_size = name_end - is_end_tag;
  uint32_t equals = where(bytes, '='), name = (1U << name_end) - 1;
  uint32_t odd = (where(bytes, '\'') | (where_controls(bytes) & ~spaces)) & ~values;
  if ((odd & tag) || ((quotes | equals) & name) || !is_well_written(quotes & tag, values & tag, equals & tag, no_name))
    return NULL;
  bool matters = !is_end_tag && name_size < 16 && matter[lower(*at) - 'a'] >> name_size & 1;
  return matters ? NULL : at + size + 1;
}

#else

const char *plain_tag_end(const char *at, const char *end, const plain_tag_names matter)
{
  (void)at, (void)end, (void)matter;
  return NULL;
}

#endif
