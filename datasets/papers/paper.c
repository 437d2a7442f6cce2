#include "datasets/papers/paper.h"
#include "datasets/replay/html.h"
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

void paper_judge(const paper_run *run, paper_verdict verdict, const char *of, const char *why, ...)
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
  fprintf(run->verdicts, "<tr><td>%s</td><td class=\"%s\">%s</td><td>", of, shown[verdict].class, shown[verdict].text);
  html_text(run->verdicts, reason);
  fputs("</td></tr>\n", run->verdicts);
  if (run->judged != NULL)
    run->judged(run->judge_context, shown[verdict].text, of, reason);
}

void paper_told(const paper_run *run, uint64_t done, uint64_t whole)
{
  if (run->told != NULL)
    run->told->told(run->told->context, done, whole);
}

/* The tables are made first, and come last. */
static bool run_parts(int index, const paper_run *run)
{
  paper_run with = *run;
  char *verdicts = NULL, *tables = NULL;
  size_t size;
  with.verdicts = open_memstream(&verdicts, &size);
  with.html = open_memstream(&tables, &size);
  bool is_done = with.verdicts != NULL && with.html != NULL && papers[index].run(&with);
  is_done = (with.verdicts == NULL || fclose(with.verdicts) == 0) && is_done;
  is_done = (with.html == NULL || fclose(with.html) == 0) && is_done;
  if (is_done)
    fprintf(run->html,
            "<h2>%s</h2>\n<div class=\"scroll\"><table class=\"words\"><tr><th>Of the paper</th><th>Verdict</th>"
            "<th>Why</th></tr>\n%s</table></div>\n%s",
            papers[index].heading, verdicts, tables);
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
