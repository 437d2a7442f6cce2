/*      read(2)            decode
 *   file -----> [ raw, 64 KiB ] -----> caller's buffer
 *
 * A decoder eats raw bytes and gives plain ones; it is told when there are no more raw ones. */
#include "datasets/read/source.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum {
  RAW_SIZE = 64 * 1024,
  MAGIC_SIZE = 6,      /* of xz; the others' are shorter */
  WINDOW_LOG_MAX = 27, /* zstd's own default: 128 MiB */
  XZ_MEMORY = 128 << 20,
};

typedef enum decode_result {
  DECODE_MORE, /* goes on; out of raw bytes or out of room */
  DECODE_END,  /* of this compressed stream; another may follow */
  DECODE_DAMAGED,
} decode_result;

struct source {
  int fd;
  bool at_end;   /* read(2) has said so */
  bool between;  /* before the first compressed stream, or between two */
  bool is_known; /* `kind` has been found out */
  bool was_full; /* the decoder filled all its room, and may hold more */
  source_waiter *wait;
  void *context;
  uint64_t read; /* bytes of the file so far */
  enum { PLAIN, GZIP, ZSTD, XZ, KINDS } kind;
  size_t begin, end; /* of the raw bytes */
  z_stream gzip;
  ZSTD_DStream *zstd;
  lzma_stream xz;
  unsigned char raw[RAW_SIZE];
};

source *source_open(const char *path)
{
  source *made = calloc(1, sizeof *made);
  if (made == NULL)
    return NULL;
  made->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (made->fd >= 0)
    return made;
  int reason = errno;
  free(made);
  errno = reason;
  return NULL;
}

void source_close(source *old)
{
  if (old == NULL)
    return;
  if (old->kind == GZIP)
    inflateEnd(&old->gzip);
  ZSTD_freeDStream(old->zstd);
  if (old->kind == XZ)
    lzma_end(&old->xz);
  if (old->fd != STDIN_FILENO)
    close(old->fd);
  free(old);
}

void source_before_read(source *from, source_waiter *wait, void *context)
{
  from->wait = wait;
  from->context = context;
}

static ssize_t read_file(source *from, void *to, size_t room)
{
  if (from->wait && !from->wait(from->context, from->fd))
    return -1;
  ssize_t got = read(from->fd, to, room);
  from->read += got > 0 ? (uint64_t)got : 0;
  return got;
}

/* Read on behind the raw bytes there are. False: errno says why. */
static bool read_raw(source *from)
{
  memmove(from->raw, from->raw + from->begin, from->end - from->begin);
  from->end -= from->begin;
  from->begin = 0;
  ssize_t got = read_file(from, from->raw + from->end, RAW_SIZE - from->end);
  if (got < 0)
    return false;
  from->at_end = got == 0;
  from->end += (size_t)got;
  return true;
}

/* Make the decoder. False: out of memory. */
static bool start(source *from)
{
  from->between = true;
  switch (from->kind) {
  case GZIP: return inflateInit2(&from->gzip, MAX_WBITS + 16) == Z_OK; /* + 16: the gzip format */
  case ZSTD:
    from->zstd = ZSTD_createDStream();
    return from->zstd != NULL && !ZSTD_isError(ZSTD_DCtx_setParameter(from->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX));
  case XZ: return lzma_stream_decoder(&from->xz, XZ_MEMORY, 0) == LZMA_OK;
  default: return true;
  }
}

/* Read until the first bytes say what this is. */
static bool find_kind(source *from)
{
  static const struct {
    unsigned char bytes[MAGIC_SIZE];
    size_t size;
  } magic[KINDS] = {
    [GZIP] = {"\x1F\x8B\x08", 3},
    [ZSTD] = {"\x28\xB5\x2F\xFD", 4},
    [XZ] = {"\xFD"
            "7zXZ",
            6},
  };
  while (!from->at_end && from->end < MAGIC_SIZE)
    if (!read_raw(from))
      return false;
  for (int kind = GZIP; kind < KINDS; kind++)
    if (from->end >= magic[kind].size && memcmp(from->raw, magic[kind].bytes, magic[kind].size) == 0)
      from->kind = kind;
  from->is_known = true;
  if (start(from))
    return true;
  errno = ENOMEM;
  return false;
}

static decode_result decode_gzip(source *from, unsigned char *to, size_t room, size_t *made)
{
  if (from->between && inflateReset(&from->gzip) != Z_OK)
    return DECODE_DAMAGED;
  from->gzip.next_in = from->raw + from->begin;
  from->gzip.avail_in = (uInt)(from->end - from->begin);
  from->gzip.next_out = to;
  from->gzip.avail_out = (uInt)room;
  int result = inflate(&from->gzip, Z_NO_FLUSH);
  from->begin = from->end - from->gzip.avail_in;
  *made = room - from->gzip.avail_out;
  if (result == Z_STREAM_END)
    return DECODE_END;
  return result == Z_OK || result == Z_BUF_ERROR ? DECODE_MORE : DECODE_DAMAGED;
}

static decode_result decode_zstd(source *from, unsigned char *to, size_t room, size_t *made)
{
  ZSTD_inBuffer in = {from->raw + from->begin, from->end - from->begin, 0};
  ZSTD_outBuffer out = {to, room, 0};
  size_t result = ZSTD_decompressStream(from->zstd, &out, &in);
  from->begin += in.pos;
  *made = out.pos;
  if (ZSTD_isError(result))
    return DECODE_DAMAGED;
  return result == 0 ? DECODE_END : DECODE_MORE;
}

static decode_result decode_xz(source *from, unsigned char *to, size_t room, size_t *made)
{
  if (from->between && lzma_stream_decoder(&from->xz, XZ_MEMORY, 0) != LZMA_OK)
    return DECODE_DAMAGED;
  from->xz.next_in = from->raw + from->begin;
  from->xz.avail_in = from->end - from->begin;
  from->xz.next_out = to;
  from->xz.avail_out = room;
  lzma_ret result = lzma_code(&from->xz, LZMA_RUN);
  from->begin = from->end - from->xz.avail_in;
  *made = room - from->xz.avail_out;
  if (result == LZMA_STREAM_END)
    return DECODE_END;
  return result == LZMA_OK || result == LZMA_BUF_ERROR ? DECODE_MORE : DECODE_DAMAGED;
}

static decode_result decode(source *from, unsigned char *to, size_t room, size_t *made)
{
  switch (from->kind) {
  case GZIP: return decode_gzip(from, to, room, made);
  case ZSTD: return decode_zstd(from, to, room, made);
  default: return decode_xz(from, to, room, made);
  }
}

/* Zero bytes pad compressed files on tapes and in xz; no compressed stream begins with one. */
static void skip_padding(source *from)
{
  while (from->begin < from->end && from->raw[from->begin] == 0)
    from->begin++;
}

static ssize_t read_compressed(source *from, unsigned char *to, size_t room)
{
  for (;;) {
    if (from->between)
      skip_padding(from);
    bool is_dry = from->begin == from->end;
    if (is_dry && from->at_end && from->between)
      return 0;
    if (is_dry && !from->at_end && !from->was_full) {
      if (!read_raw(from))
        return -1;
      continue;
    }
    size_t made = 0, before = from->begin;
    decode_result result = decode(from, to, room, &made);
    bool is_stuck = made == 0 && from->begin == before && from->at_end && result == DECODE_MORE;
    if (result == DECODE_DAMAGED || is_stuck) {
      errno = EBADMSG;
      return -1;
    }
    from->between = result == DECODE_END;
    from->was_full = made == room && result == DECODE_MORE;
    if (made > 0)
      return (ssize_t)made;
    if (from->begin == before && result == DECODE_MORE && !from->at_end && !read_raw(from))
      return -1;
  }
}

static ssize_t read_plain(source *from, void *to, size_t room)
{
  size_t held = from->end - from->begin;
  if (held == 0)
    return read_file(from, to, room);
  size_t size = held < room ? held : room;
  memcpy(to, from->raw + from->begin, size);
  from->begin += size;
  return (ssize_t)size;
}

ssize_t source_read(source *from, void *to, size_t room)
{
  if (!from->is_known && !find_kind(from))
    return -1;
  return from->kind == PLAIN ? read_plain(from, to, room) : read_compressed(from, to, room);
}

uint64_t source_bytes_read(const source *of)
{
  return of->read;
}

const char *source_compression(const source *of)
{
  static const char *const names[KINDS] = {"none", "gzip", "zstd", "xz"};
  return names[of->kind];
}
