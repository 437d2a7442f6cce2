/* TLS settings of all transfers: the certificates of trust.h, the sessions of tls_sessions.h, and the messages when a
 * server's certificate is refused.
 *
 * Every connection is verified as libcurl does by default: the chain to a certificate we trust, its dates, and the
 * host's name. Revocation is not checked. Sharing certificates and sessions needs libcurl built with OpenSSL 3; with
 * another TLS library libcurl reads the same files by itself, for each connection.
 *
 * One thread at a time, except for tls_create and tls_free. */
#ifndef STRATA_CRAWLER_TLS_H
#define STRATA_CRAWLER_TLS_H

#include "crawler/http/trust.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct tls tls;
typedef struct tls_connection tls_connection;

tls *tls_create(trust *believed); /* borrowed; NULL: out of memory */
void tls_free(tls *t);            /* NULL is fine */

/* Of one handle. */
typedef struct tls_handle {
  tls *tls;
  struct ssl_st *connection; /* OpenSSL's, there while the request is; NULL: none is known */
  tls_connection *used;      /* what we know of that one, also when it is closed */
  bool is_shaking;           /* a handshake has begun; the owner says when it is over */
} tls_handle;

/* libcurl (7.88) reads HTTP/2 frames as long as there are any that give no response a byte: pings, empty frames,
 * interim responses. Meanwhile nothing else goes on, not even --timeout. So a connection over which more than this came
 * since the last call of tls_went_on has ended. Its owner calls tls_went_on before each turn of
 * libcurl, and for each part of a response. With OpenSSL only.
 *
 * So has one with more records that have no byte for HTTP: handshakes, tickets, new keys. OpenSSL would read on behind
 * each of them, too, at 15 us for a new key; it is told to return. */
enum { TLS_UNHEARD_MAX = 4 << 20 }; /* more than a kernel holds of what was sent before we cut a body short */
enum { TLS_RECORDS_MAX = 1000 };    /* a handshake has some 20 */
void tls_went_on(tls *t);

void tls_use(CURL *easy, tls_handle *h);    /* before a request: from now on it uses that connection */
void tls_leave(tls_handle *h);              /* from now on it uses none */
const char *tls_limit(const tls_handle *h); /* of the ledger's, that ended its connection; NULL: none */

/* Has the connection that is known, and was idle, no byte for a request yet, and no end? `has_bytes`: its socket has
 * some. They may be a session's ticket or a new key, which are read here; HTTP/2 has frames that come at any time. */
bool tls_is_silent(const tls_handle *h, int socket, bool has_bytes);

/* For a handle that is new; `h` lives as long. It may not outlive `t`. */
void tls_set_up(tls *t, CURL *easy, tls_handle *h);

/* Why the TLS part of this transfer failed, and what to do; `said` is what its CURLOPT_ERRORBUFFER has. */
void tls_explain(CURL *easy, CURLcode code, const char *said, char *text, size_t size);

#endif
