/* datasets/replay/table.h: one table in a CSV file, in a page, or in both at once.
 *
 *     static const table_column columns[] = {
 *       {"n", TABLE_WHOLE, "n", TABLE_COUNT},                               both
 *       {"fp_rate", TABLE_GENERAL(9), "rate", TABLE_GENERAL(3)},            both, with other digits
 *       {NULL, TABLE_NONE, "95&#8239;%", TABLE_MARKUP},                     the page only
 *       {"seed", TABLE_WHOLE, NULL, TABLE_NONE},                            the file only
 *     };
 *
 * A column is declared once: its field in the file, its heading in the page, and how its numbers look in each. In the
 * page each cell says its heading, as on a narrow screen a row is shown as a block (html.c), and each table its title,
 * also to screen readers. */
#ifndef STRATA_DATASETS_TABLE_H
#define STRATA_DATASETS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum table_kind {
  TABLE_KIND_NONE,
  TABLE_KIND_WHOLE,    /* 1234 */
  TABLE_KIND_COUNT,    /* 1 234, in a page */
  TABLE_KIND_FIXED,    /* %.Nf */
  TABLE_KIND_GENERAL,  /* %.Ng */
  TABLE_KIND_EXPONENT, /* %.Ne */
  TABLE_KIND_TEXT,     /* quoted in a file and escaped in a page where it must be */
  TABLE_KIND_MARKUP,   /* HTML of our own making, or a number that is text already */
} table_kind;

typedef struct table_format {
  table_kind kind;
  int digits;
  double factor;    /* of the number; 0: none */
  const char *unit; /* behind it; NULL: none */
} table_format;

/* clang-format off */
#define TABLE_NONE             {TABLE_KIND_NONE, 0, 0, NULL}
#define TABLE_WHOLE            {TABLE_KIND_WHOLE, 0, 0, NULL}
#define TABLE_COUNT            {TABLE_KIND_COUNT, 0, 0, NULL}
#define TABLE_FIXED(digits)    {TABLE_KIND_FIXED, digits, 0, NULL}
#define TABLE_GENERAL(digits)  {TABLE_KIND_GENERAL, digits, 0, NULL}
#define TABLE_EXPONENT(digits) {TABLE_KIND_EXPONENT, digits, 0, NULL}
#define TABLE_PERCENT(digits)  {TABLE_KIND_FIXED, digits, 100, " %"}
#define TABLE_TEXT             {TABLE_KIND_TEXT, 0, 0, NULL}
#define TABLE_MARKUP           {TABLE_KIND_MARKUP, 0, 0, NULL}
/* clang-format on */

typedef struct table_column {
  const char *field; /* of the file; NULL: not in it */
  table_format csv;
  const char *heading; /* in the page, HTML; NULL: not there */
  table_format html;
} table_column;

/* What is in one cell. Text stands in for a number as well, where both are given. */
typedef struct table_cell {
  double number;
  const char *text;
  const char *style; /* a class in the page; NULL: none */
  int span;          /* columns that it takes in the page; 0: one */
  bool is_empty;
  bool is_absent; /* empty, and the page's row ends before it */
} table_cell;

#define TABLE_NUMBER(value) ((table_cell){.number = (double)(value)})
#define TABLE_WORDS(value) ((table_cell){.text = (value)})
#define TABLE_EMPTY ((table_cell){.is_empty = true})
#define TABLE_ABSENT ((table_cell){.is_empty = true, .is_absent = true})

typedef struct table {
  FILE *csv, *html;   /* NULL: not written */
  const char *fields; /* of the file, which has other tables, too: "a,b,c", empty where no column has one. NULL:
                                  those of the columns, in a first line that table_begin writes */
  const char *title;  /* in the page, HTML */
  bool is_words;      /* in the page: more text than numbers */
  const table_column *columns; /* in the order of the page */
  size_t count;
} table;

#define TABLE_COLUMNS(array) .columns = (array), .count = sizeof(array) / sizeof *(array)

/* Its beginning, and its end. */
void table_begin(const table *t);
void table_end(const table *t);

/* A row: as many cells as there are columns. In the page, where a cell spans several, those behind it are left out. */
void table_row(const table *t, const table_cell *cells);

#endif
