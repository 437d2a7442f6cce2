/* Pairs leave a heap in order, whatever came in between; its memory follows the number of pairs. */
#include "frontier/base/pair_heap.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <stdlib.h>

enum { PAIRS = 4000 };

static int compare(const void *a, const void *b)
{
  const pair *left = a, *right = b;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  return left->second < right->second ? -1 : left->second > right->second;
}

static void push(pair_heap *h, pair p)
{
  assert_true(pair_heap_make_room(h));
  pair_heap_push(h, p);
}

/* Few first numbers, so that the second decides; the largest there are among them. */
static pair any(uint64_t *dice)
{
  uint64_t first = random_next(dice) % 16;
  return (pair){first == 15 ? UINT64_MAX : first, random_next(dice) % 1000};
}

CASE(pairs_leave_in_order)
{
  uint64_t dice = 1;
  pair_heap h = {0};
  static pair sorted[PAIRS];
  for (unsigned count = 0; count < 200; count++) {
    for (unsigned i = 0; i < count; i++) {
      sorted[i] = any(&dice);
      push(&h, sorted[i]);
    }
    qsort(sorted, count, sizeof *sorted, compare);
    for (unsigned i = 0; i < count; i++) {
      pair p = pair_heap_pop(&h);
      assert_int_equal(compare(&p, &sorted[i]), 0);
    }
    assert_int_equal(h.count, 0);
  }
  pair_heap_free(&h);
}

CASE(the_smallest_is_at_hand_at_any_time)
{
  uint64_t dice = 2;
  pair_heap h = {0};
  static pair all[PAIRS];
  size_t count = 0;
  for (unsigned step = 0; step < 4 * PAIRS; step++) {
    bool grows = step < 2 * PAIRS ? random_next(&dice) % 3 : random_next(&dice) % 3 == 0;
    if (grows && count < PAIRS) {
      all[count] = any(&dice);
      push(&h, all[count++]);
    } else if (count) {
      size_t least = 0;
      for (size_t i = 1; i < count; i++)
        least = compare(&all[i], &all[least]) < 0 ? i : least;
      assert_int_equal(compare(&h.at[0], &all[least]), 0);
      pair p = pair_heap_pop(&h);
      assert_int_equal(compare(&p, &all[least]), 0);
      all[least] = all[--count];
    }
    assert_int_equal(h.count, count);
  }
  pair_heap_free(&h);
}

CASE(memory_follows_the_count)
{
  pair_heap h = {0};
  for (unsigned i = 0; i < PAIRS; i++)
    push(&h, (pair){PAIRS - i, 0});
  assert_in_range(h.room, PAIRS, PAIRS + PAIRS / 2);
  while (h.count > 100) {
    pair_heap_pop(&h);
    assert_true(h.room > h.count); /* what was taken out goes back without memory */
  }
  assert_true(h.room < PAIRS / 4);
  pair_heap_free(&h);
  assert_true(!h.at && !h.room && !h.count);
}
