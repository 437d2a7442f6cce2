/* See requeue.h. The history is read to its end before anything is added, so the URLs wait in a temporary file in
 * between. The setting "requeued" is the last id examined: a URL that was queued again has a higher id, so the next run
 * sees its new result and not the old one. */
#include "crawler/loop/requeue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gathering {
  FILE *list;
  uint64_t after, last; /* ids: where to begin, and the highest there is */
  url_profile profile;
} gathering;

/* "VIA DEPTH HOPS URL", one a line: a URL has no blank and no line feed. */
static bool gather(void *context, const frontier_record *record)
{
  gathering *g = context;
  const frontier_origin *origin = &record->origin;
  if (record->id > g->last)
    g->last = record->id;
  if (record->is_queued || record->state != FRONTIER_FAILED || record->id <= g->after)
    return true;
  return fprintf(g->list, "%" PRIu64 " %u %u %.*s\n", origin->via, origin->depth, origin->hops, (int)record->url_size,
                 record->url) > 0;
}

static frontier_status queue_line(frontier *f, const char *line, url_profile profile, url *room, uint64_t now_ms)
{
  uint64_t via;
  unsigned depth, hops;
  int at = 0;
  frontier_verdict verdict;
  /* NOLINTNEXTLINE(cert-err34-c): we wrote it */
  if (sscanf(line, "%" SCNu64 " %u %u %n", &via, &depth, &hops, &at) != 3 || at == 0 ||
      url_parse(line + at, strcspn(line + at, "\n"), profile, room) != URL_OK)
    return FRONTIER_DAMAGED;
  frontier_link link = {.target = room, .origin = {.via = via, .depth = (uint16_t)depth, .hops = (uint16_t)hops}};
  return frontier_force(f, &link, now_ms, &verdict);
}

static frontier_status queue_all(frontier *f, const gathering *g, uint64_t now_ms, uint64_t *count)
{
  char line[URL_LENGTH_MAX + 64];
  frontier_status status = FRONTIER_OK;
  url *room = malloc(sizeof *room);
  if (!room)
    return FRONTIER_NO_MEMORY;
  rewind(g->list);
  for (*count = 0; status == FRONTIER_OK && fgets(line, sizeof line, g->list); ++*count)
    status = queue_line(f, line, g->profile, room, now_ms);
  free(room);
  return status;
}

frontier_status requeue_failed(frontier *f, uint64_t now_ms, uint64_t *count)
{
  gathering g = {.list = tmpfile()};
  frontier_stats stats;
  const void *mark;
  size_t size;
  if (!g.list)
    return FRONTIER_IO;
  char text[24] = "";
  if (frontier_setting_get(f, "requeued", &mark, &size) == FRONTIER_OK && size < sizeof text)
    memcpy(text, mark, size);
  g.after = strtoull(text, NULL, 10);
  frontier_status status = frontier_stats_read(f, &stats);
  g.profile = stats.profile;
  if (status == FRONTIER_OK)
    status = frontier_each(f, gather, &g);
  if (status == FRONTIER_OK)
    status = ferror(g.list) || fflush(g.list) != 0 ? FRONTIER_IO : queue_all(f, &g, now_ms, count);
  if (status == FRONTIER_OK)
    status = frontier_setting_put(f, "requeued", text, (size_t)snprintf(text, sizeof text, "%" PRIu64, g.last));
  fclose(g.list);
  return status;
}
