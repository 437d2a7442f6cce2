/* Groups, priorities, times, opaque targets, and what is released with changes (frontier_link, frontier_return): each
 * promise by itself, then all of them against a model that looks at every URL it has. Built a second time with room for
 * 64 URLs in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "frontier/admin.h"
#include "frontier/host.h"
#include "frontier/promote.h"
#include "frontier/recrawl.h"
#include "frontier/text.h"
#include "tests/site/random.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"

static const uint64_t NOON_MS = 1700000000000; /* wall time too */

static url u;
static char directory[SCRATCH_PATH];

static frontier *open_with(const char *where, bool exact)
{
  static const uint8_t secret[MLBF_SECRET_BYTES] = {17}; /* what the filter errs on is the same in each run */
  char why[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  frontier_options options = {.filter = exact ? MLBF_KIND_BLOOM : MLBF_KIND_MLBF,
                              .expected_urls = exact ? 64 : 10000,
                              .rate = exact ? 0.5 : 1e-9,
                              .exact = exact,
                              .secret = secret,
                              .per_host = 1000,
                              .depth_cap = 100};
  if (frontier_open(where, &options, &f, why) != FRONTIER_OK)
    fail_msg("%s", why);
  return f;
}

static void good(const frontier *f, frontier_status status)
{
  if (status != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
}

static const url *parse(const char *text)
{
  assert_int_equal(url_parse(text, strlen(text), URL_STRICT, &u), URL_OK);
  return &u;
}

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

static void larger_ones_first(void **state)
{
  (void)state;
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

static void a_time_holds_up_no_other(void **state)
{
  (void)state;
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

static void a_group_is_no_host(void **state)
{
  (void)state;
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

static void opaque_bytes_come_back(void **state)
{
  (void)state;
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

static void nonsense_is_refused(void **state)
{
  (void)state;
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

static void texts_carry_all_of_it(void **state)
{
  (void)state;
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

static void released_with_changes(void **state)
{
  (void)state;
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

static void a_recrawl_keeps_the_payload(void **state)
{
  (void)state;
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

static void promotion_leaves_ordered_ones(void **state)
{
  (void)state;
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
static void late_ones_have_it_all(void **state)
{
  (void)state;
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

/* ---- all of it at random ------------------------------------------------------------------------------------ */

enum { URLS = 6000, STEPS = 2500, QUEUES = 6, LEASES = 96 };

typedef enum life { NOT_FOUND, WAITS, LEASED, ENDED } life;

typedef struct page {
  life life, was;
  int32_t priority;
  uint64_t not_before_ms;
  unsigned tries; /* its payload */
  uint64_t id;
  bool was_released, was_timed; /* then it is not among equals in order of acceptance */
} page;

typedef struct model {
  uint64_t dice, now_ms;
  frontier *f;
  char directory[SCRATCH_PATH];
  page pages[URLS], synced[URLS];
  unsigned added, synced_count;
  struct {
    uint64_t id;
    unsigned page;
  } leases[LEASES];
  size_t lease_count;
  bool has_ranks; /* any number is a priority, not one of few */
} model;

static uint64_t roll(model *m, uint64_t sides)
{
  return random_next(&m->dice) % sides;
}

static unsigned queue_of(unsigned n)
{
  return n % QUEUES;
}

static bool has_group(unsigned n)
{
  return queue_of(n) >= QUEUES / 2;
}

static bool is_opaque(unsigned n)
{
  return has_group(n) && n % 5 == 0;
}

static int32_t any_priority(model *m)
{
  if (roll(m, 3) == 0)
    return 0;
  return m->has_ranks ? (int32_t)(uint32_t)roll(m, (uint64_t)1 << 32) : (int32_t)roll(m, 7) - 3;
}

static void add_one(model *m)
{
  unsigned n = m->added++;
  page *p = &m->pages[n];
  char text[64], group[16], payload[16];
  *p = (page){.life = WAITS, .priority = any_priority(m)};
  p->not_before_ms = roll(m, 6) ? 0 : m->now_ms + roll(m, 3000);
  p->was_timed = p->not_before_ms;
  size_t size = (size_t)snprintf(text, sizeof text, "http://h%u.test/%u", queue_of(n) % (QUEUES / 2), n);
  const mlbf_span key = {text, size};
  frontier_link link = {.priority = p->priority, .not_before_ms = p->not_before_ms, .payload = payload};
  link.payload_size = (size_t)snprintf(payload, sizeof payload, "0");
  if (has_group(n)) {
    link.group = group;
    link.group_size = (size_t)snprintf(group, sizeof group, "h%u.test", queue_of(n) % (QUEUES / 2));
  }
  if (is_opaque(n)) {
    link.key = &key;
    link.key_count = 1;
    link.opaque = text;
    link.opaque_size = size;
  } else {
    link.target = parse(text);
  }
  frontier_verdict verdict;
  size_t settled;
  good(m->f, frontier_add_batch(m->f, &link, 1, m->now_ms, &verdict, &settled));
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
}

/* No URL of its queue that is due is of a larger priority; of the same, none that was accepted before waits. */
static void check_first(const model *m, unsigned n)
{
  const page *p = &m->pages[n];
  for (unsigned i = queue_of(n); i < m->added; i += QUEUES) {
    const page *other = &m->pages[i];
    if (other->life != WAITS || other->not_before_ms > m->now_ms)
      continue;
    if (other->priority > p->priority)
      fail_msg("page %u of priority %d was before %u of %d", n, (int)p->priority, i, (int)other->priority);
    bool is_plain = !p->was_released && !p->was_timed && !other->was_released && !other->was_timed;
    if (other->priority == p->priority && i < n && is_plain)
      fail_msg("page %u was before %u, which is its equal", n, i);
  }
}

static void check_lease(model *m, const frontier_lease *l)
{
  char payload[16];
  unsigned n = (unsigned)strtoul(strrchr(l->url, '/') + 1, NULL, 10);
  assert_in_range(n, 0, m->added - 1);
  page *p = &m->pages[n];
  assert_int_equal(p->life, WAITS);
  assert_true(p->not_before_ms <= m->now_ms);
  assert_int_equal(l->priority, p->priority);
  assert_int_equal(l->is_opaque, is_opaque(n));
  assert_int_equal(l->group_size, has_group(n) ? 7 : 0);
  assert_int_equal(l->payload_size, snprintf(payload, sizeof payload, "%u", p->tries));
  assert_memory_equal(l->payload, payload, l->payload_size);
  check_first(m, n);
  p->life = LEASED;
  p->id = l->id;
  m->leases[m->lease_count].id = l->id;
  m->leases[m->lease_count++].page = n;
}

static void take(model *m)
{
  frontier_lease leases[LEASES];
  size_t count;
  int64_t wait_ms;
  if (m->lease_count == LEASES)
    return;
  good(m->f, frontier_next(m->f, m->now_ms, leases, 1 + roll(m, LEASES - m->lease_count), &count, &wait_ms));
  for (size_t i = 0; i < count; i++)
    check_lease(m, &leases[i]);
}

static void release(model *m, uint64_t id, page *p)
{
  char payload[16];
  frontier_return with = {.has_payload = roll(m, 2), .has_priority = roll(m, 2), .priority = any_priority(m)};
  with.not_before_ms = roll(m, 3) ? 0 : m->now_ms + roll(m, 2000);
  if (with.has_payload) {
    with.payload = payload;
    with.payload_size = (size_t)snprintf(payload, sizeof payload, "%u", ++p->tries);
  }
  good(m->f, frontier_release_with(m->f, id, &with, m->now_ms));
  p->priority = with.has_priority ? with.priority : p->priority;
  p->not_before_ms = with.not_before_ms;
  p->was_released = true;
  p->life = WAITS;
}

static void end_one(model *m, bool may_release)
{
  size_t at = roll(m, m->lease_count);
  uint64_t id = m->leases[at].id;
  page *p = &m->pages[m->leases[at].page];
  m->leases[at] = m->leases[--m->lease_count];
  if (may_release && roll(m, 4) == 0) {
    release(m, id, p);
    return;
  }
  if (may_release && roll(m, 8) == 0) {
    good(m->f, frontier_release(m->f, id, m->now_ms));
    p->was_released = true;
    p->not_before_ms = 0;
    p->life = WAITS;
    return;
  }
  good(m->f, frontier_done(m->f, id, FRONTIER_DONE, 200, NULL, 0, m->now_ms));
  p->life = ENDED;
}

static void find_one(model *m)
{
  frontier_record record;
  unsigned n = (unsigned)roll(m, m->added);
  const page *p = &m->pages[n];
  if (!p->id)
    return;
  good(m->f, frontier_find_id(m->f, p->id, &record));
  assert_int_equal(record.is_queued, p->life != ENDED);
  assert_int_equal(record.is_opaque, is_opaque(n));
  assert_int_equal(record.group_size, has_group(n) ? 7 : 0);
  if (p->life == WAITS)
    assert_int_equal(record.rank, p->priority);
}

static void hear_fault(void *context, const char *sentence)
{
  (void)context;
  fail_msg("%s", sentence);
}

static void check_directory(const char *where)
{
  frontier_findings found;
  second_view view;
  char why[FRONTIER_MESSAGE_SIZE];
  second_read(where, false, &view);
  assert_int_equal(view.faults, 0);
  second_free(&view);
  assert_int_equal(frontier_check(where, NULL, hear_fault, NULL, &found, why), FRONTIER_OK);
}

static void lose_leases(model *m)
{
  m->lease_count = 0;
  for (unsigned i = 0; i < m->added; i++)
    if (m->pages[i].life == LEASED)
      m->pages[i].life = WAITS;
}

static void reopen(model *m)
{
  frontier_sizes sizes;
  char why[FRONTIER_MESSAGE_SIZE];
  good(m->f, frontier_close(m->f));
  lose_leases(m);
  if (roll(m, 2) == 0)
    assert_int_equal(frontier_compact(m->directory, &sizes, why), FRONTIER_OK);
  if (roll(m, 2) == 0)
    check_directory(m->directory);
  m->f = open_with(m->directory, false);
}

static void sync_now(model *m)
{
  good(m->f, frontier_sync(m->f));
  memcpy(m->synced, m->pages, sizeof m->synced);
  m->synced_count = m->added;
}

/* The files as they are: what was done since the last commit is lost. */
static void crash(model *m, bool by_snapshot)
{
  char old[SCRATCH_PATH], why[FRONTIER_MESSAGE_SIZE];
  memcpy(old, m->directory, sizeof old);
  sync_now(m);
  for (unsigned i = 0; i < 5 && m->lease_count; i++)
    end_one(m, true);
  for (unsigned i = 0; i < 5 && m->added < URLS; i++)
    add_one(m);
  scratch_make_fast(m->directory);
  if (by_snapshot) {
    scratch_remove(m->directory);
    if (frontier_snapshot(m->f, m->directory, NULL, why) != FRONTIER_OK)
      fail_msg("%s", why);
  } else {
    scratch_copy(old, m->directory);
  }
  frontier_close(m->f);
  scratch_remove(old);
  memcpy(m->pages, m->synced, sizeof m->pages);
  m->added = m->synced_count;
  lose_leases(m);
  m->f = open_with(m->directory, false);
}

static void step(model *m)
{
  uint64_t what = roll(m, 1000);
  m->now_ms += roll(m, 40);
  if (what < 350)
    for (uint64_t more = roll(m, 12); more && m->added < URLS; more--)
      add_one(m);
  else if (what < 640)
    take(m);
  else if (what < 960)
    for (uint64_t ends = roll(m, 30); ends && m->lease_count; ends--)
      end_one(m, true);
  else if (what < 980)
    find_one(m);
  else if (what < 990)
    reopen(m);
  else
    crash(m, roll(m, 3) == 0);
}

static void drain(model *m)
{
  while (!frontier_is_finished(m->f)) {
    m->now_ms += 100;
    take(m);
    while (m->lease_count)
      end_one(m, false);
  }
  for (unsigned i = 0; i < m->added; i++)
    if (m->pages[i].life != ENDED)
      fail_msg("page %u is lost", i);
}

static void a_model_agrees(void **state)
{
  (void)state;
  const char *given = getenv("STRATA_SEED");
  uint64_t first = given ? strtoull(given, NULL, 10) : 1, seeds = given ? 1 : 4;
  for (uint64_t seed = first; seed < first + seeds; seed++) {
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    print_message("  seed %llu\n", (unsigned long long)seed);
    m->dice = seed;
    m->now_ms = NOON_MS;
    m->has_ranks = seed % 2;
    scratch_make_fast(m->directory);
    m->f = open_with(m->directory, false);
    add_one(m);
    for (unsigned i = 0; i < STEPS; i++)
      step(m);
    drain(m);
    good(m->f, frontier_close(m->f));
    check_directory(m->directory);
    scratch_remove(m->directory);
    free(m);
  }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)
  const struct CMUnitTest tests[] = {
    CASE(larger_ones_first),
    CASE(a_time_holds_up_no_other),
    CASE(a_group_is_no_host),
    CASE(opaque_bytes_come_back),
    CASE(nonsense_is_refused),
    CASE(texts_carry_all_of_it),
    CASE(released_with_changes),
    CASE(a_recrawl_keeps_the_payload),
    CASE(promotion_leaves_ordered_ones),
    CASE(late_ones_have_it_all),
    CASE(a_model_agrees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
