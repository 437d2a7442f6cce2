/* See accept.h.
 *
 * Always: room is made for all that follows before anything changes, so a URL is accepted as a whole or not at all.
 * What is accepted is in the open batch: after a crash before its commit, it never was.
 *
 * Called under the handle's mutex. */
#include "frontier/core/state.h"

#include "frontier/base/record.h"

#include <assert.h>

/* The optional data of a link, in the open batch's memory: valid until the next link. false: no memory. */
static bool set_fields(frontier *f, const newcomer *n, url_order order, url_row *row)
{
  const frontier_link *link = n->link;
  uint8_t hash[sizeof n->hashes->whole];
  put_le(hash, n->hashes->whole.low, 8);
  put_le(hash + 8, n->hashes->whole.high, 8);
  field own = {hash, n->has_own_key ? sizeof hash : 0}, payload = {link->payload, link->payload_size};
  row->fields_size = fields_size(own, payload, order);
  if (!row->fields_size)
    return true;
  uint8_t *fields = batch_scratch(&f->batch, row->fields_size);
  row->fields = fields;
  if (fields)
    fields_write(fields, own, payload, order);
  return fields;
}

/* As url_parse and url_resolve make it, or a caller of their own. */
static void assert_link(const frontier_link *link)
{
  const url *u = link->target;
  assert(u || (link->opaque_size && link->opaque_size <= FRONTIER_OPAQUE_MAX && link->group_size));
  assert(!u || (u->fetch_size <= URL_LENGTH_MAX && u->fetch[u->fetch_size] == '\0'));
  assert(!u || (u->host_begin < u->host_end && u->host_end <= u->path_begin && u->path_begin <= u->fetch_size));
  assert(link->group_size <= FRONTIER_GROUP_MAX);
  (void)u;
}

/* Whose queue it waits in; NULL: no memory. */
static host *find_host(frontier *f, const frontier_link *link)
{
  const url *u = link->target;
  char name[1 + FRONTIER_GROUP_MAX];
  if (!link->group_size)
    return hosts_find(f->hosts, u->fetch + u->host_begin, u->host_end - u->host_begin);
  name[0] = GROUP_MARK;
  memcpy(name + 1, link->group, link->group_size);
  return hosts_find(f->hosts, name, 1 + link->group_size);
}

/* The name of a host goes with its first URL: should its record be lost, it is known from there. */
static url_row row_of(const frontier_link *link, const host *who, frontier_class class, frontier_verdict verdict)
{
  mlbf_span text = link_text(link);
  url_row row = {.host = who->id, .origin = link->origin, .verdict = verdict, .class = class};
  if (host_queued(who) + who->done + who->failed + who->skipped == 0) {
    row.host_name = who->name;
    row.host_name_size = who->name_size;
  }
  if (link->target)
    url_row_set_url(&row, text.bytes, text.size, who->name, who->name_size);
  else
    url_row_set_opaque(&row, text.bytes, text.size);
  return row;
}

/* In memory, if that is where it will wait. */
static entry *make_entry(frontier *f, const frontier_link *link, const url_row *row, host *who)
{
  const url *u = link->target;
  mlbf_span text = link_text(link);
  entry *e = entry_create(&f->pool, counts_next_sequence(&f->counts), text.bytes, (uint32_t)text.size,
                          u ? u->host_begin : 0, u ? u->host_end : 0, link->origin,
                          (field){row->fields, row->fields_size});
  if (!e)
    return NULL;
  e->host = who;
  e->class = row->class;
  e->verdict = row->verdict;
  e->is_opaque = !u;
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

frontier_status accept_link(frontier *f, const newcomer *n, uint64_t now_ms)
{
  const frontier_link *link = n->link;
  bool is_noted = n->purpose == TO_NOTE;
  url_order order = {is_noted ? 0 : link->priority, is_noted ? 0 : link->not_before_ms};
  assert_link(link);
  uint64_t sequence = counts_next_sequence(&f->counts);
  host *who = find_host(f, link);
  if (!who)
    return no_memory(f);
  frontier_class class = is_noted ? FRONTIER_NORMAL : host_classify(f, who, link, n->verdict);
  url_row row = row_of(link, who, class, n->verdict);
  row.is_noted = is_noted;
  if (!host_reserve(who, class) || !set_fields(f, n, order, &row) || !tombstones_make_room(&f->tombstones) ||
      (f->store && !batch_make_room(&f->batch, &row, sequence)))
    return no_memory(f);
  queue_place place = is_noted ? QUEUE_NOWHERE : queue_choose(f, who, class, link->origin.depth, is_ordered(order));
  bool has_entry = place == QUEUE_ENTRY || place == QUEUE_ORDERED;
  entry *e = has_entry ? make_entry(f, link, &row, who) : NULL;
  frontier_status status = e && place == QUEUE_ORDERED ? ordering_make_room(f, who, class) : FRONTIER_OK;
  if ((has_entry && !e) || status != FRONTIER_OK) {
    entry_free(e);
    return e ? status : no_memory(f);
  }
  if (!seen_add(f->seen, n->hashes)) {
    entry_free(e);
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more hash");
  }
  tombstones_remove(&f->tombstones, n->hashes->whole);
  late_accepted(f, n->hashes->whole);
  if (is_ordered(order))
    ordering_mark(f);
  record(f, &row, sequence, n->purpose, now_ms);
  counts_accepted(&f->counts, is_noted);
  if (!is_noted) {
    host_line(who, class)->queued++;
    hosts_touch(f->hosts, who);
    queue_put(f, place, who, class, sequence, e);
    hosts_recount(f->hosts, who);
  }
  return FRONTIER_OK;
}
