/* A text as a set of numbers. */
#include "mlbf/shingle.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { WORD_MAX = 64 }; /* bytes of a word that count: longer ones are no words */

/* The text a word at a time, and of it the last words and the last shingles. */
typedef struct reader {
  const unsigned char *at, *end;
  uint64_t words[MLBF_SHINGLE_WORDS];
  uint64_t window[MLBF_SHINGLE_WINDOW];
  size_t word_count, shingle_count;
  uint64_t last; /* shingle kept last, so that a run of windows with one least keeps it once */
} reader;

static bool is_word_byte(unsigned char byte)
{
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
}

/* False: there is none any more. */
static bool next_word(reader *r, uint64_t *word)
{
  char lower[WORD_MAX];
  size_t size = 0;
  while (r->at < r->end && !is_word_byte(*r->at))
    r->at++;
  for (; r->at < r->end && is_word_byte(*r->at); r->at++)
    if (size < WORD_MAX)
      lower[size++] = (char)(*r->at >= 'A' && *r->at <= 'Z' ? *r->at | 0x20 : *r->at);
  *word = XXH3_64bits(lower, size);
  return size > 0;
}

static uint64_t shingle_of(const reader *r)
{
  uint64_t in_order[MLBF_SHINGLE_WORDS];
  size_t count = r->word_count < MLBF_SHINGLE_WORDS ? r->word_count : MLBF_SHINGLE_WORDS;
  for (size_t i = 0; i < count; i++)
    in_order[i] = r->words[(r->word_count - count + i) % MLBF_SHINGLE_WORDS];
  return XXH3_64bits(in_order, count * sizeof *in_order);
}

static uint64_t least_in_window(const reader *r)
{
  size_t count = r->shingle_count < MLBF_SHINGLE_WINDOW ? r->shingle_count : MLBF_SHINGLE_WINDOW;
  uint64_t least = r->window[0];
  for (size_t i = 1; i < count; i++)
    least = r->window[i] < least ? r->window[i] : least;
  return least;
}

static bool keep(mlbf_shingles *kept, uint64_t shingle)
{
  if (kept->count == kept->room) {
    size_t room = 2 * kept->room + 64;
    uint64_t *larger = realloc(kept->at, room * sizeof *larger);
    if (!larger)
      return false;
    kept->at = larger;
    kept->room = room;
  }
  kept->at[kept->count++] = shingle;
  return true;
}

/* The window slid on by one shingle. */
static bool slide(reader *r, mlbf_shingles *kept)
{
  r->window[r->shingle_count++ % MLBF_SHINGLE_WINDOW] = shingle_of(r);
  if (r->shingle_count < MLBF_SHINGLE_WINDOW)
    return true;
  uint64_t least = least_in_window(r);
  if (r->shingle_count > MLBF_SHINGLE_WINDOW && least == r->last)
    return true;
  r->last = least;
  return keep(kept, least);
}

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static size_t each_once(uint64_t *at, size_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (i == 0 || at[i] != at[i - 1])
      at[kept++] = at[i];
  return kept;
}

mlbf_status mlbf_shingles_of(const char *text, size_t size, mlbf_shingles *shingles)
{
  reader r = {.at = (const unsigned char *)text, .end = (const unsigned char *)text + size};
  mlbf_shingles kept = {0};
  uint64_t word;
  bool is_done = true;
  while (is_done && next_word(&r, &word)) {
    r.words[r.word_count++ % MLBF_SHINGLE_WORDS] = word;
    if (r.word_count >= MLBF_SHINGLE_WORDS)
      is_done = slide(&r, &kept);
  }
  if (is_done && r.word_count > 0 && r.word_count < MLBF_SHINGLE_WORDS)
    is_done = keep(&kept, shingle_of(&r));
  if (is_done && r.shingle_count > 0 && r.shingle_count < MLBF_SHINGLE_WINDOW)
    is_done = keep(&kept, least_in_window(&r));
  if (!is_done) {
    mlbf_shingles_free(&kept);
    return MLBF_NO_MEMORY;
  }
  if (kept.count)
    qsort(kept.at, kept.count, sizeof *kept.at, ascending);
  kept.count = each_once(kept.at, kept.count);
  mlbf_shingles_free(shingles);
  *shingles = kept;
  return MLBF_OK;
}

void mlbf_shingles_free(mlbf_shingles *shingles)
{
  free(shingles->at);
  *shingles = (mlbf_shingles){.count = 0};
}

size_t mlbf_shingles_common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
    common += a[i] == b[j];
    uint64_t x = a[i], y = b[j];
    i += x <= y;
    j += y <= x;
  }
  return common;
}
