/* A list of entries that grows. */
#ifndef STRATA_FRONTIER_ENTRY_LIST_H
#define STRATA_FRONTIER_ENTRY_LIST_H

#include "frontier/hosts/entry.h"

#include <assert.h>

typedef struct entry_list {
  entry **at;
  size_t count, room;
} entry_list; /* all zeros is an empty one; free(at) ends it */

static inline void assert_entry_list(const entry_list *list)
{
  assert(list->count <= list->room && (list->at || !list->room));
  (void)list;
}

bool entry_list_reserve(entry_list *list, size_t more); /* false: no memory */
bool entry_list_add(entry_list *list, entry *e);        /* cannot fail in reserved room */

#endif
