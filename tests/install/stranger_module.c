/* A plugin that has the static libraries in it, for a program that has not: a frontier with one URL. */
#include <frontier/frontier.h>

#include <string.h>

int module_run(void);

int module_run(void)
{
  static const char address[] = "http://a.example/";
  static url u;
  char why[FRONTIER_MESSAGE_SIZE];
  const frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 1000, .rate = 1e-6, .per_host = 1, .depth_cap = 9};
  frontier *f;
  frontier_verdict verdict;
  frontier_lease lease;
  size_t count = 0;
  int64_t wait_ms;
  if (url_parse(address, strlen(address), URL_STRICT, &u) != URL_OK ||
      frontier_open(NULL, &options, &f, why) != FRONTIER_OK)
    return 0;
  frontier_add(f, &u, (frontier_origin){0}, 1, &verdict);
  frontier_next(f, 1, &lease, 1, &count, &wait_ms);
  int answer = count == 1 && strcmp(lease.url, address) == 0 ? 42 : 0;
  return frontier_close(f) == FRONTIER_OK ? answer : 0;
}
