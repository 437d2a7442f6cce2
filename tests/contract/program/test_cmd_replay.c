/* strata replay: what it writes and what it refuses, as a shell would see it. */
#include "tests/support/command.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAMPLES TESTS_DIR "/../datasets/samples/"
#define HEADER                                                                                 \
  "protocol,filter,n,bits_total,bits_per_url,queries,false_positives,fp_rate,false_negatives," \
  "insert_ns,query_ns\n"

static char directory[SCRATCH_PATH]; /* the working one */
static char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];

static int run(const char *options)
{
  char arguments[1024];
  snprintf(arguments, sizeof arguments, "replay %s", options);
  return command_run(arguments, "", NULL, out, err);
}

static char *text_of(const char *name)
{
  size_t size;
  return scratch_read(name, &size);
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

CASE(test_writes_results_figures_and_a_page)
{
  bool draws = has_gnuplot();
  int code = run("--n 1000,2000 --m 8192 --queries 3000 --shuffle --out made list");
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
  static const char *const words[] = {"Far fewer false positives",
                                      "Formula (4)",
                                      "Seed 1.",
                                      "Compiler: ",
                                      "Processor: ",
                                      "first to see something new",
                                      "exp(&#8722;KL)",
                                      "recombined",
                                      "plain list, one URL a line",
                                      "</html>"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strstr(page, words[i]) == NULL)
      fail_msg("report.html does not say \"%s\"", words[i]);
  static const char *const figures[] = {"fig5.svg",       "fig6.svg",       "fig7.svg",
                                        "fig5-equal.svg", "fig6-equal.svg", "fig7-equal.svg"};
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

/* A second run in the same place shows nothing of the first. */
CASE(test_old_figures_go)
{
  run("--n 100 --m 4096 --protocol fresh --out again list");
  run("--n 100 --m 4096 --protocol fresh --filters heritrix --out again list");
  assert_null(text_of("again/fig5.svg"));
  char *page = text_of("again/report.html");
  assert_null(strstr(page, "data:image"));
  assert_non_null(strstr(page, "heritrix"));
  free(page);
}

CASE(test_same_seed_same_counts)
{
  const char *filters = "--n 500 --m 4096 --queries 1000 --shuffle --filters bloom-paper,mlbf-paper,mlbf,line";
  static const char *const runs[] = {"--seed 7 --out a", "--seed 7 --out b", "--seed 8 --out c", "--seed 0 --out d",
                                     "--seed 0 --out e"};
  enum { RUNS = sizeof runs / sizeof *runs };
  char *counts[RUNS];
  for (int i = 0; i < RUNS; i++) {
    char arguments[256], name[32];
    snprintf(arguments, sizeof arguments, "%s %s list", filters, runs[i]);
    run(arguments);
    snprintf(name, sizeof name, "%c/results.csv", 'a' + i);
    counts[i] = counts_of(name);
    assert_int_equal(count_lines(counts[i]), 1 + 8 * 4);
  }
  assert_string_equal(counts[0], counts[1]);
  assert_string_not_equal(counts[0], counts[2]);
  assert_string_equal(counts[3], counts[4]); /* 0 is a seed too, and no secret is drawn for it */
  for (int i = 0; i < RUNS; i++)
    free(counts[i]);
}

CASE(test_memory_of_our_filters)
{
  run("--n 1000 --protocol fresh --filters bloom,exact --bits-per-url 12 --out d list");
  char *csv = text_of("d/results.csv");
  assert_non_null(strstr(csv, "fresh,bloom,1000,12000,12.000,"));
  assert_int_equal(count_lines(csv), 3);
  free(csv);
}

CASE(test_a_short_list_says_so)
{
  run("--n 100,5000 --protocol paper,prefix --m 4096 --out e list");
  assert_said("the list has 3,000 different URLs, fewer than asked for: running with what it has");
  char *csv = text_of("e/results.csv");
  assert_int_equal(count_lines(csv), 1 + 2 * 5 * 2);
  assert_non_null(strstr(csv, "\nprefix,mlbf,3000,"));
  free(csv);
}

/* By default as large parts of a list as in the paper, and as full filters. */
CASE(test_sizes_and_m_follow_the_list)
{
  run("--protocol paper --filters bloom-paper,mlbf-paper --out h list");
  char *csv = text_of("h/results.csv");
  assert_int_equal(count_lines(csv), 1 + 5 * 2);
  assert_non_null(strstr(csv, "\npaper,bloom-paper,857,14424,"));
  assert_non_null(strstr(csv, "\npaper,bloom-paper,2571,14424,5.610,"));
  assert_non_null(strstr(csv, "\npaper,mlbf-paper,2571,72120,"));
  free(csv);
  assert_said("\ntoo few to tell  Far fewer false positives than a classic Bloom filter: too few queries to tell: ");
  assert_said("\ntoo few to tell  Insertion takes");
  char *page = text_of("h/report.html");
  assert_non_null(strstr(page, "<td data-label=\"Verdict\" class=\"few\">too few to tell</td>"));
  free(page);
}

/* The rate of the first seed whose one false positive would be a rate above the promise; which it does not show. */
CASE(test_one_event_is_not_significant)
{
  for (int seed = 1; seed < 100; seed++) {
    char arguments[160], *csv;
    snprintf(arguments, sizeof arguments,
             "--protocol newhost --filters mlbf --bits-per-url 21 --n 2000 --queries 2000 --seed %d --out j list",
             seed);
    run(arguments);
    csv = text_of("j/results.csv");
    bool is_one = strstr(csv, ",2000,1,0.0005,") != NULL;
    free(csv);
    if (!is_one)
      continue;
    assert_said("; one event of 2000 newhost queries (95 %: ");
    assert_said("): not significant\n");
    char *page = text_of("j/report.html");
    assert_non_null(strstr(page, ">one event: not significant</td>"));
    assert_null(strstr(page, ">0.0005</td>"));
    free(page);
    return;
  }
  fail_msg("no seed gave one false positive");
}

CASE(test_needs_are_said_beforehand)
{
  run("--n 1000 --protocol stream --filters exact --m 8192 --out i list");
  assert_said("\n3,000 URLs need up to 252 MB of memory, and ");
  assert_true(strstr(err, "of memory") < strstr(err, "measuring the list"));
}

CASE(test_formats_and_bad_rows_are_told)
{
  run("--n 5 --protocol stream --m 4096 --out f --ids " SAMPLES "id2url.link " SAMPLES "SogouT-link");
  assert_said(
    "SogouT-link, a link between two ids a row; compression: none; the first keys:\n  //www.meridian.example/");
  assert_said("SogouT-link: 10 URLs, 1 bad row\n");
  assert_said("SogouT-link: line 6 names an id that is not in the id table");
  run("--n 5 --protocol stream --m 4096 --out f " SAMPLES "plain.txt");
  assert_said("plain.txt: line 6 is not an http or https URL");
  assert_said("plain.txt: 5 URLs, 1 bad row\n");
}

/* The rank is no URL, whatever address a browser would make of it; and the keys are shown before the list is read. */
CASE(test_the_column_of_urls_is_found)
{
  static const char ranked[] = "url\trank\n"
                               "http://a.example/x\t1\nhttp://b.example/y\t50\n50\t51\nhttp://c.example/\t52\n"
                               "http://d.example/\t53\n";
  scratch_write("ranked", ranked, sizeof ranked - 1);
  assert_int_not_equal(run("--n 4 --protocol stream --filters exact --out g ranked"), EXIT_USAGE);
  assert_said("ranked: table, the URL is in column 1 of 2; compression: none; the first keys:\n"
              "  //a.example/x\n  //b.example/y\n  //c.example/\n"
              "strata replay: ranked: line 1 is not an http or https URL\n"
              "strata replay: ranked: line 4 is not an http or https URL\n"
              "ranked: 4 URLs, 2 bad rows\n");
  char *page = text_of("g/report.html");
  assert_non_null(strstr(page, "column 1 of 2"));
  free(page);
}

CASE(test_refuses_in_one_sentence)
{
  static const struct {
    int code;
    const char *arguments, *sentence;
  } rows[] = {
    {EXIT_USAGE, "", "needs a file of URLs"},
    {EXIT_USAGE, "--protocol papers list", "--protocol takes names that --help lists, not \"papers\""},
    {EXIT_USAGE, "--filters bloom,blum list", "--filters takes names that --help lists, not \"blum\""},
    {EXIT_USAGE, "--n 0 list", "--n takes a number from 1 to 1099511627776, not \"0\""},
    {EXIT_USAGE, "--n 1e6 list", "not \"1e6\""},
    {EXIT_USAGE, "--n 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17 list", "--n takes at most 16 numbers"},
    {EXIT_USAGE, "--m 63 list", "--m takes a number from 64"},
    {EXIT_USAGE, "--k 33 list", "--k takes a number from 1 to 32"},
    {EXIT_USAGE, "--layers 17 list", "--layers takes a number from 1 to 16"},
    {EXIT_USAGE, "--bits-per-url nan list", "--bits-per-url takes"},
    {EXIT_USAGE, "--seed -1 list", "--seed takes"},
    {EXIT_USAGE, "--paper skip list", "--paper takes no file, but for matrix"},
    {EXIT_FAILED, "--out x --paper matrix --rounds 1 absent", "absent: No such file or directory"},
    {EXIT_FAILED, "--out x --paper matrix --rounds 1 few", "few: too few documents of 1000 words or more"},
    {EXIT_USAGE, "--paper moon", "--paper takes names that --help lists, not \"moon\""},
    {EXIT_USAGE, "--rounds 5 list", "--rounds is for --paper"},
    {EXIT_USAGE, "--paper skip --rounds 0", "--rounds takes a number from 1"},
    {EXIT_USAGE, "--sead 1 list", "no such option: --sead; did you mean --seed?"},
    {EXIT_FAILED, "--out x absent", "absent: No such file or directory"},
    {EXIT_FAILED, "--out x --format sogou list", "list: there is no such format"},
    {EXIT_FAILED, "--out x " SAMPLES "SogouT-link", "give its id table: --ids id2url.link"},
    {EXIT_FAILED, "--out x " SAMPLES "requests.seen", "holds fingerprints of URLs"},
    {EXIT_FAILED, "--out x --ids list " SAMPLES "SogouT-link", "list: no row of it is an id, a TAB and a URL"},
    {EXIT_FAILED, "--out x /dev/null", "strata replay: the input: there is no URL in it\n"},
    {EXIT_FAILED, "--out x mails", "mails: no row of it is a URL"},
    {EXIT_FAILED, "--out x ranks", "ranks: no row of it is a URL"},
    {EXIT_FAILED, "--out list/x list", "list/x: Not a directory"},
  };
  static const char mails[] = "mailto:a\nmailto:b\n";
  scratch_write("mails", mails, sizeof mails - 1);
  scratch_write("ranks", "1\t50\n2\t51\n", 10);
  scratch_write("few", mails, sizeof mails - 1);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (run(rows[i].arguments) != rows[i].code)
      fail_msg("%s: said '%s'", rows[i].arguments, err);
    assert_string_equal(out, "");
    assert_said(rows[i].sentence);
    assert_null(text_of("x/results.csv"));
  }
}

/* ---- what somebody planted in the directory of results --------------------------------------------------------- */

#define FIGURES "--n 100 --m 4096 --protocol fresh --out planted list"
#define PAPER "--paper skip --rounds 1 --out planted"

static const struct planted {
  const char *name, *run;
} planted[] = {
  {"results.csv", FIGURES}, {"report.html", FIGURES}, {"figures.gnuplot", FIGURES},
  {"fig5.svg", FIGURES},    {"report.html", PAPER},   {"paper-skip.csv", PAPER},
};
enum { PLANTED = sizeof planted / sizeof *planted };

/* The path of the name in an empty directory. Outside of it: a file "diary", and nothing called "absent". */
static void clear_ground(const struct planted *p, char path[SCRATCH_PATH])
{
  scratch_remove("planted");
  assert_int_equal(mkdir("planted", 0777), 0);
  scratch_join("planted", p->name, path);
  scratch_write("diary", "mine\n", 5);
}

static void assert_outside_is_as_it_was(const struct planted *p)
{
  char *diary = text_of("diary");
  if (strcmp(diary, "mine\n") != 0)
    fail_msg("%s: wrote to a file outside", p->name);
  if (access("absent", F_OK) == 0)
    fail_msg("%s: made a file outside", p->name);
  free(diary);
}

/* A figure of before is removed, whatever it is, and then drawn. */
static void assert_link_is_refused(const struct planted *p, int code)
{
  assert_outside_is_as_it_was(p);
  if (strncmp(p->name, "fig5", 4) == 0)
    return;
  assert_int_equal(code, EXIT_FAILED);
  assert_said("it is a link, which is not followed");
}

CASE(test_writes_through_no_link)
{
  char path[SCRATCH_PATH];
  (void)state;
  for (size_t i = 0; i < PLANTED; i++) {
    clear_ground(&planted[i], path);
    assert_int_equal(symlink("../diary", path), 0);
    assert_link_is_refused(&planted[i], run(planted[i].run));
    clear_ground(&planted[i], path);
    assert_int_equal(symlink("../absent", path), 0);
    assert_link_is_refused(&planted[i], run(planted[i].run));
  }
}

/* The results are in a new file, or in none. */
CASE(test_writes_to_no_file_with_a_second_name)
{
  char path[SCRATCH_PATH];
  (void)state;
  for (size_t i = 0; i < PLANTED; i++) {
    clear_ground(&planted[i], path);
    assert_int_equal(link("diary", path), 0);
    run(planted[i].run);
    assert_outside_is_as_it_was(&planted[i]);
  }
}

static int make_list(void **state)
{
  (void)state;
  scratch_make(directory);
  if (chdir(directory) != 0)
    return 1;
  scratch_write("list", "", 0);
  return command_run("generate-urls --n 3000 --seed 5", "", "list", out, err) != EXIT_DONE;
}

static int remove_list(void **state)
{
  (void)state;
  if (chdir("/") != 0)
    return 1;
  scratch_remove(directory);
  return 0;
}

EACH_CASE(make_list, remove_list)
