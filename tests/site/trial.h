/* tests/site/trial.h: one generated site, the server that serves it, and a fresh directory to crawl into.
 *
 *     trial_open -> trial_strata (as often as you like) -> judge (judge.h) -> trial_close */
#ifndef STRATA_TESTS_SITE_TRIAL_H
#define STRATA_TESTS_SITE_TRIAL_H

#include "tests/site/process.h"
#include "tests/site/site.h"

typedef struct trial_options {
  uint64_t seed;
  uint32_t entries;
  const char *root;    /* serve this directory instead of a generated site */
  const char *address; /* NULL: 127.0.0.1 */
  const char *host;    /* the name in the URLs; NULL: the address */
  unsigned port;       /* 0: any */
  unsigned latency_ms, jitter_ms, close_after, drop_after;
} trial_options;

typedef struct trial {
  site *made; /* NULL with `root` */
  pid_t server;
  unsigned port;
  char *url;       /* start URL: "http://127.0.0.1:PORT/" */
  char *home;      /* temporary directory, removed in the end */
  char *crawl;     /* HOME/crawl, not yet there: for --dir */
  char *pages;     /* HOME/crawl/pages.jsonl */
  char *log;       /* the server's log */
  text out, err;   /* of the last program that ran */
  process_end end; /* how it ended */
} trial;

/* NULL only if a port was asked for and cannot be had. */
trial *trial_open(const trial_options *options);
void trial_close(trial *t); /* NULL is fine */

/* Runs `strata` with these words (NULL-terminated) to its end and returns its exit code, -1 if it was killed
 * or took too long. A word "DIR" stands for t->crawl and "URL" for t->url. */
int trial_strata(trial *t, const char *const words[]);
int trial_strata_with(trial *t, const char *const words[], const process_files *files);

/* The same without waiting; trial_collect waits for it. */
pid_t trial_strata_start(trial *t, const char *const words[]);
int trial_collect(trial *t, pid_t pid);

/* HOME/name, to be freed by the caller. */
char *trial_path(const trial *t, const char *name);

/* Lines in the server's log, now. */
size_t trial_requests(const trial *t);
/* Waits until there are at least that many, or the process has ended; true if there are. */
bool trial_wait_requests(const trial *t, size_t count, pid_t process);
/* Leaves a line in the log, behind everything that programs already gone had sent: "404 \t mark \t GET \t /NAME". */
void trial_mark(const trial *t, const char *name);

#endif
