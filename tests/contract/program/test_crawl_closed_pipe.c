/* The reader of the output has gone: what changes a crawl's directory finishes what it began, what only reads dies of
 * SIGPIPE as other tools do. */
#include "tests/site/judge.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--per-host", "32", "--tries", "1", "--allow-private"
#define STRATA(t, ...) trial_strata(t, (const char *const[]){__VA_ARGS__, NULL})

enum { CLOSED_PIPE = 9, ROOM = 4096 };

static trial *t;

/* A pipe nobody reads, under a number that programs started by a shell inherit. */
static void make_closed_pipe(void)
{
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  assert_int_equal(dup2(ends[1], CLOSED_PIPE), CLOSED_PIPE);
  close(ends[0]);
  close(ends[1]);
}

static int serve(void **state)
{
  (void)state;
  make_closed_pipe();
  t = trial_open(&(trial_options){.seed = 97, .entries = 200});
  return 0;
}

static int stop(void **state)
{
  (void)state;
  trial_close(t);
  close(CLOSED_PIPE);
  return 0;
}

/* strata with these words, its output where the shell is told to. */
static int strata_to(const char *redirections, const char *words)
{
  char script[ROOM], *out = trial_path(t, "strata.out"), *err = trial_path(t, "strata.err");
  snprintf(script, sizeof script, "DIR=$1; URL=$2; exec \"$0\" %s %s", words, redirections);
  const char *const argv[] = {"/bin/sh", "-c", script, STRATA_PROGRAM, t->crawl, t->url, NULL};
  int code = trial_collect(t, process_start(argv, &(process_files){.out = out, .err = err}));
  free(out);
  free(err);
  return code;
}

static void assert_complete(void)
{
  page_log log = pages_read(t->pages);
  verdict v = judge_pages(&log, t->made, &judge_everything);
  assert_int_equal(log.bad + v.missed + v.again + v.forbidden + v.unknown, 0);
  assert_false(log.torn);
  pages_free(&log);
}

CASE(a_crawl)
{
  static const char *const rows[] = {">&9 2>&9", ">&- 2>&-", ">&- 2>&9"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(strata_to(rows[i], "crawl --dir \"$DIR\" --delay 0 --per-host 32 --tries 1 --allow-private"
                                        " --progress --max-pages 50 \"$URL\""),
                     0);
    assert_int_equal(strata_to(rows[i], "crawl --dir \"$DIR\" --delay 0 --per-host 32 --tries 1 --allow-private"), 0);
    assert_complete();
    assert_int_equal(STRATA(t, "check", "DIR"), 0);
    stop(NULL);
    serve(NULL);
  }
}

CASE(what_only_reads)
{
  static const char *const rows[] = {"export \"$DIR\"",  "export \"$DIR\" --format jsonl",
                                     "stat \"$DIR\"",    "report \"$DIR\"",
                                     "inlinks \"$DIR\"", "plan --urls 1000000 --fp 1e-6"};
  assert_int_equal(STRATA(t, CRAWL, "URL"), 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    strata_to(">&9", rows[i]);
    if (t->end.signal != SIGPIPE || t->err.size)
      fail_msg("%s: signal %d, exit %d: %s", rows[i], t->end.signal, t->end.code, t->err.bytes);
  }
  assert_int_equal(STRATA(t, "check", "DIR"), 0);
}

/* A state that remembered lines nobody got would lose them. */
CASE(uniq_leaves_its_state)
{
  char *memory = trial_path(t, "crawl.state"), words[ROOM];
  snprintf(words, sizeof words, "uniq --state '%s' <<'END'\nhttp://h.example/\nEND\n", memory);
  char *line_end = strchr(words, '\n');
  *line_end = '\0'; /* the redirection belongs before the lines */
  char script[2 * ROOM];
  snprintf(script, sizeof script, "%s >&9\n%s", words, line_end + 1);
  strata_to("", script);
  assert_int_equal(t->end.signal, SIGPIPE);
  assert_int_not_equal(access(memory, F_OK), 0);
  free(memory);
}

CASE(forget_has_forgotten)
{
  assert_int_equal(STRATA(t, CRAWL, "URL"), 0);
  assert_int_equal(strata_to(">&9", "forget \"$DIR\" \"$URL\" --prefix \"$URL\""), 1);
  assert_non_null(strstr(t->err.bytes, "writing the output: Broken pipe; what was asked for is forgotten"));
  STRATA(t, "seen", "DIR", "URL");
  assert_int_equal(strncmp(t->out.bytes, "new-", 4), 0);
  assert_int_equal(STRATA(t, "check", "DIR"), 0);
}

/* It says how it went before the in-link counts are made. */
CASE(a_merge)
{
  char *both = trial_path(t, "both"), *counts = trial_path(t, "both/inlinks.0"), words[ROOM];
  assert_int_equal(STRATA(t, CRAWL, "URL"), 0);
  snprintf(words, sizeof words, "merge -o '%s' \"$DIR\"", both);
  assert_int_equal(strata_to(">&9 2>&9", words), 0);
  assert_int_equal(access(counts, F_OK), 0);
  free(counts);
  free(both);
}

static int prepare(void **state)
{
  (void)state;
  signal(SIGPIPE, SIG_DFL); /* whoever started this may have another */
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(serve, stop)
