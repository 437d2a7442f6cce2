/* The names of key profiles. A file of keys carries the canonical name, so the order here is a contract. */
#include "frontier/url.h"

#include <string.h>

static const struct rule {
  url_profile bit;
  const char *name;
} rules[] = {
  {URL_NO_WWW, "no-www"},
  {URL_HTTP_IS_HTTPS, "http=https"},
  {URL_NO_TRAILING_SLASH, "no-trailing-slash"},
  {URL_NO_INDEX_PAGE, "no-index-page"},
  {URL_SORT_QUERY, "sort-query"},
  {URL_NO_SESSION_IDS, "no-session-ids"},
  {URL_NO_TRACKING, "no-tracking-params"},
  {URL_NO_DUPLICATE_SLASHES, "no-duplicate-slashes"},
  {URL_PATH_PAPER, "path-paper"},
  {URL_REFUSE_USERINFO, "refuse-userinfo"},
};
enum { RULE_COUNT = sizeof rules / sizeof rules[0] };
_Static_assert(URL_EVERY_RULE == (1 << RULE_COUNT) - 1, "each rule has a bit and a name");

static bool find_rule(const char *name, size_t size, url_profile *bit)
{
  for (size_t i = 0; i < RULE_COUNT; i++)
    if (strlen(rules[i].name) == size && memcmp(rules[i].name, name, size) == 0) {
      *bit = rules[i].bit;
      return true;
    }
  return false;
}

bool url_profile_parse(const char *text, url_profile *profile)
{
  url_profile set = URL_STRICT;
  if (strcmp(text, "strict") != 0)
    for (const char *name = text;;) {
      size_t size = strcspn(name, ",");
      url_profile bit;
      if (!find_rule(name, size, &bit))
        return false;
      set |= bit;
      if (name[size] == '\0')
        break;
      name += size + 1;
    }
  *profile = set;
  return true;
}

void url_profile_name(url_profile profile, char name[URL_PROFILE_NAME_SIZE])
{
  char *end = name;
  for (size_t i = 0; i < RULE_COUNT; i++)
    if (profile & rules[i].bit) {
      if (end != name)
        *end++ = ',';
      size_t size = strlen(rules[i].name);
      memcpy(end, rules[i].name, size);
      end += size;
    }
  if (end == name) {
    memcpy(end, "strict", 6);
    end += 6;
  }
  *end = '\0';
}
