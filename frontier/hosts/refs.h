/* Refs: the sequence numbers of a line's URLs whose text is on disk only, in memory, first in, first out.
 *
 *     line:  e e e | refs:  first = 1000     +20000   +20000   -3   +20003 ...
 *                           (8 bytes)        differences, each in as many bytes as it needs
 *
 * The differences are a string of bytes over blocks of 32, cut from slabs and linked by number; the head of a list is
 * such a block too. A difference has 7 bits in a byte, its sign the lowest: 100 URLs of a host among 20,000 take 3.5 to
 * 3.8 bytes each (tests/inside/frontier/test_refs.c), one alone 32. */
#ifndef STRATA_FRONTIER_REFS_H
#define STRATA_FRONTIER_REFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct refs_memory {
  union refs_block **slabs;
  size_t slab_count, slab_room;
  uint32_t unused; /* blocks from here on were never used */
  uint32_t free;   /* the first one that was given back; 0: none */
  uint32_t taken;  /* blocks in use */
} refs_memory;     /* all zeros is an empty one, refs_free ends it */

typedef uint32_t refs; /* a list; 0 is an empty one */

/* At the end, and before the first. false: no memory, and nothing changed. */
bool refs_append(refs_memory *m, refs *list, uint64_t sequence);
bool refs_prepend(refs_memory *m, refs *list, uint64_t sequence);
/* The first of them, up to `most`; how many. */
size_t refs_first(const refs_memory *m, refs list, uint64_t *sequences, size_t most);
/* Without the first `count`, which there are. */
void refs_drop(refs_memory *m, refs *list, size_t count);

size_t refs_bytes(const refs_memory *m); /* in use */
void refs_free(refs_memory *m);          /* and all lists in it */

#endif
