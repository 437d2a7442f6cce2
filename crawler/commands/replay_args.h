/* What `strata replay` was told. */
#ifndef STRATA_CRAWLER_REPLAY_ARGS_H
#define STRATA_CRAWLER_REPLAY_ARGS_H

#include "datasets/papers/paper.h"
#include "datasets/replay/replay.h"

enum { REPLAY_PAPERS_MAX = 8 };

typedef struct replay_args {
  char **files; /* in argv */
  int file_count;
  const char *format; /* NULL: found out from each file */
  const char *ids;    /* NULL: none */
  const char *out;    /* directory */
  bool protocols[PROTOCOL_COUNT];
  size_t filter_count;
  const char *filters[REPLAY_FILTERS_MAX]; /* names contender.c knows, or programs */
  size_t size_count;                       /* 0: the paper's, or sevenths of the list */
  uint64_t sizes[REPLAY_SIZES_MAX];        /* ascending, each once */
  uint64_t queries, seed;
  bool shuffle;
  size_t paper_count;
  const char *papers[REPLAY_PAPERS_MAX]; /* names paper.c knows; then files are directories */
  uint32_t rounds;                       /* of their experiments; 0: as they did it */
  contender_setting setting;             /* .m 0: in proportion to the largest size */
} replay_args;

/* OPTIONS_READ, or the exit code: --help was printed, or one sentence said what is wrong. */
int replay_args_read(int argc, char **argv, replay_args *args);

#endif
