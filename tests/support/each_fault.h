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
 * STRATA_FAULT_STEP=5 takes each fifth of the calls that a test would take, and STRATA_FAULT_FROM=2 begins with the
 * second, so that five runs take all of them. Under the address sanitizer the step is 5 unless another one is set. */
#ifndef STRATA_TESTS_EACH_FAULT_H
#define STRATA_TESTS_EACH_FAULT_H

#include "tests/support/faults.h"

#include <stddef.h>

typedef struct fault_loop {
  fault_class what;
  int error;
  bool stays;      /* all later calls fail, too */
  bool forks;      /* the work is done in a child, as it always is if the error is FAULT_DEATH */
  bool is_cheap;   /* each call, whatever the settings are */
  unsigned step;   /* from one number to the next; 0 is 1 */
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
