/* A crawl keeps to its directory: code that gets into one of its threads can neither change nor read other files. The
 * attacker is a preloaded library, escape.c. */
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Its query is that of a browser only if the charset's module was found. */
static const small_page pages[] = {
  {"/", SMALL_HEAD "text/html; charset=shift_jis\r\n\r\n<a href='/a?\x93\xFA'>x</a>"},
  {"/a?%93%FA", SMALL_HTML "<a href=/b>x</a>"},
  {"/b", SMALL_LEAF},
  {NULL, NULL},
};

/* Each attempt, and the first version of Landlock that forbids it; 0: it must succeed. */
static const struct {
  const char *name;
  int since;
} attempts[] = {
  {"make a file inside", 0},
  {"read /etc", 0},
  {"make a file", 1},
  {"make a directory", 1},
  {"make a link", 1},
  {"read a file", 1},
  {"write a file", 1},
  {"truncate a file", 3},
  {"take a file in by a link", 1},
  {"move a file out", 1},
  {"list a directory", 1},
  {"execute a file", 1},
  {"listen", 4},
  {"signal the parent", 6},
  {"remove a file", 1},
};

static small served;
static char outside[64]; /* a directory that is not below /tmp, where --no-store has its files */

static long landlock_version(void)
{
  enum { CREATE_RULESET = 444, VERSION_FLAG = 1 };
  long version = syscall(CREATE_RULESET, NULL, 0, VERSION_FLAG);
  return version < 0 ? 0 : version;
}

static void need_landlock(void)
{
  if (landlock_version() > 0)
    return;
  print_message("skipped: this kernel has no Landlock, or it is switched off\n");
  skip();
}

static char *path_outside(const char *name)
{
  text path = {0};
  text_addf(&path, "%s/%s", outside, name);
  return path.bytes;
}

static int serve(void **state)
{
  (void)state;
  char here[4096];
  assert_non_null(getcwd(here, sizeof here));
  snprintf(outside, sizeof outside, "escape-XXXXXX");
  assert_non_null(mkdtemp(outside));
  char *victim = path_outside("victim");
  FILE *file = fopen(victim, "w");
  assert_non_null(file);
  fputs("untouched", file);
  fclose(file);
  free(victim);
  served = small_open(pages);
  return 0;
}

static int stop(void **state)
{
  (void)state;
  char command[128];
  small_close(&served);
  snprintf(command, sizeof command, "rm -rf '%s'", outside);
  return system(command); // NOLINT(cert-env33-c): a name we made
}

/* Exit code of a crawl with the attacker in it. */
static int crawl(const char *const words[], const char *inside)
{
  char *report = trial_path(served.trial, "report");
  setenv("ESCAPE_REPORT", report, 1);
  setenv("ESCAPE_OUTSIDE", outside, 1);
  setenv("ESCAPE_INSIDE", inside, 1);
  setenv("LD_PRELOAD", ESCAPE_LIBRARY, 1);
  int code = small_strata(&served, words, 0);
  unsetenv("LD_PRELOAD");
  free(report);
  return code;
}

/* What came of an attempt: 0 or an errno; -1 if it was not made. */
static int outcome(const text *report, const char *thread, const char *attempt)
{
  text line = {0};
  text_addf(&line, "%s %s: ", thread, attempt);
  const char *at = strstr(report->bytes, line.bytes);
  int result = at ? (int)strtol(at + line.size, NULL, 10) : -1;
  text_free(&line);
  return result;
}

static void assert_held(const char *thread)
{
  char *path = trial_path(served.trial, "report");
  text report = {0};
  unsigned faults = 0;
  long version = landlock_version();
  assert_true(text_add_file(&report, path));
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
    int got = outcome(&report, thread, attempts[i].name);
    bool must_fail = attempts[i].since && attempts[i].since <= version;
    bool is_fine = must_fail ? got == EACCES || got == EXDEV || got == EPERM : got == 0;
    if (!is_fine)
      print_error("%s thread, %s: %s\n", thread, attempts[i].name, got < 0 ? "not attempted" : strerror(got));
    faults += !is_fine;
  }
  assert_int_equal(faults, 0);
  text_free(&report);
  free(path);
}

static void assert_untouched(void)
{
  char *path = path_outside("victim");
  text victim = {0};
  assert_true(text_add_file(&victim, path));
  assert_string_equal(victim.bytes, "untouched");
  text_free(&victim);
  free(path);
}

static void assert_confined(const char *wanted)
{
  char *path = path_outside("summary.json");
  text summary = {0};
  assert_true(text_add_file(&summary, path));
  assert_non_null(strstr(summary.bytes, wanted));
  text_free(&summary);
  free(path);
}

static void assert_all_fetched(void)
{
  text fetched = small_fetched(&served);
  assert_string_equal(fetched.bytes, "/ /a?%93%FA /b ");
  text_free(&fetched);
}

static bool has_second_core(void)
{
  cpu_set_t ours;
  return sched_getaffinity(0, sizeof ours, &ours) == 0 && CPU_COUNT(&ours) > 1;
}

#define CRAWL "crawl", "--dir", "DIR", "--allow-private", "--delay"

/* It takes so long that one thread commits while others go on. */
CASE(each_thread_keeps_to_the_directory)
{
  need_landlock();
  char *summary = path_outside("summary.json");
  assert_int_equal(crawl((const char *const[]){CRAWL, "0.7", "--summary", summary, "URL", NULL}, served.trial->crawl),
                   0);
  assert_held("crawling");
  assert_held("network");
  if (has_second_core())
    assert_held("committing");
  assert_untouched();
  assert_all_fetched();
  assert_confined("\"confined\":true");
  free(summary);
}

CASE(with_no_store_to_tmp)
{
  char here[4096];
  need_landlock();
  if (!realpath(outside, here) || strncmp(here, "/tmp/", 5) == 0) {
    print_message("skipped: this build is below /tmp, which such a crawl may write to\n");
    skip();
  }
  char inside[] = "/tmp/strata-inside-XXXXXX", command[64];
  assert_non_null(mkdtemp(inside));
  int code = crawl((const char *const[]){"crawl", "--no-store", "--delay", "0", "--allow-private", "URL", NULL},
                   inside);
  snprintf(command, sizeof command, "rm -rf '%s'", inside);
  assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a name we made
  assert_int_equal(code, 0);
  assert_held("crawling");
  assert_held("network");
  assert_untouched();
}

/* Nor is anything said of it. */
CASE(a_kernel_without_it_crawls_all_the_same)
{
  char *summary = path_outside("summary.json");
  setenv("ESCAPE_NO_LANDLOCK", "1", 1);
  int code = crawl((const char *const[]){CRAWL, "0", "--quiet", "--summary", summary, "URL", NULL},
                   served.trial->crawl);
  unsetenv("ESCAPE_NO_LANDLOCK");
  assert_int_equal(code, 0);
  assert_int_equal(served.trial->err.size, 0);
  assert_all_fetched();
  assert_confined("\"confined\":false");
  free(summary);
}

/* What the directory leads to elsewhere is outside, too. */
CASE(a_link_to_another_directory_is_refused)
{
  char *contents = trial_path(served.trial, "crawl/contents");
  assert_int_equal(small_strata(&served, (const char *const[]){CRAWL, "0", "--no-similar", "URL", NULL}, 0), 0);
  char there[4096];
  assert_non_null(realpath(outside, there));
  assert_int_equal(symlink(there, contents), 0);
  assert_int_equal(small_strata(&served, (const char *const[]){CRAWL, "0", "--similar", "URL", NULL}, 1), 1);
  assert_non_null(strstr(served.trial->err.bytes, "contents: it is a link, which is not followed"));
  free(contents);
}

EACH_CASE(serve, stop)
