/* One fetch from fetch_start until `finished` has returned. It belongs to one thread at a time: to the caller's, then
 * to the network's, with its last piece to who reads it, and at last to the caller's again. Earlier, with a piece of
 * the body, only what fetch.h names may be read of the response: it does not change after the first piece. */
#ifndef STRATA_CRAWLER_REQUEST_H
#define STRATA_CRAWLER_REQUEST_H

#include "crawler/http/http_exchange.h"
#include "crawler/http/fetch.h"
#include "crawler/http/response_head.h"

#include <stdbool.h>
#include <stddef.h>

enum {
  REQUEST_ADDRESS = 64,      /* of a server, as text */
  REQUEST_EXPLANATION = 192, /* why it failed */
};

typedef struct block_list {
  struct channel_block *first, *last;
} block_list;

/* What came of its body and was not read yet: channel.c's. */
typedef struct mailbox {
  /* the network's */
  struct request *next; /* of those that something came of */
  block_list filling;
  size_t filled;
  bool is_touched, is_ended;
  /* under the channel's lock */
  block_list up;
  size_t bytes;
  bool is_over;
  enum { BOX_QUIET, BOX_IN_LINE, BOX_READ } state;
} mailbox;

typedef struct request {
  struct request *next; /* in whatever list it is */
  fetch_receiver receiver;
  mailbox box;
  char *url;
  size_t url_room;
  struct curl_slist *conditions; /* header lines; NULL: none */
  exchange *exchange;            /* NULL: it is not kept */
  response_head head;
  char address[REQUEST_ADDRESS];
  char explanation[REQUEST_EXPLANATION]; /* where it names a cause of its own */
  fetch_response response;
} request;

request *request_create(const fetch_options *options); /* NULL: out of memory */
void request_free(request *r);                         /* NULL is fine */

/* A new fetch with the memory of the last one; false: out of memory. */
bool request_begin(request *r, const char *url, const fetch_receiver *receiver);

#endif
