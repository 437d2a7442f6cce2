/* Characters of HTML and robots.txt, in ASCII whatever the locale: "ASCII whitespace", "ASCII digit", "ASCII alpha" and
 * "ASCII lowercase" of the Infra Standard. */
#ifndef STRATA_CRAWLER_CHARS_H
#define STRATA_CRAWLER_CHARS_H

#include <stdbool.h>

static inline bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static inline bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static inline bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
}

#endif
