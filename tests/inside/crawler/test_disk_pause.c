/* When to try again what the disk did not take, and when to give up. */
#include "crawler/loop/disk_pause.h"
#include "tests/support/test.h"

CASE(soon_and_then_every_second)
{
  static const uint64_t waits[] = {100, 200, 400, 800, 1000, 1000};
  disk_pause o = {.is_on = false};
  uint64_t now_ms = 5000;
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    assert_true(disk_pause_note(&o, FRONTIER_NO_SPACE, i ? "later" : "first", now_ms));
    assert_true(o.is_on);
    assert_int_equal(o.since_ms, 5000);
    assert_int_equal(o.retry_at_ms - now_ms, waits[i]);
    assert_string_equal(o.why, "first");
    now_ms = o.retry_at_ms;
  }
  disk_pause_end(&o);
  assert_false(o.is_on);
  assert_true(disk_pause_note(&o, FRONTIER_NO_SPACE, "next", now_ms));
  assert_int_equal(o.retry_at_ms - now_ms, waits[0]);
  assert_string_equal(o.why, "next");
}

CASE(room_is_waited_for_as_long_as_it_takes)
{
  disk_pause o = {.is_on = false};
  for (uint64_t hours = 0; hours < 100; hours++)
    assert_true(disk_pause_note(&o, FRONTIER_NO_SPACE, "full", hours * 3600 * 1000));
}

CASE(a_broken_disk_for_a_minute)
{
  disk_pause o = {.is_on = false};
  assert_true(disk_pause_note(&o, FRONTIER_IO, "I/O", 1000));
  assert_true(disk_pause_note(&o, FRONTIER_IO, "I/O", 60999));
  assert_false(disk_pause_note(&o, FRONTIER_IO, "I/O", 61000));
}

CASE(what_waiting_does_not_help)
{
  static const frontier_status never[] = {FRONTIER_NO_MEMORY, FRONTIER_DAMAGED, FRONTIER_NOT_FOUND};
  disk_pause o = {.is_on = false};
  for (size_t i = 0; i < sizeof never / sizeof *never; i++)
    assert_false(disk_pause_note(&o, never[i], "no", 0));
  assert_false(o.is_on);
}
