/* tests/support/url_suite.h: other projects' URL suites, read from ../shared/data/conformance when it is there.
 *
 * Every row that does not do what its suite says stands in a list with its reason. A row that fails without being
 * listed fails the test, and so does a listed row that passes: the lists cannot rot. */
#ifndef STRATA_TESTS_URL_SUITE_H
#define STRATA_TESTS_URL_SUITE_H

#include "frontier/url.h"

#include <jansson.h>
#include <stdio.h>

typedef struct excuse {
  const char *input;
  const char *why;
} excuse;

/* A suite as it is run: how many rows, which of them were excused. */
typedef struct suite {
  const char *name;
  const excuse *excuses; /* ends with a NULL input */
  unsigned rows, excused;
  unsigned failed;
} suite;

FILE *suite_open(const char *name); /* else the case is skipped */
json_t *suite_next(FILE *file);     /* the next line's object; NULL at the end, and the file is closed */

/* The string under `name`; NULL if absent or null. */
const char *suite_text(const json_t *row, const char *name);
size_t suite_text_size(const json_t *row, const char *name);

/* One more row; `got` and `expected` are shown if they should not differ. */
void suite_check(suite *run, const char *input, bool is_right, const char *got, const char *expected);
void suite_finish(const suite *run); /* says how many, and fails if one failed */

/* Of the test program's group. */
int suite_set_up(void **state);
int suite_tear_down(void **state);

/* Resolve one row; `at` NULL or "" for none. The answer is suite_answer.fetch, or NULL when refused. */
const char *suite_resolve(const char *at, const char *href, size_t size, url_profile profile);
extern url suite_answer;

/* Equal texts, or both none. */
bool suite_same(const char *a, const char *b);

/* What a suite's href is to us: without fragment and userinfo. */
const char *suite_plain(const char *href, char *room, size_t room_size);
bool suite_is_http(const char *href);

#endif
