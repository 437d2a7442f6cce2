/* datasets/replay/report.h: a replay as one self-contained HTML page: no script, no network. */
#ifndef STRATA_DATASETS_REPORT_H
#define STRATA_DATASETS_REPORT_H

#include "datasets/replay/replay.h"
#include "datasets/replay/claims.h"
#include "datasets/replay/statistics.h"

typedef struct report_file {
  const char *path, *compression;
  char format[64];
  uint64_t urls, bad;
} report_file;

typedef struct report_input {
  const report_file *files;
  size_t file_count;
  bool is_shuffled;
  const replay_options *options;
  const contender_setting *setting;
  const replay_results *results;
  const list_statistics *statistics;
  const claims_input *asked;
  const char *no_figures; /* why there are no figures; NULL: they are in the directory */
  double seconds;         /* of the whole run */
  const char *directory;
} report_input;

bool report_write(const report_input *input); /* directory/report.html; false: errno says why */

#endif
