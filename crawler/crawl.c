/* The crawl loop.
 *
 *     frontier_next -> visit -> robots? -> fetch_start ... body -> link scanner ... finished
 *          ^                      |                                                   |
 *          |                   skipped                    each link: resolve, scope, frontier_add
 *          +---------------------------- frontier_done <------------------------------+
 *
 * A redirect is a link: its target enters the frontier as a URL of its own, so it is judged and counted like any
 * other and fetched once, however many pages lead there. */
#include "crawler/crawl.h"

#include "crawler/origins.h"
#include "crawler/pages_log.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  HOPS_MAX = 20,      /* redirects in a row, as browsers */
  TICK_MS = 100,
  LAST_GRACE_MS = 2000, /* after a stop or at a cap, what is in flight may still land */
  BATCH = 64,         /* leases asked for at once */
};

struct crawl {
  crawl_options options;
  frontier *frontier;
  scope *scope;
  fetcher *fetcher;
  origins *origins;
  visit *idle;
  visit **visits;
  size_t visit_count, visit_room;
  size_t active;            /* leases not ended */
  url_base *base;
  url *target;              /* 17 KB: not for the stack */
  url *own;                 /* the visit's own URL, for its key */
  json line;
  uint64_t skips[CRAWL_SKIPS]; /* not counted in the frontier yet */
  uint64_t pages_ever;
  uint64_t started_ms, now_ms, end_ms;
  crawl_totals totals;
  url_profile profile;
  volatile sig_atomic_t is_stopping;
  bool is_broken;
  char message[FRONTIER_MESSAGE_SIZE];
  char start_failure[FRONTIER_MESSAGE_SIZE];
};

const char *crawl_skip_name(crawl_skip why)
{
  static const char *const names[CRAWL_SKIPS] = {
    "skipped-scheme", "skipped-host", "skipped-too-long", "skipped-syntax", "skipped-control", "skipped-userinfo",
    "skipped-scope", "skipped-nofollow", "skipped-redirects", "skipped-links", "skipped-robots",
    "skipped-robots-unavailable"};
  return names[why];
}

static uint64_t clock_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The frontier failed, or memory is out: the crawl ends, the directory is as of the last commit. */
static void break_off(crawl *c, const char *message)
{
  if (!c->is_broken)
    snprintf(c->message, sizeof c->message, "%s", message);
  c->is_broken = true;
}

static bool holds(crawl *c, frontier_status status)
{
  if (status != FRONTIER_OK)
    break_off(c, frontier_message(c->frontier));
  return status == FRONTIER_OK;
}

/* ---- links ---------------------------------------------------------------------------------------------- */

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

/* c->target into the frontier, if it is in scope; true if it was new. */
static bool add_target(crawl *c, frontier_origin origin)
{
  frontier_verdict verdict;
  if (!scope_has(c->scope, c->target)) {
    c->skips[SKIP_SCOPE]++;
    return false;
  }
  return holds(c, frontier_add(c->frontier, c->target, origin, c->now_ms, &verdict)) &&
         verdict.outcome != FRONTIER_SEEN;
}

static bool add_link(crawl *c, const char *href, size_t size, frontier_origin origin)
{
  url_status status = url_resolve(c->base, href, size, c->profile, c->target);
  if (status != URL_OK) {
    c->skips[skip_of(status)]++;
    return false;
  }
  return add_target(c, origin);
}

/* The document's base URL: its own, or what <base href> makes of it. */
static void set_base(crawl *c, const visit *v)
{
  url_base_set(c->base, v->lease.url, v->lease.url_size);
  if (v->base && url_resolve(c->base, v->base, v->base_size, c->profile, c->target) == URL_OK)
    url_base_set(c->base, c->target->fetch, c->target->fetch_size);
}

static page_links take_links(crawl *c, const visit *v)
{
  page_links links = {.found = v->links + v->dropped};
  c->skips[SKIP_LINKS] += v->dropped;
  if (!v->has_scanned)
    return links;
  set_base(c, v);
  bool page_nofollow = links_page_nofollow(v->scanner), nofollow;
  uint16_t depth = v->lease.origin.depth;
  frontier_origin origin = {.via = v->lease.id, .depth = depth < UINT16_MAX ? depth + 1 : depth};
  const char *href;
  size_t at = 0, size;
  while (!c->is_broken && visit_next_link(v, &at, &href, &size, &nofollow))
    if (page_nofollow || nofollow)
      c->skips[SKIP_NOFOLLOW]++;
    else
      links.fresh += add_link(c, href, size, origin);
  return links;
}

/* A start URL may lead to its site's real name (example.org -> www.example.org): that host joins the scope. */
static void widen_scope(crawl *c, const visit *v)
{
  bool is_start = v->lease.origin.depth == 0;
  if (is_start && !scope_has(c->scope, c->target) && !scope_add(c->scope, c->target))
    break_off(c, "out of memory");
}

/* Where the redirect leads, or NULL if nowhere. */
static const char *take_redirect(crawl *c, const visit *v, const char *location, page_links *links)
{
  url_base_set(c->base, v->lease.url, v->lease.url_size);
  url_status status = url_resolve(c->base, location, strlen(location), c->profile, c->target);
  if (status != URL_OK) {
    c->skips[skip_of(status)]++;
    return NULL;
  }
  frontier_origin origin = v->lease.origin;
  origin.via = v->lease.id;
  links->found = 1;
  if (++origin.hops > HOPS_MAX) {
    c->skips[SKIP_REDIRECTS]++;
  } else {
    widen_scope(c, v);
    links->fresh = add_target(c, origin);
  }
  return c->target->fetch;
}

/* ---- visits --------------------------------------------------------------------------------------------- */

static visit *visit_take(crawl *c)
{
  visit *v = c->idle;
  if (v) {
    c->idle = v->next;
    return v;
  }
  if (c->visit_count == c->visit_room) {
    size_t room = c->visit_room ? 2 * c->visit_room : 64;
    visit **larger = realloc(c->visits, room * sizeof *larger);
    if (!larger)
      return NULL;
    c->visits = larger;
    c->visit_room = room;
  }
  v = visit_create(c);
  if (v)
    c->visits[c->visit_count++] = v;
  return v;
}

/* The lease ends; what the page taught is counted with it, in one transaction. */
static void visit_end(crawl *c, visit *v, frontier_state state, uint16_t code, const json *report)
{
  for (int i = 0; i < CRAWL_SKIPS; i++)
    if (c->skips[i]) {
      holds(c, frontier_count(c->frontier, crawl_skip_name((crawl_skip)i), c->skips[i]));
      c->skips[i] = 0;
    }
  holds(c, frontier_done(c->frontier, v->lease.id, state, code, report ? report->text : NULL,
                         report ? report->size : 0, c->now_ms));
  c->active--;
  v->next = c->idle;
  c->idle = v;
}

static void note_start_failure(crawl *c, const visit *v, const char *why)
{
  if (v->lease.origin.depth == 0 && !c->start_failure[0])
    snprintf(c->start_failure, sizeof c->start_failure, "%.300s: %s", v->lease.url, why);
}

/* The visit's line for pages.jsonl; NULL if nobody keeps it. The facts must have everything but what is known here. */
static const json *report_of(crawl *c, page_facts *facts)
{
  char sha256[BODY_HASH_TEXT] = "", charset[PAGES_LOG_CHARSET] = "";
  const fetch_response *response = facts->response;
  const frontier_lease *lease = &facts->visit->lease;
  if (!c->options.keeps_log)
    return NULL;
  bool is_key = url_parse(lease->url, lease->url_size, c->profile, c->own) == URL_OK;
  facts->key = is_key ? c->own->key : lease->url;
  if (response && response->body_bytes)
    body_hash_end(facts->visit->hash, sha256);
  if (response && response->error == FETCH_OK)
    pages_log_charset(response->content_type, charset);
  facts->sha256 = sha256;
  facts->charset = charset;
  pages_log_line(&c->line, facts);
  if (c->line.failed)
    break_off(c, "out of memory for a line of pages.jsonl");
  return &c->line;
}

static const char *robots_word(const crawl *c)
{
  return c->options.ignore_robots ? "ignored" : "allowed";
}

/* `permission`: what robots.txt had to say. */
static void fail_visit(crawl *c, visit *v, const fetch_response *response, const char *permission)
{
  char status[32];
  bool answered = response->error == FETCH_OK;
  snprintf(status, sizeof status, "HTTP status %ld", response->status);
  note_start_failure(c, v, answered ? status : response->explanation);
  c->totals.errors++;
  holds(c, frontier_count(c->frontier, "errors", 1));
  page_facts facts = {.visit = v, .outcome = FRONTIER_FAILED, .robots = permission,
                      .response = response->start_ms ? response : NULL};
  if (!answered) {
    facts.error = fetch_error_name(response->error);
    facts.reason = response->explanation;
  }
  visit_end(c, v, FRONTIER_FAILED, (uint16_t)(answered ? response->status : response->error), report_of(c, &facts));
}

static void count_page(crawl *c, const visit *v, const fetch_response *response)
{
  c->totals.pages++;
  c->pages_ever++;
  holds(c, frontier_count(c->frontier, "pages", 1));
  holds(c, frontier_count(c->frontier, "page-bytes", response->body_bytes));
  if (v->lease.origin.depth == 0)
    holds(c, frontier_count(c->frontier, "start-pages", 1));
}

static void body_came(void *context, long status, const char *content_type, const char *bytes, size_t size)
{
  const visit *v = context;
  const crawl *c = v->owner;
  if (c->options.keeps_log)
    body_hash_add(v->hash, bytes, size);
  if (status >= 200 && status <= 299)
    visit_read(context, content_type, bytes, size);
}

/* Before the page is said to be done: it is committed with its records, or without being done. */
static void archive(crawl *c, const visit *v, const fetch_response *response)
{
  if (!c->options.warc || response->error != FETCH_OK)
    return;
  const warc_fetch fetch = {.exchange = response->exchange, .url = v->lease.url, .type = response->content_type,
                            .address = response->address, .start_ms = response->start_ms,
                            .seconds = response->seconds, .is_truncated = response->truncated, .id = v->lease.id,
                            .via = v->lease.origin.via, .depth = v->lease.origin.depth};
  if (!warc_write(c->options.warc, &fetch))
    break_off(c, warc_message(c->options.warc));
}

static void fetch_finished(void *context, const fetch_response *response)
{
  visit *v = context;
  crawl *c = v->owner;
  page_links links = {0};
  const char *target = NULL;
  c->now_ms = clock_ms();
  visit_finish(v);
  archive(c, v, response);
  c->totals.wire_bytes += response->wire_bytes;
  c->totals.body_bytes += response->body_bytes;
  bool is_success = response->error == FETCH_OK && response->status >= 200 && response->status <= 299;
  bool is_redirect = response->error == FETCH_OK && response->status >= 300 && response->status <= 399 &&
                     *response->location;
  if (!is_success && !is_redirect) {
    fail_visit(c, v, response, robots_word(c));
    return;
  }
  if (is_redirect) {
    target = take_redirect(c, v, response->location, &links);
    c->totals.redirects++;
    holds(c, frontier_count(c->frontier, "redirects", 1));
  } else {
    links = take_links(c, v);
    if (response->body_bytes)
      count_page(c, v, response);
  }
  page_facts facts = {.visit = v, .outcome = FRONTIER_DONE, .robots = robots_word(c), .response = response,
                      .links = links, .redirect = target};
  visit_end(c, v, FRONTIER_DONE, (uint16_t)response->status, report_of(c, &facts));
}

static void skip_visit(crawl *c, visit *v, crawl_skip why, const char *permission, const char *explanation)
{
  note_start_failure(c, v, explanation);
  c->skips[why]++;
  page_facts facts = {.visit = v, .outcome = FRONTIER_SKIPPED, .robots = permission, .error = "robots",
                      .reason = explanation};
  visit_end(c, v, FRONTIER_SKIPPED, (uint16_t)why, report_of(c, &facts));
}

static void fetch_page(crawl *c, visit *v)
{
  fetch_receiver receiver = {.body = body_came, .finished = fetch_finished, .context = v};
  if (c->options.keeps_log)
    body_hash_begin(v->hash);
  if (!fetch_start(c->fetcher, v->lease.url, receiver))
    break_off(c, "out of memory for one more fetch");
}

static void heed_delay(crawl *c, visit *v, double seconds)
{
  enum { SECONDS_MAX = 3600 }; /* a Crawl-delay of more than an hour means "do not"; an hour is slow enough */
  if (seconds > 0)
    holds(c, frontier_host_delay(c->frontier, v->lease.id,
                                 (uint64_t)((seconds < SECONDS_MAX ? seconds : SECONDS_MAX) * 1000)));
}

/* From the lease to the fetch: robots.txt has its say. Called again when robots.txt has come. */
static void visit_start(void *context)
{
  visit *v = context;
  crawl *c = v->owner;
  if (c->options.ignore_robots) {
    fetch_page(c, v);
    return;
  }
  /* the key has unreserved characters unescaped, as RFC 9309, 2.2.2 wants them compared */
  url_parse(v->lease.url, v->lease.url_size, URL_STRICT, c->target);
  origin_ruling ruling = origins_ask(c->origins, c->target->key, c->target->path_begin, v, c->now_ms);
  switch (ruling.answer) {
  case ORIGIN_WAIT: break;
  case ORIGIN_ALLOWED:
    heed_delay(c, v, ruling.crawl_delay);
    fetch_page(c, v);
    break;
  case ORIGIN_DENIED:
    skip_visit(c, v, SKIP_ROBOTS, "denied", "forbidden by robots.txt (--ignore-robots fetches it anyway)");
    break;
  case ORIGIN_UNAVAILABLE:
    skip_visit(c, v, SKIP_ROBOTS_UNAVAILABLE, "unavailable",
               "robots.txt gave a server error, so nothing may be fetched");
    break;
  case ORIGIN_UNREACHABLE:
    fail_visit(c, v, &(fetch_response){.error = ruling.error, .explanation = ruling.explanation}, "unreachable");
    break;
  case ORIGIN_NO_MEMORY: break_off(c, "out of memory for one more host"); break;
  }
}

/* ---- the loop ------------------------------------------------------------------------------------------- */

/* How many more URLs may be leased: free connections, and no more than the page cap could use. */
static size_t lease_room(const crawl *c)
{
  size_t connections = c->options.fetch.connections > c->active ? c->options.fetch.connections - c->active : 0;
  uint64_t taken = c->pages_ever + c->active;
  uint64_t pages = c->options.max_pages > taken ? c->options.max_pages - taken : 0;
  uint64_t room = connections < pages ? connections : pages;
  return room < BATCH ? (size_t)room : BATCH;
}

/* Lease and start what is due; how long to wait for more. */
static int64_t start_visits(crawl *c)
{
  frontier_lease leases[BATCH];
  size_t count;
  int64_t wait_ms;
  if (!holds(c, frontier_next(c->frontier, c->now_ms, leases, lease_room(c), &count, &wait_ms)))
    return 0;
  for (size_t i = 0; i < count; i++) {
    visit *v = visit_take(c);
    if (!v) {
      break_off(c, "out of memory for one more visit");
      return 0;
    }
    visit_begin(v, &leases[i]);
    c->active++;
    visit_start(v);
  }
  return count ? 0 : wait_ms;
}

static void keep_scope(crawl *c)
{
  if (!scope_is_dirty(c->scope))
    return;
  size_t size;
  char *text = scope_write(c->scope, &size);
  if (text)
    holds(c, frontier_setting_put(c->frontier, "scope", text, size));
  else
    break_off(c, "out of memory for the scope");
  free(text);
}

/* Nothing more may be leased: why? */
static bool is_over(crawl *c, crawl_end *end)
{
  if (c->is_broken)
    *end = CRAWL_BROKEN;
  else if (c->is_stopping)
    *end = CRAWL_STOPPED;
  else if (c->now_ms - c->started_ms >= c->options.max_ms)
    *end = CRAWL_TIME_CAP;
  else if (frontier_is_finished(c->frontier))
    *end = frontier_is_deferring(c->frontier) ? CRAWL_DEPTH_CAP : CRAWL_FINISHED;
  else if (c->pages_ever >= c->options.max_pages)
    *end = CRAWL_PAGE_CAP;
  else
    return false;
  return true;
}

/* What is in flight when the crawl ends may land for a moment more; a clean stop loses no page that was nearly here. */
static void land(crawl *c)
{
  uint64_t deadline = clock_ms() + LAST_GRACE_MS;
  while (!c->is_broken && c->active && fetch_active(c->fetcher) && (c->now_ms = clock_ms()) < deadline)
    fetch_poll(c->fetcher, TICK_MS);
}

crawl_end crawl_run(crawl *c, crawl_tick *tick, void *context)
{
  crawl_end end;
  uint64_t ticked_ms = 0;
  c->started_ms = c->now_ms = clock_ms();
  while (!is_over(c, &end)) {
    keep_scope(c); /* before anything can commit a URL of a host that just joined */
    int64_t wait_ms = start_visits(c);
    fetch_poll(c->fetcher, wait_ms < 0 || wait_ms > TICK_MS ? TICK_MS : (int)wait_ms);
    c->now_ms = clock_ms();
    if (c->now_ms - ticked_ms >= TICK_MS) {
      ticked_ms = c->now_ms;
      tick(context, c);
    }
  }
  land(c);
  c->end_ms = clock_ms();
  return c->is_broken ? CRAWL_BROKEN : end;
}

void crawl_stop(crawl *c)
{
  c->is_stopping = 1;
}

/* ---- before and after ----------------------------------------------------------------------------------- */

crawl *crawl_create(frontier *f, scope *s, const crawl_options *options)
{
  crawl *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  frontier_stats stats;
  c->frontier = f;
  c->scope = s;
  c->options = *options;
  c->fetcher = fetcher_create(&options->fetch);
  c->origins = c->fetcher ? origins_create(c->fetcher, "strata", visit_start) : NULL;
  c->base = url_base_create();
  c->target = malloc(sizeof *c->target);
  c->own = malloc(sizeof *c->own);
  if (!c->origins || !c->base || !c->target || !c->own || frontier_stats_read(f, &stats) != FRONTIER_OK) {
    crawl_free(c);
    return NULL;
  }
  c->profile = stats.profile;
  c->pages_ever = frontier_counter(f, "pages");
  c->started_ms = c->now_ms = clock_ms();
  return c;
}

void crawl_free(crawl *c)
{
  if (!c)
    return;
  fetcher_free(c->fetcher);
  origins_free(c->origins);
  for (size_t i = 0; i < c->visit_count; i++)
    visit_free(c->visits[i]);
  free(c->visits);
  url_base_free(c->base);
  free(c->target);
  free(c->own);
  json_free(&c->line);
  free(c);
}

frontier_status crawl_add_start(crawl *c, const url *start)
{
  frontier_verdict verdict;
  return frontier_add(c->frontier, start, (frontier_origin){0}, c->now_ms, &verdict);
}

frontier_status crawl_sync(crawl *c)
{
  keep_scope(c);
  return c->is_broken ? FRONTIER_NO_MEMORY : frontier_sync(c->frontier);
}

const char *crawl_message(const crawl *c)
{
  return c->message;
}

const char *crawl_start_failure(const crawl *c)
{
  return c->start_failure;
}

crawl_totals crawl_totals_read(const crawl *c)
{
  crawl_totals totals = c->totals;
  uint64_t until = c->end_ms ? c->end_ms : clock_ms();
  totals.seconds = (double)(until - c->started_ms) / 1000;
  totals.robots = origins_requests(c->origins);
  totals.active = c->active;
  return totals;
}
