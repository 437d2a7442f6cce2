/* A batch that is full (frontier/core/open_batch.h): its links, and those that were to go into it, are all there after
 * its commit. With the limits that users have, by frontier.h alone. */
#include "frontier/frontier.h"
#include "tests/support/full_filter.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { URLS = 100000, TOGETHER = 100, HOSTS = 50, HOUR_MS = 3600000, BUDGET_MS = 20 };

static char directory[SCRATCH_PATH];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

/* All at one time, so that nothing but a full batch makes a commit due. How many were not to be confirmed. */
static unsigned add_all(frontier *f)
{
  static url urls[TOGETHER];
  frontier_link links[TOGETHER] = {0};
  frontier_verdict verdicts[TOGETHER];
  char text[64];
  unsigned fresh = 0;
  for (unsigned i = 0; i < URLS; i += TOGETHER) {
    size_t settled;
    for (unsigned j = 0; j < TOGETHER; j++) {
      int size = snprintf(text, sizeof text, "http://h%u.test/new/%u", j % HOSTS, i + j);
      assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, &urls[j]), URL_OK);
      links[j].target = &urls[j];
    }
    assert_int_equal(frontier_add_batch(f, links, TOGETHER, HOUR_MS, verdicts, &settled), FRONTIER_OK);
    assert_int_equal(settled, TOGETHER);
    for (unsigned j = 0; j < TOGETHER; j++)
      fresh += verdicts[j].outcome != FRONTIER_UNCONFIRMED;
  }
  return fresh;
}

static frontier_stats look(frontier *f)
{
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  return stats;
}

static bool note_url(void *context, const frontier_record *r)
{
  bool *is_there = context;
  const char *number = strstr(r->url, "/new/");
  if (number)
    is_there[strtoul(number + strlen("/new/"), NULL, 10)] = r->is_queued;
  return true;
}

/* Each is queued, as the directory says when it is opened. */
static void assert_all_queued(frontier *f)
{
  static bool is_there[URLS];
  memset(is_there, 0, sizeof is_there);
  assert_int_equal(look(f).queued, URLS);
  assert_int_equal(frontier_each(f, note_url, is_there), FRONTIER_OK);
  for (unsigned i = 0; i < URLS; i++)
    if (!is_there[i])
      fail_msg("URL %u is lost", i);
}

CASE(links_that_fill_batches)
{
  const frontier_options options = {
    .filter = MLBF_KIND_LINE, .expected_urls = 2 * URLS, .rate = 1e-9, .per_host = 1, .depth_cap = UINT16_MAX};
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  assert_int_equal(frontier_open(directory, &options, &f, message), FRONTIER_OK);
  assert_int_equal(add_all(f), URLS);
  assert_int_equal(look(f).queued, URLS);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_int_equal(frontier_open(directory, &options, &f, message), FRONTIER_OK);
  assert_all_queued(f);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* Confirmed links, until no more fit into the batch, or none is left. */
static void confirm_some(frontier *f)
{
  bool is_more = true;
  for (uint64_t before = UINT64_MAX; is_more && look(f).unconfirmed < before;) {
    before = look(f).unconfirmed;
    assert_int_equal(frontier_maintain(f, BUDGET_MS, &is_more), FRONTIER_OK);
  }
}

/* More than fit into a batch wait to be confirmed, and all are new. */
CASE(links_that_are_confirmed_fill_a_batch)
{
  enum { BATCH = 24576 }; /* BATCH_FULL */
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  full_filter_make(directory, MLBF_KIND_BLOOM);
  frontier *f = full_filter_open(directory);
  assert_in_range(add_all(f), 1, URLS - BATCH - 1);
  for (uint64_t hour = 2; look(f).unconfirmed; hour++) {
    assert_in_range(hour, 2, 1000);
    assert_int_equal(frontier_next(f, hour * HOUR_MS, &lease, 0, &count, &wait_ms), FRONTIER_OK);
    confirm_some(f);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = full_filter_open(directory);
  assert_all_queued(f);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

EACH_CASE(begin, end)
