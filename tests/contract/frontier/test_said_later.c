/* frontier_next leases some URLs and then fails: it is OK, as they are leased, and the next call says what failed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/frontier.h"
#include "tests/support/faults.h"
#include "tests/support/must.h"
#include "tests/support/test.h"

enum { HOSTS = 100, FIRST = 60, ROOM = 64 }; /* of leases, until more memory is needed */

static url u;
static frontier_lease leases[HOSTS];

static frontier *open_it(void)
{
  const frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 1000, .rate = 1e-9, .per_host = 1, .depth_cap = UINT16_MAX};
  frontier_verdict verdict;
  frontier *f = must_open(NULL, &options);
  for (int i = 0; i < HOSTS; i++) {
    must_parse(&u, "http://h%d.test/", i);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  }
  return f;
}

CASE(what_failed_behind_leases)
{
  frontier *f = open_it();
  size_t count = 0;
  int64_t wait_ms = 0;
  assert_int_equal(frontier_next(f, 1, leases, FIRST, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, FIRST);
  faults_set(FAULT_ALLOC, 1, ENOMEM, false);
  assert_int_equal(frontier_next(f, 1, leases, HOSTS - FIRST, &count, &wait_ms), FRONTIER_OK);
  assert_true(faults_have_struck());
  faults_end();
  assert_int_equal(count, ROOM - FIRST);
  uint64_t some = leases[0].id;

  assert_int_equal(frontier_next(f, 1, leases, HOSTS, &count, &wait_ms), FRONTIER_NO_MEMORY);
  assert_int_equal(count, 0);
  assert_non_null(strstr(frontier_message(f), "one more lease"));
  assert_int_equal(frontier_done(f, some, FRONTIER_DONE, 200, NULL, 0, 1), FRONTIER_OK); /* they are leased */

  assert_int_equal(frontier_next(f, 1, leases, HOSTS, &count, &wait_ms), FRONTIER_OK); /* it is said once */
  assert_int_equal(count, HOSTS - ROOM);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}
