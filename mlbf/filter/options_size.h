/* mlbf/filter/options_size.h: options whose first field says how long the caller's struct is. Internal to mlbf/. */
#ifndef STRATA_MLBF_OPTIONS_SIZE_H
#define STRATA_MLBF_OPTIONS_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A struct of a later release has some more fields, none so many. What is longer was never set to a default. */
enum { MLBF_SIZED_MOST = 4096 };

/* Copies `given` to `known`, a struct of `size` bytes: fields that `given` does not have are zero. False, and `*known`
 * is not set: its size is none, or it sets a field that this library does not have. */
static inline bool mlbf_sized_read(void *known, size_t size, const void *given)
{
  size_t given_size;
  memcpy(&given_size, given, sizeof given_size);
  if (given_size < sizeof given_size || given_size > MLBF_SIZED_MOST)
    return false;
  for (size_t i = size; i < given_size; i++)
    if (((const char *)given)[i])
      return false;
  memset(known, 0, size);
  memcpy(known, given, given_size < size ? given_size : size);
  memcpy(known, &size, sizeof size);
  return true;
}

#endif
