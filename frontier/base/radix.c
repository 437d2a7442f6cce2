/* See radix.h: one pass for each byte in which the numbers differ. */
#include "frontier/base/radix.h"

#include <stdlib.h>
#include <string.h>

bool radix_sort(uint64_t *numbers, size_t count, unsigned low_bit)
{
  uint64_t differ = 0;
  bool is_sorted = true;
  for (size_t i = 1; i < count; i++) {
    differ |= numbers[i] ^ numbers[0];
    is_sorted &= numbers[i] >> low_bit >= numbers[i - 1] >> low_bit;
  }
  if (is_sorted)
    return true;
  uint64_t *spare = malloc(count * sizeof *spare), *from = numbers, *to = spare;
  if (!spare)
    return false;
  for (unsigned shift = low_bit; shift < 64; shift += 8) {
    size_t begin[257] = {0};
    if ((differ >> shift & 255) == 0)
      continue;
    for (size_t i = 0; i < count; i++)
      begin[(from[i] >> shift & 255) + 1]++;
    for (size_t i = 1; i < 256; i++)
      begin[i] += begin[i - 1];
    for (size_t i = 0; i < count; i++)
      to[begin[from[i] >> shift & 255]++] = from[i];
    uint64_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != numbers)
    memcpy(numbers, from, count * sizeof *from);
  free(spare);
  return true;
}
