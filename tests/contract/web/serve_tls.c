/* An authority, one key, and certificates by name. */
#include "tests/contract/web/serve_tls.h"
#include "tests/contract/web/web_inside.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE = 2048 }; /* certificates of 1.5 kB and what OpenSSL keeps with them: about 10 MB */

typedef struct cached {
  char name[2 * WEB_NAME_MAX];
  X509 *certificate;
} cached;

struct serve_tls {
  const web *w;
  bool offers_h2;
  SSL_CTX *context;
  EVP_PKEY *authority_key, *key;
  X509 *authority;
  cached cache[CACHE];
};

static void *checked(void *made)
{
  if (!made) {
    ERR_print_errors_fp(stderr);
    abort();
  }
  return made;
}

static void add_extension(X509 *certificate, X509 *issuer, int nid, const char *value)
{
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = checked(X509V3_EXT_conf_nid(NULL, &context, nid, value));
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

static X509 *begin_certificate(EVP_PKEY *key, const char *name, uint64_t serial, long from_s, long to_s)
{
  X509 *certificate = checked(X509_new());
  X509_NAME *subject = X509_get_subject_name(certificate);
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), from_s);
  X509_gmtime_adj(X509_getm_notAfter(certificate), to_s);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
  X509_set_pubkey(certificate, key);
  return certificate;
}

enum { DAY_S = 86400 };

static X509 *make_authority(EVP_PKEY *key)
{
  X509 *certificate = begin_certificate(key, "A web in a box", 1, -DAY_S, 30L * DAY_S);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(certificate, certificate, NID_subject_key_identifier, "hash");
  X509_sign(certificate, key, EVP_sha256());
  return certificate;
}

/* What a host that is not to be trusted shows: one that has run out, for another name, or of an issuer nobody knows. */
typedef struct flaw {
  bool is_expired, is_for_another, is_by_a_stranger;
} flaw;

static flaw flaw_of(const web *w, const char *name)
{
  flaw none = {0};
  uint32_t host = web_find_host(w, name, strlen(name), NULL);
  if (host == WEB_NO_HOST || !web_host_has(w, host, WEB_DISTRUSTED))
    return none;
  uint64_t dice = web_dice(w, WEB_ASK_TRUST, host, 0) % 3;
  return (flaw){dice == 0, dice == 1, dice == 2};
}

static X509 *make_certificate(serve_tls *t, const char *name, uint64_t serial)
{
  char alternative[2 * WEB_NAME_MAX + 8];
  flaw shows = flaw_of(t->w, name);
  const char *shown = shows.is_for_another ? "another.test" : name;
  long to_s = shows.is_expired ? -10L * DAY_S : 10L * DAY_S;
  X509 *certificate = begin_certificate(t->key, "a host", serial, -20L * DAY_S, to_s);
  snprintf(alternative, sizeof alternative, "DNS:%s", shown);
  X509_set_issuer_name(certificate, X509_get_subject_name(shows.is_by_a_stranger ? certificate : t->authority));
  add_extension(certificate, t->authority, NID_subject_alt_name, alternative);
  X509_sign(certificate, shows.is_by_a_stranger ? t->key : t->authority_key, EVP_sha256());
  return certificate;
}

static X509 *certificate_of(serve_tls *t, const char *name)
{
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (const char *byte = name; *byte; byte++)
    hash = (hash ^ (unsigned char)*byte) * 1099511628211u;
  cached *kept = &t->cache[(hash ^ hash >> 32) % CACHE];
  if (kept->certificate && strcmp(kept->name, name) == 0)
    return kept->certificate;
  X509_free(kept->certificate);
  snprintf(kept->name, sizeof kept->name, "%s", name);
  kept->certificate = make_certificate(t, name, hash >> 1 | 1);
  return kept->certificate;
}

/* Who names no host gets a certificate for none. */
static int choose_certificate(SSL *ssl, void *context)
{
  serve_tls *t = context;
  const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (name && strlen(name) >= sizeof t->cache[0].name)
    return 0;
  return SSL_use_certificate(ssl, certificate_of(t, name ? name : "nobody.test")) == 1 &&
         SSL_use_PrivateKey(ssl, t->key) == 1;
}

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_size, const unsigned char *in,
                           unsigned in_size, void *context)
{
  static const unsigned char protocols[] = "\2h2\10http/1.1";
  const serve_tls *t = context;
  unsigned skip = t->offers_h2 ? 0 : 3;
  unsigned char *chosen;
  (void)ssl;
  if (SSL_select_next_proto(&chosen, out_size, protocols + skip, sizeof protocols - 1 - skip, in, in_size) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

serve_tls *serve_tls_create(const web *w, bool offers_h2)
{
  serve_tls *t = checked(calloc(1, sizeof *t));
  t->w = w;
  t->offers_h2 = offers_h2;
  t->authority_key = checked(EVP_EC_gen("P-256"));
  t->key = checked(EVP_EC_gen("P-256"));
  t->authority = make_authority(t->authority_key);
  t->context = checked(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_mode(t->context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(t->context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(t->context, SSL_SESS_CACHE_OFF); /* tickets carry sessions: nothing to keep */
  SSL_CTX_set_num_tickets(t->context, 1);
  SSL_CTX_set_cert_cb(t->context, choose_certificate, t);
  SSL_CTX_set_alpn_select_cb(t->context, choose_protocol, t);
  return t;
}

void serve_tls_free(serve_tls *t)
{
  for (size_t i = 0; i < CACHE; i++)
    X509_free(t->cache[i].certificate);
  SSL_CTX_free(t->context);
  X509_free(t->authority);
  EVP_PKEY_free(t->key);
  EVP_PKEY_free(t->authority_key);
  free(t);
}

bool serve_tls_write_authority(const serve_tls *t, const char *path)
{
  FILE *file = fopen(path, "we");
  if (!file)
    return false;
  bool good = PEM_write_X509(file, t->authority) == 1;
  return fclose(file) == 0 && good;
}

SSL *serve_tls_begin(serve_tls *t, int fd)
{
  SSL *ssl = checked(SSL_new(t->context));
  SSL_set_fd(ssl, fd);
  SSL_set_accept_state(ssl);
  return ssl;
}
