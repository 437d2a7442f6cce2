/* See cluster_workers.h. A worker is this program after fork: it has its options, opens its own directory, and
 * crawls as any other crawl. */
#include "crawler/commands/cluster_workers.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/commands/cluster_copies.h"
#include "crawler/commands/cluster_panel.h"
#include "crawler/commands/cluster_place.h"
#include "crawler/commands/cmd.h"
#include "crawler/commands/crawl_ending.h"
#include "frontier/base/machine.h"
#include "frontier/exchange.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ASK_MS = 5000, TICK_MS = 100 };

/* ---- which ---------------------------------------------------------------------------------------------- */

typedef struct known_partitions {
  uint32_t count;
  bool *had_owner; /* ever */
  bool *has_owner;
} known_partitions;

static void known_came(void *context, const redisReply *reply)
{
  const known_partitions *known = context;
  for (size_t i = 0; reply && reply->type == REDIS_REPLY_ARRAY && i + 1 < reply->elements; i += 2) {
    unsigned long p = reply->element[i]->str ? strtoul(reply->element[i]->str, NULL, 10) : known->count;
    if (p < known->count)
      known->had_owner[p] = true;
  }
}

typedef struct owner_question {
  const known_partitions *known;
  uint32_t partition;
} owner_question;

static void owner_came(void *context, const redisReply *reply)
{
  owner_question *q = context;
  q->known->has_owner[q->partition] = reply && reply->type == REDIS_REPLY_STRING;
}

static bool ask_known(broker *b, known_partitions *known)
{
  broker_key key = broker_key_of(b, "known");
  broker_word word = broker_text(key.text);
  owner_question *questions = calloc(known->count, sizeof *questions);
  broker_send(b, BROKER_HGETALL, &word, 1, known_came, known);
  for (uint32_t p = 0; questions && p < known->count; p++) {
    questions[p] = (owner_question){known, p};
    broker_key own = broker_key_of_number(b, "own", p);
    broker_word of = broker_text(own.text);
    broker_send(b, BROKER_GET, &of, 1, owner_came, &questions[p]);
  }
  bool is_answered = questions && broker_settle(b, ASK_MS);
  free(questions);
  return is_answered;
}

static bool is_here(const char *directory, uint32_t partition)
{
  char path[CRAWL_PATH_SIZE];
  struct stat info;
  cluster_partition_path(directory, partition, path);
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* "0-15,20": false if it is not that, or beyond the last partition. */
static bool read_own(const char *text, uint32_t partitions, bool *wanted)
{
  while (*text) {
    char *end;
    if (*text < '0' || *text > '9')
      return false;
    unsigned long first = strtoul(text, &end, 10), last = first;
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
      last = strtoul(end + 1, &end, 10);
    if (first > last || last >= partitions || (*end && *end != ','))
      return false;
    for (unsigned long p = first; p <= last; p++)
      wanted[p] = true;
    text = end + (*end == ',');
  }
  return true;
}

/* What is here, or else what nobody ever had. */
static void choose_freely(const known_partitions *known, const char *directory, bool *wanted)
{
  bool has_some = false;
  for (uint32_t p = 0; p < known->count; p++)
    has_some |= wanted[p] = is_here(directory, p);
  enum { LEAST = 4 }; /* a worker of a polite crawl waits most of its time */
  long cores = sysconf(_SC_NPROCESSORS_ONLN), most = cores > LEAST ? cores : LEAST;
  for (uint32_t p = 0; !has_some && p < known->count && most > 0; p++)
    if (!known->had_owner[p] && !known->has_owner[p]) {
      wanted[p] = true;
      most--;
    }
}

/* A partition that another directory has cannot be begun anew here: what it knows would be lost. */
static int refuse_known(const known_partitions *known, const char *directory, const bool *wanted)
{
  for (uint32_t p = 0; p < known->count; p++)
    if (wanted[p] && known->had_owner[p] && !is_here(directory, p)) {
      say_error("crawl",
                "--own %" PRIu32
                ": another directory has that partition; start the crawl where it is, or put a copy of "
                "it at %s/p-%03" PRIu32 " and run strata cluster adopt on it; --begin-lost, if all are lost",
                p, directory, p);
      return EXIT_FAILED;
    }
  return EXIT_DONE;
}

static int choose(const crawl_args *args, const known_partitions *known, const char *directory, bool *wanted)
{
  if (!args->own) {
    choose_freely(known, directory, wanted);
    return EXIT_DONE;
  }
  if (read_own(args->own, known->count, wanted))
    return args->begins_lost ? EXIT_DONE : refuse_known(known, directory, wanted);
  say_error("crawl", "--own %s: numbers from 0 to %" PRIu32 ", please, as in 0-3,7", args->own, known->count - 1);
  return EXIT_USAGE;
}

int partitions_choose(const crawl_args *args, broker *b, const char *directory, partition_list *list)
{
  uint32_t count = args->place->partitions;
  known_partitions known = {count, calloc(count, sizeof(bool)), calloc(count, sizeof(bool))};
  bool *wanted = calloc(count, sizeof *wanted);
  int code = EXIT_FAILED;
  list->numbers = calloc(count, sizeof *list->numbers);
  if (!known.had_owner || !known.has_owner || !wanted || !list->numbers)
    say_error("crawl", "out of memory");
  else if (!ask_known(b, &known))
    say_error("crawl", "--cluster: Redis does not answer");
  else
    code = choose(args, &known, directory, wanted);
  for (uint32_t p = 0; code == EXIT_DONE && p < count; p++) {
    list->is_crawled |= known.has_owner[p];
    list->without_owner += !wanted[p] && !known.has_owner[p];
    if (wanted[p])
      list->numbers[list->count++] = p;
  }
  if (code == EXIT_DONE && !list->count) {
    say_error("crawl", "all %" PRIu32 " partitions have directories on other machines; strata cluster stat lists them",
              count);
    code = EXIT_FAILED;
  }
  free(known.had_owner);
  free(known.has_owner);
  free(wanted);
  return code;
}

/* ---- processes ------------------------------------------------------------------------------------------ */

pid_t cluster_fork(void)
{
  fflush(NULL);
  pid_t parent = getpid(), child = fork();
  if (child < 0)
    say_error("crawl", "no process could be started: %s", strerror(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
      _exit(EXIT_FAILED);
    ending_begin();
  }
  return child;
}

static int code_of(int status)
{
  bool is_own = WIFEXITED(status) && WEXITSTATUS(status) != CLUSTER_EXIT_SUPERSEDED;
  return is_own ? WEXITSTATUS(status) : EXIT_FAILED;
}

int cluster_reap(pid_t child)
{
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return code_of(status);
}

/* A share of the cap, so that all together never exceed it. */
static uint64_t share_of(uint64_t cap, uint32_t partitions, uint32_t partition)
{
  return cap == UINT64_MAX ? cap : cap / partitions + (partition < cap % partitions);
}

static void become_worker(crawl_args *args, const char *directory, uint32_t partition)
{
  cluster_place *place = args->place;
  place->is_worker = true;
  place->partition = partition;
  cluster_partition_path(directory, partition, place->directory);
  args->directory = place->directory;
  args->quiet = true;
  args->progress = false;
  args->summary = NULL;
  place->was_lost = args->begins_lost && !is_here(directory, partition);
  args->crawl.max_pages = share_of(args->crawl.max_pages, place->partitions, partition);
  args->crawl.max_bytes = share_of(args->crawl.max_bytes, place->partitions, partition);
}

/* One of this machine's processes. */
typedef struct worker {
  pid_t pid; /* 0: it has ended */
  uint32_t partition;
  uint64_t started_ms, again_ms; /* again_ms: it died, and is started then; 0: it is not */
  unsigned deaths;               /* in a row, each soon after a start */
} worker;

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
  (void)number;
  signals++;
}

/* Ctrl-C reaches workers by itself; what is sent to this process is passed on. */
static void pass_on(const worker *workers, size_t count, int *passed)
{
  for (; *passed < signals; (*passed)++)
    for (size_t i = 0; i < count; i++)
      if (workers[i].pid > 0)
        kill(workers[i].pid, SIGTERM);
}

/* Worse first: failed, usage, stopped, done. */
static int worse(int a, int b)
{
  static const int order[] = {[EXIT_FAILED] = 3, [EXIT_USAGE] = 2, [EXIT_STOPPED] = 1, [EXIT_DONE] = 0};
  int of_a = a >= 0 && a <= EXIT_STOPPED ? order[a] : 4, of_b = b >= 0 && b <= EXIT_STOPPED ? order[b] : 4;
  return of_a > of_b ? a : b;
}

/* false: in the child. */
static bool start(worker *w)
{
  w->again_ms = 0;
  w->started_ms = machine_monotonic_ms();
  w->pid = cluster_fork();
  return w->pid != 0;
}

/* What kills a worker is often gone with it, as what the kernel kills when memory is short; its partition has nobody
 * else. But one that dies again and again needs a look. */
static void bury(worker *w, int status, uint64_t now_ms)
{
  enum { SOON_MS = 10000, DEATHS_MAX = 5, REST_MS = 500 };
  w->pid = 0;
  if (WIFEXITED(status))
    return;
  w->deaths = now_ms - w->started_ms < SOON_MS ? w->deaths + 1 : 1;
  bool is_hopeless = w->deaths > DEATHS_MAX || signals;
  w->again_ms = is_hopeless ? 0 : now_ms + REST_MS * w->deaths;
  say_error("crawl", "the worker of partition %" PRIu32 " died (signal %d); %s", w->partition, WTERMSIG(status),
            is_hopeless ? "the same command goes on" : "it is started again");
}

/* The directory of an earlier life is kept: its pages were fetched. */
static void set_aside(const char *directory, uint32_t partition)
{
  char path[CRAWL_PATH_SIZE], aside[CRAWL_PATH_SIZE + 64];
  frontier_life life = {.incarnation = 0};
  cluster_partition_path(directory, partition, path);
  frontier *f = crawl_dir_open("crawl", path);
  if (f)
    frontier_life_read(f, &life);
  frontier_close(f);
  snprintf(aside, sizeof aside, "%s.superseded-%" PRIu64, path, life.incarnation);
  bool is_aside = rename(path, aside) == 0;
  say_error("crawl", "%s: a later life of it is crawled elsewhere; it %s%s", path,
            is_aside ? "is now " : "cannot be set aside: ", is_aside ? aside : strerror(errno));
}

/* OPTIONS_READ in a worker; EXIT_DONE: go on. */
static int review(worker *w, const char *directory, int *code, uint64_t now_ms)
{
  int status;
  if (w->pid > 0 && waitpid(w->pid, &status, WNOHANG) > 0) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == CLUSTER_EXIT_SUPERSEDED)
      set_aside(directory, w->partition);
    *code = WIFEXITED(status) ? worse(*code, code_of(status)) : *code;
    bury(w, status, now_ms);
    if (!WIFEXITED(status) && !w->again_ms)
      *code = EXIT_FAILED;
  }
  return w->again_ms && now_ms >= w->again_ms && !start(w) ? OPTIONS_READ : EXIT_DONE;
}

static int attend(crawl_args *args, broker *b, const char *directory, worker *workers, size_t count,
                  cluster_copies *copies)
{
  int code = EXIT_DONE, passed = 0;
  cluster_panel panel = cluster_panel_create(b, args->place->partitions, args->quiet, args->progress);
  for (size_t running = count; running > 0;) {
    uint64_t now_ms = machine_monotonic_ms();
    pass_on(workers, count, &passed);
    running = 0;
    for (size_t i = 0; i < count; i++) {
      if (review(&workers[i], directory, &code, now_ms) == OPTIONS_READ) {
        become_worker(args, directory, workers[i].partition);
        return OPTIONS_READ;
      }
      running += workers[i].pid > 0 || workers[i].again_ms;
    }
    broker_turn(b, now_ms);
    cluster_panel_tick(&panel, now_ms);
    cluster_copies_turn(copies);
    machine_sleep_ms(running ? TICK_MS : 0);
  }
  cluster_panel_clear(&panel);
  if (code == EXIT_DONE && cluster_panel_has_no_page(&panel)) {
    say_error("crawl", "no start URL gave a page; strata export %s/p-NNN --format jsonl says why", directory);
    code = EXIT_FAILED;
  }
  return code;
}

int cluster_run_workers(crawl_args *args, broker *b, const char *directory, const partition_list *list)
{
  worker *workers = calloc(list->count, sizeof *workers);
  cluster_copies copies;
  if (!workers || !cluster_copies_begin(&copies, args, directory, list->numbers, list->count)) {
    free(workers);
    say_error("crawl", "out of memory");
    return EXIT_FAILED;
  }
  if (!args->quiet)
    say_note("Crawling %zu of %" PRIu32 " partitions into %s/", list->count, args->place->partitions, directory);
  if (!args->quiet && list->without_owner)
    say_note("%zu partitions have no owner yet, and their hosts wait for one: the same command on another machine, or "
             "--own here",
             list->without_owner);
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  for (size_t i = 0; i < list->count; i++)
    workers[i] = (worker){.partition = list->numbers[i], .again_ms = 1};
  int code = attend(args, b, directory, workers, list->count, &copies);
  if (code == OPTIONS_READ)
    free(copies.due_ms); /* a worker makes no copies */
  else
    cluster_copies_end(&copies, code == EXIT_DONE);
  if (code != OPTIONS_READ && !args->quiet)
    cluster_panel_conclude(args, directory, list->numbers, list->count, code);
  free(workers);
  return code;
}
