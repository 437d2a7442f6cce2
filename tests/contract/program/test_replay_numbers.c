/* The numbers that `strata replay` prints, of every protocol, filter and paper, are those of golden/replay.txt, to the
 * digit; columns and verdicts of times are masked.
 *
 * After a wanted change of a number, STRATA_GOLDEN=DIRECTORY makes the file anew in DIRECTORY. */
#include "tests/support/command.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name, *arguments, *csv;
} runs[] = {
  {"protocols",
   "--n 1000,2500 --m 8192 --queries 1000 --shuffle --filters bloom-paper,mlbf-paper,bloom,mlbf,line,heritrix,exact "
   "list",
   "results.csv"},
  {"few layers", "--n 700 --m 4099 --k 5 --layers 2 --queries 500 --filters bloom-paper,mlbf-paper list",
   "results.csv"},
  {"many layers", "--n 700 --m 2048 --k 1 --layers 16 --seed 0 --queries 500 --filters bloom-paper,mlbf-paper list",
   "results.csv"},
  {"counting", "--paper counting --rounds 2", "paper-counting.csv"},
  {"matrix", "--paper matrix --rounds 10", "paper-matrix.csv"},
  {"sdhash", "--paper sdhash --rounds 5", "paper-sdhash.csv"},
  {"skip", "--paper skip --rounds 5", "paper-skip.csv"},
};
enum { RUNS = sizeof runs / sizeof *runs, COLUMNS_MAX = 32 };

static bool begins(const char *line, const char *words)
{
  return strncmp(line, words, strlen(words)) == 0;
}

static bool is_time(const char *column)
{
  return strstr(column, "_ns") || begins(column, "gain_of_2_threads") ||
         (begins(column, "mb_per_s") && !strstr(column, "printed"));
}

/* A line of the file, without its times, which its first line names. */
static void print_row(FILE *golden, char *line, bool is_masked[COLUMNS_MAX], bool is_first)
{
  int column = 0;
  for (char *field; (field = strsep(&line, ",")) != NULL; column++) {
    assert_true(column < COLUMNS_MAX);
    if (is_first)
      is_masked[column] = is_time(field);
    fprintf(golden, "%s%s", column > 0 ? "," : "", is_masked[column] && !is_first && *field ? "time" : field);
  }
  fputc('\n', golden);
}

static void print_rows(FILE *golden, const char *csv)
{
  bool is_masked[COLUMNS_MAX], is_first = true;
  char path[SCRATCH_PATH];
  size_t size;
  scratch_join("made", csv, path);
  char *text = scratch_read(path, &size), *left = text;
  assert_non_null(text);
  for (char *line; (line = strsep(&left, "\n")) != NULL && *line; is_first = false)
    print_row(golden, line, is_masked, is_first);
  free(text);
}

/* What came of the papers' tables and claims; not of those on times. */
static void print_verdicts(FILE *golden, char *said)
{
  static const char *const verdicts[] = {"reproduced  ",      "off  ",   "not reproducible  ", "holds  ", "fails  ",
                                         "too few to tell  ", "partly  "};
  for (char *line; (line = strsep(&said, "\n")) != NULL;)
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
      if (begins(line, verdicts[i]) && !strstr(line, " ns against ") && !strstr(line, " a millisecond "))
        fprintf(golden, "%s\n", line);
}

static char *all_runs(void)
{
  static char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];
  char *text = NULL;
  size_t size;
  FILE *golden = open_memstream(&text, &size);
  assert_non_null(golden);
  scratch_write("list", "", 0);
  assert_int_equal(command_run("generate-urls --n 3000 --seed 5", "", "list", out, err), EXIT_DONE);
  for (size_t i = 0; i < RUNS; i++) {
    char arguments[512];
    snprintf(arguments, sizeof arguments, "replay --out made %s", runs[i].arguments);
    command_run(arguments, "", NULL, out, err); /* fails without gnuplot, after all else is written */
    fprintf(golden, "== %s\n", runs[i].name);
    print_rows(golden, runs[i].csv);
    print_verdicts(golden, err);
    scratch_remove("made");
  }
  assert_int_equal(fclose(golden), 0);
  return text;
}

static void write_golden(const char *directory, const char *text)
{
  char path[SCRATCH_PATH];
  scratch_join(directory, "replay.txt", path);
  scratch_write(path, text, strlen(text));
}

/* The first line that differs. */
static void compare(char *ours, char *golden)
{
  const char *run = "";
  for (char *line; (line = strsep(&ours, "\n")) != NULL;) {
    const char *wanted = strsep(&golden, "\n");
    run = begins(line, "== ") ? line + 3 : run;
    if (wanted == NULL || strcmp(line, wanted) != 0)
      fail_msg("%s: printed '%s', not '%s'", run, line, wanted ? wanted : "nothing more");
  }
  assert_null(golden);
}

CASE(they_are_the_golden_ones)
{
  char directory[SCRATCH_PATH];
  const char *anew = getenv("STRATA_GOLDEN");
  size_t size;
  scratch_make(directory);
  assert_int_equal(chdir(directory), 0);
  char *ours = all_runs(), *golden = scratch_read(TESTS_DIR "/golden/replay.txt", &size);
  if (anew)
    write_golden(anew, ours);
  assert_true(golden != NULL || anew != NULL);
  if (golden)
    compare(ours, golden);
  assert_int_equal(chdir("/"), 0);
  scratch_remove(directory);
  free(ours);
  free(golden);
}
