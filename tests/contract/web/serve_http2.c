/* HTTP/2 (RFC 9113) by libnghttp2: each request is a stream with its own answer and its own timer. */
#include "tests/contract/web/serve_inside.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>

typedef struct stream {
  int32_t id;
  text host, target, tag, since;
  bool is_head;
  web_reply reply;
  size_t done;                 /* of the body */
  struct stream *next, **link; /* so that those still open go with the connection */
} stream;

struct http2 {
  serve *s;
  conn *c;
  nghttp2_session *session;
  stream *streams;
};

static void stream_free(stream *one)
{
  *one->link = one->next;
  if (one->next)
    one->next->link = one->link;
  text_free(&one->host);
  text_free(&one->target);
  text_free(&one->tag);
  text_free(&one->since);
  web_reply_free(&one->reply);
  free(one);
}

static ssize_t read_body(nghttp2_session *session, int32_t id, uint8_t *into, size_t room, uint32_t *flags,
                         nghttp2_data_source *source, void *context)
{
  stream *one = source->ptr;
  size_t left = one->reply.sent - one->done, size = left < room ? left : room;
  (void)context;
  if (size)
    memcpy(into, one->reply.body.bytes + one->done, size);
  one->done += size;
  if (one->done < one->reply.sent)
    return (ssize_t)size;
  *flags = NGHTTP2_DATA_FLAG_EOF;
  if (one->reply.ending == WEB_CUT) {
    *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR);
  }
  return (ssize_t)size;
}

/* "Content-Type: text/html\r\n..." as fields with small names; `lines` is taken apart for it. */
static size_t add_fields(text *lines, nghttp2_nv *fields, size_t most)
{
  size_t count = 0;
  for (char *line = lines->bytes; line && *line && count < most;) {
    char *colon = strchr(line, ':'), *end = strstr(line, "\r\n");
    for (char *letter = line; letter < colon; letter++)
      if (*letter >= 'A' && *letter <= 'Z')
        *letter = (char)(*letter - 'A' + 'a');
    fields[count++] = (nghttp2_nv){(uint8_t *)line, (uint8_t *)colon + 2, (size_t)(colon - line),
                                   (size_t)(end - colon - 2), NGHTTP2_NV_FLAG_NONE};
    line = end + 2;
  }
  return count;
}

static void submit(http2 *h, stream *one)
{
  enum { FIELDS_MAX = 6000 };
  uint8_t status_name[] = ":status", length_name[] = "content-length"; /* libnghttp2 wants what may be written */
  char status[12], length[24];
  nghttp2_nv fields[FIELDS_MAX];
  web_reply *reply = &one->reply;
  int status_size = snprintf(status, sizeof status, "%d", reply->status);
  int length_size = snprintf(length, sizeof length, "%zu", reply->body.size);
  size_t count = 0;
  fields[count++] = (nghttp2_nv){status_name, (uint8_t *)status, 7, (size_t)status_size, NGHTTP2_NV_FLAG_NONE};
  if (reply->status != 304)
    fields[count++] = (nghttp2_nv){length_name, (uint8_t *)length, 14, (size_t)length_size, NGHTTP2_NV_FLAG_NONE};
  count += add_fields(&reply->headers, fields + count, FIELDS_MAX - count);
  nghttp2_data_provider body = {.source.ptr = one, .read_callback = read_body};
  bool has_body = reply->sent && !one->is_head;
  nghttp2_submit_response(h->session, one->id, fields, count, has_body ? &body : NULL);
}

/* Over one connection speak many: what would end a connection here ends a stream. */
static void send_answer(http2 *h, stream *one)
{
  switch (one->reply.ending) {
  case WEB_WHOLE:
  case WEB_NO_TRUST:
  case WEB_CUT: submit(h, one); return;
  case WEB_NEVER: return;
  default: nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, one->id, NGHTTP2_INTERNAL_ERROR);
  }
}

static void answer(http2 *h, stream *one)
{
  if (!one->host.size || !one->target.size) {
    nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, one->id, NGHTTP2_PROTOCOL_ERROR);
    return;
  }
  web_request request = {.is_https = true,
                         .host = one->host.bytes,
                         .host_size = one->host.size,
                         .target = one->target.bytes,
                         .target_size = one->target.size,
                         .if_none_match = one->tag.bytes,
                         .if_modified_since = one->since.bytes};
  serve_answer(h->s, &request, &one->reply);
  if (one->reply.latency_ms)
    serve_later(h->s, h->c, one->reply.latency_ms, one->id);
  else
    send_answer(h, one);
}

/* -- what libnghttp2 calls -- */

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
  http2 *h = context;
  stream *one = calloc(1, sizeof *one);
  if (!one)
    abort();
  one->id = frame->hd.stream_id;
  one->next = h->streams;
  one->link = &h->streams;
  if (one->next)
    one->next->link = &one->next;
  h->streams = one;
  nghttp2_session_set_stream_user_data(session, one->id, one);
  return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *context)
{
  stream *one = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
  const struct {
    const char *name;
    text *into;
  } rows[] = {
    {":authority", &one->host},
    {":path", &one->target},
    {"if-none-match", &one->tag},
    {"if-modified-since", &one->since},
  };
  (void)flags;
  (void)context;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strlen(rows[i].name) == name_size && memcmp(rows[i].name, name, name_size) == 0)
      text_add_bytes(rows[i].into, value, value_size);
  one->is_head |= name_size == 7 && memcmp(name, ":method", 7) == 0 && value_size == 4 && memcmp(value, "HEAD", 4) == 0;
  return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
  bool is_request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
  if (is_request && frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
    stream *one = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (one)
      answer(context, one);
  }
  return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t error, void *context)
{
  stream *one = nghttp2_session_get_stream_user_data(session, id);
  (void)error;
  (void)context;
  if (one)
    stream_free(one);
  return 0;
}

http2 *http2_create(serve *s, conn *c)
{
  static const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 100}};
  nghttp2_session_callbacks *callbacks;
  http2 *h = calloc(1, sizeof *h);
  if (!h || nghttp2_session_callbacks_new(&callbacks))
    abort();
  h->s = s;
  h->c = c;
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
  if (nghttp2_session_server_new(&h->session, callbacks, h))
    abort();
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, settings, 1);
  return h;
}

void http2_free(http2 *h)
{
  if (!h)
    return;
  nghttp2_session_del(h->session);
  while (h->streams)
    stream_free(h->streams);
  free(h);
}

/* What libnghttp2 has to say, in one piece. */
static bool speak(http2 *h)
{
  const uint8_t *bytes;
  ssize_t size;
  text_clear(&h->s->out);
  while ((size = nghttp2_session_mem_send(h->session, &bytes)) > 0)
    text_add_bytes(&h->s->out, bytes, (size_t)size);
  if (h->s->out.size && !conn_send(h->c, h->s->out.bytes, h->s->out.size))
    return false;
  return nghttp2_session_want_read(h->session) || nghttp2_session_want_write(h->session) || h->c->out.size;
}

bool http2_take(http2 *h)
{
  text *in = &h->c->in;
  if (in->size && nghttp2_session_mem_recv(h->session, (const uint8_t *)in->bytes, in->size) < 0)
    return false;
  text_free(in);
  return speak(h);
}

bool http2_due(http2 *h, int32_t id)
{
  stream *one = nghttp2_session_get_stream_user_data(h->session, id);
  if (one)
    send_answer(h, one);
  return speak(h);
}
