/* tests/contract/web/serve_tls.h: a certificate for any name, made when it is asked for, under an authority of its own.
 *
 * All hosts share one key; a bounded table keeps the certificates used last. */
#ifndef STRATA_TESTS_WEB_SERVE_TLS_H
#define STRATA_TESTS_WEB_SERVE_TLS_H

#include "tests/contract/web/web.h"

#include <openssl/ssl.h>

typedef struct serve_tls serve_tls;

serve_tls *serve_tls_create(const web *w, bool offers_h2);
void serve_tls_free(serve_tls *t);
bool serve_tls_write_authority(const serve_tls *t, const char *path); /* PEM; false: errno says why */

/* A new connection on a socket, to be accepted. */
SSL *serve_tls_begin(serve_tls *t, int fd);

#endif
