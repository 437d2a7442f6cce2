/* Reads data.mdb page by page and trusts no byte: damage that would make LMDB's reader crash or loop is reported here
 * in a sentence, and the rest is still read.
 *
 * LMDB 0.9 has no checksum on its pages; but a page has its number and kind in it, nodes are inside their page, keys
 * ascend, and each page has one owner:
 *
 *     meta 0, meta 1 -> tree of tables -> trees of records -> pages of large values
 *                    -> tree of free pages              (a page in none of them is lost)
 *
 * So a walk visits each page at most once, whatever its bytes. No process may write meanwhile, or faults are found that
 * are not there. */
#ifndef STRATA_FRONTIER_MDB_PAGES_H
#define STRATA_FRONTIER_MDB_PAGES_H

#include "frontier/frontier.h"

typedef struct pages pages;

/* What is wrong, and on which page: one sentence without a full stop. */
typedef void mdb_pages_fault(void *context, const char *sentence);

/* IO, NO_MEMORY, NOT_FOUND; else OK, also for a damaged file. Each fault is reported once, here or later. */
frontier_status mdb_pages_open(const char *path, mdb_pages_fault *say, void *context, pages **out,
                               char message[FRONTIER_MESSAGE_SIZE]);
void mdb_pages_close(pages *p);

/* Is there a root from which tables can be reached at all? Without one, all records are stray. */
bool mdb_pages_have_root(const pages *p);

/* The name of the i-th table, NULL past the last. */
const char *mdb_pages_table(const pages *p, size_t i);

/* Each record of that table that can be reached, in order. May be called again; faults are said the first time. */
typedef void mdb_pages_visitor(void *context, const uint8_t *key, size_t key_size, const uint8_t *value,
                               size_t value_size);
void mdb_pages_each(pages *p, const char *table, mdb_pages_visitor *visit, void *context);
bool mdb_pages_were_walked(const pages *p, const char *table);

/* Each record of whatever page of records is in no table: what damage cut off, and what is free, so of older states
 * too. Of any table; out of order; only a checksum can tell what is sound. */
void mdb_pages_each_stray(pages *p, mdb_pages_visitor *visit, void *context);

/* Bytes that lie together in the file, of pages of that table, or (NULL) of those that are in no table, with the free
 * ones. Any part of them may be missing, and none of a table can be told before it was visited. */
typedef void mdb_pages_run_visitor(void *context, uint64_t offset, uint64_t size);
void mdb_pages_each_run(const pages *p, const char *table, mdb_pages_run_visitor *visit, void *context);
bool mdb_pages_read(const pages *p, uint64_t offset, void *to, size_t size); /* false: the file has not so much */

/* The tables that were not visited yet, the free list, and that every page has exactly one owner. */
void mdb_pages_check_owners(pages *p);

/* All trees and the free list, values unread: what LMDB's reader and writer go by. `tell` is called now and then. */
typedef void mdb_pages_progress(void *context, uint64_t done, uint64_t of);
void mdb_pages_watch(pages *p, mdb_pages_progress *tell, void *context); /* the same of pages that any walk meets */
void mdb_pages_walk_all(pages *p, mdb_pages_progress *tell, void *context);

/* What its two first pages say of the whole, in no time. */
typedef struct mdb_pages_brief {
  uint64_t transaction; /* the newer root's */
  bool is_short;        /* the file ends before the last page in use */
} mdb_pages_brief;
bool mdb_pages_glance(const char *path, mdb_pages_brief *brief); /* false: one of the two is not sound */

/* A file that has a beginning, and none of LMDB's. */
bool mdb_pages_is_foreign(const char *path);

uint64_t mdb_pages_count(const pages *p);  /* of the file, as far as it is used */
uint64_t mdb_pages_faults(const pages *p); /* said so far */

/* One more fault: "data.mdb: " and the sentence. */
void mdb_pages_say(pages *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
