/* Upkeep of the filters, between all else. */
#ifndef STRATA_FRONTIER_MAINTAIN_H
#define STRATA_FRONTIER_MAINTAIN_H

#include "frontier/frontier.h"

void maintain_pay_all(frontier *f); /* what is due; with a commit */
void maintain_pay_some(frontier *f);

#endif
