/* The records in the pages of data.mdb with a valid checksum; the others are reported, with the URL that their bytes
 * still show. The tables are those of store.h, read from files that may crash LMDB. */
#ifndef STRATA_FRONTIER_MDB_RECORDS_H
#define STRATA_FRONTIER_MDB_RECORDS_H

#include "frontier/store/mdb_pages.h"
#include "frontier/store/store.h"

/* In order of key. May be called again; faults are reported the first time. `visit` may end it. */
void mdb_records_each(pages *p, const char *table, store_visitor *visit, void *context);

/* The same for the tables "meta" and "identity", whose keys are names; `name` ends with NUL. */
typedef void mdb_records_named_visitor(void *context, const char *name, const uint8_t *body, size_t size);
void mdb_records_each_named(pages *p, const char *table, mdb_records_named_visitor *visit, void *context);

/* Text in a sentence: in quotes, what no terminal should see replaced by '?', cut where it is long. */
enum { RECORDS_QUOTE_SIZE = 208 };
const char *mdb_records_quote(const void *bytes, size_t size, char text[RECORDS_QUOTE_SIZE]);

#endif
