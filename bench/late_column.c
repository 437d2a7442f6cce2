/* The parent sends how many are to be left waiting, the child answers with numbers. Its time is that in which it works:
 * while others have their turn, no delay and no commit comes due. */
#include "bench/late_column.h"

#include "frontier/text.h"
#include "bench/frontier_contender.h"
#include "bench/frontier_cost.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEASES = 512 };

struct late_column {
  pid_t child;
  int to, from;
};

typedef struct worker {
  frontier *frontier;
  const char *directory;
  const late_lot *lot;
  double worked, began; /* seconds: before this turn; when this turn began */
  uint64_t doubts, taken;
  double longest;
} worker;

static void demand(const worker *w, frontier_status status)
{
  if (status != FRONTIER_OK)
    contender_fail("late", frontier_message(w->frontier));
}

static double now(const worker *w)
{
  return w->worked + cost_now() - w->began;
}

static uint64_t now_ms(const worker *w)
{
  return 1000000 + (uint64_t)(now(w) * 1e3);
}

static void note_call(worker *w, double began)
{
  double took = now(w) - began;
  if (took > w->longest)
    w->longest = took;
}

static void add_page(worker *w, uint32_t begin, uint32_t end)
{
  static frontier_text texts[LATE_LINKS];
  static frontier_answer answers[LATE_LINKS];
  const late_lot *lot = w->lot;
  size_t count = end - begin, settled;
  for (size_t i = 0; i < count; i++) {
    uint32_t at = lot->begin[begin + i];
    texts[i] = (frontier_text){.href = lot->text + at, .href_size = lot->begin[begin + i + 1] - at};
  }
  double began = now(w);
  demand(w, frontier_add_texts(w->frontier, NULL, texts, count, now_ms(w), answers, &settled));
  note_call(w, began);
  for (size_t i = 0; i < count; i++)
    w->doubts += answers[i].verdict.outcome == FRONTIER_UNCONFIRMED;
}

static size_t take(worker *w, size_t max)
{
  static frontier_lease leases[LEASES];
  size_t count;
  int64_t wait_ms;
  double began = now(w);
  demand(w, frontier_next(w->frontier, now_ms(w), leases, max < LEASES ? max : LEASES, &count, &wait_ms));
  note_call(w, began);
  for (size_t i = 0; i < count; i++)
    demand(w, frontier_done(w->frontier, leases[i].id, FRONTIER_DONE, 200, NULL, 0, now_ms(w)));
  w->taken += count;
  return count;
}

static frontier_stats stats_of(const worker *w)
{
  frontier_stats stats;
  demand(w, frontier_stats_read(w->frontier, &stats));
  return stats;
}

static void work(worker *w, uint64_t backlog)
{
  for (uint32_t page = 0, begin = 0; page < w->lot->pages; begin = w->lot->page_end[page++])
    add_page(w, begin, w->lot->page_end[page]);
  uint64_t queued = stats_of(w).queued;
  for (size_t some = 1; queued > backlog && some; queued -= some)
    some = take(w, queued - backlog);
}

static void finish(worker *w)
{
  while (!frontier_is_finished(w->frontier))
    if (take(w, LEASES) == 0)
      w->worked += 0.1;
}

static void add_sizes(const char *directory, late_numbers *n)
{
  DIR *files = opendir(directory);
  for (struct dirent *file; files && (file = readdir(files));) {
    struct stat info;
    if (fstatat(dirfd(files), file->d_name, &info, 0) != 0)
      continue;
    uint64_t bytes = (uint64_t)info.st_blocks * 512;
    if (strncmp(file->d_name, "keys.", 5) == 0)
      n->keys_bytes += bytes;
    else if (strncmp(file->d_name, "doubts.", 7) == 0)
      n->doubts_bytes += bytes;
    else if (strcmp(file->d_name, "data.mdb") == 0)
      n->data_bytes += bytes;
  }
  if (files)
    closedir(files);
}

static late_numbers numbers_of(const worker *w, double cpu)
{
  frontier_stats stats = stats_of(w);
  late_numbers n = {.cpu = cpu,
                    .written = cost_proc("/proc/self/io", "wchar:"),
                    .doubts = w->doubts,
                    .late = stats.late,
                    .unconfirmed = stats.unconfirmed,
                    .queued = stats.queued,
                    .taken = w->taken,
                    .anonymous = cost_proc("/proc/self/status", "RssAnon:") * 1024,
                    .longest_ms = w->longest * 1e3};
  add_sizes(w->directory, &n);
  return n;
}

static void answer(int to, const late_numbers *n)
{
  if (write(to, n, sizeof *n) != sizeof *n)
    contender_fail("late", "the parent is gone");
}

/* What is asked between turns costs no turn. */
static void live(const char *directory, const frontier_options *options, const late_lot *shared, int from, int to)
{
  char message[FRONTIER_MESSAGE_SIZE];
  uint64_t backlog;
  worker w = {.directory = directory, .lot = shared};
  if (frontier_open(directory, options, &w.frontier, message) != FRONTIER_OK)
    contender_fail(directory, message);
  double own_cpu = 0;
  while (read(from, &backlog, sizeof backlog) == sizeof backlog) {
    w.began = cost_now();
    if (backlog == UINT64_MAX)
      finish(&w);
    else
      work(&w, backlog);
    w.worked = now(&w);
    double cpu = cost_cpu();
    late_numbers n = numbers_of(&w, cpu - own_cpu);
    answer(to, &n);
    if (backlog == UINT64_MAX)
      break;
    own_cpu += cost_cpu() - cpu;
  }
  demand(&w, frontier_close(w.frontier));
}

late_column *late_column_open(const char *directory, const frontier_options *options, const late_lot *shared)
{
  int down[2], up[2];
  late_column *c = calloc(1, sizeof *c);
  if (!c || pipe(down) != 0 || pipe(up) != 0 || (c->child = fork()) < 0)
    contender_fail("late", "no process can be made");
  if (c->child == 0) {
    close(down[1]);
    close(up[0]);
    live(directory, options, shared, down[0], up[1]);
    _exit(0);
  }
  close(down[0]);
  close(up[1]);
  c->to = down[1];
  c->from = up[0];
  return c;
}

late_numbers late_column_work(late_column *c, uint64_t backlog)
{
  late_numbers n;
  if (write(c->to, &backlog, sizeof backlog) != sizeof backlog || read(c->from, &n, sizeof n) != sizeof n)
    contender_fail("late", "a column failed");
  return n;
}

late_numbers late_column_finish(late_column *c)
{
  int status;
  late_numbers n = late_column_work(c, UINT64_MAX);
  close(c->to);
  close(c->from);
  if (waitpid(c->child, &status, 0) != c->child || status != 0)
    contender_fail("late", "a column failed");
  free(c);
  return n;
}
