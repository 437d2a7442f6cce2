/* mlbf/file/file.h: several filters in one file, for chains. Internal to mlbf/; filter.h has what callers need. */
#ifndef STRATA_MLBF_FILE_H
#define STRATA_MLBF_FILE_H

#include "mlbf/filter.h"

/* Images one behind the other, as mlbf_save does one. */
mlbf_status mlbf_file_save(const mlbf_filter *const *slices, uint32_t count, const char *path);

/* Slice number `slice` at `*offset`, which is moved behind it. `*slice_count` is set by the first and must be
 * what the others say. */
mlbf_status mlbf_file_load_slice(int file, const uint8_t *secret, uint64_t *offset, uint32_t slice,
                                 uint32_t *slice_count, mlbf_filter **filter);

#endif
