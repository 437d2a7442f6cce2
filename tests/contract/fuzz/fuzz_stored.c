/* Whatever stands in a crawl's directory: a WARC member, an index and the lines of pages.jsonl, none of them ours. The
 * first byte says how to read the rest: 0 as a compressed file, 1 as a record, which is compressed here so that the
 * fuzzer gets behind the checksum, 2 as an index, 3 as pages.jsonl. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "crawler/warc/cdxj.h"
#include "crawler/http/http_head.h"
#include "crawler/report/report_data.h"
#include "crawler/warc/stored_body.h"
#include "crawler/warc/warc_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATH = 64 };

/* A file with these bytes: in memory, but with a name, as no link is followed. */
static void make_file(const uint8_t *data, size_t size, char path[PATH])
{
  snprintf(path, PATH, "%s/strata-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  int fd = mkstemp(path);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size)
    abort();
  close(fd);
}

typedef struct reading {
  stored_body *body;
  uint64_t heads, bytes;
} reading;

static void count(void *context, const char *bytes, size_t size)
{
  reading *r = context;
  if (size && !bytes)
    abort();
  r->bytes += size;
}

static bool take_heads(void *context, const char *warc, size_t warc_size, const char *http, size_t http_size)
{
  reading *r = context;
  size_t size;
  const char *value = http_head_find(http, http_size, "Location", &size);
  if (value && (value < http || value + size > http + http_size))
    abort();
  if (http_head_status(http, http_size) > 999 || http_head_says(warc, warc_size, "WARC-Type", ""))
    r->heads++;
  r->heads++;
  r->body = stored_body_create(http, http_size, count, r);
  return r->body != NULL;
}

static void take_body(void *context, const char *bytes, size_t size)
{
  const reading *r = context;
  stored_body_add(r->body, bytes, size);
}

static void read_member(const char *path)
{
  reading r = {0};
  const char *why = NULL;
  const warc_reader reader = {.heads = take_heads, .body = take_body, .context = &r};
  if (warc_read(path, 0, &reader, &why) != (why == NULL))
    abort();
  if (r.body)
    stored_body_end(r.body);
}

static void read_record(const uint8_t *data, size_t size)
{
  char path[PATH];
  size_t room = size + size / 1000 + 1024;
  uint8_t *zipped = malloc(room);
  z_stream z = {
    .next_in = (z_const Bytef *)(uintptr_t)data, .avail_in = (uInt)size, .next_out = zipped, .avail_out = (uInt)room};
  if (!zipped || deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
      deflate(&z, Z_FINISH) != Z_STREAM_END)
    abort();
  make_file(zipped, z.total_out, path);
  deflateEnd(&z);
  free(zipped);
  read_member(path);
  unlink(path);
}

static void take_line(void *context, const char *line, size_t size)
{
  uint64_t *lines = context;
  if (memchr(line, '\n', size))
    abort();
  ++*lines;
}

/* What is found in order is found by halving, if the lines are in order. */
static void read_index(const char *path)
{
  uint64_t lines = 0, halving = 0;
  if (!cdxj_find(path, false, "http://h/a?b=c&a", take_line, &lines) ||
      !cdxj_find(path, true, "http://h/a?b=c&a", take_line, &halving) || halving > lines)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[PATH];
  if (size == 0)
    return 0;
  make_file(data + 1, size - 1, path);
  switch (data[0] & 3) {
  case 0: read_member(path); break;
  case 1: read_record(data + 1, size - 1); break;
  case 2: read_index(path); break;
  default: report_data_free(report_data_read(path, NULL)); break;
  }
  unlink(path);
  return 0;
}
