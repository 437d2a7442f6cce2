/* A whole crawler in one loop, with a web of three pages instead of a network. */
#include "frontier/frontier.h"

#include <stdio.h>
#include <string.h>

static const char *const web[][2] = {
  {"http://a.example/", "/b ./b#part http://A.example:80/b"},
  {"http://a.example/b", "/ c?d"},
  {"http://a.example/c?d", ""},
};

static const char *fake_fetch(const char *address)
{
  for (size_t i = 0; i < sizeof web / sizeof *web; i++)
    if (strcmp(web[i][0], address) == 0)
      return web[i][1];
  return NULL;
}

int main(int argc, char **argv)
{
  char why[FRONTIER_MESSAGE_SIZE];
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 1000000, .rate = 1e-6, .per_host = 1, .depth_cap = UINT16_MAX};
  frontier *f;
  if (frontier_open(argc > 1 ? argv[1] : NULL, &options, &f, why) != FRONTIER_OK)
    return fprintf(stderr, "%s\n", why), 1;

  static url u; /* 17 KB: not for the stack */
  url_base *base = url_base_create();
  frontier_verdict verdict;
  frontier_lease lease;
  size_t leased;
  int64_t wait_ms;
  uint64_t now_ms = 0;
  url_parse(web[0][0], strlen(web[0][0]), URL_STRICT, &u);
  frontier_add(f, &u, (frontier_origin){0}, now_ms, &verdict);

  while (frontier_next(f, now_ms, &lease, 1, &leased, &wait_ms) == FRONTIER_OK && !frontier_is_finished(f)) {
    now_ms += leased || wait_ms < 1 ? 1 : (uint64_t)wait_ms; /* one with a network waits so long */
    if (!leased)
      continue;
    const char *links = fake_fetch(lease.url);
    printf("%s\n", lease.url);
    url_base_set(base, lease.url, lease.url_size);
    for (size_t size; links && *links; links += size + strspn(links + size, " ")) {
      size = strcspn(links, " ");
      if (url_resolve(base, links, size, URL_STRICT, &u) == URL_OK)
        frontier_add(f, &u, (frontier_origin){.via = lease.id, .depth = lease.origin.depth + 1}, now_ms, &verdict);
    }
    frontier_done(f, lease.id, links ? FRONTIER_DONE : FRONTIER_FAILED, links ? 200 : 404, NULL, 0, now_ms);
  }
  url_base_free(base);
  return frontier_close(f) != FRONTIER_OK;
}
