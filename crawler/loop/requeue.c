/* See requeue.h. The history is read to its end before anything is added, so the URLs wait in a nameless file in
 * between. It is in the order in which URLs ended, and the setting "requeued-to" is the id of the last one that was
 * queued again: what stands behind it failed since. If it was forgotten, all are queued again. Older versions have
 * "requeued", the highest id there was, which is no use: a URL that waits then, and fails later, has a lower one. */
#include "crawler/loop/requeue.h"

#include "crawler/base/nameless.h"
#include "crawler/base/skip.h"
#include "crawler/loop/lacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char setting[] = "requeued-to";

typedef struct gathering {
  FILE *list;
  uint64_t after;   /* an id: no URL up to it is wanted */
  uint64_t already; /* ... of the last one that was queued again; 0: none */
  uint64_t last;    /* ... of the last one there is now */
  url_profile profile;
  bool has_failed;
} gathering;

static bool is_wanted(const frontier_record *record)
{
  return !record->is_queued && (record->state == FRONTIER_FAILED ||
                                (record->state == FRONTIER_SKIPPED && record->code == SKIP_ROBOTS_UNAVAILABLE));
}

/* "VIA DEPTH HOPS URL", one a line: a URL has no blank and no line feed. */
static bool gather(void *context, const frontier_record *record)
{
  gathering *g = context;
  const frontier_origin *origin = &record->origin;
  if (!is_wanted(record))
    return true;
  g->last = record->id;
  if (record->id == g->already) {
    rewind(g->list);
    g->has_failed = ftruncate(fileno(g->list), 0) != 0;
    return !g->has_failed;
  }
  if (record->id <= g->after)
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

/* 0: there is none. */
static uint64_t id_in(frontier *f, const char *name)
{
  const void *kept;
  size_t size;
  char text[24] = "";
  if (frontier_setting_get(f, name, &kept, &size) == FRONTIER_OK && size < sizeof text)
    memcpy(text, kept, size);
  return strtoull(text, NULL, 10);
}

frontier_status requeue_failed(frontier *f, const char *directory, uint64_t now_ms, uint64_t *count)
{
  int fd = nameless_open(directory);
  gathering g = {.list = fd < 0 ? NULL : fdopen(fd, "w+")};
  frontier_stats stats;
  char text[24];
  if (!g.list) {
    if (fd >= 0)
      close(fd);
    return FRONTIER_IO;
  }
  g.already = g.last = id_in(f, setting);
  g.after = g.already ? 0 : id_in(f, "requeued");
  frontier_status status = frontier_stats_read(f, &stats);
  g.profile = stats.profile;
  if (status == FRONTIER_OK)
    status = frontier_each(f, gather, &g);
  if (status == FRONTIER_OK)
    status = g.has_failed || ferror(g.list) || fflush(g.list) != 0 ? FRONTIER_IO : queue_all(f, &g, now_ms, count);
  if (status == FRONTIER_OK)
    status = lacks_forgive(f);
  if (status == FRONTIER_OK)
    status = frontier_setting_put(f, setting, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, g.last));
  fclose(g.list);
  return status;
}
