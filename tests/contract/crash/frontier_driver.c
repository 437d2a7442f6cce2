/* Crawls the small web with a real frontier and says on standard output what it did, until it is killed.
 *
 *     frontier_driver DIRECTORY JOURNAL SEED STEPS [exact | ordered | both | lie]
 *
 * After STEPS steps it closes and leaves; 0: never. An exact one has a filter that takes many new URLs for seen, and
 * confirms that. In an ordered one pages have priorities, some have a time, a group, or an opaque target, and what is
 * released is changed. A lying one says "synced" when nothing is. */
#include "frontier/frontier.h"
#include "tests/contract/crash/small_web.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* LINE: so long that with the limits of users, too, every 32 pages' lines need a sync (frontier/store/journal.c). */
enum { LINE = 1024 };
enum { LEASES = 32, EXACT_PACE_MS = 60 /* links are confirmed after ten seconds, or one in which little was due */ };

typedef struct driver {
  frontier *f;
  uint64_t dice, now_ms;
  struct {
    uint64_t id;
    uint32_t page;
  } leased[LEASES];
  size_t count;
  uint32_t pace_ms; /* between two steps, at most */
  bool lies, is_ordered;
} driver;

static uint32_t roll(driver *d, uint32_t sides)
{
  d->dice = d->dice * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(d->dice >> 33) % sides;
}

static void say(report_kind kind, uint32_t page)
{
  report r = {kind, page};
  if (write(STDOUT_FILENO, &r, sizeof r) != sizeof r)
    _exit(2); /* the auditor is gone */
}

static void must(const driver *d, frontier_status status)
{
  if (status == FRONTIER_OK)
    return;
  fprintf(stderr, "driver: status %d, %s\n", (int)status, frontier_message(d->f));
  say(REPORT_FAILED, status);
  _exit(1);
}

/* The same for a page in each life. */
static void put_in_order(const driver *d, uint32_t page, const mlbf_span *key, frontier_link *link)
{
  link->priority = (int32_t)(page * 7 % 11) - 5;
  link->not_before_ms = page % 13 == 0 ? d->now_ms + 50 : 0;
  if (page % 4 == 1 || page % 4 == 3) {
    link->group = &"slot 1"[page % 3]; /* "slot 1", "lot 1", "ot 1" */
    link->group_size = strlen(link->group);
  }
  if (page % 4 == 3) {
    link->target = NULL;
    link->opaque = key->bytes;
    link->opaque_size = key->size;
    link->key = key;
    link->key_count = 1;
  }
}

static void add(driver *d, uint32_t page, uint64_t via)
{
  static url u;
  char text[WEB_URL_SIZE];
  frontier_verdict verdict;
  if (url_parse(text, (size_t)web_url(page, text), URL_STRICT, &u) != URL_OK)
    abort();
  frontier_link link = {.target = &u, .origin = {.via = via}};
  const mlbf_span key = {text, strlen(text)};
  if (d->is_ordered)
    put_in_order(d, page, &key, &link);
  size_t settled;
  must(d, frontier_add_batch(d->f, &link, 1, d->now_ms, &verdict, &settled));
  if (verdict.outcome != FRONTIER_SEEN)
    say(verdict.outcome == FRONTIER_UNCONFIRMED ? REPORT_FOUND : REPORT_ACCEPTED, page);
}

static void take(driver *d)
{
  frontier_lease leases[LEASES];
  size_t count;
  int64_t wait_ms;
  must(d, frontier_next(d->f, d->now_ms, leases, roll(d, (uint32_t)(LEASES - d->count) + 1), &count, &wait_ms));
  for (size_t i = 0; i < count; i++) {
    uint32_t page = (uint32_t)strtoul(strrchr(leases[i].url, '/') + 1, NULL, 10);
    if (leases[i].payload && memcmp(leases[i].payload, &page, sizeof page) != 0)
      abort(); /* a page's payload is its number */
    d->leased[d->count].id = leases[i].id;
    d->leased[d->count++].page = page;
    say(REPORT_LEASED, page);
  }
}

static void end(driver *d)
{
  if (!d->count)
    return;
  size_t at = roll(d, (uint32_t)d->count);
  uint64_t id = d->leased[at].id;
  uint32_t page = d->leased[at].page;
  d->leased[at] = d->leased[--d->count];
  if (!roll(d, 12)) {
    const frontier_return with = {.has_payload = true,
                                  .payload = &page,
                                  .payload_size = sizeof page,
                                  .has_priority = true,
                                  .priority = (int32_t)roll(d, 5) - 2,
                                  .not_before_ms = d->now_ms + roll(d, 20)};
    if (d->is_ordered)
      must(d, frontier_release_with(d->f, id, &with, d->now_ms));
    else
      must(d, frontier_release(d->f, id, d->now_ms));
    say(REPORT_RELEASED, page);
    return;
  }
  for (uint32_t i = 0; i < WEB_LINKS; i++)
    add(d, web_link(page, i), id);
  char line[LINE + 1];
  int size = snprintf(line, sizeof line, "%-*u", LINE, (unsigned)page);
  must(d, frontier_done(d->f, id, (frontier_state)(FRONTIER_DONE + page % 3), 200, line, (size_t)size, d->now_ms));
  say(REPORT_DONE, page);
}

/* How many URLs came late in all lives; none may wait any more. */
static void say_late(const driver *d)
{
  frontier_stats stats;
  must(d, frontier_stats_read(d->f, &stats));
  if (stats.unconfirmed) {
    fprintf(stderr, "driver: finished, and %llu links are not confirmed\n", (unsigned long long)stats.unconfirmed);
    say(REPORT_FAILED, 0);
    _exit(1);
  }
  say(REPORT_LATE, (uint32_t)stats.late);
}

static void step(driver *d)
{
  d->now_ms += roll(d, d->pace_ms);
  uint32_t what = roll(d, 100);
  if (what < 30)
    take(d);
  else if (what < 99)
    end(d);
  else {
    if (!d->lies)
      must(d, frontier_sync(d->f));
    say(REPORT_SYNCED, 0);
  }
}

int main(int argc, char **argv)
{
  if (argc < 5)
    return 2;
  /* so small a filter that it grows while it may be killed */
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 64,
                              .rate = 1e-9,
                              .per_host = 3,
                              .depth_cap = UINT16_MAX,
                              .journal_path = argv[2]};
  char message[FRONTIER_MESSAGE_SIZE];
  driver d = {.dice = strtoull(argv[3], NULL, 10), .pace_ms = 3, .lies = argc > 5 && strcmp(argv[5], "lie") == 0};
  bool is_both = argc > 5 && strcmp(argv[5], "both") == 0;
  d.is_ordered = is_both || (argc > 5 && strcmp(argv[5], "ordered") == 0);
  options.exact = is_both || (argc > 5 && strcmp(argv[5], "exact") == 0);
  if (options.exact) {
    options.filter = MLBF_KIND_BLOOM;
    options.rate = 0.5;
    d.pace_ms = EXACT_PACE_MS;
  }
  frontier_status status = frontier_open(argv[1], &options, &d.f, message);
  if (status != FRONTIER_OK) {
    fprintf(stderr, "driver: open: status %d, %s\n", (int)status, message);
    say(REPORT_FAILED, status);
    return 1;
  }
  add(&d, 0, 0);
  unsigned long steps = strtoul(argv[4], NULL, 10);
  for (unsigned long i = 1; i != steps && !(frontier_is_finished(d.f) && i > 1); i++)
    step(&d);
  bool is_finished = frontier_is_finished(d.f);
  if (is_finished)
    say_late(&d);
  if (frontier_close(d.f) != FRONTIER_OK) {
    say(REPORT_FAILED, 0);
    return 1;
  }
  say(REPORT_SYNCED, 0);
  if (is_finished)
    say(REPORT_FINISHED, 0);
  return 0;
}
