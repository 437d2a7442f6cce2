/* See hash_log.h. */
#include "frontier/core/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void hash_log_go_on(hash_log *l, const progress *p)
{
  l->keys = p->log_keys;
  l->expected_lost = p->expected_lost;
}

void hash_log_say(const frontier *f, progress *p)
{
  p->log_keys = f->log.keys + (f->seen ? seen_batch_keys(f->seen) : 0);
  p->expected_lost = f->log.expected_lost;
}

/* ---- replay --------------------------------------------------------------------------------------------- */

typedef struct replay {
  mlbf_filter *filter;
  const tombstones *except;
  bool is_damaged;
} replay;

static bool replay_chunk(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  replay *r = context;
  (void)key;
  r->is_damaged = !seen_replay(r->filter, body, size, r->except);
  return !r->is_damaged;
}

frontier_status hash_log_replay(frontier *f, mlbf_filter *filter, uint64_t from)
{
  replay r = {.filter = filter, .except = &f->tombstones};
  frontier_status status = FRONTIER_OK;
  if (f->store)
    status = store_each(f->store, STORE_HASHES, from, replay_chunk, &r);
  else
    replay_chunk(&r, 0, f->log.memory, f->log.size);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: the hash log: %s", f->directory, store_message(f->store));
  if (r.is_damaged)
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: the hash log is damaged", f->directory);
  return FRONTIER_OK;
}

/* ---- the transaction ------------------------------------------------------------------------------------ */

static void put(frontier *f)
{
  size_t size;
  const uint8_t *chunk = seen_batch_log(f->seen, &size);
  if (size)
    store_append(f->store, STORE_HASHES, f->log.keys, chunk, size);
  exact_write(&f->exact, f->store);
  tombstones_write(&f->tombstones, f->store);
}

frontier_status hash_log_keep(frontier *f)
{
  hash_log *l = &f->log;
  size_t size;
  const uint8_t *chunk = seen_batch_log(f->seen, &size);
  if (l->size + size > l->room) {
    size_t room = 2 * (l->size + size);
    uint8_t *larger = realloc(l->memory, room);
    if (!larger)
      return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for %zu bytes of hash log", room);
    l->memory = larger;
    l->room = room;
  }
  if (size)
    memcpy(l->memory + l->size, chunk, size);
  l->size += size;
  assert(l->size <= l->room);
  return FRONTIER_OK;
}

static void sealed(frontier *f)
{
  exact_settle(&f->exact);
  tombstones_settle(&f->tombstones);
}

static frontier_status landed(frontier *f)
{
  size_t keys = seen_batch_keys(f->seen);
  assert(f->log.keys + keys + 1 == counts_next_sequence(&f->counts));
  frontier_status status = maintain_pay_all(f); /* whatever becomes of it, the keys are committed */
  if (keys == 0)
    return status;
  if (!f->options.exact)
    f->log.expected_lost += mlbf_rate_at(seen_filter(f->seen), (double)f->log.keys) * (double)keys;
  f->log.keys += keys;
  seen_settle(f->seen);
  maintain_owe(&f->upkeep, keys);
  bool is_overfull = resize_is_late(f); /* then its successor cannot wait */
  return status == FRONTIER_OK && is_overfull ? maintain_pay_all(f) : status;
}

static void close_it(frontier *f)
{
  seen_free(f->seen);
  exact_free(&f->exact);
  tombstones_free(&f->tombstones);
  free(f->log.memory);
}

static void check(const frontier *f)
{
  assert(f->log.size <= f->log.room && (!f->store || !f->log.room));
  assert_exact(&f->exact);
  assert(f->options.exact || exact_is_empty(&f->exact));
  (void)f;
}

const part log_part = {.check = check, .put = put, .sealed = sealed, .landed = landed, .close = close_it};
