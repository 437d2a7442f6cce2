/* crawler/http/address_key.h: an address as politeness counts it: an IPv4 address, also where an IPv6 one carries it
 * (mapped, 6to4, NAT64); else the /64 network of an IPv6 address, since who has one address there has 2^64. */
#ifndef STRATA_CRAWLER_ADDRESS_KEY_H
#define STRATA_CRAWLER_ADDRESS_KEY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Equal for addresses that share their limits. 0: of neither family, or not an address. */
uint64_t address_key(const struct sockaddr *address);
uint64_t address_key_of_text(const char *address); /* "192.0.2.1", "2001:db8::1" */

/* Of a host, with or without a port, that is an address itself ("192.0.2.1:80", "[2001:db8::1]"); 0: it is a name. */
uint64_t address_key_of_host(const char *host, size_t size);

#endif
