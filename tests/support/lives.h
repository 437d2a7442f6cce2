/* tests/support/lives.h: whole lives of structures, in each of which every allocation, write and sync fails once, and
 * then, from each on, all of them. */
#ifndef STRATA_TESTS_LIVES_H
#define STRATA_TESTS_LIVES_H

#include "mlbf/filter.h"
#include "tests/support/each_fault.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <errno.h>

typedef struct story {
  fault_class what;
  unsigned failures;
  char root[SCRATCH_PATH], path[SCRATCH_PATH];
} story;

/* A status that names the fault ends its cause; whoever gets `true` calls again. */
bool has_failed(story *s, mlbf_status status);

/* Makes, uses and frees something, in files at s->path; each call that can fail is repeated while has_failed says
 * so. */
typedef void life(story *s);

/* Each of these calls fails in turn, with `error`, and if `stays` all that come after it: each failure must be told,
 * once, and nothing may be leaked. */
void lives_fail(life *const lives[], size_t count, fault_class what, int error, bool stays);

/* The cases of a file. */
#define LIVES_FAIL(lives, count)                          \
  CASE(each_allocation_fails_once)                        \
  {                                                       \
    lives_fail(lives, count, FAULT_ALLOC, ENOMEM, false); \
  }                                                       \
  CASE(from_each_allocation_on_all_fail)                  \
  {                                                       \
    lives_fail(lives, count, FAULT_ALLOC, ENOMEM, true);  \
  }                                                       \
  CASE(each_write_fails_once)                             \
  {                                                       \
    lives_fail(lives, count, FAULT_WRITE, ENOSPC, false); \
  }                                                       \
  CASE(from_each_write_on_all_fail)                       \
  {                                                       \
    lives_fail(lives, count, FAULT_WRITE, ENOSPC, true);  \
  }                                                       \
  CASE(each_sync_fails_once)                              \
  {                                                       \
    lives_fail(lives, count, FAULT_SYNC, ENOSPC, false);  \
  }

#endif
