/* What passes between the threads of a fetcher: requests to the network, pieces of bodies to the readers, and requests
 * that are over to the thread that crawls.
 *
 *      crawling                       network                    readers, and the thread that crawls
 *      channel_start, channel_push --> channel_take
 *                                     channel_body, channel_end
 *                                     channel_publish        --> channel_read: all that came of one request
 *      channel_ended               <---------------------------  channel_was_read
 *
 * A request of which something came stands in a line, once, and one thread at a time reads it: so its pieces are read
 * in order, and two requests may be read at once. The thread that crawls reads too when it has nothing else to do; a
 * reader is woken only if more waits than is worth it, as waking costs as much as reading a small page.
 *
 * The network takes the lock once a round. Bodies wait in a fixed pool of blocks, of which the last used is taken
 * first; when all are full, the network waits. */
#ifndef STRATA_CRAWLER_CHANNEL_H
#define STRATA_CRAWLER_CHANNEL_H

#include "crawler/http/fd_limit.h"
#include "crawler/http/request.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct channel channel;

channel *channel_create(void); /* NULL: no memory, or no descriptor */
void channel_free(channel *h); /* NULL is fine; all threads are done with it */

/* ---- of the thread that crawls ---- */

void channel_start(channel *h, request *r);
bool channel_push(channel *h); /* what was started; true: and the network sleeps, so wake it */

/* The next request whose body has been read to its end, for the caller to use again; NULL: no other has ended yet. */
request *channel_ended(channel *h);

/* Until a request is over or waits to be read, a signal was caught, or the time has passed. */
void channel_wait(channel *h, int wait_ms);

/* As the network last said, when channel_ended last looked. */
const fd_limit *channel_fd_limit(const channel *h);

/* All shall end: the network, which the caller wakes, and the readers. */
void channel_finish(channel *h);

/* ---- of those who read ---- */

typedef struct channel_job {
  request *request;
  struct channel_block *pieces; /* of its body, in order */
  bool is_last;                 /* and they are its end */
} channel_job;

/* Bytes of a piece, and the piece behind it, NULL after the last. */
const char *channel_piece(const struct channel_block *piece, size_t *size, const struct channel_block **next);

/* Gives the next request whose body is to be read; false: no request waits. channel_was_read gives it back. */
bool channel_read_here(channel *h, channel_job *job); /* on the thread that crawls: those that it must read, too */
bool channel_read(channel *h, channel_job *job);      /* on a reader: waits for one; false: it shall end */
void channel_was_read(channel *h, channel_job *job);

/* ---- of the network's thread ---- */

/* The started requests, linked by `next`, NULL if there are none. false: it shall end. */
bool channel_take(channel *h, request **started);

/* false: it shall end, and the bytes are no longer wanted. Waits while there is no room. */
bool channel_body(channel *h, request *r, const char *bytes, size_t size);
void channel_end(channel *h, request *r); /* its response is complete */

/* What was given since. true: there is nothing to take, and this side is now known to sleep until channel_take. */
bool channel_publish(channel *h, const fd_limit *s);

#endif
