/* See clip.h. Widths come from the C library, in our own locale, as the program's may be ASCII only. */
#include "crawler/base/clip.h"

#include "crawler/base/utf8.h"

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

typedef struct character {
  size_t bytes;
  int columns; /* -1: not printable */
} character;

/* The character at `at`, which is not the end. */
static character read_character(const char *at, bool is_utf8)
{
  mbstate_t state = {0};
  wchar_t wide;
  if ((unsigned char)*at < 0x7F)
    return (character){1, (unsigned char)*at < 0x20 ? -1 : 1};
  size_t bytes = is_utf8 ? mbrtowc(&wide, at, strnlen(at, MB_LEN_MAX), &state) : (size_t)-1;
  if (bytes == (size_t)-1 || bytes == (size_t)-2)
    return (character){1, -1};
  return (character){bytes, utf8_is_control((uint32_t)wide) ? -1 : wcwidth(wide)};
}

typedef struct filled {
  size_t columns, bytes; /* of the line, without its NUL */
  const char *rest;      /* of the text */
} filled;

/* As much of `text` as fits. */
static filled fill(const char *text, size_t columns, bool is_utf8, char *line, size_t size)
{
  filled f = {.rest = text};
  while (*f.rest) {
    character c = read_character(f.rest, is_utf8);
    size_t needs = c.columns < 0 ? 1 : (size_t)c.columns, bytes = c.columns < 0 ? 1 : c.bytes;
    if (f.columns + needs > columns || f.bytes + bytes >= size)
      break;
    if (c.columns < 0)
      line[f.bytes] = '?';
    else
      memcpy(line + f.bytes, f.rest, bytes);
    f.bytes += bytes;
    f.columns += needs;
    f.rest += c.bytes;
  }
  line[f.bytes] = '\0';
  return f;
}

size_t clip_line(const char *text, size_t columns, int is_utf8, char *line, size_t size)
{
  locale_t ours = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  locale_t before = ours ? uselocale(ours) : (locale_t)0;
  bool knows_widths = ours && is_utf8;
  filled f = fill(text, columns, knows_widths, line, size);
  if (*f.rest && columns > 0 && size > 1) {
    f = fill(text, columns - 1, knows_widths, line, size - 1);
    line[f.bytes] = '~';
    line[f.bytes + 1] = '\0';
    f.columns++;
  }
  if (ours) {
    uselocale(before);
    freelocale(ours);
  }
  return f.columns;
}

int clip_is_utf8(void)
{
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = getenv(names[i]);
    if (value && *value) /* the first that is set decides */
      return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
  }
  return 0;
}
