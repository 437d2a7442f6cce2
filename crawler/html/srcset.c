/* See srcset.h. */
#include "crawler/html/srcset.h"

#include "crawler/base/chars.h"

/* To behind the comma that ends the descriptors; one in parentheses does not. */
static const char *skip_descriptors(const char *at, const char *end)
{
  bool is_inside = false;
  for (; at < end; at++) {
    if (*at == ',' && !is_inside)
      return at + 1;
    is_inside = *at == '(' || (is_inside && *at != ')');
  }
  return end;
}

bool srcset_next(const char **at, const char *end, const char **url, size_t *size)
{
  while (*at < end && (is_space(**at) || **at == ','))
    (*at)++;
  *url = *at;
  while (*at < end && !is_space(**at))
    (*at)++;
  *size = (size_t)(*at - *url);
  if (*size == 0)
    return false;
  if ((*url)[*size - 1] != ',') {
    *at = skip_descriptors(*at, end);
    return true;
  }
  while (*size && (*url)[*size - 1] == ',')
    --*size;
  return true;
}
