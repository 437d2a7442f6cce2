/* See fetch.h. A `transfer` is one curl easy handle, set up once and used again and again: setting it up anew for
 * every page would cost more than parsing the page. */
#include "crawler/fetch.h"

#include "crawler/guard.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_NS = 10000000 }; /* where waiting itself fails */

struct transfer {
  struct transfer *next;    /* in the list of idle ones */
  fetcher *owner;
  CURL *easy;
  exchange *exchange;       /* NULL: not kept */
  fetch_receiver receiver;
  uint64_t body_bytes;
  uint64_t start_ms;        /* of the Unix epoch */
  long status;
  const char *content_type; /* libcurl's, while the transfer lives */
  uint64_t headers_seen;    /* bits of their names: header_bit */
  struct curl_slist *conditions; /* headers of this request, if it has conditions */
  bool has_begun;           /* the first body byte came */
  bool was_private;
  bool was_without_descriptor;
  bool is_truncated;
  bool is_second_try;       /* on a connection of its own: see try_again */
};

struct fetcher {
  CURLM *multi;
  CURLSH *share;                      /* cookies; NULL: none */
  struct curl_slist *headers;
  struct curl_slist *trusted_headers; /* and those of the options; NULL: neither headers nor user are given */
  transfer *refused;                  /* by the text of their host; to be finished with the next poll */
  fetch_options options;
  transfer *waiting;                  /* for others to give descriptors back */
  size_t waiting_count;
  shortage shortage;
  transfer *idle;
  transfer **all;
  size_t all_count, all_room;
  size_t active;
};

const char *fetch_error_name(fetch_error error)
{
  static const char *const names[FETCH_ERRORS] = {"ok",      "name",   "connect",  "private", "tls",
                                                  "timeout", "broken", "encoding", "other"};
  return (unsigned)error < FETCH_ERRORS ? names[error] : "other";
}

/* ---- what libcurl calls --------------------------------------------------------------------------------- */

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
  transfer *t = context;
  (void)purpose;
  const fetch_options *o = &t->owner->options;
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
  if (t->owner->options.allow_private || t->owner->options.proxy || guard_text_is_public(remote))
    return CURL_PREREQFUNC_OK;
  t->was_private = true;
  return CURL_PREREQFUNC_ABORT;
}

/* libcurl looks for a header by comparing it with all that came; most that are asked for did not. */
static uint64_t header_bit(const char *name, size_t size)
{
  return (uint64_t)1 << (((unsigned char)*name | 32U) + 5 * size) % 64;
}

static size_t note_header(char *line, size_t one, size_t size, void *context)
{
  transfer *t = context;
  const char *colon = memchr(line, ':', size);
  if (colon)
    t->headers_seen |= header_bit(line, (size_t)(colon - line));
  return one * size;
}

static void begin_body(transfer *t)
{
  char *type = NULL;
  curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &t->status);
  curl_easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type);
  t->content_type = type ? type : "";
  t->has_begun = true;
}

static size_t take_body(char *bytes, size_t one, size_t size, void *context)
{
  transfer *t = context;
  (void)one;
  if (!t->has_begun)
    begin_body(t);
  uint64_t left = (t->receiver.max_body ? t->receiver.max_body : t->owner->options.max_body) - t->body_bytes;
  size_t taken = size <= left ? size : (size_t)left;
  if (taken)
    t->receiver.body(t->receiver.context, t->status, t->content_type, bytes, taken);
  t->body_bytes += taken;
  t->is_truncated = taken < size;
  return taken; /* fewer than offered ends the transfer */
}

/* ---- transfers ------------------------------------------------------------------------------------------ */

static void set_up(transfer *t)
{
  const fetch_options *o = &t->owner->options;
  CURL *e = t->easy;
  curl_easy_setopt(e, CURLOPT_PRIVATE, (char *)t);
  curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
  curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, note_header);
  curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
  curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, t);
  curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, before_request);
  curl_easy_setopt(e, CURLOPT_PREREQDATA, t);
  curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(e, CURLOPT_PROXY, o->proxy ? o->proxy : "");
  if (o->proxy)
    curl_easy_setopt(e, CURLOPT_NOPROXY, ""); /* not the environment's */
  if (o->ca_file)
    curl_easy_setopt(e, CURLOPT_CAINFO, o->ca_file);
  if (t->owner->share) {
    curl_easy_setopt(e, CURLOPT_SHARE, t->owner->share);
    curl_easy_setopt(e, CURLOPT_COOKIEFILE, t->owner->all_count ? "" : o->cookie_file); /* read once */
  }
  curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
  curl_easy_setopt(e, CURLOPT_USERAGENT, o->user_agent);
  curl_easy_setopt(e, CURLOPT_HTTPHEADER, t->owner->headers);
  curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, o->timeout_ms);
  curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
}

/* What libcurl shows of a transfer, with --warc: the bytes before any coding is taken off, and the request's. */
static int show_bytes(CURL *easy, curl_infotype kind, char *bytes, size_t size, void *context)
{
  transfer *t = context;
  (void)easy;
  if (kind == CURLINFO_HEADER_OUT)
    exchange_add(t->exchange, EXCHANGE_REQUEST, bytes, size);
  else if (kind == CURLINFO_HEADER_IN)
    exchange_add(t->exchange, EXCHANGE_HEAD, bytes, size);
  else if (kind == CURLINFO_DATA_IN)
    exchange_add(t->exchange, EXCHANGE_BODY, bytes, size);
  return 0;
}

/* A body is as long on the wire as decoded, or shorter; twice that is more than any honest chunking adds. */
static bool keep_exchange(transfer *t)
{
  const fetch_options *o = &t->owner->options;
  if (!o->exchange_directory)
    return true;
  t->exchange = exchange_create(o->exchange_directory, 2 * o->max_body + CURL_MAX_WRITE_SIZE, o->headers);
  curl_easy_setopt(t->easy, CURLOPT_VERBOSE, 1L);
  curl_easy_setopt(t->easy, CURLOPT_DEBUGFUNCTION, show_bytes);
  curl_easy_setopt(t->easy, CURLOPT_DEBUGDATA, t);
  curl_easy_setopt(t->easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate"); /* what every reader of archives undoes */
  return t->exchange;
}

static transfer *transfer_create(fetcher *f)
{
  if (f->all_count == f->all_room) {
    size_t room = f->all_room ? 2 * f->all_room : 64;
    transfer **larger = realloc(f->all, room * sizeof *larger);
    if (!larger)
      return NULL;
    f->all = larger;
    f->all_room = room;
  }
  transfer *t = calloc(1, sizeof *t);
  if (!t || !(t->easy = curl_easy_init())) {
    free(t);
    return NULL;
  }
  t->owner = f;
  set_up(t);
  if (!keep_exchange(t)) {
    curl_easy_cleanup(t->easy);
    free(t);
    return NULL;
  }
  f->all[f->all_count++] = t;
  return t;
}

static void put_idle(transfer *t)
{
  t->next = t->owner->idle;
  t->owner->idle = t;
}

/* One more at the end; false: out of memory. */
static bool add_header(struct curl_slist **list, const char *header)
{
  struct curl_slist *longer = curl_slist_append(*list, header);
  if (longer)
    *list = longer;
  return longer != NULL;
}

static bool add_condition(struct curl_slist **list, const char *name, const char *value)
{
  size_t size = strlen(name) + sizeof ": " + (value ? strlen(value) : 0);
  char *header = malloc(size);
  if (header && value)
    snprintf(header, size, "%s: %s", name, value);
  bool all = header && (!value || add_header(list, header));
  free(header);
  return all;
}

/* The usual headers of hosts we trust or do not; with conditions, a list of this request's own. */
static bool set_headers(transfer *t)
{
  const fetch_receiver *r = &t->receiver;
  struct curl_slist *usual = r->is_trusted && t->owner->trusted_headers ? t->owner->trusted_headers : t->owner->headers;
  curl_slist_free_all(t->conditions);
  t->conditions = NULL;
  bool all = true;
  if (r->if_none_match || r->if_modified_since) {
    for (const struct curl_slist *each = usual; each && all; each = each->next)
      all = add_header(&t->conditions, each->data);
    all = all && add_condition(&t->conditions, "If-None-Match", r->if_none_match) &&
          add_condition(&t->conditions, "If-Modified-Since", r->if_modified_since);
    usual = t->conditions;
  }
  return all && curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, usual) == CURLE_OK;
}

static void set_trust(transfer *t, bool is_trusted)
{
  curl_easy_setopt(t->easy, CURLOPT_USERPWD, is_trusted ? t->owner->options.user : NULL);
}

/* A proxy would connect to whatever we name. */
static bool is_for_proxy_to_refuse(const fetcher *f, const char *url)
{
  const char *host = strstr(url, "://");
  if (f->options.allow_private || !f->options.proxy)
    return false;
  return !host || !guard_host_is_public(host + 3, strcspn(host + 3, "/?#"));
}

/* ---- without descriptors --------------------------------------------------------------------------------- */

static uint64_t clock_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static size_t running(const fetcher *f)
{
  return f->active - f->waiting_count;
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

/* Now, or when it is its turn; false: out of memory. */
static bool begin(transfer *t)
{
  if (running(t->owner) < t->owner->shortage.limit)
    return curl_multi_add_handle(t->owner->multi, t->easy) == CURLM_OK;
  put_waiting(t);
  return true;
}

/* It has not failed. Connections kept for later give their descriptors back first. */
static void postpone(transfer *t)
{
  fetcher *f = t->owner;
  curl_multi_remove_handle(f->multi, t->easy);
  put_waiting(t);
  shortage_note(&f->shortage, running(f), clock_ms());
  curl_multi_setopt(f->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)f->shortage.limit);
  curl_multi_setopt(f->multi, CURLMOPT_MAXCONNECTS, (long)f->shortage.limit);
}

const shortage *fetch_shortage(const fetcher *f)
{
  return &f->shortage;
}

/* ---- starting and ending ---------------------------------------------------------------------------------- */

static uint64_t epoch_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool fetch_start(fetcher *f, const char *url, fetch_receiver receiver)
{
  transfer *t = f->idle;
  if (t)
    f->idle = t->next;
  else if (!(t = transfer_create(f)))
    return false;
  if (t->is_second_try)
    curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 0L);
  t->receiver = receiver;
  if (t->exchange)
    exchange_begin(t->exchange);
  t->body_bytes = 0;
  t->headers_seen = 0;
  t->start_ms = epoch_ms();
  t->has_begun = t->was_private = t->was_without_descriptor = t->is_truncated = t->is_second_try = false;
  if (f->trusted_headers)
    set_trust(t, receiver.is_trusted);
  if (is_for_proxy_to_refuse(f, url)) {
    t->next = f->refused;
    f->refused = t;
  } else if (!set_headers(t) || curl_easy_setopt(t->easy, CURLOPT_URL, url) != CURLE_OK || !begin(t)) {
    put_idle(t);
    return false;
  }
  f->active++;
  return true;
}

static fetch_error classify(const transfer *t, CURLcode code)
{
  if (t->was_private)
    return FETCH_PRIVATE;
  switch (code) {
  case CURLE_OK: return FETCH_OK;
  case CURLE_COULDNT_RESOLVE_HOST: return FETCH_NAME;
  case CURLE_COULDNT_CONNECT: return FETCH_CONNECT;
  case CURLE_OPERATION_TIMEDOUT: return FETCH_TIMEOUT;
  case CURLE_SSL_CONNECT_ERROR: case CURLE_PEER_FAILED_VERIFICATION: case CURLE_SSL_CERTPROBLEM:
  case CURLE_SSL_CACERT_BADFILE: return FETCH_TLS;
  case CURLE_GOT_NOTHING: case CURLE_RECV_ERROR: case CURLE_SEND_ERROR: case CURLE_PARTIAL_FILE:
  case CURLE_HTTP2: case CURLE_HTTP2_STREAM: case CURLE_WEIRD_SERVER_REPLY: case CURLE_UNSUPPORTED_PROTOCOL:
    return FETCH_BROKEN;
  case CURLE_BAD_CONTENT_ENCODING: return FETCH_ENCODING;
  default: return FETCH_OTHER;
  }
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

const char *fetch_header(const fetch_response *response, const char *name, size_t nth)
{
  struct curl_header *found;
  bool is_there = response->transfer && response->transfer->headers_seen & header_bit(name, strlen(name)) &&
                  curl_easy_header(response->transfer->easy, name, nth, CURLH_HEADER, -1, &found) == CURLHE_OK;
  return is_there ? found->value : NULL;
}

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
  response->start_ms = t->start_ms;
}

static void finish(transfer *t, CURLcode code)
{
  fetcher *f = t->owner;
  if (t->is_truncated && code == CURLE_WRITE_ERROR)
    code = CURLE_OK;
  curl_off_t wire = 0;
  if (!t->has_begun)
    begin_body(t);
  fetch_response response = {.transfer = t, .error = classify(t, code), .status = t->status,
                             .content_type = t->content_type, .body_bytes = t->body_bytes,
                             .truncated = t->is_truncated};
  const char *location = fetch_header(&response, "Location", 0);
  response.location = location ? location : "";
  response.explanation = response.error == FETCH_PRIVATE ? "not a public address" : curl_easy_strerror(code);
  char *address = NULL;
  curl_easy_getinfo(t->easy, CURLINFO_PRIMARY_IP, &address);
  response.address = address ? address : "";
  response.exchange = t->exchange;
  curl_easy_getinfo(t->easy, CURLINFO_SIZE_DOWNLOAD_T, &wire);
  take_times(t, &response);
  response.wire_bytes = (uint64_t)wire;
  curl_off_t retry_after = 0;
  curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &retry_after);
  response.retry_after_s = retry_after > 0 ? (uint64_t)retry_after : 0;
  curl_multi_remove_handle(f->multi, t->easy);
  f->active--;
  t->receiver.finished(t->receiver.context, &response);
  put_idle(t); /* only now: `response` points into the handle */
}

static void finish_refused(transfer *t)
{
  fetch_response response = {.error = FETCH_PRIVATE, .explanation = "not a public address", .content_type = "",
                             .location = ""};
  t->owner->active--;
  t->receiver.finished(t->receiver.context, &response);
  put_idle(t);
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

/* The Accept header and these; NULL: out of memory. */
static struct curl_slist *header_list(const char *const *more)
{
  struct curl_slist *list = curl_slist_append(NULL, "Accept: text/html,application/xhtml+xml,*/*;q=0.8");
  for (; list && more && *more; more++) {
    struct curl_slist *longer = curl_slist_append(list, *more);
    if (!longer)
      curl_slist_free_all(list);
    list = longer;
  }
  return list;
}

fetcher *fetcher_create(const fetch_options *options)
{
  fetcher *f = calloc(1, sizeof *f);
  if (!f || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    free(f);
    return NULL;
  }
  f->options = *options;
  f->shortage.limit = SIZE_MAX;
  f->multi = curl_multi_init();
  f->headers = header_list(NULL);
  bool has_trust = options->user || options->headers;
  f->trusted_headers = has_trust ? header_list(options->headers) : NULL;
  f->share = options->cookie_file ? curl_share_init() : NULL;
  if (!f->multi || !f->headers || (has_trust && !f->trusted_headers) || (options->cookie_file && !f->share)) {
    fetcher_free(f);
    return NULL;
  }
  if (f->share)
    curl_share_setopt(f->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
  curl_multi_setopt(f->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)options->connections);
  curl_multi_setopt(f->multi, CURLMOPT_MAXCONNECTS, (long)options->connections);
  return f;
}

void fetcher_free(fetcher *f)
{
  if (!f)
    return;
  for (size_t i = 0; i < f->all_count; i++) {
    curl_multi_remove_handle(f->multi, f->all[i]->easy);
    curl_easy_cleanup(f->all[i]->easy);
    curl_slist_free_all(f->all[i]->conditions);
    exchange_free(f->all[i]->exchange);
    free(f->all[i]);
  }
  free(f->all);
  curl_multi_cleanup(f->multi);
  curl_slist_free_all(f->headers);
  curl_slist_free_all(f->trusted_headers);
  curl_share_cleanup(f->share);
  curl_global_cleanup();
  free(f);
}

size_t fetch_active(const fetcher *f)
{
  return f->active;
}

static bool collect(fetcher *f)
{
  bool any = false;
  for (transfer *t; (t = f->refused);) {
    f->refused = t->next;
    finish_refused(t);
    any = true;
  }
  int left;
  for (CURLMsg *message; (message = curl_multi_info_read(f->multi, &left));)
    if (message->msg == CURLMSG_DONE) {
      transfer *t;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t);
      CURLcode code = message->data.result; /* the message goes with the handle */
      if (lacks_descriptor(t, code)) {
        postpone(t);
      } else {
        shortage_relieve(&f->shortage);
        if (!try_again(t, code))
          finish(t, code);
      }
      any = true;
    }
  return any;
}

static void start_waiting(fetcher *f)
{
  if (!f->waiting || clock_ms() < f->shortage.retry_at_ms)
    return;
  while (f->waiting && running(f) < f->shortage.limit) {
    transfer *t = f->waiting;
    f->waiting = t->next;
    f->waiting_count--;
    t->was_without_descriptor = false;
    if (curl_multi_add_handle(f->multi, t->easy) != CURLM_OK)
      finish(t, CURLE_OUT_OF_MEMORY);
  }
}

void fetch_poll(fetcher *f, int wait_ms)
{
  start_waiting(f);
  int running;
  curl_multi_perform(f->multi, &running);
  if (collect(f))
    return;
  if (curl_multi_poll(f->multi, NULL, 0, wait_ms, NULL) != CURLM_OK) /* poll(2) refuses more than RLIMIT_NOFILE */
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}
