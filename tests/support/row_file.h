/* tests/support/row_file.h: expectations as lines of a text file, a row each: fields parted by tabs.
 *
 * The first line is "rows", a tab and how many rows the file holds. Lines that begin with '#' say which paragraph of a
 * standard the rows below them come from. In a field \t \n \r \s (a space) \\ and \xHH are single bytes, \u{HEX} is a
 * character in UTF-8, and these are many bytes:
 *
 *     \{5*ab}          "ab" five times
 *     \{count 300}     0, 1, 2, ... 255, 0, ...
 *     \{dice 7 300}    of x = 7; x ^= x << 13; x ^= x >> 7; x ^= x << 17 (64 bits), the top byte after each round
 */
#ifndef STRATA_TESTS_ROW_FILE_H
#define STRATA_TESTS_ROW_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { ROW_FIELDS_MAX = 8 };

typedef struct row_field {
  char *at; /* NUL-terminated */
  size_t size, room;
} row_field;

typedef struct row_file {
  const char *path;
  FILE *file;
  unsigned line, stated, checked, failed;
  size_t fields;
  row_field field[ROW_FIELDS_MAX]; /* of the present line */
} row_file;

/* These end the test case where the file is not as described. */
void row_file_open(row_file *r, const char *path);
bool row_file_next(row_file *r, size_t fields_min); /* false: no line is left */
void row_file_close(row_file *r); /* fails if a row did, or if fewer or more were checked than stated */

/* One row is checked; if it is wrong, its file and line are printed with what came out. */
void row_file_check(row_file *r, bool is_right, const char *got, const char *expected);

#endif
