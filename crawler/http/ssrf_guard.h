/* Against SSRF (server-side request forgery): a crawler may connect to public addresses only, unless its user allows
 * more.
 *
 * Checked on the address itself at connect time, whatever name led there, so DNS rebinding, redirects and odd
 * spellings (0x7f.1, [::ffff:127.0.0.1]) all meet the same check. Ranges: RFC 6890 and its registries. */
#ifndef STRATA_CRAWLER_SSRF_GUARD_H
#define STRATA_CRAWLER_SSRF_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

bool ssrf_address_is_public(const struct sockaddr *address);
bool ssrf_text_is_public(const char *address); /* "192.0.2.1" or "2001:db8::1"; false for what is neither */

/* Of a host as in a resolved URL, port and all, when its address is not seen here (a proxy connects): false for
 * addresses that are not public, and for localhost and names below it. */
bool ssrf_host_is_public(const char *host, size_t size);

#endif
