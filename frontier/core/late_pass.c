/* A pass: all doubts that are on disk, in order of keys, are compared with the runs, and those of them that are new are
 * accepted.
 *
 *     doubts_begin --> lot by lot: doubts_next --> runs_have --> each unknown one: settle_late --> accept.c
 *         ^                                                                                        |
 *         `--- a crash, or a part of the log whose run is damaged ---.                 doubts_end: all rows are settled
 *
 * Always: while a part of the log is in no run, no pass goes on (late_upkeep.c), as a key not found may be known. Rows
 * of a pass are on disk, so what is accepted from them is in a later commit, and they are deleted in no earlier one.
 * Right before a key is accepted it is in no run, and in no batch.
 *
 * Called under the handle's mutex. After a crash: the pass is begun again, and knows what was accepted. */
#include "frontier/core/late_inside.h"

#include <stdlib.h>
#include <string.h>

enum { LOT = FRONTIER_LIMIT(4096, 16) };

struct late_lot {
  numbered_key keys[LOT];
  bool is_known[LOT];
  size_t count, at; /* and the next to be settled */
};

late_lot *late_lot_create(void)
{
  return calloc(1, sizeof(late_lot));
}

frontier_status late_pass_begin(frontier *f)
{
  char message[FRONTIER_MESSAGE_SIZE];
  late_links *l = &f->late;
  frontier_status status = doubts_begin(l->doubts, message);
  if (status != FRONTIER_OK)
    return late_failed(f, status, message);
  l->lot->count = l->lot->at = 0;
  l->has_oldest = false; /* what is not on disk yet has its time with the next one */
  return FRONTIER_OK;
}

static frontier_status end_pass(frontier *f)
{
  late_links *l = &f->late;
  counts_confirmed(&f->counts, doubts_end(l->doubts));
  l->rested_ms = clock_latest(f);
  if (doubts_waiting(l->doubts) && !l->has_oldest) {
    l->has_oldest = true;
    l->oldest_ms = l->rested_ms;
  }
  batch_touch(&f->batch);
  wake_now(f); /* the crawl may be over */
  return FRONTIER_OK;
}

/* The host of a fetch URL that no profile parses, since its key is the caller's. */
static void find_host(url *u)
{
  const char *begin = strstr(u->fetch, "://");
  begin = begin ? begin + 3 : u->fetch;
  u->host_begin = (uint32_t)(begin - u->fetch);
  u->host_end = u->host_begin + (uint32_t)strcspn(begin, "/?#");
  u->path_begin = u->host_end;
}

/* As it was found. false: its text does not give its key. */
static bool restore(const frontier *f, const doubt_row *row, mlbf_hash128 key, url *u, key_hashes *hashes)
{
  bool is_parsed = !row->is_opaque && url_parse(row->url, row->url_size, f->options.profile, u) == URL_OK;
  if (row->has_own_key) {
    *hashes = row->hashes;
    if (!is_parsed && !row->is_opaque) {
      memcpy(u->fetch_bytes, row->url, row->url_size);
      u->fetch_bytes[row->url_size] = '\0';
      u->fetch = u->fetch_bytes;
      u->fetch_size = (uint32_t)row->url_size;
      find_host(u);
    }
    return true;
  }
  if (is_parsed)
    seen_hash(seen_filter(f->seen), u, hashes);
  return is_parsed && hashes->whole.low == key.low && hashes->whole.high == key.high;
}

static frontier_status accept_late(frontier *f, const doubt_row *row, mlbf_hash128 key, url *u)
{
  key_hashes hashes;
  if (!restore(f, row, key, u, &hashes)) {
    frontier_log(f, "%s: a link that waited to be confirmed is left out, as its URL does not give its key",
                 f->directory);
    return FRONTIER_OK;
  }
  const frontier_link link = {.target = row->is_opaque ? NULL : u,
                              .origin = row->origin,
                              .payload = row->payload,
                              .payload_size = row->payload_size,
                              .group = row->group,
                              .group_size = row->group_size,
                              .priority = row->priority,
                              .not_before_ms = row->not_before_ms,
                              .opaque = row->is_opaque ? row->url : NULL,
                              .opaque_size = row->is_opaque ? row->url_size : 0};
  newcomer n = {.link = &link,
                .hashes = &hashes,
                .has_own_key = row->has_own_key,
                .verdict = seen_judge(f->seen, &hashes, seen_least(&hashes)),
                .purpose = row->purpose == DOUBT_TO_NOTE ? TO_NOTE : TO_QUEUE};
  if (row->was_known_before)
    n.verdict = (frontier_verdict){FRONTIER_KNOWN_BEFORE, 0};
  frontier_status status = accept_link(f, &n, clock_latest(f));
  if (status != FRONTIER_OK)
    return status;
  counts_judged(&f->counts, n.verdict.outcome, false);
  doubts_accepted(f->late.doubts);
  return FRONTIER_OK;
}

/* No run has it, as of the beginning of the lot. */
static frontier_status settle_late(frontier *f, const numbered_key *item, bool is_old, url *u)
{
  char message[FRONTIER_MESSAGE_SIZE];
  doubt_row row;
  bool is_known = seen_has_in_batch(f->seen, item->key);
  frontier_status status = is_old && !is_known ? late_ask_runs(f, item->key, &is_known) : FRONTIER_OK;
  if (status != FRONTIER_OK || is_known)
    return status;
  status = doubts_row(f->late.doubts, f->store, item->number, &row, message);
  if (status == FRONTIER_DAMAGED) {
    frontier_log(f, "%s: a link that waited to be confirmed is lost: %s", f->directory, message);
    return FRONTIER_OK;
  }
  return status == FRONTIER_OK ? accept_late(f, &row, item->key, u) : late_failed(f, status, message);
}

static frontier_status next_lot(frontier *f)
{
  char message[FRONTIER_MESSAGE_SIZE];
  mlbf_hash128 keys[LOT];
  late_lot *lot = f->late.lot;
  lot->at = lot->count = 0;
  frontier_status status = doubts_next(f->late.doubts, lot->keys, LOT, &lot->count, message);
  for (size_t i = 0; i < lot->count; i++)
    keys[i] = lot->keys[i].key;
  memset(lot->is_known, 0, sizeof lot->is_known); /* after a failure each is asked by itself */
  if (status == FRONTIER_OK && lot->count)
    status = runs_have(f->late.runs, keys, lot->count, lot->is_known, message);
  return status == FRONTIER_OK ? status : late_failed(f, status, message);
}

/* A lot, or what is left of one because the open batch was full. */
frontier_status late_pass_step(frontier *f)
{
  late_lot *lot = f->late.lot;
  bool is_old = lot->at < lot->count;
  frontier_status status = is_old ? FRONTIER_OK : next_lot(f);
  if (status != FRONTIER_OK || lot->count == 0)
    return status == FRONTIER_OK ? end_pass(f) : status;
  url *u = malloc(sizeof *u);
  if (!u)
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for a URL");
  while (lot->at < lot->count && status == FRONTIER_OK) {
    bool is_known = lot->is_known[lot->at];
    if (!is_known && batch_is_full(&f->batch))
      break;
    status = is_known ? FRONTIER_OK : settle_late(f, &lot->keys[lot->at], is_old, u);
    lot->at += status == FRONTIER_OK;
  }
  free(u);
  wake_look(f);
  return status;
}

void late_pass_abandon(frontier *f)
{
  doubts_abandon(f->late.doubts);
  f->late.lot->count = f->late.lot->at = 0;
}

void late_pass_check(const frontier *f)
{
  assert(!f->late.lot || (f->late.lot->at <= f->late.lot->count && f->late.lot->count <= LOT));
  (void)f;
}
