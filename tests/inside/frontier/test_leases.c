/* frontier/hosts/leases.h: against a plain array, with ids close together, far apart and of one home slot. */
#include <stdio.h>
#include <stdlib.h>

#include "frontier/hosts/leases.h"
#include "tests/support/dice.h"
#include "tests/support/test.h"

enum { IDS = 3000 };

static entry *make(uint64_t id)
{
  entry *e = entry_create(NULL, id, "http://a.test/", 14, 7, 13, (frontier_origin){0}, (field){0});
  assert_non_null(e);
  return e;
}

/* From the oldest to the newest, each of them once. */
static void assert_in_order(const lease_table *l, size_t count, const uint64_t taken[IDS], uint64_t step)
{
  size_t passed = 0;
  uint64_t before_ms = 0;
  for (const flight *one = leases_oldest(l); one; one = leases_newer(l, one)) {
    assert_true(one->taken_ms >= before_ms && ++passed <= count);
    assert_int_equal(one->taken_ms, taken[one->entry->sequence / step - 1]);
    before_ms = one->taken_ms;
  }
  assert_int_equal(passed, count);
}

CASE(as_an_array_does)
{
  static const uint64_t steps[] = {1, (uint64_t)1 << 32, 977};
  dice_begin(1);
  for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
    lease_table l = {0};
    bool is_in[IDS] = {false};
    size_t count = 0;
    uint64_t taken[IDS] = {0};
    assert_null(leases_find(&l, 1));
    for (unsigned i = 0; i < 20 * IDS; i++) {
      size_t n = (size_t)dice_throw(IDS);
      uint64_t id = (n + 1) * steps[s];
      entry *e = leases_find(&l, id);
      assert_true((e != NULL) == is_in[n]);
      if (e) {
        assert_int_equal(e->sequence, id);
        leases_remove(&l, e);
        free(e);
      } else {
        assert_int_equal(leases_add(&l, make(id), i), FRONTIER_OK);
      }
      is_in[n] = !is_in[n];
      count += is_in[n] ? 1 : (size_t)-1;
      assert_int_equal(l.count, count);
      taken[n] = is_in[n] ? i : 0;
      if (i % 997 == 0)
        assert_in_order(&l, count, taken, steps[s]);
    }
    for (size_t n = 0; n < IDS; n++)
      assert_true((leases_find(&l, (n + 1) * steps[s]) != NULL) == is_in[n]);
    leases_free(&l);
  }
}

/* The one that is in flight stays the one that is found. */
CASE(an_id_is_in_flight_once)
{
  lease_table l = {0};
  entry *first = make(4), *second = make(4);
  assert_int_equal(leases_add(&l, first, 0), FRONTIER_OK);
  assert_int_equal(leases_add(&l, second, 0), FRONTIER_DAMAGED);
  assert_int_equal(l.count, 1);
  assert_ptr_equal(leases_find(&l, 4), first);
  free(second);
  leases_free(&l);
}
