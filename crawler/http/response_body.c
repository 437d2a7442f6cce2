/* See response_body.h. A body without a coding goes on as it is.
 *
 * Always: the sink has got body_bytes, `most` of them at most, and truncated says whether there were more. transfer.c
 * calls it, on the network's thread. */
#include "crawler/http/response_body.h"

#include <assert.h>
#include <string.h>

static bool give(void *context, const char *bytes, size_t size)
{
  const response_body *b = context;
  fetch_response *response = &b->request->response;
  assert(response->body_bytes <= b->most);
  uint64_t left = b->most - response->body_bytes;
  size_t taken = size <= left ? size : (size_t)left;
  if (taken && !b->sink(b->context, b->request, bytes, taken))
    return false;
  response->body_bytes += taken;
  if (taken < size)
    response->truncated = FETCH_CUT_LENGTH;
  return taken == size;
}

static content_codings codings_of(const response_head *head)
{
  content_codings codings = {.count = 0};
  const char *field = NULL;
  while ((field = response_head_next(head, "Content-Encoding", field)))
    content_codings_add(&codings, field, strlen(field));
  return codings;
}

bool response_body_begin(response_body *b)
{
  content_codings codings = codings_of(&b->request->head);
  assert(!b->decoder && !b->request->response.body_bytes);
  if (!codings.count || codings.has_unknown)
    return true;
  if (codings.count > CONTENT_CODINGS_MAX) {
    b->ledger->exceeded = ledger_codings;
    return false;
  }
  b->decoder = content_decoder_create(&codings, ledger_wire_max(b->most), give, b);
  return b->decoder != NULL;
}

/* What is behind the end of a coding, or behind a fault in it, comes to nothing. It is taken all the same, so that the
 * connection can be kept, and what is archived is whole. */
bool response_body_take(response_body *b, const char *bytes, size_t size)
{
  if (!b->decoder)
    return give(b, bytes, size);
  if (content_decoder_add(b->decoder, bytes, size))
    return content_decoder_end(b->decoder) != CONTENT_NOT_CODED;
  if (content_decoder_end(b->decoder) == CONTENT_TOO_MUCH)
    b->ledger->exceeded = ledger_wire_bytes;
  return false;
}

void response_body_drop(response_body *b)
{
  content_decoder_free(b->decoder);
  *b = (response_body){.decoder = NULL};
}

/* What is whole by its coding is whole, however its connection ended: a length that is too long, or bytes behind the
 * end that go on and on, do no harm. */
static CURLcode end_decoding(response_body *b, CURLcode code)
{
  fetch_response *response = &b->request->response;
  switch (content_decoder_end(b->decoder)) {
  case CONTENT_WHOLE: b->ledger->exceeded = NULL; return CURLE_OK;
  case CONTENT_NOT_CODED: return CURLE_BAD_CONTENT_ENCODING;
  case CONTENT_CUT:
    if (code == CURLE_OK)
      response->truncated = FETCH_CUT_CODING;
    return code;
  default: return code;
  }
}

CURLcode response_body_end(response_body *b, CURLcode code)
{
  if (b->decoder && !b->request->response.truncated)
    code = end_decoding(b, code);
  response_body_drop(b);
  return code;
}

/* ---- what is forgiven ---------------------------------------------------------------------------------------- */

static fetch_cut cut_of(fetch_error error)
{
  switch (error) {
  case FETCH_BROKEN: return FETCH_CUT_DISCONNECT;
  case FETCH_TIMEOUT: return FETCH_CUT_TIME;
  case FETCH_ENCODING: return FETCH_CUT_CODING;
  case FETCH_LIMIT: return FETCH_CUT_LENGTH;
  default: return FETCH_WHOLE;
  }
}

/* The server closed the connection a few bytes before its Content-Length: it did not count right, and would not
 * another time. A connection that breaks seldom does so there. */
static bool is_miscounted(CURL *easy, CURLcode code)
{
  enum { FEW = 4 }; /* a line's end or two */
  curl_off_t said = -1, came = 0;
  curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &said);
  curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &came);
  return code == CURLE_PARTIAL_FILE && said > came && said - came <= FEW;
}

/* Of a page, what exceeded a limit is not used. */
void response_body_forgive(fetch_response *response, CURL *easy, CURLcode code)
{
  fetch_cut cut = cut_of(response->error);
  bool is_page = response->has_page;
  if (!cut || (is_page && (cut == FETCH_CUT_LENGTH || !response->body_bytes)))
    return;
  response->truncated = cut;
  if (is_page && !is_miscounted(easy, code))
    return;
  response->error = FETCH_OK;
  response->explanation = "";
}
