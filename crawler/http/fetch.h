/* Fetching over HTTP: many at once, with libcurl's multi interface, on the caller's thread or beside it.
 *
 *     fetch_start(fetcher, url, receiver) ... fetch_poll(fetcher, wait) -> receiver.body, .ended, .finished
 *
 * Keep-alive, HTTP/2 by ALPN where it pays, content decoding. Redirects are not followed here: the crawl decides on
 * each hop.
 *
 * What is wrong with a body is not wrong with its head: a redirect, or a status that is an error, is a response
 * (FETCH_OK) once its head is whole, whatever becomes of its body. A page with a part of its body is an error with a
 * part (fetch_has_part). The body of a redirect is not waited for, beyond a second, unless the exchange is kept.
 *
 * Only http and https; addresses that are not public are refused at connect time and again on reused connections,
 * unless allowed. With a proxy only the proxy's address is seen here: hosts are then checked by their text, and the
 * proxy must refuse names that resolve to private addresses. */
#ifndef STRATA_CRAWLER_FETCH_H
#define STRATA_CRAWLER_FETCH_H

#include "crawler/http/http_exchange.h"
#include "crawler/http/fd_limit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fetch_error {
  FETCH_OK = 0,  /* a response came, whatever its status */
  FETCH_NAME,    /* the host name has no address */
  FETCH_CONNECT, /* no server listens, or the network is down */
  FETCH_PRIVATE, /* the address is not public */
  FETCH_TLS,
  FETCH_TIMEOUT,
  FETCH_BROKEN,   /* the connection ended before the response did, or the response is no HTTP */
  FETCH_ENCODING, /* the body is not what Content-Encoding says */
  FETCH_OTHER,
  FETCH_LIMIT, /* more than one response may have: ledger.h */
} fetch_error;
enum { FETCH_ERRORS = FETCH_LIMIT + 1 };

const char *fetch_error_name(fetch_error error); /* "name", "connect", ...: a word for logs */

/* Why not all of a body is there; what came before is good. */
typedef enum fetch_cut {
  FETCH_WHOLE = 0,
  FETCH_CUT_LENGTH,     /* it went on past max_body */
  FETCH_CUT_DISCONNECT, /* the connection, or the framing of the body, broke */
  FETCH_CUT_TIME,       /* the time for a fetch was over */
  FETCH_CUT_CODING,     /* its content coding ends too early, or breaks; all bytes of it came */
} fetch_cut;

typedef struct fetch_response {
  const struct response_head *head; /* for fetch_header; NULL: there is none */
  fetch_error error;
  const char *explanation; /* a phrase for people when error != OK */
  long status;
  const char *content_type; /* of all fields, for mime_type_read; "" if none */
  const char *location;     /* the first that is not empty; "" if none */
  uint64_t wire_bytes;      /* body as it came */
  uint64_t body_bytes;      /* decoded, as given to `body` */
  const char *address;      /* of the server; "" if there was no connection */
  const exchange *exchange; /* what went over the wire; NULL if it is not kept */
  bool has_page;            /* its body, if there is one, is what was asked for */
  uint64_t cookies_sent;    /* hash of those that the request had; 0: none */
  uint64_t cookies_there;   /* of those that a request to where it redirects would have now */
  fetch_cut truncated;      /* also of a response whose body is not looked into */
  uint64_t retry_after_s;   /* of a Retry-After header, seconds or date; 0: none */
  uint64_t put_off_ms;      /* > 0: no answer, and no failure of the server: its address has had its share of requests,
                               the connection was kept for too long, or too many names are being resolved; ask again
                               after so many */
  uint64_t start_ms;        /* of the Unix epoch */
  double seconds;           /* from start to end */
  double name_seconds, connect_seconds, first_byte_seconds; /* from start until the name was resolved, the connection
                               stood, TLS included, and the answer began; 0: it did not come to that */
} fetch_response;

/* The next value of a header field of the response behind `value`, which was returned before; NULL: the first. NULL
 * after the last. Valid until `finished` returns. */
const char *fetch_header(const fetch_response *response, const char *name, const char *value);

/* The beginning of a page came, but its end is lost: it may be asked for again, or what came be used. */
static inline bool fetch_has_part(const fetch_response *response)
{
  return response->error != FETCH_OK && response->truncated && response->body_bytes > 0;
}

enum { FETCH_IDLE_S = 60 }; /* a connection idle for longer is of no use: most servers have closed it by then */

typedef struct fetch_receiver {
  /* Bytes of the decoded body. Of the response, status, content_type, location and has_page are known. */
  void (*body)(void *context, const fetch_response *response, const char *bytes, size_t size);
  /* The body has ended, and all of it was given; NULL: that need not be said. Before `finished`. */
  void (*ended)(void *context, const fetch_response *response);
  /* Last call for this fetch. May start other fetches. */
  void (*finished)(void *context, const fetch_response *response);
  void *context;
  uint64_t max_body;         /* decoded bytes; 0: as in fetch_options */
  bool is_head;              /* HEAD, not GET: the response has no body */
  const char *if_none_match; /* conditions of the request (RFC 9110, 13.1), copied; NULL: none */
  const char *if_modified_since;
  bool reads_anywhere; /* `body` and `ended` may be called on any thread, on one at a time for this fetch; else they are
                          called on the caller's, as `finished` always is */
  bool is_last;        /* nothing more is wanted of its host soon: the connection is not kept */
  bool is_trusted;     /* the server gets `user`, `headers` and the cookies of `cookie_file` of fetch_options */
} fetch_receiver;

typedef struct fetch_options {
  const char *user_agent;
  unsigned connections; /* in use at once, over all hosts */
  unsigned kept;        /* besides these, open for the next request to their host (kept.h) */
  bool multiplexes;     /* several requests to one host at once: HTTP/2 where a server has it, on one connection */
  long timeout_ms;      /* for a whole fetch, of the time in which the network could be heard */
  uint64_t max_body;    /* decoded bytes */
  unsigned per_address; /* an address gets no more than so many hosts with this delay (address_share.h); 0: any */
  uint64_t delay_ms;    /* 0: any */
  bool allow_private;
  const char *user;           /* "name:password" for basic authentication; NULL: none */
  const char *const *headers; /* request headers, "Name: value", in place of our own of that name; "Name:" leaves it
                                 out; NULL ends them, or NULL for none */
  const char *cookie_file;    /* Netscape format; NULL: none, and no cookies at all */
  const char *proxy;          /* NULL: none, whatever the environment says */
  struct trust *trust; /* whose certificates are believed; NULL: as libcurl was built, read for each connection */
  const char *exchange_directory; /* keep each exchange, long ones in files there; NULL: do not */
  bool has_thread;                /* libcurl works on a thread of its own, if there is a second core to run on */
  unsigned readers; /* with that, threads besides the caller's for `body` and `ended`: so many, but fewer than cores */
} fetch_options;

typedef struct fetcher fetcher;

/* NULL: no memory, or libcurl or the thread would not start. */
fetcher *fetcher_create(const fetch_options *options);
void fetcher_free(fetcher *f); /* what is under way is dropped without a call of `finished` */

/* false: out of memory. `url` is copied. */
bool fetch_start(fetcher *f, const char *url, fetch_receiver receiver);
size_t fetch_active(const fetcher *f);

/* Fetches without a descriptor for their connection wait, and begin again; fewer than `connections` then go on at once.
 * Once it is hopeless, nothing more comes of them. */
const fd_limit *fetch_fd_limit(const fetcher *f);

/* From now on no receiver is called, for any of them: their servers may send as fast as they can. One that is being
 * called on another thread ends. From any thread. */
void fetch_drop_all(fetcher *f);

/* `body` or `ended` is being called on the caller's thread. From a signal handler too. */
bool fetch_is_reading(const fetcher *f);

/* Of all calls of fetch_poll, so much was spent waiting. */
uint64_t fetch_waited_ms(const fetcher *f);

/* Work until something happened, a signal was caught, or `wait_ms` passed. */
void fetch_poll(fetcher *f, int wait_ms);

#endif
