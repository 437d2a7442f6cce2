/* The record of one URL, by its id or its key.
 *
 *     in flight     it has an entry, which says all
 *     else          on disk, once what was gathered is committed; without a directory, in the line of its host
 *
 * The record is copied into the handle, as what it is read from goes with the next call. */
#include "frontier/core/scan.h"

#include "frontier/base/vector.h"
#include "frontier/core/state.h"

#include <stdlib.h>

typedef struct search {
  frontier *f;
  uint64_t id; /* 0: by key */
  mlbf_hash128 whole;
  url *parsed;
  frontier_record record; /* the newest so far; its id is 0 until one is found */
  frontier_status status;
} search;

static bool has_key(const search *s, const frontier_record *record, field key)
{
  key_hashes hashes;
  mlbf_hash128 own;
  if (field_hash(key, &own))
    return own.low == s->whole.low && own.high == s->whole.high;
  if (url_parse(record->url, record->url_size, s->f->options.profile, s->parsed) != URL_OK)
    return false;
  seen_hash(seen_filter(s->f->seen), s->parsed, &hashes);
  return hashes.whole.low == s->whole.low && hashes.whole.high == s->whole.high;
}

/* The URL, a NUL, and the payload, aligned; then the group. */
static bool keep(search *s, const frontier_record *record)
{
  found_url *kept = &s->f->found;
  size_t payload_at = (record->url_size + 1 + PAYLOAD_ALIGNMENT - 1) / PAYLOAD_ALIGNMENT * PAYLOAD_ALIGNMENT;
  size_t group_at = payload_at + record->payload_size;
  if (!HAS_ROOM(kept->bytes, kept->room, group_at + record->group_size)) {
    s->status = frontier_fail(s->f, FRONTIER_NO_MEMORY, "out of memory for the record of a URL");
    return false;
  }
  memcpy(kept->bytes, record->url, record->url_size);
  kept->bytes[record->url_size] = '\0';
  if (record->payload_size)
    memcpy(kept->bytes + payload_at, record->payload, record->payload_size);
  if (record->group_size)
    memcpy(kept->bytes + group_at, record->group, record->group_size);
  s->record = *record;
  s->record.url = (const char *)kept->bytes;
  s->record.payload = record->payload_size ? kept->bytes + payload_at : NULL;
  s->record.group = record->group_size ? (const char *)kept->bytes + group_at : NULL;
  return true;
}

/* false: enough. */
static bool look(search *s, const frontier_record *record, field key)
{
  if (s->id ? record->id != s->id : record->id <= s->record.id || !has_key(s, record, key))
    return true;
  return keep(s, record) && !s->id;
}

/* ---- in memory ------------------------------------------------------------------------------------------ */

static void look_at_entry(search *s, const entry *e)
{
  field payload = entry_field(e, FIELD_PAYLOAD);
  mlbf_span group = group_of(e->host);
  url_order order = field_order(entry_fields(e));
  const frontier_record record = {.id = e->sequence,
                                  .is_queued = true,
                                  .origin = e->origin,
                                  .url = e->url,
                                  .url_size = e->url_size,
                                  .payload = payload.bytes,
                                  .payload_size = payload.size,
                                  .is_in_flight = leases_find(&s->f->in_flight, e->sequence) == e,
                                  .verdict = e->verdict,
                                  .priority = e->class,
                                  .group = group.bytes,
                                  .group_size = group.size,
                                  .rank = order.priority,
                                  .not_before_ms = order.not_before_ms,
                                  .is_opaque = e->is_opaque};
  look(s, &record, entry_field(e, FIELD_KEY));
}

static void look_in_lines(search *s)
{
  const host *who;
  for (uint32_t id = 0; (who = hosts_at(s->f->hosts, id)); id++)
    for (unsigned class = 0; class < FRONTIER_CLASSES; ++class) {
      const line *l = host_line(who, (frontier_class) class);
      const entry *e = l && l->last ? l->last->next : NULL;
      for (uint32_t i = 0; e && i < l->count; i++, e = e->next)
        look_at_entry(s, e);
    }
  const lease_table *ordered = ordering_kept(s->f);
  for (size_t i = 0; i < leases_count(ordered); i++)
    look_at_entry(s, leases_at(ordered, i));
}

static void look_in_flight(search *s)
{
  const lease_table *in_flight = &s->f->in_flight;
  const entry *e = s->id ? leases_find(in_flight, s->id) : NULL;
  if (e)
    look_at_entry(s, e);
  for (const flight *one = s->id ? NULL : leases_oldest(in_flight); one; one = leases_newer(in_flight, one))
    look_at_entry(s, one->entry);
}

/* ---- on disk -------------------------------------------------------------------------------------------- */

static bool look_at_record(void *context, const url_record *r)
{
  search *s = context;
  frontier_record record = scan_record(r);
  record.is_in_flight = record.is_queued && leases_find(&s->f->in_flight, r->sequence);
  return look(s, &record, field_find(r->fields.bytes, r->fields.size, FIELD_KEY));
}

static frontier_status look_on_disk(search *s)
{
  frontier *f = s->f;
  bool is_behind = !f->options.read_only && (batch_has_urls(&f->batch) || !commit_is_landed(f));
  frontier_status status = is_behind ? commit_batch(f) : FRONTIER_OK;
  if (status != FRONTIER_OK)
    return status;
  if (!s->id)
    return url_records_each(f, STORED_WAITING | STORED_ENDED, 0, look_at_record, s);
  status = url_records_one(f, s->id, look_at_record, s);
  return status == FRONTIER_NOT_FOUND ? FRONTIER_OK : status;
}

/* ---- the calls ------------------------------------------------------------------------------------------ */

static frontier_status find(search *s, frontier_record *given, size_t record_size)
{
  look_in_flight(s);
  if (!s->f->store)
    look_in_lines(s);
  else if (s->status == FRONTIER_OK && !(s->id && s->record.id)) {
    frontier_status status = look_on_disk(s);
    s->status = s->status == FRONTIER_OK ? status : s->status;
  }
  if (s->status == FRONTIER_OK && !s->record.id)
    return frontier_fail(s->f, FRONTIER_NOT_FOUND, "no record of such a URL");
  if (s->status == FRONTIER_OK)
    sized_give(given, record_size, &s->record, sizeof s->record);
  return s->status;
}

frontier_status frontier_find_id_sized(frontier *f, uint64_t id, frontier_record *record, size_t record_size)
{
  LOCKED(f);
  search s = {.f = f, .id = id};
  if (id == 0 || (id >= counts_next_sequence(&f->counts) && !f->options.read_only))
    return frontier_fail(f, FRONTIER_NOT_FOUND, "URL %llu was never accepted", (unsigned long long)id);
  return find(&s, record, record_size);
}

/* A key that was forgotten is new again, and has its record still. */
frontier_status frontier_find_sized(frontier *f, const frontier_link *given, size_t link_size, frontier_record *record,
                                    size_t record_size)
{
  LOCKED(f);
  frontier_link link;
  key_hashes hashes;
  frontier_verdict verdict;
  if (!sized_take(&link, sizeof link, given, link_size))
    return refuse_unknown_field(f);
  frontier_status status = f->seen ? FRONTIER_OK : seen_load(f);
  if (status == FRONTIER_OK)
    status = link_judge(f, &link, &hashes, &verdict);
  if (status != FRONTIER_OK)
    return status;
  if (verdict.outcome != FRONTIER_SEEN && verdict.outcome != FRONTIER_UNCONFIRMED &&
      !tombstones_has(&f->tombstones, hashes.whole))
    return frontier_fail(f, FRONTIER_NOT_FOUND, "this key was never seen");
  search s = {.f = f, .whole = hashes.whole, .parsed = malloc(sizeof(url))};
  if (!s.parsed)
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for the record of a URL");
  status = find(&s, record, record_size);
  free(s.parsed);
  return status;
}

/* ---- as a part ------------------------------------------------------------------------------------------ */

static void close_it(frontier *f)
{
  free(f->found.bytes);
}

const part found_part = {.close = close_it};
