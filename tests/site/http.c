/* Request heads in, response heads out. */
#include "tests/site/http.h"

#include <string.h>
#include <strings.h>

bool http_span_is(http_span span, const char *string)
{
  return span.size == strlen(string) && memcmp(span.bytes, string, span.size) == 0;
}

static bool span_is_nocase(http_span span, const char *string)
{
  return span.size == strlen(string) && strncasecmp(span.bytes, string, span.size) == 0;
}

/* Cuts what precedes the first `byte` off the front of `*rest`; false if there is none. */
static bool span_cut(http_span *rest, char byte, http_span *front)
{
  const char *end = memchr(rest->bytes, byte, rest->size);
  if (!end)
    return false;
  *front = (http_span){rest->bytes, (size_t)(end - rest->bytes)};
  rest->size -= front->size + 1;
  rest->bytes = end + 1;
  return true;
}

static http_span span_trim(http_span span)
{
  while (span.size && (*span.bytes == ' ' || *span.bytes == '\t'))
    span.bytes++, span.size--;
  while (span.size && (span.bytes[span.size - 1] == ' ' || span.bytes[span.size - 1] == '\t'))
    span.size--;
  return span;
}

/* "GET /path HTTP/1.1". A target with a space, or none, makes another number of words: bad. */
static bool parse_request_line(http_span line, http_request *request)
{
  if (!span_cut(&line, ' ', &request->method) || !span_cut(&line, ' ', &request->target))
    return false;
  request->keep_alive = http_span_is(line, "HTTP/1.1");
  return request->method.size && request->target.size && (request->keep_alive || http_span_is(line, "HTTP/1.0"));
}

static bool parse_header(http_span line, http_request *request)
{
  http_span name;
  if (!span_cut(&line, ':', &name))
    return false;
  http_span value = span_trim(line);
  if (span_is_nocase(name, "host"))
    request->host = value;
  else if (span_is_nocase(name, "user-agent"))
    request->agent = value;
  else if (span_is_nocase(name, "connection") && span_is_nocase(value, "close"))
    request->keep_alive = false;
  return !span_is_nocase(name, "content-length") && !span_is_nocase(name, "transfer-encoding");
}

http_progress http_request_parse(const char *bytes, size_t size, http_request *request, size_t *used)
{
  static const char blank_line[] = "\r\n\r\n";
  const char *end = memmem(bytes, size, blank_line, 4);
  if (!end)
    return size >= HTTP_HEAD_MAX ? HTTP_BAD : HTTP_MORE;
  *request = (http_request){0};
  *used = (size_t)(end - bytes) + 4;
  http_span rest = {bytes, *used - 2}, line;
  bool first = true, good = true;
  while (good && span_cut(&rest, '\n', &line)) {
    if (line.size)
      line.size--; /* its CR; each line of a head that ends in CR LF CR LF has one, or is bad below */
    good = first ? parse_request_line(line, request) : parse_header(line, request);
    first = false;
  }
  return good && request->host.size ? HTTP_DONE : HTTP_BAD;
}

static const char *status_words(int status)
{
  switch (status) {
  case 200: return "OK";
  case 204: return "No Content";
  case 301: return "Moved Permanently";
  case 302: return "Found";
  case 303: return "See Other";
  case 307: return "Temporary Redirect";
  case 308: return "Permanent Redirect";
  case 400: return "Bad Request";
  case 404: return "Not Found";
  case 405: return "Method Not Allowed";
  case 500: return "Internal Server Error";
  default: return "Status";
  }
}

void http_reply_write(text *out, const http_reply *reply, bool keep_alive, bool head_only)
{
  text_addf(out, "HTTP/1.1 %d %s\r\n", reply->status, status_words(reply->status));
  if (reply->status != 204)
    text_addf(out, "Content-Length: %zu\r\n", reply->body.size);
  if (reply->type)
    text_addf(out, "Content-Type: %s\r\n", reply->type);
  if (reply->location)
    text_addf(out, "Location: %s\r\n", reply->location);
  if (!keep_alive)
    text_add(out, "Connection: close\r\n");
  text_add(out, "\r\n");
  if (!head_only)
    text_add_bytes(out, reply->body.bytes, reply->body.size);
}
