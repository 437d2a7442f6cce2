/* One JSON object a line. */
#include "tests/site/pages.h"

#include <stdio.h>
#include <string.h>

page_log pages_read(const char *path)
{
  page_log p = {.list = json_array()};
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

void pages_free(page_log *p)
{
  json_decref(p->list);
  p->list = NULL;
}

size_t pages_count(const page_log *p)
{
  return json_array_size(p->list);
}

const char *pages_url(const page_log *p, size_t index)
{
  return json_string_value(json_object_get(json_array_get(p->list, index), "url"));
}

long long pages_number(const page_log *p, size_t index, const char *name)
{
  const json_t *value = json_object_get(json_array_get(p->list, index), name);
  return json_is_number(value) ? (long long)json_number_value(value) : -1;
}
