/* Bytes in and out of one connection. */
#include "tests/contract/web/serve_inside.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Is it only that it has to wait? */
static bool waits(const conn *c, int result)
{
  int why = SSL_get_error(c->ssl, result);
  ERR_clear_error();
  return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
}

bool conn_shake(conn *c)
{
  ERR_clear_error();
  int result = SSL_accept(c->ssl);
  c->is_shaken = result == 1;
  return c->is_shaken || waits(c, result);
}

/* >0: so many bytes, 0: wait, -1: over. */
static ssize_t read_piece(conn *c, char *piece)
{
  if (c->ssl) {
    int got = SSL_read(c->ssl, piece, SERVE_PIECE);
    return got > 0 ? got : waits(c, got) ? 0 : -1;
  }
  ssize_t got = recv(c->fd, piece, SERVE_PIECE, 0);
  return got > 0 ? got : got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

bool conn_read(serve *s, conn *c)
{
  enum { IN_MAX = 1 << 20 };
  ssize_t got;
  while ((got = read_piece(c, s->piece)) > 0) {
    text_add_bytes(&c->in, s->piece, (size_t)got);
    if (c->in.size > IN_MAX)
      return false;
    if (got < SERVE_PIECE && !c->ssl)
      return true; /* a plain socket is empty then */
  }
  return got == 0;
}

static ssize_t write_piece(conn *c, const char *bytes, size_t size)
{
  if (c->ssl) {
    int put = SSL_write(c->ssl, bytes, (int)(size < SERVE_PIECE ? size : SERVE_PIECE));
    return put > 0 ? put : waits(c, put) ? 0 : -1;
  }
  ssize_t put = send(c->fd, bytes, size, MSG_NOSIGNAL);
  return put > 0 ? put : put < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

bool conn_flush(conn *c)
{
  while (c->written < c->out.size) {
    ssize_t put = write_piece(c, c->out.bytes + c->written, c->out.size - c->written);
    if (put <= 0)
      return put == 0;
    c->written += (size_t)put;
  }
  text_free(&c->out); /* an idle connection keeps nothing */
  c->written = 0;
  return true;
}

bool conn_send(conn *c, const char *bytes, size_t size)
{
  ssize_t put = 1;
  while (!c->out.size && size && put > 0) {
    put = write_piece(c, bytes, size);
    if (put < 0)
      return false;
    bytes += put;
    size -= (size_t)put;
  }
  if (size)
    text_add_bytes(&c->out, bytes, size);
  return true;
}
