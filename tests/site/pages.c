/* One JSON object a line. */
#include "tests/site/pages.h"

#include <stdio.h>
#include <string.h>

pages pages_read(const char *path)
{
  pages p = {.list = json_array()};
  text file = {0};
  if (!text_add_file(&file, path))
    return p;
  char *rest = file.bytes;
  for (char *line; (line = strsep(&rest, "\n"));) {
    if (!rest) {
      p.torn = *line != '\0';
      break;
    }
    json_error_t error;
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (json_is_string(json_object_get(object, "url"))) {
      json_array_append_new(p.list, object);
    } else {
      fprintf(stderr, "  %s: not a page (%s): %s\n", path, object ? "no \"url\"" : error.text, line);
      json_decref(object);
      p.bad++;
    }
  }
  text_free(&file);
  return p;
}

void pages_free(pages *p)
{
  json_decref(p->list);
  p->list = NULL;
}

size_t pages_count(const pages *p)
{
  return json_array_size(p->list);
}

const char *pages_url(const pages *p, size_t index)
{
  return json_string_value(json_object_get(json_array_get(p->list, index), "url"));
}

long long pages_number(const pages *p, size_t index, const char *name)
{
  const json_t *value = json_object_get(json_array_get(p->list, index), name);
  return json_is_number(value) ? (long long)json_number_value(value) : -1;
}
