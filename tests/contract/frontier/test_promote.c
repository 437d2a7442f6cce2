/* frontier/promote.h: a URL that is wanted goes first, and whatever is moved when, each is handed out once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontier/host.h"
#include "frontier/promote.h"
#include "tests/support/dice.h"
#include "tests/support/must.h"
#include "tests/support/second_reader.h"
#include "tests/support/story.h"
#include "tests/support/test.h"

enum { URLS = 3000, HOSTS = 7, LIVES = 12 };

static url u;

static frontier *open_frontier(const char *where, uint16_t depth_cap)
{
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = URLS, .rate = 1e-9, .per_host = 64, .depth_cap = depth_cap};
  return must_open(where, &options);
}

/* Half of all URLs are of the first host, which crowds the others out of memory. */
static void add(frontier *f, unsigned number, uint16_t depth, size_t payload_size)
{
  static const char payload[20000];
  frontier_verdict verdict;
  size_t settled;
  unsigned who = number % 2 ? 0 : number / 2 % HOSTS;
  must_parse(&u, "http://h%u.test/%u", who, number);
  frontier_link link = {.target = &u, .origin = {.depth = depth}, .payload = payload, .payload_size = payload_size};
  if (frontier_add_batch(f, &link, 1, 0, &verdict, &settled) != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
}

static unsigned number_of(const char *fetch)
{
  return (unsigned)strtoul(strrchr(fetch, '/') + 1, NULL, 10);
}

static bool is_multiple(void *context, const char *fetch, size_t size)
{
  assert_int_equal(strlen(fetch), size);
  return number_of(fetch) % *(const unsigned *)context == 0;
}

static size_t promote(frontier *f, unsigned of, size_t most, uint64_t *from)
{
  size_t promoted = 0;
  if (frontier_promote(f, is_multiple, &of, most, from, &promoted) != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
  return promoted;
}

static void finish(frontier *f, uint64_t lease)
{
  assert_int_equal(frontier_done(f, lease, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
}

static void close_and_check(frontier *f)
{
  second_view view;
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  second_read(story_directory, false, &view);
  assert_int_equal(view.faults, 0);
  second_free(&view);
}

/* ---- what goes first -------------------------------------------------------------------------------------- */

/* Of `wanted` that wait, how many came among the next `taken`. */
static unsigned take_and_count(frontier *f, unsigned taken, unsigned of)
{
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  unsigned found = 0;
  for (unsigned i = 0; i < taken; i++) {
    assert_int_equal(frontier_next(f, 0, &lease, 1, &count, &wait_ms), FRONTIER_OK);
    assert_int_equal(count, 1);
    found += number_of(lease.url) % of == 0;
    finish(f, lease.id);
  }
  return found;
}

/* Three of four turns are HIGH's. One in ten is wanted, far from the front. */
static void wanted_urls_go_first(frontier *f, bool is_reopened)
{
  uint64_t from = 0;
  for (unsigned i = 1; i <= 400; i++)
    add(f, i, 1, 0);
  if (is_reopened) {
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    f = open_frontier(story_directory, UINT16_MAX);
  }
  size_t promoted = promote(f, 10, URLS, &from);
  assert_int_equal(from, 0);
  assert_int_equal(promoted, 40);
  assert_int_equal(promote(f, 10, URLS, &from), 0); /* they are */
  assert_in_range(take_and_count(f, 54, 10), 38, 40);
  take_and_count(f, 346, 10);
  assert_true(frontier_is_finished(f));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(those_in_memory)
{
  wanted_urls_go_first(open_frontier(story_directory, UINT16_MAX), false);
}

CASE(those_on_disk)
{
  wanted_urls_go_first(open_frontier(story_directory, UINT16_MAX), true);
}

CASE(those_of_a_frontier_that_keeps_nothing)
{
  wanted_urls_go_first(open_frontier(NULL, UINT16_MAX), false);
}

/* On disk a few with each call; each call goes on where the last one stopped. */
CASE(the_disk_is_read_in_steps)
{
  frontier *f = open_frontier(story_directory, UINT16_MAX);
  uint64_t from = 0;
  size_t promoted = 0;
  unsigned calls = 0;
  for (unsigned i = 1; i <= 1000; i++)
    add(f, i, 1, 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_frontier(story_directory, UINT16_MAX);
  do
    promoted += promote(f, 10, 130, &from);
  while (++calls && from);
  assert_int_equal(calls, 8);
  assert_int_equal(promoted, 100);
  close_and_check(f);
}

static bool note_asked(void *context, const char *fetch, size_t size)
{
  bool *is_asked = context;
  (void)size;
  is_asked[number_of(fetch)] = true;
  return false;
}

/* The queue moves meanwhile, at both ends: by the time the reading is back at its beginning, whatever has waited all
 * along was asked about, however little of it is read at once. */
CASE(each_that_waits_has_its_turn)
{
  enum { BEFORE = 1000, STEP = 40, FETCHED = 5, ADDED = 20 };
  bool is_asked[URLS + 1] = {false}, is_fetched[URLS + 1] = {false};
  frontier_lease leases[FETCHED];
  uint64_t from = 0;
  size_t count, promoted;
  int64_t wait_ms;
  unsigned added = 0, steps = 0;
  frontier *f = open_frontier(story_directory, UINT16_MAX);
  while (added < BEFORE)
    add(f, ++added, 1, 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_frontier(story_directory, UINT16_MAX);
  do {
    assert_int_equal(frontier_promote(f, note_asked, is_asked, STEP, &from, &promoted), FRONTIER_OK);
    for (unsigned i = 0; i < ADDED && added < URLS; i++)
      add(f, ++added, 1, 0);
    assert_int_equal(frontier_next(f, 0, leases, FETCHED, &count, &wait_ms), FRONTIER_OK);
    for (size_t i = 0; i < count; i++) {
      is_fetched[number_of(leases[i].url)] = true;
      finish(f, leases[i].id);
    }
  } while (from && ++steps < URLS);
  for (unsigned i = 1; i <= BEFORE; i++)
    if (!is_fetched[i] && !is_asked[i])
      fail_msg("nobody asked about URL %u", i);
  close_and_check(f);
}

static frontier_class prefer_all(void *context, const frontier_link *link, frontier_verdict verdict,
                                 frontier_class by_rule)
{
  (void)context;
  (void)link;
  (void)verdict;
  (void)by_rule;
  return FRONTIER_HIGH;
}

/* The window of class HIGH is full of what was moved; what comes then waits on disk, and is read from there while the
 * others are in flight. */
CASE(what_was_moved_is_not_read_again)
{
  enum { MOVED = 16, ALL = 80 };
  frontier *f = open_frontier(story_directory, UINT16_MAX);
  frontier_lease leases[ALL];
  bool is_taken[2 * ALL + 1] = {false};
  uint64_t from = 0;
  size_t count = 0;
  int64_t wait_ms;
  assert_int_equal(frontier_next(f, 0, leases, 1, &count, &wait_ms), FRONTIER_OK); /* nothing is unread */
  for (unsigned i = 1; i <= MOVED; i++)
    add(f, 2 * i, 1, 0);
  assert_int_equal(promote(f, 1, URLS, &from), MOVED);
  frontier_classify(f, prefer_all, NULL);
  for (unsigned i = MOVED + 1; i <= ALL; i++)
    add(f, 2 * i, 1, 0);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  for (unsigned taken = 0; taken < ALL; taken++) {
    assert_int_equal(frontier_next(f, 0, &leases[taken], 1, &count, &wait_ms), FRONTIER_OK);
    assert_int_equal(count, 1);
    if (is_taken[number_of(leases[taken].url)])
      fail_msg("%s is handed out twice", leases[taken].url);
    is_taken[number_of(leases[taken].url)] = true;
  }
  for (unsigned i = 0; i < ALL; i++)
    finish(f, leases[i].id);
  assert_true(frontier_is_finished(f));
  close_and_check(f);
}

CASE(what_may_not_be_taken_is_left)
{
  frontier *f = open_frontier(story_directory, 5);
  uint64_t from = 0;
  for (unsigned i = 1; i <= 20; i++)
    add(f, i, i <= 10 ? 1 : 6, 0);
  frontier_host_control none = {.is_blocked = true};
  assert_int_equal(frontier_host_set(f, "h0.test", &none), FRONTIER_OK);
  assert_int_equal(promote(f, 1, URLS, &from), 5); /* 2, 4, 6, 8, 10 */
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_frontier(story_directory, 5);
  assert_int_equal(promote(f, 1, URLS, &from), 0);
  close_and_check(f);
}

static bool want_none(void *context, const char *fetch, size_t size)
{
  (void)fetch;
  (void)size;
  ++*(unsigned *)context;
  return false;
}

CASE(readers_are_refused)
{
  uint64_t from = 0;
  size_t promoted;
  unsigned asked = 0;
  frontier *f = open_frontier(story_directory, UINT16_MAX);
  add(f, 1, 1, 0);
  assert_int_equal(frontier_promote(f, want_none, &asked, 9, &from, &promoted), FRONTIER_OK);
  assert_true(asked == 1 && promoted == 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = URLS, .rate = 1e-9, .per_host = 1, .read_only = true};
  f = must_open(story_directory, &options);
  assert_int_equal(frontier_promote(f, want_none, &asked, 9, &from, &promoted), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(asked, 1);
  frontier_close(f);
}

/* ---- never lost, never twice ------------------------------------------------------------------------------- */

/* What the lives of one crawl leave each other. */
typedef struct memory {
  unsigned added;
  bool is_done[URLS + 1];    /* on disk, as was found after a life */
  bool is_ended[URLS + 1];   /* in this life */
  unsigned places[URLS + 1]; /* in which a URL stands on disk */
  unsigned promoted;
} memory;

static bool take_record(void *context, const frontier_record *record)
{
  memory *m = context;
  char text[96];
  snprintf(text, sizeof text, "%.*s", (int)record->url_size, record->url);
  unsigned number = number_of(text);
  m->places[number]++;
  m->is_done[number] |= !record->is_queued;
  if (m->is_done[number] && (record->is_queued || !m->is_ended[number]))
    fail_msg("%s is %s", text, record->is_queued ? "waiting again" : "done and was never handed out");
  return true;
}

/* After a life: each URL that was added is in one place, and is done only if it was handed out. */
static void look(memory *m)
{
  frontier *f = open_frontier(story_directory, UINT16_MAX);
  memset(m->places, 0, sizeof m->places);
  assert_int_equal(frontier_each(f, take_record, m), FRONTIER_OK);
  for (unsigned i = 1; i <= m->added; i++)
    if (m->places[i] != 1)
      fail_msg("URL %u is in %u places", i, m->places[i]);
  close_and_check(f);
}

static bool fetch_some(frontier *f, memory *m, unsigned most)
{
  frontier_lease leases[16];
  size_t count;
  int64_t wait_ms;
  assert_int_equal(frontier_next(f, 0, leases, 1 + dice_throw(most), &count, &wait_ms), FRONTIER_OK);
  for (size_t i = 0; i < count; i++) {
    unsigned number = number_of(leases[i].url);
    if (m->is_ended[number])
      fail_msg("%s is handed out twice", leases[i].url);
    if (dice_throw(8) == 0) {
      assert_int_equal(frontier_release(f, leases[i].id, 0), FRONTIER_OK);
      continue;
    }
    m->is_ended[number] = true;
    finish(f, leases[i].id);
  }
  return count > 0;
}

/* So that more wait in class HIGH at times than its window holds. */
static frontier_class prefer_some(void *context, const frontier_link *link, frontier_verdict verdict,
                                  frontier_class by_rule)
{
  (void)context;
  (void)verdict;
  return number_of(link->target->fetch) / 100 % 3 == 0 ? FRONTIER_HIGH : by_rule;
}

static void live(memory *m, unsigned steps)
{
  uint64_t from = 0;
  frontier *f = open_frontier(story_directory, UINT16_MAX);
  frontier_classify(f, prefer_some, NULL);
  for (unsigned i = 0; i < steps; i++)
    switch (dice_throw(8)) {
    case 0: m->promoted += (unsigned)promote(f, 1 + (unsigned)dice_throw(20), dice_throw(400), &from); break;
    case 1: assert_int_equal(frontier_sync(f), FRONTIER_OK); break;
    case 2:
    case 3:
      for (uint64_t n = dice_throw(60); n && m->added < URLS; n--)
        add(f, ++m->added, 1, dice_throw(40) ? 0 : 20000);
      assert_int_equal(frontier_sync(f), FRONTIER_OK); /* as added counts what is on disk */
      break;
    default: fetch_some(f, m, 16);
    }
  if (dice_throw(2))
    _exit(0); /* as if killed */
  frontier_close(f);
  _exit(0);
}

static void a_life_of_its_own(memory *m, uint64_t seed)
{
  int status;
  fflush(stdout);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dice_state = seed;
    live(m, 40 + (unsigned)dice_throw(80));
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail_msg("a life ended with status %d", status);
  look(m);
  memcpy(m->is_ended, m->is_done, sizeof m->is_ended);
}

CASE(each_is_handed_out_once)
{
  dice_begin(20261120);
  memory *m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(m, MAP_FAILED);
  for (unsigned i = 0; i < LIVES; i++)
    a_life_of_its_own(m, dice_throw(UINT64_MAX));
  frontier *f = open_frontier(story_directory, UINT16_MAX);
  while (!frontier_is_finished(f))
    fetch_some(f, m, 16);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  look(m);
  unsigned lost = 0;
  for (unsigned i = 1; i <= m->added; i++)
    lost += !m->is_done[i];
  printf("  %u URLs, %u moved, %u lost\n", m->added, m->promoted, lost);
  assert_int_equal(lost, 0);
  assert_true(m->added > URLS / 2 && m->promoted > 100);
  munmap(m, sizeof *m);
}

EACH_CASE(story_begin, story_end)
