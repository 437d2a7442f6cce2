/* LMDB asserts what it finds on pages, and would abort. Its calls are made through store_guarded instead: the
 * assertion jumps back out of the call, which then fails with MDB_CORRUPTED.
 *
 * Always: what was jumped out of may be half changed and hold LMDB's locks, so that environment is dead: nothing is
 * called on it again, not even to close it. It stays mapped, and the directory locked (store_is_dead), until the
 * process ends: its mutex lies in the mapping, and whoever opened the directory again would wait for it.
 *
 * Called by store*.c around each call that reads or writes pages; a visitor may call the store again within. After a
 * crash: an unfinished transaction is as good as never begun. */
#include "frontier/store/store_inside.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Thread_local jmp_buf *landing; /* of the innermost call */

void store_guard_assertion(MDB_env *env, const char *text)
{
  (void)env, (void)text;
  if (landing)
    longjmp(*landing, 1);
}

/* So that a leak checker does not take them for lost. */
typedef struct grave {
  MDB_env *env;
  struct grave *next;
} grave;
static _Atomic(grave *) graves;

static void bury(store *s)
{
  grave *g = s->is_dead ? NULL : malloc(sizeof *g);
  s->is_dead = true;
  if (!g)
    return;
  g->env = s->env;
  g->next = atomic_load(&graves);
  while (!atomic_compare_exchange_weak(&graves, &g->next, g))
    ;
}

int store_guarded(store *s, store_call *call, void *context)
{
  jmp_buf here, *volatile outer = landing;
  volatile int error = MDB_CORRUPTED;
  if (s->is_dead)
    return error;
  if (setjmp(here) == 0) {
    landing = &here;
    error = call(context);
  } else {
    bury(s);
  }
  landing = outer;
  return error;
}

bool store_is_dead(const store *s)
{
  return s && s->is_dead;
}

/* ---- LMDB's calls, guarded ---------------------------------------------------------------------------------- */

typedef struct one_call {
  store *s;
  MDB_txn *txn;
  MDB_txn **begun;
  MDB_dbi table;
  MDB_val *key, *value;
  unsigned flags;
} one_call;

static int call_begin(void *context)
{
  const one_call *c = context;
  int error = c->flags & MDB_RDONLY ? 0 : mdb_reader_check(c->s->env, NULL);
  return error ? error : mdb_txn_begin(c->s->env, NULL, c->flags, c->begun);
}

static int call_put(void *context)
{
  const one_call *c = context;
  return mdb_put(c->txn, c->table, c->key, c->value, c->flags);
}

static int call_delete(void *context)
{
  const one_call *c = context;
  return mdb_del(c->txn, c->table, c->key, NULL);
}

static int call_get(void *context)
{
  const one_call *c = context;
  return mdb_get(c->txn, c->table, c->key, c->value);
}

static int call_commit(void *context)
{
  const one_call *c = context;
  return mdb_txn_commit(c->txn);
}

int store_mdb_begin(store *s, unsigned flags, MDB_txn **txn)
{
  return store_guarded(s, call_begin, &(one_call){.s = s, .begun = txn, .flags = flags});
}

int store_mdb_put(store *s, MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *value, unsigned flags)
{
  one_call c = {.txn = txn, .table = table, .key = key, .value = value, .flags = flags};
  return store_guarded(s, call_put, &c);
}

int store_mdb_delete(store *s, MDB_txn *txn, MDB_dbi table, MDB_val *key)
{
  return store_guarded(s, call_delete, &(one_call){.txn = txn, .table = table, .key = key});
}

int store_mdb_get(store *s, MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *value)
{
  return store_guarded(s, call_get, &(one_call){.txn = txn, .table = table, .key = key, .value = value});
}

int store_mdb_commit(store *s, MDB_txn *txn)
{
  return store_guarded(s, call_commit, &(one_call){.txn = txn});
}

void store_mdb_abort(const store *s, MDB_txn *txn)
{
  if (!s->is_dead)
    mdb_txn_abort(txn);
}
