/* Any robots.txt, any path. The input is the path, LF, the file. A verdict and its line agree; and what ends lines
 * makes no difference. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/robots/robots.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool decide(const char *text, size_t size, const char *path, size_t path_size)
{
  robots *file = robots_parse(text, size, "strata");
  if (!file)
    abort();
  const char *rule = NULL;
  bool allowed = robots_allows(file, path, path_size, &rule);
  if (*rule && (strncmp(rule, "allow: ", 7) == 0) != allowed)
    abort();
  if (!*rule && !allowed)
    abort();
  if (robots_crawl_delay(file) > 1e9)
    abort();
  size_t sitemaps = 0;
  while (robots_sitemap(file, sitemaps))
    sitemaps++;
  if (sitemaps > size)
    abort();
  robots_free(file);
  return allowed;
}

static char *copy_of(const uint8_t *bytes, size_t size)
{
  char *copy = malloc(size + !size);
  if (!copy)
    abort();
  memcpy(copy, bytes, size);
  return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const uint8_t *line_end = size ? memchr(data, '\n', size) : NULL;
  size_t path_size = line_end ? (size_t)(line_end - data) : size;
  size_t begin = line_end ? path_size + 1 : size;
  char *path = copy_of(data, path_size), *text = copy_of(data + begin, size - begin);
  bool allowed = decide(text, size - begin, path, path_size);
  for (size_t i = 0; i < size - begin; i++)
    if (text[i] == '\n')
      text[i] = '\r';
  if (decide(text, size - begin, path, path_size) != allowed)
    abort();
  free(path);
  free(text);
  return 0;
}
