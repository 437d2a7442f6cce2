/* Structs of callers, which may be of another release and have more fields at their end, or fewer: each is passed with
 * its size. */
#ifndef STRATA_FRONTIER_SIZED_H
#define STRATA_FRONTIER_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The caller's struct into one of ours; fields that it does not have are zero. false: it sets one that we do not
 * have. */
static inline bool sized_take(void *ours, size_t our_size, const void *given, size_t given_size)
{
  const char *bytes = given;
  size_t common = given_size < our_size ? given_size : our_size;
  memcpy(ours, given, common);
  memset((char *)ours + common, 0, our_size - common);
  for (size_t i = common; i < given_size; i++)
    if (bytes[i])
      return false;
  return true;
}

/* One of ours into the caller's; fields that we do not have become zero. */
static inline void sized_give(void *to, size_t to_size, const void *ours, size_t our_size)
{
  size_t common = to_size < our_size ? to_size : our_size;
  memcpy(to, ours, common);
  memset((char *)to + common, 0, to_size - common);
}

#endif
