#include "tests/support/small_crawl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { HOSTS = 12, LINKS = 5 };

frontier_options small_crawl_options(const small_crawl *c)
{
  return (frontier_options){.filter = c->filter ? c->filter : MLBF_KIND_MLBF,
                            .profile = c->profile,
                            .expected_urls = c->expected_urls ? c->expected_urls : 500,
                            .rate = 1e-6,
                            .per_host = 4,
                            .depth_cap = UINT16_MAX,
                            .journal_path = c->journal,
                            .exact = c->exact,
                            .secret = c->secret};
}

/* Every other URL is of host 0. */
void small_crawl_url(const small_crawl *c, unsigned number, url *u)
{
  char text[128];
  unsigned host = number % 2 ? (unsigned)((number * 2654435761u + c->seed) % HOSTS) : 0;
  int size = snprintf(text, sizeof text, "http://h%u.test%s%u/%u", host, c->path ? c->path : "/", number / 50, number);
  assert_int_equal(url_parse(text, (size_t)size, c->profile, u), URL_OK);
}

static void add(const small_crawl *c, frontier *f, unsigned number, frontier_origin origin, url *u)
{
  frontier_verdict verdict;
  small_crawl_url(c, number % c->urls, u);
  if (frontier_add(f, u, origin, 0, &verdict) != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
}

frontier *small_crawl_open(const small_crawl *c)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  url *u = malloc(sizeof *u);
  frontier_options options = small_crawl_options(c);
  if (frontier_open(c->directory, &options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  for (unsigned i = 0; i < 3; i++)
    add(c, f, i, (frontier_origin){0}, u);
  free(u);
  return f;
}

static void fetch(const small_crawl *c, frontier *f, const frontier_lease *lease, url *u)
{
  char report[96];
  unsigned number = (unsigned)strtoul(strrchr(lease->url, '/') + 1, NULL, 10);
  frontier_state state = number % 11 == 10 ? FRONTIER_SKIPPED : number % 7 == 6 ? FRONTIER_FAILED : FRONTIER_DONE;
  for (unsigned i = 1; i <= LINKS; i++)
    add(c, f, number * 3 + i, (frontier_origin){.via = lease->id, .depth = 1}, u);
  snprintf(report, sizeof report, "{\"id\":%llu,\"url\":\"%.60s\"}", (unsigned long long)lease->id, lease->url);
  bool is_reported = c->journal && state != FRONTIER_SKIPPED;
  if (frontier_done(f, lease->id, state, 200, is_reported ? report : NULL, is_reported ? strlen(report) : 0, 0) !=
      FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
}

unsigned small_crawl_run(const small_crawl *c, frontier *f)
{
  enum { TAKEN = 16 };
  frontier_lease leases[TAKEN];
  size_t count;
  unsigned fetched = 0;
  int64_t wait_ms;
  url *u = malloc(sizeof *u);
  while (fetched < c->fetched && !frontier_is_finished(f)) {
    size_t wanted = c->fetched - fetched < TAKEN ? c->fetched - fetched : TAKEN;
    if (frontier_next(f, 0, leases, wanted, &count, &wait_ms) != FRONTIER_OK)
      fail_msg("%s", frontier_message(f));
    if (count == 0 && wait_ms != 0)
      fail_msg("nothing to do after %u, wait %lld", fetched, (long long)wait_ms);
    for (size_t i = 0; i < count; i++)
      fetch(c, f, &leases[i], u);
    fetched += (unsigned)count;
  }
  free(u);
  return fetched;
}

unsigned small_crawl_make(const small_crawl *c)
{
  frontier *f = small_crawl_open(c);
  unsigned fetched = small_crawl_run(c, f);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  return fetched;
}
