/* Names without end below one domain, beside an honest site with many pages: the crawl ends by itself, the site is
 * complete, and what was left waits. Names below localhost are 127.0.0.1, by libcurl itself. */
#include "frontier/frontier.h"
#include "tests/site/pages.h"
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES = 150, BUDGET = 40, CONNECTIONS = 8 };

/* "start" leads to the honest site and to the farm; each name of the farm to three more names, and all of them to
 * pages of their own. */
static void answer(int fd, const char *target)
{
  unsigned number = 0;
  text page = {0};
  const char *host = strstr(raw_head(), "Host: ");
  host = host ? host + strlen("Host: ") : "";
  if (strcmp(target, "/robots.txt") == 0) {
    raw_send_string(fd, SMALL_HEAD "text/plain\r\n\r\n");
    return;
  }
  text_add(&page, SMALL_HTML);
  if (strncmp(host, "start", 5) == 0)
    text_addf(&page, "<a href=http://honest.localhost:%u/>x</a><a href=http://x0.farm.localhost:%u/>x</a>", small_port,
              small_port);
  for (unsigned i = 0; strncmp(host, "honest", 6) == 0 && i < PAGES; i++)
    text_addf(&page, "<a href=/%u>x</a>", i);
  if (sscanf(host, "x%u.farm", &number) == 1)
    for (unsigned i = 1; i <= 3; i++)
      text_addf(&page, "<a href=http://x%u.farm.localhost:%u/>x</a><a href=/%u>x</a>", 3 * number + i, small_port, i);
  if (strncmp(host, "friend", 6) == 0)
    text_addf(&page, "<a href=http://x1.farm.localhost:%u/>x</a>", small_port);
  raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static void count_pages(const small *s, unsigned *honest, unsigned *farm)
{
  page_log log = pages_read(s->trial->pages);
  *honest = *farm = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    *honest += strstr(pages_url(&log, i), "://honest.") != NULL;
    *farm += strstr(pages_url(&log, i), ".farm.") != NULL;
  }
  pages_free(&log);
}

/* start NULL: it goes on. */
static json_t *crawl(small *s, const char *start, const char *budget, const char *max_pages)
{
  char address[64], *summary = trial_path(s->trial, "summary.json");
  json_error_t error;
  snprintf(address, sizeof address, "http://%s.localhost:%u/", start ? start : "", small_port);
  const char *const words[] = {"crawl",
                               "--dir",
                               "DIR",
                               "--delay",
                               "0",
                               "--scope",
                               "any",
                               "--allow-private",
                               "--connections",
                               "8",
                               "--max-seconds",
                               "60",
                               "--summary",
                               summary,
                               "--domain-budget",
                               budget,
                               "--max-pages",
                               max_pages,
                               start ? address : NULL,
                               NULL};
  assert_int_equal(small_strata(s, words, 0), 0);
  json_t *object = json_load_file(summary, 0, &error);
  assert_non_null(object);
  free(summary);
  return object;
}

static void assert_end(json_t *summary, const char *end, bool holds)
{
  assert_string_equal(json_string_value(json_object_get(summary, "end")), end);
  assert_int_equal(json_integer_value(json_object_get(summary, "held")) > 0, holds);
  json_decref(summary);
}

CASE(a_farm_of_names)
{
  unsigned honest, farm, before;
  small s = small_open_with(answer);
  assert_end(crawl(&s, "start", "40", "1000"), "traps", true);
  count_pages(&s, &honest, &farm);
  print_message("%u pages of the honest site, %u of the farm\n", honest, farm);
  assert_in_range(honest, 2 * BUDGET, 2 * BUDGET + CONNECTIONS); /* "start" links there, and no other domain */
  assert_in_range(farm, 2 * BUDGET, 2 * BUDGET + CONNECTIONS);
  before = farm;

  assert_end(crawl(&s, "start", "100", "1000"), "traps", true); /* a larger one: its hosts are not held any more */
  count_pages(&s, &honest, &farm);
  assert_int_equal(honest, 1 + PAGES);
  assert_in_range(farm, before + 1, 2 * 100 + CONNECTIONS);
  before = farm;

  /* One more domain links to it. In one run of 64 that has the bit of the first one (domain_budget.c), and is none
   * more; then another has its turn. */
  static const char *const friends[] = {"friend", "friend-2", "friend-3", "friend-4", "friend-5"};
  for (size_t i = 0; i < sizeof friends / sizeof *friends && farm == before; i++) {
    assert_end(crawl(&s, friends[i], "100", "1000"), "traps", true);
    count_pages(&s, &honest, &farm);
  }
  assert_in_range(farm, before + 1, 3 * 100 + CONNECTIONS);
  small_close(&s);
}

/* As a directory has them that was made when start URLs had no scheme. */
static void write_start_hosts(const small *s, const char *host)
{
  char message[FRONTIER_MESSAGE_SIZE], *directory = trial_path(s->trial, "crawl/frontier");
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 1000, .rate = 0.01, .per_host = 1, .keep_identity = true};
  frontier *f;
  const void *before;
  size_t size;
  text hosts = {0};
  text_addf(&hosts, "host\n%s.localhost:%u\n", host, small_port);
  assert_int_equal(frontier_open(directory, &options, &f, message), FRONTIER_OK);
  assert_int_equal(frontier_setting_get(f, "trusted", &before, &size), FRONTIER_OK);
  assert_non_null(memmem(before, size, "origin\nhttp://", strlen("origin\nhttp://")));
  assert_int_equal(frontier_setting_put(f, "trusted", hosts.bytes, hosts.size), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  text_free(&hosts);
  free(directory);
}

CASE(a_start_has_no_budget)
{
  unsigned honest, farm;
  small s = small_open_with(answer);
  assert_end(crawl(&s, "honest", "10", "20"), "max-pages", false);
  assert_end(crawl(&s, NULL, "10", "100"), "max-pages", false); /* nor has it when the crawl goes on */
  write_start_hosts(&s, "honest");
  assert_end(crawl(&s, NULL, "10", "1000"), "finished", false);
  count_pages(&s, &honest, &farm);
  assert_int_equal(honest, 1 + PAGES);
  small_close(&s);
}
