/* crawler/scope/domain.h: the part of a host that somebody registered, by the public suffix list: "example.co.uk" of
 * "www.example.co.uk". For an address, a name without a dot, or a public suffix, it is the whole host. */
#ifndef STRATA_CRAWLER_DOMAIN_H
#define STRATA_CRAWLER_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>

enum { DOMAIN_SIZE = 256 };

/* `host` as in a resolved URL (lower case, IDN in ASCII, IPv6 in brackets), with or without a port. */
void domain_of_host(const char *host, size_t size, char domain[DOMAIN_SIZE]);

/* Is it one under which names are registered, as "co.uk" or "github.io"? Also a name without a dot. */
bool domain_is_public_suffix(const char *domain);

#endif
