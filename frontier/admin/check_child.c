/* Reads the directory as a frontier would, in a child process: where mdb_pages.c found no damage, LMDB's reader should
 * find none.
 *
 *     the child crashes, or computes for a minute        mdb_pages.c missed some damage: a fault
 *       and reads nothing (the kernel ends it: SIGXCPU)
 *     it does nothing for ten minutes                    the disk is slow, or gone: the check fails, and says nothing
 *                                                        of the directory, so that no repair follows from it
 *
 * One that waits for a core does something as soon as it has one: of its minute at least a hundredth of the time. */
#include "frontier/admin/check.h"

#include "frontier/base/limits.h"
#include "frontier/base/machine.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  BEAT = 4096,                       /* records */
  COMPUTE_S = FRONTIER_LIMIT(60, 2), /* and one more for so many pages, as opening reads every host: */
  PAGES_A_SECOND = 1 << 14,
  STALL_MS = FRONTIER_LIMIT(600000, 4000),
  BUSY_SHARE = 100, /* of that time: one that computed for longer than this part of it does something */
};

typedef struct beat {
  int pipe;
  rlim_t compute_s; /* until the next one, at most */
  uint64_t records;
} beat;

/* From now on it may compute for so long until the next beat. */
static void allow_more(const beat *b)
{
  struct rusage used = {0};
  struct rlimit limit = {0};
  if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0)
    return;
  rlim_t until_s = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + b->compute_s;
  limit.rlim_cur = until_s < limit.rlim_max ? until_s : limit.rlim_max;
  setrlimit(RLIMIT_CPU, &limit);
}

static bool make_beat(const beat *b)
{
  allow_more(b);
  return write(b->pipe, ".", 1) == 1;
}

static bool read_one(void *context, const frontier_record *record)
{
  beat *b = context;
  (void)record;
  return ++b->records % BEAT != 0 || make_beat(b);
}

/* Opening says how far it is. */
static void hear_open(void *context, const char *sentence)
{
  (void)sentence;
  (void)make_beat(context);
}

/* In the child. What goes wrong is written to the pipe, after a '!'. */
_Noreturn static void read_all(const char *directory, beat *b)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .log = hear_open,
                              .log_context = b,
                              .expected_urls = 1,
                              .rate = 1e-6,
                              .per_host = 1,
                              .depth_cap = UINT16_MAX,
                              .read_only = true,
                              .keep_identity = true};
  frontier *f = NULL;
  signal(SIGXCPU, SIG_DFL);
  allow_more(b);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  fclose(stderr); /* LMDB's last words */
  frontier_status status = frontier_open(directory, &options, &f, message);
  if (status == FRONTIER_OK && (status = frontier_each(f, read_one, b)) != FRONTIER_OK)
    snprintf(message, sizeof message, "%s", frontier_message(f));
  if (status != FRONTIER_OK)
    dprintf(b->pipe, "!%s", message);
  _exit(status != FRONTIER_OK);
}

/* Until the pipe closes; false: silent and idle for too long. `message` gets what follows a '!'. */
static bool listen_to(pid_t child, int pipe, char message[FRONTIER_MESSAGE_SIZE])
{
  char heard[FRONTIER_MESSAGE_SIZE];
  size_t size = 0;
  bool is_message = false;
  uint64_t before_ms = 0;
  for (;;) {
    struct pollfd ready = {.fd = pipe, .events = POLLIN};
    int events = poll(&ready, 1, STALL_MS);
    if (events < 0 && errno == EINTR)
      continue;
    uint64_t now_ms = machine_process_ms(child);
    bool is_busy = now_ms > before_ms + STALL_MS / BUSY_SHARE;
    before_ms = now_ms;
    if (events == 0 && is_busy)
      continue;
    ssize_t got = events > 0 ? read(pipe, heard, sizeof heard) : 0;
    if (got <= 0)
      return events > 0;
    for (ssize_t i = 0; i < got; i++)
      if (is_message && size + 1 < FRONTIER_MESSAGE_SIZE)
        message[size++] = heard[i];
      else
        is_message |= heard[i] == '!';
    message[size] = '\0';
  }
}

void check_in_child(check *c)
{
  int ends[2], status = 0;
  char message[FRONTIER_MESSAGE_SIZE] = "";
  if (pipe(ends) != 0) {
    check_fail(c, FRONTIER_IO, "no pipe for a child process");
    return;
  }
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    beat b = {.pipe = ends[1], .compute_s = COMPUTE_S + mdb_pages_count(c->p) / PAGES_A_SECOND};
    read_all(c->f->directory, &b);
  }
  close(ends[1]);
  bool has_ended = child > 0 && listen_to(child, ends[0], message);
  close(ends[0]);
  if (child < 0) {
    check_fail(c, FRONTIER_NO_MEMORY, "no child process could be started");
    return;
  }
  if (!has_ended)
    kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!has_ended)
    check_fail(c, FRONTIER_IO, "nothing could be read of data.mdb for ten minutes: the disk is slow, or gone");
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    check_say(c, IN_DATA, "data.mdb: reading it comes to no end");
  else if (WIFSIGNALED(status))
    check_say(c, IN_DATA, "data.mdb: a reader dies of it (signal %d)", WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    check_say(c, IN_DATA, "%s", message[0] ? message : "data.mdb: it cannot be read as a frontier");
}
