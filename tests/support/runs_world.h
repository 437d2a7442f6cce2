/* Runs of keys (frontier/late/runs.h) beside a log in memory, as a frontier uses them: with commits that land later
 * than they are sealed, and gaps that are read from the log. Each function fails the test where something does not
 * hold. */
#ifndef STRATA_TESTS_RUNS_WORLD_H
#define STRATA_TESTS_RUNS_WORLD_H

#include "frontier/base/hash_set.h"
#include "frontier/late/runs_inside.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"

enum { WORLD_LOG = 3000000, WORLD_COMMITS = 200000, WORLD_MARKS = 1 << 16, WORLD_ASKED = 2000 };

typedef struct runs_record {
  uint8_t body[WORLD_MARKS];
  size_t size;
  bool is_there;
} runs_record;

typedef struct runs_world {
  char directory[SCRATCH_PATH], path[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  key_place place;
  runs *r;
  mlbf_hash128 *logged; /* all keys, in order */
  uint64_t keys, *ends; /* of commits */
  size_t commits;
  hash_set known;
  runs_record disk, sealed; /* the record on disk, and one that is being written */
  bool is_landing;
  uint64_t longest_fresh;
} runs_world;
extern runs_world w;

void world_begin(void);
void world_end(void);

/* Before and after each case. The dice of the test and those of the world are two. */
static inline int world_case_begin(void **state)
{
  (void)state;
  dice_begin(17);
  world_begin();
  return 0;
}

static inline int world_case_end(void **state)
{
  (void)state;
  world_end();
  return 0;
}

size_t world_any_count(void); /* of keys for a commit */
mlbf_hash128 world_new_key(void);
void world_add(mlbf_hash128 key);
void world_commit(size_t count); /* of new keys, few of them known before */
void world_seal(void);           /* if the record changed */
void world_land(void);
void world_step(void);
void world_pay(void);                                        /* what is due */
void world_step_all(void);                                   /* until nothing can be done */
void world_build(uint64_t count);                            /* so many keys at least, all of it landed */
frontier_status world_fill_some(uint64_t from, uint64_t to); /* of that gap */
void world_fill(void);                                       /* all gaps */
frontier_status world_open(bool is_writer);                  /* with the record on disk: what was not landed is lost */
void world_reopen(void);

void world_assert_named(void);           /* what the record on disk names is there */
void world_assert_answers(size_t count); /* so many keys, known and not */
void world_assert_files(void);           /* each has its part of the log */
void world_assert_all_known(void);       /* no gap, and both of these */
void world_assert_tiers(bool had_gaps);  /* three files of a size; with gaps, three times the sizes */
uint64_t world_bytes(size_t *files);     /* on disk */

#endif
