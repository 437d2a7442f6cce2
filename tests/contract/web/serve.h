/* tests/contract/web/serve.h: a web behind real sockets, on one thread that never waits for anybody.
 *
 *     http port    any Host; absolute targets (a proxy's); CONNECT, answered by itself
 *     https port   any name that is asked for (SNI), HTTP/1.1 and HTTP/2
 *     DNS port     A records of all hosts
 *
 * Latencies are timers; endings are what they are called: a reset is a reset, a cut body is cut. A host where nobody
 * listens resets too, and as a proxy the server says 502 for it and for names that are none. */
#ifndef STRATA_TESTS_WEB_SERVE_H
#define STRATA_TESTS_WEB_SERVE_H

#include "tests/contract/web/web.h"

typedef struct serve_options {
  uint32_t address;     /* to listen on, IPv4 in host byte order */
  int http, https, dns; /* ports; 0: any free one, -1: none */
  bool offers_h2;
  const char *authority;  /* file for the certificate to be trusted; NULL: none is written */
  const char *log;        /* file for a line for each request; NULL: none */
  uint64_t stop_after_ms; /* 0: runs until serve_stop */
} serve_options;

typedef struct serve serve;

/* NULL: `error` (of `size` bytes) says why not in one sentence. */
serve *serve_create(const web *w, const serve_options *options, char *error, size_t size);
void serve_ports(const serve *s, int *http, int *https, int *dns); /* -1: none */
void serve_run(serve *s);
void serve_stop(serve *s); /* from a signal's handler, too: serve_run returns soon */
uint64_t serve_requests(const serve *s);
size_t serve_most_connections(const serve *s);
void serve_free(serve *s);

#endif
