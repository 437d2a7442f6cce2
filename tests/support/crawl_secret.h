/* tests/support/crawl_secret.h: the secret that the directory of a crawl keeps. */
#ifndef STRATA_TESTS_CRAWL_SECRET_H
#define STRATA_TESTS_CRAWL_SECRET_H

#include "frontier/frontier.h"

#include <stdio.h>
#include <stdlib.h>

/* Valid until the next call. */
static inline const uint8_t *crawl_secret_of(const char *crawl)
{
  static uint8_t secret[MLBF_SECRET_BYTES];
  char path[8192], message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 1, .rate = 0.5, .per_host = 1, .read_only = true, .keep_identity = true};
  frontier *f;
  snprintf(path, sizeof path, "%s/frontier", crawl);
  if (frontier_open(path, &options, &f, message) != FRONTIER_OK) {
    fprintf(stderr, "%s\n", message);
    abort();
  }
  frontier_secret(f, secret);
  frontier_close(f);
  return secret;
}

#endif
