/* tests/support/story.h: a case with a directory of its own, which is there before it and gone after. */
#ifndef STRATA_TESTS_STORY_H
#define STRATA_TESTS_STORY_H

#include "tests/support/scratch.h"

extern char story_directory[SCRATCH_PATH];

int story_begin(void **state);
int story_end(void **state);

/* In the table of cases. */
#define STORY(name) cmocka_unit_test_setup_teardown(name, story_begin, story_end)

#endif
