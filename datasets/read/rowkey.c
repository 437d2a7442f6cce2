#include "datasets/read/rowkey.h"

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

url_status rowkey_make(const char *text, size_t size, url *out, bool *is_https)
{
  while (size > 0 && (text[0] == ' ' || text[0] == '\t'))
    text++, size--;
  while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t' || text[size - 1] == '\r'))
    size--;
  *is_https = size >= 6 && strncasecmp(text, "https:", 6) == 0;
  if (!lacks_scheme(text, size))
    return url_parse(text, size, URL_PATH_PAPER, out);

  char with_slashes[URL_LENGTH_MAX + 2] = "//";
  if (size > URL_LENGTH_MAX - 2)
    return URL_TOO_LONG;
  memcpy(with_slashes + 2, text, size);
  return url_parse(with_slashes, size + 2, URL_PATH_PAPER, out);
}
