/* frontier/traps.h: directories that the caller marks. They are found by their URLs, committed with the open batch, and
 * decide nothing by themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "frontier/traps.h"
#include "tests/support/must.h"
#include "tests/support/story.h"
#include "tests/support/test.h"

static url u;

static frontier *open_again(bool is_read_only)
{
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 50000,
                              .rate = 1e-9,
                              .per_host = 1,
                              .depth_cap = UINT16_MAX,
                              .read_only = is_read_only};
  return must_open(story_directory, &options);
}

static frontier_status mark(frontier *f, const char *name, const char *note)
{
  frontier_mark it = {.name = name, .name_size = strlen(name), .note = note, .note_size = note ? strlen(note) : 0};
  return frontier_mark_trap(f, &it);
}

/* "" if there is none. */
static const char *note_of(frontier *f, const char *where)
{
  static char note[FRONTIER_MARK_NOTE_MAX + 1];
  frontier_mark found;
  if (!frontier_find_mark(f, where, strlen(where), &found))
    return "";
  memcpy(note, found.note, found.note_size);
  note[found.note_size] = '\0';
  return note;
}

CASE(a_url_is_found_by_its_innermost_directory)
{
  static const struct {
    const char *where, *note;
  } rows[] = {
    {"a.org/", ""},
    {"a.org/lost", ""},
    {"a.org/lost/", "lost"},
    {"a.org/lost/17", "lost"},
    {"a.org/lost/x/y/z?q=/lost/in/", "lost"},
    {"a.org/lost/in/", "in"},
    {"a.org/lost/in/17?x", "in"},
    {"a.org/lostandfound", ""},
    {"a.org/find?", "find"},
    {"a.org/find?q=x", "find"},
    {"a.org/find", ""},
    {"a.org/find/x", ""},
    {"a.org/x?a=/lost/17", ""},
    {"a.org:80/lost/17", ""},
    {"b.org/", "all"},
    {"b.org/anything/at/all?x=y", "all"},
    {"b.orgy/", ""},
    {"", ""},
  };
  frontier *f = open_again(false);
  assert_string_equal(note_of(f, "a.org/lost/17"), "");
  assert_int_equal(mark(f, "a.org/lost/", "lost"), FRONTIER_OK);
  assert_int_equal(mark(f, "a.org/lost/in/", "in"), FRONTIER_OK);
  assert_int_equal(mark(f, "a.org/find?", "find"), FRONTIER_OK);
  assert_int_equal(mark(f, "b.org/", "all"), FRONTIER_OK);
  assert_int_equal(mark(f, "b.org/", "again"), FRONTIER_OK); /* it stays as it is */
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(note_of(f, rows[i].where), rows[i].note) != 0)
      fail_msg("%s: '%s', should be '%s'", rows[i].where, note_of(f, rows[i].where), rows[i].note);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(what_is_no_directory_is_refused)
{
  char name[FRONTIER_MARK_NAME_MAX + 2], note[FRONTIER_MARK_NOTE_MAX + 2];
  frontier *f = open_again(false);
  static const char *const bad[] = {"", "/", "a.org", "a.org/lost", "/lost/", "a.org?", "?"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(mark(f, bad[i], NULL), FRONTIER_BAD_ARGUMENT);
  memset(name, '/', sizeof name);
  name[0] = 'a';
  name[sizeof name - 1] = '\0';
  assert_int_equal(mark(f, name, NULL), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(mark(f, name + 1, NULL), FRONTIER_BAD_ARGUMENT);
  name[FRONTIER_MARK_NAME_MAX] = '\0';
  memset(note, 'x', sizeof note);
  note[sizeof note - 1] = '\0';
  assert_int_equal(mark(f, name, note), FRONTIER_BAD_ARGUMENT);
  note[FRONTIER_MARK_NOTE_MAX] = '\0';
  assert_int_equal(mark(f, name, note), FRONTIER_OK);
  assert_string_equal(note_of(f, "a////////x"), "");
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_again(true);
  assert_int_equal(mark(f, "a.org/lost/", NULL), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* ---- kept ------------------------------------------------------------------------------------------------ */

typedef struct listed {
  unsigned count, wrong;
} listed;

static void name_it(unsigned number, char name[64])
{
  snprintf(name, 64, "host-%u.example/lost-%u/", number % 97, number);
}

static bool check_one(void *context, const frontier_mark *it)
{
  listed *l = context;
  char name[64];
  name_it(l->count++, name);
  l->wrong += it->name_size != strlen(name) || memcmp(it->name, name, it->name_size) != 0 ||
              it->note_size != it->name_size || memcmp(it->note, name, it->note_size) != 0;
  return true;
}

static unsigned count_marks(frontier *f)
{
  listed l = {0};
  assert_int_equal(frontier_each_mark(f, check_one, &l), FRONTIER_OK);
  assert_int_equal(l.wrong, 0);
  return l.count;
}

static void add_marks(frontier *f, unsigned from, unsigned to)
{
  char name[64];
  for (; from < to; from++) {
    name_it(from, name);
    assert_int_equal(mark(f, name, name), FRONTIER_OK);
  }
}

static void add_url(frontier *f, const char *text)
{
  frontier_verdict verdict;
  assert_int_equal(url_parse(text, strlen(text), URL_STRICT, &u), URL_OK);
  assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
}

/* As a URL accepted at that time. */
CASE(a_crash_loses_what_was_not_committed)
{
  static const unsigned counts[] = {1, 63, 64, 65, 128, 200};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      frontier *f = open_again(false);
      add_marks(f, i ? counts[i - 1] : 0, counts[i]);
      if (frontier_sync(f) != FRONTIER_OK)
        _exit(1);
      add_marks(f, counts[i], counts[i] + 10);
      _exit(0); /* as by kill -9 */
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    frontier *f = open_again(false);
    assert_int_equal(count_marks(f), counts[i]);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
  }
}

CASE(there_is_a_most)
{
  char name[64];
  frontier *f = open_again(false);
  add_marks(f, 0, FRONTIER_MARKS_MAX);
  name_it(FRONTIER_MARKS_MAX, name);
  assert_int_equal(mark(f, name, name), FRONTIER_BAD_ARGUMENT);
  assert_non_null(strstr(frontier_message(f), "16384"));
  name_it(7, name);
  assert_int_equal(mark(f, name, "as it is"), FRONTIER_OK);
  assert_string_equal(note_of(f, name), name);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  char why[FRONTIER_MESSAGE_SIZE];
  frontier_sizes sizes;
  assert_int_equal(frontier_compact(story_directory, &sizes, why), FRONTIER_OK);
  f = open_again(true);
  assert_int_equal(count_marks(f), FRONTIER_MARKS_MAX);
  assert_string_equal(note_of(f, name), name);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(damaged_marks_are_noticed)
{
  static const struct {
    const char *bytes;
    size_t given, size; /* the rest is zeros */
  } rows[] = {
    {"", 0, 0},                               /* nothing */
    {"\7\0\0", 3, 3},                         /* a head that is cut */
    {"\7\0\0\0a.org/", 10, 10},               /* a name that is */
    {"\6\0\1\0a.org/", 10, 10},               /* a note that is */
    {"\5\0\0\0a.org", 9, 9},                  /* no name */
    {"\6\0\1\2a.org/", 10, 10 + 513},         /* too long a note */
    {"\6\0\0\0a.org/\6\0\0\0a.org/", 20, 20}, /* one name twice */
  };
  char bytes[600];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    listed l = {0};
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, rows[i].bytes, rows[i].given);
    frontier *f = open_again(false);
    assert_int_equal(frontier_setting_put(f, "trap-marks-0", bytes, rows[i].size), FRONTIER_OK);
    assert_int_equal(frontier_each_mark(f, check_one, &l), FRONTIER_DAMAGED);
    assert_non_null(strstr(frontier_message(f), "trap-marks-0"));
    assert_string_equal(note_of(f, "a.org/"), "");
    assert_int_equal(frontier_watch_traps(f, 0), FRONTIER_DAMAGED);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
  }
}

/* ---- what they decide ------------------------------------------------------------------------------------ */

static frontier_class last_if_odd(void *context, const frontier_link *link, frontier_verdict verdict,
                                  frontier_class by_rule)
{
  const url *it = link->target;
  frontier_mark found;
  (void)verdict;
  bool is_marked = frontier_find_mark(context, it->fetch + it->host_begin, it->fetch_size - it->host_begin, &found);
  return is_marked && it->fetch[it->fetch_size - 1] % 2 ? FRONTIER_TRAP : by_rule;
}

static bool count_one(void *context, const frontier_trapped *t)
{
  ++*(unsigned *)context;
  (void)t;
  return true;
}

static unsigned count_trapped(frontier *f)
{
  unsigned count = 0;
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  assert_int_equal(frontier_each_trapped(f, count_one, &count), FRONTIER_OK);
  return count;
}

/* The caller's classifier decides, in this run and in the next: 500 URLs of class TRAP that wait say nothing of other
 * URLs in their directory, if it is marked. */
CASE(the_classifier_decides)
{
  char text[64];
  frontier *f = open_again(false);
  assert_int_equal(frontier_watch_traps(f, 10), FRONTIER_OK);
  assert_int_equal(mark(f, "a.org/lost/", NULL), FRONTIER_OK);
  add_url(f, "http://a.org/lost/by-itself-1");
  assert_int_equal(count_trapped(f), 0);
  frontier_classify(f, last_if_odd, f);
  for (unsigned i = 0; i < 1000; i++) {
    snprintf(text, sizeof text, "http://a.org/lost/x%ux%u", i, i);
    add_url(f, text);
  }
  assert_int_equal(count_trapped(f), 500);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_again(false);
  assert_int_equal(frontier_watch_traps(f, 10), FRONTIER_OK);
  add_url(f, "http://a.org/lost/good");
  assert_int_equal(count_trapped(f), 500);
  frontier_classify(f, last_if_odd, f);
  add_url(f, "http://a.org/lost/more-1");
  assert_int_equal(count_trapped(f), 501);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

EACH_CASE(story_begin, story_end)
