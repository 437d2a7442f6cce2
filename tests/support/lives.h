/* tests/support/lives.h: whole lives of structures, in each of which every allocation, write and sync fails once, and
 * then, from each on, all of them. */
#ifndef STRATA_TESTS_LIVES_H
#define STRATA_TESTS_LIVES_H

#include "mlbf/filter.h"
#include "tests/support/each_fault.h"
#include "tests/support/scratch.h"

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

/* Of a test program's main: each failure must be told, once, and nothing may be leaked. */
int lives_fail(life *const lives[], size_t count);

#endif
