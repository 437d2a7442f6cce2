/* When doubts are settled, and runs made: late.h has the rule.
 *
 *     frontier_next --> late_turn: is a pass due? with nothing better to do, some of it at once
 *     maintain.c    --> late_step: a gap filled | a step of the pass | a step of the runs | a file of doubts
 *
 * Always: a failure, such as a full disk, delays what is late and nothing else; it is tried again a second later.
 *
 * Called under the handle's mutex. After a crash: what was not named by a commit is made again. */
#include "frontier/core/late_inside.h"

enum {
  PASS_LINKS = FRONTIER_LIMIT(1 << 16, 20), /* many: at least so many, */
  PASS_SHARE = 4,                           /* a quarter of all keys, for a pass reads all; */
  PASS_FILES = 1 << 22,                     /* where that would be many files, */
  PASS_LARGE_SHARE = 16,                    /* a 16th */
  KEYS_A_SECOND = 100000,                   /* long: a second for each so many keys, */
  LONG_LEAST_MS = 10000,                    /* at least */
  LONG_MOST_MS = 600000,                    /* and at most */
  IDLE_MS = 1000,
  RETRY_MS = 1000,   /* after a failure */
  STEPS_AT_ONCE = 4, /* when there is nothing else to do */
};

/* ---- gaps ---------------------------------------------------------------------------------------------------- */

typedef struct filling {
  runs *runs;
  uint64_t keys;
  bool lacks_memory;
} filling;

static bool give_key(void *context, mlbf_hash128 whole)
{
  filling *to = context;
  to->lacks_memory |= !runs_fill_add(to->runs, whole);
  to->keys++;
  return !to->lacks_memory;
}

frontier_status late_fill_part(frontier *f, uint64_t from, uint64_t to)
{
  char message[FRONTIER_MESSAGE_SIZE];
  filling to_runs = {.runs = f->late.runs};
  seen_sink sink = {.visit = give_key, .context = &to_runs};
  uint64_t reached = from;
  frontier_status status = FRONTIER_OK;
  if (!runs_fill_begin(f->late.runs, (size_t)(to - from)))
    to_runs.lacks_memory = true;
  else
    status = hash_log_read(f, &sink, from, to, &reached);
  if (to_runs.lacks_memory)
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for the keys of the hash log");
  if (status != FRONTIER_OK)
    return status;
  status = runs_fill_end(f->late.runs, from, from + to_runs.keys, message); /* the last chunk may end behind `to` */
  return status == FRONTIER_OK ? status : late_failed(f, status, message);
}

static frontier_status fill_some(frontier *f)
{
  uint64_t from, to;
  if (!runs_gap(f->late.runs, &from, &to))
    return FRONTIER_OK;
  frontier_status status = late_fill_part(f, from, to - from > RUNS_GAP_KEYS ? from + RUNS_GAP_KEYS : to);
  if (runs_have_changed(f->late.runs))
    batch_touch(&f->batch);
  return status;
}

bool late_has_gap(const frontier *f)
{
  uint64_t from, to;
  return runs_gap(f->late.runs, &from, &to);
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

static bool may_step(const frontier *f)
{
  return late_is_on(f) && !f->options.read_only && clock_latest(f) >= f->late.retry_ms;
}

bool late_is_due(const frontier *f)
{
  const late_links *l = &f->late;
  return may_step(f) &&
         (doubts_is_passing(l->doubts) || runs_is_due(l->runs) || doubts_can_step(l->doubts) || late_has_gap(f));
}

bool late_can_step(const frontier *f)
{
  return late_is_due(f) || (may_step(f) && runs_can_step(f->late.runs));
}

static frontier_status upkeep(frontier *f)
{
  char message[FRONTIER_MESSAGE_SIZE];
  late_links *l = &f->late;
  bool is_of_runs = runs_is_due(l->runs) || !doubts_can_step(l->doubts);
  frontier_status status = is_of_runs ? runs_step(l->runs, message) : doubts_step(l->doubts, message);
  if (runs_have_changed(l->runs) || doubts_is_dirty(l->doubts))
    batch_touch(&f->batch);
  if (status != FRONTIER_OK)
    late_failed(f, status, message);
  if (status == FRONTIER_DAMAGED && late_has_gap(f)) { /* a run that was to be merged */
    frontier_log(f, "%s; it is made again from the log", f->message);
    status = FRONTIER_OK;
  }
  return status;
}

static frontier_status step(frontier *f)
{
  frontier_status status;
  late_links *l = &f->late;
  if (late_has_gap(f))
    return runs_is_due(l->runs) ? upkeep(f) : fill_some(f);
  l->is_upkeeps_turn = !l->is_upkeeps_turn && runs_is_due(l->runs);
  if (!doubts_is_passing(l->doubts) || l->is_upkeeps_turn)
    return upkeep(f);
  status = late_pass_step(f);
  if (status == FRONTIER_DAMAGED && late_has_gap(f)) { /* of a run: all of it again, once that is filled */
    frontier_log(f, "%s; it is made again from the log", f->message);
    late_pass_abandon(f);
    status = FRONTIER_OK;
  }
  return status;
}

/* A failure, such as a full disk, delays what is late, and nothing else. */
void late_step(frontier *f)
{
  if (step(f) != FRONTIER_OK) {
    if (!f->late.retry_ms)
      frontier_log(f, "%s; what is unconfirmed waits", f->message);
    f->late.retry_ms = clock_latest(f) + RETRY_MS;
  } else {
    f->late.retry_ms = 0;
  }
}

/* ---- when ----------------------------------------------------------------------------------------------- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static uint64_t long_ms(const frontier *f)
{
  return smaller(larger(hash_log_keys(&f->log) / (KEYS_A_SECOND / 1000), LONG_LEAST_MS), LONG_MOST_MS);
}

static bool has_many(const frontier *f)
{
  uint64_t keys = hash_log_keys(&f->log),
           share = smaller(keys / PASS_SHARE, larger(PASS_FILES, keys / PASS_LARGE_SHARE));
  return doubts_on_disk(f->late.doubts) >= larger(PASS_LINKS, share);
}

/* What waits is all that keeps the crawl from its end. */
static bool is_all_that_is_left(const frontier *f)
{
  return counts_queued(&f->counts) == counts_deferred(&f->counts) + f->hosts->blocked &&
         leases_count(&f->in_flight) == 0;
}

static void bound(int64_t *wait_ms, uint64_t by_ms, uint64_t now_ms)
{
  int64_t wait = by_ms > now_ms ? (int64_t)(by_ms - now_ms) : 0;
  if (*wait_ms < 0 || *wait_ms > wait)
    *wait_ms = wait;
}

static frontier_status begin_if_due(frontier *f, bool gave_some, bool gave_all, uint64_t now_ms, int64_t *wait_ms)
{
  late_links *l = &f->late;
  bool is_last = !gave_some && is_all_that_is_left(f);
  uint64_t idle_ms = l->rested_ms + IDLE_MS, by_ms = l->has_oldest ? l->oldest_ms + long_ms(f) : now_ms;
  if (is_last && !doubts_on_disk(l->doubts)) {
    frontier_status status = commit_batch(f);
    if (status != FRONTIER_OK)
      return status;
  }
  if (!gave_all && idle_ms < by_ms)
    by_ms = idle_ms;
  if (doubts_on_disk(l->doubts) && (is_last || has_many(f) || now_ms >= by_ms))
    return late_pass_begin(f);
  bound(wait_ms, larger(by_ms, now_ms + 1), now_ms);
  return FRONTIER_OK;
}

frontier_status late_turn(frontier *f, bool gave_some, bool gave_all, uint64_t now_ms, int64_t *wait_ms)
{
  late_links *l = &f->late;
  if (!late_is_on(f) || !(doubts_waiting(l->doubts) || doubts_is_passing(l->doubts)))
    return FRONTIER_OK;
  if (now_ms < l->retry_ms) {
    bound(wait_ms, l->retry_ms, now_ms);
    return FRONTIER_OK;
  }
  frontier_status status = FRONTIER_OK;
  if (!doubts_is_passing(l->doubts))
    status = begin_if_due(f, gave_some, gave_all, now_ms, wait_ms);
  if (status != FRONTIER_OK || gave_some || !doubts_is_passing(l->doubts))
    return status;
  for (unsigned i = 0; i < STEPS_AT_ONCE && doubts_is_passing(l->doubts) && may_step(f); i++) {
    if (batch_is_full(&f->batch) && (status = commit_begin(f)) != FRONTIER_OK)
      return status;
    late_step(f);
  }
  bound(wait_ms, larger(l->retry_ms, now_ms), now_ms); /* something may be due now */
  return status;
}

void late_drop_runs(frontier *f)
{
  if (late_is_on(f))
    runs_drop(f->late.runs);
}

bool late_frees_disk(frontier *f)
{
  return may_step(f) && runs_are_replaced(f->late.runs) && commit_begin(f) == FRONTIER_OK;
}

frontier_status late_complete(frontier *f)
{
  frontier_status status = FRONTIER_OK;
  if (!late_is_on(f))
    return status;
  while (status == FRONTIER_OK && (late_has_gap(f) || runs_can_step(f->late.runs))) {
    bool fills = late_has_gap(f) && !runs_is_due(f->late.runs);
    status = fills ? fill_some(f) : upkeep(f);
    if (status == FRONTIER_OK && runs_are_replaced(f->late.runs))
      status = commit_batch(f);
  }
  return status == FRONTIER_OK ? commit_batch(f) : status;
}
