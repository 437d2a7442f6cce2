/* strata seen and strata stat, where links wait to be confirmed, in the directory of a crawl that no network was needed
 * for. */
#include "frontier/frontier.h"
#include "tests/support/command.h"
#include "tests/support/full_filter.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOUND = 200, TOGETHER = 25, URL_TEXT = 48 };

static char root[SCRATCH_PATH], path[SCRATCH_PATH];
static char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];
static frontier_outcome said[FOUND]; /* of the URLs found last */
static uint64_t waiting, late;

static const char *url_text(const char *word, unsigned number)
{
  static char text[URL_TEXT];
  snprintf(text, sizeof text, "http://h%u.test/%s/%u", number % 16, word, number);
  return text;
}

static frontier_outcome add(frontier *f, const char *word, unsigned number)
{
  static url u;
  frontier_verdict verdict;
  const char *text = url_text(word, number);
  assert_int_equal(url_parse(text, strlen(text), URL_STRICT, &u), URL_OK);
  if (frontier_add(f, &u, (frontier_origin){0}, 0, &verdict) != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
  return verdict.outcome;
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "frontier", path);
  full_filter_make(path, MLBF_KIND_BLOOM);
  frontier *f = full_filter_open(path);
  late = full_filter_confirm(f);
  waiting = 0;
  for (unsigned i = 0; i < FOUND; i++)
    waiting += (said[i] = add(f, "found", i)) == FRONTIER_UNCONFIRMED;
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_in_range(waiting, 1, FOUND - 1);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

/* How the line of each begins: as `said` has it, or as `expected`. As many at once as a command line of ours has. */
static void assert_some_seen(const char *word, unsigned from, unsigned to, const char *expected)
{
  static char line[TOGETHER * URL_TEXT + SCRATCH_PATH];
  int size = snprintf(line, sizeof line, "seen %s", root);
  for (unsigned i = from; i < to; i++)
    size += snprintf(line + size, sizeof line - (size_t)size, " %s", url_text(word, i));
  assert_int_equal(command_run(line, "", NULL, out, err), EXIT_DONE);
  const char *at = out;
  for (unsigned i = from; i < to; i++, at = strchr(at, '\n') + 1) {
    const char *wanted = expected ? expected : said[i] == FRONTIER_UNCONFIRMED ? "unconfirmed\t-\t" : "seen\t-\t";
    if (strncmp(at, wanted, strlen(wanted)) != 0)
      fail_msg("%s: not \"%s\" but %.*s", url_text(word, i), wanted, (int)strcspn(at, "\n"), at);
  }
  assert_string_equal(at, "");
}

static void assert_seen(const char *word, const char *expected)
{
  for (unsigned i = 0; i < FOUND; i += TOGETHER)
    assert_some_seen(word, i, i + TOGETHER, expected);
}

static void assert_stat(const char *options, const char *expected)
{
  char line[SCRATCH_PATH + 32];
  snprintf(line, sizeof line, "stat %s %s", root, options);
  assert_int_equal(command_run(line, "", NULL, out, err), EXIT_DONE);
  if (!strstr(out, expected))
    fail_msg("nothing of \"%s\" in\n%s", expected, out);
}

CASE_WITH(each_answer_is_true, begin, end)
{
  assert_seen("known", "seen\t-\t");
  assert_seen("found", NULL);
  assert_seen("elsewhere", "new"); /* though the filter calls many of them seen */
}

static void assert_numbers(uint64_t unconfirmed, uint64_t came_late)
{
  char text[FULL_FILTER_SENTENCE + 32], words[FULL_FILTER_SENTENCE];
  snprintf(text, sizeof text, "late       %s\n", full_filter_sentence(unconfirmed, came_late, words));
  assert_stat("", text);
  snprintf(text, sizeof text, "\"unconfirmed\":%llu,\"late\":%llu,", (unsigned long long)unconfirmed,
           (unsigned long long)came_late);
  assert_stat("--json", text);
}

CASE_WITH(stat_says_what_waits, begin, end)
{
  assert_stat("", "filter     exact:bloom, profile strict, ");
  assert_stat("", "promise    no URL is missed; at most 1 in 2 new URLs comes late\n");
  assert_numbers(waiting, late);
}

/* Each of them was new, and comes late, once. */
CASE_WITH(what_came_late, begin, end)
{
  frontier *f = full_filter_open(path);
  assert_int_equal(full_filter_confirm(f), late + waiting);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_numbers(0, late + waiting);
  assert_seen("found", "seen\t-\t");
}

CASE(wrong_words)
{
  static const command_row rows[] = {
    {"seen", "", EXIT_USAGE, "", "a directory and URLs, please"},
    {"seen /nowhere http://a.test/", "", EXIT_FAILED, "", "/nowhere"},
  };
  assert_int_equal(command_differences(rows, sizeof rows / sizeof *rows), 0);
}
