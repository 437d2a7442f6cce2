/* The loop: sockets that are ready, timers that are due. */
#include "tests/contract/web/serve_inside.h"
#include "tests/contract/web/serve_dns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HTTP, HTTPS, DNS };
enum { DNS_BACKLOG = 4 << 20 }; /* bytes of memory; a question takes 768, so the usual 212,992 are 277 of them */

static uint64_t clock_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void serve_later(serve *s, const conn *c, uint32_t latency_ms, int32_t stream)
{
  timers_add(&s->timers, (timer){s->now_ms + latency_ms, c->serial, c->fd, stream});
}

void serve_answer(serve *s, web_request *request, web_reply *reply)
{
  request->now_ms = s->now_ms;
  web_answer(s->w, request, reply);
  s->requests++;
  serve_log_add(&s->log, request, reply);
}

/* -- connections -- */

static void conn_close(serve *s, conn *c)
{
  if (c->resets)
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
  else if (c->ssl && c->is_shaken)
    SSL_shutdown(c->ssl);
  SSL_free(c->ssl);
  http2_free(c->h2);
  s->conns[c->fd] = NULL;
  s->open--;
  close(c->fd);
  text_free(&c->in);
  text_free(&c->out);
  free(c);
}

static void watch(serve *s, conn *c)
{
  bool wants_write = c->out.size && c->state != CONN_WAITING;
  if (wants_write == c->wants_write)
    return;
  struct epoll_event event = {.events = EPOLLIN | (wants_write ? EPOLLOUT : 0), .data.fd = c->fd};
  c->wants_write = wants_write;
  epoll_ctl(s->epoll, EPOLL_CTL_MOD, c->fd, &event);
}

static bool shake(serve *s, conn *c)
{
  const unsigned char *protocol;
  unsigned size;
  if (!conn_shake(c))
    return false;
  if (!c->is_shaken)
    return true;
  SSL_get0_alpn_selected(c->ssl, &protocol, &size);
  if (size == 2)
    c->h2 = http2_create(s, c);
  return true;
}

/* A CONNECT may turn a connection into one of TLS while its requests are taken: then what follows is read anew. */
static bool take(serve *s, conn *c)
{
  if (c->ssl && !c->is_shaken && !shake(s, c))
    return false;
  if (c->ssl && !c->is_shaken)
    return true;
  return conn_read(s, c) && (c->h2 ? http2_take(c->h2) : http1_take(s, c));
}

static bool write_rest(serve *s, conn *c)
{
  if (!conn_flush(c) || c->out.size)
    return c->out.size != 0;
  if (c->h2)
    return http2_take(c->h2);
  return c->state != CONN_WRITING || (http1_sent(s, c) && http1_take(s, c));
}

static void on_conn(serve *s, conn *c, uint32_t events)
{
  bool lives = !(events & (EPOLLERR | EPOLLHUP));
  if (lives && events & EPOLLOUT && c->out.size && c->state != CONN_WAITING)
    lives = write_rest(s, c);
  if (lives && events & EPOLLIN)
    lives = take(s, c);
  if (lives)
    watch(s, c);
  else
    conn_close(s, c);
}

static void keep(serve *s, conn *c)
{
  if ((size_t)c->fd >= s->conns_room) {
    size_t room = 2 * (size_t)c->fd + 64;
    s->conns = realloc(s->conns, room * sizeof *s->conns); /* NOLINT(bugprone-suspicious-realloc-usage): ends below */
    if (!s->conns)
      abort();
    memset(s->conns + s->conns_room, 0, (room - s->conns_room) * sizeof *s->conns);
    s->conns_room = room;
  }
  s->conns[c->fd] = c;
  s->open++;
  s->most_open = s->open > s->most_open ? s->open : s->most_open;
}

static void on_listener(serve *s, int which)
{
  int fd;
  while ((fd = accept4(s->listeners[which], NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    conn *c = calloc(1, sizeof *c);
    if (!c)
      abort();
    *c = (conn){.fd = fd, .serial = ++s->serial, .ssl = which == HTTPS ? serve_tls_begin(s->tls, fd) : NULL};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event);
    keep(s, c);
  }
}

static void on_dns(serve *s)
{
  unsigned char question[DNS_MESSAGE_MAX], answer[DNS_MESSAGE_MAX];
  struct sockaddr_in from;
  socklen_t length = sizeof from;
  ssize_t size;
  while ((size = recvfrom(s->listeners[DNS], question, sizeof question, 0, (struct sockaddr *)&from, &length)) >= 0) {
    size_t answered = serve_dns_answer(s->w, question, (size_t)size, answer);
    if (answered)
      sendto(s->listeners[DNS], answer, answered, 0, (const struct sockaddr *)&from, length);
    length = sizeof from;
  }
}

static void on_event(serve *s, const struct epoll_event *event)
{
  int fd = event->data.fd;
  if (fd == s->listeners[DNS])
    on_dns(s);
  else if (fd == s->listeners[HTTP] || fd == s->listeners[HTTPS])
    on_listener(s, fd == s->listeners[HTTPS] ? HTTPS : HTTP);
  else if (s->conns[fd])
    on_conn(s, s->conns[fd], event->events);
}

static void on_timer(serve *s, const timer *due)
{
  conn *c = (size_t)due->fd < s->conns_room ? s->conns[due->fd] : NULL;
  if (!c || c->serial != due->serial)
    return;
  if (c->h2 ? http2_due(c->h2, due->stream) : http1_due(s, c))
    watch(s, c);
  else
    conn_close(s, c);
}

void serve_run(serve *s)
{
  enum { EVENTS = 256, LONGEST_MS = 1000 };
  struct epoll_event events[EVENTS];
  timer due;
  while (!s->stops && (!s->stop_ms || s->now_ms < s->stop_ms)) {
    int wait_ms = timers_wait_ms(&s->timers, s->now_ms);
    int count = epoll_wait(s->epoll, events, EVENTS, wait_ms < 0 || wait_ms > LONGEST_MS ? LONGEST_MS : wait_ms);
    s->now_ms = clock_ms() - s->start_ms;
    for (int i = 0; i < count; i++)
      on_event(s, &events[i]);
    while (timers_take(&s->timers, s->now_ms, &due))
      on_timer(s, &due);
    serve_log_flush(&s->log, s->now_ms, false);
  }
  serve_log_flush(&s->log, s->now_ms, true);
}

/* -- to begin and to end -- */

static bool listen_on(serve *s, int which, uint32_t address, int port)
{
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(address)};
  socklen_t size = sizeof at;
  int type = which == DNS ? SOCK_DGRAM : SOCK_STREAM;
  if (port < 0)
    return true;
  int fd = s->listeners[which] = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return false;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  if (which == DNS) /* a question that is dropped while hands are shaken is asked again only 5 s later */
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){DNS_BACKLOG}, sizeof(int));
  if (bind(fd, (struct sockaddr *)&at, size) || (which != DNS && listen(fd, SOMAXCONN)) ||
      getsockname(fd, (struct sockaddr *)&at, &size))
    return false;
  s->ports[which] = ntohs(at.sin_port);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* As many connections as the system lets us have. */
static void raise_limit(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

static bool begin(serve *s, const serve_options *options, const char **what)
{
  *what = "listen";
  if (!listen_on(s, HTTP, options->address, options->http) || !listen_on(s, HTTPS, options->address, options->https) ||
      !listen_on(s, DNS, options->address, options->dns))
    return false;
  *what = "write the certificate";
  if (options->authority && !serve_tls_write_authority(s->tls, options->authority))
    return false;
  *what = "write the log";
  return serve_log_open(&s->log, options->log);
}

serve *serve_create(const web *w, const serve_options *options, char *error, size_t size)
{
  const char *what;
  serve *s = calloc(1, sizeof *s);
  if (!s || !(s->piece = malloc(SERVE_PIECE)))
    abort();
  raise_limit();
  s->w = w;
  s->tls = serve_tls_create(w, options->offers_h2);
  s->log.fd = -1;
  s->epoll = epoll_create1(EPOLL_CLOEXEC);
  s->start_ms = clock_ms();
  s->stop_ms = options->stop_after_ms;
  for (int i = 0; i < 3; i++)
    s->listeners[i] = s->ports[i] = -1;
  if (begin(s, options, &what))
    return s;
  snprintf(error, size, "cannot %s: %s", what, strerror(errno));
  serve_free(s);
  return NULL;
}

void serve_ports(const serve *s, int *http, int *https, int *dns)
{
  *http = s->ports[HTTP];
  *https = s->ports[HTTPS];
  *dns = s->ports[DNS];
}

void serve_stop(serve *s)
{
  s->stops = 1;
}

uint64_t serve_requests(const serve *s)
{
  return s->requests;
}

size_t serve_most_connections(const serve *s)
{
  return s->most_open;
}

void serve_free(serve *s)
{
  if (!s)
    return;
  for (size_t fd = 0; fd < s->conns_room; fd++)
    if (s->conns[fd])
      conn_close(s, s->conns[fd]);
  for (int i = 0; i < 3; i++)
    if (s->listeners[i] >= 0)
      close(s->listeners[i]);
  close(s->epoll);
  serve_log_close(&s->log);
  serve_tls_free(s->tls);
  timers_free(&s->timers);
  web_reply_free(&s->reply);
  text_free(&s->out);
  free(s->conns);
  free(s->piece);
  free(s);
}
