/* The kinds of hosts: one row each. To add one: a share in web.h, its name in options.c, a row here. */
#include "tests/contract/web/web_inside.h"

const web_kind web_kinds[] = {
  {.share = WEB_NAMELESS, .ending = WEB_NO_NAME},
  {.share = WEB_REFUSED, .ending = WEB_NOT_LISTENING},
  {.share = WEB_SILENT, .ending = WEB_NEVER},
  {.share = WEB_DISTRUSTED, .ending = WEB_NO_TRUST},
  {.share = WEB_CALENDAR, .owns = web_is_calendar, .answer = web_answer_calendar, .entrance = "/calendar/2024/1/1"},
  {.share = WEB_SESSIONS, .owns = web_is_shop, .answer = web_answer_shop, .entrance = "/shop/item1"},
  {.share = WEB_LOST, .owns = web_is_anything, .answer = web_answer_lost, .entrance = "/lost/and/found"},
  {.share = WEB_FLOOD, .owns = web_is_flood, .answer = web_answer_flood, .entrance = "/flood/"},
  {.share = WEB_GRAFFITI, .owns = web_is_wall, .answer = web_answer_wall, .entrance = "/wall/"},
  {.share = WEB_FARM, .owns = web_is_farm, .answer = web_answer_farm, .entrance = "/best/"},
};

const size_t web_kinds_count = sizeof web_kinds / sizeof *web_kinds;
