/* crawler/base/json.c, read back by jansson. */
#include "crawler/base/json.h"
#include "tests/support/test.h"
#include "tests/support/unclean.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What is written for a string, as a JSON reader sees it; NULL: it is no JSON. free() it. */
static char *read_back(const char *value)
{
  json j = {0};
  json_begin(&j);
  json_put_string(&j, "a", value);
  json_end(&j);
  assert_false(j.failed);
  assert_int_equal(first_unclean(j.text, j.size, false), j.size); /* nothing a terminal obeys, */
  assert_null(memchr(j.text, '\n', j.size));                      /* and one line */
  json_t *object = json_loadb(j.text, j.size, JSON_REJECT_DUPLICATES, NULL);
  json_free(&j);
  if (!object)
    return NULL;
  char *text = strdup(json_string_value(json_object_get(object, "a")));
  json_decref(object);
  return text;
}

static const struct {
  const char *in, *out, *why;
} rows[] = {
  {"", "", "empty"},
  {"http://h/a?b=c&d", "http://h/a?b=c&d", "plain"},
  {"say \"hi\" \\ there", "say \"hi\" \\ there", "quote and backslash"},
  {"a\nb\tc\r\x01\x1b[2J\x7f", "a\nb\tc\r\x01\x1b[2J\x7f", "control characters"},
  {"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x90\x8C", "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x90\x8C", "UTF-8"},
  {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD", "overlong"},
  {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", "surrogate"},
  {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", "past U+10FFFF"},
  {"\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD", "cut short"},
  {"\xFFz", "\xEF\xBF\xBDz", "no UTF-8 at all"},
  {"\xC2\x9B\xC2\x80\xC2\x9F\xC2\xA0", "\xC2\x9B\xC2\x80\xC2\x9F\xC2\xA0", "C1"},
  // NOLINTNEXTLINE(misc-misleading-bidirectional): what is tested is that it misleads nobody
  {"\xE2\x80\xAEx\xE2\x81\xA6\xD8\x9C", "\xE2\x80\xAEx\xE2\x81\xA6\xD8\x9C", "what turns text round"},
  {"\xE2\x80\xA8\xE2\x80\xA9", "\xE2\x80\xA8\xE2\x80\xA9", "separators of lines and paragraphs"},
};

CASE(every_string_reads_back)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *back = read_back(rows[i].in);
    if (!back || strcmp(back, rows[i].out) != 0)
      fail_msg("%s: \"%s\"", rows[i].why, back ? back : "(no JSON)");
    free(back);
  }
}

CASE(any_bytes_make_valid_json)
{
  unsigned seed = 20261120;
  for (int round = 0; round < 20000; round++) {
    char text[16] = "";
    for (size_t i = 0; i + 1 < sizeof text; i++)
      text[i] = (char)(1 + rand_r(&seed) % 255);
    char *back = read_back(text);
    if (!back)
      fail_msg("round %d: not JSON", round);
    free(back);
  }
}

CASE(an_object_holds_what_was_put)
{
  json j = {0};
  json_begin(&j);
  json_put_number(&j, "most", UINT64_MAX >> 1);
  json_put_real(&j, "seconds", 1.25, 3);
  json_put_rate(&j, "fp", 1e-6);
  json_begin_object(&j, "inner");
  json_put_bool(&j, "yes", true);
  json_put_bool(&j, "no", false);
  json_end(&j);
  json_put_string(&j, "last", "x");
  json_end(&j);
  json_t *o = json_loadb(j.text, j.size, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(o);
  assert_true(json_integer_value(json_object_get(o, "most")) == INT64_MAX);
  assert_true(json_real_value(json_object_get(o, "seconds")) == 1.25);
  assert_true(json_real_value(json_object_get(o, "fp")) == 1e-6);
  json_t *inner = json_object_get(o, "inner");
  assert_true(json_is_true(json_object_get(inner, "yes")) && json_is_false(json_object_get(inner, "no")));
  assert_string_equal(json_string_value(json_object_get(o, "last")), "x");
  json_decref(o);
  json_clear(&j);
  assert_int_equal(j.size, 0);
  json_free(&j);
}

CASE(numbers_are_as_printf_writes_them)
{
  static const uint64_t whole[] = {0, 1, 9, 10, 99, 100, 123456789, UINT64_MAX / 10, UINT64_MAX - 1, UINT64_MAX};
  static const struct {
    double value;
    int decimals;
    const char *text;
  } real[] = {{0, 3, "0.000"},         {0.0004, 3, "0.000"},      {0.0006, 3, "0.001"},      {0.9996, 3, "1.000"},
              {1.25, 3, "1.250"},      {12.0625, 6, "12.062500"}, {0.000001, 6, "0.000001"}, {86400.05, 1, "86400.1"},
              {0.5, 9, "0.500000000"}, {-1, 3, "0.000"},          {2e9, 3, "1000000000.000"}};
  char text[64];
  json j = {0};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
    json_clear(&j);
    json_put_number(&j, "n", whole[i]);
    int size = snprintf(text, sizeof text, "\"n\":%llu", (unsigned long long)whole[i]);
    assert_int_equal(j.size, size);
    assert_memory_equal(j.text, text, j.size);
  }
  for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
    json_clear(&j);
    json_put_real(&j, "n", real[i].value, real[i].decimals);
    int size = snprintf(text, sizeof text, "\"n\":%s", real[i].text);
    assert_int_equal(j.size, size);
    assert_memory_equal(j.text, text, j.size);
  }
  json_free(&j);
}
