#include "datasets/papers/paper.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  bool (*run)(const paper_run *run);
} papers[] = {
  {"counting", paper_counting},
  {"matrix", paper_matrix},
  {"sdhash", paper_sdhash},
  {"skip", paper_skip},
};

enum { PAPERS = sizeof papers / sizeof *papers };

const char *paper_name(int index)
{
  return index < PAPERS ? papers[index].name : NULL;
}

static bool run_into(int index, const char *path, const paper_run *run)
{
  paper_run with = *run;
  with.csv = own_file_stream(path, "w", 0666);
  if (with.csv == NULL)
    return false;
  bool is_done = papers[index].run(&with);
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
  bool is_written = run_into(index, path, run);
  free(path);
  return is_written;
}
