/* datasets/read/ids.h: the id table of SogouT-link (id2url.link), on disk: the URL of an id.
 *
 * The real table has 139 million pages; memory is that of a sorter at any size, and a look-up is a binary search in the
 * page cache. */
#ifndef STRATA_DATASETS_IDS_H
#define STRATA_DATASETS_IDS_H

#include "datasets/read/format.h"

#include <stdint.h>

typedef struct url_ids url_ids;

/* Read the table in `path`; its index goes to `directory`. NULL: `*reason` says why. */
url_ids *ids_open(const char *path, const char *directory, const char **reason);
void ids_close(url_ids *old); /* NULL is fine */

/* The URL of `id`, as text; false if the table has none. Valid until ids_close. */
bool ids_find(const url_ids *table, text_span id, text_span *url);

#endif
