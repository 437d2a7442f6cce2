/* See domain.h. The list is the one built into libpsl. It does not recognize addresses (127.0.0.1 would give 0.1), so
 * those are checked first. */
#include "crawler/scope/domain.h"

#include <libpsl.h>
#include <stdio.h>
#include <string.h>

void domain_of_host(const char *host, size_t size, char domain[DOMAIN_SIZE])
{
  const char *bracket = *host == '[' ? memchr(host, ']', size) : NULL;
  const char *port = bracket ? bracket + 1 : memchr(host, ':', size);
  if (port)
    size = (size_t)(port - host);
  snprintf(domain, DOMAIN_SIZE, "%.*s", (int)(size < DOMAIN_SIZE ? size : DOMAIN_SIZE - 1), host);
  size_t length = strlen(domain);
  if (length > 1 && domain[length - 1] == '.')
    domain[--length] = '\0'; /* "example.org." is the same name */
  bool is_address = *domain == '[' || strspn(domain, "0123456789.") == length;
  const char *registered = is_address ? NULL : psl_registrable_domain(psl_builtin(), domain);
  if (registered)
    memmove(domain, registered, strlen(registered) + 1);
}

bool domain_is_public_suffix(const char *domain)
{
  return psl_is_public_suffix(psl_builtin(), domain);
}
