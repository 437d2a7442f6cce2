/* See entry_list.h. */
#include "frontier/hosts/entry_list.h"

#include "frontier/base/vector.h"

bool entry_list_reserve(entry_list *list, size_t more)
{
  return HAS_ROOM(list->at, list->room, list->count + more);
}

bool entry_list_add(entry_list *list, entry *e)
{
  if (!entry_list_reserve(list, 1))
    return false;
  assert_entry_list(list);
  list->at[list->count++] = e;
  return true;
}
