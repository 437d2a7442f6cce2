/* frontier/late/known_cache.h: what it has was put and not removed; what was accepted last, or asked for, stays
 * longest, and a doubt has half of a place. */
#include <stdlib.h>

#include "frontier/late/known_cache.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

enum { WAYS = 8, PLACES = 12, SLOTS = PLACES * WAYS, KEYS = 200 };

/* The k-th key of a place. */
static mlbf_hash128 key_of(unsigned place, uint64_t k)
{
  return (mlbf_hash128){.low = UINT64_MAX / PLACES * place + 100 + k % 3, .high = k};
}

CASE(asked_last_stays_longest)
{
  known_cache *c = known_cache_create(SLOTS);
  for (unsigned place = 0; place < PLACES; ++place) {
    for (unsigned k = 1; k <= WAYS; ++k)
      known_cache_put(c, key_of(place, k));
    assert_true(known_cache_has(c, key_of(place, 1)));
    known_cache_put(c, key_of(place, WAYS + 1)); /* in the place of 2 */
    known_cache_fetch(c, key_of(place, 1));
  }
  for (unsigned place = 0; place < PLACES; ++place)
    for (unsigned k = 1; k <= WAYS + 1; ++k)
      assert_int_equal(known_cache_has(c, key_of(place, k)), k != 2);
  known_cache_free(c);
}

/* Many that are asked for once leave the others alone; of themselves the last few are there. */
CASE(doubts_drive_out_doubts)
{
  known_cache *c = known_cache_create(SLOTS);
  for (unsigned k = 1; k <= WAYS; ++k)
    known_cache_put(c, key_of(3, k));
  for (unsigned k = WAYS; k > WAYS / 2; --k)
    assert_true(known_cache_has(c, key_of(3, k)));
  for (unsigned k = 100; k < 200; ++k)
    known_cache_put_doubt(c, key_of(3, k));
  for (unsigned k = 199 - WAYS; k < 200; ++k)
    assert_int_equal(known_cache_has(c, key_of(3, k)), k >= 200 - WAYS / 2);
  known_cache_free(c);
  c = known_cache_create(SLOTS);
  for (unsigned k = 1; k <= WAYS; ++k)
    known_cache_put(c, key_of(3, k));
  for (unsigned k = 100; k < 200; ++k)
    known_cache_put_doubt(c, key_of(3, k));
  for (unsigned k = 1; k <= WAYS; ++k)
    assert_int_equal(known_cache_has(c, key_of(3, k)), k > WAYS / 2);
  known_cache_free(c);
}

CASE(a_key_of_zeros)
{
  known_cache *c = known_cache_create(SLOTS);
  assert_false(known_cache_has(c, (mlbf_hash128){0, 0}));
  known_cache_put(c, (mlbf_hash128){0, 0});
  assert_true(known_cache_has(c, (mlbf_hash128){0, 0}));
  known_cache_remove(c, (mlbf_hash128){0, 0});
  assert_false(known_cache_has(c, (mlbf_hash128){0, 0}));
  known_cache_free(c);
}

/* Against a list of what was put last, in each place. */
CASE(any_calls)
{
  uint64_t dice = 7;
  bool is_put[PLACES][KEYS / PLACES] = {{false}};
  uint64_t last[PLACES] = {0};
  known_cache *c = known_cache_create(SLOTS);
  for (int i = 0; i < 200000; ++i) {
    unsigned place = random_below(&dice, PLACES), k = 1 + random_below(&dice, KEYS / PLACES - 1);
    mlbf_hash128 key = key_of(place, k);
    switch (random_below(&dice, 5)) {
    case 0:
      known_cache_remove(c, key);
      is_put[place][k] = false;
      assert_false(known_cache_has(c, key));
      break;
    case 1:
      known_cache_put(c, key);
      is_put[place][k] = true;
      last[place] = k;
      break;
    case 2:
      known_cache_put_doubt(c, key);
      is_put[place][k] = true;
      assert_true(known_cache_has(c, key));
      break;
    default:
      if (known_cache_has(c, key))
        assert_true(is_put[place][k]);
      else
        assert_false(is_put[place][k] && last[place] == k);
    }
    if (last[place] && is_put[place][last[place]])
      assert_true(known_cache_has(c, key_of(place, last[place])));
  }
  known_cache_free(c);
}
