/* See panel.h. */
#include "crawler/panel.h"

#include "crawler/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINES = 3 };

panel panel_create(frontier *f)
{
  const char *terminal = getenv("TERM");
  return (panel){.frontier = f, .is_on = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0};
}

static int terminal_width(void)
{
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* One line, cut to the terminal's width, the rest of it erased: redrawing needs no clearing, so nothing flickers. */
static void line(int width, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(int width, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%.*s\033[K\n", width - 1, text);
}

static uint64_t all_skipped(const frontier *f)
{
  uint64_t sum = 0;
  for (int i = 0; i < CRAWL_SKIPS; i++)
    sum += frontier_counter(f, crawl_skip_name((crawl_skip)i));
  return sum;
}

static void update_rate(panel *p, const crawl_totals *totals)
{
  double passed = totals->seconds - p->last_seconds;
  if (passed < 1.0 && p->last_seconds > 0)
    return;
  p->rate = passed > 0 ? (double)(totals->pages - p->last_pages) / passed : 0;
  p->last_pages = totals->pages;
  p->last_seconds = totals->seconds;
}

void panel_tick(void *context, const crawl *c)
{
  panel *p = context;
  frontier_stats stats;
  if (!p->is_on || frontier_stats_read(p->frontier, &stats) != FRONTIER_OK)
    return;
  crawl_totals totals = crawl_totals_read(c);
  update_rate(p, &totals);
  char a[SAY_SIZE], b[SAY_SIZE], d[SAY_SIZE], e[SAY_SIZE];
  int width = terminal_width();
  if (p->is_drawn)
    fprintf(stderr, "\r\033[%dA", LINES); /* the terminal may have echoed a ^C */
  line(width, "  %s pages  %s  %.0f pages/s now, %.0f overall  %s", say_count(totals.pages, a),
       say_bytes(totals.body_bytes, b), p->rate, totals.seconds > 0 ? (double)totals.pages / totals.seconds : 0,
       say_seconds(totals.seconds, d));
  line(width, "  queued %s  in flight %zu  done %s  hosts %s", say_count(stats.queued, a), totals.active,
       say_count(stats.done + stats.failed + stats.skipped, b), say_count(stats.hosts, d));
  line(width, "  redirects %s  errors %s  skipped %s  filter %.0f%% full", say_count(totals.redirects, a),
       say_count(totals.errors, b), say_count(all_skipped(p->frontier), e),
       100.0 * (double)stats.filter.keys / (double)stats.filter.design_keys);
  p->is_drawn = true;
}

void panel_clear(panel *p)
{
  if (p->is_drawn)
    fprintf(stderr, "\r\033[%dA\033[J", LINES);
  p->is_drawn = false;
}
