/* See length_doubts.h. */
#include "crawler/http/length_doubts.h"

#include <stdlib.h>
#include <string.h>

bool length_doubts_add(length_doubts *d, const char *url)
{
  for (char **at = d->urls; at < d->urls + LENGTH_DOUBTS_MAX; at++)
    if (!*at)
      return (*at = strdup(url)) != NULL;
  return false;
}

bool length_doubts_take(length_doubts *d, const char *url)
{
  for (char **at = d->urls; at < d->urls + LENGTH_DOUBTS_MAX; at++)
    if (*at && strcmp(*at, url) == 0) {
      free(*at);
      *at = NULL;
      return true;
    }
  return false;
}

void length_doubts_clear(length_doubts *d)
{
  for (char **at = d->urls; at < d->urls + LENGTH_DOUBTS_MAX; at++)
    free(*at);
  *d = (length_doubts){0};
}
