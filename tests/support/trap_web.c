/* See trap_web.h. */
#include "tests/support/trap_web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned trap_web_hash(const char *text)
{
  unsigned hash = 2166136261u;
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 16777619u;
  return hash ^ hash >> 15;
}

/* A day leads to the next and the last, a month, a year on and back. */
void trap_calendar(const char *path, trap_link_taker *take, void *context)
{
  unsigned year = 2026, month = 6, day = 15;
  sscanf(path, "/cal/%u/%u/%u", &year, &month, &day);
  take(context, "/cal/%u/%u/%u", year, month, day % 28 + 1);
  take(context, "/cal/%u/%u/%u", year, month, (day + 26) % 28 + 1);
  take(context, "/cal/%u/%u/%u", year, month % 12 + 1, day);
  take(context, "/cal/%u/%u/%u", year, (month + 10) % 12 + 1, day);
  take(context, "/cal/%u/%u/%u", year + 1, month, day);
  take(context, "/cal/%u/%u/%u", year - 1, month, day);
}

/* Each visit is a new session, and all links carry it. */
void trap_sessions(const char *path, trap_link_taker *take, void *context)
{
  unsigned session = trap_web_hash(path);
  for (unsigned i = 0; i < 30; i++)
    take(context, "/shop/item%u?sid=%08x%08x", i, session, session * 2654435761u);
}

/* Relative links that never leave the directory they are in. */
void trap_relative_links(const char *path, trap_link_taker *take, void *context)
{
  const char *at = strncmp(path, "/wiki/", 6) == 0 ? path : "/wiki/";
  if (strlen(path) > 4000)
    return;
  take(context, "%snews/", at);
  take(context, "%simages/", at);
}

void trap_facets(const char *path, trap_link_taker *take, void *context)
{
  unsigned color = 0, size = 0, brand = 0, page = 0;
  sscanf(path, "/list?color=%u&size=%u&brand=%u&page=%u", &color, &size, &brand, &page);
  take(context, "/list?color=%u&size=%u&brand=%u&page=%u", (color + 1) % 40, size, brand, page);
  take(context, "/list?color=%u&size=%u&brand=%u&page=%u", color, (size + 1) % 20, brand, page);
  take(context, "/list?color=%u&size=%u&brand=%u&page=%u", color, size, (brand + 1) % 50, page);
  take(context, "/list?color=%u&size=%u&brand=%u&page=%u", color, size, brand, (page + 1) % 100);
}

/* No segment of it was seen before, ever. */
void trap_days(const char *path, trap_link_taker *take, void *context)
{
  unsigned year = 2026, month = 6, day = 15;
  sscanf(path, "/agenda?day=%u-%u-%u", &year, &month, &day);
  take(context, "/agenda?day=%u-%02u-%02u", year, month, day % 28 + 1);
  take(context, "/agenda?day=%u-%02u-%02u", year, month % 12 + 1, day);
  take(context, "/agenda?day=%u-%02u-%02u", year + 1, month, day);
  take(context, "/agenda?day=%u-%02u-%02u", year - 1, month, day);
}

/* A page links to each choice of its filters, one of them changed; those that are not chosen are left out, so that
 * there are fifteen sets of parameters. */
void trap_filters(const char *path, trap_link_taker *take, void *context)
{
  static const char names[] = "abcd";
  unsigned chosen[4] = {0};
  for (unsigned i = 0; i < 4; i++) {
    const char *at = strstr(path, (char[]){names[i], '=', 0});
    chosen[i] = at ? (unsigned)strtoul(at + 2, NULL, 10) : 0;
  }
  for (unsigned i = 0; i < 4; i++)
    for (unsigned value = 0, was = chosen[i]; value < 12; value++) {
      char query[64] = "";
      chosen[i] = value;
      for (unsigned n = 0; n < 4; n++)
        if (chosen[n])
          snprintf(query + strlen(query), sizeof query - strlen(query), "%c%c=%u", *query ? '&' : '?', names[n],
                   chosen[n]);
      take(context, "/shop%s", query);
      chosen[i] = was;
    }
}

/* An ordinary site, as a tree of TRAP_WEB_PAGES pages; each also leads into the trap. */
void trap_web_site(const char *path, trap_web *beside, trap_link_taker *take, void *context)
{
  unsigned page = 0;
  if (sscanf(path, "/docs/chapter-%*u/page-%u.html", &page) != 1 && strcmp(path, "/") != 0) {
    beside(path, take, context);
    return;
  }
  for (unsigned next = 3 * page + 1; next <= 3 * page + 3 && next < TRAP_WEB_PAGES; next++)
    take(context, "/docs/chapter-%u/page-%u.html", next % 12, next);
  if (beside)
    beside("", take, context);
}
