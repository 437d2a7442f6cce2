/* The linker puts these in the place of the frontier's functions (--wrap): they call the real ones, tell the watch, and
 * plant a bug where one is asked for. */
#include "frontier/host.h"
#include "frontier/recrawl.h"
#include "frontier/core/state.h"
#include "tests/contract/web/plant.h"
#include "tests/contract/web/sim.h"
#include "tests/contract/web/witness.h"

#include <string.h>
#include <xxhash.h>

plant planted;

const char *const plant_names[PLANTS] = {"none",         "lost-link",    "page-twice", "host-too-early",
                                         "host-starves", "end-too-soon", "lost-commit"};

frontier_status __wrap_frontier_add(frontier *f, const url *u, frontier_origin origin, uint64_t now_ms,
                                    frontier_verdict *verdict);
frontier_status __real_frontier_add_batch_sized(frontier *f, const frontier_link *links, size_t link_size, size_t count,
                                                uint64_t now_ms, frontier_verdict *verdicts, size_t *settled);
frontier_status __wrap_frontier_add_batch_sized(frontier *f, const frontier_link *links, size_t link_size, size_t count,
                                                uint64_t now_ms, frontier_verdict *verdicts, size_t *settled);
frontier_status __real_frontier_next_sized(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t lease_size,
                                           size_t max, size_t *count, int64_t *wait_ms);
frontier_status __wrap_frontier_next_sized(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t lease_size,
                                           size_t max, size_t *count, int64_t *wait_ms);
frontier_status __real_frontier_done(frontier *f, uint64_t lease, frontier_state state, uint16_t code,
                                     const char *report, size_t report_size, uint64_t now_ms);
frontier_status __wrap_frontier_done(frontier *f, uint64_t lease, frontier_state state, uint16_t code,
                                     const char *report, size_t report_size, uint64_t now_ms);
frontier_status __real_frontier_host_next(frontier *f, uint64_t lease, uint64_t now_ms, uint64_t wait_ms);
frontier_status __wrap_frontier_host_next(frontier *f, uint64_t lease, uint64_t now_ms, uint64_t wait_ms);
frontier_status __real_frontier_release(frontier *f, uint64_t lease, uint64_t now_ms);
frontier_status __wrap_frontier_release(frontier *f, uint64_t lease, uint64_t now_ms);
frontier_status __real_frontier_again(frontier *f, const uint64_t *ids, size_t count, uint64_t *queued);
frontier_status __wrap_frontier_again(frontier *f, const uint64_t *ids, size_t count, uint64_t *queued);
bool __real_frontier_is_finished(const frontier *f);
bool __wrap_frontier_is_finished(const frontier *f);
frontier_status __real_commit_batch(frontier *f);
frontier_status __wrap_commit_batch(frontier *f);

/* One of `n` names, by the seed. */
static bool is_victim(const char *name, size_t size, uint64_t n)
{
  return XXH3_64bits_withSeed(name, size, the_sim->seed) % n == 0;
}

/* Every n-th call of all that are planted. */
static bool is_moment(unsigned n)
{
  static unsigned calls;
  return ++calls % n == 0;
}

/* ---- in --------------------------------------------------------------------------------------------------------- */

/* What is queued again with the next lease. */
static struct {
  bool is_set;
  url target;
  frontier_origin origin;
} twice;

enum { TOGETHER = 32 }; /* links that the crawl adds in one call, at most */

/* As a program would that has its own opinion of URLs: strata crawl has none. */
static const frontier_link *give_ranks(const frontier_link *links, size_t count, frontier_link ranked[TOGETHER])
{
  if (!witness_rules_now()->is_ordered || count > TOGETHER)
    return links;
  for (size_t i = 0; i < count; i++) {
    const url *u = links[i].target;
    ranked[i] = links[i];
    ranked[i].priority = (int32_t)(XXH3_64bits_withSeed(u->key, u->key_size, the_sim->seed) % WITNESS_RANKS) -
                         WITNESS_RANK_0;
  }
  return ranked;
}

static frontier_status add_one(frontier *f, const frontier_link *link, uint64_t now_ms, frontier_verdict *verdict)
{
  enum { LINKS = 64 };
  const url *u = link->target;
  bool is_chosen = is_victim(u->fetch, u->fetch_size, LINKS) && link->origin.depth > 0;
  if (planted == PLANT_LOST_LINK && is_chosen) {
    *verdict = (frontier_verdict){.outcome = FRONTIER_SEEN};
    return FRONTIER_OK;
  }
  size_t settled;
  frontier_status status = __real_frontier_add_batch_sized(f, link, sizeof *link, 1, now_ms, verdict, &settled);
  if (status != FRONTIER_OK)
    return status;
  witness_added(u->fetch, u->fetch_size, link->origin, link->priority, verdict->outcome);
  if (planted == PLANT_PAGE_TWICE && is_chosen && verdict->outcome == FRONTIER_SEEN) {
    twice.origin = link->origin;
    twice.is_set = url_parse(u->fetch, u->fetch_size, URL_STRICT, &twice.target) == URL_OK;
  }
  return status;
}

frontier_status __wrap_frontier_add(frontier *f, const url *u, frontier_origin origin, uint64_t now_ms,
                                    frontier_verdict *verdict)
{
  return add_one(f, &(frontier_link){.target = u, .origin = origin}, now_ms, verdict);
}

/* What frontier_add_texts calls, TOGETHER links at most: so no commit comes between two of them. */
frontier_status __wrap_frontier_add_batch_sized(frontier *f, const frontier_link *links, size_t link_size, size_t count,
                                                uint64_t now_ms, frontier_verdict *verdicts, size_t *settled)
{
  frontier_status status = FRONTIER_OK;
  frontier_link room[TOGETHER];
  links = give_ranks(links, count, room);
  *settled = 0;
  if (planted == PLANT_NONE) {
    status = __real_frontier_add_batch_sized(f, links, link_size, count, now_ms, verdicts, settled);
    for (size_t i = 0; i < *settled; i++)
      witness_added(links[i].target->fetch, links[i].target->fetch_size, links[i].origin, links[i].priority,
                    verdicts[i].outcome);
    return status;
  }
  while (*settled < count && status == FRONTIER_OK) {
    status = add_one(f, &links[*settled], now_ms, &verdicts[*settled]);
    *settled += status == FRONTIER_OK;
  }
  return status;
}

/* ---- out -------------------------------------------------------------------------------------------------------- */

static bool starves(const frontier_lease *l)
{
  enum { HOSTS = 4 };
  return l->origin.depth > 0 && is_victim(l->url + l->host_begin, l->host_end - l->host_begin, HOSTS);
}

/* Of some hosts none, for a long time, and then as it should be: so all comes to a good end. */
static size_t starve(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t count)
{
  enum { LONG = 2000 };
  static unsigned starved;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (starves(&leases[i]) && starved++ < LONG)
      __real_frontier_release(f, leases[i].id, now_ms);
    else
      leases[kept++] = leases[i];
  return kept;
}

/* Are all URLs of its host of its class, those in flight too? Between classes the turn decides, and no priority. */
static bool is_of_one_class(frontier *f, uint64_t lease)
{
  const entry *e = lease_entry(f, lease);
  for (unsigned class = 0; class < FRONTIER_CLASSES; ++class) {
    const line *l = class != e->class ? host_line(e->host, (frontier_class) class) : NULL;
    if (l && l->queued)
      return false;
  }
  return true;
}

frontier_status __wrap_frontier_next_sized(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t lease_size,
                                           size_t max, size_t *count, int64_t *wait_ms)
{
  enum { EARLY_ONE_IN = 31, EARLY_MS = 700 };
  if (planted == PLANT_HOST_TOO_EARLY && is_moment(EARLY_ONE_IN))
    now_ms += EARLY_MS;
  if (twice.is_set) {
    frontier_verdict ignored;
    frontier_force(f, &(frontier_link){.target = &twice.target, .origin = twice.origin}, now_ms, &ignored);
    twice.is_set = false;
  }
  frontier_status status = __real_frontier_next_sized(f, now_ms, leases, lease_size, max, count, wait_ms);
  if (planted == PLANT_HOST_STARVES && *count) {
    *count = starve(f, now_ms, leases, *count);
    *wait_ms = *count ? 0 : 1;
  }
  witness_leased(f, now_ms, leases, *count);
  for (size_t i = 0; i < *count && witness_rules_now()->is_ordered; i++)
    if (is_of_one_class(f, leases[i].id))
      witness_ranked(&leases[i]);
  return status;
}

frontier_status __wrap_frontier_host_next(frontier *f, uint64_t lease, uint64_t now_ms, uint64_t wait_ms)
{
  const char *name = frontier_host_of(f, lease);
  if (name)
    witness_host_next(name, now_ms, wait_ms);
  return __real_frontier_host_next(f, lease, now_ms, wait_ms);
}

frontier_status __wrap_frontier_done(frontier *f, uint64_t lease, frontier_state state, uint16_t code,
                                     const char *report, size_t report_size, uint64_t now_ms)
{
  enum { FORGOTTEN_ONE_IN = 37 };
  char address[URL_LENGTH_MAX + 1];
  const entry *e = lease_entry(f, lease);
  size_t size = e ? e->url_size : 0;
  if (e)
    memcpy(address, e->url, size);
  frontier_status status = planted == PLANT_LOST_COMMIT && is_moment(FORGOTTEN_ONE_IN)
                             ? __real_frontier_release(f, lease, now_ms)
                             : __real_frontier_done(f, lease, state, code, report, report_size, now_ms);
  if (status == FRONTIER_OK && size)
    witness_ended(address, size, state);
  return status;
}

frontier_status __wrap_frontier_release(frontier *f, uint64_t lease, uint64_t now_ms)
{
  char address[URL_LENGTH_MAX + 1];
  const entry *e = lease_entry(f, lease);
  size_t size = e ? e->url_size : 0;
  if (e)
    memcpy(address, e->url, size);
  frontier_status status = __real_frontier_release(f, lease, now_ms);
  if (status == FRONTIER_OK && size)
    witness_released(address, size);
  return status;
}

/* What ended and is not too deep is queued again: so it says, and so the witness takes it. */
frontier_status __wrap_frontier_again(frontier *f, const uint64_t *ids, size_t count, uint64_t *queued)
{
  uint64_t expected = 0;
  for (size_t i = 0; i < count; i++) {
    frontier_record r;
    if (frontier_find_id(f, ids[i], &r) != FRONTIER_OK || r.is_queued || r.is_in_flight ||
        r.origin.depth > witness_rules_now()->max_depth)
      continue;
    witness_again(r.url, r.url_size, r.state);
    expected++;
  }
  frontier_status status = __real_frontier_again(f, ids, count, queued);
  if (status == FRONTIER_OK && *queued != expected)
    sim_fail("again: %llu URLs wait again, and %llu had ended", (unsigned long long)*queued,
             (unsigned long long)expected);
  return status;
}

bool __wrap_frontier_is_finished(const frontier *f)
{
  enum { SOON_ONE_IN = 97 };
  if (__real_frontier_is_finished(f))
    return true;
  return planted == PLANT_END_TOO_SOON && !leases_count(&f->in_flight) && is_moment(SOON_ONE_IN);
}

/* ---- to stay ---------------------------------------------------------------------------------------------------- */

/* From the frontier's other files; within its own it is called by none. */
frontier_status __wrap_commit_batch(frontier *f)
{
  frontier_status status = __real_commit_batch(f);
  if (status == FRONTIER_OK)
    witness_committed();
  return status;
}
