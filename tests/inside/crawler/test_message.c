/* crawler/base/message.c: numbers as people read them. */
#include "crawler/base/message.h"
#include "tests/support/test.h"

CASE(counts_have_commas)
{
  char text[SAY_SIZE];
  assert_string_equal(say_count(0, text), "0");
  assert_string_equal(say_count(999, text), "999");
  assert_string_equal(say_count(1000, text), "1,000");
  assert_string_equal(say_count(123456, text), "123,456");
  assert_string_equal(say_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

CASE(sizes_have_units)
{
  char text[SAY_SIZE];
  assert_string_equal(say_bytes(0, text), "0 B");
  assert_string_equal(say_bytes(999, text), "999 B");
  assert_string_equal(say_bytes(1000, text), "1.0 kB");
  assert_string_equal(say_bytes(99949, text), "99.9 kB");
  assert_string_equal(say_bytes(99950, text), "100 kB");
  assert_string_equal(say_bytes(999499, text), "999 kB");
  assert_string_equal(say_bytes(999500, text), "1.0 MB");
  assert_string_equal(say_bytes(UINT64_MAX, text), "18447 PB");
}

CASE(durations_have_units)
{
  char text[SAY_SIZE];
  assert_string_equal(say_seconds(0.04, text), "0.0 s");
  assert_string_equal(say_seconds(59.94, text), "59.9 s");
  assert_string_equal(say_seconds(59.97, text), "1 min 00 s");
  assert_string_equal(say_seconds(61, text), "1 min 01 s");
  assert_string_equal(say_seconds(3599.9, text), "1 h 00 min");
  assert_string_equal(say_seconds(7500, text), "2 h 05 min");
}
