/* The life of a URL.
 *
 *     add -> [batch] -> commit -> [queue on disk] -> refill -> [line of its host] -> next -> [in flight] -> done
 *              |                                                ^                                |
 *              +-- straight into the line while nothing waits --+          release puts it back -+
 *                  unread on disk and the window has room
 *
 * Sequence numbers order everything: a URL with sequence < load_sequence is in memory, in flight or ended; all
 * others wait on disk (or, not committed yet, in the batch, for the disk). */
#include "frontier/spill.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

frontier_status frontier_fail(frontier *f, frontier_status status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->message, sizeof f->message, format, arguments);
  va_end(arguments);
  return status;
}

const char *frontier_message(const frontier *f)
{
  return f->message;
}

const char *frontier_outcome_name(frontier_outcome outcome)
{
  static const char *const names[FRONTIER_OUTCOMES] = {"seen", "new", "new-host", "new-segment", "new-combination"};
  return (unsigned)outcome < FRONTIER_OUTCOMES ? names[outcome] : "unknown";
}

static frontier_status refuse_reader(frontier *f)
{
  return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "%s is open for reading only", f->directory);
}

/* ---- in ------------------------------------------------------------------------------------------------ */

/* Into its host's line at once if it is the very next to load, there is room, and no URL of its host waits in chunks;
 * else it stays on disk. A frontier that keeps nothing has no disk to leave it on. */
static void take_or_leave(frontier *f, entry *e)
{
  bool is_next = f->load_sequence == e->sequence;
  if (f->store && !(is_next && hosts_waiting(f->hosts) < WINDOW_MAX && !spill_is_behind_chunks(e->host))) {
    f->batch.untaken++;
    return;
  }
  f->load_sequence = e->sequence + 1;
  if (e->origin.depth > f->options.depth_cap)
    f->deferred++;
  else
    hosts_push(f->hosts, e);
}

static frontier_status accept(frontier *f, const url *u, frontier_origin origin, const mlbf_hashes *hashes,
                              uint64_t now_ms)
{
  host *who = hosts_find(f->hosts, u->fetch + u->host_begin, u->host_end - u->host_begin);
  entry *e = who ? entry_create(f->next_sequence, u->fetch, u->fetch_size, u->host_begin, u->host_end, origin) : NULL;
  if (!e || !batch_add_entry(f, e, now_ms)) {
    free(e);
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more URL");
  }
  if (!seen_add(f->seen, hashes)) {
    f->batch.added.count--;
    free(e);
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more hash");
  }
  e->host = who;
  f->next_sequence++;
  f->queued++;
  who->queued++;
  hosts_touch(f->hosts, who);
  take_or_leave(f, e);
  return FRONTIER_OK;
}

frontier_status frontier_add(frontier *f, const url *u, frontier_origin origin, uint64_t now_ms,
                             frontier_verdict *verdict)
{
  if (f->options.read_only)
    return refuse_reader(f);
  mlbf_hashes hashes;
  frontier_verdict found = seen_test(f->seen, u, &hashes);
  if (found.outcome != FRONTIER_SEEN) {
    frontier_status status = accept(f, u, origin, &hashes, now_ms);
    if (status != FRONTIER_OK)
      return status;
  }
  f->outcomes[found.outcome]++;
  f->batch.is_dirty = true;
  *verdict = found;
  return FRONTIER_OK;
}

frontier_status frontier_lookup(frontier *f, const url *u, frontier_verdict *verdict)
{
  if (!f->seen) {
    frontier_status status = seen_load(f);
    if (status != FRONTIER_OK)
      return status;
  }
  mlbf_hashes hashes;
  *verdict = seen_test(f->seen, u, &hashes);
  return FRONTIER_OK;
}

/* ---- from disk to memory -------------------------------------------------------------------------------- */

typedef struct reading {
  frontier *frontier;
  uint32_t share;
  unsigned limit, taken;
  frontier_status status;
} reading;

/* Into the line of its host, among the deferred, or on its way to a chunk. */
static frontier_status place(frontier *f, entry *e, uint32_t share)
{
  e->host = hosts_find(f->hosts, e->url + e->host_begin, e->host_end - e->host_begin);
  e->is_stored = true;
  if (e->origin.depth > f->options.depth_cap) {
    f->deferred++;
    free(e);
  } else if (e->host && e->host->line_count < share && !spill_is_behind_chunks(e->host)) {
    hosts_push(f->hosts, e);
  } else if (!e->host || !spill_add(f, e)) {
    free(e);
    return FRONTIER_NO_MEMORY;
  }
  return FRONTIER_OK;
}

static bool read_record(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  reading *r = context;
  frontier *f = r->frontier;
  entry *e;
  if (r->taken == r->limit || hosts_waiting(f->hosts) >= WINDOW_MAX)
    return false;
  r->status = entry_read(sequence, body, size, &e);
  if (r->status == FRONTIER_OK)
    r->status = place(f, e, r->share);
  if (r->status != FRONTIER_OK)
    return false;
  r->taken++;
  f->load_sequence = sequence + 1;
  return true;
}

frontier_status queue_read(frontier *f, uint32_t share, unsigned limit, unsigned *taken)
{
  reading r = {.frontier = f, .share = share, .limit = limit};
  *taken = 0;
  if (f->batch.untaken) { /* they are next after what is on disk: make it one line */
    frontier_status status = commit_batch(f);
    if (status != FRONTIER_OK)
      return status;
  }
  frontier_status status = store_each(f->store, STORE_QUEUE, f->load_sequence, read_record, &r);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  *taken = r.taken;
  if (r.status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, r.status, "out of memory for one more URL of the queue");
  if (r.status != FRONTIER_OK)
    return frontier_fail(f, r.status, "%s: queue record %llu, or one behind it, is damaged", f->directory,
                         (unsigned long long)f->load_sequence);
  if (r.taken < limit && hosts_waiting(f->hosts) < WINDOW_MAX)
    f->load_sequence = f->next_sequence; /* that was all */
  return FRONTIER_OK;
}

/* Fill the window from the queue on disk. */
static frontier_status refill(frontier *f)
{
  unsigned taken;
  if (!f->store || f->load_sequence == f->next_sequence || hosts_waiting(f->hosts) >= WINDOW_MAX / 2)
    return FRONTIER_OK;
  return queue_read(f, WINDOW_MAX, WINDOW_MAX, &taken);
}

/* ---- out ------------------------------------------------------------------------------------------------ */

static frontier_lease lease_of(const entry *e)
{
  return (frontier_lease){.id = e->sequence, .url = e->url, .url_size = e->url_size, .host_begin = e->host_begin,
                          .host_end = e->host_end, .origin = e->origin};
}

static frontier_status lease_due(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t max, size_t *count,
                                 int64_t *wait_ms)
{
  while (*count < max) {
    entry *e = hosts_pop_due(f->hosts, now_ms, wait_ms);
    if (!e)
      break;
    if (!entry_list_add(&f->in_flight, e)) {
      hosts_landed(f->hosts, e->host);
      hosts_push_front(f->hosts, e);
      return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more lease");
    }
    f->queued--;
    spill_watch(f, e->host);
    leases[(*count)++] = lease_of(e);
  }
  return FRONTIER_OK;
}

frontier_status frontier_next(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t max, size_t *count,
                              int64_t *wait_ms)
{
  *count = 0;
  *wait_ms = 0;
  if (f->options.read_only)
    return refuse_reader(f);
  frontier_status status = commit_is_due(f, now_ms) ? commit_batch(f) : FRONTIER_OK;
  if (status == FRONTIER_OK)
    status = spill_read_back(f);
  if (status == FRONTIER_OK)
    status = refill(f);
  if (status == FRONTIER_OK)
    status = lease_due(f, now_ms, leases, max, count, wait_ms);
  bool progressed = status == FRONTIER_OK && *count < max;
  if (progressed) /* not enough is due: is it further back in the queue? */
    status = spill_read_on(f, &progressed);
  if (progressed && status == FRONTIER_OK)
    status = lease_due(f, now_ms, leases, max, count, wait_ms);
  bool has_chunks = f->spilling.low_count && hosts_waiting(f->hosts) == 0; /* after a reopening: behind an empty queue */
  if ((progressed || has_chunks) && *count == 0)
    *wait_ms = 0; /* there is more to read */
  return *count ? FRONTIER_OK : status;
}

bool frontier_is_finished(const frontier *f)
{
  return f->queued == f->deferred && f->in_flight.count == 0;
}

bool frontier_is_deferring(const frontier *f)
{
  return f->deferred > 0;
}

/* The entry of a lease, or NULL: not in flight. */
static entry *find_in_flight(frontier *f, uint64_t lease, size_t *at)
{
  for (size_t i = 0; i < f->in_flight.count; i++)
    if (f->in_flight.at[i]->sequence == lease) {
      *at = i;
      return f->in_flight.at[i];
    }
  frontier_fail(f, FRONTIER_NOT_FOUND, "no lease %llu is in flight", (unsigned long long)lease);
  return NULL;
}

static void land(frontier *f, entry *e, size_t at)
{
  f->in_flight.at[at] = f->in_flight.at[--f->in_flight.count];
  hosts_landed(f->hosts, e->host);
}

static void count_ending(frontier *f, host *who, frontier_state state)
{
  uint64_t *of_host = state == FRONTIER_DONE ? &who->done : state == FRONTIER_FAILED ? &who->failed : &who->skipped;
  uint64_t *of_all = state == FRONTIER_DONE ? &f->done : state == FRONTIER_FAILED ? &f->failed : &f->skipped;
  ++*of_host;
  ++*of_all;
  who->queued--;
  hosts_touch(f->hosts, who);
}

frontier_status frontier_done(frontier *f, uint64_t lease, frontier_state state, uint16_t code, const char *report,
                              size_t report_size, uint64_t now_ms)
{
  size_t at;
  entry *e = find_in_flight(f, lease, &at);
  if (!e)
    return FRONTIER_NOT_FOUND;
  if (!batch_add_ending(f, (ending){e, state, code}, now_ms))
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more finished URL");
  if (f->journal && report_size && !journal_add(f->journal, report, report_size)) {
    f->batch.ended_count--;
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more report");
  }
  e->is_ended = true;
  land(f, e, at);
  count_ending(f, e->host, state);
  return FRONTIER_OK;
}

frontier_status frontier_release(frontier *f, uint64_t lease, uint64_t now_ms)
{
  (void)now_ms;
  size_t at;
  entry *e = find_in_flight(f, lease, &at);
  if (!e)
    return FRONTIER_NOT_FOUND;
  land(f, e, at);
  hosts_push_front(f->hosts, e);
  f->queued++;
  return FRONTIER_OK;
}

frontier_status frontier_host_delay(frontier *f, uint64_t lease, uint64_t delay_ms)
{
  size_t at;
  entry *e = find_in_flight(f, lease, &at);
  if (!e)
    return FRONTIER_NOT_FOUND;
  hosts_set_delay(f->hosts, e->host, delay_ms);
  return FRONTIER_OK;
}

frontier_status frontier_sync(frontier *f)
{
  return f->options.read_only ? refuse_reader(f) : commit_batch(f);
}

/* ---- what callers keep here ------------------------------------------------------------------------------ */

static setting *find_setting(frontier *f, const char *name)
{
  setting *s = f->settings;
  while (s && strcmp(s->name, name) != 0)
    s = s->next;
  return s;
}

/* The setting of that name, made if it is not there; NULL: no memory. */
static setting *make_setting(frontier *f, const char *name)
{
  setting *s = find_setting(f, name);
  if (s)
    return s;
  s = calloc(1, sizeof *s + strlen(name) + 1);
  if (!s)
    return NULL;
  memcpy(s->name, name, strlen(name) + 1);
  s->next = f->settings;
  f->settings = s;
  return s;
}

frontier_status frontier_setting_put(frontier *f, const char *name, const void *value, size_t size)
{
  if (f->options.read_only)
    return refuse_reader(f);
  if (!*name || strlen(name) > SETTING_NAME_MAX)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a setting's name has 1 to %d bytes", SETTING_NAME_MAX);
  uint8_t *copy = malloc(size + 1); /* also of nothing */
  setting *s = copy ? make_setting(f, name) : NULL;
  if (!s) {
    free(copy);
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for the setting \"%s\"", name);
  }
  if (size)
    memcpy(copy, value, size);
  free(s->value);
  s->value = copy;
  s->size = size;
  s->is_dirty = f->batch.is_dirty = true;
  return FRONTIER_OK;
}

frontier_status frontier_setting_get(frontier *f, const char *name, const void **value, size_t *size)
{
  setting *s = find_setting(f, name);
  if (!s && f->store && strlen(name) <= SETTING_NAME_MAX) {
    char full[SETTING_NAME_MAX + sizeof SETTING_PREFIX];
    uint8_t *body;
    size_t body_size;
    snprintf(full, sizeof full, SETTING_PREFIX "%s", name);
    frontier_status status = store_get_meta(f->store, full, &body, &body_size);
    if (status != FRONTIER_OK)
      return frontier_fail(f, status, "%s: setting \"%s\": %s", f->directory, name,
                           status == FRONTIER_NOT_FOUND ? "there is none" : store_message(f->store));
    s = make_setting(f, name);
    if (!s) {
      free(body);
      return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for the setting \"%s\"", name);
    }
    s->value = body;
    s->size = body_size;
  }
  if (!s)
    return frontier_fail(f, FRONTIER_NOT_FOUND, "there is no setting \"%s\"", name);
  *value = s->value;
  *size = s->size;
  return FRONTIER_OK;
}

frontier_status frontier_count(frontier *f, const char *name, uint64_t add)
{
  if (f->options.read_only)
    return refuse_reader(f);
  if (!counters_add(&f->counters, name, add))
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "no counter can be named \"%s\", or there are %d already", name,
                         COUNTERS_MAX);
  f->batch.is_dirty = true;
  return FRONTIER_OK;
}

uint64_t frontier_counter(const frontier *f, const char *name)
{
  return counters_get(&f->counters, name);
}

bool frontier_counter_at(const frontier *f, size_t index, const char **name, uint64_t *value)
{
  if (index >= f->counters.count)
    return false;
  *name = f->counters.each[index].name;
  *value = f->counters.each[index].value;
  return true;
}

frontier_status frontier_stats_read(frontier *f, frontier_stats *stats)
{
  *stats = (frontier_stats){.queued = f->queued, .in_flight = f->in_flight.count, .deferred = f->deferred,
                            .done = f->done, .failed = f->failed, .skipped = f->skipped,
                            .hosts = hosts_count(f->hosts), .profile = f->options.profile,
                            .expected_lost = f->expected_lost};
  memcpy(stats->outcomes, f->outcomes, sizeof stats->outcomes);
  if (!f->seen) {
    frontier_status status = seen_load(f);
    if (status != FRONTIER_OK)
      return status;
  }
  mlbf_stats_read(seen_filter(f->seen), &stats->filter);
  return FRONTIER_OK;
}
