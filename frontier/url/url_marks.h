/* frontier/url/url_marks.h: 64 bytes of a link to bits, the first byte lowest; private to frontier/url/.
 *
 * Compiled for AVX2, two comparisons of 32 bytes do what takes four of 16 with SSE2, which every x86-64 has.
 * Elsewhere the same in plain C. */
#ifndef STRATA_FRONTIER_URL_MARKS_H
#define STRATA_FRONTIER_URL_MARKS_H

#include <stdint.h>
#include <string.h>

enum { URL_MARKS_STEP = 64 };

typedef struct url_marks {
  uint64_t special; /* all but letters, digits and - . _ ~ ! $ & ( ) * + , ; = : @ / : what is not plain everywhere */
  uint64_t slash, dot, ampersand;
} url_marks;

#if defined __AVX2__ || defined __SSE2__
#include <immintrin.h>

#ifdef __AVX2__
enum { URL_VECTOR_SIZE = 32 };
#else
enum { URL_VECTOR_SIZE = 16 };
#endif

/* Bytes to calculate with, all at once; a comparison gives 0xff or 0 in each. */
typedef unsigned char url_vector __attribute__((vector_size(URL_VECTOR_SIZE)));

static inline url_vector url_vector_load(const char *text)
{
  url_vector bytes;
  memcpy(&bytes, text, sizeof bytes);
  return bytes;
}

/* The comparison's bits, at the place of the vector's first byte. */
static inline uint64_t url_vector_bits(url_vector compared, unsigned at)
{
#ifdef __AVX2__
  uint32_t bits = (uint32_t)_mm256_movemask_epi8((__m256i)compared);
#else
  uint32_t bits = (uint32_t)_mm_movemask_epi8((__m128i)compared);
#endif
  return (uint64_t)bits << at;
}

/* `count` bytes from `first` on. */
static inline url_vector url_vector_in(url_vector bytes, unsigned char first, unsigned char count)
{
  return (url_vector)(bytes - first < count);
}

/* Either of two bytes that differ in one bit. */
static inline url_vector url_vector_either(url_vector bytes, unsigned char byte, unsigned char other)
{
  return (url_vector)((bytes | (unsigned char)(byte ^ other)) == (unsigned char)(byte | other));
}

static inline url_vector url_vector_special(url_vector bytes)
{
  url_vector low = url_vector_either(bytes, '"', '#') | url_vector_either(bytes, '%', '\'');
  url_vector middle = url_vector_either(bytes, '<', '>') | (url_vector)(bytes == '?');
  url_vector high = url_vector_in(bytes, '[', 4) | (url_vector)(bytes == '`') | url_vector_in(bytes, '{', 3);
  return low | middle | high | url_vector_in(bytes, 0x7f, 0xa2); /* [ \ ] ^   `   { | }   7f to ff and 0 to 20 */
}

static inline url_marks url_mark(const char *text)
{
  url_marks found = {0, 0, 0, 0};
  for (unsigned at = 0; at < URL_MARKS_STEP; at += URL_VECTOR_SIZE) {
    url_vector bytes = url_vector_load(text + at);
    found.special |= url_vector_bits(url_vector_special(bytes), at);
    found.slash |= url_vector_bits((url_vector)(bytes == '/'), at);
    found.dot |= url_vector_bits((url_vector)(bytes == '.'), at);
    found.ampersand |= url_vector_bits((url_vector)(bytes == '&'), at);
  }
  return found;
}

static inline uint64_t url_mark_byte(const char *text, char byte)
{
  uint64_t found = 0;
  for (unsigned at = 0; at < URL_MARKS_STEP; at += URL_VECTOR_SIZE)
    found |= url_vector_bits((url_vector)(url_vector_load(text + at) == (unsigned char)byte), at);
  return found;
}

/* What browsers escape in a path or in a query, and '\\'. */
static inline uint64_t url_mark_escaped(const char *text)
{
  uint64_t found = 0;
  for (unsigned at = 0; at < URL_MARKS_STEP; at += URL_VECTOR_SIZE) {
    url_vector bytes = url_vector_load(text + at);
    url_vector low = (url_vector)(bytes == '"') | (url_vector)(bytes == '\'') | url_vector_either(bytes, '<', '>');
    url_vector high = (url_vector)(bytes == '\\') | (url_vector)(bytes == '^') | (url_vector)(bytes == '`') |
                      (url_vector)(bytes == '{') | (url_vector)(bytes == '}');
    found |= url_vector_bits(low | high | url_vector_in(bytes, 0x7f, 0xa2), at);
  }
  return found;
}

/* Lower-case letters, digits, '-', '.', '_'. */
static inline uint64_t url_mark_host(const char *text)
{
  uint64_t found = 0;
  for (unsigned at = 0; at < URL_MARKS_STEP; at += URL_VECTOR_SIZE) {
    url_vector bytes = url_vector_load(text + at);
    url_vector plain = url_vector_in(bytes, 'a', 26) | url_vector_in(bytes, '0', 10) | url_vector_in(bytes, '-', 2) |
                       (url_vector)(bytes == '_');
    found |= url_vector_bits(plain, at);
  }
  return found;
}

#else

static inline int url_is_special(unsigned char byte)
{
  return byte <= ' ' || byte >= 0x7f || strchr("\"#%'<>?[\\]^`{|}", byte) != NULL;
}

static inline url_marks url_mark(const char *text)
{
  url_marks found = {0, 0, 0, 0};
  for (unsigned at = 0; at < URL_MARKS_STEP; at++) {
    found.special |= (uint64_t)url_is_special((unsigned char)text[at]) << at;
    found.slash |= (uint64_t)(text[at] == '/') << at;
    found.dot |= (uint64_t)(text[at] == '.') << at;
    found.ampersand |= (uint64_t)(text[at] == '&') << at;
  }
  return found;
}

static inline uint64_t url_mark_byte(const char *text, char byte)
{
  uint64_t found = 0;
  for (unsigned at = 0; at < URL_MARKS_STEP; at++)
    found |= (uint64_t)(text[at] == byte) << at;
  return found;
}

static inline uint64_t url_mark_escaped(const char *text)
{
  uint64_t found = 0;
  for (unsigned at = 0; at < URL_MARKS_STEP; at++) {
    unsigned char byte = (unsigned char)text[at];
    found |= (uint64_t)(byte <= ' ' || byte >= 0x7f || strchr("\"'<>\\^`{}", byte) != NULL) << at;
  }
  return found;
}

static inline uint64_t url_mark_host(const char *text)
{
  uint64_t found = 0;
  for (unsigned at = 0; at < URL_MARKS_STEP; at++) {
    char byte = text[at];
    int is_plain = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' ||
                   byte == '_';
    found |= (uint64_t)is_plain << at;
  }
  return found;
}

#endif

#endif
