/* See warc_read.h. The bytes go through three stages: the file, inflate, and the parts of the record. */
#include "crawler/warc/warc_read.h"

#include "crawler/http/http_head.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

enum { PIECE = 64 << 10, HEAD_MAX = 1 << 20, GZIP_ONLY = 15 + 16 };

typedef struct head {
  char *at;
  size_t size;
  bool is_whole;
} head;

typedef struct reading {
  const warc_reader *reader;
  head warc, http;
  uint64_t left;   /* of the block, behind the HTTP head */
  bool is_over;    /* nothing more is wanted */
  const char *why; /* NULL: all is well */
} reading;

/* Up to the empty line, which may be split between two pieces; returns how many bytes belong to the head. */
static size_t take_head(reading *r, head *h, const char *bytes, size_t size)
{
  char *larger = h->size + size <= HEAD_MAX ? realloc(h->at, h->size + size) : NULL;
  if (!larger) {
    r->why = h->size + size <= HEAD_MAX ? "out of memory" : "its head does not end";
    return size;
  }
  h->at = larger;
  memcpy(h->at + h->size, bytes, size);
  size_t from = h->size < 3 ? 0 : h->size - 3;
  const char *end = memmem(h->at + from, h->size + size - from, "\r\n\r\n", 4);
  size_t taken = end ? (size_t)(end + 4 - h->at) - h->size : size;
  h->is_whole = end != NULL;
  h->size += taken;
  return taken;
}

/* The block's size, from the WARC head. */
static void measure_block(reading *r)
{
  size_t size;
  char digits[24] = "", *end;
  const char *value = http_head_find(r->warc.at, r->warc.size, "Content-Length", &size);
  if (value && size < sizeof digits)
    memcpy(digits, value, size);
  r->left = strtoull(digits, &end, 10);
  if (r->warc.size < 7 || memcmp(r->warc.at, "WARC/1.", 7) != 0)
    r->why = "it is no WARC record";
  else if (!*digits || *end)
    r->why = "it does not say how long it is";
}

static void end_heads(reading *r)
{
  if (r->http.size > r->left) {
    r->why = "its HTTP head does not end";
    return;
  }
  r->left -= r->http.size;
  r->is_over = !r->reader->heads(r->reader->context, r->warc.at, r->warc.size, r->http.at, r->http.size);
}

static void take(reading *r, const char *bytes, size_t size)
{
  while (size && !r->why && !r->is_over) {
    size_t taken;
    if (!r->warc.is_whole) {
      taken = take_head(r, &r->warc, bytes, size);
      if (r->warc.is_whole)
        measure_block(r);
    } else if (!r->http.is_whole) {
      taken = take_head(r, &r->http, bytes, size);
      if (r->http.is_whole)
        end_heads(r);
    } else {
      taken = size < r->left ? size : (size_t)r->left;
      if (taken)
        r->reader->body(r->reader->context, bytes, taken);
      r->left -= taken;
      r->is_over = r->left == 0;
    }
    bytes += taken;
    size -= taken;
  }
}

/* All of what is in `in` through inflate; false at the end of the member, or when it is bad. */
static bool inflate_piece(reading *r, z_stream *gzip)
{
  char out[PIECE];
  int status = Z_OK;
  while (status == Z_OK && !r->why && !r->is_over && (gzip->avail_in || gzip->avail_out == 0)) {
    gzip->next_out = (Bytef *)out;
    gzip->avail_out = sizeof out;
    status = inflate(gzip, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      r->why = "it is not compressed as it should be";
    else
      take(r, out, sizeof out - gzip->avail_out);
  }
  return status != Z_STREAM_END;
}

static void read_member(reading *r, FILE *file, z_stream *gzip)
{
  char in[PIECE];
  bool more = true;
  while (more && !r->why && !r->is_over) {
    gzip->next_in = (const Bytef *)in;
    gzip->avail_in = (uInt)fread(in, 1, sizeof in, file);
    gzip->avail_out = 1; /* no output is waiting */
    more = gzip->avail_in && inflate_piece(r, gzip);
  }
  gzip->next_in = NULL; /* `in` ends here */
  bool block_ended = r->http.is_whole && r->left == 0;
  if (!r->why && !r->is_over && !block_ended)
    r->why = ferror(file) ? strerror(errno) : "it is cut short";
}

bool warc_read_stream(FILE *file, const warc_reader *reader, const char **why)
{
  reading r = {.reader = reader};
  z_stream gzip = {0};
  if (inflateInit2(&gzip, GZIP_ONLY) != Z_OK)
    r.why = "out of memory";
  else
    read_member(&r, file, &gzip);
  inflateEnd(&gzip);
  free(r.warc.at);
  free(r.http.at);
  *why = r.why;
  return !r.why;
}

bool warc_read(const char *path, uint64_t offset, const warc_reader *reader, const char **why)
{
  FILE *file = own_file_stream(path, "r", 0);
  bool is_there = file && fseeko(file, (off_t)offset, SEEK_SET) == 0, read = false;
  *why = is_there ? NULL : own_file_words(errno);
  if (is_there)
    read = warc_read_stream(file, reader, why);
  if (file)
    fclose(file);
  return read;
}
