/* frontier/hosts/hosts.h: the table and the records of hosts. Whose turn it is: test_schedule.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/hosts/hosts.h"
#include "frontier/base/record.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

CASE(records)
{
  uint8_t body[HOST_HEAD_2 + URL_LENGTH_MAX + 1] = {0};
  hosts *h = hosts_create(0, 1, test_hasher()), *again = hosts_create(0, 1, test_hasher());
  host *who = hosts_find(h, "example.org:8080", 16);
  who->normal.queued = 1;
  who->done = UINT64_MAX;
  who->failed = 3;
  who->skipped = 4;
  assert_int_equal(host_write(who, body), HOST_HEAD + 16);
  assert_int_equal(hosts_read(again, 0, body, HOST_HEAD + 16), FRONTIER_OK);
  const host *read = hosts_find(again, "example.org:8080", 16);
  assert_true(read->normal.queued == 1 && read->done == UINT64_MAX && read->failed == 3 && read->skipped == 4);
  assert_null(hosts_dirty(again, 0));       /* it is on disk */
  assert_ptr_equal(hosts_dirty(h, 0), who); /* it is not */
  hosts_touch(h, who);
  assert_null(hosts_dirty(h, 1));
  hosts_clean(h);
  assert_null(hosts_dirty(h, 0));

  body[HOST_HEAD] = 'f';
  assert_int_equal(hosts_read(again, 2, body, HOST_HEAD + 16), FRONTIER_DAMAGED); /* number 1 is missing */
  assert_int_equal(hosts_read(again, 1, body, HOST_HEAD - 1), FRONTIER_DAMAGED);
  /* longer than any URL */
  assert_int_equal(hosts_read(again, 1, body, HOST_HEAD + URL_LENGTH_MAX + 1), FRONTIER_DAMAGED);
  assert_int_equal(hosts_read(again, 1, body, HOST_HEAD + URL_LENGTH_MAX), FRONTIER_OK);
  body[HOST_HEAD] = 'e';
  assert_int_equal(hosts_read(again, 2, body, HOST_HEAD + 16), FRONTIER_DAMAGED); /* a name twice */
  assert_int_equal(hosts_count(again), 2);
  hosts_free(h);
  hosts_free(again);
}

/* What was set, and what is counted by class, stands in a longer record; and a plain one is as it ever was. */
CASE(longer_records)
{
  uint8_t body[HOST_HEAD_2 + URL_LENGTH_MAX] = {0};
  hosts *h = hosts_create(0, 1, test_hasher());
  host *who = hosts_find(h, "example.org", 11);
  assert_true(host_reserve(who, FRONTIER_TRAP));
  who->normal.queued = 5;
  host_line(who, FRONTIER_TRAP)->queued = 7;
  host_line(who, FRONTIER_HIGH)->queued = 1;
  who->done = 9;
  who->trap_ended = 4;
  who->found = 300;
  who->suspect = 299;
  frontier_host_control set = {.delay_ms = 50,
                               .budget = 9,
                               .trap_budget = 3,
                               .not_before_s = 1700000000,
                               .per_host = 4,
                               .priority = FRONTIER_LOW,
                               .is_blocked = true};
  *host_control_of(who) = set;
  size_t size = host_write(who, body);
  assert_int_equal(size, HOST_HEAD_2 + 11);
  assert_int_equal(get_le(body, 7), 13);
  hosts *again = hosts_create(20, 1, test_hasher());
  assert_int_equal(hosts_read(again, 0, body, size), FRONTIER_OK);
  const host *read = hosts_look(again, "example.org", 11);
  assert_true(read->normal.queued == 5 && host_line(read, FRONTIER_TRAP)->queued == 7 && host_queued(read) == 13);
  assert_true(read->trap_ended == 4 && read->found == 300 && read->suspect == 299 && host_delay(again, read) == 50);
  const frontier_host_control *c = read->control;
  assert_true(c->delay_ms == 50 && c->budget == 9 && c->trap_budget == 3 && c->not_before_s == 1700000000);
  assert_true(c->per_host == 4 && c->priority == FRONTIER_LOW && c->is_blocked);
  assert_int_equal(read->blocked, 13); /* it is blocked */
  hosts_free(again);
  static const size_t spoilt[] = {7, 108, 109, 32}; /* kind of record, class, flags, more of a class than in all */
  for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
    uint8_t was = body[spoilt[i]];
    again = hosts_create(0, 1, test_hasher());
    body[spoilt[i]] = 200;
    assert_int_equal(hosts_read(again, 0, body, size), FRONTIER_DAMAGED);
    body[spoilt[i]] = was;
    assert_int_equal(hosts_read(again, 0, body, HOST_HEAD_2 - 1), FRONTIER_DAMAGED);
    hosts_free(again);
  }
  hosts_free(h);
}

/* ---- chosen names ---------------------------------------------------------------------------------------- */

enum { SLOTS = 1 << 10, CROWD = 200 };

/* How many of these names begin their search at one slot of a host table, at most. */
static unsigned most_at_a_slot(const mlbf_hasher *hasher, char names[CROWD][24])
{
  static unsigned at[SLOTS];
  unsigned most = 0;
  memset(at, 0, sizeof at);
  for (int i = 0; i < CROWD; i++) {
    unsigned here = ++at[mlbf_hasher_hash(hasher, 0, (mlbf_span){names[i], strlen(names[i])}).low & (SLOTS - 1)];
    most = here > most ? here : most;
  }
  return most;
}

CASE(names_crowd_only_for_who_knows_the_secret)
{
  static char names[CROWD][24];
  unsigned count = 0;
  mlbf_hasher *hasher = mlbf_hasher_create(test_secret(0));
  assert_non_null(hasher);
  for (unsigned i = 0; count < CROWD; i++) {
    int size = snprintf(names[count], sizeof names[count], "h%u.test", i);
    count += (mlbf_hasher_hash(hasher, 0, (mlbf_span){names[count], (size_t)size}).low & (SLOTS - 1)) == 77;
  }
  assert_int_equal(most_at_a_slot(hasher, names), CROWD);
  for (int i = 0; i < 100; i++) {
    uint8_t secret[MLBF_SECRET_BYTES];
    mlbf_secret_from_seed(1000 + (uint64_t)i, secret);
    mlbf_hasher_rekey(hasher, secret);
    assert_in_range(most_at_a_slot(hasher, names), 1, 8);
  }
  mlbf_hasher_free(hasher);
}
