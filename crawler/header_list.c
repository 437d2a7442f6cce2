/* See header_list.h. */
#include "crawler/header_list.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool header_list_add(struct curl_slist **list, const char *line)
{
  struct curl_slist *longer = curl_slist_append(*list, line);
  if (longer)
    *list = longer;
  return longer != NULL;
}

bool header_list_add_field(struct curl_slist **list, const char *name, const char *value)
{
  size_t size = strlen(name) + sizeof ": " + strlen(value);
  char *line = malloc(size);
  if (!line)
    return false;
  snprintf(line, size, "%s: %s", name, value);
  bool is_added = header_list_add(list, line);
  free(line);
  return is_added;
}

bool header_list_add_all(struct curl_slist **list, const struct curl_slist *more)
{
  bool all = true;
  for (; more && all; more = more->next)
    all = header_list_add(list, more->data);
  return all;
}
