/* See tls.h. */
#include "crawler/http/tls.h"

#include "crawler/http/ledger.h"
#include "crawler/http/tls_sessions.h"

#include <assert.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tls {
  trust *trust;
  tls_sessions *sessions;
  bool is_openssl;    /* what libcurl calls us with is OpenSSL's */
  const SSL *reading; /* the last connection that was read from; only compared */
  size_t unheard;     /* bytes that came over it since tls_went_on */
};

/* libcurl makes an SSL_CTX for each connection, and may free it before its transfers have been told of their end: so it
 * is there as long as one of them, or the SSL_CTX, uses it. */
struct tls_connection {
  tls *owner;
  const char *limit; /* that ended it; NULL: none did */
  unsigned records;  /* without a byte for HTTP */
  unsigned users;
};

static void release_connection(tls_connection *c)
{
  if (c && --c->users == 0)
    free(c);
}

static void free_connection(void *context, void *value, CRYPTO_EX_DATA *values, int index, long number, void *argument)
{
  (void)context, (void)values, (void)index, (void)number, (void)argument;
  release_connection(value);
}

/* Where an SSL_CTX keeps its tls_connection; one for the process, and OpenSSL has no way to give it back. */
static int context_index(void)
{
  static int index = -1;
  if (index < 0)
    index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_connection);
  return index;
}

static bool has_openssl(void)
{
  const char *version = curl_version_info(CURLVERSION_NOW)->ssl_version;
  return version && strncmp(version, "OpenSSL/3", strlen("OpenSSL/3")) == 0;
}

tls *tls_create(trust *believed)
{
  tls *t = calloc(1, sizeof *t);
  if (!t || !(t->sessions = tls_sessions_create())) {
    free(t);
    return NULL;
  }
  t->trust = believed;
  t->is_openssl = has_openssl() && context_index() >= 0;
  return t;
}

void tls_free(tls *t)
{
  if (!t)
    return;
  tls_sessions_free(t->sessions);
  free(t);
}

static tls_connection *connection_of(const SSL *ssl)
{
  tls_connection *c = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), context_index());
  assert(c && c->owner);
  return c;
}

static tls *owner_of(const SSL *ssl)
{
  return connection_of(ssl)->owner;
}

/* ---- floods ----------------------------------------------------------------------------------------------- */

void tls_went_on(tls *t)
{
  t->unheard = 0;
}

enum { RECORD_HEAD = 5 };

static void count_bytes(tls *t, const SSL *ssl, const unsigned char *head)
{
  if (t->reading != ssl)
    t->unheard = 0;
  t->reading = ssl;
  t->unheard += (size_t)head[3] << 8 | head[4];
}

/* To OpenSSL the server has then said goodbye. */
static void end_flood(tls_connection *c, SSL *ssl, const char *limit)
{
  if (SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN)
    return;
  SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN);
  c->limit = limit;
}

/* Of each record its head is shown first: type, version, size. Those that TLS 1.3 encrypts all look like data there;
 * what they are is shown when it is known. OpenSSL itself ends 32 empty ones in a row. */
static void count_record(int is_written, int version, int type, const void *bytes, size_t size, SSL *ssl, void *context)
{
  const unsigned char *head = bytes;
  tls_connection *c = connection_of(ssl);
  bool is_head = type == SSL3_RT_HEADER && size >= RECORD_HEAD;
  (void)version;
  (void)context;
  if (is_written || !(is_head || (type == SSL3_RT_INNER_CONTENT_TYPE && size)))
    return;
  if (is_head)
    count_bytes(c->owner, ssl, head);
  c->records += *head != SSL3_RT_APPLICATION_DATA;
  if (c->records > TLS_RECORDS_MAX)
    end_flood(c, ssl, ledger_tls_records);
  else if (c->owner->unheard > TLS_UNHEARD_MAX)
    end_flood(c, ssl, ledger_wire_bytes);
}

void tls_leave(tls_handle *h)
{
  release_connection(h->used);
  h->used = NULL;
  h->connection = NULL;
}

void tls_use(CURL *easy, tls_handle *h)
{
  struct curl_tlssessioninfo *info = NULL;
  tls_leave(h);
  if (!h->tls || !h->tls->is_openssl || curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info ||
      !info->internals)
    return;
  h->connection = info->internals;
  h->used = connection_of(h->connection);
  h->used->users++;
}

const char *tls_limit(const tls_handle *h)
{
  return h->used ? h->used->limit : NULL;
}

/* ---- between two requests --------------------------------------------------------------------------------- */

static bool speaks_http2(const SSL *ssl)
{
  const unsigned char *protocol;
  unsigned size;
  SSL_get0_alpn_selected(ssl, &protocol, &size);
  return size == 2 && memcmp(protocol, "h2", 2) == 0;
}

/* Reads records as long as they are for OpenSSL itself. false: one was not, or is not complete, or asks for an answer,
 * or it is the end, or there are too many. */
static bool read_own_records(SSL *ssl, BIO *in, BIO *out)
{
  enum { RECORDS_MAX = 16 }; /* servers give up to four tickets */
  bool is_silent = false;
  for (int i = 0; i < RECORDS_MAX && !is_silent; i++) {
    char byte;
    uint64_t before = BIO_number_read(in);
    ERR_clear_error(); /* else it is taken for this one's */
    int got = SSL_peek(ssl, &byte, 1);
    if (got > 0 || SSL_get_error(ssl, got) != SSL_ERROR_WANT_READ || BIO_pending(out))
      break;
    is_silent = BIO_number_read(in) == before;
  }
  ERR_clear_error();
  return is_silent && !SSL_has_pending(ssl) && SSL_is_init_finished(ssl);
}

/* libcurl's way to the socket works only while libcurl is reading. */
static bool look_at_records(SSL *ssl, int socket)
{
  BIO *in = BIO_new_socket(socket, BIO_NOCLOSE), *out = BIO_new(BIO_s_mem());
  BIO *usual_in = SSL_get_rbio(ssl), *usual_out = SSL_get_wbio(ssl);
  if (!in || !out) {
    BIO_free(in);
    BIO_free(out);
    return false;
  }
  BIO_up_ref(usual_in);
  BIO_up_ref(usual_out);
  SSL_set0_rbio(ssl, in);
  SSL_set0_wbio(ssl, out);
  bool is_silent = read_own_records(ssl, in, out);
  SSL_set0_rbio(ssl, usual_in); /* which frees the other */
  SSL_set0_wbio(ssl, usual_out);
  return is_silent;
}

bool tls_is_silent(const tls_handle *h, int socket, bool has_bytes)
{
  SSL *ssl = h->connection;
  assert(ssl);
  return speaks_http2(ssl) || (!has_bytes && !SSL_has_pending(ssl)) || look_at_records(ssl, socket);
}

/* ---- sessions --------------------------------------------------------------------------------------------- */

/* The host as it was asked for; NULL: an address, which has no name. */
static const char *host_of(const SSL *ssl)
{
  return SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
}

/* A server gave a session (with TLS 1.3 a ticket, after the handshake). */
static int keep_session(SSL *ssl, SSL_SESSION *session)
{
  const char *host = host_of(ssl);
  if (host)
    tls_sessions_put(owner_of(ssl)->sessions, host, session);
  return 0; /* it stays OpenSSL's */
}

/* The callback gets a connection that it may change as a constant one. */
static SSL *changeable(const SSL *ssl)
{
  union {
    const SSL *told;
    SSL *meant;
  } same = {.told = ssl};
  return same.meant;
}

/* The last moment before the first message is written, and the first at which libcurl has said which host it is. */
static void offer_session(const SSL *ssl, int where, int result)
{
  (void)result;
  const char *host = where == SSL_CB_HANDSHAKE_START && SSL_in_before(ssl) ? host_of(ssl) : NULL;
  SSL_SESSION *session = host ? tls_sessions_get(owner_of(ssl)->sessions, host) : NULL;
  if (session)
    SSL_set_session(changeable(ssl), session);
  SSL_SESSION_free(session);
}

/* false: out of memory. */
static bool set_connection(SSL_CTX *context, tls *owner)
{
  tls_connection *c = calloc(1, sizeof *c);
  if (!c)
    return false;
  *c = (tls_connection){.owner = owner, .users = 1};
  if (SSL_CTX_set_ex_data(context, context_index(), c))
    return true;
  free(c);
  return false;
}

/* libcurl made the context of one connection. */
static CURLcode prepare(CURL *easy, void *context, void *handle)
{
  tls_handle *h = handle;
  tls *t = h->tls;
  X509_STORE *store = trust_store(t->trust);
  (void)easy;
  h->is_shaking = true;
  if (!store || !set_connection(context, t))
    return CURLE_SSL_CACERT_BADFILE;
  SSL_CTX_set1_cert_store(context, store);
  SSL_CTX_sess_set_new_cb(context, keep_session);
  SSL_CTX_set_info_callback(context, offer_session);
  SSL_CTX_set_msg_callback(context, count_record);
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  return CURLE_OK;
}

void tls_set_up(tls *t, CURL *easy, tls_handle *h)
{
  h->tls = t;
  curl_easy_setopt(easy, CURLOPT_CAINFO, t->is_openssl ? NULL : trust_file(t->trust));
  curl_easy_setopt(easy, CURLOPT_CAPATH, t->is_openssl ? NULL : trust_directory(t->trust));
  if (!t->is_openssl)
    return;
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, prepare);
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, h);
  curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
}

/* ---- in words --------------------------------------------------------------------------------------------- */

static const char *why_not_believed(long verified, const char *said)
{
  if (strstr(said, "subject name")) /* libcurl looks at the name by itself */
    return "its certificate is another host's";
  switch (verified) {
  case X509_V_ERR_CERT_HAS_EXPIRED: return "its certificate has expired";
  case X509_V_ERR_CERT_NOT_YET_VALID: return "its certificate is not valid yet; is the clock right here?";
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    return "its certificate is self-signed; to believe it, give it to --ca-file";
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    return "its certificate is from an issuer that is not trusted here; --ca-file says whom to trust instead of the "
           "system's";
  default: return NULL;
  }
}

void tls_explain(CURL *easy, CURLcode code, const char *said, char *text, size_t size)
{
  long verified = X509_V_OK;
  curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verified);
  const char *why = code == CURLE_PEER_FAILED_VERIFICATION ? why_not_believed(verified, said) : NULL;
  if (code == CURLE_SSL_CACERT_BADFILE)
    snprintf(text, size, "no certificates to trust can be read; install ca-certificates, or use --ca-file");
  else if (why)
    snprintf(text, size, "%s", why);
  else if (code == CURLE_PEER_FAILED_VERIFICATION)
    snprintf(text, size, "its certificate is not good: %s", X509_verify_cert_error_string(verified));
  else if (strstr(said, "wrong version number") || strstr(said, "packet length too long") ||
           strstr(said, "http request"))
    snprintf(text, size, "it does not speak TLS on this port; does http:// work?");
  else
    snprintf(text, size, "no TLS connection: %s", *said ? said : curl_easy_strerror(code));
}
