/* The key of a row's URL: rowkey.h.
 *
 * Always: the text is not changed, and the key is what the frontier's URL path makes of it, with a scheme before it if
 * it has none. Called for each row, by column.c to choose, and by datasets/replay to read. */
#include "datasets/read/rowkey.h"
#include "datasets/read/format.h"

#include <string.h>
#include <strings.h>

/* "http://a", "mailto:a" and "//a" stand for themselves; "a.b/c" and "a.b:80/c" lack a scheme. */
static bool lacks_scheme(const char *text, size_t size)
{
  size_t host = 0;
  while (host < size && strchr("/?#:", text[host]) == NULL)
    host++;
  if (host == 0 || host == size || text[host] != ':')
    return host > 0;
  return host + 1 < size && text[host + 1] >= '0' && text[host + 1] <= '9';
}

/* "a.example", "10.0.0.1", "b.example:80/c"; not "50", "3.14" or "title", of which a browser makes hosts, too. */
static bool begins_with_host(const char *text, size_t size)
{
  size_t end = 0, dots = 0, label = 0; /* `label`: where the last one begins */
  for (; end < size && strchr("/?#:", text[end]) == NULL; end++) {
    unsigned char byte = (unsigned char)text[end];
    if (byte <= ' ' || strchr("\"'(),;<>@[]{}|\\=&", byte) != NULL)
      return false;
    if (byte == '.') {
      dots++;
      label = end + 1;
    }
  }
  bool is_number = format_is_digits((text_span){text + label, end - label});
  return dots > 0 && label < end && (!is_number || dots == 3);
}

url_status rowkey_make(const char *text, size_t size, url *out, bool *is_https)
{
  while (size > 0 && (text[0] == ' ' || text[0] == '\t'))
    text++, size--;
  while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t' || text[size - 1] == '\r'))
    size--;
  *is_https = size >= 6 && strncasecmp(text, "https:", 6) == 0;
  if (!lacks_scheme(text, size))
    return url_parse(text, size, URL_PATH_PAPER, out);

  if (!begins_with_host(text, size))
    return URL_BAD_HOST;
  char with_slashes[URL_LENGTH_MAX + 2] = "//";
  if (size > URL_LENGTH_MAX - 2)
    return URL_TOO_LONG;
  memcpy(with_slashes + 2, text, size);
  return url_parse(with_slashes, size + 2, URL_PATH_PAPER, out);
}
