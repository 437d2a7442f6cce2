/* Which connections stay open for the next request to their host.
 *
 *     kept_opened -> kept_use -> kept_release -> (idle) -> kept_use ...      kept_closed, at any time
 *
 * Their number is limited. Beyond it, the one idle longest is closed if it is idle for KEPT_IDLE_MS; else the newest is
 * closed. So a crawl that cycles over more hosts than the limit reuses some connections; always closing the one idle
 * longest would close each just before its host's turn. And the connections to hosts it has left make room after
 * KEPT_IDLE_MS.
 *
 * We give libcurl (7.88) no limit. Whenever it closes a connection to make room, it walks over all hosts that ever lost
 * a connection that way; after 19,000 hosts this took 88 % of a crawl's time. So we shut down the connection, and
 * libcurl, which looks for dead connections once a second, frees it. Its search restarts at each one it finds, so at
 * most KEPT_SHUT_MAX a second are shut down.
 *
 * One thread at a time. */
#ifndef STRATA_CRAWLER_KEPT_H
#define STRATA_CRAWLER_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEPT_IDLE_MS = 5000, KEPT_SHUT_MAX = 64 };

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
  bool was_idle; /* what it uses was kept, and nobody used it */
} kept_user;

void kept_opened(kept *k, kept_user *user, int socket);
void kept_closed(kept *k, int socket);

/* The two ends of a connection. */
typedef struct kept_ends {
  const char *local, *remote;
  int local_port, remote_port;
} kept_ends;

/* A request goes out on this connection: a new one, or one that was kept. May it be kept afterwards? */
bool kept_use(kept *k, kept_user *user, kept_ends ends, uint64_t now_ms);
void kept_release(kept *k, kept_user *user, uint64_t now_ms); /* it is over */

/* Neither bytes nor an end have come over what it uses, which are not read by this. */
bool kept_is_silent(const kept_user *user);

size_t kept_open(const kept *k); /* connections, without those shut down */

#endif
