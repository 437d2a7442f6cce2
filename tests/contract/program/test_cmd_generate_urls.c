/* strata generate-urls: what it prints and what it refuses, as a shell would see it. */
#include "tests/support/command.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];

static int run(const char *arguments, const char *out_path)
{
  char line[256];
  snprintf(line, sizeof line, "generate-urls %s", arguments);
  return command_run(line, "", out_path, out, err);
}

static int by_text(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* As many URLs as were asked for, each once; equal seeds give equal lists, and other seeds others. */
CASE(test_prints_a_list_of_its_seed)
{
  enum { URLS = 500 };
  static char first[COMMAND_OUTPUT_SIZE];
  char *urls[URLS + 1], *rest = first;
  assert_int_equal(run("--n 500 --seed=9", NULL), EXIT_DONE);
  assert_string_equal(err, "");
  strcpy(first, out);
  assert_int_equal(run("--n 500 --seed=8", NULL), EXIT_DONE);
  assert_string_not_equal(first, out);
  assert_int_equal(run("--n 500 --seed=9", NULL), EXIT_DONE);
  assert_string_equal(first, out);
  for (int i = 0; i < URLS; i++) {
    assert_non_null(urls[i] = strsep(&rest, "\n"));
    assert_true(strncmp(urls[i], "http://", 7) == 0 || strncmp(urls[i], "https://", 8) == 0);
  }
  assert_string_equal(rest, "");
  qsort(urls, URLS, sizeof *urls, by_text);
  for (int i = 1; i < URLS; i++)
    assert_string_not_equal(urls[i - 1], urls[i]);
}

/* Golden: lists made on other machines, or by next year's version, must begin so. */
CASE(test_the_same_bytes_everywhere)
{
  static const char golden[] = "https://hozaje-14.example/rogo/fezo/mola/maze/fonara-3.html\n"
                               "https://www.hepija-6.example/zabafila/pefazifo-7/mide-7/dokifa-7/lemeri-7.php\n"
                               "https://www.reme-0.example/movozi-94/lovafa/fimemike/laberoma.php\n";
  assert_int_equal(run("--n 500 --seed 1", NULL), EXIT_DONE);
  assert_memory_equal(out, golden, sizeof golden - 1);
}

CASE(test_refuses_in_one_sentence)
{
  static const struct {
    const char *arguments, *sentence;
  } rows[] = {
    {"--seed 1", "needs --n and --seed"},
    {"--n 5", "needs --n and --seed"},
    {"--n 0 --seed 1", "--n takes a number from 1 to 1099511627776, not 0"},
    {"--n -1 --seed 1", "not -1"},
    {"--n 1e6 --seed 1", "not 1e6"},
    {"--n= --seed 1", "--n takes"},
    {"--n 1099511627777 --seed 1", "--n takes"},
    {"--n 99999999999999999999999 --seed 1", "--n takes"},
    {"--n 5 --seed x", "--seed takes"},
    {"--n 5 --seed 18446744073709551616", "--seed takes"},
    {"--n 5 --sead 1", "no such option: --sead; did you mean --seed?"},
    {"--n=5 --seed=1 file", "takes no arguments besides its options, not file"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    assert_int_equal(run(rows[i].arguments, NULL), EXIT_USAGE);
    assert_string_equal(out, "");
    if (strstr(err, rows[i].sentence) == NULL)
      fail_msg("row %zu: said '%s', not '%s'", i, err, rows[i].sentence);
    assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
  }
}

CASE(test_like_a_list)
{
  assert_int_equal(run("--n 200 --seed 1 --like " TESTS_DIR "/../datasets/samples/id2url.link", NULL), EXIT_DONE);
  assert_string_equal(err, "");
  size_t lines = 0;
  for (const char *at = out; (at = strchr(at, '\n')) != NULL; at++)
    lines++;
  assert_int_equal(lines, 200);

  assert_int_equal(run("--n 5 --seed 1 --like /nonexistent/list", NULL), EXIT_FAILED);
  assert_non_null(strstr(err, "/nonexistent/list: No such file or directory"));
  assert_int_equal(run("--n 5 --seed 1 --like /dev/null", NULL), EXIT_FAILED);
  assert_non_null(strstr(err, "/dev/null: there is no URL in it"));
  assert_string_equal(out, "");
}

CASE(test_help_and_a_full_disk)
{
  assert_int_equal(run("--help", NULL), EXIT_DONE);
  assert_non_null(strstr(out, "Usage: strata generate-urls"));
  assert_string_equal(err, "");

  assert_int_equal(run("--n=100000 --seed=1", "/dev/full"), EXIT_FAILED);
  assert_non_null(strstr(err, "cannot write to standard output: No space left on device"));
}
