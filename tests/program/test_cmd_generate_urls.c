/* crawler/commands/cmd_generate_urls.c: what it prints and what it refuses, as a shell would see it. */
#include "crawler/commands/cmd.h"
#include "datasets/make/generator.h"

#include <fcntl.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { OUTPUT_SIZE = 64 * 1024 };

/* Run the command in a child, with `arguments` cut at blanks; its two streams come back in `out` and `err`. */
static int run(const char *arguments, const char *out_path, char *out, char *err)
{
  char names[2][32] = {"/tmp/strata-out-XXXXXX", "/tmp/strata-err-XXXXXX"};
  int files[2] = {mkstemp(names[0]), mkstemp(names[1])};
  assert_true(files[0] >= 0 && files[1] >= 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(out_path != NULL ? open(out_path, O_WRONLY) : files[0], STDOUT_FILENO);
    dup2(files[1], STDERR_FILENO);
    char line[256], *argv[16], *rest;
    snprintf(line, sizeof line, "generate-urls %s", arguments);
    int argc = 0;
    for (argv[0] = strtok_r(line, " ", &rest); argv[argc] != NULL;)
      argv[++argc] = strtok_r(NULL, " ", &rest);
    int code = cmd_generate_urls(argc, argv);
    fflush(NULL);
    _exit(code);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  char *const texts[2] = {out, err};
  for (int i = 0; i < 2; i++) {
    ssize_t size = pread(files[i], texts[i], OUTPUT_SIZE - 1, 0);
    assert_true(size >= 0);
    texts[i][size] = '\0';
    close(files[i]);
    unlink(names[i]);
  }
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void test_prints_the_generators_list(void **state)
{
  (void)state;
  static char out[OUTPUT_SIZE], err[OUTPUT_SIZE];
  assert_int_equal(run("--n 500 --seed=9", NULL, out, err), EXIT_DONE);
  assert_string_equal(err, "");

  url_generator *generator = generator_create(500, 9, &shape_usual);
  char url[GENERATOR_URL_SIZE], *line = out;
  for (size_t size; (size = generator_next(generator, url)) != 0; line += size + 1) {
    assert_memory_equal(line, url, size);
    assert_int_equal(line[size], '\n');
  }
  assert_string_equal(line, "");
  generator_free(generator);
}

static void test_refuses_in_one_sentence(void **state)
{
  (void)state;
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
    static char out[OUTPUT_SIZE], err[OUTPUT_SIZE];
    assert_int_equal(run(rows[i].arguments, NULL, out, err), EXIT_USAGE);
    assert_string_equal(out, "");
    if (strstr(err, rows[i].sentence) == NULL)
      fail_msg("row %zu: said '%s', not '%s'", i, err, rows[i].sentence);
    assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
  }
}

static void test_like_a_list(void **state)
{
  (void)state;
  static char out[OUTPUT_SIZE], err[OUTPUT_SIZE];
  assert_int_equal(run("--n 200 --seed 1 --like " TESTS_DIR "/../datasets/samples/id2url.link", NULL, out, err),
                   EXIT_DONE);
  assert_string_equal(err, "");
  size_t lines = 0;
  for (const char *at = out; (at = strchr(at, '\n')) != NULL; at++)
    lines++;
  assert_int_equal(lines, 200);

  assert_int_equal(run("--n 5 --seed 1 --like /nonexistent/list", NULL, out, err), EXIT_FAILED);
  assert_non_null(strstr(err, "/nonexistent/list: No such file or directory"));
  assert_int_equal(run("--n 5 --seed 1 --like /dev/null", NULL, out, err), EXIT_FAILED);
  assert_non_null(strstr(err, "/dev/null: there is no URL in it"));
  assert_string_equal(out, "");
}

static void test_help_and_a_full_disk(void **state)
{
  (void)state;
  static char out[OUTPUT_SIZE], err[OUTPUT_SIZE];
  assert_int_equal(run("--help", NULL, out, err), EXIT_DONE);
  assert_non_null(strstr(out, "Usage: strata generate-urls"));
  assert_string_equal(err, "");

  assert_int_equal(run("--n=100000 --seed=1", "/dev/full", out, err), EXIT_FAILED);
  assert_non_null(strstr(err, "cannot write to standard output: No space left on device"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_prints_the_generators_list),
    cmocka_unit_test(test_refuses_in_one_sentence),
    cmocka_unit_test(test_like_a_list),
    cmocka_unit_test(test_help_and_a_full_disk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
