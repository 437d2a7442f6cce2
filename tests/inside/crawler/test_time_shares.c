/* crawler/loop/time_shares.h: all time is counted once, to the use that it had, over all runs. */
#include "crawler/loop/time_shares.h"
#include "tests/support/test.h"

static frontier *make_frontier(void)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier *f = NULL;
  const frontier_options options = {.filter = MLBF_KIND_MLBF, .expected_urls = 100, .rate = 1e-3, .per_host = 1};
  assert_int_equal(frontier_open(NULL, &options, &f, message), FRONTIER_OK);
  return f;
}

CASE(each_use_has_its_share)
{
  char text[TIME_SHARES_SIZE];
  time_shares t;
  frontier *f = make_frontier();
  assert_false(time_shares_say(f, text));
  time_shares_begin(&t, 5000);
  time_shares_pass(&t, 5700, TIME_POLITENESS, 690); /* 10 of work */
  time_shares_pass(&t, 5820, TIME_NETWORK, 120);
  time_shares_pass(&t, 5830, TIME_DISK, UINT64_MAX); /* no more than has passed */
  time_shares_pass(&t, 5830, TIME_DISK, 7);
  time_shares_pass(&t, 6000, TIME_NETWORK, 20); /* 150 of work */
  assert_int_equal(time_shares_keep(&t, f), FRONTIER_OK);
  assert_true(time_shares_say(f, text));
  assert_string_equal(text, "69% politeness, 14% network, 1% disk, 16% work");
  assert_int_equal(time_shares_keep(&t, f), FRONTIER_OK); /* what is kept is not kept again */
  assert_int_equal(frontier_counter(f, "ms-work"), 160);
  frontier_close(f);
}

CASE(the_next_run_adds_to_it)
{
  char text[TIME_SHARES_SIZE];
  frontier *f = make_frontier();
  for (unsigned run = 0; run < 2; run++) {
    time_shares t;
    time_shares_begin(&t, 100 * run);
    time_shares_pass(&t, 100 * run + 50, run ? TIME_DISK : TIME_POLITENESS, 50);
    assert_int_equal(time_shares_keep(&t, f), FRONTIER_OK);
  }
  assert_true(time_shares_say(f, text));
  assert_string_equal(text, "50% politeness, 0% network, 50% disk, 0% work");
  frontier_close(f);
}
