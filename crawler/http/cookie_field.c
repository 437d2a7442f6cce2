/* See cookie_field.h. */
#include "crawler/http/cookie_field.h"

#include "crawler/http/cookie_date.h"
#include "crawler/scope/domain.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- where ------------------------------------------------------------------------------------------------- */

bool cookie_place_of(const char *url, cookie_place *place)
{
  place->is_https = strncmp(url, "https://", 8) == 0;
  if (!place->is_https && strncmp(url, "http://", 7) != 0)
    return false;
  const char *host = url + (place->is_https ? 8 : 7), *end = host + strcspn(host, "/?#");
  const char *port = *host == '[' ? memchr(host, ']', (size_t)(end - host)) : host;
  port = port ? memchr(port, ':', (size_t)(end - port)) : NULL;
  size_t size = (size_t)((port ? port : end) - host), path = strcspn(end, "?#");
  if (!size || size >= COOKIE_HOST)
    return false;
  memcpy(place->host, host, size);
  place->host[size] = '\0';
  place->port = port ? (uint16_t)strtoul(port + 1, NULL, 10) : place->is_https ? 443 : 80;
  path = path < COOKIE_ATTRIBUTE_MAX ? path : COOKIE_ATTRIBUTE_MAX;
  snprintf(place->path, sizeof place->path, "%.*s", (int)path, end);
  if (*place->path != '/')
    snprintf(place->path, sizeof place->path, "/");
  return true;
}

static bool is_address(const char *host)
{
  return *host == '[' || strspn(host, "0123456789.") == strlen(host);
}

bool cookie_domain_matches(const char *host, const char *domain)
{
  size_t size = strlen(host), end = strlen(domain);
  if (size == end)
    return strcmp(host, domain) == 0;
  return size > end && host[size - end - 1] == '.' && strcmp(host + size - end, domain) == 0 && !is_address(host);
}

bool cookie_path_matches(const char *path, const char *cookie_path)
{
  size_t size = strlen(cookie_path);
  return strncmp(path, cookie_path, size) == 0 && (!path[size] || path[size] == '/' || cookie_path[size - 1] == '/');
}

/* ---- a field ------------------------------------------------------------------------------------------------ */

static const char *skip_blanks(const char *from, const char *end)
{
  while (from < end && (*from == ' ' || *from == '\t'))
    from++;
  return from;
}

/* Without the blanks around it; false: it is too long. */
static bool copy(char *to, size_t most, const char *from, const char *end)
{
  from = skip_blanks(from, end);
  while (end > from && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  if ((size_t)(end - from) > most)
    return false;
  memcpy(to, from, (size_t)(end - from));
  to[end - from] = '\0';
  return true;
}

static bool has_control(const char *text)
{
  for (; *text; text++)
    if (((unsigned char)*text < 0x20 && *text != '\t') || *text == 0x7F)
      return true;
  return false;
}

static bool read_pair(cookie_field *f, const char *pair, const char *end)
{
  const char *sign = memchr(pair, '=', (size_t)(end - pair));
  *f->name = '\0';
  if (sign && !copy(f->name, COOKIE_MAX, pair, sign))
    return false;
  if (!copy(f->value, COOKIE_MAX, sign ? sign + 1 : pair, end))
    return false;
  size_t name = strlen(f->name), value = strlen(f->value);
  return name + value > 0 && name + value <= COOKIE_MAX;
}

typedef struct attributes {
  bool has_max_age, has_path;
  char domain[COOKIE_ATTRIBUTE_MAX + 1];
} attributes;

static void take_max_age(cookie_field *f, attributes *a, const char *value, uint64_t now_s)
{
  bool is_negative = *value == '-';
  const char *digits = value + is_negative;
  if (!*digits || digits[strspn(digits, "0123456789")])
    return;
  uint64_t seconds = is_negative ? 0 : strtoull(digits, NULL, 10);
  a->has_max_age = true;
  f->expires_s = seconds < UINT64_MAX - now_s ? now_s + seconds : UINT64_MAX;
}

/* One that cannot be read is as if it were not there (5.6.1). */
static void take_expires(cookie_field *f, const attributes *a, const char *value)
{
  int64_t when;
  if (!a->has_max_age && cookie_date_read(value, &when))
    f->expires_s = when > 0 ? (uint64_t)when : 0;
}

static void take_attribute(cookie_field *f, attributes *a, const char *from, const char *end, uint64_t now_s)
{
  char name[16], value[COOKIE_ATTRIBUTE_MAX + 1];
  const char *sign = memchr(from, '=', (size_t)(end - from));
  if (!copy(name, sizeof name - 1, from, sign ? sign : end) ||
      !copy(value, sizeof value - 1, sign ? sign + 1 : end, end))
    return;
  if (strcasecmp(name, "Max-Age") == 0) {
    take_max_age(f, a, value, now_s);
  } else if (strcasecmp(name, "Expires") == 0) {
    take_expires(f, a, value);
  } else if (strcasecmp(name, "Domain") == 0) {
    snprintf(a->domain, sizeof a->domain, "%s", value + (*value == '.'));
  } else if (strcasecmp(name, "Path") == 0) {
    a->has_path = *value == '/';
    snprintf(f->path, sizeof f->path, "%s", a->has_path ? value : "");
  } else if (strcasecmp(name, "Secure") == 0) {
    f->is_secure = true;
  }
}

/* Of this host alone, or of all below the attribute's domain; false: that is another host's, or a public suffix. */
static bool take_domain(cookie_field *f, const cookie_place *from, char *domain)
{
  for (char *at = domain; *at; at++)
    *at = (char)tolower((unsigned char)*at);
  bool is_own = !*domain || strcmp(domain, from->host) == 0;
  f->is_host_only = is_own && (!*domain || is_address(domain) || domain_is_public_suffix(domain));
  snprintf(f->domain, sizeof f->domain, "%.255s", is_own ? from->host : domain);
  return is_own || (cookie_domain_matches(from->host, domain) && !domain_is_public_suffix(domain));
}

/* As far as the last slash, without it. */
static void take_default_path(cookie_field *f, const cookie_place *from)
{
  snprintf(f->path, sizeof f->path, "%s", from->path);
  char *slash = strrchr(f->path, '/');
  slash[slash == f->path] = '\0';
}

/* What the name promises, the attributes must keep. */
static bool keeps_prefix(const cookie_field *f, const cookie_place *from, const attributes *a)
{
  const char *name = *f->name ? f->name : f->value;
  bool is_host = strncasecmp(name, "__Host-", 7) == 0, is_secure = strncasecmp(name, "__Secure-", 9) == 0;
  if (!is_host && !is_secure)
    return true;
  return *f->name && f->is_secure && from->is_https &&
         (!is_host || (!*a->domain && a->has_path && strcmp(f->path, "/") == 0));
}

bool cookie_field_read(cookie_field *f, const cookie_place *from, const char *field, uint64_t now_s)
{
  attributes a = {0};
  const char *end = strchrnul(field, ';');
  *f->path = '\0';
  f->expires_s = UINT64_MAX;
  f->is_secure = false;
  if (has_control(field) || !read_pair(f, field, end))
    return false;
  while (*end) {
    const char *begin = end + 1;
    end = strchrnul(begin, ';');
    take_attribute(f, &a, begin, end, now_s);
  }
  if (!take_domain(f, from, a.domain) || (f->is_secure && !from->is_https) || !keeps_prefix(f, from, &a))
    return false;
  if (!*f->path)
    take_default_path(f, from);
  f->is_secure = from->is_https; /* what came by https is not sent in clear text */
  f->port = f->is_host_only ? from->port : 0;
  return true;
}

/* ---- a line of a file: domain, for hosts below it too, path, only by https, expires, name, value ------------- */

bool cookie_field_of_line(cookie_field *f, char *line)
{
  static const char http_only[] = "#HttpOnly_";
  enum { FIELDS = 7 };
  char *fields[FIELDS] = {0}, *rest = line;
  if (strncmp(line, http_only, sizeof http_only - 1) == 0)
    rest += sizeof http_only - 1;
  if (*rest == '#')
    return false;
  rest[strcspn(rest, "\r\n")] = '\0';
  for (size_t i = 0; i < FIELDS && rest; i++)
    fields[i] = i < FIELDS - 1 ? strsep(&rest, "\t") : rest;
  if (!fields[5] || has_control(fields[5]) || (fields[6] && has_control(fields[6])))
    return false;
  const char *domain = fields[0] + (*fields[0] == '.'), *value = fields[6] ? fields[6] : "";
  uint64_t expires_s = strtoull(fields[4], NULL, 10);
  if (!*domain || strlen(domain) >= COOKIE_HOST || *fields[2] != '/' || strlen(fields[2]) > COOKIE_ATTRIBUTE_MAX ||
      strlen(fields[5]) + strlen(value) > COOKIE_MAX)
    return false;
  snprintf(f->name, sizeof f->name, "%s", fields[5]);
  snprintf(f->value, sizeof f->value, "%s", value);
  snprintf(f->path, sizeof f->path, "%s", fields[2]);
  for (size_t i = 0; i <= strlen(domain); i++)
    f->domain[i] = (char)tolower((unsigned char)domain[i]);
  f->expires_s = expires_s ? expires_s : UINT64_MAX;
  f->port = 0;
  f->is_host_only = strcasecmp(fields[1], "TRUE") != 0 || is_address(f->domain) || domain_is_public_suffix(f->domain);
  f->is_secure = strcasecmp(fields[3], "TRUE") == 0;
  return true;
}
