/* frontier/core/counters.h: the table's limits, and its text. */
#include <stdio.h>
#include <string.h>

#include "frontier/core/counters.h"
#include "tests/support/test.h"

CASE(a_full_table_refuses_new_names_only)
{
  static counters c, again;
  static char text[COUNTERS_TEXT_MAX];
  char name[COUNTER_NAME_SIZE + 1];
  for (int i = 0; i < COUNTERS_MAX; i++) {
    memset(name, 'x', sizeof name);
    snprintf(name + COUNTER_NAME_SIZE - 4, 5, "%03d", i); /* the longest name there is */
    assert_true(counters_add(&c, name, UINT64_MAX - 1));
  }
  assert_false(counters_add(&c, "one-more", 1));
  assert_true(counters_add(&c, name, 1));
  assert_int_equal(counters_get(&c, name), UINT64_MAX);
  size_t size = counters_write(&c, text); /* the longest text there is */
  assert_true(size < COUNTERS_TEXT_MAX);
  assert_true(counters_read(&again, text, size));
  assert_memory_equal(&c, &again, sizeof c);
}

CASE(what_is_no_text_of_counters)
{
  static const char *const texts[] = {
    "a",
    "a 1",
    "a\n",
    " 1\n",
    "\n",
    "a 1\nb\n",
    "a 1\nb 2",
    "a-name-of-forty-eight-bytes-is-one-byte-too-long 1\n",
    "a 111111111111111111111111111111111111111111111111111111111111111111111111111\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    static counters c;
    if (counters_read(&c, texts[i], strlen(texts[i])))
      fail_msg("\"%s\" was read", texts[i]);
  }
}

CASE(names)
{
  static counters c;
  assert_false(counters_add(&c, "", 1));
  assert_false(counters_add(&c, "two words", 1));
  assert_false(counters_add(&c, "two\nlines", 1));
  assert_true(counters_add(&c, "zero", 0));
  assert_int_equal(c.count, 1);
  assert_int_equal(counters_get(&c, "none"), 0);
}
