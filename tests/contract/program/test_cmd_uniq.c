/* strata uniq against an exact set of keys, and across runs. */
#include "frontier/url.h"
#include "tests/support/command.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINES = 250 };

static char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];
static char state_file[64];
static char lines[LINES][64];

static int uniq(const char *arguments, const char *input)
{
  return command_run(arguments, input, NULL, out, err);
}

/* 50 pages, each in several spellings. */
static void make_lines(unsigned seed)
{
  static const char *const hosts[] = {"http://a.test", "HTTP://A.TEST:80", "http://%61.test", "https://a.test",
                                      "http://b.test"};
  static const char *const ways[] = {"", "./", "x/../", "%2e/"}, *const ends[] = {"", "#top", "?", "#"};
  for (int i = 0; i < LINES; i++) {
    const char *host = hosts[rand_r(&seed) % 5], *way = ways[rand_r(&seed) % 4], *end = ends[rand_r(&seed) % 4];
    snprintf(lines[i], sizeof lines[i], "%s/%sp%d%s", host, way, rand_r(&seed) % 10, end);
  }
}

static void join_lines(char text[COMMAND_OUTPUT_SIZE])
{
  size_t size = 0;
  for (int i = 0; i < LINES; i++)
    size += (size_t)snprintf(text + size, COMMAND_OUTPUT_SIZE - size, "%s\n", lines[i]);
}

/* The lines whose key was not there before, by comparing with all before. */
static void model(char text[COMMAND_OUTPUT_SIZE])
{
  static char keys[LINES][128];
  static url u;
  size_t size = 0;
  text[0] = '\0';
  for (int i = 0; i < LINES; i++) {
    bool is_new = true;
    assert_int_equal(url_parse(lines[i], strlen(lines[i]), URL_STRICT, &u), URL_OK);
    snprintf(keys[i], sizeof keys[i], "%s", u.key);
    for (int before = 0; before < i; before++)
      is_new &= strcmp(keys[before], keys[i]) != 0;
    if (is_new)
      size += (size_t)snprintf(text + size, COMMAND_OUTPUT_SIZE - size, "%s\n", lines[i]);
  }
}

CASE(first_sightings_pass_as_they_are_spelled)
{
  static const char *const filters[] = {"uniq", "uniq --filter bloom", "uniq --filter line --fp 1e-9",
                                        "uniq --filter exact"};
  static char input[COMMAND_OUTPUT_SIZE], expected[COMMAND_OUTPUT_SIZE];
  for (unsigned seed = 1; seed <= 3; seed++) {
    make_lines(seed);
    join_lines(input);
    model(expected);
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
      assert_int_equal(uniq(filters[i], input), EXIT_DONE);
      assert_string_equal(out, expected);
      assert_string_equal(err, "");
    }
  }
}

CASE(a_state_remembers_across_runs)
{
  char arguments[128];
  snprintf(arguments, sizeof arguments, "uniq --state %s", state_file);
  assert_int_equal(uniq(arguments, "http://a/1\nhttp://a/2\n"), EXIT_DONE);
  assert_string_equal(out, "http://a/1\nhttp://a/2\n");
  assert_int_equal(uniq(arguments, "http://a/2\nhttp://a/3\n"), EXIT_DONE);
  assert_string_equal(out, "http://a/3\n");
}

CASE_AFTER(a_state_keeps_what_it_was_made_with, a_state_remembers_across_runs)
{
  static const char *const changes[] = {"--fp 0.1", "--filter bloom", "--profile no-www"};
  char arguments[160];
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    snprintf(arguments, sizeof arguments, "uniq --state %s %s", state_file, changes[i]);
    assert_int_equal(uniq(arguments, "http://a/4\n"), EXIT_FAILED);
    assert_string_equal(out, "");
    assert_non_null(strstr(err, "cannot change"));
  }
  snprintf(arguments, sizeof arguments, "uniq --state %s", state_file);
  assert_int_equal(uniq(arguments, "http://a/4\nhttp://a/3\n"), EXIT_DONE);
  assert_string_equal(out, "http://a/4\n");
}

/* Nobody got the lines, so the state must not say that somebody did. */
CASE(a_full_output_leaves_the_state_alone)
{
  char arguments[128];
  snprintf(arguments, sizeof arguments, "uniq --state %s", state_file);
  assert_int_equal(command_run(arguments, "http://a/5\n", "/dev/full", out, err), EXIT_FAILED);
  assert_non_null(strstr(err, "No space left"));
  assert_int_equal(uniq(arguments, "http://a/5\n"), EXIT_DONE);
  assert_string_equal(out, "http://a/5\n");
}

CASE(a_state_that_is_none_is_refused_and_kept)
{
  char arguments[128];
  struct stat info;
  FILE *file = fopen(state_file, "w");
  fputs("my diary\n", file);
  fclose(file);
  snprintf(arguments, sizeof arguments, "uniq --state %s", state_file);
  assert_int_equal(uniq(arguments, "http://a/1\n"), EXIT_FAILED);
  assert_non_null(strstr(err, "not a filter file"));
  assert_int_equal(stat(state_file, &info), 0);
  assert_int_equal(info.st_size, 9);
}

static const char *const kinds[] = {"", "--filter line", "--filter exact", "--window 1000"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool has_secret(const char *path, const uint8_t *secret)
{
  size_t size;
  char *bytes = scratch_read(path, &size);
  assert_non_null(bytes);
  bool has = memmem(bytes, size, secret, MLBF_SECRET_BYTES);
  free(bytes);
  return has;
}

/* Given, it is in no state, which needs it again, and no other. Drawn, the state holds it, and its owner alone may read
 * that. */
CASE(a_state_needs_its_secret)
{
  char root[SCRATCH_PATH], given[SCRATCH_PATH], other[SCRATCH_PATH], kept[SCRATCH_PATH], arguments[4 * SCRATCH_PATH];
  struct stat info;
  scratch_make_fast(root);
  scratch_join(root, "given", given);
  scratch_join(root, "other", other);
  scratch_write(given, test_secret(0), MLBF_SECRET_BYTES);
  scratch_write(other, test_secret(1), MLBF_SECRET_BYTES);
  for (int kind = 0; kind < KINDS; kind++) {
    char name[32];
    snprintf(name, sizeof name, "state-%d", kind);
    scratch_join(root, name, kept);
    snprintf(arguments, sizeof arguments, "uniq %s --state %s --secret %s", kinds[kind], kept, given);
    assert_int_equal(uniq(arguments, "http://a/1\n"), EXIT_DONE);
    assert_int_equal(uniq(arguments, "http://a/1\nhttp://a/2\n"), EXIT_DONE);
    assert_string_equal(out, "http://a/2\n");
    assert_false(has_secret(kept, test_secret(0)));
    for (int i = 0; i < 2; i++) {
      snprintf(arguments, sizeof arguments, "uniq --state %s%s%s", kept, i ? " --secret " : "", i ? other : "");
      assert_int_equal(uniq(arguments, "http://a/3\n"), EXIT_FAILED);
      assert_string_equal(out, "");
      assert_non_null(strstr(err, kept));
      assert_non_null(strstr(err, "--secret"));
      assert_ptr_equal(strchr(err, '\n') + 1, err + strlen(err));
    }
    scratch_join(root, "drawn", kept);
    unlink(kept);
    snprintf(arguments, sizeof arguments, "uniq %s --state %s", kinds[kind], kept);
    assert_int_equal(uniq(arguments, "http://a/1\n"), EXIT_DONE);
    assert_int_equal(stat(kept, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    snprintf(arguments, sizeof arguments, "uniq --state %s --secret %s", kept, given);
    assert_int_equal(uniq(arguments, "http://a/3\n"), EXIT_FAILED);
    assert_non_null(strstr(err, "--secret"));
    snprintf(arguments, sizeof arguments, "uniq --state %s", kept);
    assert_int_equal(uniq(arguments, "http://a/1\nhttp://a/3\n"), EXIT_DONE);
    assert_string_equal(out, "http://a/3\n");
  }
  snprintf(arguments, sizeof arguments, "uniq --secret %s/missing", root);
  assert_int_equal(uniq(arguments, "http://a/1\n"), EXIT_USAGE);
  assert_non_null(strstr(err, "missing"));
  scratch_remove(root);
}

/* Made with some of the processor's instructions, it is right with others. */
CASE(a_state_is_of_no_processor)
{
  static const char *const levels[][2] = {{NULL, "portable"}, {"portable", NULL}, {"avx2", "portable"}, {NULL, "avx2"}};
  char root[SCRATCH_PATH], arguments[2 * SCRATCH_PATH];
  scratch_make_fast(root);
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
      snprintf(arguments, sizeof arguments, "uniq %s --state %s/%d-%zu", kinds[kind], root, kind, i);
      for (int run = 0; run < 2; run++) {
        bool is_slow = levels[i][run] && strcmp(levels[i][run], "portable") == 0;
        if (levels[i][run])
          setenv("STRATA_CPU", levels[i][run], 1);
        assert_int_equal(uniq(arguments, "http://a/1\nhttp://b.test/some/where?x=1\n"), EXIT_DONE);
        assert_string_equal(out, run ? "" : "http://a/1\nhttp://b.test/some/where?x=1\n");
        assert_true(!is_slow || strstr(err, "hashing is slower here"));
        unsetenv("STRATA_CPU");
      }
    }
  scratch_remove(root);
}

CASE(explained_lines_all_come)
{
  static const char input[] = "http://a/x/1\nHTTP://A/x/1\nhttp://a/x/2\nhttp://a/y/1\nhttp://a/y/2\nnonsense\n";
  assert_int_equal(uniq("uniq --explain", input), EXIT_DONE);
  assert_string_equal(out, "new-host\t1\thttp://a/x/1\nseen\t-\tHTTP://A/x/1\nnew-segment\t3\thttp://a/x/2\n"
                           "new-segment\t2\thttp://a/y/1\nnew-combination\t-\thttp://a/y/2\n");
  assert_non_null(strstr(err, "line 6 is not an http or https URL"));
}

/* The lines whose key was not among the last `window` lines. Windows of up to 12 lines have no slack. */
static void window_model(int window, int from, int to, char text[COMMAND_OUTPUT_SIZE])
{
  static char keys[LINES][128];
  static url u;
  size_t size = 0;
  text[0] = '\0';
  for (int i = 0; i < to; i++) {
    bool is_new = true;
    assert_int_equal(url_parse(lines[i], strlen(lines[i]), URL_STRICT, &u), URL_OK);
    snprintf(keys[i], sizeof keys[i], "%s", u.key);
    for (int before = i > window ? i - window : 0; before < i; before++)
      is_new &= strcmp(keys[before], keys[i]) != 0;
    if (is_new && i >= from)
      size += (size_t)snprintf(text + size, COMMAND_OUTPUT_SIZE - size, "%s\n", lines[i]);
  }
}

static void join_some(int from, int to, char text[COMMAND_OUTPUT_SIZE])
{
  size_t size = 0;
  for (int i = from; i < to; i++)
    size += (size_t)snprintf(text + size, COMMAND_OUTPUT_SIZE - size, "%s\n", lines[i]);
}

/* In one run, and in two with a state between them. */
CASE(a_window_forgets)
{
  static char input[COMMAND_OUTPUT_SIZE], expected[COMMAND_OUTPUT_SIZE];
  static const int windows[] = {1, 2, 5, 12};
  char arguments[128];
  make_lines(4);
  for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
    snprintf(arguments, sizeof arguments, "uniq --window %d", windows[i]);
    join_some(0, LINES, input);
    window_model(windows[i], 0, LINES, expected);
    assert_int_equal(uniq(arguments, input), EXIT_DONE);
    assert_string_equal(out, expected);
    unlink(state_file);
    for (int from = 0; from < LINES; from += 100) {
      int to = from + 100 < LINES ? from + 100 : LINES;
      snprintf(arguments, sizeof arguments, "uniq --window %d --state %s", windows[i], state_file);
      join_some(from, to, input);
      window_model(windows[i], from, to, expected);
      assert_int_equal(uniq(arguments, input), EXIT_DONE);
      assert_string_equal(out, expected);
    }
  }
}

CASE(a_window_of_time_remembers_across_runs)
{
  static const char *const changes[] = {"--window 8d", "--window 5", "--fp 0.1", "--filter bloom", "--profile no-www"};
  char arguments[160];
  unlink(state_file);
  snprintf(arguments, sizeof arguments, "uniq --state %s --window 7d --expect 1000", state_file);
  assert_int_equal(uniq(arguments, "http://a/1\nhttp://a/2\nhttp://a/1\n"), EXIT_DONE);
  assert_string_equal(out, "http://a/1\nhttp://a/2\n");
  snprintf(arguments, sizeof arguments, "uniq --state %s --explain", state_file);
  assert_int_equal(uniq(arguments, "http://a/2\nhttp://a/3\n"), EXIT_DONE);
  assert_string_equal(out, "seen\t-\thttp://a/2\nnew\t-\thttp://a/3\n");
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    snprintf(arguments, sizeof arguments, "uniq --state %s %s", state_file, changes[i]);
    assert_int_not_equal(uniq(arguments, "http://a/4\n"), EXIT_DONE);
    assert_string_equal(out, "");
    assert_non_null(strstr(err, "cannot change"));
  }
}

/* In pieces, a state between them: each line once, as the model of the whole list says. */
CASE(exact_keys_remember_across_runs)
{
  static const char *const changes[] = {"--window 5", "--fp 0.1", "--filter bloom", "--profile no-www"};
  static char input[COMMAND_OUTPUT_SIZE], expected[COMMAND_OUTPUT_SIZE], all[COMMAND_OUTPUT_SIZE];
  char arguments[160];
  size_t size = 0;
  unlink(state_file);
  make_lines(5);
  model(expected);
  for (int from = 0; from < LINES; from += 50) {
    snprintf(arguments, sizeof arguments, "uniq%s --state %s", from ? "" : " --filter exact", state_file);
    join_some(from, from + 50, input);
    assert_int_equal(uniq(arguments, input), EXIT_DONE);
    size += (size_t)snprintf(all + size, sizeof all - size, "%s", out);
  }
  assert_string_equal(all, expected);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    snprintf(arguments, sizeof arguments, "uniq --state %s %s", state_file, changes[i]);
    assert_int_not_equal(uniq(arguments, "http://a/4\n"), EXIT_DONE);
    assert_string_equal(out, "");
    assert_non_null(strstr(err, "cannot change"));
  }
}

CASE(exact_is_no_change_of_a_filter)
{
  char arguments[160];
  unlink(state_file);
  snprintf(arguments, sizeof arguments, "uniq --state %s", state_file);
  assert_int_equal(uniq(arguments, "http://a/1\n"), EXIT_DONE);
  snprintf(arguments, sizeof arguments, "uniq --filter exact --state %s", state_file);
  assert_int_equal(uniq(arguments, "http://a/2\n"), EXIT_FAILED);
  assert_non_null(strstr(err, "cannot change"));
}

CASE(an_overfull_window_is_said_to_be)
{
  static char input[COMMAND_OUTPUT_SIZE];
  size_t size = 0;
  for (int i = 0; i < 1000; i++)
    size += (size_t)snprintf(input + size, sizeof input - size, "http://a/%d\n", i);
  assert_int_equal(uniq("uniq --window 1h --expect 10 --fp 0.01", input), EXIT_DONE);
  assert_non_null(strstr(err, "--expect"));
}

CASE(nonsense_is_refused_by_name)
{
  static const struct {
    const char *arguments, *named;
    int code;
  } rows[] = {
    {"uniq --window 0", "--window", EXIT_USAGE},
    {"uniq --window 5x", "--window", EXIT_USAGE},
    {"uniq --window 99999999w", "--window", EXIT_USAGE},
    {"uniq --window -1h", "--window", EXIT_USAGE},
    {"uniq --window 5 --filter line", "--filter", EXIT_USAGE},
    {"uniq --expect 5", "--expect", EXIT_USAGE},
    {"uniq --window 5 --expect 5", "--expect", EXIT_USAGE},
    {"uniq --filter exact --fp 0.1", "--fp", EXIT_USAGE},
    {"uniq --window 5 --filter exact", "--filter", EXIT_USAGE},
    {"uniq --filter mlbf-paper", "--filter", EXIT_USAGE},
    {"uniq --fp 2", "--fp", EXIT_USAGE},
    {"uniq --save-every 1h", "--state", EXIT_USAGE},
    {"uniq --state /nowhere/s --save-every 5", "--save-every", EXIT_USAGE},
    {"uniq --state /nowhere/at/all", "/nowhere/at/all", EXIT_FAILED},
    {"uniq --profile x", "--profile", EXIT_USAGE},
    {"uniq --moon", "--moon", EXIT_USAGE},
    {"uniq /nowhere/at/all", "/nowhere/at/all", EXIT_FAILED},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(uniq(rows[i].arguments, ""), rows[i].code);
    assert_non_null(strstr(err, rows[i].named));
  }
}

static int make_state(void **state)
{
  (void)state;
  snprintf(state_file, sizeof state_file, "/tmp/strata-uniq-XXXXXX");
  int fd = mkstemp(state_file);
  return fd < 0 || close(fd) != 0 ? -1 : unlink(state_file);
}

static int drop_state(void **state)
{
  (void)state;
  char lock[sizeof state_file + 8];
  snprintf(lock, sizeof lock, "%s.lock", state_file);
  unlink(lock);
  unlink(state_file); /* if the case made it */
  return 0;
}

EACH_CASE(make_state, drop_state)
