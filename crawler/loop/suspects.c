/* See suspects.h. */
#include "crawler/loop/suspects.h"

#include "crawler/loop/directory_tally.h"
#include "crawler/loop/link_priority.h"
#include "crawler/loop/same_texts.h"
#include "frontier/host.h"
#include "frontier/traps.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  LEVELS = 4,      /* directories that a page counts in: the root, those of its first segments, a path with a query */
  SAID_OFTEN = 64, /* pages */
};

typedef struct level {
  size_t end; /* in `where`: behind its '/' or '?' */
  uint32_t new_within;
} level;

struct suspects {
  mlbf_hasher *hasher;
  same_texts *texts;
  directory_tally *tally;
  /* the page whose links are being added */
  bool is_open, is_same, is_marked;
  uint32_t said; /* by so many pages before, as far as known */
  same_text text;
  const char *where; /* its URL from its host on: the visit's */
  size_t host_size;
  level levels[LEVELS];
  unsigned count;
};

suspects *suspects_create(const uint8_t secret[MLBF_SECRET_BYTES])
{
  suspects *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->hasher = mlbf_hasher_create(secret);
  s->texts = s->hasher ? same_texts_create(s->hasher) : NULL;
  s->tally = directory_tally_create();
  if (s->texts && s->tally)
    return s;
  suspects_free(s);
  return NULL;
}

void suspects_free(suspects *s)
{
  if (!s)
    return;
  directory_tally_free(s->tally);
  same_texts_free(s->texts);
  mlbf_hasher_free(s->hasher);
  free(s);
}

/* ---- the page -------------------------------------------------------------------------------------------- */

static void find_levels(suspects *s, size_t size)
{
  bool is_query = false;
  s->count = 0;
  for (size_t i = s->host_size; i < size && s->count < LEVELS && !is_query; i++) {
    is_query = s->where[i] == '?';
    if (s->where[i] == '/' || is_query)
      s->levels[s->count++] = (level){.end = i + 1};
  }
}

/* What the pages of a marked directory say is in its mark: an earlier run may have found it. */
static bool says_what_is_marked(crawl *c, const suspects *s, size_t size, bool *is_marked)
{
  frontier_mark mark;
  same_text marked;
  *is_marked = frontier_find_mark(c->frontier, s->where, size, &mark);
  if (!*is_marked || mark.note_size != sizeof marked)
    return false;
  memcpy(&marked, mark.note, sizeof marked);
  return same_text_is(&marked, &s->text);
}

void suspects_begin(crawl *c, visit *v, const mlbf_shingles *shingles)
{
  suspects *s = c->suspects;
  const frontier_lease *l = &v->lease;
  size_t size = l->url_size - l->host_begin;
  s->is_open = shingles->count > 0;
  if (!s->is_open)
    return;
  s->where = l->url + l->host_begin;
  s->host_size = l->host_end - l->host_begin;
  s->text = (same_text){.text = shingles->text, .pairs = *page_text_pairs(v->text)};
  find_levels(s, size);
  s->said = same_texts_note(s->texts, s->where, s->host_size, &s->text);
  s->is_same = says_what_is_marked(c, s, size, &s->is_marked) || s->said;
}

/* ---- its links ------------------------------------------------------------------------------------------- */

static void count_new(suspects *s, const char *where, size_t size)
{
  size_t from = 0;
  for (level *l = s->levels; l < s->levels + s->count; l++) {
    if (l->end > size || memcmp(where + from, s->where + from, l->end - from) != 0)
      return;
    l->new_within++;
    from = l->end;
  }
}

/* What many pages link to goes first. A URL found for the first time has one such page; one that is new again, after
 * strata forget, has its counts from before. */
frontier_class crawl_put_in_order(void *context, const frontier_link *link, frontier_verdict verdict,
                                  frontier_class by_rule)
{
  crawl *c = context;
  suspects *s = c->suspects;
  const url *u = link->target;
  bool is_of_same = s && s->is_open && s->is_same;
  frontier_mark mark;
  (void)verdict;
  if (link->origin.hops & VISIT_CHECK)
    return by_rule;
  if (is_of_same) {
    count_new(s, u->fetch + u->host_begin, u->fetch_size - u->host_begin);
    if (frontier_find_mark(c->frontier, u->fetch + u->host_begin, u->fetch_size - u->host_begin, &mark))
      return FRONTIER_TRAP;
  }
  if (by_rule != FRONTIER_NORMAL)
    return by_rule;
  if (c->options.counts && link_priority_is_popular(c->options.counts, u))
    return FRONTIER_HIGH;
  bool is_near = c->near && c->options.near_last, is_said_often = is_of_same && s->said >= SAID_OFTEN;
  return is_near || is_said_often ? FRONTIER_LOW : by_rule;
}

/* ---- its directories ------------------------------------------------------------------------------------- */

static uint64_t hash_of(const suspects *s, const level *l)
{
  return mlbf_hasher_hash(s->hasher, 1, (mlbf_span){s->where, l->end}).low;
}

/* What cannot be marked is not looked for again. */
static void mark_directory(crawl *c, const suspects *s, const level *l)
{
  frontier_mark it = {.name = s->where, .name_size = l->end, .note = &s->text, .note_size = sizeof s->text};
  frontier_status status = frontier_mark_trap(c->frontier, &it);
  if (status == FRONTIER_BAD_ARGUMENT || !crawl_holds(c, status))
    return;
  crawl_holds(c, frontier_count(c->frontier, "suspect-directories", 1));
}

/* The innermost that is suspect; those above it are not to be so for its pages. */
static void count_page(crawl *c, suspects *s)
{
  unsigned i = s->count;
  bool is_found = false;
  while (i > 0 && !is_found) {
    const level *l = &s->levels[--i];
    directory_page page = {.is_same = s->is_same, .is_root = i == 0, .new_within = l->new_within};
    is_found = directory_tally_note(s->tally, hash_of(s, l), &page);
  }
  if (!is_found)
    return;
  mark_directory(c, s, &s->levels[i]);
  while (i > 0)
    directory_tally_drop(s->tally, hash_of(s, &s->levels[--i]));
}

/* A page of a suspect directory counts in none; nor does one that was cut, for pages may begin alike. */
void suspects_end(crawl *c, bool is_cut)
{
  suspects *s = c->suspects;
  if (!s || !s->is_open)
    return;
  s->is_open = false;
  if (s->is_marked && s->is_same)
    crawl_holds(c, frontier_count(c->frontier, "suspect-pages", 1));
  else if (!s->is_marked && !is_cut)
    count_page(c, s);
}
