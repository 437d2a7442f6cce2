/* strata url, line by line: what goes in, what comes out, what is said and how it ends. */
#include "tests/support/test.h"
#include "tests/support/url_test.h"

#include <unistd.h>

#include "tests/support/command.h"
#include "tests/support/scratch.h"

static char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];

static int run(const char *input, const char *arguments)
{
  char line[SCRATCH_PATH + 8];
  snprintf(line, sizeof line, "url %s", arguments);
  return command_run(line, input, NULL, out, err);
}

static void expect(const char *input, const char *arguments, const char *output)
{
  assert_int_equal(run(input, arguments), EXIT_DONE);
  assert_string_equal(out, output);
}

/* The same of a file, which may have any bytes. */
static void expect_of_file(const char *bytes, size_t size, const char *output)
{
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  scratch_make_fast(directory);
  scratch_join(directory, "list", path);
  scratch_write(path, bytes, size);
  expect("", path, output);
  scratch_remove(directory);
}

CASE(one_line_out_for_each_line_in)
{
  expect("HTTP://h/%7e\nmailto:x\n\nhttp://a b/\nhttp://h", "", "http://h/~\n!scheme\n!syntax\n!host\nhttp://h/\n");
  assert_string_equal(err, "strata url: 3 of 5 lines refused: scheme 1 host 1 syntax 1\n");
  expect("", "", "");
  assert_string_equal(err, "");
  expect("http://h/\r\n", "", "http://h/\n"); /* lines of another system */
}

CASE(links_are_resolved)
{
  expect("c\n../d?e\n#f\n\n", "--base http://h/a/b", "http://h/a/c\nhttp://h/d?e\nhttp://h/a/b\nhttp://h/a/b\n");
  expect("http://h/a/b\tc\nhttp://h/a/b\td\nhttp://g/\tc\nmailto:x\tc\n\thttp://k/\nhttp://l/\n", "--pairs",
         "http://h/a/c\nhttp://h/a/d\nhttp://g/c\n!scheme\nhttp://k/\nhttp://l/\n");
}

CASE(other_answers_than_the_key)
{
  expect("http://h/%7e|\n", "--fetch", "http://h/%7e|\n");
  expect("http://h/a/%7e?b&c\n", "--split", "http://h\t/a\t/~\t?b\t&c\n");
  expect("http://h/a/%7e?b&c\n", "--fetch --split", "http://h/a/%7e?b&c\thttp://h\t/a\t/~\t?b\t&c\n");
  expect("http://www.a.b/?b&a\n", "--profile no-www,sort-query", "http://a.b/?a&b\n");
  expect("http://u@h/\n", "--profile=refuse-userinfo", "!userinfo\n");
}

CASE(bytes_are_bytes)
{
  static const char input[] = "http://h/\0x\nhttp://h\0/\n";
  expect_of_file(input, sizeof input - 1, "http://h/%00x\n!control\n");
}

CASE(a_line_of_megabytes_is_one_line)
{
  size_t size = 5 << 20;
  char *input = malloc(size);
  assert_non_null(input);
  memset(input, 'a', size);
  memcpy(input, "http://h/x\n", 11);
  memcpy(input + size - 12, "\nhttp://h/y\n", 12);
  expect_of_file(input, size, "http://h/x\n!too-long\nhttp://h/y\n");
  free(input);
}

CASE(files_are_read_in_turn)
{
  char name[] = "/tmp/test_cmd_url_XXXXXX", arguments[2 * sizeof name + 8];
  int file = mkstemp(name);
  assert_int_equal(write(file, "http://f/\n", 10), 10);
  close(file);
  snprintf(arguments, sizeof arguments, "%s - %s", name, name);
  expect("http://in/\n", arguments, "http://f/\nhttp://in/\nhttp://f/\n");
  unlink(name);
  assert_int_equal(run("", name), EXIT_FAILED);
  assert_non_null(strstr(err, name));
}

CASE(a_full_disk_is_told)
{
  assert_int_equal(command_run("url", "http://h/\n", "/dev/full", out, err), EXIT_FAILED);
}

CASE(wrong_usage_is_told)
{
  static const command_row rows[] = {
    {"url --nope", "http://h/\n", EXIT_USAGE, "", "--nope"},
    {"url --base", "http://h/\n", EXIT_USAGE, "", "needs a value"},
    {"url --base relative", "http://h/\n", EXIT_USAGE, "", "syntax"},
    {"url --base mailto:x", "http://h/\n", EXIT_USAGE, "", "scheme"},
    {"url --base http://h/ --pairs", "http://h/\n", EXIT_USAGE, "", "exclude"},
    {"url --profile no-such-rule", "http://h/\n", EXIT_USAGE, "", "no-such-rule"},
  };
  assert_int_equal(command_differences(rows, COUNT(rows)), 0);
}

CASE(help_names_every_rule)
{
  assert_int_equal(run("", "--help"), EXIT_DONE);
  char names[URL_PROFILE_NAME_SIZE];
  url_profile_name(URL_EVERY_RULE, names);
  for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
    assert_non_null(strstr(out, name));
}
