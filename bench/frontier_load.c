/* Made-up URLs go in, and out again; a child that works writes its result into a pipe. Known URLs are made, and a
 * frontier is filled and killed, in children of their own, so that the one that measures starts from nothing. */
#include "bench/frontier_load.h"
#include "bench/frontier_cost.h"
#include "bench/frontier_known.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUN = 8, LOT = CONTENDER_LOT, SAMPLE = 32 * LOT };

typedef struct meter {
  cost_calls add, next, done;
  double lot_cpu;           /* the most of the processor that a lot of calls took, and so the most any call did */
  double own, own_cpu;      /* spent by the bench itself, making URLs */
  uint64_t accepted;        /* a filter may take one of millions for seen */
  uint64_t anonymous, file; /* the most kilobytes of memory, every so many URLs */
} meter;

/* ---- the work -------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t z)
{
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* 0 to 99 as two digits; snprintf would take a third of the time of a run. */
static void put_digits(char *text, int pairs, uint64_t value)
{
  for (int i = pairs; i-- > 0; value /= 100) {
    text[2 * i] = (char)('0' + value / 10 % 10);
    text[2 * i + 1] = (char)('0' + value % 10);
  }
}

static void make_url(const load *l, uint64_t number, contender_text *out)
{
  static const char model[] = "https://www.host-000000.example/section-00/article-0000000000-title.html";
  uint64_t host = mix(number / RUN + 1) % l->hosts;
  memcpy(out->text, model, sizeof model - 1);
  out->size = sizeof model - 1;
  put_digits(out->text + 17, 3, host);
  if (host >= 1000000)
    put_digits(out->text + 8, 1, host / 1000000);
  put_digits(out->text + 40, 1, mix(number) % 20);
  put_digits(out->text + 51, 5, number);
}

static void watch_lot(meter *m, double cpu_began)
{
  double took = cost_thread_cpu() - cpu_began;
  if (took > m->lot_cpu)
    m->lot_cpu = took;
}

static void watch_memory(meter *m)
{
  uint64_t anonymous = cost_proc("/proc/self/status", "RssAnon:"), file = cost_proc("/proc/self/status", "RssFile:");
  m->anonymous = anonymous > m->anonymous ? anonymous : m->anonymous;
  m->file = file > m->file ? file : m->file;
}

/* The time in which the texts are made does not count. */
static void add_texts(const contender *c, void *self, const load *l, uint64_t first, uint64_t count, bool are_old,
                      meter *m)
{
  static contender_text texts[LOT];
  double cpu_began = cost_thread_cpu(), began = cost_now();
  for (uint64_t i = 0; i < count; i++)
    make_url(l, are_old ? mix(~(first + i)) % (first + i + 1) : first + i, &texts[i]);
  m->own_cpu += cost_thread_cpu() - cpu_began;
  cpu_began = cost_thread_cpu();
  double last = cost_now();
  m->own += last - began;
  for (uint64_t i = 0, size; i < count; i += size) {
    size = !c->add_page ? 1 : count - i < CONTENDER_PAGE ? count - i : CONTENDER_PAGE;
    m->accepted += c->add_page ? c->add_page(self, texts + i, size) : c->add(self, texts[i].text, texts[i].size);
    double at = cost_now();
    cost_note(&m->add, at - last);
    last = at;
  }
  watch_lot(m, cpu_began);
}

static void add_lot(const contender *c, void *self, const load *l, uint64_t first, uint64_t count, meter *m)
{
  add_texts(c, self, l, first, count, false, m);
  if (l->again)
    add_texts(c, self, l, first, count, true, m);
  if (first % SAMPLE == 0)
    watch_memory(m);
}

static uint64_t take_lot(const contender *c, void *self, meter *m)
{
  static contender_lease leases[LOT];
  double last = cost_now(), cpu_began = cost_thread_cpu();
  size_t count = c->next(self, leases, LOT);
  double at = cost_now();
  cost_note(&m->next, at - last);
  for (size_t i = 0; i < count; i++) {
    last = at;
    c->done(self, leases[i].id, CONTENDER_DONE, 200);
    at = cost_now();
    cost_note(&m->done, at - last);
  }
  watch_lot(m, cpu_began);
  return count;
}

static void run(const contender *c, void *self, const load *l, meter *m)
{
  uint64_t added = 0, taken = 0;
  while (added < l->urls || (c->is_finished ? !c->is_finished(self) : taken < m->accepted)) {
    uint64_t lot = l->urls - added < LOT ? l->urls - added : LOT;
    if (lot)
      add_lot(c, self, l, added, lot, m);
    added += lot;
    if (added == l->urls || m->accepted - taken > l->backlog)
      taken += take_lot(c, self, m);
  }
}

/* Opening, and the first URLs: as many lots as fill our window again, for the memory they take. */
static void run_queued(const contender *c, void *self, meter *m)
{
  enum { LOTS = 200 };
  for (int i = 0; i < LOTS; i++)
    take_lot(c, self, m);
}

/* ---- what it cost ---------------------------------------------------------------------------------------- */

static load_calls times_of(const cost_calls *calls)
{
  return (load_calls){cost_quantile(calls, 0.5) * 1e6, cost_quantile(calls, 0.999) * 1e6, calls->longest * 1e6};
}

static void count_up(load_result *r, const meter *m, const load *l, uint64_t memory_before)
{
  double n = (double)l->urls, longest = m->add.longest > m->next.longest ? m->add.longest : m->next.longest;
  r->add = times_of(&m->add);
  r->next = times_of(&m->next);
  r->done = times_of(&m->done);
  r->longest_ms = (m->done.longest > longest ? m->done.longest : longest) * 1e3;
  r->lot_cpu_ms = m->lot_cpu * 1e3;
  r->urls_a_second = (double)(l->queued ? m->done.count : l->urls) / r->seconds;
  r->floors = r->floor > 0 ? r->seconds / r->floor : 0;
  r->written /= n;
  r->dirtied /= n;
  uint64_t most = m->anonymous > memory_before ? m->anonymous - memory_before : 0;
  r->anonymous_most_mb = (double)most / 1e3 * 1.024;
  r->mapped_most_mb = (double)m->file / 1e3 * 1.024;
  r->anonymous_known = (double)most * 1024 / (double)(l->urls + l->known);
}

static load_result measure(const contender *c, const load *l, const char *directory)
{
  static meter m;
  load_result r = {0};
  uint64_t syncs_before = cost_syncs(), before = cost_proc("/proc/self/io", "wchar:");
  uint64_t dirtied_before = cost_proc("/proc/self/io", "write_bytes:");
  uint64_t memory_before = cost_proc("/proc/self/status", "RssAnon:");
  double began = cost_now(), cpu_began = cost_cpu();
  void *self = c->open(directory, l->expect ? l->expect : l->urls + l->known);
  r.open_ms = (cost_now() - began) * 1e3;
  r.open_cpu_ms = (cost_cpu() - cpu_began) * 1e3;
  began = cost_now();
  cpu_began = cost_cpu();
  if (l->queued)
    run_queued(c, self, &m);
  else
    run(c, self, l, &m);
  r.seconds = cost_now() - began - m.own;
  r.cpu = cost_cpu() - cpu_began - m.own_cpu;
  watch_memory(&m);
  r.anonymous_end_mb = ((double)cost_proc("/proc/self/status", "RssAnon:") - (double)memory_before) / 1e3 * 1.024;
  if (c->report && l->expect)
    c->report(self);
  double close_began = cost_now(), close_cpu = cost_cpu();
  c->close(self);
  r.close_ms = (cost_now() - close_began) * 1e3;
  r.seconds += cost_now() - close_began;
  r.cpu += cost_cpu() - close_cpu;
  uint64_t written = cost_proc("/proc/self/io", "wchar:") - before;
  r.written = (double)written;
  r.dirtied = (double)(cost_proc("/proc/self/io", "write_bytes:") - dirtied_before);
  r.syncs = (double)(cost_syncs() - syncs_before);
  r.floor = cost_floor(directory, cost_syncs() - syncs_before, written);
  count_up(&r, &m, l, memory_before);
  return r;
}

/* ---- processes and directories --------------------------------------------------------------------------- */

static void must_do(const char *command)
{
  if (system(command) != 0)
    contender_fail(command, "failed");
}

static void make_known(const contender *c, const load *l, const char *directory)
{
  known_crawl what = {
    .urls = (l->known + 999) / 1000 * 1000, .rate = c->known_rate, .filter = MLBF_KIND_MLBF, .exact = c->is_exact};
  frontier_known_make(directory, &what);
  if (c->is_exact)
    frontier_known_complete(directory, &what, NULL, NULL);
}

/* In `directory`, or a copy of what was made in the directory that was given, by this run or one before. */
static void lay_out_known(const contender *c, const load *l, const char *directory)
{
  char kept[4096], part[4200], command[9000];
  if (!l->known_directory) {
    make_known(c, l, directory);
    return;
  }
  snprintf(kept, sizeof kept, "%s/known-%s%g-%" PRIu64, l->known_directory, c->is_exact ? "exact-" : "", c->known_rate,
           l->known);
  if (access(kept, F_OK) != 0) {
    snprintf(part, sizeof part, "%s.part", kept);
    snprintf(command, sizeof command, "rm -rf '%s'; mkdir -p '%s'", part, part);
    must_do(command);
    make_known(c, l, part);
    if (rename(part, kept) != 0)
      contender_fail(kept, "cannot be made");
  }
  snprintf(command, sizeof command, "cp '%s'/* '%s'", kept, directory);
  must_do(command);
}

/* Killed behind its last full transaction. */
static void queue_and_die(const contender *c, const load *l, const char *directory)
{
  static meter m;
  void *self = c->open(directory, l->urls + l->known);
  for (uint64_t added = 0; added < l->urls; added += LOT) {
    add_lot(c, self, l, added, l->urls - added < LOT ? l->urls - added : LOT, &m);
    if (c->commit)
      c->commit(self);
  }
  raise(SIGKILL);
}

typedef enum life { LAY_OUT, QUEUE_AND_DIE, MEASURE } life;

/* True: it did not fail. */
static bool live(life what, const contender *c, const load *l, const char *directory, load_result *r)
{
  int ends[2], status;
  if (pipe(ends) != 0)
    contender_fail("pipe", "cannot be made");
  pid_t child = fork();
  if (child == 0) {
    if (what == LAY_OUT)
      lay_out_known(c, l, directory);
    else if (what == QUEUE_AND_DIE)
      queue_and_die(c, l, directory);
    else
      *r = measure(c, l, directory);
    _exit(write(ends[1], r, sizeof *r) != sizeof *r);
  }
  close(ends[1]);
  bool good = read(ends[0], r, sizeof *r) == sizeof *r;
  close(ends[0]);
  return child > 0 && waitpid(child, &status, 0) == child &&
         (what == QUEUE_AND_DIE ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL : good);
}

load_result load_measure(const contender *c, const load *l)
{
  char directory[4096], command[4200];
  load_result r = {0};
  snprintf(directory, sizeof directory, "%s/bench-frontier-XXXXXX", l->directory);
  if (!mkdtemp(directory))
    contender_fail(directory, "cannot be made");
  if (l->known && !live(LAY_OUT, c, l, directory, &r))
    contender_fail("known URLs", "cannot be made");
  uint64_t before = l->known ? cost_disk(directory) : 0;
  if (l->queued && !live(QUEUE_AND_DIE, c, l, directory, &r))
    contender_fail(c->name, "was not killed");
  sync(); /* what was laid out is on disk, and in the page cache, before the clock runs */
  if (!live(MEASURE, c, l, directory, &r))
    contender_fail(c->name, "did not finish");
  r.left = ((double)cost_disk(directory) - (double)before) / (double)l->urls;
  if (l->compact && c->compact) {
    c->compact(directory);
    r.compacted = ((double)cost_disk(directory) - (double)before) / (double)l->urls;
  }
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  must_do(command);
  return r;
}
