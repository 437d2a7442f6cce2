/* tests/contract/web/serve_inside.h: what the files of the server know of each other.
 *
 *     serve.c       the loop: sockets, timers
 *     serve_conn.c  bytes in and out of one connection, plain or TLS
 *     serve_http1.c requests on it, one after the other
 *     serve_http2.c requests on it, at the same time
 */
#ifndef STRATA_TESTS_WEB_SERVE_INSIDE_H
#define STRATA_TESTS_WEB_SERVE_INSIDE_H

#include "tests/contract/web/serve.h"
#include "tests/contract/web/serve_log.h"
#include "tests/contract/web/serve_timers.h"
#include "tests/contract/web/serve_tls.h"

#include <signal.h>

typedef struct http2 http2;

typedef enum conn_state {
  CONN_READING, /* for a request; HTTP/2 is always here */
  CONN_WAITING, /* for a timer, with an answer in `out` */
  CONN_WRITING,
  CONN_HELD, /* nothing comes any more */
} conn_state;

typedef struct conn {
  int fd;
  uint64_t serial;
  SSL *ssl;  /* NULL: plain */
  http2 *h2; /* NULL: HTTP/1.1 */
  conn_state state;
  bool is_shaken;   /* the TLS handshake is done */
  bool ends;        /* to be closed when `out` is written */
  bool resets;      /* to be closed so that the other side sees a reset */
  bool is_tunnel;   /* TLS begins when `out` is written */
  bool wants_write; /* what epoll was told */
  text in, out;
  size_t written; /* of `out` */
} conn;

struct serve {
  const web *w;
  serve_tls *tls;
  serve_log log;
  timers timers;
  int epoll;
  int listeners[3]; /* http, https, dns; -1: none */
  int ports[3];
  conn **conns; /* by descriptor */
  size_t conns_room, open, most_open;
  uint64_t serial, start_ms, now_ms, stop_ms, requests;
  volatile sig_atomic_t stops;
  web_reply reply; /* of the request at hand */
  text out;        /* its bytes */
  char *piece;     /* what was read last */
};

enum { SERVE_PIECE = 65536 };

/* serve_conn.c. False: the connection is over, and to be closed. */
bool conn_shake(conn *c);
bool conn_read(serve *s, conn *c);
bool conn_flush(conn *c);
/* Sends now what it can, and the rest when it can. */
bool conn_send(conn *c, const char *bytes, size_t size);

/* serve_http1.c */
bool http1_take(serve *s, conn *c); /* the requests in `in` */
bool http1_due(serve *s, conn *c);  /* the latency is over */
bool http1_sent(serve *s, conn *c); /* `out` is written */

/* serve_http2.c */
http2 *http2_create(serve *s, conn *c);
void http2_free(http2 *h);
bool http2_take(http2 *h);
bool http2_due(http2 *h, int32_t stream);

/* serve.c */
void serve_later(serve *s, const conn *c, uint32_t latency_ms, int32_t stream);
/* Asks the web, counts and logs. */
void serve_answer(serve *s, web_request *request, web_reply *reply);

#endif
