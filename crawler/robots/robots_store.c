/* See robots_store.h. A record is a head, the name, the packed rules; it lies whole within the ring. Positions count
 * all bytes ever written, from `file_bytes` on: what lies further back than the ring is long was overwritten. */
#include "crawler/robots/robots_store.h"

#include "crawler/base/nameless.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAYS = 4, NAME_MAX_BYTES = 4096 };

typedef struct place {
  uint64_t hash, position; /* position 0: free */
} place;

typedef struct record_head {
  uint64_t known_ms;
  uint32_t name_size, rules_size;
} record_head;

struct robots_store {
  int fd;
  uint64_t file_bytes, end;
  mlbf_hasher *hasher;
  place *places;
  size_t sets;
};

robots_store *robots_store_create(const char *directory, uint64_t file_bytes, size_t index_bytes,
                                  const uint8_t secret[MLBF_SECRET_BYTES])
{
  size_t sets = index_bytes / (WAYS * sizeof(place));
  robots_store *s = sets && file_bytes > ROBOTS_STORED_MAX + NAME_MAX_BYTES ? calloc(1, sizeof *s) : NULL;
  if (!s)
    return NULL;
  s->sets = sets;
  s->file_bytes = s->end = file_bytes;
  s->fd = nameless_open(directory);
  s->hasher = mlbf_hasher_create(secret);
  s->places = calloc(sets * WAYS, sizeof *s->places);
  if (s->fd >= 0 && s->hasher && s->places)
    return s;
  robots_store_free(s);
  return NULL;
}

void robots_store_free(robots_store *s)
{
  if (!s)
    return;
  if (s->fd >= 0)
    close(s->fd);
  mlbf_hasher_free(s->hasher);
  free(s->places);
  free(s);
}

static bool is_there(const robots_store *s, const place *p)
{
  return p->position && s->end - p->position <= s->file_bytes;
}

static uint64_t hash_of(const robots_store *s, const char *name)
{
  return mlbf_hasher_hash(s->hasher, 2, (mlbf_span){name, strlen(name)}).low;
}

/* Its own place, or the one that was written longest ago. */
static place *place_of(const robots_store *s, uint64_t hash)
{
  place *set = &s->places[hash % s->sets * WAYS], *best = set;
  for (unsigned i = 0; i < WAYS; i++) {
    if (set[i].hash == hash && set[i].position)
      return &set[i];
    if (set[i].position < best->position)
      best = &set[i];
  }
  return best;
}

/* Where so many bytes lie whole. */
static uint64_t next_position(const robots_store *s, size_t size)
{
  uint64_t left = s->file_bytes - s->end % s->file_bytes;
  return size <= left ? s->end : s->end + left;
}

void robots_store_put(robots_store *s, const char *name, const robots *rules, uint64_t known_ms)
{
  size_t name_size = strlen(name), rules_size;
  if (robots_memory(rules) > ROBOTS_STORED_MAX || name_size > NAME_MAX_BYTES)
    return;
  char *packed = robots_pack(rules, &rules_size);
  record_head head = {known_ms, (uint32_t)name_size, (uint32_t)rules_size};
  size_t size = sizeof head + name_size + rules_size;
  char *record = packed ? malloc(size) : NULL;
  if (record) {
    memcpy(record, &head, sizeof head);
    memcpy(record + sizeof head, name, name_size);
    memcpy(record + sizeof head + name_size, packed, rules_size);
    uint64_t position = next_position(s, size);
    s->end = position + size; /* also if it was written in part */
    if (nameless_write(s->fd, record, size, position % s->file_bytes) == size) {
      uint64_t hash = hash_of(s, name);
      *place_of(s, hash) = (place){hash, position};
    }
  }
  free(record);
  free(packed);
}

robots *robots_store_get(const robots_store *s, const char *name, uint64_t *known_ms)
{
  uint64_t hash = hash_of(s, name);
  const place *p = place_of(s, hash);
  record_head head;
  char *record = NULL;
  robots *rules = NULL;
  size_t name_size = strlen(name);
  if (p->hash != hash || !is_there(s, p))
    return NULL;
  uint64_t at = p->position % s->file_bytes;
  if (!nameless_read(s->fd, (char *)&head, sizeof head, at) || head.name_size != name_size)
    return NULL;
  size_t size = name_size + head.rules_size;
  if (head.rules_size <= ROBOTS_STORED_MAX && (record = malloc(size)) &&
      nameless_read(s->fd, record, size, at + sizeof head) && memcmp(record, name, name_size) == 0)
    rules = robots_unpack(record + name_size, head.rules_size);
  free(record);
  if (rules)
    *known_ms = head.known_ms;
  return rules;
}
