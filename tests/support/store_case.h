/* tests/support/store_case.h: a case with a store in a directory of its own. */
#ifndef STRATA_TESTS_STORE_CASE_H
#define STRATA_TESTS_STORE_CASE_H

#include "frontier/store/store_inside.h"
#include "tests/support/scratch.h"

enum { STORE_CASE_ID = 0xabcdef }; /* of the directory, in each run */

extern char store_case_directory[SCRATCH_PATH], store_case_message[FRONTIER_MESSAGE_SIZE];

int store_case_begin(void **state); /* before and after each case */
int store_case_end(void **state);

store *store_case_open(bool read_only); /* the test fails where it cannot be opened */

#endif
