/* frontier_snapshot: what the last commit held, whole, while the writer goes on; it opens elsewhere and crawls to the
 * end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/small_crawl.h"
#include "tests/support/test.h"

enum { URLS = 3000 };

static char root[SCRATCH_PATH], directory[SCRATCH_PATH], journal[SCRATCH_PATH];
static char copy[SCRATCH_PATH], copy_journal[SCRATCH_PATH];

static small_crawl crawl_in(const char *where, const char *lines, unsigned fetched)
{
  return (small_crawl){.directory = where, .journal = lines, .seed = 4, .urls = URLS, .fetched = fetched};
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "crawl", directory);
  scratch_join(root, "journal", journal);
  scratch_join(root, "copy", copy);
  scratch_join(root, "copy-journal", copy_journal);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static void take_with(frontier *f, const char *lines, frontier_status expected)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_status status = frontier_snapshot(f, copy, lines, message);
  if (status != expected)
    fail_msg("status %d: %s", (int)status, message);
  assert_true(status == FRONTIER_OK || strlen(message) > 10);
}

static void take(frontier *f, frontier_status expected)
{
  take_with(f, copy_journal, expected);
}

static void print_fault(void *context, const char *sentence)
{
  (void)context;
  print_message("%s\n", sentence);
}

static frontier_findings assert_sound(const char *where, const char *lines)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_findings found;
  if (frontier_check(where, lines, print_fault, NULL, &found, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_int_equal(found.faults, 0);
  return found;
}

static bool is_there(const char *path)
{
  return access(path, F_OK) == 0;
}

/* By its own handle, between two pages. */
CASE(the_writer_goes_on)
{
  frontier_stats then, now;
  small_crawl c = crawl_in(directory, journal, 900);
  frontier *f = small_crawl_open(&c);
  small_crawl_run(&c, f);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  assert_int_equal(frontier_stats_read(f, &then), FRONTIER_OK);
  take(f, FRONTIER_OK);
  take(f, FRONTIER_BAD_ARGUMENT); /* it is there already */
  small_crawl_run(&c, f);
  frontier_findings before = assert_sound(copy, copy_journal);
  assert_int_equal(before.urls, then.queued + then.in_flight + then.done + then.failed + then.skipped);

  small_crawl_run(&c, f);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  frontier_findings after = assert_sound(copy, copy_journal); /* nothing reached it */
  assert_int_equal(after.urls, before.urls);
  assert_int_equal(after.lines, before.lines);

  c = crawl_in(copy, copy_journal, 10 * URLS);
  f = small_crawl_open(&c);
  assert_int_equal(frontier_stats_read(f, &now), FRONTIER_OK);
  assert_int_equal(now.done, then.done);
  small_crawl_run(&c, f);
  assert_true(frontier_is_finished(f));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_sound(copy, copy_journal);
  assert_sound(directory, journal);
}

/* By a reader's handle, again and again, while another process crawls and commits. */
CASE(a_reader_takes_it_hot)
{
  enum { TAKEN = 12 };
  small_crawl c = crawl_in(directory, journal, 200);
  small_crawl_make(&c);
  pid_t writer = fork();
  if (writer == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nothing behind */
    c.fetched = 20;
    frontier *f = small_crawl_open(&c);
    while (!frontier_is_finished(f)) {
      small_crawl_run(&c, f);
      frontier_sync(f);
      usleep(500);
    }
    for (;;)
      pause();
  }
  uint64_t urls = 0, grew = 0;
  for (int i = 0; i < TAKEN; i++) {
    char message[FRONTIER_MESSAGE_SIZE] = "";
    frontier_options options = small_crawl_options(&c);
    frontier *f = NULL;
    options.read_only = true;
    if (frontier_open(directory, &options, &f, message) != FRONTIER_OK)
      fail_msg("%s", message);
    take(f, FRONTIER_OK);
    frontier_close(f);
    frontier_findings found = assert_sound(copy, copy_journal);
    grew += found.urls > urls;
    urls = found.urls;
    scratch_remove(copy);
    usleep(10000);
  }
  kill(writer, SIGKILL);
  waitpid(writer, NULL, 0);
  print_message("%llu of %d snapshots held more than the one before\n", (unsigned long long)grew, TAKEN);
  assert_true(grew > 1);
}

/* Killed at any time: there is nothing under its name, or all of it; and the next one works. */
CASE(killed_it_is_not_there)
{
  small_crawl c = crawl_in(directory, NULL, 900);
  unsigned finished = 0;
  small_crawl_make(&c);
  for (unsigned i = 0; i < 25; i++) {
    pid_t child = fork();
    if (child == 0) {
      char message[FRONTIER_MESSAGE_SIZE];
      frontier *f = small_crawl_open(&c);
      _exit(frontier_snapshot(f, copy, NULL, message) != FRONTIER_OK);
    }
    usleep(400 * i);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (is_there(copy)) {
      finished++;
      assert_sound(copy, NULL);
      scratch_remove(copy);
    }
  }
  print_message("%u of 25 were ready in time\n", finished);
  frontier *f = small_crawl_open(&c);
  take_with(f, NULL, FRONTIER_OK);
  frontier_close(f);
  assert_sound(copy, NULL);
  char partial[SCRATCH_PATH];
  scratch_join(root, "copy.partial", partial);
  assert_false(is_there(partial));
}

CASE(what_cannot_be_copied)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  small_crawl c = crawl_in(NULL, NULL, 0);
  frontier *f = small_crawl_open(&c);
  assert_int_equal(frontier_snapshot(f, copy, NULL, message), FRONTIER_BAD_ARGUMENT);
  frontier_close(f);
  c.directory = directory;
  f = small_crawl_open(&c);
  assert_int_equal(frontier_snapshot(f, "/nowhere/copy", NULL, message), FRONTIER_IO);
  assert_non_null(strstr(message, "/nowhere/copy"));
  frontier_close(f);
}

/* Without it, or without some of it, there is no copy, and the sentence names it. A journal that its user moved away
 * before this run begins again, in the copy too. */
CASE(a_journal_is_copied_whole_or_not_at_all)
{
  char message[FRONTIER_MESSAGE_SIZE] = "", moved[SCRATCH_PATH];
  small_crawl c = crawl_in(directory, journal, 300);
  scratch_join(root, "moved", moved);
  small_crawl_make(&c);
  frontier *f = small_crawl_open(&c);
  assert_int_equal(rename(journal, moved), 0);
  assert_int_equal(frontier_snapshot(f, copy, copy_journal, message), FRONTIER_NOT_FOUND);
  assert_non_null(strstr(message, journal));
  size_t size;
  char *lines = scratch_read(moved, &size);
  scratch_write(journal, lines, size - 1);
  free(lines);
  assert_int_equal(frontier_snapshot(f, copy, copy_journal, message), FRONTIER_DAMAGED);
  assert_non_null(strstr(message, "1 bytes are missing"));
  assert_false(is_there(copy) || is_there(copy_journal));
  take_with(f, NULL, FRONTIER_OK);
  frontier_close(f);
  scratch_remove(copy);

  assert_int_equal(unlink(journal), 0);
  f = small_crawl_open(&c);
  take(f, FRONTIER_OK);
  frontier_close(f);
  c = crawl_in(copy, copy_journal, 100);
  small_crawl_make(&c);
  scratch_remove(copy);

  c = crawl_in(directory, NULL, 0);
  f = small_crawl_open(&c);
  assert_int_equal(frontier_snapshot(f, copy, copy_journal, message), FRONTIER_BAD_ARGUMENT);
  assert_non_null(strstr(message, "no journal"));
  frontier_close(f);
}

/* The caller's strings are its own again after frontier_open. */
CASE(the_strings_of_the_options_are_copied)
{
  char earlier[SCRATCH_PATH], lines[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE] = "";
  scratch_join(root, "earlier", earlier);
  snprintf(lines, sizeof lines, "%s", journal);
  small_crawl c = crawl_in(earlier, NULL, 50);
  small_crawl_make(&c);
  c = crawl_in(directory, lines, 50);
  frontier_options options = small_crawl_options(&c);
  options.previous_path = earlier;
  frontier *f = NULL;
  if (frontier_open(directory, &options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  memset(lines, 'x', sizeof lines - 1);
  memset(earlier, 'x', sizeof earlier - 1);
  small_crawl_run(&c, f);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  take(f, FRONTIER_OK);
  frontier_close(f);
  assert_sound(copy, copy_journal);
}

EACH_CASE(begin, end)
