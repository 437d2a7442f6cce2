/* real_tree NAME DIRECTORY ...: serves each directory, crawls it with `strata`, and compares what the server saw with
 * what can be reached by an independent computation. Exit code 0: no page missed, none extra, none twice. */
#include "tests/site/reachable.h"
#include "tests/site/requests.h"
#include "tests/site/target.h"
#include "tests/site/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct difference {
  unsigned missed, extra, twice, robots;
} difference;

static void tell(unsigned nth, const char *what, const char *target)
{
  if (nth < 10)
    fprintf(stderr, "  %s: %s\n", what, target);
}

static difference compare(const reachable *truth, const request_log *log)
{
  difference d = {0};
  unsigned *times = calloc(truth->count, sizeof *times);
  if (!times)
    abort();
  for (size_t i = 0; i < log->count; i++) {
    const char *target = log->lines[i].target;
    text canonical = {0};
    bool good = target_canonical(&canonical, target, strlen(target));
    uint32_t index = good ? reachable_index(truth, canonical.bytes) : UINT32_MAX;
    if (strcmp(target, "/robots.txt") == 0)
      d.robots++;
    else if (index == UINT32_MAX)
      tell(d.extra++, "extra", target);
    else if (times[index]++ > 0)
      tell(d.twice++, "twice", target);
    text_free(&canonical);
  }
  for (uint32_t i = 0; i < truth->count; i++)
    if (!times[i])
      tell(d.missed++, "missed", truth->targets[i]);
  free(times);
  return d;
}

static double seconds_of(struct timeval time)
{
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static bool crawl(const char *name, const char *root)
{
  reachable truth = reachable_find(root);
  trial *t = trial_open(&(trial_options){.root = root});
  if (!t)
    return false;
  const char *const words[] = {"crawl", "--dir",           "DIR", "--delay", "0", "--per-host",
                               "8",     "--allow-private", "URL", NULL};
  double begin = process_clock();
  int code = trial_strata(t, words);
  double seconds = process_clock() - begin;
  request_log log = requests_read(t->log);
  difference d = compare(&truth, &log);
  const struct rusage *usage = &t->end.usage;
  printf("%-18s %6u %6u %6u %8.2f %8.2f %8.1f %9zu %7u %6u %6u\n", name, truth.pages, truth.files, truth.others,
         seconds, seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime), (double)usage->ru_maxrss / 1024, log.count,
         d.missed, d.extra, d.twice);
  if (code != 0)
    fprintf(stderr, "strata ended with %d:\n%s\n", code, t->err.bytes);
  bool good = code == 0 && d.missed + d.extra + d.twice == 0 && truth.pages > 100;
  requests_free(&log);
  trial_close(t);
  reachable_free(&truth);
  return good;
}

int main(int argc, char **argv)
{
  bool good = argc > 2 && argc % 2 == 1;
  if (!good)
    fprintf(stderr, "usage: real_tree NAME DIRECTORY ...\n");
  else
    printf("%-18s %6s %6s %6s %8s %8s %8s %9s %7s %6s %6s\n", "tree", "pages", "files", "other", "seconds", "CPU s",
           "peak MB", "requests", "missed", "extra", "twice");
  for (int i = 1; i + 1 < argc; i += 2)
    good &= crawl(argv[i], argv[i + 1]);
  return good ? 0 : 1;
}
