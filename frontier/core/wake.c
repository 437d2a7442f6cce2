/* See wake.h. An eventfd, made when it is first asked for; without it nothing here costs more than a comparison.
 *
 *     frontier_next gives URLs        readable: there may be more, also for other threads that wait
 *     ... gives none, and says when   not readable; from here on
 *     a change, and a host is due     readable, once
 *       sooner than was said
 *
 * Always: it is readable if and only if is_set, unless its reader reads it. */
#include "frontier/core/state.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

int frontier_wake_fd(frontier *f)
{
  LOCKED(f);
  wake_event *w = &f->wake;
  if (w->has_fd)
    return w->fd;
  w->fd = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
  if (w->fd < 0)
    frontier_fail(f, FRONTIER_IO, "a file descriptor to wait on: %s", strerror(errno));
  w->has_fd = w->is_set = w->fd >= 0; /* what was said before is not known any more */
  return w->fd;
}

static void set(wake_event *w)
{
  static const uint64_t one = 1;
  if (w->has_fd && !w->is_set)
    w->is_set = write(w->fd, &one, sizeof one) == sizeof one;
}

static void clear(wake_event *w)
{
  uint64_t count;
  if (w->has_fd && w->is_set)
    (void)!read(w->fd, &count, sizeof count); /* EAGAIN: its reader has read it */
  w->is_set = false;
}

void wake_foresee(frontier *f, bool gave, uint64_t now_ms, int64_t wait_ms)
{
  wake_event *w = &f->wake;
  w->foreseen_ms = wait_ms < 0 ? UINT64_MAX : now_ms + (uint64_t)wait_ms;
  w->was_unread = queue_is_unread(&f->queues);
  if (gave)
    set(w);
  else
    clear(w);
}

void wake_look(frontier *f)
{
  const wake_event *w = &f->wake;
  if (!w->has_fd || w->is_set)
    return;
  if (hosts_first_due(f->hosts) < w->foreseen_ms || ordering_first_due(f) < w->foreseen_ms ||
      queue_is_unread(&f->queues) != w->was_unread)
    set(&f->wake);
}

void wake_now(frontier *f)
{
  set(&f->wake);
}

/* ---- as a part ------------------------------------------------------------------------------------------ */

static void close_it(frontier *f)
{
  if (f->wake.has_fd)
    close(f->wake.fd);
}

const part wake_part = {.close = close_it};
