/* The frontier's LMDB environment: only store*.c and packs.c know LMDB.
 *
 * Tables   waiting  sequence -> a URL waiting or in flight, of class normal; waiting-high, -low, -trap: of the others
 *          ended    sequence -> a URL and how it ended
 *          hosts    host id  -> name and counts, as they were when it was written;
 *          host-changes  number of a commit -> what became of them since (host_changes.h)
 *          hashes   number of the first URL in it -> a chunk of the hash log
 *          places   of each sequence number where its URL is (packs.h), kept by the store itself
 *          revoked  low half of a hash -> the high halves (tombstones.h)
 *          visits   sequence -> when a URL was last fetched, and what tells whether it changed (recrawl.h)
 *          due      when to fetch it again << 32 | sequence -> nothing more
 *          exact    hash of a host, hash of a key -> nothing more; where keys are kept exactly (exact_keys.h)
 *          meta     name     -> identity, progress, counters, owed journal bytes, settings
 *
 * Between store_begin and store_commit every put belongs to one transaction. A put that fails is
 * remembered: store_commit then aborts and reports it, so callers may put without looking. */
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
  STORE_QUEUE,
  STORE_QUEUE_HIGH,
  STORE_QUEUE_LOW,
  STORE_QUEUE_TRAP, /* one for each class */
  STORE_HISTORY,
  STORE_PLACES,
  STORE_TABLES
} store_table;

const char *store_table_name(store_table table);

/* Opens the environment in `directory` (which exists). A new one gets `identity`, in the transaction that makes the
 * tables; one without an identity record is another program's, is left as it is, and gives NOT_OURS. */
frontier_status store_open(const char *directory, bool read_only, const void *identity, size_t identity_size,
                           store **out, char message[FRONTIER_MESSAGE_SIZE]);
void store_close(store *s);

/* All reads until store_unpin are as of one commit, also while another process writes. This store does not write until
 * then. */
frontier_status store_pin(store *s);
void store_unpin(store *s); /* NULL is fine, and one that is not pinned */

/* The name of a table that is not there: the directory is of another format, or damaged. NULL: all are there. */
const char *store_missing_table(const store *s);

/* Is table `exact` there? It is made if it may be; else NOT_FOUND. Not between store_begin and store_commit. */
frontier_status store_find_exact(store *s, bool may_make);

frontier_status store_begin(store *s);
void store_put(store *s, store_table table, uint64_t key, const void *body, size_t size);
void store_append(store *s, store_table table, uint64_t key, const void *body, size_t size); /* key above all others */
void store_delete(store *s, store_table table, uint64_t key);
/* Of the queues and the history, and nothing is copied: as the transaction ends, `write` puts the body, `size` bytes
 * made of `source`, at `body`. `source` must live and stay as it is until then. */
typedef void store_writer(const void *source, uint8_t *body);
void store_append_from(store *s, store_table queue, uint64_t key, size_t size, store_writer *write, const void *source);
/* Out of this queue, if it is in it, and into the history. */
void store_end_from(store *s, store_table queue, uint64_t key, size_t size, store_writer *write, const void *source);
/* In table `exact`; fine if it is there. */
typedef struct store_exact_key {
  uint8_t bytes[24];
} store_exact_key;
void store_put_exact(store *s, const store_exact_key *key);
void store_delete_exact(store *s, const store_exact_key *key);
void store_put_meta(store *s, const char *name, const void *body, size_t size);
/* All or nothing: where the disk fails in the middle, the environment is opened again to see which. On failure nothing
 * of it is there, store_message says why, and the same may be tried again. */
frontier_status store_commit(store *s);

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

/* Those of these URLs that wait in this queue, as committed, in the order of `sequences`. */
frontier_status store_find(store *s, store_table queue, const uint64_t *sequences, size_t count, store_visitor *visit,
                           void *context);

/* A copy of meta[name] (free it), its size; NULL and NOT_FOUND if there is no such record. */
frontier_status store_get_meta(store *s, const char *name, uint8_t **body, size_t *size);

/* The last commit as a file of its own, without free pages, on disk when this returns. The writer goes on meanwhile, in
 * another process or after. On failure no copy is left. */
frontier_status store_copy(store *s, const char *path);

frontier_status store_count(store *s, store_table table, uint64_t *records);

/* Which of these keys are in table `exact`, as committed; one reading for all. */
frontier_status store_has_exact(store *s, const store_exact_key *keys, size_t count, bool *has);
frontier_status store_count_exact(store *s, uint64_t *keys); /* 0 if there is no such table */
/* Each committed key of it, in order, until `visit` returns false. DAMAGED if a checksum fails. */
typedef bool store_exact_visitor(void *context, const store_exact_key *key);
frontier_status store_each_exact(store *s, store_exact_visitor *visit, void *context);

#endif
