/* See harvest.h. A redirect is a link: its target enters the frontier as a URL of its own, so it is judged and counted
 * like any other and fetched once, however many pages lead there. */
#include "crawler/loop/harvest.h"

#include <stdlib.h>
#include <string.h>

enum {
  HOPS_MAX = 20,                 /* redirects in a row, as browsers; sitemaps inside sitemaps as well */
  HREF_MAX = 4 * URL_LENGTH_MAX, /* of an href with its query escaped; a longer one is no URL of ours anyway */
};

struct harvest {
  frontier *frontier;
  scope *scope;
  harvest_rules rules;
  url_base *base; /* of the document */
  url_base *own;  /* the page's own URL, where <base> moves nothing */
  uint64_t now_ms;
  uint64_t skips[CRAWL_SKIPS]; /* not counted in the frontier yet */
  url target;
  char href[HREF_MAX];
  char canonical[URL_LENGTH_MAX + 1];
};

const char *crawl_skip_name(crawl_skip why)
{
  static const char *const names[CRAWL_SKIPS] = {"skipped-scheme", "skipped-host",     "skipped-too-long",
                                                 "skipped-syntax", "skipped-control",  "skipped-userinfo",
                                                 "skipped-scope",  "skipped-nofollow", "skipped-redirects",
                                                 "skipped-links",  "skipped-robots",   "skipped-robots-unavailable",
                                                 "skipped-pattern"};
  return names[why];
}

harvest *harvest_create(frontier *f, scope *s, const harvest_rules *rules)
{
  harvest *h = calloc(1, sizeof *h);
  if (!h)
    return NULL;
  h->base = url_base_create();
  h->own = url_base_create();
  if (!h->base || !h->own) {
    harvest_free(h);
    return NULL;
  }
  h->rules = *rules;
  h->frontier = f;
  h->scope = s;
  return h;
}

void harvest_free(harvest *h)
{
  if (!h)
    return;
  url_base_free(h->base);
  url_base_free(h->own);
  free(h);
}

/* ---- what is not taken ----------------------------------------------------------------------------------- */

void harvest_skip(harvest *h, crawl_skip why)
{
  h->skips[why]++;
}

frontier_status harvest_count(harvest *h)
{
  frontier_status status = FRONTIER_OK;
  for (int i = 0; i < CRAWL_SKIPS && status == FRONTIER_OK; i++)
    if (h->skips[i]) {
      status = frontier_count(h->frontier, crawl_skip_name((crawl_skip)i), h->skips[i]);
      h->skips[i] = 0;
    }
  return status;
}

static crawl_skip skip_of(url_status status)
{
  switch (status) {
  case URL_BAD_SCHEME: return SKIP_SCHEME;
  case URL_BAD_HOST: return SKIP_HOST;
  case URL_TOO_LONG: return SKIP_TOO_LONG;
  case URL_HAS_CONTROL: return SKIP_CONTROL;
  case URL_HAS_USERINFO: return SKIP_USERINFO;
  default: return SKIP_SYNTAX;
  }
}

/* ---- links ----------------------------------------------------------------------------------------------- */

/* A sitemap leads to pages that may be included without being one of them. */
static bool is_wanted(const harvest *h, frontier_origin origin)
{
  const url *u = &h->target;
  return origin.hops & VISIT_SITEMAP ? !patterns_exclude(h->rules.patterns, u->key, u->key_size)
                                     : patterns_take(h->rules.patterns, u->key, u->key_size);
}

/* Asked as often as it may heal: a page is harvested to its end, from where it stopped. */
static frontier_status add_until_taken(const harvest *h, frontier_origin origin, frontier_verdict *verdict)
{
  frontier_status status;
  do
    status = frontier_add(h->frontier, &h->target, origin, h->now_ms, verdict);
  while (status != FRONTIER_OK && h->rules.may_add_again(h->rules.context, status));
  return status;
}

/* h->target into the frontier, if it is in scope. */
static frontier_status add_target(harvest *h, frontier_origin origin, page_links *links)
{
  frontier_verdict verdict;
  if (!scope_has(h->scope, &h->target)) {
    h->skips[SKIP_SCOPE]++;
    return FRONTIER_OK;
  }
  if (!is_wanted(h, origin)) {
    h->skips[SKIP_PATTERN]++;
    return FRONTIER_OK;
  }
  frontier_status status = add_until_taken(h, origin, &verdict);
  if (status == FRONTIER_OK)
    links->fresh += verdict.outcome != FRONTIER_SEEN;
  return status;
}

/* One more page links to h->target. A count that cannot be had stops nothing: counts only put URLs in order. */
static void note_link(harvest *h, const visit_link *link)
{
  if (h->rules.counts && !link->is_map && scope_has(h->scope, &h->target))
    (void)inlinks_note(h->rules.counts, &h->target);
}

static const url_base *base_of(const harvest *h, const visit *v, const visit_link *link)
{
  if (!link->is_header || !v->base)
    return h->base;
  url_base_set(h->own, v->lease.url, v->lease.url_size);
  return h->own;
}

static frontier_status add_link(harvest *h, const visit *v, const visit_link *link, frontier_origin origin,
                                page_links *links)
{
  const charset *written_in = visit_charset(v);
  size_t escaped = written_in ? charset_escape_query(written_in, link->href, link->size, h->href, sizeof h->href) : 0;
  url_status status = url_resolve(base_of(h, v, link), escaped ? h->href : link->href, escaped ? escaped : link->size,
                                  h->rules.profile, &h->target);
  if (status == URL_OK) {
    note_link(h, link);
    return add_target(h, origin, links);
  }
  h->skips[skip_of(status)]++;
  return FRONTIER_OK;
}

/* The document's base URL: its own, or what <base href> makes of it. */
static void set_base(harvest *h, const visit *v)
{
  url_base_set(h->base, v->lease.url, v->lease.url_size);
  if (v->base && url_resolve(h->base, v->base, v->base_size, h->rules.profile, &h->target) == URL_OK)
    url_base_set(h->base, h->target.fetch, h->target.fetch_size);
}

/* The first one a page says, whether or not it is followed. */
static void note_canonical(harvest *h, const visit *v, const visit_link *link, page_links *links)
{
  if (links->canonical)
    return;
  if (url_resolve(base_of(h, v, link), link->href, link->size, h->rules.profile, &h->target) != URL_OK)
    return;
  links->canonical = memcpy(h->canonical, h->target.fetch, h->target.fetch_size + 1);
}

/* Of what a page links to. */
static frontier_origin page_origin(const visit *v)
{
  uint16_t depth = v->lease.origin.depth;
  return (frontier_origin){.via = v->lease.id, .depth = depth < UINT16_MAX ? depth + 1 : depth};
}

/* Of where a redirect leads, and of a sitemap that a sitemap names: as far from the start, one hop on. */
static frontier_origin next_hop(const visit *v)
{
  frontier_origin origin = v->lease.origin;
  origin.via = v->lease.id;
  origin.hops++;
  return origin;
}

static bool is_too_far(frontier_origin origin)
{
  return (origin.hops & ~(unsigned)VISIT_SITEMAP) > HOPS_MAX;
}

frontier_status harvest_links(harvest *h, const visit *v, uint64_t now_ms, page_links *links)
{
  *links = (page_links){.found = v->links + v->dropped};
  h->now_ms = now_ms;
  h->skips[SKIP_LINKS] += v->dropped;
  if (!v->links)
    return FRONTIER_OK;
  set_base(h, v);
  if (h->rules.counts)
    inlinks_begin_page(h->rules.counts);
  frontier_origin of_page = page_origin(v), of_map = next_hop(v);
  frontier_status status = FRONTIER_OK;
  visit_link link;
  for (size_t at = 0; status == FRONTIER_OK && visit_next_link(v, &at, &link);) {
    if (link.canonical)
      note_canonical(h, v, &link, links);
    if ((v->nofollow || link.nofollow) && !h->rules.follows_nofollow)
      h->skips[SKIP_NOFOLLOW]++;
    else if (link.is_map && is_too_far(of_map))
      h->skips[SKIP_REDIRECTS]++;
    else
      status = add_link(h, v, &link, link.is_map ? of_map : of_page, links);
  }
  return status;
}

frontier_status harvest_sitemap(harvest *h, const char *base, const char *href, uint64_t now_ms)
{
  page_links links = {0};
  h->now_ms = now_ms;
  bool is_based = url_base_set(h->base, base, strlen(base)) == URL_OK;
  url_status status = url_resolve(is_based ? h->base : NULL, href, strlen(href), h->rules.profile, &h->target);
  if (status == URL_OK)
    return add_target(h, (frontier_origin){.hops = VISIT_SITEMAP}, &links);
  h->skips[skip_of(status)]++;
  return FRONTIER_OK;
}

/* ---- redirects ------------------------------------------------------------------------------------------- */

/* A start URL may lead to its site's real name (example.org -> www.example.org): that host joins the scope. */
static bool widen_scope(harvest *h, const visit *v)
{
  bool is_start = v->lease.origin.depth == 0 && !v->is_map;
  return !is_start || scope_has(h->scope, &h->target) || scope_add(h->scope, &h->target);
}

frontier_status harvest_redirect(harvest *h, const visit *v, const char *location, uint64_t now_ms, page_links *links,
                                 const char **target)
{
  *links = (page_links){0};
  *target = NULL;
  h->now_ms = now_ms;
  url_base_set(h->base, v->lease.url, v->lease.url_size);
  url_status status = url_resolve(h->base, location, strlen(location), h->rules.profile, &h->target);
  if (status != URL_OK) {
    h->skips[skip_of(status)]++;
    return FRONTIER_OK;
  }
  frontier_origin origin = next_hop(v);
  links->found = 1;
  *target = h->target.fetch;
  if (is_too_far(origin)) {
    h->skips[SKIP_REDIRECTS]++;
    return FRONTIER_OK;
  }
  return widen_scope(h, v) ? add_target(h, origin, links) : FRONTIER_NO_MEMORY;
}
