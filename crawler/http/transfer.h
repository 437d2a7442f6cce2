/* One request at a time on a curl easy handle, which is set up once and reused where libcurl can be trusted with that.
 * network.h runs many of them. */
#ifndef STRATA_CRAWLER_TRANSFER_H
#define STRATA_CRAWLER_TRANSFER_H

#include "crawler/http/cookies.h"
#include "crawler/http/kept.h"
#include "crawler/http/ledger.h"
#include "crawler/http/length_doubts.h"
#include "crawler/http/name_limit.h"
#include "crawler/http/request.h"
#include "crawler/http/response_body.h"
#include "crawler/http/tls.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/* What all of a network's have in common; it lives as long as they do. */
typedef struct transfer_setting {
  const fetch_options *options;
  cookies *cookies;                /* NULL: none are taken or sent */
  tls *tls;                        /* NULL: libcurl's own */
  kept *kept;                      /* its connections */
  struct address_share *addresses; /* NULL: they have no limit */
  name_limit *names;
  length_doubts *doubts; /* where there is a delay */
  struct curl_slist *headers;
  struct curl_slist *trusted_headers; /* and those of the options; NULL: neither headers nor user are given */
  response_body_sink *body;           /* see network_receiver */
  void *context;
  bool uses_handle_once;
} transfer_setting;

typedef struct transfer {
  struct transfer *next; /* in whatever list it is */
  const transfer_setting *setting;
  CURL *easy; /* its CURLINFO_PRIVATE is the transfer */
  request *request;
  struct curl_slist *headers; /* a list of its own, if the request has conditions */
  ledger ledger;              /* what came so far */
  int status;                 /* of the last status line; 0: it has none */
  uint64_t cookies_sent;      /* hash of them */
  uint64_t until_ms;          /* when its time is over, as network.c counts it; 0: it waits for a descriptor */
  uint64_t wire_before;       /* bytes that came over its connection before it was first looked at, */
  bool knows_wire;            /* if it was */
  bool is_used;               /* it had a request */
  bool has_begun;             /* the first body byte came */
  response_body body;         /* that came of it */
  bool has_length;            /* libcurl read a Content-Length */
  uint64_t left;              /* of a body whose Content-Length libcurl does not see; UINT64_MAX: of none */
  uint64_t redirect_ms;       /* since when its head is whole, and leads elsewhere; 0: not */
  bool was_private;
  bool was_asked;    /* its request went out, on some connection */
  uint64_t paid_key; /* of the address whose share was taken for the connection that is made; 0: none */
  uint64_t busy_ms; /* > 0: not now, but after so long: its address has had its share, or too many names are resolved */
  bool was_without_descriptor;
  bool is_second_try; /* on a connection of its own */
  bool doubts_length; /* its body ends with the connection, whatever Content-Length says */
  bool was_stale;     /* its request did not go out, as the kept connection had bytes, or had ended */
  tls_handle tls;
  kept_user connection;
  char said[CURL_ERROR_SIZE]; /* by libcurl, of what went wrong */
} transfer;

/* What FETCH_PRIVATE means, in words. */
extern const char transfer_not_public[];

/* libcurl 7.84 to 8.1.0 frees memory twice where a head begins with a folded line, if its handle had a response before
 * (curl pull request 11103). A new handle for each request costs 2 us. */
bool transfer_uses_handle_once(void);

/* NULL: out of memory. */
transfer *transfer_create(const transfer_setting *setting);
void transfer_free(transfer *t); /* which is in no multi handle */

/* The next request; false: out of memory. */
bool transfer_set(transfer *t, request *r);

/* Did it end so only because there was no descriptor? The resolver and the TLS library do not say why they failed. */
bool transfer_lacks_descriptor(const transfer *t, CURLcode code);

/* A connection that was kept alive may die under a request, when the server loses patience at the same moment. Nothing
 * came back, so nothing was done: ask once more, on a new connection (RFC 9112, section 9.3.1). libcurl tries again by
 * itself, but on other kept connections, which are as old, and gives up after five. With a delay (fetch_options)
 * neither happens: it is a request, and the response says in how long it may be asked again (put_off_ms). But where
 * the request did not go out (was_stale), it does so at once.
 *
 * Of a Content-Length that is no number libcurl takes nothing: the second answer is read to the connection's end. */
bool transfer_deserves_second_try(const transfer *t, CURLcode code);
void transfer_set_second_try(transfer *t);

/* Has the head of a redirect been there for so long that its body is no longer waited for? Then it is to be concluded
 * with CURLE_OPERATION_TIMEDOUT. */
bool transfer_lingers(const transfer *t, uint64_t now_ms);

/* Did more come over the wire than its body may have? Then it is to be concluded with CURLE_WRITE_ERROR. */
bool transfer_exceeds_wire(transfer *t);

/* Completes the request's response. The handle may go on to another request: all that is asked for later is copied. */
void transfer_conclude(transfer *t, CURLcode code);

#endif
