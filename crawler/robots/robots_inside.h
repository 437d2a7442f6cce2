/* What is kept of a robots.txt, between the two halves of robots.h: robots.c reads it, robots_match.c asks it. */
#ifndef STRATA_CRAWLER_ROBOTS_INSIDE_H
#define STRATA_CRAWLER_ROBOTS_INSIDE_H

#include "crawler/robots/robots.h"

#include "crawler/base/chars.h"

#include <stdint.h>

typedef struct text {
  const char *at;
  size_t size;
} text;

/* A part of robots.bytes. */
typedef struct span {
  uint32_t begin, size;
} span;

typedef struct rule {
  bool allows;
  uint32_t line; /* "disallow: /private", NUL-terminated, in robots.bytes; also the order in the file */
  span exact;    /* the pattern, bytes over 0x7F escaped, hex digits upper-case */
  span decoded;  /* unreserved characters and bytes over 0x7F unescaped */
} rule;

struct robots {
  rule *rules;        /* longest first; of equals Allow first */
  uint32_t *sitemaps; /* offsets into bytes */
  char *bytes;
  size_t rule_count, sitemap_count, byte_count;
  double crawl_delay;
};

/* The two spellings of a pattern: write it to `out` and return its size. The exact one is at most three times as long,
 * the decoded one, of an exact one, is no longer. */
size_t robots_spell_exact(text pattern, char *out);
size_t robots_spell_decoded(text exact, char *out);

#endif
