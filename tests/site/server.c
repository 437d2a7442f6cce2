/* The event loop: one epoll, level-triggered, each connection either reading, waiting out its latency, or writing.
 *
 *     readable -> read_requests -> prepare -> [due_ms] -> write_response -> log line -> next request in the buffer
 *
 * Level-triggered epoll returns descriptors in the order they became ready, so a request sent after another
 * process died is answered, and logged, after everything that process had sent. The crash tests lean on this. */
#include "tests/site/server.h"
#include "tests/site/random.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct connection {
  int fd;
  bool waiting; /* a response is ready and its time has not come */
  bool writing; /* epoll watches for room to write */
  bool close_when_sent;
  unsigned answered;
  uint64_t due_ms;
  int status; /* of the response in `out` */
  text out;
  size_t sent;
  text log_rest; /* the log line after the status */
  struct connection *next_waiting;
  size_t in_size;
  char in[HTTP_HEAD_MAX];
} connection;

typedef struct server {
  const server_options *options;
  int epoll_fd, listen_fd;
  uint64_t random;
  connection *waiting; /* unordered: at most as many as there are connections */
  text log;            /* written once per turn of the loop */
} server;

static uint64_t now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int server_listen(const char *address, unsigned *port)
{
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
  if (*port > 65535 || inet_pton(AF_INET, address, &name.sin_addr) != 1) {
    errno = EINVAL;
    return -1;
  }
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  int yes = 1;
  socklen_t size = sizeof name;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, (struct sockaddr *)&name, sizeof name) != 0 || listen(fd, 1024) != 0 ||
      getsockname(fd, (struct sockaddr *)&name, &size) != 0) {
    close(fd);
    return -1;
  }
  *port = ntohs(name.sin_port);
  return fd;
}

static void add_escaped(text *line, http_span span)
{
  for (size_t i = 0; i < span.size; i++) {
    unsigned char byte = (unsigned char)span.bytes[i];
    if (byte < 0x20 || byte == 0x7F)
      text_addf(line, "\\x%02X", byte);
    else
      text_add_byte(line, (char)byte);
  }
}

static void log_request(server *s, connection *c, int status)
{
  if (s->options->log_fd >= 0)
    text_addf(&s->log, "%d\t%s\n", status, c->log_rest.bytes);
  text_clear(&c->log_rest);
}

/* The log is the truth the tests compare with: if it cannot be written, stop rather than tell half of it. */
static void log_flush(server *s)
{
  for (size_t done = 0; done < s->log.size;) {
    ssize_t wrote = write(s->options->log_fd, s->log.bytes + done, s->log.size - done);
    if (wrote < 0 && errno != EINTR)
      abort();
    done += wrote > 0 ? (size_t)wrote : 0;
  }
  text_clear(&s->log);
}

static void watch(server *s, connection *c, int operation, uint32_t events)
{
  struct epoll_event event = {.events = events, .data.ptr = c};
  if (epoll_ctl(s->epoll_fd, operation, c->fd, &event) != 0)
    abort(); /* only a bug can make it fail */
}

static void connection_close(server *s, connection *c)
{
  if (c->log_rest.size)
    log_request(s, c, 0); /* asked, and gone before the answer */
  for (connection **link = &s->waiting; *link; link = &(*link)->next_waiting)
    if (*link == c) {
      *link = c->next_waiting;
      break;
    }
  close(c->fd); /* leaves the epoll set with it */
  text_free(&c->out);
  text_free(&c->log_rest);
  free(c);
}

/* Ask the site, write the response into `out`; it goes out at due_ms. */
static void prepare(server *s, connection *c, const http_request *request, bool bad)
{
  const server_options *options = s->options;
  http_reply reply = {.status = 400};
  bool head = !bad && http_span_is(request->method, "HEAD");
  c->answered++;
  c->close_when_sent = bad || !request->keep_alive || c->answered == options->close_after;
  text_clear(&c->log_rest);
  if (bad) {
    text_add(&c->log_rest, "-\t-\t-\t-");
  } else {
    const http_span parts[] = {request->host, request->method, request->target, request->agent};
    for (int i = 0; i < 4; i++) {
      text_add(&c->log_rest, i ? "\t" : "");
      add_escaped(&c->log_rest, parts[i]);
    }
    if (head || http_span_is(request->method, "GET"))
      options->answer(options->context, request, &reply);
    else
      reply.status = 405;
  }
  c->status = reply.status;
  text_clear(&c->out);
  c->sent = 0;
  http_reply_write(&c->out, &reply, !c->close_when_sent, head);
  text_free(&reply.body);
  unsigned delay = options->latency_ms;
  if (options->jitter_ms)
    delay += random_below(&s->random, options->jitter_ms + 1);
  c->due_ms = delay ? now_ms() + delay : 0;
}

/* True if the response is out (or the connection is gone, `*alive` false); false if more is to be written later. */
static bool write_response(server *s, connection *c, bool *alive)
{
  while (c->sent < c->out.size) {
    ssize_t wrote = send(c->fd, c->out.bytes + c->sent, c->out.size - c->sent, MSG_NOSIGNAL);
    if (wrote > 0) {
      c->sent += (size_t)wrote;
    } else if (errno == EAGAIN) {
      if (!c->writing)
        watch(s, c, EPOLL_CTL_MOD, EPOLLOUT);
      c->writing = true;
      return false;
    } else if (errno != EINTR) {
      connection_close(s, c);
      *alive = false;
      return true;
    }
  }
  log_request(s, c, c->status);
  if (c->close_when_sent) {
    connection_close(s, c);
    *alive = false;
  } else if (c->writing) {
    watch(s, c, EPOLL_CTL_MOD, EPOLLIN | EPOLLRDHUP);
    c->writing = false;
  }
  return true;
}

/* The connection ends under a request, by FIN or by RST: both happen. */
static void drop(server *s, connection *c)
{
  const struct linger none = {.l_onoff = 1};
  if (random_one_in(&s->random, 2))
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  connection_close(s, c);
}

/* Answer what is in the buffer, until it needs more bytes, has to wait, or the socket is full. */
static void connection_work(server *s, connection *c)
{
  for (bool alive = true; alive;) {
    http_request request;
    size_t used = 0;
    http_progress progress = http_request_parse(c->in, c->in_size, &request, &used);
    if (progress == HTTP_MORE)
      return;
    if (s->options->drop_after && c->answered == s->options->drop_after) {
      drop(s, c);
      return;
    }
    prepare(s, c, &request, progress == HTTP_BAD);
    c->in_size -= used;
    memmove(c->in, c->in + used, c->in_size);
    if (c->due_ms) {
      c->waiting = true;
      c->next_waiting = s->waiting;
      s->waiting = c;
      return;
    }
    if (!write_response(s, c, &alive))
      return;
  }
}

static void connection_read(server *s, connection *c)
{
  ssize_t got = recv(c->fd, c->in + c->in_size, sizeof c->in - c->in_size, 0);
  if (got > 0) {
    c->in_size += (size_t)got;
    if (!c->waiting)
      connection_work(s, c);
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    connection_close(s, c);
  }
}

static void connection_write(server *s, connection *c)
{
  bool alive = true;
  if (write_response(s, c, &alive) && alive)
    connection_work(s, c);
}

static void accept_all(server *s)
{
  int fd;
  // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): a connection lives in the epoll set, which gives it back
  while ((fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
    connection *c = calloc(1, sizeof *c);
    if (!c)
      abort();
    int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    c->fd = fd;
    watch(s, c, EPOLL_CTL_ADD, EPOLLIN | EPOLLRDHUP);
  }
}

/* Sends what is due. What its connections ask next may come to wait as well. */
static void serve_due(server *s)
{
  uint64_t now = s->waiting ? now_ms() : 0;
  connection *list = s->waiting;
  s->waiting = NULL;
  while (list) {
    connection *c = list;
    list = c->next_waiting;
    if (c->due_ms > now) {
      c->next_waiting = s->waiting;
      s->waiting = c;
    } else {
      c->waiting = false;
      connection_write(s, c);
    }
  }
}

/* Milliseconds until a response is due, -1 if none waits. */
static int next_due_ms(const server *s)
{
  if (!s->waiting)
    return -1;
  uint64_t now = now_ms(), next = UINT64_MAX;
  for (const connection *c = s->waiting; c; c = c->next_waiting)
    next = c->due_ms < next ? c->due_ms : next;
  return next > now ? (int)(next - now) : 0;
}

void server_run(int listen_fd, const server_options *options)
{
  server s = {.options = options, .listen_fd = listen_fd, .random = options->seed};
  s.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event listening = {.events = EPOLLIN, .data.ptr = NULL};
  if (s.epoll_fd < 0 || epoll_ctl(s.epoll_fd, EPOLL_CTL_ADD, listen_fd, &listening) != 0)
    return;
  for (;;) {
    serve_due(&s);
    log_flush(&s);
    enum { BATCH = 256 };
    struct epoll_event events[BATCH];
    int count = epoll_wait(s.epoll_fd, events, BATCH, next_due_ms(&s));
    if (count < 0 && errno != EINTR)
      return;
    for (int i = 0; i < count; i++) {
      connection *c = events[i].data.ptr;
      if (!c)
        accept_all(&s);
      else if (c->writing)
        connection_write(&s, c);
      else
        connection_read(&s, c);
    }
  }
}
