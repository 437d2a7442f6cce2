/* strata url, line by line: what goes in, what comes out, what is said and how it ends. */
#include "tests/support/url_test.h"

#include <fcntl.h>
#include <unistd.h>

#include "crawler/commands/cmd.h"

/* One run with its three streams as files. */
typedef struct run {
  int status;
  size_t out_size;
  char out[1 << 16], err[4096];
} run;

static int redirect(int stream, FILE *file)
{
  int kept = dup(stream);
  fflush(stream == STDERR_FILENO ? stderr : stdout);
  dup2(fileno(file), stream);
  return kept;
}

static void restore(int stream, int kept)
{
  fflush(stream == STDERR_FILENO ? stderr : stdout);
  dup2(kept, stream);
  close(kept);
}

static size_t read_back(FILE *file, char *text, size_t room)
{
  rewind(file);
  size_t size = fread(text, 1, room - 1, file);
  text[size] = '\0';
  fclose(file);
  return size;
}

/* main's argv[] of "strata url" and `arguments`, which end with NULL. */
typedef struct command_line {
  int count;
  char *argv[8];
  char text[8][256];
} command_line;

static void make_command_line(command_line *line, const char *const *arguments)
{
  *line = (command_line){.count = 1, .text = {"strata url"}};
  for (; *arguments; arguments++)
    snprintf(line->text[line->count++], sizeof line->text[0], "%s", *arguments);
  for (int i = 0; i < line->count; i++)
    line->argv[i] = line->text[i];
}

static void run_command(run *r, const char *input, size_t input_size, const char *const *arguments)
{
  command_line line;
  make_command_line(&line, arguments);
  FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
  assert_true(in && out && err);
  assert_int_equal(fwrite(input, 1, input_size, in), input_size);
  rewind(in);
  int kept_in = redirect(STDIN_FILENO, in), kept_out = redirect(STDOUT_FILENO, out);
  int kept_err = redirect(STDERR_FILENO, err);
  r->status = cmd_url(line.count, line.argv);
  restore(STDIN_FILENO, kept_in);
  restore(STDOUT_FILENO, kept_out);
  restore(STDERR_FILENO, kept_err);
  fclose(in);
  r->out_size = read_back(out, r->out, sizeof r->out);
  read_back(err, r->err, sizeof r->err);
}

#define ARGUMENTS(...)  \
  (const char *const[]) \
  {                     \
    __VA_ARGS__, NULL   \
  }
#define NO_ARGUMENTS    \
  (const char *const[]) \
  {                     \
    NULL                \
  }

static run r;

static void expect(const char *input, const char *const *arguments, const char *output)
{
  run_command(&r, input, strlen(input), arguments);
  assert_string_equal(r.out, output);
  assert_int_equal(r.status, 0);
}

static void one_line_out_for_each_line_in(void **state)
{
  (void)state;
  expect("HTTP://h/%7e\nmailto:x\n\nhttp://a b/\nhttp://h", NO_ARGUMENTS,
         "http://h/~\n!scheme\n!syntax\n!host\nhttp://h/\n");
  assert_string_equal(r.err, "strata url: 3 of 5 lines refused: scheme 1 host 1 syntax 1\n");
  expect("", NO_ARGUMENTS, "");
  assert_string_equal(r.err, "");
  expect("http://h/\r\n", NO_ARGUMENTS, "http://h/\n"); /* lines of another system */
}

static void links_are_resolved(void **state)
{
  (void)state;
  expect("c\n../d?e\n#f\n\n", ARGUMENTS("--base", "http://h/a/b"),
         "http://h/a/c\nhttp://h/d?e\nhttp://h/a/b\nhttp://h/a/b\n");
  expect("http://h/a/b\tc\nhttp://h/a/b\td\nhttp://g/\tc\nmailto:x\tc\n\thttp://k/\nhttp://l/\n", ARGUMENTS("--pairs"),
         "http://h/a/c\nhttp://h/a/d\nhttp://g/c\n!scheme\nhttp://k/\nhttp://l/\n");
}

static void other_answers_than_the_key(void **state)
{
  (void)state;
  expect("http://h/%7e|\n", ARGUMENTS("--fetch"), "http://h/%7e|\n");
  expect("http://h/a/%7e?b&c\n", ARGUMENTS("--split"), "http://h\t/a\t/~\t?b\t&c\n");
  expect("http://h/a/%7e?b&c\n", ARGUMENTS("--fetch", "--split"), "http://h/a/%7e?b&c\thttp://h\t/a\t/~\t?b\t&c\n");
  expect("http://www.a.b/?b&a\n", ARGUMENTS("--profile", "no-www,sort-query"), "http://a.b/?a&b\n");
  expect("http://u@h/\n", ARGUMENTS("--profile=refuse-userinfo"), "!userinfo\n");
}

static void bytes_are_bytes(void **state)
{
  (void)state;
  static const char input[] = "http://h/\0x\nhttp://h\0/\n";
  run_command(&r, input, sizeof input - 1, NO_ARGUMENTS);
  assert_string_equal(r.out, "http://h/%00x\n!control\n");
}

static void a_line_of_megabytes_is_one_line(void **state)
{
  (void)state;
  size_t size = 5 << 20;
  char *input = malloc(size);
  assert_non_null(input);
  memset(input, 'a', size);
  memcpy(input, "http://h/x\n", 11);
  memcpy(input + size - 12, "\nhttp://h/y\n", 12);
  run_command(&r, input, size, NO_ARGUMENTS);
  assert_string_equal(r.out, "http://h/x\n!too-long\nhttp://h/y\n");
  free(input);
}

static void files_are_read_in_turn(void **state)
{
  (void)state;
  char name[] = "/tmp/test_cmd_url_XXXXXX";
  int file = mkstemp(name);
  assert_int_equal(write(file, "http://f/\n", 10), 10);
  close(file);
  expect("http://in/\n", ARGUMENTS(name, "-", name), "http://f/\nhttp://in/\nhttp://f/\n");
  unlink(name);
  run_command(&r, "", 0, ARGUMENTS(name));
  assert_int_equal(r.status, 1);
  assert_non_null(strstr(r.err, name));
}

static void a_full_disk_is_told(void **state)
{
  (void)state;
  int full = open("/dev/full", O_WRONLY);
  if (full < 0) {
    print_message("skipped: no /dev/full\n");
    skip();
  }
  int kept = dup(STDOUT_FILENO);
  fflush(stdout);
  FILE *in = tmpfile();
  assert_non_null(in);
  fputs("http://h/\n", in);
  rewind(in);
  int kept_in = redirect(STDIN_FILENO, in);
  dup2(full, STDOUT_FILENO);
  command_line line;
  make_command_line(&line, NO_ARGUMENTS);
  int status = cmd_url(line.count, line.argv);
  dup2(kept, STDOUT_FILENO);
  clearerr(stdout);
  close(kept);
  close(full);
  restore(STDIN_FILENO, kept_in);
  fclose(in);
  assert_int_equal(status, 1);
}

static void wrong_usage_is_told(void **state)
{
  (void)state;
  static const struct {
    const char *const arguments[4];
    const char *says;
  } rows[] = {
    {{"--nope"}, "--nope"},
    {{"--base"}, "needs a value"},
    {{"--base", "relative"}, "syntax"},
    {{"--base", "mailto:x"}, "scheme"},
    {{"--base", "http://h/", "--pairs"}, "exclude"},
    {{"--profile", "no-such-rule"}, "no-such-rule"},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    run_command(&r, "http://h/\n", 10, rows[i].arguments);
    assert_int_equal(r.status, 2);
    assert_string_equal(r.out, "");
    assert_non_null(strstr(r.err, rows[i].says));
  }
}

static void help_names_every_rule(void **state)
{
  (void)state;
  run_command(&r, "", 0, ARGUMENTS("--help"));
  assert_int_equal(r.status, 0);
  char names[URL_PROFILE_NAME_SIZE];
  url_profile_name(URL_EVERY_RULE, names);
  for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
    assert_non_null(strstr(r.out, name));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_line_out_for_each_line_in),
    cmocka_unit_test(links_are_resolved),
    cmocka_unit_test(other_answers_than_the_key),
    cmocka_unit_test(bytes_are_bytes),
    cmocka_unit_test(a_line_of_megabytes_is_one_line),
    cmocka_unit_test(files_are_read_in_turn),
    cmocka_unit_test(a_full_disk_is_told),
    cmocka_unit_test(wrong_usage_is_told),
    cmocka_unit_test(help_names_every_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
