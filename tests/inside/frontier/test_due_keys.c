/* frontier/core/revisit_info.c: keys of `due` have half of a sequence. Where sequences have more than 32 bits, two URLs
 * that would share a key are due one after the other, and neither is lost. */
#include "frontier/core/state.h"
#include "tests/support/must.h"
#include "tests/support/story.h"
#include "tests/support/test.h"

#include <stdlib.h>

enum { NOW_S = 1700000000, URL = 5 };

static const uint64_t half = (uint64_t)1 << 32;

static frontier *open_it(void)
{
  const frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 1000, .rate = 1e-9, .per_host = 1, .depth_cap = 9};
  return must_open(story_directory, &options);
}

static void put(frontier *f, uint64_t sequence, uint32_t old_due_s, uint32_t due_s)
{
  const seen_visit v = {.sequence = sequence, .due_s = due_s, .interval_s = 60, .state = FRONTIER_DONE};
  visit_note *note = visits_note_create(&v);
  assert_non_null(note);
  note->old_due_s = old_due_s;
  visits_put(f, note);
  free(note);
}

/* Its ids are as large as this from here on. */
static void begin(frontier *f, uint64_t next_sequence)
{
  f->counts.next_sequence = next_sequence;
  assert_int_equal(store_begin(f->store), FRONTIER_OK);
}

static void commit(frontier *f)
{
  assert_int_equal(store_commit(f->store), FRONTIER_OK);
  hash_set_free(&f->recrawl.placed);
}

typedef struct found {
  uint64_t sequences[8];
  uint32_t due_s[8];
  unsigned count;
} found;

static bool note_due(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  found *all = context;
  assert_int_equal(size, 8);
  assert_true(all->count < 8);
  all->sequences[all->count] = (uint64_t)body[4] << 32 | body[0]; /* small ones */
  all->due_s[all->count++] = (uint32_t)(key >> 32);
  return true;
}

/* Each visit says the second that its key has. */
static found look(frontier *f)
{
  found all = {.count = 0};
  assert_int_equal(store_each(f->store, STORE_DUE, 0, note_due, &all), FRONTIER_OK);
  for (unsigned i = 0; i < all.count; i++) {
    uint8_t *body;
    seen_visit v;
    assert_int_equal(visits_find(f, all.sequences[i], &body, &v), FRONTIER_OK);
    assert_int_equal(v.due_s, all.due_s[i]);
    free(body);
  }
  return all;
}

static void end(frontier *f)
{
  f->counts.next_sequence = 1;
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(of_one_transaction)
{
  frontier *f = open_it();
  begin(f, 4 * half);
  for (unsigned i = 0; i < 3; i++)
    put(f, i * half + URL, 0, NOW_S);
  put(f, URL + 1, 0, NOW_S); /* with a low half of its own */
  commit(f);
  found all = look(f);
  assert_int_equal(all.count, 4);
  for (unsigned i = 0; i < 2; i++)
    assert_int_equal(all.sequences[i], URL + i);
  assert_true(all.due_s[0] == NOW_S && all.due_s[1] == NOW_S && all.due_s[2] == NOW_S + 1 && all.due_s[3] == NOW_S + 2);
  end(f);
}

CASE(of_several_transactions)
{
  frontier *f = open_it();
  for (unsigned i = 0; i < 3; i++) {
    begin(f, 4 * half);
    put(f, i * half + URL, 0, NOW_S);
    commit(f);
  }
  assert_int_equal(look(f).count, 3);
  begin(f, 4 * half);
  put(f, URL, NOW_S, NOW_S + 100); /* it goes, and another comes to where it was */
  put(f, 3 * half + URL, 0, NOW_S);
  put(f, half + URL, NOW_S + 1, NOW_S + 1); /* stays */
  commit(f);
  found all = look(f);
  assert_int_equal(all.count, 4);
  assert_int_equal(all.due_s[3], NOW_S + 100);
  assert_int_equal(all.sequences[3], URL);
  end(f);
}

/* Of an older version: of two with one key the second is there. The first one's next visit leaves it alone. */
CASE(what_shared_a_key)
{
  frontier *f = open_it();
  begin(f, 1); /* as if it were small */
  put(f, URL, 0, NOW_S);
  put(f, half + URL, 0, NOW_S);
  commit(f);
  assert_int_equal(look(f).count, 1);
  begin(f, 4 * half);
  put(f, URL, NOW_S, NOW_S);
  commit(f);
  found all = look(f);
  assert_int_equal(all.count, 2);
  assert_int_equal(all.sequences[0], half + URL);
  assert_int_equal(all.sequences[1], URL);
  end(f);
}

EACH_CASE(story_begin, story_end)
