/* Recrawl inside the frontier: what recrawl.c does in the others' steps; private to this room. */
#ifndef STRATA_FRONTIER_RECRAWL_INSIDE_H
#define STRATA_FRONTIER_RECRAWL_INSIDE_H

#include "frontier/core/state.h"

/* Some of what is due into the lines of its hosts, as far as there is room. */
frontier_status recrawl_take(frontier *f);
/* Nothing more is due. */
bool recrawl_is_over(const frontier *f);

#endif
