/* What passes between the thread that crawls and the one that waits for the network: requests one way, what comes of
 * them the other.
 *
 *      crawling                                                    network
 *      handover_start, handover_push     -- requests -->           handover_take
 *      handover_next                     <-- blocks of events --   handover_body, handover_end, handover_publish
 *
 * Each side gathers, and takes the lock once a round; it wakes the other only if that one sleeps. Bodies wait in a
 * fixed number of blocks, used again and again, the warmest first; when all are full, the network waits. */
#ifndef STRATA_CRAWLER_CHANNEL_H
#define STRATA_CRAWLER_CHANNEL_H

#include "crawler/http/request.h"
#include "crawler/http/fd_limit.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct handover handover;

handover *handover_create(void); /* NULL: no memory, or no descriptor */
void handover_free(handover *h); /* NULL is fine; both threads are done with it */

/* ---- of the crawling thread ---- */

void handover_start(handover *h, request *r);
bool handover_push(handover *h); /* what was started; true: and the network sleeps, so wake it */

typedef struct handover_event {
  request *request;
  const char *bytes; /* of its body, until the next call; NULL: it has ended */
  size_t size;
} handover_event;

/* In the order they were given; false: there are no more now. */
bool handover_next(handover *h, handover_event *event);

/* Until there is an event, a signal was caught, or the time is over. */
void handover_wait(handover *h, int wait_ms);

/* As the network last said, when handover_next last looked. */
const shortage *handover_shortage(const handover *h);

void handover_finish(handover *h); /* the network shall end; wake it */

/* ---- of the network's thread ---- */

/* The started requests, linked by `next`, NULL if there are none. false: it shall end. */
bool handover_take(handover *h, request **started);

/* false: it shall end, and nobody wants the bytes any more. Waits while there is no room. */
bool handover_body(handover *h, request *r, const char *bytes, size_t size);
bool handover_end(handover *h, request *r); /* now it is the caller's; false: as above, it stays the network's */

/* What was given since. true: there is nothing to take, and this side is now known to sleep until handover_take. */
bool handover_publish(handover *h, const shortage *s);

#endif
