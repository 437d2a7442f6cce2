/* frontier/rows/url_row.h: a URL's row comes back as it was, whatever its numbers; and no bytes make it read wild. */
#include <stdlib.h>
#include <string.h>

#include "frontier/rows/url_row.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

static uint64_t dice;

static uint8_t *written(const url_row *row, uint64_t sequence, size_t *size)
{
  *size = url_row_size(row, sequence);
  uint8_t *bytes = malloc(*size);
  assert_non_null(bytes);
  url_row_write(row, sequence, bytes);
  return bytes;
}

static void check_span(const void *at, size_t size, const void *wanted, size_t wanted_size)
{
  assert_int_equal(size, wanted_size);
  if (size)
    assert_memory_equal(at, wanted, size);
}

static void comes_back(const url_row *row, uint64_t sequence)
{
  size_t size;
  url_row read;
  uint8_t *bytes = written(row, sequence, &size);
  assert_true(url_row_read(&read, sequence, bytes, size));
  assert_int_equal(read.host, row->host);
  assert_true(read.origin.via == row->origin.via);
  assert_int_equal(read.origin.depth, row->origin.depth);
  assert_int_equal(read.origin.hops, row->origin.hops);
  assert_int_equal(read.verdict.outcome, row->verdict.outcome);
  assert_int_equal(read.verdict.layer, row->verdict.layer);
  assert_int_equal(read.class, row->class);
  assert_int_equal(read.form, row->form);
  assert_int_equal(read.is_noted, row->is_noted);
  check_span(read.host_name, read.host_name_size, row->host_name, row->host_name_size);
  check_span(read.fields, read.fields_size, row->fields, row->fields_size);
  check_span(read.text, read.text_size, row->text, row->text_size);
  free(bytes);
}

CASE(from_any_page)
{
  static const uint64_t sequences[] = {1, 2, 63, 64, 65, 1000000, (UINT64_C(1) << 44) - 1};
  for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
    uint64_t sequence = sequences[i], half = UINT64_C(1) << 63;
    const uint64_t vias[] = {0,
                             1,
                             sequence - 1,
                             sequence,
                             sequence + 1,
                             half - 1,
                             half,
                             half + 1,
                             sequence + half,
                             sequence + half - 1,
                             sequence + half + 1,
                             UINT64_MAX - 1,
                             UINT64_MAX};
    for (size_t k = 0; k < sizeof vias / sizeof *vias; k++)
      comes_back(&(url_row){.origin.via = vias[k], .text = "/a", .text_size = 2}, sequence);
    for (int k = 0; k < 1000; k++)
      comes_back(&(url_row){.origin.via = random_next(&dice) >> random_below(&dice, 64), .text = "/", .text_size = 1},
                 sequence);
  }
}

CASE(with_any_numbers)
{
  static const uint32_t hosts[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX};
  static const uint16_t links[] = {0, 1, 127, 128, 16383, 16384, UINT16_MAX};
  for (size_t i = 0; i < 7; i++)
    for (size_t k = 0; k < 7; k++)
      comes_back(&(url_row){.host = hosts[i],
                            .origin = {.via = 5, .depth = links[k], .hops = links[(i + k) % 7]},
                            .text = "/",
                            .text_size = 1},
                 9);
  for (int class = 0; class < FRONTIER_CLASSES; ++class)
    for (int form = 0; form <= URL_FORM_OPAQUE; ++form)
      for (int outcome = 0; outcome < FRONTIER_OUTCOMES; ++outcome)
        for (unsigned layer = 0; layer <= 16; layer++)
          comes_back(&(url_row){.class = (frontier_class) class,
                                .form = (url_form)form,
                                .verdict = {(frontier_outcome)outcome, layer},
                                .is_noted = layer % 2,
                                .text = "http://a/",
                                .text_size = 9},
                     1);
}

CASE(with_any_name_fields_and_text)
{
  enum { FIELDS_MAX = 16 + FRONTIER_PAYLOAD_MAX + 10 };
  static char bytes[FIELDS_MAX];
  static const size_t sizes[] = {0, 1, 127, 128, 8000, URL_LENGTH_MAX}, fields[] = {0, 1, 21, 16384, FIELDS_MAX};
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (char)random_next(&dice);
  for (size_t name = 0; name < 6; name++)
    for (size_t field = 0; field < 5; field++)
      for (size_t text = 0; text < 6; text++)
        comes_back(&(url_row){.host_name = sizes[name] ? bytes : NULL,
                              .host_name_size = sizes[name],
                              .fields = fields[field] ? (const uint8_t *)bytes : NULL,
                              .fields_size = fields[field],
                              .text = bytes + 1,
                              .text_size = sizes[text]},
                   77);
}

/* ---- the text ------------------------------------------------------------------------------------------------ */

CASE(a_url_is_its_host_and_the_rest)
{
  static const struct {
    const char *fetch, *host, *text;
    url_form form;
    const char *in_url; /* its host */
  } rows[] = {
    {"http://a.org/b?c", "a.org", "/b?c", URL_FORM_HTTP, "a.org"},
    {"https://a.org:8443/", "a.org:8443", "/", URL_FORM_HTTPS, "a.org:8443"},
    {"https://[::1]/x", "[::1]", "/x", URL_FORM_HTTPS, "[::1]"},
    {"http://a.org", "a.org", "", URL_FORM_HTTP, "a.org"},
    {"http://a.organic/", "a.org", "http://a.organic/", URL_FORM_WHOLE, "a.organic"},
    {"http://a.org:80/", "a.org", "http://a.org:80/", URL_FORM_WHOLE, "a.org:80"},
    {"http://b.org/", "a.org", "http://b.org/", URL_FORM_WHOLE, "b.org"},
    {"ftp://a.org/", "a.org", "ftp://a.org/", URL_FORM_WHOLE, "a.org"},
    {"http:", "a.org", "http:", URL_FORM_WHOLE, ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    url_row row = {0};
    char whole[URL_LENGTH_MAX + 1];
    size_t host_size = strlen(rows[i].host);
    url_row_set_url(&row, rows[i].fetch, strlen(rows[i].fetch), rows[i].host, host_size);
    assert_int_equal(row.form, rows[i].form);
    check_span(row.text, row.text_size, rows[i].text, strlen(rows[i].text));
    size_t size = url_row_url(&row, rows[i].host, host_size, whole);
    check_span(whole, size, rows[i].fetch, strlen(rows[i].fetch));
    uint32_t begin, end;
    url_row_host(&row, whole, size, host_size, &begin, &end);
    check_span(whole + begin, end - begin, rows[i].in_url, strlen(rows[i].in_url));
    url_row_set_opaque(&row, whole, size);
    url_row_host(&row, whole, size, host_size, &begin, &end);
    assert_int_equal(begin + end, 0);
  }
}

CASE(a_url_has_a_length)
{
  static char text[URL_LENGTH_MAX], whole[URL_LENGTH_MAX + 1];
  memset(text, '/', sizeof text);
  url_row row = {.form = URL_FORM_HTTPS, .text = text, .text_size = URL_LENGTH_MAX - 13};
  assert_int_equal(url_row_url(&row, "a.org", 5, whole), URL_LENGTH_MAX);
  row.text_size++;
  assert_int_equal(url_row_url(&row, "a.org", 5, whole), 0);
  row = (url_row){.form = URL_FORM_WHOLE, .text = text, .text_size = URL_LENGTH_MAX};
  assert_int_equal(url_row_url(&row, "a.org", 5, whole), URL_LENGTH_MAX);
  row.text_size = 0;
  assert_int_equal(url_row_url(&row, "a.org", 5, whole), 0);
}

/* ---- any bytes ----------------------------------------------------------------------------------------------- */

static bool is_inside(const void *at, size_t size, const uint8_t *bytes, size_t room)
{
  const uint8_t *from = at;
  return size == 0 || (from >= bytes && size <= room && (size_t)(from - bytes) <= room - size);
}

/* It is refused; or what it points to lies inside, and is within the limits. */
static void is_no_danger(const uint8_t *bytes, size_t size)
{
  url_row row;
  uint8_t *copy = malloc(size ? size : 1);
  assert_non_null(copy);
  if (size)
    memcpy(copy, bytes, size);
  if (url_row_read(&row, 9, copy, size)) {
    assert_true(is_inside(row.host_name, row.host_name_size, copy, size));
    assert_true(is_inside(row.fields, row.fields_size, copy, size));
    assert_true(is_inside(row.text, row.text_size, copy, size));
    assert_true(row.text_size <= URL_LENGTH_MAX && row.host_name_size <= URL_LENGTH_MAX);
    assert_true((unsigned)row.class < FRONTIER_CLASSES && row.form <= URL_FORM_OPAQUE);
    assert_true((unsigned)row.verdict.outcome < FRONTIER_OUTCOMES);
    comes_back(&row, 9);
  }
  free(copy);
}

CASE(no_bytes_are_a_danger)
{
  size_t size;
  uint8_t *bytes = written(&(url_row){.host = 300,
                                      .origin = {.via = 1000, .depth = 200, .hops = 3},
                                      .verdict = {FRONTIER_NEW_SEGMENT, 3},
                                      .class = FRONTIER_LOW,
                                      .host_name = "a.org",
                                      .host_name_size = 5,
                                      .fields = (const uint8_t *)"\2\1\0\0\0x",
                                      .fields_size = 6,
                                      .text = "/b",
                                      .text_size = 2},
                           9, &size);
  for (size_t cut = 0; cut < size; cut++)
    is_no_danger(bytes, cut);
  for (size_t bit = 0; bit < 8 * size; bit++) {
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    for (size_t cut = size - 3; cut <= size; cut++)
      is_no_danger(bytes, cut);
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  free(bytes);
  for (int i = 0; i < 100000; i++) {
    uint8_t any[40];
    for (size_t at = 0; at < sizeof any; at++)
      any[at] = (uint8_t)(random_next(&dice) >> random_below(&dice, 16));
    is_no_danger(any, random_below(&dice, sizeof any + 1));
  }
}

CASE(what_no_row_has_is_refused)
{
  static uint8_t long_text[6 + URL_LENGTH_MAX];
  static const struct {
    uint8_t bytes[12];
    size_t size;
    const char *why;
  } rows[] = {
    {{0}, 0, "nothing"},
    {{0, 1}, 2, "no numbers"},
    {{0, FRONTIER_OUTCOMES, 0, 0, 0, '/'}, 6, "a verdict that does not exist"},
    {{0, 1, 255, 255, 255, 255, 16, 0, 0, '/'}, 10, "a host beyond 32 bits"},
    {{0, 1, 0, 128, 128, 4, 0, '/'}, 8, "a depth beyond 16 bits"},
    {{16, 1, 0, 0, 0, 128, 128, 4, '/'}, 9, "hops beyond 16 bits"},
    {{32, 1, 0, 0, 0, 0, '/'}, 7, "a name of no bytes"},
    {{32, 1, 0, 0, 0, 3, 'a', 'b'}, 8, "a name beyond the end"},
    {{64, 1, 0, 0, 0, 2, 'a'}, 7, "fields beyond the end"},
  };
  url_row row;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (url_row_read(&row, 9, rows[i].bytes, rows[i].size))
      fail_msg("%s", rows[i].why);
  assert_true(url_row_read(&row, 9, long_text, 5 + URL_LENGTH_MAX));
  assert_false(url_row_read(&row, 9, long_text, sizeof long_text));
}

static int prepare(void **state)
{
  (void)state;
  dice = random_seed();
  return 0;
}

EACH_CASE(prepare, NULL)
