/* What "seen" costs in memory: a URL at design load, and at the worst moment of merging or growing.
 *
 *     bench_memory [--urls N] [--fp P] [--dir DIR]        default 10^7, 1e-6
 *
 * Filters alone: one for N URLs gets N, then its next size, 1.4 times, is filled beside it, as a rebuild does. A
 * frontier: it expects N, and is told of 1.2 N (noted, so that none waits; on 1,000 hosts), so that it rebuilds within;
 * and one with options.exact beside it.
 * Bytes are those of anonymous pages that are resident (RssAnon), less those there were before; and, of a frontier, the
 * most that its filter file, mapped, may take beside them: clean pages, which the system may drop (RssFile has LMDB's
 * map as well). Each row is a process of its own. Wrong: of 10^7 new pages in known directories, those called seen at
 * design load. */
#include "frontier/frontier.h"
#include "mlbf/chain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROBES = 10000000, SEGMENTS = 4, HOSTS = 1000, TOGETHER = 32 };

typedef struct work {
  uint64_t urls;
  double rate;
  const char *directory;
} work;

static void must(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "bench_memory: %s\n", what);
  _exit(1);
}

/* Bytes in anonymous pages that are resident. */
static uint64_t resident(void)
{
  char line[256];
  unsigned long long kib = 0;
  FILE *status = fopen("/proc/self/status", "r");
  must(status != NULL, "/proc/self/status");
  while (fgets(line, sizeof line, status))
    if (strncmp(line, "RssAnon:", 8) == 0)
      kib = strtoull(line + 8, NULL, 10);
  fclose(status);
  return kib * 1024;
}

/* ---- filters alone --------------------------------------------------------------------------------------- */

/* host, two directories, page: 0.05 hosts and 1.35 segments a URL, like those of real lists. */
typedef struct made_key {
  uint64_t parts[SEGMENTS];
  mlbf_span segments[SEGMENTS];
} made_key;

static mlbf_key make(made_key *key, uint64_t place, uint64_t page)
{
  const uint64_t parts[SEGMENTS] = {place / 20, place / 10, place / 5, page};
  for (int i = 0; i < SEGMENTS; i++) {
    key->parts[i] = parts[i];
    key->segments[i] = (mlbf_span){&key->parts[i], sizeof key->parts[i]};
  }
  return (mlbf_key){key->segments, SEGMENTS};
}

static void fill(mlbf_filter *filter, uint64_t count)
{
  made_key key;
  for (uint64_t i = 0; i < count; i++) {
    const mlbf_key made = make(&key, i, i);
    mlbf_insert(filter, &made, 1, NULL);
  }
}

/* Of pages nobody has seen, in directories that are known: layers do not help. */
static unsigned wrong_of(const mlbf_filter *filter, uint64_t urls)
{
  unsigned wrong = 0;
  made_key key;
  mlbf_verdict verdict;
  for (uint64_t i = 0; i < PROBES; i++) {
    const mlbf_key made = make(&key, i % urls, urls + i);
    mlbf_test(filter, &made, 1, &verdict);
    wrong += verdict.outcome == MLBF_SEEN;
  }
  return wrong;
}

static void measure_filter(const work *w, mlbf_kind kind, bool signals)
{
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = kind, .keys = w->urls, .rate = w->rate, .seed = 1, .signals = signals};
  mlbf_filter *filter, *larger;
  mlbf_stats stats;
  uint64_t before = resident();
  must(mlbf_create(&options, &filter) == MLBF_OK, "mlbf_create");
  fill(filter, w->urls);
  double n = (double)w->urls, full = (double)(resident() - before) / n;
  unsigned wrong = wrong_of(filter, w->urls);
  options.keys = options.keys * 7 / 5; /* 1.4 times, as a frontier grows its small filter */
  must(mlbf_create(&options, &larger) == MLBF_OK, "mlbf_create");
  fill(larger, w->urls);
  mlbf_stats_read(filter, &stats);
  printf("%-4s%-14s %10.2f %12.2f %22.2f %12u %12.1f\n", mlbf_kind_name(kind), signals ? ", signals" : "",
         (double)stats.bits / 8 / n, full, (double)(resident() - before) / n, wrong, w->rate * PROBES);
}

/* ---- a frontier ------------------------------------------------------------------------------------------- */

static void note(frontier *f, uint64_t number)
{
  static url u;
  char text[96];
  frontier_verdict verdict;
  int size = snprintf(text, sizeof text, "http://h%u.test/section/%" PRIu64 "/%" PRIu64, (unsigned)(number / 5 % HOSTS),
                      number / 5, number);
  must(url_parse(text, (size_t)size, URL_STRICT, &u) == URL_OK, text);
  must(frontier_note(f, &(frontier_link){.target = &u}, 1, &verdict) == FRONTIER_OK, frontier_message(f));
}

/* Bytes of address space in which a filter file is mapped, all of which may be resident. */
static uint64_t mapped_filter(const char *directory)
{
  char line[8192];
  uint64_t bytes = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  must(maps != NULL, "/proc/self/maps");
  while (fgets(line, sizeof line, maps)) {
    unsigned long long from, to;
    char *name = strstr(line, directory + (strncmp(directory, "./", 2) == 0 ? 2 : 0));
    if (name && strstr(name, "/seen.") && sscanf(line, "%llx-%llx", &from, &to) == 2)
      bytes += to - from;
  }
  fclose(maps);
  return bytes;
}

/* What waits to be confirmed is so by the calls of frontier_next. */
static void let_it_work(frontier *f, uint64_t now_ms)
{
  frontier_lease none;
  size_t count;
  int64_t wait_ms;
  must(frontier_next(f, now_ms, &none, 0, &count, &wait_ms) == FRONTIER_OK, frontier_message(f));
}

static void measure_frontier(const work *w, const char *directory, bool exact)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_options options = {.filter = MLBF_KIND_MLBF, .expected_urls = w->urls, .rate = w->rate, .per_host = 1};
  options.exact = exact;
  frontier *f;
  frontier_stats stats;
  uint64_t before = resident(), most = 0, at_most = 1, step = w->urls / 500 + 1, mapped_most = 0, mapped = 0;
  must(frontier_open(directory, &options, &f, message) == FRONTIER_OK, message);
  for (uint64_t i = 0; i < w->urls + w->urls / 5; i++) {
    note(f, i);
    if (i % step)
      continue;
    let_it_work(f, i / 1000);
    uint64_t now = resident() - before;
    mapped = mapped_filter(directory);
    if (i == w->urls / step * 88 / 100 * step)
      printf("at 0.88 of its design load: %.2f B a URL, and %.2f mapped\n", (double)now / (double)i,
             (double)mapped / (double)i);
    if (i > w->urls / 2 && (double)(now + mapped) * (double)at_most > (double)(most + mapped_most) * (double)i) {
      most = now;
      mapped_most = mapped;
      at_most = i;
    }
  }
  must(frontier_stats_read(f, &stats) == FRONTIER_OK, frontier_message(f));
  printf("at its worst: %.2f B a URL, and %.2f mapped, with %.2f of its design load\n", (double)most / (double)at_most,
         (double)mapped_most / (double)at_most, (double)at_most / (double)w->urls);
  printf("at 1.2 of it: %.2f B a URL, and %.2f mapped; all filters have %.2f\n",
         (double)(resident() - before) / 1.2 / (double)w->urls, (double)mapped / 1.2 / (double)w->urls,
         (double)stats.filter.bits / 8 / 1.2 / (double)w->urls);
  must(frontier_close(f) == FRONTIER_OK, "frontier_close");
}

/* ---- each in a process of its own -------------------------------------------------------------------------- */

static void await(pid_t child)
{
  int status;
  must(waitpid(child, &status, 0) == child && status == 0, "a process failed");
}

static void filter_apart(const work *w, mlbf_kind kind, bool signals)
{
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    measure_filter(w, kind, signals);
    fflush(stdout);
    _exit(0);
  }
  await(child);
}

static void frontier_apart(const work *w, bool exact)
{
  char directory[4096], command[4200];
  snprintf(directory, sizeof directory, "%s/bench-memory-XXXXXX", w->directory);
  must(mkdtemp(directory) != NULL, directory);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    measure_frontier(w, directory, exact);
    fflush(stdout);
    _exit(0);
  }
  await(child);
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  must(system(command) == 0, command);
}

static work parse(int argc, char **argv)
{
  work w = {.urls = 10000000, .rate = 1e-6, .directory = "."};
  for (int i = 1; i < argc; i += 2) {
    must(i + 1 < argc, "usage: bench_memory [--urls N] [--fp P] [--dir DIR]");
    if (strcmp(argv[i], "--urls") == 0)
      w.urls = (uint64_t)strtod(argv[i + 1], NULL);
    else if (strcmp(argv[i], "--fp") == 0)
      w.rate = strtod(argv[i + 1], NULL);
    else if (strcmp(argv[i], "--dir") == 0)
      w.directory = argv[i + 1];
    else
      must(false, "usage: bench_memory [--urls N] [--fp P] [--dir DIR]");
  }
  must(w.urls >= 1000 && w.rate > 0 && w.rate < 1, "--urls is 1000 or more, --fp between 0 and 1");
  return w;
}

int main(int argc, char **argv)
{
  work w = parse(argc, argv);
  printf("%" PRIu64 " URLs, promised %.1e; bytes a URL\n", w.urls, w.rate);
  printf("%-18s %10s %12s %22s %12s %12s\n", "filter", "planned", "at its load", "while it is rebuilt", "wrong",
         "promised");
  filter_apart(&w, MLBF_KIND_LINE, false);
  filter_apart(&w, MLBF_KIND_BLOOM, false);
  filter_apart(&w, MLBF_KIND_MLBF, false);
  filter_apart(&w, MLBF_KIND_MLBF, true);
  puts("a frontier (mlbf, signals; batch and hosts are in it)");
  frontier_apart(&w, false);
  puts("the same with options.exact");
  frontier_apart(&w, true);
  return 0;
}
