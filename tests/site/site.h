/* tests/site/site.h: a web site made from a seed, of which everything is known.
 *
 * Every entry but the forbidden ones is reachable from "/" by links a crawler must see, each of them spelled in
 * several ways (spell.h) and written in several manners (site_page.c). So a correct crawl of "/" requests each entry
 * that is `wanted` exactly once, robots.txt once, and nothing else: not what robots.txt forbids, not the
 * look-alikes (all below /trap/), not another host. Each redirect hop is an entry of its own. */
#ifndef STRATA_TESTS_SITE_SITE_H
#define STRATA_TESTS_SITE_SITE_H

#include "tests/site/http.h"
#include "tests/site/spell.h"

#include <stdint.h>

typedef enum site_kind {
  SITE_PAGE,     /* HTML with links */
  SITE_NOFOLLOW, /* HTML that asks by a meta element that its links be not followed; they are traps */
  SITE_EMPTY,    /* 200 and HTML, not one byte of body */
  SITE_FILE,     /* 200, not HTML, full of what looks like links */
  SITE_REDIRECT,
  SITE_MISSING,   /* 404 */
  SITE_BROKEN,    /* 500 */
  SITE_FORBIDDEN, /* robots.txt forbids it; linked to all the same */
} site_kind;

typedef struct site_entry {
  site_kind kind;
  int status;
  char *target; /* canonical request target */
  /* how it hangs in the site: index + 1, 0 for none */
  uint32_t first_child, next_sibling; /* of a page: entries that are linked from it for certain */
  uint32_t goes_to;                   /* of a redirect, unless `location` is set */
  const char *location;               /* of a redirect that leads nowhere in the site; "" for none at all */
} site_entry;

typedef struct site_options {
  uint64_t seed;    /* odd seeds have a robots.txt group for "strata" beside the one for everybody */
  uint32_t entries; /* at least 1; how many pages, files, redirects, ... */
  const char *host; /* as in the start URL; must live as long as the site */
  unsigned port;
} site_options;

typedef struct site site;

site *site_create(const site_options *options);
void site_free(site *s);

uint32_t site_size(const site *s);
const site_entry *site_entry_at(const site *s, uint32_t index);
const char *site_kind_name(site_kind kind); /* "page", "empty", ... */
bool site_entry_is_wanted(const site_entry *entry, bool ignore_robots);

/* As a crawl counts pages: a redirect without a Location is one, too. */
bool site_entry_is_page(const site_entry *entry);

/* A redirect that leads back to itself, over others or not. */
bool site_is_in_circle(const site *s, uint32_t index);

#define SITE_NOWHERE UINT32_MAX /* no index */
/* The entry a request target stands for in any of its spellings, or SITE_NOWHERE. */
uint32_t site_find(const site *s, const char *target, size_t size);

/* How far each entry is from `start`: fewest links, with or without redirect hops, through entries whose targets
 * begin with `prefix` ("/" for all); UINT32_MAX if it cannot be reached. `depths` has room for site_size numbers. */
void site_measure(const site *s, uint32_t start, const char *prefix, bool count_hops, uint32_t *depths);

/* A `server_answer`; the context is the site. */
void site_answer(void *context, const http_request *request, http_reply *reply);

/* The entry of the n-th link of page `index`: its children, then links to entries known from elsewhere;
 * SITE_NOWHERE past the last. */
uint32_t site_link(const site *s, uint32_t index, uint32_t n);

uint64_t site_seed(const site *s);
const spell_place *site_place(const site *s);
const char *site_other_host(const site *s); /* a URL of this server that is out of the scope of host:port */

#endif
