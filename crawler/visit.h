/* A visit: one leased URL, from robots to its links. Gathers the page's links while the body streams by. */
#ifndef STRATA_CRAWLER_VISIT_H
#define STRATA_CRAWLER_VISIT_H

#include "crawler/body_hash.h"
#include "crawler/decoder.h"
#include "crawler/links.h"
#include "crawler/sitemap.h"
#include "frontier/frontier.h"

enum {
  VISIT_LINKS_MAX = 100000,    /* links of one page; a page with more is a trap or a dump */
  VISIT_TEXT_MAX = 8 << 20,    /* bytes of their hrefs */
  VISIT_SITEMAP = 0x8000,      /* bit of a lease's origin.hops that is no redirect: the URL is a sitemap */
};

typedef struct visit {
  struct visit *next;          /* in the list of idle ones */
  void *owner;
  frontier_lease lease;
  uint64_t begun_ms;
  unsigned tries;              /* that it took; known once it ends */
  decoder *decoder;            /* the body's bytes into UTF-8, for the scanner */
  links_scanner *scanner;
  body_hash *hash;             /* SHA-256 of the decoded body */
  sitemap *map;                /* made when first needed */
  bool is_map;                 /* the URL is a sitemap, no page */
  bool has_scanned;            /* the body is HTML, and went through the scanner */
  bool has_mapped;             /* the body is a sitemap or a feed, and went through `map` */
  char *hrefs;                 /* size (4 bytes, machine order), flags (1 byte), bytes; again and again */
  size_t hrefs_size, hrefs_room;
  size_t links;
  size_t dropped;              /* links past the maxima */
  char *base;                  /* of <base href>, NULL if none */
  size_t base_size;
} visit;

visit *visit_create(void *owner); /* NULL: out of memory */
void visit_free(visit *v);        /* NULL is fine */
void visit_begin(visit *v, const frontier_lease *lease);

/* A piece of the body; what is neither HTML, nor a feed by its type, nor a sitemap by its origin is not looked into. */
void visit_read(visit *v, const char *content_type, const char *bytes, size_t size);
void visit_finish(visit *v);

/* What the page is written in; NULL: it does not say, or was not looked into. After visit_finish. */
const charset *visit_charset(const visit *v);

typedef struct visit_link {
  const char *href;
  size_t size;
  bool nofollow;
  bool is_map; /* of a sitemap index: another sitemap */
} visit_link;

/* The links in order: start with *at = 0; false past the last. */
bool visit_next_link(const visit *v, size_t *at, visit_link *link);

#endif
