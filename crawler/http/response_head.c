/* See response_head.h. */
#include "crawler/http/response_head.h"

#include "frontier/base/vector.h"

#include <assert.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEAD_MAX = 256 << 10 };

/* Most names that are asked for did not come. */
static uint64_t name_bit(const char *name, size_t size)
{
  return (uint64_t)1 << (((unsigned char)*name | 32U) + 5 * size) % 64;
}

/* Names and values in turn, each with its NUL. */
static void assert_head(const response_head *h)
{
  assert(h->size <= h->room && h->size <= HEAD_MAX + 2);
  assert(!h->size || (h->size >= 2 && h->text[h->size - 1] == '\0'));
  assert(h->size ? h->names != 0 : h->names == 0);
  (void)h;
}

void response_head_clear(response_head *h)
{
  h->size = 0;
  h->names = 0;
  h->has_ended = false;
}

void response_head_free(response_head *h)
{
  free(h->text);
  *h = (response_head){0};
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* With a NUL behind it; at a NUL inside it ends. */
static void append(response_head *h, const char *from, size_t size)
{
  size_t whole = strnlen(from, size);
  memcpy(h->text + h->size, from, whole);
  h->text[h->size + whole] = '\0';
  h->size += whole + 1;
}

/* The obsolete way to go on with a value in the next line (RFC 9112, 5.2). A value still has no blanks around it. */
static void go_on(response_head *h, const char *from, size_t size)
{
  assert(h->size >= 2);
  bool has_begun = h->text[h->size - 2] != '\0';
  if (!size)
    return;
  h->text[h->size - 1] = ' ';
  h->size -= !has_begun;
  append(h, from, size);
}

/* Servers write "Location : /x", too; as browsers do, the blank is left out (RFC 9112, 5.1). */
static void begin_field(response_head *h, const char *name, const char *colon, const char *from, const char *end)
{
  size_t size = (size_t)(colon - name);
  while (size && is_blank(name[size - 1]))
    size--;
  h->names |= name_bit(name, size);
  append(h, name, size);
  append(h, from, (size_t)(end - from));
}

bool response_head_add(response_head *h, const char *line, size_t size)
{
  enum { NULS = 2 };
  assert_head(h);
  const char *end = line + size, *colon = memchr(line, ':', size);
  bool is_folded = size && (*line == ' ' || *line == '\t'), is_more = is_folded && h->size;
  if (size > 5 && strncasecmp(line, "HTTP/", 5) == 0) {
    response_head_clear(h);
    return true;
  }
  while (end > line && is_blank(end[-1]))
    end--;
  h->has_ended |= size == 0 || *line == '\r' || *line == '\n';
  if (h->has_ended || (is_folded ? !h->size : !colon) || h->size + size > HEAD_MAX)
    return true;
  if (!HAS_ROOM(h->text, h->room, h->size + size + NULS))
    return false;
  const char *from = is_more ? line : colon + 1;
  while (from < end && is_blank(*from))
    from++;
  if (is_more)
    go_on(h, from, (size_t)(end - from));
  else
    begin_field(h, line, colon, from, end);
  assert_head(h);
  return true;
}

const char *response_head_next(const response_head *h, const char *name, const char *value)
{
  size_t name_size = strlen(name);
  assert_head(h);
  if (!(h->names & name_bit(name, name_size)))
    return NULL;
  for (size_t at = value ? (size_t)(value - h->text) + strlen(value) + 1 : 0; at < h->size;) {
    const char *found = h->text + at;
    size_t found_size = strlen(found);
    value = found + found_size + 1;
    at += found_size + strlen(value) + 2;
    if (found_size == name_size && strncasecmp(found, name, name_size) == 0)
      return value;
  }
  return NULL;
}

/* Behind the last field, of which it is none. */
const char *response_head_joined(response_head *h, const char *name)
{
  static const char comma[] = ", ";
  const char *value = response_head_next(h, name, NULL);
  if (!value || !response_head_next(h, name, value))
    return value;
  size_t size = 0;
  for (const char *next = value; next; next = response_head_next(h, name, next))
    size += strlen(next) + strlen(comma);
  if (!HAS_ROOM(h->text, h->room, h->size + size + 1))
    return NULL;
  char *joined = h->text + h->size, *end = joined;
  for (value = NULL; (value = response_head_next(h, name, value));) {
    memcpy(end, comma, strlen(comma));
    end = stpcpy(end + strlen(comma), value);
  }
  assert(end == joined + size);
  return joined + strlen(comma);
}

uint64_t response_head_retry_after_s(const response_head *h, uint64_t now_s)
{
  const char *value = NULL;
  for (const char *next = NULL; (next = response_head_next(h, "Retry-After", next));)
    value = next;
  if (!value)
    return 0;
  if (*value >= '0' && *value <= '9') {
    unsigned long long seconds = strtoull(value, NULL, 10);
    return seconds < UINT32_MAX ? seconds : UINT32_MAX;
  }
  time_t date = curl_getdate(value, NULL);
  return date > 0 && (uint64_t)date > now_s ? (uint64_t)date - now_s : 0;
}
