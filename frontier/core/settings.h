/* What callers keep here, committed with the batch: settings, and named counters. A part of the handle (part.h). */
#ifndef STRATA_FRONTIER_SETTINGS_H
#define STRATA_FRONTIER_SETTINGS_H

#include "frontier/core/counters.h"
#include "frontier/frontier.h"

enum { SETTING_NAME_MAX = 63 };
#define SETTING_PREFIX "setting/"

typedef struct settings {
  struct setting *first; /* those that were asked for or put */
  counters counters;
} settings;

frontier_status counters_take(frontier *f, const uint8_t *body, size_t size); /* the meta record "counters" */

#endif
