/* See tls_server.h. A failure of OpenSSL here is the test's end. */
#include "tests/site/tls_server.h"

#include "tests/site/process.h"
#include "tests/site/server.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DAY_S = 86400 };

static const char good_names[] =
  "DNS:localhost,DNS:one.localhost,DNS:two.localhost,DNS:three.localhost,DNS:four.localhost,DNS:five.localhost,"
  "DNS:six.localhost,DNS:seven.localhost,DNS:eight.localhost,DNS:nine.localhost,IP:127.0.0.1";

static void must(bool is_so, const char *what)
{
  if (is_so)
    return;
  fprintf(stderr, "tls_server: %s\n", what);
  abort();
}

/* ---- certificates ---------------------------------------------------------------------------------------- */

static struct {
  X509 *certificate;
  EVP_PKEY *key;
} authority;

static void extend(X509 *certificate, int kind, const char *value)
{
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
  must(extension && X509_add_ext(certificate, extension, -1), value);
  X509_EXTENSION_free(extension);
}

/* Valid from `from_s` to `to_s` seconds from now; `names` NULL: an authority's. By itself if `issuer` is NULL. */
static X509 *issue(EVP_PKEY *key, const char *name, const char *names, long from_s, long to_s, X509 *issuer,
                   EVP_PKEY *issuer_key)
{
  static long serial = 1;
  X509 *c = X509_new();
  must(c && X509_set_version(c, X509_VERSION_3), "X509_new");
  ASN1_INTEGER_set(X509_get_serialNumber(c), serial++);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(c), "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
  X509_set_issuer_name(c, X509_get_subject_name(issuer ? issuer : c));
  X509_gmtime_adj(X509_getm_notBefore(c), from_s);
  X509_gmtime_adj(X509_getm_notAfter(c), to_s);
  X509_set_pubkey(c, key);
  if (names)
    extend(c, NID_subject_alt_name, names);
  else
    extend(c, NID_basic_constraints, "critical,CA:TRUE");
  must(X509_sign(c, issuer ? issuer_key : key, EVP_sha256()) > 0, "X509_sign");
  return c;
}

static X509 *make_authority(EVP_PKEY **key)
{
  *key = EVP_EC_gen("P-256");
  must(*key != NULL, "EVP_EC_gen");
  static unsigned number;
  char name[64];
  snprintf(name, sizeof name, "authority %u of a test", ++number);
  return issue(*key, name, NULL, -DAY_S, DAY_S, NULL, NULL);
}

bool tls_authority(const char *ca)
{
  X509_free(authority.certificate);
  EVP_PKEY_free(authority.key);
  authority.certificate = make_authority(&authority.key);
  FILE *file = fopen(ca, "w");
  bool is_written = file && PEM_write_X509(file, authority.certificate);
  return file && fclose(file) == 0 && is_written;
}

static void make_certificate(SSL_CTX *context, tls_flaw flaw)
{
  EVP_PKEY *key = EVP_EC_gen("P-256"), *stranger_key = NULL;
  X509 *stranger = flaw == TLS_UNKNOWN ? make_authority(&stranger_key) : NULL;
  X509 *issuer = flaw == TLS_SELF_SIGNED ? NULL : stranger ? stranger : authority.certificate;
  X509 *certificate = issue(key, "a test", flaw == TLS_OTHER_HOST ? "DNS:other.test" : good_names,
                            flaw == TLS_NOT_YET ? DAY_S : -2 * DAY_S, flaw == TLS_EXPIRED ? -DAY_S : 2 * DAY_S, issuer,
                            stranger ? stranger_key : authority.key);
  must(SSL_CTX_use_certificate(context, certificate) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1,
       "SSL_CTX_use_certificate");
  X509_free(certificate);
  X509_free(stranger);
  EVP_PKEY_free(stranger_key);
  EVP_PKEY_free(key);
}

/* ---- connections ------------------------------------------------------------------------------------------ */

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_size, const unsigned char *in,
                           unsigned in_size, void *context)
{
  tls_server *s = context;
  (void)ssl;
  if (memmem(in, in_size, "\x02h2", 3))
    s->counts->offered_http2++;
  unsigned char *chosen;
  const char *ours = s->http2 ? "\x02h2" : "\x08http/1.1";
  if (SSL_select_next_proto(&chosen, out_size, (const unsigned char *)ours, (unsigned)strlen(ours), in, in_size) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

static bool answer_one(const tls_server *s, SSL *ssl)
{
  const char *page = s->page ? s->page : "<p>a page";
  char head[8192], answer[1024];
  int size = 0, got;
  do {
    if ((got = SSL_read(ssl, head + size, (int)sizeof head - 1 - size)) <= 0)
      return false;
    size += got;
    head[size] = '\0';
  } while (!strstr(head, "\r\n\r\n"));
  s->counts->requests++;
  int length = snprintf(answer, sizeof answer, "%sContent-Type: text/html\r\nContent-Length: %zu\r\n\r\n%s",
                        s->head ? s->head : "HTTP/1.1 200 OK\r\n", strlen(page), page);
  return SSL_write(ssl, answer, length) == length;
}

/* Whatever comes is no TLS to it. */
static void serve_without(const tls_server *s, int fd)
{
  static const char refusal[] = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  char bytes[4096];
  if (recv(fd, bytes, sizeof bytes, 0) > 0 && s->flaw == TLS_PLAIN)
    send(fd, refusal, strlen(refusal), MSG_NOSIGNAL);
  while (s->flaw == TLS_SILENT && recv(fd, bytes, sizeof bytes, 0) > 0)
    continue;
}

static void serve_one(const tls_server *s, SSL_CTX *context, int fd)
{
  if (s->flaw == TLS_PLAIN || s->flaw == TLS_SILENT) {
    serve_without(s, fd);
    return;
  }
  SSL *ssl = SSL_new(context);
  if (SSL_set_fd(ssl, fd) != 1 || SSL_accept(ssl) != 1)
    return;
  s->counts->connections++;
  if (SSL_session_reused(ssl))
    s->counts->resumed++;
  if (s->instead || s->http2)
    (s->instead ? s->instead : s->http2)(ssl);
  while (!s->instead && !s->http2 && answer_one(s, ssl))
    if (s->idle)
      s->idle(ssl);
}

static void serve(const tls_server *s, SSL_CTX *context, int listen_fd)
{
  pid_t self = getpid();
  signal(SIGCHLD, SIG_IGN); /* nobody waits for the children */
  for (;;) {
    struct pollfd ready = {.fd = listen_fd, .events = POLLIN}; /* it does not block */
    poll(&ready, 1, -1);
    int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0 && fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() == self)
        serve_one(s, context, fd);
      _exit(0);
    }
    if (fd >= 0)
      close(fd);
  }
}

void tls_start(tls_server *s, tls_flaw flaw)
{
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  s->port = 0;
  s->flaw = flaw;
  s->counts = mmap(NULL, sizeof *s->counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int listen_fd = server_listen("127.0.0.1", &s->port);
  must(context && s->counts != MAP_FAILED && listen_fd >= 0, "no context, memory or port");
  make_certificate(context, flaw);
  SSL_CTX_set_session_id_context(context, (const unsigned char *)"test", 4);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, s);
  pid_t parent = getpid();
  must((s->pid = fork()) >= 0, "fork");
  if (s->pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    if (getppid() == parent)
      serve(s, context, listen_fd); /* all its processes have the key of its tickets */
    _exit(0);
  }
  close(listen_fd);
  SSL_CTX_free(context);
}

void tls_stop(tls_server *s)
{
  process_kill(s->pid);
  munmap(s->counts, sizeof *s->counts);
}
