/* tests/support/full_filter.h: a frontier with exact keys whose filter is nearly full, at a rate of 0.5: it takes a
 * third of all new URLs for seen. Not of the layered kind: that one knows new segments. */
#ifndef STRATA_TESTS_FULL_FILTER_H
#define STRATA_TESTS_FULL_FILTER_H

#include "frontier/frontier.h"

/* FULL_FILTER_KEYS noted URLs, http://hN.test/known/M with N = M % 16; closed, so that they are in its file. Nothing
 * waits. */
enum { FULL_FILTER_KEYS = 40000 };
void full_filter_make(const char *directory, mlbf_kind kind);

frontier *full_filter_open(const char *directory); /* as it was made */

/* How strata says how many links wait and how many URLs came late: "1 link waits to be confirmed; 1,234 URLs ...". */
enum { FULL_FILTER_SENTENCE = 128 };
const char *full_filter_sentence(uint64_t waiting, uint64_t late, char text[FULL_FILTER_SENTENCE]);

/* Until no link waits to be confirmed. How many URLs came late, ever. */
uint64_t full_filter_confirm(frontier *f);

#endif
