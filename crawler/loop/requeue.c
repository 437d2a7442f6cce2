/* See requeue.h. The history is read to its end before anything is queued. What was counted when a URL failed is taken
 * back along with that; a counter only adds, modulo 2^64. */
#include "crawler/loop/requeue.h"

#include "crawler/base/skip.h"
#include "crawler/loop/failures.h"
#include "crawler/loop/lacks.h"
#include "crawler/loop/visit.h"
#include "frontier/base/vector.h"
#include "frontier/recrawl.h"

#include <stdlib.h>
#include <string.h>

/* A URL that ended, and how. */
typedef struct ended {
  uint64_t id;
  frontier_state state;
  uint16_t code;
  bool is_map, is_check;
} ended;

typedef struct ended_list {
  ended *at;
  size_t count, room;
} ended_list;

typedef struct gathering {
  frontier *f;
  uint16_t max_depth;
  char *const *starts; /* keys; NULL: all that failed */
  size_t start_count;
  ended_list again, of_starts; /* of the second: start URLs and what they redirected to */
  url_profile profile;
  url *parsed;
} gathering;

static bool add(ended_list *list, const frontier_record *record)
{
  if (!HAS_ROOM(list->at, list->room, list->count + 1))
    return false;
  list->at[list->count++] = (ended){record->id, record->state, record->code, (record->origin.hops & VISIT_SITEMAP) != 0,
                                    (record->origin.hops & VISIT_CHECK) != 0};
  return true;
}

static bool has_id(const ended_list *list, uint64_t id)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->at[i].id == id)
      return true;
  return false;
}

static bool has_failed(const frontier_record *record)
{
  return record->state == FRONTIER_FAILED ||
         (record->state == FRONTIER_SKIPPED && record->code == SKIP_ROBOTS_UNAVAILABLE);
}

static bool is_start(gathering *g, const frontier_record *record)
{
  if (record->is_opaque || url_parse(record->url, record->url_size, g->profile, g->parsed) != URL_OK)
    return false;
  for (size_t i = 0; i < g->start_count; i++)
    if (strcmp(g->parsed->key, g->starts[i]) == 0)
      return true;
  return false;
}

/* Start URLs may have been found as links before. A redirect ends before what it leads to; what an audit checks of a
 * page is no redirect of it. false: no memory. */
static bool gather(gathering *g, const frontier_record *record)
{
  const frontier_origin *origin = &record->origin;
  if (record->is_queued || origin->depth > g->max_depth)
    return true;
  if (!g->starts)
    return !has_failed(record) || add(&g->again, record);
  bool may_be_retried = record->state == FRONTIER_FAILED || record->state == FRONTIER_SKIPPED;
  if (origin->hops & VISIT_SITEMAP || (origin->depth > 0 && !may_be_retried))
    return true;
  bool is_hop = (origin->hops & ~(unsigned)VISIT_BITS) != 0;
  if (!(is_hop && has_id(&g->of_starts, origin->via)) && !is_start(g, record))
    return true;
  return add(&g->of_starts, record) && (!may_be_retried || add(&g->again, record));
}

typedef struct reading {
  gathering *g;
  bool has_memory;
} reading;

static bool read_one(void *context, const frontier_record *record)
{
  reading *r = context;
  r->has_memory = gather(r->g, record);
  return r->has_memory;
}

/* ---- what was counted ---------------------------------------------------------------------------------------- */

/* Down by one, unless it is 0. */
static frontier_status take_back(frontier *f, const char *name)
{
  return frontier_counter(f, name) ? frontier_count(f, name, (uint64_t)-1) : FRONTIER_OK;
}

/* Of a failure without an answer it is not known any more whether it was that of robots.txt: the sum is right. */
static frontier_status take_back_lack(frontier *f, const ended *e)
{
  bool is_robots = e->state == FRONTIER_SKIPPED ||
                   (e->code < FETCH_ERRORS && !frontier_counter(f, crawl_lack_name(LACK_FAILED)));
  return take_back(f, crawl_lack_name(is_robots ? LACK_ROBOTS : LACK_FAILED));
}

/* As visit_end.c counted it: of what an audit checks nothing is missing. */
static frontier_status forgive(frontier *f, const ended *e)
{
  frontier_status status = FRONTIER_OK;
  if (e->is_check && e->state == FRONTIER_FAILED)
    return take_back(f, "checked");
  bool lacks = e->is_check                   ? false
               : e->state == FRONTIER_FAILED ? failures_may_heal(e->code)
                                             : e->code == SKIP_ROBOTS_UNAVAILABLE;
  if (e->state == FRONTIER_SKIPPED && e->code < CRAWL_SKIPS)
    status = take_back(f, crawl_skip_name((crawl_skip)e->code));
  else if (e->state == FRONTIER_FAILED && e->is_map)
    status = take_back(f, "sitemaps-failed");
  else if (e->state == FRONTIER_FAILED && (status = take_back(f, "errors")) == FRONTIER_OK)
    status = take_back(f, failures_counter_of(e->code));
  return status == FRONTIER_OK && lacks ? take_back_lack(f, e) : status;
}

static int by_id(const void *a, const void *b)
{
  const ended *left = a, *right = b;
  return (left->id > right->id) - (left->id < right->id);
}

static frontier_status queue_all(gathering *g, uint64_t *queued)
{
  size_t count = g->again.count;
  uint64_t *ids = malloc((count + 1) * sizeof *ids);
  if (!ids)
    return FRONTIER_NO_MEMORY;
  if (count)
    qsort(g->again.at, count, sizeof *g->again.at, by_id);
  for (size_t i = 0; i < count; i++)
    ids[i] = g->again.at[i].id;
  frontier_status status = frontier_again(g->f, ids, count, queued);
  for (size_t i = 0; i < count && status == FRONTIER_OK; i++)
    status = forgive(g->f, &g->again.at[i]);
  free(ids);
  return status == FRONTIER_OK && !g->starts ? lacks_forgive(g->f) : status;
}

static frontier_status requeue(gathering *g, uint64_t *queued)
{
  reading r = {g, true};
  frontier_stats stats;
  *queued = 0;
  frontier_status status = frontier_stats_read(g->f, &stats);
  if (status != FRONTIER_OK || !(stats.failed + stats.skipped))
    return status;
  g->profile = stats.profile;
  g->parsed = malloc(sizeof *g->parsed);
  status = g->parsed ? frontier_each(g->f, read_one, &r) : FRONTIER_NO_MEMORY;
  if (status == FRONTIER_OK)
    status = r.has_memory ? queue_all(g, queued) : FRONTIER_NO_MEMORY;
  free(g->parsed);
  free(g->again.at);
  free(g->of_starts.at);
  return status;
}

frontier_status requeue_failed(frontier *f, uint16_t max_depth, uint64_t *queued)
{
  gathering g = {.f = f, .max_depth = max_depth};
  return requeue(&g, queued);
}

frontier_status requeue_starts(frontier *f, uint16_t max_depth, char *const *keys, size_t count, uint64_t *queued)
{
  gathering g = {.f = f, .max_depth = max_depth, .starts = keys, .start_count = count};
  return requeue(&g, queued);
}
