/* The layers of a key, for a filter that knows nothing of URLs: offsets of its delimiters. */
#include "frontier/url/url_marks.h"
#include "frontier/url/url_parts.h"

#include <assert.h>
#include <string.h>

/* Where the host[:port] of a key ends: at the first '/' after "//". A key always has one. */
static uint32_t origin_end(const char *key, uint32_t size)
{
  uint32_t host = key[0] == '/' ? 2 : key[4] == 's' ? 8 : 7;
  return (uint32_t)((const char *)memchr(key + host, '/', size - host) - key);
}

/* The bits of the bytes before `end`, of those that begin at `at`. */
static uint64_t bits_before(uint32_t at, uint32_t end)
{
  if (end <= at)
    return 0;
  return end - at >= URL_MARKS_STEP ? ~(uint64_t)0 : ((uint64_t)1 << (end - at)) - 1;
}

void url_segments(url_profile profile, url *out)
{
  uint32_t count = 0, begin = origin_end(out->key, out->key_size), mark = out->key_size;
  const char *found = profile & URL_PATH_PAPER ? NULL : memchr(out->key + begin, '?', out->key_size - begin);
  if (found)
    mark = (uint32_t)(found - out->key);
  out->segment_begin[count++] = 0;
  for (uint32_t at = begin; at < out->key_size && count < URL_SEGMENTS_MAX; at += URL_MARKS_STEP) {
    url_marks marks = url_mark(out->key + at);
    uint64_t path = bits_before(at, mark), all = bits_before(at, out->key_size);
    uint64_t delimiters = (marks.slash & path) | (bits_before(at, mark + 1) & all & ~path) |
                          (marks.ampersand & all & ~path);
    for (; delimiters && count < URL_SEGMENTS_MAX; delimiters &= delimiters - 1)
      out->segment_begin[count++] = at + (uint32_t)__builtin_ctzll(delimiters);
  }
  out->segment_begin[count] = out->key_size;
  out->segment_count = count;
  assert(out->segment_begin[count - 1] < out->key_size); /* none is empty */
}
