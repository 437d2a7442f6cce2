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

/* ---- reading it again ------------------------------------------------------------------------------------ */

typedef struct reading {
  const seen_sink *sink;
  uint64_t to, reached;
  bool is_damaged;
} reading;

static bool read_chunk(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  reading *r = context;
  if (key >= r->to) {
    r->reached = key;
    return false;
  }
  r->is_damaged = !seen_replay(r->sink, body, size);
  return !r->is_damaged;
}

frontier_status hash_log_read(frontier *f, const seen_sink *sink, uint64_t from, uint64_t to, uint64_t *reached)
{
  reading r = {.sink = sink, .to = to, .reached = to};
  frontier_status status = FRONTIER_OK;
  if (f->store)
    status = store_each(f->store, STORE_HASHES, from, read_chunk, &r);
  else
    read_chunk(&r, 0, f->log.memory, f->log.size);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: the hash log: %s", f->directory, store_message(f->store));
  if (r.is_damaged)
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: the hash log is damaged", f->directory);
  *reached = r.reached;
  return FRONTIER_OK;
}

/* ---- the transaction ------------------------------------------------------------------------------------ */

static void put(frontier *f)
{
  size_t size;
  const uint8_t *chunk = seen_batch_log(f->seen, &size);
  assert(seen_landing_keys(f->seen) == 0); /* so f->log.keys is where the chunk begins */
  if (size)
    store_append(f->store, STORE_HASHES, f->log.keys, chunk, size);
  tombstones_write(&f->tombstones, f->store);
}

static void sealed(frontier *f)
{
  seen_seal(f->seen);
  tombstones_settle(&f->tombstones);
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
  sealed(f);
  return FRONTIER_OK;
}

static frontier_status landed(frontier *f)
{
  size_t keys = seen_landing_keys(f->seen);
  assert(f->log.keys + seen_batch_keys(f->seen) + 1 == counts_next_sequence(&f->counts));
  maintain_pay_all(f);
  if (keys == 0)
    return FRONTIER_OK;
  if (!f->options.exact)
    f->log.expected_lost += renewal_rate(f) * (double)keys;
  frontier_status status = renewal_make_room(f, keys); /* whatever becomes of it, the keys are committed */
  f->log.keys += keys;
  late_take_keys(f, f->log.keys);
  seen_settle(f->seen);
  return status;
}

static void close_it(frontier *f)
{
  seen_free(f->seen);
  tombstones_free(&f->tombstones);
  free(f->log.memory);
}

static void check(const frontier *f)
{
  assert(f->log.size <= f->log.room && (!f->store || !f->log.room));
  (void)f;
}

const part log_part = {.check = check, .put = put, .sealed = sealed, .landed = landed, .close = close_it};
