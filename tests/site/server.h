/* tests/site/server.h: a small HTTP/1.1 server on one thread, for tests.
 *
 * It answers by asking a `server_answer` function, and writes one line for each request to a log:
 *
 *     STATUS \t HOST \t METHOD \t TARGET \t USER-AGENT \n
 *
 * with the host, target and agent as received (control bytes as \xHH). The line is written when the last byte
 * of the response was handed to the kernel; STATUS is 0 if the client went away before. */
#ifndef STRATA_TESTS_SITE_SERVER_H
#define STRATA_TESTS_SITE_SERVER_H

#include "tests/site/http.h"

#include <stdint.h>

/* Fill `*reply` (zeroed, but its body may have room). `reply->location` and `type` must live until the next call. */
typedef void server_answer(void *context, const http_request *request, http_reply *reply);

typedef struct server_options {
  server_answer *answer;
  void *context;
  int log_fd;           /* -1: no log */
  unsigned latency_ms;  /* before each response ... */
  unsigned jitter_ms;   /* ... and 0 .. jitter_ms more, at random from `seed` */
  unsigned close_after; /* announce "Connection: close" with the n-th response; 0: never */
  unsigned drop_after;  /* the request behind the n-th response finds the connection closed, as happens when a server
                           loses patience at the same moment; such a request is not logged, nobody has read it */
  uint64_t seed;
} server_options;

/* A listening socket on `address` (IPv4), `port` 0 for any; `*port` gets the real one. -1 (errno set) on failure. */
int server_listen(const char *address, unsigned *port);

/* Serves until the process is ended by a signal; returns only when epoll itself fails (errno set). */
void server_run(int listen_fd, const server_options *options);

#endif
