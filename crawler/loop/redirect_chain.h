/* The URLs that a chain of redirects has asked for so far: the payload of the URL that comes next (frontier_link). It
 * tells whether a redirect leads to what is new, to another spelling of what was asked for, or in a circle.
 *
 *     payload   key, spelling | key, spelling | ...  hashes of 8 bytes each, little-endian, at most CHAIN_MAX pairs
 *
 * A spelling is asked for with its cookies: with others it is another one. The hashes are keyed with the directory's
 * secret, so that no server can choose URLs whose hashes are equal. */
#ifndef STRATA_CRAWLER_REDIRECT_CHAIN_H
#define STRATA_CRAWLER_REDIRECT_CHAIN_H

#include "frontier/frontier.h"

enum {
  REDIRECTS_MAX = 20, /* in a row, as browsers */
  CHAIN_MAX = REDIRECTS_MAX + 1,
  CHAIN_PAIR = 16, /* bytes */
};

typedef struct redirect_chain {
  unsigned count;
  uint8_t pairs[CHAIN_MAX * CHAIN_PAIR];
} redirect_chain;

/* Of a lease. A payload that is no chain is an empty one. */
void redirect_chain_read(redirect_chain *chain, const frontier_lease *lease);

/* One more URL was asked for. false: there is no room, the chain is too long. */
bool redirect_chain_add(redirect_chain *chain, uint64_t key, uint64_t spelling);

bool redirect_chain_has_key(const redirect_chain *chain, uint64_t key);
bool redirect_chain_has_spelling(const redirect_chain *chain, uint64_t spelling);

#endif
