/* frontier/traps/fanout.h: what counts as a child, against tables of examples; and that a full filter begins anew. */
#include "frontier/traps/fanout.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

#include <stdio.h>
#include <string.h>

static fanout *counted;

static int begin(void **state)
{
  (void)state;
  counted = fanout_create(test_hasher());
  return counted ? 0 : -1;
}

static int end(void **state)
{
  (void)state;
  fanout_free(counted);
  return 0;
}

/* `text`: path without the first '/', and query. */
static fanout_count note(uint32_t host, const char *text, uint32_t dates)
{
  const char *sign = strchr(text, '?');
  span path = {text, sign ? (size_t)(sign - text) : strlen(text)};
  span query = {sign ? sign + 1 : text + path.size, sign ? strlen(sign + 1) : 0};
  return fanout_note(counted, host, path, query, dates);
}

CASE(dates_are_told_from_what_looks_like_one)
{
  static const struct {
    const char *text;
    bool is_date;
  } rows[] = {
    /* clang-format off */
    {"cal/2026-11-20", true}, {"cal/2026-11-20/", true}, {"cal/2026_1_2", true}, {"cal/20261120", true},
    {"cal/2026.11.20.html", true}, {"2026-11-20", true}, {"cal/2026-11", true}, {"cal?day=2026-11-20", true},
    {"cal?2026-11-20", true}, {"cal/2026-11-31.php", true},
    {"", false}, {"cal/", false}, {"cal/2026", false}, {"cal/202611", false}, {"cal/2026-13-01", false},
    {"cal/2026-00-01", false}, {"cal/2026-11-32", false}, {"cal/2026-11-20-news", false}, {"cal/2026-11_20", false},
    {"cal/0926-11-20", false}, {"cal/12026-11-20", false}, {"cal/2026-11-200", false}, {"cal/2026/11/20", false},
    {"cal/2026-11-20.h5", false}, {"cal/8301-17938_105", false}, {"cal?day=2026-11-20x", false}, {"cal?", false},
    /* clang-format on */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fanout_count found = note((uint32_t)i, rows[i].text, 1);
    if (found.dates != rows[i].is_date || found.queries)
      fail_msg("%s: %u dates, %u queries", rows[i].text, (unsigned)found.dates, (unsigned)found.queries);
  }
}

/* Each directory of each host has its own. */
CASE(children_are_their_directory_s)
{
  char text[64];
  for (unsigned day = 1; day <= 28; day++) {
    snprintf(text, sizeof text, "a/2026-11-%u", day);
    assert_int_equal(note(1, text, 1).dates, day);
    snprintf(text, sizeof text, "a/b/2026-11-%u", day);
    assert_int_equal(note(1, text, 1).dates, day);
    snprintf(text, sizeof text, "a?day=2026-11-%u", day);
    assert_int_equal(note(1, text, 1).dates, day);
    snprintf(text, sizeof text, "a/2026-11-%u", day);
    assert_int_equal(note(2, text, 100).dates, 100 * day);
  }
}

CASE(parts_are_counted_once)
{
  char text[64];
  fanout_count found = {0};
  for (unsigned i = 0; i < 400; i++) {
    snprintf(text, sizeof text, "list?color=%u&size=%u", i / 20, i % 20);
    found = note(1, text, 1);
    assert_int_equal(found.queries, i + 1);
    assert_int_equal(found.parts, i < 20 ? i + 2 : 20 + i / 20 + 1);
  }
  assert_int_equal(note(1, "list?color=1", 1).queries, 0); /* one parameter: its own part, always */
  found = note(1, "list?&&=&color=1&color=1&", 1);
  assert_int_equal(found.queries, 401);
  assert_int_equal(found.parts, 41); /* "=" */
}

/* It forgets; what it says is never more than what came. */
CASE(a_full_filter_begins_anew)
{
  enum { MANY = 400000 };
  char text[64];
  uint32_t highest = 0, last = 0;
  unsigned fresh = 0;
  for (unsigned i = 1; i <= MANY; i++) {
    snprintf(text, sizeof text, "list?id=%u&x=1", i);
    fanout_count found = note(1, text, 1);
    fresh += found.queries < last;
    assert_in_range(found.queries, 1, i);
    last = found.queries;
    highest = found.queries > highest ? found.queries : highest;
  }
  assert_in_range(fresh, 1, 2);
  assert_int_equal(highest, 65535); /* "or more" */
}

EACH_CASE(begin, end)
