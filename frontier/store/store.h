/* The frontier's LMDB environment: only store*.c and write_set.c know LMDB.
 *
 * Tables   text     first sequence of a commit -> its URLs, as they were accepted: rows.h, url_row.h
 *          ended    number of a commit's first row -> how URLs ended, in that order: rows.h, url_state.h
 *          states   sequence / 448 -> the same by sequence, folded later (url_states.h)
 *          again    sequence -> a newer row of a URL that waits: put first, due again, or with another payload
 *          hosts    host id  -> name and counts, as they were when it was written;
 *          host-changes  number of a commit -> what became of them since (host_changes.h)
 *          hashes   number of the first URL in it -> a chunk of the hash log
 *          revoked  low half of a hash -> the high halves (tombstones.h)
 *          visits   sequence -> when a URL was last fetched, and what tells whether it changed (recrawl.h)
 *          due      when to fetch it again << 32 | sequence -> nothing more
 *          unconfirmed number of a commit's first row -> links whose keys may be known: rows.h, doubt_row.h; where keys
 *                   are exact
 *          outbox   to << 48 | number -> links for another partition; where there are several (core/sharing.h)
 *          marks    partition -> what it and this one know of each other's parcels
 *          identity the record "identity" of meta once more, on a page of its own (store_identity.c)
 *          meta     name     -> identity, progress, counters, owed journal bytes, settings
 *
 * Between store_begin and store_commit every put is gathered in a write set (write_set.h), which is then written as one
 * transaction: by store_commit, or by store_land in another thread while the caller goes on. A put that fails is
 * remembered: the commit then fails and reports it, so callers may put without looking. */
#ifndef STRATA_FRONTIER_STORE_H
#define STRATA_FRONTIER_STORE_H

#include "frontier/frontier.h"

typedef struct store store;

typedef enum store_table {
  STORE_HOSTS,
  STORE_HASHES,
  STORE_REVOKED,
  STORE_VISITS,
  STORE_DUE,
  STORE_HOST_CHANGES,
  STORE_TEXT,
  STORE_ENDED,
  STORE_STATES,
  STORE_AGAIN,
  STORE_UNCONFIRMED,
  STORE_OUTBOX,
  STORE_MARKS,
  STORE_TABLES
} store_table;
enum { STORE_ALWAYS = STORE_UNCONFIRMED }; /* those before it are in every directory */

const char *store_table_name(store_table table);

/* Opens the environment in `directory` (which exists). A new one gets `identity`, first in its file, then in the
 * transaction that makes the tables; one without an identity record is another program's, is left as it is, and gives
 * NOT_OURS. BUSY: this process has it open. */
frontier_status store_open(const char *directory, bool read_only, const void *identity, size_t identity_size,
                           store **out, char message[FRONTIER_MESSAGE_SIZE]);
/* The same with so much address space at first; 0: with as much as can be had, up to 1 TiB. */
frontier_status store_open_mapped(const char *directory, bool read_only, uint64_t map_size, const void *identity,
                                  size_t identity_size, store **out, char message[FRONTIER_MESSAGE_SIZE]);
/* To read a copy to which no process writes, also on a read-only mount: without LMDB's lock file. */
frontier_status store_open_still(const char *directory, store **out, char message[FRONTIER_MESSAGE_SIZE]);
void store_close(store *s);
enum { STORE_ID_AT = 72 };         /* in the identity's body: the directory's id */
uint64_t store_id(const store *s); /* its first 8 bytes, which seed the checksums of rows */

/* LMDB met a damaged page, so every call fails with DAMAGED. NULL is fine. The caller keeps the directory
 * locked, so that no other handle opens it to write before this process ends (store_guard.c). */
bool store_is_dead(const store *s);

/* All reads until store_unpin are as of one commit, also while another process writes. This store does not write until
 * then. */
frontier_status store_pin(store *s);
void store_unpin(store *s); /* NULL is fine, and one that is not pinned */

/* The name of a table that is not there: the directory is of another format, or damaged. NULL: all are there. */
const char *store_missing_table(const store *s);

/* Is a table there that not every directory has? It is made if it may be; else NOT_FOUND. Not between store_begin and
 * store_commit. */
frontier_status store_find_table(store *s, store_table table, bool may_make);

frontier_status store_begin(store *s);
void store_put(store *s, store_table table, uint64_t key, const void *body, size_t size);
void store_append(store *s, store_table table, uint64_t key, const void *body, size_t size); /* key above all others */
void store_delete(store *s, store_table table, uint64_t key);
/* A value that has checksums of its own: rows (rows.h), or states. */
void store_append_raw(store *s, store_table table, uint64_t key, const uint8_t *value, size_t size);
void store_put_meta(store *s, const char *name, const void *body, size_t size);
void store_delete_meta(store *s, const char *name); /* fine if it is not there */
/* All or nothing: where the disk fails in the middle, the environment is opened again to see which. On failure nothing
 * of it is there, store_message says why, and what was gathered is forgotten. */
frontier_status store_commit(store *s);

/* The same in steps, of which store_land may be taken by another thread meanwhile: seal what was gathered, make ready,
 * write it, and see what became of it. On failure it stays sealed, and all but the first may be tried again. More may
 * be gathered (store_begin) after the first, but not sealed before the last has succeeded. */
frontier_status store_seal(store *s);
frontier_status store_make_ready(store *s); /* before it is written */
void store_land(store *s);                  /* the only call that needs no mutex; not while the store is opened again */
frontier_status store_landed(store *s);
bool store_is_sealed(const store *s); /* something is, and has not landed */

void store_fail(store *s); /* a caller ran out of memory for a record: the commit fails */

const char *store_message(const store *s);

/* Visit committed records with key >= from, in order, until `visit` returns false. DAMAGED if a checksum fails. */
typedef bool store_visitor(void *context, uint64_t key, const uint8_t *body, size_t size);
frontier_status store_each(store *s, store_table table, uint64_t from, store_visitor *visit, void *context);

/* The same of several tables, one after the other, as of one commit. */
typedef struct store_part {
  store_table table;
  uint64_t from;
  store_visitor *visit;
} store_part;
frontier_status store_each_of(store *s, const store_part *parts, size_t count, void *context);

/* The identity, from the first of its three places that has it whole (free it). DAMAGED: none has. */
frontier_status store_get_identity(store *s, uint8_t **body, size_t *size);

/* The third place, the file IDENTITY: replaced whole, and on disk when this returns. Read: NOT_FOUND, IO, DAMAGED. */
frontier_status store_identity_file_put(const char *directory, const void *body, size_t size,
                                        char message[FRONTIER_MESSAGE_SIZE]);
frontier_status store_identity_file_get(const char *directory, uint8_t **body, size_t *size);

/* A copy of meta[name] (free it), its size; NULL and NOT_FOUND if there is no such record. */
frontier_status store_get_meta(store *s, const char *name, uint8_t **body, size_t *size);

/* The last commit as a file of its own, without free pages, on disk when this returns. The writer goes on meanwhile, in
 * another process or after. On failure no copy is left. */
frontier_status store_copy(store *s, const char *path);

frontier_status store_count(store *s, store_table table, uint64_t *records);

/* ---- for a file that is made of another: store_copy.c ---- */

/* Each record of meta; `name` ends with NUL. DAMAGED if a checksum fails. */
typedef bool store_meta_visitor(void *context, const char *name, const uint8_t *body, size_t size);
frontier_status store_each_meta(store *s, store_meta_visitor *visit, void *context);

#endif
