/* See table.h. A row of the file has each of its fields once, in the order of its first line; a row of the page has a
 * cell for each column with a heading, in the columns' order. Called by whatever writes results. */
#include "datasets/replay/table.h"
#include "datasets/replay/html.h"

#include <assert.h>
#include <string.h>

enum { LABEL_MAX = 160 }; /* of an attribute */

/* HTML as an attribute: no tags, and no quotes, which would end it. */
static void write_attribute(const table *t, const char *name, const char *markup)
{
  size_t size = 0;
  bool is_tag = false;
  fprintf(t->html, " %s=\"", name);
  for (; *markup != '\0' && size + 1 < LABEL_MAX; markup++) {
    is_tag = is_tag || *markup == '<';
    if (!is_tag && *markup != '"') {
      fputc(*markup, t->html);
      size++;
    }
    is_tag = is_tag && *markup != '>';
  }
  fputc('"', t->html);
}

static void write_fields(const table *t)
{
  const char *comma = "";
  for (size_t i = 0; i < t->count; i++)
    if (t->columns[i].field != NULL) {
      fprintf(t->csv, "%s%s", comma, t->columns[i].field);
      comma = ",";
    }
  fputc('\n', t->csv);
}

void table_begin(const table *t)
{
  if (t->csv != NULL && t->fields == NULL)
    write_fields(t);
  if (t->html == NULL)
    return;
  fputs("<div class=\"scroll\"><table", t->html);
  write_attribute(t, "aria-label", t->title);
  fprintf(t->html, "%s><tr>", t->is_words ? " class=\"words\"" : "");
  for (size_t i = 0; i < t->count; i++)
    if (t->columns[i].heading != NULL)
      fprintf(t->html, "<th scope=\"col\">%s</th>", t->columns[i].heading);
  fputs("</tr>\n", t->html);
}

void table_end(const table *t)
{
  if (t->html != NULL)
    fputs("</table></div>\n", t->html);
}

/* A text may have quotes in it (RFC 4180). */
static void write_quoted(FILE *csv, const char *text)
{
  bool is_quoted = strpbrk(text, ",\"\r\n") != NULL;
  fputs(is_quoted ? "\"" : "", csv);
  for (; *text != '\0'; text++)
    fprintf(csv, *text == '"' ? "\"\"" : "%c", *text);
  fputs(is_quoted ? "\"" : "", csv);
}

static void write_number(FILE *file, const table_format *format, double number)
{
  double shown = format->factor != 0 ? format->factor * number : number;
  switch (format->kind) {
  case TABLE_KIND_WHOLE: fprintf(file, "%.0f", shown); break;
  case TABLE_KIND_COUNT: html_count(file, (uint64_t)shown); break;
  case TABLE_KIND_FIXED: fprintf(file, "%.*f", format->digits, shown); break;
  case TABLE_KIND_GENERAL: fprintf(file, "%.*g", format->digits, shown); break;
  case TABLE_KIND_EXPONENT: fprintf(file, "%.*e", format->digits, shown); break;
  default: assert(!"a number in a column of texts");
  }
  if (format->unit != NULL)
    fputs(format->unit, file);
}

static void write_field(const table *t, const table_column *column, const table_cell *cell)
{
  if (cell->text != NULL)
    write_quoted(t->csv, cell->text);
  else if (!cell->is_empty)
    write_number(t->csv, &column->csv, cell->number);
}

/* The column that has this field; `count`: none has. */
static size_t find_column(const table *t, const char *field, size_t size)
{
  size_t i = 0;
  while (i < t->count && (t->columns[i].field == NULL || strlen(t->columns[i].field) != size ||
                          memcmp(t->columns[i].field, field, size) != 0))
    i++;
  return i;
}

static void write_fields_of_file(const table *t, const table_cell *cells)
{
  for (const char *field = t->fields; *field != '\0';) {
    size_t size = strcspn(field, ","), i = find_column(t, field, size);
    if (i < t->count)
      write_field(t, &t->columns[i], &cells[i]);
    field += size;
    if (*field == ',')
      fputc(*field++, t->csv);
  }
}

static void write_csv(const table *t, const table_cell *cells)
{
  const char *comma = "";
  if (t->fields != NULL)
    write_fields_of_file(t, cells);
  for (size_t i = 0; t->fields == NULL && i < t->count; i++)
    if (t->columns[i].field != NULL) {
      fputs(comma, t->csv);
      write_field(t, &t->columns[i], &cells[i]);
      comma = ",";
    }
  fputc('\n', t->csv);
}

static void write_cell(const table *t, const table_column *column, const table_cell *cell)
{
  fputs("<td", t->html);
  if (column->heading[0] != '\0')
    write_attribute(t, "data-label", column->heading);
  if (cell->style != NULL)
    fprintf(t->html, " class=\"%s\"", cell->style);
  if (cell->span > 1)
    fprintf(t->html, " colspan=\"%d\"", cell->span);
  fputc('>', t->html);
  if (cell->text != NULL && column->html.kind == TABLE_KIND_TEXT)
    html_text(t->html, cell->text);
  else if (cell->text != NULL)
    fputs(cell->text, t->html);
  else if (!cell->is_empty)
    write_number(t->html, &column->html, cell->number);
  fputs("</td>", t->html);
}

void table_row(const table *t, const table_cell *cells)
{
  if (t->csv != NULL)
    write_csv(t, cells);
  if (t->html == NULL)
    return;
  fputs("<tr>", t->html);
  for (size_t i = 0; i<t->count; i += cells[i].span> 1 ? (size_t)cells[i].span : 1)
    if (t->columns[i].heading != NULL && !cells[i].is_absent)
      write_cell(t, &t->columns[i], &cells[i]);
  fputs("</tr>\n", t->html);
}
