/* frontier/base/hash_set.h: against a plain array, with many hashes that share their low half. */
#include <stdio.h>
#include <stdlib.h>

#include "frontier/base/hash_set.h"
#include "tests/support/dice.h"
#include "tests/support/test.h"

enum { LOWS = 40, HIGHS = 5, HASHES = LOWS * HIGHS };

/* Lows that fall on few home slots of a table of 64, 128, ..., so that runs grow into each other and round the end. */
static mlbf_hash128 hash_of(size_t n)
{
  return (mlbf_hash128){(n / HIGHS % 4) + 62 + n / HIGHS / 4 * 1024, n % HIGHS};
}

static void check_all(const hash_set *s, const bool *is_in)
{
  for (size_t n = 0; n < HASHES; n++)
    assert_true(hash_set_has(s, hash_of(n)) == is_in[n]);
  for (size_t n = 0; n < HASHES; n += HIGHS) {
    uint64_t highs[HIGHS];
    size_t count = 0, found = hash_set_highs(s, hash_of(n).low, highs, HIGHS);
    for (size_t i = 0; i < HIGHS; i++)
      count += is_in[n + i];
    assert_int_equal(found, count);
    for (size_t i = 0; i < found; i++)
      assert_true(is_in[n + highs[i]]);
  }
}

CASE(as_an_array_does)
{
  hash_set s = {0};
  bool is_in[HASHES] = {false};
  dice_begin(1);
  for (unsigned i = 0; i < 4000; i++) {
    size_t n = (size_t)dice_throw(HASHES);
    if (dice_throw(2)) {
      assert_true(hash_set_put(&s, hash_of(n)));
      is_in[n] = true;
    } else {
      hash_set_remove(&s, hash_of(n));
      is_in[n] = false;
    }
    if (i % 20 == 0)
      check_all(&s, is_in);
  }
  check_all(&s, is_in);
  hash_set_free(&s);
}

CASE(of_all_zeros)
{
  hash_set s = {0};
  mlbf_hash128 zero = {0, 0};
  assert_false(hash_set_has(&s, zero));
  hash_set_remove(&s, zero);
  assert_true(hash_set_put(&s, zero));
  assert_true(hash_set_has(&s, zero));
  hash_set_remove(&s, zero);
  assert_false(hash_set_has(&s, zero));
  assert_int_equal(hash_set_highs(&s, 1, NULL, 0), 0);
  hash_set_free(&s);
}
