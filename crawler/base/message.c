/* See message.h. */
#include "crawler/base/message.h"

#include "mlbf/secret.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void say_error(const char *command, const char *format, ...)
{
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "strata %s: ", command);
  for (const char *at = text; *at; at++)
    if ((unsigned char)*at < 0x20 || *at == 0x7F)
      fprintf(stderr, "\\x%02X", (unsigned char)*at);
    else
      putc(*at, stderr);
  putc('\n', stderr);
}

void say_if_hashing_is_slow(const char *command)
{
  if (mlbf_hash_is_slow())
    say_error(command, "hashing is slower here: it uses no AES instructions of this processor");
}

const char *say_count(uint64_t number, char text[SAY_SIZE])
{
  char digits[SAY_SIZE];
  size_t count = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number), out = 0;
  for (size_t i = 0; i < count; i++) {
    if (i && (count - i) % 3 == 0)
      text[out++] = ',';
    text[out++] = digits[i];
  }
  text[out] = '\0';
  return text;
}

const char *say_bytes(uint64_t bytes, char text[SAY_SIZE])
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  double size = (double)bytes;
  size_t unit = 0;
  while (size >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
    size /= 1000;
    unit++;
  }
  snprintf(text, SAY_SIZE, unit && size < 99.95 ? "%.1f %s" : "%.0f %s", size, units[unit]);
  return text;
}

const char *say_seconds(double seconds, char text[SAY_SIZE])
{
  unsigned long whole = (unsigned long)(seconds + 0.5);
  if (seconds < 59.95)
    snprintf(text, SAY_SIZE, "%.1f s", seconds);
  else if (whole < 3600)
    snprintf(text, SAY_SIZE, "%lu min %02lu s", whole / 60, whole % 60);
  else
    snprintf(text, SAY_SIZE, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
  return text;
}
