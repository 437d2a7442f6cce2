#include "datasets/replay/labels.h"

#include <stdbool.h>
#include <string.h>

enum { COLUMNS = 20, LABEL = 160 };

typedef struct headings {
  char title[LABEL]; /* the last one above a table */
  char text[COLUMNS][LABEL];
  size_t count, column; /* headings there are; cells of this row there were */
} headings;

static bool begins(const char *at, const char *with)
{
  return strncmp(at, with, strlen(with)) == 0;
}

/* The text from `at` to the tag `end`: no tags, and no quotes, which would end the attribute. */
static void take_text(char to[LABEL], const char *at, const char *end)
{
  size_t size = 0;
  for (bool is_tag = false; *at != '\0' && !begins(at, end) && size + 1 < LABEL; at++) {
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
    if ((begins(next, "<h1>") || begins(next, "<h2>") || begins(next, "<h3>"))) {
      take_text(of.title, next + 4, "</h");
    } else if (begins(next, "<table")) {
      of.count = 0;
      fprintf(to, "table aria-label=\"%s\"", of.title);
      next += 5;
    } else if (begins(next, "<tr")) {
      of.column = 0;
    } else if (begins(next, "<th>")) {
      if (of.count < COLUMNS)
        take_text(of.text[of.count++], next + 4, "</th>");
      fputs("th scope=\"col\"", to);
      next += 2;
    } else if (begins(next, "<td")) {
      fputs("td", to);
      put_label(to, &of);
      next += 2;
    }
  }
  fputs(page, to);
}
