/* However a crawl is ended (Ctrl-C, SIGTERM, --max-seconds), it ends within a second, from the entry of main on,
 * whatever it is waiting for or busy with. */
#include "tests/site/random.h"
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUSY_MS = 1500, STOPPED = 3 };

static small served;
static bool is_silent;
static raw_answer *slow; /* NULL: links without end */

/* Pages of links that are never the same, as fast as they are taken. */
static void send_links(int fd, unsigned long seed)
{
  text page = {0};
  uint64_t random = seed;
  raw_send_string(fd, SMALL_HTML);
  for (;; text_clear(&page)) {
    while (page.size < 60000)
      text_addf(&page, "<p>word%u <a href=/page/%u>more</a>", (unsigned)random_below(&random, 100000),
                (unsigned)random_below(&random, UINT32_MAX));
    raw_send(fd, page.bytes, page.size);
  }
}

static void answer(int fd, const char *target)
{
  if (is_silent)
    pause();
  if (slow) {
    slow(fd, target);
    return;
  }
  (void)!nice(19); /* what is measured is the crawl, not how it shares two cores with 64 servers */
  send_links(fd, strtoul(target + strcspn(target, "0123456789"), NULL, 10));
}

static int serve(void **state)
{
  (void)state;
  served = small_open_with(answer);
  return 0;
}

static int serve_silence(void **state)
{
  is_silent = true;
  return serve(state);
}

static int clean_up(void **state)
{
  (void)state;
  is_silent = false;
  slow = NULL;
  small_close(&served);
  return 0;
}

#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "--per-host", "64", "--per-address", "0"

/* Seconds until it has ended, from now on, but for those in which others had the cores. Whatever it waits for, it has
 * little left to do. */
static double wait_for_end(pid_t pid, double began, int *code)
{
  siginfo_t ended;
  process_turns before = process_turns_of(pid);
  assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
  double seconds = process_clock() - began;
  process_turns after = process_turns_of(pid);
  *code = trial_collect(served.trial, pid);
  if (after.ran - before.ran >= 1)
    print_error("it was busy for %.2f s\n%s\n", after.ran - before.ran, served.trial->err.bytes);
  assert_true(after.ran - before.ran < 1);
  return seconds - (after.waited - before.waited);
}

/* Seconds from the signal to the end. */
static double stop(pid_t pid, int signal_number, double after, int *code)
{
  process_sleep(after);
  double began = process_clock();
  kill(pid, signal_number);
  return wait_for_end(pid, began, code);
}

/* A commit that is under way is waited for, and announced. */
static void assert_soon(double seconds, int code, int wanted)
{
  const char *said = served.trial->err.bytes;
  double most = said && strstr(said, "a commit is under way") ? 20 : 1;
  if (seconds >= most || code != wanted)
    print_error("%.2f s, code %d (signal %d): %s\n", seconds, code, served.trial->end.signal, served.trial->err.bytes);
  assert_true(seconds < most);
  assert_int_equal(code, wanted);
}

static void stop_by_each(const char *const words[])
{
  static const int signals[] = {SIGINT, SIGTERM};
  for (size_t i = 0; i < 2; i++) {
    int code;
    double seconds = stop(trial_strata_start(served.trial, words), signals[i], BUSY_MS / 1000.0, &code);
    print_message("%s: %.2f s\n", strsignal(signals[i]), seconds);
    assert_soon(seconds, code, STOPPED);
  }
}

static void end_by_time(const char *const words[], int wanted)
{
  int code;
  double ends = process_clock() + BUSY_MS / 1000.0;
  pid_t pid = trial_strata_start(served.trial, words);
  process_sleep(BUSY_MS / 1000.0);
  double waited = process_turns_of(pid).waited; /* it began later */
  double seconds = wait_for_end(pid, ends, &code), late = process_clock() - ends;
  print_message("--max-seconds: %.2f s, by the clock %.2f s\n", seconds, late);
  assert_true(late > -0.1);
  assert_soon(seconds - waited, code, wanted);
}

CASE(while_no_server_answers)
{
  stop_by_each((const char *const[]){CRAWL, "URL", NULL});
  end_by_time((const char *const[]){CRAWL, "--max-seconds", "1.5", "URL", NULL}, 0);
}

CASE(in_a_tls_handshake)
{
  char start[64];
  snprintf(start, sizeof start, "https://127.0.0.1:%u/", small_port);
  stop_by_each((const char *const[]){CRAWL, start, NULL});
  end_by_time((const char *const[]){CRAWL, "--max-seconds", "1.5", start, NULL}, 0);
}

CASE_WITH(amid_pages_without_end, serve, clean_up)
{
  stop_by_each((const char *const[]){CRAWL, "--ignore-robots", "--max-body", "20000000", "URL", NULL});
  end_by_time((const char *const[]){CRAWL, "--ignore-robots", "--max-body", "20000000", "--max-seconds", "1.5", "URL",
                                    NULL},
              0);
}

/* On one core, libcurl runs on the thread that crawls. */
CASE_WITH(amid_pages_without_end_on_one_core, serve, clean_up)
{
  stop_by_each((const char *const[]){"crawl", "--no-store", "--delay", "0", "--allow-private", "--per-host", "64",
                                     "--per-address", "0", "--ignore-robots", "--max-body", "20000000", "URL", NULL});
}

/* Until it catches SIGINT: as soon as main is entered. */
static void wait_for_main(pid_t pid)
{
  char path[64];
  unsigned long long caught = 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  while (!(caught >> (SIGINT - 1) & 1) && !process_has_ended(pid)) {
    text status = {0};
    const char *at = text_add_file(&status, path) ? strstr(status.bytes, "SigCgt:") : NULL;
    if (at)
      caught = strtoull(at + strlen("SigCgt:"), NULL, 16);
    text_free(&status);
  }
}

/* At any moment of its first 60 ms. */
CASE(while_it_begins)
{
  for (unsigned ms = 0; ms < 60; ms += 3) {
    int code;
    pid_t pid = trial_strata_start(served.trial, (const char *const[]){CRAWL, "URL", NULL});
    wait_for_main(pid);
    double seconds = stop(pid, SIGINT, ms / 1000.0, &code);
    assert_soon(seconds, code, STOPPED);
  }
}

/* Start URLs that do not come. */
CASE(while_it_waits_for_its_start_urls)
{
  int ends[2];
  char in[64];
  assert_int_equal(pipe(ends), 0);
  snprintf(in, sizeof in, "/proc/%d/fd/%d", (int)getpid(), ends[0]);
  assert_true(write(ends[1], "http://127.0.0.1:1/\n", 20) == 20);
  stop_by_each((const char *const[]){CRAWL, "--seeds", in, NULL});
  end_by_time((const char *const[]){CRAWL, "--max-seconds", "1.5", "--seeds", in, NULL}, 0);
  close(ends[0]);
  close(ends[1]);
}

/* More of them than a second has room for. */
CASE(amid_its_start_urls)
{
  char *seeds = trial_path(served.trial, "seeds");
  FILE *file = fopen(seeds, "w");
  for (unsigned i = 0; i < 3000000; i++)
    fprintf(file, "http://host%u.example/%u\n", i % 10007, i);
  fclose(file);
  stop_by_each((const char *const[]){CRAWL, "--scope", "any", "--seeds", seeds, NULL});
  end_by_time((const char *const[]){CRAWL, "--scope", "any", "--max-seconds", "1.5", "--seeds", seeds, NULL}, 0);
  free(seeds);
}

/* Links that take long to judge, each of them, by an expression of the user's. */
static void answer_with_slow_links(int fd, const char *target)
{
  enum { LINKS = 3000, SIZE = 1000 };
  char href[SIZE + 1];
  text page = {0};
  (void)target;
  memset(href, 'x', SIZE);
  href[SIZE] = '\0';
  text_add(&page, SMALL_HTML);
  for (unsigned i = 0; i < LINKS; i++)
    text_addf(&page, "<a href=/%u/%s>x</a>", i, href);
  raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static int serve_slow_links(void **state)
{
  slow = answer_with_slow_links;
  return serve(state);
}

#define SLOW_CRAWL CRAWL, "--ignore-robots", "--exclude", "x{1,100}x{1,100}[yz]"

CASE_WITH(amid_the_links_of_a_page, serve_slow_links, clean_up)
{
  stop_by_each((const char *const[]){SLOW_CRAWL, "URL", NULL});
  end_by_time((const char *const[]){SLOW_CRAWL, "--max-seconds", "1.5", "URL", NULL}, 0);
}

/* Rules that nearly match everywhere, of many hosts; all of them have many links, which are all to be matched. */
static void answer_with_slow_rules(int fd, const char *target)
{
  enum { HOSTS = 64, LINKS = 60, SIZE = 1000 };
  char href[SIZE + 1];
  text page = {0};
  memset(href, 'a', SIZE);
  href[SIZE] = '\0';
  if (strcmp(target, "/robots.txt") == 0 && !strstr(raw_head(), "Host: start.")) {
    text_add(&page, SMALL_HEAD "text/plain\r\n\r\nUser-agent: *\n");
    while (page.size < 500000)
      text_add(&page, "Disallow: *baaaaaaa\n");
  } else {
    text_add(&page, SMALL_HTML);
    for (unsigned i = 0; i < HOSTS * LINKS; i++)
      text_addf(&page, "<a href=http://h%u.localhost:%u/%u/%s>x</a>", i % HOSTS, small_port, i, href);
  }
  raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static int serve_slow_rules(void **state)
{
  slow = answer_with_slow_rules;
  return serve(state);
}

CASE_WITH(amid_rules_that_take_long_to_match, serve_slow_rules, clean_up)
{
  char start[64];
  (void)state;
  snprintf(start, sizeof start, "http://start.localhost:%u/", small_port);
  stop_by_each((const char *const[]){CRAWL, "--scope", "any", start, NULL});
  end_by_time((const char *const[]){CRAWL, "--scope", "any", "--max-seconds", "1.5", start, NULL}, 0);
}

#ifdef SLOW_SYNC
static void wait_until_said(const char *words, pid_t pid)
{
  char *path = trial_path(served.trial, "strata.err");
  bool is_said = false;
  while (!is_said && !process_has_ended(pid)) {
    text said = {0};
    is_said = text_add_file(&said, path) && said.size && strstr(said.bytes, words);
    text_free(&said);
    process_sleep(0.01);
  }
  free(path);
}

static const char *const busy[] = {CRAWL, "--ignore-robots", "--max-body", "100000", "URL", NULL};

/* Its directory is there before. */
static int prepare_slow_disk(void **state)
{
  int failed = serve(state), code;
  pid_t pid = trial_strata_start(served.trial, busy);
  wait_until_said("Crawling into", pid);
  stop(pid, SIGINT, 1, &code);
  setenv("SLOW_SYNC_MS", "800", 1);
  return failed;
}

/* A commit that takes seconds is said to be under way. A second Ctrl-C does not wait for it. */
CASE_WITH(a_commit_is_announced_and_waited_for, prepare_slow_disk, clean_up)
{
  unsigned attempts = 0;
  for (unsigned signals = 1; signals <= 2; signals++) {
    int code;
    char *err = trial_path(served.trial, "strata.err");
    unlink(err);
    free(err);
    setenv("LD_PRELOAD", SLOW_SYNC, 1);
    pid_t pid = trial_strata_start(served.trial, busy);
    unsetenv("LD_PRELOAD");
    wait_until_said("with the crawl in", pid);
    process_sleep(1);
    double began = process_clock(), waited = process_turns_of(pid).waited;
    kill(pid, SIGINT);
    wait_until_said("a commit is under way, and waited for", pid);
    double said = process_clock(), announced = said - began - (process_turns_of(pid).waited - waited);
    if (signals == 2)
      kill(pid, SIGINT);
    double after = wait_for_end(pid, said, &code), seconds = process_clock() - began;
    if (strstr(served.trial->err.bytes, "ended amid a page") && attempts++ < 5) { /* it came to no commit */
      signals--;
      continue;
    }
    print_message("announced after %.2f s, ended after %.2f\n", announced, seconds);
    assert_true(announced < 1.5 && (signals == 1 ? seconds > 1.5 : after < 1));
    assert_int_equal(code, STOPPED);
    assert_non_null(strstr(served.trial->err.bytes, "a commit is under way, and waited for"));
  }
}
#endif

EACH_CASE(serve_silence, clean_up)
