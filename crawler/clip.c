/* See clip.h. Widths are the C library's: in a locale of our own, as the program's may know ASCII alone. */
#include "crawler/clip.h"

#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

typedef struct character {
  size_t bytes;
  int columns;       /* -1: not printable */
} character;

/* Marks that turn the direction of what follows: a URL may not write itself backwards. */
static bool turns_text(wchar_t c)
{
  return c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/* The character at `at`, which is not the end. */
static character read_character(const char *at, bool is_utf8)
{
  mbstate_t state = {0};
  wchar_t wide;
  if ((unsigned char)*at < 0x7F)
    return (character){1, (unsigned char)*at < 0x20 ? -1 : 1};
  size_t bytes = is_utf8 ? mbrtowc(&wide, at, strlen(at), &state) : (size_t)-1;
  if (bytes == (size_t)-1 || bytes == (size_t)-2)
    return (character){1, -1};
  return (character){bytes, turns_text(wide) ? -1 : wcwidth(wide)};
}

/* As much of `text` as fits; *rest is behind it. */
static size_t fill(const char *text, size_t columns, bool is_utf8, char *line, size_t size, const char **rest)
{
  size_t width = 0, out = 0;
  while (*text) {
    character c = read_character(text, is_utf8);
    size_t needs = c.columns < 0 ? 1 : (size_t)c.columns, bytes = c.columns < 0 ? 1 : c.bytes;
    if (width + needs > columns || out + bytes >= size)
      break;
    if (c.columns < 0)
      line[out] = '?';
    else
      memcpy(line + out, text, bytes);
    out += bytes;
    width += needs;
    text += c.bytes;
  }
  line[out] = '\0';
  *rest = text;
  return width;
}

size_t clip_line(const char *text, size_t columns, int is_utf8, char *line, size_t size)
{
  const char *rest;
  locale_t ours = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  locale_t before = ours ? uselocale(ours) : (locale_t)0;
  bool knows_widths = ours && is_utf8;
  size_t width = fill(text, columns, knows_widths, line, size, &rest);
  if (*rest && columns > 0 && size > 1) {
    width = fill(text, columns - 1, knows_widths, line, size - 1, &rest);
    strcat(line, "~");
    width++;
  }
  if (ours) {
    uselocale(before);
    freelocale(ours);
  }
  return width;
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
