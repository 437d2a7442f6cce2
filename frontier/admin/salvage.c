/* Salvage: every record that is whole, out of a damaged data.mdb into a new one. repair.h has the steps.
 *
 *     trees -> records whose checksum holds --.
 *                                             +-> key of the log not claimed yet? -> new data.mdb
 *     stray pages, which may be older --------'   URLs: salvage_urls.c
 *
 * Always: the damaged file is only read. A record is kept only if its checksum holds. The first record of a URL, and
 * of a key of the log, claims its number in `places` and `log`, and what comes later is left out. Records
 * that the trees lead to are read first, so that a stray one is used only where no other was found. Counts are counted
 * anew from what is kept.
 *
 * Called by repair.c on one thread, while it holds the directory's LOCK. The new one is committed every 20,000 records.
 *
 * After a crash in here: data.mdb is as it was. DIRECTORY/rebuilt holds a part of the new one; the next repair removes
 * that and begins again. */
#include "frontier/admin/repair.h"

#include "frontier/core/revisit_info.h"
#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <inttypes.h>
#include <stdlib.h>

enum { COMMIT_RECORDS = 20000 };
enum { VISIT_FLAGS = 16, VISIT_IS_QUEUED = 2 }; /* FORMAT.md, "visits" */

bool byte_row_reach(byte_row *row, uint64_t index)
{
  size_t before = row->room;
  if (!HAS_ROOM(row->at, row->room, index + 1))
    return false;
  memset(row->at + before, 0, row->room - before);
  if (index >= row->count)
    row->count = index + 1;
  return true;
}

bool salvage_commit(salvage *s)
{
  s->unwritten = 0;
  if (store_commit(s->to) != FRONTIER_OK || store_begin(s->to) != FRONTIER_OK)
    return salvage_fail(s, FRONTIER_IO, store_message(s->to));
  return true;
}

bool salvage_begin_record(salvage *s)
{
  return s->status == FRONTIER_OK && (++s->unwritten < COMMIT_RECORDS || salvage_commit(s));
}

/* ---- meta ----------------------------------------------------------------------------------------------- */

static bool meta_is_copied(const char *name)
{
  static const char *const ours[] = {"counters", "journal", "recrawl"};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (strcmp(name, ours[i]) == 0)
      return true;
  return strncmp(name, SETTING_PREFIX, strlen(SETTING_PREFIX)) == 0;
}

/* Settings, counters and the like are copied as they are; the first of a name wins. */
static void keep_meta(salvage *s, const char *name, const uint8_t *body, size_t size)
{
  for (const kept_meta *m = s->meta; m; m = m->next)
    if (strcmp(m->name, name) == 0)
      return;
  kept_meta *m = malloc(sizeof *m + strlen(name) + 1);
  if (!m || !(m->body = malloc(size + 1))) {
    free(m);
    salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory");
    return;
  }
  memcpy(m->name, name, strlen(name) + 1);
  memcpy(m->body, body, size);
  m->size = size;
  m->next = s->meta;
  s->meta = m;
}

static void keep_absent(salvage *s, const uint8_t *body, size_t size)
{
  s->absent = malloc(size + 1);
  if (!s->absent) {
    salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory");
    return;
  }
  memcpy(s->absent, body, size);
  s->absent_size = size;
}

static void read_meta(void *context, const char *name, const uint8_t *body, size_t size)
{
  salvage *s = context;
  if (strcmp(name, "progress") == 0)
    s->has_progress |= progress_read(&s->stood, body, size);
  else if (strcmp(name, "identity") == 0 && !s->has_identity)
    s->has_identity = identity_read(s->f, body, size) == FRONTIER_OK;
  else if (strcmp(name, "absent") == 0 && !s->absent)
    keep_absent(s, body, size);
  else if (strcmp(name, "acceptance") == 0)
    (void)acceptance_read(&s->stood, body, size); /* noted URLs are counted anew; forced ones may be lost count of */
  else if (strcmp(name, "late") == 0 && !s->late.settled)
    (void)late_record_read(&s->late, body, size);
  else if (strcmp(name, "incarnation") == 0 && size == 8 && get_le(body, 8) > s->incarnation)
    s->incarnation = get_le(body, 8);
  else if (meta_is_copied(name))
    keep_meta(s, name, body, size);
}

/* Of older states: good for what the present one does not have. */
static void read_stray_meta(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  char name[64];
  salvage *s = context;
  if (key_size >= sizeof name || !record_is_whole(XXH3_64bits(key, key_size), value, size))
    return;
  memcpy(name, key, key_size);
  name[key_size] = '\0';
  if (strlen(name) != key_size)
    return;
  progress older = {0};
  const uint8_t *body = value + RECORD_HEAD;
  if (strcmp(name, "progress") != 0)
    read_meta(s, name, body, size - RECORD_HEAD);
  else if (progress_read(&older, body, size - RECORD_HEAD) && older.next_sequence > s->stood.next_sequence)
    s->has_progress = progress_read(&s->stood, body, size - RECORD_HEAD);
}

static void read_identity_file(salvage *s)
{
  uint8_t *body;
  size_t size;
  if (s->has_identity || store_identity_file_get(s->f->directory, &body, &size) != FRONTIER_OK)
    return;
  s->has_identity = identity_read(s->f, body, size) == FRONTIER_OK;
  free(body);
}

/* Stray pages may be of another file altogether, so they come last for what this directory is. */
bool salvage_meta(salvage *s)
{
  mdb_records_each_named(s->p, "meta", read_meta, s);
  mdb_records_each_named(s->p, "identity", read_meta, s);
  read_identity_file(s);
  if (!s->has_identity || !s->has_progress)
    mdb_pages_each_stray(s->p, read_stray_meta, s);
  if (s->status == FRONTIER_OK && !s->has_identity)
    salvage_fail(s, FRONTIER_DAMAGED,
                 "nothing is left that says which filter and profile made it; it cannot be repaired");
  return s->status == FRONTIER_OK;
}

/* ---- hosts ---------------------------------------------------------------------------------------------- */

static void forget_counts(host *who)
{
  who->done = who->failed = who->skipped = who->trap_ended = 0;
  for (int class = 0; class < FRONTIER_CLASSES; ++class)
    if (host_line(who, (frontier_class) class))
      host_line(who, (frontier_class) class)->queued = 0;
}

/* In their order, so that ids stay the same unless one is lost. What was set for them stays; counts are counted
 * anew. */
static bool take_host(salvage *s, uint64_t id, const uint8_t *body, size_t size)
{
  host *who = NULL;
  if (hosts_read_either(s->f->hosts, body, size, &who) == FRONTIER_NO_MEMORY)
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for one more host");
  if (who)
    forget_counts(who);
  return !who || id > UINT32_MAX || salvage_know_host(s, id, who);
}

static bool keep_host(void *context, uint64_t id, const uint8_t *body, size_t size)
{
  return take_host(context, id, body, size);
}

/* A host that is new since, or for which something was set. Else what was counted changed, and that is counted anew. */
static bool keep_change(void *context, const host_change *change)
{
  return !change->record || take_host(context, change->id, change->record, change->record_size);
}

static bool keep_changes(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  const salvage *s = context;
  (void)key;
  host_changes_each(body, size, keep_change, context);
  return s->status == FRONTIER_OK;
}

/* Is this the record of a host? Its name says so: it is that of a group, or together with a scheme it is a URL of that
 * host. */
static bool looks_like_host(salvage *s, const uint8_t *body, size_t size)
{
  static const char scheme[] = "http://";
  size_t head = size >= HOST_HEAD && body[7] ? HOST_HEAD_2 : HOST_HEAD;
  size_t name_size = size > head ? size - head : 0, text_size = strlen(scheme) + name_size;
  if (name_size == 0 || text_size >= sizeof s->text)
    return false;
  const char *name = (const char *)body + head;
  if (host_is_group(name))
    return name_size > 1 && name_size <= 1 + FRONTIER_GROUP_MAX && !memchr(name, '\0', name_size);
  memcpy(s->text, scheme, strlen(scheme));
  memcpy(s->text + strlen(scheme), body + head, name_size);
  return url_parse(s->text, text_size, s->f->options.profile, s->u) == URL_OK &&
         s->u->host_end - s->u->host_begin == name_size &&
         memcmp(s->u->fetch + s->u->host_begin, body + head, name_size) == 0;
}

static bool take_stray_host(salvage *s, uint64_t id, const uint8_t *body, size_t size)
{
  bool is_known = id < s->host_room && s->hosts_by_id[id];
  return is_known || !looks_like_host(s, body, size) || take_host(s, id, body, size);
}

static bool keep_stray_change(void *context, const host_change *change)
{
  return !change->record || take_stray_host(context, change->id, change->record, change->record_size);
}

static void keep_stray_host(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  salvage *s = context;
  uint64_t number = key_size == 8 ? get_le(key, 8) : 0;
  if (s->status != FRONTIER_OK || key_size != 8 || !record_is_whole(number, value, size))
    return;
  value += RECORD_HEAD;
  size -= RECORD_HEAD;
  if (number < s->stood.next_sequence || !s->has_progress)
    take_stray_host(s, number, value, size);
  host_changes_each(value, size, keep_stray_change, s);
}

bool salvage_stray_hosts(salvage *s)
{
  mdb_pages_each_stray(s->p, keep_stray_host, s);
  return s->status == FRONTIER_OK;
}

/* ---- the hash log --------------------------------------------------------------------------------------- */

static bool log_is_free(const salvage *s, uint64_t first, uint64_t count)
{
  for (uint64_t i = first; i < first + count && i < s->log.count; i++)
    if (s->log.at[i])
      return false;
  return true;
}

static bool keep_piece(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  salvage *s = context;
  uint64_t keys;
  if (!seen_count_keys(body, size, &keys) || keys == 0 || (s->has_progress && key + keys > s->stood.log_keys) ||
      key + keys < key || !log_is_free(s, key, keys))
    return true;
  if (!byte_row_reach(&s->log, key + keys - 1))
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for a byte for each key");
  if (!salvage_begin_record(s))
    return false;
  memset(s->log.at + key, LOG_FOUND, (size_t)keys);
  store_put(s->to, STORE_HASHES, key, body, size);
  return true;
}

static void keep_stray(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  const salvage *s = context;
  uint64_t number = key_size == 8 ? get_le(key, 8) : 0;
  if (s->status == FRONTIER_OK && key_size == 8 && record_is_whole(number, value, size))
    keep_piece(context, number, value + RECORD_HEAD, size - RECORD_HEAD);
}

/* ---- what hangs on single keys and URLs ----------------------------------------------------------------- */

static bool copy_tombstones(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  salvage *s = context;
  if (salvage_begin_record(s))
    store_put(s->to, STORE_REVOKED, key, body, size);
  return s->status == FRONTIER_OK;
}

/* When a URL that is still there is to be fetched again is said by its visit; `due` is made of them. */
static bool keep_visit(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  enum { SIZE_MAX_OF_ONE = 64 + 2 * FRONTIER_VALIDATOR_MAX };
  salvage *s = context;
  seen_visit v;
  uint8_t id[8], copy[SIZE_MAX_OF_ONE];
  if (size > sizeof copy || !visits_read(sequence, body, size, &v) || sequence >= s->places.count ||
      !s->places.at[sequence])
    return true;
  if (!salvage_begin_record(s))
    return false;
  bool rests = s->places.at[sequence] == SALVAGED_ENDED;
  memcpy(copy, body, size);
  copy[VISIT_FLAGS] = (uint8_t)((copy[VISIT_FLAGS] & ~VISIT_IS_QUEUED) | (rests ? 0 : VISIT_IS_QUEUED));
  store_put(s->to, STORE_VISITS, sequence, copy, size);
  put_le(id, sequence, 8);
  if (rests && v.due_s)
    store_put(s->to, STORE_DUE, visits_due_key(v.due_s, sequence), id, sizeof id);
  return true;
}

bool salvage_tables(salvage *s)
{
  mdb_records_each(s->p, "hosts", keep_host, s);
  mdb_records_each(s->p, "host-changes", keep_changes, s);
  if (s->status != FRONTIER_OK || !salvage_urls(s))
    return false;
  mdb_records_each(s->p, "hashes", keep_piece, s);
  mdb_records_each(s->p, "revoked", copy_tombstones, s);
  mdb_records_each(s->p, "visits", keep_visit, s);
  mdb_pages_each_stray(s->p, keep_stray, s);
  return s->status == FRONTIER_OK && salvage_commit(s);
}
