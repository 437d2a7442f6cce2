/* See directory_tally.h. */
#include "crawler/loop/directory_tally.h"

#include <assert.h>
#include <stdlib.h>

enum {
  DIRECTORIES = 16384, /* a power of two */
  PAGES_MAX = 512,     /* counts are halved here */
  WINDOW = 64,         /* pages that say the same */
  WINDOWS_MIN = 8,
  WINDOWS_MIN_OF_ROOT = 12,
};

typedef struct directory {
  uint32_t tag;         /* of its hash */
  uint16_t pages, same; /* 0 pages: free */
  uint16_t windows;     /* that are over */
  uint16_t in_window;   /* pages */
  uint32_t led_to;      /* by them */
  uint32_t led_to_most; /* in a window before */
} directory;

struct directory_tally {
  directory at[DIRECTORIES];
};

directory_tally *directory_tally_create(void)
{
  return calloc(1, sizeof(directory_tally));
}

void directory_tally_free(directory_tally *t)
{
  free(t);
}

/* Its place; NULL: it has none. */
static directory *look(directory_tally *t, uint64_t hash, directory **other)
{
  uint32_t tag = (uint32_t)(hash >> 32);
  directory *first = &t->at[hash & (DIRECTORIES - 1)], *second = &t->at[hash >> 14 & (DIRECTORIES - 1)];
  *other = second->pages < first->pages ? second : first;
  if (first->pages && first->tag == tag)
    return first;
  return second->pages && second->tag == tag ? second : NULL;
}

/* NULL: both of its places are taken by others. */
static directory *find(directory_tally *t, uint64_t hash)
{
  directory *rarer, *found = look(t, hash, &rarer);
  if (found)
    return found;
  if (rarer->pages && --rarer->pages) {
    rarer->same -= rarer->same > rarer->pages;
    return NULL;
  }
  *rarer = (directory){.tag = (uint32_t)(hash >> 32)};
  return rarer;
}

/* A window is over: does it lead on as those before? */
static bool leads_on(directory *d)
{
  uint32_t led_to = d->led_to;
  bool is_first = d->windows == 0;
  bool does = !is_first && led_to >= WINDOW && (uint64_t)led_to * 10 >= (uint64_t)d->led_to_most * 9;
  d->windows += d->windows < UINT16_MAX;
  d->in_window = 0;
  d->led_to = 0;
  if (!is_first && led_to > d->led_to_most)
    d->led_to_most = led_to;
  return does;
}

bool directory_tally_note(directory_tally *t, uint64_t hash, const directory_page *page)
{
  directory *d = find(t, hash);
  if (!d)
    return false;
  assert(d->same <= d->pages && d->pages < PAGES_MAX && d->in_window < WINDOW);
  d->pages++;
  if (d->pages == PAGES_MAX) {
    d->pages /= 2;
    d->same /= 2;
  }
  if (!page->is_same)
    return false;
  d->same++;
  d->led_to += page->new_within;
  if (++d->in_window < WINDOW || !leads_on(d))
    return false;
  bool is_suspect = d->windows >= (page->is_root ? WINDOWS_MIN_OF_ROOT : WINDOWS_MIN) && d->same >= d->pages / 8 * 7;
  if (is_suspect)
    *d = (directory){0};
  return is_suspect;
}

void directory_tally_drop(directory_tally *t, uint64_t hash)
{
  directory *other, *d = look(t, hash, &other);
  if (d)
    *d = (directory){0};
}
