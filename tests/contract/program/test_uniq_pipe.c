/* strata uniq in a pipe: real processes, FIFOs and signals. What comes in comes out at once, and no way in which a run
 * ends loses a line. */
#include "tests/site/process.h"
#include "tests/support/command.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { SECONDS = PROCESS_SECONDS_MAX, ROOM = 256 };

static char home[SCRATCH_PATH], in_path[SCRATCH_PATH], out_path[SCRATCH_PATH], err_path[SCRATCH_PATH],
  state_path[SCRATCH_PATH], other_path[SCRATCH_PATH];
static int in; /* of the FIFO that is the standard input of what runs */

/* ---- a run ---------------------------------------------------------------------------------------------- */

/* A line for the shell, in our directory; `strata` is the one under test. */
static pid_t start_with(const char *line, const char *input, const char *output)
{
  const char *const argv[] = {"/bin/sh", "-c", "cd \"$0\" && eval \"$1\"", home, line, NULL};
  return process_start(argv, &(process_files){.in = input, .out = output, .err = err_path});
}

/* `words` after "strata", with the FIFO as input; `before`: what the shell does first. */
static pid_t start(const char *before, const char *words)
{
  char line[2 * ROOM];
  snprintf(line, sizeof line, "%s exec strata %s", before, words);
  scratch_write(out_path, "", 0);
  return start_with(line, in_path, out_path);
}

/* The same, its output a pipe that we read; close the end that is returned. */
static pid_t start_into_pipe(const char *before, const char *words, int *output)
{
  enum { NUMBER = 9 }; /* which a shell can name */
  char line[ROOM];
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  assert_int_equal(dup2(ends[1], NUMBER), NUMBER);
  snprintf(line, sizeof line, "%s exec >&9 9>&-;", before);
  pid_t pid = start(line, words);
  close(NUMBER);
  close(ends[1]);
  *output = ends[0];
  return pid;
}

static process_end finish(pid_t pid)
{
  process_end end;
  assert_true(process_wait(pid, &end));
  return end;
}

static void put(const char *text)
{
  assert_int_equal(write(in, text, strlen(text)), strlen(text));
}

static void close_input(void)
{
  close(in);
  in = -1;
}

static void open_input(void)
{
  in = open(in_path, O_RDWR | O_CLOEXEC);
  assert_true(in >= 0);
}

static char *text_of(const char *path)
{
  size_t size;
  return scratch_read(path, &size);
}

static void assert_file(const char *path, const char *expected)
{
  char *text = text_of(path);
  assert_non_null(text);
  assert_string_equal(text, expected);
  free(text);
}

static void assert_said(const char *part)
{
  char *text = text_of(err_path), *end = strchr(text, '\n');
  if (!strstr(text, part) || !end || end[1])
    fail_msg("not one sentence with \"%s\": %s", part, text);
  free(text);
}

/* Waits for it, the input being open. */
static void expect(const char *path, const char *part)
{
  double deadline = process_clock() + SECONDS;
  for (;;) {
    char *text = text_of(path);
    bool is_there = text && strstr(text, part);
    if (!is_there && process_clock() > deadline)
      fail_msg("%s has no \"%s\": %s", path, part, text ? text : "(no file)");
    free(text);
    if (is_there)
      return;
    process_sleep(0.001);
  }
}

static void expect_bytes(int output)
{
  assert_int_equal(poll(&(struct pollfd){.fd = output, .events = POLLIN}, 1, SECONDS * 1000), 1);
}

/* All of `input` to a run of its own: what comes out. */
static char *run_whole(const char *words, const char *input)
{
  char line[ROOM];
  scratch_write(other_path, input, strlen(input));
  snprintf(line, sizeof line, "exec strata %s", words);
  assert_int_equal(finish(start_with(line, other_path, out_path)).code, EXIT_DONE);
  return text_of(out_path);
}

static void assert_whole(const char *words, const char *input, const char *expected)
{
  char *text = run_whole(words, input);
  assert_string_equal(text, expected);
  free(text);
}

static int set_up(void **state)
{
  (void)state;
  scratch_make(home);
  scratch_join(home, "in", in_path);
  scratch_join(home, "out", out_path);
  scratch_join(home, "err", err_path);
  scratch_join(home, "s", state_path);
  scratch_join(home, "other", other_path);
  assert_int_equal(mkfifo(in_path, 0600), 0);
  open_input();
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  close_input();
  scratch_remove(home);
  return 0;
}

/* ---- lines come out at once ----------------------------------------------------------------------------- */

CASE(a_line_comes_out_while_the_input_stays_open)
{
  static const char *const words[] = {
    "uniq",           "uniq --window 7d",          "uniq --window 5", "uniq --filter exact",
    "uniq --state s", "uniq --explain - /dev/null"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    pid_t pid = start("", words[i]);
    put("http://a/1\nhttp://a/2\nhttp://a/");
    expect(out_path, "http://a/1\n");
    expect(out_path, "http://a/2\n");
    put("3\nhttp://a/4\n");
    expect(out_path, "http://a/3\n");
    expect(out_path, "http://a/4\n");
    close_input();
    assert_int_equal(finish(pid).code, EXIT_DONE);
    open_input();
  }
}

/* More than a decoder gives at once, out of few bytes. */
CASE(compressed_lines_come_out_while_the_input_stays_open)
{
  enum { LINES = 6000, LINE = 20 };
  static char text[LINES * LINE + 1], packed[LINES * LINE];
  for (int i = 0; i < LINES; i++)
    sprintf(text + (ptrdiff_t)i * LINE, "http://a/%010d\n", i % 10);
  memcpy(text + (ptrdiff_t)(LINES - 1) * LINE, "http://a/last______", LINE - 1);
  ZSTD_CCtx *context = ZSTD_createCCtx();
  ZSTD_inBuffer from = {text, sizeof text - 1, 0};
  ZSTD_outBuffer to = {packed, sizeof packed, 0};
  assert_int_equal(ZSTD_compressStream2(context, &to, &from, ZSTD_e_flush), 0);
  ZSTD_freeCCtx(context);
  pid_t pid = start("", "uniq");
  assert_int_equal(write(in, packed, to.pos), to.pos);
  expect(out_path, "http://a/last______\n");
  process_kill(pid);
}

/* A stream begins with a filter for 2^20 URLs; a second one takes in what comes after them (mlbf/growth.h), and both
 * are in the state. The last lines come twice. */
CASE(a_stream_outgrows_its_first_filter)
{
  enum { FIRST = 1 << 20, MORE = 50, URLS = FIRST + MORE, TWICE = 2 * MORE, LINE = 17 };
  static char lines[(URLS + TWICE) * LINE + 1];
  for (int i = 0; i < URLS + TWICE; i++)
    sprintf(lines + (ptrdiff_t)i * LINE, "http://a/%07d\n", i < URLS ? i : i - TWICE);
  char *text = run_whole("uniq --state s", lines);
  assert_int_equal(strlen(text), URLS * LINE);
  assert_memory_equal(text, lines, URLS * LINE);
  free(text);
  assert_whole("uniq --state s", lines + FIRST * LINE, "");
}

/* ---- signals -------------------------------------------------------------------------------------------- */

/* Twice, as timeout(1) sends them. A line that has not come in whole is not taken. */
CASE(a_signal_saves_what_was_read)
{
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    unlink(state_path);
    pid_t pid = start("", "uniq --state s");
    put("http://a/1\nhttp://a/2\nhttp://a/");
    expect(out_path, "http://a/2\n");
    kill(pid, signals[i]);
    process_sleep(0.001);
    kill(pid, signals[i]);
    assert_int_equal(finish(pid).code, EXIT_STOPPED);
    assert_file(out_path, "http://a/1\nhttp://a/2\n");
    assert_file(err_path, "");
    assert_whole("uniq --state s", "http://a/2\nhttp://a/\nhttp://a/1\nhttp://a/3\n", "http://a/\nhttp://a/3\n");
  }
}

enum { MANY = 40000, MANY_LINE = 32 };

static char *many_lines(void)
{
  char *text = malloc((size_t)MANY * MANY_LINE + 1);
  assert_non_null(text);
  for (int i = 0; i < MANY; i++)
    sprintf(text + (ptrdiff_t)i * MANY_LINE, "http://many.example/%011d\n", i);
  return text;
}

/* The output is a full pipe when the signal comes; then all is read. */
CASE(a_signal_in_the_middle_loses_and_doubles_nothing)
{
  char *all = many_lines(), *got = calloc(1, strlen(all) + 1), list[SCRATCH_PATH];
  scratch_join(home, "list", list);
  scratch_write(list, all, strlen(all));
  int out;
  pid_t pid = start_into_pipe("", "uniq --state s list", &out);
  size_t size = 0;
  ssize_t more = 0;
  expect_bytes(out); /* and more than the pipe takes */
  process_sleep(0.05);
  kill(pid, SIGTERM);
  do
    size += (size_t)(more = read(out, got + size, strlen(all) - size));
  while (more > 0);
  assert_int_equal(finish(pid).code, EXIT_STOPPED);
  assert_true(size < strlen(all));
  close(out);
  assert_memory_equal(got, all, size);
  assert_whole("uniq --state s", all, all + size);
  free(all);
  free(got);
}

/* At least once: what was written since the last save comes again, and no more. */
CASE(a_killed_run_loses_nothing)
{
  pid_t pid = start("", "uniq --state s --save-every 1s");
  put("http://a/1\nhttp://a/2\n");
  for (double deadline = process_clock() + SECONDS; access(state_path, F_OK) != 0; process_sleep(0.001))
    assert_true(process_clock() < deadline); /* the input stays open: it was saved in the middle */
  put("http://a/3\n");
  expect(out_path, "http://a/3\n");
  kill(pid, SIGKILL);
  assert_int_equal(finish(pid).signal, SIGKILL);
  char *text = run_whole("uniq --state s", "http://a/1\nhttp://a/2\nhttp://a/3\nhttp://a/4\n");
  assert_null(strstr(text, "http://a/1\n"));
  assert_null(strstr(text, "http://a/2\n"));
  assert_non_null(strstr(text, "http://a/4\n"));
  free(text);
}

/* ---- output and state that cannot be written ------------------------------------------------------------ */

static void assert_state_is(const char *was, size_t size)
{
  size_t now_size;
  char *now = scratch_read(state_path, &now_size);
  assert_int_equal(now_size, size);
  assert_memory_equal(now, was, size);
  free(now);
}

/* Its reader goes after one line: that one, written since the last save, comes again, and the one it never got too. */
CASE(a_closed_output_leaves_the_state_alone)
{
  assert_whole("uniq --state s", "http://a/1\n", "http://a/1\n");
  size_t size;
  char *was = scratch_read(state_path, &size), got[16];
  for (int is_ignored = 0; is_ignored < 2; is_ignored++) {
    int out;
    pid_t pid = start_into_pipe(is_ignored ? "trap '' PIPE;" : "", "uniq --state s", &out);
    put("http://a/1\nhttp://a/2\n");
    expect_bytes(out);
    assert_int_equal(read(out, got, sizeof got), 11);
    assert_memory_equal(got, "http://a/2\n", 11);
    close(out);
    put("http://a/3\n");
    process_end end = finish(pid);
    if (is_ignored) {
      assert_int_equal(end.code, EXIT_FAILED);
      assert_said("writing the output: Broken pipe; --state is as last saved");
    } else {
      assert_int_equal(end.signal, SIGPIPE);
      assert_file(err_path, "");
    }
    assert_state_is(was, size);
  }
  free(was);
  assert_whole("uniq --state s", "http://a/1\nhttp://a/2\nhttp://a/3\n", "http://a/2\nhttp://a/3\n");
}

/* Blocks of 512 bytes: the output fits no longer, or the state of 5 MB does not. */
CASE(a_file_size_limit_leaves_the_state_alone)
{
  char *all = many_lines();
  assert_whole("uniq --state s", "http://a/1\n", "http://a/1\n");
  size_t size;
  char *was = scratch_read(state_path, &size), list[SCRATCH_PATH], temporary[SCRATCH_PATH];
  scratch_join(home, "s.tmp", temporary);
  scratch_join(home, "list", list);
  scratch_write(list, all, strlen(all));
  assert_int_equal(finish(start("ulimit -f 100;", "uniq --state s list")).code, EXIT_FAILED);
  assert_said("writing the output: File too large; --state is as last saved");
  assert_state_is(was, size);
  scratch_write(list, all, (size_t)3 * MANY_LINE);
  assert_int_equal(finish(start("ulimit -f 100;", "uniq --state s list")).code, EXIT_FAILED);
  assert_said("s: File too large; it is as it was");
  assert_state_is(was, size);
  assert_int_not_equal(access(temporary, F_OK), 0);
  assert_whole("uniq --state s", all, all);
  free(was);
  free(all);
}

/* Said once, and once more at the end; the lines go on. */
CASE(a_state_that_cannot_be_saved_stops_no_lines)
{
  pid_t pid = start("ulimit -f 100;", "uniq --state s --save-every 1s");
  put("http://a/1\n");
  expect(err_path, "s: File too large; it is as it was\n");
  assert_said("File too large");
  put("http://a/2\n");
  expect(out_path, "http://a/2\n");
  close_input();
  assert_int_equal(finish(pid).code, EXIT_FAILED);
  open_input();
  assert_int_not_equal(access(state_path, F_OK), 0);
}

/* ---- the state's file ----------------------------------------------------------------------------------- */

CASE(a_second_run_on_one_state_is_refused)
{
  char sentence[128];
  for (int again = 0; again < 2; again++) { /* also beside the lock of a run that was killed */
    pid_t pid = start("", "uniq --state s"), second;
    put(again ? "http://b/1\n" : "http://a/1\n");
    expect(out_path, "/1\n");
    second = start_with("strata uniq --state s", "/dev/null", NULL);
    assert_int_equal(finish(second).code, EXIT_FAILED);
    snprintf(sentence, sizeof sentence, "--state s is in use by another process (%d)", (int)pid);
    assert_said(sentence);
    kill(pid, SIGKILL);
    finish(pid);
  }
  assert_whole("uniq --state s", "http://a/1\n", "http://a/1\n");
}

/* While it is written, too; a temporary file that was left has another mode. */
CASE(only_its_owner_may_read_a_state)
{
  char temporary[SCRATCH_PATH];
  unsigned seen = 0;
  struct stat info;
  scratch_join(home, "s.tmp", temporary);
  for (int run = 0; run < 100 && !seen; run++) {
    unlink(state_path);
    pid_t pid = start("umask 0;", "uniq --state s /dev/null");
    for (; !process_has_ended(pid); seen += stat(temporary, &info) == 0)
      if (stat(temporary, &info) == 0)
        assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(finish(pid).code, EXIT_DONE);
  }
  assert_true(seen > 0);
  scratch_write(temporary, "", 0);
  assert_int_equal(chmod(temporary, 0644), 0);
  assert_int_equal(chmod(state_path, 0644), 0);
  assert_whole("uniq --state s", "http://a/1\n", "http://a/1\n");
  assert_int_equal(stat(state_path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
}

/* ---- --help --------------------------------------------------------------------------------------------- */

/* The one that never ends by itself: a log that grows. */
static void run_endless_example(const char *line)
{
  char log[SCRATCH_PATH], lock[SCRATCH_PATH];
  scratch_join(home, "found.log", log);
  scratch_join(home, "week.mlbf.lock", lock);
  scratch_write(log, "http://a/1\n", 11);
  scratch_write(out_path, "", 0);
  pid_t pid = start_with(line, NULL, out_path);
  expect(out_path, "http://a/1\n");
  FILE *file = fopen(log, "a");
  fputs("http://a/1\nhttp://a/2\n", file);
  fclose(file);
  expect(out_path, "http://a/2\n");
  assert_file(out_path, "http://a/1\nhttp://a/2\n");
  char *strata = text_of(lock);
  kill((pid_t)strtol(strata, NULL, 10), SIGTERM);
  free(strata);
  file = fopen(log, "a"); /* by which tail notices at the latest */
  fputs("http://a/3\n", file);
  fclose(file);
  assert_int_equal(finish(pid).code, EXIT_STOPPED);
}

/* The lines of --help that begin with two blanks, up to its options; two blanks end an example. */
CASE(the_examples_of_help_run)
{
  char list[SCRATCH_PATH], *help, *rest;
  unsigned count = 0;
  scratch_join(home, "urls.txt", list);
  scratch_write(list, "http://a/1\nHTTP://A/1\nhttp://b/2\n", 33);
  assert_int_equal(finish(start_with("gzip <urls.txt >crawl-1.gz && strata uniq --help", NULL, out_path)).code, 0);
  help = text_of(out_path);
  for (char *line = strtok_r(help, "\n", &rest); line && strncmp(line, "  --", 4) != 0;
       line = strtok_r(NULL, "\n", &rest)) {
    char *end = strncmp(line, "  ", 2) == 0 ? strstr(line + 2, "  ") : NULL;
    if (strncmp(line, "  ", 2) != 0)
      continue;
    if (end)
      *end = '\0';
    count++;
    if (strncmp(line, "  tail -f ", 10) == 0)
      run_endless_example(line);
    else if (finish(start_with(line, NULL, out_path)).code != 0)
      fail_msg("%s", line);
    assert_file(err_path, "");
  }
  assert_int_equal(count, 4);
  free(help);
}

/* Where `strata` is found. */
static void set_path(void)
{
  char path[SCRATCH_PATH], program[] = STRATA_PROGRAM;
  snprintf(path, sizeof path, "%s:%s", dirname(program), getenv("PATH"));
  setenv("PATH", path, true);
}

static int prepare(void **state)
{
  (void)state;
  set_path();
  signal(SIGPIPE, SIG_DFL); /* what started this may ignore them */
  signal(SIGINT, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(set_up, tear_down)
