/* Who is next, and when: the workbench, as BUbiNG calls it, and the politeness of one host: so many requests at once, a
 * delay between them.
 *
 *     heap, by due time:        [h7 10:00:00.2] [h3 10:00:01.0] ...      hosts that may start one, but not yet
 *              | due
 *              v
 *     ready, by class:   high   h2
 *                        normal h9 -> h1 -> h4                           hosts that may start one now,
 *                        low                                             by the class of the URL they would give
 *                        trap   h5 -> h8
 *
 * A host is in the heap or in one ready line while it has a URL that may be taken and may have one more in flight. A
 * rule decides which class is first, by counting turns:
 *
 *     of 64 turns 1 is for trap, of 16 turns 1 for low, of 4 turns 1 for normal, the others are for high;
 *     a turn of a class without URLs goes to the highest class that has some.
 *
 * So a class with URLs gets at least one turn of 64, and never starves. The rule is used twice: within a host, to
 * choose its next URL (with the host's own count of turns), and over all hosts, to choose the next ready line. Within a
 * class hosts take turns, and within a host and class URLs are first in, first out, but for ordered ones:
 *
 *     of a host and class:   [ 7: 31 | 7: 45 | 2: 12 | 0: 9 ]  e -> e | 17 20 ... on disk  [ -1: 8 | -4: 11 ]
 *                            ordered: priority, sequence       its line: priority 0        ordered
 *
 * Both ends are one heap. What is behind the line waits until all of the line is taken, and all that is on disk met. */
#ifndef STRATA_FRONTIER_SCHEDULE_H
#define STRATA_FRONTIER_SCHEDULE_H

#include "frontier/hosts/hosts.h"

/* Which class is first at this turn, of those whose bits are set in `has` (not 0). */
frontier_class schedule_class(uint64_t turn, unsigned has);

/* What a URL takes of the window: one, and one more for each 4 KiB it carries. */
size_t hosts_weight(const entry *e);

/* To the end of its line, or (what was leased and comes back) to the head. Room for it is reserved. */
void hosts_push(hosts *h, entry *e);
void hosts_push_front(hosts *h, entry *e);
/* To the end of it, as a ref. false: no memory. */
bool hosts_push_ref(hosts *h, host *who, frontier_class class, uint64_t sequence);

/* One more of this priority, for which room is reserved (host_reserve_ordered). hosts_fetcher makes its entry when its
 * turn comes. */
void hosts_push_ordered(hosts *h, host *who, frontier_class class, int32_t priority, uint64_t sequence);

/* The same within hosts_loader: the host is being taken from, and is not scheduled. */
void hosts_fill(hosts *h, entry *e);

/* When a host may start next; 0: now. UINT64_MAX: none has a URL to take. */
uint64_t hosts_first_due(const hosts *h);

/* The URL that is next, taken out of its line; its host's next start is then `now_ms` + delay, and hosts_offer must be
 * called for it. NULL if none is due: *wait_ms says how long, or FRONTIER_WAIT_FOREVER if no host may start one; or if
 * its loader failed: 0. */
entry *hosts_pop_due(hosts *h, uint64_t now_ms, int64_t *wait_ms);
/* The next of this host alone, if it may start one now; else NULL. The same holds. */
entry *hosts_pop_more(hosts *h, host *who, uint64_t now_ms);
void hosts_offer(hosts *h, host *who);

/* A URL of this class of the host is no longer in flight. */
void hosts_landed(hosts *h, host *who, frontier_class class);

/* The delay is another now (host_delay): counted from the last start too. A wait until `until_ms` gets no shorter by
 * it. */
void hosts_shift(hosts *h, host *who, uint64_t delay_before_ms, uint64_t until_ms);
/* No start before `due_ms`; or no waiting longer than until then. */
void hosts_set_not_before(hosts *h, host *who, uint64_t due_ms);
void hosts_hurry(hosts *h, host *who, uint64_t due_ms);

/* Counts or controls changed: what is held, and whether it may start one, is worked out again. */
void hosts_recount(hosts *h, host *who);
/* URLs of this class may not be taken, whatever the time. */
bool host_is_blocked(const hosts *h, const host *who, frontier_class class);

/* May it start one of this class, if it has one, now? */
bool host_may_start(const hosts *h, const host *who, frontier_class class, uint64_t now_ms);

/* Cut a line behind its first `keep` entries; the rest, linked from the first to NULL, is the caller's. */
entry *hosts_cut(hosts *h, host *who, frontier_class class, uint32_t keep);

#endif
