/* Lines, sorting, and finding; keys are tested in test_surt.c. */
#include "crawler/warc/cdxj.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct found {
  char lines[4][512];
  size_t count;
} found;

static void take(void *context, const char *line, size_t size)
{
  found *f = context;
  assert_true(f->count < 4 && size < sizeof f->lines[0]);
  memcpy(f->lines[f->count], line, size);
  f->lines[f->count++][size] = '\0';
}

static size_t count_found(const char *path, bool is_sorted, const char *address)
{
  found f = {0};
  assert_true(cdxj_find(path, is_sorted, address, take, &f));
  for (size_t i = 0; i < f.count; i++)
    assert_non_null(strstr(f.lines[i], "\"url\":"));
  return f.count;
}

/* Every line is found by its URL, sorted or not; what was never there is not. */
CASE(sorted_and_found)
{
  enum { LINES = 500 };
  char directory[SCRATCH_PATH], part[SCRATCH_PATH], sorted[SCRATCH_PATH], address[64];
  json lines = {0};
  scratch_make(directory);
  scratch_join(directory, "part", part);
  scratch_join(directory, "sorted", sorted);
  for (unsigned i = 0; i < LINES; i++) {
    snprintf(address, sizeof address, "http://h%u.example/%u", i * 37 % 11, i * 37 % LINES);
    cdxj_put(&lines, &(cdxj_capture){.url = address,
                                     .date = "20261120000000",
                                     .mime = "text/html",
                                     .status = 200,
                                     .digest = "sha1:X",
                                     .offset = i,
                                     .size = 10,
                                     .file = "f.warc.gz"});
  }
  assert_false(lines.failed);
  json_put_raw(&lines, "example,h0)/torn 20261120"); /* what a crash may leave, before it is cut */
  scratch_write(part, lines.text, lines.size);
  assert_int_equal(count_found(part, false, "http://h0.example/torn"), 0);
  for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
    const char *path = is_sorted ? sorted : part;
    for (unsigned i = 0; i < LINES; i++) {
      snprintf(address, sizeof address, "http://h%u.example/%u", i * 37 % 11, i * 37 % LINES);
      assert_int_equal(count_found(path, is_sorted, address), 1);
    }
    assert_int_equal(count_found(path, is_sorted, "http://aaa.example/"), 0);
    assert_int_equal(count_found(path, is_sorted, "http://zzz.zzz/"), 0);
    assert_int_equal(count_found(path, is_sorted, "http://h1.example/9999"), 0);
    if (!is_sorted)
      assert_true(cdxj_sort(part, sorted));
  }
  size_t size;
  char *text = scratch_read(sorted, &size), *rest = text, *last = NULL;
  assert_non_null(text);
  for (char *line; (line = strsep(&rest, "\n")) && *line; last = line)
    assert_true(!last || strcmp(last, line) < 0);
  free(text);
  assert_null(scratch_read(part, &size));
  json_free(&lines);
  scratch_remove(directory);
}

CASE(files_that_are_not_there_or_empty)
{
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  scratch_make(directory);
  scratch_join(directory, "empty", path);
  assert_false(cdxj_find(path, true, "http://h/", take, NULL));
  assert_false(cdxj_sort(path, path));
  scratch_write(path, "", 0);
  assert_int_equal(count_found(path, true, "http://h/"), 0);
  assert_int_equal(count_found(path, false, "http://h/"), 0);
  scratch_remove(directory);
}
