/* tests/support/each_fault.h: the same work again and again, in which one call after the other fails, or is the last
 * before the process dies.
 *
 *   fault_loop l = {.what = FAULT_WRITE, .error = ENOSPC};
 *   while (fault_next(&l)) {
 *     set_up();
 *     if (fault_begin(&l))
 *       fault_end(&l, work());
 *     judge(l.has_struck, l.outcome);
 *   }
 *   assert_true(l.number > 10);
 *
 * With .share = 5 each fifth call fails, and others for another commit (share.h). */
#ifndef STRATA_TESTS_EACH_FAULT_H
#define STRATA_TESTS_EACH_FAULT_H

#include "tests/support/faults.h"

#include <stddef.h>

typedef struct fault_loop {
  fault_class what;
  int error;
  bool stays;      /* all later calls fail, too */
  bool forks;      /* the work is done in a child, as it always is if the error is FAULT_DEATH */
  unsigned share;  /* so few of the calls fail; 0 is 1, each of them */
  unsigned number; /* of the call that fails now */
  bool has_struck; /* false after the work: there are not so many calls */
  int outcome;     /* what the work returned, of a child 0 to 63; 0 if it died */
} fault_loop;

/* Goes on to the next call; false when there was no such call the last time. */
bool fault_next(fault_loop *l);

/* True: what is done up to fault_end is the work. False: a child has done it. */
bool fault_begin(fault_loop *l);
void fault_end(fault_loop *l, int outcome);

/* Zeroed memory in which children that die leave what they knew; it is never freed. */
void *fault_witness(size_t size);

#endif
