/* See url_counts.h. */
#include "frontier/core/state.h"

#include <string.h>

static uint64_t *ended_so(url_counts *c, frontier_state state)
{
  return state == FRONTIER_DONE ? &c->done : state == FRONTIER_FAILED ? &c->failed : &c->skipped;
}

void counts_ended(url_counts *c, frontier_state state)
{
  ++*ended_so(c, state);
  c->events++;
}

static uint64_t *host_ended_so(host *who, frontier_state state)
{
  return state == FRONTIER_DONE ? &who->done : state == FRONTIER_FAILED ? &who->failed : &who->skipped;
}

void counts_take_back(frontier *f, host *who, frontier_class class, frontier_state state)
{
  uint64_t *ended = ended_so(&f->counts, state), *of_host = host_ended_so(who, state);
  *of_host -= *of_host > 0;
  *ended -= *ended > 0;
  who->trap_ended -= class == FRONTIER_TRAP && who->trap_ended;
  f->counts.queued++;
  host_line(who, class)->queued++;
  hosts_touch(f->hosts, who);
}

static uint64_t counted(const frontier *f)
{
  const url_counts *c = &f->counts;
  return c->queued + leases_count(&f->in_flight) + c->done + c->failed + c->skipped + c->noted;
}

bool counts_take_back_any(frontier *f, host *who, frontier_class class)
{
  frontier_state of_any = FRONTIER_DONE, of_host = FRONTIER_DONE;
  while (of_any < FRONTIER_SKIPPED && !*ended_so(&f->counts, of_any))
    of_any++;
  while (of_host < FRONTIER_SKIPPED && !(*ended_so(&f->counts, of_host) && *host_ended_so(who, of_host)))
    of_host++;
  bool is_of_host = *ended_so(&f->counts, of_host) && *host_ended_so(who, of_host);
  if (!*ended_so(&f->counts, of_any) && counted(f) + 1 >= f->counts.next_sequence)
    return false;
  counts_take_back(f, who, class, is_of_host ? of_host : of_any);
  hosts_recount(f->hosts, who);
  return true;
}

frontier_status frontier_stats_read_sized(frontier *f, frontier_stats *given, size_t stats_size)
{
  LOCKED(f);
  const url_counts *c = &f->counts;
  frontier_stats stats = {.queued = c->queued,
                          .in_flight = leases_count(&f->in_flight),
                          .deferred = c->deferred,
                          .done = c->done,
                          .failed = c->failed,
                          .skipped = c->skipped,
                          .hosts = hosts_count(f->hosts),
                          .profile = f->options.profile,
                          .expected_lost = hash_log_expected_lost(&f->log),
                          .noted = c->noted,
                          .forced = c->forced,
                          .commit_wait_ms = commit_waited_ms(f)};
  memcpy(stats.outcomes, c->outcomes, sizeof stats.outcomes);
  frontier_status status = f->seen ? FRONTIER_OK : seen_load(f);
  if (status == FRONTIER_OK)
    status = late_load(f);
  if (status != FRONTIER_OK)
    return status;
  stats.unconfirmed = late_waiting(f);
  stats.late = late_ever(f);
  seen_stats_read(f->seen, f->options.rate, &stats.filter);
  sized_give(given, stats_size, &stats, sizeof stats);
  return FRONTIER_OK;
}

/* ---- on disk -------------------------------------------------------------------------------------------- */

static progress progress_of(const frontier *f)
{
  const url_counts *c = &f->counts;
  progress p = {.next_sequence = c->next_sequence,
                .done = c->done,
                .failed = c->failed,
                .skipped = c->skipped,
                .noted = c->noted,
                .forced = c->forced};
  memcpy(p.outcomes, c->outcomes, sizeof p.outcomes);
  hash_log_say(f, &p);
  checkpoint_say(&f->checkpoint, &p);
  return p;
}

static void go_on_from(url_counts *c, const progress *p)
{
  c->next_sequence = p->next_sequence;
  c->done = p->done;
  c->failed = p->failed;
  c->skipped = p->skipped;
  c->noted = p->noted;
  c->forced = p->forced;
  memcpy(c->outcomes, p->outcomes, sizeof c->outcomes);
}

frontier_status counts_take_progress(frontier *f, const uint8_t *body, size_t size)
{
  progress p = {0};
  if (!progress_read(&p, body, size))
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: the progress record is damaged", f->directory);
  go_on_from(&f->counts, &p);
  hash_log_go_on(&f->log, &p);
  checkpoint_go_on(&f->checkpoint, &p);
  return FRONTIER_OK;
}

frontier_status counts_take_acceptance(frontier *f, const uint8_t *body, size_t size)
{
  progress p = progress_of(f);
  if (!acceptance_read(&p, body, size))
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: the record of noted and forced URLs is damaged", f->directory);
  go_on_from(&f->counts, &p);
  return FRONTIER_OK;
}

/* Of a number that a directory gives: is there room for so many more URLs? */
static bool take_from(uint64_t *room, uint64_t urls)
{
  bool has_room = urls <= *room;
  *room -= has_room ? urls : 0;
  return has_room;
}

static bool take_lines(url_counts *c, hosts *h, host *who, uint64_t *room)
{
  for (unsigned class = 0; class < FRONTIER_CLASSES; ++class) {
    line *l = host_line(who, (frontier_class) class);
    if (!l)
      continue;
    if (!take_from(room, l->queued))
      return false;
    l->unread = l->queued;
    h->unread += l->queued;
    c->queued += l->queued;
  }
  return true;
}

frontier_status counts_take_hosts(frontier *f)
{
  url_counts *c = &f->counts;
  uint64_t room = c->next_sequence - 1;
  bool has_room = take_from(&room, c->done) && take_from(&room, c->failed) && take_from(&room, c->skipped) &&
                  take_from(&room, c->noted);
  host *who;
  for (uint32_t id = 0; has_room && (who = hosts_at(f->hosts, id)); id++)
    has_room = take_lines(c, f->hosts, who, &room);
  if (has_room)
    return FRONTIER_OK;
  return frontier_fail(f, FRONTIER_DAMAGED,
                       "%s: more URLs are counted as waiting or ended than there are; strata repair counts them anew",
                       f->directory);
}

static void put(frontier *f)
{
  uint8_t body[PROGRESS_SIZE], more[ACCEPTANCE_SIZE];
  progress p = progress_of(f);
  progress_write(&p, body);
  store_put_meta(f->store, "progress", body, sizeof body);
  acceptance_write(&p, more);
  if (progress_has_acceptance(&p))
    store_put_meta(f->store, "acceptance", more, sizeof more);
}

/* Where a URL that was accepted can be: it waits, is in flight, or has ended. Keys that came by a merge, and what was
 * lost with a damaged file, are nowhere. A directory's numbers count as ours once their checksum holds. */
static void check(const frontier *f)
{
  const url_counts *c = &f->counts;
  assert(c->next_sequence - 1 == hash_log_keys(&f->log) + (f->seen ? seen_batch_keys(f->seen) : 0));
  assert(c->queued + leases_count(&f->in_flight) + c->done + c->failed + c->skipped + c->noted < c->next_sequence);
  assert(c->deferred <= c->queued && f->hosts->blocked <= c->queued - c->deferred);
  (void)c;
}

const part counts_part = {.check = check, .put = put};
