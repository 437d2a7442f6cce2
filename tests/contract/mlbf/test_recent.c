/* The table of recently logged segments: it may forget, it never invents. */
#include <stdio.h>

#include "mlbf/recent.h"
#include "tests/support/test.h"

CASE(a_hash_is_remembered_in_all_its_bits)
{
  mlbf_recent *recent = mlbf_recent_create(64);
  mlbf_hash128 hash = {5, 9};
  assert_false(mlbf_recent_note(recent, hash));
  assert_true(mlbf_recent_note(recent, hash));
  for (unsigned bit = 0; bit < 128; bit++) { /* a neighbour differs in one bit; it evicts or not, but is not it */
    mlbf_hash128 other = hash;
    *(bit < 64 ? &other.low : &other.high) ^= UINT64_C(1) << (bit % 64);
    assert_false(mlbf_recent_note(recent, other));
    mlbf_recent_note(recent, hash);
    assert_true(mlbf_recent_note(recent, hash));
  }
  mlbf_recent_free(recent);
}

CASE(zero_is_never_remembered)
{
  mlbf_recent *recent = mlbf_recent_create(1);
  mlbf_hash128 zero = {0, 0};
  assert_false(mlbf_recent_note(recent, zero));
  assert_false(mlbf_recent_note(recent, zero));
  mlbf_recent_free(recent);
}

/* What a site names all the time stays known, whatever shares its place. */
CASE(four_that_share_a_set_are_remembered)
{
  mlbf_recent *recent = mlbf_recent_create(1024);
  for (uint64_t round = 0; round < 3; round++)
    for (uint64_t hash = 1; hash <= 4; hash++)
      assert_int_equal(mlbf_recent_note(recent, (mlbf_hash128){hash, 7}), round > 0);
  assert_true(mlbf_recent_note(recent, (mlbf_hash128){1, 7}));
  assert_false(mlbf_recent_note(recent, (mlbf_hash128){5, 7})); /* in the place of 2 */
  for (uint64_t hash = 3; hash <= 5; hash++)
    assert_true(mlbf_recent_note(recent, (mlbf_hash128){hash, 7}));
  assert_true(mlbf_recent_note(recent, (mlbf_hash128){1, 7}));
  assert_false(mlbf_recent_note(recent, (mlbf_hash128){2, 7}));
  mlbf_recent_free(recent);
}
