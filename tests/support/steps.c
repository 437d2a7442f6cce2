/* See steps.h. The linker puts each __wrap_NAME in the place of NAME. */
#include "tests/support/steps.h"

#include <iconv.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static uint64_t steps;

uint64_t steps_taken(void)
{
  return steps;
}

/* The names are the compiler's and the linker's. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-declarations"

void __sanitizer_cov_trace_pc(void) // NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
{
  steps++;
}

#define WRAPS(type, name, ...)            \
  extern type __real_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__);        \
  type __wrap_##name(__VA_ARGS__)

/* ---- searching ------------------------------------------------------------------------------------------- */

static void count_to(const void *from, const void *found, size_t all)
{
  steps += found ? (size_t)((const char *)found - (const char *)from) + 1 : all;
}

WRAPS(void *, memchr, const void *at, int c, size_t size)
{
  void *found = __real_memchr(at, c, size);
  count_to(at, found, size);
  return found;
}

WRAPS(void *, memrchr, const void *at, int c, size_t size)
{
  void *found = __real_memrchr(at, c, size);
  steps += found ? (size_t)((const char *)at + size - (const char *)found) : size;
  return found;
}

/* The C library's is linear. */
WRAPS(void *, memmem, const void *at, size_t size, const void *what, size_t what_size)
{
  void *found = __real_memmem(at, size, what, what_size);
  count_to(at, found, size);
  steps += what_size;
  return found;
}

WRAPS(size_t, strlen, const char *at)
{
  size_t size = __real_strlen(at);
  steps += size;
  return size;
}

WRAPS(size_t, strnlen, const char *at, size_t most)
{
  size_t size = __real_strnlen(at, most);
  steps += size;
  return size;
}

WRAPS(char *, strchr, const char *at, int c)
{
  char *found = __real_strchr(at, c);
  count_to(at, found, __real_strlen(at));
  return found;
}

WRAPS(char *, strrchr, const char *at, int c)
{
  steps += __real_strlen(at);
  return __real_strrchr(at, c);
}

WRAPS(char *, strchrnul, const char *at, int c)
{
  char *found = __real_strchrnul(at, c);
  count_to(at, found, 0);
  return found;
}

WRAPS(size_t, strspn, const char *at, const char *set)
{
  size_t size = __real_strspn(at, set);
  steps += size;
  return size;
}

WRAPS(size_t, strcspn, const char *at, const char *set)
{
  size_t size = __real_strcspn(at, set);
  steps += size;
  return size;
}

/* ---- comparing ------------------------------------------------------------------------------------------- */

static size_t common(const void *a, const void *b, size_t most)
{
  const unsigned char *x = a, *y = b;
  size_t size = 0;
  while (size < most && x[size] == y[size])
    size++;
  return size + 1;
}

WRAPS(int, memcmp, const void *a, const void *b, size_t size)
{
  steps += common(a, b, size);
  return __real_memcmp(a, b, size);
}

WRAPS(int, strcmp, const char *a, const char *b)
{
  steps += common(a, b, __real_strlen(a));
  return __real_strcmp(a, b);
}

WRAPS(int, strncmp, const char *a, const char *b, size_t size)
{
  steps += common(a, b, __real_strnlen(a, size));
  return __real_strncmp(a, b, size);
}

WRAPS(int, strcasecmp, const char *a, const char *b)
{
  steps += common(a, b, __real_strlen(a));
  return __real_strcasecmp(a, b);
}

WRAPS(int, strncasecmp, const char *a, const char *b, size_t size)
{
  steps += common(a, b, __real_strnlen(a, size));
  return __real_strncasecmp(a, b, size);
}

/* ---- copying --------------------------------------------------------------------------------------------- */

WRAPS(void *, memcpy, void *to, const void *from, size_t size)
{
  steps += size;
  return __real_memcpy(to, from, size);
}

WRAPS(void *, memmove, void *to, const void *from, size_t size)
{
  steps += size;
  return __real_memmove(to, from, size);
}

WRAPS(void *, memset, void *to, int c, size_t size)
{
  steps += size;
  return __real_memset(to, c, size);
}

WRAPS(void *, calloc, size_t count, size_t size)
{
  steps += count * size;
  return __real_calloc(count, size);
}

/* As if it always moved. */
WRAPS(void *, realloc, void *at, size_t size)
{
  steps += size;
  return __real_realloc(at, size);
}

int __wrap_snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int __wrap_snprintf(char *to, size_t size, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int written = vsnprintf(to, size, format, arguments);
  va_end(arguments);
  steps += written > 0 ? (size_t)written : 0;
  return written;
}

/* ---- other libraries ------------------------------------------------------------------------------------- */

WRAPS(size_t, iconv, iconv_t conversion, char **in, size_t *left, char **out, size_t *room)
{
  size_t before = left ? *left : 0, room_before = room ? *room : 0;
  size_t result = __real_iconv(conversion, in, left, out, room);
  steps += 1 + before - (left ? *left : 0) + room_before - (room ? *room : 0);
  return result;
}

WRAPS(int, inflate, z_streamp z, int flush)
{
  uLong in = z->total_in, out = z->total_out;
  int result = __real_inflate(z, flush);
  steps += 1 + (z->total_in - in) + (z->total_out - out);
  return result;
}

WRAPS(json_t *, json_loadb, const char *at, size_t size, size_t flags, json_error_t *error)
{
  steps += size;
  return __real_json_loadb(at, size, flags, error);
}

/* Each item of an expression that is tried is a step: patterns.c is called before each. */
static int (*own_callout)(pcre2_callout_block *, void *);
static void *own_context;

WRAPS(int, pcre2_set_callout_8, pcre2_match_context *match, int (*callout)(pcre2_callout_block *, void *),
      void *context)
{
  (void)match;
  own_callout = callout;
  own_context = context;
  return 0;
}

static int called_out(pcre2_callout_block *block, void *context)
{
  (void)context;
  steps++;
  return own_callout ? own_callout(block, own_context) : 0;
}

WRAPS(int, pcre2_match_8, const pcre2_code *code, PCRE2_SPTR subject, PCRE2_SIZE size, PCRE2_SIZE begin,
      uint32_t options, pcre2_match_data *data, pcre2_match_context *context)
{
  __real_pcre2_set_callout_8(context, called_out, NULL);
  return __real_pcre2_match_8(code, subject, size, begin, options, data, context);
}
