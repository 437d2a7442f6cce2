/* Pages: what each is, and what leads to it.
 *
 * Page p of a host hangs on page (p - 1) / 6, or on "/" where the host is wide. What is on the way down decides whether
 * p can be reached: a page that fails, is forbidden, stands behind 21 redirects, or is a copy (whose links are those of
 * its original) ends the way for all below it. */
#include "tests/contract/web/web_inside.h"

enum { MAP_ONLY_ONE_IN = 8 }; /* pages of a host that has a sitemap */

uint32_t web_page_fan(const web *w, uint32_t host)
{
  return w->limit[WEB_WIDE] && web_host_has(w, host, WEB_WIDE) ? web_host_pages(w, host) : WEB_PAGE_FAN;
}

uint32_t web_page_parent(const web *w, uint32_t host, uint32_t page)
{
  return (page - 1) / web_page_fan(w, host);
}

web_form web_page_form(const web *w, uint32_t host, uint32_t page)
{
  static const struct {
    web_share share;
    web_form form;
  } rows[] = {
    {WEB_FAILING, WEB_FORM_FAILING},
    {WEB_FORBIDDEN, WEB_FORM_FORBIDDEN},
    {WEB_COPY, WEB_FORM_COPY},
    {WEB_SIMILAR, WEB_FORM_SIMILAR},
  };
  uint64_t dice = web_dice(w, WEB_ASK_FATE, host, page);
  for (size_t i = 0; page && i < sizeof rows / sizeof *rows; i++) {
    if (web_says(w, rows[i].share, dice))
      return rows[i].share == WEB_FORBIDDEN && web_host_robots(w, host) == WEB_NOROBOTS ? WEB_FORM_USUAL : rows[i].form;
    dice -= w->limit[rows[i].share];
  }
  return WEB_FORM_USUAL;
}

bool web_page_may_be_copied(const web *w, uint32_t host, uint32_t page)
{
  return page == 0 || (web_page_form(w, host, page) == WEB_FORM_USUAL && web_dice(w, WEB_ASK_BASE, host, page) & 1);
}

/* Any page drawn, or the nearest above it that may be copied and can be reached: "/" in the end. */
uint32_t web_page_original(const web *w, uint32_t host, uint32_t page)
{
  uint32_t original = (uint32_t)(web_dice(w, WEB_ASK_ORIGINAL, host, page) % page);
  while (!web_page_may_be_copied(w, host, original) || !web_page_is_linked(w, host, original, false, false))
    original = web_page_parent(w, host, original);
  return original;
}

bool web_page_is_map_only(const web *w, uint32_t host, uint32_t page)
{
  return page && web_host_has_map(w, host) && web_dice(w, WEB_ASK_MAP_ONLY, host, page) % MAP_ONLY_ONE_IN == 0;
}

/* Are its own links there to be followed? */
static bool carries(const web *w, uint32_t host, uint32_t page, bool ignores_robots)
{
  web_form form = web_page_form(w, host, page);
  return form == WEB_FORM_USUAL || form == WEB_FORM_SIMILAR || (form == WEB_FORM_FORBIDDEN && ignores_robots);
}

bool web_page_is_linked(const web *w, uint32_t host, uint32_t page, bool sitemaps, bool ignores_robots)
{
  while (page && !web_page_is_map_only(w, host, page)) {
    if (web_page_hops(w, host, page) > WEB_REDIRECTS)
      return false;
    page = web_page_parent(w, host, page);
    if (!carries(w, host, page, ignores_robots))
      return false;
  }
  return !page || sitemaps;
}

unsigned web_page_hops(const web *w, uint32_t host, uint32_t page)
{
  enum { MOST = 4 };
  uint64_t chained = w->limit[WEB_CHAINED] ? web_dice(w, WEB_ASK_SHARE + WEB_CHAINED, host, page) : UINT64_MAX;
  if (page && web_says(w, WEB_CHAINED, chained))
    return WEB_REDIRECTS + (chained & 1);
  if (!page || !web_says(w, WEB_DOOR, web_dice(w, WEB_ASK_DOOR, host, page)))
    return 0;
  return 1 + (unsigned)(web_dice(w, WEB_ASK_DOOR_HOPS, host, page) % MOST);
}

bool web_page_has_away(const web *w, uint32_t host, uint32_t page)
{
  return page && w->options.hosts > 1 && web_says(w, WEB_AWAY, web_dice(w, WEB_ASK_AWAY, host, page));
}

/* The start page where the page drawn cannot be reached. */
void web_page_away(const web *w, uint32_t host, uint32_t page, uint32_t *to_host, uint32_t *to_page)
{
  uint64_t dice = web_dice(w, WEB_ASK_AWAY_TO, host, page);
  *to_host = web_popular(web_dice_next(&dice), w->options.hosts);
  *to_page = web_popular(web_dice_next(&dice), web_host_pages(w, *to_host));
  if (!web_page_is_linked(w, *to_host, *to_page, false, false))
    *to_page = 0;
}

bool web_page_is_flaky(const web *w, uint32_t host, uint32_t page)
{
  return page && web_says(w, WEB_FLAKY, web_dice(w, WEB_ASK_FLAKY, host, page));
}

/* A copy changes when its original does. */
uint64_t web_page_version(const web *w, uint32_t host, uint32_t page, uint64_t now_ms)
{
  uint64_t period = w->options.change_s;
  if (!period)
    return 0;
  if (web_page_form(w, host, page) == WEB_FORM_COPY)
    page = web_page_original(w, host, page);
  return (now_ms / 1000 + web_dice(w, WEB_ASK_CHANGE, host, page) % period) / period;
}
