/* Upkeep that commits owe. A part of the handle (part.h). */
#ifndef STRATA_FRONTIER_MAINTAIN_H
#define STRATA_FRONTIER_MAINTAIN_H

#include "frontier/frontier.h"

typedef struct upkeep {
  uint64_t owed_keys; /* that brought upkeep which is still to be done */
  bool has_failed;    /* since the last commit */
} upkeep;

static inline void maintain_owe(upkeep *u, uint64_t keys)
{
  u->owed_keys += keys;
}

/* A part that fails is tried again, and its failure reported, with the next commit. */
frontier_status maintain_pay_all(frontier *f); /* with a commit */
void maintain_pay_some(frontier *f);

#endif
