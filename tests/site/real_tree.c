/* real_tree NAME DIRECTORY ...: serves each directory, crawls it with `strata`, and compares what the server saw with
 * what can be reached by an independent computation. Exit code 0: no page missed, none extra, none twice. */
#include "tests/site/compare.h"
#include "tests/site/trial.h"

#include <stdio.h>

static double seconds_of(struct timeval time)
{
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static bool crawl(const char *name, const char *root)
{
  reachable truth = reachable_find(root, NULL);
  trial *t = trial_open(&(trial_options){.root = root});
  if (!t)
    return false;
  const char *const words[] = {"crawl", "--dir",           "DIR", "--delay", "0", "--per-host",
                               "8",     "--allow-private", "URL", NULL};
  double begin = process_clock();
  int code = trial_strata(t, words);
  double seconds = process_clock() - begin;
  request_log log = requests_read(t->log);
  difference d = compare_requests(&truth, &log);
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
