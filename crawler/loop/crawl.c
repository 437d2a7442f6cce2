/* The crawl loop.
 *
 *     frontier_next -> visit -> robots? -> fetch_start ... body -> link scanner ... finished
 *          ^                      |                                                   |
 *          |                   skipped                all links: frontier_add_texts, with the scope
 *          +---------------------------- frontier_done <------------------------------+
 *
 *     stage of a visit:  IDLE --leased--> ASKING --allowed--> FETCHING --visit_end_*--> IDLE
 *                                           |  (robots.txt may come first)                ^
 *                                           '--skipped, failed, put off-------------------'
 *
 * How a visit ends is visit_end.c's, what a page leads to harvest.c's, and what happens when the disk is full
 * disk_pause.c's.
 *
 * Always: an active visit has one lease of the frontier; crawl_let_go comes after frontier_done or frontier_release.
 * No more visits are active than there may be connections, and none begins that the page cap has no room for
 * (lease_room). Once is_broken is set, crawl_run leases nothing more.
 *
 * One thread calls all of this, inside fetch_poll too. Only what reads a page's body runs on any thread
 * (page_reader.c); a visit is one thread's at a time, which channel.h sees to. A signal handler may call crawl_stop,
 * which sets one flag.
 *
 * After a crash: leases are not on disk, so what was in flight waits in the queue and is leased again. */
#include "crawler/loop/crawl_state.h"

#include "crawler/loop/held_hosts.h"
#include "crawler/loop/lacks.h"
#include "crawler/loop/near_duplicates.h"
#include "crawler/loop/link_priority.h"
#include "crawler/loop/suspects.h"
#include "crawler/loop/visit_end.h"
#include "frontier/host.h"
#include "frontier/base/machine.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  POLL_MS = 100,
  LAST_GRACE_MS = 2000,       /* at a cap of pages or bytes, what is in flight may still land */
  BATCH = 64,                 /* leases asked for at once */
  CHECK_BYTES_MAX = 16 << 10, /* of a body that nobody reads: the status is known by then */
};

void crawl_break_off(crawl *c, const char *message)
{
  if (!c->is_broken)
    snprintf(c->message, sizeof c->message, "%s", message);
  c->is_broken = true;
}

bool crawl_holds(crawl *c, frontier_status status)
{
  const char *message = frontier_message(c->frontier);
  if (status != FRONTIER_OK)
    crawl_break_off(c, *message ? message : "out of memory");
  return status == FRONTIER_OK;
}

/* ---- what is kept ----------------------------------------------------------------------------------------- */

static void keep_hosts(crawl *c, scope *hosts, const char *name)
{
  if (!scope_is_dirty(hosts))
    return;
  size_t size;
  char *text = scope_write(hosts, &size);
  if (text)
    crawl_holds(c, frontier_setting_put(c->frontier, name, text, size));
  else
    crawl_break_off(c, "out of memory for the scope");
  free(text);
}

void crawl_keep_scope(crawl *c)
{
  keep_hosts(c, c->scope, "scope");
  keep_hosts(c, c->options.trusted, "trusted");
}

static bool may_add_again(void *context, frontier_status status)
{
  crawl *c = context;
  return crawl_wait_out(c, status, frontier_message(c->frontier));
}

static bool must_end(void *context)
{
  return crawl_drops_pages(context);
}

/* ---- visits --------------------------------------------------------------------------------------------- */

static bool is_trusted(crawl *c, const visit *v)
{
  const fetch_options *o = &c->options.fetch;
  return (o->user || o->headers || o->cookie_file) &&
         url_parse(v->lease.url, v->lease.url_size, URL_STRICT, c->target) == URL_OK &&
         scope_has(c->options.trusted, c->target);
}

/* Too deep to lead further, and nothing else of its host waits (a list of pages fetched with --max-depth 0); or the
 * next one is not due while the connection lasts. What the page will lead to is not known yet: then the connection is
 * kept, and goes when it was idle longest. */
static bool is_last_for_now(crawl *c, const visit *v, double crawl_delay)
{
  bool is_slow = crawl_delay > FETCH_IDLE_S || c->options.delay_ms > (uint64_t)FETCH_IDLE_S * 1000;
  return is_slow ||
         (v->lease.origin.depth >= c->options.max_depth && frontier_host_waiting(c->frontier, v->lease.id) == 0);
}

/* In milliseconds; 0: robots.txt asks for none. */
static uint64_t delay_of(double crawl_delay)
{
  enum { SECONDS_MAX = 3600 }; /* a Crawl-delay of more than an hour means "do not"; an hour is slow enough */
  return crawl_delay > 0 ? (uint64_t)((crawl_delay < SECONDS_MAX ? crawl_delay : SECONDS_MAX) * 1000) : 0;
}

bool crawl_has_in_scope(crawl *c, const visit *v)
{
  return url_parse(v->lease.url, v->lease.url_size, URL_STRICT, c->target) == URL_OK && scope_has(c->scope, c->target);
}

/* HEAD first; what comes again for GET is read if it is in scope. */
static void choose_method(crawl *c, visit *v)
{
  v->is_head = v->is_check && !retries_failed(c->retries, &v->lease);
  if (v->is_check && !v->is_head && crawl_has_in_scope(c, v))
    v->is_check = false;
}

/* `crawl_delay`: seconds that robots.txt asks for, < 0 if it does not. */
static void fetch_page(crawl *c, visit *v, double crawl_delay)
{
  choose_method(c, v);
  fetch_receiver receiver = {.finished = visit_end_fetched,
                             .context = v,
                             .max_body = v->is_map     ? SITEMAP_BYTES_MAX
                                         : v->is_check ? CHECK_BYTES_MAX
                                                       : 0,
                             .is_head = v->is_head,
                             .is_trusted = is_trusted(c, v),
                             .is_last = is_last_for_now(c, v, crawl_delay)};
  assert(v->stage == VISIT_ASKING);
  v->stage = VISIT_FETCHING;
  v->pace = host_pace_begin(c->pace, v->lease.url + v->lease.host_begin, v->lease.host_end - v->lease.host_begin,
                            c->now_ms);
  crawl_set_reader(c, v, &receiver);
  revisit_ask(v->revisit, &receiver);
  if (!fetch_start(c->fetcher, v->lease.url, receiver))
    crawl_break_off(c, "out of memory for one more fetch");
}

static void heed_delay(crawl *c, visit *v, double seconds)
{
  if (seconds <= 0)
    return;
  host_pace_delay(c->pace, v->lease.url + v->lease.host_begin, v->lease.host_end - v->lease.host_begin, c->now_ms,
                  delay_of(seconds));
  crawl_holds(c, frontier_host_delay(c->frontier, v->lease.id, delay_of(seconds)));
}

/* Until robots.txt has come nothing else of the host is leased: it could not be asked for either. */
static void hold_host(crawl *c, visit *v)
{
  enum { LONGER_THAN_A_FETCH_MS = 24 * 3600 * 1000 };
  v->holds_host = true;
  crawl_holds(c, frontier_host_next(c->frontier, v->lease.id, c->now_ms, LONGER_THAN_A_FETCH_MS));
}

/* The delay counts from the answer to robots.txt, which was a request, too. */
static void let_host_go(crawl *c, visit *v)
{
  if (v->holds_host)
    crawl_holds(c, frontier_host_next(c->frontier, v->lease.id, c->now_ms, FRONTIER_ITS_DELAY));
  v->holds_host = false;
}

void crawl_put_off(crawl *c, visit *v, uint64_t wait_ms)
{
  const frontier_lease *l = &v->lease;
  uint64_t left_ms = host_pace_left_ms(c->pace, l->url + l->host_begin, l->host_end - l->host_begin, c->now_ms);
  v->holds_host = false;
  crawl_holds(c, frontier_host_next(c->frontier, l->id, c->now_ms, wait_ms > left_ms ? wait_ms : left_ms));
  crawl_holds(c, frontier_release(c->frontier, v->lease.id, c->now_ms));
  crawl_let_go(c, v);
}

/* The turn was robots.txt's, so the page waits for another one, unless the host needs no delay. */
static void begin_allowed(crawl *c, visit *v, const origin_ruling *ruling)
{
  const frontier_lease *l = &v->lease;
  bool waits = (v->holds_host && (c->options.delay_ms > 0 || ruling->crawl_delay > 0)) || !v->has_place;
  uint64_t wait_ms = host_pace_wait_ms(c->pace, l->url + l->host_begin, l->host_end - l->host_begin, c->now_ms,
                                       delay_of(ruling->crawl_delay));
  let_host_go(c, v);
  if (waits || wait_ms)
    robots_passes_give(c->passes, l->id, ruling->crawl_delay, c->now_ms);
  if (waits) {
    crawl_holds(c, frontier_release(c->frontier, l->id, c->now_ms));
    crawl_let_go(c, v);
  } else if (wait_ms) {
    crawl_put_off(c, v, wait_ms);
  } else {
    fetch_page(c, v, ruling->crawl_delay);
  }
}

/* From the lease to the fetch: robots.txt has its say. Called again when robots.txt has come, inside fetch_poll, which
 * may be long after the loop last read the clock. */
static void visit_start(crawl *c, visit *v)
{
  c->now_ms = machine_monotonic_ms();
  if (c->options.ignore_robots) {
    fetch_page(c, v, -1);
    return;
  }
  if (crawl_drops_pages(c)) { /* many may be waiting, and long rules take milliseconds for each */
    crawl_put_off(c, v, 0);
    return;
  }
  origin_ruling passed = {.answer = ORIGIN_ALLOWED};
  if (robots_passes_take(c->passes, v->lease.id, c->now_ms, &passed.crawl_delay)) {
    heed_delay(c, v, passed.crawl_delay);
    begin_allowed(c, v, &passed);
    return;
  }
  /* the key has unreserved characters unescaped, as RFC 9309, 2.2.2 wants them compared */
  url_parse(v->lease.url, v->lease.url_size, URL_STRICT, c->target);
  uint64_t since_ms = retries_failed(c->retries, &v->lease) ? v->begun_ms : 0;
  c->asking = v;
  origin_ruling ruling = robots_cache_ask(c->origins, c->target->key, c->target->path_begin, v, c->now_ms, since_ms);
  c->asking = NULL;
  if (ruling.answer == ORIGIN_ALLOWED || ruling.answer == ORIGIN_DENIED)
    heed_delay(c, v, ruling.crawl_delay);
  if (ruling.answer != ORIGIN_WAIT && ruling.answer != ORIGIN_ALLOWED)
    let_host_go(c, v);
  switch (ruling.answer) {
  case ORIGIN_WAIT: hold_host(c, v); break;
  case ORIGIN_LATER: crawl_put_off(c, v, ruling.rest_ms); break;
  case ORIGIN_ALLOWED: begin_allowed(c, v, &ruling); break;
  case ORIGIN_DENIED:
    visit_end_skipped(c, v, SKIP_ROBOTS, "forbidden by robots.txt (--ignore-robots fetches it anyway)");
    break;
  case ORIGIN_UNAVAILABLE: visit_end_without_rules(c, v, &ruling); break;
  case ORIGIN_UNREACHABLE:
    visit_end_failed(c, v, &(fetch_response){.error = ruling.error, .explanation = ruling.explanation}, "unreachable");
    break;
  case ORIGIN_NO_MEMORY: crawl_break_off(c, "out of memory for one more host"); break;
  }
}

static void robots_came(void *context)
{
  visit *v = context;
  visit_start(v->owner, v);
}

/* ---- the loop ------------------------------------------------------------------------------------------- */

/* How many pages the cap of bytes has room for, as large as those before: the next one, if not all of its bytes. */
static uint64_t pages_of_bytes(const crawl *c)
{
  uint64_t left = c->options.max_bytes > c->bytes_ever ? c->options.max_bytes - c->bytes_ever : 0;
  return c->bytes_ever ? left / (c->bytes_ever / (c->pages_ever + 1) + 1) + 1 : UINT64_MAX;
}

static uint64_t less(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* How many more URLs may be leased: free connections, and no more than the caps could use. */
static size_t lease_room(const crawl *c)
{
  size_t active = c->visits.active, all = c->options.fetch.connections, fewer = fetch_fd_limit(c->fetcher)->limit;
  size_t connections = all > active && fewer > active ? (all < fewer ? all : fewer) - active : 0;
  uint64_t left = c->options.max_pages > c->pages_ever ? c->options.max_pages - c->pages_ever : 0;
  uint64_t pages = less(left, pages_of_bytes(c));
  uint64_t room = less(connections, pages > active ? pages - active : 0);
  assert(!room || active + room <= all);
  return (size_t)less(room, BATCH);
}

void crawl_leave_address(crawl *c, visit *v)
{
  if (c->addresses && v->has_place)
    per_address_leave(c->addresses, v->where);
  v->has_place = false;
}

void crawl_let_go(crawl *c, visit *v)
{
  assert(c->visits.active && v->owner == c);
  near_duplicates_forget(c, v);
  if (v->stage == VISIT_FETCHING)
    host_pace_end(c->pace, v->pace, false);
  crawl_leave_address(c, v);
  visit_pool_put_back(&c->visits, v);
}

/* false: the host was asked for another's robots.txt, or its server has enough to do; it is asked again later. */
static bool enter_host(crawl *c, visit *v)
{
  const frontier_lease *l = &v->lease;
  const char *host = l->url + l->host_begin;
  size_t size = l->host_end - l->host_begin;
  uint64_t wait_ms = host_pace_wait_ms(c->pace, host, size, c->now_ms, 0);
  v->has_place = !wait_ms && (!c->addresses || per_address_enter(c->addresses, host, size, &v->where, &wait_ms));
  if (v->has_place)
    return true;
  crawl_holds(c, frontier_host_next(c->frontier, l->id, c->now_ms, wait_ms));
  crawl_holds(c, frontier_release(c->frontier, l->id, c->now_ms));
  visit_pool_put_back(&c->visits, v);
  return false;
}

/* Its last visit is looked up on disk; where that fails, it is as if it had not been leased. */
static void begin_visit(crawl *c, visit *v, const frontier_lease *lease)
{
  assert(lease->host_begin < lease->host_end && lease->host_end <= lease->url_size);
  visit_begin(v, lease);
  v->begun_ms = c->now_ms;
  v->stage = VISIT_ASKING;
  if (!held_hosts_allow(c, v) || !enter_host(c, v))
    return;
  bool looks_back = c->options.recrawl_least_s > 0 || c->options.looks_back;
  frontier_status status = revisit_begin(v->revisit, c->frontier, lease->id, looks_back);
  if (status == FRONTIER_OK) {
    visit_start(c, v);
  } else if (crawl_note_pause(c, status, frontier_message(c->frontier))) {
    crawl_holds(c, frontier_release(c->frontier, lease->id, c->now_ms));
    crawl_let_go(c, v);
  }
}

/* Lease and start what is due; how long to wait for more. */
static int64_t start_visits(crawl *c)
{
  frontier_lease leases[BATCH];
  size_t count, room = lease_room(c);
  int64_t wait_ms;
  frontier_status status = frontier_next(c->frontier, c->now_ms, leases, room, &count, &wait_ms);
  if (status != FRONTIER_OK) {
    crawl_note_pause(c, status, frontier_message(c->frontier));
    return DISK_PAUSE_RETRY_MIN_MS;
  }
  if (!room)
    return -1; /* whatever is due, one of those on their way must end first */
  for (size_t i = 0; i < count; i++) {
    visit *v = visit_pool_take(&c->visits);
    if (!v) {
      crawl_break_off(c, "out of memory for one more visit");
      return 0;
    }
    begin_visit(c, v, &leases[i]);
  }
  return count ? 0 : wait_ms;
}

/* While hosts only rest no URL makes a commit due; a crawl that is killed then is to know of it when it goes on. */
static void keep_rests(crawl *c, int64_t wait_ms)
{
  enum { KEEP_MS = 1000 };
  if (!c->has_rest || wait_ms <= 0 || c->pause.is_on || c->now_ms - c->rests_kept_ms < KEEP_MS)
    return;
  c->has_rest = false;
  c->rests_kept_ms = c->now_ms;
  frontier_status status = frontier_sync(c->frontier);
  if (status != FRONTIER_OK)
    crawl_note_pause(c, status, frontier_message(c->frontier));
}

/* Nothing more may be leased here: why? */
static bool is_done(crawl *c, crawl_end *end)
{
  if (frontier_is_finished(c->frontier))
    *end = frontier_held(c->frontier)           ? CRAWL_TRAPS_LEFT
           : frontier_is_deferring(c->frontier) ? CRAWL_DEPTH_CAP
                                                : CRAWL_FINISHED;
  else if (c->pages_ever >= c->options.max_pages)
    *end = CRAWL_PAGE_CAP;
  else if (c->bytes_ever >= c->options.max_bytes)
    *end = CRAWL_BYTE_CAP;
  else
    return false;
  return true;
}

static bool is_over(crawl *c, crawl_end *end)
{
  if (crawl_is_cut_short(c, c->now_ms, end))
    return true;
  c->is_done = is_done(c, end);
  return c->is_done && (!c->options.company || c->options.company->state(c->options.company->context) == COMPANY_OVER);
}

/* URLs come from other processes, and go to them. */
static void meet_company(crawl *c)
{
  const crawl_company *others = c->options.company;
  frontier_inbox_rules rules = {.accept = harvest_refuses, .context = c->harvest};
  if (!others || c->is_broken)
    return;
  frontier_status status = others->turn(others->context, &rules, c->is_done, c->now_ms);
  if (status != FRONTIER_OK)
    crawl_note_pause(c, status, frontier_message(c->frontier));
  if (others->state(others->context) == COMPANY_STOPS)
    crawl_stop(c);
}

/* What is in flight when the crawl ends may land for a moment more. */
static void land(crawl *c)
{
  uint64_t deadline = machine_monotonic_ms() + LAST_GRACE_MS;
  while (!c->is_broken && c->visits.active && fetch_active(c->fetcher) && !crawl_drops_pages(c) &&
         c->now_ms < deadline) {
    fetch_poll(c->fetcher, POLL_MS);
    c->now_ms = machine_monotonic_ms();
  }
}

/* Fetches, for `wait_ms` at most, and says on what the time goes. > 0: URLs wait, whose hosts may be asked then. */
static void poll(crawl *c, int64_t wait_ms)
{
  enum { KEEP_MS = 1000 };
  uint64_t waited_ms = fetch_waited_ms(c->fetcher);
  time_use use = c->pause.is_on ? TIME_DISK : wait_ms > 0 ? TIME_POLITENESS : TIME_NETWORK;
  fetch_poll(c->fetcher, wait_ms < 0 || wait_ms > POLL_MS ? POLL_MS : (int)wait_ms);
  c->now_ms = machine_monotonic_ms();
  time_shares_pass(&c->shares, c->now_ms, use, fetch_waited_ms(c->fetcher) - waited_ms);
  if (c->now_ms - c->shares_kept_ms < KEEP_MS)
    return;
  c->shares_kept_ms = c->now_ms;
  crawl_holds(c, time_shares_keep(&c->shares, c->frontier));
}

crawl_end crawl_run(crawl *c, crawl_tick *told, void *context)
{
  crawl_end end;
  c->tick = told;
  c->tick_context = context;
  c->started_ms = c->now_ms = machine_monotonic_ms();
  time_shares_begin(&c->shares, c->now_ms);
  crawl_holds(c, lacks_begin(c->frontier));
  crawl_keep_scope(c);
  held_hosts_begin(c);
  while (!is_over(c, &end)) {
    int64_t wait_ms = crawl_is_paused(c) ? DISK_PAUSE_RETRY_MIN_MS : start_visits(c);
    keep_rests(c, wait_ms);
    meet_company(c);
    crawl_tell(c);
    poll(c, wait_ms);
    held_hosts_review(c);
    if (fetch_fd_limit(c->fetcher)->is_hopeless)
      crawl_break_off(c, "no file can be opened for even one connection (ulimit -n)");
  }
  land(c);
  held_hosts_keep(c);
  uint64_t not_public = held_hosts_not_public(c);
  if (end == CRAWL_TRAPS_LEFT && frontier_held(c->frontier) == not_public)
    end = frontier_is_deferring(c->frontier) ? CRAWL_DEPTH_CAP : CRAWL_FINISHED;
  crawl_holds(c, lacks_keep_rest(c->frontier, not_public));
  time_shares_pass(&c->shares, machine_monotonic_ms(), TIME_NETWORK, 0);
  crawl_holds(c, time_shares_keep(&c->shares, c->frontier));
  end = crawl_keep_all(c, end);
  c->end_ms = machine_monotonic_ms();
  return end;
}

void crawl_stop(crawl *c)
{
  c->is_stopping = true;
}

bool crawl_is_to_end(const crawl *c)
{
  crawl_end end;
  return crawl_is_cut_short(c, machine_monotonic_ms(), &end);
}

bool crawl_is_reading(const crawl *c)
{
  return fetch_is_reading(c->fetcher);
}

/* ---- before and after ----------------------------------------------------------------------------------- */

/* That there is more than is read is counted when it is read for the first time: then sitemaps in it are new. */
static void sitemap_named(void *context, const char *base, const char *href, size_t before)
{
  crawl *c = context;
  if (crawl_drops_pages(c)) /* the next run asks for robots.txt again */
    return;
  if (!before)
    c->has_new_map = !href;
  if (href)
    crawl_holds(c, harvest_sitemap(c->harvest, base, href, c->now_ms, &c->has_new_map));
  else if (c->has_new_map)
    crawl_holds(c, lacks_change(c->frontier, 0, LACK_BIT(LACK_SITEMAP)));
}

crawl *crawl_create(frontier *f, scope *s, const crawl_options *options)
{
  crawl *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  frontier_stats stats;
  uint8_t secret[MLBF_SECRET_BYTES];
  c->frontier = f;
  c->scope = s;
  c->options = *options;
  c->visits = (visit_pool){.owner = c,
                           .directory = options->directory,
                           .wants_images = options->wants_images,
                           .wants_text = options->contents,
                           .wants_assets = options->edges};
  c->options.fetch.per_address = options->per_address;
  c->options.fetch.delay_ms = options->delay_ms;
  c->fetcher = fetcher_create(&c->options.fetch);
  c->target = malloc(sizeof *c->target);
  bool is_read = frontier_stats_read(f, &stats) == FRONTIER_OK;
  c->profile = stats.profile;
  frontier_secret(f, secret);
  c->retries = retries_create(options->tries, options->delay_ms);
  bool limits_addresses = options->per_address && !options->fetch.proxy; /* all would be the proxy's */
  c->addresses = limits_addresses ? per_address_create(options->per_address, secret) : NULL;
  bool has_budgets = options->domain_budget && scope_kind_of(s) == SCOPE_ANY; /* else its user named each domain */
  c->budgets = has_budgets ? domain_budget_create(options->domain_budget, secret) : NULL;
  c->passes = robots_passes_create();
  c->pace = host_pace_create(options->per_host, options->delay_ms, secret);
  robots_cache_options caching = {.agent = "strata",
                                  .patience = {options->tries, retries_peace_ms(options->delay_ms)},
                                  .turns = crawl_robots_turns(c),
                                  .memory_bytes = options->robots_bytes,
                                  .directory = options->keeps_log ? options->directory : NULL,
                                  .secret = secret};
  c->origins = c->fetcher ? robots_cache_create(c->fetcher, &caching, robots_came) : NULL;
  harvest_rules rules = {.profile = stats.profile,
                         .patterns = options->patterns,
                         .counts = options->counts,
                         .budgets = c->budgets,
                         .edges = options->edges,
                         .follows_nofollow = options->follows_nofollow,
                         .is_scope_fixed = options->company != NULL,
                         .must_end = must_end,
                         .may_add_again = may_add_again,
                         .context = c};
  c->suspects = options->contents ? suspects_create(secret) : NULL;
  c->loops = options->edges ? redirect_loops_create() : NULL;
  c->harvest = is_read ? harvest_create(f, s, &rules) : NULL;
  if (!c->origins || !c->target || !c->harvest || !c->retries || !c->pace || !c->passes ||
      (limits_addresses && !c->addresses) || (has_budgets && !c->budgets) || (options->contents && !c->suspects) ||
      (options->edges && !c->loops)) {
    crawl_free(c);
    return NULL;
  }
  c->pages_ever = frontier_counter(f, "pages");
  c->bytes_ever = frontier_counter(f, "page-bytes");
  c->started_ms = c->now_ms = machine_monotonic_ms();
  frontier_clock(f, c->now_ms, machine_wall_ms());
  frontier_classify(f, crawl_put_in_order, c);
  if (options->sitemaps != SITEMAPS_NONE)
    robots_cache_on_sitemap(c->origins, sitemap_named, c);
  return c;
}

void crawl_free(crawl *c)
{
  if (!c)
    return;
  fetcher_free(c->fetcher);
  robots_cache_free(c->origins);
  visit_pool_free(&c->visits);
  harvest_free(c->harvest);
  retries_free(c->retries);
  per_address_free(c->addresses);
  host_pace_free(c->pace);
  domain_budget_free(c->budgets);
  suspects_free(c->suspects);
  robots_passes_free(c->passes);
  redirect_loops_free(c->loops);
  free(c->target);
  json_free(&c->line);
  free(c);
}

frontier_status crawl_add_start(crawl *c, const url *start)
{
  return harvest_start(c->harvest, start, c->options.sitemaps == SITEMAPS_GUESS, c->now_ms);
}

frontier_status crawl_sync(crawl *c)
{
  frontier_status status = harvest_starts_end(c->harvest);
  if (status != FRONTIER_OK)
    return status;
  crawl_keep_scope(c);
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

const char *crawl_map_failure(const crawl *c)
{
  return c->map_failure;
}

const char *crawl_outage(const crawl *c)
{
  return c->pause.is_on ? c->pause.why : "";
}

bool crawl_lacks_descriptors(const crawl *c)
{
  return fetch_fd_limit(c->fetcher)->was_met;
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
  uint64_t until = c->end_ms ? c->end_ms : machine_monotonic_ms();
  totals.seconds = (double)(until - c->started_ms) / 1000;
  totals.robots = robots_cache_requests(c->origins);
  totals.active = c->visits.active;
  return totals;
}
