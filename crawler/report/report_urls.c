/* See report_urls.h. An open-addressing table: a URL's hash, keyed, for sites choose their URLs; the line that counts,
 * 40 bits; and of its body 22 bits, which are enough to call two fetches of one URL equal. Called by report_data.c.
 *
 * Always: at least half of the slots are free. */
#include "crawler/report/report_urls.h"

#include "crawler/loop/edge_log.h"
#include "frontier/base/machine.h"
#include "mlbf/secret.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 1024, UNCHANGED = 304, BODY_BITS = 22 };

typedef struct slot {
  uint64_t hash; /* 0: free */
  uint64_t line : 40, body : BODY_BITS, is_unchanged : 1;
} slot;

struct report_urls {
  mlbf_hasher *hasher;
  slot *slots;
  uint64_t room, count, unchanged;
  bool is_any_again;
};

static_assert(sizeof(slot) == 16, "a URL more or less is 16 bytes");

report_urls *report_urls_create(void)
{
  uint8_t secret[MLBF_SECRET_BYTES] = {0};
  report_urls *u = calloc(1, sizeof *u);
  if (!u)
    return NULL;
  (void)machine_random(secret, sizeof secret); /* without chance it is a table, too */
  u->room = SLOTS_FIRST;
  u->hasher = mlbf_hasher_create(secret);
  u->slots = calloc(u->room, sizeof *u->slots);
  if (u->hasher && u->slots)
    return u;
  report_urls_free(u);
  return NULL;
}

void report_urls_free(report_urls *u)
{
  if (!u)
    return;
  mlbf_hasher_free(u->hasher);
  free(u->slots);
  free(u);
}

static slot *find(const report_urls *u, uint64_t hash)
{
  uint64_t at = hash & (u->room - 1);
  while (u->slots[at].hash && u->slots[at].hash != hash)
    at = (at + 1) & (u->room - 1);
  return &u->slots[at];
}

static slot *find_url(const report_urls *u, const char *address, uint64_t *hash)
{
  *hash = edge_hash(u->hasher, address, strlen(address));
  *hash += *hash == 0;
  return find(u, *hash);
}

static bool grow(report_urls *u)
{
  if (2 * (u->count + 1) <= u->room)
    return true;
  slot *old = u->slots, *larger = calloc(2 * u->room, sizeof *larger);
  if (!larger)
    return false;
  u->slots = larger;
  u->room *= 2;
  for (uint64_t i = 0; i < u->room / 2; i++)
    if (old[i].hash)
      *find(u, old[i].hash) = old[i];
  free(old);
  return true;
}

/* Of the bits of a hash that the tables of bodies do not use first. */
static uint64_t body_bits(uint64_t body)
{
  return body >> (64 - BODY_BITS);
}

bool report_urls_add(report_urls *u, const char *address, uint64_t line, uint64_t status, uint64_t body)
{
  uint64_t hash;
  if (!grow(u))
    return false;
  slot *s = find_url(u, address, &hash);
  bool is_again = s->hash != 0, is_same = body && is_again && s->body == body_bits(body);
  bool is_unchanged = status == UNCHANGED || is_same;
  u->count += !is_again;
  u->is_any_again |= is_again;
  u->unchanged += is_unchanged;
  u->unchanged -= s->is_unchanged;
  if (!is_again || status != UNCHANGED) {
    s->line = line;
    s->body = body_bits(body);
  }
  s->hash = hash;
  s->is_unchanged = is_unchanged;
  assert(2 * u->count <= u->room && u->unchanged <= u->count);
  return true;
}

report_line report_urls_look(const report_urls *u, const char *address, uint64_t line, uint64_t body)
{
  uint64_t hash;
  const slot *s = find_url(u, address, &hash);
  if (!s->hash) /* the file has grown */
    return REPORT_LINE_OLD;
  if (s->line == line)
    return REPORT_LINE_COUNTS;
  return body && s->body == body_bits(body) ? REPORT_LINE_SAME : REPORT_LINE_OLD;
}

uint64_t report_urls_count(const report_urls *u)
{
  return u->count;
}

uint64_t report_urls_unchanged(const report_urls *u)
{
  return u->unchanged;
}

bool report_urls_is_any_again(const report_urls *u)
{
  return u->is_any_again;
}
