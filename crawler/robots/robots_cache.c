/* The robots.txt cache: one entry an origin, in a tree by name. robots_cache.h says what each answer means.
 *
 *     UNKNOWN --asked--> ON_ITS_WAY --2xx, 4xx, bad redirect---> KNOWN         stale after 24 hours
 *                          ^     '----5xx----------------------> UNAVAILABLE   stale after a rest (note_failure)
 *                          |     '----no answer----------------> UNREACHABLE   stale after a minute, or when a
 *                          '---asked when stale--------------------'           visit is retried
 *
 * Always (assert_origin): only an origin whose robots.txt is on its way has visits waiting, and all of them are called
 * when it settles, each once. A KNOWN origin has rules. A body is kept while it comes, ROBOTS_SIZE_MAX of it at most.
 *
 * Called on the thread that crawls, as are the receivers of its fetches: there is no lock. Entries stay until the cache
 * is freed. After a crash: nothing is on disk; a crawl that goes on asks each origin again. */
#include "crawler/robots/robots_cache.h"

#include "frontier/base/machine.h"
#include "frontier/url.h"

#include <assert.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  FRESH_MS = 24 * 3600 * 1000, /* RFC 9309, 2.4: at most 24 hours */
  RETRY_MS = 60 * 1000,        /* a host that gave no answer may be asked again after a minute */
  REST_FACTOR = 16,            /* each rest of a host whose robots.txt fails is so much longer than the one before */
  REST_MAX_MS = 3600 * 1000,
  SITEMAPS_MAX = 1000, /* of one robots.txt; it takes an index to name more */
  HOPS_MAX = 5,        /* RFC 9309, 2.3.1.2: at least five */
};

typedef struct waiter {
  struct waiter *next;
  void *visit;
} waiter;

typedef enum origin_state { UNKNOWN, ON_ITS_WAY, KNOWN, UNAVAILABLE, UNREACHABLE } origin_state;

typedef struct origin {
  char *name; /* the tree's key */
  robots_cache *owner;
  origin_state state;
  robots *rules;
  uint64_t known_ms;
  bool has_allowed;                 /* one that asked */
  bool is_given_up;                 /* UNAVAILABLE, and none waits for it any more */
  unsigned failed;                  /* server errors since the last rules */
  uint64_t rest_until_ms, stale_ms; /* of UNAVAILABLE */
  fetch_error error;
  char explanation[128];
  waiter *waiting, **last_waiting;
  unsigned hops;
  char *address; /* where robots.txt is being fetched from */
  char *body;    /* of robots.txt while it comes */
  size_t body_size;
  bool lacks_memory; /* what came is not all here */
} origin;

struct robots_cache {
  fetcher *fetcher;
  const char *agent;
  robots_patience patience;
  robots_cache_ready *ready;
  robots_cache_sitemap *found_sitemap; /* NULL: not wanted */
  void *sitemap_context;
  void *tree; /* of origin * */
  uint64_t requests;
  uint64_t now_ms;
  url target; /* room to resolve a redirect */
};

/* Visits wait only for a robots.txt that is on its way: nothing else would ever wake them. */
static void assert_origin(const origin *one)
{
  assert((one->waiting == NULL) == (one->last_waiting == &one->waiting) && !*one->last_waiting);
  assert(!one->waiting || one->state == ON_ITS_WAY);
  assert(one->state != KNOWN || one->rules);
  assert(one->state != ON_ITS_WAY || one->address);
  assert(one->body_size <= ROBOTS_SIZE_MAX && (one->body || !one->body_size));
  (void)one;
}

static int compare(const void *a, const void *b)
{
  return strcmp(((const origin *)a)->name, ((const origin *)b)->name);
}

static void origin_free(void *node)
{
  origin *one = node;
  for (waiter *w = one->waiting; w;) {
    waiter *next = w->next;
    free(w);
    w = next;
  }
  robots_free(one->rules);
  free(one->address);
  free(one->body);
  free(one->name);
  free(one);
}

robots_cache *robots_cache_create(fetcher *f, const char *agent_token, robots_patience patience,
                                  robots_cache_ready *ready)
{
  robots_cache *o = calloc(1, sizeof *o);
  if (o) {
    o->fetcher = f;
    o->agent = agent_token;
    o->patience = patience;
    o->ready = ready;
  }
  return o;
}

void robots_cache_on_sitemap(robots_cache *o, robots_cache_sitemap *found, void *context)
{
  o->found_sitemap = found;
  o->sitemap_context = context;
}

void robots_cache_free(robots_cache *o)
{
  if (!o)
    return;
  tdestroy(o->tree, origin_free);
  free(o);
}

uint64_t robots_cache_requests(const robots_cache *o)
{
  return o->requests;
}

static origin *find(robots_cache *o, const char *name, size_t size)
{
  origin *one = calloc(1, sizeof *one);
  if (!one || !(one->name = strndup(name, size))) {
    free(one);
    return NULL;
  }
  origin **node = tsearch(one, &o->tree, compare);
  if (!node || *node != one) { /* no memory, or it was there */
    origin_free(one);
    return node ? *node : NULL;
  }
  one->owner = o;
  one->last_waiting = &one->waiting;
  return one;
}

/* ---- fetching robots.txt --------------------------------------------------------------------------------- */

static void take_body(void *context, long status, const char *content_type, const char *bytes, size_t size)
{
  origin *one = context;
  (void)content_type;
  assert_origin(one);
  if (status < 200 || status > 299)
    return;
  if (size > ROBOTS_SIZE_MAX - one->body_size)
    size = ROBOTS_SIZE_MAX - one->body_size;
  if (!one->body && !(one->body = malloc(ROBOTS_SIZE_MAX)))
    one->lacks_memory = true;
  if (one->lacks_memory)
    return;
  memcpy(one->body + one->body_size, bytes, size);
  one->body_size += size;
}

/* Known now: every visit that waited asks again. */
static void settle(origin *one, origin_state state)
{
  waiter *line = one->waiting;
  assert(one->state == ON_ITS_WAY && state != ON_ITS_WAY && state != UNKNOWN);
  assert(state != KNOWN || one->rules);
  one->state = state;
  one->known_ms = one->owner->now_ms;
  one->has_allowed = false;
  one->waiting = NULL;
  one->last_waiting = &one->waiting;
  while (line) {
    waiter *w = line;
    line = w->next;
    one->owner->ready(w->visit);
    free(w);
  }
}

static void tell_sitemaps(const origin *one)
{
  const robots_cache *o = one->owner;
  const char *href;
  for (size_t i = 0; o->found_sitemap && i < SITEMAPS_MAX && (href = robots_sitemap(one->rules, i)); i++)
    o->found_sitemap(o->sitemap_context, one->address, href);
}

/* 1 s, 16 s, 256 s, an hour: an outage of minutes costs no page, and a lasting one a handful of requests. */
static uint64_t next_rest_ms(const origin *one)
{
  uint64_t rest = one->owner->patience.first_rest_ms;
  for (unsigned i = 1; i < one->failed && rest < REST_MAX_MS; i++)
    rest *= REST_FACTOR;
  return rest < REST_MAX_MS ? rest : REST_MAX_MS;
}

/* The host rests longer each time, and no less than its answer asks: Retry-After alone, of a server that is slow and
 * fails every so often, can lead into its bad time again and again. Given up, it rests only as asked; and what gave no
 * rules for so long is believed for a time after that, so that its URLs can be skipped. */
static void settle_without_rules(origin *one, uint64_t retry_after_s)
{
  uint64_t now_ms = one->owner->now_ms, own_ms, asked_ms;
  one->failed++;
  own_ms = next_rest_ms(one);
  asked_ms = 1000 * (retry_after_s < REST_MAX_MS / 1000 ? retry_after_s : REST_MAX_MS / 1000);
  one->is_given_up = one->failed >= one->owner->patience.tries || (!asked_ms && own_ms == REST_MAX_MS);
  one->rest_until_ms = now_ms + (one->is_given_up || asked_ms > own_ms ? asked_ms : own_ms);
  one->stale_ms = one->rest_until_ms;
  if (one->is_given_up)
    one->stale_ms += own_ms > RETRY_MS ? own_ms : RETRY_MS;
  settle(one, UNAVAILABLE);
}

static void settle_with_rules(origin *one, const char *text, size_t size)
{
  robots_free(one->rules);
  one->rules = robots_parse(text, size, one->owner->agent);
  if (!one->rules) {
    settle_without_rules(one, 0);
    return;
  }
  one->failed = 0;
  tell_sitemaps(one);
  settle(one, KNOWN);
}

static bool request(origin *one, const char *address);

/* A redirect of robots.txt; false if it leads nowhere, which counts as "no robots.txt" (RFC 9309, 2.3.1.2), or if
 * memory is short. */
static bool follow(origin *one, const char *location)
{
  robots_cache *o = one->owner;
  url_base *base = url_base_create();
  one->lacks_memory |= !base;
  bool followed = base && url_base_set(base, one->address, strlen(one->address)) == URL_OK && one->hops++ < HOPS_MAX &&
                  url_resolve(base, location, strlen(location), URL_STRICT, &o->target) == URL_OK &&
                  request(one, o->target.fetch);
  url_base_free(base);
  return followed;
}

static void finished(void *context, const fetch_response *response)
{
  origin *one = context;
  long status = response->status;
  assert_origin(one);
  assert(one->state == ON_ITS_WAY);
  one->owner->now_ms = machine_monotonic_ms(); /* it was asked for long ago, and is known from now on */
  if (response->error != FETCH_OK) {
    one->error = response->error;
    snprintf(one->explanation, sizeof one->explanation, "%s", response->explanation);
    settle(one, UNREACHABLE);
  } else if (status >= 200 && status <= 299 && !one->lacks_memory) {
    settle_with_rules(one, one->body ? one->body : "", one->body_size);
  } else if (status >= 300 && status <= 399 && *response->location && follow(one, response->location)) {
    return;
  } else if (status >= 500 || one->lacks_memory) { /* rules that were not read forbid everything */
    settle_without_rules(one, response->retry_after_s);
  } else {
    settle_with_rules(one, "", 0);
  }
  free(one->body);
  one->body = NULL;
  one->body_size = 0;
}

static bool request(origin *one, const char *address)
{
  fetch_receiver receiver = {.body = take_body, .finished = finished, .context = one};
  free(one->address);
  one->address = strdup(address);
  one->owner->requests++;
  one->lacks_memory = !one->address || !fetch_start(one->owner->fetcher, one->address, receiver);
  return !one->lacks_memory;
}

static bool request_robots(origin *one)
{
  char address[URL_LENGTH_MAX + sizeof "/robots.txt"];
  size_t size = strlen(one->name);
  if (size > URL_LENGTH_MAX)
    return false;
  memcpy(address, one->name, size);
  memcpy(address + size, "/robots.txt", sizeof "/robots.txt");
  one->hops = 0;
  one->state = ON_ITS_WAY;
  return request(one, address);
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

static origin_ruling wait_in_line(origin *one, void *visit)
{
  assert_origin(one);
  waiter *w = malloc(sizeof *w);
  if (!w)
    return (origin_ruling){.answer = ORIGIN_NO_MEMORY};
  *w = (waiter){.visit = visit};
  *one->last_waiting = w;
  one->last_waiting = &w->next;
  assert_origin(one);
  return (origin_ruling){.answer = ORIGIN_WAIT};
}

static origin_ruling rule(origin *one, const char *path, uint64_t now_ms)
{
  origin_ruling ruling = {.crawl_delay = -1};
  assert_origin(one);
  assert(one->state != UNKNOWN && one->state != ON_ITS_WAY && !one->waiting);
  switch (one->state) {
  case KNOWN:
    ruling.answer = robots_allows(one->rules, path, strlen(path), NULL) ? ORIGIN_ALLOWED : ORIGIN_DENIED;
    ruling.crawl_delay = robots_crawl_delay(one->rules);
    ruling.is_first = ruling.answer == ORIGIN_ALLOWED && !one->has_allowed;
    one->has_allowed |= ruling.is_first;
    break;
  case UNAVAILABLE:
    ruling.answer = ORIGIN_UNAVAILABLE;
    ruling.rest_ms = one->rest_until_ms > now_ms ? one->rest_until_ms - now_ms : 0;
    ruling.is_given_up = one->is_given_up;
    break;
  default:
    ruling.answer = ORIGIN_UNREACHABLE;
    ruling.error = one->error;
    ruling.explanation = one->explanation;
  }
  return ruling;
}

static bool is_stale(const origin *one, uint64_t now_ms, uint64_t since_ms)
{
  switch (one->state) {
  case ON_ITS_WAY: return false;
  case KNOWN: return now_ms - one->known_ms >= FRESH_MS;
  case UNAVAILABLE: return now_ms >= one->stale_ms;
  case UNREACHABLE: return now_ms - one->known_ms >= RETRY_MS || one->known_ms < since_ms;
  default: return true;
  }
}

origin_ruling robots_cache_ask(robots_cache *o, const char *address, size_t path_begin, void *visit, uint64_t now_ms,
                               uint64_t since_ms)
{
  o->now_ms = now_ms;
  origin *one = find(o, address, path_begin);
  if (!one)
    return (origin_ruling){.answer = ORIGIN_NO_MEMORY};
  if (is_stale(one, now_ms, since_ms) && !request_robots(one)) {
    one->state = UNKNOWN;
    return (origin_ruling){.answer = ORIGIN_NO_MEMORY};
  }
  return one->state == ON_ITS_WAY ? wait_in_line(one, visit) : rule(one, address + path_begin, now_ms);
}
