/* Inside the store: the queues and the history on disk, in packs.
 *
 * URLs end in another order than they were queued. One value for each URL, removed when it ends, would search the tree
 * and write a page of 4 KiB for nearly every URL. So only two bytes per URL are changed in place:
 *
 *     queues    packs of PACK_ROWS neighbouring sequence numbers; one is written again only when a row comes to it
 *     history   packs of rows in the order they ended, written once
 *     places    two bytes for each sequence number: its queue; whether it ended; which of its history rows is valid
 *
 *     place of 7:  waiting  --done-->  ended, row 1  --queued again-->  waiting  --done-->  ended, row 2
 *
 * A row whose place does not point to it is dead. Queue packs without a valid row are deleted when few valid rows are
 * left around them, so that a whole database page becomes free. Dead rows of the history stay: they are few, one for
 * each time that a URL ends again.
 *
 * A transaction's changes are gathered, sorted, and written at its end. FORMAT.md has the bytes. */
#ifndef STRATA_FRONTIER_PACKS_H
#define STRATA_FRONTIER_PACKS_H

#include "frontier/store/pack_changes.h"

#include <lmdb.h>

/* 16 URLs of usual length fit half a page, and so stay within LMDB's leaves. */
enum { PACK_ROWS = 16 };

enum { PACK_QUEUES = STORE_QUEUE_TRAP - STORE_QUEUE + 1 };

/* A place: the queue in which it waits, from 1, or 0; a flag; and the number, modulo 4096, of the history row that
 * counts. */
typedef uint16_t place;
enum { PLACE_QUEUE_SHIFT = 13, PLACE_ENDED = 0x1000, PLACE_ROW = 0x0fff };
enum { PLACES = 512 /* in a value */, PLACES_SIZE = 2 * PLACES };

typedef struct packs packs;

typedef struct pack_tables {
  MDB_dbi queue[PACK_QUEUES], history, places;
} pack_tables;

/* PACK_END: out of a queue, if it is in it, and into the history. */
typedef enum pack_action { PACK_PUT, PACK_APPEND, PACK_DELETE, PACK_END } pack_action;

packs *packs_create(void); /* NULL: no memory */
void packs_free(packs *s);

/* Of the open transaction; false: no memory. */
bool packs_change(packs *s, store_table table, pack_action action, uint64_t sequence, const void *body, size_t size);
/* The same, but nothing is copied: `write` puts the body into its page. */
bool packs_change_from(packs *s, store_table table, pack_action action, uint64_t sequence, size_t size,
                       store_writer *write, const void *source);
/* All gathered changes, which are then forgotten. LMDB's error or errno's; MDB_KEYEXIST for an append of what is there,
 * MDB_CORRUPTED if a checksum fails. */
int packs_write(packs *s, MDB_txn *txn, const pack_tables *tables);
void packs_forget(packs *s);

/* As store_each: the queue from `from` on, in order; the history in the order of ending, those from `from` on. */
int packs_each(MDB_txn *txn, const pack_tables *tables, store_table table, uint64_t from, store_visitor *visit,
               void *context);
/* As store_find. */
int packs_find(MDB_txn *txn, const pack_tables *tables, store_table queue, const uint64_t *sequences, size_t count,
               store_visitor *visit, void *context);

#endif
