/* Groups, priorities, times, opaque targets, and what is released with changes (frontier_link, frontier_return): each
 * promise by itself. test_ordered_model.c has all of them at random. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontier/admin.h"
#include "frontier/host.h"
#include "frontier/promote.h"
#include "frontier/recrawl.h"
#include "frontier/text.h"
#include "tests/support/ordered_case.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static char directory[SCRATCH_PATH];

static frontier_outcome add(frontier *f, const char *text, frontier_link link)
{
  frontier_verdict verdict = {0};
  size_t settled;
  link.target = parse(text);
  good(f, frontier_add_batch(f, &link, 1, NOON_MS, &verdict, &settled));
  return verdict.outcome;
}

static frontier_link of_group(const char *group, int32_t priority)
{
  return (frontier_link){.group = group, .group_size = strlen(group), .priority = priority};
}

static bool next_at(frontier *f, uint64_t now_ms, frontier_lease *lease)
{
  size_t count;
  int64_t wait_ms;
  good(f, frontier_next(f, now_ms, lease, 1, &count, &wait_ms));
  return count == 1;
}

static void expect_at(frontier *f, uint64_t now_ms, const char *text)
{
  frontier_lease lease;
  assert_true(next_at(f, now_ms, &lease));
  assert_string_equal(lease.url, text);
}

static int make_directory(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  return 0;
}

static int remove_directory(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

/* ---- one by one -------------------------------------------------------------------------------------------- */

static frontier *reopened(frontier *f)
{
  good(f, frontier_close(f));
  return open_with(directory, false);
}

static void add_ranks(frontier *f)
{
  static const int32_t ranks[] = {0, -5, 3, 0, INT32_MAX, 3, INT32_MIN, -5};
  for (unsigned i = 0; i < sizeof ranks / sizeof *ranks; i++) {
    char text[64];
    snprintf(text, sizeof text, "http://a.test/%u", i);
    assert_int_not_equal(add(f, text, (frontier_link){.priority = ranks[i]}), FRONTIER_SEEN);
  }
}

static void expect_ranks(frontier *f)
{
  static const unsigned order[] = {4, 2, 5, 0, 3, 1, 7, 6};
  for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
    char text[64];
    snprintf(text, sizeof text, "http://a.test/%u", order[i]);
    expect_at(f, NOON_MS, text);
  }
}

CASE(larger_ones_first)
{
  frontier *f = open_with(NULL, false);
  add_ranks(f);
  expect_ranks(f);
  good(f, frontier_close(f));
  f = open_with(directory, false);
  add_ranks(f);
  f = reopened(f);
  expect_ranks(f);
  good(f, frontier_close(f));
}

/* 1 to 4, of which 2 has a time; 1 and 3 are leased, and go back. */
static void add_equals(frontier *f, int32_t priority)
{
  frontier_lease leases[2];
  for (unsigned i = 1; i <= 4; i++) {
    char text[64];
    snprintf(text, sizeof text, "http://a.test/%u", i);
    add(f, text, (frontier_link){.priority = priority, .not_before_ms = i == 2 ? NOON_MS + 10 : 0});
  }
  assert_true(next_at(f, NOON_MS, &leases[0]) && next_at(f, NOON_MS, &leases[1]));
  assert_string_equal(leases[1].url, "http://a.test/3");
  good(f, frontier_release(f, leases[0].id, NOON_MS));
  good(f, frontier_release(f, leases[1].id, NOON_MS));
}

static void expect_equals(frontier *f, const char *numbers)
{
  for (; *numbers; numbers++) {
    char text[64];
    snprintf(text, sizeof text, "http://a.test/%c", *numbers);
    expect_at(f, NOON_MS + 10, text);
  }
}

CASE(equals_come_as_they_were_accepted)
{
  for (int32_t priority = -3; priority <= 3; priority += 3) {
    frontier *f = open_with(NULL, false);
    add_equals(f, priority);
    expect_equals(f, priority ? "1234" : "2314"); /* without a priority: its time has come; released; the others */
    good(f, frontier_close(f));
    f = open_with(directory, false);
    add_equals(f, priority);
    f = reopened(f);
    expect_equals(f, priority ? "1234" : "2134"); /* that some were leased is forgotten */
    good(f, frontier_close(f));
    scratch_remove(directory);
  }
}

/* A new directory has nothing to read first. */
CASE(what_has_no_priority_waits_for_no_commit)
{
  frontier *f = open_with(directory, false);
  add(f, "http://a.test/first", (frontier_link){.priority = 1});
  add(f, "http://a.test/second", (frontier_link){0});
  expect_at(f, NOON_MS, "http://a.test/first");
  expect_at(f, NOON_MS, "http://a.test/second");
  good(f, frontier_close(f));
}

CASE(a_time_holds_up_no_other)
{
  frontier *f = open_with(directory, false);
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  add(f, "http://a.test/later", (frontier_link){.priority = 9, .not_before_ms = NOON_MS + 5000});
  add(f, "http://a.test/now", (frontier_link){0});
  expect_at(f, NOON_MS, "http://a.test/now");
  good(f, frontier_next(f, NOON_MS + 1000, &lease, 1, &count, &wait_ms));
  assert_int_equal(count, 0);
  assert_in_range(wait_ms, 1, 4000);
  f = reopened(f);
  expect_at(f, NOON_MS + 1000, "http://a.test/now"); /* it was in flight */
  assert_false(next_at(f, NOON_MS + 4999, &lease));
  assert_false(frontier_is_finished(f));
  expect_at(f, NOON_MS + 5000, "http://a.test/later");
  good(f, frontier_close(f));
}

CASE(a_group_is_no_host)
{
  frontier *f = open_with(directory, false);
  frontier_lease lease;
  frontier_host_control control = {.is_blocked = true};
  add(f, "http://a.test/1", of_group("a.test", 0));
  add(f, "http://b.test:81/x/2", of_group("a.test", 4));
  add(f, "http://a.test/3", (frontier_link){0});
  good(f, frontier_host_set(f, "/a.test", &control));
  expect_at(f, NOON_MS, "http://a.test/3");
  assert_false(next_at(f, NOON_MS, &lease));
  good(f, frontier_host_unblock(f, "/a.test"));
  f = reopened(f);
  assert_true(next_at(f, NOON_MS, &lease));
  while (!lease.group)
    assert_true(next_at(f, NOON_MS, &lease));
  assert_string_equal(lease.url, "http://b.test:81/x/2");
  assert_int_equal(lease.group_size, 6);
  assert_memory_equal(lease.group, "a.test", 6);
  assert_int_equal(lease.priority, 4);
  assert_int_equal(lease.host_end - lease.host_begin, strlen("b.test:81"));
  assert_memory_equal(lease.url + lease.host_begin, "b.test:81", strlen("b.test:81"));
  assert_string_equal(frontier_host_of(f, lease.id), "/a.test");
  good(f, frontier_close(f));
}

static const char bytes[] = "GET\0{\"a\":1}";

static frontier_link opaque_of(const mlbf_span *key)
{
  return (frontier_link){
    .key = key, .key_count = 1, .group = "slot", .group_size = 4, .opaque = bytes, .opaque_size = sizeof bytes - 1};
}

static void expect_opaque(frontier *f)
{
  frontier_lease lease;
  assert_true(next_at(f, NOON_MS, &lease));
  assert_true(lease.is_opaque);
  assert_int_equal(lease.url_size, sizeof bytes - 1);
  assert_memory_equal(lease.url, bytes, sizeof bytes);
  assert_int_equal(lease.host_begin + lease.host_end, 0);
  assert_memory_equal(lease.group, "slot", 4);
}

CASE(opaque_bytes_come_back)
{
  frontier *f = open_with(directory, false);
  const mlbf_span key = {"fp:1", 4};
  frontier_link link = opaque_of(&key);
  frontier_verdict verdict;
  frontier_record record;
  size_t settled;
  good(f, frontier_add_batch(f, &link, 1, NOON_MS, &verdict, &settled));
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
  good(f, frontier_lookup_batch(f, &link, 1, &verdict));
  assert_int_equal(verdict.outcome, FRONTIER_SEEN);
  good(f, frontier_find(f, &link, &record));
  assert_true(record.is_opaque && record.url_size == sizeof bytes - 1 && record.group_size == 4);
  expect_opaque(f);
  f = reopened(f);
  expect_opaque(f);
  good(f, frontier_close(f));
}

CASE(nonsense_is_refused)
{
  frontier *f = open_with(NULL, false);
  const mlbf_span key = {"k", 1};
  static char long_one[FRONTIER_OPAQUE_MAX + 1];
  frontier_link links[6];
  for (unsigned i = 0; i < 6; i++)
    links[i] = opaque_of(&key);
  links[0].key = NULL;
  links[1].group_size = 0;
  links[2].opaque_size = 0;
  links[3].opaque = long_one;
  links[3].opaque_size = sizeof long_one;
  links[4].group_size = FRONTIER_GROUP_MAX + 1;
  links[4].group = long_one;
  links[5].target = parse("http://a.test/");
  for (unsigned i = 0; i < 6; i++) {
    frontier_verdict verdict;
    size_t settled;
    assert_int_equal(frontier_add_batch(f, &links[i], 1, NOON_MS, &verdict, &settled), FRONTIER_BAD_ARGUMENT);
    assert_int_equal(settled, 0);
  }
  frontier_lease lease;
  assert_false(next_at(f, NOON_MS, &lease));
  good(f, frontier_close(f));
}

CASE(texts_carry_all_of_it)
{
  frontier *f = open_with(directory, false);
  const mlbf_span key = {"fp:2", 4};
  const frontier_text texts[] = {
    {.href = "http://a.test/1", .href_size = 15, .group = "slot", .group_size = 4, .priority = -1},
    {.href = bytes,
     .href_size = sizeof bytes - 1,
     .is_opaque = true,
     .key = &key,
     .key_count = 1,
     .group = "slot",
     .group_size = 4},
    {.href = "http://a.test/2", .href_size = 15, .group = "slot", .group_size = 4, .not_before_ms = NOON_MS + 1},
    {.href = bytes, .href_size = sizeof bytes - 1, .is_opaque = true, .group = "slot", .group_size = 4},
  };
  frontier_answer answers[4];
  size_t settled;
  assert_int_equal(frontier_add_texts(f, NULL, texts, 4, NOON_MS, answers, &settled), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(settled, 3);
  assert_true(answers[0].id && answers[1].id && answers[2].id);
  expect_opaque(f);
  expect_at(f, NOON_MS, "http://a.test/1");
  expect_at(f, NOON_MS + 1, "http://a.test/2");
  good(f, frontier_close(f));
}

CASE(released_with_changes)
{
  frontier *f = open_with(directory, false);
  frontier_lease lease;
  add(f, "http://a.test/1", (frontier_link){.payload = "try 1", .payload_size = 5, .priority = 2});
  add(f, "http://a.test/2", (frontier_link){0});
  assert_true(next_at(f, NOON_MS, &lease));
  const frontier_return with = {.has_payload = true,
                                .payload = "try 2",
                                .payload_size = 5,
                                .has_priority = true,
                                .priority = -7,
                                .not_before_ms = NOON_MS + 10};
  uint64_t id = lease.id;
  good(f, frontier_release_with(f, id, &with, NOON_MS));
  f = reopened(f);
  expect_at(f, NOON_MS, "http://a.test/2");
  assert_false(next_at(f, NOON_MS + 9, &lease));
  assert_true(next_at(f, NOON_MS + 10, &lease));
  assert_int_equal(lease.id, id);
  assert_int_equal(lease.priority, -7);
  assert_memory_equal(lease.payload, "try 2", 5);
  good(f, frontier_release_with(f, id, &(frontier_return){.has_payload = true}, NOON_MS + 11));
  assert_true(next_at(f, NOON_MS + 11, &lease));
  assert_true(lease.id == id && !lease.payload && lease.priority == -7);
  good(f, frontier_release_with(f, id, &(frontier_return){.has_priority = true}, NOON_MS + 11));
  assert_true(next_at(f, NOON_MS + 11, &lease));
  assert_int_equal(lease.priority, 0);
  good(f, frontier_done(f, id, FRONTIER_DONE, 200, NULL, 0, NOON_MS + 11));
  assert_int_equal(frontier_release_with(f, id, &with, NOON_MS), FRONTIER_NOT_FOUND);
  f = reopened(f);
  expect_at(f, NOON_MS + 12, "http://a.test/2");
  assert_false(next_at(f, NOON_MS + 12, &lease));
  good(f, frontier_close(f));
}

CASE(a_recrawl_keeps_the_payload)
{
  frontier *f = open_with(directory, false);
  frontier_lease lease;
  frontier_link link = of_group("slot", 3);
  link.payload = "callback";
  link.payload_size = 8;
  add(f, "http://a.test/1", link);
  assert_true(next_at(f, NOON_MS, &lease));
  const frontier_visit visit = {.at_s = NOON_MS / 1000};
  good(f, frontier_visit_note(f, lease.id, &visit));
  good(f, frontier_done(f, lease.id, FRONTIER_DONE, 200, NULL, 0, NOON_MS));
  good(f, frontier_close(f));
  frontier_sizes sizes;
  char why[FRONTIER_MESSAGE_SIZE];
  assert_int_equal(frontier_compact(directory, &sizes, why), FRONTIER_OK);
  f = open_with(directory, false);
  good(f, frontier_recrawl(f, 10, 10, NOON_MS / 1000 + 100));
  assert_true(next_at(f, NOON_MS + 100000, &lease));
  assert_int_equal(lease.priority, 3);
  assert_int_equal(lease.payload_size, 8);
  assert_memory_equal(lease.payload, "callback", 8);
  assert_memory_equal(lease.group, "slot", 4);
  good(f, frontier_close(f));
}

static bool wants_all(void *context, const char *text, size_t size)
{
  (void)context;
  (void)text;
  (void)size;
  return true;
}

CASE(promotion_leaves_ordered_ones)
{
  frontier *f = open_with(directory, false);
  uint64_t from = 0;
  size_t promoted;
  add(f, "http://a.test/1", (frontier_link){.priority = 1});
  add(f, "http://a.test/2", (frontier_link){0});
  good(f, frontier_promote(f, wants_all, NULL, 100, &from, &promoted));
  assert_int_equal(promoted, 1);
  expect_at(f, NOON_MS, "http://a.test/2");
  expect_at(f, NOON_MS, "http://a.test/1");
  good(f, frontier_close(f));
}

enum { LATE = 1000 };

/* A filter that takes many for seen: what is new comes late, with all that was said of it. */
CASE(late_ones_have_it_all)
{
  frontier *f = open_with(directory, true);
  frontier_verdict verdict;
  frontier_lease lease;
  size_t settled;
  unsigned late = 0, leased = 0;
  for (unsigned i = 0; i < LATE; i++) {
    char text[64], payload[16];
    const mlbf_span key = {text, (size_t)snprintf(text, sizeof text, "fp %u", i)};
    frontier_link link = opaque_of(&key);
    link.priority = 1 + (int32_t)i;
    link.payload = payload;
    link.payload_size = (size_t)snprintf(payload, sizeof payload, "%u", i) + 1;
    good(f, frontier_add_batch(f, &link, 1, NOON_MS, &verdict, &settled));
    late += verdict.outcome == FRONTIER_UNCONFIRMED;
    if (i % 4 == 0) /* then the filter says so, and not the open batch */
      good(f, frontier_sync(f));
  }
  f = (good(f, frontier_close(f)), open_with(directory, true));
  for (uint64_t now_ms = NOON_MS; !frontier_is_finished(f); now_ms += 1000)
    while (next_at(f, now_ms, &lease)) {
      assert_true(lease.is_opaque && lease.group_size == 4);
      assert_int_equal(lease.priority, 1 + atoi((const char *)lease.payload));
      good(f, frontier_done(f, lease.id, FRONTIER_DONE, 0, NULL, 0, now_ms));
      leased++;
    }
  assert_int_equal(leased, LATE);
  assert_true(late > 0);
  good(f, frontier_close(f));
}

EACH_CASE(make_directory, remove_directory)
