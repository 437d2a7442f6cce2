/* See host_table.h. */
#include "frontier/core/state.h"

#include <inttypes.h>

frontier_status host_table_load(frontier *f)
{
  bool of_store;
  frontier_status status = host_changes_load(&f->host_changes, f->hosts, f->store, &of_store);
  if (of_store)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  if (status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, status, "out of memory for one more host");
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: the host table is damaged at host %" PRIu64, f->directory,
                         hosts_count(f->hosts));
  return counts_take_hosts(f);
}

static void put(frontier *f)
{
  host_changes_put(&f->host_changes, f->hosts, f->store);
}

static void sealed(frontier *f)
{
  host_changes_settle(&f->host_changes, f->hosts);
}

static void check(const frontier *f)
{
  assert_hosts(f->hosts);
  (void)f;
}

static void close_it(frontier *f)
{
  hosts_free(f->hosts);
  host_changes_free(&f->host_changes);
}

const part hosts_part = {.check = check, .put = put, .sealed = sealed, .close = close_it};
