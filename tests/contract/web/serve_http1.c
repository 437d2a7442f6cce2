/* HTTP/1.1: one request after the other. To a proxy's client the targets are absolute, or a tunnel is asked for first:
 *
 *     GET http://www.site12.test/12      answered as the host would
 *     CONNECT www.site12.test:443        200, and then TLS with that host's certificate on the same connection
 */
#include "tests/site/http.h"
#include "tests/contract/web/serve_inside.h"
#include "tests/contract/web/web_inside.h"

#include <string.h>
#include <strings.h>

static const char *words_of(int status)
{
  switch (status) {
  case 200: return "OK";
  case 301: return "Moved Permanently";
  case 302: return "Found";
  case 304: return "Not Modified";
  case 404: return "Not Found";
  case 429: return "Too Many Requests";
  case 502: return "Bad Gateway";
  case 503: return "Service Unavailable";
  default: return "Status";
  }
}

static void add_head(text *out, const web_reply *reply, bool keep_alive)
{
  text_add(out, "HTTP/1.1 ");
  web_add_number(out, (uint64_t)reply->status);
  text_add_byte(out, ' ');
  text_add(out, words_of(reply->status));
  text_add(out, "\r\n");
  if (reply->status != 304) {
    text_add(out, "Content-Length: ");
    web_add_number(out, reply->body.size);
    text_add(out, "\r\n");
  }
  text_add_bytes(out, reply->headers.size ? reply->headers.bytes : "", reply->headers.size);
  text_add(out, keep_alive ? "\r\n" : "Connection: close\r\n\r\n");
}

/* The value of a header in the head, copied with a NUL; NULL: there is none. */
static const char *find_header(const char *head, size_t size, const char *name, char *value, size_t room)
{
  const char *end = head + size;
  for (const char *line = head; (line = memmem(line, (size_t)(end - line), "\r\n", 2));) {
    line += 2;
    size_t length = strlen(name);
    if ((size_t)(end - line) <= length || line[length] != ':' || strncasecmp(line, name, length) != 0)
      continue;
    const char *from = line + length + 1, *to = memmem(from, (size_t)(end - from), "\r\n", 2);
    while (*from == ' ')
      from++;
    if (!to || (size_t)(to - from) >= room)
      return NULL;
    memcpy(value, from, (size_t)(to - from));
    value[to - from] = '\0';
    return value;
  }
  return NULL;
}

/* Of "http://host/target", if it is so: true. */
static bool take_apart(http_span absolute, web_request *request)
{
  bool is_https = absolute.size > 8 && strncasecmp(absolute.bytes, "https://", 8) == 0;
  if (!is_https && (absolute.size <= 7 || strncasecmp(absolute.bytes, "http://", 7) != 0))
    return false;
  const char *host = absolute.bytes + (is_https ? 8 : 7), *end = absolute.bytes + absolute.size;
  const char *target = memchr(host, '/', (size_t)(end - host));
  request->is_https = is_https;
  request->host = host;
  request->host_size = (size_t)((target ? target : end) - host);
  request->target = target ? target : "/";
  request->target_size = target ? (size_t)(end - target) : 1;
  return true;
}

static void set_bad_gateway(web_reply *reply)
{
  text_clear(&reply->headers);
  text_clear(&reply->body);
  text_add(&reply->headers, "Content-Type: text/plain\r\n");
  text_add(&reply->body, "nobody there\n");
  reply->status = 502;
  reply->sent = reply->body.size;
}

/* The answer into s->out, as far as it is sent; what becomes of the connection behind it into `c`. */
static void write_answer(serve *s, conn *c, bool keep_alive, bool is_head, bool is_proxy)
{
  web_reply *reply = &s->reply;
  text_clear(&s->out);
  c->ends = !keep_alive || reply->ending == WEB_CUT;
  switch (reply->ending) {
  case WEB_RESET: c->resets = true; return;
  case WEB_NEVER: c->state = CONN_HELD; return;
  case WEB_NOT_LISTENING:
  case WEB_NO_NAME:
    if (!is_proxy) {
      c->resets = true;
      return;
    }
    set_bad_gateway(reply);
    break;
  default: break;
  }
  add_head(&s->out, reply, !c->ends);
  if (!is_head && reply->sent)
    text_add_bytes(&s->out, reply->body.bytes, reply->sent);
}

/* False: the connection is over. */
static bool send_answer(serve *s, conn *c)
{
  if (s->reply.latency_ms) {
    text_add_bytes(&c->out, s->out.size ? s->out.bytes : "", s->out.size);
    c->state = CONN_WAITING;
    serve_later(s, c, s->reply.latency_ms, 0);
    return true;
  }
  if (c->resets || !conn_send(c, s->out.size ? s->out.bytes : "", s->out.size))
    return false;
  c->state = CONN_WRITING;
  return c->out.size ? true : http1_sent(s, c);
}

static bool open_tunnel(serve *s, conn *c, http_span authority)
{
  static const char answer[] = "HTTP/1.1 200 Connection established\r\n\r\n";
  static const char refusal[] = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  const char *colon = memchr(authority.bytes, ':', authority.size);
  size_t size = colon ? (size_t)(colon - authority.bytes) : authority.size;
  uint32_t host = web_find_host(s->w, authority.bytes, size, NULL);
  const web_kind *kind = host == WEB_NO_HOST ? NULL : web_host_kind(s->w, host);
  bool is_tls = !(authority.size - size == 3 && memcmp(authority.bytes + size, ":80", 3) == 0);
  bool is_open = host != WEB_NO_HOST && !(kind && (kind->ending == WEB_NO_NAME || kind->ending == WEB_NOT_LISTENING)) &&
                 (!is_tls || web_host_is_https(s->w, host)) && s->tls;
  c->is_tunnel = is_open && is_tls;
  c->ends = !is_open;
  c->state = CONN_WRITING;
  return conn_send(c, is_open ? answer : refusal, is_open ? sizeof answer - 1 : sizeof refusal - 1) &&
         (c->out.size ? true : http1_sent(s, c));
}

static bool answer(serve *s, conn *c, const http_request *asked, size_t head_size)
{
  char tag[128], since[64];
  web_request request = {.is_https = c->ssl != NULL,
                         .host = asked->host.bytes,
                         .host_size = asked->host.size,
                         .target = asked->target.bytes,
                         .target_size = asked->target.size};
  bool is_proxy = take_apart(asked->target, &request);
  bool is_head = http_span_is(asked->method, "HEAD");
  request.if_none_match = find_header(c->in.bytes, head_size, "If-None-Match", tag, sizeof tag);
  request.if_modified_since = find_header(c->in.bytes, head_size, "If-Modified-Since", since, sizeof since);
  if (!is_head && !http_span_is(asked->method, "GET"))
    return false;
  serve_answer(s, &request, &s->reply);
  write_answer(s, c, asked->keep_alive, is_head, is_proxy);
  return c->state == CONN_HELD || send_answer(s, c);
}

bool http1_take(serve *s, conn *c)
{
  size_t taken = 0;
  while (c->state == CONN_READING && c->in.size) {
    http_request asked;
    http_progress progress = http_request_parse(c->in.bytes, c->in.size, &asked, &taken);
    if (progress == HTTP_MORE)
      return true;
    if (progress == HTTP_BAD)
      return false;
    bool good = http_span_is(asked.method, "CONNECT") ? open_tunnel(s, c, asked.target) : answer(s, c, &asked, taken);
    if (!good)
      return false;
    memmove(c->in.bytes, c->in.bytes + taken, c->in.size - taken);
    c->in.size -= taken;
  }
  if (!c->in.size)
    text_free(&c->in);
  return true;
}

bool http1_due(serve *s, conn *c)
{
  if (c->resets)
    return false;
  c->state = CONN_WRITING;
  return conn_flush(c) && (c->out.size ? true : http1_sent(s, c) && http1_take(s, c));
}

bool http1_sent(serve *s, conn *c)
{
  if (c->ends)
    return false;
  c->state = CONN_READING;
  if (c->is_tunnel) {
    c->is_tunnel = false;
    c->ssl = serve_tls_begin(s->tls, c->fd);
  }
  return true;
}
