/* datasets/papers/paper.h: the tables of the papers behind mlbf/'s structures, recomputed, next to the printed numbers.
 * No URL list is needed: the experiments use keys drawn from a seed.
 *
 *     strata replay --paper skip,counting  -->  DIR/paper-skip.csv, DIR/paper-counting.csv, DIR/report.html */
#ifndef STRATA_DATASETS_PAPER_H
#define STRATA_DATASETS_PAPER_H

#include "datasets/make/texts.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct paper_run {
  uint64_t seed;
  uint32_t rounds;                /* how often an experiment is repeated; 0: as often as its paper did */
  void (*note)(const char *what); /* progress; may be NULL */
  const texts *files;             /* matrix: documents to be copied and edited, beside generated ones; may be NULL */
  FILE *csv, *html;
} paper_run;

/* What there is: "counting", "matrix", "sdhash", "skip"; NULL from `index` on. */
const char *paper_name(int index);

/* One by name: directory/paper-NAME.csv, and its section into `html`. False: errno says why. */
bool paper_write(const char *name, const char *directory, const paper_run *run);

/* Writes its rows to run->csv and its section to run->html. False: out of memory. */
bool paper_skip(const paper_run *run);
bool paper_counting(const paper_run *run);
bool paper_matrix(const paper_run *run);
bool paper_matrix_copies(const paper_run *run); /* what paper_matrix ends with */
bool paper_sdhash(const paper_run *run);

#endif
