/* See crawl_ending.h. A stop is a flag that the crawl looks at between two pieces of work, none of which is long. That
 * it ends in time is still not left to that: when LATE_MS have passed after a signal or the time limit, a timer looks
 * where the crawl is. If it reads a page, of which nothing is kept yet, the program ends there; what was in flight is
 * fetched again when the crawl goes on. Else it is committing, or has start URLs to commit, which is waited for and
 * said.
 *
 * All but the functions of the header run in signal handlers, on the thread that crawls or one of the frontier's:
 * write(2), _exit(2) and the timer are all that is called. */
#include "crawler/commands/crawl_ending.h"

#include "crawler/base/message.h"
#include "crawler/commands/cmd.h"
#include "frontier/base/machine.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { LATE_MS = 700 };

static crawl *volatile adding, *volatile running; /* one of them, if there is a crawl */
static volatile sig_atomic_t is_added, is_closing, signals, has_told;
static const char *name; /* of the command */

static void say(const char *sentence)
{
  (void)!write(STDERR_FILENO, "strata ", strlen("strata "));
  (void)!write(STDERR_FILENO, name, strlen(name));
  (void)!write(STDERR_FILENO, sentence, strlen(sentence));
}

static void end_now(const char *sentence)
{
  if (*sentence)
    say(sentence);
  _exit(signals ? EXIT_STOPPED : EXIT_DONE); /* the time limit is a cap as others are */
}

#define TOO_EARLY ": ended before it began; the same command begins again\n"
#define QUEUED ": ended before the first fetch; the start URLs are queued, and the same command goes on\n"
#define TOO_LATE ": ended amid a page; the same command goes on from the last commit\n"
#define COMMITTING ": a commit is under way, and waited for; Ctrl-C again ends it at once, and safely\n"

/* Once: stop cleanly. Twice: at once. */
static void on_signal(int number)
{
  int before = errno;
  (void)number;
  if (signals++)
    end_now("");
  if (!running && !adding && !is_closing)
    end_now(TOO_EARLY);
  if (running || adding)
    crawl_stop(running ? running : adding);
  machine_alarm(LATE_MS);
  errno = before;
}

static void on_time(int number)
{
  int before = errno;
  (void)number;
  if (!is_closing && !running && (!adding || is_added))
    end_now(adding ? QUEUED : TOO_EARLY);
  if (running && crawl_is_reading(running))
    end_now(TOO_LATE);
  if (!has_told)
    say(COMMITTING);
  has_told = 1;
  machine_alarm(LATE_MS / 4);
  errno = before;
}

static void handle(int number, void (*by)(int), int flags)
{
  struct sigaction action = {.sa_handler = by, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void ending_begin(void)
{
  adding = running = NULL;
  name = say_name("crawl");
  is_added = is_closing = signals = has_told = 0;
  handle(SIGINT, on_signal, SA_RESTART);
  handle(SIGTERM, on_signal, SA_RESTART);
  handle(SIGALRM, on_time, SA_RESTART);
}

void ending_limit(uint64_t max_ms)
{
  if (max_ms < UINT64_MAX - LATE_MS)
    machine_alarm(max_ms + LATE_MS);
}

void ending_add(crawl *c)
{
  adding = c;
}

void ending_added(void)
{
  is_added = 1;
}

void ending_run(crawl *c)
{
  running = c;
  adding = NULL;
  handle(SIGINT, on_signal, 0); /* ends waiting */
  handle(SIGTERM, on_signal, 0);
}

void ending_close(void)
{
  is_closing = 1;
  adding = running = NULL;
}
