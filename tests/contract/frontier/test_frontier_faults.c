/* Each write, sync and allocation of a crawl fails once, and, from each on, all do for a while. Whatever happens:
 * no crash; the call says what went wrong, in its status and in words; once the cause is gone the same call works;
 * and in the end every page was done exactly once, with one line in the journal. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "frontier/frontier.h"
#include "frontier/promote.h"
#include "frontier/recrawl.h"
#include "frontier/text.h"
#include "frontier/traps.h"
#include "tests/support/each_fault.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/test.h"

#ifdef FRONTIER_TINY
enum { PAGES = 100, HOSTS = 3, STEP = 4 }; /* more wait than its memory holds; every fourth call is enough then */
#else
enum { PAGES = 48, HOSTS = 40, STEP = 1 };
#endif
enum { LINKS = 3, TRIES = 8, STRIKES = 3 };

typedef struct story {
  char root[SCRATCH_PATH], directory[SCRATCH_PATH], journal[SCRATCH_PATH];
  bool keeps_nothing, is_exact;
  frontier *f;
  uint64_t now_ms;
  frontier_lease leases[4];
  size_t count;
  bool is_done[PAGES], is_done_for_good[PAGES]; /* told; told, and then a sync */
  int error;                                    /* what is made to happen */
  bool is_limited;                              /* by a limit on the size of files */
  unsigned failures;                            /* calls that said so */
} story;

static uint64_t late; /* URLs of all stories that an exact frontier's filter took for seen */

static url urls[PAGES], ghost; /* parsed beforehand: not what is tested here. The ghost is noted, and never fetched */

static void parse_urls(void)
{
  for (unsigned i = 0; i < PAGES; i++) {
    must_parse(&urls[i], "http://h%u.test/page/%u", i % HOSTS, i);
  }
  assert_int_equal(url_parse("http://h0.test/ghost", 20, URL_STRICT, &ghost), URL_OK);
}

static unsigned link_of(unsigned page, unsigned number)
{
  return number == 0 ? (page + 1) % PAGES : (page * 7 + number * 13) % PAGES;
}

/* Some pages have a priority, some a time, some a group, and every tenth is an opaque target with its own key. */
static frontier_link order_of(const story *s, unsigned page, uint64_t via)
{
  static mlbf_span keys[PAGES];
  frontier_link link = {.target = &urls[page], .origin = {.via = via}, .priority = (int32_t)(page % 5) - 2};
  link.not_before_ms = page % 11 == 3 ? s->now_ms + 20 : 0;
  if (page % 5 == 4) {
    link.group = "slot";
    link.group_size = 4;
  }
  if (page % 10 == 4) {
    keys[page] = (mlbf_span){urls[page].fetch, urls[page].fetch_size};
    link.key = &keys[page];
    link.key_count = 1;
    link.target = NULL;
    link.opaque = keys[page].bytes;
    link.opaque_size = keys[page].size;
  }
  return link;
}

static unsigned page_of(const frontier_lease *lease)
{
  return (unsigned)strtoul(strrchr(lease->url, '/') + 1, NULL, 10);
}

/* ---- what a failure must look like ------------------------------------------------------------------------ */

static bool status_fits(const story *s, frontier_status status)
{
  switch (s->error) {
  case ENOMEM: return status == FRONTIER_NO_MEMORY;
  case ENOSPC:
  case EFBIG: return status == FRONTIER_NO_SPACE;
  case FAULT_SHORT: return status == FRONTIER_IO || status == FRONTIER_NO_SPACE;
  default: return status == FRONTIER_IO;
  }
}

static void limit_files(rlim_t size)
{
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = size;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void end_cause(const story *s)
{
  faults_end();
  if (s->is_limited)
    limit_files(RLIM_INFINITY);
}

/* A failed call: it must be one that was made to fail. After a few, the cause goes. */
static void note_failure(story *s, frontier_status status, const char *message)
{
  if (strstr(message, "MDB_PANIC"))
    fail_msg("words for those who know LMDB: %s", message);
  bool has_cause = s->is_limited || faults_have_struck();
  if (!has_cause || !status_fits(s, status) || strlen(message) < 10)
    fail_msg("error %d came out as status %d, \"%s\"", s->error, (int)status, message);
  if (++s->failures >= STRIKES)
    end_cause(s);
}

/* ---- the calls -------------------------------------------------------------------------------------------- */

typedef enum act {
  WATCH,
  CONTROL,
  VISIT,
  ADD,
  ADD_TEXTS,
  NOTE,
  FORGET,
  FORGET_HOST,
  PROMOTE,
  NEXT,
  DONE,
  RELEASE,
  RELEASE_CHANGED,
  SYNC,
  PUT
} act;

static bool want_odd(void *context, const char *fetch, size_t size)
{
  (void)context;
  return fetch[size - 1] % 2;
}

static frontier_status call(story *s, act what, unsigned page, uint64_t lease)
{
  static const char value[] = "value";
  static const frontier_return changes = {
    .has_payload = true, .payload = value, .payload_size = 5, .has_priority = true, .priority = 3};
  frontier_verdict verdict;
  bool was_seen;
  uint64_t forgotten, from = 0;
  size_t promoted, settled;
  char line[16];
  const frontier_link link = order_of(s, page, lease);
  int64_t wait_ms;
  switch (what) {
  case WATCH: return frontier_watch_traps(s->f, 100);
  case CONTROL: return frontier_host_set(s->f, "h1.test", &(frontier_host_control){.per_host = 1});
  case VISIT: return frontier_visit_note(s->f, lease, &(frontier_visit){.at_s = 1, .etag = value, .etag_size = 5});
  case ADD: return frontier_add_batch(s->f, &link, 1, s->now_ms, &verdict, &settled);
  case ADD_TEXTS: {
    const url *u = &urls[page];
    frontier_text text = {.href = u->fetch,
                          .href_size = u->fetch_size,
                          .key = link.key,
                          .key_count = link.key_count,
                          .origin = link.origin,
                          .payload = value,
                          .payload_size = sizeof value,
                          .group = link.group,
                          .group_size = link.group_size,
                          .priority = link.priority,
                          .is_opaque = !link.target,
                          .not_before_ms = link.not_before_ms};
    frontier_answer said;
    return frontier_add_texts(s->f, NULL, &text, 1, s->now_ms, &said, &settled);
  }
  case NOTE: return frontier_note(s->f, &(frontier_link){.target = &ghost}, s->now_ms, &verdict);
  case FORGET: return frontier_forget(s->f, &(frontier_link){.target = &ghost}, &was_seen);
  case FORGET_HOST: return frontier_forget_host(s->f, "nowhere.test", 12, &forgotten);
  case PROMOTE: return frontier_promote(s->f, want_odd, NULL, 100, &from, &promoted);
  case NEXT: return frontier_next(s->f, s->now_ms, s->leases, 4, &s->count, &wait_ms);
  case DONE:
    snprintf(line, sizeof line, "%u", page);
    return frontier_done(s->f, lease, FRONTIER_DONE, 200, s->keeps_nothing ? NULL : line,
                         s->keeps_nothing ? 0 : strlen(line), s->now_ms);
  case RELEASE: return frontier_release(s->f, lease, s->now_ms);
  case RELEASE_CHANGED: return frontier_release_with(s->f, lease, &changes, s->now_ms);
  case SYNC: return frontier_sync(s->f);
  default: return frontier_setting_put(s->f, "name", value, sizeof value);
  }
}

static void open_story(story *s)
{
  frontier_options options = {.filter = s->is_exact ? MLBF_KIND_BLOOM : MLBF_KIND_MLBF,
                              .expected_urls = 5,
                              .rate = s->is_exact ? 0.5 : 1e-9,
                              .per_host = 2,
                              .depth_cap = UINT16_MAX,
                              .journal_path = s->keeps_nothing ? NULL : s->journal,
                              .exact = s->is_exact};
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_status status = FRONTIER_IO;
  for (int tries = 0; tries < TRIES && status != FRONTIER_OK; tries++) {
    status = frontier_open(s->keeps_nothing ? NULL : s->directory, &options, &s->f, message);
    if (status != FRONTIER_OK)
      note_failure(s, status, message);
  }
  if (status != FRONTIER_OK)
    fail_msg("it cannot be opened any more: %s", message);
  s->count = 0;
}

/* The call until it works; at the latest when the cause is gone, and by the same handle. */
static void must(story *s, act what, unsigned page, uint64_t lease)
{
  for (int tries = 0; tries < TRIES; tries++) {
    frontier_status status = call(s, what, page, lease);
    if (status == FRONTIER_OK)
      return;
    note_failure(s, status, frontier_message(s->f));
  }
  fail_msg("it does not work again: %s", frontier_message(s->f));
}

/* ---- the crawl -------------------------------------------------------------------------------------------- */

static void visit(story *s, frontier_lease lease)
{
  unsigned page = page_of(&lease);
  if (s->is_done[page])
    fail_msg("page %u is fetched again", page);
  if (page % 10 == 3 && s->now_ms % 2) {
    must(s, page % 4 ? RELEASE : RELEASE_CHANGED, page, lease.id);
    return;
  }
  for (unsigned i = 0; i < LINKS; i++)
    must(s, i % 2 ? ADD_TEXTS : ADD, link_of(page, i), lease.id);
  if (page == 5) {
    must(s, NOTE, 0, 0);
    must(s, FORGET, 0, 0);
    if (!s->keeps_nothing)
      must(s, FORGET_HOST, 0, 0);
  }
  if (page == 6) {
    must(s, WATCH, 0, 0);
    must(s, CONTROL, 0, 0);
  }
  if (page % 20 == 9)
    must(s, PROMOTE, 0, 0);
  if (page % 8 == 1)
    must(s, VISIT, 0, lease.id);
  must(s, DONE, page, lease.id);
  s->is_done[page] = true;
}

static void round_trip(story *s)
{
  s->now_ms += 17; /* a commit by age, every six rounds */
  must(s, NEXT, 0, 0);
  frontier_lease leases[4];
  size_t count = s->count;
  memcpy(leases, s->leases, sizeof leases);
  for (size_t i = 0; i < count; i++)
    visit(s, leases[i]);
  if (s->now_ms % 2) {
    must(s, PUT, 0, 0);
    must(s, SYNC, 0, 0);
    memcpy(s->is_done_for_good, s->is_done, sizeof s->is_done);
  }
}

static void crawl(story *s)
{
  frontier_status status;
  do {
    open_story(s);
    must(s, ADD, 0, 0);
    do
      round_trip(s);
    while (!frontier_is_finished(s->f));
    frontier_stats stats;
    assert_int_equal(frontier_stats_read(s->f, &stats), FRONTIER_OK);
    late += stats.late;
    if (stats.filter.keys > stats.filter.design_keys)
      fail_msg("%llu keys in a filter for %llu", (unsigned long long)stats.filter.keys,
               (unsigned long long)stats.filter.design_keys);
    status = frontier_close(s->f);
    if (status != FRONTIER_OK) { /* what was not committed is done again */
      s->failures++;
      memcpy(s->is_done, s->is_done_for_good, sizeof s->is_done);
    }
    if (s->failures >= STRIKES)
      end_cause(s);
  } while (status != FRONTIER_OK && !s->keeps_nothing);
}

/* ---- what must be there in the end ------------------------------------------------------------------------ */

static void check_journal(const story *s)
{
  unsigned lines[PAGES] = {0};
  size_t size;
  char *text = scratch_read(s->journal, &size);
  assert_non_null(text);
  for (char *at = text; *at; at = strchr(at, '\n') + 1)
    lines[strtoul(at, NULL, 10)]++;
  for (unsigned i = 0; i < PAGES; i++)
    if (lines[i] != 1)
      fail_msg("page %u has %u lines in the journal", i, lines[i]);
  free(text);
}

static void check_directory(const story *s)
{
  second_view v;
  second_read(s->directory, false, &v);
  assert_int_equal(v.faults, 0);
  unsigned done = 0, noted = 0;
  for (uint64_t i = 1; i < v.url_room; i++) {
    done += v.urls[i].state == FRONTIER_DONE;
    noted += v.urls[i].state == FRONTIER_NOTED;
  }
  assert_int_equal(done, PAGES);
  assert_true(noted > 0 && done + noted + 1 == v.url_room);
  if (s->is_exact)
    assert_in_range(v.revoked, 0, 1); /* a ghost that was unconfirmed when it was forgotten may be noted after that */
  else
    assert_int_equal(v.revoked, 1);
  second_free(&v);
}

static void begin(story *s)
{
  scratch_make_fast(s->root);
  scratch_join(s->root, "frontier", s->directory);
  scratch_join(s->root, "journal", s->journal);
}

static void end(story *s)
{
  end_cause(s);
  if (!s->keeps_nothing) {
    check_journal(s);
    check_directory(s);
  }
  scratch_remove(s->root);
}

/* A filter that is as small as some keys allow, and so takes every second URL for seen. */
static void fill_filter(story *s)
{
  enum { KEYS = 60 };
  static url u;
  open_story(s);
  for (unsigned i = 0; i < KEYS; i++) {
    frontier_verdict verdict;
    must_parse(&u, "http://h0.test/before/%u", i);
    assert_int_equal(frontier_note(s->f, &(frontier_link){.target = &u}, 0, &verdict), FRONTIER_OK);
  }
  assert_int_equal(frontier_close(s->f), FRONTIER_OK);
}

typedef enum keeping { KEEPS, KEEPS_NOTHING, KEEPS_EXACTLY } keeping;

static void strike_each(fault_class what, int error, bool stays, keeping how, unsigned share)
{
  fault_loop l = {.what = what, .error = error, .stays = stays, .share = share * STEP};
  while (fault_next(&l)) {
    story s = {.error = error, .keeps_nothing = how == KEEPS_NOTHING, .is_exact = how == KEEPS_EXACTLY};
    begin(&s);
    if (s.is_exact)
      fill_filter(&s);
    if (fault_begin(&l)) {
      crawl(&s);
      fault_end(&l, 0);
    }
    end(&s);
  }
  assert_true(l.number > 10);
}

CASE(each_write)
{
  strike_each(FAULT_WRITE, EIO, false, KEEPS, 3);
  strike_each(FAULT_WRITE, ENOSPC, false, KEEPS, 3);
  strike_each(FAULT_WRITE, ENOSPC, true, KEEPS, 6);
  strike_each(FAULT_WRITE, FAULT_SHORT, false, KEEPS, 3);
}

CASE(each_sync)
{
  strike_each(FAULT_SYNC, EIO, false, KEEPS, 3);
  strike_each(FAULT_SYNC, EIO, true, KEEPS, 6);
}

CASE(each_allocation)
{
  strike_each(FAULT_ALLOC, ENOMEM, false, KEEPS, 3);
  strike_each(FAULT_ALLOC, ENOMEM, true, KEEPS, 6);
}

CASE(each_allocation_when_nothing_is_kept)
{
  strike_each(FAULT_ALLOC, ENOMEM, false, KEEPS_NOTHING, 3);
  strike_each(FAULT_ALLOC, ENOMEM, true, KEEPS_NOTHING, 6);
}

CASE(each_call_where_keys_are_exact)
{
  strike_each(FAULT_WRITE, EIO, false, KEEPS_EXACTLY, 5);
  strike_each(FAULT_WRITE, ENOSPC, true, KEEPS_EXACTLY, 7);
  strike_each(FAULT_SYNC, EIO, false, KEEPS_EXACTLY, 5);
  strike_each(FAULT_ALLOC, ENOMEM, false, KEEPS_EXACTLY, 7);
  printf("%llu URLs came late\n", (unsigned long long)late);
  assert_true(late > 0);
}

/* ulimit -f: no file may grow beyond, at any moment of the crawl; then it may. */
CASE(each_limit_on_file_size)
{
  unsigned failed = 0, limits = 0;
  for (rlim_t limit = 0; limit < 160000; limit += limit < 20000 ? 1999 : 6000 * STEP) {
    story s = {.error = EFBIG, .is_limited = true};
    begin(&s);
    limit_files(limit);
    crawl(&s);
    end(&s);
    failed += s.failures > 0;
    limits++;
  }
  printf("%u of %u limits were met\n", failed, limits);
  assert_in_range(failed, limits / 4, limits);
}

static int prepare(void **state)
{
  (void)state;
  signal(SIGXFSZ, SIG_IGN);
  parse_urls();
  return 0;
}

EACH_CASE(prepare, NULL)
