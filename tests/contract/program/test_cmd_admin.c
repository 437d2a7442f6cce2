/* strata check, compact and merge as a shell sees them, on the directory of a crawl that no network was needed for. */
#include "tests/support/command.h"
#include "tests/support/scratch.h"
#include "tests/support/small_crawl.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[SCRATCH_PATH], directory[SCRATCH_PATH], data[SCRATCH_PATH], journal[SCRATCH_PATH];
static char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];

/* ROOT/NAME/frontier and ROOT/NAME/pages.jsonl, as strata crawl makes them. */
static void make_crawl(const char *name, url_profile profile)
{
  char where[SCRATCH_PATH], inside[SCRATCH_PATH], lines[SCRATCH_PATH];
  scratch_join(root, name, where);
  scratch_join(where, "frontier", inside);
  scratch_join(where, "pages.jsonl", lines);
  assert_int_equal(mkdir(where, 0777), 0);
  small_crawl c = {.directory = inside, .journal = lines, .seed = 6, .urls = 800, .fetched = 300, .profile = profile};
  small_crawl_make(&c);
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "crawl", directory);
  scratch_join(directory, "frontier/data.mdb", data);
  scratch_join(directory, "pages.jsonl", journal);
  make_crawl("crawl", URL_STRICT);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

__attribute__((format(printf, 2, 3))) static void run(int expected, const char *format, ...)
{
  char arguments[4 * SCRATCH_PATH];
  va_list list;
  va_start(list, format);
  vsnprintf(arguments, sizeof arguments, format, list);
  va_end(list);
  int code = command_run(arguments, "", NULL, out, err);
  if (code != expected)
    fail_msg("\"%s\" ended with %d, not %d:\n%s%s", arguments, code, expected, out, err);
}

static void change_byte(const char *path, size_t at)
{
  size_t size;
  char *bytes = scratch_read(path, &size);
  assert_non_null(bytes);
  bytes[at < size ? at : size / 2 + 1000] ^= 1; /* inside a page: a page that is lost says more than `out` holds */
  scratch_write(path, bytes, size);
  free(bytes);
}

CASE(a_sound_crawl)
{
  run(EXIT_DONE, "check %s", directory);
  assert_string_equal(out, "");
  assert_non_null(strstr(err, "sound\n"));
  run(EXIT_DONE, "check %s --repair", directory);
  assert_string_equal(out, "");
}

CASE(a_damaged_crawl_is_repaired)
{
  change_byte(data, SIZE_MAX);
  change_byte(data, 16); /* the magic of a root, which is always noticed */
  run(EXIT_FAILED, "check %s", directory);
  assert_non_null(strstr(out, "data.mdb: page 0"));
  assert_non_null(strstr(err, "fault"));
  run(EXIT_DONE, "check --repair %s", directory);
  assert_non_null(strstr(out, "rebuilt"));
  assert_non_null(strstr(err, "sound\n"));
  run(EXIT_DONE, "stat %s", directory);
  run(EXIT_DONE, "export %s --state queued", directory);
}

CASE(a_changed_journal)
{
  change_byte(journal, 40);
  run(EXIT_FAILED, "check %s", directory);
  assert_non_null(strstr(out, "pages.jsonl"));
  run(EXIT_DONE, "check %s --repair", directory);
}

CASE(compacting)
{
  run(EXIT_DONE, "compact %s", directory);
  assert_string_equal(out, "");
  assert_non_null(strstr(err, "before"));
  run(EXIT_DONE, "check %s", directory);
}

CASE(merging)
{
  make_crawl("other", URL_STRICT);
  run(EXIT_DONE, "merge %s %s/other -o %s/both", directory, root, root);
  run(EXIT_DONE, "seen %s/both http://h0.test/0/0 http://h0.test/never", root);
  assert_true(strncmp(out, "seen\t", 5) == 0);
  assert_non_null(strstr(out, "\nnew"));
  run(EXIT_DONE, "stat %s/both --json", root);
  run(EXIT_DONE, "check %s/both", root);
  run(EXIT_FAILED, "merge %s --output %s/both", directory, root);
  assert_non_null(strstr(err, "there already"));

  make_crawl("third", URL_NO_WWW);
  run(EXIT_FAILED, "merge %s %s/third -o %s/none", directory, root, root);
  assert_non_null(strstr(err, "no-www"));
  char none[SCRATCH_PATH];
  scratch_join(root, "none", none);
  assert_int_not_equal(access(none, F_OK), 0);
}

/* As a program on the library makes it: the frontier alone, its journal anywhere. */
CASE(the_frontier_of_another_program)
{
  char own[SCRATCH_PATH], lines[SCRATCH_PATH], keyed[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  scratch_join(root, "own", own);
  scratch_join(root, "own.log", lines);
  scratch_join(root, "keyed", keyed);
  small_crawl c = {.directory = own, .journal = lines, .seed = 7, .urls = 300, .fetched = 100};
  small_crawl_make(&c);
  run(EXIT_DONE, "stat %s", own);
  assert_non_null(strstr(out, "URLs "));
  run(EXIT_DONE, "seen %s http://h0.test/0/0", own);
  assert_true(strncmp(out, "seen\t", 5) == 0);
  run(EXIT_DONE, "export %s --state done", own);
  assert_true(strncmp(out, "http://", 7) == 0);
  run(EXIT_DONE, "check %s", own);
  assert_null(strstr(err, "lines in"));
  run(EXIT_DONE, "check %s --journal %s", own, lines);
  assert_non_null(strstr(err, "own.log; sound\n"));
  run(EXIT_DONE, "forget %s http://h0.test/0/0", own);
  run(EXIT_DONE, "seen %s http://h0.test/0/0", own);
  assert_true(strncmp(out, "new", 3) == 0);
  run(EXIT_DONE, "compact %s", own);
  run(EXIT_DONE, "merge %s %s -o %s/of_both", directory, own, root);
  run(EXIT_DONE, "check %s/of_both", root);
  change_byte(lines, 40);
  run(EXIT_FAILED, "check %s --journal %s", own, lines);
  assert_non_null(strstr(out, "own.log"));

  frontier *f;
  frontier_options options = small_crawl_options(&c);
  options.journal_path = NULL;
  options.key_scheme = "isbn-13";
  assert_int_equal(frontier_open(keyed, &options, &f, message), FRONTIER_OK);
  assert_string_equal(frontier_key_scheme(f), "isbn-13");
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  run(EXIT_DONE, "stat %s", keyed);
  run(EXIT_DONE, "check %s", keyed);
  run(EXIT_DONE, "forget %s --host h0.test", keyed);
  run(EXIT_FAILED, "seen %s http://h0.test/0/0", keyed);
  assert_non_null(strstr(err, "isbn-13"));
  run(EXIT_FAILED, "forget %s http://h0.test/0/0", keyed);
  assert_non_null(strstr(err, "isbn-13"));
  run(EXIT_FAILED, "merge %s %s -o %s/mixed", own, keyed, root);
  assert_non_null(strstr(err, "isbn-13"));
  run(EXIT_FAILED, "stat %s", root);
  assert_non_null(strstr(err, "is not the directory of a crawl"));
}

CASE(wrong_words)
{
  static const char *const commands[][2] = {{"check", ""}, {"compact", ""}, {"merge", " -o /nowhere/else"}};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    const char *name = commands[i][0];
    run(EXIT_USAGE, "%s", name);
    run(EXIT_USAGE, "%s --no-such-option", name);
    run(EXIT_DONE, "%s --help", name);
    assert_non_null(strstr(out, "Usage:"));
    run(EXIT_FAILED, "%s /nowhere%s", name, commands[i][1]);
    assert_non_null(strstr(err, "/nowhere"));
  }
}

EACH_CASE(begin, end)
