/* Exact keys (frontier_options.exact): what the filters call seen is confirmed, a little later, so that no new URL is
 * ever lost. A part of the handle (part.h). Without the option each call here does nothing.
 *
 *     link -> cache of known keys: seen
 *         `-> filter -> new                                             accept.c
 *                   `-> seen: a doubt (late/doubts.h), committed with its page
 *                           `-> pass: all doubts in order of keys -> all known keys (late/runs.h) -> known
 *                                                                                               `-> late: accept.c
 *
 * A pass is begun when there are many doubts (65,536, and a quarter of all keys, or from 2^26 keys on a 16th), when the
 * oldest has waited long (a second for each 100,000 keys; 10 at least, 600 at most), after a second in which too few
 * URLs were due, and at once when nothing else is left to do. It goes on in steps of about a millisecond, by later
 * calls.
 *
 * A key is accepted late only if it is neither in the runs nor in the open batch at that moment, so once at most,
 * whatever was accepted since it was found. A pass that is cut short is begun again: rows that were accepted are
 * known then. */
#ifndef STRATA_FRONTIER_LATE_H
#define STRATA_FRONTIER_LATE_H

#include "frontier/core/accept.h"
#include "frontier/late/doubts.h"
#include "frontier/late/known_cache.h"
#include "frontier/late/runs.h"

typedef struct late_lot late_lot;

typedef struct late_links {
  runs *runs; /* NULL: keys are not confirmed, or a reader was not asked yet */
  doubts *doubts;
  known_cache *cache;
  bool has_oldest;
  uint64_t oldest_ms;   /* own time when the first doubt came that no pass has taken */
  uint64_t rested_ms;   /* own time when the last pass ended */
  uint64_t retry_ms;    /* after a failure no step before */
  bool is_upkeeps_turn; /* while a pass goes on, it and the upkeep of the runs take turns */
  late_lot *lot;        /* keys of a pass that are asked for together */
} late_links;

bool late_is_on(const frontier *f);

frontier_status late_open(frontier *f); /* a writer, at open */
frontier_status late_load(frontier *f); /* a reader, when it is first asked; else nothing */

/* ---- of one key ------------------------------------------------------------------------------------------------ */

void late_fetch(const frontier *f, mlbf_hash128 key); /* it is asked for soon */
/* It was accepted, or is a doubt already: a link with this key is seen, whatever the filters say. */
bool late_knows(const frontier *f, mlbf_hash128 key);
/* The filters call it seen, and that is not certain: it becomes a doubt. NO_MEMORY. */
frontier_status late_put(frontier *f, const newcomer *n, uint64_t now_ms);

typedef enum late_answer {
  LATE_KNOWN,
  LATE_UNKNOWN,
  LATE_WAITS, /* a doubt has it; or not all keys are at hand, and it is not among those that are */
} late_answer;
/* For certain: some reads of the disk. */
frontier_status late_ask(frontier *f, mlbf_hash128 key, late_answer *answer);

void late_accepted(frontier *f, mlbf_hash128 key);
void late_forget(const frontier *f, mlbf_hash128 key); /* it is new again */

/* ---- many ------------------------------------------------------------------------------------------------------ */

bool late_has_doubt(frontier *f, mlbf_hash128 key); /* is a link with it unconfirmed? If that cannot be read: yes */
bool late_is_full(const frontier *f);               /* too much waits for a commit */
uint64_t late_waiting(const frontier *f);
uint64_t late_ever(const frontier *f);

/* A commit has landed whose keys are still in the landing batch; the log will have so many keys. */
void late_take_keys(frontier *f, uint64_t log_keys);

/* frontier_next has given too few (or none): begins a pass if one is due, and does some of it if there is nothing
 * better to do. *wait_ms is bounded by when the next one is due. */
frontier_status late_turn(frontier *f, bool gave_some, bool gave_all, uint64_t now_ms, int64_t *wait_ms);

/* Upkeep: maintain.c. */
bool late_is_due(const frontier *f);   /* a step was to be done by now */
bool late_can_step(const frontier *f); /* something can be done ahead */
/* Runs that were merged are on disk until a commit names others: it is begun. false: there are none. */
bool late_frees_disk(frontier *f);
void late_step(frontier *f);

/* For admin: keys of the log were changed, so no run is valid from the next commit on. */
void late_drop_runs(frontier *f);
/* Each link that is not settled, as committed. */
frontier_status late_each_doubt(frontier *f, doubts_visitor *visit, void *context);
/* All of the log in runs, sorted and merged; all of it on disk. */
frontier_status late_complete(frontier *f);

#endif
