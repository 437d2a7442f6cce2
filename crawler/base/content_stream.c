/* See content_stream.h.
 *
 *     EMPTY --bytes--> OPEN --all of a member's data--> COMPLETE --a byte of the next--> OPEN
 *                        |                                 |
 *                        |                                 '--bytes that are no member's, br's end--> ENDED
 *                        '--bytes that are not coded so--> BROKEN
 *
 * Always: in ENDED and BROKEN all bytes are taken, and none is made. COMPLETE is reached with the last block of a
 * member, before its checksum and size: without them, or with wrong ones, it is complete all the same.
 *
 * content_decoder.c reads bodies with it, html/sitemap.c the files of sitemaps; on any thread, one at a time. */
#include "crawler/base/content_stream.h"

#include <assert.h>
#include <brotli/decode.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

enum {
  MAGIC = 2,                 /* bytes that tell gzip from zlib from neither */
  WINDOW = 15,               /* the largest */
  GZIP_HEADER = WINDOW + 16, /* as inflateInit2 wants it */
  NO_HEADER = -WINDOW,
  LAST_BLOCK_ENDED = 64 + 128, /* of data_type, after Z_BLOCK */
  ZSTD_WINDOW = 23,            /* RFC 9659: 8 MiB */
};

struct content_stream {
  content_coding coding;
  content_stream_state state;
  char magic[MAGIC];
  size_t magic_size;
  bool has_inflater, is_sound;
  z_stream zip;
  BrotliDecoderState *brotli;
  ZSTD_DStream *zstd;
};

content_stream *content_stream_create(content_coding coding)
{
  content_stream *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->coding = coding;
  if (coding == CODING_BROTLI)
    s->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
  else if (coding == CODING_ZSTD && (s->zstd = ZSTD_createDStream()))
    ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW);
  else if (coding != CODING_ZSTD)
    s->has_inflater = inflateInit2(&s->zip, NO_HEADER) == Z_OK;
  if (s->brotli || s->zstd || s->has_inflater)
    return s;
  free(s);
  return NULL;
}

void content_stream_free(content_stream *s)
{
  if (!s)
    return;
  if (s->has_inflater)
    inflateEnd(&s->zip);
  if (s->brotli)
    BrotliDecoderDestroyInstance(s->brotli);
  ZSTD_freeDStream(s->zstd);
  free(s);
}

content_stream_state content_stream_now(const content_stream *s)
{
  return s->state;
}

bool content_stream_is_sound(const content_stream *s)
{
  return s->is_sound;
}

/* What cannot be read is the end, if there was one before it. */
static void stop(content_stream *s)
{
  s->state = s->state == STREAM_COMPLETE ? STREAM_ENDED : STREAM_BROKEN;
}

/* ---- gzip and deflate -------------------------------------------------------------------------------------- */

static bool is_zlib(const unsigned char *magic)
{
  return (magic[0] & 15) == Z_DEFLATED && magic[0] >> 4 <= WINDOW - 8 && (magic[0] << 8 | magic[1]) % 31 == 0;
}

/* The format of what comes, from its first bytes; they are in s->magic, and the inflater's next. */
static bool begin_inflating(content_stream *s)
{
  const unsigned char *magic = (const unsigned char *)s->magic;
  bool is_gzip = magic[0] == 0x1F && magic[1] == 0x8B;
  if (!is_gzip && !is_zlib(magic) && s->coding == CODING_GZIP)
    return false;
  return inflateReset2(&s->zip, is_gzip ? GZIP_HEADER : is_zlib(magic) ? WINDOW : NO_HEADER) == Z_OK;
}

/* One call of inflate: it stops behind each block. false: no more comes of these bytes, or there is no room for it. */
static bool inflate_block(content_stream *s)
{
  z_stream *z = &s->zip;
  uInt room = z->avail_out, left = z->avail_in;
  int status = inflate(z, Z_BLOCK);
  assert(z->avail_out <= room && z->avail_in <= left);
  bool has_data = z->avail_out < room, is_last = (z->data_type & LAST_BLOCK_ENDED) == LAST_BLOCK_ENDED;
  if (has_data)
    s->state = STREAM_OPEN;
  if (is_last || status == Z_STREAM_END)
    s->state = STREAM_COMPLETE;
  s->is_sound = status == Z_STREAM_END || (s->is_sound && !has_data && !is_last);
  if (status == Z_STREAM_END)
    status = s->coding == CODING_GZIP ? inflateReset(z) : Z_DATA_ERROR;
  if (status != Z_OK && status != Z_BUF_ERROR)
    stop(s);
  return status == Z_OK && z->avail_out && z->avail_in;
}

static size_t inflate_some(content_stream *s, const char **bytes, size_t *size, char *out, size_t room)
{
  z_stream *z = &s->zip;
  z->next_in = (const Bytef *)*bytes;
  z->avail_in = *size < UINT_MAX ? (uInt)*size : UINT_MAX;
  z->next_out = (Bytef *)out;
  z->avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
  while (inflate_block(s))
    ;
  *size -= (size_t)((const char *)z->next_in - *bytes);
  *bytes = (const char *)z->next_in;
  return (size_t)((char *)z->next_out - out);
}

/* The first bytes are kept until there are enough of them. Two make one byte at most, so there is room for it. */
static size_t read_magic(content_stream *s, const char **bytes, size_t *size, char *out, size_t room)
{
  while (*size && s->magic_size < MAGIC)
    s->magic[s->magic_size++] = *(*bytes)++, --*size;
  if (s->magic_size < MAGIC)
    return 0;
  if (!begin_inflating(s)) {
    stop(s);
    return 0;
  }
  const char *magic = s->magic;
  size_t left = MAGIC, made = inflate_some(s, &magic, &left, out, room);
  assert(!left || s->state == STREAM_ENDED || s->state == STREAM_BROKEN);
  return made;
}

static size_t read_zip(content_stream *s, const char **bytes, size_t *size, char *out, size_t room)
{
  size_t made = s->magic_size < MAGIC ? read_magic(s, bytes, size, out, room) : 0;
  if (s->magic_size < MAGIC || made == room || s->state == STREAM_ENDED || s->state == STREAM_BROKEN)
    return made;
  return made + inflate_some(s, bytes, size, out + made, room - made);
}

/* ---- br and zstd ------------------------------------------------------------------------------------------- */

static size_t read_brotli(content_stream *s, const char **bytes, size_t *size, char *out, size_t room)
{
  const uint8_t *in = (const uint8_t *)*bytes;
  uint8_t *next = (uint8_t *)out;
  size_t left = room;
  BrotliDecoderResult result = BrotliDecoderDecompressStream(s->brotli, size, &in, &left, &next, NULL);
  *bytes = (const char *)in;
  if (result == BROTLI_DECODER_RESULT_SUCCESS)
    s->state = STREAM_ENDED;
  else if (result == BROTLI_DECODER_RESULT_ERROR)
    stop(s);
  return room - left;
}

static size_t read_zstd(content_stream *s, const char **bytes, size_t *size, char *out, size_t room)
{
  ZSTD_inBuffer in = {*bytes, *size, 0};
  ZSTD_outBuffer to = {out, room, 0};
  size_t hint;
  do {
    size_t made = to.pos;
    hint = ZSTD_decompressStream(s->zstd, &to, &in);
    if (to.pos > made)
      s->state = STREAM_OPEN;
    if (hint == 0)
      s->state = STREAM_COMPLETE;
  } while (!ZSTD_isError(hint) && in.pos < in.size && to.pos < to.size);
  *bytes += in.pos;
  *size -= in.pos;
  if (ZSTD_isError(hint))
    stop(s);
  return to.pos;
}

size_t content_stream_read(content_stream *s, const char **bytes, size_t *size, char *out, size_t room)
{
  size_t made = 0;
  assert(room && (*bytes || !*size));
  if (s->state == STREAM_EMPTY && *size)
    s->state = STREAM_OPEN;
  if (s->state == STREAM_OPEN || s->state == STREAM_COMPLETE)
    made = s->brotli ? read_brotli(s, bytes, size, out, room)
           : s->zstd ? read_zstd(s, bytes, size, out, room)
                     : read_zip(s, bytes, size, out, room);
  if (s->state == STREAM_ENDED || s->state == STREAM_BROKEN) {
    *bytes += *size;
    *size = 0;
  }
  assert(made <= room);
  return made;
}
