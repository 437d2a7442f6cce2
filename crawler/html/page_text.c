/* See page_text.h. What is between tags is text, and a tag parts words; a reference that is cut by the end of a piece
 * is held until the rest of it comes. */
#include "crawler/html/page_text.h"

#include "crawler/html/entities.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCE_MAX = 40 }; /* bytes of one with its '&' and ';'; the longest name has 31 */

struct page_text {
  mlbf_shingler *shingler;
  char held[REFERENCE_MAX]; /* a reference so far, from its '&' on */
  size_t held_size;
};

page_text *page_text_create(void)
{
  page_text *t = calloc(1, sizeof *t);
  if (t && !(t->shingler = mlbf_shingler_create(MLBF_CORPUS_SHINGLES_MAX))) {
    free(t);
    return NULL;
  }
  return t;
}

void page_text_free(page_text *t)
{
  if (!t)
    return;
  mlbf_shingler_free(t->shingler);
  free(t);
}

void page_text_begin(page_text *t)
{
  t->held_size = 0;
  mlbf_shingler_begin(t->shingler);
}

void page_text_feed_plain(page_text *t, const char *bytes, size_t size)
{
  mlbf_shingler_feed(t->shingler, bytes, size);
}

/* What is held for what it stands for. A no-break space is a space: it parts words. */
static void settle(page_text *t)
{
  char utf8[ENTITY_UTF8_MAX];
  assert(t->held_size >= 1 && t->held_size <= REFERENCE_MAX && *t->held == '&');
  size_t size, used = entity_read(t->held + 1, t->held_size - 1, utf8, &size);
  bool is_space = used && size == 2 && memcmp(utf8, "\xC2\xA0", 2) == 0;
  if (used)
    mlbf_shingler_feed(t->shingler, is_space ? " " : utf8, is_space ? 1 : size);
  used += used > 0;
  mlbf_shingler_feed(t->shingler, t->held + used, t->held_size - used);
  t->held_size = 0;
}

static bool is_in_reference(char c)
{
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '#';
}

/* Goes on with the one that is held; returns where it ended. */
static const char *hold(page_text *t, const char *at, const char *end)
{
  while (at < end && is_in_reference(*at) && t->held_size < REFERENCE_MAX)
    t->held[t->held_size++] = *at++;
  if (at == end && t->held_size < REFERENCE_MAX)
    return end;
  if (at < end && *at == ';' && t->held_size < REFERENCE_MAX)
    t->held[t->held_size++] = *at++;
  settle(t);
  return at;
}

void page_text_feed_html(page_text *t, const char *bytes, size_t size)
{
  const char *at = bytes, *end = bytes + size;
  if (t->held_size)
    at = hold(t, at, end);
  while (at < end) {
    const char *reference = memchr(at, '&', (size_t)(end - at));
    mlbf_shingler_feed(t->shingler, at, (size_t)((reference ? reference : end) - at));
    if (!reference)
      return;
    assert(!t->held_size);
    t->held[t->held_size++] = '&';
    at = hold(t, reference + 1, end);
  }
}

mlbf_shingles page_text_finish(page_text *t)
{
  mlbf_shingles shingles;
  if (t->held_size)
    settle(t);
  if (mlbf_shingler_finish(t->shingler, &shingles) != MLBF_OK)
    shingles = (mlbf_shingles){.count = 0};
  return shingles;
}

const mlbf_pairs *page_text_pairs(const page_text *t)
{
  return mlbf_shingler_pairs(t->shingler);
}
