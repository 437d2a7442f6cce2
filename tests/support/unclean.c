/* See unclean.h. */
#include "tests/support/unclean.h"

#include <stdint.h>

/* The code point there and its bytes; 0 bytes: no UTF-8 (table 3-7 of the standard). */
static size_t decode(const unsigned char *at, size_t left, uint32_t *code)
{
  size_t size = *at < 0x80 ? 1 : *at < 0xC2 ? 0 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : *at < 0xF5 ? 4 : 0;
  if (size > left)
    return 0;
  *code = size < 2 ? *at : *at & (0x7Fu >> size);
  for (size_t i = 1; i < size; i++) {
    if (at[i] >> 6 != 2)
      return 0;
    *code = *code << 6 | (at[i] & 0x3F);
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool is_character = *code >= least[size] && *code <= 0x10FFFF && (*code < 0xD800 || *code > 0xDFFF);
  return is_character ? size : 0;
}

size_t first_unclean(const char *bytes, size_t size, bool is_ascii)
{
  static const struct {
    uint32_t first, last;
  } bad[] = {{0, 8},           {0xB, 0x1F},      {0x7F, 0x9F},     {0x61C, 0x61C},
             {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFFFFFFFF, 0xFFFFFFFF}};
  for (size_t i = 0, step; i < size; i += step) {
    uint32_t code = 0;
    step = decode((const unsigned char *)bytes + i, size - i, &code);
    if (!step || (is_ascii && code > 0x7E))
      return i;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
      if (code >= bad[k].first && code <= bad[k].last)
        return i;
  }
  return size;
}
