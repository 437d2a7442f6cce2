/* frontier/host.h: what a crawler may say about a host, and learn about it.
 *
 * A host is host[:port] as in fetch URLs. Controls are kept on disk with the host; a host may be set before any URL of
 * it was found. Nothing queued is ever dropped: what a block or a budget holds back stays queued, is counted, and is
 * handed out when the control is lifted.
 *
 * Threads, processes, errors: as frontier.h. */
#ifndef STRATA_FRONTIER_HOST_H
#define STRATA_FRONTIER_HOST_H

#include "frontier/frontier.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Priority classes. Each is a queue of its own, of a host's URLs first in first out; what a block or a budget held back
 * comes in order only roughly, once it may be taken again. Of 64 turns one is TRAP's, one of 16 LOW's, one of
 * 4 NORMAL's, the others HIGH's; a turn whose class has nothing to give goes to the best that has. Nothing starves. */
typedef enum frontier_class {
  FRONTIER_NORMAL = 0,
  FRONTIER_HIGH,
  FRONTIER_LOW,
  FRONTIER_TRAP, /* what looks like a trap's: traps.h */
} frontier_class;
enum { FRONTIER_CLASSES = FRONTIER_TRAP + 1 };

/* All zero: nothing said, the frontier's defaults hold. */
typedef struct frontier_host_control {
  uint64_t delay_ms;      /* between starts; 0: the frontier's. A longer frontier_host_delay wins */
  uint64_t budget;        /* URLs of this host ever to be taken, each counted once, but not while it waits to be fetched
                             again (recrawl.h): then a new one may come before it; 0: no limit */
  uint64_t trap_budget;   /* of class TRAP alone; 0: frontier_trap_budget's */
  uint64_t not_before_s;  /* no start before this wall-clock time, seconds since 1970: see frontier_clock. A back-off
                             raises it; set to an earlier time, or 0, it ends the wait */
  uint32_t per_host;      /* in flight at once; 0: the frontier's */
  frontier_class priority; /* of URLs accepted from now on that no other rule puts elsewhere */
  bool is_blocked;        /* start none */
} frontier_host_control;

/* Which wall-clock time `now_ms` is; needed for what outlives a process: back-off, recrawl. Never told, `now_ms` is
 * taken for milliseconds since 1970, and a jump of it for one of the wall clock. May be told again when the wall clock
 * was set: what hosts wait for in this process is not changed by it. If it is set back between two runs, hosts that
 * were told to wait (frontier_host_back_off) wait longer by so much. */
void frontier_clock(frontier *f, uint64_t now_ms, uint64_t wall_ms);

/* BAD_ARGUMENT: no name of a host, or a class that is none. get gives zeros for a host that nothing was said of. */
frontier_status frontier_host_get(frontier *f, const char *name, frontier_host_control *control);
frontier_status frontier_host_set(frontier *f, const char *name, const frontier_host_control *control);
frontier_status frontier_host_block(frontier *f, const char *name);
frontier_status frontier_host_unblock(frontier *f, const char *name);

/* frontier_host_back_off and frontier_host_delay, by lease, are in frontier.h; a back-off is kept as not_before_s.
 * The name of a lease's host, NUL-terminated and valid while the handle is open; NULL: no such lease in flight. */
const char *frontier_host_of(frontier *f, uint64_t lease);

/* URLs of a lease's host that wait, those in flight not counted; 0 also where there is no such lease. At 0 a fetcher
 * may let its connection go. */
uint64_t frontier_host_waiting(frontier *f, uint64_t lease);

typedef enum frontier_host_state {
  FRONTIER_HOST_IDLE,     /* nothing to take */
  FRONTIER_HOST_DUE,      /* may start one now */
  FRONTIER_HOST_WAITING,  /* its delay or back-off is not over */
  FRONTIER_HOST_BUSY,     /* as many in flight as it may have */
  FRONTIER_HOST_BLOCKED,
  FRONTIER_HOST_OVER_BUDGET, /* its own, or with nothing but traps left, that of traps */
} frontier_host_state;

typedef struct frontier_host_info {
  const char *name;         /* NUL-terminated; valid during the call */
  frontier_host_state state;
  uint64_t queued[FRONTIER_CLASSES]; /* waiting or in flight */
  uint64_t in_flight;       /* 0 on a reading handle */
  uint64_t held;            /* of `queued`, not to be taken whatever the time */
  uint64_t done, failed, skipped;
  uint64_t found, suspect;  /* new URLs since traps are watched, and those that look like a trap's; halved together */
  uint64_t trap_taken;      /* ended, of class TRAP */
  frontier_host_control control;
} frontier_host_info;

typedef bool frontier_host_visitor(void *context, const frontier_host_info *host); /* false: enough */

/* Every host, in order of its first URL; in fixed memory. Do not change hosts from within. */
frontier_status frontier_each_host(frontier *f, uint64_t now_ms, frontier_host_visitor *visit, void *context);

/* URLs that a block or a budget holds back. frontier_is_finished does not wait for them. */
uint64_t frontier_held(const frontier *f);

/* What class a new URL gets, asked with what the rules would say: TRAP for what looks like a trap's, else the host's
 * priority, else LOW if deeper than 16 links, else NORMAL. In-link counts and the like are the caller's to look up. */
typedef frontier_class frontier_classifier(void *context, const frontier_link *link, frontier_verdict verdict,
                                           frontier_class by_rule);
/* For this handle from now on; NULL: the rules alone. The classifier may not call the frontier. */
void frontier_classify(frontier *f, frontier_classifier *classifier, void *context);

typedef struct frontier_limits {
  size_t max;       /* URLs */
  size_t max_hosts; /* different ones among them; 0: no limit */
  size_t per_host;  /* of one; 0: no limit but its own */
} frontier_limits;

/* frontier_next with limits for this call. With a limit per host, the URLs of a host stand together. */
frontier_status frontier_next_batch(frontier *f, uint64_t now_ms, const frontier_limits *limits, frontier_lease *leases,
                                    size_t *count, int64_t *wait_ms);

#ifdef __cplusplus
}
#endif
#endif
