/* Per-address politeness. Many names may be one server: virtual hosts, or a wildcard in the DNS. The per-address limit
 * is on the visits under way at one address, or in one /64 network of IPv6 (address_key.h), over all its hosts.
 *
 * A host's address is known from its first response until another host takes its slot in the table. A host without one
 * counts at the address where its registered domain was seen last. If none is known for the domain either, all its
 * hosts without an address share one limit, as the names of a wildcard do. So only first visits to different domains at
 * one address can exceed the limit.
 *
 * Fixed memory. Addresses that collide in the table share a limit: with visits at 64 addresses under way, one address
 * in 256 does. */
#ifndef STRATA_CRAWLER_PER_ADDRESS_H
#define STRATA_CRAWLER_PER_ADDRESS_H

#include "mlbf/secret.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct per_address per_address;

typedef uint16_t address_place; /* of an address, or of a domain whose address is not known */

/* limit >= 1. With a known secret, names could be chosen that take another host's slot. NULL: out of memory. */
per_address *per_address_create(unsigned limit, const uint8_t secret[MLBF_SECRET_BYTES]);
void per_address_free(per_address *a); /* NULL is fine */

/* A host, with or without its port, answered from this address, as text. */
void per_address_learn(per_address *a, const char *host, size_t size, const char *address);

/* A visit to that host is to begin. true: it may, and `*where` goes to per_address_leave when it is over. false: there
 * are enough; ask again in `*wait_ms`, which is longer the more were told so. */
bool per_address_enter(per_address *a, const char *host, size_t size, address_place *where, uint64_t *wait_ms);
void per_address_leave(per_address *a, address_place where);

#endif
