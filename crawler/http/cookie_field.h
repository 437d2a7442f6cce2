/* A cookie as text: a Set-Cookie field as servers send it (RFC 6265bis, 5.6 and 5.7), a line of Netscape's format, and
 * what it applies to. */
#ifndef STRATA_CRAWLER_COOKIE_FIELD_H
#define STRATA_CRAWLER_COOKIE_FIELD_H

#include "crawler/http/cookies.h"

enum { COOKIE_HOST = 256 };

/* Where a request goes. */
typedef struct cookie_place {
  bool is_https;
  uint16_t port;
  char host[COOKIE_HOST];
  char path[COOKIE_ATTRIBUTE_MAX + 1]; /* without the query; cut at that size, which no cookie's path exceeds */
} cookie_place;

bool cookie_place_of(const char *url, cookie_place *place); /* false: no absolute URL of the web */

typedef struct cookie_field {
  char name[COOKIE_MAX + 1], value[COOKIE_MAX + 1], domain[COOKIE_HOST], path[COOKIE_ATTRIBUTE_MAX + 1];
  uint64_t expires_s; /* UINT64_MAX: with the run */
  uint16_t port;      /* where it goes; 0: to any */
  bool is_host_only, is_secure;
} cookie_field;

/* false: it is not to be kept. */
bool cookie_field_read(cookie_field *f, const cookie_place *from, const char *field, uint64_t now_s);
bool cookie_field_of_line(cookie_field *f, char *line); /* is taken apart */

bool cookie_domain_matches(const char *host, const char *domain);
bool cookie_path_matches(const char *path, const char *cookie_path);

#endif
