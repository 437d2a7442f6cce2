/* Reads the directory as a frontier would, in a child process: where mdb_pages.c found no damage, LMDB's reader should
 * find none. If the child crashes or hangs, mdb_pages.c missed some damage, and a fault is reported. */
#include "frontier/admin/check.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SILENCE_MS = 60000, BEAT = 4096 };

typedef struct beat {
  int pipe;
  uint64_t records;
} beat;

static bool read_one(void *context, const frontier_record *record)
{
  beat *b = context;
  (void)record;
  return ++b->records % BEAT != 0 || write(b->pipe, ".", 1) == 1;
}

/* In the child. What goes wrong is written to the pipe, after a '!'. */
_Noreturn static void read_all(const char *directory, int pipe)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 1,
                              .rate = 1e-6,
                              .per_host = 1,
                              .depth_cap = UINT16_MAX,
                              .read_only = true,
                              .keep_identity = true};
  frontier *f = NULL;
  beat b = {.pipe = pipe};
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  fclose(stderr); /* LMDB's last words */
  frontier_status status = frontier_open(directory, &options, &f, message);
  if (status == FRONTIER_OK && (status = frontier_each(f, read_one, &b)) != FRONTIER_OK)
    snprintf(message, sizeof message, "%s", frontier_message(f));
  if (status != FRONTIER_OK)
    dprintf(pipe, "!%s", message);
  _exit(status != FRONTIER_OK);
}

/* Until the pipe closes; false: silent for too long. `message` gets what follows a '!'. */
static bool listen_to(int pipe, char message[FRONTIER_MESSAGE_SIZE])
{
  char heard[FRONTIER_MESSAGE_SIZE];
  size_t size = 0;
  bool is_message = false;
  for (;;) {
    struct pollfd ready = {.fd = pipe, .events = POLLIN};
    int events = poll(&ready, 1, SILENCE_MS);
    if (events < 0 && errno == EINTR)
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
    read_all(c->f->directory, ends[1]);
  }
  close(ends[1]);
  bool has_ended = child > 0 && listen_to(ends[0], message);
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
    check_say(c, IN_DATA, "data.mdb: reading it comes to no end");
  else if (WIFSIGNALED(status))
    check_say(c, IN_DATA, "data.mdb: a reader dies of it (signal %d)", WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    check_say(c, IN_DATA, "%s", message[0] ? message : "data.mdb: it cannot be read as a frontier");
}
