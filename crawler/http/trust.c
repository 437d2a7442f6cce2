/* See trust.h. */
#include "crawler/http/trust.h"

#include <curl/curl.h>
#include <errno.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct trust {
  char *file, *directory; /* NULL: none */
  X509_STORE *store;      /* NULL: not read yet */
};

static const char *environment(const char *name)
{
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* The system's may lack either: a container often has the file alone. */
static const char *if_there(const char *path)
{
  return path && access(path, R_OK) == 0 ? path : NULL;
}

static bool copy(char **to, const char *text)
{
  return !text || (*to = strdup(text));
}

/* false: out of memory. `*who`: what named them, in words; NULL: the system. */
static bool choose(trust *t, const char *ca_file, const char **who)
{
  const char *file = environment("SSL_CERT_FILE"), *directory = environment("SSL_CERT_DIR");
  *who = file ? "SSL_CERT_FILE" : directory ? "SSL_CERT_DIR" : NULL;
  if (ca_file) {
    file = ca_file;
    directory = NULL;
    *who = "--ca-file";
  } else if (!*who) {
    const curl_version_info_data *built = curl_version_info(CURLVERSION_NOW);
    file = if_there(built->cainfo);
    directory = if_there(built->capath);
  }
  return copy(&t->file, file) && copy(&t->directory, directory);
}

/* As libcurl sets up its own: the shortest way to what we trust, and an intermediate that we trust is the end of it. */
static X509_STORE *read_store(const trust *t)
{
  X509_STORE *store = X509_STORE_new();
  if (store && X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN) &&
      (!t->file || X509_STORE_load_file(store, t->file)) &&
      (!t->directory || X509_STORE_load_path(store, t->directory)))
    return store;
  X509_STORE_free(store);
  return NULL;
}

X509_STORE *trust_store(trust *t)
{
  if (!t->store)
    t->store = read_store(t);
  return t->store;
}

/* SSL_CERT_DIR may be several, with colons between. */
static bool is_gone(const char *path)
{
  return path && !strchr(path, ':') && access(path, R_OK) != 0;
}

static bool read_what_is_named(trust *t, const char *who, char message[TRUST_MESSAGE])
{
  const char *gone = is_gone(t->file) ? t->file : is_gone(t->directory) ? t->directory : NULL;
  if (gone)
    snprintf(message, TRUST_MESSAGE, "%s: %.400s: %s", who, gone, strerror(errno));
  else if (!trust_store(t))
    snprintf(message, TRUST_MESSAGE, "%s: %.400s: no certificate in PEM format can be read from it", who,
             t->file ? t->file : t->directory);
  return !gone && t->store;
}

trust *trust_create(const char *ca_file, char message[TRUST_MESSAGE])
{
  const char *who;
  trust *t = calloc(1, sizeof *t);
  curl_global_init(CURL_GLOBAL_DEFAULT); /* opens what OPENSSL_CONF and SSLKEYLOGFILE name: later we may not */
  if (!t || !choose(t, ca_file, &who))
    snprintf(message, TRUST_MESSAGE, "out of memory");
  else if (!who || read_what_is_named(t, who, message))
    return t;
  trust_free(t);
  return NULL;
}

void trust_free(trust *t)
{
  if (!t)
    return;
  X509_STORE_free(t->store);
  free(t->file);
  free(t->directory);
  free(t);
  curl_global_cleanup();
}

const char *trust_file(const trust *t)
{
  return t->file;
}

const char *trust_directory(const trust *t)
{
  return t->directory;
}
