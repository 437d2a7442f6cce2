/* Every URL has one row in table `text`, belongs to a host that counts it, and is known to the filters. What became of
 * it is in `ended` and `states`, and the newer row of one that waits again in `again`. */
#include "frontier/admin/check.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"
#include "frontier/core/revisit_info.h"
#include "frontier/admin/mdb_urls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Of each URL: its state, as table `states` packs it, and above that what was met of it. */
enum { HAS_ROW = 1 << 24, HAS_AGAIN = 1 << 25, HAS_VISIT = 1 << 26, IS_ABSENT = 1 << 27 };

typedef struct url_walk {
  check *c;
  uint32_t *urls;      /* by sequence; NULL: no progress to compare with */
  uint64_t sequences;  /* it has this many */
  uint64_t next_ended; /* number of the row of `ended` behind those read; 0: none was */
  hosts *counted;      /* by the URLs; those in check.f are by the host table */
  host **recorded;     /* of those, the host of each record; NULL: the record says none */
  size_t host_count, host_room;
  uint64_t first_change, next_change; /* keys of host-changes, the second behind those read; 0: none was */
  uint64_t records;                   /* of table hosts alone */
  bool changes_agree;                 /* the last of them, with both tables */
  uint64_t done, failed, skipped, noted, beyond, dues;
  uint64_t ordered; /* rows that wait, with a priority or a time */
  char text[URL_LENGTH_MAX + 1];
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

/* ---- what became of them ------------------------------------------------------------------------------------ */

static bool is_given(url_walk *w, uint64_t sequence)
{
  bool is_so = sequence > 0 && sequence <= w->sequences;
  w->beyond += !is_so;
  return is_so;
}

static void set_state(url_walk *w, uint64_t sequence, url_state state, const char *table)
{
  if (state.what >= URL_STATES)
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table %s: there is no state %u", sequence, table, (unsigned)state.what);
  else if (is_given(w, sequence) && w->urls)
    w->urls[sequence] = url_state_pack(state);
}

static void read_states(void *context, uint64_t first, const url_state states[STATES_BLOCK])
{
  for (unsigned i = 0; i < STATES_BLOCK; i++)
    if (states[i].what != URL_WAITS)
      set_state(context, first + i, states[i], "states");
}

static bool read_ended(void *context, rows_block *b)
{
  url_walk *w = context;
  size_t size;
  if (w->next_ended && b->first != w->next_ended)
    check_say(w->c, IN_DATA, "rows %" PRIu64 " to %" PRIu64 " of table ended are missing", w->next_ended, b->first - 1);
  for (const uint8_t *row; (row = rows_next(b, &size));) {
    uint64_t ended = get_le(row, ENDED_ROW);
    set_state(w, url_ended_sequence(ended), url_ended_state(ended), "ended");
  }
  w->next_ended = b->first + b->count;
  return true;
}

/* ---- one URL -------------------------------------------------------------------------------------------- */

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

/* The text is a URL, and of this host, which the row may name. */
static bool is_sound(url_walk *w, uint64_t sequence, const url_row *row, const host *said, const char *table)
{
  url *u = w->c->u;
  char shown[RECORDS_QUOTE_SIZE];
  size_t size = url_row_url(row, said->name, said->name_size, w->text);
  if (!fields_are_whole(row->fields, row->fields_size)) {
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table %s: its fields make no sense", sequence, table);
    return false;
  }
  bool is_opaque = url_row_is_opaque(row, field_find(row->fields, row->fields_size, FIELD_KEY).bytes, said->name);
  if (size == 0 || (!is_opaque && url_parse(w->text, size, w->c->f->options.profile, u) != URL_OK)) {
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table %s: %s is not a URL", sequence, table,
              mdb_records_quote(w->text, size, shown));
    return false;
  }
  if (is_opaque) { /* for what is said about it */
    u->fetch = w->text;
    u->fetch_size = (uint32_t)size;
  }
  bool is_of_host = row->form >= URL_FORM_WHOLE || (u->host_end - u->host_begin == said->name_size &&
                                                    memcmp(u->fetch + u->host_begin, said->name, said->name_size) == 0);
  bool is_named = !row->host_name ||
                  (row->host_name_size == said->name_size && memcmp(row->host_name, said->name, said->name_size) == 0);
  if (!is_of_host || !is_named)
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table %s: host %" PRIu32 " is not its host", sequence, table, row->host);
  return is_of_host && is_named;
}

/* The host as its URLs count it; NULL after saying why there is none. */
static host *host_of(url_walk *w, uint64_t sequence, const url_row *row, const char *table)
{
  const host *said = row->host < w->host_count ? w->recorded[row->host] : NULL;
  char shown[RECORDS_QUOTE_SIZE];
  if (!said && row->host_name)
    check_say(w->c, IN_DATA, "URLs of %s: the host has no record",
              mdb_records_quote(row->host_name, row->host_name_size, shown));
  else if (!said)
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table %s: its host, %" PRIu32 ", has no record", sequence, table,
              row->host);
  if (!said || !is_sound(w, sequence, row, said, table))
    return NULL;
  host *who = hosts_find(w->counted, said->name, said->name_size);
  if (!who)
    check_fail(w->c, FRONTIER_NO_MEMORY, "out of memory for one more host");
  return who;
}

static void count_ended(url_walk *w, host *who, url_state state)
{
  bool was_fetched = state.what != FRONTIER_NOTED;
  w->done += state.what == FRONTIER_DONE;
  w->failed += state.what == FRONTIER_FAILED;
  w->skipped += state.what == FRONTIER_SKIPPED;
  w->noted += !was_fetched;
  who->done += state.what == FRONTIER_DONE;
  who->failed += state.what == FRONTIER_FAILED;
  who->skipped += state.what == FRONTIER_SKIPPED;
  who->trap_ended += was_fetched && state.was_trap;
}

static void count_waiting(url_walk *w, host *who, const url_row *row)
{
  w->ordered += is_ordered(field_order((field){row->fields, row->fields_size}));
  if (host_reserve(who, row->class))
    host_line(who, row->class)->queued++;
  else
    check_fail(w->c, FRONTIER_NO_MEMORY, "out of memory for one more host");
}

static void read_row(url_walk *w, uint64_t sequence, const uint8_t *bytes, size_t size)
{
  url_row row;
  w->c->found->urls++;
  if (!url_row_read(&row, sequence, bytes, size)) {
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table text: its row makes no sense", sequence);
    return;
  }
  bool is_numbered = is_given(w, sequence);
  url_state state = {0};
  if (is_numbered && w->urls) {
    if (w->urls[sequence] & HAS_ROW)
      check_say(w->c, IN_DATA, "URL %" PRIu64 ": it is in table text twice", sequence);
    w->urls[sequence] |= HAS_ROW;
    state = url_state_unpack(w->urls[sequence]);
  }
  host *who = host_of(w, sequence, &row, "text");
  if (!who)
    return;
  check_known(w, sequence, w->c->u, field_find(row.fields, row.fields_size, FIELD_KEY));
  if (row.is_noted != (state.what == FRONTIER_NOTED))
    check_say(w->c, IN_DATA, "URL %" PRIu64 ": it was %snoted, and its state says otherwise", sequence,
              row.is_noted ? "" : "not ");
  if (url_state_is_ended(state))
    count_ended(w, who, state);
  else if (state.what == URL_WAITS)
    count_waiting(w, who, &row);
}

static bool read_block(void *context, rows_block *b)
{
  url_walk *w = context;
  size_t size, read = 0;
  for (const uint8_t *row; w->c->status == FRONTIER_OK && (row = rows_next(b, &size)); read++)
    read_row(w, b->first + read, row, size);
  if (read < b->count && w->c->status == FRONTIER_OK)
    check_say(w->c, IN_DATA, "rows %" PRIu64 " to %" PRIu64 " of table text make no sense", b->first + read,
              b->first + b->count - 1);
  return w->c->status == FRONTIER_OK;
}

/* ---- those that wait again ---------------------------------------------------------------------------------- */

static bool read_again(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  url_walk *w = context;
  url_row row;
  bool is_numbered = is_given(w, sequence);
  if (!url_row_read(&row, sequence, body, size)) {
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table again: its record makes no sense", sequence);
    return true;
  }
  if (is_numbered && w->urls) {
    if (url_state_unpack(w->urls[sequence]).what != URL_WAITS_AGAIN)
      check_say(w->c, IN_DATA, "URL %" PRIu64 ": it is in table again, and does not wait again", sequence);
    w->urls[sequence] |= HAS_AGAIN;
  }
  host *who = host_of(w, sequence, &row, "again");
  if (who)
    count_waiting(w, who, &row);
  return w->c->status == FRONTIER_OK;
}

/* ---- visits ------------------------------------------------------------------------------------------------- */

static url_state state_of(const url_walk *w, uint64_t sequence)
{
  return url_state_unpack(w->urls[sequence]);
}

static bool read_visit(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  url_walk *w = context;
  seen_visit v;
  if (!visits_read(sequence, body, size, &v)) {
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table visits: its record makes no sense", sequence);
    return true;
  }
  if (!is_given(w, sequence) || !w->urls)
    return true;
  w->urls[sequence] |= HAS_VISIT;
  w->dues += !v.is_queued && v.due_s;
  if (!v.is_queued && !url_state_is_ended(state_of(w, sequence)))
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table visits: it rests, and waits too", sequence);
  return true;
}

static bool read_due(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  url_walk *w = context;
  uint64_t sequence = size == 8 ? get_le(body, 8) : 0;
  bool is_one = sequence && sequence <= w->sequences && (uint32_t)sequence == (uint32_t)key;
  if (!is_one)
    check_say(w->c, IN_DATA, "data.mdb: record %" PRIu64 " of table due makes no sense", key);
  else if (w->urls && !(w->urls[sequence] & HAS_VISIT))
    check_say(w->c, IN_DATA, "URL %" PRIu64 ": it is in table due, and was never visited", sequence);
  w->dues -= is_one;
  return true;
}

/* ---- all ------------------------------------------------------------------------------------------------ */

/* Those that are not here are on record: lost, and given up by a repair, or of another crawl. */
static void excuse_absent(url_walk *w)
{
  const check *c = w->c;
  for (size_t at = 0; at + 16 <= c->absent_size; at += 16) {
    uint64_t first = get_le(c->absent + at, 8), count = get_le(c->absent + at + 8, 8);
    for (uint64_t i = first; i - first < count && i <= w->sequences; i++)
      w->urls[i] |= IS_ABSENT;
  }
}

static void check_rows(url_walk *w)
{
  excuse_absent(w);
  for (uint64_t i = 1; i <= w->sequences; i++) {
    uint64_t first = i;
    while (i <= w->sequences && !(w->urls[i] & (HAS_ROW | IS_ABSENT)))
      i++;
    if (i > first)
      check_say(w->c, IN_DATA, "URLs %" PRIu64 " to %" PRIu64 ": they are nowhere", first, i - 1);
  }
  for (uint64_t i = 1; i <= w->sequences; i++)
    if (state_of(w, i).what == URL_WAITS_AGAIN && !(w->urls[i] & HAS_AGAIN))
      check_say(w->c, IN_DATA, "URL %" PRIu64 ": it waits again, and is not in table again", i);
}

static void check_numbers(url_walk *w)
{
  const progress *p = &w->c->stood;
  if (w->beyond)
    check_say(w->c, IN_DATA, "%" PRIu64 " records are of URLs with a number that was never given", w->beyond);
  if (w->dues)
    check_say(w->c, IN_DATA, "tables visits and due do not agree on which URLs rest");
  if (w->ordered && !w->c->has_ordered_mark)
    check_say(w->c, IN_DATA,
              "%" PRIu64 " URLs that wait have a priority or a time, and the record \"" ORDERED_MARK
              "\" that says so is missing",
              w->ordered);
  if (w->noted != p->noted)
    check_say(w->c, IN_DATA, "%" PRIu64 " URLs are noted, not %" PRIu64, w->noted, p->noted);
  if (w->done != p->done || w->failed != p->failed || w->skipped != p->skipped)
    check_say(w->c, IN_DATA,
              "%" PRIu64 " URLs are done, %" PRIu64 " failed and %" PRIu64 " skipped, not %" PRIu64 ", %" PRIu64
              " and %" PRIu64,
              w->done, w->failed, w->skipped, p->done, p->failed, p->skipped);
}

/* States first: a URL is counted by them as its row is read. */
static void read_tables(url_walk *w)
{
  pages *p = w->c->p;
  uint64_t id = mdb_urls_id(w->c->f);
  mdb_records_each(p, store_table_name(STORE_HOSTS), read_host, w);
  mdb_records_each(p, store_table_name(STORE_HOST_CHANGES), read_changes, w);
  mdb_urls_each_states(p, id, read_states, NULL, w);
  mdb_urls_each_block(p, STORE_ENDED, ROWS_ENDED, id, read_ended, w);
  mdb_urls_each_block(p, STORE_TEXT, ROWS_TEXT, id, read_block, w);
  mdb_records_each(p, store_table_name(STORE_AGAIN), read_again, w);
  mdb_records_each(p, store_table_name(STORE_VISITS), read_visit, w);
  mdb_records_each(p, store_table_name(STORE_DUE), read_due, w);
}

static void check_all(url_walk *w)
{
  check *c = w->c;
  read_tables(w);
  if (c->status == FRONTIER_OK)
    check_hosts(w);
  if (c->status == FRONTIER_OK && w->urls) {
    check_rows(w);
    check_numbers(w);
  }
}

void check_urls(check *c)
{
  url_walk *w = calloc(1, sizeof *w);
  if (w) {
    w->c = c;
    w->counted = hosts_create(0, 1, secret_hasher(c->f));
    w->sequences = c->has_progress ? c->stood.next_sequence - 1 : UINT64_MAX;
    if (c->has_progress && w->sequences < SIZE_MAX / sizeof *w->urls - 1)
      w->urls = calloc((size_t)w->sequences + 1, sizeof *w->urls);
  }
  if (!w || !w->counted || (c->has_progress && !w->urls))
    check_fail(c, FRONTIER_NO_MEMORY, "out of memory for four bytes for each URL");
  else
    check_all(w);
  if (!w)
    return;
  hosts_free(w->counted);
  free(w->recorded);
  free(w->urls);
  free(w);
}
