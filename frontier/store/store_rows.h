/* Tables of rows, by the numbers of rows: rows.h. A table that is not there has none. Values may be hundreds of KB: but
 * for their heads, only blocks that are wanted are read. DAMAGED: store_message says of which table. */
#ifndef STRATA_FRONTIER_STORE_ROWS_H
#define STRATA_FRONTIER_STORE_ROWS_H

#include "frontier/rows/rows.h"
#include "frontier/store/store.h"

/* The numbers of the first row and of the next, at the last commit; both 0: there are no rows. */
frontier_status store_row_span(store *s, store_table table, rows_kind kind, uint64_t *first, uint64_t *next);

/* One row. `visit` is not called if it is not there: NOT_FOUND. The bytes are good for the visitor's time. */
typedef void store_row_visitor(void *context, const uint8_t *row, size_t size);
frontier_status store_find_row(store *s, store_table table, rows_kind kind, uint64_t number, store_row_visitor *visit,
                               void *context);

/* Each block, from the one with row `from` on, until `visit` returns false. `key`: of its value. */
typedef bool store_block_visitor(void *context, uint64_t key, rows_block *block);
frontier_status store_each_block(store *s, store_table table, rows_kind kind, uint64_t from, store_block_visitor *visit,
                                 void *context);

/* Into what is gathered: the first values go, whose rows are all before `end`; until so many, or so many bytes, were
 * deleted, or *is_over. They are found by their keys, so a damaged one goes, too, unless it is the last. */
frontier_status store_delete_rows(store *s, store_table table, rows_kind kind, uint64_t end, size_t values,
                                  size_t bytes, bool *is_over);

#endif
