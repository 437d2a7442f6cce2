/* Known URL number n is page n % P of host n / P of a plain web. Its pages are written by the box itself, and read as a
 * crawler does. */
#include "bench/late_pages.h"

#include "crawler/html/links.h"
#include "frontier/seen/seen.h"
#include "bench/frontier_contender.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRESH_HOSTS = 20000, FRESH_ONE_IN = 50 };

struct late_pages {
  web *web;
  uint32_t hosts, pages_of_host;
  uint64_t next_page, next_fresh, dice;
  links_scanner *scanner;
  url_base *base;
  url target;
  text text;
  web_reply reply;
  late_lot *lot; /* that is being drawn */
};

static void demand(bool holds, const char *why)
{
  if (!holds)
    contender_fail("pages", why);
}

static void add_text(late_lot *lot, const char *bytes, size_t size)
{
  demand(lot->links < LATE_PAGES * LATE_LINKS && lot->bytes + size <= LATE_BYTES, "they have too many links");
  memcpy(lot->text + lot->bytes, bytes, size);
  lot->bytes += (uint32_t)size;
  lot->begin[++lot->links] = lot->bytes;
}

static void add_link(void *context, const link_found *link)
{
  late_pages *p = context;
  if (url_resolve(p->base, link->href, link->size, URL_STRICT, &p->target) != URL_OK)
    return;
  if (link->kind == LINK_BASE)
    demand(url_base_set(p->base, p->target.fetch, p->target.fetch_size) == URL_OK, p->target.fetch);
  else
    add_text(p->lot, p->target.fetch, p->target.fetch_size);
}

static void add_fresh(late_pages *p, late_lot *lot)
{
  char made[80];
  uint64_t number = p->next_fresh++;
  int size = snprintf(made, sizeof made, "http://www.fresh%" PRIu64 ".test/new/%" PRIu64 ".html", number % FRESH_HOSTS,
                      number / FRESH_HOSTS); /* hosts and segments that are known: the combination is new */
  add_text(lot, made, (size_t)size);
  lot->fresh++;
}

late_pages *late_pages_create(uint64_t known, uint32_t pages_of_host, uint32_t links)
{
  late_pages *p = calloc(1, sizeof *p);
  web_options options = web_options_plain();
  demand(p != NULL, "no memory");
  options.pages = p->pages_of_host = pages_of_host;
  options.hosts = p->hosts = (uint32_t)(known / 1000 * 1000 / pages_of_host);
  options.links = links - 1; /* there is one to a page below it on average, too */
  options.bytes = 200;
  p->web = web_create(&options);
  p->base = url_base_create();
  p->scanner = links_create(add_link, p);
  demand(p->base && p->scanner && late_pages_known(p) % 1000 == 0, "known URLs come by the 1000 for whole hosts");
  p->next_page = (uint64_t)p->hosts * (pages_of_host / 2); /* not "/", which is unlike others */
  return p;
}

void late_pages_free(late_pages *p)
{
  links_free(p->scanner);
  url_base_free(p->base);
  web_reply_free(&p->reply);
  text_free(&p->text);
  web_free(p->web);
  free(p);
}

uint64_t late_pages_known(const late_pages *p)
{
  return (uint64_t)p->hosts * p->pages_of_host;
}

void late_pages_hash(void *pages, const mlbf_filter *filter, uint64_t number, key_hashes *hashes)
{
  late_pages *p = pages;
  text_clear(&p->text);
  web_url(p->web, (uint32_t)(number / p->pages_of_host), (uint32_t)(number % p->pages_of_host), &p->text);
  demand(url_parse(p->text.bytes, p->text.size, URL_STRICT, &p->target) == URL_OK, p->text.bytes);
  seen_hash(filter, &p->target, hashes);
}

static void draw_box_page(late_pages *p)
{
  uint32_t host = (uint32_t)(p->next_page % p->hosts);
  uint32_t page = (uint32_t)(p->next_page / p->hosts % p->pages_of_host);
  text_clear(&p->text);
  web_url(p->web, host, page, &p->text);
  const char *name = p->text.bytes + strlen("http://"), *target = strchr(name, '/');
  web_request request = {.host = name,
                         .host_size = (size_t)(target - name),
                         .target = target,
                         .target_size = p->text.size - (size_t)(target - p->text.bytes)};
  web_answer(p->web, &request, &p->reply);
  demand(p->reply.status == 200 && url_base_set(p->base, p->text.bytes, p->text.size) == URL_OK, p->text.bytes);
  links_feed(p->scanner, p->reply.body.bytes, p->reply.body.size);
  links_finish(p->scanner);
}

static uint64_t draw(late_pages *p)
{
  uint64_t z = p->dice += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static void draw_even_page(late_pages *p, late_lot *lot)
{
  for (int i = 0; i < FRESH_ONE_IN - 1; i++) {
    uint64_t number = draw(p) % late_pages_known(p);
    text_clear(&p->text);
    web_url(p->web, (uint32_t)(number / p->pages_of_host), (uint32_t)(number % p->pages_of_host), &p->text);
    add_text(lot, p->text.bytes, p->text.size);
  }
}

void late_pages_draw(late_pages *p, bool evenly, late_lot *lot)
{
  lot->pages = lot->links = lot->bytes = lot->fresh = 0;
  p->lot = lot;
  for (; lot->pages < LATE_PAGES; p->next_page++) {
    if (evenly)
      draw_even_page(p, lot);
    else
      draw_box_page(p);
    while (lot->fresh * FRESH_ONE_IN < lot->links)
      add_fresh(p, lot);
    lot->page_end[lot->pages++] = lot->links;
  }
}

void late_pages_draw_fresh(late_pages *p, uint32_t count, late_lot *lot)
{
  lot->pages = lot->links = lot->bytes = lot->fresh = 0;
  for (uint32_t i = 0; i < count; i++) {
    add_fresh(p, lot);
    if (i + 1 == count || lot->links % FRESH_ONE_IN == 0)
      lot->page_end[lot->pages++] = lot->links;
  }
}
