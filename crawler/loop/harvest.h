/* The outlinks of a fetched page, and where a redirect or a sitemap leads. Each is resolved, checked against the
 * scope, and added to the frontier; links that are not taken are counted by reason. */
#ifndef STRATA_CRAWLER_HARVEST_H
#define STRATA_CRAWLER_HARVEST_H

#include "crawler/loop/pages_log.h"
#include "crawler/scope/patterns.h"
#include "crawler/scope/scope.h"
#include "crawler/base/skip.h"
#include "crawler/loop/domain_budget.h"
#include "crawler/loop/edge_log.h"
#include "crawler/loop/visit.h"
#include "frontier/inlinks.h"

typedef struct harvest harvest;

typedef struct harvest_rules {
  url_profile profile;
  patterns *patterns;              /* of links, not of start URLs */
  inlinks *counts;                 /* of pages that link to a URL; NULL: not wanted */
  domain_budget *budgets;          /* of the domains that pages link to; NULL: not wanted */
  edge_log *edges;                 /* an audit: it gets each link, and what is not followed is checked; or NULL */
  bool follows_nofollow;           /* also links that ask not to be followed */
  bool is_scope_fixed;             /* no redirect of a start URL widens it */
  bool (*must_end)(void *context); /* is what is left of a page's links to be left to the next run? */
  /* The frontier failed to take a link: is it to be asked again? May wait before it answers. */
  bool (*may_add_again)(void *context, frontier_status status);
  void *context;
} harvest_rules;

/* Borrows all but the rules themselves. NULL: out of memory. */
harvest *harvest_create(frontier *f, scope *s, const harvest_rules *rules);
void harvest_free(harvest *h);

/* The links of a page whose body has ended. FRONTIER_OK, or what the frontier said: then some links may be missing, as
 * where `links->is_cut`. Such a page must come again; the links that it gave are known then. */
frontier_status harvest_links(harvest *h, const visit *v, uint64_t now_ms, page_links *links);

typedef struct redirect_end {
  page_links links;
  const char *target; /* "": it leads to no URL of ours; valid until the next call */
  bool may_be_loop;   /* the target is no other spelling of what was asked for, which is still to come */
} redirect_end;

/* Where a redirect leads. The spelling that it asks for is asked for, though its key may be that of the redirect or of
 * one that led to it, unless that very spelling was asked for in this chain with the same cookies. FRONTIER_OK, what
 * the frontier said, or NO_MEMORY: the scope could not take the target's host. */
frontier_status harvest_redirect(harvest *h, const visit *v, const fetch_response *response, uint64_t now_ms,
                                 redirect_end *end);

/* Does a redirect lead to the very URL that was asked for? */
bool harvest_leads_to_itself(harvest *h, const visit *v, const char *location);

/* A sitemap that was named at `base` ("" for an absolute href): queued, unless it is out of scope. `*is_new` is set if
 * it is new. */
frontier_status harvest_sitemap(harvest *h, const char *base, const char *href, uint64_t now_ms, bool *is_new);

/* What was asked for as a sitemap is to be asked for as a page, too, as if it had a link to itself; unless it is known
 * as a page. */
frontier_status harvest_as_page(harvest *h, const visit *v, uint64_t now_ms);

/* A start URL; with `guesses_map`, before it its host's /sitemap.xml, as harvest_sitemap. They are queued together with
 * others, by harvest_starts_end at the latest, which goes before any page is harvested. */
frontier_status harvest_start(harvest *h, const url *start, bool guesses_map, uint64_t now_ms);
frontier_status harvest_starts_end(harvest *h);

/* A frontier_text_filter: of what others found (frontier/exchange.h); `context` is the harvest. */
int harvest_refuses(void *context, size_t index, const url *u);

void harvest_skip(harvest *h, crawl_skip why);
/* The reasons so far become counters of the frontier, in its open batch. */
frontier_status harvest_count(harvest *h);

#endif
