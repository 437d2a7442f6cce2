/* Takes links: finds out which are new, and puts these into the open batch.
 *
 *     links --hash--> 32 at a time --filter--> each in order: judge --> SEEN, or accept --> queue, or history (noted)
 *
 * The filter is asked for many together, since its memory is slow and can be fetched for all at once. That is sound,
 * for its bits change only with a commit, and no commit comes between asking and judging; the open batch, which also
 * has the earlier links of this call, is asked for each link by itself. */
#include "frontier/core/state.h"

#include "frontier/base/record.h"

#include <assert.h>
#include <stdlib.h>

enum { TOGETHER = HOSTS_FETCH }; /* links: as the filter's own batches, mlbf/filter/inside.h */

typedef enum purpose { TO_QUEUE, TO_QUEUE_ANYHOW, TO_NOTE } purpose;

/* ---- acceptance ----------------------------------------------------------------------------------------- */

/* The optional data of a link, in the open batch's memory: valid until the next link. false: no memory. */
static bool set_fields(frontier *f, const frontier_link *link, const mlbf_hashes *hashes, url_row *row)
{
  size_t key_size = link->key ? FIELD_HEAD + sizeof hashes->whole : 0;
  size_t payload_size = link->payload_size ? FIELD_HEAD + link->payload_size : 0;
  row->fields_size = key_size + payload_size;
  if (!row->fields_size)
    return true;
  uint8_t *fields = batch_scratch(&f->batch, row->fields_size), *at = fields;
  if (!fields)
    return false;
  if (key_size) {
    uint8_t hash[sizeof hashes->whole];
    put_le(hash, hashes->whole.low, 8);
    put_le(hash + 8, hashes->whole.high, 8);
    at = field_put(at, FIELD_KEY, hash, sizeof hash);
  }
  if (payload_size)
    at = field_put(at, FIELD_PAYLOAD, link->payload, link->payload_size);
  assert(at == fields + row->fields_size);
  row->fields = fields;
  return true;
}

/* As url_parse and url_resolve make it, or a caller of their own. */
static void assert_link(const frontier_link *link)
{
  const url *u = link->target;
  assert(u->fetch_size <= URL_LENGTH_MAX && u->fetch[u->fetch_size] == '\0');
  assert(u->host_begin < u->host_end && u->host_end <= u->path_begin && u->path_begin <= u->fetch_size);
  (void)u;
}

/* The name of a host goes with its first URL: should its record be lost, it is known from there. */
static url_row row_of(const frontier_link *link, const host *who, frontier_class class, frontier_verdict verdict)
{
  const url *u = link->target;
  url_row row = {.host = who->id, .origin = link->origin, .verdict = verdict, .class = class};
  if (host_queued(who) + who->done + who->failed + who->skipped == 0) {
    row.host_name = who->name;
    row.host_name_size = who->name_size;
  }
  url_row_set_url(&row, u->fetch, u->fetch_size, who->name, who->name_size);
  return row;
}

/* In memory, if that is where it will wait. */
static entry *make_entry(frontier *f, const frontier_link *link, const url_row *row, host *who)
{
  const url *u = link->target;
  entry *e = entry_create(&f->pool, counts_next_sequence(&f->counts), u->fetch, u->fetch_size, u->host_begin,
                          u->host_end, link->origin, (field){row->fields, row->fields_size});
  if (!e)
    return NULL;
  e->host = who;
  e->class = row->class;
  e->verdict = row->verdict;
  return e;
}

static frontier_status no_memory(frontier *f)
{
  return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more URL");
}

static void record(frontier *f, const url_row *row, uint64_t sequence, purpose what_for, uint64_t now_ms)
{
  if (f->store)
    batch_add_url(&f->batch, row, sequence, now_ms);
  else
    batch_touch(&f->batch);
  if (f->store && what_for == TO_NOTE)
    batch_add_ended(&f->batch, sequence, (url_state){.what = FRONTIER_NOTED}, now_ms);
}

static frontier_status accept(frontier *f, const frontier_link *link, const mlbf_hashes *hashes,
                              frontier_verdict verdict, purpose what_for, uint64_t now_ms)
{
  const url *u = link->target;
  assert_link(link);
  uint64_t sequence = counts_next_sequence(&f->counts);
  host *who = hosts_find(f->hosts, u->fetch + u->host_begin, u->host_end - u->host_begin);
  if (!who)
    return no_memory(f);
  frontier_class class = what_for != TO_NOTE ? host_classify(f, who, link, verdict) : FRONTIER_NORMAL;
  url_row row = row_of(link, who, class, verdict);
  row.is_noted = what_for == TO_NOTE;
  if (!host_reserve(who, class) || !set_fields(f, link, hashes, &row) || !tombstones_make_room(&f->tombstones) ||
      (f->options.exact && !exact_make_room(&f->exact)) || (f->store && !batch_make_room(&f->batch, &row, sequence)))
    return no_memory(f);
  queue_place place = what_for == TO_NOTE ? QUEUE_NOWHERE : queue_choose(f, who, class, link->origin.depth);
  entry *e = place == QUEUE_ENTRY ? make_entry(f, link, &row, who) : NULL;
  if (place == QUEUE_ENTRY && !e)
    return no_memory(f);
  if (!seen_add(f->seen, hashes)) {
    entry_free(e);
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more hash");
  }
  tombstones_remove(&f->tombstones, hashes->whole);
  if (f->options.exact)
    exact_add(&f->exact, exact_key_of(secret_hasher(f), link, hashes->whole));
  record(f, &row, sequence, what_for, now_ms);
  counts_accepted(&f->counts, what_for == TO_NOTE);
  if (what_for != TO_NOTE) {
    host_line(who, class)->queued++;
    hosts_touch(f->hosts, who);
    queue_put(f, place, who, class, sequence, e);
    hosts_recount(f->hosts, who);
  }
  return FRONTIER_OK;
}

/* ---- verdicts ------------------------------------------------------------------------------------------- */

typedef struct looked_up {
  mlbf_hashes hashes[TOGETHER];
  mlbf_verdict verdicts[TOGETHER]; /* the filter's */
} looked_up;

void link_hash(const mlbf_filter *filter, const frontier_link *link, mlbf_hashes *hashes)
{
  if (link->key)
    mlbf_hash(filter, link->key, link->key_count, hashes);
  else
    seen_hash(filter, link->target, hashes);
}

/* What the filter takes for seen and the table does not have is new after all: its segments, and what the open batch
 * knows of it, are still to be asked. */
static frontier_status confirm(frontier *f, const frontier_link *links, size_t count, looked_up *out)
{
  store_exact_key keys[TOGETHER];
  size_t asked[TOGETHER], doubts = 0;
  bool has[TOGETHER];
  for (size_t i = 0; i < count; i++)
    if (out->verdicts[i].outcome == MLBF_SEEN) {
      keys[doubts] = exact_key_of(secret_hasher(f), &links[i], out->hashes[i].whole);
      asked[doubts++] = i;
    }
  frontier_status status = doubts ? store_has_exact(f->store, keys, doubts, has) : FRONTIER_OK;
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", store_message(f->store));
  for (size_t i = 0; i < doubts; i++)
    if (!has[i])
      out->verdicts[asked[i]] = out->hashes[asked[i]].depth ? (mlbf_verdict){MLBF_NEW_SEGMENT, 1}
                                                            : (mlbf_verdict){MLBF_NEW, 0};
  return FRONTIER_OK;
}

static frontier_status look_up(frontier *f, const frontier_link *links, size_t count, looked_up *out)
{
  for (size_t i = 0; i < count; i++)
    link_hash(seen_filter(f->seen), &links[i], &out->hashes[i]);
  seen_ask(f->seen, out->hashes, count, out->verdicts);
  return f->options.exact ? confirm(f, links, count, out) : FRONTIER_OK;
}

/* What takes those in that are new. */
static void fetch(const frontier *f, const frontier_link *links, size_t count, const looked_up *found)
{
  host_name names[TOGETHER];
  size_t fresh = 0;
  for (size_t i = 0; i < count; i++)
    if (found->verdicts[i].outcome != MLBF_SEEN) {
      const url *u = links[i].target;
      seen_fetch(f->seen, &found->hashes[i]);
      names[fresh++] = (host_name){u->fetch + u->host_begin, u->host_end - u->host_begin};
    }
  hosts_fetch(f->hosts, names, fresh);
}

static frontier_verdict judge(const frontier *f, const frontier_link *link, const looked_up *found, size_t i)
{
  const mlbf_hashes *hashes = &found->hashes[i];
  frontier_verdict said = seen_judge(f->seen, hashes, found->verdicts[i]);
  if (said.outcome == FRONTIER_SEEN && tombstones_has(&f->tombstones, hashes->whole))
    said.outcome = hashes->depth ? FRONTIER_NEW_COMBINATION : FRONTIER_NEW;
  if (said.outcome != FRONTIER_SEEN && f->previous && previous_knows(f->previous, link))
    said = (frontier_verdict){FRONTIER_KNOWN_BEFORE, 0};
  return said;
}

static frontier_status refuse_empty_key(frontier *f, const frontier_link *link)
{
  return link->key && link->key_count == 0 ? frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a key of no segments")
                                           : FRONTIER_OK;
}

frontier_status link_judge(frontier *f, const frontier_link *link, mlbf_hashes *hashes, frontier_verdict *verdict)
{
  looked_up found;
  frontier_status status = refuse_empty_key(f, link);
  if (status == FRONTIER_OK)
    status = look_up(f, link, 1, &found);
  if (status != FRONTIER_OK)
    return status;
  *hashes = found.hashes[0];
  *verdict = judge(f, link, &found, 0);
  return FRONTIER_OK;
}

static frontier_status refuse_nonsense(frontier *f, const frontier_link *link)
{
  if (link->payload_size > FRONTIER_PAYLOAD_MAX)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a payload of %zu bytes; %d is the most", link->payload_size,
                         FRONTIER_PAYLOAD_MAX);
  return refuse_empty_key(f, link);
}

static frontier_status settle(frontier *f, const frontier_link *link, const looked_up *found, size_t i,
                              purpose what_for, uint64_t now_ms, frontier_verdict *verdict)
{
  frontier_status status = refuse_nonsense(f, link);
  frontier_verdict said = judge(f, link, found, i);
  bool is_new = said.outcome != FRONTIER_SEEN, is_forced = !is_new && what_for == TO_QUEUE_ANYHOW;
  if (status == FRONTIER_OK && (is_new || is_forced))
    status = accept(f, link, &found->hashes[i], said, what_for, now_ms);
  if (status != FRONTIER_OK)
    return status;
  counts_judged(&f->counts, said.outcome, is_forced);
  batch_touch(&f->batch);
  *verdict = said;
  return FRONTIER_OK;
}

/* Up to TOGETHER links. */
static frontier_status settle_some(frontier *f, const frontier_link *links, size_t count, purpose what_for,
                                   uint64_t now_ms, frontier_verdict *verdicts, size_t *settled)
{
  looked_up found;
  frontier_status status = FRONTIER_OK;
  assert(count && count <= TOGETHER);
  if (batch_is_full(&f->batch))
    status = commit_begin(f);
  else
    maintain_pay_some(f);
  *settled = 0;
  if (status == FRONTIER_OK)
    status = look_up(f, links, count, &found);
  if (status == FRONTIER_OK && count > 1)
    fetch(f, links, count, &found);
  for (size_t i = 0; i < count && status == FRONTIER_OK; i++) {
    status = settle(f, &links[i], &found, i, what_for, now_ms, &verdicts[i]);
    *settled += status == FRONTIER_OK;
  }
  wake_look(f);
  return status;
}

/* The caller's links, from the `first` on, up to TOGETHER, as ours: in `room`, if theirs are of another size. NULL: a
 * field is set that is not known here. */
static const frontier_link *take_links(const frontier_link *links, size_t link_size, size_t first, size_t count,
                                       frontier_link room[TOGETHER])
{
  if (link_size == sizeof *links)
    return links + first;
  for (size_t i = 0; i < count; i++)
    if (!sized_take(&room[i], sizeof room[i], (const char *)links + (first + i) * link_size, link_size))
      return NULL;
  return room;
}

static frontier_status settle_one(frontier *f, const frontier_link *given, size_t link_size, purpose what_for,
                                  uint64_t now_ms, frontier_verdict *verdict)
{
  size_t settled;
  frontier_link room[TOGETHER];
  const frontier_link *link = take_links(given, link_size, 0, 1, room);
  if (f->options.read_only)
    return refuse_reader(f);
  return link ? settle_some(f, link, 1, what_for, clock_glance(f, now_ms), verdict, &settled) : refuse_unknown_field(f);
}

/* ---- the calls ------------------------------------------------------------------------------------------ */

frontier_status frontier_add(frontier *f, const url *u, frontier_origin origin, uint64_t now_ms,
                             frontier_verdict *verdict)
{
  LOCKED(f);
  const frontier_link link = {.target = u, .origin = origin};
  return settle_one(f, &link, sizeof link, TO_QUEUE, now_ms, verdict);
}

frontier_status frontier_force_sized(frontier *f, const frontier_link *link, size_t link_size, uint64_t now_ms,
                                     frontier_verdict *verdict)
{
  LOCKED(f);
  return settle_one(f, link, link_size, TO_QUEUE_ANYHOW, now_ms, verdict);
}

frontier_status frontier_note_sized(frontier *f, const frontier_link *link, size_t link_size, uint64_t now_ms,
                                    frontier_verdict *verdict)
{
  LOCKED(f);
  return settle_one(f, link, link_size, TO_NOTE, now_ms, verdict);
}

frontier_status frontier_add_batch_sized(frontier *f, const frontier_link *links, size_t link_size, size_t count,
                                         uint64_t now_ms, frontier_verdict *verdicts, size_t *settled)
{
  LOCKED(f);
  frontier_link room[TOGETHER];
  *settled = 0;
  now_ms = clock_glance(f, now_ms);
  frontier_status status = f->options.read_only ? refuse_reader(f) : FRONTIER_OK;
  while (*settled < count && status == FRONTIER_OK) {
    size_t left = count - *settled, size = left < TOGETHER ? left : TOGETHER, done = 0;
    const frontier_link *some = take_links(links, link_size, *settled, size, room);
    status = some ? settle_some(f, some, size, TO_QUEUE, now_ms, verdicts + *settled, &done) : refuse_unknown_field(f);
    *settled += done;
  }
  return status;
}

frontier_status frontier_lookup_batch_sized(frontier *f, const frontier_link *links, size_t link_size, size_t count,
                                            frontier_verdict *verdicts)
{
  LOCKED(f);
  frontier_link room[TOGETHER];
  looked_up found;
  frontier_status status = f->seen ? FRONTIER_OK : seen_load(f);
  for (size_t begin = 0; begin < count && status == FRONTIER_OK; begin += TOGETHER) {
    size_t size = count - begin < TOGETHER ? count - begin : TOGETHER;
    const frontier_link *some = take_links(links, link_size, begin, size, room);
    status = some ? FRONTIER_OK : refuse_unknown_field(f);
    for (size_t i = 0; i < size && status == FRONTIER_OK; i++)
      status = refuse_empty_key(f, &some[i]);
    if (status == FRONTIER_OK)
      status = look_up(f, some, size, &found);
    for (size_t i = 0; i < size && status == FRONTIER_OK; i++)
      verdicts[begin + i] = judge(f, &some[i], &found, i);
  }
  return status;
}

frontier_status frontier_lookup(frontier *f, const url *u, frontier_verdict *verdict)
{
  LOCKED(f);
  const frontier_link link = {.target = u};
  return frontier_lookup_batch(f, &link, 1, verdict);
}
