/* Whose turn it is: a host that is due is leased from before others have had more than their turns.
 *
 * The frontier's rule (frontier/hosts/schedule.h): hosts that are due take turns; of 4 turns one is NORMAL's, of 16
 * LOW's, of 64 TRAP's, if better classes have something. So while a host with a normal URL is due, there are at most 4
 * leases for each host that is due as well, and 64 more that one call may give. That is the bound, `turns_of` of its
 * best class for all hosts there are; and one for each host where no URL is of another class. Where the frontier's
 * memory is small, URLs of others that came first may lie before it on disk: then each of those counts as a host.
 *
 * Two must agree that a host is due: this file, by what was accepted, leased and ended, and the frontier, by what it
 * says of the host's delay. So hosts that rest, and budgets, are no news here. */
#include "tests/contract/web/sim.h"
#include "tests/contract/web/witness.h"
#include "tests/contract/web/witness_inside.h"

#include "frontier/host.h"

#include <string.h>

enum { CALL_MAX = 64, LOOK_EACH = 4, HOSTS_MANY = 2048 };

static uint64_t leases, calls, leases_looked; /* the last: when hosts were looked at */

static bool are_of_one_class = true; /* all URLs there ever were in this life: then of one turn each is theirs */

static uint64_t turns_of(const frontier_host_info *host)
{
  if (are_of_one_class)
    return 1;
  if (host->queued[FRONTIER_NORMAL] || host->queued[FRONTIER_HIGH])
    return 4;
  return host->queued[FRONTIER_LOW] ? 16 : 64;
}

typedef struct looking {
  uint64_t rivals;
} looking;

static bool look(void *context, const frontier_host_info *host)
{
  const looking *l = context;
  are_of_one_class &= !(host->queued[FRONTIER_HIGH] + host->queued[FRONTIER_LOW] + host->queued[FRONTIER_TRAP]);
  witnessed_host *h = witness_host(host->name, strlen(host->name));
  bool is_due = host->state == FRONTIER_HOST_DUE && h->waiting;
  if (is_due && h->is_due)
    h->passed += leases - leases_looked;
  h->is_due = is_due;
  uint64_t most = turns_of(host) * l->rivals + CALL_MAX;
  if (is_due && h->passed > most)
    sim_fail("host starves: %s is due, has %u URLs, and waited while %llu others were leased, more than %llu", h->name,
             h->waiting, (unsigned long long)h->passed, (unsigned long long)most);
  return true;
}

void witness_turn_back(void)
{
  leases -= leases > leases_looked;
}

void witness_leased(frontier *f, uint64_t now_ms, const frontier_lease *given, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const frontier_lease *l = &given[i];
    witness_leased_one(l, now_ms);
    witnessed_host *h = witness_host(l->url + l->host_begin, l->host_end - l->host_begin);
    h->is_due = false;
    h->passed = 0;
  }
  leases += count;
  if (!count || calls++ % LOOK_EACH || witness_hosts() > HOSTS_MANY)
    return;
  looking l = {.rivals = witness_hosts() + (witness_rules_now()->is_tiny ? witness_urls() : 0)};
  frontier_each_host(f, now_ms, look, &l);
  leases_looked = leases;
}
