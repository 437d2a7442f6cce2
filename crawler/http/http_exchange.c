/* See http_exchange.h. */
#include "crawler/http/http_exchange.h"

#include "crawler/base/nameless.h"
#include "crawler/http/secrets.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
  HEAD_MAX = 1 << 20,     /* libcurl gives up earlier */
  MEMORY_MAX = 256 << 10, /* of a body: most pages, times the connections */
  PIECE = 64 << 10,       /* read back at once */
};

typedef struct bytes {
  char *at;
  size_t size, room;
} bytes;

struct exchange {
  bytes request, head, body; /* of the body, its first MEMORY_MAX bytes */
  uint64_t spilled;          /* bytes of it in the file */
  bytes tail;                /* and those behind them, from where the file could not be written on */
  uint64_t body_max;
  int fd; /* -1: not needed yet */
  bool is_cut;
  int error;
  char *directory;
  const char *const *secret_headers;
};

/* Of a body, what is in memory comes first, then what is in the file, then what the file did not take. */
static void assert_exchange(const exchange *x)
{
  assert(x->request.size <= x->request.room && x->head.size <= x->head.room && x->tail.size <= x->tail.room);
  assert(x->body.size <= x->body.room && x->body.size <= MEMORY_MAX);
  assert(x->head.size <= HEAD_MAX);
  assert(!x->spilled || (x->fd >= 0 && x->body.size == MEMORY_MAX));
  assert(!x->tail.size || x->body.size == MEMORY_MAX);
  assert(exchange_body_size(x) <= x->body_max);
  (void)x;
}

exchange *exchange_create(const char *directory, uint64_t body_max, const char *const *headers)
{
  exchange *x = calloc(1, sizeof *x);
  if (!x || !(x->directory = strdup(directory))) {
    free(x);
    return NULL;
  }
  x->body_max = body_max;
  x->secret_headers = headers;
  x->fd = -1;
  return x;
}

void exchange_free(exchange *x)
{
  if (!x)
    return;
  if (x->fd >= 0)
    close(x->fd);
  free(x->request.at);
  free(x->head.at);
  free(x->body.at);
  free(x->tail.at);
  free(x->directory);
  free(x);
}

static void drop_body(exchange *x)
{
  x->body.size = x->tail.size = 0;
  x->spilled = 0;
  if (x->fd >= 0)
    close(x->fd);
  x->fd = -1;
}

void exchange_begin(exchange *x)
{
  x->request.size = x->head.size = 0;
  x->is_cut = false;
  x->error = 0;
  drop_body(x);
}

static void append(exchange *x, bytes *to, const char *from, size_t size)
{
  if (!size) /* then there may be no buffer, and none is made */
    return;
  if (!HAS_ROOM(to->at, to->room, to->size + size)) {
    x->error = ENOMEM;
    return;
  }
  memcpy(to->at + to->size, from, size);
  to->size += size;
}

static void spill(exchange *x, const char *from, size_t size)
{
  if (x->fd < 0)
    x->fd = nameless_open(x->directory);
  size_t written = x->fd >= 0 && !x->tail.size ? nameless_write(x->fd, from, size, x->spilled) : 0;
  x->spilled += written;
  if (written < size)
    append(x, &x->tail, from + written, size - written);
}

static void add_body(exchange *x, const char *from, size_t size)
{
  uint64_t left = x->body_max - exchange_body_size(x);
  if (size > left) {
    x->is_cut = true;
    size = (size_t)left;
  }
  size_t room = MEMORY_MAX - x->body.size, near = size < room ? size : room;
  append(x, &x->body, from, near);
  if (size > near)
    spill(x, from + near, size - near);
}

static void add_head(exchange *x, const char *from, size_t size)
{
  if (size >= 5 && strncasecmp(from, "HTTP/", 5) == 0) {
    x->head.size = 0;
    drop_body(x);
  } else if (x->head.size >= 4 && memcmp(x->head.at + x->head.size - 4, "\r\n\r\n", 4) == 0) {
    return; /* it had ended: the trailer of an HTTP/2 response, which HTTP/1.1 has inside the body */
  }
  if (x->head.size + size > HEAD_MAX)
    x->is_cut = true;
  else
    append(x, &x->head, from, size);
}

/* What does not begin one is the rest of a head that was sent in two pieces, perhaps from amid a secret: not kept. */
static void add_request(exchange *x, const char *from, size_t size)
{
  bool is_beginning = (size > 4 && memcmp(from, "GET ", 4) == 0) || (size > 8 && memcmp(from, "CONNECT ", 8) == 0);
  if (!is_beginning)
    return;
  exchange_begin(x);
  append(x, &x->request, from, size);
  x->request.size = secrets_leave_out(x->request.at, x->request.size, x->secret_headers);
}

void exchange_add(exchange *x, exchange_part part, const char *from, size_t size)
{
  assert_exchange(x);
  if (x->error)
    return;
  if (part == EXCHANGE_BODY) {
    add_body(x, from, size);
  } else if (part == EXCHANGE_HEAD) {
    add_head(x, from, size);
  } else {
    add_request(x, from, size);
  }
  assert_exchange(x);
}

const char *exchange_request(const exchange *x, size_t *size)
{
  *size = x->request.size;
  return x->request.at;
}

const char *exchange_head(const exchange *x, size_t *size)
{
  *size = x->head.size;
  return x->head.at;
}

uint64_t exchange_body_size(const exchange *x)
{
  return x->body.size + x->spilled + x->tail.size;
}

bool exchange_body(const exchange *x, exchange_sink *sink, void *context)
{
  char piece[PIECE];
  assert_exchange(x);
  if (x->body.size)
    sink(context, x->body.at, x->body.size);
  for (uint64_t offset = 0; offset < x->spilled;) {
    size_t wanted = x->spilled - offset < sizeof piece ? (size_t)(x->spilled - offset) : sizeof piece;
    if (!nameless_read(x->fd, piece, wanted, offset))
      return false;
    sink(context, piece, wanted);
    offset += wanted;
  }
  if (x->tail.size)
    sink(context, x->tail.at, x->tail.size);
  return true;
}

bool exchange_is_cut(const exchange *x)
{
  return x->is_cut;
}

int exchange_error(const exchange *x)
{
  return x->error;
}
