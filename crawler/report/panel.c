/* See panel.h. All lines of a drawing go out in one write, each line overwrites the old one and erases only the rest of
 * it: so nothing flickers. No line is as wide as the terminal and there are never more lines than it has, so nothing
 * scrolls; if the terminal became narrower since, the lines that wrapped are counted. */
#include "crawler/report/panel.h"

#include "crawler/base/clip.h"
#include "crawler/report/panel_text.h"
#include "crawler/base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE_BYTES = 1024, SECONDS_BETWEEN_LINES = 5 };

static bool is_terminal(void)
{
  const char *terminal = getenv("TERM");
  return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

panel panel_create(frontier *f, const crawl_options *caps, bool quiet, bool plain)
{
  const char *no_color = getenv("NO_COLOR");
  panel_kind kind = quiet ? PANEL_NONE : plain || !is_terminal() ? PANEL_LINES : PANEL_LIVE;
  return (panel){
    .frontier = f, .caps = caps, .kind = kind, .is_utf8 = clip_is_utf8(), .has_color = !no_color || !*no_color};
}

/* ---- rates ------------------------------------------------------------------------------------------------ */

static void update_rates(panel *p, const crawl_totals *totals)
{
  double passed = totals->seconds - p->last_seconds;
  if (passed < 1.0 && p->last_seconds > 0)
    return;
  p->pages_rate = passed > 0 ? (double)(totals->pages - p->last_pages) / passed : 0;
  p->bytes_rate = passed > 0 ? (double)(totals->wire_bytes - p->last_bytes) / passed : 0;
  p->last_pages = totals->pages;
  p->last_bytes = totals->wire_bytes;
  p->last_seconds = totals->seconds;
}

/* ---- drawing ---------------------------------------------------------------------------------------------- */

typedef struct drawing {
  char bytes[PANEL_LINES_MAX * (LINE_BYTES + 32)];
  size_t size;
} drawing;

static void put(drawing *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(drawing *d, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(d->bytes + d->size, sizeof d->bytes - d->size, format, arguments);
  va_end(arguments);
  if (size > 0 && (size_t)size < sizeof d->bytes - d->size)
    d->size += (size_t)size;
}

static void send(const drawing *d)
{
  for (size_t done = 0; done < d->size;) {
    ssize_t written = write(STDERR_FILENO, d->bytes + done, d->size - done);
    if (written <= 0)
      return; /* a terminal that is gone, or full: the next drawing will do */
    done += (size_t)written;
  }
}

static void terminal_size(size_t *columns, size_t *rows)
{
  struct winsize size;
  bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  *columns = known && size.ws_col > 0 ? size.ws_col : 80;
  *rows = known && size.ws_row > 0 ? size.ws_row : 24;
}

/* To where the last drawing began. */
static void put_return(const panel *p, size_t columns, drawing *d)
{
  size_t rows = 0;
  for (size_t i = 0; i < p->drawn; i++)
    rows += p->widths[i] ? (p->widths[i] + columns - 1) / columns : 1;
  put(d, "\r"); /* the terminal may have echoed a ^C */
  if (rows)
    put(d, "\033[%zuA", rows);
}

static void put_lines(panel *p, const panel_text *text, size_t columns, size_t rows, drawing *d)
{
  size_t count = text->count < rows ? text->count : rows - 1; /* the cursor stands below the last line */
  for (size_t i = 0; i < count; i++) {
    char line[LINE_BYTES];
    const char *color = !p->has_color ? "" : i == 0 ? "\033[1m" : text->lines[i].is_error ? "\033[31m" : "";
    p->widths[i] = clip_line(text->lines[i].text, columns - 1, p->is_utf8, line, sizeof line);
    put(d, "%s%s%s\033[K\n", color, line, *color ? "\033[0m" : "");
  }
  p->drawn = count;
  put(d, "\033[J");
}

static void draw(panel *p, const panel_text *text)
{
  drawing d = {.size = 0};
  size_t columns, rows;
  terminal_size(&columns, &rows);
  put_return(p, columns, &d);
  put_lines(p, text, columns, rows, &d);
  send(&d);
}

void panel_tick(void *context, const crawl *c)
{
  panel *p = context;
  panel_facts facts = {.crawl = c, .frontier = p->frontier, .caps = p->caps, .totals = crawl_totals_read(c)};
  double silence = facts.totals.seconds - p->said_seconds;
  if (p->kind == PANEL_NONE || (p->kind == PANEL_LINES && silence < SECONDS_BETWEEN_LINES) ||
      frontier_stats_read(p->frontier, &facts.stats) != FRONTIER_OK)
    return;
  update_rates(p, &facts.totals);
  facts.pages_rate = p->pages_rate;
  facts.bytes_rate = p->bytes_rate;
  if (p->kind == PANEL_LINES) {
    char line[PANEL_TEXT_LINE];
    p->said_seconds = facts.totals.seconds;
    fprintf(stderr, "%s\n", panel_text_plain(&facts, line));
    return;
  }
  panel_text text;
  panel_text_write(&facts, &text);
  draw(p, &text);
}

void panel_clear(panel *p)
{
  drawing d = {.size = 0};
  size_t columns, rows;
  if (p->kind != PANEL_LIVE || !p->drawn)
    return;
  terminal_size(&columns, &rows);
  put_return(p, columns, &d);
  put(&d, "\033[J");
  send(&d);
  p->drawn = 0;
}
