/* See witness.h. Two tables with open addressing: of URLs by their hash, of hosts by name. */
#include "tests/contract/web/witness.h"
#include "tests/contract/web/witness_inside.h"

#include "tests/contract/web/sim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

enum {
  RETRY_AFTER_MAX_S = 3600,
  ROUNDED_MS = 1, /* of a request for robots.txt nobody says at which time the crawl takes it to be */
};

typedef struct witness {
  witness_rules rules;
  size_t host_slots, url_slots, hosts, urls;
  uint64_t waiting;
  unsigned active; /* fetches of pages under way */
  bool had_again;  /* a life that asked again: of some URLs there are two on disk */
  witnessed_host *host;
  witnessed_url *url;
  uint32_t *all_hosts, *all_urls; /* slots of those there are */
  uint64_t began_s;               /* this life, by the wall clock */
  uint32_t *news, *host_news;     /* slots of what changed since the last commit */
  size_t news_count, host_news_count;
} witness;

static witness *w;

static void *share(size_t size)
{
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    perror("memory to share");
    exit(1);
  }
  return memory;
}

void witness_create(size_t hosts, size_t urls)
{
  w = share(sizeof *w);
  w->host_slots = hosts;
  w->url_slots = urls;
  w->host = share(hosts * sizeof *w->host);
  w->url = share(urls * sizeof *w->url);
  w->all_hosts = share(hosts * sizeof *w->all_hosts);
  w->all_urls = share(urls * sizeof *w->all_urls);
  w->news = share(urls * sizeof *w->news);
  w->host_news = share(hosts * sizeof *w->host_news);
}

void witness_begin(void)
{
  madvise(w->host, w->host_slots * sizeof *w->host, MADV_REMOVE); /* zeros again, and no memory taken */
  madvise(w->url, w->url_slots * sizeof *w->url, MADV_REMOVE);
  w->had_again = false;
  w->hosts = w->urls = w->news_count = w->host_news_count = 0;
}

/* ---- the tables ------------------------------------------------------------------------------------------------ */

witnessed_host *witness_host(const char *name, size_t size)
{
  size_t kept = size < sizeof w->host->name ? size : sizeof w->host->name - 1;
  size_t at = XXH3_64bits(name, size) & (w->host_slots - 1);
  while (*w->host[at].name && (strncmp(w->host[at].name, name, kept) != 0 || w->host[at].name[kept]))
    at = (at + 1) & (w->host_slots - 1);
  witnessed_host *h = &w->host[at];
  if (!*h->name) {
    memcpy(h->name, name, kept);
    w->all_hosts[w->hosts] = (uint32_t)at;
    if (2 * ++w->hosts > w->host_slots)
      sim_fail("too many hosts to be watched");
  }
  return h;
}

witnessed_host *witness_host_at(size_t index)
{
  return index < w->hosts ? &w->host[w->all_hosts[index]] : NULL;
}

size_t witness_hosts(void)
{
  return w->hosts;
}

uint64_t witness_identity(const char *address, size_t size)
{
  web_place place = web_find(sim_web, address, size);
  const uint32_t page[2] = {place.host, place.page};
  return (place.what == WEB_PAGE ? XXH3_64bits(page, sizeof page) : XXH3_64bits(address, size)) | 1;
}

static witnessed_url *slot_of(uint64_t identity)
{
  size_t at = (identity >> 8) & (w->url_slots - 1);
  while (w->url[at].identity && w->url[at].identity != identity)
    at = (at + 1) & (w->url_slots - 1);
  return &w->url[at];
}

const witnessed_url *witness_find(const char *address, size_t size)
{
  const witnessed_url *u = slot_of(witness_identity(address, size));
  return u->identity ? u : NULL;
}

/* host[:port] of an absolute URL. */
static witnessed_host *host_in(const char *address, size_t size)
{
  const char *end = address + size, *name = memchr(address, ':', size);
  name = name && end - name > 3 ? name + 3 : end;
  const char *at = name;
  while (at < end && *at != '/' && *at != '?')
    at++;
  return witness_host(name, (size_t)(at - name));
}

static witnessed_url *find_or_make(const char *address, size_t size)
{
  uint64_t identity = witness_identity(address, size);
  witnessed_url *u = slot_of(identity);
  if (u->identity)
    return u;
  u->identity = identity;
  u->host = (uint32_t)(host_in(address, size) - w->host);
  w->all_urls[w->urls] = (uint32_t)(u - w->url);
  if (2 * ++w->urls > w->url_slots)
    sim_fail("too many URLs to be watched");
  return u;
}

static void note_news(witnessed_url *u)
{
  if (!u->has_news)
    w->news[w->news_count++] = (uint32_t)(u - w->url);
  u->has_news = true;
}

static bool may_be_leased(const witnessed_url *u)
{
  return u->state == WITNESS_ACCEPTED && u->depth <= w->rules.max_depth;
}

static void set_state(witnessed_url *u, witness_state state)
{
  bool was = may_be_leased(u);
  u->state = (uint8_t)state;
  witnessed_host *h = &w->host[u->host];
  int more = may_be_leased(u) - was;
  h->waiting = (uint32_t)((int)h->waiting + more);
  h->ranked[WITNESS_RANK_0 + u->priority] += (uint32_t)more;
  w->waiting = (uint64_t)((int64_t)w->waiting + more);
}

size_t witness_urls(void)
{
  return w->urls;
}

uint64_t witness_waiting(void)
{
  return w->waiting;
}

const witness_rules *witness_rules_now(void)
{
  return &w->rules;
}

/* ---- lives ------------------------------------------------------------------------------------------------------ */

/* When the wall clock will be there, by the other one. */
static uint64_t when_wall_is(uint64_t wall_ms)
{
  int64_t at_ms = (int64_t)wall_ms - the_sim->wall_ms;
  return at_ms > 0 ? (uint64_t)at_ms : 0;
}

static uint64_t wall_s(void)
{
  int64_t wall_ms = (int64_t)sim_ms() + the_sim->wall_ms;
  return wall_ms > 0 ? (uint64_t)wall_ms / 1000 : 0;
}

/* What was not committed is as if it had never been, but for what went over the network. */
void witness_life_begins(const witness_rules *rules)
{
  w->rules = *rules;
  w->had_again |= rules->fetches_again;
  w->waiting = w->active = 0;
  w->news_count = w->host_news_count = 0;
  w->began_s = wall_s();
  for (size_t i = 0; i < w->hosts; i++) {
    witnessed_host *h = &w->host[w->all_hosts[i]];
    h->active = h->waiting = 0;
    memset(h->ranked, 0, sizeof h->ranked);
    h->passed = h->next_ms = 0;
    h->knows_robots = h->is_due = h->has_news = false;
    h->started_ms = h->delay_ms = 0;
    h->rests_until_wall_ms = h->kept_until_wall_ms;
    h->rests_until_ms = h->kept_until_wall_ms ? when_wall_is(h->kept_until_wall_ms) : 0;
  }
  for (size_t i = 0; i < w->urls; i++) {
    witnessed_url *u = &w->url[w->all_urls[i]];
    if (u->has_news) /* it may be on disk, and nobody heard of it */
      u->kept_visit = (witnessed_visit){.count = 1};
    u->visit = u->kept_visit;
    u->has_news = u->is_again = false;
    u->state = WITNESS_UNKNOWN;
    set_state(u, u->committed);
  }
}

void witness_committed(void)
{
  if (w->news_count + w->host_news_count)
    sim_trace("commit %zu %zu", w->news_count, w->host_news_count);
  for (size_t i = 0; i < w->news_count; i++) {
    witnessed_url *u = &w->url[w->news[i]];
    u->committed = u->state == WITNESS_ENDED ? WITNESS_ENDED : WITNESS_ACCEPTED;
    u->kept_visit = u->visit;
    u->has_news = u->is_again = false;
  }
  for (size_t i = 0; i < w->host_news_count; i++) {
    witnessed_host *h = &w->host[w->host_news[i]];
    h->kept_until_wall_ms = h->rests_until_wall_ms;
    h->has_news = false;
  }
  w->news_count = w->host_news_count = 0;
}

void witness_meet(const frontier_record *record)
{
  witnessed_url *u = find_or_make(record->url, record->url_size);
  if (u->committed == WITNESS_ENDED && record->is_queued && !w->had_again)
    sim_fail("lost: %.*s was done and committed, and waits again", (int)record->url_size, record->url);
  if (u->was_met && !w->had_again)
    sim_fail("page twice: %.*s is on disk twice", (int)record->url_size, record->url);
  u->was_met = true;
  u->depth = record->origin.depth;
  u->priority = (int8_t)record->rank;
  u->committed = record->is_queued ? WITNESS_ACCEPTED : WITNESS_ENDED;
}

bool witness_misses(const char **what)
{
  bool misses = false;
  for (size_t i = 0; i < w->urls; i++) {
    witnessed_url *u = &w->url[w->all_urls[i]];
    if (u->committed != WITNESS_UNKNOWN && !u->was_met && !misses) {
      misses = true;
      *what = w->host[u->host].name;
    }
    u->was_met = false;
  }
  return misses;
}

/* What is new rests for the least time; later visits are followed by no longer rest than the most. */
bool witness_was_in_time(const char **late)
{
  const witness_rules *r = &w->rules;
  for (size_t i = 0; r->recrawl_least_s && i < w->urls; i++) {
    const witnessed_url *u = &w->url[w->all_urls[i]];
    const witnessed_visit *v = &u->kept_visit;
    bool is_due = v->at_s && v->at_s + (v->count == 1 ? r->recrawl_least_s : r->recrawl_most_s) <= w->began_s;
    *late = w->host[u->host].name;
    if (is_due && u->committed == WITNESS_ENDED && u->outcome == FRONTIER_DONE && v->life != the_sim->life)
      return false;
  }
  return true;
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

/* Of any request: a page, a sitemap, robots.txt, what another's robots.txt leads to. It is made at `now_ms`, as the
 * crawl read the clock. */
static void check_manners(const witnessed_host *h, const char *address, uint64_t now_ms)
{
  const witness_rules *r = &w->rules;
  uint64_t delay_ms = h->delay_ms > r->delay_ms ? h->delay_ms : r->delay_ms;
  if (h->started_ms && now_ms < h->started_ms + delay_ms)
    sim_fail("host too early: %s is asked %llu ms after the last request, its delay is %llu ms", address,
             (unsigned long long)(now_ms - h->started_ms), (unsigned long long)delay_ms);
  if (now_ms < h->rests_until_ms)
    sim_fail("host too early: %s is asked %llu ms before Retry-After is over", address,
             (unsigned long long)(h->rests_until_ms - now_ms));
  if (h->active >= r->per_host)
    sim_fail("host too often: %s is asked while %u requests to it are under way", address, h->active);
}

static void check_robots(const witnessed_host *h, const char *address, const web_place *place)
{
  if (w->rules.ignores_robots)
    return;
  if (!h->knows_robots)
    sim_fail("robots: %s is asked for before robots.txt", address);
  if (web_host_has(sim_web, place->asked, WEB_CLOSED) || web_host_has(sim_web, place->asked, WEB_BROKENROBOTS))
    sim_fail("robots: %s is asked for, and its host forbids all", address);
  if (place->what == WEB_PAGE && web_look(sim_web, &w->rules.truth, place->asked, place->page).fate == WEB_BARRED)
    sim_fail("robots: %s is asked for and forbidden", address);
  size_t size = strlen(address);
  if (place->what == WEB_ENDLESS && web_host_has(sim_web, place->asked, WEB_FARM) &&
      web_host_has(sim_web, place->asked, WEB_LONGROBOTS) && size > 7 && strcmp(address + size - 7, "/best/3") == 0 &&
      strstr(address, "://x"))
    sim_fail("robots: %s is asked for and forbidden", address);
}

static void check_again(const witnessed_url *u, const char *address)
{
  if (u->state != WITNESS_LEASED)
    sim_fail("asked for without a lease: %s", address);
  if (u->depth > w->rules.max_depth)
    sim_fail("too deep: %s at %u", address, u->depth);
  if (u->committed == WITNESS_ENDED && !u->is_again && !w->rules.fetches_again)
    sim_fail("page twice: %s was done and committed", address);
}

void witness_asked(const char *address, const web_place *place)
{
  size_t size = strlen(address);
  witnessed_host *h = host_in(address, size);
  if (++the_sim->requests > the_sim->requests_max)
    sim_fail("the crawl does not end: %llu requests", (unsigned long long)the_sim->requests_max);
  sim_trace("ask %s", address);
  uint64_t now_ms = the_sim->read_ms; /* the loop may have read it before the others did */
  if (place->what == WEB_ROBOTS)
    now_ms -= ROUNDED_MS;
  else if (h->told_ms < now_ms)
    now_ms = h->told_ms;
  check_manners(h, address, place->what == WEB_ROBOTS ? the_sim->read_ms : now_ms);
  h->started_ms = now_ms;
  h->active++;
  if (place->what == WEB_ROBOTS)
    return;
  if (w->active >= w->rules.connections)
    sim_fail("too many at once: %s is asked while %u others are", address, w->active);
  witnessed_url *u = find_or_make(address, size);
  check_again(u, address);
  if (place->what != WEB_NOTHING)
    check_robots(h, address, place);
  else if (!w->rules.has_endless)
    sim_fail("nobody links to %s", address);
  u->asked++;
  h->asked++;
  w->active++;
}

static void take_robots(witnessed_host *h, const web_place *place, const fetch_response *response)
{
  char name[WEB_NAME_MAX];
  if (place->host != place->asked && place->host != WEB_NO_HOST) { /* it strayed from there */
    web_host_name(sim_web, place->host, name);
    h = witness_host(name, strlen(name));
  }
  h->knows_robots = true;
  if (response->error == FETCH_OK && response->status >= 200 && response->status <= 299 && !w->rules.ignores_robots)
    h->delay_ms = (uint64_t)web_host_delay_s(sim_web, place->host) * 1000;
}

static void rest(witnessed_host *h, uint64_t retry_after_s)
{
  uint64_t s = retry_after_s < RETRY_AFTER_MAX_S ? retry_after_s : RETRY_AFTER_MAX_S;
  uint64_t until_ms = sim_ms() + s * 1000;
  uint64_t until_wall_ms = (uint64_t)((int64_t)until_ms + the_sim->wall_ms);
  if (until_ms > h->rests_until_ms)
    h->rests_until_ms = until_ms;
  if (until_wall_ms > h->rests_until_wall_ms)
    h->rests_until_wall_ms = until_wall_ms;
  if (!h->has_news)
    w->host_news[w->host_news_count++] = (uint32_t)(h - w->host);
  h->has_news = true;
}

void witness_answered(const char *address, const web_place *place, const fetch_response *response)
{
  witnessed_host *h = host_in(address, strlen(address));
  the_sim->answers++;
  sim_trace("got %s %d %ld %llu", address, (int)response->error, response->status,
            (unsigned long long)response->body_bytes);
  h->active--;
  if (place->what == WEB_ROBOTS)
    take_robots(h, place, response);
  else
    w->active--;
  if (response->error == FETCH_OK && (response->status == 429 || response->status == 503) && response->retry_after_s)
    rest(h, response->retry_after_s);
}

/* ---- leases ----------------------------------------------------------------------------------------------------- */

/* Of a page, whose spellings all have one key. */
static void check_verdict(const witnessed_url *u, bool is_new, const char *address, size_t size)
{
  if (is_new)
    sim_fail("page twice: %.*s is called new, and was accepted before", (int)size, address);
  if (!u->is_doubted)
    sim_fail("lost: %.*s is called seen, and was never accepted", (int)size, address);
}

void witness_added(const char *address, size_t size, frontier_origin origin, int32_t priority, frontier_outcome outcome)
{
  witnessed_url *u = find_or_make(address, size);
  bool is_new = outcome != FRONTIER_SEEN && outcome != FRONTIER_UNCONFIRMED;
  u->is_doubted |= outcome == FRONTIER_UNCONFIRMED;
  if (is_new == (u->state != WITNESS_UNKNOWN) && web_find(sim_web, address, size).what == WEB_PAGE)
    check_verdict(u, is_new, address, size);
  if (!is_new || u->state != WITNESS_UNKNOWN)
    return;
  u->depth = origin.depth;
  u->priority = (int8_t)priority;
  set_state(u, WITNESS_ACCEPTED);
  note_news(u);
}

/* One that was unconfirmed, and came late, is heard of here first. */
void witness_leased_one(const frontier_lease *lease, uint64_t now_ms)
{
  witnessed_url *u = find_or_make(lease->url, lease->url_size);
  witnessed_host *h = &w->host[u->host];
  if (now_ms < h->next_ms)
    sim_fail("host too early: %s is leased %llu ms before its time", lease->url,
             (unsigned long long)(h->next_ms - now_ms));
  h->told_ms = now_ms;
  h->next_ms = now_ms + w->rules.delay_ms;
  if (u->state == WITNESS_UNKNOWN) {
    note_news(u);
    sim_trace("late %.*s", (int)lease->url_size, lease->url);
  }
  u->depth = lease->origin.depth;
  set_state(u, WITNESS_LEASED);
}

/* Where priorities are given, none is passed over. */
void witness_ranked(const frontier_lease *lease)
{
  const witnessed_host *h = &w->host[find_or_make(lease->url, lease->url_size)->host];
  for (int32_t larger = lease->priority + 1; larger < WITNESS_RANKS - WITNESS_RANK_0 && !w->had_again; larger++)
    if (h->ranked[WITNESS_RANK_0 + larger])
      sim_fail("order: %s has priority %d and is leased, while its host has %u URLs with %d", lease->url,
               lease->priority, h->ranked[WITNESS_RANK_0 + larger], larger);
}

void witness_host_next(const char *host, uint64_t now_ms, uint64_t wait_ms)
{
  witnessed_host *h = witness_host(host, strlen(host));
  h->told_ms = now_ms;
  h->next_ms = now_ms + (wait_ms == FRONTIER_ITS_DELAY ? w->rules.delay_ms : wait_ms);
}

void witness_released(const char *address, size_t size)
{
  set_state(find_or_make(address, size), WITNESS_ACCEPTED);
  witness_turn_back();
}

void witness_ended(const char *address, size_t size, frontier_state state)
{
  witnessed_url *u = find_or_make(address, size);
  set_state(u, WITNESS_ENDED);
  u->outcome = (uint8_t)state;
  u->visit = (witnessed_visit){(uint32_t)wall_s(), (uint16_t)the_sim->life, (uint16_t)(u->visit.count + 1)};
  note_news(u);
}

/* A start URL that failed and is named again, and what --retry-failed asks for. */
void witness_again(const char *address, size_t size, frontier_state state)
{
  witnessed_url *u = find_or_make(address, size);
  if (state == FRONTIER_DONE && !w->rules.fetches_again)
    sim_fail("page twice: %.*s was done, and waits again", (int)size, address);
  sim_trace("again %.*s", (int)size, address);
  set_state(u, WITNESS_ACCEPTED);
  u->is_again = true;
  note_news(u);
}
