/* See domain_budget.h. Open addressing by the keyed hash of a domain's name, at most half full. Which domains link to
 * one is kept as 64 bits, one of them set by each: so many set bits mean at least as many domains (linear counting),
 * and all of them some 260. */
#include "crawler/loop/domain_budget.h"

#include "crawler/http/address_key.h"
#include "crawler/scope/domain.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 1024 };

typedef struct slot {
  uint64_t hash;    /* 0: free */
  uint64_t linking; /* bits of the domains that link to it; all: it has no limit */
  uint64_t fetched;
} slot;

struct domain_budget {
  mlbf_hasher *hasher;
  uint64_t budget;
  slot *slots;
  size_t size, used; /* size: a power of two */
  uint64_t page;     /* the domain whose links are noted */
  char page_host[DOMAIN_SIZE];
  bool has_grown;
};

domain_budget *domain_budget_create(uint64_t budget, const uint8_t secret[MLBF_SECRET_BYTES])
{
  domain_budget *b = calloc(1, sizeof *b);
  if (!b)
    return NULL;
  b->budget = budget;
  b->size = SLOTS_MIN;
  b->hasher = mlbf_hasher_create(secret);
  b->slots = calloc(b->size, sizeof *b->slots);
  if (b->hasher && b->slots)
    return b;
  domain_budget_free(b);
  return NULL;
}

void domain_budget_free(domain_budget *b)
{
  if (!b)
    return;
  mlbf_hasher_free(b->hasher);
  free(b->slots);
  free(b);
}

static uint64_t domain_of(const domain_budget *b, const char *host, size_t size)
{
  char domain[DOMAIN_SIZE];
  uint64_t key = address_key_of_host(host, size);
  if (key)
    return mlbf_hasher_hash(b->hasher, 4, (mlbf_span){(const char *)&key, sizeof key}).low | 1;
  domain_of_host(host, size, domain);
  return mlbf_hasher_hash(b->hasher, 3, (mlbf_span){domain, strlen(domain)}).low | 1;
}

/* Its own, or the free one where it belongs. */
static slot *find(const domain_budget *b, uint64_t domain)
{
  size_t at = domain >> 1 & (b->size - 1);
  while (b->slots[at].hash && b->slots[at].hash != domain)
    at = (at + 1) & (b->size - 1);
  return &b->slots[at];
}

static bool grow(domain_budget *b)
{
  domain_budget larger = {.size = 2 * b->size};
  larger.slots = calloc(larger.size, sizeof *larger.slots);
  if (!larger.slots)
    return false;
  for (size_t i = 0; i < b->size; i++)
    if (b->slots[i].hash)
      *find(&larger, b->slots[i].hash) = b->slots[i];
  free(b->slots);
  b->slots = larger.slots;
  b->size = larger.size;
  return true;
}

/* NULL: out of memory. */
static slot *find_or_add(domain_budget *b, uint64_t domain)
{
  slot *s = find(b, domain);
  if (s->hash)
    return s;
  if (2 * (b->used + 1) > b->size) {
    if (!grow(b))
      return NULL;
    s = find(b, domain);
  }
  s->hash = domain;
  b->used++;
  return s;
}

static bool is_over(const domain_budget *b, const slot *s)
{
  unsigned links = (unsigned)__builtin_popcountll(s->linking);
  return s->hash && s->linking != UINT64_MAX && s->fetched / (1 + links) >= b->budget;
}

void domain_budget_exempt(domain_budget *b, const char *host, size_t size)
{
  slot *s = find_or_add(b, domain_of(b, host, size));
  if (s)
    s->linking = UINT64_MAX;
}

void domain_budget_count(domain_budget *b, const char *host, size_t size, uint64_t urls)
{
  slot *s = find_or_add(b, domain_of(b, host, size));
  if (s)
    s->fetched += urls;
}

bool domain_budget_is_over(const domain_budget *b, const char *host, size_t size)
{
  return is_over(b, find(b, domain_of(b, host, size)));
}

void domain_budget_page(domain_budget *b, const char *host, size_t size)
{
  size_t kept = size < sizeof b->page_host ? size : 0;
  memcpy(b->page_host, host, kept);
  b->page_host[kept] = '\0';
  b->page = domain_of(b, host, size);
}

void domain_budget_link(domain_budget *b, const char *host, size_t size)
{
  if (strncmp(host, b->page_host, size) == 0 && !b->page_host[size])
    return; /* most are */
  uint64_t domain = domain_of(b, host, size);
  slot *s = domain != b->page ? find_or_add(b, domain) : NULL;
  if (!s)
    return;
  bool was_over = is_over(b, s);
  s->linking |= (uint64_t)1 << (b->page >> 58);
  b->has_grown |= was_over && !is_over(b, s);
}

bool domain_budget_has_grown(const domain_budget *b)
{
  return b->has_grown;
}

void domain_budget_reviewed(domain_budget *b)
{
  b->has_grown = false;
}

/* A domain's hash, and the bits of those that link to it. */
typedef struct saved_links {
  uint64_t hash, linking;
} saved_links;

void *domain_budget_save(const domain_budget *b, size_t *size)
{
  enum { PART = 64 };
  size_t count = 0;
  saved_links *all = malloc((b->used + 1) * sizeof *all);
  for (size_t i = 0; all && i < b->size; i++)
    if (b->slots[i].hash && b->slots[i].linking && b->slots[i].fetched >= b->budget / PART)
      all[count++] = (saved_links){b->slots[i].hash, b->slots[i].linking};
  *size = count * sizeof *all;
  return all;
}

void domain_budget_read(domain_budget *b, const void *saved, size_t size)
{
  saved_links one;
  for (size_t at = 0; at + sizeof one <= size; at += sizeof one) {
    memcpy(&one, (const char *)saved + at, sizeof one);
    slot *s = one.hash ? find_or_add(b, one.hash) : NULL;
    if (s)
      s->linking |= one.linking;
  }
}
