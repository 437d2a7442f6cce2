/* Salvage: every record that is whole, out of a damaged data.mdb into a new one. repair.h has the steps.
 *
 *     trees -> records whose checksum holds --.
 *                                             +-> sequence not claimed yet? text a URL? -> new data.mdb
 *     stray pages, which may be older --------'   key of the log not claimed yet?
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

#include "frontier/hosts/history.h"
#include "frontier/base/record.h"
#include "frontier/base/vector.h"
#include "frontier/admin/mdb_urls.h"

#include <inttypes.h>
#include <stdlib.h>

enum { COMMIT_RECORDS = 20000, ENDED = 1, WAITING = 2, VISIT_DUE = 12 /* FORMAT.md, "visits" */ };

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

static void read_meta(void *context, const char *name, const uint8_t *body, size_t size)
{
  salvage *s = context;
  if (strcmp(name, "progress") == 0)
    s->has_progress |= progress_read(&s->stood, body, size);
  else if (strcmp(name, "identity") == 0 && !s->has_identity)
    s->has_identity = identity_read(s->f, body, size) == FRONTIER_OK;
  else if (strcmp(name, "acceptance") == 0)
    (void)acceptance_read(&s->stood, body, size); /* noted URLs are counted anew; forced ones may be lost count of */
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

bool salvage_meta(salvage *s)
{
  mdb_records_each_meta(s->p, read_meta, s);
  if (!s->has_identity || !s->has_progress)
    mdb_pages_each_stray(s->p, read_stray_meta, s);
  if (s->status == FRONTIER_OK && !s->has_identity)
    salvage_fail(s, FRONTIER_DAMAGED,
                 "nothing is left that says which filter and profile made it; it cannot be repaired");
  return s->status == FRONTIER_OK;
}

/* ---- URLs ----------------------------------------------------------------------------------------------- */

/* The place of a URL is still to be had, and its text is a URL, of this host. NULL: leave it. */
static host *claim(salvage *s, uint64_t sequence, const char *text, size_t size)
{
  if (sequence == 0 || (s->has_progress && sequence >= s->stood.next_sequence) ||
      (sequence < s->places.count && s->places.at[sequence]) || size == 0 ||
      url_parse(text, size, s->f->options.profile, s->u) != URL_OK)
    return NULL;
  host *who = hosts_find(s->f->hosts, s->u->fetch + s->u->host_begin, s->u->host_end - s->u->host_begin);
  if (!who || !byte_row_reach(&s->places, sequence))
    salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for one more host or URL");
  return s->status == FRONTIER_OK ? who : NULL;
}

static void count_ended(salvage *s, host *who, const ended_url *ended)
{
  progress *p = &s->stood;
  bool was_fetched = ended->state != FRONTIER_NOTED;
  who->done += ended->state == FRONTIER_DONE;
  who->failed += ended->state == FRONTIER_FAILED;
  who->skipped += ended->state == FRONTIER_SKIPPED;
  who->trap_ended += was_fetched && ended->class == FRONTIER_TRAP;
  p->done += ended->state == FRONTIER_DONE;
  p->failed += ended->state == FRONTIER_FAILED;
  p->skipped += ended->state == FRONTIER_SKIPPED;
  p->noted += !was_fetched;
}

static bool keep_ended(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  salvage *s = context;
  ended_url ended;
  host *who = history_read(body, size, &ended) && ended.state >= FRONTIER_DONE && ended.state <= FRONTIER_NOTED
                ? claim(s, sequence, (const char *)ended.url.bytes, ended.url.size)
                : NULL;
  if (!who || !salvage_begin_record(s))
    return s->status == FRONTIER_OK;
  s->places.at[sequence] = ENDED;
  s->done->kept++;
  count_ended(s, who, &ended);
  store_put(s->to, STORE_HISTORY, sequence, body, size);
  return true;
}

static bool put_waiting(salvage *s, entry *e, host *who)
{
  uint8_t *body = host_reserve(who, e->class) ? malloc(entry_size(e)) : NULL;
  if (!body)
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for one more URL");
  if (salvage_begin_record(s)) {
    s->places.at[e->sequence] = WAITING;
    s->done->kept++;
    host_line(who, e->class)->queued++;
    e->host = who;
    entry_write(e, body);
    store_put(s->to, queue_table(e->class), e->sequence, body, entry_size(e));
  }
  free(body);
  return s->status == FRONTIER_OK;
}

static bool keep_waiting(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  salvage *s = context;
  entry *e = NULL;
  if (entry_read(NULL, sequence, body, size, &e) == FRONTIER_NO_MEMORY)
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for one more URL");
  host *who = e ? claim(s, sequence, e->url, e->url_size) : NULL;
  if (who) {
    e->class = s->class;
    put_waiting(s, e, who);
  }
  free(e);
  return s->status == FRONTIER_OK;
}

static void forget_counts(host *who)
{
  who->done = who->failed = who->skipped = who->trap_ended = 0;
  for (int class = 0; class < FRONTIER_CLASSES; ++class)
    if (host_line(who, (frontier_class) class))
      host_line(who, (frontier_class) class)->queued = 0;
}

/* In their order, so that ids stay the same unless one is lost. What was set for them stays; counts are counted
 * anew. */
static bool keep_host(void *context, uint64_t id, const uint8_t *body, size_t size)
{
  salvage *s = context;
  (void)id;
  uint64_t next = hosts_count(s->f->hosts);
  frontier_status status = hosts_read(s->f->hosts, next, body, size);
  host *who = status == FRONTIER_OK ? hosts_at(s->f->hosts, (uint32_t)next) : NULL;
  if (who)
    forget_counts(who);
  return status != FRONTIER_NO_MEMORY || salvage_fail(s, status, "out of memory for one more host");
}

/* A host that is new since, or for which something was set. Else what was counted changed, and that is counted anew. */
static bool keep_change(void *context, const host_change *change)
{
  salvage *s = context;
  frontier_status status = FRONTIER_OK;
  host *who = NULL;
  if (change->record)
    status = hosts_read_either(s->f->hosts, change->record, change->record_size, &who);
  if (who)
    forget_counts(who);
  return status != FRONTIER_NO_MEMORY || salvage_fail(s, status, "out of memory for one more host");
}

static bool keep_changes(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  const salvage *s = context;
  (void)key;
  host_changes_each(body, size, keep_change, context);
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

/* ---- stray records -------------------------------------------------------------------------------------- */

static bool is_text(const void *text, size_t size)
{
  return size > 4 && memcmp(text, "http", 4) == 0;
}

static bool looks_ended(const uint8_t *body, size_t size)
{
  ended_url ended;
  return history_read(body, size, &ended) && ended.state >= FRONTIER_DONE && ended.state <= FRONTIER_NOTED &&
         is_text(ended.url.bytes, ended.url.size);
}

static bool looks_waiting(const uint8_t *body, size_t size)
{
  entry *e = NULL;
  bool is_one = entry_read(NULL, 1, body, size, &e) == FRONTIER_OK && is_text(e->url, e->url_size);
  free(e);
  return is_one;
}

static bool is_ended_row(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  (void)context;
  return sequence > 0 && looks_ended(body, size);
}

static bool is_waiting_row(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  (void)context, (void)sequence;
  return looks_waiting(body, size);
}

static bool keep_ended_pack(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  (void)key;
  mdb_urls_of_history(body, size, keep_ended, context);
  return true;
}

static bool keep_waiting_pack(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  mdb_urls_of_queue(key, body, size, keep_waiting, context);
  return true;
}

/* Tables are not named on their pages, but their records do not look alike: where the text of a URL begins. */
static store_visitor *reader_of(uint64_t key, const uint8_t *body, size_t size)
{
  uint64_t keys;
  if (mdb_urls_of_history(body, size, is_ended_row, NULL))
    return keep_ended_pack;
  if (mdb_urls_of_queue(key, body, size, is_waiting_row, NULL))
    return keep_waiting_pack;
  return size && seen_count_keys(body, size, &keys) ? keep_piece : NULL;
}

typedef struct stray_pass {
  salvage *s;
  store_visitor *wanted;
} stray_pass;

static void read_stray(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  const stray_pass *pass = context;
  uint64_t number = key_size == 8 ? get_le(key, 8) : 0;
  if (pass->s->status != FRONTIER_OK || key_size != 8 || !record_is_whole(number, value, size))
    return;
  store_visitor *reader = reader_of(number, value + RECORD_HEAD, size - RECORD_HEAD);
  if (!reader || reader != pass->wanted)
    return;
  uint64_t kept = pass->s->done->kept;
  reader(pass->s, number, value + RECORD_HEAD, size - RECORD_HEAD);
  pass->s->done->found_again += pass->s->done->kept - kept;
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
  salvage *s = context;
  uint8_t row[8];
  if (size < VISIT_DUE + 4 || sequence >= s->places.count || !s->places.at[sequence])
    return true;
  if (!salvage_begin_record(s))
    return false;
  store_put(s->to, STORE_VISITS, sequence, body, size);
  put_le(row, sequence, 8);
  if (s->places.at[sequence] == ENDED)
    store_put(s->to, STORE_DUE, get_le(body + VISIT_DUE, 4) << 32 | (uint32_t)sequence, row, sizeof row);
  return true;
}

/* Of which class a stray URL was is not known. */
static void keep_strays(salvage *s)
{
  static store_visitor *const kinds[] = {keep_ended_pack, keep_waiting_pack, keep_piece};
  s->class = FRONTIER_NORMAL;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && s->status == FRONTIER_OK; i++)
    mdb_pages_each_stray(s->p, read_stray, &(stray_pass){.s = s, .wanted = kinds[i]});
}

static void keep_urls(salvage *s, const row_places *rows)
{
  s->stood.done = s->stood.failed = s->stood.skipped = s->stood.noted = 0;
  mdb_records_each(s->p, "hosts", keep_host, s);
  mdb_records_each(s->p, "host-changes", keep_changes, s);
  mdb_urls_each(s->p, rows, STORE_HISTORY, keep_ended, s);
  for (int class = 0; class < FRONTIER_CLASSES; ++class) {
    s->class = (frontier_class) class;
    mdb_urls_each(s->p, rows, queue_table(s->class), keep_waiting, s);
  }
}

bool salvage_tables(salvage *s)
{
  row_places rows;
  if (!row_places_read(s->p, s->has_progress ? s->stood.next_sequence : 0, &rows))
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for two bytes for each URL");
  keep_urls(s, &rows);
  row_places_free(&rows);
  mdb_records_each(s->p, "hashes", keep_piece, s);
  mdb_records_each(s->p, "revoked", copy_tombstones, s);
  mdb_records_each(s->p, "visits", keep_visit, s);
  keep_strays(s);
  return s->status == FRONTIER_OK && salvage_commit(s);
}
