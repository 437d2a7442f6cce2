/* One page of data.mdb, by its bytes. Offsets are those of LMDB 0.9's mdb.c on a 64-bit little-endian machine.
 *
 *     page   0 number (8)  10 flags (2)  12 lower (2)  14 upper (2)  16 offsets of nodes (2 each) ... nodes
 *     meta   16 magic (4)  20 version (4)  40 tree of free pages (48)  88 tree of tables (48)  136 last page (8)
 *            144 transaction (8)
 *     tree   0 page size (4, in the first)  4 flags (2)  6 depth (2)  8 branch pages  16 leaf pages  24 large pages
 *            32 records  40 root (8 each)
 *     node   leaf: size of the value (4)  flags (2)  size of the key (2)  key  value
 *            branch: page below (6)  size of the key (2)  key: the least of that page, but for the first */
#ifndef STRATA_FRONTIER_MDB_PAGE_H
#define STRATA_FRONTIER_MDB_PAGE_H

#include "frontier/base/record.h"

enum { PAGE_HEAD = 16, NODE_HEAD = 8 };
enum { IS_BRANCH = 1, IS_LEAF = 2, IS_LARGE = 4, IS_META = 8 }; /* of a page */
enum { NODE_IS_LARGE = 1, NODE_IS_TABLE = 2 };                  /* of a node */
enum { KEYS_ARE_NUMBERS = 8 };                                  /* of a tree */

static inline size_t node_count(const uint8_t *page)
{
  return (size_t)(get_le(page + 12, 2) - PAGE_HEAD) / 2;
}

static inline const uint8_t *node_at(const uint8_t *page, size_t i)
{
  return page + get_le(page + PAGE_HEAD + 2 * i, 2);
}

static inline size_t node_size(const uint8_t *node, bool is_leaf)
{
  size_t size = NODE_HEAD + get_le(node + 6, 2);
  if (is_leaf)
    size += get_le(node + 4, 2) & NODE_IS_LARGE ? 8 : get_le(node, 4);
  return size + (size & 1);
}

/* Do the nodes fill what is behind `upper`, each within the page? */
static inline const char *nodes_fault(const uint8_t *page, size_t page_size, bool is_leaf)
{
  size_t lower = get_le(page + 12, 2), upper = get_le(page + 14, 2), used = 0;
  if (lower < PAGE_HEAD || lower % 2 || upper < lower || upper > page_size)
    return "its bounds make no sense";
  for (size_t i = 0; i < node_count(page); i++) {
    size_t at = get_le(page + PAGE_HEAD + 2 * i, 2);
    if (at < upper || at % 2 || at + NODE_HEAD > page_size || node_size(page + at, is_leaf) > page_size - at)
      return "a record lies outside of it";
    used += node_size(page + at, is_leaf);
  }
  if (used != page_size - upper)
    return "its records do not fill it";
  return node_count(page) == 0 ? "it is empty" : NULL;
}

#endif
