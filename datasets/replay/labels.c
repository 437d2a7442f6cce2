#include "datasets/replay/labels.h"

#include <stdbool.h>
#include <string.h>

enum { COLUMNS = 20, LABEL = 160 };

typedef struct headings {
  char text[COLUMNS][LABEL];
  size_t count, column; /* headings there are; cells of this row there were */
} headings;

static bool begins(const char *at, const char *with)
{
  return strncmp(at, with, strlen(with)) == 0;
}

/* The text of the heading whose tag ends before `at`: no tags, and no quotes, which would end the attribute. */
static void take_heading(headings *of, const char *at)
{
  if (of->count == COLUMNS)
    return;
  char *to = of->text[of->count++];
  size_t size = 0;
  for (bool is_tag = false; *at != '\0' && !begins(at, "</th>") && size + 1 < LABEL; at++) {
    is_tag = is_tag || *at == '<';
    if (!is_tag && *at != '"')
      to[size++] = *at;
    is_tag = is_tag && *at != '>';
  }
  to[size] = '\0';
}

static void put_label(FILE *to, headings *of)
{
  if (of->column < of->count && of->text[of->column][0] != '\0')
    fprintf(to, " data-label=\"%s\"", of->text[of->column]);
  of->column++;
}

void labels_write(FILE *to, const char *page)
{
  headings of = {.count = 0};
  for (const char *next; (next = strchr(page, '<')) != NULL; page = next + 1) {
    fwrite(page, 1, (size_t)(next - page) + 1, to);
    const char *end = strchr(next, '>');
    if (begins(next, "<table"))
      of.count = 0;
    else if (begins(next, "<tr"))
      of.column = 0;
    else if (begins(next, "<th>") && end != NULL)
      take_heading(&of, end + 1);
    else if (begins(next, "<td")) {
      fputs("td", to);
      put_label(to, &of);
      next += 2;
    }
  }
  fputs(page, to);
}
