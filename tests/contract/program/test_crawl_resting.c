/* Hundreds of hosts that answer 503 and "come back in an hour", each with a hundred URLs before those of a few healthy
 * ones: these are fetched as if they were alone. Names below localhost are 127.0.0.1, by libcurl itself. */
#include "tests/site/pages.h"
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESTING = 700, RESTING_URLS = 100, HEALTHY = 20, HEALTHY_URLS = 10 };

#define CRAWL                                                                                              \
  "crawl", "--dir", "DIR", "--delay", "0", "--per-address", "0", "--connections", "16", "--allow-private", \
    "--ignore-robots"

static void answer(int fd, const char *target)
{
  (void)target;
  if (strstr(raw_head(), "Host: r"))
    raw_send_string(fd, "HTTP/1.1 503 Later\r\nRetry-After: 3600\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  else
    raw_send_string(fd, SMALL_HTML "fine");
}

static void write_seeds(const char *path)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < RESTING * RESTING_URLS; i++)
    fprintf(file, "http://r%d.localhost:%u/%d\n", i % RESTING, small_port, i / RESTING);
  for (int i = 0; i < HEALTHY * HEALTHY_URLS; i++)
    fprintf(file, "http://h%d.localhost:%u/%d\n", i % HEALTHY, small_port, i / HEALTHY);
  assert_int_equal(fclose(file), 0);
}

/* Of healthy hosts, with status 200. */
static size_t count_healthy(const small *s)
{
  page_log log = pages_read(s->trial->pages);
  size_t found = 0;
  for (size_t i = 0; i < pages_count(&log); i++)
    found += strncmp(pages_url(&log, i), "http://h", 8) == 0 &&
             json_integer_value(json_object_get(json_array_get(log.list, i), "status")) == 200;
  pages_free(&log);
  return found;
}

CASE(resting_hosts_hold_nobody_up)
{
  small s = small_open_with(answer);
  char *seeds = trial_path(s.trial, "seeds");
  write_seeds(seeds);
  const char *const words[] = {CRAWL, "--max-pages", "200", "--max-seconds", "40", "--seeds", seeds, NULL};
  assert_int_equal(small_strata(&s, words, 0), 0);
  assert_int_equal(count_healthy(&s), HEALTHY * HEALTHY_URLS);
  free(seeds);
  small_close(&s);
}
