/* A crawl in several partitions, all in this process, with a carrier of messages that loses, doubles, delays and
 * reorders them, is emptied, and goes back in time. Partitions are killed, and their directories lost and restored from
 * copies, while the old ones may go on. All of it follows from a seed. The links of the crawl are known, so it is known
 * which pages it must end with.
 *
 * A lie breaks one rule of exchange.h, in what the driver calls, or in what it makes of messages. */
#ifndef STRATA_TESTS_EXCHANGE_WORLD_H
#define STRATA_TESTS_EXCHANGE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

typedef enum exchange_lie {
  TRUTH,
  LIE_PAGE_BEFORE_ITS_LINKS, /* a page is committed as done before its links are given */
  LIE_SENT_LATELY_BY_OTHERS, /* what an earlier life sent is not given again */
  LIE_NEVER_AGAIN,           /* what was sent once is not sent again */
  LIE_ACK_BEFORE_COMMIT,
  LIE_ACK_OVER_GAPS,  /* the highest number is acknowledged */
  LIE_DROP_BY_NUMBER, /* parcels of all lives count as those of one */
  LIE_BASE_UNSAID,    /* nobody says which parcels a new life has no more */
  LIE_NO_NEW_LIFE,    /* a restored directory goes on as if nothing had happened */
  LIE_LIFE_OF_COPY,   /* its incarnation is that of the copy, and one more */
  LIE_DROPPED_AT_HAVE,
  LIE_KEPT_TOO_SOON,      /* before the copy is elsewhere */
  LIE_KEPT_OF_OTHER_LIFE, /* for whatever life of the sender */
  LIE_ACKS_OF_DEAD,       /* of earlier lives of the receiver, as if they were of the last */
  LIE_ACKS_FOR_DEAD,      /* for earlier lives of the sender */
  LIE_TELL_SOME_ONLY,     /* "nothing of yours" is not said */
  LIE_LIVES_UNHEARD,      /* partitions ignore the incarnations in replies */
  LIE_ONE_WAVE,
  LIE_BELIEFS_UNASKED,
  LIE_VERSIONS_UNASKED,
  LIE_EARLY_REPLY,      /* made before the wave was read */
  LIE_IDLE_AT_WORK,     /* although a page is in flight */
  LIE_IDLE_UNCOMMITTED, /* although a page is done in the open batch only */
  LIE_IDLE_UNSENT,      /* although parcels are not acknowledged */
  LIE_IDLE_UNCONFIRMED, /* although links wait to be confirmed */
  LIE_OVER_FOR_ALL,     /* whatever they believe */
  LIES
} exchange_lie;

typedef struct exchange_result {
  char fault[256]; /* "": none */
  unsigned kills, restores, emptied, turned_back, late, again, messages;
} exchange_result;

/* In directories of `root`. What is over, was over, or is never over, when it should be, is a fault, and so is any
 * status that no carrier may cause. */
void exchange_world_run(uint64_t seed, exchange_lie lie, const char *root, exchange_result *result);

#endif
