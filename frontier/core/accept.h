/* A link whose key is new becomes a URL: in the open batch, and in a queue unless it is only noted. */
#ifndef STRATA_FRONTIER_ACCEPT_H
#define STRATA_FRONTIER_ACCEPT_H

#include "frontier/frontier.h"
#include "frontier/base/key_hashes.h"

typedef enum purpose { TO_QUEUE, TO_QUEUE_ANYHOW, TO_NOTE } purpose;

typedef struct newcomer {
  const frontier_link *link; /* all of it but its key */
  const key_hashes *hashes;
  bool has_own_key; /* which is kept with it, as its text does not give it */
  frontier_verdict verdict;
  purpose purpose;
} newcomer;

/* What is fetched: a URL, or not. */
static inline mlbf_span link_text(const frontier_link *link)
{
  return link->target ? (mlbf_span){link->target->fetch, link->target->fetch_size}
                      : (mlbf_span){link->opaque, link->opaque_size};
}

/* NO_MEMORY: nothing has changed. */
frontier_status accept_link(frontier *f, const newcomer *n, uint64_t now_ms);

#endif
