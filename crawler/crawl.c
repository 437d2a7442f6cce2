/* The crawl loop.
 *
 *     frontier_next -> visit -> robots? -> fetch_start ... body -> link scanner ... finished
 *          ^                      |                                                   |
 *          |                   skipped                    each link: resolve, scope, frontier_add
 *          +---------------------------- frontier_done <------------------------------+
 *
 * What a page leads to is harvest.c's. */
#include "crawler/crawl.h"

#include "crawler/crawl_warc.h"
#include "crawler/harvest.h"
#include "crawler/origins.h"
#include "crawler/retry.h"
#include "crawler/visits.h"
#include "frontier/host.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
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
  visits visits;            /* the active ones: leases not ended */
  harvest *harvest;
  const contents_near *near; /* what the page is near whose links are being added; NULL: none */
  retries *retries;
  url *target;              /* 17 KB: not for the stack */
  json line;
  uint64_t pages_ever, bytes_ever;
  uint64_t started_ms, now_ms, end_ms;
  crawl_totals totals;
  url_profile profile;
  volatile sig_atomic_t is_stopping;
  bool is_broken;
  char message[FRONTIER_MESSAGE_SIZE];
  char start_failure[FRONTIER_MESSAGE_SIZE];
  failures failures;
};

static uint64_t wall_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
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
  const char *message = frontier_message(c->frontier);
  if (status != FRONTIER_OK)
    break_off(c, *message ? message : "out of memory");
  return status == FRONTIER_OK;
}

/* ---- visits --------------------------------------------------------------------------------------------- */

/* The lease ends; what the page taught is counted with it, in one transaction. */
static void visit_end(crawl *c, visit *v, frontier_state state, uint16_t code, const json *report)
{
  holds(c, harvest_count(c->harvest));
  holds(c, frontier_done(c->frontier, v->lease.id, state, code, report ? report->text : NULL,
                         report ? report->size : 0, c->now_ms));
  visits_put_back(&c->visits, v);
}

static void note_start_failure(crawl *c, const visit *v, const char *why)
{
  if (v->lease.origin.depth == 0 && !v->is_map && !c->start_failure[0])
    snprintf(c->start_failure, sizeof c->start_failure, "%.300s: %s", v->lease.url, why);
}

/* The visit's line for pages.jsonl; NULL if nobody keeps it. The facts must have everything but what is known here. */
static const json *report_of(crawl *c, page_facts *facts)
{
  if (!c->options.keeps_log)
    return NULL;
  pages_log_line(&c->line, facts, c->profile, c->target);
  if (c->line.failed)
    break_off(c, "out of memory for a line of pages.jsonl");
  return &c->line;
}

static const char *robots_word(const crawl *c)
{
  return c->options.ignore_robots ? "ignored" : "allowed";
}

/* Before the page is said to be done: it is committed with its records, or without being done. */
static void archive(crawl *c, const visit *v, const fetch_response *response)
{
  if (c->options.warc && !crawl_warc_keep(c->options.warc, &v->lease, response))
    break_off(c, warc_message(c->options.warc));
}

/* What may heal goes back to the head of its host's queue, and the host is left in peace for a while. */
static bool try_again(crawl *c, visit *v, const fetch_response *response)
{
  uint64_t wait_ms;
  if (!retries_again(c->retries, &v->lease, response, &wait_ms))
    return false;
  c->totals.retries++;
  holds(c, frontier_count(c->frontier, "retries", 1));
  holds(c, frontier_host_back_off(c->frontier, v->lease.id, c->now_ms, wait_ms));
  holds(c, frontier_release(c->frontier, v->lease.id, c->now_ms));
  visits_put_back(&c->visits, v);
  return true;
}

/* For the next time, in the transaction that says how the visit ended. */
static void note_visit(crawl *c, const visit *v, const fetch_response *response, bool is_failure)
{
  if (c->options.keeps_log)
    holds(c, revisit_note(v->revisit, c->frontier, v->lease.id, response, v->sha256, is_failure));
}

/* `permission`: what robots.txt had to say. */
static void fail_visit(crawl *c, visit *v, const fetch_response *response, const char *permission)
{
  if (try_again(c, v, response))
    return;
  v->tries = retries_end(c->retries, &v->lease, response->error == FETCH_OK);
  char status[32];
  bool answered = response->error == FETCH_OK;
  snprintf(status, sizeof status, "HTTP status %ld", response->status);
  note_start_failure(c, v, answered ? status : response->explanation);
  failures_note(&c->failures, v->lease.url, response);
  if (!v->is_map) { /* a sitemap that is not there is no error of the site's pages */
    c->totals.errors++;
    holds(c, frontier_count(c->frontier, "errors", 1));
    holds(c, frontier_count(c->frontier, failures_counter(response), 1));
  }
  page_facts facts = {.visit = v, .outcome = FRONTIER_FAILED, .robots = permission,
                      .response = response->start_ms ? response : NULL};
  if (answered) {
    archive(c, v, response);
  } else {
    facts.error = fetch_error_name(response->error);
    facts.reason = response->explanation;
  }
  note_visit(c, v, response, true);
  visit_end(c, v, FRONTIER_FAILED, (uint16_t)(answered ? response->status : response->error), report_of(c, &facts));
}

static void count_page(crawl *c, const visit *v, const fetch_response *response)
{
  c->totals.pages++;
  c->pages_ever++;
  c->bytes_ever += response->body_bytes;
  holds(c, frontier_count(c->frontier, "pages", 1));
  holds(c, frontier_count(c->frontier, "page-bytes", response->body_bytes));
  if (v->lease.origin.depth == 0)
    holds(c, frontier_count(c->frontier, "start-pages", 1));
}

/* What the page says among what others said; what it is near, if anything. */
static const contents_near *note_contents(crawl *c, visit *v)
{
  if (!c->options.contents || v->is_map)
    return NULL;
  mlbf_shingles shingles = visit_shingles(v);
  const contents_near *near = contents_add(c->options.contents, v->lease.url, &shingles);
  if (near)
    holds(c, frontier_count(c->frontier, "near-duplicates", 1));
  return near;
}

static void end_body(crawl *c, visit *v, bool is_success)
{
  if (c->options.bodies && !bodies_end(c->options.bodies, &v->body, is_success ? v->lease.url : NULL))
    holds(c, frontier_count(c->frontier, "not-digested", 1));
}

static void body_came(void *context, long status, const char *content_type, const char *bytes, size_t size)
{
  const visit *v = context;
  const crawl *c = v->owner;
  if (c->options.keeps_log)
    body_hash_add(v->hash, bytes, size);
  if (status >= 200 && status <= 299)
    visit_read(context, content_type, bytes, size);
  if (c->options.bodies && visit_is_no_page(v))
    bodies_take(c->options.bodies, &((visit *)context)->body, bytes, size);
}

static void fetch_finished(void *context, const fetch_response *response)
{
  visit *v = context;
  crawl *c = v->owner;
  page_links links = {0};
  const char *target = NULL;
  const contents_near *near = NULL;
  c->now_ms = clock_ms();
  visit_finish(v);
  if (c->options.keeps_log)
    body_hash_end(v->hash, v->sha256);
  c->totals.wire_bytes += response->wire_bytes;
  c->totals.body_bytes += response->body_bytes;
  bool is_success = response->error == FETCH_OK && response->status >= 200 && response->status <= 299;
  bool is_redirect = response->error == FETCH_OK && response->status >= 300 && response->status <= 399 &&
                     *response->location;
  bool is_unchanged = revisit_is_unchanged(v->revisit, response);
  end_body(c, v, is_success);
  if (!is_success && !is_redirect && !is_unchanged) {
    fail_visit(c, v, response, robots_word(c));
    return;
  }
  v->tries = retries_end(c->retries, &v->lease, true);
  archive(c, v, response);
  if (is_unchanged) {
    holds(c, frontier_count(c->frontier, "unchanged", 1));
  } else if (is_redirect) {
    holds(c, harvest_redirect(c->harvest, v, response->location, c->now_ms, &links, &target));
    c->totals.redirects++;
    holds(c, frontier_count(c->frontier, "redirects", 1));
  } else {
    visit_take_headers(v, response);
    c->near = near = note_contents(c, v);
    holds(c, harvest_links(c->harvest, v, c->now_ms, &links));
    c->near = NULL;
    if (v->is_map)
      holds(c, frontier_count(c->frontier, "sitemaps", 1));
    else if (response->body_bytes)
      count_page(c, v, response);
  }
  page_facts facts = {.visit = v, .outcome = FRONTIER_DONE, .robots = robots_word(c), .response = response,
                      .links = links, .redirect = target, .near = near};
  note_visit(c, v, response, false);
  visit_end(c, v, FRONTIER_DONE, (uint16_t)response->status, report_of(c, &facts));
}

static void skip_visit(crawl *c, visit *v, crawl_skip why, const char *explanation)
{
  note_start_failure(c, v, explanation);
  v->tries = retries_end(c->retries, &v->lease, true);
  harvest_skip(c->harvest, why);
  note_visit(c, v, &(fetch_response){0}, true);
  visit_end(c, v, FRONTIER_SKIPPED, (uint16_t)why, NULL); /* not fetched: no line of pages.jsonl */
}

static bool is_trusted(crawl *c, const visit *v)
{
  const fetch_options *o = &c->options.fetch;
  return (o->user || o->headers) &&
         url_parse(v->lease.url, v->lease.url_size, URL_STRICT, c->target) == URL_OK &&
         scope_has(c->options.trusted, c->target);
}

static void fetch_page(crawl *c, visit *v)
{
  fetch_receiver receiver = {.body = body_came, .finished = fetch_finished, .context = v,
                             .max_body = v->is_map ? SITEMAP_BYTES_MAX : 0, .is_trusted = is_trusted(c, v)};
  v->stage = VISIT_FETCHING;
  if (c->options.keeps_log)
    body_hash_begin(v->hash);
  revisit_ask(v->revisit, &receiver);
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
  uint64_t since_ms = retries_failed(c->retries, &v->lease) ? v->begun_ms : 0;
  origin_ruling ruling = origins_ask(c->origins, c->target->key, c->target->path_begin, v, c->now_ms, since_ms);
  switch (ruling.answer) {
  case ORIGIN_WAIT: break;
  case ORIGIN_ALLOWED:
    heed_delay(c, v, ruling.crawl_delay);
    fetch_page(c, v);
    break;
  case ORIGIN_DENIED:
    skip_visit(c, v, SKIP_ROBOTS, "forbidden by robots.txt (--ignore-robots fetches it anyway)");
    break;
  case ORIGIN_UNAVAILABLE:
    if (try_again(c, v, &(fetch_response){.status = 503}))
      break;
    skip_visit(c, v, SKIP_ROBOTS_UNAVAILABLE, "robots.txt gave a server error, so nothing may be fetched");
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
  size_t active = c->visits.active, all = c->options.fetch.connections, fewer = fetch_shortage(c->fetcher)->limit;
  size_t connections = all > active && fewer > active ? (all < fewer ? all : fewer) - active : 0;
  uint64_t taken = c->pages_ever + active;
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
    visit *v = visits_take(&c->visits);
    if (!v) {
      break_off(c, "out of memory for one more visit");
      return 0;
    }
    visit_begin(v, &leases[i]);
    v->begun_ms = c->now_ms;
    v->stage = VISIT_ASKING;
    if (holds(c, revisit_begin(v->revisit, c->frontier, v->lease.id, c->options.recrawl_least_s > 0)))
      visit_start(v);
  }
  return count ? 0 : wait_ms;
}

static void keep_hosts(crawl *c, scope *hosts, const char *name)
{
  if (!scope_is_dirty(hosts))
    return;
  size_t size;
  char *text = scope_write(hosts, &size);
  if (text)
    holds(c, frontier_setting_put(c->frontier, name, text, size));
  else
    break_off(c, "out of memory for the scope");
  free(text);
}

static void keep_scope(crawl *c)
{
  keep_hosts(c, c->scope, "scope");
  keep_hosts(c, c->options.trusted, "trusted");
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
    *end = frontier_held(c->frontier) ? CRAWL_TRAPS_LEFT : frontier_is_deferring(c->frontier) ? CRAWL_DEPTH_CAP
                                                                                              : CRAWL_FINISHED;
  else if (c->pages_ever >= c->options.max_pages)
    *end = CRAWL_PAGE_CAP;
  else if (c->bytes_ever >= c->options.max_bytes)
    *end = CRAWL_BYTE_CAP;
  else
    return false;
  return true;
}

/* What is in flight when the crawl ends may land for a moment more; a clean stop loses no page that was nearly here. */
static void land(crawl *c)
{
  uint64_t deadline = clock_ms() + LAST_GRACE_MS;
  while (!c->is_broken && c->visits.active && fetch_active(c->fetcher) && (c->now_ms = clock_ms()) < deadline)
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
    if (c->now_ms - ticked_ms >= TICK_MS) { /* here, where what is on the way can be seen */
      ticked_ms = c->now_ms;
      tick(context, c);
    }
    fetch_poll(c->fetcher, wait_ms < 0 || wait_ms > TICK_MS ? TICK_MS : (int)wait_ms);
    c->now_ms = clock_ms();
    if (fetch_shortage(c->fetcher)->is_hopeless)
      break_off(c, "no file can be opened for even one connection (ulimit -n)");
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

static void sitemap_named(void *context, const char *base, const char *href)
{
  crawl *c = context;
  holds(c, harvest_sitemap(c->harvest, base, href, c->now_ms));
}

/* What many pages link to goes first. A URL found for the first time has one such page; one that is new again, after
 * strata forget, has its counts from before. With near_last, what a near-duplicate links to goes last. */
static frontier_class put_in_order(void *context, const frontier_link *link, frontier_verdict verdict,
                                   frontier_class by_rule)
{
  enum { MANY_PAGES = 16 };
  const crawl *c = context;
  (void)verdict;
  if (by_rule != FRONTIER_NORMAL)
    return by_rule;
  if (c->options.counts && inlinks_count(c->options.counts, link->target) >= MANY_PAGES)
    return FRONTIER_HIGH;
  return c->near && c->options.near_last ? FRONTIER_LOW : by_rule;
}

crawl *crawl_create(frontier *f, scope *s, const crawl_options *options)
{
  crawl *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  frontier_stats stats;
  c->frontier = f;
  c->scope = s;
  c->options = *options;
  c->visits = (visits){.owner = c, .wants_images = options->wants_images,
                        .wants_text = options->contents};
  c->fetcher = fetcher_create(&options->fetch);
  c->origins = c->fetcher ? origins_create(c->fetcher, "strata", visit_start) : NULL;
  c->target = malloc(sizeof *c->target);
  bool is_read = frontier_stats_read(f, &stats) == FRONTIER_OK;
  c->profile = stats.profile;
  c->retries = retries_create(options->tries, options->delay_ms);
  harvest_rules rules = {.profile = stats.profile, .patterns = options->patterns, .counts = options->counts,
                         .follows_nofollow = options->follows_nofollow};
  c->harvest = is_read ? harvest_create(f, s, &rules) : NULL;
  if (!c->origins || !c->target || !c->harvest || !c->retries) {
    crawl_free(c);
    return NULL;
  }
  c->pages_ever = frontier_counter(f, "pages");
  c->bytes_ever = frontier_counter(f, "page-bytes");
  c->started_ms = c->now_ms = clock_ms();
  frontier_clock(f, c->now_ms, wall_ms());
  frontier_classify(f, put_in_order, c);
  if (options->sitemaps != SITEMAPS_NONE)
    origins_on_sitemap(c->origins, sitemap_named, c);
  return c;
}

void crawl_free(crawl *c)
{
  if (!c)
    return;
  fetcher_free(c->fetcher);
  origins_free(c->origins);
  visits_free(&c->visits);
  harvest_free(c->harvest);
  retries_free(c->retries);
  free(c->target);
  json_free(&c->line);
  free(c);
}

frontier_status crawl_add_start(crawl *c, const url *start)
{
  frontier_verdict verdict;
  if (c->options.sitemaps == SITEMAPS_GUESS) {
    frontier_status status = harvest_sitemap(c->harvest, start->fetch, "/sitemap.xml", c->now_ms);
    if (status != FRONTIER_OK)
      return status;
  }
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

bool crawl_lacks_descriptors(const crawl *c)
{
  return fetch_shortage(c->fetcher)->was_met;
}

const failures *crawl_failures(const crawl *c)
{
  return &c->failures;
}

void crawl_each_active(const crawl *c, crawl_active_taker *take, void *context)
{
  for (size_t i = 0; i < c->visits.count; i++) {
    const visit *v = c->visits.all[i];
    if (v->stage != VISIT_IDLE)
      take(context, &(crawl_active){.host = v->lease.url + v->lease.host_begin,
                                    .host_size = v->lease.host_end - v->lease.host_begin,
                                    .is_fetching = v->stage == VISIT_FETCHING,
                                    .seconds = (double)(c->now_ms - v->begun_ms) / 1000});
  }
}

crawl_totals crawl_totals_read(const crawl *c)
{
  crawl_totals totals = c->totals;
  uint64_t until = c->end_ms ? c->end_ms : clock_ms();
  totals.seconds = (double)(until - c->started_ms) / 1000;
  totals.robots = origins_requests(c->origins);
  totals.active = c->visits.active;
  return totals;
}
