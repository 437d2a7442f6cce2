/* crawler/http/fd_limit.c at given times: how many fetches at once, when it is hopeless, and how it heals. */
#include "crawler/http/fd_limit.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <sys/resource.h>

static const fd_limit none = {.limit = SIZE_MAX};

CASE(fewer_than_found_theirs)
{
  fd_limit s = none;
  fd_limit_note(&s, 32, 1000);
  assert_int_equal(s.limit, 24);
  assert_int_equal(s.retry_at_ms, 1050);
  assert_true(s.was_met);
  fd_limit_note(&s, 40, 1001); /* that was begun before: no reason for more */
  assert_int_equal(s.limit, 24);
  fd_limit_note(&s, 3, 1002);
  assert_int_equal(s.limit, 1);
}

CASE(hopeless_when_alone_for_long)
{
  fd_limit s = none;
  fd_limit_note(&s, 0, 1000);
  fd_limit_note(&s, 0, 2999);
  assert_false(s.is_hopeless);
  fd_limit_note(&s, 1, 2999);
  fd_limit_note(&s, 0, 3000);
  assert_false(s.is_hopeless);
  fd_limit_note(&s, 0, 5000);
  assert_true(s.is_hopeless);
}

CASE(it_heals_in_steps)
{
  fd_limit s = none;
  uint64_t now_ms = 1000;
  unsigned steps = 0;
  assert_false(fd_limit_relieve(&s, 64, now_ms));
  fd_limit_note(&s, 0, now_ms);
  assert_false(fd_limit_relieve(&s, 64, now_ms + 4999));
  for (size_t before = s.limit; s.limit != SIZE_MAX; before = s.limit, steps++) {
    now_ms += 5000;
    assert_true(fd_limit_relieve(&s, 64, now_ms));
    assert_false(fd_limit_relieve(&s, 64, now_ms + 1));
    assert_true(s.limit > before && (s.limit < 64 || s.limit == SIZE_MAX));
  }
  assert_in_range(steps, 5, 20);
  assert_true(s.was_met); /* that is said at the end, however it went on */
}

CASE(a_new_shortage_puts_it_off)
{
  fd_limit s = none;
  fd_limit_note(&s, 32, 1000);
  fd_limit_note(&s, 30, 5000);
  assert_false(fd_limit_relieve(&s, 64, 9999));
  assert_int_equal(s.limit, 22);
  assert_true(fd_limit_relieve(&s, 64, 10000));
  assert_int_equal(s.limit, 28);
}

CASE(it_is_seen)
{
  struct rlimit before, few;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  assert_false(fd_limit_is_here());
  few = before;
  few.rlim_cur = 4;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
  bool is_here = fd_limit_is_here();
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  assert_true(is_here);
  assert_false(fd_limit_is_here());
}
