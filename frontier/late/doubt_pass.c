/* See doubt_pass.h. A piece of all keys at a time: what each source has below a bound, then sorted. Keys are hashes,
 * and so spread evenly: a piece has about as many as it is meant to have, a few of each source.
 *
 * Always: what was given away is below `from`, and so is no source's next item, but for one that is taken (is_taken). A
 * file that turns out to be damaged is left for the rows of its part, from the key on where it was. */
#include "frontier/late/doubt_pass.h"

#include "frontier/base/vector.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  PAGES = 4, /* of a file, in memory; */
  MANY = 64, /* of so many files */
  FEW_PAGES = 1,
  PIECE = FRONTIER_LIMIT(4096, 8) /* keys */
};

typedef struct source {
  doubt_part *part;
  key_cursor *cursor; /* NULL: its keys are in memory, */
  size_t at;          /* and these come next */
  bool has_begun, is_taken, is_over;
  numbered_key item;
} source;

struct doubt_pass {
  doubt_parts *parts;
  source *sources;
  size_t count, pages;
  uint64_t rows;       /* of all */
  uint64_t to;         /* key.high that no item of the piece has, but of the last piece */
  bool is_last;        /* all that is left belongs to the piece */
  size_t asked;        /* sources that have given to it what they have */
  numbered_key *piece; /* items `given` .. `held` are still to be given away */
  size_t held, given, room;
};

static int compare(const numbered_key *a, const numbered_key *b)
{
  int by_key = key_compare(a->key, b->key);
  return by_key ? by_key : a->number < b->number ? -1 : a->number > b->number;
}

/* From the file to the rows. */
static frontier_status fall_back(doubt_pass *pass, source *s, char message[FRONTIER_MESSAGE_SIZE])
{
  key_cursor_close(s->cursor);
  s->cursor = NULL;
  doubt_part_spoil(s->part);
  frontier_status status = doubt_part_need(pass->parts, s->part, message);
  if (status != FRONTIER_OK)
    return status;
  for (s->at = 0; s->has_begun && s->at < s->part->count && compare(&s->part->keys[s->at], &s->item) <= 0;)
    ++s->at;
  return FRONTIER_OK;
}

/* The next item, if the one at hand was taken. */
static frontier_status advance(doubt_pass *pass, source *s, char message[FRONTIER_MESSAGE_SIZE])
{
  const numbered_key *next = NULL;
  frontier_status status = FRONTIER_OK;
  if (!s->is_taken || s->is_over)
    return status;
  if (s->cursor)
    status = key_cursor_get(s->cursor, &next, message);
  if (status == FRONTIER_DAMAGED || (!s->cursor && !s->part->is_loaded))
    status = fall_back(pass, s, message);
  if (status != FRONTIER_OK)
    return status;
  if (!s->cursor && s->at < s->part->count)
    next = &s->part->keys[s->at++];
  s->is_over = !next;
  if (!next)
    return FRONTIER_OK;
  s->item = *next;
  s->has_begun = true;
  s->is_taken = false;
  if (s->cursor)
    key_cursor_step(s->cursor);
  return FRONTIER_OK;
}

void doubt_pass_free(doubt_pass *pass)
{
  if (!pass)
    return;
  for (size_t i = 0; i < pass->count; ++i)
    key_cursor_close(pass->sources[i].cursor);
  free(pass->sources);
  free(pass->piece);
  free(pass);
}

static frontier_status no_memory(char message[FRONTIER_MESSAGE_SIZE])
{
  snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory to read links that are not confirmed yet");
  return FRONTIER_NO_MEMORY;
}

static frontier_status open_source(doubt_pass *pass, doubt_part *part, char message[FRONTIER_MESSAGE_SIZE])
{
  source *s = &pass->sources[pass->count];
  *s = (source){.part = part, .is_taken = true};
  if (!part->is_loaded && !(s->cursor = key_cursor_open(part->file, pass->pages)))
    return no_memory(message);
  pass->count++;
  pass->rows += part->end - part->first;
  return FRONTIER_OK;
}

frontier_status doubt_pass_create(doubt_parts *parts, doubt_pass **out, char message[FRONTIER_MESSAGE_SIZE])
{
  size_t count = 0;
  for (const doubt_part *part = parts->first; part && part->end <= parts->in_pass; part = part->next)
    ++count;
  doubt_pass *pass = calloc(1, sizeof *pass);
  source *sources = calloc(count + 1, sizeof *sources);
  if (!pass || !sources) {
    free(pass);
    free(sources);
    return no_memory(message);
  }
  *pass = (doubt_pass){.parts = parts, .sources = sources, .pages = count < MANY ? PAGES : FEW_PAGES};
  frontier_status status = FRONTIER_OK;
  for (doubt_part *part = parts->first; count && status == FRONTIER_OK; part = part->next, --count)
    status = open_source(pass, part, message);
  if (status != FRONTIER_OK) {
    doubt_pass_free(pass);
    return status;
  }
  pass->asked = pass->count;
  *out = pass;
  return FRONTIER_OK;
}

/* The next piece of all keys is begun. */
static void begin_piece(doubt_pass *pass)
{
  uint64_t pieces = pass->rows / PIECE + 1, width = UINT64_MAX / pieces;
  pass->held = pass->given = pass->asked = 0;
  pass->is_last = pass->to >= UINT64_MAX - width;
  pass->to = pass->is_last ? UINT64_MAX : pass->to + width;
}

static frontier_status give(doubt_pass *pass, source *s, char message[FRONTIER_MESSAGE_SIZE])
{
  for (;;) {
    frontier_status status = advance(pass, s, message);
    if (status != FRONTIER_OK || s->is_over || (!pass->is_last && s->item.key.high >= pass->to))
      return status;
    if (!HAS_ROOM(pass->piece, pass->room, pass->held + 1))
      return no_memory(message);
    pass->piece[pass->held++] = s->item;
    s->is_taken = true;
  }
}

/* What a piece lacks, and then the next one, until there is something to be given away. */
static frontier_status renew_piece(doubt_pass *pass, char message[FRONTIER_MESSAGE_SIZE])
{
  while (pass->given == pass->held || pass->asked < pass->count) {
    if (pass->asked == pass->count) {
      if (pass->is_last)
        return FRONTIER_OK;
      begin_piece(pass);
    }
    for (; pass->asked < pass->count; pass->asked++) {
      frontier_status status = give(pass, &pass->sources[pass->asked], message);
      if (status != FRONTIER_OK)
        return status;
    }
    numbered_keys_sort(pass->piece, pass->held);
  }
  return FRONTIER_OK;
}

frontier_status doubt_pass_next(doubt_pass *pass, numbered_key *keys, size_t max, size_t *count,
                                char message[FRONTIER_MESSAGE_SIZE])
{
  for (*count = 0; *count < max;) {
    frontier_status status = renew_piece(pass, message);
    if (status != FRONTIER_OK)
      return *count ? FRONTIER_OK : status;
    size_t left = pass->held - pass->given, some = left < max - *count ? left : max - *count;
    if (some == 0)
      break;
    memcpy(keys + *count, pass->piece + pass->given, some * sizeof *keys);
    pass->given += some;
    *count += some;
  }
  return FRONTIER_OK;
}
