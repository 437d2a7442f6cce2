/* Which connections stay open for the next request to their host: at most so many, and the one idle longest goes first.
 *
 *     kept_opened -> kept_use -> kept_release -> (idle) -> kept_use ...      kept_closed, at any time
 *
 * libcurl (7.88) could do this itself, but each connection that it closes for others costs it a walk over every host it
 * ever closed one of: after 19,000 hosts 88 % of a crawl's time. So it is told of no limit. A connection that is to go is
 * shut down here, and libcurl, which once a second looks for dead ones, frees it.
 *
 * One thread at a time. */
#ifndef STRATA_CRAWLER_KEPT_H
#define STRATA_CRAWLER_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kept kept;

kept *kept_create(size_t limit); /* of connections, those in use included; NULL: out of memory */
void kept_free(kept *k);         /* NULL is fine; all must be closed */
void kept_limit(kept *k, size_t limit);

/* One user of connections, one at a time. All zeros: it has none. */
typedef struct kept_user {
  struct {
    int socket;
    uint64_t serial; /* of the connection, as sockets are numbered again; 0: none */
  } uses, opened[4]; /* what it uses, and the last sockets opened for it: one of them may become its connection */
  unsigned openings;
} kept_user;

void kept_opened(kept *k, kept_user *user, int socket);
void kept_closed(kept *k, int socket);

/* A request goes out on the connection between these ends: a new one, or one that was kept. */
void kept_use(kept *k, kept_user *user, const char *local, int local_port, const char *remote, int remote_port);
void kept_release(kept *k, kept_user *user); /* it is over */

size_t kept_open(const kept *k); /* connections, but for those shut down */

#endif
