/* Directories that the caller marked as traps (traps.h); private to frontier/.
 *
 *     name            note                    names in a hash table: a URL is looked up by each directory it is in
 *     a.org/lost/     what the caller keeps
 *     a.org/find?     ...
 *
 * On disk they are settings, PACKED marks in each: the last one is written anew with each mark that is added. */
#ifndef STRATA_FRONTIER_TRAP_MARKS_H
#define STRATA_FRONTIER_TRAP_MARKS_H

#include "frontier/traps.h"
#include "mlbf/secret.h"

enum { TRAP_MARKS_PACKED = 64 };

typedef struct trap_marks trap_marks;

trap_marks *trap_marks_create(const mlbf_hasher *hasher); /* which outlives it; NULL: out of memory */
void trap_marks_free(trap_marks *m);                      /* NULL is fine */
size_t trap_marks_count(const trap_marks *m);
bool trap_marks_at(const trap_marks *m, size_t index, frontier_mark *mark); /* in order; false past the last */

/* false: out of memory. Not for a name that is there already. */
bool trap_marks_add(trap_marks *m, const frontier_mark *mark);

/* A URL from its host on: of the directories that it is in, the longest name that is marked. */
bool trap_marks_find(const trap_marks *m, const char *where, size_t size, frontier_mark *mark);

/* Is this a name: host, '/', and it ends with '/' or '?'? */
bool trap_marks_is_name(const char *name, size_t size);

/* The marks from `from` on, PACKED at most, as bytes: to be freed; NULL: out of memory. */
uint8_t *trap_marks_pack(const trap_marks *m, size_t from, size_t *size);
/* They are added. FRONTIER_OK, NO_MEMORY, or DAMAGED. */
frontier_status trap_marks_unpack(trap_marks *m, const uint8_t *bytes, size_t size);

#endif
