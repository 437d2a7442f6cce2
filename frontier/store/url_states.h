/* What became of each URL, by sequence: the folded part in table `states`, the rest in table `ended`.
 *
 *     ended    |-- folded into states, and deleted --|-- the tail: in no order of sequence --|
 *     states   448 URLs a value: seven blocks of 64, each with a checksum. No value: none of them has a state
 *
 * The tail is read whole, and sorted. Private to the store, but for check and repair. */
#ifndef STRATA_FRONTIER_URL_STATES_H
#define STRATA_FRONTIER_URL_STATES_H

#include "frontier/rows/url_state.h"

#include <stddef.h>

enum {
  STATES_BLOCK = 64,
  STATES_BLOCKS = 7,
  STATES_GROUP = STATES_BLOCKS * STATES_BLOCK, /* 448 sequences */
  STATES_BLOCK_SIZE = 4 + STATES_BLOCK * STATE_ROW,
  STATES_SIZE = STATES_BLOCKS * STATES_BLOCK_SIZE, /* of a value: two fit a page of the database */
};

typedef struct ended_tail {
  uint64_t *rows; /* as in `ended`, by sequence, one each */
  size_t count, room;
  bool is_loaded;
} ended_tail; /* all zeros is one that is not loaded */

bool tail_add(ended_tail *t, uint64_t row);
bool tail_sort(ended_tail *t); /* once all are added: of several rows of a URL the last stays. false: no memory */
void tail_free(ended_tail *t);

/* The first row of this sequence or a later one. */
size_t tail_find(const ended_tail *t, uint64_t sequence);

/* A block of a value of `states`, the i-th of group `group`; false: damaged. */
bool states_block_is_whole(const uint8_t value[STATES_SIZE], uint64_t id, uint64_t group, unsigned i);
void states_block_seal(uint8_t value[STATES_SIZE], uint64_t id, uint64_t group, unsigned i);
void states_init(uint8_t value[STATES_SIZE], uint64_t id, uint64_t group);    /* nothing has a state */
url_state states_get(const uint8_t value[STATES_SIZE], unsigned place);       /* place: sequence % STATES_GROUP */
void states_set(uint8_t value[STATES_SIZE], unsigned place, url_state state); /* and then seal */

#endif
