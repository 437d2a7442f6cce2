/* See lacks.h. A counter of the frontier only adds, modulo 2^64: what is taken back is added as its negative. */
#include "crawler/loop/lacks.h"

#include "frontier/host.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "QUEUED DONE FAILED SKIPPED HELD TOO-DEEP NOT-PUBLIC": the first four say of which state of the directory the others
 * are. NOT-PUBLIC, of those that are HELD, is not there in older directories. */
enum { REST_SIZE = 7 * 24 };
static const char rest_setting[] = "rest", begun_setting[] = "lacks";

const char *crawl_lack_name(crawl_lack lack)
{
  static const char *const names[CRAWL_LACKS] = {"truncated",    "links-cut", "redirects-cut",
                                                 "sitemaps-cut", "unfetched", "robots-unread"};
  return names[lack];
}

bool lacks_are_counted(frontier *f)
{
  const void *kept;
  size_t size;
  return frontier_setting_get(f, begun_setting, &kept, &size) == FRONTIER_OK && size > 0;
}

frontier_status lacks_begin(frontier *f)
{
  frontier_stats s;
  frontier_status status = frontier_stats_read(f, &s);
  if (status != FRONTIER_OK || s.done + s.failed + s.skipped || lacks_are_counted(f))
    return status;
  return frontier_setting_put(f, begun_setting, "counted", strlen("counted"));
}

frontier_status lacks_change(frontier *f, unsigned before, unsigned now)
{
  frontier_status status = FRONTIER_OK;
  for (int i = 0; i < CRAWL_LACKS && status == FRONTIER_OK; i++) {
    const char *name = crawl_lack_name((crawl_lack)i);
    bool had = before & LACK_BIT(i) && frontier_counter(f, name), has = now & LACK_BIT(i);
    if (has != had)
      status = frontier_count(f, name, has ? 1 : (uint64_t)-1);
  }
  return status;
}

frontier_status lacks_forgive(frontier *f)
{
  frontier_status status = FRONTIER_OK;
  for (int i = LACKS_OF_PAGES; i < CRAWL_LACKS && status == FRONTIER_OK; i++) {
    const char *name = crawl_lack_name((crawl_lack)i);
    if (frontier_counter(f, name))
      status = frontier_count(f, name, (uint64_t)0 - frontier_counter(f, name));
  }
  return status;
}

/* ---- what is left in the queue ----------------------------------------------------------------------------- */

static uint64_t less(uint64_t all, uint64_t part)
{
  return all > part ? all - part : 0;
}

/* All that waits when the frontier is finished is held or too deep. */
static uint64_t too_deep(const frontier *f, const frontier_stats *stats)
{
  uint64_t queued = stats->queued + stats->in_flight;
  return frontier_is_finished(f) ? less(queued, frontier_held(f)) : stats->deferred;
}

frontier_status lacks_keep_rest(frontier *f, uint64_t not_public)
{
  const void *kept;
  size_t kept_size;
  char text[REST_SIZE];
  frontier_stats s;
  frontier_status status = frontier_stats_read(f, &s);
  if (status != FRONTIER_OK)
    return status;
  assert(not_public <= frontier_held(f));
  int size = snprintf(text, sizeof text,
                      "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                      s.queued + s.in_flight, s.done, s.failed, s.skipped, frontier_held(f), too_deep(f, &s),
                      not_public);
  bool is_known = frontier_setting_get(f, rest_setting, &kept, &kept_size) == FRONTIER_OK &&
                  kept_size == (size_t)size && memcmp(kept, text, kept_size) == 0;
  return is_known ? FRONTIER_OK : frontier_setting_put(f, rest_setting, text, (size_t)size);
}

lacks_rest lacks_read_rest(frontier *f, const frontier_stats *stats)
{
  const void *kept;
  size_t size;
  char text[REST_SIZE] = "";
  uint64_t queued, done, failed, skipped, all = stats->queued + stats->in_flight;
  lacks_rest rest = {0};
  if (frontier_setting_get(f, rest_setting, &kept, &size) == FRONTIER_OK && size < sizeof text)
    memcpy(text, kept, size);
  /* NOLINTNEXTLINE(cert-err34-c): numbers that do not fit are of no state of the directory */
  if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &queued, &done,
             &failed, &skipped, &rest.held, &rest.too_deep, &rest.not_public) < 6 ||
      queued != all || done != stats->done || failed != stats->failed || skipped != stats->skipped)
    rest = (lacks_rest){.held = frontier_held(f), .too_deep = stats->deferred};
  rest.waiting = less(less(all, rest.held), rest.too_deep) + stats->unconfirmed;
  rest.held = less(rest.held, rest.not_public);
  return rest;
}
