/* See tls_sessions.h. */
#include "crawler/http/tls_sessions.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 4, SETS = TLS_SESSIONS / WAYS };

typedef struct slot {
  char *host; /* NULL: free; its session's bytes stand behind its NUL */
  int size;
} slot;

typedef struct set {
  slot slots[WAYS];
  unsigned next; /* to give way when all are taken: the oldest */
} set;

struct tls_sessions {
  set sets[SETS];
};

tls_sessions *tls_sessions_create(void)
{
  return calloc(1, sizeof(tls_sessions));
}

void tls_sessions_free(tls_sessions *s)
{
  for (size_t i = 0; s && i < TLS_SESSIONS; i++)
    free(s->sets[i / WAYS].slots[i % WAYS].host);
  free(s);
}

/* FNV-1a: who chooses names that meet in a set wins handshakes with hosts of its own. */
static set *set_of(tls_sessions *s, const char *host)
{
  uint32_t hash = 0x811C9DC5U;
  for (; *host; host++)
    hash = (hash ^ (uint8_t)*host) * 0x01000193U;
  return &s->sets[(hash ^ hash >> 16) % SETS];
}

/* NULL: there is none. */
static slot *find(set *in, const char *host)
{
  for (size_t i = 0; i < WAYS; i++)
    if (in->slots[i].host && strcmp(in->slots[i].host, host) == 0)
      return &in->slots[i];
  return NULL;
}

void tls_sessions_put(tls_sessions *s, const char *host, const SSL_SESSION *session)
{
  int size = SSL_SESSION_is_resumable(session) ? i2d_SSL_SESSION(session, NULL) : 0;
  if (size <= 0 || size > TLS_SESSION_MAX)
    return;
  size_t name = strlen(host) + 1;
  char *kept = malloc(name + (size_t)size);
  if (!kept)
    return;
  memcpy(kept, host, name);
  unsigned char *at = (unsigned char *)kept + name;
  size = i2d_SSL_SESSION(session, &at);
  set *in = set_of(s, host);
  slot *place = find(in, host);
  if (!place)
    place = &in->slots[in->next++ % WAYS];
  free(place->host);
  *place = (slot){.host = kept, .size = size};
}

SSL_SESSION *tls_sessions_get(tls_sessions *s, const char *host)
{
  const slot *place = find(set_of(s, host), host);
  if (!place)
    return NULL;
  const unsigned char *at = (const unsigned char *)place->host + strlen(host) + 1;
  return d2i_SSL_SESSION(NULL, &at, place->size);
}
