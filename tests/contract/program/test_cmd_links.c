/* strata links: what it prints and what it refuses. */

#include <string.h>

#include "tests/support/command.h"
#include "tests/support/test.h"

static const command_row rows[] = {
  {"links --base http://h/a/b -", "<a href=c?x&amp;y#z><a href=//g/>", 0, "http://h/a/c?x&y\nhttp://g/\n", ""},
  {"links --base=http://h/a/b --all -", "<a href=c rel=nofollow><frame src=d><svg><a xlink:href=e>", 0,
   "http://h/a/c\ta\thref\tnofollow\nhttp://h/a/d\tframe\tsrc\nhttp://h/a/e\ta\txlink:href\n", ""},
  {"links --base http://h/ --all -", "<meta http-equiv=refresh content='1;url=x'><link rel=next href=y>", 0,
   "http://h/x\tmeta-refresh\tcontent\nhttp://h/y\tlink\thref\n", ""},
  {"links --base http://h/a/b -", "<a href=first><base href=/d/><base href=/no/><a href=x>", 0,
   "http://h/d/first\nhttp://h/d/x\n", ""},
  {"links -", "<base href=http://h/d/><a href=x>", 0, "http://h/d/x\n", ""},
  {"links --base http://h/ -", "<base href='javascript:'><a href=x>", 0, "http://h/x\n", ""},
  {"links -", "<a href=x><a href=http://h>", 0, "http://h/\n", "1 not taken: syntax (relative links need --base URL)"},
  {"links --base http://h/ -", "<a href=mailto:x><a href=javascript:x>", 0, "", "2 not taken: scheme\n"},
  {"links --base http://h/ -", "", 0, "", ""},
  {"links", "", 2, "", "one FILE is needed"},
  {"links a b", "", 2, "", "one FILE is needed"},
  {"links --bass x", "", 2, "", "no such option: --bass"},
  {"links - --base", "", 2, "", "--base needs a value"},
  {"links --base x -", "", 2, "", "--base is no page's URL: x"},
  {"links /no/such/file", "", 1, "", "/no/such/file: No such file or directory"},
  {"links /", "", 1, "", "/: Is a directory"},
};

CASE(each_row_prints_so)
{
  assert_int_equal(command_differences(rows, sizeof rows / sizeof *rows), 0);
}

CASE(help_and_a_full_disk_are_told_apart)
{
  char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];
  assert_int_equal(command_run("links --help", "", NULL, out, err), EXIT_DONE);
  assert_non_null(strstr(out, "Usage: strata links"));
  assert_int_equal(command_run("links --base http://h/ -", "<a href=x>", "/dev/full", out, err), EXIT_FAILED);
  assert_non_null(strstr(err, "standard output: No space left on device"));
}
