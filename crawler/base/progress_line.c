/* Drawn by write(2), as what passes through stderr is shown without control characters (shown.h). */
#include "crawler/base/progress_line.h"

#include "crawler/base/clip.h"
#include "crawler/base/message.h"
#include "frontier/base/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { QUIET_MS = 2000, BETWEEN_MS = 100, LINE = 512 };

progress progress_begin(void)
{
  const char *terminal = getenv("TERM"), *after = getenv("STRATA_PROGRESS_MS");
  return (progress){
    .is_live = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0,
    .from_ms = machine_monotonic_ms() + (after && *after ? strtoull(after, NULL, 10) : QUIET_MS),
  };
}

static void send(const char *bytes, size_t size)
{
  while (size > 0) {
    ssize_t written = write(STDERR_FILENO, bytes, size);
    if (written <= 0)
      return; /* a terminal that is gone: the next drawing will do */
    bytes += written;
    size -= (size_t)written;
  }
}

static size_t columns(void)
{
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

/* The rest takes as long for each unit as what is done of this `what`. */
static void put_time_left(const progress *p, uint64_t done, uint64_t whole, uint64_t took_ms, char *to, size_t room)
{
  char left[SAY_SIZE];
  if (done <= p->first_done || done >= whole)
    return;
  double ms = (double)took_ms * (double)(whole - done) / (double)(done - p->first_done);
  snprintf(to, room, ", %s left", say_seconds(ms / 1000, left));
}

static void draw(progress *p, uint64_t done, uint64_t whole, uint64_t counted, const char *unit)
{
  char text[LINE], line[LINE], sent[LINE + 16], share[16] = "", left[SAY_SIZE + 16] = "";
  char rate[2 * SAY_SIZE + 64] = "", a[SAY_SIZE], b[SAY_SIZE];
  uint64_t took_ms = p->drawn_ms - p->began_ms;
  if (whole > 0)
    snprintf(share, sizeof share, " %.0f %%", 100 * (double)(done < whole ? done : whole) / (double)whole);
  if (unit && took_ms > 0)
    snprintf(rate, sizeof rate, "%s %s %s, %s/s", *share ? "," : "", say_count(counted, a), unit,
             say_count((counted - p->first_counted) * 1000 / took_ms, b));
  put_time_left(p, done, whole, took_ms, left, sizeof left);
  snprintf(text, sizeof text, "%s:%s%s%s", p->what, share, rate, left);
  clip_line(text, columns() - 1, clip_is_utf8(), line, sizeof line);
  send(sent, (size_t)snprintf(sent, sizeof sent, "\r%s\033[K", line));
  p->is_drawn = true;
}

void progress_show(progress *p, const char *what, uint64_t done, uint64_t whole, uint64_t counted, const char *unit)
{
  if (!p->is_live)
    return;
  uint64_t now = machine_monotonic_ms();
  if (p->what != what) {
    p->what = what;
    p->began_ms = now;
    p->first_done = done;
    p->first_counted = counted;
  }
  if (now < p->from_ms || (p->is_drawn && now < p->drawn_ms + BETWEEN_MS))
    return;
  p->drawn_ms = now;
  draw(p, done, whole, counted, unit);
}

void progress_of(progress *p, const char *what)
{
  p->what = what;
  p->began_ms = machine_monotonic_ms();
  p->first_done = p->first_counted = 0;
}

void progress_told(void *context, uint64_t done, uint64_t whole)
{
  progress *p = context;
  progress_show(p, p->what, done, whole, 0, NULL);
}

void progress_clear(progress *p)
{
  static const char erase[] = "\r\033[K";
  if (p->is_drawn)
    send(erase, sizeof erase - 1);
  p->is_drawn = false;
}
