/* See stored_body.h. gzip and deflate are undone; a crawl that writes a WARC asks for no other coding. */
#include "crawler/warc/stored_body.h"

#include "crawler/http/dechunk.h"
#include "crawler/http/http_head.h"

#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

enum { PIECE = 64 << 10, ANY_HEADER = 15 + 32, NO_HEADER = -15 };

struct stored_body {
  stored_body_sink *sink;
  void *context;
  bool is_chunked, is_zipped, has_begun;
  dechunk dechunk;
  z_stream zip;
  const char *why;
};

stored_body *stored_body_create(const char *http_head, size_t size, stored_body_sink *sink, void *context)
{
  stored_body *b = calloc(1, sizeof *b);
  size_t coding_size;
  if (!b || inflateInit2(&b->zip, ANY_HEADER) != Z_OK) {
    free(b);
    return NULL;
  }
  b->sink = sink;
  b->context = context;
  b->is_chunked = http_head_says(http_head, size, "Transfer-Encoding", "chunked");
  static const char *const zipped[] = {"gzip", "x-gzip", "deflate"};
  for (size_t i = 0; i < sizeof zipped / sizeof *zipped; i++)
    b->is_zipped |= http_head_says(http_head, size, "Content-Encoding", zipped[i]);
  if (!b->is_zipped && http_head_find(http_head, size, "Content-Encoding", &coding_size) && coding_size &&
      !http_head_says(http_head, size, "Content-Encoding", "identity"))
    b->why = "its Content-Encoding is not one of gzip and deflate, so it is as the server sent it";
  return b;
}

/* Some servers send "deflate" without the two bytes of zlib in front; such a stream fails at its first byte. */
static int inflate_some(stored_body *b, const char *bytes, size_t size)
{
  int status = inflate(&b->zip, Z_NO_FLUSH);
  if (status == Z_DATA_ERROR && !b->has_begun && inflateReset2(&b->zip, NO_HEADER) == Z_OK) {
    b->zip.next_in = (const Bytef *)bytes;
    b->zip.avail_in = (uInt)size;
    status = inflate(&b->zip, Z_NO_FLUSH);
  }
  b->has_begun = true;
  return status;
}

static void unzip(stored_body *b, const char *bytes, size_t size)
{
  char out[PIECE];
  b->zip.next_in = (const Bytef *)bytes;
  b->zip.avail_in = (uInt)size;
  do {
    b->zip.next_out = (Bytef *)out;
    b->zip.avail_out = sizeof out;
    int status = inflate_some(b, bytes, size);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      b->why = "it is not compressed as its head says";
      return;
    }
    b->sink(b->context, out, sizeof out - b->zip.avail_out);
  } while (b->zip.avail_out == 0);
}

static void add_payload(void *context, const char *bytes, size_t size)
{
  stored_body *b = context;
  if (!b->is_zipped)
    b->sink(b->context, bytes, size);
  else if (!b->why)
    unzip(b, bytes, size);
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
  inflateEnd(&b->zip);
  free(b);
  return why;
}
