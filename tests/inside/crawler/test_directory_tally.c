/* Which directories are suspect: those of a trap, after so many pages; not those of a finite site whose pages say the
 * same, nor of pages that do not. */
#include "crawler/loop/directory_tally.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static directory_tally *tally;

static int begin(void **state)
{
  (void)state;
  tally = directory_tally_create();
  return tally ? 0 : -1;
}

static int end(void **state)
{
  (void)state;
  directory_tally_free(tally);
  return 0;
}

#define HERE UINT64_C(0x123456789abcdef)

static bool note(bool is_same, uint32_t new_within, bool is_root)
{
  return directory_tally_note(tally, HERE,
                              &(directory_page){.is_same = is_same, .is_root = is_root, .new_within = new_within});
}

/* The page with which it is suspect; 0: none of so many. */
static unsigned suspect_after(unsigned pages, unsigned same_of_100, unsigned links_most, bool is_root)
{
  uint64_t dice = random_stream(same_of_100, links_most);
  for (unsigned i = 1; i <= pages; i++) {
    bool is_same = random_below(&dice, 100) < same_of_100;
    if (note(is_same, is_same ? random_below(&dice, links_most + 1) : 0, is_root))
      return i;
  }
  return 0;
}

CASE(a_trap_is_suspect_soon)
{
  for (unsigned i = 1; i < 512; i++)
    assert_false(note(true, 4, false));
  assert_true(note(true, 4, false));
  assert_false(note(true, 4, false)); /* it begins anew */
  directory_tally_drop(tally, HERE);
  assert_int_equal(suspect_after(512, 100, 0, false), 0); /* it leads nowhere */
  directory_tally_drop(tally, HERE);
  for (unsigned i = 1; i < 768; i++)
    assert_false(note(true, 1, true));
  assert_true(note(true, 1, true));
}

/* Links of any number, and a page in twenty that says something else. */
CASE(an_uneven_trap_is_suspect_too)
{
  for (unsigned links = 4; links <= 100; links += 16) {
    unsigned after = suspect_after(5000, 95, links, false);
    print_message("0 to %u links: after %u pages\n", links, after);
    assert_in_range(after, 512, 2000);
  }
}

CASE(most_pages_must_say_the_same)
{
  assert_int_equal(suspect_after(20000, 80, 8, false), 0);
  directory_tally_drop(tally, HERE);
  assert_in_range(suspect_after(20000, 93, 8, false), 512, 2000);
}

/* A directory of good pages that becomes a trap's. */
CASE(what_was_before_is_forgotten)
{
  assert_int_equal(suspect_after(10000, 0, 3, false), 0);
  assert_in_range(suspect_after(10000, 100, 3, false), 512, 4000);
}

/* ---- finite sites whose pages all say the same ----------------------------------------------------------- */

enum { MOST = 30000 };

/* Breadth first; of `tree` links each to the next pages of a tree, and `any` to any page. */
static unsigned crawl_site(unsigned pages, unsigned tree, unsigned any)
{
  static bool is_known[MOST];
  static unsigned queue[MOST];
  unsigned count = 1;
  uint64_t dice = random_stream(pages, tree + any);
  memset(is_known, 0, sizeof is_known);
  is_known[0] = true;
  queue[0] = 0;
  for (unsigned i = 0; i < count; i++) {
    unsigned fresh = 0;
    for (unsigned k = 0; k < tree + any; k++) {
      unsigned to = k < tree ? tree * queue[i] + 1 + k : random_below(&dice, pages);
      if (to >= pages || is_known[to])
        continue;
      is_known[to] = true;
      queue[count++] = to;
      fresh++;
    }
    if (note(true, fresh, true))
      return i + 1;
  }
  assert_int_equal(count, pages);
  return 0;
}

CASE(finite_sites_are_not)
{
  static const struct {
    unsigned pages, tree, any;
  } rows[] = {
    {2000, 3, 0},    {5000, 10, 0}, {700, 1, 1},     {10025, 10, 10}, {20000, 10, 10},
    {30000, 10, 10}, {10000, 4, 4}, {30000, 50, 50}, {3000, 2, 2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_true(rows[i].pages <= MOST);
    assert_int_equal(crawl_site(rows[i].pages, rows[i].tree, rows[i].any), 0);
    directory_tally_drop(tally, HERE);
  }
  assert_true(crawl_site(MOST, 4, 0) > 0); /* a tree does not show its end */
}

/* ---- many ------------------------------------------------------------------------------------------------ */

/* 10^6 directories with a page each, and one that is a trap's. */
CASE(many_directories_have_no_more_room)
{
  uint64_t dice = random_stream(6, 6);
  bool is_suspect = false;
  for (unsigned i = 0; i < 1000000; i++) {
    directory_page page = {.is_same = true, .new_within = 4};
    assert_false(directory_tally_note(tally, random_next(&dice), &page));
    if (i % 500 == 0)
      is_suspect |= note(true, 4, false);
  }
  assert_true(is_suspect);
}

EACH_CASE(begin, end)
