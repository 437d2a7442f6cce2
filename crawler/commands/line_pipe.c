/* See line_pipe.h. Not stdio: when a signal interrupts fflush, glibc drops what is in the buffer. */
#include "crawler/commands/line_pipe.h"

#include "crawler/base/shown.h"
#include "crawler/commands/cmd.h"
#include "frontier/base/machine.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- signals -------------------------------------------------------------------------------------------- */

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPS = sizeof stops / sizeof *stops };

static atomic_uint_least64_t stopped_ms; /* when the first came; 0: not yet */

/* timeout(1) sends its signal twice: the second one is a person's only if it comes later. */
static void on_signal(int number)
{
  enum { PATIENCE_MS = 1000 };
  int why = errno;
  uint64_t now = machine_monotonic_ms(), first = 0;
  (void)number;
  if (!atomic_compare_exchange_strong(&stopped_ms, &first, now) && now - first >= PATIENCE_MS)
    _exit(EXIT_STOPPED);
  errno = why;
}

void line_pipe_catch_signals(void)
{
  struct sigaction action = {.sa_handler = on_signal}, before; /* no SA_RESTART: a FIFO being opened must not hold us */
  for (int i = 0; i < STOPS; i++)
    if (sigaction(stops[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(stops[i], &action, NULL);
  signal(SIGXFSZ, SIG_IGN);
}

bool line_pipe_is_stopped(void)
{
  return atomic_load(&stopped_ms) != 0;
}

/* ---- input ---------------------------------------------------------------------------------------------- */

bool line_pipe_has_input(int file)
{
  return poll(&(struct pollfd){.fd = file, .events = POLLIN}, 1, 0) > 0;
}

/* Blocked until it waits, no signal can come between the last look and the waiting. */
void line_pipe_wait(int file, int64_t timeout_ms)
{
  const struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000};
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (int i = 0; i < STOPS; i++)
    sigaddset(&blocked, stops[i]);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  if (!line_pipe_is_stopped())
    ppoll(&(struct pollfd){.fd = file, .events = POLLIN}, 1, timeout_ms < 0 ? NULL : &timeout, &before);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- output --------------------------------------------------------------------------------------------- */

static ssize_t put_some(const char *bytes, size_t size)
{
  if (!shown_is_guarded())
    return write(STDOUT_FILENO, bytes, size);
  size_t written = fwrite(bytes, 1, size, stdout); /* the guard passes EINTR and EAGAIN by */
  return fflush(stdout) == 0 ? (ssize_t)written : -1;
}

bool line_output_flush(line_output *output)
{
  size_t done = 0;
  while (!output->error && done < output->used) {
    ssize_t written = put_some(output->bytes + done, output->used - done);
    if (written >= 0)
      done += (size_t)written;
    else if (errno == EAGAIN) /* another program made our end of the pipe non-blocking */
      poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
    else if (errno != EINTR)
      output->error = errno;
  }
  output->used = 0;
  return !output->error;
}

void line_output_put(line_output *output, const char *bytes, size_t size)
{
  assert(size <= sizeof output->bytes);
  if (size > sizeof output->bytes - output->used)
    line_output_flush(output);
  memcpy(output->bytes + output->used, bytes, size);
  output->used += size;
}

bool line_output_sync(line_output *output)
{
  if (!line_output_flush(output))
    return false;
  bool is_lost = fdatasync(STDOUT_FILENO) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
  if (is_lost) /* any other errno: a pipe or a terminal, which has nothing to sync */
    output->error = errno;
  return !is_lost;
}
