/* The hosts as a part of the handle (part.h): read at open, written with each commit. */
#ifndef STRATA_FRONTIER_HOST_TABLE_H
#define STRATA_FRONTIER_HOST_TABLE_H

#include "frontier/hosts/host_changes.h"

frontier_status host_table_load(frontier *f);

/* For a transaction that is not a commit of the batch: what was touched goes into it, and it is committed. */
void host_table_put(frontier *f);
void host_table_settle(frontier *f);

#endif
