/* tests/support/steps.h: how many steps code takes, the same on every machine and at any load.
 *
 * A step is a basic block that runs, of sources compiled for that (strata_steps in tests.cmake: trace-pc, which gcc and
 * clang both have), or a byte that a function of the C library passes over for them. Not time, which a test must not
 * judge; not instructions counted by the processor or by valgrind, which not every machine has. What other libraries do
 * is counted by their bytes (iconv, zlib) or their own steps (PCRE2); uriparser's and libunistring's work is not, and
 * has URL_LENGTH_MAX and URL_HOST_MAX as its limits. */
#ifndef STRATA_TESTS_STEPS_H
#define STRATA_TESTS_STEPS_H

#include <stdint.h>

/* Since the process began. Single-threaded. */
uint64_t steps_taken(void);

#endif
