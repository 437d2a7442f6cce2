/* mlbf/file/saving.h: a filter on its way to its file, block after block. Internal to mlbf/. */
#ifndef STRATA_MLBF_SAVING_H
#define STRATA_MLBF_SAVING_H

#include <limits.h>

#include "mlbf/filter/inside.h"

typedef struct mlbf_saving {
  const mlbf_filter *filter;
  mlbf_filter as_it_was; /* what the header says: counts, not bits */
  int file;
  bool is_done;
  uint64_t block, blocks;
  uint64_t *table;
  char path[PATH_MAX], temporary[PATH_MAX];
} mlbf_saving;

/* Into `path`.tmp, renamed at the end. MLBF_IO, MLBF_NO_MEMORY; MLBF_DAMAGED if a mapped filter is. */
mlbf_status mlbf_save_begin(const mlbf_filter *filter, const char *path, mlbf_saving **saving);

/* Frees it; if it is not done, removes the temporary file. NULL is fine. */
void mlbf_save_end(mlbf_saving *saving);

/* Writes exactly the bytes of the checksum, if no insertion runs meanwhile. */
bool mlbf_saving_block(mlbf_saving *s);

/* All blocks are written: table and header, and the file is in place when `*is_done`. */
mlbf_status mlbf_saving_finish(mlbf_saving *s, bool *is_done);

#endif
