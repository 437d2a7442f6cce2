/* A visit: one leased URL, from robots to its links. Gathers the page's links while the body streams by. */
#ifndef STRATA_CRAWLER_VISIT_H
#define STRATA_CRAWLER_VISIT_H

#include "crawler/http/per_address.h"
#include "crawler/loop/body_digests.h"
#include "crawler/base/body_hash.h"
#include "crawler/base/mime_type.h"
#include "crawler/html/decoder.h"
#include "crawler/http/fetch.h"
#include "crawler/html/links.h"
#include "crawler/html/page_text.h"
#include "crawler/html/sniff.h"
#include "crawler/loop/revisit.h"
#include "crawler/html/sitemap.h"
#include "frontier/frontier.h"

enum {
  VISIT_LINKS_MAX = 100000,   /* links of one page; a page with more is a trap or a dump */
  VISIT_TEXT_MAX = 8 << 20,   /* bytes of their hrefs, ... */
  VISIT_NEAR_MAX = 256 << 10, /* ... of which so many are in memory until the page has ended */
  /* bits of a lease's origin.hops that are no redirects: */
  VISIT_SITEMAP = 0x8000, /* the URL is a sitemap */
  VISIT_CHECK = 0x4000,   /* only whether it is there is asked, for an audit */
  VISIT_BITS = VISIT_SITEMAP | VISIT_CHECK,
};

typedef enum visit_stage { VISIT_IDLE, VISIT_ASKING, VISIT_FETCHING } visit_stage; /* asking: for robots.txt */

typedef struct visit {
  struct visit *next; /* in the list of idle ones */
  void *owner;
  frontier_lease lease;
  visit_stage stage;
  sniffed sniffed;     /* what the body was found to be, if its type did not say it */
  bool holds_host;     /* waits for robots.txt, and nothing else of its host is leased meanwhile */
  bool has_place;      /* at its server's address: `where`, if there is a limit */
  address_place where; /* of the server, as far as is known when it begins */
  uint16_t pace;       /* while it is fetched: the place of its host_pace */
  uint64_t begun_ms;
  unsigned tries;   /* that it took; known once it ends */
  int hrefs_fd;     /* of the file with those of `hrefs_before`; -1: not needed yet */
  decoder *decoder; /* the body's bytes into UTF-8, for the scanner */
  links_scanner *scanner;
  body_hash *hash;             /* SHA-256 of the decoded body */
  char sha256[BODY_HASH_TEXT]; /* what came of it; "" before */
  revisit *revisit;            /* when it was fetched before, and what to note for the next time */
  sitemap *map;                /* made when first needed */
  bool is_dropped;             /* not all of it was read: the crawl ends */
  bool is_map;                 /* the URL is a sitemap, no page */
  bool is_check;               /* the URL is not in scope, or an asset, and leads nowhere */
  bool wants_assets;           /* and titles */
  bool is_head;                /* only the head of the response was asked for */
  bool is_decided;             /* it is known in which way the body is read */
  bool is_page;                /* ... as HTML, or XHTML */
  bool has_scanned;            /* the body is HTML, and went through the scanner */
  bool has_mapped;             /* the body is a sitemap or a feed, and went through `map` */
  page_text *text;             /* the text of the page; NULL: not wanted */
  mlbf_shingles shingles;      /* of it, once it has ended; none, if the page says nothing */
  bool is_plain;               /* the body is text without markup, and went into `text` */
  bool is_held_xml;            /* its type says no more of what is `held` */
  char *held;                  /* the beginning of a body that has to be sniffed; made when first needed */
  size_t held_size;
  char held_charset[MIME_TYPE_CHARSET]; /* of its type */
  body_copy body;                       /* of what is no page, if that is wanted */
  char *hrefs; /* size (4 bytes, machine order), flags, element (1 byte each), bytes; again and again */
  size_t hrefs_size, hrefs_room;
  size_t hrefs_before;   /* bytes of them that are in a file, before those in memory */
  const char *directory; /* for that file; NULL: links stay in memory */
  size_t links;
  size_t dropped; /* links past the maxima */
  char *base;     /* of <base href>, NULL if none */
  size_t base_size;
  char title[LINKS_TITLE]; /* with visit_want_assets; "": it has none */
  bool nofollow, noindex;  /* asked for by the page or its header */
  bool has_script;         /* it is HTML, and has one */
} visit;

/* `wants_images`: img src and srcset are links too. NULL: out of memory. */
visit *visit_create(void *owner, bool wants_images);
void visit_want_assets(visit *v); /* as links of their own kind, with the element of each link; of all pages to come */
void visit_free(visit *v);        /* NULL is fine */
bool visit_want_text(visit *v);   /* of all pages to come; false: out of memory */
void visit_begin(visit *v, const frontier_lease *lease);

/* A piece of the body; what is neither HTML, nor a feed by its type, nor a sitemap by its origin is not looked into,
 * nor is plain text unless it is wanted. Where the type says nothing, or no more than XML, its first bytes decide
 * (sniff.h). true: call it again, with what it left of `*bytes`: a sitemap is read step by
 * step, as a piece of it may unpack to much more. */
bool visit_read(visit *v, const char *content_type, const char **bytes, size_t *size);
void visit_finish(visit *v); /* the body has ended */
void visit_rest(visit *v);   /* it is over: what may be large goes */

/* A start URL, or a redirect leads there from one. */
static inline bool visit_is_start(const visit *v)
{
  return v->lease.origin.depth == 0 && !(v->lease.origin.hops & VISIT_BITS);
}

bool visit_is_html(const char *content_type);
bool visit_may_be_page(const char *content_type); /* it is HTML, or says nothing, so that the body would be sniffed */

/* The body so far is no page: nothing that has links was found in it, or looked for. */
static inline bool visit_is_no_page(const visit *v)
{
  return !v->has_scanned && !v->has_mapped && !v->is_map;
}

/* It is an empty shell that a script fills in a browser: it has a script, no link, and hardly a word. Once it ended. */
bool visit_is_script_shell(const visit *v);

/* Why not all of its links are known, in a few words; NULL: they are, as far as it came. After visit_take_headers. */
const char *visit_limit(const visit *v);

/* What the header of its response says: Link, Refresh, X-Robots-Tag. After visit_finish. */
void visit_take_headers(visit *v, const fetch_response *response);

/* What the page is written in; NULL: it does not say, or was not looked into. After visit_finish. */
const charset *visit_charset(const visit *v);

typedef struct visit_link {
  const char *href;
  size_t size;
  bool nofollow;
  bool is_map;          /* of a sitemap index: another sitemap */
  bool is_header;       /* of the header, which no <base> moves */
  bool is_cut;          /* the beginning of what is too long to be one */
  bool is_asset;        /* what the page is made of */
  bool canonical;       /* the page's own preferred URL */
  link_element element; /* with visit_want_assets */
} visit_link;

/* Once it has ended: its links are in memory, all of them. false: they cannot be, errno says why. */
bool visit_gather_links(visit *v);

/* The links in order, after visit_gather_links: start with *at = 0; false past the last. */
bool visit_next_link(const visit *v, size_t *at, visit_link *link);

#endif
