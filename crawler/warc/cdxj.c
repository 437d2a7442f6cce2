/* See cdxj.h. */
#include "crawler/warc/cdxj.h"

#include "crawler/warc/surt.h"
#include "frontier/base/own_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct part {
  const char *at;
  size_t size;
} part;

static int compare_parts(const void *a, const void *b)
{
  const part *x = a, *y = b;
  int order = memcmp(x->at, y->at, x->size < y->size ? x->size : y->size);
  return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* ---- a line ------------------------------------------------------------------------------------------------- */

static void put_object(json *j, const cdxj_capture *c)
{
  char number[24];
  json_begin(j);
  json_put_string(j, "url", c->url);
  json_put_string(j, "mime", c->mime);
  snprintf(number, sizeof number, "%d", c->status);
  json_put_string(j, "status", number);
  json_put_string(j, "digest", c->digest);
  snprintf(number, sizeof number, "%llu", (unsigned long long)c->size);
  json_put_string(j, "length", number);
  snprintf(number, sizeof number, "%llu", (unsigned long long)c->offset);
  json_put_string(j, "offset", number);
  json_put_string(j, "filename", c->file);
  json_end(j);
}

void cdxj_put(json *lines, const cdxj_capture *capture)
{
  char *key = surt_key(capture->url);
  if (!key) {
    lines->failed = true;
    return;
  }
  json_put_raw(lines, key);
  json_put_raw(lines, " ");
  json_put_raw(lines, capture->date);
  json_put_raw(lines, " ");
  put_object(lines, capture);
  json_put_raw(lines, "\n");
  free(key);
}

/* ---- a file ------------------------------------------------------------------------------------------------- */

typedef struct mapped {
  char *text;
  size_t size;
} mapped;

static bool map_file(const char *path, mapped *m)
{
  struct stat info;
  int fd = own_file_open(path, O_RDONLY, 0);
  *m = (mapped){0};
  if (fd < 0)
    return false;
  bool known = fstat(fd, &info) == 0;
  if (known && info.st_size > 0) {
    m->size = (size_t)info.st_size;
    m->text = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0);
    known = m->text != MAP_FAILED;
  }
  int error = errno;
  close(fd);
  errno = error;
  return known;
}

static void unmap_file(mapped *m)
{
  if (m->size)
    munmap(m->text, m->size);
}

/* The complete lines of a text, each with its line feed; NULL: out of memory. */
static part *split_lines(const mapped *m, size_t *count)
{
  size_t room = 1;
  for (const char *at = m->text; m->size && (at = memchr(at, '\n', (size_t)(m->text + m->size - at))); at++)
    room++;
  part *lines = malloc(room * sizeof *lines);
  *count = 0;
  for (const char *at = m->text; lines && *count + 1 < room; at += lines[*count - 1].size) {
    const char *feed = memchr(at, '\n', (size_t)(m->text + m->size - at));
    lines[(*count)++] = (part){at, (size_t)(feed + 1 - at)};
  }
  return lines;
}

static bool write_lines(const char *path, const part *lines, size_t count)
{
  FILE *file = own_file_stream(path, "w", 0666);
  if (!file)
    return false;
  bool written = true;
  for (size_t i = 0; written && i < count; i++)
    written = fwrite(lines[i].at, 1, lines[i].size, file) == lines[i].size;
  written = fflush(file) == 0 && fsync(fileno(file)) == 0 && written;
  int error = errno;
  written = fclose(file) == 0 && written;
  errno = error;
  return written;
}

bool cdxj_sort(const char *from, const char *to)
{
  mapped m;
  char temporary[4096 + 8];
  size_t count;
  snprintf(temporary, sizeof temporary, "%.4096s.tmp", to);
  if (!map_file(from, &m))
    return false;
  part *lines = split_lines(&m, &count);
  if (lines)
    qsort(lines, count, sizeof *lines, compare_parts);
  bool done = lines && write_lines(temporary, lines, count) && rename(temporary, to) == 0;
  int error = errno;
  if (!done)
    unlink(temporary);
  free(lines);
  unmap_file(&m);
  errno = error;
  return done && unlink(from) == 0;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

bool cdxj_each(const char *path, cdxj_taker *take, void *context)
{
  mapped m;
  if (!map_file(path, &m))
    return false;
  const char *end = m.text + m.size, *feed;
  for (const char *at = m.text; m.size && (feed = memchr(at, '\n', (size_t)(end - at))); at = feed + 1)
    take(context, at, (size_t)(feed - at));
  unmap_file(&m);
  return true;
}

/* In a string a quote is escaped: so the name in quotes, colon, quote is in none. */
const char *cdxj_value(const char *line, size_t size, const char *name, size_t *value_size)
{
  char key[32];
  int key_size = snprintf(key, sizeof key, "\"%s\":\"", name);
  assert(key_size > 0 && (size_t)key_size < sizeof key);
  const char *at = memmem(line, size, key, (size_t)key_size), *value = at ? at + key_size : NULL;
  const char *quote = value ? memchr(value, '"', size - (size_t)(value - line)) : NULL;
  if (!quote)
    return NULL;
  *value_size = (size_t)(quote - value);
  return value;
}

static size_t line_size(const mapped *m, size_t at)
{
  const char *feed = memchr(m->text + at, '\n', m->size - at);
  return feed ? (size_t)(feed - m->text) - at : m->size - at;
}

/* Where the first line begins that is not below `prefix`. */
static size_t lower_bound(const mapped *m, const char *prefix, size_t prefix_size)
{
  size_t low = 0, high = m->size;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *feed = memrchr(m->text + low, '\n', middle - low);
    size_t begin = feed ? (size_t)(feed + 1 - m->text) : low, size = line_size(m, begin);
    int order = memcmp(m->text + begin, prefix, size < prefix_size ? size : prefix_size);
    if (order < 0 || (order == 0 && size < prefix_size))
      low = begin + size < high ? begin + size + 1 : high;
    else
      high = begin;
  }
  return low < m->size ? low : m->size;
}

bool cdxj_find(const char *path, bool is_sorted, const char *url, cdxj_taker *take, void *context)
{
  mapped m;
  if (!map_file(path, &m))
    return false;
  char *prefix = surt_key(url);
  if (prefix) {
    size_t prefix_size = strlen(prefix);
    prefix[prefix_size++] = ' '; /* instead of the NUL */
    for (size_t at = is_sorted ? lower_bound(&m, prefix, prefix_size) : 0; at < m.size;) {
      size_t size = line_size(&m, at);
      bool is_match = size >= prefix_size && memcmp(m.text + at, prefix, prefix_size) == 0;
      if (is_match && at + size < m.size) /* a line without its line feed is not all there yet */
        take(context, m.text + at, size);
      else if (is_sorted)
        break;
      at += size + 1;
    }
  }
  bool known = prefix != NULL;
  free(prefix);
  unmap_file(&m);
  return known;
}
