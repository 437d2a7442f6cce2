/* See transfer.h. */
#include "crawler/http/transfer.h"

#include "crawler/http/fetch_error.h"
#include "crawler/http/ssrf_guard.h"
#include "crawler/http/header_list.h"
#include "crawler/http/fd_limit.h"
#include "frontier/base/machine.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long libcurl remembers the address of a name. At the end of each transfer it goes over all names it remembers:
 * with its 60 seconds, 7 us a page for each 1,000 hosts met in a minute. Connections are kept, so names are seldom
 * asked for again. */
enum { NAMES_S = 2 };

const char transfer_not_public[] = "not a public address; --allow-private fetches it";

/* ---- what libcurl calls ----------------------------------------------------------------------------------- */

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
  transfer *t = context;
  (void)purpose;
  const fetch_options *o = t->setting->options;
  if (!o->allow_private && !o->proxy && !ssrf_address_is_public(&address->addr)) {
    t->was_private = true;
    return CURL_SOCKET_BAD;
  }
  int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  t->was_without_descriptor |= fd < 0 && (errno == EMFILE || errno == ENFILE);
  if (fd >= 0)
    kept_opened(t->setting->kept, &t->connection, fd);
  return fd;
}

static int close_socket(void *context, curl_socket_t fd)
{
  kept_closed(context, fd);
  return close(fd);
}

/* Before each request, also on a connection that was there: open_socket is not asked again for those. */
static int before_request(void *context, char *remote, char *local, int remote_port, int local_port)
{
  transfer *t = context;
  t->tls.is_shaking = false;
  kept_ends ends = {.local = local, .local_port = local_port, .remote = remote, .remote_port = remote_port};
  if (!kept_use(t->setting->kept, &t->connection, ends, machine_monotonic_ms()))
    curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, 1L);
  if (t->setting->options->allow_private || t->setting->options->proxy || ssrf_text_is_public(remote))
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

/* Its host wants to rest, longer than a connection lasts. */
static bool is_told_to_wait(const transfer *t)
{
  curl_off_t seconds = 0;
  long status = t->request->response.status;
  if (status == 429 || status == 503)
    curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &seconds);
  return seconds > FETCH_IDLE_S;
}

/* The head is complete, and stays as it is: the crawling thread may read it from the first piece of the body on. */
static void begin_body(transfer *t)
{
  fetch_response *response = &t->request->response;
  assert(!t->has_begun);
  const char *value;
  curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &response->status);
  for (size_t i = 0; (value = response_head_find(&t->request->head, "Content-Type", i)); i++)
    response->content_type = value; /* the last, as browsers */
  if (is_told_to_wait(t))
    curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, 1L);
  t->has_begun = true;
}

static size_t take_body(char *bytes, size_t one, size_t size, void *context)
{
  transfer *t = context;
  request *r = t->request;
  (void)one;
  if (!t->has_begun)
    begin_body(t);
  uint64_t most = r->receiver.max_body ? r->receiver.max_body : t->setting->options->max_body;
  assert(r->response.body_bytes <= most);
  uint64_t left = most - r->response.body_bytes;
  size_t taken = size <= left ? size : (size_t)left;
  if (taken && !t->setting->body(t->setting->context, r, bytes, taken))
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

/* ---- a request begins ------------------------------------------------------------------------------------- */

static void set_up(transfer *t, bool is_first)
{
  const fetch_options *o = t->setting->options;
  CURL *e = t->easy;
  curl_easy_setopt(e, CURLOPT_PRIVATE, (char *)t);
  curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->said);
  curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
  curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
  curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, t);
  curl_easy_setopt(e, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  curl_easy_setopt(e, CURLOPT_CLOSESOCKETDATA, t->setting->kept);
  curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, before_request);
  curl_easy_setopt(e, CURLOPT_PREREQDATA, t);
  curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(e, CURLOPT_PROXY, o->proxy ? o->proxy : "");
  if (o->proxy) {
    curl_easy_setopt(e, CURLOPT_NOPROXY, "");              /* not the environment's */
    curl_easy_setopt(e, CURLOPT_USERAGENT, o->user_agent); /* the proxy is not told our headers */
  }
  if (t->setting->tls)
    tls_set_up(t->setting->tls, e, &t->tls);
  if (t->setting->share) {
    curl_easy_setopt(e, CURLOPT_SHARE, t->setting->share);
    curl_easy_setopt(e, CURLOPT_COOKIEFILE, is_first ? o->cookie_file : ""); /* read once */
  }
  curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
  /* With one request at a time there is nothing to multiplex, and HTTP/2's connection takes twice the memory. */
  curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)(o->multiplexes ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, ""); /* decode; what we accept is among our headers */
  curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, o->timeout_ms);
  curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(e, CURLOPT_DNS_CACHE_TIMEOUT, (long)NAMES_S);
  curl_easy_setopt(e, CURLOPT_MAXAGE_CONN, (long)FETCH_IDLE_S);
  if (o->exchange_directory) {
    curl_easy_setopt(e, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(e, CURLOPT_DEBUGFUNCTION, show_bytes);
    curl_easy_setopt(e, CURLOPT_DEBUGDATA, t);
  }
}

transfer *transfer_create(const transfer_setting *setting, bool is_first)
{
  transfer *t = calloc(1, sizeof *t);
  if (!t || !(t->easy = curl_easy_init())) {
    free(t);
    return NULL;
  }
  t->setting = setting;
  set_up(t, is_first);
  return t;
}

void transfer_free(transfer *t)
{
  curl_easy_cleanup(t->easy);
  curl_slist_free_all(t->headers);
  free(t);
}

/* The usual headers of hosts we trust or do not; with conditions, a list of this request's own. */
static bool set_headers(transfer *t)
{
  const request *r = t->request;
  const transfer_setting *s = t->setting;
  struct curl_slist *usual = r->receiver.is_trusted && s->trusted_headers ? s->trusted_headers : s->headers;
  curl_slist_free_all(t->headers);
  t->headers = NULL;
  if (r->conditions && (!header_list_add_all(&t->headers, usual) || !header_list_add_all(&t->headers, r->conditions)))
    return false;
  return curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers ? t->headers : usual) == CURLE_OK;
}

bool transfer_set(transfer *t, request *r)
{
  if (t->is_second_try)
    curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 0L);
  assert(!t->request);
  t->request = r;
  *t->said = '\0';
  t->has_begun = t->was_private = t->was_without_descriptor = t->is_second_try = t->tls.is_shaking = false;
  /* To see whether the first connection to a host is HTTP/2; without TLS none is, and the first answer may be slow. */
  bool waits = t->setting->options->multiplexes && strncmp(r->url, "https:", strlen("https:")) == 0;
  curl_easy_setopt(t->easy, CURLOPT_PIPEWAIT, (long)waits);
  curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, (long)r->receiver.is_last);
  if (t->setting->trusted_headers)
    curl_easy_setopt(t->easy, CURLOPT_USERPWD, r->receiver.is_trusted ? t->setting->options->user : NULL);
  return set_headers(t) && curl_easy_setopt(t->easy, CURLOPT_URL, r->url) == CURLE_OK;
}

/* ---- and ends --------------------------------------------------------------------------------------------- */

bool transfer_lacks_descriptor(const transfer *t, CURLcode code)
{
  switch (code) {
  case CURLE_OK: return false;
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_SSL_CACERT_BADFILE: return t->was_without_descriptor || fd_limit_is_here();
  default: return t->was_without_descriptor && code == CURLE_COULDNT_CONNECT;
  }
}

bool transfer_deserves_second_try(const transfer *t, CURLcode code)
{
  long new_connections = 1, head_bytes = 1;
  bool is_broken = code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING;
  if (!is_broken || t->is_second_try)
    return false;
  curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &new_connections);
  curl_easy_getinfo(t->easy, CURLINFO_HEADER_SIZE, &head_bytes);
  return !new_connections && !head_bytes;
}

void transfer_set_second_try(transfer *t)
{
  t->is_second_try = true;
  curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 1L);
}

/* When the transfer reached what; a TLS handshake is part of connecting. */
static void take_times(const transfer *t, fetch_response *response)
{
  double handshake = 0;
  curl_easy_getinfo(t->easy, CURLINFO_NAMELOOKUP_TIME, &response->name_seconds);
  curl_easy_getinfo(t->easy, CURLINFO_CONNECT_TIME, &response->connect_seconds);
  curl_easy_getinfo(t->easy, CURLINFO_APPCONNECT_TIME, &handshake);
  curl_easy_getinfo(t->easy, CURLINFO_STARTTRANSFER_TIME, &response->first_byte_seconds);
  curl_easy_getinfo(t->easy, CURLINFO_TOTAL_TIME, &response->seconds);
  if (handshake > response->connect_seconds)
    response->connect_seconds = handshake;
}

static void take_counts(const transfer *t, fetch_response *response)
{
  curl_off_t wire = 0, retry_after = 0;
  curl_easy_getinfo(t->easy, CURLINFO_SIZE_DOWNLOAD_T, &wire);
  curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &retry_after);
  response->wire_bytes = (uint64_t)wire;
  response->retry_after_s = retry_after > 0 ? (uint64_t)retry_after : 0;
}

/* libcurl calls that a connection that broke. */
static bool was_refused_by_proxy(CURLcode code, long answer)
{
  return code == CURLE_RECV_ERROR && answer && answer / 100 != 2;
}

static fetch_error error_of(const transfer *t, CURLcode code)
{
  long answer = 0;
  curl_easy_getinfo(t->easy, CURLINFO_HTTP_CONNECTCODE, &answer);
  return was_refused_by_proxy(code, answer) ? FETCH_CONNECT : fetch_error_of(code);
}

static void take_address(const transfer *t)
{
  char *address = NULL;
  curl_easy_getinfo(t->easy, CURLINFO_PRIMARY_IP, &address);
  snprintf(t->request->address, sizeof t->request->address, "%s", address ? address : "");
}

/* The words of libcurl, but where the user can do something about it. */
static const char *explain(const transfer *t, CURLcode code)
{
  long answer = 0;
  char *text = t->request->explanation;
  if (fetch_error_of(code) == FETCH_TLS) {
    tls_explain(t->easy, code, t->said, text, REQUEST_EXPLANATION);
    return text;
  }
  if (code == CURLE_OPERATION_TIMEDOUT && t->tls.is_shaking)
    return "the TLS handshake did not end in time (--timeout)";
  curl_easy_getinfo(t->easy, CURLINFO_HTTP_CONNECTCODE, &answer);
  if (!was_refused_by_proxy(code, answer))
    return curl_easy_strerror(code);
  snprintf(text, REQUEST_EXPLANATION, "the proxy does not connect to it: it answered %ld", answer);
  return text;
}

void transfer_conclude(transfer *t, CURLcode code)
{
  request *r = t->request;
  fetch_response *response = &r->response;
  if (response->truncated && code == CURLE_WRITE_ERROR)
    code = CURLE_OK;
  if (!t->has_begun)
    begin_body(t);
  const char *location = response_head_find(&r->head, "Location", 0);
  response->location = location ? location : "";
  kept_release(t->setting->kept, &t->connection, machine_monotonic_ms());
  response->error = t->was_private ? FETCH_PRIVATE : error_of(t, code);
  response->explanation = t->was_private ? transfer_not_public : explain(t, code);
  take_times(t, response);
  take_counts(t, response);
  take_address(t);
}
