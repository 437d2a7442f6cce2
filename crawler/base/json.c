/* See json.h. */
#include "crawler/base/json.h"

#include "crawler/base/utf8.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_free(json *j)
{
  free(j->text);
  *j = (json){0};
}

void json_clear(json *j)
{
  j->size = 0;
  j->failed = false;
}

static void append(json *j, const char *bytes, size_t size)
{
  if (!HAS_ROOM(j->text, j->room, j->size + size)) {
    j->failed = true;
    return;
  }
  memcpy(j->text + j->size, bytes, size);
  j->size += size;
}

static void append_text(json *j, const char *text)
{
  append(j, text, strlen(text));
}

static void assert_json(const json *j)
{
  assert(j->size <= j->room && (j->text || !j->room));
  (void)j;
}

/* A comma or a brace can only close what something opened: the text is not empty, unless memory was out. */
static void assert_open(const json *j)
{
  assert_json(j);
  assert(j->size || j->failed);
  (void)j;
}

static void append_escaped(json *j, const char *value)
{
  append_text(j, "\"");
  for (const unsigned char *at = (const unsigned char *)value; *at;) {
    size_t plain = 0;
    while (at[plain] >= 0x20 && at[plain] < 0x7F && at[plain] != '"' && at[plain] != '\\')
      plain++;
    append(j, (const char *)at, plain);
    at += plain;
    if (!*at)
      break;
    size_t sequence = utf8_sequence((const char *)at);
    uint32_t code = sequence ? utf8_code((const char *)at, sequence) : *at < 0x80 ? *at : 0xFFFD;
    char escape[16];
    if (sequence && !utf8_is_control(code)) {
      append(j, (const char *)at, sequence);
    } else {
      if (code == '"' || code == '\\')
        snprintf(escape, sizeof escape, "\\%c", (char)code);
      else
        snprintf(escape, sizeof escape, "\\u%04" PRIX32, code);
      append_text(j, escape);
    }
    at += sequence ? sequence : 1;
  }
  append_text(j, "\"");
}

/* The comma before whatever comes next, but for the first, and behind what json_put_raw put between objects. */
static void append_separator(json *j)
{
  assert_json(j);
  if (j->size && !memchr("{[ \n", j->text[j->size - 1], 4))
    append_text(j, ",");
}

static void append_name(json *j, const char *name)
{
  append_separator(j);
  append_escaped(j, name);
  append_text(j, ":");
}

void json_put_raw(json *j, const char *text)
{
  append_text(j, text);
}

void json_begin(json *j)
{
  append_separator(j);
  append_text(j, "{");
}

void json_begin_object(json *j, const char *name)
{
  append_name(j, name);
  append_text(j, "{");
}

void json_end(json *j)
{
  assert_open(j);
  append_text(j, "}");
}

void json_begin_array(json *j, const char *name)
{
  append_name(j, name);
  append_text(j, "[");
}

void json_add_string(json *j, const char *value)
{
  append_separator(j);
  append_escaped(j, value);
}

void json_end_array(json *j)
{
  assert_open(j);
  append_text(j, "]");
}

void json_put_string(json *j, const char *name, const char *value)
{
  append_name(j, name);
  append_escaped(j, value);
}

static void append_formatted(json *j, const char *name, const char *number)
{
  append_name(j, name);
  append_text(j, number);
}

/* Each page's line has some twenty numbers: printf(3) would take half of its time. */
enum { DIGITS_MAX = 20, DECIMALS_MAX = 9 };

static void append_digits(json *j, uint64_t value, int at_least)
{
  char digits[DIGITS_MAX];
  int first = DIGITS_MAX;
  for (; value || at_least > 0; value /= 10, at_least--)
    digits[--first] = (char)('0' + value % 10);
  assert(first >= 0);
  append(j, digits + first, (size_t)(DIGITS_MAX - first));
}

void json_put_number(json *j, const char *name, uint64_t value)
{
  append_name(j, name);
  append_digits(j, value, 1);
}

void json_put_real(json *j, const char *name, double value, int decimals)
{
  static const double most = 1e9; /* times 10^9 it is still a uint64_t */
  double taken = value > 0 ? value < most ? value : most : 0;
  uint64_t one = 1;
  assert(decimals > 0 && decimals <= DECIMALS_MAX);
  for (int i = 0; i < decimals; i++)
    one *= 10;
  uint64_t parts = (uint64_t)(taken * (double)one + 0.5);
  append_name(j, name);
  append_digits(j, parts / one, 1);
  append_text(j, ".");
  append_digits(j, parts % one, decimals);
}

void json_put_rate(json *j, const char *name, double value)
{
  char number[64];
  snprintf(number, sizeof number, "%.6g", value);
  append_formatted(j, name, number);
}

void json_put_bool(json *j, const char *name, bool value)
{
  append_formatted(j, name, value ? "true" : "false");
}
