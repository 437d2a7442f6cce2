/* See transfer.h. */
#include "crawler/http/transfer.h"

#include "crawler/http/address_key.h"
#include "crawler/http/address_share.h"
#include "crawler/http/fetch_error.h"
#include "crawler/http/ssrf_guard.h"
#include "crawler/http/header_list.h"
#include "crawler/http/http_head.h"
#include "crawler/http/fd_limit.h"
#include "frontier/base/machine.h"

#include <assert.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* What libcurl takes from a connection at once. With its 16 KiB a page of 70 kB takes five calls of recv and of poll.
 * Pages of memory that small bodies do not need are not touched. */
enum { RECEIVE_BYTES = 32 << 10 };

/* How long libcurl remembers the address of a name. At the end of each transfer it goes over all names it remembers:
 * with its 60 seconds, 7 us a page for each 1,000 hosts met in a minute. Connections are kept, so names are seldom
 * asked for again. */
enum { NAMES_S = 2 };

/* What a redirect's body is waited for: short ones come with their head, and then the connection can be kept. */
enum { REDIRECT_BODY_MS = 1000 };

const char transfer_not_public[] = "not a public address; --allow-private fetches it";

static const char no_status[] = "its status line has no valid status",
                  no_field[] = "a line of its header is no header field",
                  no_coding[] = "its body is not coded as its header says";

/* false: the address has had its share. Then its name leads there, which is worth to know. */
static bool take_share(transfer *t, uint64_t key)
{
  bool is_free = !t->setting->addresses ||
                 address_share_take(t->setting->addresses, key, machine_monotonic_ms(), &t->busy_ms);
  t->paid_key = is_free ? key : 0;
  return is_free;
}

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
  if (!take_share(t, address_key(&address->addr))) {
    getnameinfo(&address->addr, address->addrlen, t->request->address, sizeof t->request->address, NULL, 0,
                NI_NUMERICHOST);
    return CURL_SOCKET_BAD;
  }
  int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  t->was_without_descriptor |= fd < 0 && (errno == EMFILE || errno == ENFILE);
  if (fd >= 0)
    kept_opened(t->setting->kept, &t->connection, fd);
  return fd;
}

/* Addresses need no thread. Names do, and the proxy's is the only one, if there is a proxy. */
static bool is_name(const transfer *t)
{
  const char *proxy = t->setting->options->proxy, *address = proxy ? proxy : t->request->url;
  const char *scheme_end = strstr(address, "://"), *host = scheme_end ? scheme_end + 3 : address;
  return *host != '[' && !strchr(":/?#", host[strspn(host, "0123456789.")]);
}

static bool is_https(const transfer *t)
{
  return strncmp(t->request->url, "https:", strlen("https:")) == 0;
}

static int start_resolving(void *resolver, void *reserved, void *context)
{
  transfer *t = context;
  (void)resolver, (void)reserved;
  return is_name(t) && !name_limit_take(t->setting->names, machine_monotonic_ms(), &t->busy_ms);
}

static int close_socket(void *context, curl_socket_t fd)
{
  kept_closed(context, fd);
  return close(fd);
}

/* Over its connection, since that was opened; 0: not known. */
static uint64_t wire_bytes(const transfer *t)
{
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  if (!t->connection.uses.serial || getsockopt(t->connection.uses.socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
    return 0;
  return info.tcpi_bytes_received;
}

/* What comes over an idle connection answers nothing (RFC 9112, 9.2), but libcurl (7.88) takes it for the next answer.
 * Where TLS cannot be looked into, any byte counts, but may be an HTTP/2 server's. */
static bool is_silent(const transfer *t)
{
  const fetch_options *o = t->setting->options;
  bool is_inside_tls = o->proxy && strncasecmp(o->proxy, "https:", strlen("https:")) == 0;
  if (t->tls.connection && !is_inside_tls)
    return tls_is_silent(&t->tls, t->connection.uses.socket, !kept_is_silent(&t->connection));
  return (o->multiplexes && is_https(t)) || kept_is_silent(&t->connection);
}

/* Before each request, also on a connection that was there: open_socket is not asked again for those. */
static int before_request(void *context, char *remote, char *local, int remote_port, int local_port)
{
  transfer *t = context;
  t->tls.is_shaking = false;
  tls_use(t->easy, &t->tls);
  kept_ends ends = {.local = local, .local_port = local_port, .remote = remote, .remote_port = remote_port};
  if (!kept_use(t->setting->kept, &t->connection, ends, machine_monotonic_ms()))
    curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, 1L);
  t->knows_wire = false;
  t->was_stale = t->connection.was_idle && !is_silent(t);
  if (t->was_stale)
    return CURL_PREREQFUNC_ABORT;
  if (!t->setting->options->allow_private && !t->setting->options->proxy && !ssrf_text_is_public(remote)) {
    t->was_private = true;
    return CURL_PREREQFUNC_ABORT;
  }
  if (t->was_asked && t->setting->options->delay_ms) { /* libcurl tries again, on another connection, but not now */
    t->busy_ms = t->setting->options->delay_ms;
    return CURL_PREREQFUNC_ABORT;
  }
  uint64_t key = address_key_of_text(remote);
  if (t->paid_key != key && !take_share(t, key))
    return CURL_PREREQFUNC_ABORT;
  t->was_asked = true;
  t->paid_key = t->busy_ms = 0; /* what other address there was, is not asked */
  return CURL_PREREQFUNC_OK;
}

/* libcurl gives what it read. */
static void note_progress(const transfer *t)
{
  if (t->setting->tls)
    tls_went_on(t->setting->tls);
}

/* As browsers do, one that is empty is left out. */
static const char *location_of(const response_head *head)
{
  const char *location = NULL;
  while ((location = response_head_next(head, "Location", location)) && !*location)
    ;
  return location ? location : "";
}

/* The head is whole. What is archived is waited for. */
static void note_redirect(transfer *t)
{
  const response_head *head = &t->request->head;
  if (http_status_redirects(t->status) && !t->request->exchange && *location_of(head))
    t->redirect_ms = machine_monotonic_ms();
}

bool transfer_lingers(const transfer *t, uint64_t now_ms)
{
  return t->redirect_ms && now_ms > t->redirect_ms + REDIRECT_BODY_MS;
}

/* So many bytes follow the head, and libcurl would wait for the connection's end: it sees no "Content-Length : 5", and
 * none beside "Transfer-Encoding: identity". */
static uint64_t unseen_length(const transfer *t)
{
  enum { FINAL = 200, DIGITS_MAX = 18 };
  const response_head *head = &t->request->head;
  const char *length = response_head_next(head, "Content-Length", NULL),
             *coding = response_head_next(head, "Transfer-Encoding", NULL);
  bool is_seen = t->has_length && !coding && !t->doubts_length,
       is_coded = coding && strcasecmp(coding, "identity") != 0;
  if (!length || is_seen || is_coded || t->status < FINAL || !t->was_asked || t->request->receiver.is_head)
    return UINT64_MAX;
  size_t digits = strspn(length, "0123456789");
  bool is_one = !response_head_next(head, "Content-Length", length) &&
                (!coding || !response_head_next(head, "Transfer-Encoding", coding));
  return is_one && digits && digits <= DIGITS_MAX && !length[digits] ? strtoull(length, NULL, 10) : UINT64_MAX;
}

static size_t take_header(char *line, size_t one, size_t size, void *context)
{
  transfer *t = context;
  static const char length_field[] = "Content-Length:";
  response_head *head = &t->request->head;
  bool is_status = size > 5 && strncasecmp(line, "HTTP/", 5) == 0,
       is_trailer = t->has_begun || (head->has_ended && !is_status);
  (void)one;
  note_progress(t);
  if (is_status && !is_trailer) {
    t->status = http_head_status(line, size);
    t->has_length = false;
  }
  if (!ledger_add_line(&t->ledger, line, size, is_trailer))
    return 0;
  if (is_trailer)
    return size;
  if (!response_head_add(head, line, size))
    return 0;
  t->has_length |= size > strlen(length_field) && strncasecmp(line, length_field, strlen(length_field)) == 0;
  if (!head->has_ended)
    return size;
  note_redirect(t);
  t->left = unseen_length(t);
  return t->left ? size : 0; /* that ends it */
}

/* Its host wants to rest, longer than a connection lasts. */
static bool is_told_to_wait(const transfer *t)
{
  const request *r = t->request;
  bool is_overload = r->response.status == 429 || r->response.status == 503;
  return is_overload && response_head_retry_after_s(&r->head, machine_wall_ms() / 1000) > FETCH_IDLE_S;
}

static void take_cookies(transfer *t)
{
  const request *r = t->request;
  const char *field = NULL;
  while ((field = response_head_next(&r->head, "Set-Cookie", field)))
    cookies_take(t->setting->cookies, r->url, field, machine_wall_ms() / 1000);
}

/* Where its Location leads as libcurl reads it, which will do for cookies. */
static void compare_cookies(transfer *t)
{
  const request *r = t->request;
  char *there = NULL;
  curl_easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, &there);
  t->request->response.cookies_sent = t->cookies_sent;
  t->request->response.cookies_there = cookies_hash(t->setting->cookies, there ? there : r->url, r->receiver.is_trusted,
                                                    machine_wall_ms() / 1000);
}

/* The head is complete, and stays as it is: the crawling thread may read it from the first piece of the body on. */
static void begin_body(transfer *t)
{
  enum { FINAL = 200, GUESS = 200 }; /* libcurl's, where it does not know "HTTP" as it is written, as http/1.1 */
  fetch_response *response = &t->request->response;
  assert(!t->has_begun);
  const char *type = response_head_joined(&t->request->head, "Content-Type");
  curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &response->status);
  if (response->status == GUESS && t->status >= FINAL)
    response->status = t->status;
  response->content_type = type ? type : "";
  response->location = location_of(&t->request->head);
  response->has_page = http_status_has_page(response->status, *response->location);
  if (is_told_to_wait(t))
    curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, 1L);
  if (t->setting->cookies && t->request->head.has_ended)
    take_cookies(t);
  t->has_begun = true;
}

static uint64_t body_max(const transfer *t)
{
  uint64_t own = t->request->receiver.max_body;
  return own ? own : t->setting->options->max_body;
}

/* To libcurl (7.88) "HTTP/200 OK" has status 0, and "HTTP/oops" 200. */
static bool has_status(const transfer *t)
{
  long status = t->request->response.status;
  return status >= 100 && status == t->status;
}

static bool begin_reading(transfer *t)
{
  t->body = (response_body){.request = t->request,
                            .ledger = &t->ledger,
                            .most = body_max(t),
                            .sink = t->setting->body,
                            .context = t->setting->context};
  return response_body_begin(&t->body);
}

static size_t take_body(char *bytes, size_t one, size_t size, void *context)
{
  transfer *t = context;
  (void)one;
  note_progress(t);
  bool is_first = !t->has_begun;
  if (is_first)
    begin_body(t);
  if (!has_status(t) || (is_first && !begin_reading(t)))
    return 0;
  size_t taken = size <= t->left ? size : (size_t)t->left;
  if (!response_body_take(&t->body, bytes, taken))
    return 0; /* fewer than offered ends the transfer */
  t->left -= t->left == UINT64_MAX ? 0 : taken;
  return t->left ? size : 0;
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

static void set_up(transfer *t)
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
  curl_easy_setopt(e, CURLOPT_RESOLVER_START_FUNCTION, start_resolving);
  curl_easy_setopt(e, CURLOPT_RESOLVER_START_DATA, t);
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
  curl_easy_setopt(e, CURLOPT_BUFFERSIZE, (long)RECEIVE_BYTES);
  curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
  /* With one request at a time there is nothing to multiplex, and HTTP/2's connection takes twice the memory. */
  curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)(o->multiplexes ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, o->timeout_ms); /* for half of it the first of several addresses */
  curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L); /* else all wait for the name of a transfer that has ended */
  curl_easy_setopt(e, CURLOPT_DNS_CACHE_TIMEOUT, (long)NAMES_S);
  curl_easy_setopt(e, CURLOPT_MAXAGE_CONN, (long)FETCH_IDLE_S);
  if (o->exchange_directory) {
    curl_easy_setopt(e, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(e, CURLOPT_DEBUGFUNCTION, show_bytes);
    curl_easy_setopt(e, CURLOPT_DEBUGDATA, t);
  }
}

bool transfer_uses_handle_once(void)
{
  return curl_version_info(CURLVERSION_NOW)->version_num < 0x080101;
}

/* A handle without a trace of another request; connections are the multi handle's, and stay. The old one goes first:
 * its memory is the new one's, still in the cache. false: out of memory. */
static bool renew_handle(transfer *t)
{
  curl_easy_cleanup(t->easy);
  t->easy = curl_easy_init();
  if (t->easy)
    set_up(t);
  return t->easy != NULL;
}

transfer *transfer_create(const transfer_setting *setting)
{
  transfer *t = calloc(1, sizeof *t);
  if (!t || !(t->easy = curl_easy_init())) {
    free(t);
    return NULL;
  }
  t->setting = setting;
  set_up(t);
  return t;
}

void transfer_free(transfer *t)
{
  curl_easy_cleanup(t->easy);
  curl_slist_free_all(t->headers);
  tls_leave(&t->tls);
  response_body_drop(&t->body);
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
  if (r->conditions &&
      (!header_list_add_all(&t->headers, usual) || !header_list_add_missing(&t->headers, r->conditions)))
    return false;
  return curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers ? t->headers : usual) == CURLE_OK;
}

static void doubt_length(transfer *t, bool doubts)
{
  curl_easy_setopt(t->easy, CURLOPT_IGNORE_CONTENT_LENGTH, (long)doubts);
  t->doubts_length = doubts;
}

bool transfer_set(transfer *t, request *r)
{
  assert(!t->request);
  if (t->is_used && t->setting->uses_handle_once && !renew_handle(t))
    return false;
  if (t->is_second_try)
    curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 0L);
  doubt_length(t, length_doubts_take(t->setting->doubts, r->url));
  t->is_used = true;
  t->request = r;
  *t->said = '\0';
  t->paid_key = t->busy_ms = t->redirect_ms = 0;
  t->was_asked = false;
  t->ledger = (ledger){0};
  t->status = 0;
  t->left = UINT64_MAX;
  tls_leave(&t->tls);
  t->has_begun = t->was_private = t->was_without_descriptor = t->is_second_try = t->was_stale = false;
  t->tls.is_shaking = false;
  /* To see whether the first connection to a host is HTTP/2; without TLS none is, and the first answer may be slow. */
  curl_easy_setopt(t->easy, CURLOPT_PIPEWAIT, (long)(t->setting->options->multiplexes && is_https(t)));
  curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, (long)r->receiver.is_last);
  curl_easy_setopt(t->easy, CURLOPT_NOBODY, (long)r->receiver.is_head);
  if (t->setting->trusted_headers)
    curl_easy_setopt(t->easy, CURLOPT_USERPWD, r->receiver.is_trusted ? t->setting->options->user : NULL);
  const char *sent = "";
  uint64_t now_s = machine_wall_ms() / 1000;
  if (t->setting->cookies) {
    t->cookies_sent = cookies_hash(t->setting->cookies, r->url, r->receiver.is_trusted, now_s);
    sent = cookies_for(t->setting->cookies, r->url, r->receiver.is_trusted, now_s);
  }
  if (t->setting->cookies && curl_easy_setopt(t->easy, CURLOPT_COOKIE, *sent ? sent : NULL) != CURLE_OK)
    return false;
  return set_headers(t) && curl_easy_setopt(t->easy, CURLOPT_URL, r->url) == CURLE_OK;
}

/* ---- and ends --------------------------------------------------------------------------------------------- */

bool transfer_lacks_descriptor(const transfer *t, CURLcode code)
{
  if (t->busy_ms)
    return false;
  switch (code) {
  case CURLE_OK: return false;
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_SSL_CACERT_BADFILE: return t->was_without_descriptor || fd_limit_is_here();
  default: return t->was_without_descriptor && code == CURLE_COULDNT_CONNECT;
  }
}

/* libcurl gives up the connection. A browser reads on to its end. */
static bool has_bad_length(const transfer *t, CURLcode code)
{
  static const char said[] = "Invalid Content-Length";
  return code == CURLE_WEIRD_SERVER_REPLY && strncmp(t->said, said, strlen(said)) == 0;
}

bool transfer_deserves_second_try(const transfer *t, CURLcode code)
{
  long new_connections = 1, head_bytes = 1;
  bool is_broken = code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING;
  if (has_bad_length(t, code))
    return !t->doubts_length;
  if (t->is_second_try || !(is_broken || t->was_stale))
    return false;
  if (t->was_stale)
    return true;
  curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &new_connections);
  curl_easy_getinfo(t->easy, CURLINFO_HEADER_SIZE, &head_bytes);
  return !new_connections && !head_bytes;
}

void transfer_set_second_try(transfer *t)
{
  t->is_second_try = true;
  doubt_length(t, t->doubts_length || has_bad_length(t, CURLE_WEIRD_SERVER_REPLY));
  t->was_asked = t->was_stale = false;
  t->ledger = (ledger){0};
  curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 1L);
}

/* Others share an HTTP/2 connection: there only what the body took is known. */
bool transfer_exceeds_wire(transfer *t)
{
  long version = 0;
  curl_off_t body = 0;
  curl_easy_getinfo(t->easy, CURLINFO_HTTP_VERSION, &version);
  curl_easy_getinfo(t->easy, CURLINFO_SIZE_DOWNLOAD_T, &body);
  uint64_t all = wire_bytes(t);
  if (!t->knows_wire)
    t->wire_before = all; /* most have ended before they are looked at, and cost no call for it */
  t->knows_wire = true;
  uint64_t bytes = version < CURL_HTTP_VERSION_2_0 && all > t->wire_before ? all - t->wire_before : (uint64_t)body;
  return !ledger_see_wire(&t->ledger, bytes, body_max(t));
}

/* The limit that ended it, ours or one of libcurl (7.88), which has a lower one for lines that do not end, and for the
 * field blocks of HTTP/2, which come as a whole; else NULL. */
static const char *limit_of(const transfer *t, CURLcode code)
{
  if (code == CURLE_OK || t->ledger.exceeded)
    return t->ledger.exceeded;
  if (code == CURLE_OUT_OF_MEMORY || strstr(t->said, "Out of memory in chunked"))
    return ledger_long_line;
  if (strstr(t->said, "user callback function failed"))
    return t->request->head.has_ended ? ledger_trailers : ledger_head_bytes;
  return strstr(t->said, "Too large response headers") ? ledger_head_bytes : NULL;
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
  curl_off_t wire = 0;
  curl_easy_getinfo(t->easy, CURLINFO_SIZE_DOWNLOAD_T, &wire);
  response->wire_bytes = (uint64_t)wire;
  response->retry_after_s = response_head_retry_after_s(&t->request->head, machine_wall_ms() / 1000);
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
  if (limit_of(t, code))
    return FETCH_LIMIT;
  return was_refused_by_proxy(code, answer) ? FETCH_CONNECT : fetch_error_of(code);
}

static void take_address(const transfer *t)
{
  char *address = NULL;
  curl_easy_getinfo(t->easy, CURLINFO_PRIMARY_IP, &address);
  if (!t->request->response.put_off_ms || (address && *address))
    snprintf(t->request->address, sizeof t->request->address, "%s", address ? address : "");
}

/* The words of libcurl, but where the user can do something about it. */
static const char *explain(const transfer *t, CURLcode code)
{
  long answer = 0;
  char *text = t->request->explanation;
  const char *limit = limit_of(t, code);
  if (limit)
    return limit;
  if (fetch_error_of(code) == FETCH_TLS) {
    tls_explain(t->easy, code, t->said, text, REQUEST_EXPLANATION);
    return text;
  }
  if (code == CURLE_WEIRD_SERVER_REPLY && !has_status(t))
    return no_status;
  if (code == CURLE_BAD_FUNCTION_ARGUMENT || (code == CURLE_WEIRD_SERVER_REPLY && strstr(t->said, "without colon")))
    return no_field;
  if (code == CURLE_BAD_CONTENT_ENCODING)
    return no_coding;
  if (code == CURLE_OPERATION_TIMEDOUT && t->tls.is_shaking)
    return "the TLS handshake did not end in time (--timeout)";
  curl_easy_getinfo(t->easy, CURLINFO_HTTP_CONNECTCODE, &answer);
  if (!was_refused_by_proxy(code, answer))
    return curl_easy_strerror(code);
  snprintf(text, REQUEST_EXPLANATION, "the proxy does not connect to it: it answered %ld", answer);
  return text;
}

/* Of the final response: what went wrong after it, went wrong with the body. */
static bool has_head(const transfer *t)
{
  enum { FINAL = 200 };
  return t->request->head.has_ended && has_status(t) && t->request->response.status >= FINAL;
}

void transfer_conclude(transfer *t, CURLcode code)
{
  request *r = t->request;
  fetch_response *response = &r->response;
  if (code == CURLE_WRITE_ERROR && !t->left) /* it is whole by its own count */
    code = CURLE_OK;
  code = response_body_end(&t->body, code);
  if (response->truncated && code == CURLE_WRITE_ERROR)
    code = CURLE_OK;
  if (!t->has_begun)
    begin_body(t);
  if (!response->truncated && !t->ledger.exceeded)
    t->ledger.exceeded = tls_limit(&t->tls);
  if ((code == CURLE_OK || code == CURLE_WRITE_ERROR) && !t->ledger.exceeded && !has_status(t))
    code = CURLE_WEIRD_SERVER_REPLY;
  if (code == CURLE_OK && !r->head.has_ended) /* to libcurl a head that is cut is an answer */
    code = CURLE_GOT_NOTHING;
  if (t->setting->cookies && *response->location)
    compare_cookies(t);
  kept_release(t->setting->kept, &t->connection, machine_monotonic_ms());
  response->error = t->was_private ? FETCH_PRIVATE : error_of(t, code);
  response->explanation = t->was_private ? transfer_not_public : explain(t, code);
  if (has_head(t))
    response_body_forgive(response, t->easy, code);
  if (t->setting->options->delay_ms && transfer_deserves_second_try(t, code) &&
      (!has_bad_length(t, code) || length_doubts_add(t->setting->doubts, r->url)))
    t->busy_ms = t->setting->options->delay_ms; /* the caller's second try comes on a new connection */
  if (code == CURLE_COULDNT_RESOLVE_HOST && !t->busy_ms && strstr(t->said, "thread failed to start"))
    name_limit_wait(t->setting->names, machine_monotonic_ms(), &t->busy_ms);
  response->put_off_ms = code != CURLE_OK && !t->was_private ? t->busy_ms : 0;
  take_times(t, response);
  take_counts(t, response);
  take_address(t);
}
