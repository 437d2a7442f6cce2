/* strata replay --filters exec:COMMAND: a filter that is a program, and all that such a program may do wrong. */
#include "tests/support/command.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[SCRATCH_PATH]; /* the working one */
static char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];

static int run(const char *options)
{
  char arguments[1024];
  snprintf(arguments, sizeof arguments, "replay --out r %s list", options);
  return command_run(arguments, "", NULL, out, err);
}

static void write_program(const char *name, const char *text)
{
  scratch_write(name, text, strlen(text));
  assert_int_equal(chmod(name, 0755), 0);
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

/* 0 done, and 1 where gnuplot lacks: then there are results, too. */
static void assert_done(int code)
{
  if (code != EXIT_DONE && strstr(err, "gnuplot is not installed") == NULL)
    fail_msg("exit %d: %s", code, err);
}

/* A column of the row of results.csv that has this protocol and filter. */
static long long number_of(const char *csv, const char *protocol, const char *filter, int column)
{
  char begin[128];
  snprintf(begin, sizeof begin, "\n%s,%s,", protocol, filter);
  const char *row = strstr(csv, begin);
  if (row == NULL)
    fail_msg("no row of %s and %s in\n%s", protocol, filter, csv);
  for (row++; column > 0; column--)
    row = strchr(row, ',') + 1;
  return strtoll(row, NULL, 10);
}

enum { COLUMN_BITS = 3, COLUMN_QUERIES = 5, COLUMN_WRONG = 6, COLUMN_FORGOTTEN = 8 };

static const char *const protocols[] = {"paper",    "fresh",  "recombined", "permuted",
                                        "repeated", "prefix", "newhost",    "stream"};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols };

#define EXACT(answer) "#!/bin/sh\nexec awk '" answer "'\n"

/* An exact set answers as ours does, each of these ways: by numbers, a buffer full at a time; by words, at once; and
 * all at the end. */
CASE(test_an_exact_program_is_never_wrong)
{
  write_program("numbers", EXACT("{ key = substr($0, 2); print (key in known) + 0; if (/^[+]/) known[key] }"));
  write_program("words", EXACT("{ key = substr($0, 2); print (key in known) ? \"seen\\r\" : \"new\"; fflush();"
                               " if (/^[+]/) known[key] }"));
  write_program("late", EXACT("{ key = substr($0, 2); all = all (n++ ? \"\\n\" : \"\") ((key in known) + 0);"
                              " if (/^[+]/) known[key] } END { printf \"%s\", all }"));
  assert_done(run("--n 1000,2000 --m 8192 --queries 1000 --filters exec:./numbers,exact,exec:./words,exec:./late"));
  char *csv = text_of("r/results.csv");
  for (int i = 0; i < PROTOCOLS; i++) {
    static const char *const names[] = {"exec:./numbers", "exec:./words", "exec:./late"};
    for (int name = 0; name < 3; name++) {
      assert_int_equal(number_of(csv, protocols[i], names[name], COLUMN_QUERIES),
                       number_of(csv, protocols[i], "exact", COLUMN_QUERIES));
      assert_int_equal(number_of(csv, protocols[i], names[name], COLUMN_WRONG), 0);
      assert_int_equal(number_of(csv, protocols[i], names[name], COLUMN_FORGOTTEN), 0);
    }
  }
  free(csv);
}

/* What always says seen is wrong of each stranger, and what always says new forgets all. */
CASE(test_wrong_answers_of_a_program_are_counted)
{
  write_program("ones", "#!/bin/sh\nexec sed 's/.*/1/'\n");
  write_program("zeros", "#!/bin/sh\nexec sed 's/.*/0/'\n");
  assert_done(run("--n 1000 --m 64 --queries 1000 --filters bloom-paper,exec:./ones,exec:./zeros"));
  char *csv = text_of("r/results.csv");
  for (int i = 0; i < PROTOCOLS - 1; i++) { /* all 64 bits are set, so ours always says seen, too */
    assert_int_equal(number_of(csv, protocols[i], "exec:./ones", COLUMN_WRONG),
                     number_of(csv, protocols[i], "bloom-paper", COLUMN_WRONG));
    assert_int_equal(number_of(csv, protocols[i], "exec:./ones", COLUMN_FORGOTTEN), 0);
    assert_int_equal(number_of(csv, protocols[i], "exec:./zeros", COLUMN_WRONG), 0);
    assert_true(number_of(csv, protocols[i], "exec:./zeros", COLUMN_FORGOTTEN) >= 1000);
  }
  assert_int_equal(number_of(csv, "stream", "exec:./ones", COLUMN_WRONG), 1000);
  free(csv);
}

/* Which lines a program gets, and what its environment says; of its words no shell makes anything. */
CASE(test_what_a_program_is_told)
{
  write_program("told",
                "#!/bin/sh\necho \"$# $1 $2 $STRATA_KEYS\" >>told.words\nexec tee -a told.keys | sed 's/.*/0/'\n");
  assert_done(run("--n 3 --protocol paper,stream --filters exec:./told\t\t$HOME\t*")); /* of this, blanks make words */
  char *words = text_of("told.words"), *keys = text_of("told.keys");
  assert_string_equal(words, "2 $HOME * 3\n2 $HOME * 3\n"); /* once for the queries, once for the stream */
  const char *line = keys;
  int signs[128] = {0}, lines = 0;
  for (; *line != '\0'; line = strchr(line, '\n') + 1, lines++) {
    assert_int_equal(memcmp(line + 1, "//", 2), 0);
    signs[(unsigned char)*line]++;
  }
  assert_int_equal(signs['+'], 3 + 3);
  assert_int_equal(signs['?'], 3 + 3000); /* those inserted are asked again, and `paper` asks the whole list */
  assert_int_equal(lines, 3 + 3 + 3 + 3000);
  assert_non_null(strstr(keys, "0000002999\n"));
  free(words);
  free(keys);
}

/* Programs are marked in each output, and their times are apart. */
CASE(test_a_program_is_marked)
{
  write_program("mine\"<b>", "#!/bin/sh\nwhile read -r key; do echo 0; done\n");
  assert_done(run("--n 2000 --m 8192 --protocol fresh,stream --filters mlbf,exec:./mine\"<b>"));
  assert_said("\nexec:./mine\"<b>: a program, timed apart: do not compare its times with the others'\n");
  char *csv = text_of("r/results.csv"), *page = text_of("r/report.html");
  assert_non_null(strstr(csv, "\nfresh,\"exec:./mine\"\"<b>\",2000,,,1000,0,0,2000,"));
  assert_null(strstr(page, "<b>"));
  assert_non_null(strstr(page, ">exec:./mine&#34;&#60;b&#62;</td>"));
  assert_non_null(strstr(page, ", apart</td>"));
  assert_non_null(strstr(page, "are programs, timed apart"));
  free(csv);
  free(page);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

/* Each in one sentence, soon, and without results. */
CASE(test_each_failure_of_a_program_is_one_sentence)
{
  static const struct {
    const char *name, *text; /* of the program; no text: it is not there */
    int code;
    const char *sentence; /* behind its name */
  } rows[] = {
    {"absent", NULL, EXIT_USAGE, "is not there\n"},
    {"..", NULL, EXIT_USAGE, "cannot be started: Is a directory\n"},
    {"list", NULL, EXIT_USAGE, "may not be executed (chmod +x makes a file a program)\n"},
    {"no-first-line", "print(1)\n", EXIT_FAILED, "cannot be started: Exec format error (a script needs a first line"},
    {"no-such-python", "#!/no/such/python\n", EXIT_FAILED, "cannot be started: No such file or directory\n"},
    {"early", "#!/bin/sh\nexit 3\n", EXIT_FAILED, "ended with exit status 3 after 0 of 400 answers\n"},
    {"few", "#!/bin/sh\nhead -n 5 | sed 's/.*/0/'\n", EXIT_FAILED, "ended with exit status 0 after 5 of 400 answers\n"},
    {"dies", "#!/bin/sh\nhead -n 9 | sed 's/.*/0/'\nkill -SEGV $$\n", EXIT_FAILED,
     "was ended by signal 11 (Segmentation fault) after 9 of 400 answers\n"},
    {"fails-at-the-end", "#!/bin/sh\nsed 's/.*/0/'\nexit 1\n", EXIT_FAILED,
     "ended with exit status 1 after 400 of 400 answers\n"},
    {"maybe", "#!/bin/sh\necho 1\necho maybe\nexec sed 's/.*/0/'\n", EXIT_FAILED,
     "wrote \"maybe\" after 1 answers; an answer is 1, 0, seen or new\n"},
    {"two", "#!/bin/sh\nexec sed 's/.*/1 0/'\n", EXIT_FAILED, "wrote \"1 0\" after 0 answers"},
    {"echoes", "#!/bin/sh\nexec cat\n", EXIT_FAILED, "wrote \"+//"},
    {"empty-lines", "#!/bin/sh\nexec sed 's/.*//'\n", EXIT_FAILED, "wrote \"\" after 0 answers"},
    {"more", "#!/bin/sh\nsed 's/.*/0/'\necho 1\n", EXIT_FAILED, "wrote more lines than the 400 that it was asked\n"},
    {"endless", "#!/bin/sh\nexec yes 1\n", EXIT_FAILED, "wrote more lines than the 400 that it was asked\n"},
    {"endless-line", "#!/bin/sh\nexec cat /dev/zero\n", EXIT_FAILED, "wrote \"\\x00\\x00"},
    {"hangs", "#!/bin/sh\necho 1\nexec sleep 1000\n", EXIT_FAILED,
     "neither read nor answered for 2 s after 1 of 400 answers (--exec-limit allows more)\n"},
    {"leaves",
     "#!/usr/bin/env python3\nimport os, time\nos.setpgid(0, os.getpgid(os.getppid()))\nos.close(1)\ntime.sleep(99)\n",
     EXIT_FAILED, "closed its output after 0 of 400 answers, but did not end in 2 s (--exec-limit)\n"},
    {"seeks",
     "#!/usr/bin/env python3\nimport os, time\nwhile True:\n  for i in 0, 1, 2:\n    os.lseek(0, i, 0)\n    "
     "time.sleep(0.1)\n",
     EXIT_FAILED, "neither read nor answered for 2 s after 0 of 400 answers (--exec-limit allows more)\n"},
    {"does-not-end", "#!/bin/sh\nsed 's/.*/0/'\nexec >&-\nexec sleep 1000\n", EXIT_FAILED,
     "closed its output after 400 of 400 answers, but did not end in 2 s (--exec-limit)\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char options[256], sentence[256];
    if (rows[i].text != NULL)
      write_program(rows[i].name, rows[i].text);
    snprintf(options, sizeof options, "--n 100 --queries 100 --protocol fresh,newhost%s --filters mlbf,exec:./%s",
             strstr(rows[i].sentence, "2 s") ? " --exec-limit 2" : "", rows[i].name);
    if (run(options) != rows[i].code)
      fail_msg("%s: said '%s'", rows[i].name, err);
    snprintf(sentence, sizeof sentence, "exec:./%s %s", rows[i].name, rows[i].sentence);
    assert_said(sentence);
    assert_null(text_of("r/results.csv"));
  }
  assert_int_equal(run("--filters exec:"), EXIT_USAGE);
  assert_said("strata replay: exec: names no program\n");
  assert_int_equal(run("--filters exec:no-such-program-anywhere"), EXIT_USAGE);
  assert_said("strata replay: exec:no-such-program-anywhere is not there\n");
}

/* Neither a program that failed nor what it started stays behind. */
CASE(test_nothing_of_a_program_stays)
{
  write_program("parent", "#!/bin/sh\nsleep 1000 &\necho $! >child\necho $$ >parent.id\nexec sleep 1000\n");
  assert_int_equal(run("--n 100 --protocol stream --exec-limit 2 --filters exec:./parent"), EXIT_FAILED);
  static const char *const names[] = {"child", "parent.id"};
  for (int i = 0; i < 2; i++) {
    char *number = text_of(names[i]), path[64];
    snprintf(path, sizeof path, "/proc/%ld/cmdline", strtol(number, NULL, 10));
    char *command = access(path, F_OK) == 0 ? text_of(path) : NULL; /* dead, it may wait for init to take note of it */
    if (command != NULL && command[0] != '\0')
      fail_msg("%s %s lives: %s", names[i], number, command);
    free(command);
    free(number);
  }
}

/* A program whose child holds its output is over when it ends, as it says. */
CASE(test_a_child_that_holds_the_output_keeps_nobody)
{
  write_program("leaves", "#!/bin/sh\nsleep 1000 &\nexec sed 's/.*/0/'\n");
  assert_done(run("--n 100 --protocol stream --filters exec:./leaves"));
  char *csv = text_of("r/results.csv");
  assert_int_equal(number_of(csv, "stream", "exec:./leaves", COLUMN_WRONG), 0);
  free(csv);
}

/* ---- the manual's examples --------------------------------------------------------------------------------------- */

/* The first block of this language in the chapter on own filters, as a file. */
static void write_example(const char *language, const char *name)
{
  char fence[32];
  char *readme = text_of(TESTS_DIR "/../datasets/README.md");
  snprintf(fence, sizeof fence, "\n```%s\n", language);
  char *chapter = strstr(readme, "\n### Compare your own filter\n");
  assert_non_null(chapter);
  char *begin = strstr(chapter, fence);
  assert_non_null(begin);
  begin += strlen(fence);
  *strstr(begin, "```\n") = '\0';
  write_program(name, begin);
  free(readme);
}

/* With 10 bits a key, 0.8 % of the strangers at most, and no member, is told wrongly. */
static void assert_is_a_filter(const char *name)
{
  char options[128], filter[64];
  snprintf(filter, sizeof filter, "exec:./%s", name);
  snprintf(options, sizeof options, "--n 2000 --m 8192 --queries 2000 --filters mlbf,%s", filter);
  assert_done(run(options));
  char *csv = text_of("r/results.csv");
  for (int i = 0; i < PROTOCOLS; i++) {
    assert_int_equal(number_of(csv, protocols[i], filter, COLUMN_FORGOTTEN), 0);
    assert_true(number_of(csv, protocols[i], filter, COLUMN_WRONG) * 50 <=
                number_of(csv, protocols[i], filter, COLUMN_QUERIES));
  }
  free(csv);
}

CASE(test_the_example_in_python_runs)
{
  if (system("python3 --version >/dev/null 2>&1") != 0) // NOLINT(cert-env33-c): the constant is the command
    skip();
  write_example("python", "mine.py");
  assert_is_a_filter("mine.py");
}

CASE(test_the_example_in_c_runs)
{
  if (system("cc --version >/dev/null 2>&1") != 0) // NOLINT(cert-env33-c): the constant is the command
    skip();
  write_example("c", "mine.c");
  assert_int_equal(system("cc -O2 -Wall -Werror -o mine mine.c"), 0); // NOLINT(cert-env33-c)
  assert_is_a_filter("mine");
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
