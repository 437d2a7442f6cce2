/* See http_head.h. */
#include "crawler/http/http_head.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

int http_head_status(const char *head, size_t size)
{
  const char *blank = memchr(head, ' ', size);
  while (blank && blank + 1 < head + size && blank[1] == ' ')
    blank++;
  if (size < 5 || strncasecmp(head, "HTTP/", 5) != 0 || !blank || head + size - blank < 4)
    return 0;
  int status = 0;
  for (const char *at = blank + 1; at < blank + 4; at++) {
    if (!isdigit((unsigned char)*at))
      return 0;
    status = 10 * status + (*at - '0');
  }
  return status;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_blanks(const char *from, const char *end)
{
  while (from < end && is_blank(*from))
    from++;
  return from;
}

static const char *trim(const char *from, const char *end, size_t *size)
{
  from = skip_blanks(from, end);
  while (end > from && is_blank(end[-1]))
    end--;
  *size = (size_t)(end - from);
  return from;
}

/* The end of a field that begins in this line: one that begins with a blank goes on with it. NULL: it has none. */
static const char *feed_behind(const char *line, const char *end)
{
  const char *feed = memchr(line, '\n', (size_t)(end - line));
  while (feed && feed + 1 < end && (feed[1] == ' ' || feed[1] == '\t'))
    feed = memchr(feed + 1, '\n', (size_t)(end - feed - 1));
  return feed;
}

const char *http_head_next(const char *head, size_t size, const char *name, const char *value, size_t *value_size)
{
  const char *end = head + size;
  size_t name_size = strlen(name);
  for (const char *line = value ? value + *value_size : head, *next; line < end; line = next) {
    const char *feed = feed_behind(line, end);
    const char *line_end = feed ? feed : end;
    next = feed ? feed + 1 : end;
    if ((size_t)(line_end - line) <= name_size || strncasecmp(line, name, name_size) != 0)
      continue;
    const char *colon = line + name_size;
    while (colon < line_end && (*colon == ' ' || *colon == '\t'))
      colon++;
    if (colon < line_end && *colon == ':')
      return trim(colon + 1, line_end, value_size);
  }
  return NULL;
}

const char *http_head_find(const char *head, size_t size, const char *name, size_t *value_size)
{
  const char *found = NULL, *value = NULL;
  size_t next_size = 0;
  while ((value = http_head_next(head, size, name, value, &next_size))) {
    found = value;
    *value_size = next_size;
  }
  return found;
}

bool http_head_says(const char *head, size_t size, const char *name, const char *word)
{
  size_t value_size, last_size;
  const char *value = http_head_find(head, size, name, &value_size);
  if (!value)
    return false;
  const char *comma = memrchr(value, ',', value_size), *last = comma ? comma + 1 : value;
  last = trim(last, value + value_size, &last_size);
  return last_size == strlen(word) && strncasecmp(last, word, last_size) == 0;
}
