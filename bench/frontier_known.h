/* A frontier's directory as a crawl would leave it, but for the history: hash log and filter file. */
#ifndef STRATA_TESTS_FRONTIER_KNOWN_H
#define STRATA_TESTS_FRONTIER_KNOWN_H

#include "frontier/base/key_hashes.h"
#include "frontier/frontier.h"

typedef struct known_crawl {
  uint64_t urls; /* a multiple of 1000 */
  double rate;
  mlbf_kind filter;
  bool exact;
  bool
    is_saved; /* the filter file has all keys; else it lacks a 16th, as after a crash just before the next is begun */
  /* Of a key, in a frontier with this filter. NULL: they are made up, and have no segments. */
  void (*hash)(void *context, const mlbf_filter *filter, uint64_t number, key_hashes *hashes);
  void *context;
} known_crawl;

void frontier_known_make(const char *directory, const known_crawl *what);

frontier_options frontier_known_options(const known_crawl *what); /* that it was made with */

/* Of an exact one: the files of all keys. `look` is called every few milliseconds meanwhile; NULL is fine. */
void frontier_known_complete(const char *directory, const known_crawl *what, void (*look)(void *), void *context);

#endif
