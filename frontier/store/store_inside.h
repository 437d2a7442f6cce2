/* Inside the store: the handle, and what its files share. They are all that know LMDB.
 *
 *     store_open.c   from a directory to an environment with our tables
 *     store_map.c    how much address space it has
 *     store.c        transactions, records and their checksums
 *     store_rows.c   tables of rows
 *     store_urls.c   URLs: their rows, and what became of them
 *     write_set.c    what a transaction will change
 *     store_identity.c  identity in three places
 *     store_guard.c  LMDB's calls, where it may meet a damaged page
 */
#ifndef STRATA_FRONTIER_STORE_INSIDE_H
#define STRATA_FRONTIER_STORE_INSIDE_H

#include "frontier/store/open_here.h"
#include "frontier/rows/rows.h"
#include "frontier/store/store.h"
#include "frontier/store/url_states.h"
#include "frontier/store/write_set.h"

#include <lmdb.h>

struct store {
  char *directory;
  open_here *here;
  MDB_env *env; /* NULL: a commit failed, and opening it again failed too */
  bool is_read_only;
  bool is_still;    /* and nobody else writes it: without a lock file */
  size_t map_first; /* the map begins so large; 0: as large as can be */
  size_t doubtful;  /* the number of that commit's transaction; 0: no such commit */
  bool is_lost;     /* it succeeded, but was reported as failed */
  bool is_dead;     /* LMDB met a damaged page: store_guard.c */
  MDB_dbi table[STORE_TABLES];
  bool has_table[STORE_TABLES]; /* a directory of another format lacks some */
  MDB_dbi meta, second;         /* second: table identity */
  bool has_second;
  size_t readings;   /* transactions that are open and look into the map */
  MDB_txn *pinned;   /* the one that all reading is done in; NULL: each has its own */
  bool is_gathering; /* between begin and seal */
  bool is_sealed;    /* `sealed` is to be written, and has not landed */
  write_set gathered, sealed;
  struct {
    int error;          /* of the transaction that wrote `sealed`: LMDB's or errno's */
    size_t transaction; /* its number, if its commit failed */
  } landing;            /* the one who lands it writes this */
  uint64_t id;          /* of the directory: seeds the checksums of rows */
  ended_tail tail_at_open;
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
/* In the set that is gathered, under its checksum. */
void store_put_sealed(store *s, const MDB_dbi *table, write_what what, MDB_val key, uint64_t seal, const void *body,
                      size_t size);

/* store_open.c: was its making cut short, so that it never had a record? */
bool store_is_stillborn(const char *path);

/* store_open.c: the tables of s->env, into `s`. LMDB's error. */
int store_adopt(store *s, bool read_only, const void *identity, size_t identity_size);

/* store_guard.c: a call that may meet a damaged page; MDB_CORRUPTED if it does, and always after that. */
typedef int store_call(void *context);
int store_guarded(store *s, store_call *call, void *context);
void store_guard_assertion(MDB_env *env, const char *text); /* LMDB's callback */
int store_mdb_begin(store *s, unsigned flags, MDB_txn **txn);
int store_mdb_put(store *s, MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *value, unsigned flags);
int store_mdb_delete(store *s, MDB_txn *txn, MDB_dbi table, MDB_val *key);
int store_mdb_get(store *s, MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *value);
int store_mdb_commit(store *s, MDB_txn *txn);
void store_mdb_abort(const store *s, MDB_txn *txn);

/* store_identity.c: the tables that have our identity; MDB_INVALID: neither has. And in a new environment. */
int store_find_identity(store *s, MDB_txn *txn);
int store_make_identity(store *s, MDB_txn *txn, const void *body, size_t size);
bool store_learn_id(store *s); /* 0: no identity of ours is left. false: no memory */

/* ---- store_rows.c; LMDB's errors ---- */

/* Each value from the row `from` on, until `visit` returns STORE_ENOUGH, or an error. */
enum { STORE_ENOUGH = -1 };
typedef int store_rows_visitor(void *context, const rows_value *v);
int store_each_rows(const store *s, MDB_txn *txn, store_table table, rows_kind kind, uint64_t from,
                    store_rows_visitor *visit, void *context);

/* Which of its blocks has row `number`, or 0. */
size_t store_block_of(const rows_value *v, uint64_t number);
/* With gaps between values, the first one visited may be one before. */
bool store_rows_end_before(const rows_value *v, uint64_t number);

/* A row, in the map. */
int store_find_bytes(const store *s, MDB_cursor *cursor, rows_kind kind, uint64_t number, const uint8_t **bytes,
                     size_t *size);

/* What the error means, where this table was read. */
frontier_status store_rows_status(store *s, int error, store_table table);

/* ---- store_map.c; LMDB's errors, and after one s->env may be NULL ---- */

/* s->env, with the map that can be had. */
int store_map(store *s);

/* The environment again, for nothing is known of the old one. EBUSY: it is being read, and stays. */
int store_reopen(store *s);

/* The same, because the file has outgrown the map. */
int store_follow(store *s);

/* Before a transaction: a larger map, if it may need one and there is address space. */
int store_make_room(store *s);

/* After a commit: the file has all pages that its roots count. */
void store_keep_length(const store *s);

/* What `error` means, with the limit that made it. `env` may be NULL. */
enum { STORE_WORDS = 256 };
const char *store_words(MDB_env *env, int error, char words[STORE_WORDS]);

#endif
