/* One process for each connection. */
#include "tests/site/raw.h"
#include "tests/site/server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

void raw_send(int fd, const void *bytes, size_t size)
{
  const char *rest = bytes;
  while (size > 0) {
    ssize_t sent = send(fd, rest, size, MSG_NOSIGNAL);
    if (sent <= 0)
      _exit(0);
    rest += sent;
    size -= (size_t)sent;
  }
}

void raw_send_string(int fd, const char *string)
{
  raw_send(fd, string, strlen(string));
}

static const char *rest_of_head;
static bool is_head;

const char *raw_head(void)
{
  return rest_of_head;
}

bool raw_is_head(void)
{
  return is_head;
}

bool raw_request_has(const char *line)
{
  size_t size = strlen(line);
  for (const char *at = rest_of_head; (at = strstr(at, "\r\n")); at += 2)
    if (strncmp(at + 2, line, size) == 0 && strncmp(at + 2 + size, "\r\n", 2) == 0)
      return true;
  return false;
}

static void serve_one(int fd, raw_answer *answer)
{
  char head[HTTP_HEAD_MAX + 1];
  size_t size = 0;
  ssize_t got;
  while (size < HTTP_HEAD_MAX && (got = recv(fd, head + size, HTTP_HEAD_MAX - size, 0)) > 0) {
    size += (size_t)got;
    head[size] = '\0';
    if (!strstr(head, "\r\n\r\n"))
      continue;
    char *target = strchr(head, ' ');
    if (target) {
      target++;
      char *end = target + strcspn(target, " ");
      rest_of_head = *end ? end + 1 : end;
      is_head = strncmp(head, "HEAD ", 5) == 0;
      *end = '\0';
      answer(fd, target);
    }
    return;
  }
}

static void serve(int listen_fd, raw_answer *answer)
{
  pid_t self = getpid();
  signal(SIGCHLD, SIG_IGN); /* nobody waits for the children */
  for (;;) {
    struct pollfd ready = {.fd = listen_fd, .events = POLLIN};
    poll(&ready, 1, -1);
    int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0 && fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() == self)
        serve_one(fd, answer);
      _exit(0);
    }
    if (fd >= 0)
      close(fd);
  }
}

pid_t raw_start(raw_answer *answer, unsigned *port)
{
  return raw_start_at(answer, "127.0.0.1", port);
}

pid_t raw_start_at(raw_answer *answer, const char *address, unsigned *port)
{
  *port = 0;
  int listen_fd = server_listen(address, port);
  pid_t parent = getpid(), pid = listen_fd < 0 ? -1 : fork();
  if (pid < 0) {
    perror("raw server");
    abort();
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
      serve(listen_fd, answer);
    _exit(0);
  }
  close(listen_fd);
  return pid;
}
