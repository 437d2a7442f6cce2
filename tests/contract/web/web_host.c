/* Hosts: their names and back, what hangs on whom, addresses, latency.
 *
 *     group 3, one domain     a.group3.test <─ b.group3.test, c., d.       group3.test redirects to a.
 *     group 4, four domains   www.site16.test <─ site17.test, ...          the name with www or without redirects
 *
 * A name carries its number, so that it can be read back: read the number, write the name, compare. */
#include "tests/contract/web/web_inside.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool web_host_is_head(uint32_t host)
{
  return host % WEB_GROUP == 0;
}

static bool is_one_domain(const web *w, uint32_t group)
{
  return web_dice(w, WEB_ASK_STYLE, group, 0) & 1;
}

static bool has_www(const web *w, uint32_t host)
{
  return web_dice(w, WEB_ASK_STYLE, host, 1) & 1;
}

void web_host_name(const web *w, uint32_t host, char *name)
{
  uint32_t group = host / WEB_GROUP;
  if (is_one_domain(w, group))
    snprintf(name, WEB_NAME_MAX, "%c.group%u.test", 'a' + (int)(host % WEB_GROUP), group);
  else
    snprintf(name, WEB_NAME_MAX, "%ssite%u.test", has_www(w, host) ? "www." : "", host);
}

/* "" if it has none: of a domain of several hosts, the first answers for the bare name. */
void web_host_other_name(const web *w, uint32_t host, char *name)
{
  uint32_t group = host / WEB_GROUP;
  *name = '\0';
  if (is_one_domain(w, group) && web_host_is_head(host))
    snprintf(name, WEB_NAME_MAX, "group%u.test", group);
  else if (!is_one_domain(w, group))
    snprintf(name, WEB_NAME_MAX, "%ssite%u.test", has_www(w, host) ? "" : "www.", host);
}

uint32_t web_domain_head(const web *w, uint32_t host)
{
  return is_one_domain(w, host / WEB_GROUP) ? host - host % WEB_GROUP : host;
}

static bool ends_with(const char *name, size_t size, const char *end)
{
  size_t length = strlen(end);
  return size >= length && strncasecmp(name + size - length, end, length) == 0;
}

/* The label that ends at `name + size`: its size. */
static size_t last_label(const char *name, size_t size)
{
  size_t label = 0;
  while (label < size && name[size - label - 1] != '.')
    label++;
  return label;
}

/* "site12" -> 12, false if it is no such word. */
static bool read_label(const char *label, size_t size, const char *word, uint64_t *number)
{
  size_t length = strlen(word);
  if (size <= length || size > length + 9 || strncasecmp(label, word, length) != 0)
    return false;
  *number = 0;
  for (size_t i = length; i < size; i++) {
    if (label[i] < '0' || label[i] > '9')
      return false;
    *number = 10 * *number + (uint64_t)(label[i] - '0');
  }
  return true;
}

static bool is_name(const char *own, const char *name, size_t size)
{
  return *own && strlen(own) == size && strncasecmp(own, name, size) == 0;
}

/* Below a farm's own name is any other. */
static bool is_below(const char *own, const char *name, size_t size)
{
  size_t length = strlen(own);
  return size > length + 1 && name[size - length - 1] == '.' && ends_with(name, size, own);
}

web_name web_read_name(const web *w, const char *name, size_t size, uint32_t *host)
{
  char own[WEB_NAME_MAX], other[WEB_NAME_MAX];
  uint64_t number;
  if (!ends_with(name, size, ".test"))
    return WEB_NAME_NONE;
  size_t rest = size - strlen(".test"), label = last_label(name, rest);
  if (read_label(name + rest - label, label, "group", &number)) {
    char member = label + 2 <= rest ? (char)(name[rest - label - 2] | 0x20) : 'a';
    number = number * WEB_GROUP + (member >= 'a' && member <= 'd' ? (uint64_t)(member - 'a') : 0);
  } else if (!read_label(name + rest - label, label, "site", &number)) {
    return WEB_NAME_NONE;
  }
  if (number >= w->options.hosts)
    return WEB_NAME_NONE;
  *host = (uint32_t)number;
  web_host_name(w, *host, own);
  if (is_name(own, name, size))
    return WEB_NAME_OWN;
  web_host_other_name(w, *host, other);
  if (is_name(other, name, size))
    return WEB_NAME_OTHER;
  return is_below(own, name, size) && web_host_has(w, *host, WEB_FARM) ? WEB_NAME_ENDLESS : WEB_NAME_NONE;
}

uint32_t web_find_host(const web *w, const char *name, size_t size, bool *is_own)
{
  uint32_t host;
  web_name what = web_read_name(w, name, size, &host);
  if (is_own)
    *is_own = what == WEB_NAME_OWN;
  return what == WEB_NAME_NONE ? WEB_NO_HOST : host;
}

bool web_host_child(const web *w, uint32_t host, uint32_t n, uint32_t *child)
{
  if (!web_host_is_head(host) || n >= WEB_GROUP - 1 + WEB_GROUP_FAN)
    return false;
  uint64_t group = (uint64_t)host / WEB_GROUP;
  uint64_t next = n < WEB_GROUP - 1 ? (uint64_t)host + n + 1
                                    : (group * WEB_GROUP_FAN + n - (WEB_GROUP - 1) + 1) * WEB_GROUP;
  *child = next < w->options.hosts ? (uint32_t)next : WEB_NO_HOST;
  return true;
}

/* One of the shares `first` to `last` at most; WEB_SHARES: none. Some are only for hosts on which no other hangs. */
static web_share draw(const web *w, uint32_t host, web_salt salt, web_share first, web_share last)
{
  uint64_t dice = web_dice(w, salt, host, 0);
  for (web_share share = first; share <= last; share++) {
    bool is_barrier = share <= WEB_FARM || share == WEB_CLOSED || share == WEB_BROKENROBOTS;
    if (web_says(w, share, dice) && !(is_barrier && web_host_is_head(host)))
      return share;
    dice -= dice < w->limit[share] ? dice : w->limit[share];
  }
  return WEB_SHARES;
}

web_share web_host_robots(const web *w, uint32_t host)
{
  return draw(w, host, WEB_ASK_ROBOTS, WEB_NOROBOTS, WEB_CRAWLDELAY);
}

const web_kind *web_host_kind(const web *w, uint32_t host)
{
  web_share share = draw(w, host, WEB_ASK_KIND, WEB_NAMELESS, WEB_FARM);
  if (share == WEB_CALENDAR && web_says(w, WEB_FLOOD, web_dice(w, WEB_ASK_SHARE + WEB_FLOOD, host, 0)))
    share = WEB_FLOOD;
  if (share == WEB_SESSIONS && web_says(w, WEB_GRAFFITI, web_dice(w, WEB_ASK_SHARE + WEB_GRAFFITI, host, 0)))
    share = WEB_GRAFFITI;
  for (size_t i = 0; share != WEB_SHARES && i < web_kinds_count; i++)
    if (web_kinds[i].share == share)
      return &web_kinds[i];
  return NULL;
}

bool web_host_has(const web *w, uint32_t host, web_share what)
{
  if ((what >= WEB_NAMELESS && what <= WEB_FARM) || what == WEB_FLOOD || what == WEB_GRAFFITI) {
    const web_kind *kind = web_host_kind(w, host);
    return kind && kind->share == what;
  }
  if (what >= WEB_NOROBOTS && what <= WEB_CRAWLDELAY)
    return web_host_robots(w, host) == what;
  if (what == WEB_MUTE && !web_host_has(w, host, WEB_SILENT))
    return false;
  return web_says(w, what, web_dice(w, WEB_ASK_SHARE + what, host, 0));
}

bool web_host_is_https(const web *w, uint32_t host)
{
  return web_host_has(w, host, WEB_HTTPS) || web_host_has(w, host, WEB_DISTRUSTED);
}

bool web_host_has_map(const web *w, uint32_t host)
{
  web_share robots = web_host_robots(w, host);
  return web_host_has(w, host, WEB_SITEMAP) && robots != WEB_NOROBOTS && robots != WEB_CLOSED &&
         robots != WEB_BROKENROBOTS;
}

bool web_host_says_charset(const web *w, uint32_t host)
{
  return !w->limit[WEB_UNSAID] || !web_host_has(w, host, WEB_UNSAID);
}

web_charset web_host_charset(const web *w, uint32_t host)
{
  if (!web_host_says_charset(w, host))
    return web_dice(w, WEB_ASK_CHARSET, host, 0) & 1 ? WEB_1252 : WEB_UTF8;
  if (!web_host_has(w, host, WEB_CHARSET))
    return WEB_UTF8;
  return web_dice(w, WEB_ASK_CHARSET, host, 0) & 1 ? WEB_1251 : WEB_SJIS;
}

uint32_t web_address(const web *w, uint32_t host)
{
  enum { NETWORKS = 254, SHARING = 50 }; /* hosts that share an address, on average */
  if (web_host_has(w, host, WEB_NAMELESS))
    return 0;
  uint64_t place = host;
  if (web_host_has(w, host, WEB_SHARED))
    place = web_dice(w, WEB_ASK_ADDRESS, host, 0) % (w->options.hosts / SHARING + 1);
  return 0x7F000000u + 0x10000u + (uint32_t)(place % (NETWORKS * 0x10000u));
}

uint32_t web_host_latency_ms(const web *w, uint32_t host)
{
  enum { HEAVY_FROM_MS = 5000, HEAVY_TO_MS = 20000 };
  uint32_t from = w->options.latency_from_ms, span = w->options.latency_to_ms - from;
  if (web_host_has(w, host, WEB_HEAVY))
    from = HEAVY_FROM_MS, span = HEAVY_TO_MS - HEAVY_FROM_MS;
  return from + (uint32_t)(web_dice(w, WEB_ASK_LATENCY, host, 0) % (span + 1));
}

uint32_t web_host_delay_s(const web *w, uint32_t host)
{
  return web_host_robots(w, host) == WEB_CRAWLDELAY ? w->options.delay_s : 0;
}
