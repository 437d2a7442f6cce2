/* What options.exact costs a crawl that knows many URLs: pages of 50 links, one of them new, beside the same filter
 * without it.
 *
 *     bench_late [--known N] [--pages-of-host P] [--evenly] [--rounds R] [--round-pages M] [--fp RATE] [--line]
 *                [--commit-thread] [--dir DIR] [--known-dir DIR]      default 10^6, 10, 5 rounds of 40,000 pages, 1e-2
 *
 * The known URLs are all pages of a web in a box (tests/contract/web/web.h) with P pages a host; its pages are visited
 * as a crawl would, hosts in turn, and the links are those that stand on them. --evenly: each link is any known URL.
 * The new ones are on 20,000 other hosts; 100,000 wait at first, and one is taken and ended for each that comes.
 *
 * Each column is a process of its own. They get the same pages, 512 at a time, in turn, as frontier_add_texts takes
 * them: a link's time has its parsing in it, and is of all threads. A round ends when a pass has ended (core/late.h),
 * so it has whole ones; the lines say medians of rounds, and of their ratios. At the end the queue is emptied, and
 * what was handed out must be all that was new.
 *
 * DIR needs 100 bytes for each known URL, for both columns. --known-dir: they are made there, once, and copied. */
#include "bench/frontier_contender.h"
#include "bench/frontier_cost.h"
#include "bench/frontier_known.h"
#include "bench/late_column.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS_MAX = 99, BACKLOG = 100000, WARM_UP_PAGES = 100000, FRONT = 0, EXACT = 1, COLUMNS = 2 };

typedef struct work {
  uint64_t known, pages_of_host, rounds, round_pages;
  double rate;
  bool evenly, line, thread;
  const char *directory, *known_directory;
} work;

/* Of a round, or of all. */
typedef struct account {
  uint64_t pages, links, fresh;
  double parsing;
  late_numbers from[COLUMNS], to[COLUMNS];
} account;

typedef struct bench {
  const work *work;
  late_pages *pages;
  late_lot *lot;
  late_column *columns[COLUMNS];
  late_numbers now[COLUMNS];
  uint64_t lots, given, links, fresh, visited;
  double parsing;
  uint64_t most_anonymous, most_keys, most_doubts, most_data, most_waiting; /* more than without */
} bench;

void contender_fail(const char *who, const char *why)
{
  fflush(stdout);
  fprintf(stderr, "bench_late: %s: %s\n", who, why);
  _exit(1);
}

/* ---- the known URLs ---------------------------------------------------------------------------------------- */

static uint64_t keys_bytes(const char *directory)
{
  uint64_t bytes = 0;
  DIR *files = opendir(directory);
  for (struct dirent *file; files && (file = readdir(files));) {
    struct stat info;
    if (strncmp(file->d_name, "keys.", 5) == 0 && fstatat(dirfd(files), file->d_name, &info, 0) == 0)
      bytes += (uint64_t)info.st_blocks * 512;
  }
  if (files)
    closedir(files);
  return bytes;
}

typedef struct watch {
  const char *directory;
  uint64_t most;
} watch;

static void look(void *context)
{
  watch *w = context;
  uint64_t bytes = keys_bytes(w->directory);
  w->most = bytes > w->most ? bytes : w->most;
}

static known_crawl known_of(const bench *b, bool exact)
{
  return (known_crawl){.urls = late_pages_known(b->pages),
                       .rate = b->work->rate,
                       .filter = b->work->line ? MLBF_KIND_LINE : MLBF_KIND_MLBF,
                       .exact = exact,
                       .is_saved = true,
                       .hash = late_pages_hash,
                       .context = b->pages};
}

static void make(const bench *b, bool exact, const char *directory)
{
  known_crawl what = known_of(b, exact);
  frontier_known_make(directory, &what);
  if (!exact)
    return;
  watch w = {.directory = directory};
  double cpu = cost_cpu(), n = (double)what.urls;
  frontier_known_complete(directory, &what, look, &w);
  printf(
    "runs of all keys made from the log: %.0f ns of the processor a key, %.1f B a key, %.1f while they were merged\n",
    (cost_cpu() - cpu) / n * 1e9, (double)keys_bytes(directory) / n, (double)w.most / n);
  fflush(stdout);
}

static void must_do(const char *command)
{
  if (system(command) != 0)
    contender_fail(command, "failed");
}

static void make_apart(const bench *b, bool exact, const char *directory)
{
  int status;
  char command[4200];
  snprintf(command, sizeof command, "rm -rf '%s'; mkdir -p '%s'", directory, directory);
  must_do(command);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    make(b, exact, directory);
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    contender_fail(directory, "cannot be made");
}

/* Each of both, in DIR, or copied from what was made before. */
static void lay_out(const bench *b, bool exact, const char *directory)
{
  char kept[4096], part[4200], command[9000];
  const work *w = b->work;
  if (!w->known_directory) {
    make_apart(b, exact, directory);
    return;
  }
  snprintf(kept, sizeof kept, "%s/late-%s%s%g-%" PRIu64 "-%" PRIu64, w->known_directory, exact ? "exact-" : "",
           w->line ? "line-" : "", w->rate, w->known, w->pages_of_host);
  if (access(kept, F_OK) != 0) {
    snprintf(part, sizeof part, "%s.part", kept);
    make_apart(b, exact, part);
    if (rename(part, kept) != 0)
      contender_fail(kept, "cannot be made");
  }
  if (snprintf(command, sizeof command, "cp -r '%s' '%s'; sync '%s'/*", kept, directory, directory) >=
      (int)sizeof command)
    contender_fail(directory, "is too long a name");
  must_do(command);
}

/* ---- the work ---------------------------------------------------------------------------------------------- */

static void watch_most(uint64_t *most, uint64_t with, uint64_t without)
{
  if (with > without && with - without > *most)
    *most = with - without;
}

/* Those that do not turn out to be new are unconfirmed for a while, so the backlog is that of either column. */
static void work_lot(bench *b)
{
  static url u;
  double began = cost_thread_cpu();
  for (uint32_t i = 0; i < b->lot->links; i++)
    (void)url_parse(b->lot->text + b->lot->begin[i], b->lot->begin[i + 1] - b->lot->begin[i], URL_STRICT, &u);
  b->parsing += cost_thread_cpu() - began;
  for (uint64_t i = 0; i < COLUMNS; i++) {
    size_t column = (b->lots + i) % COLUMNS;
    b->now[column] = late_column_work(b->columns[column], BACKLOG);
  }
  b->lots++;
  b->given += b->lot->fresh;
  const late_numbers *with = &b->now[EXACT], *without = &b->now[FRONT];
  watch_most(&b->most_anonymous, with->anonymous, without->anonymous);
  watch_most(&b->most_keys, with->keys_bytes, 0);
  watch_most(&b->most_doubts, with->doubts_bytes, 0);
  watch_most(&b->most_data, with->data_bytes, without->data_bytes);
  watch_most(&b->most_waiting, with->unconfirmed, 0);
}

static void draw_and_work(bench *b)
{
  late_pages_draw(b->pages, b->work->evenly, b->lot);
  work_lot(b);
  b->visited += b->lot->pages;
  b->links += b->lot->links;
  b->fresh += b->lot->fresh;
}

/* So many pages, and on until a pass has ended. A thread may be at work when none has its turn: so what comes later is
 * asked for, too. */
static void work_round(bench *b, uint64_t pages)
{
  uint64_t end = b->visited + pages, waiting;
  do {
    waiting = b->now[EXACT].unconfirmed;
    draw_and_work(b);
  } while (b->visited < end || (b->now[EXACT].unconfirmed > 0 && b->now[EXACT].unconfirmed >= waiting));
}

static account begin_account(const bench *b)
{
  account a = {.pages = b->visited, .links = b->links, .fresh = b->fresh, .parsing = b->parsing};
  memcpy(a.from, b->now, sizeof a.from);
  return a;
}

static void end_account(account *a, const bench *b)
{
  a->pages = b->visited - a->pages;
  a->links = b->links - a->links;
  a->fresh = b->fresh - a->fresh;
  a->parsing = b->parsing - a->parsing;
  memcpy(a->to, b->now, sizeof a->to);
}

/* ---- what it cost ------------------------------------------------------------------------------------------ */

static int by_size(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, uint64_t count)
{
  qsort(values, count, sizeof *values, by_size);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double ns_a_link(const account *a, size_t column)
{
  return (a->to[column].cpu - a->from[column].cpu) / (double)a->links * 1e9;
}

static void print_times(const account *rounds, uint64_t count)
{
  double front[ROUNDS_MAX] = {0}, exact[ROUNDS_MAX] = {0}, ratio[ROUNDS_MAX] = {0}, bare[ROUNDS_MAX] = {0};
  double parsing[ROUNDS_MAX] = {0};
  for (uint64_t i = 0; i < count; i++) {
    front[i] = ns_a_link(&rounds[i], FRONT);
    exact[i] = ns_a_link(&rounds[i], EXACT);
    parsing[i] = rounds[i].parsing / (double)rounds[i].links * 1e9;
    ratio[i] = exact[i] / front[i];
    bare[i] = (exact[i] - parsing[i]) / (front[i] - parsing[i]);
  }
  printf("ns of the processor a link: front %.1f, exact %.1f, ratio %.3f; without parsing, %.1f, ratio %.3f\n",
         median(front, count), median(exact, count), median(ratio, count), median(parsing, count), median(bare, count));
}

static void print_shares(const account *all)
{
  double links = (double)all->links, pages = (double)all->pages, fresh = (double)all->fresh;
  const late_numbers *from = all->from, *to = all->to;
  double doubts = (double)(to[EXACT].doubts - from[EXACT].doubts);
  double written = (double)(to[EXACT].written - from[EXACT].written);
  written -= (double)(to[FRONT].written - from[FRONT].written);
  printf("%" PRIu64 " pages, %.1f links each, %.2f %% new\n", all->pages, links / pages, 100 * fresh / links);
  printf("reached the buffer: %.2f %% of links; %.0f ns each; late %.2f %% of new\n", 100 * doubts / links,
         (ns_a_link(all, EXACT) - ns_a_link(all, FRONT)) * links / doubts,
         100 * (double)(to[EXACT].late - from[EXACT].late) / fresh);
  printf("written more: %.0f B a page, %.0f B a link that reached the buffer\n", written / pages, written / doubts);
}

static void print_most(const bench *b)
{
  double n = (double)(late_pages_known(b->pages) + b->given);
  printf("at most, more than without: %.1f MB of memory; runs %.1f B a URL known; unconfirmed %" PRIu64
         ", in files %.1f MB, data.mdb %.1f MB; longest call %.1f ms, without %.1f\n",
         (double)b->most_anonymous / 1e6, (double)b->most_keys / n, b->most_waiting, (double)b->most_doubts / 1e6,
         (double)b->most_data / 1e6, b->now[EXACT].longest_ms, b->now[FRONT].longest_ms);
}

/* Nothing may be lost, and nothing come twice. */
static void finish(bench *b)
{
  late_numbers front = late_column_finish(b->columns[FRONT]), exact = late_column_finish(b->columns[EXACT]);
  printf("of %" PRIu64 " new URLs exact handed out %" PRIu64 ", front %" PRIu64 ": %.2f %% lost\n", b->given,
         exact.taken, front.taken, 100 * (1 - (double)front.taken / (double)b->given));
  if (exact.taken != b->given)
    contender_fail("exact", "URLs were lost, or came twice");
}

static void run(bench *b)
{
  static account rounds[ROUNDS_MAX];
  const work *w = b->work;
  for (uint64_t left = BACKLOG, some; left; left -= some) {
    some = left < LATE_PAGES * 50 ? left : LATE_PAGES * 50;
    late_pages_draw_fresh(b->pages, (uint32_t)some, b->lot);
    work_lot(b);
  }
  work_round(b, WARM_UP_PAGES);
  account all = begin_account(b);
  for (uint64_t i = 0; i < w->rounds; i++) {
    rounds[i] = begin_account(b);
    work_round(b, w->round_pages);
    end_account(&rounds[i], b);
  }
  end_account(&all, b);
  print_times(rounds, w->rounds);
  print_shares(&all);
  print_most(b);
  finish(b);
}

/* ---- what is asked for ------------------------------------------------------------------------------------- */

static double number(const char *given)
{
  char *end;
  double value = given ? strtod(given, &end) : 0; /* 1e7 is easier to read than its zeros */
  if (!given || *end || value <= 0 || value > 1e9)
    contender_fail("usage", "bench_late [--known N] [--pages-of-host P] [--evenly] [--rounds R] [--round-pages M] "
                            "[--fp RATE] [--line] [--commit-thread] [--dir DIR] [--known-dir DIR]");
  return value;
}

static work parse(char **argument)
{
  work w = {.known = 1000000, .pages_of_host = 10, .rounds = 5, .round_pages = 40000, .rate = 1e-2, .directory = "."};
  const struct {
    const char *name;
    bool *flag;
    uint64_t *number;
    double *share;
    const char **string;
  } options[] = {{"--evenly", &w.evenly, NULL, NULL, NULL},
                 {"--line", &w.line, NULL, NULL, NULL},
                 {"--commit-thread", &w.thread, NULL, NULL, NULL},
                 {"--known", NULL, &w.known, NULL, NULL},
                 {"--pages-of-host", NULL, &w.pages_of_host, NULL, NULL},
                 {"--rounds", NULL, &w.rounds, NULL, NULL},
                 {"--round-pages", NULL, &w.round_pages, NULL, NULL},
                 {"--fp", NULL, NULL, &w.rate, NULL},
                 {"--dir", NULL, NULL, NULL, &w.directory},
                 {"--known-dir", NULL, NULL, NULL, &w.known_directory}};
  for (; *argument; argument++) {
    size_t i = 0;
    while (i < sizeof options / sizeof *options && strcmp(*argument, options[i].name) != 0)
      i++;
    if (i == sizeof options / sizeof *options || (!options[i].flag && !argument[1]))
      number(NULL);
    else if (options[i].flag)
      *options[i].flag = true;
    else if (options[i].number)
      *options[i].number = (uint64_t)number(*++argument);
    else if (options[i].share)
      *options[i].share = number(*++argument);
    else
      *options[i].string = *++argument;
  }
  w.rounds = w.rounds < ROUNDS_MAX ? w.rounds : ROUNDS_MAX;
  return w;
}

int main(int argc, char **argv)
{
  (void)argc;
  work w = parse(argv + 1);
  bench b = {.work = &w, .pages = late_pages_create(w.known, (uint32_t)w.pages_of_host, 50)};
  char directories[COLUMNS][4200], top[4096], command[4200];
  b.lot = mmap(NULL, sizeof *b.lot, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  snprintf(top, sizeof top, "%s/bench-late-XXXXXX", w.directory);
  if (b.lot == MAP_FAILED || !mkdtemp(top))
    contender_fail(top, "cannot be made");
  printf("%" PRIu64 " known URLs, %" PRIu64 " pages a host, links drawn %s, rate %g, %s%s\n", late_pages_known(b.pages),
         w.pages_of_host, w.evenly ? "evenly" : "by the box", w.rate, w.line ? "line" : "mlbf with signals",
         w.thread ? ", commit thread" : "");
  for (size_t i = 0; i < COLUMNS; i++) {
    known_crawl what = known_of(&b, i == EXACT);
    snprintf(directories[i], sizeof directories[i], "%s/%s", top, i == EXACT ? "exact" : "front");
    lay_out(&b, i == EXACT, directories[i]);
    frontier_options options = frontier_known_options(&what);
    options.per_host = CONTENDER_PER_HOST;
    options.depth_cap = UINT16_MAX;
    options.commit_thread = w.thread;
    b.columns[i] = late_column_open(directories[i], &options, b.lot);
  }
  run(&b);
  snprintf(command, sizeof command, "rm -rf '%s'", top);
  must_do(command);
  late_pages_free(b.pages);
  return 0;
}
