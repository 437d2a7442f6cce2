/* See link_priority.h. A URL found for the first time has one in-link; its count says more while the URL is queued. */
#include "crawler/loop/link_priority.h"

#include <stdlib.h>

enum {
  POPULAR = 16,      /* pages: what every page of a small part of a site links to */
  DISK_STEP = 32768, /* URLs on disk at once */
};

bool link_priority_is_popular(const inlinks *counts, const url *u)
{
  return inlinks_count(counts, u) >= POPULAR;
}

typedef struct asking {
  const inlinks *counts;
  url_profile profile;
  url *room;
} asking;

static bool is_wanted(void *context, const char *fetch, size_t size)
{
  const asking *a = context;
  return url_parse(fetch, size, a->profile, a->room) == URL_OK && link_priority_is_popular(a->counts, a->room);
}

void link_priority_put_first(link_priority *l, frontier *f)
{
  frontier_stats stats;
  size_t promoted;
  if (!l->counts || frontier_stats_read(f, &stats) != FRONTIER_OK)
    return;
  asking a = {.counts = l->counts, .profile = stats.profile, .room = malloc(sizeof *a.room)};
  if (a.room)
    (void)frontier_promote(f, is_wanted, &a, DISK_STEP, &l->from, &promoted);
  free(a.room);
}
