/* See host.h. */
#include "frontier/host.h"

#include "frontier/core/state.h"

#include <string.h>

/* ---- controls ------------------------------------------------------------------------------------------- */

static frontier_status refuse_name(frontier *f, const char *name)
{
  size_t size = strlen(name);
  bool is_group = host_is_group(name) && size > 1 && size <= 1 + FRONTIER_GROUP_MAX;
  if (is_group || (size && size <= URL_LENGTH_MAX && !memchr(name, '/', size)))
    return FRONTIER_OK;
  return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a host is named as in URLs, example.org or example.org:8080");
}

static const frontier_host_control no_control;

frontier_status frontier_host_get_sized(frontier *f, const char *name, frontier_host_control *control, size_t size)
{
  LOCKED(f);
  frontier_status status = refuse_name(f, name);
  if (status != FRONTIER_OK)
    return status;
  const host *who = hosts_look(f->hosts, name, strlen(name));
  sized_give(control, size, who && who->control ? who->control : &no_control, sizeof no_control);
  return FRONTIER_OK;
}

/* No start before this own time, by a back-off or by its control; 0: neither, or the wall-clock time was not told yet
 * (clock.c asks again when it is). */
static uint64_t rests_until(const frontier *f, const host *who)
{
  bool is_known = who->control && who->control->not_before_s && clock_is_told(f);
  uint64_t until_ms = is_known ? clock_own_of(f, who->control->not_before_s) : 0;
  return until_ms > who->rest_ms ? until_ms : who->rest_ms;
}

/* A time that was lifted is not waited for any more, but the delay is, from now on: its last start is forgotten. */
static void apply(frontier *f, host *who, const frontier_host_control *control)
{
  uint64_t delay_before_ms = host_delay(f->hosts, who);
  bool is_lifted = control->not_before_s < who->control->not_before_s;
  *who->control = *control;
  who->rest_ms = is_lifted ? 0 : who->rest_ms;
  hosts_shift(f->hosts, who, delay_before_ms, rests_until(f, who));
  if (is_lifted)
    hosts_hurry(f->hosts, who, clock_latest(f) + host_delay(f->hosts, who));
  hosts_set_not_before(f->hosts, who, rests_until(f, who));
  hosts_touch(f->hosts, who);
  batch_touch(&f->batch);
  hosts_recount(f->hosts, who);
  hosts_offer(f->hosts, who);
  bench_give_back(f, who);
  wake_now(f); /* URLs of the host may be on disk */
}

frontier_status frontier_host_set_sized(frontier *f, const char *name, const frontier_host_control *given, size_t size)
{
  LOCKED(f);
  frontier_host_control control;
  frontier_status status = refuse_name(f, name);
  if (status != FRONTIER_OK)
    return status;
  if (!sized_take(&control, sizeof control, given, size))
    return refuse_unknown_field(f);
  if (f->options.read_only || (unsigned)control.priority >= FRONTIER_CLASSES)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "host %s: %s", name,
                         f->options.read_only ? "open for reading only" : "no such priority class");
  host *who = hosts_find(f->hosts, name, strlen(name));
  if (!who || !host_control_of(who))
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for host %s", name);
  apply(f, who, &control);
  return FRONTIER_OK;
}

static frontier_status set_blocked(frontier *f, const char *name, bool is_blocked)
{
  frontier_host_control control;
  frontier_status status = frontier_host_get(f, name, &control);
  control.is_blocked = is_blocked;
  return status == FRONTIER_OK ? frontier_host_set(f, name, &control) : status;
}

frontier_status frontier_host_block(frontier *f, const char *name)
{
  LOCKED(f);
  return set_blocked(f, name, true);
}

frontier_status frontier_host_unblock(frontier *f, const char *name)
{
  LOCKED(f);
  return set_blocked(f, name, false);
}

frontier_status frontier_host_defaults(frontier *f, uint64_t delay_ms, uint32_t per_host)
{
  LOCKED(f);
  if (!per_host)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "per_host is 0");
  f->options.delay_ms = delay_ms;
  f->options.per_host = per_host;
  hosts_set_defaults(f->hosts, delay_ms, per_host);
  return FRONTIER_OK;
}

frontier_status frontier_host_delay(frontier *f, uint64_t lease, uint64_t delay_ms)
{
  LOCKED(f);
  host *who = lease_host(f, lease);
  if (!who)
    return FRONTIER_NOT_FOUND;
  uint64_t before_ms = host_delay(f->hosts, who);
  who->asked_ms = delay_ms;
  hosts_shift(f->hosts, who, before_ms, rests_until(f, who));
  wake_look(f);
  return FRONTIER_OK;
}

frontier_status frontier_host_next(frontier *f, uint64_t lease, uint64_t now_ms, uint64_t wait_ms)
{
  LOCKED(f);
  host *who = lease_host(f, lease);
  if (!who)
    return FRONTIER_NOT_FOUND;
  if (wait_ms == FRONTIER_ITS_DELAY)
    wait_ms = host_delay(f->hosts, who);
  uint64_t due_ms = clock_now(f, now_ms) + (wait_ms < HOST_DELAY_MAX_MS ? wait_ms : HOST_DELAY_MAX_MS);
  uint64_t until_ms = rests_until(f, who);
  due_ms = due_ms > until_ms ? due_ms : until_ms;
  hosts_set_not_before(f->hosts, who, due_ms);
  hosts_hurry(f->hosts, who, due_ms);
  wake_look(f);
  return FRONTIER_OK;
}

/* For the next run, too. false: no memory. */
static bool keep_rest(frontier *f, host *who, uint64_t until_s)
{
  frontier_host_control *control = host_control_of(who);
  if (!control)
    return false;
  if (until_s > control->not_before_s)
    control->not_before_s = until_s;
  hosts_touch(f->hosts, who);
  batch_touch(&f->batch);
  return true;
}

frontier_status frontier_host_back_off(frontier *f, uint64_t lease, uint64_t now_ms, uint64_t wait_ms)
{
  LOCKED(f);
  host *who = lease_host(f, lease);
  if (!who)
    return FRONTIER_NOT_FOUND;
  uint64_t until_ms = clock_now(f, now_ms) + (wait_ms < HOST_DELAY_MAX_MS ? wait_ms : HOST_DELAY_MAX_MS);
  if (clock_is_told(f) && !keep_rest(f, who, clock_wall_s(f, until_ms)))
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for host %s", who->name);
  who->rest_ms = until_ms > who->rest_ms ? until_ms : who->rest_ms;
  hosts_set_not_before(f->hosts, who, until_ms);
  return FRONTIER_OK;
}

const char *frontier_host_of(frontier *f, uint64_t lease)
{
  LOCKED(f);
  const host *who = lease_host(f, lease);
  return who ? who->name : NULL;
}

uint64_t frontier_host_waiting(frontier *f, uint64_t lease)
{
  LOCKED(f);
  const host *who = lease_host(f, lease);
  return who ? host_queued(who) - who->in_flight : 0;
}

/* ---- looking -------------------------------------------------------------------------------------------- */

static frontier_host_state state_of(const frontier *f, const host *who, uint64_t now_ms)
{
  uint32_t per_host = who->control && who->control->per_host ? who->control->per_host : f->options.per_host;
  uint64_t waiting = host_queued(who) - who->in_flight;
  if (who->control && who->control->is_blocked)
    return FRONTIER_HOST_BLOCKED;
  if (waiting && waiting == who->blocked)
    return FRONTIER_HOST_OVER_BUDGET;
  if (who->in_flight >= per_host)
    return FRONTIER_HOST_BUSY;
  if (!waiting)
    return FRONTIER_HOST_IDLE;
  return who->due_ms > now_ms ? FRONTIER_HOST_WAITING : FRONTIER_HOST_DUE;
}

static frontier_host_info info_of(const frontier *f, const host *who, uint64_t now_ms)
{
  frontier_host_info info = {.name = who->name,
                             .state = state_of(f, who, now_ms),
                             .in_flight = who->in_flight,
                             .held = who->blocked,
                             .done = who->done,
                             .failed = who->failed,
                             .skipped = who->skipped,
                             .found = who->found,
                             .suspect = who->suspect,
                             .trap_taken = who->trap_ended,
                             .control = who->control ? who->control : &no_control};
  for (unsigned class = 0; class < FRONTIER_CLASSES; ++class) {
    const line *l = host_line(who, (frontier_class) class);
    info.queued[class] = l ? l->queued : 0;
  }
  return info;
}

frontier_status frontier_each_host(frontier *f, uint64_t now_ms, frontier_host_visitor *visit, void *context)
{
  LOCKED(f);
  const host *who;
  now_ms = clock_glance(f, now_ms);
  for (uint32_t id = 0; (who = hosts_at(f->hosts, id)); id++) {
    frontier_host_info info = info_of(f, who, now_ms);
    if (!visit(context, &info))
      break;
  }
  return FRONTIER_OK;
}

uint64_t frontier_held(const frontier *f)
{
  LOCKED(f);
  return f->hosts->blocked;
}
