/* A list of URLs for benches, in shuffled order; the same for every contender. */
#ifndef STRATA_TESTS_URL_LIST_H
#define STRATA_TESTS_URL_LIST_H

#include "mlbf/filter.h"

enum { URL_MADE_UP = 128 };

typedef struct url_list {
  size_t count;
  mlbf_span *texts; /* scheme dropped */
  char *text;
  double mean_length;
} url_list;

/* Lines of `path` (through zstd -dc if it ends in .zst), shuffled by `seed`; at most `limit`. NULL: made up. Exits with
 * a sentence if it cannot. */
url_list url_list_read(const char *path, size_t limit, uint64_t seed);
void url_list_free(url_list *list);

/* URL number i of a list without end, host by host and directory by directory, of real length. Returns its size. */
size_t url_make_up(size_t i, char text[URL_MADE_UP]);

/* Cut before each '/', '?', '&'; the last of at most MLBF_LAYERS_MAX segments takes the rest. */
size_t url_cut(const char *text, size_t size, mlbf_span segments[MLBF_LAYERS_MAX]);

#endif
