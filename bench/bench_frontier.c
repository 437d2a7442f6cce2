/* The whole way of a URL, fully synced: add -> next -> done, ours and plain ones over SQLite and RocksDB, in turn.
 *
 *     bench_frontier [--urls N] [--hosts H] [--backlog B] [--rounds R] [--expect E] [--known K] [--known-dir DIR]
 *                    [--commit-thread] [--line] [--queued] [--again] [--compact] [--idle] [--check]
 *                    [--only NAME,NAME...] [--dir DIR]
 *
 *     strata             ours, a filter of 1e-6; `thread`, with --commit-thread, is ours with a thread that commits
 *     exact              ours with options.exact and a filter of 1e-2: keys are exact, as those of the others are; also
 *                        `exact-thread`, and with --line `exact-line`, of that filter
 *     front              the same filter without it, which loses a hundredth
 *     sqlite, rocksdb    the same contract, tuned: hosts take turns, 8 in flight, order within each, delays, records of
 *                        hosts, state and code of each URL, what was in flight comes again
 *
 * What each promises is in frontier_contender.h word for word, and --check tries them on it, in some seconds. All have
 * transactions of as many operations. What ours does above that (parsing URLs, verdicts, priorities, traps, memory that
 * is bounded) the others are spared.
 *
 * N made-up URLs of 72 bytes over H hosts come in runs of 8 of one host, as links do. They are queued until B wait,
 * from then on one leaves for each that comes, and at the end all do; so with B above 65,536 each goes through the
 * queue on disk. Each contender works in a process of its own. The table has a column for each, and medians of R
 * rounds, in which all take turns. What its lines mean:
 *
 *     add, next, done     microseconds of a call: half took no more, 999 of 1000 took no more, the longest. A call of
 *                         next is for 512 URLs; one of add is for one, but of ours for the 64 of a page, parsed. It
 *                         waits for the disk, too, and for other programs, so:
 *     lot cpu             the most of the processor that the caller's thread spent in 512 calls
 *     given to write()    bytes; dirtied: what the kernel counts as written for it, in whole folios
 *     left, compacted     what its directory has grown by
 *     anonymous           memory without the bench's own; most: looked at every 16,384 URLs. a URL ever seen: of those
 *                         known before, too
 *     syncs               fdatasync and fsync; disk's floor: as many, with as many bytes, alone in a file
 *     X's time / own      the median of these ratios in each round, and the same of processor time
 *
 * --known K: ours alone, beside a filter and a hash log of K URLs that are there already, the filter as old as it gets
 * before it is written. DIR needs 25 bytes for each, of exact ones 45. --known-dir: they are made in that directory,
 * once, and copied. --queued: N URLs are queued and none is taken, the process is killed (SIGKILL), and a new one opens
 * what it left, which is in the page cache, and takes 102,400. --again: with each new URL comes one that was seen, any
 * of those before. --expect E: ours begins with a filter for E URLs, and it grows; what it ends with is printed, and
 * how many of 10^7 other URLs it calls seen. --compact: the directory of ours is compacted at the end. --idle: ours
 * alone; calls of frontier_next that have nothing to give, with 10^3 to H hosts (frontier_idle.c). --only NAME,...:
 * these columns.
 *
 * An opponent that was not there when this was built is named and skipped. */
#include "bench/frontier_check.h"
#include "bench/frontier_contender.h"
#include "bench/frontier_idle.h"
#include "bench/frontier_load.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 99, CONTENDERS = 9 };

typedef struct work {
  load load;
  unsigned rounds;
  const char *only;
  bool thread, line, idle, check;
} work;

typedef load_result results[CONTENDERS][ROUNDS_MAX];

void contender_fail(const char *who, const char *why)
{
  fprintf(stderr, "bench_frontier: %s: %s\n", who, why);
  _exit(1);
}

/* Now, or what --check has set. */
uint64_t contender_now_ms(void)
{
  struct timespec t;
  if (frontier_check_clock_ms)
    return frontier_check_clock_ms;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- the table ------------------------------------------------------------------------------------------- */

typedef struct line {
  const char *label;
  size_t at;
  int digits;
} line;

static const line lines[] = {
  {"seconds", offsetof(load_result, seconds), 2},
  {"URLs a second", offsetof(load_result, urls_a_second), 0},
  {"processor seconds", offsetof(load_result, cpu), 2},
  {"open, ms", offsetof(load_result, open_ms), 1},
  {"open, processor, ms", offsetof(load_result, open_cpu_ms), 1},
  {"close, ms", offsetof(load_result, close_ms), 1},
  {"add, p50, us", offsetof(load_result, add.half), 2},
  {"add, p99.9, us", offsetof(load_result, add.nearly_all), 1},
  {"add, longest, us", offsetof(load_result, add.longest), 0},
  {"next, p50, us", offsetof(load_result, next.half), 2},
  {"next, p99.9, us", offsetof(load_result, next.nearly_all), 1},
  {"next, longest, us", offsetof(load_result, next.longest), 0},
  {"done, p50, us", offsetof(load_result, done.half), 2},
  {"done, p99.9, us", offsetof(load_result, done.nearly_all), 1},
  {"done, longest, us", offsetof(load_result, done.longest), 0},
  {"longest call, ms", offsetof(load_result, longest_ms), 1},
  {"lot cpu, ms", offsetof(load_result, lot_cpu_ms), 1},
  {"given to write(), B/URL", offsetof(load_result, written), 1},
  {"dirtied, B/URL", offsetof(load_result, dirtied), 1},
  {"left on disk, B/URL", offsetof(load_result, left), 1},
  {"compacted, B/URL", offsetof(load_result, compacted), 1},
  {"anonymous, at the end, MB", offsetof(load_result, anonymous_end_mb), 1},
  {"anonymous, most, MB", offsetof(load_result, anonymous_most_mb), 1},
  {"anonymous, most, B/URL ever seen", offsetof(load_result, anonymous_known), 1},
  {"mapped, most, MB", offsetof(load_result, mapped_most_mb), 1},
  {"syncs", offsetof(load_result, syncs), 0},
  {"disk's floor, seconds", offsetof(load_result, floor), 2},
  {"seconds / disk's floor", offsetof(load_result, floors), 2},
};

static int by_size(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, unsigned count)
{
  qsort(values, count, sizeof *values, by_size);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double value_at(const load_result *r, size_t at)
{
  double value;
  memcpy(&value, (const char *)r + at, sizeof value);
  return value;
}

static void print_line(const line *what, results all, size_t count, unsigned rounds)
{
  printf("%-34s", what->label);
  for (size_t i = 0; i < count; i++) {
    double values[ROUNDS_MAX] = {0};
    for (unsigned round = 0; round < rounds; round++)
      values[round] = value_at(&all[i][round], what->at);
    printf(" %12.*f", what->digits, median(values, rounds));
  }
  putchar('\n');
}

/* Against one of them, round by round. */
static void print_ratios(const char *name, const char *what, size_t at, const load_result *other, results all,
                         size_t count, unsigned rounds)
{
  char label[64];
  snprintf(label, sizeof label, "%s's %s / own", name, what);
  printf("%-34s", label);
  for (size_t i = 0; i < count; i++) {
    double values[ROUNDS_MAX] = {0};
    for (unsigned round = 0; round < rounds; round++)
      values[round] = value_at(&other[round], at) / value_at(&all[i][round], at);
    printf(" %12.2f", median(values, rounds));
  }
  putchar('\n');
}

static void print_table(const contender *const *row, size_t count, const work *w, results all)
{
  const load *l = &w->load;
  printf("%" PRIu64 " URLs, %" PRIu64 " hosts, backlog %" PRIu64 ", %" PRIu64 " known before, %u rounds%s\n%-34s",
         l->urls, l->hosts, l->backlog, l->known, w->rounds, l->queued ? ", queued and killed" : "", "");
  for (size_t i = 0; i < count; i++)
    printf(" %12s", row[i]->name);
  putchar('\n');
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (lines[i].at != offsetof(load_result, compacted) || l->compact)
      print_line(&lines[i], all, count, w->rounds);
  for (size_t i = 0; count > 1 && i < count; i++) {
    print_ratios(row[i]->name, "time", offsetof(load_result, seconds), all[i], all, count, w->rounds);
    print_ratios(row[i]->name, "processor", offsetof(load_result, cpu), all[i], all, count, w->rounds);
  }
}

static void bench(const contender *const *row, size_t count, const work *w)
{
  static results all;
  for (unsigned round = 0; round < w->rounds; round++)
    for (size_t i = 0; i < count; i++)
      all[i][round] = load_measure(row[i], &w->load);
  print_table(row, count, w, all);
}

/* ---- what is asked for ----------------------------------------------------------------------------------- */

static uint64_t number(const char *text)
{
  char *end;
  double value = text ? strtod(text, &end) : 0; /* 1e7 is easier to read than its zeros */
  if (!text || *end || value < 1 || value > 1e12)
    contender_fail("usage", "bench_frontier [--urls N] [--hosts H] [--backlog B] [--rounds R] [--expect E] [--known K] "
                            "[--known-dir DIR] [--commit-thread] [--line] [--queued] [--again] [--compact] [--idle] "
                            "[--check] [--only NAME,NAME...] [--dir DIR]");
  return (uint64_t)value;
}

static bool parse_flag(work *w, const char *name)
{
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {
    {"--commit-thread", &w->thread}, {"--line", &w->line}, {"--queued", &w->load.queued}, {"--again", &w->load.again},
    {"--compact", &w->load.compact}, {"--idle", &w->idle}, {"--check", &w->check}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (strcmp(name, flags[i].name) == 0)
      return *flags[i].flag = true;
  return false;
}

static work parse(char **argument)
{
  work w = {.load = {.urls = 1000000, .hosts = 100000, .backlog = 200000, .directory = "."}, .rounds = 1};
  uint64_t rounds = 1;
  const struct {
    const char *name;
    const char **text;
    uint64_t *number;
  } options[] = {{"--only", &w.only, NULL},
                 {"--dir", &w.load.directory, NULL},
                 {"--known-dir", &w.load.known_directory, NULL},
                 {"--urls", NULL, &w.load.urls},
                 {"--hosts", NULL, &w.load.hosts},
                 {"--backlog", NULL, &w.load.backlog},
                 {"--known", NULL, &w.load.known},
                 {"--expect", NULL, &w.load.expect},
                 {"--rounds", NULL, &rounds}};
  for (; *argument; argument++) {
    size_t i = 0;
    if (parse_flag(&w, *argument))
      continue;
    while (i < sizeof options / sizeof *options && strcmp(*argument, options[i].name) != 0)
      i++;
    if (i == sizeof options / sizeof *options || !argument[1])
      number(NULL);
    else if (options[i].text)
      *options[i].text = *++argument;
    else
      *options[i].number = number(*++argument);
  }
  w.rounds = (unsigned)(rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX);
  return w;
}

/* Is `name` one of the words between the commas? */
static bool is_listed(const char *list, const char *name)
{
  size_t size = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, name, size) == 0 && (at[size] == ',' || !at[size]))
      return true;
  }
  return false;
}

/* Who takes part. */
static size_t choose(const work *w, const contender *row[CONTENDERS])
{
  const struct {
    const contender *who;
    bool takes_part;
  } all[] = {
    {&contender_strata, true},         {&contender_thread, w->thread},
    {&contender_exact, !w->check},     {&contender_exact_thread, w->thread && !w->check},
    {&contender_front, !w->check},     {&contender_exact_line, w->line},
    {&contender_exact_sure, w->check},
#ifdef HAVE_SQLITE
    {&contender_sqlite, true},         {&contender_sqlite_fifo, w->check},
#endif
#ifdef HAVE_ROCKSDB
    {&contender_rocksdb, true},
#endif
  };
  size_t count = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].takes_part && (w->load.known == 0 || all[i].who->known_rate > 0) &&
        (!w->only || is_listed(w->only, all[i].who->name)))
      row[count++] = all[i].who;
  if (count == 0)
    contender_fail(w->only, "takes no part");
#ifndef HAVE_SQLITE
  puts("sqlite: skipped, libsqlite3-dev was not there when this was built");
#endif
#ifndef HAVE_ROCKSDB
  puts("rocksdb: skipped, librocksdb-dev was not there when this was built");
#endif
  return count;
}

int main(int argc, char **argv)
{
  (void)argc;
  work w = parse(argv + 1);
  const contender *row[CONTENDERS];
  size_t count = choose(&w, row);
  if (w.check)
    return frontier_check(row, count, w.load.directory);
  if (w.idle)
    measure_idle(w.load.directory, w.load.hosts, w.rounds);
  else
    bench(row, count, &w);
  return 0;
}
