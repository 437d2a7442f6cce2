/* frontier/core/handle.c, lock.h: options of other sizes, what a handle says, and many threads on one. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "frontier/host.h"
#include "frontier/recrawl.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static const frontier_options plain = {
  .filter = MLBF_KIND_MLBF, .expected_urls = 100, .rate = 1e-9, .per_host = 4, .depth_cap = UINT16_MAX};

static void parse(unsigned number, url *u)
{
  char text[64];
  int size = snprintf(text, sizeof text, "http://h%u.test/%u", number % 16, number);
  assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, u), URL_OK);
}

static frontier *open_or_fail(const char *directory, const frontier_options *options)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  if (frontier_open(directory, options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

CASE(options_of_another_size)
{
  struct {
    frontier_options known;
    uint64_t more[4];
  } later = {.known = plain};
  char message[FRONTIER_MESSAGE_SIZE];
  frontier *f = NULL;
  assert_int_equal(frontier_open_sized(NULL, &later.known, sizeof later, &f, message), FRONTIER_OK);
  frontier_close(f);
  later.more[3] = 1;
  assert_int_equal(frontier_open_sized(NULL, &later.known, sizeof later, &f, message), FRONTIER_BAD_ARGUMENT);

  frontier_options earlier; /* ended before keep_identity: what is behind is not the caller's */
  memset(&earlier, 0xff, sizeof earlier);
  memcpy(&earlier, &plain, offsetof(frontier_options, keep_identity));
  assert_int_equal(frontier_open_sized(NULL, &earlier, offsetof(frontier_options, keep_identity), &f, message),
                   FRONTIER_OK);
  frontier_close(f);
}

static void hear(void *context, const char *sentence)
{
  char *heard = context;
  strncat(heard, sentence, 1000 - strlen(heard));
  strncat(heard, "\n", 1000 - strlen(heard));
}

/* A caller of another release: its structs are longer, or end earlier. What it has and we do not is zero, and refused
 * if it is set. */
typedef struct later_link {
  frontier_link known;
  uint64_t more[3];
} later_link;
typedef struct later_lease {
  frontier_lease known;
  uint64_t more[3];
} later_lease;
typedef struct later_stats {
  frontier_stats known;
  uint64_t more[3];
} later_stats;
typedef struct later_control {
  frontier_host_control known;
  uint64_t more[3];
} later_control;
typedef struct later_limits {
  frontier_limits known;
  uint64_t more[3];
} later_limits;
typedef struct later_visit {
  frontier_visit known;
  uint64_t more[3];
} later_visit;

enum { MANY = 40 }; /* more than are settled together */

static void add_later_links(frontier *f, url *urls)
{
  static later_link links[MANY];
  frontier_verdict verdicts[MANY];
  size_t settled, half = offsetof(frontier_link, payload);
  bool was_seen;
  for (unsigned i = 0; i < MANY; i++) {
    parse(i, &urls[i]);
    links[i].known = (frontier_link){.target = &urls[i], .payload = "p", .payload_size = 1};
  }
  links[MANY - 1].more[2] = 1;
  assert_int_equal(frontier_add_batch_sized(f, &links->known, sizeof *links, MANY, 0, verdicts, &settled),
                   FRONTIER_BAD_ARGUMENT);
  assert_int_equal(settled, 32); /* those of the pieces before */
  assert_int_equal(frontier_lookup_batch_sized(f, &links->known, sizeof *links, MANY, verdicts), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_force_sized(f, &links[MANY - 1].known, sizeof *links, 0, verdicts), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_note_sized(f, &links[MANY - 1].known, sizeof *links, 0, verdicts), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_forget_sized(f, &links[MANY - 1].known, sizeof *links, &was_seen), FRONTIER_BAD_ARGUMENT);
  links[MANY - 1].more[2] = 0;
  assert_int_equal(frontier_add_batch_sized(f, &links[settled].known, sizeof *links, MANY - settled, 0, verdicts,
                                            &settled),
                   FRONTIER_OK);
  assert_int_equal(frontier_lookup_batch_sized(f, &links->known, sizeof *links, MANY, verdicts), FRONTIER_OK);
  for (unsigned i = 0; i < MANY; i++)
    assert_int_equal(verdicts[i].outcome, FRONTIER_SEEN);

  /* one that has no payload: what lies there is not the caller's */
  links[0].known.payload_size = SIZE_MAX;
  assert_int_equal(frontier_force_sized(f, &links[0].known, half, 0, verdicts), FRONTIER_OK);
  assert_int_equal(frontier_forget_sized(f, &links[0].known, half, &was_seen), FRONTIER_OK);
  assert_true(was_seen);
  assert_int_equal(frontier_note_sized(f, &links[0].known, half, 0, verdicts), FRONTIER_OK);
}

static void lease_later_leases(frontier *f)
{
  static later_lease leases[MANY + 1];
  uint8_t early[3][offsetof(frontier_lease, origin)];
  later_limits limits = {.known = {.max = MANY + 1}};
  size_t count;
  int64_t wait_ms;
  memset(leases, 0xff, sizeof leases);
  limits.more[0] = 1;
  assert_int_equal(frontier_next_batch_sized(f, 0, &limits.known, sizeof limits, &leases->known, sizeof *leases, &count,
                                             &wait_ms),
                   FRONTIER_BAD_ARGUMENT);
  assert_int_equal(count, 0);
  limits.more[0] = 0;
  assert_int_equal(frontier_next_batch_sized(f, 0, &limits.known, sizeof limits, &leases->known, sizeof *leases, &count,
                                             &wait_ms),
                   FRONTIER_OK);
  assert_int_equal(count, MANY + 1);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(strncmp(leases[i].known.url, "http://h", 8), 0);
    assert_int_equal(leases[i].more[0] | leases[i].more[1] | leases[i].more[2], 0);
    if (i < 3)
      assert_int_equal(frontier_release(f, leases[i].known.id, 0), FRONTIER_OK);
  }
  assert_int_equal(frontier_next_sized(f, 0, (frontier_lease *)(void *)early, sizeof early[0], 3, &count, &wait_ms),
                   FRONTIER_OK);
  assert_int_equal(count, 3);
  for (size_t i = 0; i < count; i++) {
    uint64_t id;
    memcpy(&id, early[i], sizeof id);
    assert_int_equal(frontier_release(f, id, 0), FRONTIER_OK);
  }
}

CASE(structs_of_another_size)
{
  static url urls[MANY];
  char directory[SCRATCH_PATH], copy[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  scratch_make_fast(directory);
  scratch_join(directory, "crawl", copy);
  frontier *f = open_or_fail(
    copy, &(frontier_options){
            .filter = MLBF_KIND_MLBF, .expected_urls = 100, .rate = 1e-9, .per_host = 1000, .depth_cap = 1});
  add_later_links(f, urls);
  lease_later_leases(f);

  later_stats stats;
  uint64_t early[2], whole = 0;
  memset(&stats, 0xff, sizeof stats);
  assert_int_equal(frontier_stats_read_sized(f, &stats.known, sizeof stats), FRONTIER_OK);
  assert_int_equal(stats.known.queued, 3);
  assert_int_equal(stats.more[0] | stats.more[2], 0);
  early[1] = 77;
  assert_int_equal(frontier_stats_read_sized(f, (frontier_stats *)(void *)early, sizeof early[0]), FRONTIER_OK);
  assert_int_equal(early[0], 3);
  assert_int_equal(early[1], 77);

  later_control control = {.known = {.delay_ms = 9, .priority = FRONTIER_LOW}, .more = {[1] = 1}};
  assert_int_equal(frontier_host_set_sized(f, "h1.test", &control.known, sizeof control), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_host_set_sized(f, "h1.test", &control.known, sizeof whole), FRONTIER_OK);
  control.known = (frontier_host_control){.priority = FRONTIER_HIGH};
  assert_int_equal(frontier_host_get_sized(f, "h1.test", &control.known, sizeof control), FRONTIER_OK);
  assert_true(control.known.delay_ms == 9 && control.known.priority == FRONTIER_NORMAL && control.more[1] == 0);

  later_visit visit = {.known = {.at_s = 5, .etag = "e", .etag_size = 1}, .more = {1}};
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  assert_int_equal(frontier_next(f, 100, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(frontier_visit_note_sized(f, lease.id, &visit.known, sizeof visit), FRONTIER_BAD_ARGUMENT);
  visit.more[0] = 0;
  assert_int_equal(frontier_visit_note_sized(f, lease.id, &visit.known, sizeof visit), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);

  uint64_t words[4] = {7, 7, 7, 7};
  frontier_findings found;
  assert_int_equal(frontier_check_sized(copy, NULL, hear, &(char[1024]){""}, &found, sizeof found, message),
                   FRONTIER_OK);
  assert_int_equal(frontier_compact_sized(copy, (frontier_sizes *)(void *)words, 8, message), FRONTIER_OK);
  assert_true(words[0] > 0 && words[1] == 7);
  assert_int_equal(frontier_check_sized(copy, NULL, hear, &(char[1024]){""}, (frontier_findings *)(void *)words, 8,
                                        message),
                   FRONTIER_OK);
  assert_true(words[0] == 0 && words[1] == 7);
  scratch_remove(directory);
}

CASE(what_the_library_is)
{
  assert_int_equal(frontier_abi(), FRONTIER_ABI);
  assert_string_equal(frontier_version(), STRATA_VERSION);
}

CASE(a_failure_in_words)
{
  frontier *f = open_or_fail(NULL, &plain);
  char copy[FRONTIER_MESSAGE_SIZE];
  assert_int_equal(frontier_release(f, 77, 0), FRONTIER_NOT_FOUND);
  assert_string_equal(frontier_message(f), "no lease 77 is in flight");
  frontier_message_copy(f, copy);
  assert_string_equal(copy, frontier_message(f));
  frontier_close(f);
}

typedef struct failing {
  frontier *f;
  uint64_t lease;
  pthread_barrier_t *together;
  bool is_fine;
} failing;

/* Its own failures, though another thread's calls fail in between. */
static void *fail_and_read(void *context)
{
  failing *x = context;
  char expected[64], message[FRONTIER_MESSAGE_SIZE];
  snprintf(expected, sizeof expected, "no lease %llu is in flight", (unsigned long long)x->lease);
  x->is_fine = true;
  for (int i = 0; i < 200; i++) {
    x->is_fine &= frontier_release(x->f, x->lease, 0) == FRONTIER_NOT_FOUND;
    pthread_barrier_wait(x->together);
    frontier_message_copy(x->f, message);
    x->is_fine &= strcmp(message, expected) == 0;
    pthread_barrier_wait(x->together);
  }
  return NULL;
}

CASE(each_thread_reads_its_own_failure)
{
  enum { THREADS = 3 };
  pthread_barrier_t together;
  pthread_t threads[THREADS];
  failing all[THREADS];
  char message[FRONTIER_MESSAGE_SIZE];
  frontier *f = open_or_fail(NULL, &plain), *other = open_or_fail(NULL, &plain);
  assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
  for (unsigned i = 0; i < THREADS; i++) {
    all[i] = (failing){.f = f, .lease = 100 + i, .together = &together};
    assert_int_equal(pthread_create(&threads[i], NULL, fail_and_read, &all[i]), 0);
  }
  for (unsigned i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_true(all[i].is_fine);
  }
  frontier_message_copy(f, message); /* of this thread no call has failed */
  assert_string_equal(message, frontier_message(f));
  assert_int_equal(frontier_release(f, 7, 0), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_release(other, 8, 0), FRONTIER_NOT_FOUND);
  frontier_message_copy(f, message);
  assert_string_equal(message, "no lease 7 is in flight");
  frontier_close(other);
  other = open_or_fail(NULL, &plain); /* maybe where the last one was */
  frontier_message_copy(other, message);
  assert_string_equal(message, "");
  pthread_barrier_destroy(&together);
  frontier_close(other);
  frontier_close(f);
}

/* A filter made for 100 grows, and says so; one that is damaged is made anew, and says so. */
CASE(the_logger_hears)
{
  char heard[1024] = "", directory[SCRATCH_PATH], path[SCRATCH_PATH];
  frontier_options options = plain;
  frontier_verdict verdict;
  static url u;
  scratch_make_fast(directory);
  options.log = hear;
  options.log_context = heard;
  frontier *f = open_or_fail(directory, &options);
  for (unsigned i = 0; i < 120; i++) {
    parse(i, &u);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
    assert_true(i < 118 || frontier_sync(f) == FRONTIER_OK);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_non_null(strstr(heard, "a larger one is being filled"));
  for (int slot = 0; slot < 2; slot++) {
    scratch_join(directory, slot ? "seen.1" : "seen.0", path);
    scratch_write(path, "damage", 6);
  }
  *heard = '\0';
  frontier_close(open_or_fail(directory, &options));
  assert_non_null(strstr(heard, "damaged or missing"));
  scratch_remove(directory);
}

CASE(skipped_for_a_reason)
{
  frontier *f = open_or_fail(NULL, &plain);
  frontier_verdict verdict;
  frontier_lease leases[2];
  size_t count;
  int64_t wait_ms;
  static url u;
  for (unsigned i = 0; i < 2; i++) {
    parse(i, &u);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  }
  assert_int_equal(frontier_next(f, 0, leases, 2, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 2);
  assert_int_equal(frontier_skip(f, leases[0].id, "robots", NULL, 0, 0), FRONTIER_OK);
  assert_int_equal(frontier_skip(f, leases[0].id, "robots", NULL, 0, 0), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_skip(f, leases[1].id, "not a name", NULL, 0, 0), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_counter(f, "skipped-robots"), 1);
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.skipped, 1);
  assert_int_equal(stats.in_flight, 1);
  frontier_close(f);
}

/* LMDB's locks are per process. A second handle is refused, by whatever path and for whatever purpose, and the first
 * goes on; a child has nothing open, and finds the lock of its parent. */
CASE(one_handle_per_directory)
{
  static const char sentence[] = "this process itself has it open";
  char root[SCRATCH_PATH], directory[SCRATCH_PATH], other[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  frontier_options reader = plain, later = plain;
  frontier_findings found;
  frontier_repairs repairs;
  frontier_sizes sizes;
  frontier_merged merged;
  frontier *second = NULL;
  scratch_make_fast(root);
  scratch_join(root, "crawl", directory);
  scratch_join(root, "link", other);
  reader.read_only = true;
  later.previous_path = directory;
  assert_int_equal(frontier_close(open_or_fail(directory, &plain)), FRONTIER_OK);
  assert_int_equal(symlink(directory, other), 0);
  for (int is_reader = 0; is_reader < 2; is_reader++) {
    frontier *f = open_or_fail(directory, is_reader ? &reader : &plain);
    for (int way = 0; way < 8; way++) {
      const char *const merge[] = {other};
      frontier_status status = way < 4 ? frontier_open(way % 2 ? other : directory, way < 2 ? &plain : &reader, &second,
                                                       message)
                               : way == 4 ? frontier_check(other, NULL, hear, &(char[1024]){""}, &found, message)
                               : way == 5 ? frontier_repair(other, NULL, hear, &(char[1024]){""}, &repairs, message)
                               : way == 6 ? frontier_compact(other, &sizes, message)
                                          : frontier_merge(merge, 1, "/nowhere/new", &merged, message);
      if (status != FRONTIER_BUSY || !strstr(message, sentence))
        fail_msg("way %d: status %d: %s", way, (int)status, message);
    }
    assert_int_equal(frontier_open(NULL, &later, &second, message), FRONTIER_BUSY);
    pid_t child = fork();
    if (child == 0)
      _exit(frontier_open(directory, &plain, &second, message) != (is_reader ? FRONTIER_OK : FRONTIER_BUSY) ||
            (!is_reader && !strstr(message, "another process")));
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
  }
  frontier *f = open_or_fail(NULL, &later); /* read, and closed again */
  frontier_close(open_or_fail(directory, &plain));
  frontier_close(f);
  scratch_remove(root);
}

static uint64_t cpu_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A filter of a gigabyte costs no more than one of a page: its bits, which would take 300 us, are not looked at. And
 * what is carried on between two counts is right. */
CASE(totals_cost_the_same_at_any_size)
{
  enum { READS = 200, TRIALS = 9, MOST_NS = 50000 };
  frontier_options options = plain;
  options.expected_urls = 100000000;
  frontier *f = open_or_fail(NULL, &options);
  frontier_stats stats;
  frontier_verdict verdict;
  uint64_t best = UINT64_MAX;
  static url u;
  for (unsigned trial = 0; trial < TRIALS; trial++) {
    uint64_t before = cpu_ns();
    for (unsigned i = 0; i < READS; i++)
      assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
    uint64_t took = (cpu_ns() - before) / READS;
    best = took < best ? took : best;
    parse(trial, &u);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
    assert_int_equal(frontier_sync(f), FRONTIER_OK);
  }
  print_message("%llu ns a call\n", (unsigned long long)best);
  assert_true(best < MOST_NS);
  assert_true(stats.filter.design_keys >= 100000000);
  frontier_close(f);

  options.expected_urls = 20000;
  f = open_or_fail(NULL, &options);
  for (unsigned i = 0; i < 19000; i++) {
    parse(i, &u);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
    if (i % 250 != 249)
      continue;
    assert_int_equal(frontier_sync(f), FRONTIER_OK);
    assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
    assert_int_equal(stats.filter.keys, i + 1);
    assert_in_range((uint64_t)stats.filter.estimated_keys, (i + 1) * 95 / 100, (i + 1) * 105 / 100 + 10);
    assert_in_range((uint64_t)stats.filter.layer_distinct[0], 14, 18); /* 16 hosts */
  }
  frontier_close(f);
}

/* ---- threads -------------------------------------------------------------------------------------------- */

enum { FINDERS = 3, FETCHERS = 3, FOUND = 1500, SHIFT = 500, PAGES = FOUND + (FINDERS - 1) * SHIFT };

typedef struct crew {
  frontier *f;
  atomic_uint finder; /* the next number to be given */
  atomic_uint finders_left;
  atomic_uint fetched[PAGES + 1]; /* by lease id */
  atomic_bool failed;
} crew;

/* Finds pages that the other finders find too. */
static void *find(void *context)
{
  crew *c = context;
  unsigned first = SHIFT * atomic_fetch_add(&c->finder, 1);
  url *urls = malloc(4 * sizeof *urls);
  for (unsigned i = 0; urls && i < FOUND; i += 4) {
    frontier_link links[4];
    frontier_verdict verdicts[4];
    size_t settled;
    for (unsigned j = 0; j < 4; j++) {
      parse(first + i + j, &urls[j]);
      links[j] = (frontier_link){.target = &urls[j]};
    }
    if (frontier_add_batch(c->f, links, 4, i, verdicts, &settled) != FRONTIER_OK ||
        frontier_lookup(c->f, &urls[0], &verdicts[0]) != FRONTIER_OK || verdicts[0].outcome != FRONTIER_SEEN)
      atomic_store(&c->failed, true);
  }
  free(urls);
  atomic_fetch_sub(&c->finders_left, 1);
  return NULL;
}

static void *fetch(void *context)
{
  crew *c = context;
  frontier_lease leases[7];
  size_t count;
  int64_t wait_ms;
  for (uint64_t now_ms = 0; atomic_load(&c->finders_left) || !frontier_is_finished(c->f); now_ms++) {
    if (frontier_next(c->f, now_ms, leases, 7, &count, &wait_ms) != FRONTIER_OK)
      atomic_store(&c->failed, true);
    for (size_t i = 0; i < count; i++) {
      bool comes_back = leases[i].id % 10 == 0 && now_ms % 2;
      if (comes_back ? frontier_release(c->f, leases[i].id, now_ms) != FRONTIER_OK
                     : frontier_done(c->f, leases[i].id, FRONTIER_DONE, 200, "x", 1, now_ms) != FRONTIER_OK)
        atomic_store(&c->failed, true);
      if (!comes_back && leases[i].id <= PAGES)
        atomic_fetch_add(&c->fetched[leases[i].id], 1);
    }
    if (frontier_count(c->f, "rounds", 1) != FRONTIER_OK)
      atomic_store(&c->failed, true);
  }
  return NULL;
}

CASE(many_threads_share_a_handle)
{
  static crew c;
  char directory[SCRATCH_PATH];
  pthread_t threads[FINDERS + FETCHERS];
  frontier_stats stats;
  scratch_make_fast(directory);
  c.f = open_or_fail(directory, &plain);
  atomic_store(&c.finders_left, FINDERS);
  for (int i = 0; i < FINDERS + FETCHERS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, i < FINDERS ? find : fetch, &c), 0);
  for (int i = 0; i < FINDERS + FETCHERS; i++)
    pthread_join(threads[i], NULL);
  assert_false(atomic_load(&c.failed));
  for (unsigned id = 1; id <= PAGES; id++)
    assert_int_equal(atomic_load(&c.fetched[id]), 1);
  assert_int_equal(frontier_stats_read(c.f, &stats), FRONTIER_OK);
  assert_int_equal(stats.done, PAGES);
  assert_int_equal(stats.outcomes[FRONTIER_SEEN], FINDERS * FOUND - PAGES);
  assert_true(frontier_counter(c.f, "rounds") > 0);
  assert_int_equal(frontier_close(c.f), FRONTIER_OK);
  scratch_remove(directory);
}
