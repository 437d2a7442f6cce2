/* The carrier of exchange_world.h: an inbox for each partition, the wave, its replies, and "over". */
#ifndef STRATA_TESTS_EXCHANGE_CARRIER_H
#define STRATA_TESTS_EXCHANGE_CARRIER_H

#include "frontier/exchange.h"

enum { WORLD_PARTITIONS = 4, INBOX_MAX = 256, MESSAGES_MAX = 1 << 15, REPLIES_MAX = 16 };

typedef struct inbox {
  uint16_t at[INBOX_MAX]; /* numbers of messages */
  unsigned count;
} inbox;

/* What an engine would keep. */
typedef struct carried {
  inbox inboxes[WORLD_PARTITIONS];
  bool has_wave, has_over;
  frontier_wave wave;
  frontier_reply replies[WORLD_PARTITIONS];
  uint64_t over; /* beliefs */
} carried;

typedef struct carrier {
  uint64_t *dice;
  bool is_faithful; /* it loses nothing any more */
  carried now, saved;
  bool has_saved;
  struct message {
    uint8_t *bytes;
    size_t size;
  } messages[MESSAGES_MAX]; /* all that were ever sent */
  unsigned count;
  frontier_reply replies[WORLD_PARTITIONS][REPLIES_MAX]; /* some that were ever sent */
} carrier;

void carrier_post(carrier *c, uint32_t to, const void *bytes, size_t size);
/* Some message for a partition, which it may give once more later; NULL: there is none. */
const struct message *carrier_get(carrier *c, uint32_t to);
/* A reply takes the place of the last one; so may, later, an old one. */
void carrier_post_reply(carrier *c, const frontier_reply *reply);
void carrier_repeat_reply(carrier *c, uint32_t partition);
void carrier_empty(carrier *c);
void carrier_save(carrier *c);
bool carrier_turn_back(carrier *c); /* to what was saved last; false: nothing was */
void carrier_free(carrier *c);

#endif
