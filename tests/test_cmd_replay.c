/* crawler/cmd_replay.c: what it writes and what it refuses, as a shell would see it. */
#include "crawler/cmd.h"

#include <fcntl.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SAMPLES TESTS_DIR "/../datasets/samples/"
#define HEADER "protocol,filter,n,bits_total,bits_per_url,queries,false_positives,fp_rate,false_negatives,insert_ns,query_ns\n"

enum { OUTPUT_SIZE = 64 * 1024, FILE_SIZE = 4 * 1024 * 1024 };

static char directory[] = "/tmp/strata-cmd-replay-XXXXXX";
static char out[OUTPUT_SIZE], err[OUTPUT_SIZE];

/* Run a command in a child with `arguments` cut at blanks; its two streams come back in `out` and `err`. */
static int run(int (*command)(int argc, char **argv), const char *arguments)
{
  char names[2][32] = { "/tmp/strata-out-XXXXXX", "/tmp/strata-err-XXXXXX" };
  int files[2] = { mkstemp(names[0]), mkstemp(names[1]) };
  assert_true(files[0] >= 0 && files[1] >= 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(files[0], STDOUT_FILENO);
    dup2(files[1], STDERR_FILENO);
    char line[1024], *argv[32], *rest;
    snprintf(line, sizeof line, "strata %s", arguments);
    int argc = 0;
    for (argv[0] = strtok_r(line, " ", &rest); argv[argc] != NULL;)
      argv[++argc] = strtok_r(NULL, " ", &rest);
    int code = chdir(directory) == 0 ? command(argc, argv) : 99;
    fflush(NULL);
    _exit(code);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  char *const texts[2] = { out, err };
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

/* The text of a file in the directory; NULL if there is none. Free it. */
static char *text_of(const char *name)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *from = fopen(path, "r");
  if (from == NULL)
    return NULL;
  char *text = malloc(FILE_SIZE);
  size_t size = fread(text, 1, FILE_SIZE - 1, from);
  text[size] = '\0';
  fclose(from);
  return text;
}

static void write_file(const char *name, const char *text)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *to = fopen(path, "w");
  assert_non_null(to);
  fputs(text, to);
  fclose(to);
}

static void assert_said(const char *sentence)
{
  if (strstr(err, sentence) == NULL)
    fail_msg("said '%s', not '%s'", err, sentence);
}

static bool has_gnuplot(void)
{
  return system("gnuplot --version >/dev/null 2>&1") == 0; // NOLINT(cert-env33-c): the constant is the command
}

static size_t count_lines(const char *text)
{
  size_t lines = 0;
  for (; (text = strchr(text, '\n')) != NULL; text++)
    lines++;
  return lines;
}

/* results.csv without its two columns of times. */
static char *counts_of(const char *name)
{
  char *text = text_of(name), *to = text;
  assert_non_null(text);
  for (char *rest, *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    *strrchr(line, ',') = '\0';
    *strrchr(line, ',') = '\0';
    size_t size = strlen(line);
    memmove(to, line, size);
    to += size;
    *to++ = '\n';
  }
  *to = '\0';
  return text;
}

static void test_writes_results_figures_and_a_page(void **state)
{
  (void)state;
  bool draws = has_gnuplot();
  int code = run(cmd_replay, "--n 1000,2000 --m 8192 --queries 3000 --shuffle --out made list");
  assert_int_equal(code, draws ? EXIT_DONE : EXIT_FAILED);
  assert_string_equal(out, "");
  char *csv = text_of("made/results.csv"), *page = text_of("made/report.html");
  assert_non_null(csv);
  assert_non_null(page);
  assert_memory_equal(csv, HEADER, strlen(HEADER));
  assert_int_equal(count_lines(csv), 1 + 8 * 5 * 2);
  assert_non_null(strstr(csv, "\npaper,bloom-paper,1000,8192,8.192,3000,"));
  assert_non_null(strstr(csv, "\nstream,line,2000,"));

  assert_null(strstr(page, "<script"));
  assert_null(strstr(page, "src=\"http"));
  assert_null(strstr(page, "href="));
  static const char *const words[] = { "Far fewer false positives", "Formula (4)", "Seed 1.", "Compiler: ", "Processor: ",
    "first to see something new", "exp(&#8722;KL)", "recombined", "plain list, one URL a line", "</html>" };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strstr(page, words[i]) == NULL)
      fail_msg("report.html does not say \"%s\"", words[i]);
  static const char *const figures[] = { "fig5.svg", "fig6.svg", "fig7.svg", "fig5-equal.svg", "fig6-equal.svg", "fig7-equal.svg" };
  size_t shown = 0;
  for (const char *at = page; (at = strstr(at, "data:image/svg+xml;base64,PD94")) != NULL; at++)
    shown++;
  assert_int_equal(shown, draws ? 6 : 0);
  for (size_t i = 0; draws && i < 6; i++) {
    char name[32];
    snprintf(name, sizeof name, "made/%s", figures[i]);
    char *drawing = text_of(name);
    assert_non_null(drawing);
    assert_non_null(strstr(drawing, "</svg>"));
    free(drawing);
  }
  if (!draws)
    assert_said("gnuplot is not installed");
  free(csv);
  free(page);
}

static void test_same_seed_same_counts(void **state)
{
  (void)state;
  const char *filters = "--n 500 --m 4096 --queries 1000 --shuffle --filters bloom-paper,mlbf-paper,heritrix,exact";
  static const char *const runs[] = { "--seed 7 --out a", "--seed 7 --out b", "--seed 8 --out c" };
  char *counts[3];
  for (int i = 0; i < 3; i++) {
    char arguments[256], name[32];
    snprintf(arguments, sizeof arguments, "%s %s list", filters, runs[i]);
    run(cmd_replay, arguments);
    snprintf(name, sizeof name, "%c/results.csv", 'a' + i);
    counts[i] = counts_of(name);
    assert_int_equal(count_lines(counts[i]), 1 + 8 * 4);
  }
  assert_string_equal(counts[0], counts[1]);
  assert_string_not_equal(counts[0], counts[2]);
  for (int i = 0; i < 3; i++)
    free(counts[i]);
}

static void test_memory_of_our_filters(void **state)
{
  (void)state;
  run(cmd_replay, "--n 1000 --protocol fresh --filters bloom,exact --bits-per-url 12 --out d list");
  char *csv = text_of("d/results.csv");
  assert_non_null(strstr(csv, "fresh,bloom,1000,12000,12.000,"));
  assert_int_equal(count_lines(csv), 3);
  free(csv);
}

static void test_a_short_list_says_so(void **state)
{
  (void)state;
  run(cmd_replay, "--n 100,5000 --protocol paper,prefix --m 4096 --out e list");
  assert_said("the list has 3,000 different URLs, fewer than asked for: running with what it has");
  char *csv = text_of("e/results.csv");
  assert_int_equal(count_lines(csv), 1 + 2 * 5 * 2);
  assert_non_null(strstr(csv, "\nprefix,mlbf,3000,"));
  free(csv);
}

static void test_formats_and_bad_rows_are_told(void **state)
{
  (void)state;
  run(cmd_replay, "--n 5 --protocol stream --m 4096 --out f --ids " SAMPLES "id2url.link " SAMPLES "SogouT-link");
  assert_said("SogouT-link, a link between two ids a row; compression: none; 10 URLs, 1 bad rows");
  assert_said("SogouT-link: line 6 names an id that is not in the id table");
  run(cmd_replay, "--n 5 --protocol stream --m 4096 --out f " SAMPLES "plain.txt");
  assert_said("plain.txt: line 6 is not an http or https URL");
  assert_said("5 URLs, 1 bad rows");
}

static void test_refuses_in_one_sentence(void **state)
{
  (void)state;
  static const struct {
    int code;
    const char *arguments, *sentence;
  } rows[] = {
    { EXIT_USAGE, "", "needs a file of URLs" },
    { EXIT_USAGE, "--protocol papers list", "--protocol takes names that --help lists, not \"papers\"" },
    { EXIT_USAGE, "--filters bloom,blum list", "--filters takes names that --help lists, not \"blum\"" },
    { EXIT_USAGE, "--n 0 list", "--n takes a number from 1 to 1099511627776, not \"0\"" },
    { EXIT_USAGE, "--n 1e6 list", "not \"1e6\"" },
    { EXIT_USAGE, "--n 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17 list", "--n takes at most 16 numbers" },
    { EXIT_USAGE, "--m 63 list", "--m takes a number from 64" },
    { EXIT_USAGE, "--k 33 list", "--k takes a number from 1 to 32" },
    { EXIT_USAGE, "--layers 17 list", "--layers takes a number from 1 to 16" },
    { EXIT_USAGE, "--bits-per-url nan list", "--bits-per-url takes" },
    { EXIT_USAGE, "--seed -1 list", "--seed takes" },
    { EXIT_USAGE, "--paper skip list", "--paper skip is not in this version yet" },
    { EXIT_USAGE, "--sead 1 list", "unrecognized option '--sead'" },
    { EXIT_FAILED, "--out x absent", "absent: No such file or directory" },
    { EXIT_FAILED, "--out x --format sogou list", "list: there is no such format" },
    { EXIT_FAILED, "--out x " SAMPLES "SogouT-link", "give its id table: --ids id2url.link" },
    { EXIT_FAILED, "--out x " SAMPLES "requests.seen", "holds fingerprints of URLs" },
    { EXIT_FAILED, "--out x --ids list " SAMPLES "SogouT-link", "list: no row of it is an id, a TAB and a URL" },
    { EXIT_FAILED, "--out x /dev/null", "there is no URL in the input" },
    { EXIT_FAILED, "--out x mails", "mails: no row of it is a URL" },
    { EXIT_FAILED, "--out list/x list", "list/x: Not a directory" },
  };
  write_file("mails", "mailto:a\nmailto:b\n");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (run(cmd_replay, rows[i].arguments) != rows[i].code)
      fail_msg("%s: said '%s'", rows[i].arguments, err);
    assert_string_equal(out, "");
    assert_said(rows[i].sentence);
    assert_null(text_of("x/results.csv"));
  }
}

static int make_list(void **state)
{
  (void)state;
  char path[512];
  if (mkdtemp(directory) == NULL)
    return 1;
  snprintf(path, sizeof path, "%s/list", directory);
  pid_t child = fork();
  if (child == 0) {
    char name[] = "generate-urls", n[] = "--n=3000", seed[] = "--seed=5";
    char *argv[] = { name, n, seed, NULL };
    if (freopen(path, "w", stdout) == NULL)
      _exit(1);
    int code = cmd_generate_urls(3, argv);
    fflush(NULL);
    _exit(code);
  }
  int status;
  return waitpid(child, &status, 0) != child || status != 0;
}

static int remove_directory(void **state)
{
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", directory);
  return system(command); // NOLINT(cert-env33-c): a name of ours
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_writes_results_figures_and_a_page),
    cmocka_unit_test(test_same_seed_same_counts),
    cmocka_unit_test(test_memory_of_our_filters),
    cmocka_unit_test(test_a_short_list_says_so),
    cmocka_unit_test(test_formats_and_bad_rows_are_told),
    cmocka_unit_test(test_refuses_in_one_sentence),
  };
  return cmocka_run_group_tests(tests, make_list, remove_directory);
}
