/* See scrape_server.h.
 *
 *     accepted --head is whole, or wrong--> answering --all is sent, or time is over--> closed
 */
#include "crawler/http/scrape_server.h"

#include "frontier/base/machine.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { GUESTS = 8, HEAD_MAX = 4096, PATIENCE_MS = 5000, BACKLOG = 16 };

typedef struct guest {
  int fd; /* -1: none */
  uint64_t since_ms;
  size_t got; /* of the head */
  char head[HEAD_MAX + 1];
  char *answer; /* NULL: its head is not whole */
  size_t size, sent;
} guest;

struct scrape_server {
  int fd;
  guest guests[GUESTS];
};

static int listen_at(uint16_t port)
{
  const struct sockaddr_in here = {
    .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes); /* those of the last run may linger */
  if (bind(fd, (const struct sockaddr *)&here, sizeof here) == 0 && listen(fd, BACKLOG) == 0)
    return fd;
  int why = errno;
  close(fd);
  errno = why;
  return -1;
}

scrape_server *scrape_server_open(uint16_t port)
{
  scrape_server *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  for (guest *g = s->guests; g < s->guests + GUESTS; g++)
    g->fd = -1;
  s->fd = listen_at(port);
  if (s->fd >= 0)
    return s;
  free(s);
  return NULL;
}

static void dismiss(guest *g)
{
  if (g->fd >= 0)
    close(g->fd);
  free(g->answer);
  g->answer = NULL;
  g->fd = -1;
}

void scrape_server_close(scrape_server *s)
{
  if (!s)
    return;
  for (guest *g = s->guests; g < s->guests + GUESTS; g++)
    dismiss(g);
  close(s->fd);
  free(s);
}

uint16_t scrape_server_port(const scrape_server *s)
{
  struct sockaddr_in here = {0};
  socklen_t size = sizeof here;
  return getsockname(s->fd, (struct sockaddr *)&here, &size) == 0 ? ntohs(here.sin_port) : 0;
}

/* ---- an answer ---------------------------------------------------------------------------------------------- */

/* With its body, which is freed; NULL: none. */
static void answer(guest *g, const char *status, char *body, size_t size, bool is_head)
{
  char head[256];
  int head_size = snprintf(head, sizeof head,
                           "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                           "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                           status, size);
  size_t sent = is_head ? 0 : size;
  g->answer = malloc((size_t)head_size + sent);
  if (g->answer) {
    memcpy(g->answer, head, (size_t)head_size);
    if (sent)
      memcpy(g->answer + head_size, body, sent);
    g->size = (size_t)head_size + sent;
    g->sent = 0;
  }
  free(body);
}

static bool is_ended(const char *head)
{
  return strstr(head, "\r\n\r\n") || strstr(head, "\n\n");
}

/* `head` is whole. "GET /metrics HTTP/1.1": what is behind a '?' does not matter. */
static void answer_head(guest *g, const char *path, scrape_text *make, void *context)
{
  size_t size = 0, line = strcspn(g->head, "\r\n"), method = strcspn(g->head, " "), length = strlen(path);
  bool is_get = strncmp(g->head, "GET ", 4) == 0, is_head = strncmp(g->head, "HEAD ", 5) == 0;
  const char *target = g->head + method + 1;
  if (method >= line || strlen(g->head) != g->got) {
    answer(g, "400 Bad Request", NULL, 0, false);
  } else if (!is_get && !is_head) {
    answer(g, "405 Method Not Allowed", NULL, 0, false);
  } else if (strncmp(target, path, length) != 0 || !strchr(" ?\r\n", target[length])) {
    answer(g, "404 Not Found", NULL, 0, false);
  } else {
    char *body = make(context, &size);
    answer(g, body ? "200 OK" : "503 Service Unavailable", body, body ? size : 0, is_head);
  }
}

/* ---- turns --------------------------------------------------------------------------------------------------- */

/* Something came, or its end. */
static void hear(guest *g, const char *path, scrape_text *make, void *context)
{
  ssize_t got = recv(g->fd, g->head + g->got, HEAD_MAX - g->got, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (got <= 0) {
    dismiss(g);
    return;
  }
  g->got += (size_t)got;
  g->head[g->got] = '\0';
  if (is_ended(g->head) || strlen(g->head) != g->got)
    answer_head(g, path, make, context);
  else if (g->got == HEAD_MAX)
    answer(g, "431 Request Header Fields Too Large", NULL, 0, false);
  else
    return;
  if (!g->answer)
    dismiss(g);
}

static void tell(guest *g)
{
  ssize_t sent = send(g->fd, g->answer + g->sent, g->size - g->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  g->sent += sent > 0 ? (size_t)sent : 0;
  if (sent > 0 && g->sent < g->size)
    return;
  shutdown(g->fd, SHUT_WR);
  dismiss(g);
}

/* A free place, or the oldest guest's. */
static guest *place(scrape_server *s)
{
  guest *oldest = s->guests;
  for (guest *g = s->guests; g < s->guests + GUESTS; g++) {
    if (g->fd < 0)
      return g;
    if (g->since_ms < oldest->since_ms)
      oldest = g;
  }
  dismiss(oldest);
  return oldest;
}

void scrape_server_turn(scrape_server *s, const char *path, scrape_text *make, void *context)
{
  uint64_t now_ms = machine_monotonic_ms();
  for (int i = 0; i < GUESTS; i++) {
    int fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
      break;
    guest *g = place(s);
    g->fd = fd;
    g->since_ms = now_ms;
    g->got = 0;
  }
  for (guest *g = s->guests; g < s->guests + GUESTS; g++) {
    if (g->fd >= 0 && !g->answer)
      hear(g, path, make, context);
    if (g->fd >= 0 && g->answer)
      tell(g);
    if (g->fd >= 0 && now_ms - g->since_ms > PATIENCE_MS)
      dismiss(g);
  }
}
