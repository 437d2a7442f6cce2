/* Reads the body of a page: SHA-256, decoder, links, shingles, all that needs no order among pages. What does need it,
 * visit_end.c does on the thread that crawls.
 *
 * Runs on any thread of the fetcher's, on one at a time for a visit. So of the crawl it uses options, which do not
 * change, and what is atomic, as the memory of copies is; of the visit all but what the thread that crawls looks at
 * meanwhile: lease, stage and begun_ms. */
#include "crawler/loop/crawl_state.h"

#include <assert.h>

static void body_came(void *context, const fetch_response *response, const char *bytes, size_t size)
{
  visit *v = context;
  crawl *c = v->owner;
  v->is_dropped = v->is_dropped || crawl_drops_pages(c);
  if (v->is_dropped)
    return;
  if (c->options.keeps_log)
    body_hash_add(v->hash, bytes, size);
  if (!response->has_page || v->is_check)
    return;
  const char *rest = bytes;
  size_t left = size;
  while (!v->is_dropped && visit_read(v, response->content_type, &rest, &left))
    v->is_dropped = crawl_drops_pages(c);
  if (c->options.bodies && visit_is_no_page(v))
    body_digests_take(c->options.bodies, &v->body, bytes, size);
}

static void body_ended(void *context, const fetch_response *response)
{
  visit *v = context;
  const crawl *c = v->owner;
  (void)response;
  if (v->is_dropped)
    return;
  visit_finish(v);
  if (c->options.bodies && !visit_is_no_page(v)) /* its first bytes were not enough to see that */
    body_digests_drop(c->options.bodies, &v->body);
  if (c->options.keeps_log)
    body_hash_end(v->hash, v->sha256);
}

void crawl_set_reader(crawl *c, visit *v, fetch_receiver *receiver)
{
  receiver->body = body_came;
  receiver->ended = body_ended;
  receiver->reads_anywhere = true;
  if (c->options.keeps_log)
    body_hash_begin(v->hash);
}
