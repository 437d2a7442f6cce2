/* See cookie_date.h. The text is a list of tokens, and each is the first of these that it can be and that none was
 * before: the time, the day, the month, the year. So "Thu, 01-Jan-70 00:00:10 GMT" and "2001 Jan 1 0:0:0" are dates;
 * names of days and zones are neither of the four, and all is GMT. cookie_field.c asks. Nothing is on disk. */
#include "crawler/http/cookie_date.h"

#include <assert.h>
#include <stddef.h>
#include <strings.h>
#include <time.h>

enum { NOT_FOUND = -1, YEAR_FIRST = 1601, CENTURY_TURNS = 70 };

typedef struct fields {
  int hour, minute, second; /* the time is found as a whole */
  int day, month, year;     /* month: from 0 */
} fields;

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_delimiter(char c)
{
  return c == 0x09 || (c >= 0x20 && c <= 0x2F) || (c >= 0x3B && c <= 0x40) || (c >= 0x5B && c <= 0x60) ||
         (c >= 0x7B && c <= 0x7E);
}

/* A number of so many digits; NULL: there are fewer, or more. Else what is behind it. */
static const char *read_number(const char *at, int least, int most, int *number)
{
  int digits = 0, sum = 0;
  for (; digits <= most && is_digit(*at); at++, digits++)
    sum = 10 * sum + (*at - '0');
  if (digits < least || digits > most)
    return NULL;
  *number = sum;
  return at;
}

static bool take_time(fields *f, const char *token)
{
  int hour, minute, second;
  const char *at = f->hour == NOT_FOUND ? read_number(token, 1, 2, &hour) : NULL;
  at = at && *at == ':' ? read_number(at + 1, 1, 2, &minute) : NULL;
  at = at && *at == ':' ? read_number(at + 1, 1, 2, &second) : NULL;
  if (!at)
    return false;
  f->hour = hour;
  f->minute = minute;
  f->second = second;
  return true;
}

static bool take_month(fields *f, const char *token)
{
  static const char months[][4] = {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
  int month = 0;
  while (month < 12 && strncasecmp(token, months[month], 3) != 0)
    month++;
  if (f->month != NOT_FOUND || month == 12)
    return false;
  f->month = month;
  return true;
}

/* A token ends at a delimiter, or with the text, which is neither digit, colon nor letter. */
static void take_token(fields *f, const char *token)
{
  if (take_time(f, token) || (f->day == NOT_FOUND && read_number(token, 1, 2, &f->day)) || take_month(f, token))
    return;
  if (f->year == NOT_FOUND && read_number(token, 2, 4, &f->year) && f->year < 100)
    f->year += f->year < CENTURY_TURNS ? 2000 : 1900;
}

/* false: something was not found, or there is no such day or time. */
static bool seconds_of(const fields *f, int64_t *seconds)
{
  struct tm when = {.tm_sec = f->second,
                    .tm_min = f->minute,
                    .tm_hour = f->hour,
                    .tm_mday = f->day,
                    .tm_mon = f->month,
                    .tm_year = f->year - 1900};
  if (f->hour == NOT_FOUND || f->day < 1 || f->month == NOT_FOUND || f->year < YEAR_FIRST || f->hour > 23 ||
      f->minute > 59 || f->second > 59)
    return false;
  assert(f->day <= 99 && f->month < 12 && f->year <= 9999);
  *seconds = timegm(&when);
  return when.tm_mday == f->day; /* else it is the next month's */
}

bool cookie_date_read(const char *text, int64_t *seconds)
{
  fields f = {.hour = NOT_FOUND, .day = NOT_FOUND, .month = NOT_FOUND, .year = NOT_FOUND};
  int64_t found;
  while (*text) {
    while (is_delimiter(*text))
      text++;
    const char *token = text;
    while (*text && !is_delimiter(*text))
      text++;
    if (text > token)
      take_token(&f, token);
  }
  if (!seconds_of(&f, &found))
    return false;
  *seconds = found;
  return true;
}
