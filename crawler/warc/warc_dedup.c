/* See warc_dedup.h. An open-addressing table of offsets into one text: "digest NUL date NUL url NUL", again and again.
 * */
#include "crawler/warc/warc_dedup.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  SLOTS_FIRST = 1 << 10,
  SLOTS_MAX = 1 << 20, /* 4 MB, half of them used: no WARC file of the usual size has more warc_dedup */
  TEXT_MAX = 64 << 20,
};

struct warc_dedup {
  uint32_t *slots; /* offset in the text + 1; 0: free */
  size_t slot_count, used;
  char *text;
  size_t size, room;
};

warc_dedup *warc_dedup_create(void)
{
  warc_dedup *p = calloc(1, sizeof *p);
  if (!p || !(p->slots = calloc(SLOTS_FIRST, sizeof *p->slots))) {
    free(p);
    return NULL;
  }
  p->slot_count = SLOTS_FIRST;
  return p;
}

static void assert_payloads(const warc_dedup *p)
{
  assert((p->slot_count & (p->slot_count - 1)) == 0 && p->slot_count <= SLOTS_MAX);
  assert(2 * p->used <= p->slot_count && p->size <= p->room && p->room <= TEXT_MAX);
  assert(p->size || !p->used);
  (void)p;
}

void warc_dedup_free(warc_dedup *p)
{
  if (!p)
    return;
  free(p->slots);
  free(p->text);
  free(p);
}

void warc_dedup_clear(warc_dedup *p)
{
  memset(p->slots, 0, p->slot_count * sizeof *p->slots);
  p->used = p->size = 0;
}

/* A digest is random already: its first eight characters are 40 bits. A site that makes them equal on purpose makes
 * only its own pages slow to look up, by one comparison each. */
static size_t slot_of(const warc_dedup *p, const char *digest)
{
  uint64_t bits = 0;
  for (size_t i = 0; i < 8 && digest[i]; i++)
    bits = bits * 31 + (unsigned char)digest[i];
  return (size_t)(bits * 0x9E3779B97F4A7C15u >> 20) & (p->slot_count - 1);
}

/* The slot that has this digest, or the free one where it belongs. */
static size_t find(const warc_dedup *p, const char *digest)
{
  size_t at = slot_of(p, digest);
  while (p->slots[at] && strcmp(p->text + p->slots[at] - 1, digest) != 0)
    at = (at + 1) & (p->slot_count - 1);
  return at;
}

static bool grow_table(warc_dedup *p)
{
  if (2 * (p->used + 1) <= p->slot_count)
    return true;
  uint32_t *old = p->slots, *larger = calloc(2 * p->slot_count, sizeof *larger);
  if (p->slot_count == SLOTS_MAX || !larger) {
    free(larger);
    return false;
  }
  size_t old_count = p->slot_count;
  p->slots = larger;
  p->slot_count *= 2;
  for (size_t i = 0; i < old_count; i++)
    if (old[i])
      p->slots[find(p, p->text + old[i] - 1)] = old[i];
  free(old);
  return true;
}

static bool grow_text(warc_dedup *p, size_t more)
{
  if (p->size + more <= p->room)
    return true;
  size_t room = 2 * (p->size + more);
  char *larger = room <= TEXT_MAX ? realloc(p->text, room) : NULL;
  if (!larger)
    return false;
  p->text = larger;
  p->room = room;
  return true;
}

static void add(warc_dedup *p, const char *digest, const char *date, const char *url)
{
  const char *const words[] = {digest, date, url};
  if (!grow_table(p) || !grow_text(p, strlen(digest) + strlen(date) + strlen(url) + 3))
    return;
  p->slots[find(p, digest)] = (uint32_t)p->size + 1;
  p->used++;
  for (size_t i = 0; i < 3; i++) {
    size_t size = strlen(words[i]) + 1;
    memcpy(p->text + p->size, words[i], size);
    p->size += size;
  }
  assert_payloads(p);
}

payload warc_dedup_take(warc_dedup *p, const char *digest, const char *date, const char *url)
{
  assert_payloads(p);
  uint32_t found = p->slots[find(p, digest)];
  assert(found <= p->size);
  if (!found) {
    add(p, digest, date, url);
    return (payload){0};
  }
  const char *first_date = p->text + found - 1 + strlen(digest) + 1;
  return (payload){.date = first_date, .url = first_date + strlen(first_date) + 1};
}
