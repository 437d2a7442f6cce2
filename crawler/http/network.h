/* Requests on libcurl's multi interface: many at once, on the thread that calls. Keep-alive, HTTP/2 by ALPN, content
 * decoding, the guard on addresses, and fewer at once while descriptors are short. */
#ifndef STRATA_CRAWLER_NETWORK_H
#define STRATA_CRAWLER_NETWORK_H

#include "crawler/http/request.h"
#include "crawler/http/fd_limit.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct network network;

typedef struct network_receiver {
  /* A piece of a decoded body; the request's status, type and head are known. false: no more of it. */
  bool (*body)(void *context, request *r, const char *bytes, size_t size);
  /* Its response is complete; the network is done with it. */
  void (*finished)(void *context, request *r);
  void *context;
} network_receiver;

/* `options` must live as long. NULL: no memory, or libcurl would not start. */
network *network_create(const fetch_options *options, network_receiver receiver);
void network_free(network *n); /* NULL is fine; what is under way is dropped */

void network_begin(network *n, request *r); /* borrowed until `finished` */
void network_work(network *n);              /* all that can be done without waiting */
void network_gather(const network *n);      /* a moment for more answers to come, if many are awaited */
void network_wait(network *n, int wait_ms); /* until there is more to do, the time has passed, or network_wake */
void network_wake(network *n);              /* from any thread: the present network_wait, or else the next one */
const fd_limit *network_fd_limit(const network *n);

#endif
