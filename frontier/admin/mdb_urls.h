/* The URLs in the pages of data.mdb: the valid rows of the packs in queue and history (packs.h), read from files that
 * may crash LMDB. */
#ifndef STRATA_FRONTIER_MDB_URLS_H
#define STRATA_FRONTIER_MDB_URLS_H

#include "frontier/admin/mdb_records.h"

/* By sequence, as far as the table `places` can be read. */
typedef struct row_places {
  uint16_t *at;
  bool *is_known; /* by group of sequences */
  uint64_t groups;
} row_places;

/* Groups beyond those of `sequences` are reported, and left out. false: no memory. */
bool row_places_read(pages *p, uint64_t sequences, row_places *places);
void row_places_free(row_places *places);

/* Each row of a queue, or of the history, that is valid, or may be: all rows whose place is not known. A malformed pack
 * is reported. `visit` gets the sequence and the row's record. */
void mdb_urls_each(pages *p, const row_places *places, store_table table, store_visitor *visit, void *context);

/* The rows of one value, all of them; false: it is no pack of that table, or `visit` had enough. */
bool mdb_urls_of_queue(uint64_t key, const uint8_t *body, size_t size, store_visitor *visit, void *context);
bool mdb_urls_of_history(const uint8_t *body, size_t size, store_visitor *visit, void *context);

#endif
