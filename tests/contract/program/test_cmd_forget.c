/* strata forget, on a crawl's directory made by the library: what it prints, and what is new afterwards. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "frontier/frontier.h"
#include "tests/support/command.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static const frontier_options plain = {.filter = MLBF_KIND_MLBF,
                                       .profile = URL_NO_WWW,
                                       .expected_urls = 100,
                                       .rate = 1e-9,
                                       .per_host = 8,
                                       .depth_cap = UINT16_MAX};

/* The last one waits. */
static const char *const pages[] = {"http://a.test/",        "http://a.test/news/1", "http://a.test/news/2",
                                    "https://a.test/news/3", "http://a.test:8080/",  "http://www.b.test/x",
                                    "http://a.test/news/9"};
enum { PAGES = sizeof pages / sizeof *pages, ENDED = PAGES - 1 };

static frontier *open_or_fail(const char *directory)
{
  char path[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  scratch_join(directory, "frontier", path);
  if (frontier_open(path, &plain, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

static void make_crawl(char directory[SCRATCH_PATH])
{
  static url u;
  frontier_verdict verdict;
  frontier_lease leases[PAGES];
  size_t count;
  int64_t wait_ms;
  scratch_make_fast(directory);
  frontier *f = open_or_fail(directory);
  for (size_t i = 0; i < PAGES; i++) {
    assert_int_equal(url_parse(pages[i], strlen(pages[i]), plain.profile, &u), URL_OK);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  }
  assert_int_equal(frontier_next(f, 0, leases, PAGES, &count, &wait_ms), FRONTIER_OK);
  for (size_t i = 0; i < count; i++)
    if (leases[i].id <= ENDED)
      assert_int_equal(frontier_done(f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* A letter a page: S seen, n new. */
static void assert_seen(const char *directory, const char *letters)
{
  static url u;
  char found[PAGES + 1] = "";
  frontier *f = open_or_fail(directory);
  for (size_t i = 0; i < PAGES; i++) {
    frontier_verdict verdict;
    assert_int_equal(url_parse(pages[i], strlen(pages[i]), plain.profile, &u), URL_OK);
    assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
    found[i] = verdict.outcome == FRONTIER_SEEN ? 'S' : 'n';
  }
  frontier_close(f);
  assert_string_equal(found, letters);
}

static int forget(const char *directory, const char *arguments, char out[COMMAND_OUTPUT_SIZE],
                  char err[COMMAND_OUTPUT_SIZE])
{
  char line[SCRATCH_PATH + 256];
  snprintf(line, sizeof line, "forget %s %s", directory, arguments);
  return command_run(line, "", NULL, out, err);
}

CASE(what_is_asked_for_and_nothing_else)
{
  static const struct row {
    const char *arguments, *out, *seen;
  } rows[] = {
    {"HTTP://A.test:80/news/1#x", "1\thttp://a.test/news/1\n", "SnSSSSS"},
    {"http://a.test/never http://b.test/x", "0\thttp://a.test/never\n1\thttp://b.test/x\n", "SSSSSnS"},
    {"--host A.test", "4\ta.test\n", "nnnnSSS"},
    {"--host a.test:8080", "1\ta.test:8080\n", "SSSSnSS"},
    {"--host test", "0\ttest\n", "SSSSSSS"},
    {"--prefix http://a.test/news/", "2\thttp://a.test/news/\n", "SnnSSSS"},
    {"--prefix http://a.test/news/ http://a.test/news/2 --host www.b.test", /* the options come first */
     "2\thttp://a.test/news/\n1\twww.b.test\n0\thttp://a.test/news/2\n", "SnnSSnS"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char directory[SCRATCH_PATH], out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];
    make_crawl(directory);
    assert_seen(directory, "SSSSSSS");
    assert_int_equal(forget(directory, rows[i].arguments, out, err), EXIT_DONE);
    assert_string_equal(out, rows[i].out);
    assert_string_equal(err, "");
    assert_seen(directory, rows[i].seen);
    scratch_remove(directory);
  }
}

CASE(what_makes_no_sense_changes_nothing)
{
  static const struct row {
    const char *arguments;
    int code;
    const char *err;
  } rows[] = {
    {"", EXIT_USAGE, "what to forget"},
    {"--host", EXIT_USAGE, "--host needs a value"},
    {"--hast a.test", EXIT_USAGE, "--hast"},
    {"http://a.test/ mailto:x", EXIT_FAILED, "\"mailto:x\" is no URL (scheme)"},
    {"--host a.test/b http://a.test/", EXIT_FAILED, "\"a.test/b\" is no host"},
    {"--host a..test:99999 http://a.test/", EXIT_FAILED, "no host"},
  };
  char directory[SCRATCH_PATH], out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];
  make_crawl(directory);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(forget(directory, rows[i].arguments, out, err), rows[i].code);
    assert_string_equal(out, "");
    assert_non_null(strstr(err, rows[i].err));
    assert_seen(directory, "SSSSSSS");
  }
  assert_int_equal(forget("/nonexistent", "http://a.test/", out, err), EXIT_FAILED);
  frontier *f = open_or_fail(directory);
  assert_int_equal(forget(directory, "http://a.test/", out, err), EXIT_FAILED);
  assert_non_null(strstr(err, "in use"));
  frontier_close(f);
  scratch_remove(directory);
}
