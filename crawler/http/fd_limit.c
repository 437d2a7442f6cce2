/* See fd_limit.h. */
#include "crawler/http/fd_limit.h"

#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

enum {
  ONE_MORE = 8,  /* descriptors: two sockets, a look-up's three, the files with names, keys or certificates */
  KEPT_FREE = 8, /* fetches fewer than there could be: the store opens files, too */
  RETRY_MS = 50,
  HOPELESS_MS = 2000,
  RISE_MS = 5000,
};

bool fd_limit_is_here(void)
{
  int fds[ONE_MORE], count = 0;
  while (count < ONE_MORE && (fds[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
    count++;
  for (int i = 0; i < count; i++)
    close(fds[i]);
  return count < ONE_MORE;
}

void fd_limit_note(fd_limit *s, size_t others, uint64_t now_ms)
{
  assert(s->limit >= 1); /* or nothing would ever be tried again */
  size_t limit = others > KEPT_FREE ? others - KEPT_FREE : 1;
  s->was_met = true;
  if (s->limit > limit)
    s->limit = limit;
  s->changed_ms = now_ms;
  s->retry_at_ms = now_ms + RETRY_MS;
  if (others)
    s->alone_since_ms = 0;
  else if (!s->alone_since_ms)
    s->alone_since_ms = now_ms;
  else if (now_ms - s->alone_since_ms >= HOPELESS_MS)
    s->is_hopeless = true;
}

bool fd_limit_relieve(fd_limit *s, size_t enough, uint64_t now_ms)
{
  s->alone_since_ms = 0;
  if (s->limit == SIZE_MAX || now_ms - s->changed_ms < RISE_MS)
    return false;
  s->changed_ms = now_ms;
  assert(s->was_met && s->limit >= 1);
  s->limit += s->limit / 4 + 1;
  if (s->limit >= enough)
    s->limit = SIZE_MAX;
  return true;
}
