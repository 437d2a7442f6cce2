/* crawler/http/scrape_server.h: one text over HTTP, and whoever comes: slow readers, long heads, many at once. */
#include "crawler/http/scrape_server.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static scrape_server *server;
static size_t text_size;

static char *make(void *context, size_t *size)
{
  (void)context;
  char *bytes = malloc(text_size + 1);
  memset(bytes, 'x', text_size);
  *size = text_size;
  return bytes;
}

static void turns(int count)
{
  for (int i = 0; i < count; i++)
    scrape_server_turn(server, "/metrics", make, NULL);
}

static int visit(void)
{
  const struct sockaddr_in there = {.sin_family = AF_INET,
                                    .sin_port = htons(scrape_server_port(server)),
                                    .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(connect(fd, (const struct sockaddr *)&there, sizeof there), 0);
  return fd;
}

/* All that comes until the server closes, which it does within so many turns. */
static size_t hear(int fd, char *into, size_t room)
{
  size_t size = 0;
  for (int i = 0; i < 1000; i++) {
    turns(1);
    ssize_t got = recv(fd, into + size, room - size, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno == ECONNRESET)) {
      into[size] = '\0';
      close(fd);
      return size;
    }
    size += got > 0 ? (size_t)got : 0;
  }
  fail_msg("it does not end");
  return 0;
}

static void say(int fd, const char *words)
{
  assert_int_equal(send(fd, words, strlen(words), MSG_NOSIGNAL), strlen(words));
}

CASE(what_is_asked_and_what_is_said)
{
  static const struct {
    const char *head, *status, *end;
  } rows[] = {
    {"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 OK\r\n", "\r\n\r\nxxxxx"},
    {"GET /metrics?a=b HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n", "xxxxx"},
    {"GET /metrics HTTP/1.1\n\n", "HTTP/1.1 200 OK\r\n", "xxxxx"},
    {"HEAD /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n", "Content-Length: 5\r\nConnection: close\r\n\r\n"},
    {"GET /metricsandmore HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n", "\r\n\r\n"},
    {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n", "\r\n\r\n"},
    {"POST /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed\r\n", "\r\n\r\n"},
    {"nonsense\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n", "\r\n\r\n"},
    {"\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n", "\r\n\r\n"},
  };
  char said[4096];
  text_size = 5;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int fd = visit();
    say(fd, rows[i].head);
    size_t size = hear(fd, said, sizeof said - 1), end = strlen(rows[i].end);
    assert_int_equal(strncmp(said, rows[i].status, strlen(rows[i].status)), 0);
    assert_true(size >= end);
    assert_string_equal(said + size - end, rows[i].end);
  }
  int fd = visit();
  assert_int_equal(send(fd, "GET /\0 x\r\n\r\n", 12, MSG_NOSIGNAL), 12);
  hear(fd, said, sizeof said - 1);
  assert_non_null(strstr(said, " 400 "));
}

CASE(a_head_byte_by_byte_and_one_too_long)
{
  static const char head[] = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
  static char flood[5000];
  char said[4096];
  text_size = 5;
  int fd = visit();
  for (size_t i = 0; i < sizeof head - 1; i++) {
    assert_int_equal(send(fd, head + i, 1, MSG_NOSIGNAL), 1);
    turns(1);
  }
  hear(fd, said, sizeof said - 1);
  assert_non_null(strstr(said, " 200 OK"));
  memset(flood, 'a', sizeof flood);
  fd = visit();
  assert_int_equal(send(fd, flood, 4096, MSG_NOSIGNAL), 4096);
  hear(fd, said, sizeof said - 1);
  assert_non_null(strstr(said, " 431 "));
}

/* Eight at once: one more ends the oldest, and is answered. */
CASE(many_that_say_nothing)
{
  enum { MANY = 40 };
  int fds[MANY];
  char said[4096];
  text_size = 5;
  for (int i = 0; i < MANY; i++) {
    fds[i] = visit();
    turns(1);
  }
  int fd = visit();
  say(fd, "GET /metrics HTTP/1.1\r\n\r\n");
  hear(fd, said, sizeof said - 1);
  assert_non_null(strstr(said, " 200 OK"));
  assert_int_equal(recv(fds[0], said, sizeof said, MSG_DONTWAIT), 0); /* it was sent away */
  for (int i = 0; i < MANY; i++)
    close(fds[i]);
}

/* No turn waits for it, and others are served beside it. */
CASE(a_reader_that_does_not_read)
{
  char said[4096];
  text_size = 32 << 20; /* more than buffers take */
  int slow = visit();
  say(slow, "GET /metrics HTTP/1.1\r\n\r\n");
  turns(10);
  text_size = 5;
  int fd = visit();
  say(fd, "GET /metrics HTTP/1.1\r\n\r\n");
  hear(fd, said, sizeof said - 1);
  assert_non_null(strstr(said, " 200 OK"));
  close(slow);
  turns(10);
}

CASE(a_port_in_use)
{
  assert_null(scrape_server_open(scrape_server_port(server)));
  assert_int_equal(errno, EADDRINUSE);
}

static int begin(void **state)
{
  (void)state;
  server = scrape_server_open(0);
  return server ? 0 : -1;
}

static int end(void **state)
{
  (void)state;
  scrape_server_close(server);
  return 0;
}

EACH_CASE(begin, end)
