/* strata robots: what it prints and what it refuses. */

#include <stdio.h>
#include <string.h>

#include "tests/support/command.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { TARGET_SIZE = 24001 };

#define RULES "user-agent: *\ndisallow: /p\nallow: /p/a\n\nuser-agent: fast\ndisallow: /?q\n"

static const command_row rows[] = {
  {"robots - http://h/p https://h:8/p/a?x /p/b", RULES, 0,
   "deny\tdisallow: /p\nallow\tallow: /p/a\ndeny\tdisallow: /p\n", ""},
  {"robots - http://h http://h/ http://h#/p /x", RULES, 0, "allow\t\nallow\t\nallow\t\nallow\t\n", ""},
  {"robots --agent FAST - http://h?q http://h/?q /p", RULES, 0, "deny\tdisallow: /?q\ndeny\tdisallow: /?q\nallow\t\n",
   ""},
  {"robots --agent=slow - /p#/p/a", RULES, 0, "deny\tdisallow: /p\n", ""},
  {"robots - /x", "", 0, "allow\t\n", ""},
  {"robots - /x", "user-agent: *\ndisallow: /\x1B[2J\n", 0, "allow\t\n", ""},
  {"robots - /\x1B[2J", "user-agent: *\ndisallow: /\x1B[2J\n", 0, "deny\tdisallow: /\\x1B[2J\n", ""},
  {"robots", "", 2, "", "FILE and URL are needed"},
  {"robots -", "", 2, "", "FILE and URL are needed"},
  {"robots --age x - /", "", 0, "allow\t\n", ""}, /* options may be shortened, as by all of getopt's programs */
  {"robots --bot x - /", "", 2, "", "no such option: --bot"},
  {"robots - / --agent", "", 2, "", "--agent needs a value"},
  {"robots /no/such/file /", "", 1, "", "/no/such/file: No such file or directory"},
};

CASE(each_row_prints_so)
{
  assert_int_equal(command_differences(rows, sizeof rows / sizeof *rows), 0);
}

CASE(help_and_a_full_disk_are_told_apart)
{
  char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];
  assert_int_equal(command_run("robots --help", "", NULL, out, err), EXIT_DONE);
  assert_non_null(strstr(out, "Usage: strata robots"));
  assert_int_equal(command_run("robots - /", RULES, "/dev/full", out, err), EXIT_FAILED);
  assert_non_null(strstr(err, "standard output: No space left on device"));
}

/* A robots.txt in a file; what is printed about `target`. */
static void expect_of_file(const char *text, size_t size, const char *target, const char *printed)
{
  char directory[SCRATCH_PATH], path[SCRATCH_PATH], out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];
  static char line[2 * SCRATCH_PATH + TARGET_SIZE];
  scratch_make_fast(directory);
  scratch_join(directory, "robots.txt", path);
  scratch_write(path, text, size);
  snprintf(line, sizeof line, "robots %s %s", path, target);
  assert_int_equal(command_run(line, "", NULL, out, err), EXIT_DONE);
  assert_string_equal(out, printed);
  scratch_remove(directory);
}

/* Tens of thousands of wildcards against a long path would take seconds: it is denied instead, and a path of ordinary
 * length is decided as ever. */
CASE(hostile_rules_deny_soon)
{
  static char text[500 * 1024], path[TARGET_SIZE];
  size_t size = (size_t)sprintf(text, "user-agent: *\n");
  while (size + 32 < sizeof text)
    size += (size_t)sprintf(text + size, "allow: *ab*b\n");
  memset(path, 'a', sizeof path - 1);
  path[0] = '/';
  expect_of_file(text, size, path, "deny\ttoo many wildcards for so long a path\n");
  path[200] = '\0';
  expect_of_file(text, size, path, "allow\t\n");
}
