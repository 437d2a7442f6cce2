/* What callers hear of a URL on disk. */
#ifndef STRATA_FRONTIER_SCAN_H
#define STRATA_FRONTIER_SCAN_H

#include "frontier/core/url_records.h"

frontier_record scan_record(const url_record *r); /* points where `r` does */

#endif
