/* See name_tries.h. The environment is the only way: getaddrinfo reads RES_OPTIONS (resolv.conf(5)) once, behind the
 * file's own options. */
#include "crawler/http/name_tries.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_tries(const char *line)
{
  return strstr(line, "timeout:") || strstr(line, "attempts:");
}

static bool file_has_tries(const char *path)
{
  char line[1024];
  bool found = false;
  FILE *file = fopen(path, "re");
  while (file && !found && fgets(line, sizeof line, file))
    found = strncmp(line, "options", strlen("options")) == 0 && has_tries(line);
  if (file)
    fclose(file);
  return found;
}

void name_tries_limit(const char *resolv_conf, long timeout_ms)
{
  enum { USUAL_MS = 5000 };
  char options[256];
  const char *before = getenv("RES_OPTIONS");
  if (timeout_ms > USUAL_MS || (before && has_tries(before)) || file_has_tries(resolv_conf))
    return;
  int size = snprintf(options, sizeof options, "%s timeout:%ld attempts:1", before ? before : "",
                      (timeout_ms + 999) / 1000);
  if (size > 0 && (size_t)size < sizeof options)
    setenv("RES_OPTIONS", options, 1);
}
