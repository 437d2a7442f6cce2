/* A command that reads a crawl's files does so in a child: what becomes of it when a file is cut short meanwhile, and
 * when either of the two is killed. `strata export` is stopped in the middle by a pipe that nobody reads. */
#include "tests/site/process.h"
#include "tests/support/command.h"
#include "tests/support/scratch.h"
#include "tests/support/small_crawl.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS = 20 };

static char directory[SCRATCH_PATH], data[SCRATCH_PATH], pipe_path[SCRATCH_PATH], err_path[SCRATCH_PATH];
static int output; /* our end of the pipe */
static pid_t parent, child;

/* The only child of a process; 0: it has none. */
static pid_t child_of(pid_t pid)
{
  char path[64], numbers[64] = "";
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  if (!fgets(numbers, sizeof numbers, file))
    numbers[0] = '\0';
  fclose(file);
  return (pid_t)strtol(numbers, NULL, 10);
}

/* An export of more than the pipe holds has begun, and waits. */
static int begin(void **state)
{
  (void)state;
  enum { PIPE_SIZE = 4096 };
  char lines[SCRATCH_PATH], frontier_path[SCRATCH_PATH];
  scratch_make_fast(directory);
  scratch_join(directory, "frontier", frontier_path);
  scratch_join(directory, "pages.jsonl", lines);
  scratch_join(directory, "frontier/data.mdb", data);
  scratch_join(directory, "pipe", pipe_path);
  scratch_join(directory, "err", err_path);
  small_crawl_make(&(small_crawl){
    .directory = frontier_path, .journal = lines, .seed = 3, .urls = 3000, .fetched = 1000});
  assert_int_equal(mkfifo(pipe_path, 0600), 0);
  output = open(pipe_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  assert_true(output >= 0 && fcntl(output, F_SETPIPE_SZ, PIPE_SIZE) == PIPE_SIZE);
  setenv("ASAN_OPTIONS", "handle_sigbus=0", 1); /* the command's own business */
  const char *const argv[] = {STRATA_PROGRAM, "export", directory, NULL};
  parent = process_start(argv, &(process_files){.out = pipe_path, .err = err_path});
  assert_int_equal(poll(&(struct pollfd){.fd = output, .events = POLLIN}, 1, SECONDS * 1000), 1);
  child = child_of(parent);
  assert_true(child > 0);
  return 0;
}

static int end(void **state)
{
  (void)state;
  close(output);
  scratch_remove(directory);
  return 0;
}

/* Is the other end closed? What is in the pipe is read up to then. */
static bool read_to_end(void)
{
  char bytes[4096];
  struct pollfd waited = {.fd = output, .events = POLLIN};
  while (poll(&waited, 1, SECONDS * 1000) == 1)
    if (read(output, bytes, sizeof bytes) <= 0)
      return true;
  return false;
}

static process_end finish(void)
{
  process_end how;
  assert_true(process_wait(parent, &how));
  return how;
}

static char *said(void)
{
  size_t size;
  return scratch_read(err_path, &size);
}

CASE(a_file_cut_short_is_a_sentence)
{
  char sentence[SCRATCH_PATH + 256];
  assert_int_equal(truncate(data, 8192), 0);
  assert_true(read_to_end());
  assert_int_equal(finish().code, EXIT_FAILED);
  snprintf(sentence, sizeof sentence,
           "strata export: %s: a reader dies of it (signal %d), so it is damaged, or was cut short meanwhile; "
           "strata check says more\n",
           data, SIGBUS);
  char *text = said();
  assert_string_equal(text, sentence);
  free(text);
}

/* Killed from outside, it ends its parent by the same signal, without a word. */
CASE(signals_pass)
{
  assert_int_equal(kill(child, SIGTERM), 0);
  assert_int_equal(finish().signal, SIGTERM);
  char *text = said();
  assert_string_equal(text, "");
  free(text);
}

/* The parent alone is killed: the child, which waits for its reader, ends too, and closes the pipe. */
CASE(a_child_ends_with_its_parent)
{
  struct pollfd waited = {.fd = output, .events = 0};
  assert_int_equal(kill(parent, SIGKILL), 0);
  assert_int_equal(finish().signal, SIGKILL);
  assert_int_equal(poll(&waited, 1, SECONDS * 1000), 1);
  assert_true(waited.revents & POLLHUP);
}

EACH_CASE(begin, end)
