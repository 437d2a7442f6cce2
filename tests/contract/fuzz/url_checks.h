/* What every accepted URL must be, whatever came in: shared by the fuzz_url_*.c. */
#ifndef STRATA_TESTS_FUZZ_URL_CHECKS_H
#define STRATA_TESTS_FUZZ_URL_CHECKS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/url.h"

/* assert, but never compiled out. */
#define CHECK(condition) ((condition) ? (void)0 : abort())

static inline void check_text(const char *text, uint32_t size)
{
  CHECK(size <= URL_LENGTH_MAX && text[size] == '\0');
  for (uint32_t i = 0; i < size; i++)
    CHECK(text[i] > ' ' && text[i] < 0x7f);
}

static inline void check_url(const url *out, url_profile profile)
{
  check_text(out->fetch, out->fetch_size);
  check_text(out->key, out->key_size);
  CHECK(memcmp(out->fetch, "http", 4) == 0);
  CHECK(out->host_begin == (out->fetch[4] == 's' ? 8u : 7u));
  CHECK(out->host_begin < out->host_end && out->host_end == out->path_begin);
  CHECK(out->fetch[out->path_begin] == '/' && !memchr(out->fetch, '#', out->fetch_size));
  if (profile == URL_STRICT)
    CHECK(memcmp(out->fetch, out->key, out->path_begin) == 0); /* the key rewrites path and query only */
  CHECK(out->segment_count >= 2 && out->segment_count <= URL_SEGMENTS_MAX);
  CHECK(out->segment_begin[0] == 0 && out->segment_begin[out->segment_count] == out->key_size);
  for (uint32_t i = 1; i < out->segment_count; i++) {
    CHECK(out->segment_begin[i - 1] < out->segment_begin[i] && out->segment_begin[i] < out->key_size);
    CHECK(strchr("/?&", out->key[out->segment_begin[i]]) != NULL);
  }
}

/* A base and an href from one input: "base LF href". The base is empty if there is no LF. */
typedef struct pair {
  const char *base, *href;
  size_t base_size, href_size;
} pair;

static inline pair split_pair(const uint8_t *data, size_t size)
{
  const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
  size_t base_size = newline ? (size_t)(newline - data) : 0, begin = newline ? base_size + 1 : 0;
  return (pair){(const char *)data, (const char *)data + begin, base_size, size - begin};
}

#endif
