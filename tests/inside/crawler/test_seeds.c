/* Start URLs: those of the command line in order, then the lines of a file; what is bad is named. */
#include "crawler/commands/seeds.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[SCRATCH_PATH], list[SCRATCH_PATH], said[4096];

static int set_up(void **state)
{
  (void)state;
  scratch_make(directory);
  scratch_join(directory, "list", list);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

/* What the function says on stderr comes into `said`. */
static void listen(int *kept)
{
  char path[SCRATCH_PATH];
  scratch_join(directory, "said", path);
  fflush(stderr);
  *kept = dup(STDERR_FILENO);
  assert_non_null(freopen(path, "w", stderr));
}

static void stop_listening(int kept)
{
  char path[SCRATCH_PATH];
  size_t size;
  scratch_join(directory, "said", path);
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  char *text = scratch_read(path, &size);
  assert_non_null(text);
  snprintf(said, sizeof said, "%s", text);
  free(text);
}

static void assert_next(seeds *s, seeds_next_result result, const char *expected)
{
  url *u = malloc(sizeof *u);
  assert_non_null(u);
  assert_int_equal(seeds_next(s, u), result);
  if (expected)
    assert_string_equal(u->fetch, expected);
  free(u);
}

CASE(words_then_lines)
{
  int kept;
  char first[] = "HTTP://Example.org", second[] = "https://example.org/b#part";
  char *words[] = {first, second};
  static const char lines[] = "http://a/\n\nno url\n  http://b/x  \nftp://c/\nhttp://d/";
  scratch_write(list, lines, sizeof lines - 1);
  const crawl_args args = {.urls = words, .url_count = 2, .seeds = list};
  seeds *s = seeds_open(&args);
  assert_non_null(s);
  assert_next(s, SEEDS_URL, "http://example.org/");
  assert_next(s, SEEDS_URL, "https://example.org/b");
  assert_next(s, SEEDS_URL, "http://a/");
  assert_next(s, SEEDS_URL, "http://b/x");
  assert_next(s, SEEDS_URL, "http://d/");
  assert_next(s, SEEDS_NONE_LEFT, NULL);
  assert_next(s, SEEDS_NONE_LEFT, NULL);
  listen(&kept);
  seeds_report(s);
  stop_listening(kept);
  assert_non_null(strstr(said, "line 3 "));
  assert_non_null(strstr(said, "line 5 "));
  assert_null(strstr(said, "line 4 "));
  seeds_close(s);
}

CASE(bad_words)
{
  static const struct row {
    const char *word, *sentence;
  } rows[] = {
    {"example.org", "did you mean https://example.org/ ?"},
    {"ftp://example.org/", "only http and https"},
    {"http://", "is not a URL"},
    {"here", "is not a URL"}, /* no guess: it has no dot */
    {"http://x y/\x1b[2J", "\\x1B[2J"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int kept;
    char word[64];
    char *words[] = {word};
    snprintf(word, sizeof word, "%s", rows[i].word);
    const crawl_args args = {.urls = words, .url_count = 1};
    seeds *s = seeds_open(&args);
    assert_non_null(s);
    listen(&kept);
    assert_next(s, SEEDS_BAD, NULL);
    stop_listening(kept);
    if (!strstr(said, rows[i].sentence))
      fail_msg("\"%s\": nothing of \"%s\" in \"%s\"", rows[i].word, rows[i].sentence, said);
    seeds_report(s); /* no file: nothing to say */
    seeds_close(s);
  }
}

CASE(a_file_that_is_not_there)
{
  int kept;
  const crawl_args args = {.seeds = "/nowhere/list"};
  listen(&kept);
  seeds *s = seeds_open(&args);
  stop_listening(kept);
  assert_null(s);
  assert_non_null(strstr(said, "/nowhere/list: No such file"));
  seeds_close(NULL);
}

EACH_CASE(set_up, tear_down)
