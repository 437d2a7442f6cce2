/* frontier/hosts/refs.c: lists of sequence numbers, against plain arrays, and what they take. */
#include "frontier/hosts/refs.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

enum { LISTS = 50, LENGTH_MAX = 400, STEPS = 200000 };

/* The plain list: places `begin` to `end` - 1 of a long array. */
typedef struct plain {
  uint64_t at[2 * STEPS];
  size_t begin, end;
} plain;

static plain plains[LISTS];
static refs lists[LISTS];
static uint64_t dice = 7;

static uint64_t roll(uint64_t sides)
{
  return random_next(&dice) % sides;
}

/* Mostly a little more than the last one; at times anything. */
static uint64_t near(uint64_t other)
{
  switch (roll(8)) {
  case 0: return roll(UINT64_MAX >> 1);
  case 1: return other > 1000 ? other - roll(1000) : other;
  default: return (other + roll(40000)) & UINT64_MAX >> 1;
  }
}

static void compare(const refs_memory *m, size_t i)
{
  uint64_t found[LENGTH_MAX + 1];
  const plain *p = &plains[i];
  size_t most = roll(LENGTH_MAX + 1), count = p->end - p->begin;
  assert_int_equal(refs_first(m, lists[i], found, most), count < most ? count : most);
  assert_memory_equal(found, p->at + p->begin, (count < most ? count : most) * sizeof *found);
}

static void step(refs_memory *m)
{
  size_t i = roll(LISTS), count = plains[i].end - plains[i].begin;
  plain *p = &plains[i];
  switch (roll(8)) {
  case 0: {
    size_t dropped = roll(count + 1) / (roll(4) ? 8 : 1);
    refs_drop(m, &lists[i], dropped);
    p->begin += dropped;
    break;
  }
  case 1:
  case 2:
    if (count == LENGTH_MAX || p->begin == 0)
      break;
    p->at[p->begin - 1] = near(count ? p->at[p->begin] : 5000);
    assert_true(refs_prepend(m, &lists[i], p->at[--p->begin]));
    break;
  default:
    if (count == LENGTH_MAX)
      break;
    p->at[p->end] = near(count ? p->at[p->end - 1] : 5000);
    assert_true(refs_append(m, &lists[i], p->at[p->end++]));
  }
  compare(m, i);
}

CASE(are_first_in_first_out)
{
  refs_memory m = {0};
  for (size_t i = 0; i < LISTS; i++)
    plains[i].begin = plains[i].end = STEPS;
  for (unsigned i = 0; i < STEPS; i++)
    step(&m);
  for (size_t i = 0; i < LISTS; i++)
    refs_drop(&m, &lists[i], plains[i].end - plains[i].begin);
  for (size_t i = 0; i < LISTS; i++)
    assert_int_equal(lists[i], 0);
  assert_int_equal(refs_bytes(&m), 0); /* every block was given back */
  refs_free(&m);
}

enum { HOSTS = 20000, URLS = 100 };
static refs of_host[HOSTS];

/* In turns, and by chance. */
CASE(take_four_bytes_at_most)
{
  for (int by_chance = 0; by_chance < 2; by_chance++) {
    refs_memory m = {0};
    memset(of_host, 0, sizeof of_host);
    for (uint64_t i = 0; i < (uint64_t)HOSTS * URLS; i++)
      assert_true(refs_append(&m, &of_host[by_chance ? roll(HOSTS) : i % HOSTS], 1 + i));
    double bytes = (double)refs_bytes(&m) / ((double)HOSTS * URLS);
    print_message("%s: %.2f bytes a URL\n", by_chance ? "by chance" : "in turns", bytes);
    assert_true(bytes <= 4);
    refs_free(&m);
  }
}

CASE(one_alone_takes_a_block)
{
  refs_memory m = {0};
  refs list = 0;
  assert_true(refs_append(&m, &list, UINT64_MAX >> 1));
  assert_int_equal(refs_bytes(&m), 32);
  refs_free(&m);
}
