/* When a robots.txt is requested, or what it leads to. The host of the visit that asks is in its turn; any other host
 * is asked only when its own next URL could be: after its delay and its rest, below the limits of host and address.
 *
 * Nothing is held while one waits: a visit that is refused comes again. */
#include "crawler/loop/crawl_state.h"

#include "frontier/base/machine.h"
#include "frontier/host.h"

#include <stdio.h>
#include <string.h>

enum { HOST_MAX = 512 };

/* Of what the frontier has on disk: a Retry-After that this run or an earlier one was told. */
static uint64_t rest_of(crawl *c, const char *host, size_t size)
{
  char name[HOST_MAX];
  frontier_host_control control;
  snprintf(name, sizeof name, "%.*s", (int)(size < HOST_MAX ? size : 0), host);
  if (frontier_host_get(c->frontier, name, &control) != FRONTIER_OK)
    return 0;
  uint64_t now_ms = machine_wall_ms(), until_ms = control.not_before_s * 1000;
  return until_ms > now_ms ? until_ms - now_ms : 0;
}

static bool begin_beside(crawl *c, const char *host, size_t size, robots_turn *turn, uint64_t *wait_ms)
{
  if (c->asking)
    crawl_leave_address(c, c->asking); /* or, with a limit of one, it would wait for itself, or two for each other */
  *wait_ms = rest_of(c, host, size);
  if (*wait_ms)
    return false;
  turn->has_address = c->addresses != NULL;
  if (c->addresses && !per_address_enter(c->addresses, host, size, &turn->address, wait_ms))
    return false;
  if (host_pace_begin_beside(c->pace, host, size, c->now_ms, &turn->pace, wait_ms))
    return true;
  if (c->addresses)
    per_address_leave(c->addresses, turn->address);
  return false;
}

static bool begin(void *context, const char *host, size_t size, robots_turn *turn, uint64_t *wait_ms)
{
  crawl *c = context;
  if (turn->is_beside)
    return begin_beside(c, host, size, turn, wait_ms);
  turn->pace = host_pace_begin(c->pace, host, size, c->now_ms);
  return true;
}

/* The first that is called when an answer has come, inside fetch_poll: also its sitemaps are told by this time. */
static void end(void *context, const char *host, size_t size, const robots_turn *turn, const fetch_response *response)
{
  crawl *c = context;
  c->now_ms = machine_monotonic_ms();
  host_pace_end(c->pace, turn->pace, turn->is_beside);
  if (turn->has_address)
    per_address_leave(c->addresses, turn->address);
  if (!response)
    return;
  if (c->addresses)
    per_address_learn(c->addresses, host, size, response->address);
  if (retries_asked_ms(response))
    host_pace_rest(c->pace, host, size, c->now_ms, retries_asked_ms(response));
}

robots_turns crawl_robots_turns(crawl *c)
{
  return (robots_turns){begin, end, c};
}
