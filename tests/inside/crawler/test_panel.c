/* The panel on a terminal of every width: a model of the terminal watches each byte. No line reaches the edge, nothing
 * scrolls once the panel stands, and after Ctrl-C the screen has the summary and nothing of the panel. */
#include "crawler/report/panel_text.h"
#include "tests/site/trial.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a terminal ------------------------------------------------------------------------------------------- */

enum { ROWS_MAX = 60, COLUMNS_MAX = 220 };

typedef struct screen {
  char cells[ROWS_MAX][COLUMNS_MAX + 1];
  unsigned rows, columns, row, column;
  unsigned scrolls, scrolls_standing; /* all; and those after the first drawing was complete */
  unsigned drawings, wraps, strange;  /* ESC[J seen; lines that reached the edge; bytes nobody should send */
  char escape[16];                    /* what came of one, after ESC */
  size_t escape_size;
  bool in_escape;
} screen;

static void erase(screen *s, unsigned row, unsigned from)
{
  memset(s->cells[row] + from, ' ', s->columns - from);
}

static void feed_line(screen *s)
{
  if (s->row + 1 < s->rows) {
    s->row++;
    return;
  }
  memmove(s->cells[0], s->cells[1], (s->rows - 1) * sizeof s->cells[0]);
  erase(s, s->rows - 1, 0);
  s->scrolls++;
  s->scrolls_standing += s->drawings > 0;
}

static void end_escape(screen *s, char final)
{
  unsigned number = (unsigned)strtoul(s->escape + 1, NULL, 10);
  s->in_escape = false;
  if (final == 'A')
    s->row -= number < s->row ? number : s->row;
  else if (final == 'K')
    erase(s, s->row, s->column);
  else if (final == 'J') {
    erase(s, s->row, s->column);
    for (unsigned row = s->row + 1; row < s->rows; row++)
      erase(s, row, 0);
    s->drawings++;
  } else if (final != 'm')
    s->strange++;
}

static void show_byte(screen *s, char c)
{
  if (s->in_escape) {
    if (s->escape_size + 1 < sizeof s->escape)
      s->escape[s->escape_size++] = c;
    s->escape[s->escape_size] = '\0';
    if (c >= '@' && c <= '~' && c != '[')
      end_escape(s, c);
  } else if (c == '\033') {
    s->in_escape = true;
    s->escape_size = 0;
  } else if (c == '\r') {
    s->column = 0;
  } else if (c == '\n') {
    feed_line(s);
  } else if (c < ' ') {
    s->strange++;
  } else {
    if (s->column == s->columns) {
      s->column = 0;
      feed_line(s);
    }
    s->cells[s->row][s->column++] = c;
    s->wraps += s->column == s->columns && s->drawings > 0;
  }
}

/* Rows that have it. */
static unsigned count(const screen *s, const char *what)
{
  unsigned rows = 0;
  for (unsigned row = 0; row < s->rows; row++)
    rows += strstr(s->cells[row], what) != NULL;
  return rows;
}

static bool has(const screen *s, const char *what)
{
  return count(s, what) > 0;
}

static screen make_screen(unsigned columns, unsigned rows)
{
  screen s = {.columns = columns, .rows = rows};
  for (unsigned row = 0; row < rows; row++)
    erase(&s, row, 0);
  return s;
}

/* As terminals do: a line too long for the new width goes on in the next row. Nothing stands below the cursor. */
static void change_width(screen *s, unsigned columns)
{
  screen old = *s;
  s->columns = columns;
  s->row = 0;
  for (unsigned row = 0; row < s->rows; row++) {
    memset(s->cells[row], '\0', sizeof s->cells[row]);
    erase(s, row, 0);
  }
  for (unsigned row = 0; row < old.row; row++, s->row++) {
    size_t size = old.columns;
    while (size && old.cells[row][size - 1] == ' ')
      size--;
    for (const char *at = old.cells[row]; size; s->row += size > 0) {
      size_t piece = size < columns ? size : columns;
      assert_true(s->row + 1 < s->rows);
      memcpy(s->cells[s->row], at, piece);
      at += piece;
      size -= piece;
    }
  }
}

/* ---- the program on it ------------------------------------------------------------------------------------ */

static trial *t;

static int serve(void **state)
{
  (void)state;
  t = trial_open(&(trial_options){.seed = 51, .entries = 2000, .latency_ms = 20});
  return 0;
}

static int stop(void **state)
{
  (void)state;
  trial_close(t);
  return 0;
}

static pid_t start(const screen *s, const char *const more[], int *terminal)
{
  const struct winsize size = {.ws_row = (unsigned short)s->rows, .ws_col = (unsigned short)s->columns};
  pid_t pid = forkpty(terminal, NULL, NULL, &size);
  assert_true(pid >= 0);
  if (pid > 0)
    return pid;
  const char *argv[32] = {STRATA_PROGRAM,    "crawl",      "--dir", t->crawl, "--delay", "0",
                          "--allow-private", "--per-host", "4"};
  size_t count = 9;
  for (size_t i = 0; more[i]; i++)
    argv[count++] = more[i];
  argv[count++] = t->url;
  argv[count] = NULL;
  setenv("TERM", "xterm", 1);
  execv(STRATA_PROGRAM, (char *const *)(uintptr_t)argv);
  _exit(127);
}

/* Shows what the program writes until there were so many drawings, `seconds` are over or it has closed the terminal. */
static void watch(screen *s, int terminal, double seconds, unsigned drawings)
{
  char bytes[4096];
  double end = process_clock() + seconds;
  while (s->drawings < drawings) {
    struct pollfd wait = {.fd = terminal, .events = POLLIN};
    double left = end - process_clock();
    if (left <= 0 || (poll(&wait, 1, (int)(1000 * left) + 1) < 0 && errno != EINTR))
      return;
    if (!(wait.revents & (POLLIN | POLLHUP)))
      continue;
    ssize_t got = read(terminal, bytes, sizeof bytes);
    if (got <= 0)
      return; /* EIO: nobody holds the other side any more */
    for (ssize_t i = 0; i < got; i++)
      show_byte(s, bytes[i]);
  }
}

/* For some drawings, or for a moment where none are expected; then Ctrl-C. Returns the exit code. */
static int run_and_interrupt(screen *s, screen *before, const char *const more[], double seconds)
{
  int terminal, status;
  pid_t pid = start(s, more, &terminal);
  watch(s, terminal, seconds, 5);
  *before = *s;
  assert_int_equal(write(terminal, "\003", 1), 1);
  watch(s, terminal, PROCESS_SECONDS_MAX, UINT32_MAX);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  close(terminal);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_clean_run(unsigned columns, unsigned rows)
{
  static const char *const none[] = {NULL};
  screen s = make_screen(columns, rows), before;
  int code = run_and_interrupt(&s, &before, none, PROCESS_SECONDS_MAX);
  if (code != 3 || before.strange || before.wraps || before.scrolls_standing)
    print_message("%u x %u: exit %d, %u strange bytes, %u lines at the edge, %u scrolls\n", columns, rows, code,
                  before.strange, before.wraps, before.scrolls_standing);
  assert_int_equal(code, 3);
  assert_true(before.drawings >= 5); /* it was there, and redrawn */
  assert_true(has(&before, " pages in"));
  assert_int_equal(before.strange, 0);
  assert_int_equal(before.wraps, 0);
  assert_int_equal(before.scrolls_standing, 0);
  assert_false(has(&s, " pages in "));
  assert_false(has(&s, "URLs: "));
}

CASE_WITH(every_width, serve, stop)
{
  static const unsigned widths[] = {16, 80};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    assert_clean_run(widths[i], 40);
}

CASE_WITH(a_low_terminal, serve, stop)
{
  assert_clean_run(80, 4);
}

CASE_WITH(the_summary_stands_alone_in_the_end, serve, stop)
{
  static const char *const none[] = {NULL};
  screen s = make_screen(200, 40), before;
  assert_int_equal(run_and_interrupt(&s, &before, none, PROCESS_SECONDS_MAX), 3);
  assert_true(has(&before, "now ") && has(&before, "URLs: ") && has(&before, "on the way"));
  assert_true(has(&s, "Stopped by a signal"));
  assert_true(has(&s, "To go on:"));
  assert_false(has(&s, "on the way"));
}

/* The program is held meanwhile, and what it had written is shown first. */
static void resize(screen *s, int terminal, pid_t pid, unsigned columns)
{
  const struct winsize size = {.ws_row = (unsigned short)s->rows, .ws_col = (unsigned short)columns};
  int status;
  assert_int_equal(kill(pid, SIGSTOP), 0);
  assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
  assert_true(WIFSTOPPED(status));
  watch(s, terminal, 0.05, UINT32_MAX);
  assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0); /* SIGWINCH, too */
  change_width(s, columns);
  assert_int_equal(kill(pid, SIGCONT), 0);
}

CASE_WITH(a_width_that_changes, serve, stop)
{
  static const char *const none[] = {NULL};
  static const unsigned widths[] = {40, 100, 23, 160};
  screen s = make_screen(120, 60);
  int terminal, status;
  pid_t pid = start(&s, none, &terminal);
  watch(&s, terminal, PROCESS_SECONDS_MAX, 4);
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    resize(&s, terminal, pid, widths[i]);
    watch(&s, terminal, PROCESS_SECONDS_MAX, s.drawings + 3);
    assert_int_equal(count(&s, " pages in"), 1); /* one panel, and nothing of those before it */
    assert_int_equal(count(&s, "URLs: "), 1);
    assert_int_equal(s.wraps + s.strange + s.scrolls, 0);
  }
  assert_int_equal(write(terminal, "\003", 1), 1);
  watch(&s, terminal, PROCESS_SECONDS_MAX, UINT32_MAX);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  close(terminal);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  assert_false(has(&s, " pages in "));
}

/* Caps give a time left; NO_COLOR takes the colours. */
CASE_WITH(time_left_and_no_color, serve, stop)
{
  static const char *const caps[] = {"--max-seconds", "100", NULL};
  screen s = make_screen(80, 40), before;
  setenv("NO_COLOR", "1", 1);
  run_and_interrupt(&s, &before, caps, PROCESS_SECONDS_MAX);
  unsetenv("NO_COLOR");
  assert_true(has(&before, " left"));
}

CASE_WITH(nothing_when_quiet, serve, stop)
{
  static const char *const quiet[] = {"--quiet", NULL};
  screen s = make_screen(80, 40), before;
  assert_int_equal(run_and_interrupt(&s, &before, quiet, 0.5), 3);
  assert_int_equal(s.drawings, 0);
  for (unsigned row = 0; row < s.rows; row++)
    assert_int_equal(strspn(s.cells[row], row == 0 ? " ^C" : " "), s.columns);
}

CASE_WITH(plain_lines_when_asked, serve, stop)
{
  static const char *const plain[] = {"--progress", NULL};
  screen s = make_screen(80, 40), before;
  assert_int_equal(run_and_interrupt(&s, &before, plain, 0.5), 3);
  assert_int_equal(s.drawings, 0);
  assert_int_equal(s.strange, 0);
}

/* ---- its words -------------------------------------------------------------------------------------------- */

CASE(time_left)
{
  static const struct row {
    uint64_t max_pages, max_ms, pages;
    double seconds, rate, left;
  } rows[] = {
    {UINT64_MAX, UINT64_MAX, 100, 10, 10, -1},
    {200, UINT64_MAX, 100, 10, 10, 10},
    {200, UINT64_MAX, 100, 10, 0, -1}, /* nobody knows */
    {200, UINT64_MAX, 300, 10, 10, 0},
    {UINT64_MAX, 60000, 100, 10, 10, 50},
    {UINT64_MAX, 60000, 100, 70, 10, 0},
    {200, 12000, 100, 10, 10, 2}, /* whichever comes first */
    {200, 60000, 100, 10, 10, 10},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const crawl_options caps = {.max_pages = rows[i].max_pages, .max_ms = rows[i].max_ms};
    double left = panel_text_left(&caps, rows[i].pages, rows[i].seconds, rows[i].rate);
    assert_true(left == rows[i].left);
  }
}

CASE(one_plain_line)
{
  char line[PANEL_TEXT_LINE], message[FRONTIER_MESSAGE_SIZE];
  const frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 100, .rate = 1e-6, .per_host = 1, .depth_cap = UINT16_MAX};
  const crawl_options caps = {.max_pages = UINT64_MAX, .max_ms = 90000};
  frontier *f;
  assert_int_equal(frontier_open(NULL, &options, &f, message), FRONTIER_OK);
  panel_facts facts = {
    .frontier = f, .caps = &caps, .totals = {.pages = 1200, .errors = 3, .wire_bytes = 24000000, .seconds = 12}};
  assert_int_equal(frontier_stats_read(f, &facts.stats), FRONTIER_OK);
  facts.stats.queued = 5000;
  assert_string_equal(panel_text_plain(&facts, line),
                      "12.0 s: 1,200 pages, 5,000 queued, 3 errors, 100 pages/s, 2.0 MB/s, 1 min 18 s left");
  panel_text words;
  panel_text_write(&facts, &words);
  assert_int_equal(words.count, 4);
  frontier_close(f);
}

/* With exact a link that waits, and what came late, are shown in place of what is lost. */
CASE(what_waits_and_what_came_late)
{
  static const struct row {
    uint64_t unconfirmed, late;
    const char *said;
  } rows[] = {
    {0, 0, "0 links wait to be confirmed; 0 URLs came late"},
    {1, 1, "1 link waits to be confirmed; 1 URL came late"},
    {1234, 5678, "1,234 links wait to be confirmed; 5,678 URLs came late"},
  };
  char directory[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  frontier_options options = {.filter = MLBF_KIND_MLBF, .expected_urls = 100, .rate = 1e-2, .per_host = 1};
  const crawl_options caps = {.max_pages = UINT64_MAX, .max_ms = UINT64_MAX};
  scratch_make_fast(directory);
  for (int exact = 0; exact < 2; exact++) {
    frontier *f;
    options.exact = exact;
    assert_int_equal(frontier_open(exact ? directory : NULL, &options, &f, message), FRONTIER_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      panel_text words;
      panel_facts facts = {.frontier = f, .caps = &caps};
      assert_int_equal(frontier_stats_read(f, &facts.stats), FRONTIER_OK);
      facts.stats.unconfirmed = rows[i].unconfirmed;
      facts.stats.late = rows[i].late;
      panel_text_write(&facts, &words);
      assert_int_equal(words.count, 4);
      assert_int_equal(strstr(words.lines[3].text, rows[i].said) != NULL, exact);
      assert_int_equal(strstr(words.lines[3].text, "URLs expected lost") != NULL, !exact);
    }
    assert_int_equal(frontier_close(f), FRONTIER_OK);
  }
  scratch_remove(directory);
}
