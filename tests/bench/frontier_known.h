/* A frontier's directory as a crawl of `urls` URLs would leave it, but for the history: hash log and filter file. */
#ifndef STRATA_TESTS_FRONTIER_KNOWN_H
#define STRATA_TESTS_FRONTIER_KNOWN_H

#include <stdint.h>

void frontier_known_make(const char *directory, uint64_t urls);

#endif
