/* What is said of the bad lines of an input file. */
#ifndef STRATA_CRAWLER_BAD_LINES_H
#define STRATA_CRAWLER_BAD_LINES_H

#include "datasets/read/reader.h"

/* The first few with their numbers and what is wrong, and how many in all. */
void say_bad_lines(const char *command, const char *path, const dataset_bad *bad);

#endif
