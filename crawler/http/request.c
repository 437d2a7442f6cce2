/* See request.h. */
#include "crawler/http/request.h"

#include "crawler/http/header_list.h"
#include "frontier/base/machine.h"
#include "frontier/base/vector.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

request *request_create(const fetch_options *options)
{
  request *r = calloc(1, sizeof *r);
  if (!r || !options->exchange_directory)
    return r;
  /* a body is as long on the wire as decoded, or shorter; twice that is more than any honest chunking adds */
  r->exchange = exchange_create(options->exchange_directory, 2 * options->max_body + CURL_MAX_WRITE_SIZE,
                                options->headers);
  if (r->exchange)
    return r;
  request_free(r);
  return NULL;
}

void request_free(request *r)
{
  if (!r)
    return;
  curl_slist_free_all(r->conditions);
  exchange_free(r->exchange);
  response_head_free(&r->head);
  free(r->url);
  free(r);
}

static bool set_url(request *r, const char *url)
{
  size_t size = strlen(url) + 1;
  if (!HAS_ROOM(r->url, r->url_room, size))
    return false;
  memcpy(r->url, url, size);
  return true;
}

static bool add_condition(request *r, const char *name, const char *value)
{
  return !value || header_list_add_field(&r->conditions, name, value);
}

bool request_begin(request *r, const char *url, const fetch_receiver *receiver)
{
  curl_slist_free_all(r->conditions);
  r->conditions = NULL;
  r->receiver = *receiver;
  response_head_clear(&r->head);
  if (r->exchange)
    exchange_begin(r->exchange);
  *r->address = '\0';
  r->response = (fetch_response){.head = &r->head,
                                 .exchange = r->exchange,
                                 .address = r->address,
                                 .content_type = "",
                                 .location = "",
                                 .explanation = "",
                                 .start_ms = machine_wall_ms()};
  return set_url(r, url) && add_condition(r, "If-None-Match", receiver->if_none_match) &&
         add_condition(r, "If-Modified-Since", receiver->if_modified_since);
}
