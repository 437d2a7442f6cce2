/* Against SSRF (server-side request forgery): a crawler may connect to public addresses only, unless its user allows
 * more.
 *
 * Checked on the address itself at connect time, whatever name led there, so DNS rebinding, redirects and odd
 * spellings (0x7f.1, [::ffff:127.0.0.1]) all meet the same check. Ranges: IANA's registries of special-purpose
 * addresses (RFC 6890), as of 2025. */
#ifndef STRATA_CRAWLER_SSRF_GUARD_H
#define STRATA_CRAWLER_SSRF_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

bool ssrf_address_is_public(const struct sockaddr *address);
bool ssrf_text_is_public(const char *address); /* "192.0.2.1" or "2001:db8::1"; false for what is neither */

/* Of a host, port and all, when its address is not seen here (a proxy connects): false for addresses that are not
 * public, in any spelling that inet_aton(3) reads, and for names that say it: without a dot, or of localhost,
 * localdomain, internal (metadata.google.internal), local, lan or home.arpa. */
bool ssrf_host_is_public(const char *host, size_t size);

#endif
