/* frontier_options: address space, time until a commit, time until a lease ends; and a thousand frontiers in one
 * process. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontier/host.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static const frontier_options plain = {
  .filter = MLBF_KIND_MLBF, .expected_urls = 1000, .rate = 1e-6, .per_host = 4, .depth_cap = UINT16_MAX};

static frontier *open_or_fail(const char *directory, const frontier_options *options)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  if (frontier_open(directory, options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

static void add(frontier *f, unsigned number, const void *payload, size_t payload_size, uint64_t now_ms)
{
  static url u;
  char text[64];
  frontier_verdict verdict;
  size_t settled;
  int size = snprintf(text, sizeof text, "http://h%u.test/%u", number % 100, number);
  assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, &u), URL_OK);
  frontier_link link = {.target = &u, .payload = payload, .payload_size = payload_size};
  if (frontier_add_batch(f, &link, 1, now_ms, &verdict, &settled) != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
}

CASE(what_makes_no_sense)
{
  static const uint64_t refused[] = {1, FRONTIER_MAP_MIN - 1, FRONTIER_MAP_MAX + 1, UINT64_MAX};
  char message[FRONTIER_MESSAGE_SIZE];
  frontier *f = NULL;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    frontier_options options = plain;
    options.map_size = refused[i];
    assert_int_equal(frontier_open(NULL, &options, &f, message), FRONTIER_BAD_ARGUMENT);
  }
  frontier_options widest = plain;
  widest.map_size = FRONTIER_MAP_MAX;
  widest.commit_after_ms = widest.lease_ms = UINT64_MAX;
  f = open_or_fail(NULL, &widest);
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  add(f, 1, NULL, 0, UINT64_MAX);
  assert_int_equal(frontier_next(f, UINT64_MAX, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 1);
  frontier_close(f);
}

/* ---- address space -------------------------------------------------------------------------------------- */

static bool count_one(void *context, const frontier_record *record)
{
  ++*(unsigned *)context;
  (void)record;
  return true;
}

/* The size that is mapped of the file, from /proc. */
static uint64_t mapped(const char *directory)
{
  char line[SCRATCH_PATH + 256], path[SCRATCH_PATH];
  uint64_t size = 0;
  unsigned long long from, to;
  FILE *maps = fopen("/proc/self/maps", "r");
  scratch_join(directory, "data.mdb", path);
  assert_non_null(maps);
  while (fgets(line, sizeof line, maps))
    if (strstr(line, path) && sscanf(line, "%llx-%llx", &from, &to) == 2)
      size += to - from;
  fclose(maps);
  return size;
}

/* In a process of its own: opened before the file grows, and asked again once it has. */
_Noreturn static void read_twice(const char *directory, const frontier_options *options, int say, int hear,
                                 unsigned expected)
{
  frontier_options reader = *options;
  char message[FRONTIER_MESSAGE_SIZE], byte;
  unsigned first = 0, then = 0;
  frontier *f = NULL;
  reader.read_only = true;
  bool is_fine = frontier_open(directory, &reader, &f, message) == FRONTIER_OK &&
                 frontier_each(f, count_one, &first) == FRONTIER_OK && write(say, "r", 1) == 1 &&
                 read(hear, &byte, 1) == 1 && frontier_each(f, count_one, &then) == FRONTIER_OK;
  _exit(!(is_fine && first == 1 && then == expected));
}

CASE(a_small_map_grows)
{
  enum { URLS = 3000, PAYLOAD = 40000 };
  static char payload[PAYLOAD];
  char directory[SCRATCH_PATH], path[SCRATCH_PATH], byte;
  struct stat file;
  int there[2], back[2], how;
  frontier_options options = plain;
  options.map_size = FRONTIER_MAP_MIN + 1; /* not whole pages */
  scratch_make_fast(directory);
  frontier *f = open_or_fail(directory, &options);
  add(f, 0, payload, 1, 0);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  uint64_t at_first = mapped(directory);
  assert_true(at_first >= FRONTIER_MAP_MIN && at_first <= 2 * FRONTIER_MAP_MIN);

  assert_int_equal(pipe(there), 0);
  assert_int_equal(pipe(back), 0);
  pid_t reader = fork();
  if (reader == 0)
    read_twice(directory, &options, back[1], there[0], URLS);
  assert_int_equal(read(back[0], &byte, 1), 1);
  for (unsigned i = 1; i < URLS; i++)
    add(f, i, payload, sizeof payload, 0);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  scratch_join(directory, "data.mdb", path);
  assert_int_equal(stat(path, &file), 0);
  assert_true((uint64_t)file.st_size > FRONTIER_MAP_MIN);
  assert_true(mapped(directory) >= (uint64_t)file.st_size && mapped(directory) < 16 * FRONTIER_MAP_MIN);
  assert_int_equal(write(there[1], "r", 1), 1);
  assert_int_equal(waitpid(reader, &how, 0), reader);
  assert_int_equal(how, 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  frontier_stats stats;
  f = open_or_fail(directory, &options); /* a file larger than the map that is asked for */
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, URLS);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}

/* ---- time ----------------------------------------------------------------------------------------------- */

static frontier_status note_commit(void *context, char message[FRONTIER_MESSAGE_SIZE])
{
  (void)message;
  ++*(unsigned *)context;
  return FRONTIER_OK;
}

CASE(a_commit_is_due_when_told)
{
  static const struct {
    uint64_t told_ms, due_ms;
  } rows[] = {{0, 100}, {1, 1}, {100, 100}, {5000, 5000}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char directory[SCRATCH_PATH];
    frontier_options options = plain;
    frontier_lease lease;
    size_t count;
    int64_t wait_ms;
    unsigned commits = 0;
    options.commit_after_ms = rows[i].told_ms;
    scratch_make_fast(directory);
    frontier *f = open_or_fail(directory, &options);
    assert_int_equal(frontier_next(f, 0, &lease, 1, &count, &wait_ms), FRONTIER_OK); /* reads an empty queue */
    frontier_before_commit(f, note_commit, &commits);
    add(f, 0, NULL, 0, 7000);
    assert_int_equal(frontier_next(f, 7000 + rows[i].due_ms - 1, &lease, 1, &count, &wait_ms), FRONTIER_OK);
    assert_int_equal(commits, 0);
    assert_int_equal(frontier_next(f, 7000 + rows[i].due_ms, &lease, 1, &count, &wait_ms), FRONTIER_OK);
    assert_int_equal(commits, 1);
    frontier_close(f);
    scratch_remove(directory);
  }
}

static size_t next(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t max, int64_t *wait_ms)
{
  size_t count;
  assert_int_equal(frontier_next(f, now_ms, leases, max, &count, wait_ms), FRONTIER_OK);
  return count;
}

CASE(a_commit_is_due_after_so_many_have_ended)
{
  enum { URLS = 6, TOLD = 3 };
  char directory[SCRATCH_PATH];
  frontier_options options = plain;
  frontier_lease leases[URLS];
  int64_t wait_ms;
  unsigned commits = 0;
  options.commit_after_ms = 1000000;
  options.commit_after_ended = TOLD;
  options.per_host = URLS;
  scratch_make_fast(directory);
  frontier *f = open_or_fail(directory, &options);
  for (unsigned i = 0; i < URLS; i++)
    add(f, i, NULL, 0, 7000);
  assert_int_equal(next(f, 7000, leases, URLS, &wait_ms), URLS);
  frontier_before_commit(f, note_commit, &commits);
  for (unsigned i = 0; i < URLS; i++) {
    assert_int_equal(commits, i / TOLD);
    assert_int_equal(frontier_done(f, leases[i].id, FRONTIER_DONE, 0, NULL, 0, 7000), FRONTIER_OK);
    frontier_lease more;
    next(f, 7000, &more, 1, &wait_ms);
  }
  assert_int_equal(commits, URLS / TOLD);
  frontier_close(f);
  scratch_remove(directory);
}

/* Two fetchers; one never comes back. Its URL goes to the other, in time, and is done once. */
CASE(a_lease_ends_by_itself)
{
  frontier_options options = plain;
  frontier_lease first[2], again[2];
  frontier_stats stats;
  int64_t wait_ms;
  options.lease_ms = 1000;
  frontier *f = open_or_fail(NULL, &options);
  add(f, 1, "ab", 2, 0);
  add(f, 2, NULL, 0, 0);
  assert_int_equal(next(f, 10, first, 2, &wait_ms), 2);
  assert_int_equal(next(f, 500, again, 2, &wait_ms), 0);
  assert_int_equal(wait_ms, 510); /* and not forever */
  assert_int_equal(frontier_done(f, first[1].id, FRONTIER_DONE, 200, NULL, 0, 600), FRONTIER_OK);
  assert_int_equal(next(f, 1009, again, 2, &wait_ms), 0);
  assert_int_equal(wait_ms, 1);
  assert_int_equal(frontier_done(f, first[0].id + 100, FRONTIER_DONE, 200, NULL, 0, 1009), FRONTIER_NOT_FOUND);
  uint64_t lost = first[0].id;
  add(f, 3, NULL, 0, 1010);
  assert_int_equal(next(f, 1010, again, 2, &wait_ms), 2);
  assert_true(again[0].id == lost || again[1].id == lost);
  assert_int_equal(again[again[1].id == lost].payload_size, 2);
  assert_int_equal(frontier_done(f, lost, FRONTIER_DONE, 200, NULL, 0, 1100), FRONTIER_OK);
  assert_int_equal(frontier_done(f, lost, FRONTIER_DONE, 200, NULL, 0, 1100), FRONTIER_NOT_FOUND);
  assert_int_equal(next(f, 2009, again, 2, &wait_ms), 0);

  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.in_flight, 1);
  assert_int_equal(stats.done, 2);
  frontier_host_control stop = {.is_blocked = true};
  assert_int_equal(frontier_host_set(f, "h3.test", &stop), FRONTIER_OK);
  assert_int_equal(next(f, 2010, again, 2, &wait_ms), 0); /* it ended, and waits */
  assert_int_equal(frontier_done(f, 3, FRONTIER_DONE, 200, NULL, 0, 2010), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.in_flight, 0);
  assert_int_equal(stats.queued, 1);
  frontier_close(f);
}

CASE(a_lease_without_an_end_stays)
{
  frontier_lease lease;
  int64_t wait_ms;
  frontier *f = open_or_fail(NULL, &plain);
  add(f, 1, NULL, 0, 0);
  assert_int_equal(next(f, 0, &lease, 1, &wait_ms), 1);
  assert_int_equal(next(f, (uint64_t)1 << 50, &lease, 1, &wait_ms), 0);
  assert_int_equal(wait_ms, FRONTIER_WAIT_FOREVER);
  assert_int_equal(frontier_done(f, 1, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
  frontier_close(f);
}

/* ---- a thousand ----------------------------------------------------------------------------------------- */

static unsigned descriptors(void)
{
  unsigned count = 0;
  DIR *all = opendir("/proc/self/fd");
  assert_non_null(all);
  while (readdir(all))
    count++;
  closedir(all);
  return count;
}

enum { FRONTIERS = 1000, DESCRIPTORS = 4 }; /* the latter as in frontier.h */

CASE(a_thousand_in_one_process)
{
  static frontier *all[FRONTIERS];
  char root[SCRATCH_PATH], directory[SCRATCH_PATH], name[32];
  struct rlimit limit;
  frontier_options options = plain;
  options.map_size = FRONTIER_MAP_MIN;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
  scratch_make_fast(root);
  unsigned before = descriptors();
  for (int round = 0; round < 2; round++) {
    for (unsigned i = 0; i < FRONTIERS; i++) {
      snprintf(name, sizeof name, "crawl-%u", i);
      scratch_join(root, name, directory);
      all[i] = open_or_fail(directory, &options);
    }
    for (unsigned i = 0; i < FRONTIERS; i++) {
      frontier_lease leases[4];
      int64_t wait_ms;
      add(all[i], 1000 * i + (unsigned)round, NULL, 0, 0);
      add(all[i], 1000 * i + 10 + (unsigned)round, NULL, 0, 0);
      assert_int_equal(next(all[i], 0, leases, 1, &wait_ms), 1);
      assert_int_equal(frontier_done(all[i], leases[0].id, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
      assert_int_equal(frontier_sync(all[i]), FRONTIER_OK);
    }
    unsigned each = (descriptors() - before) * 10 / FRONTIERS;
    print_message("%u.%u file descriptors each\n", each / 10, each % 10);
    assert_int_equal(descriptors() - before, DESCRIPTORS * FRONTIERS);
    for (unsigned i = 0; i < FRONTIERS; i++) {
      frontier_stats stats;
      assert_int_equal(frontier_stats_read(all[i], &stats), FRONTIER_OK);
      assert_int_equal(stats.done, 1 + round);
      assert_int_equal(stats.queued, 1 + round);
      assert_int_equal(frontier_close(all[i]), FRONTIER_OK);
    }
    assert_int_equal(descriptors(), before);
  }
  scratch_remove(root);
}
