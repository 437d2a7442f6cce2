/* Inside the store: the handle, and what its files share. They and packs.c are all that know LMDB.
 *
 *     store_open.c   from a directory to an environment with our tables
 *     store_map.c    how much address space it has
 *     store.c        transactions, records and their checksums
 *     store_exact.c  the table of exact keys
 */
#ifndef STRATA_FRONTIER_STORE_INSIDE_H
#define STRATA_FRONTIER_STORE_INSIDE_H

#include "frontier/store/packs.h"

#include <lmdb.h>

struct store {
  char *directory;
  MDB_env *env; /* NULL: a commit failed, and opening it again failed too */
  bool is_read_only;
  size_t doubtful; /* the number of that commit's transaction; 0: no such commit */
  bool is_lost;    /* it succeeded, but was reported as failed */
  MDB_dbi table[STORE_TABLES];
  bool has_table[STORE_TABLES]; /* a directory of another format lacks some */
  MDB_dbi meta, exact;
  bool has_exact;
  MDB_txn *writing;
  size_t readings; /* transactions that are open and look into the map */
  MDB_txn *pinned; /* the one that all reading is done in; NULL: each has its own */
  int error;       /* of the open transaction, or the last one: LMDB's or errno's */
  packs *packs;    /* changes of the queue and the history, written at its end */
  uint8_t *scratch;
  size_t scratch_size;
  char message[FRONTIER_MESSAGE_SIZE];
};

frontier_status store_status(int error); /* of LMDB's error, or errno's */
/* The cause of LMDB's error, which is EIO for every short write. */
int store_cause(const store *s, int error, const char *directory);
/* The status of `error`; store_message has a sentence. */
frontier_status store_failed(store *s, int error, const char *doing);

/* Meta records are found by name. */
MDB_val store_name_key(const char *name);

int store_begin_reading(store *s, MDB_txn **txn);
void store_end_reading(store *s, MDB_txn *txn);
/* In the open transaction, under its checksum; the first error is remembered. */
void store_put_sealed(store *s, MDB_dbi table, MDB_val key, uint64_t seal, const void *body, size_t size,
                      unsigned flags);

/* store_open.c: the tables of s->env, into `s`. LMDB's error. */
int store_adopt(store *s, bool read_only, const void *identity, size_t identity_size);

/* ---- store_map.c; LMDB's errors, and after one s->env may be NULL ---- */

/* An environment with the map that can be had. */
int store_map(MDB_env **env, const char *directory, unsigned flags);

/* The environment again, for nothing is known of the old one. EBUSY: it is being read, and stays. */
int store_reopen(store *s);

/* The same, because the file has outgrown the map. */
int store_follow(store *s);

/* Before a transaction: a larger map, if it may need one and there is address space. */
int store_make_room(store *s);

/* What `error` means, with the limit that made it. `env` may be NULL. */
enum { STORE_WORDS = 256 };
const char *store_words(MDB_env *env, int error, char words[STORE_WORDS]);

#endif
