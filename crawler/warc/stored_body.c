/* See stored_body.h. */
#include "crawler/warc/stored_body.h"

#include "crawler/http/dechunk.h"
#include "crawler/http/http_head.h"
#include "crawler/warc/content_coding.h"

#include <stdlib.h>

struct stored_body {
  stored_body_sink *sink;
  void *context;
  bool is_chunked;
  dechunk dechunk;
  content_coding *coding; /* NULL: the bytes are passed on */
  const char *why;
};

stored_body *stored_body_create(const char *http_head, size_t size, stored_body_sink *sink, void *context)
{
  stored_body *b = calloc(1, sizeof *b);
  if (!b)
    return NULL;
  content_kind kind = content_coding_kind(http_head, size);
  b->sink = sink;
  b->context = context;
  b->is_chunked = http_head_says(http_head, size, "Transfer-Encoding", "chunked");
  if (kind == CONTENT_UNKNOWN)
    b->why = "its Content-Encoding is not one of gzip, deflate, br and zstd, so it is as the server sent it";
  else if (kind != CONTENT_PLAIN && !(b->coding = content_coding_create(kind))) {
    free(b);
    return NULL;
  }
  return b;
}

static void add_payload(void *context, const char *bytes, size_t size)
{
  stored_body *b = context;
  if (!b->coding)
    b->sink(b->context, bytes, size);
  else if (!b->why && !content_coding_add(b->coding, bytes, size, b->sink, b->context))
    b->why = "it is not compressed as its head says";
}

void stored_body_add(stored_body *b, const char *bytes, size_t size)
{
  if (b->is_chunked)
    dechunk_feed(&b->dechunk, bytes, size, add_payload, b);
  else
    add_payload(b, bytes, size);
}

const char *stored_body_end(stored_body *b)
{
  const char *why = b->why;
  if (!why && b->dechunk.state == DECHUNK_BAD)
    why = "it is not chunked as its head says";
  content_coding_free(b->coding);
  free(b);
  return why;
}
