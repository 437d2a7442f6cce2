/* The queues between the thread that crawls and the one that waits for the network: requests one way, their events the
 * other.
 *
 *      crawling                                                    network
 *      channel_start, channel_push     -- requests -->           channel_take
 *      channel_next                     <-- blocks of events --   channel_body, channel_end, channel_publish
 *
 * Each side collects a batch, and takes the lock once a round; it wakes the other only if that one sleeps. Bodies wait
 * in a fixed pool of blocks, of which the last used is taken first; when all are full, the network waits. */
#ifndef STRATA_CRAWLER_CHANNEL_H
#define STRATA_CRAWLER_CHANNEL_H

#include "crawler/http/request.h"
#include "crawler/http/fd_limit.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct channel channel;

channel *channel_create(void); /* NULL: no memory, or no descriptor */
void channel_free(channel *h); /* NULL is fine; both threads are done with it */

/* ---- of the crawling thread ---- */

void channel_start(channel *h, request *r);
bool channel_push(channel *h); /* what was started; true: and the network sleeps, so wake it */

typedef struct channel_event {
  request *request;
  const char *bytes; /* of its body, until the next call; NULL: it has ended */
  size_t size;
} channel_event;

/* In the order they were given; false: there are no more now. */
bool channel_next(channel *h, channel_event *event);

/* Until there is an event, a signal was caught, or the time is over. */
void channel_wait(channel *h, int wait_ms);

/* As the network last said, when channel_next last looked. */
const fd_limit *channel_fd_limit(const channel *h);

void channel_finish(channel *h); /* the network shall end; wake it */

/* ---- of the network's thread ---- */

/* The started requests, linked by `next`, NULL if there are none. false: it shall end. */
bool channel_take(channel *h, request **started);

/* false: it shall end, and the bytes are no longer wanted. Waits while there is no room. */
bool channel_body(channel *h, request *r, const char *bytes, size_t size);
bool channel_end(channel *h, request *r); /* now it is the caller's; false: as above, it stays the network's */

/* What was given since. true: there is nothing to take, and this side is now known to sleep until channel_take. */
bool channel_publish(channel *h, const fd_limit *s);

#endif
