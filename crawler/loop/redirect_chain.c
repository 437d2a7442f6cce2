/* See redirect_chain.h. Always: count <= CHAIN_MAX. After a crash the payload is that of the last commit, like the URL
 * that it belongs to. */
#include "crawler/loop/redirect_chain.h"

#include "frontier/base/record.h"

#include <assert.h>
#include <string.h>

void redirect_chain_read(redirect_chain *chain, const frontier_lease *lease)
{
  size_t size = lease->payload_size;
  bool is_chain = size <= sizeof chain->pairs && size % CHAIN_PAIR == 0;
  chain->count = is_chain ? (unsigned)(size / CHAIN_PAIR) : 0;
  if (chain->count)
    memcpy(chain->pairs, lease->payload, size);
}

bool redirect_chain_add(redirect_chain *chain, uint64_t key, uint64_t spelling)
{
  assert(chain->count <= CHAIN_MAX);
  if (chain->count == CHAIN_MAX)
    return false;
  uint8_t *pair = chain->pairs + (size_t)CHAIN_PAIR * chain->count++;
  put_le(pair, key, 8);
  put_le(pair + 8, spelling, 8);
  return true;
}

static bool has(const redirect_chain *chain, size_t offset, uint64_t hash)
{
  assert(chain->count <= CHAIN_MAX);
  for (unsigned i = 0; i < chain->count; i++)
    if (get_le(chain->pairs + (size_t)CHAIN_PAIR * i + offset, 8) == hash)
      return true;
  return false;
}

bool redirect_chain_has_key(const redirect_chain *chain, uint64_t key)
{
  return has(chain, 0, key);
}

bool redirect_chain_has_spelling(const redirect_chain *chain, uint64_t spelling)
{
  return has(chain, 8, spelling);
}
