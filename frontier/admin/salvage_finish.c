/* What was missing in a damaged environment, as far as it can be made again: see repair.h. */
#include "frontier/admin/repair.h"

#include "frontier/base/record.h"
#include "frontier/store/store_urls.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- the hash log --------------------------------------------------------------------------------------- */

static bool replay_piece(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  (void)key;
  return seen_replay(context, body, size);
}

/* The filter that the salvaged log makes. A key that is lost, but that it calls seen, would stay lost. */
static bool make_seen(salvage *s)
{
  const double rate_max = 1e-6;
  char profile[URL_PROFILE_NAME_SIZE];
  const frontier_options *o = &s->f->options;
  url_profile_name(o->profile, profile);
  uint64_t keys = s->log.count + s->places.count;
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = o->filter,
                          .keys = keys > o->expected_urls ? keys : o->expected_urls,
                          .rate = o->rate < rate_max ? o->rate : rate_max,
                          .secret = o->secret,
                          .signals = o->filter == MLBF_KIND_MLBF,
                          .profile = profile};
  mlbf_filter *filter;
  if (mlbf_create(&options, &filter) != MLBF_OK)
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for a filter made from the hash log");
  frontier_status read = store_each(s->to, STORE_HASHES, 0, replay_piece, &(seen_sink){.filter = filter});
  s->seen = seen_adopt(filter);
  if (s->seen && read != FRONTIER_OK)
    return salvage_fail(s, read, store_message(s->to));
  return s->seen || salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory");
}

/* Where keys are exact: the keys of the log, since the filter's word that one is there is not enough. */
static bool note_key(void *context, mlbf_hash128 whole)
{
  salvage *s = context;
  return hash_set_put(&s->in_log, whole) || salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for one more key");
}

static bool note_piece(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  salvage *s = context;
  (void)key;
  seen_each_key(body, size, note_key, s);
  return s->status == FRONTIER_OK;
}

static bool note_log(salvage *s)
{
  frontier_status status = store_each(s->to, STORE_HASHES, 0, note_piece, s);
  return status == FRONTIER_OK ? s->status == FRONTIER_OK : salvage_fail(s, status, store_message(s->to));
}

/* The next hole in the log, from `gap` on; at its end there is always room. */
static void find_gap(salvage *s)
{
  enum { PIECE_KEYS = 1000 };
  while (s->gap < s->log.count && s->log.at[s->gap])
    s->gap++;
  uint64_t end = s->gap;
  while (end < s->log.count && !s->log.at[end] && end - s->gap < PIECE_KEYS)
    end++;
  s->gap_room = s->gap == s->log.count ? PIECE_KEYS : end - s->gap;
}

static bool write_piece(salvage *s)
{
  size_t size;
  uint64_t keys = seen_batch_keys(s->seen);
  const uint8_t *piece = seen_batch_log(s->seen, &size);
  if (keys == 0)
    return true;
  if (!byte_row_reach(&s->log, s->gap + keys - 1))
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for a byte for each key");
  if (!salvage_begin_record(s))
    return false;
  store_put(s->to, STORE_HASHES, s->gap, piece, size);
  memset(s->log.at + s->gap, LOG_MADE, (size_t)keys);
  seen_seal(s->seen);
  seen_settle(s->seen);
  find_gap(s);
  return true;
}

static bool add_key(salvage *s, const key_hashes *hashes)
{
  bool is_exact = s->f->options.exact;
  if (!seen_add(s->seen, hashes) || (is_exact && !hash_set_put(&s->in_log, hashes->whole)))
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for one more key");
  return seen_batch_keys(s->seen) < s->gap_room || write_piece(s);
}

/* Was the key of a URL forgotten, and erased (erase.h)? It was if its complement is in the log, and the URL's own place
 * in the log was found: that place has the key or its complement. If that place is lost, a second key accepted since
 * may be lost as well; then the key is kept. */
static bool was_erased(const salvage *s, uint64_t sequence, mlbf_hash128 whole)
{
  mlbf_hash128 erased = seen_tombstone(whole);
  return sequence - 1 < s->log.count && s->log.at[sequence - 1] == LOG_FOUND &&
         (s->f->options.exact ? hash_set_has(&s->in_log, erased) : seen_has_whole(s->seen, erased));
}

static bool add_unless_erased(salvage *s, uint64_t sequence, const key_hashes *hashes)
{
  return was_erased(s, sequence, hashes->whole) || add_key(s, hashes);
}

/* Every URL that is left is in the log, as all of them were but for those erased; with its own key, by that. The key
 * alone in the log is not enough: its segments may have been in a piece that is lost. */
static bool know(salvage *s, uint64_t sequence, const char *text, size_t size, field key)
{
  key_hashes hashes = {0};
  if (!field_hash(key, &hashes.whole)) {
    if (url_parse(text, size, s->f->options.profile, s->u) != URL_OK)
      return true;
    seen_hash(seen_filter(s->seen), s->u, &hashes);
  }
  bool is_known = seen_has_all(s->seen, &hashes) && (!s->f->options.exact || hash_set_has(&s->in_log, hashes.whole));
  return is_known || add_unless_erased(s, sequence, &hashes);
}

static bool know_one(void *context, const stored_url *u)
{
  salvage *s = context;
  const url_row *row = &u->row;
  const host *who = hosts_at(s->f->hosts, row->host);
  size_t size = who ? url_row_url(row, who->name, who->name_size, s->text) : 0;
  return know(s, u->sequence, s->text, size, field_find(row->fields, row->fields_size, FIELD_KEY));
}

static bool know_all(salvage *s)
{
  frontier_status status = store_each_url(s->to, STORED_WAITING | STORED_ENDED, 0, know_one, s);
  return status == FRONTIER_OK ? s->status == FRONTIER_OK : salvage_fail(s, status, store_message(s->to));
}

/* The log counts its keys, so those that nothing brings back are replaced by some that no URL has. */
static bool fill_gaps(salvage *s)
{
  while (s->gap < s->log.count) {
    key_hashes nobody = {.whole = {.low = ++s->done->keys_gone, .high = UINT64_MAX}};
    if (!add_key(s, &nobody))
      return false;
  }
  return write_piece(s);
}

static bool complete_log(salvage *s)
{
  uint64_t keys = s->has_progress ? s->stood.log_keys : 0;
  if (keys + 1 < s->places.count)
    keys = s->places.count - 1;
  if (!make_seen(s) || (s->f->options.exact && !note_log(s)))
    return false;
  if (keys && !byte_row_reach(&s->log, keys - 1))
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for a byte for each key");
  find_gap(s);
  return know_all(s) && fill_gaps(s);
}

/* ---- what is gone --------------------------------------------------------------------------------------- */

typedef enum number { HAS_URL, WAS_ABSENT, IS_LOST } number;

/* What is known of a sequence that was given. `cursor`: that of salvage_was_absent. */
static number look_up_number(const salvage *s, size_t *cursor, uint64_t sequence)
{
  if (sequence < s->places.count && s->places.at[sequence])
    return HAS_URL;
  return salvage_was_absent(s, cursor, sequence) ? WAS_ABSENT : IS_LOST;
}

static bool add_range(salvage *s, byte_row *ranges, uint64_t first, uint64_t count)
{
  uint64_t at = ranges->count;
  if (!byte_row_reach(ranges, at + 15))
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory");
  put_le(ranges->at + at, first, 8);
  put_le(ranges->at + at + 8, count, 8);
  return true;
}

static void say_lost(salvage *s, uint64_t first, uint64_t last)
{
  s->done->gone += last - first + 1;
  salvage_say(s, "gone: URLs %" PRIu64 " to %" PRIu64 ", nothing readable is left of them", first, last);
}

/* Numbers without a URL, range by range, are on record: they were given, and stay given. Those that had none before, as
 * after a merge or an earlier repair, are no loss. */
static bool write_gone(salvage *s)
{
  byte_row ranges = {0};
  size_t cursor = 0;
  bool is_done = true;
  for (uint64_t i = 1, first; is_done && (first = i) < s->stood.next_sequence;) {
    number what = look_up_number(s, &cursor, first);
    while (++i < s->stood.next_sequence && look_up_number(s, &cursor, i) == what)
      ;
    if (what == IS_LOST)
      say_lost(s, first, i - 1);
    is_done = what == HAS_URL || add_range(s, &ranges, first, i - first);
  }
  if (is_done && ranges.count)
    store_put_meta(s->to, "absent", ranges.at, ranges.count);
  free(ranges.at);
  return is_done;
}

/* ---- the rest ------------------------------------------------------------------------------------------- */

static bool write_hosts(salvage *s)
{
  uint8_t body[HOST_HEAD_2 + URL_LENGTH_MAX];
  const host *who;
  for (uint32_t id = 0; (who = hosts_at(s->f->hosts, id)); id++) {
    if (!salvage_begin_record(s))
      return false;
    size_t size = host_write(who, body);
    store_put(s->to, STORE_HOSTS, id, body, size);
  }
  return true;
}

/* The progress record: the log's end, the next number, and as many verdicts of "new" as there are keys. */
static void write_progress(salvage *s)
{
  progress *p = &s->stood;
  uint8_t body[PROGRESS_SIZE];
  uint64_t verdicts = p->forced;
  for (int i = FRONTIER_NEW; i <= FRONTIER_NEW_COMBINATION; i++)
    verdicts += p->outcomes[i];
  p->outcomes[FRONTIER_NEW] += s->log.count - verdicts;
  p->log_keys = s->log.count;
  p->next_sequence = s->log.count + 1;
  p->checkpoint_keys = p->checkpoint_slot = 0;
  progress_write(p, body);
  store_put_meta(s->to, "progress", body, sizeof body);
}

static void write_meta(salvage *s)
{
  uint8_t acceptance[ACCEPTANCE_SIZE];
  for (const kept_meta *m = s->meta; m; m = m->next)
    store_put_meta(s->to, m->name, m->body, m->size);
  if (s->has_ordered)
    store_put_meta(s->to, ORDERED_MARK, "\1", 1);
  acceptance_write(&s->stood, acceptance);
  if (s->stood.noted || s->stood.forced)
    store_put_meta(s->to, "acceptance", acceptance, sizeof acceptance);
}

bool salvage_finish(salvage *s)
{
  if (!salvage_blot(s) || !complete_log(s) || !write_hosts(s))
    return false;
  write_progress(s);
  write_meta(s);
  return write_gone(s) && salvage_doubts(s) && salvage_exchange(s) && salvage_commit(s);
}

void salvage_free(salvage *s)
{
  for (kept_meta *m = s->meta, *next; m; m = next) {
    next = m->next;
    free(m->body);
    free(m);
  }
  store_close(s->to);
  seen_free(s->seen);
  hash_set_free(&s->in_log);
  free(s->absent);
  free(s->hosts_by_id);
  free(s->places.at);
  free(s->log.at);
  free(s->u);
  mdb_pages_close(s->p);
}
