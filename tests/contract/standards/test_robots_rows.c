/* robots.txt by RFC 9309: robots_rows.txt, which says which paragraphs. */
#include "crawler/robots/robots.h"
#include "tests/support/row_file.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* The robots.txt of the rows to come. */
typedef struct robots_text {
  char *bytes;
  size_t size;
  bool is_whole; /* rows about it were read: the next line with a '|' begins another */
} robots_text;

static void add_line(robots_text *text, const row_field *line)
{
  bool is_first = text->is_whole || !text->bytes;
  if (is_first)
    text->size = 0;
  text->is_whole = false;
  text->bytes = realloc(text->bytes, text->size + line->size + 1);
  assert_non_null(text->bytes);
  if (!is_first)
    text->bytes[text->size++] = '\n';
  memcpy(text->bytes + text->size, line->at + 1, line->size - 1); /* without the '|' */
  text->size += line->size - 1;
}

/* What the rules say about the row's second field, in the words of its third. */
static const char *answer(const robots *rules, const row_field *about, char room[64])
{
  if (strcmp(about->at, "sitemap") == 0)
    return robots_sitemap(rules, 0) ? robots_sitemap(rules, 0) : "none";
  if (strcmp(about->at, "crawl-delay") != 0)
    return robots_allows(rules, about->at, about->size, NULL) ? "yes" : "no";
  double delay = robots_crawl_delay(rules);
  snprintf(room, 64, delay < 0 ? "none" : "%.10g", delay);
  return room;
}

CASE(robots_are_read_by_the_standard)
{
  row_file rows;
  robots_text text = {NULL, 0, false};
  char room[64];
  row_file_open(&rows, TESTS_DIR "/contract/standards/robots_rows.txt");
  while (row_file_next(&rows, 1)) {
    const row_field *f = rows.field;
    if (f[0].at[0] == '|') {
      add_line(&text, &f[0]);
      continue;
    }
    assert_int_equal(rows.fields, 3);
    text.is_whole = true;
    robots *rules = robots_parse(text.bytes, text.size, f[0].at);
    assert_non_null(rules);
    const char *got = answer(rules, &f[1], room);
    row_file_check(&rows, strcmp(got, f[2].at) == 0, got, f[2].at);
    robots_free(rules);
  }
  free(text.bytes);
  row_file_close(&rows);
}
