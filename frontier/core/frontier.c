/* The life of a URL, from the queue on.
 *
 *     add -> [batch] -> commit -> [queue on disk] -> refill -> [line of its host] -> next -> [in flight] -> done
 *              |                                                ^                                |
 *              +-- straight into the line if the disk has no ---+          release puts it back -+
 *                  unread URL of its class and memory has room
 *
 * Sequence numbers order the URLs of a priority class (queue.c); schedule.c decides which host is next. */
#include "frontier/core/state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEHIND_WAIT_MS = 1 }; /* a commit is being written: two syncs */

const char *frontier_outcome_name(frontier_outcome outcome)
{
  static const char *const names[] = {"seen",         "new",         "new-host", "new-segment", "new-combination",
                                      "known-before", "unconfirmed", "elsewhere"};
  return (unsigned)outcome <= FRONTIER_ELSEWHERE ? names[outcome] : "unknown";
}

/* ---- out ------------------------------------------------------------------------------------------------ */

static frontier_lease lease_of(const entry *e)
{
  field payload = entry_field(e, FIELD_PAYLOAD);
  mlbf_span group = group_of(e->host);
  return (frontier_lease){.id = e->sequence,
                          .url = e->url,
                          .url_size = e->url_size,
                          .host_begin = e->host_begin,
                          .host_end = e->host_end,
                          .origin = e->origin,
                          .payload = payload.bytes,
                          .payload_size = payload.size,
                          .verdict = e->verdict,
                          .group = group.bytes,
                          .group_size = group.size,
                          .priority = field_order(entry_fields(e)).priority,
                          .is_opaque = e->is_opaque};
}

/* One call of frontier_next_batch. */
typedef struct leasing {
  const frontier_limits *limits;
  uint64_t now_ms;
  frontier_lease *leases; /* the caller's, */
  size_t lease_size;      /* each so large there */
  size_t count, hosts;
} leasing;

static frontier_status refuse_lease(frontier *f, entry *e)
{
  hosts_landed(f->hosts, e->host, e->class);
  wait_first(f, e);
  return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more lease");
}

/* It is in flight already: a damaged directory has it in two queues, and has counted it in both. Once is enough. */
static frontier_status drop_twin(frontier *f, entry *e)
{
  host *who = e->host;
  counts_gone(&f->counts, 1);
  host_line(who, e->class)->queued--;
  hosts_touch(f->hosts, who);
  hosts_landed(f->hosts, who, e->class);
  batch_touch(&f->batch);
  entry_free(e);
  return FRONTIER_OK;
}

static frontier_status lease_one(frontier *f, leasing *l, entry *e)
{
  frontier_status status = leases_add(&f->in_flight, e, l->now_ms);
  if (status != FRONTIER_OK)
    return status == FRONTIER_DAMAGED ? drop_twin(f, e) : refuse_lease(f, e);
  counts_leased(&f->counts);
  if (e->host->blocked)
    bench_give_back(f, e->host);
  frontier_lease lease = lease_of(e);
  sized_give((char *)l->leases + l->count++ * l->lease_size, l->lease_size, &lease, sizeof lease);
  return FRONTIER_OK;
}

static bool is_limited_by(const frontier_limits *limits)
{
  return limits->per_host || limits->max_hosts;
}

/* With limits, a host gives all it may at once, and is not asked again in this call. */
static frontier_status lease_due(frontier *f, leasing *l, int64_t *wait_ms)
{
  bool is_limited = is_limited_by(l->limits);
  size_t per_host = l->limits->per_host ? l->limits->per_host : SIZE_MAX;
  frontier_status status = FRONTIER_OK;
  entry *e;
  while (status == FRONTIER_OK && l->count < l->limits->max &&
         (!l->limits->max_hosts || l->hosts < l->limits->max_hosts) &&
         (e = hosts_pop_due(f->hosts, l->now_ms, wait_ms))) {
    host *who = e->host;
    size_t of_host = 1;
    l->hosts++;
    status = lease_one(f, l, e);
    while (is_limited && status == FRONTIER_OK && of_host++ < per_host && l->count < l->limits->max &&
           (e = hosts_pop_more(f->hosts, who, l->now_ms)))
      status = lease_one(f, l, e);
    if (!is_limited)
      hosts_offer(f->hosts, who);
  }
  frontier_status loaded = bench_take_status(f);
  return status == FRONTIER_OK ? loaded : status;
}

/* Too few were due: are there more further back in the queue? Reading to its end commits what was gathered. While
 * something is in flight and the group commit is not due, that can wait: one host that has all its URLs in flight would
 * have each of them committed alone. */
static frontier_status look_further(frontier *f, leasing *l, bool is_commit_due, int64_t *wait_ms)
{
  bool progressed, may_commit = is_commit_due || !leases_count(&f->in_flight);
  frontier_status status = bench_read_on(f, l->limits->max - l->count, may_commit, &progressed);
  if (progressed && status == FRONTIER_OK && (l->count == 0 || !is_limited_by(l->limits)))
    status = lease_due(f, l, wait_ms);
  if (progressed && l->count == 0 && queue_is_unread(&f->queues))
    *wait_ms = 0;
  bool is_behind = (!may_commit && batch_has_untaken(&f->batch)) ||
                   (queue_is_unread(&f->queues) && !commit_is_landed(f)); /* by its thread */
  if (!progressed && is_behind && (*wait_ms < 0 || *wait_ms > batch_wait_ms(&f->batch)))
    *wait_ms = batch_wait_ms(&f->batch);
  return status;
}

/* Those that are due, here and further back. */
static frontier_status lease_all(frontier *f, leasing *l, bool is_commit_due, int64_t *wait_ms)
{
  const frontier_limits *limits = l->limits;
  frontier_status status = ordering_wake(f, l->now_ms);
  if (status == FRONTIER_OK)
    status = lease_due(f, l, wait_ms);
  if (status == FRONTIER_OK && l->count < limits->max && !(limits->max_hosts && l->hosts == limits->max_hosts))
    status = look_further(f, l, is_commit_due, wait_ms);
  uint64_t timed_ms = ordering_first_due(f);
  if (timed_ms != UINT64_MAX && (*wait_ms < 0 || (uint64_t)*wait_ms > timed_ms - l->now_ms))
    *wait_ms = timed_ms > l->now_ms ? (int64_t)(timed_ms - l->now_ms) : 0;
  return status;
}

/* What went wrong behind URLs that were leased is said by the next call. */
static frontier_status keep_failure(frontier *f, frontier_status status)
{
  f->unsaid = status;
  memcpy(f->unsaid_message, f->message, sizeof f->unsaid_message);
  return FRONTIER_OK;
}

static frontier_status say_failure(frontier *f)
{
  frontier_status status = f->unsaid;
  f->unsaid = FRONTIER_OK;
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s", f->unsaid_message);
}

frontier_status frontier_next_batch_sized(frontier *f, uint64_t now_ms, const frontier_limits *given, size_t given_size,
                                          frontier_lease *leases, size_t lease_size, size_t *count, int64_t *wait_ms)
{
  LOCKED(f);
  frontier_limits limits;
  leasing l = {.limits = &limits, .now_ms = clock_now(f, now_ms), .leases = leases, .lease_size = lease_size};
  *count = 0;
  *wait_ms = 0;
  if (f->options.read_only)
    return refuse_reader(f);
  if (!sized_take(&limits, sizeof limits, given, given_size))
    return refuse_unknown_field(f);
  frontier_status unsaid = say_failure(f);
  if (unsaid != FRONTIER_OK)
    return unsaid;
  flight_end_late(f, l.now_ms);
  size_t first = leases_count(&f->in_flight);
  clock_assume_wall(f, now_ms);
  bool is_stuck = commit_is_behind(f) && !first; /* nothing else can come: then the disk is waited for */
  bool is_commit_due = commit_is_due(f, l.now_ms) || late_is_full(f) || outbox_is_full(f) || is_stuck;
  frontier_status status = is_commit_due ? commit_begin(f) : FRONTIER_OK;
  if (!is_commit_due)
    maintain_pay_some(f);
  if (status == FRONTIER_OK)
    status = queue_refill(f);
  if (status == FRONTIER_OK)
    status = recrawl_take(f);
  if (status == FRONTIER_OK && commit_is_behind(f))
    *wait_ms = BEHIND_WAIT_MS;
  else if (status == FRONTIER_OK && !queue_is_scanning(&f->queues))
    status = lease_all(f, &l, is_commit_due, wait_ms);
  if (status == FRONTIER_OK)
    status = late_turn(f, l.count > 0, l.count == limits.max, l.now_ms, wait_ms);
  flight_bound_wait(f, l.now_ms, wait_ms);
  sharing_bound_wait(f, wait_ms);
  wake_foresee(f, l.count > 0 || status != FRONTIER_OK, l.now_ms, *wait_ms);
  while (first < leases_count(&f->in_flight))
    hosts_offer(f->hosts, leases_at(&f->in_flight, first++)->host);
  assert(l.count <= limits.max && (!limits.max_hosts || l.hosts <= limits.max_hosts));
  assert_frontier(f);
  *count = l.count;
  return l.count && status != FRONTIER_OK ? keep_failure(f, status) : status;
}

frontier_status frontier_next_sized(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t lease_size, size_t max,
                                    size_t *count, int64_t *wait_ms)
{
  LOCKED(f);
  const frontier_limits limits = {.max = max};
  return frontier_next_batch_sized(f, now_ms, &limits, sizeof limits, leases, lease_size, count, wait_ms);
}

bool frontier_is_finished(const frontier *f)
{
  LOCKED(f);
  const url_counts *c = &f->counts;
  return counts_queued(c) == counts_deferred(c) + f->hosts->blocked && leases_count(&f->in_flight) == 0 &&
         !queue_may_have_more(f) && recrawl_is_over(f) && late_waiting(f) == 0;
}

bool frontier_is_deferring(const frontier *f)
{
  LOCKED(f);
  return counts_deferred(&f->counts) > 0;
}

/* The entry of a lease, or NULL: not in flight. */
static entry *find_in_flight(frontier *f, uint64_t lease)
{
  entry *e = leases_find(&f->in_flight, lease);
  if (!e)
    frontier_fail(f, FRONTIER_NOT_FOUND, "no lease %llu is in flight", (unsigned long long)lease);
  return e;
}

void lease_land(frontier *f, entry *e)
{
  assert(host_line(e->host, e->class));
  leases_remove(&f->in_flight, e);
  hosts_landed(f->hosts, e->host, e->class);
}

static void count_ending(frontier *f, host *who, frontier_class class, frontier_state state)
{
  uint64_t *of_host = state == FRONTIER_DONE ? &who->done : state == FRONTIER_FAILED ? &who->failed : &who->skipped;
  assert(host_line(who, class)->queued); /* it was counted there while it was in flight */
  ++*of_host;
  counts_ended(&f->counts, state);
  who->trap_ended += class == FRONTIER_TRAP;
  host_line(who, class)->queued--;
  hosts_touch(f->hosts, who);
  hosts_recount(f->hosts, who);
}

frontier_status frontier_done(frontier *f, uint64_t lease, frontier_state state, uint16_t code, const char *report,
                              size_t report_size, uint64_t now_ms)
{
  LOCKED(f);
  if (state < FRONTIER_DONE || state > FRONTIER_SKIPPED)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "no lease ends in state %d", (int)state);
  entry *e = find_in_flight(f, lease);
  if (!e)
    return FRONTIER_NOT_FOUND;
  if (f->store && !batch_make_room_ended(&f->batch))
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more finished URL");
  if (!journal_record_add(f, report, report_size))
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more report");
  lease_land(f, e);
  count_ending(f, e->host, e->class, state);
  if (f->store)
    batch_add_done(&f->batch, e, state, code, clock_glance(f, now_ms));
  else
    batch_touch(&f->batch);
  entry_free(e);
  if (leases_count(&f->in_flight))
    wake_look(f);
  else /* the crawl may be over, or what is on disk may be read on */
    wake_now(f);
  return FRONTIER_OK;
}

frontier_status frontier_skip(frontier *f, uint64_t lease, const char *reason, const char *report, size_t report_size,
                              uint64_t now_ms)
{
  LOCKED(f);
  char name[COUNTER_NAME_SIZE + sizeof "skipped-"];
  if (!leases_find(&f->in_flight, lease)) /* before anything is counted */
    return frontier_done(f, lease, FRONTIER_SKIPPED, 0, NULL, 0, now_ms);
  snprintf(name, sizeof name, "skipped-%s", reason);
  frontier_status status = frontier_count(f, name, 0); /* there is room for such a counter */
  if (status == FRONTIER_OK)
    status = frontier_done(f, lease, FRONTIER_SKIPPED, 0, report, report_size, now_ms);
  return status == FRONTIER_OK ? frontier_count(f, name, 1) : status;
}

entry *lease_entry(frontier *f, uint64_t lease)
{
  return find_in_flight(f, lease);
}

host *lease_host(frontier *f, uint64_t lease)
{
  const entry *e = lease_entry(f, lease);
  return e ? e->host : NULL;
}

frontier_status frontier_sync(frontier *f)
{
  LOCKED(f);
  return f->options.read_only ? refuse_reader(f) : commit_batch(f);
}

bool frontier_is_exact(const frontier *f)
{
  LOCKED(f);
  return f->options.exact;
}

const char *frontier_key_scheme(const frontier *f)
{
  LOCKED(f);
  return f->options.key_scheme;
}

/* ---- what is in flight, as a part ------------------------------------------------------------------------ */

static void check(const frontier *f)
{
  assert_leases(&f->in_flight);
  (void)f;
}

static void close_it(frontier *f)
{
  leases_free(&f->in_flight);
}

const part flight_part = {.check = check, .close = close_it};
