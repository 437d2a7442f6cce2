/* datasets/replay/statistics.h and batch.h: a list whose numbers can be counted by hand. */
#include "datasets/replay/statistics.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static urllist *list_of(const char *const *keys, size_t count)
{
  urllist *list = urllist_create("/tmp", false, 0);
  assert_non_null(list);
  for (size_t i = 0; i < count; i++)
    assert_true(urllist_add(list, keys[i], strlen(keys[i]), false));
  assert_true(urllist_finish(list, NULL));
  return list;
}

static void assert_counts(const uint64_t *had, const uint64_t *wanted, size_t count)
{
  for (size_t i = 0; i < count; i++)
    assert_int_equal(had[i], wanted[i]);
}

CASE(test_counted_by_hand)
{
  static const char *const keys[] = {
    "//a/",
    "//a/x/y",
    "//b/x/y",
    "//a/x/y",         /* again */
    "//b/",            /* second half: both known at their layers */
    "//c/x",           /* a new host */
    "//b/x/z?q=1&r=2", /* new at layer 3 */
    "//a/y/x/y/z",     /* /y is new at layer 2 */
  };
  urllist *list = list_of(keys, 8);
  list_statistics was;
  assert_true(statistics_measure(list, 3, "/tmp", &was, NULL));
  assert_int_equal(was.urls, 7);
  assert_int_equal(was.with_query, 1);
  assert_int_equal(was.longest, 15);
  assert_int_equal(was.median_size, 7);
  assert_true(was.mean_size > 7.571 && was.mean_size < 7.572); /* 53 / 7 */

  const layer_statistics *paper = &was.cuts[CUT_PAPER];
  assert_counts(paper->urls, (const uint64_t[]){7, 7, 4, 0}, 4);
  assert_counts(paper->distinct, (const uint64_t[]){3, 3, 3, 0}, 4); // layer 3: /y, /z?q=1&r=2, /x/y/z
  assert_int_equal(paper->new_urls, 4);
  assert_counts(paper->first_new, (const uint64_t[]){1, 1, 1, 0}, 4);
  assert_int_equal(paper->combinations, 1);

  const layer_statistics *layers = &was.cuts[CUT_LAYERS];
  assert_counts(layers->urls, (const uint64_t[]){7, 7, 4, 2, 2, 0}, 6);
  assert_counts(layers->distinct, (const uint64_t[]){3, 3, 3, 2, 2, 0}, 6); // layer 4: ?q=1, /y; layer 5: &r=2, /z
  assert_counts(layers->first_new, (const uint64_t[]){1, 1, 1, 0}, 4);
  urllist_free(list);
}

CASE(test_cuts)
{
  static const struct {
    const char *key, *paper, *layers;
  } rows[] = {
    {"//h/", "//h|/", "//h|/"},
    {"//h/a/b?x&y", "//h|/a|/b?x&y", "//h|/a|/b|?x|&y"},
    {"//h:8/a//b/", "//h:8|/a|/|/b|/", "//h:8|/a|/|/b|/"},
    {"//h/?a/b?c&d/e", "//h|/?a|/b?c&d|/e", "//h|/|?a/b?c|&d/e"},
    {"//h/a&b", "//h|/a&b", "//h|/a&b"},
    {"//h", "//h", "//h"},
    {"//h/1/2/3/4/5/6/7/8/9/a/b/c/d/e/f/g", "//h|/1|/2|/3|/4|/5|/6|/7|/8|/9|/a|/b|/c|/d|/e|/f/g",
     "//h|/1|/2|/3|/4|/5|/6|/7|/8|/9|/a|/b|/c|/d|/e|/f/g"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int how = 0; how < CUT_COUNT; how++) {
      mlbf_span segments[MLBF_LAYERS_MAX];
      char text[256] = "";
      size_t count = cut_key((key_cut)how, rows[i].key, strlen(rows[i].key), segments);
      for (size_t s = 0; s < count; s++) {
        strcat(text, s > 0 ? "|" : "");
        strncat(text, segments[s].bytes, segments[s].size);
      }
      assert_string_equal(text, how == CUT_PAPER ? rows[i].paper : rows[i].layers);
    }
}

CASE(test_an_empty_list)
{
  urllist *list = list_of(NULL, 0);
  list_statistics was;
  assert_true(statistics_measure(list, 4, "/tmp", &was, NULL));
  assert_int_equal(was.urls, 0);
  assert_int_equal(was.cuts[CUT_PAPER].combinations, 0);
  urllist_free(list);
}
