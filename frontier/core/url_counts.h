/* How many URLs there are, and what became of them. A part of the handle (part.h); on disk it is most of the record
 * "progress". */
#ifndef STRATA_FRONTIER_URL_COUNTS_H
#define STRATA_FRONTIER_URL_COUNTS_H

#include "frontier/hosts/hosts.h"

#include <assert.h>

typedef struct url_counts {
  uint64_t next_sequence; /* of the next URL accepted; starts at 1 */
  uint64_t queued;        /* waiting, in memory or on disk */
  uint64_t deferred;      /* of those, read from disk (or accepted) and found too deep */
  uint64_t done, failed, skipped, noted;
  uint64_t forced;
  uint64_t events; /* URLs that were accepted, ended, or taken back, since open */
  uint64_t outcomes[FRONTIER_OUTCOMES];
} url_counts;

static inline void counts_begin(url_counts *c)
{
  c->next_sequence = 1;
}

static inline uint64_t counts_next_sequence(const url_counts *c)
{
  return c->next_sequence;
}

static inline uint64_t counts_events(const url_counts *c)
{
  return c->events;
}

static inline uint64_t counts_queued(const url_counts *c)
{
  return c->queued;
}

static inline uint64_t counts_deferred(const url_counts *c)
{
  return c->deferred;
}

/* A verdict was given. */
static inline void counts_judged(url_counts *c, frontier_outcome outcome, bool is_forced)
{
  assert((unsigned)outcome < FRONTIER_OUTCOMES);
  c->outcomes[outcome]++;
  c->forced += is_forced;
}

/* So many links that were unconfirmed are seen. */
static inline void counts_confirmed(url_counts *c, uint64_t links)
{
  c->outcomes[FRONTIER_SEEN] += links;
}

/* A URL was accepted: it waits, or is noted and has ended already, but has a sequence like any other. */
static inline void counts_accepted(url_counts *c, bool is_noted)
{
  c->next_sequence++;
  c->events++;
  c->queued += !is_noted;
  c->noted += is_noted;
}

static inline void counts_leased(url_counts *c)
{
  assert(c->queued);
  c->queued--;
}

/* One waits again after a release. */
static inline void counts_waiting_again(url_counts *c)
{
  c->queued++;
}

/* So many that were counted as waiting are not there. */
static inline void counts_gone(url_counts *c, uint64_t urls)
{
  assert(urls <= c->queued);
  c->queued -= urls;
}

static inline void counts_deferred_one(url_counts *c)
{
  c->deferred++;
}

void counts_ended(url_counts *c, frontier_state state); /* what was in flight */
/* A URL of this host waits again, in this class: counts_take_back counts one ending of this state less. Where it is
 * lost how the URL ended, counts_take_back_any counts one ending of some state less; false, and nothing changed: no
 * ending is counted, and every URL is counted already. */
void counts_take_back(frontier *f, host *who, frontier_class class, frontier_state state);
bool counts_take_back_any(frontier *f, host *who, frontier_class class);

/* The records "progress" and "acceptance": at open, which tells the hash log and the checkpoint too where they
 * stood. */
frontier_status counts_take_progress(frontier *f, const uint8_t *body, size_t size);
/* Then those of the hosts: how many wait, all of them unread. DAMAGED: more than there are, with those above. */
frontier_status counts_take_hosts(frontier *f);
frontier_status counts_take_acceptance(frontier *f, const uint8_t *body, size_t size);

#endif
