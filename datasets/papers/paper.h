/* datasets/papers/paper.h: the tables of the papers behind mlbf/'s structures, recomputed, next to the printed
 * numbers. No URL list is needed: the experiments use keys drawn from a seed.
 *
 *     strata replay --paper skip,counting  -->  DIR/paper-skip.csv, DIR/paper-counting.csv, DIR/report.html */
#ifndef STRATA_DATASETS_PAPER_H
#define STRATA_DATASETS_PAPER_H

#include "datasets/make/texts.h"
#include "datasets/sort/advance.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct paper_run {
  uint64_t seed;
  uint32_t rounds;                /* how often an experiment is repeated; 0: as often as its paper did */
  void (*note)(const char *what); /* the step that begins; may be NULL */
  const advance *told;            /* of the steps of a paper; may be NULL */
  void (*judged)(void *context, const char *verdict, const char *claim,
                 const char *why); /* each verdict; may be NULL */
  void *judge_context;
  const texts *files;    /* matrix: documents to be copied and edited, beside generated ones; may be NULL */
  const char *directory; /* of the results */
  FILE *csv, *html;
  FILE *verdicts;      /* paper.c's: they come before the tables */
  const char *heading; /* of the section */
} paper_run;

typedef enum paper_verdict { PAPER_REPRODUCED, PAPER_OFF, PAPER_NOT_REPRODUCIBLE } paper_verdict;

/* What came of a table or claim, and why. A paper's section opens with all its verdicts. */
void paper_judge(const paper_run *run, paper_verdict verdict, const char *claim, const char *why, ...)
  __attribute__((format(printf, 4, 5)));
void paper_told(const paper_run *run, uint64_t done, uint64_t whole);

/* What there is: "counting", "matrix", "sdhash", "skip"; NULL from `index` on. */
const char *paper_name(int index);

/* One by name: directory/paper-NAME.csv, and its section into `html`. False: errno says why. */
bool paper_write(const char *name, const char *directory, const paper_run *run);

/* Writes its rows to run->csv and its section to run->html. False: out of memory. */
bool paper_skip(const paper_run *run);
bool paper_counting(const paper_run *run);
bool paper_matrix(const paper_run *run);
extern const char paper_matrix_fields[];        /* of its file */
bool paper_matrix_copies(const paper_run *run); /* what paper_matrix ends with */
bool paper_sdhash(const paper_run *run);

#endif
