/* Characters of HTML, robots.txt and URLs, in ASCII whatever the locale: "ASCII whitespace", "ASCII digit",
 * "ASCII alpha" and "ASCII lowercase" of the Infra Standard, and the escapes of URLs. */
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

static inline int hex_value(char c) /* -1: it is no hexadecimal digit */
{
  return is_digit(c) ? c - '0' : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

/* The byte that "%62" at `at` stands for, or -1. */
static inline int escaped_byte(const char *at, const char *end)
{
  if (end - at < 3 || *at != '%' || hex_value(at[1]) < 0 || hex_value(at[2]) < 0)
    return -1;
  return hex_value(at[1]) * 16 + hex_value(at[2]);
}

#endif
