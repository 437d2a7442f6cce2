/* One request at a time on a curl easy handle, which is set up once and reused: setting it up for every page would
 * cost more than parsing the page. network.h runs many of them. */
#ifndef STRATA_CRAWLER_TRANSFER_H
#define STRATA_CRAWLER_TRANSFER_H

#include "crawler/http/kept.h"
#include "crawler/http/request.h"
#include "crawler/http/tls.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/* What all of a network's have in common; it lives as long as they do. */
typedef struct transfer_setting {
  const fetch_options *options;
  CURLSH *share; /* cookies; NULL: none */
  tls *tls;      /* NULL: libcurl's own */
  kept *kept;    /* its connections */
  struct curl_slist *headers;
  struct curl_slist *trusted_headers; /* and those of the options; NULL: neither headers nor user are given */
  bool (*body)(void *context, request *r, const char *bytes, size_t size); /* see network_receiver */
  void *context;
} transfer_setting;

typedef struct transfer {
  struct transfer *next; /* in whatever list it is */
  const transfer_setting *setting;
  CURL *easy; /* its CURLINFO_PRIVATE is the transfer */
  request *request;
  struct curl_slist *headers; /* a list of its own, if the request has conditions */
  bool has_begun;             /* the first body byte came */
  bool was_private;
  bool was_without_descriptor;
  bool is_second_try; /* on a connection of its own */
  tls_handle tls;
  kept_user connection;
  char said[CURL_ERROR_SIZE]; /* by libcurl, of what went wrong */
} transfer;

/* What FETCH_PRIVATE means, in words. */
extern const char transfer_not_public[];

/* NULL: out of memory. The first of all reads the file of cookies, for them all. */
transfer *transfer_create(const transfer_setting *setting, bool is_first);
void transfer_free(transfer *t); /* which is in no multi handle */

/* The next request; false: out of memory. */
bool transfer_set(transfer *t, request *r);

/* Did it end so only because there was no descriptor? The resolver and the TLS library do not say why they failed. */
bool transfer_lacks_descriptor(const transfer *t, CURLcode code);

/* A connection that was kept alive may die under a request, when the server loses patience at the same moment. Nothing
 * came back, so nothing was done: ask once more, on a new connection (RFC 9112, section 9.3.1). libcurl tries again by
 * itself, but on other kept connections, which are as old, and gives up after five. */
bool transfer_deserves_second_try(const transfer *t, CURLcode code);
void transfer_set_second_try(transfer *t);

/* Completes the request's response. The handle may go on to another request: all that is asked for later is copied. */
void transfer_conclude(transfer *t, CURLcode code);

#endif
