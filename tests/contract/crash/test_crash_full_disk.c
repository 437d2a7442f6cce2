/* The disk is full in the middle of a crawl: it pauses, says so, and goes on when there is room again, with nothing
 * lost, nothing asked for twice, and its files in step. Or there never is, and Ctrl-C comes: then the next run goes on.
 * On a real file system, small and then large (tmpfs, mounted for this test and its children alone). */
#include "tests/contract/crash/promises.h"
#include "tests/contract/crash/said.h"
#include "tests/site/archive.h"
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sched.h>
#include <unistd.h>

/* --tries 1: a status 500 is not to be taken for a page that came twice */
#define CRAWL \
  "crawl", "--dir", "DIR", "--delay", "0", "--per-host", "4", "--tries", "1", "--allow-private", "--expect", "1000"

/* Opening takes some 100 KiB, a site of 400 pages 600, and its WARC as much again. */
#define SMALL "size=200k"
#define LARGE "size=64m"

static trial *served;
static promises noted;
static small many;

static void mount_disk(const trial *t)
{
  static int is_permitted = -1;
  if (is_permitted < 0)
    is_permitted = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
  if (!is_permitted) {
    print_message("skipped: mounting is not permitted here\n");
    skip();
  }
  assert_int_equal(mkdir(t->crawl, 0755), 0);
  assert_int_equal(mount("tmpfs", t->crawl, "tmpfs", 0, SMALL), 0);
}

static void make_room(const trial *t)
{
  assert_int_equal(mount("tmpfs", t->crawl, "tmpfs", MS_REMOUNT, LARGE), 0);
}

static int serve(void **state)
{
  (void)state;
  served = trial_open(&(trial_options){.seed = 61, .entries = 400, .jitter_ms = 4});
  noted = promises_open(served);
  return 0;
}

static int stop(void **state)
{
  (void)state;
  promises_free(&noted);
  umount2(served->crawl, MNT_DETACH);
  trial_close(served);
  return 0;
}

static size_t times_said(const trial *t, const char *what)
{
  char *path = trial_path(t, "strata.err");
  text said = {0};
  size_t times = 0;
  if (text_add_file(&said, path))
    for (const char *at = said.bytes; (at = strstr(at, what)); at++)
      times++;
  text_free(&said);
  free(path);
  return times;
}

/* A crawl that has come to its pause. */
static pid_t start_and_fill(trial *t, const char *const words[])
{
  pid_t pid = trial_strata_start(t, words);
  double end = process_clock() + PROCESS_SECONDS_MAX;
  while (!times_said(t, "paused: ") && !process_has_ended(pid) && process_clock() < end)
    process_sleep(0.01);
  assert_int_equal(times_said(t, "paused: "), 1);
  assert_false(process_has_ended(pid));
  return pid;
}

/* All that is kept is there, once. `rules`: for what was asked for. */
static void assert_complete(const judge_rules *rules)
{
  request_log log = requests_read(served->log);
  verdict seen = judge_requests(&log, served->made, rules);
  requests_free(&log);
  assert_int_equal(seen.missed + seen.forbidden + seen.unknown, 0);
  assert_true(rules->may_repeat || seen.again == 0);
  page_log pages = pages_read(served->pages);
  verdict reported = judge_pages(&pages, served->made, &judge_everything);
  assert_int_equal(pages.bad, 0);
  pages_free(&pages);
  assert_int_equal(reported.missed + reported.again + reported.unknown, 0);
}

static void assert_archived(void)
{
  archive_verdict v = archive_judge(served);
  assert_true(v.captures > 300);
  assert_int_equal(v.bad + v.missed + v.again + v.strangers, 0);
}

/* While it pauses hardly more is asked for than was on the way. */
static void goes_on(const char *warc)
{
  enum { ON_THE_WAY = 8 };
  const char *const words[] = {CRAWL, "URL", warc, NULL};
  mount_disk(served);
  pid_t pid = start_and_fill(served, words);
  size_t before = trial_requests(served);
  process_sleep(0.5);
  size_t meanwhile = trial_requests(served) - before;
  assert_in_range(before, 5, 380);
  assert_in_range(meanwhile, 0, ON_THE_WAY);
  make_room(served);
  int code = trial_collect(served, pid);
  if (code || times_said(served, "paused: ") != 1 || times_said(served, "Going on: ") != 1)
    fail_msg("ended with %d:\n%s", code, served->err.bytes);
  assert_complete(&judge_everything);
}

CASE(what_pages_say_waits_too)
{
  unsigned pages;
  (void)state;
  goes_on(NULL);
  assert_int_equal(said_missing(served, &pages), 0);
  assert_true(pages > 100);
}

CASE(it_goes_on_by_itself)
{
  goes_on("--no-similar");
}

CASE(with_its_warc)
{
  goes_on("--warc");
  assert_archived();
}

static void stops_when_asked(const char *warc)
{
  const char *const words[] = {CRAWL, "URL", warc, NULL};
  mount_disk(served);
  pid_t pid = start_and_fill(served, words);
  kill(pid, SIGINT);
  int code = trial_collect(served, pid);
  if (code != 3 || !times_said(served, "No space left on device; what came after the last commit"))
    fail_msg("ended with %d:\n%s", code, served->err.bytes);
  promises_note(&noted);
  make_room(served);
  assert_int_equal(trial_strata(served, words), 0);
  promises_note(&noted);
  assert_complete(&judge_after_a_crash);
  assert_int_equal(promises_count_broken(&noted), 0);
}

CASE(it_stops_when_asked)
{
  stops_when_asked(NULL);
}

CASE(it_stops_with_its_warc)
{
  stops_when_asked("--warc");
  assert_archived();
}

/* A time that is over is over, but what it left behind is not called done. */
CASE(time_runs_out_in_a_pause)
{
  mount_disk(served);
  assert_int_equal(trial_strata(served, (const char *const[]){CRAWL, "--max-seconds", "2", "URL", NULL}), 1);
  assert_int_equal(times_said(served, "paused: "), 1);
  promises_note(&noted);
  make_room(served);
  assert_int_equal(trial_strata(served, (const char *const[]){CRAWL, NULL}), 0);
  promises_note(&noted);
  assert_complete(&judge_after_a_crash);
  assert_int_equal(promises_count_broken(&noted), 0);
}

/* ---- a page with more links than the memory for what is not written yet has room for ------------------------ */

enum { LINKS = 70000 };
static struct {
  atomic_int asked, cut;
} * slow; /* shared with the server */

static void answer_many(int fd, const char *target)
{
  text page = {0};
  char byte;
  if (strcmp(target, "/slow") == 0 && atomic_fetch_add(&slow->asked, 1) == 0) { /* the first time, in vain */
    while (recv(fd, &byte, 1, 0) > 0) {}
    atomic_store(&slow->cut, 1);
    return;
  }
  bool is_robots = strcmp(target, "/robots.txt") == 0;
  text_add(&page, is_robots ? "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n" : SMALL_HTML);
  for (unsigned i = 0; i < LINKS && !is_robots; i++)
    text_addf(&page, "<a href=/%u>\n", i);
  raw_send(fd, page.bytes, page.size);
}

static int serve_many(void **state)
{
  (void)state;
  slow = mmap(NULL, sizeof *slow, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(slow != MAP_FAILED);
  many = small_open_with(answer_many);
  return 0;
}

static int stop_many(void **state)
{
  (void)state;
  umount2(many.trial->crawl, MNT_DETACH);
  small_close(&many);
  munmap(slow, sizeof *slow);
  return 0;
}

#define ONE_PAGE CRAWL, "--max-pages", "1", "URL", NULL

/* The page and all of its links are known, once. */
static void assert_all_links_are_known(void)
{
  assert_int_equal(small_strata(&many, (const char *const[]){"export", "DIR", "--state", "queued", NULL}, 0), 0);
  size_t lines = 0;
  for (const char *at = many.trial->out.bytes; (at = strchr(at, '\n')); at++)
    lines++;
  assert_int_equal(lines, LINKS);
  text fetched = small_fetched(&many);
  assert_string_equal(fetched.bytes, "/ ");
  text_free(&fetched);
}

CASE_WITH(in_the_middle_of_a_page, serve_many, stop_many)
{
  mount_disk(many.trial);
  pid_t pid = start_and_fill(many.trial, (const char *const[]){ONE_PAGE});
  make_room(many.trial);
  assert_int_equal(trial_collect(many.trial, pid), 0);
  assert_all_links_are_known();
}

CASE_WITH(stopped_in_the_middle_of_a_page, serve_many, stop_many)
{
  mount_disk(many.trial);
  pid_t pid = start_and_fill(many.trial, (const char *const[]){ONE_PAGE});
  kill(pid, SIGTERM);
  assert_int_equal(trial_collect(many.trial, pid), 3);
  make_room(many.trial);
  assert_int_equal(small_strata(&many, (const char *const[]){ONE_PAGE}, 0), 0);
  assert_all_links_are_known();
}

/* A fetch that waits with the page is no worse for it. It may take so long that the pause has begun when its time is
 * over, also on a busy machine. */
CASE_WITH(the_others_stand_still, serve_many, stop_many)
{
  text address = {0};
  text_addf(&address, "%sslow", many.trial->url);
  mount_disk(many.trial);
  pid_t pid = start_and_fill(many.trial, (const char *const[]){CRAWL, "--timeout", "10", "--max-pages", "2",
                                                               address.bytes, "URL", NULL});
  assert_int_equal(atomic_load(&slow->asked), 1);
  assert_int_equal(atomic_load(&slow->cut), 0);
  while (!atomic_load(&slow->cut) && !process_has_ended(pid))
    process_sleep(0.01);
  make_room(many.trial);
  assert_int_equal(trial_collect(many.trial, pid), 0);
  assert_int_equal(atomic_load(&slow->asked), 2);
  text fetched = small_fetched(&many);
  assert_string_equal(fetched.bytes, "/ /slow ");
  text_free(&fetched);
  text_free(&address);
}

EACH_CASE(serve, stop)
