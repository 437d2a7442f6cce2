/* What the files runs*.c share. */
#ifndef STRATA_FRONTIER_RUNS_INSIDE_H
#define STRATA_FRONTIER_RUNS_INSIDE_H

#include "frontier/late/fresh_keys.h"
#include "frontier/late/runs.h"

enum {
  RUN_KEYS = FRONTIER_LIMIT(65536, 24), /* so many fresh keys become a file */
  STEP_KEYS = FRONTIER_LIMIT(65536, 20),
  MERGED = 4, /* runs of a level become one of the next; so LEVELS are enough for any log */
  LEVELS = 32,
  CURSOR_PAGES = 16,
};

typedef struct run {
  key_file *file;    /* NULL: a gap that a reader filled, so its keys are among the fresh ones */
  uint64_t from, to; /* part of the log: as many keys as the file has */
  bool is_merged;    /* a merge under way reads it */
} run;

/* Keys that are becoming a file. Sorted as soon as they are asked, or a step has time for it. */
typedef struct flushing {
  mlbf_hash128 *keys; /* NULL: none */
  size_t count, written;
  uint64_t from;
  bool is_sorted;
  uint64_t number;
  key_writer *writer; /* NULL: it is to be begun */
} flushing;

/* One of the runs that are merged. */
typedef struct source {
  key_cursor *cursor;
  const key_file *file;
  const mlbf_hash128 *at, *end; /* its next keys, in memory */
} source;

typedef struct merging {
  uint64_t from, to, number;
  key_writer *writer;
  size_t left; /* sources that have keys left; they come first */
  source sources[MERGED];
  const key_file *bad; /* could not be read */
} merging;

/* A file that is no longer of use; the record may still name it. */
typedef struct retired {
  uint64_t number;
  bool is_sealed; /* the record that is being written does not name it */
} retired;

struct runs {
  char *directory;
  key_place place;
  bool is_writer, has_changed;
  uint64_t next_number, log_keys, fresh_from; /* the fresh set is the log from there on */
  fresh_keys fresh;
  flushing flush;
  run *runs; /* in the order of the log */
  size_t count, room;
  key_file **by_size; /* the files of `runs`, the largest first */
  size_t files, by_size_room;
  retired *retired; /* always with room for all of `runs` */
  size_t retired_count, retired_room;
  merging *merging[LEVELS];
  mlbf_hash128 *fill;
  size_t filled, fill_room;
  uint8_t *marks;
  size_t marks_room;
  uint64_t owed; /* moves of keys that are due */
  uint64_t written;
};

static inline uint64_t run_keys(const run *x)
{
  return x->to - x->from;
}

static inline uint64_t flush_end(const runs *r)
{
  return r->flush.from + r->flush.count;
}

/* runs.c */
frontier_status runs_no_memory(char message[FRONTIER_MESSAGE_SIZE]);
bool runs_reserve(runs *r);                                            /* room for one more run; false: no memory */
void runs_insert(runs *r, key_file *file, uint64_t from, uint64_t to); /* in such room; it takes the file */
void runs_retire(runs *r, uint64_t number);    /* the file is unlinked when no record names it */
void runs_remove(runs *r, size_t at);          /* a run whose file retires */
void runs_lose(runs *r, const key_file *file); /* it is damaged: a gap */
void runs_take_fresh(runs *r);                 /* to be flushed, if they are enough */
void runs_owe(runs *r, uint64_t keys);         /* so many new ones make steps due */

/* runs_merge.c */
size_t runs_levels(const runs *r); /* of the largest run, from 1 */
uint64_t runs_merges_memory(const runs *r);
void runs_abandon_merges(runs *r, const key_file *file); /* that read this file; NULL: all */
void runs_abandon_flush(runs *r);                        /* its file: the keys stay */
/* All of these sorted keys into a file, which is opened. */
frontier_status runs_write(runs *r, const mlbf_hash128 *keys, size_t count, key_file **out,
                           char message[FRONTIER_MESSAGE_SIZE]);

#endif
