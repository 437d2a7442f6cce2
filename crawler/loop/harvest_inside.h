/* Private to harvest.c and harvest_redirect.c: the links that wait for one call of the frontier, and what both do with
 * one URL. Both run on the thread that crawls. */
#ifndef STRATA_CRAWLER_HARVEST_INSIDE_H
#define STRATA_CRAWLER_HARVEST_INSIDE_H

#include "crawler/loop/harvest.h"
#include "crawler/loop/redirect_chain.h"
#include "crawler/loop/sitemap_set.h"
#include "frontier/text.h"

enum {
  HREF_MAX = 4 * URL_LENGTH_MAX, /* of an href with its query escaped; a longer one is no URL of ours anyway */
  TOGETHER = 256,                /* links: for most pages one call of the frontier */
};

typedef enum purpose { FOR_LINK, FOR_START, FOR_CHECK } purpose;

typedef struct about {
  purpose what_for;
  link_element by;
  bool is_nofollow;
  bool is_loaded, is_mixed; /* with its page; that is https, and this http */
  uint64_t hash;            /* of its key, for the edge log */
} about;

/* Links that the frontier was not given yet. */
typedef struct waiting {
  const url_base *base; /* of all of them; NULL: they are absolute */
  size_t count, settled;
  frontier_text texts[TOGETHER];
  about abouts[TOGETHER];
  frontier_answer answers[TOGETHER];
  size_t used;
  char bytes[2 * HREF_MAX]; /* of hrefs that are not the page's */
} waiting;

struct harvest {
  frontier *frontier;
  scope *scope;
  mlbf_hasher *hasher; /* of the URLs of a chain of redirects */
  harvest_rules rules;
  sitemap_set *maps;
  url_base *base; /* of the document */
  url_base *own;  /* the page's own URL, where <base> moves nothing */
  uint64_t now_ms;
  bool is_secure;              /* the page came by https */
  uint64_t skips[CRAWL_SKIPS]; /* not counted in the frontier yet */
  bool is_cut;                 /* the page's links are not all taken: the crawl ends */
  url target;
  waiting waiting;
  char canonical[URL_LENGTH_MAX + 1];
};

/* h->target into the frontier, if it is in scope. `chain`: of the redirects that led there; NULL: none did.
 * `is_forced`: even if its key was seen. So is a sitemap once, as its URL may be known as a page's or an asset's. */
frontier_status harvest_add_target(harvest *h, frontier_origin origin, const redirect_chain *chain, bool is_forced,
                                   page_links *links);

/* What is too long is lacking, unless its beginning shows that it is out of scope. */
void harvest_count_unusable(harvest *h, url_status why, const url_base *base, const char *href, size_t size,
                            page_links *links);

/* Of where a redirect leads, and of a sitemap that a sitemap names: as far from the start, one hop on. */
frontier_origin harvest_next_hop(const visit *v);
bool harvest_is_too_far(frontier_origin origin);

#endif
