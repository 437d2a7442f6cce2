/* See flat_line.h. */
#include "crawler/report/flat_line.h"

#include <string.h>

/* Behind the quote that ends the string which begins at `at`; NULL: none does. */
static const char *skip_string(const char *at, const char *end)
{
  for (const char *quote; (quote = memchr(at, '"', (size_t)(end - at))); at = quote + 1) {
    size_t escapes = 0;
    while (quote - escapes > at && quote[-(ptrdiff_t)escapes - 1] == '\\')
      escapes++;
    if (escapes % 2 == 0)
      return quote + 1;
  }
  return NULL;
}

bool flat_line_next(const char **at, const char *end, flat_field *field)
{
  const char *from = *at;
  if (end - from < 2 || (*from != '{' && *from != ',') || from[1] != '"')
    return false;
  const char *name_end = skip_string(from + 2, end);
  if (!name_end || name_end >= end || *name_end != ':')
    return false;
  field->name = from + 2;
  field->name_size = (size_t)(name_end - 1 - field->name);
  const char *value = name_end + 1, *behind = value;
  bool is_string = value < end && *value == '"';
  if (is_string)
    behind = skip_string(value + 1, end);
  else
    while (behind < end && *behind != ',' && *behind != '}')
      behind++;
  if (!behind || behind == end)
    return false;
  field->value = value + is_string;
  field->size = (size_t)(behind - field->value) - is_string;
  *at = behind;
  return true;
}
