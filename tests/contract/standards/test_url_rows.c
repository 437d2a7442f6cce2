/* URLs and international host names by the standards: url_rows.txt and idna_rows.txt, which say which paragraphs. */
#include "tests/support/row_file.h"
#include "tests/support/test.h"
#include "tests/support/url_test.h"

#include <unistr.h>

static url answer;

/* "fetch key", or "! word". */
static const char *answer_text(url_status status)
{
  static char text[2 * URL_LENGTH_MAX + 8];
  bool is_ok = status == URL_OK;
  snprintf(text, sizeof text, "%s %s", is_ok ? answer.fetch : "!", is_ok ? answer.key : url_status_name(status));
  return text;
}

/* RFC 3986, 6.1: what was normalized once stays as it is; and what is fetched has the key of its href. */
static bool keeps_its_key(void)
{
  static url again;
  return url_parse(answer.key, answer.key_size, URL_STRICT, &again) == URL_OK && strcmp(again.key, answer.key) == 0 &&
         url_parse(answer.fetch, answer.fetch_size, URL_STRICT, &again) == URL_OK &&
         strcmp(again.key, answer.key) == 0 && strcmp(again.fetch, answer.fetch) == 0;
}

static void check(row_file *rows, const char *base, const row_field *href, const char *fetch, const char *key)
{
  char expected[2 * URL_LENGTH_MAX + 8];
  url_status status = resolve_row(base, href->at, href->size, URL_STRICT, &answer);
  snprintf(expected, sizeof expected, "%s %s", fetch, key);
  const char *got = answer_text(status);
  bool is_right = strcmp(got, expected) == 0;
  if (is_right && status == URL_OK && !keeps_its_key())
    row_file_check(rows, false, "another key, or another fetch URL, the second time", expected);
  else
    row_file_check(rows, is_right, got, expected);
}

CASE(urls_are_resolved_by_the_standards)
{
  row_file rows;
  row_file_open(&rows, TESTS_DIR "/contract/standards/url_rows.txt");
  while (row_file_next(&rows, 4)) {
    const row_field *f = rows.field;
    check(&rows, strcmp(f[0].at, "-") == 0 ? "" : f[0].at, &f[1], f[2].at,
          strcmp(f[3].at, "=") == 0 ? f[2].at : f[3].at);
  }
  row_file_close(&rows);
}

CASE(hosts_are_put_in_ascii_by_the_standards)
{
  row_file rows;
  row_file_open(&rows, TESTS_DIR "/contract/standards/idna_rows.txt");
  while (row_file_next(&rows, 2)) {
    char href[4096], expected[4096];
    bool is_refused = strcmp(rows.field[1].at, "!") == 0;
    snprintf(href, sizeof href, "http://%s/", rows.field[0].at);
    snprintf(expected, sizeof expected, "http://%s/", rows.field[1].at);
    row_field f = {.at = href, .size = strlen(href)};
    check(&rows, "", &f, is_refused ? "!" : expected, is_refused ? "host" : expected);
  }
  row_file_close(&rows);
}

/* Each code point as a label, beside a label that is not ASCII so that Punycode is read too. */
CASE(a_name_has_one_key_in_unicode_and_in_punycode)
{
  static url other;
  unsigned accepted = 0;
  for (ucs4_t code = 0x80; code < 0x20000; code++) {
    uint8_t utf8[6];
    char href[64];
    int utf8_size = u8_uctomb(utf8, code, sizeof utf8);
    if (utf8_size < 0)
      continue; /* a surrogate */
    size_t size = (size_t)snprintf(href, sizeof href, "http://%.*s.\xC3\xA9/", utf8_size, (char *)utf8);
    if (url_parse(href, size, URL_STRICT, &answer) != URL_OK)
      continue;
    accepted++;
    const char *end = memrchr(answer.key, '.', answer.key_size);
    size = (size_t)snprintf(href, sizeof href, "%.*s.\xC3\xA9/", (int)(end - answer.key), answer.key);
    if (url_parse(href, size, URL_STRICT, &other) != URL_OK || strcmp(other.key, answer.key) != 0 || !keeps_its_key())
      fail_msg("U+%04X: %s, but read again: %s", (unsigned)code, answer.key, other.key);
  }
  print_message("%u code points accepted\n", accepted);
  assert_true(accepted > 70000);
}
