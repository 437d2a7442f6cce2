/* The layers of a key, for a filter that knows nothing of URLs: offsets of its delimiters. */
#include "frontier/url/url_parts.h"

#include <assert.h>
#include <string.h>

/* Where the host[:port] of a key ends: at the first '/' after "//". A key always has one. */
static uint32_t origin_end(const char *key)
{
  const char *host = strstr(key, "//") + 2;
  return (uint32_t)(strchr(host, '/') - key);
}

void url_segments(url_profile profile, url *out)
{
  char delimiter = '/';
  uint32_t count = 0;
  out->segment_begin[count++] = 0;
  for (uint32_t i = origin_end(out->key); i < out->key_size && count < URL_SEGMENTS_MAX; i++) {
    bool is_query = out->key[i] == '?' && delimiter == '/' && !(profile & URL_PATH_PAPER);
    if (is_query || out->key[i] == delimiter)
      out->segment_begin[count++] = i;
    if (is_query)
      delimiter = '&';
  }
  out->segment_begin[count] = out->key_size;
  out->segment_count = count;
  assert(out->segment_begin[count - 1] < out->key_size); /* none is empty */
}
