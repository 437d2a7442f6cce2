/* See retry.h. One table of small counts: of URLs by their lease, of hosts that do not answer by the hash of their name
 * (two hosts with equal hashes would share a count, once in 2^63 pairs), which is keyed, as others choose the names.
 * Open addressing, at most half full. */
#include "crawler/loop/retry.h"

#include "mlbf/secret.h"

#include <assert.h>
#include <stdlib.h>

enum {
  PEACE_MIN_MS = 100, /* between two tries, with --delay 0 too */
  PEACE_MAX_MS = 1000,
  TABLE_MIN = 64,
};
#define HOST_BIT ((uint64_t)1 << 63) /* no lease is so large */

typedef struct slot {
  uint64_t key; /* 0: free */
  unsigned count;
  bool was_answered; /* one of those tries, if not well */
} slot;

struct retries {
  mlbf_hasher *hasher;
  unsigned tries_max;
  uint64_t delay_ms;
  slot *table;
  size_t size, used; /* size: a power of two */
};

/* There is always a free slot, or a search would never end. */
static void assert_retries(const retries *r)
{
  assert(r->size >= TABLE_MIN && (r->size & (r->size - 1)) == 0 && 2 * r->used <= r->size);
  (void)r;
}

retries *retries_create(unsigned tries_max, uint64_t delay_ms)
{
  uint8_t secret[MLBF_SECRET_BYTES];
  retries *r = mlbf_secret_draw(secret) == MLBF_OK ? calloc(1, sizeof *r) : NULL;
  if (!r || !(r->hasher = mlbf_hasher_create(secret)) || !(r->table = calloc(TABLE_MIN, sizeof *r->table))) {
    retries_free(r);
    return NULL;
  }
  r->size = TABLE_MIN;
  r->tries_max = tries_max;
  r->delay_ms = delay_ms;
  return r;
}

void retries_free(retries *r)
{
  if (!r)
    return;
  mlbf_hasher_free(r->hasher);
  free(r->table);
  free(r);
}

/* ---- the table ------------------------------------------------------------------------------------------- */

static size_t home_of(const retries *r, uint64_t key)
{
  return (size_t)(key * 0x9E3779B97F4A7C15U >> 32) & (r->size - 1);
}

/* The slot of this key, or the free one where it belongs. */
static slot *find(const retries *r, uint64_t key)
{
  size_t at = home_of(r, key);
  while (r->table[at].key && r->table[at].key != key)
    at = (at + 1) & (r->size - 1);
  return &r->table[at];
}

static bool grow(retries *r)
{
  retries larger = {.size = 2 * r->size};
  larger.table = calloc(larger.size, sizeof *larger.table);
  if (!larger.table)
    return false;
  for (size_t i = 0; i < r->size; i++)
    if (r->table[i].key)
      *find(&larger, r->table[i].key) = r->table[i];
  free(r->table);
  r->table = larger.table;
  r->size = larger.size;
  return true;
}

/* NULL: out of memory. */
static slot *find_or_add(retries *r, uint64_t key)
{
  if (2 * (r->used + 1) > r->size && !grow(r))
    return NULL;
  slot *s = find(r, key);
  if (!s->key) {
    *s = (slot){.key = key};
    r->used++;
  }
  assert_retries(r);
  return s;
}

/* What stood behind it moves up, unless it is at or before its own place. */
static void drop(retries *r, slot *gone)
{
  assert_retries(r);
  assert(gone->key && r->used);
  size_t hole = (size_t)(gone - r->table), mask = r->size - 1;
  for (size_t at = (hole + 1) & mask; r->table[at].key; at = (at + 1) & mask)
    if (((at - home_of(r, r->table[at].key)) & mask) >= ((at - hole) & mask)) {
      r->table[hole] = r->table[at];
      hole = at;
    }
  r->table[hole].key = 0;
  r->used--;
}

/* ---- what may heal --------------------------------------------------------------------------------------- */

static uint64_t host_key(const retries *r, const frontier_lease *lease)
{
  mlbf_span host = {lease->url + lease->host_begin, lease->host_end - lease->host_begin};
  return HOST_BIT | mlbf_hasher_hash(r->hasher, 0, host).low;
}

static bool is_without_answer(const fetch_response *response)
{
  if (fetch_has_part(response))
    return false;
  switch (response->error) {
  case FETCH_NAME:
  case FETCH_CONNECT:
  case FETCH_TIMEOUT:
  case FETCH_BROKEN: return true;
  default: return false;
  }
}

static bool is_overload(const fetch_response *response)
{
  return response->error == FETCH_OK && (response->status == 429 || response->status == 503);
}

/* That of one page: the request did not come in time (408), or too early (425), the server failed (500), or one behind
 * it, of which the CDN Cloudflare knows more kinds of failure than HTTP (520 to 527). */
static bool is_passing(const fetch_response *response)
{
  enum { CDN_FIRST = 520, CDN_LAST = 527 };
  if (response->error != FETCH_OK)
    return false;
  switch (response->status) {
  case 408:
  case 425:
  case 500:
  case 502:
  case 504: return true;
  default: return response->status >= CDN_FIRST && response->status <= CDN_LAST;
  }
}

uint64_t retries_asked_ms(const fetch_response *response)
{
  if (!is_overload(response))
    return 0;
  return 1000 * (response->retry_after_s < RETRY_WAIT_MAX_S ? response->retry_after_s : RETRY_WAIT_MAX_S);
}

uint64_t retries_peace_ms(uint64_t delay_ms)
{
  return delay_ms < PEACE_MIN_MS ? PEACE_MIN_MS : delay_ms < PEACE_MAX_MS ? delay_ms : PEACE_MAX_MS;
}

static uint64_t wait_of(const retries *r, const fetch_response *response, unsigned failed)
{
  uint64_t longest = (uint64_t)RETRY_WAIT_MAX_S * 1000;
  uint64_t wait = (r->delay_ms > PEACE_MIN_MS ? r->delay_ms : PEACE_MIN_MS) * failed;
  if (!is_passing(response)) {
    wait = retries_peace_ms(r->delay_ms);
    for (unsigned i = 1; i < failed && wait < longest; i++)
      wait *= 4;
  }
  uint64_t asked = response->retry_after_s < RETRY_WAIT_MAX_S ? response->retry_after_s * 1000 : longest;
  wait = wait > asked ? wait : asked;
  assert(failed);
  return wait < longest ? wait : longest;
}

bool retries_spare_host(const retries *r, const fetch_response *response)
{
  return is_passing(response) && !response->retry_after_s && r->delay_ms < PEACE_MIN_MS;
}

unsigned retries_failed(const retries *r, const frontier_lease *lease)
{
  const slot *s = r->used ? find(r, lease->id) : NULL;
  return s && s->key ? s->count : 0;
}

static void forget_down(retries *r, const frontier_lease *lease)
{
  slot *s = r->used ? find(r, host_key(r, lease)) : NULL;
  if (s && s->key)
    drop(r, s);
}

bool retries_again(retries *r, const frontier_lease *lease, const fetch_response *response, uint64_t *wait_ms)
{
  bool is_silent = is_without_answer(response);
  if (!is_silent && !fetch_has_part(response) && !is_overload(response) && !is_passing(response))
    return false;
  assert_retries(r);
  assert(!(lease->id & HOST_BIT));
  if (!is_silent)
    forget_down(r, lease);
  const slot *before = r->used ? find(r, lease->id) : NULL;
  bool was_answered = !is_silent || (before && before->key && before->was_answered);
  unsigned failed = retries_failed(r, lease) + 1;
  bool is_down = is_silent && r->used && find(r, host_key(r, lease))->key;
  if (failed >= r->tries_max || is_down) {
    if (!was_answered && r->tries_max > 1)
      find_or_add(r, host_key(r, lease)); /* without memory for it, its URLs are only tried more often */
    return false;
  }
  slot *s = find_or_add(r, lease->id);
  if (!s)
    return false;
  s->count = failed;
  s->was_answered = was_answered;
  *wait_ms = wait_of(r, response, failed);
  return true;
}

bool retries_come_again(retries *r, const frontier_lease *lease, unsigned most)
{
  slot *s = retries_failed(r, lease) < most ? find_or_add(r, lease->id) : NULL;
  if (!s)
    return false;
  s->count++;
  s->was_answered = true;
  return true;
}

unsigned retries_end(retries *r, const frontier_lease *lease, bool was_answered)
{
  if (!r->used)
    return 1;
  slot *s = find(r, lease->id);
  unsigned tries = 1 + (s->key ? s->count : 0);
  if (s->key)
    drop(r, s);
  if (was_answered)
    forget_down(r, lease);
  return tries;
}
