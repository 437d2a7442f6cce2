/* Every URL is in one place, belongs to a host that counts it, and is known to the filters. */
#include "frontier/admin/check.h"

#include "frontier/hosts/history.h"
#include "frontier/base/record.h"
#include "frontier/base/vector.h"
#include "frontier/admin/mdb_urls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct url_walk {
  check *c;
  const char *table;
  frontier_class class; /* of the URLs that wait in it */
  uint8_t *places;      /* by sequence: how many records it has; NULL: no progress to compare with */
  uint64_t sequences;   /* it has this many */
  hosts *counted;       /* by the URLs; those in check.f are by the host table */
  host **recorded;      /* of those, the host of each record; NULL: the record says none */
  size_t host_count, host_room;
  uint64_t first_change, next_change; /* keys of host-changes, the second behind those read; 0: none was */
  uint64_t records;                   /* of table hosts alone */
  bool changes_agree;                 /* the last of them, with both tables */
  uint64_t done, failed, skipped, noted, beyond;
} url_walk;

/* ---- hosts ---------------------------------------------------------------------------------------------- */

static bool note_host(url_walk *w, uint64_t id, host *who)
{
  size_t before = w->host_room;
  if (!HAS_ROOM(w->recorded, w->host_room, (size_t)id + 1)) {
    check_fail(w->c, FRONTIER_NO_MEMORY, "out of memory for one more host");
    return false;
  }
  memset(w->recorded + before, 0, (w->host_room - before) * sizeof(host *));
  w->recorded[id] = who;
  w->host_count = (size_t)id + 1;
  return true;
}

static bool read_host(void *context, uint64_t id, const uint8_t *body, size_t size)
{
  url_walk *w = context;
  hosts *said = w->c->f->hosts;
  uint64_t next = hosts_count(said);
  if (id > w->host_count)
    check_say(w->c, IN_DATA, "hosts %zu to %" PRIu64 ": there is no record of them", w->host_count, id - 1);
  frontier_status status = id < UINT32_MAX ? hosts_read(said, next, body, size) : FRONTIER_DAMAGED;
  if (status == FRONTIER_NO_MEMORY) {
    check_fail(w->c, status, "out of memory for one more host");
    return false;
  }
  if (status != FRONTIER_OK)
    check_say(w->c, IN_DATA, "host %" PRIu64 ": its record makes no sense, or its name is another's", id);
  w->c->found->hosts += status == FRONTIER_OK;
  return id >= UINT32_MAX || note_host(w, id, status == FRONTIER_OK ? hosts_at(said, (uint32_t)next) : NULL);
}

/* What became of it since; one that is new since has its record there. */
static bool read_change(void *context, const host_change *change)
{
  url_walk *w = context;
  host *who = change->id < w->host_count ? w->recorded[change->id] : NULL;
  if (change->id >= w->host_count && change->record)
    return read_host(w, change->id, change->record, change->record_size);
  frontier_status status = who ? host_change_apply(w->c->f->hosts, who, change) : FRONTIER_OK;
  if (status == FRONTIER_NO_MEMORY)
    check_fail(w->c, status, "out of memory for one more host");
  else if (status != FRONTIER_OK || change->id >= w->host_count)
    check_say(w->c, IN_DATA, "host %" PRIu64 ": what table host-changes says of it makes no sense", change->id);
  return status != FRONTIER_NO_MEMORY;
}

static bool read_changes(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  url_walk *w = context;
  if (!w->next_change) {
    w->first_change = key;
    w->records = w->host_count;
  } else if (key != w->next_change) {
    check_say(w->c, IN_DATA, "host-changes: %" PRIu64 " are missing before number %" PRIu64, key - w->next_change, key);
  }
  bool is_whole = host_changes_each(body, size, read_change, w);
  if (!is_whole && w->c->status == FRONTIER_OK)
    check_say(w->c, IN_DATA, "host-changes, number %" PRIu64 ": it makes no sense", key);
  w->changes_agree = is_whole && host_changes_agree(body, w->first_change, w->records, w->host_count);
  w->next_change = key + 1;
  return w->c->status == FRONTIER_OK;
}

static uint64_t queued_of(const host *who, frontier_class class)
{
  const line *l = host_line(who, class);
  return l ? l->queued : 0;
}

static bool counts_agree(const host *said, const host *is)
{
  for (int class = 0; class < FRONTIER_CLASSES; ++class)
    if (queued_of(said, (frontier_class) class) != (is ? queued_of(is, (frontier_class) class) : 0))
      return false;
  return said->done == (is ? is->done : 0) && said->failed == (is ? is->failed : 0) &&
         said->skipped == (is ? is->skipped : 0) && said->trap_ended == (is ? is->trap_ended : 0);
}

static void check_hosts(url_walk *w)
{
  char text[RECORDS_QUOTE_SIZE];
  if (w->next_change && !w->changes_agree)
    check_say(w->c, IN_DATA, "host-changes: its last value tells of other hosts and changes than there are");
  const host *who;
  for (uint32_t id = 0; (who = hosts_at(w->c->f->hosts, id)); id++) {
    const host *is = hosts_look(w->counted, who->name, who->name_size);
    if (!counts_agree(who, is))
      check_say(w->c, IN_DATA,
                "host %s: it counts %" PRIu64 " URLs waiting and %" PRIu64 " ended, and has %" PRIu64 " and %" PRIu64
                ", or not so many of each kind",
                mdb_records_quote(who->name, who->name_size, text), host_queued(who),
                who->done + who->failed + who->skipped, is ? host_queued(is) : 0,
                is ? is->done + is->failed + is->skipped : 0);
  }
  for (uint32_t id = 0; (who = hosts_at(w->counted, id)); id++)
    if (!hosts_look(w->c->f->hosts, who->name, who->name_size))
      check_say(w->c, IN_DATA, "URLs of %s: the host has no record",
                mdb_records_quote(who->name, who->name_size, text));
}

/* ---- one URL -------------------------------------------------------------------------------------------- */

static void count_place(url_walk *w, uint64_t sequence)
{
  w->c->found->urls++;
  if (sequence == 0 || sequence > w->sequences)
    w->beyond++;
  else if (w->places && w->places[sequence]++)
    check_say(w->c, IN_DATA, "URL %" PRIu64 ": it is in table %s, and in another place too", sequence, w->table);
}

/* The host of the URL, which is thereby known to be one; NULL after saying so. */
static host *host_of(url_walk *w, uint64_t sequence, const char *text, size_t size)
{
  url *u = w->c->u;
  char shown[RECORDS_QUOTE_SIZE];
  if (size == 0 || url_parse(text, size, w->c->f->options.profile, u) != URL_OK) {
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table %s: %s is none", sequence, w->table,
              mdb_records_quote(text, size, shown));
    return NULL;
  }
  host *who = hosts_find(w->counted, u->fetch + u->host_begin, u->host_end - u->host_begin);
  if (!who)
    check_fail(w->c, FRONTIER_NO_MEMORY, "out of memory for one more host");
  return who;
}

/* The filter has no false negative: not the file's, nor the one the log makes. A key that is erased neither has to
 * know. */
static void check_known(url_walk *w, uint64_t sequence, const url *u, field key)
{
  char shown[RECORDS_QUOTE_SIZE];
  mlbf_hash128 hash;
  const mlbf_hash128 *own = field_hash(key, &hash) ? &hash : NULL;
  if (w->c->from_log && !check_is_known(w->c->from_log, u, own) && !check_is_erased(w->c, own))
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", %s: the hash log does not have it", sequence,
              mdb_records_quote(u->fetch, u->fetch_size, shown));
  if (w->c->from_file && !check_is_known(w->c->from_file, u, own) && !check_is_forgotten(w->c, own) &&
      !check_is_erased(w->c, own))
    check_say(w->c, IN_FILTER, "URL %" PRIu64 ", %s: the filter file seen.%u does not know it", sequence,
              mdb_records_quote(u->fetch, u->fetch_size, shown), w->c->stood.checkpoint_slot);
}

static void count_ended(url_walk *w, host *who, const ended_url *ended)
{
  bool was_fetched = ended->state != FRONTIER_NOTED;
  w->done += ended->state == FRONTIER_DONE;
  w->failed += ended->state == FRONTIER_FAILED;
  w->skipped += ended->state == FRONTIER_SKIPPED;
  w->noted += !was_fetched;
  who->done += ended->state == FRONTIER_DONE;
  who->failed += ended->state == FRONTIER_FAILED;
  who->skipped += ended->state == FRONTIER_SKIPPED;
  who->trap_ended += was_fetched && ended->class == FRONTIER_TRAP;
}

static bool read_ended(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  url_walk *w = context;
  ended_url ended;
  count_place(w, sequence);
  if (!history_read(body, size, &ended) || ended.state < FRONTIER_DONE || ended.state > FRONTIER_NOTED) {
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table ended: its record makes no sense", sequence);
    return true;
  }
  host *who = host_of(w, sequence, (const char *)ended.url.bytes, ended.url.size);
  if (!who)
    return w->c->status == FRONTIER_OK;
  check_known(w, sequence, w->c->u, ended.key);
  count_ended(w, who, &ended);
  return true;
}

static void check_waiting(url_walk *w, uint64_t sequence, const entry *e, uint64_t id)
{
  host *who = host_of(w, sequence, e->url, e->url_size);
  if (!who)
    return;
  check_known(w, sequence, w->c->u, entry_field(e, FIELD_KEY));
  const host *said = id < w->host_count ? w->recorded[id] : NULL;
  if (!said || said->name_size != who->name_size || memcmp(said->name, who->name, who->name_size) != 0)
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table %s: host %" PRIu64 " is not its host", sequence, w->table, id);
  if (host_reserve(who, w->class))
    host_line(who, w->class)->queued++;
  else
    check_fail(w->c, FRONTIER_NO_MEMORY, "out of memory for one more host");
}

static bool read_queued(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  url_walk *w = context;
  entry *e = NULL;
  frontier_status status = entry_read(NULL, sequence, body, size, &e);
  count_place(w, sequence);
  if (status == FRONTIER_NO_MEMORY)
    check_fail(w->c, status, "out of memory for one more URL");
  else if (status != FRONTIER_OK)
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table %s: its record makes no sense", sequence, w->table);
  if (e)
    check_waiting(w, sequence, e, get_le(body, 4));
  free(e);
  return w->c->status == FRONTIER_OK;
}

/* ---- all ------------------------------------------------------------------------------------------------ */

/* Those that are not here are on record: lost, and given up by a repair, or of another crawl. */
static void excuse_absent(url_walk *w)
{
  const check *c = w->c;
  for (size_t at = 0; at + 16 <= c->absent_size; at += 16) {
    uint64_t first = get_le(c->absent + at, 8), count = get_le(c->absent + at + 8, 8);
    for (uint64_t i = first; i - first < count && i <= w->sequences; i++)
      w->places[i] |= 1;
  }
}

static void check_places(url_walk *w)
{
  excuse_absent(w);
  for (uint64_t i = 1; i <= w->sequences; i++) {
    uint64_t first = i;
    while (i <= w->sequences && !w->places[i])
      i++;
    if (i > first)
      check_say(w->c, IN_DATA, "URLs %" PRIu64 " to %" PRIu64 ": they are nowhere", first, i - 1);
  }
  if (w->beyond)
    check_say(w->c, IN_DATA, "%" PRIu64 " URLs have a number that was never given", w->beyond);
  const progress *p = &w->c->stood;
  if (w->noted != p->noted)
    check_say(w->c, IN_DATA, "the history has %" PRIu64 " URLs noted, not %" PRIu64, w->noted, p->noted);
  if (w->done != p->done || w->failed != p->failed || w->skipped != p->skipped)
    check_say(w->c, IN_DATA,
              "the history has %" PRIu64 " URLs done, %" PRIu64 " failed and %" PRIu64 " skipped, not %" PRIu64
              ", %" PRIu64 " and %" PRIu64,
              w->done, w->failed, w->skipped, p->done, p->failed, p->skipped);
}

static void read_tables(url_walk *w, const row_places *rows)
{
  mdb_records_each(w->c->p, store_table_name(STORE_HOSTS), read_host, w);
  mdb_records_each(w->c->p, store_table_name(STORE_HOST_CHANGES), read_changes, w);
  w->table = store_table_name(STORE_HISTORY);
  mdb_urls_each(w->c->p, rows, STORE_HISTORY, read_ended, w);
  for (int class = 0; class < FRONTIER_CLASSES; ++class) {
    w->class = (frontier_class) class;
    w->table = store_table_name(queue_table(w->class));
    mdb_urls_each(w->c->p, rows, queue_table(w->class), read_queued, w);
  }
}

void check_urls(check *c)
{
  url_walk w = {.c = c,
                .counted = hosts_create(0, 1, secret_hasher(c->f)),
                .sequences = c->has_progress ? c->stood.next_sequence - 1 : UINT64_MAX};
  if (c->has_progress && w.sequences < SIZE_MAX - 1)
    w.places = calloc((size_t)w.sequences + 1, 1);
  row_places rows = {0};
  if (!w.counted || (c->has_progress && !w.places) || (c->has_progress && !row_places_read(c->p, w.sequences, &rows)))
    check_fail(c, FRONTIER_NO_MEMORY, "out of memory for three bytes for each URL");
  else
    read_tables(&w, &rows);
  if (c->status == FRONTIER_OK)
    check_hosts(&w);
  if (c->status == FRONTIER_OK && w.places)
    check_places(&w);
  row_places_free(&rows);
  hosts_free(w.counted);
  free(w.recorded);
  free(w.places);
}
