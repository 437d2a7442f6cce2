/* Texts as lists of words: from strings, from a directory's files, and generated. */
#include "datasets/make/texts.h"
#include "datasets/sort/rng.h"

#include <errno.h>
#include <fts.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { WORDS_MIN = 50, VOCABULARY = 5000 }; /* of generated ones */

/* ---- one text -------------------------------------------------------------------------------- */

static bool reserve(text_words *to, size_t words, size_t bytes)
{
  if (to->count + words + 1 > to->room) {
    size_t room = 2 * to->room + words + 64;
    uint32_t *at = realloc(to->at, room * sizeof *at);
    if (at == NULL)
      return false;
    to->at = at;
    to->room = room;
  }
  size_t used = text_size(to);
  if (to->bytes == NULL || used + bytes > to->bytes_room) {
    size_t room = 2 * to->bytes_room + bytes + 256;
    char *larger = realloc(to->bytes, room);
    if (larger == NULL)
      return false;
    to->bytes = larger;
    to->bytes_room = room;
  }
  to->at[to->count] = (uint32_t)used;
  return true;
}

static bool add_word(text_words *to, const char *word, size_t size)
{
  if (!reserve(to, 1, size + 1))
    return false;
  char *at = to->bytes + to->at[to->count];
  for (size_t i = 0; i < size; i++)
    at[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] | 0x20 : word[i]);
  at[size] = ' ';
  to->at[to->count + 1] = to->at[to->count] + (uint32_t)size + 1;
  to->count++;
  return true;
}

bool text_append(text_words *to, const text_words *from, size_t first, size_t count)
{
  if (count == 0)
    return true;
  uint32_t begin = from->at[first], size = from->at[first + count] - begin;
  if (!reserve(to, count, size))
    return false;
  uint32_t used = to->at[to->count];
  memcpy(to->bytes + used, from->bytes + begin, size);
  for (size_t i = 1; i <= count; i++)
    to->at[to->count + i] = used + from->at[first + i] - begin;
  to->count += count;
  return true;
}

void text_free(text_words *of)
{
  free(of->bytes);
  free(of->at);
}

/* ---- words of bytes -------------------------------------------------------------------------- */

static bool is_word_byte(char byte)
{
  unsigned char letter = (unsigned char)byte;
  return letter >= 0x80 || (letter >= '0' && letter <= '9') || ((letter | 0x20) >= 'a' && (letter | 0x20) <= 'z');
}

static const char *behind(const char *at, const char *end, const char *mark)
{
  const char *found = memmem(at, (size_t)(end - at), mark, strlen(mark));
  return found != NULL ? found + strlen(mark) : end;
}

/* The end of the tag, comment, script or style that begins at `at`; `at` itself if none does. */
static const char *behind_markup(const char *at, const char *end)
{
  static const char *const hidden[][2] = {{"<!--", "-->"}, {"<script", "</script"}, {"<style", "</style"}};
  if (*at != '<' || end - at < 2 || !(is_word_byte(at[1]) || at[1] == '/' || at[1] == '!'))
    return at;
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
    size_t size = strlen(hidden[i][0]);
    if ((size_t)(end - at) > size && strncasecmp(at, hidden[i][0], size) == 0)
      return behind(at + size, end, hidden[i][1]);
  }
  return behind(at, end, ">");
}

static bool begins_with_a_tag(const char *at, const char *end)
{
  while (at < end && strchr(" \t\r\n\f", *at) != NULL && *at != '\0')
    at++;
  return at < end && *at == '<';
}

static bool add_words(text_words *to, const char *at, const char *end)
{
  bool is_markup = begins_with_a_tag(at, end);
  while (at < end) {
    const char *from = at;
    if (is_markup && (at = behind_markup(from, end)) > from)
      continue;
    while (at < end && is_word_byte(*at))
      at++;
    if (at == from)
      at++;
    else if (!add_word(to, from, (size_t)(at - from)))
      return false;
  }
  return true;
}

/* ---- many ------------------------------------------------------------------------------------ */

static bool texts_put(texts *to, text_words *made)
{
  if (to->count == to->room) {
    size_t room = 2 * to->room + 64;
    text_words *larger = realloc(to->list, room * sizeof *larger);
    if (larger == NULL)
      return false;
    to->list = larger;
    to->room = room;
  }
  to->list[to->count++] = *made;
  return true;
}

bool texts_add(texts *to, const char *bytes, size_t size)
{
  text_words made = {.count = 0};
  if (add_words(&made, bytes, bytes + size) && texts_put(to, &made))
    return true;
  text_free(&made);
  return false;
}

/* The file's bytes, to be freed; NULL: errno says why. */
static char *read_file(const FTSENT *entry, size_t *size)
{
  char *bytes = malloc((size_t)entry->fts_statp->st_size + 1);
  FILE *file = bytes != NULL ? fopen(entry->fts_accpath, "rb") : NULL;
  if (file != NULL) {
    *size = fread(bytes, 1, (size_t)entry->fts_statp->st_size, file);
    bool is_read = ferror(file) == 0;
    fclose(file);
    if (is_read)
      return bytes;
  }
  free(bytes);
  return NULL;
}

static bool pass_over(texts *to)
{
  to->passed_over++;
  return true;
}

static bool add_file(texts *to, const FTSENT *entry)
{
  size_t size;
  if (entry->fts_statp->st_size > TEXTS_FILE_MAX)
    return pass_over(to);
  char *bytes = read_file(entry, &size);
  if (bytes == NULL)
    return false;
  bool is_text = memchr(bytes, 0, size) == NULL, is_added = is_text && texts_add(to, bytes, size);
  free(bytes);
  if (!is_text)
    return pass_over(to);
  if (!is_added || to->list[to->count - 1].count > 0)
    return is_added;
  text_free(&to->list[--to->count]);
  return pass_over(to);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
  return strcmp((*a)->fts_name, (*b)->fts_name);
}

bool texts_add_tree(texts *to, const char *directory)
{
  char *roots[] = {strdup(directory), NULL};
  FTS *walk = roots[0] != NULL ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
  bool is_read = walk != NULL;
  for (FTSENT *entry; is_read && (errno = 0, entry = fts_read(walk)) != NULL;) {
    if (entry->fts_info == FTS_F)
      is_read = add_file(to, entry);
    else if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS) {
      errno = entry->fts_errno;
      is_read = false;
    }
  }
  int why = errno;
  if (walk != NULL)
    fts_close(walk);
  free(roots[0]);
  errno = why;
  return is_read && why == 0;
}

/* ---- made ------------------------------------------------------------------------------------ */

/* Word i is as common as ln(5000 / i). */
static bool add_random_word(text_words *to, uint64_t *rng)
{
  uint64_t word = rng_below(rng, 1 + rng_below(rng, VOCABULARY));
  char letters[8];
  size_t size = 0;
  do
    letters[size++] = (char)('a' + word % 26);
  while ((word /= 26) > 0);
  return add_word(to, letters, size);
}

bool text_append_random(text_words *to, size_t count, uint64_t *rng)
{
  bool is_made = true;
  for (size_t i = 0; is_made && i < count; i++)
    is_made = add_random_word(to, rng);
  return is_made;
}

bool texts_generate(texts *to, size_t count, uint32_t words_mean, uint64_t seed)
{
  uint64_t rng = rng_mix(seed);
  for (size_t i = 0; i < count; i++) {
    text_words made = {.count = 0};
    double above = ((double)rng_below(&rng, 1u << 30) + 1) / (1u << 30);
    size_t words = WORDS_MIN + (size_t)(-log(above) * ((double)words_mean - WORDS_MIN));
    if (!text_append_random(&made, words, &rng) || !texts_put(to, &made)) {
      text_free(&made);
      return false;
    }
  }
  return true;
}

void texts_free(texts *of)
{
  for (size_t i = 0; i < of->count; i++)
    text_free(&of->list[i]);
  free(of->list);
  *of = (texts){.count = 0};
}
