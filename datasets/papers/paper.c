/* See paper.h. A section is written into memory: its verdicts come first, though they are known last. Called by
 * `strata replay --paper`. */
#include "datasets/papers/paper.h"
#include "datasets/replay/table.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *heading;
  bool (*run)(const paper_run *run);
} papers[] = {
  {"counting", "Refined counting", paper_counting},
  {"matrix", "Pseudo-matrix filter", paper_matrix},
  {"sdhash", "Similarity digests", paper_sdhash},
  {"skip", "SKIP: seen within the last w", paper_skip},
};

enum { PAPERS = sizeof papers / sizeof *papers };

const char *paper_name(int index)
{
  return index < PAPERS ? papers[index].name : NULL;
}

static const table_column columns[] = {
  {NULL, TABLE_NONE, "Of the paper", TABLE_MARKUP},
  {NULL, TABLE_NONE, "Verdict", TABLE_MARKUP},
  {NULL, TABLE_NONE, "Why", TABLE_TEXT},
};

void paper_judge(const paper_run *run, paper_verdict verdict, const char *claim, const char *why, ...)
{
  static const struct {
    const char *text, *class;
  } shown[] = {
    [PAPER_REPRODUCED] = {"reproduced", "holds"},
    [PAPER_OFF] = {"off", "fails"},
    [PAPER_NOT_REPRODUCIBLE] = {"not reproducible", "few"},
  };
  char reason[512];
  va_list arguments;
  va_start(arguments, why);
  vsnprintf(reason, sizeof reason, why, arguments);
  va_end(arguments);
  table rows = {.html = run->verdicts, TABLE_COLUMNS(columns)};
  table_row(&rows, (table_cell[]){TABLE_WORDS(claim),
                                  {.text = shown[verdict].text, .style = shown[verdict].class},
                                  TABLE_WORDS(reason)});
  if (run->judged != NULL)
    run->judged(run->judge_context, shown[verdict].text, claim, reason);
}

void paper_told(const paper_run *run, uint64_t done, uint64_t whole)
{
  if (run->told != NULL)
    run->told->told(run->told->context, done, whole);
}

static void write_section(FILE *html, const char *heading, const char *verdicts, const char *tables)
{
  table rows = {.html = html, .title = heading, .is_words = true, TABLE_COLUMNS(columns)};
  fprintf(html, "<h2>%s</h2>\n", heading);
  table_begin(&rows);
  fputs(verdicts, html);
  table_end(&rows);
  fputs(tables, html);
}

/* The tables are made first, and come last. */
static bool run_parts(int index, const paper_run *run)
{
  paper_run with = *run;
  with.heading = papers[index].heading;
  char *verdicts = NULL, *tables = NULL;
  size_t size;
  with.verdicts = open_memstream(&verdicts, &size);
  with.html = open_memstream(&tables, &size);
  bool is_done = with.verdicts != NULL && with.html != NULL && papers[index].run(&with);
  is_done = (with.verdicts == NULL || fclose(with.verdicts) == 0) && is_done;
  is_done = (with.html == NULL || fclose(with.html) == 0) && is_done;
  if (is_done)
    write_section(run->html, papers[index].heading, verdicts, tables);
  free(verdicts);
  free(tables);
  return is_done;
}

static bool run_into(int index, const char *path, const paper_run *run)
{
  paper_run with = *run;
  with.csv = own_file_stream(path, "w", 0666);
  if (with.csv == NULL)
    return false;
  bool is_done = run_parts(index, &with);
  if (!is_done)
    errno = ENOMEM;
  is_done = is_done && ferror(with.csv) == 0;
  return fclose(with.csv) == 0 && is_done;
}

bool paper_write(const char *name, const char *directory, const paper_run *run)
{
  int index = 0;
  char *path;
  while (index < PAPERS && strcmp(papers[index].name, name) != 0)
    index++;
  errno = EINVAL;
  if (index == PAPERS || asprintf(&path, "%s/paper-%s.csv", directory, name) < 0)
    return false;
  paper_run with = *run;
  with.directory = directory;
  bool is_written = run_into(index, path, &with);
  free(path);
  return is_written;
}
