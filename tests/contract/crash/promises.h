/* tests/contract/crash/promises.h: a complete line of pages.jsonl is a promise: this page is done, it will be neither
 * lost nor asked for again. Whenever a crawl was ended by force, note what had been promised; in the end, see if it was
 * kept. */
#ifndef STRATA_TESTS_CRASH_PROMISES_H
#define STRATA_TESTS_CRASH_PROMISES_H

#include "tests/site/judge.h"
#include "tests/site/trial.h"

typedef struct promises {
  trial *trial;
  unsigned marks;  /* times noted; each left a mark in the server's log */
  unsigned *since; /* for each entry: the mark at which it was promised first, 1-based; 0: never */
  unsigned broken; /* promised lines that were gone at a later mark; each is printed */
} promises;

promises promises_open(trial *t);
void promises_free(promises *p);

/* Call when no crawl runs. */
void promises_note(promises *p);

unsigned promises_made(const promises *p); /* pages promised so far */

/* Promises broken: lines that vanished, and requests for pages promised before. Each is printed. */
unsigned promises_count_broken(const promises *p);

#endif
