/* The robots.txt cache: one entry an origin (origin_table.h). robots_cache.h says what each answer means.
 *
 *     UNKNOWN --asked--> ON_ITS_WAY --2xx, 4xx, bad redirect---> KNOWN         stale after 24 hours
 *                          ^     '----5xx, 429, 408------------> UNAVAILABLE   stale after a rest (next_rest_ms)
 *                          |     '----no answer----------------> UNREACHABLE   stale after a minute, or when a
 *                          |     |                                             visit is retried
 *                          |     '----3xx----------------------> MOVED         until its target's host may be asked
 *                          '---asked when stale, or moved--------'
 *
 * Always (assert_origin): only an origin whose robots.txt is on its way has visits waiting, and all of them are called
 * when it settles, each once. A KNOWN origin has rules. A body is kept while it comes, ROBOTS_SIZE_MAX of it at most.
 * `bytes` is the sum of all origins' costs. One that is on its way is not forgotten.
 *
 * Called on the thread that crawls, as are the receivers of its fetches: there is no lock. After a crash: nothing is on
 * disk that lasts; a crawl that goes on asks each origin again. */
#include "crawler/robots/robots_cache.h"

#include "crawler/http/http_head.h"
#include "crawler/robots/origin_table.h"
#include "frontier/base/machine.h"
#include "frontier/url.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
  FRESH_MS = 24 * 3600 * 1000, /* RFC 9309, 2.4: at most 24 hours */
  RETRY_MS = 60 * 1000,        /* a host that gave no answer may be asked again after a minute */
  REST_FACTOR = 16,            /* each rest of a host whose robots.txt fails is so much longer than the one before */
  REST_MAX_MS = 3600 * 1000,
  SITEMAPS_MAX = 1000, /* of one robots.txt; it takes an index to name more */
  HOPS_MAX = 5,        /* RFC 9309, 2.3.1.2: at least five */
};

static const char robots_path[] = "/robots.txt";

struct robots_cache {
  fetcher *fetcher;
  robots_cache_options options;
  robots_cache_ready *ready;
  robots_cache_sitemap *found_sitemap; /* NULL: not wanted */
  void *sitemap_context;
  origin_table *origins;
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
  assert((one->state != ON_ITS_WAY && one->state != MOVED) || one->address);
  assert(one->body_size <= ROBOTS_SIZE_MAX && (one->body || !one->body_size));
  (void)one;
}

robots_cache *robots_cache_create(fetcher *f, const robots_cache_options *options, robots_cache_ready *ready)
{
  robots_cache *o = calloc(1, sizeof *o);
  if (!o)
    return NULL;
  o->fetcher = f;
  o->options = *options;
  o->ready = ready;
  o->origins = origin_table_create(options->memory_bytes, options->directory, options->secret, o);
  if (o->origins)
    return o;
  free(o);
  return NULL;
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
  origin_table_free(o->origins);
  free(o);
}

uint64_t robots_cache_requests(const robots_cache *o)
{
  return o->requests;
}

uint64_t robots_cache_memory(const robots_cache *o)
{
  return origin_table_bytes(o->origins);
}

/* ---- fetching robots.txt --------------------------------------------------------------------------------- */

static void take_body(void *context, const fetch_response *response, const char *bytes, size_t size)
{
  origin *one = context;
  assert_origin(one);
  if (response->status < 200 || response->status > 299)
    return;
  one->is_cut |= size > ROBOTS_SIZE_MAX - one->body_size;
  if (one->is_cut)
    size = ROBOTS_SIZE_MAX - one->body_size;
  if (!one->body && !(one->body = malloc(ROBOTS_SIZE_MAX)))
    one->lacks_memory = true;
  if (one->lacks_memory)
    return;
  memcpy(one->body + one->body_size, bytes, size);
  one->body_size += size;
}

static void drop_body(origin *one)
{
  free(one->body);
  one->body = NULL;
  one->body_size = 0;
}

/* Known now, or to be asked for elsewhere: every visit that waited asks again. */
static void settle(origin *one, origin_state state)
{
  waiter *line = one->waiting;
  assert(one->state == ON_ITS_WAY && state != ON_ITS_WAY);
  assert(state != KNOWN || one->rules);
  robots_cache *o = one->owner;
  drop_body(one);
  if (state != MOVED && state != UNKNOWN) {
    free(one->address);
    one->address = NULL;
  }
  one->state = state;
  one->known_ms = o->now_ms;
  one->is_stored = false;
  one->waiting = NULL;
  one->last_waiting = &one->waiting;
  origin_table_weigh(o->origins, one);
  while (line) { /* they may forget the origin */
    waiter *w = line;
    line = w->next;
    o->ready(w->visit);
    free(w);
  }
}

static void tell_sitemaps(const origin *one)
{
  const robots_cache *o = one->owner;
  const char *href = NULL;
  size_t i = 0;
  if (!o->found_sitemap)
    return;
  for (; (href = robots_sitemap(one->rules, i)) && i < SITEMAPS_MAX; i++)
    o->found_sitemap(o->sitemap_context, one->address, href, i);
  if (href || one->is_cut)
    o->found_sitemap(o->sitemap_context, one->address, NULL, i);
}

/* 1 s, 16 s, 256 s, an hour: an outage of minutes costs no page, and a lasting one a handful of requests. */
static uint64_t next_rest_ms(const origin *one)
{
  uint64_t rest = one->owner->options.patience.first_rest_ms;
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
  one->is_given_up = one->failed >= one->owner->options.patience.tries || (!asked_ms && own_ms == REST_MAX_MS);
  one->rest_until_ms = now_ms + (one->is_given_up || asked_ms > own_ms ? asked_ms : own_ms);
  one->stale_ms = one->rest_until_ms;
  if (one->is_given_up)
    one->stale_ms += own_ms > RETRY_MS ? own_ms : RETRY_MS;
  settle(one, UNAVAILABLE);
}

/* If `address` is the robots.txt of an origin, the size of that origin's name; else 0. */
static size_t origin_size(const char *address)
{
  size_t size = strlen(address), path = sizeof robots_path - 1;
  const char *slash = strstr(address, "://");
  slash = slash ? strchr(slash + 3, '/') : NULL;
  return slash && strcmp(slash, robots_path) == 0 ? size - path : 0;
}

/* An origin whose robots.txt redirected to that of another one has read it for both. The other one may have rules that
 * went stale, and could not be asked again. */
static void teach_other(const origin *one)
{
  size_t size = one->hops ? origin_size(one->address) : 0;
  origin *other = size ? origin_table_find_or_add(one->owner->origins, one->address, size) : NULL;
  robots *rules = other && other != one && other->state == UNKNOWN ? robots_copy(one->rules) : NULL;
  if (!rules)
    return;
  robots_free(other->rules);
  other->rules = rules;
  other->is_stored = false;
  other->state = KNOWN;
  other->known_ms = one->owner->now_ms;
  other->failed = 0;
  origin_table_weigh(one->owner->origins, other);
}

static void settle_with_rules(origin *one, const char *text, size_t size, bool is_real)
{
  robots_free(one->rules);
  one->rules = robots_parse(text, size, one->owner->options.agent);
  if (!one->rules) {
    settle_without_rules(one, 0);
    return;
  }
  one->failed = one->cuts = 0;
  tell_sitemaps(one);
  if (is_real)
    teach_other(one);
  settle(one, KNOWN);
}

/* A redirect of robots.txt; false if it leads nowhere, which counts as "no robots.txt" (RFC 9309, 2.3.1.2), or if
 * memory is short. */
static bool follow(origin *one, const char *location)
{
  robots_cache *o = one->owner;
  url_base *base = url_base_create();
  char *to = NULL;
  one->lacks_memory |= !base;
  bool leads = base && url_base_set(base, one->address, strlen(one->address)) == URL_OK && one->hops++ < HOPS_MAX &&
               url_resolve(base, location, strlen(location), URL_STRICT, &o->target) == URL_OK;
  url_base_free(base);
  if (leads && !(to = strdup(o->target.fetch)))
    one->lacks_memory = true;
  if (!to)
    return false;
  free(one->address);
  one->address = to;
  settle(one, MOVED);
  return true;
}

/* host[:port] of an absolute URL. */
static const char *host_of(const char *address, size_t *size)
{
  const char *host = strstr(address, "://");
  host = host ? host + 3 : address;
  *size = strcspn(host, "/?#");
  return host;
}

/* As for pages; where a 300 says which choice is the server's, it is taken (RFC 9110, 15.4.1). */
static bool leads_on(long status)
{
  return http_status_redirects(status) || status == 300;
}

static void end_turn(const origin *one, const fetch_response *response)
{
  const robots_turns *turns = &one->owner->options.turns;
  size_t size;
  const char *host = host_of(one->address, &size);
  if (turns->end)
    turns->end(turns->context, host, size, &one->turn, response);
}

static void unreachable(origin *one, const fetch_response *response)
{
  one->error = response->error;
  free(one->explanation);
  one->explanation = strdup(response->explanation);
  settle(one, UNREACHABLE);
}

/* It may have rules, and gives them another time. To ask too often is no reason to ask for all the rest, and a request
 * that came too slowly was not answered: of these RFC 9309, 2.3.1.3 leaves it open. */
static bool is_for_later(long status)
{
  enum { REQUEST_TIMEOUT = 408, TOO_MANY_REQUESTS = 429 };
  return status >= 500 || status == REQUEST_TIMEOUT || status == TOO_MANY_REQUESTS;
}

/* In how long it is to be asked again, as if it had not been; 0: not. What lost its end may have it the next time. */
static uint64_t postponement_ms(origin *one, const fetch_response *response)
{
  const robots_patience *patience = &one->owner->options.patience;
  if (response->put_off_ms)
    return response->put_off_ms;
  bool is_part = response->error != FETCH_OK && response->truncated; /* of a coding, there may be none to read */
  return is_part && !one->cuts++ && patience->tries > 1 ? patience->first_rest_ms : 0;
}

/* Of a text that was cut, what may be its last line's beginning counts only if it forbids: with less of its path it
 * forbids more, where less of an Allow would allow more, and less of a User-agent be another one. */
static size_t sound_size(const origin *one)
{
  static const char forbids[] = "disallow";
  const char *text = one->body;
  size_t line = one->body_size;
  while (one->is_cut && line && text[line - 1] != '\n' && text[line - 1] != '\r')
    line--;
  size_t name = line;
  while (name < one->body_size && (text[name] == ' ' || text[name] == '\t'))
    name++;
  bool is_sound = one->body_size - name > strlen(forbids) && strncasecmp(text + name, forbids, strlen(forbids)) == 0;
  return is_sound ? one->body_size : line;
}

/* Does a line of what is sound allow or forbid something? */
static bool has_rule(const origin *one)
{
  size_t size = one->body ? sound_size(one) : 0;
  bool begins = true; /* at the beginning of a line, but for blanks */
  for (size_t at = 0; at < size; at++) {
    const char *text = one->body + at;
    if (begins && ((size - at > 5 && strncasecmp(text, "allow", 5) == 0) ||
                   (size - at > 8 && strncasecmp(text, "disallow", 8) == 0)))
      return true;
    begins = *text == '\n' || *text == '\r' || (begins && (*text == ' ' || *text == '\t'));
  }
  return false;
}

/* A body that is cut before its first rule allows nothing. */
static bool is_answered(const origin *one, const fetch_response *response)
{
  return response->error == FETCH_OK || (fetch_has_part(response) && has_rule(one));
}

/* What is left of a coding that was cut is a page, as all of its bytes came; but there may be rules behind the cut. */
static fetch_response answer_of(const fetch_response *response)
{
  fetch_response answer = *response;
  if (answer.error == FETCH_OK && answer.truncated == FETCH_CUT_CODING && answer.status / 100 == 2) {
    answer.error = FETCH_ENCODING;
    answer.explanation = "the coding of its body breaks, or ends too early";
  }
  return answer;
}

static void finished(void *context, const fetch_response *came)
{
  origin *one = context;
  const fetch_response answer = answer_of(came), *response = &answer;
  long status = response->status;
  assert_origin(one);
  assert(one->state == ON_ITS_WAY);
  one->owner->now_ms = machine_monotonic_ms(); /* it was asked for long ago, and is known from now on */
  end_turn(one, came);
  one->is_cut |= response->truncated != FETCH_WHOLE;
  uint64_t wait_ms = postponement_ms(one, response);
  if (wait_ms) {
    one->not_before_ms = one->owner->now_ms + wait_ms;
    settle(one, one->hops ? MOVED : UNKNOWN);
  } else if (!is_answered(one, response)) {
    unreachable(one, response);
  } else if (status >= 200 && status <= 299 && !one->lacks_memory) {
    settle_with_rules(one, one->body ? one->body : "", one->body ? sound_size(one) : 0, true);
  } else if (leads_on(status) && *response->location && follow(one, response->location)) {
    return;
  } else if (is_for_later(status) || one->lacks_memory) { /* rules that were not read forbid everything */
    settle_without_rules(one, response->retry_after_s);
  } else {
    settle_with_rules(one, "", 0, false);
  }
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

typedef enum going { GOES, WAITS, LACKS_MEMORY } going;

/* What robots.txt leads to, or itself. `*wait_ms` of WAITS. */
static going request(origin *one, uint64_t *wait_ms)
{
  robots_cache *o = one->owner;
  fetch_receiver receiver = {.body = take_body, .finished = finished, .context = one};
  const robots_turns *turns = &o->options.turns;
  size_t size;
  const char *host = host_of(one->address, &size);
  one->turn = (robots_turn){.is_beside = one->hops > 0};
  if (turns->begin && !turns->begin(turns->context, host, size, &one->turn, wait_ms))
    return WAITS;
  one->lacks_memory = one->is_cut = false;
  if (!fetch_start(o->fetcher, one->address, receiver)) {
    end_turn(one, NULL);
    return LACKS_MEMORY;
  }
  o->requests++;
  one->state = ON_ITS_WAY;
  return GOES;
}

static going request_robots(origin *one, uint64_t *wait_ms)
{
  size_t size = strlen(one->name);
  char *address = malloc(size + sizeof robots_path);
  if (!address)
    return LACKS_MEMORY;
  memcpy(address, one->name, size);
  memcpy(address + size, robots_path, sizeof robots_path);
  free(one->address);
  one->address = address;
  one->hops = 0;
  return request(one, wait_ms);
}

static bool is_stale(const origin *one, uint64_t now_ms, uint64_t since_ms)
{
  switch (one->state) {
  case ON_ITS_WAY:
  case MOVED: return false;
  case KNOWN: return now_ms - one->known_ms >= FRESH_MS;
  case UNAVAILABLE: return now_ms >= one->stale_ms;
  case UNREACHABLE: return now_ms - one->known_ms >= RETRY_MS || one->known_ms < since_ms;
  default: return true;
  }
}

/* Rules of the origin whose robots.txt this one leads to, if they are known: no request is needed. */
static bool learn_from_other(origin *one, uint64_t now_ms)
{
  size_t size = origin_size(one->address);
  const origin *other = size ? origin_table_find(one->owner->origins, one->address, size) : NULL;
  if (!other || other == one || other->state != KNOWN || is_stale(other, now_ms, 0))
    return false;
  robots *rules = robots_copy(other->rules);
  if (!rules)
    return false;
  robots_free(one->rules);
  one->rules = rules;
  one->failed = 0;
  one->state = KNOWN;
  one->known_ms = other->known_ms;
  one->is_stored = false;
  free(one->address);
  one->address = NULL;
  origin_table_weigh(one->owner->origins, one);
  return true;
}

static going go_on(origin *one, uint64_t now_ms, uint64_t since_ms, uint64_t *wait_ms)
{
  if (one->state != MOVED && !is_stale(one, now_ms, since_ms))
    return GOES;
  if (now_ms < one->not_before_ms) {
    *wait_ms = one->not_before_ms - now_ms;
    return WAITS;
  }
  if (one->state == MOVED)
    return learn_from_other(one, now_ms) ? GOES : request(one, wait_ms);
  return request_robots(one, wait_ms);
}

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

static origin_ruling rule(const origin *one, const char *path, uint64_t now_ms)
{
  origin_ruling ruling = {.crawl_delay = -1};
  assert_origin(one);
  assert(one->state != UNKNOWN && one->state != ON_ITS_WAY && one->state != MOVED && !one->waiting);
  switch (one->state) {
  case KNOWN:
    ruling.answer = robots_allows(one->rules, path, strlen(path), NULL) ? ORIGIN_ALLOWED : ORIGIN_DENIED;
    ruling.crawl_delay = robots_crawl_delay(one->rules);
    break;
  case UNAVAILABLE:
    ruling.answer = ORIGIN_UNAVAILABLE;
    ruling.rest_ms = one->rest_until_ms > now_ms ? one->rest_until_ms - now_ms : 0;
    ruling.is_given_up = one->is_given_up;
    break;
  default:
    ruling.answer = ORIGIN_UNREACHABLE;
    ruling.error = one->error;
    ruling.explanation = one->explanation ? one->explanation : "";
  }
  return ruling;
}

origin_ruling robots_cache_ask(robots_cache *o, const char *address, size_t path_begin, void *visit, uint64_t now_ms,
                               uint64_t since_ms)
{
  uint64_t wait_ms = 1;
  o->now_ms = now_ms;
  origin *one = origin_table_find_or_add(o->origins, address, path_begin);
  if (!one)
    return (origin_ruling){.answer = ORIGIN_NO_MEMORY};
  switch (go_on(one, now_ms, since_ms, &wait_ms)) {
  case WAITS: return (origin_ruling){.answer = ORIGIN_LATER, .rest_ms = wait_ms ? wait_ms : 1};
  case LACKS_MEMORY:
    if (one->state != MOVED)
      one->state = UNKNOWN;
    return (origin_ruling){.answer = ORIGIN_NO_MEMORY};
  case GOES: break;
  }
  return one->state == ON_ITS_WAY ? wait_in_line(one, visit) : rule(one, address + path_begin, now_ms);
}
