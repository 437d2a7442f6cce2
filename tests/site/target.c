/* The canonical form of a request target. */
#include "tests/site/target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_unreserved(int byte)
{
  return byte < 0x80 && (isalnum(byte) || (byte && strchr("-._~", byte)));
}

/* The byte an escape stands for, or -1 if there is none at `bytes`. */
static int escape_value(const char *bytes, size_t size)
{
  if (size < 3 || bytes[0] != '%' || !isxdigit((unsigned char)bytes[1]) || !isxdigit((unsigned char)bytes[2]))
    return -1;
  const char hex[] = {bytes[1], bytes[2], '\0'};
  return (int)strtol(hex, NULL, 16);
}

static bool has_dot_segment(const char *path, size_t size)
{
  for (size_t begin = 1, end; begin <= size; begin = end + 1) {
    for (end = begin; end < size && path[end] != '/'; end++) {}
    if ((end - begin == 1 && path[begin] == '.') || (end - begin == 2 && path[begin] == '.' && path[end - 1] == '.'))
      return true;
  }
  return false;
}

bool target_canonical(text *out, const char *target, size_t size)
{
  size_t start = out->size;
  if (size == 0 || target[0] != '/')
    return false;
  for (size_t i = 0; i < size; i++) {
    unsigned char byte = (unsigned char)target[i];
    if (byte <= ' ' || byte >= 0x7F || byte == '#')
      return false;
    int value = escape_value(target + i, size - i);
    if (value < 0)
      text_add_byte(out, (char)byte);
    else if (is_unreserved(value))
      text_add_byte(out, (char)value);
    else
      text_addf(out, "%%%02X", (unsigned)value);
    i += value < 0 ? 0 : 2;
  }
  const char *query = strchr(out->bytes + start, '?');
  return !has_dot_segment(out->bytes + start, query ? (size_t)(query - out->bytes) - start : out->size - start);
}

void target_of_url(text *out, const char *url)
{
  const char *authority = strstr(url, "://");
  const char *target = authority ? strpbrk(authority + 3, "/?") : NULL;
  if (!target || *target == '?')
    text_add_byte(out, '/');
  text_add(out, target ? target : "");
}
