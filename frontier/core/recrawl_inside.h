/* Recrawl inside the frontier: what recrawl.c does in the others' steps; private to this room. */
#ifndef STRATA_FRONTIER_RECRAWL_INSIDE_H
#define STRATA_FRONTIER_RECRAWL_INSIDE_H

#include "frontier/core/state.h"

/* Some of what is due into the lines of its hosts, as far as there is room. */
frontier_status recrawl_take(frontier *f);
/* Nothing more is due. */
bool recrawl_is_over(const frontier *f);

/* Its part of the transaction: what is queued again leaves the history; to be called before endings are put. */
void recrawl_put(frontier *f);
/* The transaction is committed, or is given up with the handle. */
void recrawl_settle(frontier *f);
void recrawl_free(frontier *f);

#endif
