/* tests/site/tls_server.h: an https server with certificates of its own making, good and bad, and what it saw of
 * connections. HTTP/1.1, or what a test makes of HTTP/2, a process for each connection; it answers every target with a
 * small page. */
#ifndef STRATA_TESTS_SITE_TLS_SERVER_H
#define STRATA_TESTS_SITE_TLS_SERVER_H

#include <openssl/types.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

typedef enum tls_flaw {
  TLS_GOOD,       /* for localhost, one.localhost to nine.localhost and 127.0.0.1, by the authority of `ca` */
  TLS_OTHER_HOST, /* for other.test */
  TLS_EXPIRED,    /* since yesterday */
  TLS_NOT_YET,    /* before tomorrow */
  TLS_SELF_SIGNED,
  TLS_UNKNOWN, /* by an authority that is in no file */
  TLS_PLAIN,   /* no TLS: it answers every request in plain HTTP */
  TLS_SILENT,  /* none: it says nothing at all */
} tls_flaw;

/* What all connections to one server came to; shared with its processes. */
typedef struct tls_counts {
  atomic_uint connections, resumed, offered_http2, requests;
} tls_counts;

typedef struct tls_server {
  pid_t pid;
  unsigned port;
  tls_flaw flaw;
  tls_counts *counts;
  const char *head;          /* what each answer begins with; NULL: "HTTP/1.1 200 OK\r\n" */
  const char *page;          /* HTML of less than 800 bytes; NULL: a small page */
  void (*http2)(SSL *ssl);   /* NULL: HTTP/1.1 alone; else it speaks HTTP/2 with those who can, to the end */
  void (*instead)(SSL *ssl); /* what it does with each connection instead of HTTP; NULL: that */
  void (*idle)(SSL *ssl);    /* what it does behind each answer; NULL: nothing */
} tls_server;

/* A new authority, its certificate as PEM in the file `ca`; false: it cannot be written. */
bool tls_authority(const char *ca);

/* On 127.0.0.1, with a certificate by the authority made last; dies with the caller, or by tls_stop. */
void tls_start(tls_server *s, tls_flaw flaw);
void tls_stop(tls_server *s);

#endif
