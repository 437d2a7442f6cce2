/* Whatever bytes a server sends, over sockets of 127.0.0.1, to the fetcher of crawler/http with libcurl below it: each
 * request ends once, with a response or with words, and no request says what it should not.
 *
 * The first byte of an input is the conditions, the second says into which pieces the rest is cut. The rest are answers
 * one after the other: each request that comes, on whatever connection, gets the next. An answer ends with "%%+\n" (the
 * connection stays open), "%%.\n" (it is closed, as after the last) or "%%!\n" (it is reset).
 *
 * HTTP/2 is not reached: the crawler speaks it over TLS alone (program/test_crawl_http2.c). */
#include "crawler/http/fetch.h"
#include "crawler/http/http_head.h"
#include "crawler/http/trust.h"
#include "tests/site/server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KEEPS = 1, COOKIES = 2, TOGETHER = 4, DELAYS = 8, PROXY = 16, TUNNEL = 32, TRUSTED = 64, SHORT = 128 };
enum { REQUESTS_MAX = 4, CONNECTIONS_MAX = 64, HEAD_MAX = 1 << 16, MARK = 4, ROUNDS_MAX = 5000, IDLE_ROUNDS = 2 };
enum { BODY_MAX = 1 << 16, BODY_SHORT = 10 };

static void check(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "fuzz_response: %s\n", what);
  abort();
}

/* ---- the server ------------------------------------------------------------------------------------------- */

typedef struct connection {
  int fd; /* -1: closed */
  const uint8_t *answer;
  size_t left;
  char ending;
  char head[HEAD_MAX]; /* of the request that is coming */
  size_t head_size;
} connection;

static struct {
  int listen_fd;
  unsigned port;
  unsigned conditions, random;
  trust *trust;        /* the system's, read once */
  const uint8_t *rest; /* answers that no request had yet */
  size_t rest_size;
  connection connections[CONNECTIONS_MAX];
  size_t count;
  bool is_closing; /* no more answers: connections are closed */
} server;

static unsigned throw(unsigned below)
{
  server.random = server.random * 1664525 + 1013904223;
  return (server.random >> 16) % below;
}

static size_t piece_of(size_t left)
{
  enum { FEW = 32 }; /* a long answer in small pieces takes long */
  static const unsigned most[] = {1, 3, 17, 200, 4096};
  unsigned kind = server.conditions >> 8 & 7;
  if (kind >= sizeof most / sizeof *most)
    return left;
  size_t few = left / FEW, piece = 1 + throw(most[kind] > few ? most[kind] : (unsigned)few);
  return piece < left ? piece : left;
}

static void shut(connection *c, bool is_reset)
{
  const struct linger none = {.l_onoff = 1};
  if (is_reset)
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  close(c->fd);
  c->fd = -1;
}

/* What we sent: a line for the target, fields that we know, nothing in between. */
static void check_request(const char *head, size_t size)
{
  static const char *const fields[] = {
    "Host: ",      "User-Agent: ",    "Accept: ",        "Accept-Encoding: ", "Cookie: ",
    "X-Own: mine", "If-None-Match: ", "Authorization: ", "Proxy-Connection: "};
  bool by_proxy = server.conditions & PROXY;
  check(memcmp(head, "GET ", 4) == 0 || (by_proxy && memcmp(head, "CONNECT ", 8) == 0), "another method");
  check(!memchr(head, '\0', size), "a NUL in a request");
  for (const char *line = strstr(head, "\r\n") + 2; *line != '\r'; line = strstr(line, "\r\n") + 2) {
    bool is_known = false;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
      is_known |= strncmp(line, fields[i], strlen(fields[i])) == 0;
    check(is_known, "an unknown field in a request");
    for (const char *at = line; *at != '\r'; at++)
      check(*at != '\n', "a line feed inside a field");
  }
}

static void next_answer(connection *c)
{
  size_t end = 0;
  c->answer = server.rest;
  c->ending = '.';
  while (end + MARK <= server.rest_size && (memcmp(server.rest + end, "%%", 2) != 0 ||
                                            !memchr("+.!", server.rest[end + 2], 3) || server.rest[end + 3] != '\n'))
    end++;
  bool is_marked = end + MARK <= server.rest_size;
  c->left = is_marked ? end : server.rest_size;
  if (is_marked)
    c->ending = (char)server.rest[end + 2];
  size_t used = is_marked ? end + MARK : server.rest_size;
  server.rest += used;
  server.rest_size -= used;
}

static bool take_connections(void)
{
  static const int yes = 1;
  bool any = false;
  for (int fd; (fd = accept4(server.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0; any = true) {
    size_t at = 0;
    while (at < server.count && server.connections[at].fd >= 0)
      at++;
    check(at < CONNECTIONS_MAX, "too many connections");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); /* each piece is seen as a piece, and now */
    connection *c = &server.connections[at];
    c->fd = fd;
    c->left = c->head_size = 0;
    c->ending = '+';
    server.count += at == server.count;
  }
  return any;
}

/* A request has its answer before the next one is read. What comes through a tunnel is no request. */
static bool receive(connection *c)
{
  ssize_t got = recv(c->fd, c->head + c->head_size, sizeof c->head - 1 - c->head_size, 0);
  if (got < 0 && errno == EAGAIN)
    return false;
  if (got <= 0) {
    shut(c, false);
    return true;
  }
  c->head_size += (size_t)got;
  c->head[c->head_size] = '\0';
  if (*c->head == '\x16' || !memmem(c->head, c->head_size, "\r\n\r\n", 4))
    return true;
  check_request(c->head, c->head_size);
  c->head_size = 0;
  next_answer(c);
  return true;
}

static bool serve_one(connection *c)
{
  if (!c->left)
    return receive(c);
  size_t piece = piece_of(c->left);
  ssize_t sent = send(c->fd, c->answer, piece, MSG_NOSIGNAL);
  if (sent < 0 && errno == EAGAIN)
    return false;
  if (sent < 0) {
    shut(c, true);
    return true;
  }
  c->answer += sent;
  c->left -= (size_t)sent;
  return true;
}

/* false: nothing happened. */
static bool serve(void)
{
  bool any = take_connections();
  for (size_t i = 0; i < server.count; i++) {
    connection *c = &server.connections[i];
    if (c->fd < 0)
      continue;
    any |= serve_one(c);
    if (c->fd >= 0 && !c->left && (c->ending != '+' || server.is_closing)) {
      shut(c, c->ending == '!');
      any = true;
    }
  }
  return any;
}

static void close_all(void)
{
  for (size_t i = 0; i < server.count; i++)
    if (server.connections[i].fd >= 0)
      shut(&server.connections[i], true);
  server.count = 0;
}

/* ---- the client ------------------------------------------------------------------------------------------- */

typedef struct landing {
  uint64_t bytes;
  long status;
  unsigned finished;
} landing;

static void take_body(void *context, const fetch_response *response, const char *bytes, size_t size)
{
  landing *l = context;
  check(!l->finished && size > 0, "a body behind its end");
  check(!l->bytes || l->status == response->status, "another status amid a body");
  l->bytes += size;
  l->status = response->status;
  check(strlen(response->content_type) < 1 << 18, "a type");
  for (size_t i = 0; i < size; i++)
    l->status += bytes[i] == 'x' && response->status < 0; /* each byte can be read */
}

static void count_bytes(void *context, const char *bytes, size_t size)
{
  (void)bytes;
  *(uint64_t *)context += size;
}

static void check_exchange(const exchange *x)
{
  size_t size;
  uint64_t bytes = 0;
  if (!x)
    return;
  const char *head = exchange_head(x, &size);
  check(head && http_head_status(head, size) >= 100, "an exchange without a status line");
  check(exchange_body(x, count_bytes, &bytes) && bytes == exchange_body_size(x), "a body that is not kept");
}

static void finish(void *context, const fetch_response *r)
{
  static const char *const names[] = {"Set-Cookie", "Link", "ETag", "Location", "Refresh"};
  landing *l = context;
  check(++l->finished == 1, "an end behind the end");
  check(r->body_bytes == l->bytes && l->bytes <= (server.conditions & SHORT ? BODY_SHORT : BODY_MAX), "a body's size");
  check(r->error == FETCH_OK ? r->status >= 100 && r->status <= 999 : strlen(r->explanation) > 3,
        "an end without a word");
  check(!l->bytes || r->error != FETCH_OK || l->status == r->status, "another status at the end");
  check(fetch_error_name(r->error) && r->content_type && r->location && r->address, "no text");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = NULL;
    for (size_t nth = 0; nth < 3 && (value = fetch_header(r, names[i], value)); nth++)
      check(!strchr(value, '\n'), "a line's end in a field");
  }
  if (r->error == FETCH_OK) /* else no archive takes it */
    check_exchange(r->exchange);
}

static fetcher *make_fetcher(void)
{
  static const char *const own[] = {"X-Own: mine", NULL};
  static char proxy[64];
  unsigned has = server.conditions;
  snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", server.port);
  const fetch_options options = {.user_agent = "fuzz",
                                 .connections = REQUESTS_MAX,
                                 .kept = 4,
                                 .timeout_ms = 20000,
                                 .max_body = has & SHORT ? BODY_SHORT : BODY_MAX,
                                 .per_address = 1,
                                 .delay_ms = has & DELAYS ? 1000 : 0,
                                 .allow_private = true,
                                 .user = has & TRUSTED ? "me:secret" : NULL,
                                 .headers = has & TRUSTED ? own : NULL,
                                 .cookie_file = has & COOKIES ? "" : NULL,
                                 .trust = server.trust,
                                 .proxy = has & PROXY ? proxy : NULL,
                                 .exchange_directory = has & KEEPS ? "/tmp" : NULL};
  fetcher *f = fetcher_create(&options);
  check(f != NULL, "no fetcher");
  return f;
}

static void begin(fetcher *f, unsigned number, landing *l)
{
  char address[64];
  bool is_tunnel = (server.conditions & (PROXY | TUNNEL)) == (PROXY | TUNNEL);
  snprintf(address, sizeof address, "http%s://127.0.0.1:%u/%u", is_tunnel ? "s" : "", server.port, number);
  const fetch_receiver receiver = {.body = take_body,
                                   .finished = finish,
                                   .context = l,
                                   .is_trusted = number % 2,
                                   .if_none_match = number == 3 ? "\"tag\"" : NULL};
  check(fetch_start(f, address, receiver), "no memory to start");
}

/* Until all that was begun has ended: the server closes what nothing happens on. */
static void run(fetcher *f)
{
  unsigned idle = 0;
  server.is_closing = false;
  for (unsigned round = 0; fetch_active(f); round++) {
    check(round < ROUNDS_MAX, "a request that does not end");
    size_t before = fetch_active(f);
    fetch_poll(f, idle ? 1 : 0);
    bool any = serve();
    idle = any || fetch_active(f) < before ? 0 : idle + 1;
    if (idle > IDLE_ROUNDS)
      server.is_closing = true;
  }
}

static void listen_once(void)
{
  if (server.port)
    return;
  char message[TRUST_MESSAGE];
  server.trust = trust_create(NULL, message);
  server.listen_fd = server_listen("127.0.0.1", &server.port);
  check(server.listen_fd >= 0, "no port");
  fcntl(server.listen_fd, F_SETFL, O_NONBLOCK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  landing landings[REQUESTS_MAX] = {0};
  if (size < 2)
    return 0;
  listen_once();
  server.conditions = data[0] | (unsigned)data[1] << 8;
  server.random = (unsigned)size;
  server.rest = data + 2;
  server.rest_size = size - 2;
  fetcher *f = make_fetcher();
  for (unsigned i = 0; i < REQUESTS_MAX && (i == 0 || server.rest_size || server.conditions & TOGETHER); i++) {
    begin(f, i, &landings[i]);
    if (!(server.conditions & TOGETHER))
      run(f);
  }
  run(f);
  close_all();
  fetcher_free(f);
  take_connections(); /* that were still on their way */
  close_all();
  return 0;
}
