/* What became of hosts, in two tables: one value per commit, and records, a few per commit. host_changes.h draws the
 * rounds.
 *
 *     value    hosts in all (8)  changes (8)  MARK (1)  first key that stays (8)  records (8)  change, change, ...
 *     change   id  kind (1)      counts, or the size of a record and the record; each number has 7 bits a byte
 *
 * Always: the last change of a host, or its record if it has none, is what the last commit knew of it. A value is
 * deleted only after a whole round has followed it: each host in it has a later record by then. host_changes_put
 * changes nothing but the open transaction; the fields `first`, `begun`, `next` and `at` change in host_changes_settle,
 * once it is committed. So a commit that failed is simply tried again.
 *
 * Called under the handle's mutex as a batch is committed and as a directory is opened; check and salvage read single
 * values. After a crash: both tables are as of one commit. A handle that opens them begins a round at id 0, and all
 * values that are there stay until its end. */
#include "frontier/hosts/host_changes.h"

#include "frontier/base/limits.h"
#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <stdlib.h>

enum {
  CHANGES_AT = 8,
  MARK_AT = 16,
  FIRST_AT = 17,
  RECORDS_AT = 25,
  HEAD = 33,
  MARK = 0xff,     /* where a chunk of the hash log has the number of a key's segments: a stray value is none */
  NUMBER_MAX = 10, /* bytes of a number */
  ROW_MAX = 1 + 12 * NUMBER_MAX,
  /* Bytes of changes in a round. Open reads two rounds at most, 8 bytes a change; each round writes all records. */
  ROUND_MIN = FRONTIER_LIMIT(1 << 18, 200),
  ROUND_PER_HOST = 32,
  ROUNDS_MAX = 4, /* what crashes left of more than that goes with the next commit */
};
typedef enum kind { COUNTS, ALL_COUNTS, RECORD } kind;

void host_changes_free(host_changes *c)
{
  free(c->value);
}

/* ---- bytes ---------------------------------------------------------------------------------------------- */

/* Seven bits a byte, the lowest first; the last byte is below 128. */
static uint8_t *put_number(uint8_t *at, uint64_t number)
{
  for (; number >= 128; number >>= 7)
    *at++ = (uint8_t)(number | 128);
  *at++ = (uint8_t)number;
  return at;
}

/* The byte behind it; NULL: it does not end before `end`, or is too large. */
static const uint8_t *get_number(const uint8_t *at, const uint8_t *end, uint64_t *number)
{
  *number = 0;
  for (unsigned shift = 0; at && at < end && shift < 64; shift += 7) {
    *number |= (uint64_t)(*at & 127) << shift;
    if (*at++ < 128)
      return shift < 63 || at[-1] < 2 ? at : NULL;
  }
  return NULL;
}

static bool has_all(const host_counts *n)
{
  return n->queued[FRONTIER_HIGH] | n->queued[FRONTIER_LOW] | n->queued[FRONTIER_TRAP] | n->trap_ended | n->found |
         n->suspect;
}

static uint8_t *put_counts(uint8_t *at, const host_counts *n, bool all)
{
  at = put_number(at, n->queued[FRONTIER_NORMAL]);
  at = put_number(at, n->done);
  at = put_number(at, n->failed);
  at = put_number(at, n->skipped);
  if (!all)
    return at;
  for (int class = 1; class < FRONTIER_CLASSES; ++class)
    at = put_number(at, n->queued[class]);
  at = put_number(at, n->trap_ended);
  at = put_number(at, n->found);
  return put_number(at, n->suspect);
}

static const uint8_t *get_counts(const uint8_t *at, const uint8_t *end, host_counts *n, bool all)
{
  uint64_t found = 0, suspect = 0;
  *n = (host_counts){0};
  at = get_number(at, end, &n->queued[FRONTIER_NORMAL]);
  at = get_number(at, end, &n->done);
  at = get_number(at, end, &n->failed);
  at = get_number(at, end, &n->skipped);
  if (!all)
    return at;
  for (int class = 1; class < FRONTIER_CLASSES; ++class)
    at = get_number(at, end, &n->queued[class]);
  at = get_number(at, end, &n->trap_ended);
  at = get_number(at, end, &found);
  at = get_number(at, end, &suspect);
  n->found = (uint32_t)found;
  n->suspect = (uint32_t)suspect;
  return found > UINT32_MAX || suspect > UINT32_MAX ? NULL : at;
}

/* ---- one change ----------------------------------------------------------------------------------------- */

static bool make_room(host_changes *c, size_t size)
{
  return HAS_ROOM(c->value, c->value_room, c->value_size + size);
}

/* The picture in host_changes.h. */
static void assert_host_changes(const host_changes *c, const hosts *h)
{
  assert(c->first <= c->begun && c->begun <= c->next);
  assert(c->size_begun <= c->size && (c->size || c->first == c->next));
  assert(c->at <= h->count && c->known <= h->count && c->records <= h->count);
  assert(c->value_size <= c->value_room);
  (void)c, (void)h;
}

/* Of a host that is new, or for which something was set, its whole record. */
static bool put_change(host_changes *c, const host *who)
{
  uint8_t record[HOST_HEAD_2 + URL_LENGTH_MAX];
  bool is_whole = who->id >= c->known || who->control;
  size_t size = is_whole ? host_write(who, record) : 0;
  if (!make_room(c, ROW_MAX + size))
    return false;
  host_counts counts = host_counts_of(who);
  uint8_t *at = put_number(c->value + c->value_size, who->id);
  *at++ = is_whole ? RECORD : has_all(&counts) ? ALL_COUNTS : COUNTS;
  at = is_whole ? put_number(at, size) : put_counts(at, &counts, has_all(&counts));
  memcpy(at, record, size);
  c->value_size = (size_t)(at + size - c->value);
  assert(c->value_size <= c->value_room);
  return true;
}

static const uint8_t *get_change(const uint8_t *at, const uint8_t *end, host_change *change)
{
  uint64_t size;
  at = get_number(at, end, &change->id);
  if (!at || at == end || *at > RECORD)
    return NULL;
  bool is_whole = *at == RECORD, all = *at == ALL_COUNTS;
  change->record = NULL;
  if (!is_whole)
    return get_counts(at + 1, end, &change->counts, all);
  at = get_number(at + 1, end, &size);
  if (!at || size > (uint64_t)(end - at))
    return NULL;
  change->record = at;
  change->record_size = (size_t)size;
  return at + size;
}

bool host_changes_each(const uint8_t *body, size_t size, host_change_visitor *visit, void *context)
{
  if (size < HEAD || body[MARK_AT] != MARK)
    return false;
  const uint8_t *at = body + HEAD, *end = body + size;
  uint64_t changes = get_le(body + CHANGES_AT, 8);
  for (host_change change; changes && (at = get_change(at, end, &change)); changes--)
    if (!visit(context, &change))
      return true;
  return at == end && changes == 0;
}

bool host_changes_agree(const uint8_t *body, uint64_t first, uint64_t records, uint64_t all)
{
  return get_le(body, 8) == all && get_le(body + FIRST_AT, 8) == first && get_le(body + RECORDS_AT, 8) == records;
}

frontier_status host_change_apply(hosts *h, host *who, const host_change *change)
{
  if (change->record)
    return hosts_read_again(h, who, change->record, change->record_size);
  return host_set_counts(h, who, &change->counts) ? FRONTIER_OK : FRONTIER_NO_MEMORY;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static bool gather(host_changes *c, const hosts *h)
{
  const host *who;
  c->value_size = 0;
  if (!make_room(c, HEAD))
    return false;
  c->value_size = HEAD;
  for (size_t i = 0; (who = hosts_dirty(h, i)); i++)
    if (!put_change(c, who))
      return false;
  return true;
}

/* Where the round is after so many bytes of changes more. */
static uint32_t round_end(const host_changes *c, const hosts *h)
{
  uint64_t round = ROUND_PER_HOST * (uint64_t)h->count, left = h->count - c->at;
  round = round > ROUND_MIN ? round : ROUND_MIN;
  uint64_t share = c->size > ROUNDS_MAX * round ? left : h->count * c->value_size / round + 1;
  assert(c->at <= h->count);
  return c->at + (uint32_t)(share < left ? share : left);
}

/* What is in both tables once this is. */
static void put_head(const host_changes *c, const hosts *h)
{
  put_le(c->value, h->count, 8);
  put_le(c->value + CHANGES_AT, h->dirty_count, 8);
  c->value[MARK_AT] = MARK;
  put_le(c->value + FIRST_AT, c->end == h->count ? c->begun : c->first, 8);
  put_le(c->value + RECORDS_AT, c->end > c->records ? c->end : c->records, 8);
}

void host_changes_put(host_changes *c, const hosts *h, store *s)
{
  uint8_t record[HOST_HEAD_2 + URL_LENGTH_MAX];
  assert_host_changes(c, h);
  c->value_size = 0;
  c->end = c->at;
  if (h->dirty_count == 0)
    return;
  if (!gather(c, h)) {
    store_fail(s);
    return;
  }
  c->end = round_end(c, h);
  put_head(c, h);
  store_append(s, STORE_HOST_CHANGES, c->next, c->value, c->value_size);
  for (uint32_t id = c->at; id < c->end; id++) {
    const host *who = hosts_at(h, id);
    if (who->is_dirty || who->is_behind)
      store_put(s, STORE_HOSTS, id, record, host_write(who, record));
  }
  for (uint64_t key = c->first; c->end == h->count && key < c->begun; key++)
    store_delete(s, STORE_HOST_CHANGES, key);
}

static void begin_round(host_changes *c)
{
  c->first = c->begun;
  c->size -= c->size_begun;
  c->begun = c->next;
  c->size_begun = c->size;
  c->at = 0;
}

void host_changes_settle(host_changes *c, hosts *h)
{
  host *who;
  assert(c->at <= c->end && c->end <= h->count);
  for (size_t i = 0; (who = hosts_dirty(h, i)); i++)
    who->is_behind = true;
  for (; c->at < c->end; c->at++)
    hosts_at(h, c->at)->is_behind = false;
  hosts_clean(h);
  c->known = h->count;
  c->records = c->at > c->records ? c->at : c->records;
  if (c->value_size == 0)
    return;
  c->next++;
  c->size += c->value_size;
  if (c->at == h->count)
    begin_round(c);
  assert_host_changes(c, h);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

typedef struct loading {
  host_changes *changes;
  hosts *hosts;
  uint64_t records; /* in table hosts */
  bool agrees;      /* the last value, with what is there */
  frontier_status status;
} loading;

static bool load_host(void *context, uint64_t id, const uint8_t *body, size_t size)
{
  loading *l = context;
  l->status = hosts_read(l->hosts, id, body, size);
  return l->status == FRONTIER_OK;
}

static bool load_change(void *context, const host_change *change)
{
  loading *l = context;
  host *who = change->id < l->hosts->count ? hosts_at(l->hosts, (uint32_t)change->id) : NULL;
  if (who)
    l->status = host_change_apply(l->hosts, who, change);
  else if (change->record)
    l->status = hosts_read(l->hosts, change->id, change->record, change->record_size);
  else
    l->status = FRONTIER_DAMAGED;
  if (l->status == FRONTIER_OK)
    hosts_at(l->hosts, (uint32_t)change->id)->is_behind = true;
  return l->status == FRONTIER_OK;
}

static bool load_value(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  loading *l = context;
  host_changes *c = l->changes;
  if (l->status != FRONTIER_OK)
    return false;
  if (c->size == 0) {
    c->first = c->next = key;
    l->records = l->hosts->count;
  }
  bool is_whole = host_changes_each(body, size, load_change, l);
  if (l->status == FRONTIER_OK && (key != c->next || !is_whole))
    l->status = FRONTIER_DAMAGED;
  l->agrees = is_whole && host_changes_agree(body, c->first, l->records, l->hosts->count);
  c->next = key + 1;
  c->size += size;
  return l->status == FRONTIER_OK;
}

frontier_status host_changes_load(host_changes *c, hosts *h, store *s, bool *of_store)
{
  loading l = {.changes = c, .hosts = h, .agrees = true};
  const store_part parts[] = {{STORE_HOSTS, 0, load_host}, {STORE_HOST_CHANGES, 0, load_value}};
  frontier_status status = store_each_of(s, parts, 2, &l);
  *of_store = status != FRONTIER_OK;
  c->begun = c->next;
  c->size_begun = c->size;
  c->known = h->count;
  c->records = c->size ? l.records : h->count;
  if (status != FRONTIER_OK)
    return status;
  return l.status == FRONTIER_OK && !l.agrees ? FRONTIER_DAMAGED : l.status;
}
