/* See stored_body.h. */
#include "crawler/warc/stored_body.h"

#include "crawler/base/content_decoder.h"
#include "crawler/http/dechunk.h"
#include "crawler/http/http_head.h"

#include <stdlib.h>

struct stored_body {
  stored_body_sink *sink;
  void *context;
  bool is_chunked;
  dechunk dechunk;
  content_decoder *decoder; /* NULL: the bytes are passed on */
};

static content_codings codings_of(const char *http_head, size_t size)
{
  content_codings codings = {.count = 0};
  const char *value = NULL;
  size_t value_size = 0;
  while ((value = http_head_next(http_head, size, "Content-Encoding", value, &value_size)))
    content_codings_add(&codings, value, value_size);
  return codings;
}

static bool put(void *context, const char *bytes, size_t size)
{
  const stored_body *b = context;
  b->sink(b->context, bytes, size);
  return true;
}

stored_body *stored_body_create(const char *http_head, size_t size, stored_body_sink *sink, void *context)
{
  stored_body *b = calloc(1, sizeof *b);
  if (!b)
    return NULL;
  content_codings codings = codings_of(http_head, size);
  b->sink = sink;
  b->context = context;
  b->is_chunked = http_head_says(http_head, size, "Transfer-Encoding", "chunked");
  if (!codings.count || codings.has_unknown || codings.count > CONTENT_CODINGS_MAX)
    return b;
  b->decoder = content_decoder_create(&codings, UINT64_MAX, put, b);
  if (b->decoder)
    return b;
  free(b);
  return NULL;
}

static void add_payload(void *context, const char *bytes, size_t size)
{
  stored_body *b = context;
  if (b->decoder)
    content_decoder_add(b->decoder, bytes, size);
  else
    b->sink(b->context, bytes, size);
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
  const char *why = NULL;
  if (b->decoder && content_decoder_end(b->decoder) == CONTENT_NOT_CODED)
    why = "it is not coded as its head says";
  else if (b->dechunk.state == DECHUNK_BAD)
    why = "it is not chunked as its head says";
  content_decoder_free(b->decoder);
  free(b);
  return why;
}
