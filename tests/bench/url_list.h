/* A list of URLs for benches, in shuffled order and cut into segments; the same for every contender. */
#ifndef STRATA_TESTS_URL_LIST_H
#define STRATA_TESTS_URL_LIST_H

#include "mlbf/filter.h"

typedef struct url_list {
  size_t count;
  mlbf_key *keys;   /* scheme dropped, cut before each '/', '?', '&' */
  mlbf_key *whole;  /* the same URLs, each as one segment */
  mlbf_span *segments, *texts;
  char *text;
  double mean_length;
} url_list;

/* Lines of `path` (through zstd -dc if it ends in .zst), shuffled by `seed`; at most `limit`. NULL: made up, host by
 * host and directory by directory, of real length. Exits with a sentence if it cannot. */
url_list url_list_read(const char *path, size_t limit, uint64_t seed);
void url_list_free(url_list *list);

#endif
