/* The web of an exchange's world: pages whose links are known. */
#include "tests/support/exchange_inside.h"

#include <stdio.h>

/* Pages that give each other's link, one after the other, are work for one partition at a time: most of the time all
 * others are idle. */
static unsigned next_in_chain(unsigned page)
{
  unsigned at = page % OF_HOST * HOSTS + page / OF_HOST + 1;
  return at >= CHAIN ? page : at % HOSTS * OF_HOST + at / HOSTS;
}

void world_make_pages(world *w)
{
  unsigned waiting[PAGES + 1], count = 0;
  bool is_chain = world_roll(w, 2) || world_is_of_waves(w);
  for (unsigned page = 0; page < PAGES; page++)
    for (unsigned i = 0; i < LINKS; i++)
      w->links[page][i] = (uint16_t)(is_chain ? next_in_chain(page) : world_roll(w, PAGES));
  w->is_reachable[waiting[count++] = 0] = true;
  while (count) {
    const uint16_t *links = w->links[waiting[--count]];
    for (unsigned i = 0; i < LINKS; i++)
      if (!w->is_reachable[links[i]])
        w->is_reachable[waiting[count++] = links[i]] = true;
  }
}

unsigned world_page_of(const char *text)
{
  unsigned host = 0, page = 0;
  return sscanf(text, "http://h%u.example/%u", &host, &page) == 2 && host < HOSTS && page < OF_HOST
           ? host * OF_HOST + page
           : PAGES;
}

void world_add_page(world *w, actor *a, unsigned page, frontier_origin origin)
{
  static url u;
  char text[64];
  frontier_verdict verdict;
  int size = snprintf(text, sizeof text, "http://h%u.example/%u", page / OF_HOST, page % OF_HOST);
  if (url_parse(text, (size_t)size, URL_STRICT, &u) != URL_OK)
    world_fault(w, "%s is no URL", text);
  bool is_elsewhere = frontier_partition_of(a->f, &u) != a->own;
  if (w->lie == LIE_SENT_LATELY_BY_OTHERS && is_elsewhere && w->sent_ever[a->own][page])
    return;
  w->sent_ever[a->own][page] = 1;
  frontier_status status = frontier_add(a->f, &u, origin, w->now_ms, &verdict);
  if (status != FRONTIER_OK || (verdict.outcome == FRONTIER_ELSEWHERE) != is_elsewhere)
    world_fault(w, "adding a page: %d, %s", (int)status, frontier_message(a->f));
}
