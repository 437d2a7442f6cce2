/* The whole way of a URL, fully synced: add -> next -> done, ours and plain ones over SQLite and RocksDB, in turn.
 *
 *     bench_frontier [--urls N] [--hosts H] [--backlog B] [--rounds R] [--expect E] [--known K] [--queued]
 *                    [--exact] [--again] [--compact] [--check] [--only NAME] [--dir DIR]
 *
 *     strata                       ours
 *     sqlite, rocksdb              the same contract: hosts take turns, 8 in flight, order within each, delays, records
 *                                  of hosts, state and code of each URL, what was in flight comes again
 *     sqlite-fifo, rocksdb-fifo    less: they know no hosts, one line in order of arrival
 *
 * What each promises is in frontier_contender.h word for word, and --check tries them on it, in some seconds. All have
 * transactions of as many operations, and 256 MiB of cache where there is one to be set. What ours does above that
 * (parsing URLs, verdicts, priorities, traps, memory that is bounded) the others are spared.
 *
 * N made-up URLs of some 70 bytes over H hosts come in runs of 8 of one host, as links do. They are queued until B
 * wait, from then on one leaves for each that comes, and at the end all do; so with B above 65,536 each goes through
 * the queue on disk. Each contender works in a process of its own. Columns: medians of R rounds; the longest single
 * call, and the most of the processor that 512 calls took (a call waits for the disk, too, and for other programs);
 * bytes given to the kernel to write (what it makes of them it counts by whole folios) and left on disk, and memory at
 * its end (anonymous pages only), for each URL. The last two: its fdatasyncs and fsyncs, and its time over that of as
 * many, with as many bytes before each, alone and one behind the other in a file: what the disk asks of any order.
 *
 * --known K: ours alone, beside a filter and a hash log of K URLs that are there already (DIR needs 25 bytes for each).
 * --queued: ours alone; N URLs are queued and none is taken, the process is killed, and another opens what it left.
 * --exact: ours, and ours with exact keys.
 * --again: with each new URL comes one that was seen, any of those before.
 * --expect E: ours begins with a filter for E URLs, and it grows; what it ends with is printed, and how many of 10^7
 * other URLs it calls seen.
 * --compact: ours alone, whose directory is compacted at the end.
 * --only NAME: one row of those there would be.
 *
 * An opponent that was not there when this was built is named and skipped. */
#include "tests/bench/frontier_check.h"
#include "tests/bench/frontier_contender.h"
#include "tests/bench/frontier_known.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUN = 8, LOT = CONTENDER_LOT, ROUNDS_MAX = 99, CONTENDERS = 6 };

typedef struct work {
  uint64_t urls, hosts, backlog, known, expect;
  unsigned rounds;
  const char *only, *directory;
  bool queued, exact, again, compact, check;
} work;

typedef struct result {
  double seconds, cpu, open_ms, stall_ms, lot_cpu_ms, close_ms, floor;
  uint64_t written, left, compacted, memory, syncs;
} result;

typedef struct meter {
  double stall;
  double lot_cpu;      /* the most of the processor that a lot of calls took, and so the most any call did */
  double own, own_cpu; /* spent by the bench itself, making URLs */
  uint64_t accepted;   /* a filter may take one of millions for seen */
} meter;

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

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds of processor that this process and its threads have used. */
static double cpu(void)
{
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/* ---- what the disk asks ---------------------------------------------------------------------------------- */

/* In the place of libc's, for the libraries too: counted. */
static _Atomic uint64_t syncs;

int fdatasync(int fd)
{
  syncs++;
  return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
  syncs++;
  return (int)syscall(SYS_fsync, fd);
}

/* Seconds for so many syncs of so many bytes in all. */
static double time_floor(const char *directory, uint64_t count, uint64_t bytes)
{
  char path[4200];
  size_t piece = count ? bytes / count + 1 : 1;
  char *text = calloc(1, piece);
  snprintf(path, sizeof path, "%s/floor", directory);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  double began = now();
  for (uint64_t i = 0; i < count; i++)
    if (!text || pwrite(fd, text, piece, (off_t)(i * piece)) != (ssize_t)piece || syscall(SYS_fdatasync, fd) != 0)
      contender_fail(path, "cannot be written");
  double took = now() - began;
  close(fd);
  unlink(path);
  free(text);
  return took;
}

/* ---- the work -------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t z)
{
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static size_t make_url(const work *w, uint64_t number, char text[CONTENDER_TEXT])
{
  uint64_t host = mix(number / RUN + 1) % w->hosts;
  return (size_t)snprintf(text, CONTENDER_TEXT,
                          "https://www.host-%06" PRIu64 ".example/section-%02u/article-%010" PRIu64 "-title.html", host,
                          (unsigned)(mix(number) % 20), number);
}

static void watch(meter *m, double began)
{
  double took = now() - began;
  if (took > m->stall)
    m->stall = took;
}

static void watch_lot(meter *m, double cpu_began)
{
  double took = cpu() - cpu_began;
  if (took > m->lot_cpu)
    m->lot_cpu = took;
}

/* The time in which the texts are made does not count. */
static void add_texts(const contender *c, void *self, const work *w, uint64_t first, uint64_t count, bool are_old,
                      meter *m)
{
  static contender_text texts[LOT];
  double cpu_began = cpu(), began = now();
  for (uint64_t i = 0; i < count; i++)
    texts[i].size = make_url(w, are_old ? mix(~(first + i)) % (first + i + 1) : first + i, texts[i].text);
  m->own += now() - began;
  m->own_cpu += cpu() - cpu_began;
  cpu_began = cpu();
  began = now();
  if (c->add_lot)
    m->accepted += c->add_lot(self, texts, count);
  for (uint64_t i = 0; i < count && !c->add_lot; i++) {
    began = now();
    m->accepted += c->add(self, texts[i].text, texts[i].size);
    watch(m, began);
  }
  watch(m, began);
  watch_lot(m, cpu_began);
}

static void add_lot(const contender *c, void *self, const work *w, uint64_t first, uint64_t count, meter *m)
{
  add_texts(c, self, w, first, count, false, m);
  if (w->again)
    add_texts(c, self, w, first, count, true, m);
}

static uint64_t take_lot(const contender *c, void *self, uint64_t max, meter *m)
{
  static contender_lease leases[LOT];
  double began = now(), cpu_began = cpu();
  size_t count = c->next(self, leases, max < LOT ? max : LOT);
  watch(m, began);
  for (size_t i = 0; i < count; i++) {
    began = now();
    c->done(self, leases[i].id, CONTENDER_DONE, 200);
    watch(m, began);
  }
  watch_lot(m, cpu_began);
  return count;
}

static void run(const contender *c, void *self, const work *w, meter *m)
{
  uint64_t added = 0, taken = 0;
  while (added < w->urls || taken < m->accepted) {
    uint64_t lot = w->urls - added < LOT ? w->urls - added : LOT;
    add_lot(c, self, w, added, lot, m);
    added += lot;
    if (added == w->urls || m->accepted - taken > w->backlog)
      taken += take_lot(c, self, LOT, m);
  }
}

/* ---- what it cost ---------------------------------------------------------------------------------------- */

/* The number behind `name` in a file of /proc/self. */
static uint64_t read_proc(const char *file, const char *name)
{
  char line[256];
  unsigned long long value = 0;
  FILE *proc = fopen(file, "r");
  while (proc && fgets(line, sizeof line, proc))
    if (strncmp(line, name, strlen(name)) == 0)
      value = strtoull(line + strlen(name), NULL, 10);
  if (proc)
    fclose(proc);
  return value;
}

static uint64_t disk_use(const char *directory)
{
  char command[4200];
  unsigned long long kib = 0;
  snprintf(command, sizeof command, "du -sk '%s'", directory);
  FILE *du = popen(command, "r");
  if (!du || fscanf(du, "%llu", &kib) != 1)
    contender_fail("du", "no answer");
  pclose(du);
  return kib * 1024;
}

static result measure(const contender *c, const work *w, const char *directory)
{
  result r = {0};
  meter m = {0};
  uint64_t syncs_before = syncs, before = read_proc("/proc/self/io", "wchar:");
  double began = now();
  void *self = c->open(directory, w->expect ? w->expect : w->urls);
  r.open_ms = (now() - began) * 1e3;
  began = now();
  double cpu_began = cpu();
  run(c, self, w, &m);
  r.memory = read_proc("/proc/self/status", "RssAnon:") * 1024;
  r.seconds = now() - began - m.own;
  r.cpu = cpu() - cpu_began - m.own_cpu;
  if (c->report && w->expect)
    c->report(self);
  double close_began = now(), close_cpu = cpu();
  c->close(self);
  r.close_ms = (now() - close_began) * 1e3;
  r.seconds += now() - close_began;
  r.cpu += cpu() - close_cpu;
  r.stall_ms = m.stall * 1e3;
  r.lot_cpu_ms = m.lot_cpu * 1e3;
  r.written = read_proc("/proc/self/io", "wchar:") - before;
  r.syncs = syncs - syncs_before;
  r.floor = time_floor(directory, r.syncs, r.written);
  return r;
}

/* Killed behind its last commit; what it left is opened in the process that measures. */
static void queue_and_die(const contender *c, const work *w, const char *directory)
{
  pid_t child = fork();
  if (child == 0) {
    meter m = {0};
    void *self = c->open(directory, w->urls);
    for (uint64_t added = 0; added < w->urls; added += LOT) {
      add_lot(c, self, w, added, w->urls - added < LOT ? w->urls - added : LOT, &m);
      c->commit(self);
    }
    raise(SIGKILL);
  }
  waitpid(child, NULL, 0);
}

/* Opening, and the first URLs; then as many lots as fill the window again, for the memory they take. */
static result measure_queued(const contender *c, const work *w, const char *directory)
{
  enum { LOTS = 200 };
  result r = {0};
  meter m = {0};
  queue_and_die(c, w, directory);
  double began = now();
  void *self = c->open(directory, w->urls);
  r.open_ms = (now() - began) * 1e3;
  began = now();
  double cpu_began = cpu();
  for (int i = 0; i < LOTS; i++)
    take_lot(c, self, LOT, &m);
  r.seconds = now() - began;
  r.cpu = cpu() - cpu_began;
  r.stall_ms = m.stall * 1e3;
  r.lot_cpu_ms = m.lot_cpu * 1e3;
  r.memory = read_proc("/proc/self/status", "RssAnon:") * 1024;
  c->close(self);
  return r;
}

/* In a process and a directory of its own. */
static result measure_apart(const contender *c, const work *w)
{
  char directory[4096];
  int ends[2];
  result r = {0};
  snprintf(directory, sizeof directory, "%s/bench-frontier-XXXXXX", w->directory);
  if (!mkdtemp(directory) || pipe(ends) != 0)
    contender_fail(directory, "cannot be made");
  pid_t child = fork();
  if (child == 0) {
    if (w->known)
      frontier_known_make(directory, w->known);
    r = w->queued ? measure_queued(c, w, directory) : measure(c, w, directory);
    _exit(write(ends[1], &r, sizeof r) != sizeof r);
  }
  close(ends[1]);
  bool good = read(ends[0], &r, sizeof r) == sizeof r;
  close(ends[0]);
  waitpid(child, NULL, 0);
  if (!good)
    contender_fail(c->name, "did not finish");
  r.left = disk_use(directory);
  if (w->compact && c->compact) {
    c->compact(directory);
    r.compacted = disk_use(directory);
  }
  char command[4200];
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  if (system(command) != 0)
    contender_fail(directory, "cannot be removed");
  return r;
}

/* ---- the table ------------------------------------------------------------------------------------------- */

static int by_seconds(const void *left, const void *right)
{
  double a = ((const result *)left)->seconds, b = ((const result *)right)->seconds;
  return (a > b) - (a < b);
}

static void print_row(const char *name, const result *r, const work *w, const result *ours)
{
  double n = (double)w->urls;
  printf("%-12s %9.2f %11.0f %9.2fx %8.2f %8.2fx %9.1f %10.1f %10.1f %9.1f", name, r->seconds, n / r->seconds,
         r->seconds / ours->seconds, r->cpu, r->cpu / ours->cpu, r->open_ms, r->stall_ms, r->lot_cpu_ms, r->close_ms);
  printf(" %13.1f %12.1f %11.1f %7" PRIu64 " %9.1fx", (double)r->written / n, (double)r->left / n,
         (double)r->memory / n, r->syncs, r->floor > 0 ? r->seconds / r->floor : 0);
  if (r->compacted)
    printf(" %14.1f", (double)r->compacted / n);
  putchar('\n');
}

static void bench(const contender *const *row, size_t count, const work *w)
{
  static result results[CONTENDERS][ROUNDS_MAX];
  for (unsigned round = 0; round < w->rounds; round++)
    for (size_t i = 0; i < count; i++)
      results[i][round] = measure_apart(row[i], w);
  printf("%" PRIu64 " URLs, %" PRIu64 " hosts, backlog %" PRIu64 ", %" PRIu64 " known before, %u rounds\n", w->urls,
         w->hosts, w->backlog, w->known, w->rounds);
  printf("%-12s %9s %11s %10s %8s %9s %9s %10s %10s %9s", "", "seconds", "URLs/s", "time/ours", "cpu s", "cpu/ours",
         "open ms", "stall ms", "lot cpu ms", "close ms");
  printf(" %13s %12s %11s %7s %10s%s\n", "B written/URL", "B on disk/URL", "B RAM/URL", "syncs", "time/floor",
         w->compact ? " compacted/URL" : "");
  for (size_t i = 0; i < count; i++)
    qsort(results[i], w->rounds, sizeof results[i][0], by_seconds);
  for (size_t i = 0; i < count; i++)
    print_row(row[i]->name, &results[i][w->rounds / 2], w, &results[0][w->rounds / 2]);
}

static uint64_t number(const char *text)
{
  char *end;
  double value = text ? strtod(text, &end) : 0; /* 1e7 is easier to read than its zeros */
  if (!text || *end || value < 1 || value > 1e12)
    contender_fail("usage", "bench_frontier [--urls N] [--hosts H] [--backlog B] [--rounds R] [--expect E] [--known K] "
                            "[--queued] [--exact] [--again] [--compact] [--check] [--only NAME] [--dir DIR]");
  return (uint64_t)value;
}

static work parse(char **argument)
{
  work w = {.urls = 1000000, .hosts = 100000, .backlog = 200000, .rounds = 1, .directory = "."};
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {{"--queued", &w.queued},
               {"--exact", &w.exact},
               {"--again", &w.again},
               {"--compact", &w.compact},
               {"--check", &w.check}};
  for (; *argument; argument++) {
    const char *name = argument[0], *value = argument[1];
    bool is_flag = false;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
      if (strcmp(name, flags[i].name) == 0)
        *flags[i].flag = is_flag = true;
    if (is_flag)
      continue;
    argument += value != NULL;
    if (strcmp(name, "--only") == 0 && value)
      w.only = value;
    else if (strcmp(name, "--dir") == 0 && value)
      w.directory = value;
    else if (strcmp(name, "--urls") == 0)
      w.urls = number(value);
    else if (strcmp(name, "--hosts") == 0)
      w.hosts = number(value);
    else if (strcmp(name, "--backlog") == 0)
      w.backlog = number(value);
    else if (strcmp(name, "--known") == 0)
      w.known = number(value);
    else if (strcmp(name, "--expect") == 0)
      w.expect = number(value);
    else
      w.rounds = (unsigned)number(strcmp(name, "--rounds") == 0 ? value : NULL);
  }
  w.rounds = w.rounds < ROUNDS_MAX ? w.rounds : ROUNDS_MAX;
  return w;
}

/* Who takes part; ours is the first, to which the others are compared. */
static size_t choose(const work *w, const contender *row[CONTENDERS])
{
  size_t count = 0;
  row[count++] = &contender_strata;
  if (w->exact || w->check)
    row[count++] = &contender_exact;
  if (w->known || w->queued || w->exact || w->compact)
    return count;
#ifdef HAVE_SQLITE
  row[count++] = &contender_sqlite;
  row[count++] = &contender_sqlite_fifo;
#else
  puts("sqlite: skipped, libsqlite3-dev was not there when this was built");
#endif
#ifdef HAVE_ROCKSDB
  row[count++] = &contender_rocksdb;
  row[count++] = &contender_rocksdb_fifo;
#else
  puts("rocksdb: skipped, librocksdb-dev was not there when this was built");
#endif
  return count;
}

static size_t keep_only(const char *name, const contender *row[CONTENDERS], size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(row[i]->name, name) == 0) {
      row[0] = row[i];
      return 1;
    }
  contender_fail(name, "takes no part");
}

int main(int argc, char **argv)
{
  (void)argc;
  work w = parse(argv + 1);
  const contender *row[CONTENDERS];
  size_t count = choose(&w, row);
  if (w.only)
    count = keep_only(w.only, row, count);
  if (w.check)
    return frontier_check(row, count, w.directory);
  bench(row, count, &w);
  return 0;
}
