/* See sim_flight.h. It fills head, exchange, address and times as crawler/http/transfer.c does. */
#include "tests/contract/web/sim_flight.h"

#include "crawler/http/http_head.h"
#include "tests/contract/web/sim.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  GAP_US = 20000,    /* at most, between two pieces of a body */
  REFUSED_US = 3000, /* until it is clear that nobody listens, or that there is no such name */
};

flight *flight_create(const fetch_options *options)
{
  flight *l = calloc(1, sizeof *l);
  if (l && (l->request = request_create(options))) {
    l->options = options;
    return l;
  }
  free(l);
  return NULL;
}

void flight_free(flight *l)
{
  if (!l)
    return;
  request_free(l->request);
  web_reply_free(&l->reply);
  free(l);
}

static bool is_https(const char *url)
{
  return strncmp(url, "https://", 8) == 0;
}

static const char *host_of(const char *url)
{
  return url + (is_https(url) ? 8 : 7);
}

static void ask_web(flight *l, const fetch_receiver *receiver)
{
  const char *host = host_of(l->request->url), *target = host + strcspn(host, "/?");
  web_request ask = {.is_https = is_https(l->request->url),
                     .host = host,
                     .host_size = (size_t)(target - host),
                     .target = target,
                     .target_size = strlen(target),
                     .now_ms = sim_ms(),
                     .if_none_match = receiver->if_none_match,
                     .if_modified_since = receiver->if_modified_since};
  web_answer(sim_web, &ask, &l->reply);
  uint32_t address = l->reply.ending == WEB_NO_NAME ? 0 : web_address(sim_web, l->reply.place.asked);
  if (address)
    snprintf(l->request->address, sizeof l->request->address, "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
             address >> 8 & 255, address & 255);
}

/* The next thing comes after `us`, if the fetch's patience lasts as long. */
static void wait_for(flight *l, uint64_t us)
{
  l->at_us += us;
  l->tie = sim_throw(UINT64_MAX);
  if (l->at_us < l->end_us)
    return;
  l->at_us = l->end_us;
  l->is_late = true;
}

static void put_request(const flight *l)
{
  char head[2 * 4096];
  const char *host = host_of(l->request->url), *target = host + strcspn(host, "/?");
  int size = snprintf(head, sizeof head, "GET %.4000s HTTP/1.1\r\nHost: %.*s\r\nUser-Agent: %.500s\r\n\r\n", target,
                      (int)(target - host), host, l->options->user_agent);
  exchange_add(l->request->exchange, EXCHANGE_REQUEST, head, (size_t)size);
}

bool flight_begin(flight *l, const char *url, const fetch_receiver *receiver)
{
  if (!request_begin(l->request, url, receiver))
    return false;
  l->begun_us = l->at_us = the_sim->us;
  l->end_us = l->begun_us + (uint64_t)l->options->timeout_ms * 1000;
  l->given = 0;
  l->has_head = l->is_late = false;
  ask_web(l, receiver);
  if (l->request->exchange)
    put_request(l);
  if (l->reply.ending == WEB_NOT_LISTENING || l->reply.ending == WEB_NO_NAME)
    wait_for(l, REFUSED_US);
  else if (l->reply.ending == WEB_NEVER)
    wait_for(l, (uint64_t)l->options->timeout_ms * 1000);
  else
    wait_for(l, (uint64_t)l->reply.latency_ms * 1000 + sim_throw(1000));
  return true;
}

/* ---- what comes ------------------------------------------------------------------------------------------------ */

static bool add_line(flight *l, const char *line, size_t size)
{
  if (l->request->exchange)
    exchange_add(l->request->exchange, EXCHANGE_HEAD, line, size);
  return response_head_add(&l->request->head, line, size);
}

static bool add_head(flight *l)
{
  char line[64];
  const text *headers = &l->reply.headers;
  int size = snprintf(line, sizeof line, "HTTP/1.1 %d Said\r\n", l->reply.status);
  bool fits = add_line(l, line, (size_t)size);
  for (size_t at = 0; fits && at < headers->size;) {
    const char *begin = headers->bytes + at, *end = memchr(begin, '\n', headers->size - at);
    size_t line_size = end ? (size_t)(end - begin) + 1 : headers->size - at;
    fits = add_line(l, begin, line_size);
    at += line_size;
  }
  size = snprintf(line, sizeof line, "Content-Length: %zu\r\n", l->reply.body.size);
  return fits && add_line(l, line, (size_t)size) && add_line(l, "\r\n", 2);
}

/* Seconds or a date, as libcurl reads it. */
static uint64_t retry_after_of(const response_head *head)
{
  const char *value = response_head_next(head, "Retry-After", NULL);
  if (!value)
    return 0;
  if (*value >= '0' && *value <= '9')
    return strtoull(value, NULL, 10);
  int64_t at_s = curl_getdate(value, NULL), now_s = ((int64_t)sim_ms() + the_sim->wall_ms) / 1000;
  return at_s > now_s ? (uint64_t)(at_s - now_s) : 0;
}

static void begin_body(flight *l)
{
  fetch_response *response = &l->request->response;
  if (!add_head(l))
    sim_fail("no memory for a response's head");
  const char *type = response_head_joined(&l->request->head, "Content-Type");
  response->content_type = type ? type : "";
  const char *value = response_head_next(&l->request->head, "Location", NULL);
  response->location = value ? value : "";
  response->status = l->reply.status;
  response->has_page = http_status_has_page(response->status, *response->location);
  response->retry_after_s = retry_after_of(&l->request->head);
  response->first_byte_seconds = (double)(the_sim->us - l->begun_us) / 1e6;
  l->has_head = true;
}

/* Half of the bodies come at once; else each piece ends anywhere. */
static size_t draw_piece(const flight *l)
{
  size_t left = l->reply.sent - l->given;
  return sim_throw(2) ? left : 1 + (size_t)sim_throw(left);
}

/* false: more than the crawl wants to have of one body. */
static bool give_piece(flight *l)
{
  request *r = l->request;
  size_t size = draw_piece(l);
  uint64_t most = r->receiver.max_body ? r->receiver.max_body : l->options->max_body;
  size_t taken = size <= most - r->response.body_bytes ? size : (size_t)(most - r->response.body_bytes);
  const char *bytes = l->reply.body.bytes + l->given;
  if (r->exchange)
    exchange_add(r->exchange, EXCHANGE_BODY, bytes, size);
  if (taken)
    r->receiver.body(r->receiver.context, &r->response, bytes, taken);
  l->given += size;
  r->response.wire_bytes += size;
  r->response.body_bytes += taken;
  r->response.truncated = taken < size;
  return !r->response.truncated;
}

static bool end(flight *l, fetch_error error, const char *explanation)
{
  fetch_response *response = &l->request->response;
  response->error = error;
  response->explanation = explanation;
  response->seconds = (double)(the_sim->us - l->begun_us) / 1e6;
  if (error != FETCH_NAME && error != FETCH_CONNECT)
    response->name_seconds = response->connect_seconds = REFUSED_US / 1e6;
  return false;
}

static bool end_as_it_does(flight *l)
{
  switch (l->reply.ending) {
  case WEB_WHOLE: return end(l, FETCH_OK, "");
  case WEB_RESET: return end(l, FETCH_BROKEN, "the connection was reset");
  case WEB_CUT: return end(l, FETCH_BROKEN, "the body was cut short");
  case WEB_NOT_LISTENING: return end(l, FETCH_CONNECT, "nobody listens");
  case WEB_NO_NAME: return end(l, FETCH_NAME, "the name has no address");
  case WEB_NO_TRUST: return end(l, FETCH_TLS, "the certificate is of nobody who is trusted");
  case WEB_NEVER: break;
  }
  return end(l, FETCH_TIMEOUT, "nothing came");
}

bool flight_go_on(flight *l)
{
  if (l->is_late)
    return end(l, FETCH_TIMEOUT, "it took too long");
  bool has_answer = l->reply.ending == WEB_WHOLE || l->reply.ending == WEB_CUT;
  if (has_answer && !l->has_head)
    begin_body(l);
  if (has_answer && l->given < l->reply.sent && !give_piece(l))
    return end(l, FETCH_OK, "");
  if (!has_answer || l->given == l->reply.sent)
    return end_as_it_does(l);
  wait_for(l, 1 + sim_throw(GAP_US));
  return true;
}
