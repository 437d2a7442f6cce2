/* tests/contract/crash/said.h: what pages said, as --similar keeps it, held against pages.jsonl. */
#ifndef STRATA_TESTS_CRASH_SAID_H
#define STRATA_TESTS_CRASH_SAID_H

#include "tests/site/trial.h"

/* HTML pages that were done and whose text is not kept; how many were done. Fails the test if it cannot be opened. */
unsigned said_missing(const trial *t, unsigned *pages);

#endif
