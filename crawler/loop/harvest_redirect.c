/* See harvest.h. A redirect's target enters the frontier as a URL of its own, so it is judged and counted like any
 * other and fetched once, however many pages lead there. But if its key is one that this chain of redirects asked for,
 * that does not make it known: the server asks for another spelling, or for the same one with new cookies
 * (redirect_chain.h). After a crash the redirect comes again, and its target is known if both were committed. */
#include "crawler/loop/harvest_inside.h"

#include "crawler/loop/lacks.h"

#include <string.h>

/* A start URL may lead to its site's real name (example.org -> www.example.org): that host joins the scope. */
static bool widen_scope(harvest *h, const visit *v)
{
  return !visit_is_start(v) || h->rules.is_scope_fixed || scope_has(h->scope, &h->target) ||
         scope_add(h->scope, &h->target);
}

/* A spelling with other cookies is another one. */
static uint64_t hash_of(const harvest *h, uint64_t cookies, const char *text, size_t size)
{
  return mlbf_hasher_hash(h->hasher, cookies, (mlbf_span){text, size}).low;
}

/* Where it leads into h->target. */
static url_status resolve_redirect(harvest *h, const visit *v, const char *location)
{
  url_base_set(h->base, v->lease.url, v->lease.url_size);
  return url_resolve(h->base, location, strlen(location), h->rules.profile, &h->target);
}

static bool leads_to_itself(const harvest *h, const visit *v)
{
  return h->target.fetch_size == v->lease.url_size && memcmp(h->target.fetch, v->lease.url, v->lease.url_size) == 0;
}

bool harvest_leads_to_itself(harvest *h, const visit *v, const char *location)
{
  return resolve_redirect(h, v, location) == URL_OK && leads_to_itself(h, v);
}

/* All that was asked for up to this visit. What a URL that was fetched before came by is long over. false: out of room.
 * Changes h->target. */
static bool gather_chain(harvest *h, const visit *v, uint64_t cookies, redirect_chain *chain)
{
  chain->count = 0;
  if (!revisit_is_again(v->revisit))
    redirect_chain_read(chain, &v->lease);
  url_status status = url_parse(v->lease.url, v->lease.url_size, h->rules.profile, &h->target);
  uint64_t spelling = hash_of(h, cookies, v->lease.url, v->lease.url_size),
           key = status == URL_OK ? hash_of(h, 0, h->target.key, h->target.key_size) : spelling;
  return redirect_chain_add(chain, key, spelling);
}

/* h->target. What the chain has asked for is asked for again in another spelling only: in an earlier life of this page,
 * too, so then it is known. */
static frontier_status follow(harvest *h, const visit *v, uint64_t cookies, const redirect_chain *chain,
                              redirect_end *end)
{
  bool is_of_chain = redirect_chain_has_key(chain, hash_of(h, 0, h->target.key, h->target.key_size));
  bool is_circle = leads_to_itself(h, v) ||
                   redirect_chain_has_spelling(chain, hash_of(h, cookies, h->target.fetch, h->target.fetch_size));
  if (!widen_scope(h, v))
    return FRONTIER_NO_MEMORY;
  end->may_be_loop = !is_of_chain || is_circle;
  if (is_circle || (is_of_chain && revisit_is_again(v->revisit)))
    return FRONTIER_OK;
  return harvest_add_target(h, harvest_next_hop(v), chain, is_of_chain, &end->links);
}

frontier_status harvest_redirect(harvest *h, const visit *v, const fetch_response *response, uint64_t now_ms,
                                 redirect_end *end)
{
  redirect_chain chain;
  *end = (redirect_end){0};
  h->now_ms = now_ms;
  bool has_room = gather_chain(h, v, response->cookies_sent, &chain);
  url_status status = resolve_redirect(h, v, response->location);
  if (status != URL_OK) {
    harvest_count_unusable(h, status, h->base, response->location, strlen(response->location), &end->links);
    end->target = "";
    return FRONTIER_OK;
  }
  end->links.found = 1;
  end->target = h->target.fetch;
  if (!has_room || harvest_is_too_far(harvest_next_hop(v))) {
    h->skips[SKIP_REDIRECTS]++;
    end->links.limit = "too many redirects";
    end->links.lacks |= LACK_BIT(LACK_REDIRECTS);
    return FRONTIER_OK;
  }
  return follow(h, v, response->cookies_there, &chain, end);
}
