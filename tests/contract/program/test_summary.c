/* The end of a crawl: SUMMARY.md's fields in --summary and stat --json, and what people are told. */
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRATA(t, ...) trial_strata(t, (const char *const[]){__VA_ARGS__, NULL})
#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--per-host", "4", "--tries", "1", "--allow-private"

static trial *t;

static int serve(void **state)
{
  (void)state;
  t = trial_open(&(trial_options){.seed = 61, .entries = 300});
  return 0;
}

static int stop(void **state)
{
  (void)state;
  trial_close(t);
  return 0;
}

/* ---- the documented fields ------------------------------------------------------------------------------------- */

enum { FIELDS_MAX = 60 };

typedef struct field {
  char name[48], type[16], of[16];
  bool was_there;
} field;

static field fields[FIELDS_MAX];
static size_t field_count;

/* The rows of the table: | `name` | type | of | meaning | */
static void read_fields(void)
{
  text file = {0};
  assert_true(text_add_file(&file, TESTS_DIR "/../crawler/commands/SUMMARY.md"));
  char *rest = file.bytes;
  for (char *line; (line = strsep(&rest, "\n"));) {
    assert_true(field_count < FIELDS_MAX);
    field *f = &fields[field_count];
    field_count += sscanf(line, "| `%47[^`]` | %15[^ ] | %15[^ ] |", f->name, f->type, f->of) == 3;
  }
  assert_true(field_count > 20);
  text_free(&file);
}

static field *find_field(const char *name)
{
  bool is_counter = strncmp(name, "counters.", 9) == 0;
  for (size_t i = 0; i < field_count; i++)
    if (strcmp(fields[i].name, is_counter ? "counters.NAME" : name) == 0)
      return &fields[i];
  fail_msg("\"%s\" is not documented", name);
  return NULL;
}

/* Numbers of type real may be written without a point. */
static bool is_type(const json_t *value, const char *type)
{
  return strcmp(type, "integer") == 0   ? json_is_integer(value)
         : strcmp(type, "real") == 0    ? json_is_number(value)
         : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
                                        : json_is_string(value);
}

static void assert_members(json_t *object, const char *prefix)
{
  const char *name;
  json_t *value;
  json_object_foreach(object, name, value)
  {
    char full[96];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    if (json_is_object(value)) {
      strcat(full, ".");
      assert_members(value, full);
      continue;
    }
    field *f = find_field(full);
    if (!is_type(value, f->type))
      fail_msg("\"%s\" is no %s", full, f->type);
    f->was_there = true;
  }
}

static void assert_documented(const char *bytes, bool of_run)
{
  json_t *object = json_loads(bytes, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(object);
  for (size_t i = 0; i < field_count; i++)
    fields[i].was_there = false;
  assert_members(object, "");
  for (size_t i = 0; i < field_count; i++)
    if (fields[i].was_there != (of_run || strcmp(fields[i].of, "crawl") == 0))
      fail_msg("\"%s\" is%s there", fields[i].name, fields[i].was_there ? "" : " not");
  json_decref(object);
}

CASE(every_field)
{
  char *path = trial_path(t, "summary.json");
  text file = {0};
  assert_int_equal(STRATA(t, CRAWL, "--summary", path, "URL"), 0);
  assert_true(text_add_file(&file, path));
  assert_documented(file.bytes, true);
  assert_int_equal(STRATA(t, "stat", "DIR", "--json"), 0);
  assert_documented(t->out.bytes, false);
  text_free(&file);
  free(path);
}

static bool says_exact(const char *bytes)
{
  json_t *object = json_loads(bytes, JSON_REJECT_DUPLICATES, NULL);
  json_t *exact = json_object_get(json_object_get(object, "filter"), "exact");
  assert_true(json_is_boolean(exact));
  bool is_exact = json_is_true(exact);
  json_decref(object);
  return is_exact;
}

static void assert_exact(const char *filter, bool expected)
{
  char *path = trial_path(t, filter), *dir = trial_path(t, expected ? "with" : "without");
  text file = {0};
  assert_int_equal(STRATA(t, "crawl", "--dir", dir, "--delay", "0", "--allow-private", "--max-pages", "3", "--filter",
                          filter, "--summary", path, "URL"),
                   0);
  assert_true(text_add_file(&file, path));
  assert_int_equal(says_exact(file.bytes), expected);
  assert_int_equal(STRATA(t, "stat", dir, "--json"), 0);
  assert_int_equal(says_exact(t->out.bytes), expected);
  text_free(&file);
  free(path);
  free(dir);
}

CASE(whether_it_is_exact)
{
  assert_exact("exact", true);
  assert_exact("mlbf", false);
}

/* ---- for people ------------------------------------------------------------------------------------------- */

static void assert_said(const char *what)
{
  if (!strstr(t->err.bytes, what))
    fail_msg("nothing of \"%s\" in\n%s", what, t->err.bytes);
}

CASE(why_and_what_was_not_fetched)
{
  assert_int_equal(STRATA(t, CRAWL, "--max-pages", "20", "URL"), 0);
  assert_said("Done: the cap of --max-pages is reached.\n");
  assert_said(" of them waiting");
  assert_int_equal(STRATA(t, CRAWL), 0);
  assert_said("Done, but not complete: see \"Missing\" below.\n");
  assert_said("  Missing: ");
  assert_said(" URLs that failed (--retry-failed)\n");
  assert_said(" 0 of them waiting");
  assert_said("  Failed: ");
  assert_said(" 5xx; to see them: strata export ");
  assert_said("  Links not taken: ");
  assert_said(" robots");
}

/* The command, read by a shell, goes on: without the cap, with everything else as it was, quotes and all. */
CASE(the_command_that_goes_on)
{
  text command = {0}, out = {0};
  char *said = trial_path(t, "said");
  assert_int_equal(STRATA(t, CRAWL, "--max-pages", "20", "--user-agent", "it's $HOME & \"co\"", "URL"), 0);
  const char *line = strstr(t->err.bytes, "To go on: strata ");
  assert_non_null(line);
  line += strlen("To go on: strata ");
  text_addf(&command, "%s %.*s 2>%s", STRATA_PROGRAM, (int)strcspn(line, "\n"), line, said);
  assert_null(strstr(command.bytes, "--max-pages"));
  assert_int_equal(system(command.bytes), 0); // NOLINT(cert-env33-c): that a shell reads it is the point
  assert_true(text_add_file(&out, said));
  assert_non_null(strstr(out.bytes, "Done, but not complete: "));
  text log = {0};
  assert_true(text_add_file(&log, t->log));
  for (char *at = log.bytes, *end; (end = strchr(at, '\n')); at = end + 1)
    assert_true((size_t)(end - at) > strlen("\tit's $HOME & \"co\"") &&
                memcmp(end - strlen("it's $HOME & \"co\""), "it's $HOME & \"co\"", strlen("it's $HOME & \"co\"")) == 0);
  text_free(&log);
  text_free(&out);
  text_free(&command);
  free(said);
}

static int prepare(void **state)
{
  (void)state;
  read_fields();
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(serve, stop)
