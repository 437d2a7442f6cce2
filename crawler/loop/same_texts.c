/* See same_texts.h. */
#include "crawler/loop/same_texts.h"

#include <assert.h>
#include <stdlib.h>

enum {
  HOSTS = 8192, /* a power of two */
  TEXTS = 3,    /* of a host: a soft 404 in two languages, and a place for the next text */
  PAGES_MAX = 1 << 20,
};
#define PAIRS_OWN 8.0
#define PAIRS_OFF 0.5 /* what an estimate may be off and still be rounded to that */

typedef struct said {
  same_text text;
  uint32_t times; /* after the first */
  uint32_t page;  /* of the host, when it was said last */
} said;

typedef struct host_texts {
  uint64_t host;  /* its hash */
  uint32_t pages; /* 0: free. Less those of hosts that wanted its place */
  uint32_t page, count;
  said texts[TEXTS];
} host_texts;

struct same_texts {
  const mlbf_hasher *hasher;
  host_texts at[HOSTS]; /* 3.7 MB, of which only the used ones take memory */
};

same_texts *same_texts_create(const mlbf_hasher *hasher)
{
  same_texts *t = calloc(1, sizeof *t);
  if (t)
    t->hasher = hasher;
  return t;
}

void same_texts_free(same_texts *t)
{
  free(t);
}

bool same_text_is(const same_text *a, const same_text *b)
{
  mlbf_pairs_difference d;
  if (a->text == b->text)
    return true;
  return mlbf_pairs_compare(&a->pairs, &b->pairs, &d) && d.own <= PAIRS_OWN + PAIRS_OFF &&
         d.other <= PAIRS_OWN + PAIRS_OFF && d.common >= d.own - PAIRS_OFF && d.common >= d.other - PAIRS_OFF;
}

/* Its place; NULL: both are taken by hosts with more pages. */
static host_texts *find_host(same_texts *t, uint64_t host)
{
  host_texts *first = &t->at[host & (HOSTS - 1)], *second = &t->at[(host >> 32) & (HOSTS - 1)];
  if (first->pages && first->host == host)
    return first;
  if (second->pages && second->host == host)
    return second;
  host_texts *rarer = second->pages < first->pages ? second : first;
  if (rarer->pages && --rarer->pages)
    return NULL;
  *rarer = (host_texts){.host = host};
  return rarer;
}

/* The place of the text that was said least often, and of these the longest ago. */
static said *least_of(host_texts *h)
{
  if (h->count < TEXTS)
    return &h->texts[h->count++];
  said *least = &h->texts[0];
  for (said *s = h->texts + 1; s < h->texts + TEXTS; s++)
    if (s->times < least->times || (s->times == least->times && s->page < least->page))
      least = s;
  return least;
}

uint32_t same_texts_note(same_texts *t, const char *host, size_t size, const same_text *text)
{
  host_texts *h = find_host(t, mlbf_hasher_hash(t->hasher, 0, (mlbf_span){host, size}).low);
  if (!h)
    return 0;
  h->pages += h->pages < PAGES_MAX;
  h->page++;
  assert(h->count <= TEXTS);
  for (said *s = h->texts; s < h->texts + h->count; s++)
    if (same_text_is(&s->text, text)) {
      s->page = h->page;
      return s->times < UINT32_MAX ? ++s->times : s->times;
    }
  *least_of(h) = (said){.text = *text, .page = h->page};
  return 0;
}
