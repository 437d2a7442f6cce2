/* See content_coding.h. A stream that ends early is no fault here: a body may have been cut. */
#include "crawler/warc/content_coding.h"

#include "crawler/http/http_head.h"

#include <brotli/decode.h>
#include <stdint.h>
#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

enum { PIECE = 64 << 10, ANY_HEADER = 15 + 32, NO_HEADER = -15 };

struct content_coding {
  content_kind kind;
  bool has_begun;
  z_stream zip;
  BrotliDecoderState *brotli;
  ZSTD_DStream *zstd;
};

content_kind content_coding_kind(const char *http_head, size_t size)
{
  static const struct {
    const char *name;
    content_kind kind;
  } names[] = {{"gzip", CONTENT_ZLIB}, {"x-gzip", CONTENT_ZLIB}, {"deflate", CONTENT_ZLIB},
               {"br", CONTENT_BROTLI}, {"zstd", CONTENT_ZSTD},   {"identity", CONTENT_PLAIN}};
  size_t value_size;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (http_head_says(http_head, size, "Content-Encoding", names[i].name))
      return names[i].kind;
  bool is_named = http_head_find(http_head, size, "Content-Encoding", &value_size) && value_size;
  return is_named ? CONTENT_UNKNOWN : CONTENT_PLAIN;
}

content_coding *content_coding_create(content_kind kind)
{
  content_coding *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->kind = kind;
  bool is_made = kind == CONTENT_ZLIB     ? inflateInit2(&c->zip, ANY_HEADER) == Z_OK
                 : kind == CONTENT_BROTLI ? (c->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL)) != NULL
                                          : (c->zstd = ZSTD_createDStream()) != NULL;
  if (is_made)
    return c;
  free(c);
  return NULL;
}

void content_coding_free(content_coding *c)
{
  if (!c)
    return;
  if (c->kind == CONTENT_ZLIB)
    inflateEnd(&c->zip);
  if (c->brotli)
    BrotliDecoderDestroyInstance(c->brotli);
  ZSTD_freeDStream(c->zstd);
  free(c);
}

/* ---- each of them ------------------------------------------------------------------------------------------- */

/* Some servers send "deflate" without the two bytes of zlib in front; such a stream fails at its first byte. */
static int inflate_some(content_coding *c, const char *bytes, size_t size)
{
  int status = inflate(&c->zip, Z_NO_FLUSH);
  if (status == Z_DATA_ERROR && !c->has_begun && inflateReset2(&c->zip, NO_HEADER) == Z_OK) {
    c->zip.next_in = (const Bytef *)bytes;
    c->zip.avail_in = (uInt)size;
    status = inflate(&c->zip, Z_NO_FLUSH);
  }
  c->has_begun = true;
  return status;
}

static bool add_zlib(content_coding *c, const char *bytes, size_t size, content_sink *sink, void *context)
{
  char out[PIECE];
  c->zip.next_in = (const Bytef *)bytes;
  c->zip.avail_in = (uInt)size;
  do {
    c->zip.next_out = (Bytef *)out;
    c->zip.avail_out = sizeof out;
    int status = inflate_some(c, bytes, size);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      return false;
    sink(context, out, sizeof out - c->zip.avail_out);
  } while (c->zip.avail_out == 0);
  return true;
}

static bool add_brotli(content_coding *c, const char *bytes, size_t size, content_sink *sink, void *context)
{
  uint8_t piece[PIECE];
  const uint8_t *in = (const uint8_t *)bytes;
  BrotliDecoderResult result;
  if (BrotliDecoderIsFinished(c->brotli))
    return true; /* bytes behind the end, as browsers allow them */
  do {
    uint8_t *out = piece;
    size_t room = sizeof piece;
    result = BrotliDecoderDecompressStream(c->brotli, &size, &in, &room, &out, NULL);
    sink(context, (const char *)piece, sizeof piece - room);
  } while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT);
  return result != BROTLI_DECODER_RESULT_ERROR;
}

static bool add_zstd(content_coding *c, const char *bytes, size_t size, content_sink *sink, void *context)
{
  char piece[PIECE];
  ZSTD_inBuffer in = {bytes, size, 0};
  ZSTD_outBuffer out = {piece, sizeof piece, 0};
  do {
    out.pos = 0;
    size_t left = ZSTD_decompressStream(c->zstd, &out, &in);
    sink(context, piece, out.pos);
    if (ZSTD_isError(left))
      return false;
  } while (in.pos < in.size || out.pos == out.size);
  return true;
}

bool content_coding_add(content_coding *c, const char *bytes, size_t size, content_sink *sink, void *context)
{
  switch (c->kind) {
  case CONTENT_BROTLI: return add_brotli(c, bytes, size, sink, context);
  case CONTENT_ZSTD: return add_zstd(c, bytes, size, sink, context);
  default: return add_zlib(c, bytes, size, sink, context);
  }
}
