/* TLS sessions by host, so that the next connection to it needs no certificate again (RFC 8446, 2.2; RFC 5077).
 *
 * A table of fixed size, so that a crawl of many hosts is bounded: 6 MB with certificates of usual size, 16 at worst.
 * It is set-associative: in a full set the oldest session is replaced. libcurl's own table has room for eight hosts,
 * and no setting makes it larger. Sessions are kept as bytes: OpenSSL invalidates one whose connection ends without
 * close_notify; most connections here end so, with HTTP/2 all of them.
 *
 * Not thread-safe: one thread at a time. */
#ifndef STRATA_CRAWLER_TLS_SESSIONS_H
#define STRATA_CRAWLER_TLS_SESSIONS_H

#include <openssl/ssl.h>

enum {
  TLS_SESSIONS = 4096,
  TLS_SESSION_MAX = 4096, /* bytes; a session with its server's certificate has 1,200 to 2,500 */
};

typedef struct tls_sessions tls_sessions;

tls_sessions *tls_sessions_create(void); /* NULL: out of memory */
void tls_sessions_free(tls_sessions *s); /* NULL is fine */

void tls_sessions_put(tls_sessions *s, const char *host, const SSL_SESSION *session);

/* The caller frees it; NULL: the host has no session here. A session may be offered again: RFC 8446, C.4 advises to use
 * each once, so that a client cannot be tracked, but a crawler says who it is, and many servers that resume a session
 * send no new one. */
SSL_SESSION *tls_sessions_get(tls_sessions *s, const char *host);

#endif
