/* See cookies.h. Each cookie is in one of COOKIES_MAX slots, and in two lists: those of a hash of registered domains,
 * and all in the order of their last use.
 *
 *     free slot --cookies_take, cookies_read--> used --expired, replaced, or room needed--> free slot
 *
 * Always: a used slot has its texts in one allocation. Two registered domains with one hash share their limit, not
 * their cookies: whether one is sent is decided by its domain. The hash is keyed with a secret that each jar draws, as
 * one who can calculate it may choose domains that share a list, or that push another's cookies out. Called on the
 * network's thread; nothing is on disk. */
#include "crawler/http/cookies.h"

#include "crawler/http/cookie_field.h"
#include "crawler/scope/domain.h"
#include "mlbf/secret.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NONE = -1, BUCKETS = 1024 };

typedef struct cookie {
  char *name; /* NULL: a free slot; value, domain and path are behind it */
  const char *value, *domain, *path;
  uint64_t site;                  /* hash of its registered domain */
  uint64_t expires_s, made, used; /* the last two are serial numbers */
  int next, more_used, less_used; /* in its bucket; in the order of use */
  uint16_t port;                  /* of a host's own; 0: any */
  bool is_host_only, is_secure, is_users;
} cookie;

struct cookies {
  mlbf_hasher *hasher;
  cookie all[COOKIES_MAX];
  int buckets[BUCKETS];
  int free, newest, oldest;
  size_t count;
  uint64_t serials;
  char sent[COOKIES_SENT_MAX + 1];
};

static uint64_t site_of(const cookies *c, const char *host)
{
  char domain[DOMAIN_SIZE];
  domain_of_host(host, strlen(host), domain);
  return mlbf_hasher_hash(c->hasher, 0, (mlbf_span){domain, strlen(domain)}).low;
}

cookies *cookies_create(void)
{
  uint8_t secret[MLBF_SECRET_BYTES];
  cookies *c = mlbf_secret_draw(secret) == MLBF_OK ? calloc(1, sizeof *c) : NULL;
  if (!c || !(c->hasher = mlbf_hasher_create(secret))) {
    free(c);
    return NULL;
  }
  c->newest = c->oldest = c->free = NONE;
  for (int i = 0; i < BUCKETS; i++)
    c->buckets[i] = NONE;
  for (int i = COOKIES_MAX; i--;) {
    c->all[i].next = c->free;
    c->free = i;
  }
  return c;
}

void cookies_free(cookies *c)
{
  for (size_t i = 0; c && i < COOKIES_MAX; i++)
    free(c->all[i].name);
  if (c)
    mlbf_hasher_free(c->hasher);
  free(c);
}

uint64_t cookies_hash(cookies *c, const char *url, bool is_trusted, uint64_t now_s)
{
  const char *text = cookies_for(c, url, is_trusted, now_s);
  return *text ? mlbf_hasher_hash(c->hasher, 0, (mlbf_span){text, strlen(text)}).low | 1 : 0;
}

size_t cookies_count(const cookies *c)
{
  return c->count;
}

/* ---- the lists -------------------------------------------------------------------------------------------- */

static int *bucket_of(cookies *c, uint64_t site)
{
  return &c->buckets[site % BUCKETS];
}

static void unlink_use(cookies *c, const cookie *k)
{
  *(k->more_used == NONE ? &c->newest : &c->all[k->more_used].less_used) = k->less_used;
  *(k->less_used == NONE ? &c->oldest : &c->all[k->less_used].more_used) = k->more_used;
}

static void link_use(cookies *c, int at)
{
  cookie *k = &c->all[at];
  k->used = ++c->serials;
  k->more_used = NONE;
  k->less_used = c->newest;
  *(c->newest == NONE ? &c->oldest : &c->all[c->newest].more_used) = at;
  c->newest = at;
}

static void drop(cookies *c, int at)
{
  cookie *k = &c->all[at];
  int *link = bucket_of(c, k->site);
  assert(k->name && c->count);
  while (*link != at)
    link = &c->all[*link].next;
  *link = k->next;
  unlink_use(c, k);
  free(k->name);
  *k = (cookie){.next = c->free};
  c->free = at;
  c->count--;
}

/* The less used one, of two. */
static int less_used(const cookies *c, int a, int b)
{
  return a == NONE || (b != NONE && c->all[b].used < c->all[a].used) ? b : a;
}

/* One more of this domain has room afterwards. */
static void make_room(cookies *c, uint64_t site, const char *domain, uint64_t now_s)
{
  unsigned of_site = 0, of_domain = 0;
  int least_of_site = NONE, least_of_domain = NONE;
  for (int at = *bucket_of(c, site), next; at != NONE; at = next) {
    const cookie *k = &c->all[at];
    next = k->next;
    if (k->expires_s <= now_s) {
      drop(c, at);
    } else if (k->site == site) {
      bool is_same = strcmp(k->domain, domain) == 0;
      of_site++;
      of_domain += is_same;
      least_of_site = less_used(c, least_of_site, at);
      least_of_domain = is_same ? less_used(c, least_of_domain, at) : least_of_domain;
    }
  }
  if (of_domain >= COOKIES_DOMAIN_MAX)
    drop(c, least_of_domain);
  else if (of_site >= COOKIES_SITE_MAX)
    drop(c, least_of_site);
  if (c->count == COOKIES_MAX)
    drop(c, c->oldest);
  assert(c->free != NONE);
}

/* One of a file is for any port: what the server at one of them sets is in place of it. */
static int find(cookies *c, uint64_t site, const cookie_field *f)
{
  int at = *bucket_of(c, site);
  for (; at != NONE; at = c->all[at].next) {
    const cookie *k = &c->all[at];
    if (k->is_host_only == f->is_host_only && (!f->is_host_only || !k->port || k->port == f->port) &&
        strcmp(k->name, f->name) == 0 && strcmp(k->domain, f->domain) == 0 && strcmp(k->path, f->path) == 0)
      return at;
  }
  return NONE;
}

static const char *append(char **to, const char *text)
{
  size_t size = strlen(text) + 1;
  char *at = memcpy(*to, text, size);
  *to += size;
  return at;
}

static bool put(cookies *c, uint64_t site, const cookie_field *f, uint64_t made, bool is_users)
{
  char *text = malloc(strlen(f->name) + strlen(f->value) + strlen(f->domain) + strlen(f->path) + 4);
  if (!text)
    return false;
  int at = c->free;
  cookie *k = &c->all[at];
  c->free = k->next;
  *k = (cookie){.name = text,
                .site = site,
                .expires_s = f->expires_s,
                .made = made ? made : ++c->serials,
                .next = *bucket_of(c, site),
                .port = f->port,
                .is_host_only = f->is_host_only,
                .is_secure = f->is_secure,
                .is_users = is_users};
  append(&text, f->name);
  k->value = append(&text, f->value);
  k->domain = append(&text, f->domain);
  k->path = append(&text, f->path);
  *bucket_of(c, site) = at;
  link_use(c, at);
  c->count++;
  return true;
}

/* In place of one with the same name, domain and path. What a server has in place of the user's goes no further. */
static bool keep(cookies *c, const cookie_field *f, bool is_users, bool is_from_https, uint64_t now_s)
{
  uint64_t site = site_of(c, f->domain), made = 0;
  int before = find(c, site, f);
  if (before != NONE) {
    if (c->all[before].is_secure && !is_from_https)
      return false;
    is_users |= c->all[before].is_users;
    made = c->all[before].made;
    drop(c, before);
  }
  if (f->expires_s <= now_s)
    return false;
  make_room(c, site, f->domain, now_s);
  return put(c, site, f, made, is_users);
}

/* ---- from servers, and from a file ------------------------------------------------------------------------- */

bool cookies_take(cookies *c, const char *url, const char *field, uint64_t now_s)
{
  cookie_place place;
  cookie_field f;
  return cookie_place_of(url, &place) && cookie_field_read(&f, &place, field, now_s) &&
         keep(c, &f, false, place.is_https, now_s);
}

bool cookies_read(cookies *c, const char *path, uint64_t now_s)
{
  FILE *file = fopen(path, "re");
  char *line = NULL;
  size_t room = 0;
  cookie_field f;
  if (!file)
    return false;
  while (getline(&line, &room, file) > 0)
    if (cookie_field_of_line(&f, line))
      keep(c, &f, true, true, now_s);
  bool is_read = !ferror(file);
  free(line);
  fclose(file);
  return is_read;
}

/* ---- to servers -------------------------------------------------------------------------------------------- */

static bool is_for(const cookie *k, const cookie_place *place, bool is_trusted, uint64_t now_s)
{
  bool is_origin = k->port ? k->port == place->port && k->is_secure == place->is_https
                           : place->is_https || !k->is_secure;
  return (is_trusted || !k->is_users) && is_origin && k->expires_s > now_s &&
         cookie_path_matches(place->path, k->path) &&
         (k->is_host_only ? strcmp(place->host, k->domain) == 0 : cookie_domain_matches(place->host, k->domain));
}

/* Longer paths first, then what is older (RFC 6265, 5.4). */
static int compare(const void *a, const void *b)
{
  const cookie *one = *(cookie *const *)a, *other = *(cookie *const *)b;
  size_t size = strlen(one->path), other_size = strlen(other->path);
  if (size != other_size)
    return size < other_size ? 1 : -1;
  return one->made < other->made ? -1 : one->made > other->made;
}

static size_t add_sent(char *sent, size_t size, const cookie *k)
{
  size_t name = strlen(k->name), value = strlen(k->value), needed = (size ? 2 : 0) + name + (name > 0) + value;
  if (size + needed > COOKIES_SENT_MAX)
    return size;
  snprintf(sent + size, COOKIES_SENT_MAX + 1 - size, "%s%s%s%s", size ? "; " : "", k->name, name ? "=" : "", k->value);
  return size + needed;
}

const char *cookies_for(cookies *c, const char *url, bool is_trusted, uint64_t now_s)
{
  cookie_place place;
  cookie *found[COOKIES_SITE_MAX];
  size_t count = 0, size = 0;
  *c->sent = '\0';
  if (!c->count || !cookie_place_of(url, &place))
    return c->sent;
  uint64_t site = site_of(c, place.host);
  for (int at = *bucket_of(c, site); at != NONE && count < COOKIES_SITE_MAX; at = c->all[at].next)
    if (c->all[at].site == site && is_for(&c->all[at], &place, is_trusted, now_s))
      found[count++] = &c->all[at];
  qsort(found, count, sizeof *found, compare);
  for (size_t i = 0; i < count; i++) {
    size = add_sent(c->sent, size, found[i]);
    unlink_use(c, found[i]);
    link_use(c, (int)(found[i] - c->all));
  }
  return c->sent;
}
