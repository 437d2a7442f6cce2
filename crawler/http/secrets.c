/* See secrets.h. */
#include "crawler/http/secrets.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static bool has_name(const char *line, size_t size, const char *header)
{
  size_t name = strcspn(header, ":");
  return size > name && line[name] == ':' && strncasecmp(line, header, name) == 0;
}

static bool is_secret(const char *line, size_t size, const char *const *headers)
{
  static const char *const always[] = {"Authorization", "Proxy-Authorization", "Cookie"};
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    if (has_name(line, size, always[i]))
      return true;
  for (; headers && *headers; headers++)
    if (has_name(line, size, *headers))
      return true;
  return false;
}

size_t secrets_leave_out(char *head, size_t size, const char *const *headers)
{
  size_t kept = 0;
  for (size_t at = 0, length; at < size; at += length) {
    const char *end = memchr(head + at, '\n', size - at);
    length = end ? (size_t)(end + 1 - (head + at)) : size - at;
    if (at && is_secret(head + at, length, headers)) /* the first line is the request's */
      continue;
    memmove(head + kept, head + at, length);
    kept += length;
  }
  return kept;
}
