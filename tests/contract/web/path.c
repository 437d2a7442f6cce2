/* Targets of pages, in several forms, each of which carries the page's number as its last one: so a target can be read
 * back. Read the number, write that page's target, compare what both mean.
 *
 *     /  /12  /d1/12.html  /page?id=12  /%C3%A9/12.html  /2024/05/12/  /two%20words/12.html  /~anna/12.html
 *     /list?a=1&id=12      /private/12.html and /12.cgi: forbidden     /private/open/12.html: not forbidden */
#include "tests/contract/web/web_inside.h"

#include <stdio.h>
#include <string.h>

static size_t add_escaped(char *target, const char *utf8)
{
  static const char hex[] = "0123456789ABCDEF";
  size_t size = 0;
  for (; *utf8; utf8++) {
    target[size++] = '%';
    target[size++] = hex[(unsigned char)*utf8 >> 4];
    target[size++] = hex[(unsigned char)*utf8 & 15];
  }
  return size;
}

static size_t add_number(char *target, uint32_t number)
{
  char digits[10];
  size_t count = 0, size = 0;
  do
    digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  while (count)
    target[size++] = digits[--count];
  return size;
}

static size_t add_string(char *target, const char *string)
{
  size_t size = strlen(string);
  memcpy(target, string, size + 1);
  return size;
}

/* Before the number, and behind it. */
static const struct {
  const char *before, *behind;
} forms[] = {
  {"/", ""},          {"/d1/", ".html"},          {"/page?id=", ""},     {"/~anna/", ".html"},
  {"/2024/05/", "/"}, {"/two%20words/", ".html"}, {"/d2/new/", ".html"}, {"/list?a=1&id=", ""},
};
enum { FORMS = sizeof forms / sizeof *forms };

static size_t add_usual(const web *w, uint32_t host, uint32_t page, uint64_t dice, char *target)
{
  size_t size = 0;
  size_t form = dice % (FORMS + 1);
  if (dice >> 31 && !web_host_says_charset(w, host))
    form = FORMS;
  if (form == FORMS - 1 && !w->limit[WEB_SPELLED])
    form = 0;          /* an & in a link is written &amp;, which wget2 1.99 does not read: not on a plain web */
  if (form == FORMS) { /* a letter that ASCII has not */
    target[size++] = '/';
    size += add_escaped(target + size, web_charset_letter(web_host_charset(w, host)));
    target[size++] = '/';
  } else {
    size += add_string(target, forms[form].before);
  }
  size += add_number(target + size, page);
  return size + add_string(target + size, form == FORMS ? ".html" : forms[form].behind);
}

size_t web_page_target(const web *w, uint32_t host, uint32_t page, char *target)
{
  enum { OPEN_ONE_IN = 16, CGI_ONE_IN = 4 };
  if (!page)
    return add_string(target, "/");
  uint64_t dice = web_dice(w, WEB_ASK_PATH, host, page), rest = dice >> 32;
  bool is_forbidden = web_page_form(w, host, page) == WEB_FORM_FORBIDDEN;
  bool is_open = w->limit[WEB_FORBIDDEN] && rest % OPEN_ONE_IN == 0;
  if (!is_forbidden && !is_open)
    return add_usual(w, host, page, dice & UINT32_MAX, target);
  bool is_cgi = is_forbidden && rest % CGI_ONE_IN == 1;
  size_t size = add_string(target, is_cgi ? "/" : is_forbidden ? "/private/" : "/private/open/");
  size += add_number(target + size, page);
  return size + add_string(target + size, is_cgi ? ".cgi" : ".html");
}

static int hex_value(char byte)
{
  return byte >= '0' && byte <= '9'   ? byte - '0'
         : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
         : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                                      : -1;
}

bool web_decode(const char *target, size_t size, char *decoded, size_t room)
{
  size_t length = 0;
  for (size_t i = 0; i < size; i++) {
    char byte = target[i];
    if (byte == '%' && i + 2 < size && hex_value(target[i + 1]) >= 0 && hex_value(target[i + 2]) >= 0) {
      byte = (char)(16 * hex_value(target[i + 1]) + hex_value(target[i + 2]));
      i += 2;
    }
    if (!byte || length + 1 >= room)
      return false;
    decoded[length++] = byte;
  }
  decoded[length] = '\0';
  return true;
}

/* The last number in `target`; false: there is none of up to nine digits. */
static bool last_number(const char *target, uint32_t *number)
{
  size_t end = strlen(target), size = 0;
  while (end && !(target[end - 1] >= '0' && target[end - 1] <= '9'))
    end--;
  while (size < end && target[end - size - 1] >= '0' && target[end - size - 1] <= '9')
    size++;
  *number = 0;
  for (size_t i = end - size; size <= 9 && i < end; i++)
    *number = 10 * *number + (uint32_t)(target[i] - '0');
  return size > 0 && size <= 9;
}

static bool is_page(const web *w, uint32_t host, uint32_t page, const char *target)
{
  char own[WEB_TARGET_MAX], meant[WEB_TARGET_MAX];
  size_t size = web_page_target(w, host, page, own);
  return web_decode(own, size, meant, sizeof meant) && strcmp(meant, target) == 0;
}

/* "/go/3/12": a door of page 12, three redirects before it; the longest begin with "/go/21/". */
static bool is_door(const web *w, uint32_t host, uint32_t page, const char *target, unsigned *hop)
{
  char own[32];
  if (sscanf(target, "/go/%2u/", hop) != 1)
    return false;
  snprintf(own, sizeof own, "/go/%u/%u", *hop, page);
  return strcmp(own, target) == 0 && *hop >= 1 && *hop <= web_page_hops(w, host, page);
}

static bool is_away(const web *w, uint32_t host, uint32_t page, const char *target)
{
  char own[32];
  snprintf(own, sizeof own, "/away/%u", page);
  return strcmp(own, target) == 0 && web_page_has_away(w, host, page);
}

/* "/sitemap.xml", and "/map/3.xml" where there are several: a thousand pages each. */
static bool is_map(const web *w, uint32_t host, const char *target)
{
  char own[32];
  uint32_t number;
  if (!web_host_has_map(w, host))
    return false;
  if (strcmp(target, "/sitemap.xml") == 0)
    return true;
  if (strncmp(target, "/map/", 5) != 0 || !last_number(target, &number))
    return false;
  snprintf(own, sizeof own, "/map/%u.xml", number);
  uint32_t pages = web_host_pages(w, host);
  return strcmp(own, target) == 0 && pages > WEB_MAP_PAGES && number <= (pages - 1) / WEB_MAP_PAGES;
}

static bool is_robots(const web *w, uint32_t host, const char *target)
{
  return strcmp(target, "/robots.txt") == 0 ||
         (strcmp(target, "/moved-robots.txt") == 0 && web_host_robots(w, host) == WEB_MOVEDROBOTS);
}

/* What the number in a target is: a page, or a way to one; `*hop` is how many redirects that door has left. */
static web_what numbered(const web *w, uint32_t host, const char *target, uint32_t *page, unsigned *hop)
{
  if (!last_number(target, page) || *page >= web_host_pages(w, host))
    return WEB_NOTHING;
  if (is_page(w, host, *page, target))
    return WEB_PAGE;
  if (is_door(w, host, *page, target, hop))
    return WEB_HOP;
  *hop = 0;
  return is_away(w, host, *page, target) ? WEB_HOP : WEB_NOTHING;
}

web_place web_find_decoded(const web *w, uint32_t host, const char *target, unsigned *hop)
{
  web_place place = {WEB_NOTHING, host, 0, host};
  const web_kind *kind = web_host_kind(w, host);
  uint32_t page;
  uint32_t strayed = web_host_strayed(w, host, target, hop);
  *hop = 0;
  if (strayed != WEB_NO_HOST)
    return (web_place){WEB_ROBOTS, strayed, 0, host};
  if (is_robots(w, host, target))
    place.what = WEB_ROBOTS;
  else if (is_map(w, host, target))
    place.what = WEB_MAP;
  else if (strcmp(target, "/") == 0)
    place.what = WEB_PAGE;
  else if ((place.what = numbered(w, host, target, &page, hop)) != WEB_NOTHING)
    place.page = page;
  if (place.what == WEB_HOP && !*hop)
    web_page_away(w, host, page, &place.host, &place.page);
  if (place.what == WEB_NOTHING && kind && kind->owns && kind->owns(target))
    place.what = WEB_ENDLESS;
  return place;
}
