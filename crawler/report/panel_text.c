/* See panel_text.h. Lines that change most come first, hosts and errors last, as a short terminal cuts them off. */
#include "crawler/report/panel_text.h"

#include "crawler/base/message.h"
#include "crawler/loop/time_shares.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HOSTS_SHOWN = 4, HOSTS_KNOWN = 64 };

static char *next_line(panel_text *text)
{
  text->lines[text->count].is_error = false;
  return text->lines[text->count++].text;
}

static void say(panel_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(panel_text *text, const char *format, ...)
{
  if (text->count == PANEL_LINES_MAX)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(next_line(text), PANEL_TEXT_LINE, format, arguments);
  va_end(arguments);
}

/* ---- numbers ---------------------------------------------------------------------------------------------- */

double panel_text_left(const crawl_options *caps, uint64_t pages_ever, double seconds, double rate)
{
  double left = -1;
  if (caps->max_pages != UINT64_MAX && rate > 0)
    left = pages_ever < caps->max_pages ? (double)(caps->max_pages - pages_ever) / rate : 0;
  if (caps->max_ms != UINT64_MAX) {
    double time_left = (double)caps->max_ms / 1000 - seconds;
    time_left = time_left > 0 ? time_left : 0;
    left = left < 0 || time_left < left ? time_left : left;
  }
  return left;
}

static double overall(uint64_t what, double seconds)
{
  return seconds > 0 ? (double)what / seconds : 0;
}

static void say_outage(const panel_facts *f, panel_text *text)
{
  const char *why = f->crawl ? crawl_outage(f->crawl) : "";
  if (!*why)
    return;
  say(text, "  paused: %.480s", why);
  text->lines[text->count - 1].is_error = true;
}

static uint64_t whole(double rate)
{
  return rate > 0 ? (uint64_t)(rate + 0.5) : 0;
}

static void say_rates(const panel_facts *f, panel_text *text)
{
  char a[SAY_MANY_SIZE], b[SAY_MANY_SIZE], c[SAY_MANY_SIZE], d[SAY_MANY_SIZE], e[SAY_MANY_SIZE],
    left_text[SAY_SIZE + 16] = "";
  const crawl_totals *t = &f->totals;
  double rate = overall(t->pages, t->seconds);
  double left = panel_text_left(f->caps, frontier_counter(f->frontier, "pages"), t->seconds, rate);
  if (left >= 0)
    snprintf(left_text, sizeof left_text, ", %s left", say_seconds(left, a));
  say(text, "  %s in %s%s", say_many(t->pages, "page", a), say_seconds(t->seconds, b), left_text);
  say(text, "  now %s/s, %s/s; overall %s/s, %s/s; %s in all", say_many(whole(f->pages_rate), "page", a),
      say_bytes((uint64_t)f->bytes_rate, c), say_many(whole(rate), "page", b),
      say_bytes((uint64_t)overall(t->wire_bytes, t->seconds), d), say_bytes(t->wire_bytes, e));
}

static void say_urls(const panel_facts *f, panel_text *text)
{
  char a[SAY_MANY_SIZE], b[SAY_MANY_SIZE], c[SAY_MANY_SIZE], d[SAY_MANY_SIZE];
  const frontier_stats *s = &f->stats;
  uint64_t done = s->done + s->failed + s->skipped, waiting = s->queued + s->in_flight;
  say(text, "  URLs: %s done, %s known, %s queued, %zu in flight; %s host%s", say_count(done, a),
      say_count(done + waiting, b), say_count(s->queued, c), f->totals.active, say_count(s->hosts, d),
      s->hosts == 1 ? "" : "s");
  char lost[SAY_LATE_SIZE];
  if (frontier_is_exact(f->frontier))
    say_late(s->unconfirmed, s->late, lost);
  else
    snprintf(lost, sizeof lost, "%.1g URLs expected lost", s->expected_lost);
  say(text, "  %s, %s; filter %.0f%% full; %s", say_many(f->totals.redirects, "redirect", a),
      say_many(f->totals.errors, "error", b), 100.0 * (double)s->filter.keys / (double)s->filter.design_keys, lost);
}

static void say_time(const panel_facts *f, panel_text *text)
{
  char shares[TIME_SHARES_SIZE];
  if (time_shares_say(f->frontier, shares))
    say(text, "  time: %s", shares);
}

static void say_skipped(const panel_facts *f, panel_text *text)
{
  char line[PANEL_TEXT_LINE] = "", count[SAY_MANY_SIZE];
  size_t size = 0;
  for (int i = 0; i < CRAWL_SKIPS; i++) {
    const char *name = crawl_skip_name((crawl_skip)i);
    uint64_t value = frontier_counter(f->frontier, name);
    if (value && size < sizeof line)
      size += (size_t)snprintf(line + size, sizeof line - size, "%s%s %s", size ? ", " : "", say_count(value, count),
                               name + strlen("skipped-"));
  }
  if (size)
    say(text, "  not taken: %.480s", line);
}

/* ---- hosts at work ---------------------------------------------------------------------------------------- */

typedef struct busy_host {
  const char *name;
  size_t size;
  unsigned fetching, asking; /* pages, robots.txt */
  double slowest;            /* seconds, of these */
} busy_host;

typedef struct busy_hosts {
  busy_host at[HOSTS_KNOWN];
  size_t count, more;
} busy_hosts;

static void note_visit(void *context, const crawl_active *visit)
{
  busy_hosts *hosts = context;
  size_t i = 0;
  while (i < hosts->count &&
         (hosts->at[i].size != visit->host_size || memcmp(hosts->at[i].name, visit->host, visit->host_size) != 0))
    i++;
  if (i == HOSTS_KNOWN) {
    hosts->more++;
    return;
  }
  busy_host *host = &hosts->at[i];
  if (i == hosts->count) {
    *host = (busy_host){.name = visit->host, .size = visit->host_size};
    hosts->count++;
  }
  host->fetching += visit->is_fetching;
  host->asking += !visit->is_fetching;
  if (visit->seconds > host->slowest)
    host->slowest = visit->seconds;
}

/* The slowest first: those are what one waits for. */
static void say_hosts(const panel_facts *f, panel_text *text)
{
  busy_hosts hosts = {.count = 0};
  crawl_each_active(f->crawl, note_visit, &hosts);
  for (int shown = 0; shown < HOSTS_SHOWN; shown++) {
    busy_host *slowest = NULL;
    for (size_t i = 0; i < hosts.count; i++)
      if (hosts.at[i].name && (!slowest || hosts.at[i].slowest > slowest->slowest))
        slowest = &hosts.at[i];
    if (!slowest)
      return;
    char seconds[SAY_MANY_SIZE], asking[48] = "";
    if (slowest->asking)
      snprintf(asking, sizeof asking, ", %u wait for robots.txt", slowest->asking);
    say(text, "  %.*s: %u on the way%s, %s at most", (int)(slowest->size < 200 ? slowest->size : 200), slowest->name,
        slowest->fetching, asking, say_seconds(slowest->slowest, seconds));
    slowest->name = NULL;
  }
}

static void say_errors(const panel_facts *f, panel_text *text)
{
  for (size_t i = 0; i < FAILURES_KEPT && text->count < PANEL_LINES_MAX; i++) {
    const char *error = failures_last(crawl_failures(f->crawl), i);
    if (!*error)
      return;
    say(text, "  %s", error);
    text->lines[text->count - 1].is_error = true;
  }
}

void panel_text_write(const panel_facts *f, panel_text *text)
{
  text->count = 0;
  say_rates(f, text);
  say_outage(f, text);
  say_urls(f, text);
  say_time(f, text);
  say_skipped(f, text);
  if (!f->crawl)
    return;
  say_hosts(f, text);
  say_errors(f, text);
}

const char *panel_text_plain(const panel_facts *f, char line[PANEL_TEXT_LINE])
{
  char a[SAY_MANY_SIZE], b[SAY_MANY_SIZE], c[SAY_MANY_SIZE], d[SAY_MANY_SIZE], r[SAY_MANY_SIZE],
    left_text[SAY_SIZE + 16] = "";
  const crawl_totals *t = &f->totals;
  double rate = overall(t->pages, t->seconds);
  double left = panel_text_left(f->caps, frontier_counter(f->frontier, "pages"), t->seconds, rate);
  if (left >= 0)
    snprintf(left_text, sizeof left_text, ", %s left", say_seconds(left, a));
  const char *paused = f->crawl && *crawl_outage(f->crawl) ? ", paused" : "";
  snprintf(line, PANEL_TEXT_LINE, "%s: %s, %s queued, %s, %s/s, %s/s%s%s", say_seconds(t->seconds, d),
           say_many(t->pages, "page", a), say_count(f->stats.queued, b), say_many(t->errors, "error", c),
           say_many(whole(rate), "page", r),
           say_bytes((uint64_t)overall(t->wire_bytes, t->seconds), (char[SAY_MANY_SIZE]){0}), left_text, paused);
  return line;
}
