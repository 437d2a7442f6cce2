/* tests/support/frontier_model.h: what a frontier ought to do, in the slowest and plainest way: lists of strings and
 * loops.
 *
 * A run throws dice from its seed, does the same to the model and to a real frontier, and compares whatever both can
 * say. Time is a number that the run moves on. Crashes are copies of the directory, taken while the frontier is open
 * and used in its place.
 *
 * Filters make no mistakes here, so what is unconfirmed was seen. tests/contract/frontier/test_late.c has those that
 * do. */
#ifndef STRATA_TESTS_FRONTIER_MODEL_H
#define STRATA_TESTS_FRONTIER_MODEL_H

#include "frontier/frontier.h"

/* What the model may be told wrongly, to prove that a difference is noticed. */
typedef enum model_lie {
  TRUTH,
  LIE_KEY,     /* no URL was ever seen */
  LIE_QUEUE,   /* a URL is not in its line */
  LIE_DUE,     /* hosts are due a millisecond later */
  LIE_REPORT,  /* a byte of the journal */
  LIE_CODE,    /* the code a URL ended with */
  LIE_VERDICT, /* how often a verdict was given */
  LIE_COUNT,   /* how many URLs are done */
  LIE_FORGET,  /* keys that were made new again */
  LIE_PAYLOAD, /* a byte that goes with a URL */
  LIE_EXACT,   /* that the filter, which takes one new URL in three for seen, is all there is */
  LIES,
} model_lie;

typedef struct model_run {
  const char *name;
  uint64_t seed;
  unsigned steps;
  bool keeps_nothing; /* no directory: no reopening, no crashes */
  mlbf_kind filter;
  bool exact;             /* what the filter calls seen is confirmed later */
  uint64_t expected_urls; /* small, and the filter must grow */
  uint32_t per_host;
  uint64_t delay_ms;
  uint16_t depth_cap; /* raised, and lowered, by reopening */
  unsigned hosts;
  unsigned words;  /* a path's segments are of so many: few give many duplicates */
  unsigned links;  /* up to so many are added in a step */
  unsigned leases; /* up to so many are taken in a step */
  bool overflows;  /* more wait than memory holds: the next is then not always the very first */
  model_lie lie;
} model_run;

enum { MODEL_TEXT = 512 };

/* True if frontier and model agreed to the end; else `difference` has the first thing they did not. */
bool model_agrees(const model_run *run, char difference[MODEL_TEXT]);

#endif
