/* From a base and an href to a fetch URL and a key: the order of the stages. url_parts.h draws them. */
#include "frontier/url_parts.h"

#include <stdlib.h>
#include <string.h>

url_base *url_base_create(void)
{
  url_base *base = malloc(sizeof *base);
  if (base)
    base->is_set = false;
  return base;
}

void url_base_free(url_base *base)
{
  free(base);
}

static url_status resolve_strict(const url_base *base, const char *href, size_t size, url_profile profile, url *out)
{
  url_reference reference;
  url_status status = url_reference_read(href, size, base ? base->parsed.fetch : NULL, profile, &reference);
  return status == URL_OK ? url_slow_resolve(base, &reference, out) : status;
}

url_status url_base_set(url_base *base, const char *text, size_t size)
{
  url parsed;
  url_status status = resolve_strict(NULL, text, size, URL_STRICT, &parsed);
  if (status != URL_OK)
    return status;
  base->parsed = parsed;
  base->parsed.fetch = base->parsed.fetch_bytes;
  base->parsed.key = base->parsed.key_bytes;
  base->is_set = true;
  return URL_OK;
}

url_status url_resolve(const url_base *base, const char *href, size_t size, url_profile profile, url *out)
{
  if (base && !base->is_set)
    base = NULL;
  url_status status = resolve_strict(base, href, size, profile, out);
  if (status != URL_OK)
    return status;
  if (profile & ~(url_profile)URL_REFUSE_USERINFO)
    url_rules_apply(profile, out);
  url_segments(profile, out);
  return URL_OK;
}

url_status url_parse(const char *text, size_t size, url_profile profile, url *out)
{
  return url_resolve(NULL, text, size, profile, out);
}
