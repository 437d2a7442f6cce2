/* See message.h. */
#include "crawler/base/message.h"

#include "crawler/base/shown.h"
#include "mlbf/secret.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 2048, SHOWN_SIZE = 4 * TEXT_SIZE };

/* One command a process. */
static const char *renamed, *new_name;

void say_as(const char *command, const char *name)
{
  renamed = command;
  new_name = name;
}

const char *say_name(const char *command)
{
  return renamed && strcmp(command, renamed) == 0 ? new_name : command;
}

void say_error(const char *command, const char *format, ...)
{
  char text[TEXT_SIZE], shown[SHOWN_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "strata %s: %s\n", say_name(command), shown_text(text, shown, sizeof shown));
}

void say_note(const char *format, ...)
{
  char text[TEXT_SIZE], shown[SHOWN_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s\n", shown_text(text, shown, sizeof shown));
}

/* Past stderr, which shows control characters (shown.h). */
void say_dim(const char *format, ...)
{
  char text[TEXT_SIZE], shown[SHOWN_SIZE];
  const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
  bool is_grey = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0 && !(no_color && *no_color);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  shown_text(text, shown, sizeof shown);
  if (is_grey)
    dprintf(STDERR_FILENO, "\033[90m%s\033[0m\n", shown);
  else
    fprintf(stderr, "%s\n", shown);
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

const char *say_many(uint64_t number, const char *noun, char text[SAY_MANY_SIZE])
{
  char count[SAY_SIZE];
  snprintf(text, SAY_MANY_SIZE, "%s %s%s", say_count(number, count), noun, number == 1 ? "" : "s");
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

const char *say_late(uint64_t unconfirmed, uint64_t late, char text[SAY_LATE_SIZE])
{
  char links[SAY_SIZE], urls[SAY_SIZE];
  snprintf(text, SAY_LATE_SIZE, "%s link%s to be confirmed; %s URL%s came late", say_count(unconfirmed, links),
           unconfirmed == 1 ? " waits" : "s wait", say_count(late, urls), late == 1 ? "" : "s");
  return text;
}
