/* The trusted certificates: the first of these that is given.
 *
 *     --ca-file FILE                    only the certificates in it
 *     SSL_CERT_FILE, SSL_CERT_DIR       the file and the directory that they name, one or both
 *     the system                        the file and the directory that libcurl was built for
 *
 * A file is read once for all connections. (libcurl 7.88 by itself reads the system's for each connection: 145
 * certificates, 30 ms.) From a directory a certificate is read, by its hash, when a server first needs it, and kept.
 *
 * Not thread-safe: one thread at a time. */
#ifndef STRATA_CRAWLER_TRUST_H
#define STRATA_CRAWLER_TRUST_H

#include <openssl/types.h>
#include <stdbool.h>

typedef struct trust trust;

enum { TRUST_MESSAGE = 512 };

/* `ca_file`: of --ca-file, or NULL. What the user named is read now: NULL and one sentence in `message` if it cannot
 * be, or has no certificate. The system's are read when they are first needed. */
trust *trust_create(const char *ca_file, char message[TRUST_MESSAGE]);
void trust_free(trust *t); /* NULL is fine */

/* For as many connections as there are; NULL: they cannot be read, or there is no memory. A later call tries again. */
X509_STORE *trust_store(trust *t);

const char *trust_file(const trust *t); /* NULL: none */
const char *trust_directory(const trust *t);

#endif
