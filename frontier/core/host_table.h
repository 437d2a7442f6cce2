/* The hosts as a part of the handle (part.h): read at open, written with each commit. */
#ifndef STRATA_FRONTIER_HOST_TABLE_H
#define STRATA_FRONTIER_HOST_TABLE_H

#include "frontier/hosts/host_changes.h"

frontier_status host_table_load(frontier *f);

#endif
