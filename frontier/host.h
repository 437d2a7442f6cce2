/* frontier/host.h: a crawler's settings for a host, and queries about hosts.
 *
 * A host is host[:port] as in fetch URLs. Controls are kept on disk with the host; they may be set before any URL
 * of the host was found. A group (frontier_link) is to all of these a host, whose name is "/" and the bytes of the
 * group. No queued URL is ever dropped: URLs held back by a block or a budget stay queued, are counted,
 * and are handed out when the control is lifted.
 *
 * Threads, processes, errors: as frontier.h. */
#ifndef STRATA_FRONTIER_HOST_H
#define STRATA_FRONTIER_HOST_H

#include "frontier/frontier.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero: the frontier's defaults apply. */
typedef struct frontier_host_control {
  uint64_t delay_ms;       /* between starts; 0: the frontier's. The larger of this and frontier_host_delay's applies */
  uint64_t budget;         /* URLs of this host to hand out in all: those in flight or ended count. A URL queued for a
                             recrawl does not count until it is leased, so a new one may take its place; 0: no limit */
  uint64_t trap_budget;    /* of class TRAP alone; 0: that of frontier_watch_traps */
  uint64_t not_before_s;   /* no start before this wall-clock time, seconds since 1970: see frontier_clock. A back-off
                             after that call raises it; set to an earlier time, or 0, it ends the wait */
  uint32_t per_host;       /* in flight at once; 0: the frontier's */
  frontier_class priority; /* of URLs accepted from now on, unless another rule decides */
  bool is_blocked;         /* start no fetch */
} frontier_host_control;

/* Which wall-clock time `now_ms` is: call it once after open, also where `now_ms` is that time itself. What must be
 * valid in the next process needs it, since a clock may count from the machine's start: without it a back-off
 * (frontier_host_back_off) ends with this process, a `not_before_s` is not waited for, and for frontier_link's
 * `not_before_ms` alone `now_ms` counts as milliseconds since 1970. Call it again when the wall clock was set: this
 * does not change how long hosts wait in this process. If the wall clock is set back between two runs, hosts in a
 * back-off wait longer by so much. */
void frontier_clock(frontier *f, uint64_t now_ms, uint64_t wall_ms);

/* BAD_ARGUMENT: not the name of a host, or an unknown class. get gives zeros for a host without controls. */
static inline frontier_status frontier_host_get(frontier *f, const char *name, frontier_host_control *control);
static inline frontier_status frontier_host_set(frontier *f, const char *name, const frontier_host_control *control);
frontier_status frontier_host_block(frontier *f, const char *name);
frontier_status frontier_host_unblock(frontier *f, const char *name);

/* Of all hosts without a control of their own, from their next starts on: in place of options.delay_ms and
 * options.per_host, for a caller who learns them from a setting of the directory. BAD_ARGUMENT: `per_host` is 0. */
frontier_status frontier_host_defaults(frontier *f, uint64_t delay_ms, uint32_t per_host);

/* frontier_host_back_off and frontier_host_delay, by lease, are in frontier.h; a back-off is kept as not_before_s.
 * The name of a lease's host, NUL-terminated and valid while the handle is open; NULL: no such lease in flight. */
const char *frontier_host_of(frontier *f, uint64_t lease);

/* How many URLs of a lease's host are queued, without those in flight; 0 also if there is no such lease. At 0 a fetcher
 * may close its connection. */
uint64_t frontier_host_waiting(frontier *f, uint64_t lease);

typedef enum frontier_host_state {
  FRONTIER_HOST_IDLE,    /* no URL to hand out */
  FRONTIER_HOST_DUE,     /* may start one now */
  FRONTIER_HOST_WAITING, /* its delay or back-off is not over */
  FRONTIER_HOST_BUSY,    /* as many URLs in flight as allowed */
  FRONTIER_HOST_BLOCKED,
  FRONTIER_HOST_OVER_BUDGET, /* its budget is used up; or that of traps, if only class TRAP is left */
} frontier_host_state;

typedef struct frontier_host_info {
  const char *name; /* NUL-terminated; valid during the call */
  frontier_host_state state;
  uint64_t queued[FRONTIER_CLASSES]; /* here with those in flight */
  uint64_t in_flight;                /* 0 on a read-only handle */
  uint64_t held;                     /* of `queued`, held back by a block or a budget */
  uint64_t done, failed, skipped;
  uint64_t found, suspect; /* new URLs since frontier_watch_traps, and how many look like a trap's: traps.h */
  uint64_t trap_taken;     /* ended, of class TRAP */
  const frontier_host_control *control; /* all zeros if nothing was set; valid during the call */
} frontier_host_info;

typedef bool frontier_host_visitor(void *context, const frontier_host_info *host); /* false: enough */

/* Every host, in order of their first URLs; in fixed memory. `visit` may not change hosts. */
frontier_status frontier_each_host(frontier *f, uint64_t now_ms, frontier_host_visitor *visit, void *context);

/* How many URLs a block or a budget holds back. frontier_is_finished does not wait for them. */
uint64_t frontier_held(const frontier *f);

/* Decides the class of a new URL. `by_rule` is the class by the rules: TRAP if it looks like a trap's, else the host's
 * priority, else LOW if deeper than 16 links, else NORMAL. The classifier may use data of its own, such as in-link
 * counts. `link->target` is NULL for an opaque target. */
typedef frontier_class frontier_classifier(void *context, const frontier_link *link, frontier_verdict verdict,
                                           frontier_class by_rule);
/* For this handle from now on; NULL: the rules alone. The classifier may call frontier_find_mark (traps.h), and nothing
 * else of the frontier. */
void frontier_classify(frontier *f, frontier_classifier *classifier, void *context);

typedef struct frontier_limits {
  size_t max;       /* URLs */
  size_t max_hosts; /* hosts of these URLs; 0: no limit */
  size_t per_host;  /* URLs of one host; 0: only the host's own limit */
} frontier_limits;

/* frontier_next with limits for this call. With a limit per host, the URLs of one host are adjacent. */
static inline frontier_status frontier_next_batch(frontier *f, uint64_t now_ms, const frontier_limits *limits,
                                                  frontier_lease *leases, size_t *count, int64_t *wait_ms);

/* The functions of the same names above, with the size of the caller's struct: see frontier_open_sized. */
frontier_status frontier_host_get_sized(frontier *f, const char *name, frontier_host_control *control, size_t size);
frontier_status frontier_host_set_sized(frontier *f, const char *name, const frontier_host_control *control,
                                        size_t size);
frontier_status frontier_next_batch_sized(frontier *f, uint64_t now_ms, const frontier_limits *limits,
                                          size_t limits_size, frontier_lease *leases, size_t lease_size, size_t *count,
                                          int64_t *wait_ms);

static inline frontier_status frontier_host_get(frontier *f, const char *name, frontier_host_control *control)
{
  return frontier_host_get_sized(f, name, control, sizeof *control);
}

static inline frontier_status frontier_host_set(frontier *f, const char *name, const frontier_host_control *control)
{
  return frontier_host_set_sized(f, name, control, sizeof *control);
}

static inline frontier_status frontier_next_batch(frontier *f, uint64_t now_ms, const frontier_limits *limits,
                                                  frontier_lease *leases, size_t *count, int64_t *wait_ms)
{
  return frontier_next_batch_sized(f, now_ms, limits, sizeof *limits, leases, sizeof *leases, count, wait_ms);
}

#ifdef __cplusplus
}
#endif
#endif
