/* See content_decoder.h.
 *
 *     bytes -> the coding named last -> ... -> the coding named first -> sink
 *
 * Each hands on a piece at a time, so no coding's output is kept as a whole. Always: a coding gets no more bytes than
 * the one before it made, and that is counted. http/transfer.c reads responses with it, warc/stored_body.c what is
 * stored of them; on any thread, one at a time. */
#include "crawler/base/content_decoder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PIECE = 16 << 10 };

typedef struct layer {
  content_stream *stream;
  uint64_t made; /* bytes, by it */
  char piece[PIECE];
} layer;

struct content_decoder {
  content_sink *sink;
  void *context;
  uint64_t between_max;
  bool has_too_much;
  size_t count;
  layer layers[]; /* the first is of the coding that was applied last */
};

const char content_codings_accepted[] = "gzip, deflate, br, zstd";

/* ---- Content-Encoding ---------------------------------------------------------------------------------------- */

static bool is_word(const char *at, size_t size, const char *word)
{
  return size == strlen(word) && strncasecmp(at, word, size) == 0;
}

static void add_name(content_codings *c, const char *name, size_t size)
{
  static const struct {
    const char *name;
    content_coding coding;
  } known[] = {{"gzip", CODING_GZIP},
               {"x-gzip", CODING_GZIP}, /* RFC 9110, 8.4.1.3 */
               {"deflate", CODING_DEFLATE},
               {"br", CODING_BROTLI},
               {"zstd", CODING_ZSTD}};
  if (!size || is_word(name, size, "identity"))
    return;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (is_word(name, size, known[i].name)) {
      if (c->count < CONTENT_CODINGS_MAX)
        c->named[c->count] = known[i].coding;
      c->count++;
      return;
    }
  c->has_unknown = true;
}

void content_codings_add(content_codings *c, const char *field, size_t size)
{
  static const char blanks[] = " \t\r\n";
  for (const char *end = field + size, *at = field; at < end;) {
    const char *comma = memchr(at, ',', (size_t)(end - at)), *next = comma ? comma : end, *name_end = next;
    while (at < name_end && strchr(blanks, *at))
      at++;
    while (name_end > at && strchr(blanks, name_end[-1]))
      name_end--;
    add_name(c, at, (size_t)(name_end - at));
    at = next + 1;
  }
}

/* ---- the decoder --------------------------------------------------------------------------------------------- */

content_decoder *content_decoder_create(const content_codings *c, uint64_t between_max, content_sink *sink,
                                        void *context)
{
  assert(c->count > 0 && c->count <= CONTENT_CODINGS_MAX && !c->has_unknown);
  content_decoder *d = malloc(sizeof *d + c->count * sizeof *d->layers);
  if (!d)
    return NULL;
  *d = (content_decoder){.sink = sink, .context = context, .between_max = between_max};
  while (d->count < c->count) {
    layer *l = &d->layers[d->count];
    l->stream = content_stream_create(c->named[c->count - 1 - d->count]);
    l->made = 0;
    if (!l->stream) {
      content_decoder_free(d);
      return NULL;
    }
    d->count++;
  }
  return d;
}

void content_decoder_free(content_decoder *d)
{
  if (!d)
    return;
  for (size_t i = 0; i < d->count; i++)
    content_stream_free(d->layers[i].stream);
  free(d);
}

/* Through the layers from `nth` on. */
static bool pass(content_decoder *d, size_t nth, const char *bytes, size_t size)
{
  if (nth == d->count)
    return d->sink(d->context, bytes, size);
  layer *l = &d->layers[nth];
  bool is_last = nth + 1 == d->count;
  size_t made;
  do {
    made = content_stream_read(l->stream, &bytes, &size, l->piece, sizeof l->piece);
    l->made += made;
    d->has_too_much |= !is_last && l->made > d->between_max;
    if (d->has_too_much || (made && !pass(d, nth + 1, l->piece, made)))
      return false;
  } while (size || made == sizeof l->piece);
  return true;
}

bool content_decoder_add(content_decoder *d, const char *bytes, size_t size)
{
  assert(d->count > 0 && d->count <= CONTENT_CODINGS_MAX);
  return !d->has_too_much && pass(d, 0, bytes, size);
}

/* What the innermost coding ends, is whole, whatever became of those around it. */
content_end content_decoder_end(const content_decoder *d)
{
  const layer *inner = &d->layers[d->count - 1];
  content_stream_state last = content_stream_now(inner->stream);
  bool is_cut = false, is_broken = false;
  for (size_t i = 0; i < d->count; i++) {
    content_stream_state state = content_stream_now(d->layers[i].stream);
    is_cut |= state == STREAM_OPEN;
    is_broken |= state == STREAM_BROKEN;
  }
  if (d->has_too_much)
    return CONTENT_TOO_MUCH;
  if (last == STREAM_COMPLETE || last == STREAM_ENDED || !(is_cut || is_broken))
    return CONTENT_WHOLE;
  return is_broken && !inner->made ? CONTENT_NOT_CODED : CONTENT_CUT;
}
