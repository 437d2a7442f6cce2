/* The URLs in the pages of data.mdb: tables `text` and `ended`, block by block, and `states`. Read from files that may
 * crash LMDB. */
#ifndef STRATA_FRONTIER_MDB_URLS_H
#define STRATA_FRONTIER_MDB_URLS_H

#include "frontier/admin/mdb_records.h"
#include "frontier/rows/rows.h"
#include "frontier/store/url_states.h"

/* The directory's: seeds the checksums of its rows. 0: it has none. */
uint64_t mdb_urls_id(const frontier *f);

/* ---- as the trees lead to them ------------------------------------------------------------------------------ */

/* Each whole block in the values of this table, in order of key. A damaged block is reported, once, and left out; of a
 * value with a damaged head or foot the blocks are found by their magics. `visit` may end it. */
typedef bool mdb_block_visitor(void *context, rows_block *block);
void mdb_urls_each_block(pages *p, store_table table, rows_kind kind, uint64_t id, mdb_block_visitor *visit,
                         void *context);

/* The states of the 64 URLs from `first` on. */
typedef void mdb_states_visitor(void *context, uint64_t first, const url_state states[STATES_BLOCK]);
/* Each whole block of table `states`; one that is damaged is reported, once: `lost` gets its first sequence (NULL). */
typedef void mdb_lost_visitor(void *context, uint64_t first);
void mdb_urls_each_states(pages *p, uint64_t id, mdb_states_visitor *visit, mdb_lost_visitor *lost, void *context);
/* The same of bytes that may be such a value, of this group: its whole blocks. */
void mdb_urls_of_states(uint64_t group, const uint8_t *value, size_t size, uint64_t id, mdb_states_visitor *visit,
                        mdb_lost_visitor *lost, void *context);

/* ---- wherever they lie -------------------------------------------------------------------------------------- */

/* A whole block in the file. */
typedef struct found_block {
  uint64_t first;  /* number of its first row */
  uint64_t offset; /* in the file */
  uint32_t size;
  uint8_t count; /* of rows */
  bool is_stray; /* on pages that no table has; as they may be old, others come first */
} found_block;

typedef struct found_blocks {
  found_block *at; /* those of the table, then those that are stray; of both kinds in order of number */
  size_t count, room;
} found_blocks; /* all zeros has none */

/* All of a kind. The tables must have been visited. false: no memory. */
bool found_blocks_make(const pages *p, store_table table, rows_kind kind, uint64_t id, found_blocks *all);
void found_blocks_free(found_blocks *all);

/* One of them, to be read again. */
typedef struct block_reader {
  const pages *p;
  rows_kind kind;
  uint64_t id;
  uint8_t *bytes;
  size_t room;
  bool has_failed; /* there was no memory for one */
} block_reader;

/* Points into the reader's bytes. false: no memory, or it cannot be read any more. */
bool block_reader_read(block_reader *r, const found_block *b, rows_block *out);
void block_reader_free(block_reader *r);

#endif
