/* See network.h. A `transfer` is one curl easy handle, set up once and used again and again: setting it up anew for
 * every page would cost more than parsing the page. */
#include "crawler/network.h"

#include "crawler/fetch_error.h"
#include "crawler/guard.h"
#include "crawler/header_list.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum {
  DESCRIPTORS_MS = 50,
  PAUSE_NS = 10000000, /* where waiting itself fails */
};

static const char not_public[] = "not a public address";

typedef struct transfer {
  struct transfer *next; /* in the list of idle ones, or of those that wait */
  network *owner;
  CURL *easy;
  request *request;
  struct curl_slist *headers; /* a list of its own, if the request has conditions */
  bool has_begun;        /* the first body byte came */
  bool was_private;
  bool was_without_descriptor;
  bool is_second_try;    /* on a connection of its own: see try_again */
} transfer;

struct network {
  CURLM *multi;
  CURLSH *share;                      /* cookies; NULL: none */
  struct curl_slist *headers;
  struct curl_slist *trusted_headers; /* and those of the options; NULL: neither headers nor user are given */
  const fetch_options *options;
  network_receiver receiver;
  transfer *waiting;                  /* for others to give descriptors back */
  size_t waiting_count;
  shortage shortage;
  transfer *idle;
  transfer **all;
  size_t all_count, all_room;
  size_t active;
};

/* ---- what libcurl calls --------------------------------------------------------------------------------- */

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
  transfer *t = context;
  (void)purpose;
  const fetch_options *o = t->owner->options;
  if (!o->allow_private && !o->proxy && !guard_address_is_public(&address->addr)) {
    t->was_private = true;
    return CURL_SOCKET_BAD;
  }
  int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  t->was_without_descriptor |= fd < 0 && (errno == EMFILE || errno == ENFILE);
  return fd;
}

/* Before each request, also on a connection that was there: open_socket is not asked again for those. */
static int before_request(void *context, char *remote, char *local, int remote_port, int local_port)
{
  transfer *t = context;
  (void)local;
  (void)remote_port;
  (void)local_port;
  if (t->owner->options->allow_private || t->owner->options->proxy || guard_text_is_public(remote))
    return CURL_PREREQFUNC_OK;
  t->was_private = true;
  return CURL_PREREQFUNC_ABORT;
}

static size_t take_header(char *line, size_t one, size_t size, void *context)
{
  transfer *t = context;
  (void)one;
  if (!t->has_begun && !response_head_add(&t->request->head, line, size))
    return 0;
  return size;
}

/* The head is complete, and stays as it is: the crawling thread may read it from the first piece of the body on. */
static void begin_body(transfer *t)
{
  fetch_response *response = &t->request->response;
  const char *value;
  curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &response->status);
  for (size_t i = 0; (value = response_head_find(&t->request->head, "Content-Type", i)); i++)
    response->content_type = value; /* the last, as browsers */
  t->has_begun = true;
}

static size_t take_body(char *bytes, size_t one, size_t size, void *context)
{
  transfer *t = context;
  request *r = t->request;
  (void)one;
  if (!t->has_begun)
    begin_body(t);
  uint64_t most = r->receiver.max_body ? r->receiver.max_body : t->owner->options->max_body;
  uint64_t left = most - r->response.body_bytes;
  size_t taken = size <= left ? size : (size_t)left;
  if (taken && !t->owner->receiver.body(t->owner->receiver.context, r, bytes, taken))
    return 0;
  r->response.body_bytes += taken;
  r->response.truncated = taken < size;
  return taken; /* fewer than offered ends the transfer */
}

/* What libcurl shows of a transfer, with --warc: the bytes before any coding is taken off, and the request's. */
static int show_bytes(CURL *easy, curl_infotype kind, char *bytes, size_t size, void *context)
{
  exchange *x = ((transfer *)context)->request->exchange;
  (void)easy;
  if (kind == CURLINFO_HEADER_OUT)
    exchange_add(x, EXCHANGE_REQUEST, bytes, size);
  else if (kind == CURLINFO_HEADER_IN)
    exchange_add(x, EXCHANGE_HEAD, bytes, size);
  else if (kind == CURLINFO_DATA_IN)
    exchange_add(x, EXCHANGE_BODY, bytes, size);
  return 0;
}

/* ---- transfers ------------------------------------------------------------------------------------------ */

static void set_up(transfer *t)
{
  const fetch_options *o = t->owner->options;
  CURL *e = t->easy;
  curl_easy_setopt(e, CURLOPT_PRIVATE, (char *)t);
  curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
  curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
  curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, t);
  curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, before_request);
  curl_easy_setopt(e, CURLOPT_PREREQDATA, t);
  curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(e, CURLOPT_PROXY, o->proxy ? o->proxy : "");
  if (o->proxy) {
    curl_easy_setopt(e, CURLOPT_NOPROXY, ""); /* not the environment's */
    curl_easy_setopt(e, CURLOPT_USERAGENT, o->user_agent); /* the proxy is not told our headers */
  }
  if (o->ca_file)
    curl_easy_setopt(e, CURLOPT_CAINFO, o->ca_file);
  if (t->owner->share) {
    curl_easy_setopt(e, CURLOPT_SHARE, t->owner->share);
    curl_easy_setopt(e, CURLOPT_COOKIEFILE, t->owner->all_count ? "" : o->cookie_file); /* read once */
  }
  curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
  curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, ""); /* decode; what we accept is among our headers */
  curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, o->timeout_ms);
  curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
  if (o->exchange_directory) {
    curl_easy_setopt(e, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(e, CURLOPT_DEBUGFUNCTION, show_bytes);
    curl_easy_setopt(e, CURLOPT_DEBUGDATA, t);
  }
}

static transfer *transfer_create(network *n)
{
  if (n->all_count == n->all_room) {
    size_t room = n->all_room ? 2 * n->all_room : 64;
    transfer **larger = realloc(n->all, room * sizeof *larger);
    if (!larger)
      return NULL;
    n->all = larger;
    n->all_room = room;
  }
  transfer *t = calloc(1, sizeof *t);
  if (!t || !(t->easy = curl_easy_init())) {
    free(t);
    return NULL;
  }
  t->owner = n;
  set_up(t);
  n->all[n->all_count++] = t;
  return t;
}

static transfer *take_idle(network *n)
{
  transfer *t = n->idle;
  if (!t)
    return transfer_create(n);
  n->idle = t->next;
  return t;
}

static void put_idle(transfer *t)
{
  t->request = NULL;
  t->next = t->owner->idle;
  t->owner->idle = t;
}

/* The usual headers of hosts we trust or do not; with conditions, a list of this request's own. */
static bool set_headers(transfer *t)
{
  const request *r = t->request;
  const network *n = t->owner;
  struct curl_slist *usual = r->receiver.is_trusted && n->trusted_headers ? n->trusted_headers : n->headers;
  curl_slist_free_all(t->headers);
  t->headers = NULL;
  if (r->conditions && (!header_list_add_all(&t->headers, usual) || !header_list_add_all(&t->headers, r->conditions)))
    return false;
  return curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers ? t->headers : usual) == CURLE_OK;
}

static bool set_request(transfer *t, request *r)
{
  if (t->is_second_try)
    curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 0L);
  t->request = r;
  t->has_begun = t->was_private = t->was_without_descriptor = t->is_second_try = false;
  if (t->owner->trusted_headers)
    curl_easy_setopt(t->easy, CURLOPT_USERPWD, r->receiver.is_trusted ? t->owner->options->user : NULL);
  return set_headers(t) && curl_easy_setopt(t->easy, CURLOPT_URL, r->url) == CURLE_OK;
}

/* ---- without descriptors --------------------------------------------------------------------------------- */

static uint64_t clock_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static size_t running(const network *n)
{
  return n->active - n->waiting_count;
}

static void put_waiting(transfer *t)
{
  t->next = t->owner->waiting;
  t->owner->waiting = t;
  t->owner->waiting_count++;
}

/* The resolver and the TLS library do not say why they failed. */
static bool lacks_descriptor(const transfer *t, CURLcode code)
{
  switch (code) {
  case CURLE_OK: return false;
  case CURLE_COULDNT_RESOLVE_HOST: case CURLE_COULDNT_RESOLVE_PROXY: case CURLE_SSL_CACERT_BADFILE:
    return t->was_without_descriptor || shortage_is_here();
  default: return t->was_without_descriptor && code == CURLE_COULDNT_CONNECT;
  }
}

/* Also of connections kept for later. */
static void limit_connections(network *n)
{
  long most = n->options->connections;
  if (n->shortage.limit < n->options->connections)
    most = (long)n->shortage.limit;
  curl_multi_setopt(n->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, most);
  curl_multi_setopt(n->multi, CURLMOPT_MAXCONNECTS, most);
}

/* It has not failed. Connections kept for later give their descriptors back first. */
static void postpone(transfer *t)
{
  network *n = t->owner;
  curl_multi_remove_handle(n->multi, t->easy);
  put_waiting(t);
  shortage_note(&n->shortage, running(n), clock_ms());
  limit_connections(n);
}

static void relieve(network *n)
{
  if (n->shortage.was_met && shortage_relieve(&n->shortage, n->options->connections, clock_ms()))
    limit_connections(n);
}

const shortage *network_shortage(const network *n)
{
  return &n->shortage;
}

/* ---- how a request ends ---------------------------------------------------------------------------------- */

/* When the transfer reached what; a TLS handshake is part of connecting. */
static void take_times(const transfer *t, fetch_response *response)
{
  double tls = 0;
  curl_easy_getinfo(t->easy, CURLINFO_NAMELOOKUP_TIME, &response->name_seconds);
  curl_easy_getinfo(t->easy, CURLINFO_CONNECT_TIME, &response->connect_seconds);
  curl_easy_getinfo(t->easy, CURLINFO_APPCONNECT_TIME, &tls);
  curl_easy_getinfo(t->easy, CURLINFO_STARTTRANSFER_TIME, &response->first_byte_seconds);
  curl_easy_getinfo(t->easy, CURLINFO_TOTAL_TIME, &response->seconds);
  if (tls > response->connect_seconds)
    response->connect_seconds = tls;
}

static void take_counts(const transfer *t, fetch_response *response)
{
  curl_off_t wire = 0, retry_after = 0;
  curl_easy_getinfo(t->easy, CURLINFO_SIZE_DOWNLOAD_T, &wire);
  curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &retry_after);
  response->wire_bytes = (uint64_t)wire;
  response->retry_after_s = retry_after > 0 ? (uint64_t)retry_after : 0;
}

static void take_address(const transfer *t)
{
  char *address = NULL;
  curl_easy_getinfo(t->easy, CURLINFO_PRIMARY_IP, &address);
  snprintf(t->request->address, sizeof t->request->address, "%s", address ? address : "");
}

/* The handle may go on to another request: all that is asked for later is copied. */
static void finish(transfer *t, CURLcode code)
{
  network *n = t->owner;
  request *r = t->request;
  fetch_response *response = &r->response;
  if (response->truncated && code == CURLE_WRITE_ERROR)
    code = CURLE_OK;
  if (!t->has_begun)
    begin_body(t);
  const char *location = response_head_find(&r->head, "Location", 0);
  response->location = location ? location : "";
  response->error = t->was_private ? FETCH_PRIVATE : fetch_error_of(code);
  response->explanation = t->was_private ? not_public : curl_easy_strerror(code);
  take_times(t, response);
  take_counts(t, response);
  take_address(t);
  curl_multi_remove_handle(n->multi, t->easy);
  n->active--;
  put_idle(t);
  n->receiver.finished(n->receiver.context, r);
}

/* It came to nothing, and not because of the network. */
static void fail(network *n, request *r, fetch_error error, const char *explanation)
{
  r->response.error = error;
  r->response.explanation = explanation;
  n->receiver.finished(n->receiver.context, r);
}

/* A connection that was kept alive may die under a request, when the server loses patience at the same moment. Nothing
 * came back, so nothing was done: ask once more, on a new connection (RFC 9112, section 9.3.1). libcurl tries again by
 * itself, but on other kept connections, which are as old, and gives up after five. */
static bool try_again(transfer *t, CURLcode code)
{
  long new_connections = 1, head_bytes = 1;
  bool is_broken = code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING;
  if (!is_broken || t->is_second_try)
    return false;
  curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &new_connections);
  curl_easy_getinfo(t->easy, CURLINFO_HEADER_SIZE, &head_bytes);
  if (new_connections || head_bytes)
    return false;
  t->is_second_try = true;
  curl_multi_remove_handle(t->owner->multi, t->easy);
  curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 1L);
  return curl_multi_add_handle(t->owner->multi, t->easy) == CURLM_OK;
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

network *network_create(const fetch_options *options, network_receiver receiver)
{
  network *n = calloc(1, sizeof *n);
  if (!n || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    free(n);
    return NULL;
  }
  n->options = options;
  n->receiver = receiver;
  n->shortage.limit = SIZE_MAX;
  n->multi = curl_multi_init();
  n->headers = header_list_create(options, NULL);
  bool has_trust = options->user || options->headers;
  n->trusted_headers = has_trust ? header_list_create(options, options->headers) : NULL;
  n->share = options->cookie_file ? curl_share_init() : NULL;
  if (!n->multi || !n->headers || (has_trust && !n->trusted_headers) || (options->cookie_file && !n->share)) {
    network_free(n);
    return NULL;
  }
  if (n->share)
    curl_share_setopt(n->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
  limit_connections(n);
  return n;
}

void network_free(network *n)
{
  if (!n)
    return;
  for (size_t i = 0; i < n->all_count; i++) {
    curl_multi_remove_handle(n->multi, n->all[i]->easy);
    curl_easy_cleanup(n->all[i]->easy);
    curl_slist_free_all(n->all[i]->headers);
    free(n->all[i]);
  }
  free(n->all);
  curl_multi_cleanup(n->multi);
  curl_slist_free_all(n->headers);
  curl_slist_free_all(n->trusted_headers);
  curl_share_cleanup(n->share);
  curl_global_cleanup();
  free(n);
}

/* A proxy would connect to whatever we name. */
static bool is_for_proxy_to_refuse(const fetch_options *o, const char *url)
{
  const char *host = strstr(url, "://");
  if (o->allow_private || !o->proxy)
    return false;
  return !host || !guard_host_is_public(host + 3, strcspn(host + 3, "/?#"));
}

void network_begin(network *n, request *r)
{
  static const char no_memory[] = "out of memory";
  if (is_for_proxy_to_refuse(n->options, r->url)) {
    fail(n, r, FETCH_PRIVATE, not_public);
    return;
  }
  transfer *t = take_idle(n);
  if (!t) {
    fail(n, r, FETCH_OTHER, no_memory);
    return;
  }
  bool is_set = set_request(t, r), is_turn = running(n) < n->shortage.limit;
  if (!is_set || (is_turn && curl_multi_add_handle(n->multi, t->easy) != CURLM_OK)) {
    put_idle(t);
    fail(n, r, FETCH_OTHER, no_memory);
    return;
  }
  n->active++;
  if (!is_turn)
    put_waiting(t);
}

static void collect(network *n)
{
  int left;
  for (CURLMsg *message; (message = curl_multi_info_read(n->multi, &left));) {
    if (message->msg != CURLMSG_DONE)
      continue;
    transfer *t;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t);
    CURLcode code = message->data.result; /* the message goes with the handle */
    if (lacks_descriptor(t, code)) {
      postpone(t);
      continue;
    }
    relieve(n);
    if (!try_again(t, code))
      finish(t, code);
  }
}

static void start_waiting(network *n)
{
  if (!n->waiting || clock_ms() < n->shortage.retry_at_ms)
    return;
  while (n->waiting && running(n) < n->shortage.limit) {
    transfer *t = n->waiting;
    n->waiting = t->next;
    n->waiting_count--;
    t->was_without_descriptor = false;
    if (curl_multi_add_handle(n->multi, t->easy) != CURLM_OK)
      finish(t, CURLE_OUT_OF_MEMORY);
  }
}

void network_work(network *n)
{
  int still;
  start_waiting(n);
  curl_multi_perform(n->multi, &still);
  collect(n);
}

void network_wait(network *n, int wait_ms)
{
  if (n->waiting && wait_ms > DESCRIPTORS_MS)
    wait_ms = DESCRIPTORS_MS; /* nobody tells that there are some again */
  /* poll(2) refuses more than RLIMIT_NOFILE */
  if (curl_multi_poll(n->multi, NULL, 0, wait_ms, NULL) != CURLM_OK)
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

void network_wake(network *n)
{
  curl_multi_wakeup(n->multi);
}
