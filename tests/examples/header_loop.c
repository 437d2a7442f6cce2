/* The loop that frontier/frontier.h shows, as it stands there (header_loop.inc is made of it), with a host that wants to
 * be left alone for forty days: it waits that long, in pieces that `poll` takes, and never spins. */
#include "frontier/host.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { REST_DAYS = 40 };

static const uint64_t rest_ms = (uint64_t)REST_DAYS * 86400000;
static uint64_t time_ms = 1700000000000, begun_ms[3];
static unsigned begun, polls;
static frontier *f;

static uint64_t now_ms(void)
{
  return time_ms;
}

static int pass(struct pollfd *fds, nfds_t count, int timeout_ms)
{
  (void)fds, (void)count;
  if (++polls > 9 || timeout_ms <= 0)
    abort();
  time_ms += (unsigned)timeout_ms;
  return 0;
}

/* The first lease is told to come again much later. */
static void begin(const frontier_lease *leases, size_t count)
{
  if (count != 1 || begun == 2)
    abort();
  begun_ms[begun++] = time_ms;
  if (begun == 1 && (frontier_host_back_off(f, leases->id, time_ms, rest_ms) != FRONTIER_OK ||
                     frontier_release(f, leases->id, time_ms) != FRONTIER_OK))
    abort();
  if (begun == 2 && frontier_done(f, leases->id, FRONTIER_DONE, 200, NULL, 0, time_ms) != FRONTIER_OK)
    abort();
}

static void run(void)
{
  frontier_lease leases[4];
  const size_t max = sizeof leases / sizeof *leases;
  size_t count;
  int64_t wait_ms;
#define poll pass
#include "header_loop.inc"
}

int main(void)
{
  char why[FRONTIER_MESSAGE_SIZE];
  const frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 1000, .rate = 1e-6, .per_host = 1, .depth_cap = UINT16_MAX};
  static url u;
  frontier_verdict verdict;
  if (url_parse("http://a.test/", 14, URL_STRICT, &u) != URL_OK ||
      frontier_open(NULL, &options, &f, why) != FRONTIER_OK ||
      frontier_add(f, &u, (frontier_origin){0}, time_ms, &verdict) != FRONTIER_OK)
    abort();
  run();
  if (begun != 2 || begun_ms[1] - begun_ms[0] != rest_ms)
    abort();
  return frontier_close(f) != FRONTIER_OK;
}
