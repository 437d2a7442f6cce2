/* See host_pace.h. A table of 4 slots to a hash. A slot whose times have passed is as good as a free one.
 *
 *     a page begins    --------|======= delay =======|            any request may begin here
 *     one beside it                                  |======= delay =======|   then a page may,
 *                                                    |============ 2 delays ============|   then one beside again
 *
 * One that was refused claims the moment after the delay for half a delay: the host's own turn lets it go first. */
#include "crawler/loop/host_pace.h"

#include <assert.h>
#include <stdlib.h>

enum {
  SLOTS = 1 << 14,
  WAYS = 4,
  BUSY_MS = 100,              /* until one looks again whether a request has ended */
  DELAY_MAX_MS = 3600 * 1000, /* the longest Crawl-delay that is heeded */
  WAIT_MAX_MS = 600 * 1000,   /* of many that wait for one host, the last ones look again then */
};

typedef struct slot {
  uint64_t check; /* the host's hash; 0: free */
  uint32_t active, beside;
  uint64_t delay_ms;        /* between its requests, as far as is known */
  uint64_t began_ms;        /* the last request of either kind */
  uint64_t next_ms;         /* no request of either kind before */
  uint64_t beside_at_ms;    /* the last one beside its turns; 0: none */
  uint64_t beside_next_ms;  /* none beside the turns before */
  uint64_t claimed_from_ms, /* no turn from here to there: it is another's */
    claimed_to_ms;
  uint64_t line_ms; /* when the last of those that wait was told to come */
} slot;

struct host_pace {
  mlbf_hasher *hasher;
  unsigned per_host;
  uint64_t delay_ms;
  slot slots[SLOTS];
};

host_pace *host_pace_create(unsigned per_host, uint64_t delay_ms, const uint8_t secret[MLBF_SECRET_BYTES])
{
  host_pace *p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  p->per_host = per_host ? per_host : 1;
  p->delay_ms = delay_ms;
  p->hasher = mlbf_hasher_create(secret);
  if (p->hasher)
    return p;
  free(p);
  return NULL;
}

void host_pace_free(host_pace *p)
{
  if (p)
    mlbf_hasher_free(p->hasher);
  free(p);
}

static uint64_t later(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static bool is_over(const slot *s, uint64_t now_ms)
{
  bool may_be_asked_about = s->beside_at_ms && s->beside_at_ms + DELAY_MAX_MS > now_ms;
  return !s->active && !may_be_asked_about && s->next_ms <= now_ms && s->beside_next_ms <= now_ms &&
         s->claimed_to_ms <= now_ms;
}

static uint64_t hash_of(const host_pace *p, const char *host, size_t size)
{
  return mlbf_hasher_hash(p->hasher, 1, (mlbf_span){host, size}).low | 1;
}

/* Of its own; SLOTS: it has none, so nothing is known of it that is not over. */
static size_t find(const host_pace *p, uint64_t hash)
{
  size_t set = hash % (SLOTS / WAYS) * WAYS;
  for (size_t at = set; at < set + WAYS; at++)
    if (p->slots[at].check == hash)
      return at;
  return SLOTS;
}

/* Its own, or one that is free or over, or in the end one that it shares with another host. */
static slot *take(host_pace *p, uint64_t hash, uint64_t now_ms)
{
  size_t own = find(p, hash);
  if (own < SLOTS)
    return &p->slots[own];
  slot *set = &p->slots[hash % (SLOTS / WAYS) * WAYS];
  for (unsigned i = 0; i < WAYS; i++)
    if (is_over(&set[i], now_ms)) {
      set[i] = (slot){.check = hash};
      return &set[i];
    }
  set[0].check = hash; /* the other is found no more, and its times count for this one */
  return &set[0];
}

pace_place host_pace_begin(host_pace *p, const char *host, size_t size, uint64_t now_ms)
{
  slot *s = take(p, hash_of(p, host, size), now_ms);
  s->active++;
  s->delay_ms = later(s->delay_ms, p->delay_ms);
  s->began_ms = now_ms;
  s->next_ms = later(s->next_ms, now_ms + s->delay_ms);
  return (pace_place)(s - p->slots);
}

/* One at a time claims the next moment; the others are told to come one after the other. */
static uint64_t refuse(const host_pace *p, slot *s, uint64_t free_ms, uint64_t now_ms)
{
  if (s->claimed_to_ms <= free_ms) {
    s->claimed_from_ms = free_ms;
    s->claimed_to_ms = free_ms + p->delay_ms / 2;
    return free_ms - now_ms;
  }
  s->line_ms = later(s->line_ms, free_ms) + 2 * p->delay_ms;
  if (s->line_ms > now_ms + WAIT_MAX_MS)
    s->line_ms = now_ms + WAIT_MAX_MS;
  return s->line_ms - now_ms;
}

bool host_pace_begin_beside(host_pace *p, const char *host, size_t size, uint64_t now_ms, pace_place *place,
                            uint64_t *wait_ms)
{
  slot *s = take(p, hash_of(p, host, size), now_ms);
  uint64_t free_ms = later(s->next_ms, s->beside_next_ms);
  if (s->active >= p->per_host)
    free_ms = later(free_ms, now_ms + BUSY_MS);
  if (now_ms < free_ms) {
    *wait_ms = refuse(p, s, free_ms, now_ms);
    return false;
  }
  s->active++;
  s->beside++;
  s->delay_ms = later(s->delay_ms, p->delay_ms);
  s->beside_at_ms = s->began_ms = now_ms;
  s->next_ms = now_ms + s->delay_ms;
  s->beside_next_ms = now_ms + 2 * s->delay_ms;
  s->claimed_from_ms = s->claimed_to_ms = 0;
  *place = (pace_place)(s - p->slots);
  return true;
}

void host_pace_end(host_pace *p, pace_place place, bool was_beside)
{
  slot *s = &p->slots[place];
  assert(place < SLOTS && s->active && (!was_beside || s->beside));
  s->active--;
  s->beside -= was_beside;
}

void host_pace_delay(host_pace *p, const char *host, size_t size, uint64_t now_ms, uint64_t delay_ms)
{
  slot *s = take(p, hash_of(p, host, size), now_ms);
  s->delay_ms = later(s->delay_ms, delay_ms);
  s->next_ms = later(s->next_ms, s->began_ms + (s->began_ms ? s->delay_ms : 0));
}

void host_pace_rest(host_pace *p, const char *host, size_t size, uint64_t now_ms, uint64_t rest_ms)
{
  slot *s = take(p, hash_of(p, host, size), now_ms);
  s->next_ms = later(s->next_ms, now_ms + rest_ms);
}

uint64_t host_pace_left_ms(const host_pace *p, const char *host, size_t size, uint64_t now_ms)
{
  size_t at = find(p, hash_of(p, host, size));
  return at < SLOTS && p->slots[at].next_ms > now_ms ? p->slots[at].next_ms - now_ms : 0;
}

/* A host without requests beside its turns has the frontier's times alone, which may be later. */
uint64_t host_pace_wait_ms(const host_pace *p, const char *host, size_t size, uint64_t now_ms, uint64_t delay_ms)
{
  size_t at = find(p, hash_of(p, host, size));
  const slot *s = &p->slots[at];
  if (at == SLOTS || (!s->beside_at_ms && !s->claimed_to_ms))
    return 0;
  uint64_t free_ms = s->beside_at_ms ? later(s->next_ms, s->beside_at_ms + delay_ms) : s->next_ms;
  if (s->claimed_to_ms > free_ms && s->claimed_from_ms <= later(free_ms, now_ms))
    free_ms = s->claimed_to_ms;
  if (s->beside && s->active >= p->per_host)
    free_ms = later(free_ms, now_ms + BUSY_MS);
  return free_ms > now_ms ? free_ms - now_ms : 0;
}
