/* See harvest.h: a page's links, sitemaps and start URLs. Where redirects lead: harvest_redirect.c. */
#include "crawler/loop/harvest_inside.h"

#include "crawler/loop/lacks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
  uint8_t secret[MLBF_SECRET_BYTES];
  frontier_secret(f, secret);
  h->base = url_base_create();
  h->own = url_base_create();
  h->hasher = mlbf_hasher_create(secret);
  h->maps = sitemap_set_create(f);
  if (!h->base || !h->own || !h->hasher || !h->maps) {
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
  mlbf_hasher_free(h->hasher);
  sitemap_set_free(h->maps);
  free(h);
}

/* ---- what is not taken ----------------------------------------------------------------------------------- */

void harvest_skip(harvest *h, crawl_skip why)
{
  h->skips[why]++;
}

frontier_status harvest_count(harvest *h)
{
  frontier_status status = sitemap_set_keep(h->maps);
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

/* A sitemap leads to pages that may be included without being one of them, and what is checked is no page. */
static bool is_wanted(const harvest *h, const url *u, frontier_origin origin)
{
  return origin.hops & VISIT_BITS ? !patterns_exclude(h->rules.patterns, u) : patterns_take(h->rules.patterns, u);
}

/* May it be asked again? Then a page is harvested to its end, from where it stopped. */
static bool may_heal(const harvest *h, frontier_status status)
{
  return status != FRONTIER_OK && h->rules.may_add_again(h->rules.context, status);
}

/* What is unconfirmed may be queued later, and is then no page's; what is elsewhere is judged there. */
static bool is_fresh(frontier_verdict verdict)
{
  return verdict.outcome != FRONTIER_SEEN && verdict.outcome != FRONTIER_UNCONFIRMED &&
         verdict.outcome != FRONTIER_ELSEWHERE;
}

frontier_status harvest_add_target(harvest *h, frontier_origin origin, const redirect_chain *chain, bool is_forced,
                                   page_links *links)
{
  frontier_link link = {.target = &h->target};
  frontier_verdict verdict;
  frontier_status status;
  size_t settled;
  if (!scope_has(h->scope, &h->target) && !h->rules.edges) {
    h->skips[SKIP_SCOPE]++;
    return FRONTIER_OK;
  }
  if (!scope_has(h->scope, &h->target))
    origin.hops |= VISIT_CHECK;
  if (!is_wanted(h, &h->target, origin)) {
    h->skips[SKIP_PATTERN]++;
    return FRONTIER_OK;
  }
  link.origin = origin;
  if (chain) {
    link.payload = chain->pairs;
    link.payload_size = (size_t)CHAIN_PAIR * chain->count;
  }
  bool is_map = (origin.hops & VISIT_BITS) == VISIT_SITEMAP,
       is_new_map = is_map && sitemap_set_lacks(h->maps, &h->target);
  is_forced |= is_new_map;
  do
    status = is_forced ? frontier_force(h->frontier, &link, h->now_ms, &verdict)
                       : frontier_add_batch(h->frontier, &link, 1, h->now_ms, &verdict, &settled);
  while (may_heal(h, status));
  if (status != FRONTIER_OK)
    return status;
  if (is_new_map)
    sitemap_set_add(h->maps, &h->target);
  if (is_map && verdict.outcome == FRONTIER_SEEN && sitemap_set_refuses(h->maps, &h->target))
    links->lacks |= LACK_BIT(LACK_SITEMAP);
  links->fresh += (is_forced || is_fresh(verdict)) && !(origin.hops & VISIT_CHECK);
  return FRONTIER_OK;
}

/* Looked at every so often, as each link may take long to judge: a user's expression has its time. */
static bool must_end(harvest *h, size_t index)
{
  enum { OFTEN = 8 };
  h->is_cut = h->is_cut || (index % OFTEN == 0 && h->rules.must_end(h->rules.context));
  return h->is_cut;
}

/* For the edge log. */
static void note_about(const harvest *h, about *a, const url *u)
{
  a->hash = edge_log_hash(h->rules.edges, u->key, u->key_size);
  a->is_mixed = a->is_loaded && h->is_secure && strncmp(u->fetch, "http:", strlen("http:")) == 0;
}

/* A crawl_skip, or 0. In-links are counted here: one more page links to `u`. A count that cannot be had stops nothing:
 * counts only put URLs in order. */
static int refuse(void *context, size_t index, const url *u)
{
  harvest *h = context;
  size_t at = h->waiting.settled + index;
  about *a = &h->waiting.abouts[at];
  purpose what_for = a->what_for;
  if (what_for == FOR_START)
    return 0;
  if (must_end(h, index))
    return SKIP_LINKS;
  if (h->rules.edges)
    note_about(h, a, u);
  if (what_for != FOR_CHECK && !scope_has(h->scope, u))
    return h->rules.edges && patterns_exclude(h->rules.patterns, u) ? SKIP_PATTERN : SKIP_SCOPE;
  if (a->is_nofollow)
    return SKIP_NOFOLLOW;
  if (h->rules.counts && what_for == FOR_LINK)
    (void)inlinks_note(h->rules.counts, u);
  if (h->rules.budgets && what_for == FOR_LINK)
    domain_budget_link(h->rules.budgets, u->fetch + u->host_begin, u->host_end - u->host_begin);
  return is_wanted(h, u, h->waiting.texts[at].origin) ? 0 : SKIP_PATTERN;
}

void harvest_count_unusable(harvest *h, url_status why, const url_base *base, const char *href, size_t size,
                            page_links *links)
{
  enum { BEGINNING = LINKS_BEGINNING }; /* three times as long, escaped, and no URL is too long for that */
  crawl_skip skip = skip_of(why);
  if (why == URL_TOO_LONG) {
    why = url_resolve(base, href, size < BEGINNING ? size : BEGINNING, h->rules.profile, &h->target);
    if (why == URL_BAD_SCHEME || (why == URL_OK && !scope_has(h->scope, &h->target)))
      skip = why == URL_OK ? SKIP_SCOPE : SKIP_SCHEME;
    else
      links->lacks |= LACK_BIT(LACK_LINKS);
  }
  h->skips[skip]++;
}

static void count_answer(harvest *h, size_t i, page_links *links)
{
  _Static_assert(SKIP_SCOPE != 0 && SKIP_PATTERN != 0, "0 is no refusal");
  const frontier_text *t = &h->waiting.texts[i];
  const frontier_answer *said = &h->waiting.answers[i];
  const about *a = &h->waiting.abouts[i];
  if (said->url != URL_OK)
    harvest_count_unusable(h, said->url, h->waiting.base, t->href, t->href_size, links);
  else if (said->refused)
    h->skips[said->refused]++;
  else
    links->fresh += is_fresh(said->verdict) && a->what_for != FOR_CHECK;
  if (h->rules.edges && said->url == URL_OK && !said->refused && a->what_for != FOR_START)
    edge_log_add(h->rules.edges, a->hash, a->by, a->is_mixed);
}

/* Of a page: what it leads to is asked for once, and leads nowhere. As deep as the page, so that no cap holds it. */
static frontier_origin check_origin(frontier_origin of_link)
{
  of_link.depth -= of_link.depth > 0;
  of_link.hops = VISIT_CHECK;
  return of_link;
}

/* An audit: those that lead out of the scope are checked. */
static frontier_status check_outside(harvest *h)
{
  waiting *w = &h->waiting;
  frontier_text_rules rules = {.base = w->base};
  frontier_text texts[TOGETHER];
  frontier_answer answers[TOGETHER];
  size_t places[TOGETHER], count = 0, settled = 0;
  for (size_t i = 0; i < w->settled; i++) {
    if (w->answers[i].url != URL_OK || w->answers[i].refused != SKIP_SCOPE || w->abouts[i].what_for != FOR_LINK)
      continue;
    texts[count] = w->texts[i];
    texts[count].origin = check_origin(w->texts[i].origin);
    places[count++] = i;
    w->abouts[i].what_for = FOR_CHECK;
  }
  frontier_status status;
  do {
    size_t now = 0;
    status = frontier_add_texts(h->frontier, &rules, texts + settled, count - settled, h->now_ms, answers + settled,
                                &now);
    settled += now;
  } while (may_heal(h, status));
  for (size_t i = 0; i < count && i < settled; i++)
    w->answers[places[i]] = answers[i];
  return status;
}

/* All that wait into the frontier. On failure some may be missing. */
static frontier_status add_waiting(harvest *h, page_links *links)
{
  waiting *w = &h->waiting;
  frontier_text_rules rules = {.base = w->base, .accept = refuse, .context = h};
  frontier_status status;
  w->settled = 0;
  do {
    size_t settled;
    status = frontier_add_texts(h->frontier, &rules, w->texts + w->settled, w->count - w->settled, h->now_ms,
                                w->answers + w->settled, &settled);
    w->settled += settled;
  } while (may_heal(h, status));
  if (status == FRONTIER_OK && h->rules.edges && !h->is_cut)
    status = check_outside(h);
  for (size_t i = 0; i < w->settled && !h->is_cut; i++)
    count_answer(h, i, links);
  w->count = w->used = 0;
  return status;
}

static void wait_for_more(waiting *w, const char *href, size_t size, frontier_origin origin, about of_it)
{
  w->abouts[w->count] = of_it;
  w->texts[w->count++] = (frontier_text){.href = href, .href_size = size, .origin = origin};
}

/* For one more, and the longest of hrefs. */
static frontier_status make_room(harvest *h, page_links *links)
{
  const waiting *w = &h->waiting;
  return w->count == TOGETHER || w->used > sizeof w->bytes - HREF_MAX ? add_waiting(h, links) : FRONTIER_OK;
}

static const url_base *base_of(const harvest *h, const visit *v, const visit_link *link)
{
  if (!link->is_header || !v->base)
    return h->base;
  url_base_set(h->own, v->lease.url, v->lease.url_size);
  return h->own;
}

/* A sitemap is there to be read: what the header of its response asks for is about the file as a search result. */
static bool is_nofollow(const harvest *h, const visit *v, const visit_link *link)
{
  return ((v->nofollow && !v->is_map) || link->nofollow) && !h->rules.follows_nofollow;
}

/* Not to follow a link is asked of those who would go on from there; to check it is not to follow it. */
static about about_link(const harvest *h, const visit *v, const visit_link *link)
{
  return (about){.is_nofollow = is_nofollow(h, v, link) && !link->is_asset,
                 .what_for = link->is_asset ? FOR_CHECK : FOR_LINK,
                 .by = link->element,
                 .is_loaded = link->is_asset || link->element == BY_FRAME_SRC || link->element == BY_IFRAME_SRC};
}

static frontier_status add_link(harvest *h, const visit *v, const visit_link *link, frontier_origin origin,
                                page_links *links)
{
  waiting *w = &h->waiting;
  const charset *written_in = visit_charset(v);
  const url_base *base = base_of(h, v, link);
  frontier_status status = w->base == base ? make_room(h, links) : add_waiting(h, links);
  if (status != FRONTIER_OK)
    return status;
  char *escaped = w->bytes + w->used;
  size_t size = written_in ? charset_escape_query(written_in, link->href, link->size, escaped, HREF_MAX) : 0;
  w->base = base;
  w->used += size;
  wait_for_more(w, size ? escaped : link->href, size ? size : link->size, origin, about_link(h, v, link));
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

frontier_origin harvest_next_hop(const visit *v)
{
  frontier_origin origin = v->lease.origin;
  origin.via = v->lease.id;
  origin.hops++;
  return origin;
}

/* What a sitemap index names. */
static frontier_status add_map(harvest *h, const visit *v, const visit_link *link, size_t index, frontier_origin origin,
                               page_links *links)
{
  const url_base *base = base_of(h, v, link);
  if (must_end(h, index))
    return FRONTIER_OK;
  url_status parsed = url_resolve(base, link->href, link->size, h->rules.profile, &h->target);
  if (parsed != URL_OK) {
    harvest_count_unusable(h, parsed, base, link->href, link->size, links);
    return FRONTIER_OK;
  }
  if (h->rules.edges)
    edge_log_add(h->rules.edges, edge_log_hash(h->rules.edges, h->target.key, h->target.key_size), link->element,
                 false);
  return harvest_add_target(h, origin, NULL, false, links);
}

bool harvest_is_too_far(frontier_origin origin)
{
  return (origin.hops & ~(unsigned)VISIT_BITS) > REDIRECTS_MAX; /* sitemaps inside sitemaps as well */
}

frontier_status harvest_links(harvest *h, const visit *v, uint64_t now_ms, page_links *links)
{
  assert(h->waiting.count == 0);
  *links = (page_links){.found = v->links + v->dropped, .limit = visit_limit(v)};
  links->lacks = !links->limit ? 0 : v->is_map ? LACK_BIT(LACK_SITEMAP) : LACK_BIT(LACK_LINKS);
  h->now_ms = now_ms;
  h->is_cut = false;
  h->skips[SKIP_LINKS] += v->dropped;
  if (h->rules.edges)
    edge_log_begin(h->rules.edges);
  if (!v->links)
    return FRONTIER_OK;
  h->is_secure = strncmp(v->lease.url, "https:", strlen("https:")) == 0;
  set_base(h, v);
  if (h->rules.counts)
    inlinks_begin_page(h->rules.counts);
  if (h->rules.budgets)
    domain_budget_page(h->rules.budgets, v->lease.url + v->lease.host_begin, v->lease.host_end - v->lease.host_begin);
  frontier_origin of_page = page_origin(v), of_map = harvest_next_hop(v), of_asset = check_origin(of_page);
  uint64_t undecided = patterns_undecided(h->rules.patterns);
  frontier_status status = FRONTIER_OK;
  visit_link link;
  size_t index = 0;
  for (size_t at = 0; status == FRONTIER_OK && !h->is_cut && visit_next_link(v, &at, &link);) {
    if (link.canonical)
      note_canonical(h, v, &link, links);
    if (is_nofollow(h, v, &link) && !h->rules.edges)
      h->skips[SKIP_NOFOLLOW]++;
    else if (link.is_cut)
      harvest_count_unusable(h, URL_TOO_LONG, base_of(h, v, &link), link.href, link.size, links);
    else if (link.is_map && harvest_is_too_far(of_map))
      h->skips[SKIP_REDIRECTS]++, links->lacks |= LACK_BIT(LACK_LINKS);
    else if (link.is_map)
      status = add_map(h, v, &link, index++, of_map, links);
    else
      status = add_link(h, v, &link, link.is_asset ? of_asset : of_page, links);
  }
  if (status == FRONTIER_OK)
    status = add_waiting(h, links);
  links->is_cut = h->is_cut;
  if (patterns_undecided(h->rules.patterns) > undecided)
    links->lacks |= LACK_BIT(LACK_LINKS);
  if (v->is_map && links->lacks)
    links->lacks = LACK_BIT(LACK_SITEMAP);
  return status;
}

frontier_status harvest_sitemap(harvest *h, const char *base, const char *href, uint64_t now_ms, bool *is_new)
{
  page_links links = {0};
  h->now_ms = now_ms;
  bool is_based = url_base_set(h->base, base, strlen(base)) == URL_OK;
  url_status parsed = url_resolve(is_based ? h->base : NULL, href, strlen(href), h->rules.profile, &h->target);
  if (parsed != URL_OK) {
    h->skips[skip_of(parsed)]++;
    return FRONTIER_OK;
  }
  frontier_status status = harvest_add_target(h, (frontier_origin){.hops = VISIT_SITEMAP}, NULL, false, &links);
  *is_new |= links.fresh > 0;
  if (status == FRONTIER_OK)
    status = lacks_change(h->frontier, 0, links.lacks);
  return status == FRONTIER_OK ? sitemap_set_keep(h->maps) : status;
}

frontier_status harvest_as_page(harvest *h, const visit *v, uint64_t now_ms)
{
  const frontier_link link = {.target = &h->target, .origin = page_origin(v)};
  frontier_verdict verdict;
  frontier_status status;
  assert(v->is_map && (link.origin.hops & VISIT_BITS) == 0);
  if (v->lease.verdict.outcome == FRONTIER_SEEN ||
      url_parse(v->lease.url, v->lease.url_size, h->rules.profile, &h->target) != URL_OK ||
      !is_wanted(h, &h->target, link.origin))
    return FRONTIER_OK;
  do
    status = frontier_force(h->frontier, &link, now_ms, &verdict);
  while (may_heal(h, status));
  return status;
}

int harvest_refuses(void *context, size_t index, const url *u)
{
  const harvest *h = context;
  (void)index;
  return !scope_has(h->scope, u) ? SKIP_SCOPE : patterns_take(h->rules.patterns, u) ? 0 : SKIP_PATTERN;
}

/* ---- start URLs ------------------------------------------------------------------------------------------ */

frontier_status harvest_start(harvest *h, const url *start, bool guesses_map, uint64_t now_ms)
{
  page_links links = {0};
  waiting *w = &h->waiting;
  bool is_new = false;
  frontier_status status = guesses_map ? harvest_sitemap(h, start->fetch, "/sitemap.xml", now_ms, &is_new)
                                       : FRONTIER_OK;
  h->now_ms = now_ms;
  w->base = NULL;
  if (status == FRONTIER_OK)
    status = make_room(h, &links);
  if (status != FRONTIER_OK)
    return status;
  char *copy = memcpy(w->bytes + w->used, start->fetch, start->fetch_size);
  w->used += start->fetch_size;
  wait_for_more(w, copy, start->fetch_size, (frontier_origin){0}, (about){.what_for = FOR_START});
  return FRONTIER_OK;
}

frontier_status harvest_starts_end(harvest *h)
{
  page_links links = {0};
  return add_waiting(h, &links);
}
