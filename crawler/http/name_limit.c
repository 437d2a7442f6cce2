/* See name_limit.h. */
#include "crawler/http/name_limit.h"

#include <sys/stat.h>

/* A request that is refused costs a turn of the crawl's loop all the same: 100 of them a second come again, or, where
 * more than 6,000 wait, each once a minute. */
enum { SOON_MS = 1000, EACH_MS = 10, LINE_MAX_MS = 60 * 1000 };

/* 0: not known. */
static uint64_t threads(void)
{
  enum { ITSELF = 2 }; /* its entry, and its "." */
  struct stat tasks;
  return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > ITSELF ? tasks.st_nlink - ITSELF : 0;
}

static uint64_t next_turn(name_limit *l, uint64_t now_ms)
{
  l->line_ms = l->line_ms < now_ms + SOON_MS ? now_ms + SOON_MS : l->line_ms + EACH_MS;
  if (l->line_ms > now_ms + LINE_MAX_MS)
    l->line_ms = now_ms + LINE_MAX_MS;
  return l->line_ms - now_ms;
}

bool name_limit_take(name_limit *l, uint64_t now_ms, uint64_t *wait_ms)
{
  if (threads() < l->threads)
    return true;
  *wait_ms = next_turn(l, now_ms);
  return false;
}

bool name_limit_wait(name_limit *l, uint64_t now_ms, uint64_t *wait_ms)
{
  enum {
    OWN = 3,
    KEPT_FREE = 4
  }; /* the crawl's, the network's, and one that sorts links; those that run need memory */
  uint64_t now = threads();
  if (now <= OWN)
    return false;
  if (now > OWN + KEPT_FREE && l->threads > now - KEPT_FREE)
    l->threads = now - KEPT_FREE;
  *wait_ms = next_turn(l, now_ms);
  return true;
}
