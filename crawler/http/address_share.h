/* crawler/http/address_share.h: how often an address is asked, whatever names lead there.
 *
 * An address, or a /64 network (address_key.h), gets no more than so many hosts would get: `hosts` requests at once,
 * and one more for each `delay_ms` / `hosts` that pass. This is asked when the address is known and before anything is
 * sent to it, so it also holds for names that were never met before, and for those that change their address.
 * per_address.h keeps most requests from coming as far.
 *
 * Fixed memory, of addresses asked a moment ago; those that find no place for themselves share one. For one thread. */
#ifndef STRATA_CRAWLER_ADDRESS_SHARE_H
#define STRATA_CRAWLER_ADDRESS_SHARE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct address_share address_share;

address_share *address_share_create(unsigned hosts, uint64_t delay_ms); /* both >= 1. NULL: out of memory, or of dice */
void address_share_free(address_share *a);                              /* NULL is fine */

/* A request to the address is to begin. false: it has had its share; ask again in `*wait_ms`, which is longer the more
 * were told so. */
bool address_share_take(address_share *a, uint64_t key, uint64_t now_ms, uint64_t *wait_ms);

#endif
