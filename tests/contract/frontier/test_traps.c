/* frontier/traps.h: URL spaces without end, beside a site with one, on the same host and on others. The site's pages
 * are all handed out before the traps' excess, the traps are bounded, counted and listed, and a real list is not
 * called one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/traps.h"
#include "tests/support/second_reader.h"
#include "tests/support/story.h"
#include "tests/support/test.h"
#include "tests/support/trap_web.h"

enum {
  BUDGET = 300,
  LEAK = 900,      /* a trap's URLs that are taken for pages until it is known: 64 of a directory, 512 of a host */
  LEAK_AGAIN = 64, /* when it waits on disk, and is known for one */
};

static url u;

/* ---- a crawl of it -------------------------------------------------------------------------------------- */

typedef struct crawl {
  frontier *f;
  const char *host;
  unsigned pages, others;      /* handed out */
  unsigned others_before_last; /* page */
} crawl;

static void open_frontier(crawl *c, uint64_t budget)
{
  char why[FRONTIER_MESSAGE_SIZE] = "";
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 50000, .rate = 1e-9, .per_host = 1, .depth_cap = UINT16_MAX};
  if (frontier_open(story_directory, &options, &c->f, why) != FRONTIER_OK)
    fail_msg("%s", why);
  assert_int_equal(frontier_watch_traps(c->f, budget), FRONTIER_OK);
}

__attribute__((format(printf, 2, 3))) static void add_link(void *context, const char *format, ...)
{
  crawl *c = context;
  char text[URL_LENGTH_MAX];
  frontier_verdict verdict;
  int size = snprintf(text, sizeof text, "http://%s", c->host);
  va_list arguments;
  va_start(arguments, format);
  size += vsnprintf(text + size, sizeof text - (size_t)size, format, arguments);
  va_end(arguments);
  assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, &u), URL_OK);
  assert_int_equal(frontier_add(c->f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
}

static void fetch(crawl *c, const frontier_lease *lease, trap_web *beside)
{
  const char *path = lease->url + lease->host_end;
  bool is_page = strncmp(path, "/docs/", 6) == 0 || strcmp(path, "/") == 0;
  char host[64];
  snprintf(host, sizeof host, "%.*s", (int)(lease->host_end - lease->host_begin), lease->url + lease->host_begin);
  c->host = host;
  c->pages += is_page;
  c->others += !is_page;
  if (is_page)
    c->others_before_last = c->others;
  trap_web_site(path, strcmp(host, "plain.test") == 0 ? NULL : beside, add_link, c);
  assert_int_equal(frontier_done(c->f, lease->id, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
}

static void run(crawl *c, trap_web *beside)
{
  frontier_lease leases[8];
  size_t count;
  int64_t wait_ms;
  while (!frontier_is_finished(c->f)) {
    assert_int_equal(frontier_next(c->f, 0, leases, 8, &count, &wait_ms), FRONTIER_OK);
    for (size_t i = 0; i < count; i++)
      fetch(c, &leases[i], beside);
    assert_in_range(c->others, 0, 20000); /* it must end */
  }
}

typedef struct listed {
  uint64_t waiting, ended, wrong;
} listed;

static bool list_one(void *context, const frontier_trapped *t)
{
  listed *l = context;
  l->waiting += t->is_queued;
  l->ended += !t->is_queued;
  l->wrong += t->host_size != 9 || memcmp(t->host, "trap.test", 9) != 0 || memmem(t->url, t->url_size, "/docs/", 6);
  return true;
}

typedef struct hosts_seen {
  uint64_t trapped, held;
  bool plain_is_clean;
} hosts_seen;

static bool see_host(void *context, const frontier_host_info *info)
{
  hosts_seen *s = context;
  uint64_t trapped = info->queued[FRONTIER_TRAP] + info->trap_taken;
  s->trapped += trapped;
  s->held += info->held;
  if (strcmp(info->name, "plain.test") == 0)
    s->plain_is_clean = trapped == 0;
  else
    assert_int_equal(info->state, FRONTIER_HOST_OVER_BUDGET);
  return true;
}

static void crawl_beside(trap_web *beside)
{
  crawl c = {0};
  open_frontier(&c, BUDGET);
  c.host = "trap.test";
  add_link(&c, "/");
  c.host = "plain.test";
  add_link(&c, "/");
  run(&c, beside);
  printf("  %u pages, %u of the trap, %u of them before the last page; %llu held\n", c.pages, c.others,
         c.others_before_last, (unsigned long long)frontier_held(c.f));
  assert_int_equal(c.pages, 2 * TRAP_WEB_PAGES);
  assert_in_range(c.others, BUDGET, BUDGET + LEAK);
  assert_true(c.others_before_last < c.others && c.others_before_last <= LEAK + 2 * TRAP_WEB_PAGES / 32);
  assert_true(frontier_held(c.f) > 0);
  assert_int_equal(frontier_sync(c.f), FRONTIER_OK);
  listed l = {0};
  hosts_seen s = {0};
  assert_int_equal(frontier_each_trapped(c.f, list_one, &l), FRONTIER_OK);
  assert_int_equal(frontier_each_host(c.f, 0, see_host, &s), FRONTIER_OK);
  assert_int_equal(l.wrong, 0); /* not one page of the site */
  assert_int_equal(l.ended, BUDGET);
  assert_int_equal(l.waiting, frontier_held(c.f));
  assert_int_equal(l.waiting + l.ended, s.trapped);
  assert_true(s.held == frontier_held(c.f) && s.plain_is_clean);
  assert_int_equal(frontier_close(c.f), FRONTIER_OK);

  open_frontier(&c, BUDGET); /* a budget is for ever, until it is raised */
  assert_true(frontier_is_finished(c.f));
  assert_int_equal(frontier_held(c.f), l.waiting);
  assert_int_equal(frontier_watch_traps(c.f, BUDGET + 50), FRONTIER_OK);
  unsigned before = c.others;
  run(&c, beside);
  printf("  of the next 50, %u more\n", c.others - before - 50);
  assert_in_range(c.others - before, 50, 50 + LEAK_AGAIN);
  assert_int_equal(frontier_close(c.f), FRONTIER_OK);
  second_view view;
  second_read(story_directory, false, &view);
  assert_int_equal(view.faults, 0);
  second_free(&view);
}

CASE(a_calendar)
{
  crawl_beside(trap_calendar);
}

CASE(session_ids)
{
  crawl_beside(trap_sessions);
}

CASE(repeating_paths)
{
  crawl_beside(trap_relative_links);
}

CASE(many_facets)
{
  crawl_beside(trap_facets);
}

CASE(days_of_one_segment)
{
  crawl_beside(trap_days);
}

CASE(filters_that_are_left_out)
{
  crawl_beside(trap_filters);
}

/* ---- what is none --------------------------------------------------------------------------------------- */

CASE(real_looking_lists_are_no_traps)
{
  static const char *const words[] = {"red", "old", "new", "big", "sea", "day",
                                      "sun", "oak", "ice", "map", "low", "pen"};
  enum { ALL = 40000, WORDS = sizeof words / sizeof *words };
  crawl c = {.host = "real.test"};
  open_frontier(&c, 1);
  for (unsigned i = 0; i < ALL / 4; i++) {
    unsigned h = trap_web_hash((char[]){(char)('a' + i % 26), (char)('a' + i / 26 % 26), (char)('a' + i / 676), 0});
    add_link(&c, "/product/%u/%s-%s", 100000 + i, words[h % WORDS], words[h / WORDS % WORDS]);
    add_link(&c, "/20%02u/%02u/%s-%s-%u", 10 + i % 16, 1 + i % 12, words[h % WORDS], words[i % WORDS], h % 9999);
    add_link(&c, "/topic.php?t=%u&page=%u", 1 + i / 3, 1 + i % 3);
    add_link(&c, "/api/%s/Class%u.html", words[i % WORDS], i);
  }
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(c.f, &stats), FRONTIER_OK);
  assert_true(stats.queued > ALL / 2);
  assert_int_equal(frontier_sync(c.f), FRONTIER_OK);
  listed l = {0};
  assert_int_equal(frontier_each_trapped(c.f, list_one, &l), FRONTIER_OK);
  assert_int_equal(l.waiting, 0);
  assert_int_equal(frontier_close(c.f), FRONTIER_OK);
}

/* Of real URLs, at most one of 500 is taken for a trap's. What is: the same pages in each of thirty languages. */
CASE(real_urls_are_no_traps)
{
  enum { TAKEN = 300000 };
  FILE *list = popen("zstd -dcq '" SHARED_DATA "/urls/real-urls.txt.zst' 2>/dev/null", "r");
  char text[URL_LENGTH_MAX + 2];
  unsigned added = 0;
  frontier_verdict verdict;
  crawl c = {0};
  open_frontier(&c, 1);
  for (unsigned line = 0; list && added < TAKEN && fgets(text, sizeof text, list); line++)
    if (line / 1000 % 10 == 0 && url_parse(text, strcspn(text, "\n"), URL_STRICT, &u) == URL_OK) {
      assert_int_equal(frontier_add(c.f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
      added++;
    }
  if (list)
    pclose(list);
  assert_int_equal(frontier_sync(c.f), FRONTIER_OK);
  listed l = {0};
  assert_int_equal(frontier_each_trapped(c.f, list_one, &l), FRONTIER_OK);
  printf("  %u real URLs, %llu in class trap\n", added, (unsigned long long)l.waiting);
  assert_true(l.waiting <= added / 500);
  assert_int_equal(frontier_close(c.f), FRONTIER_OK);
  if (!added) {
    print_message("skipped: no %s, or no zstd\n", SHARED_DATA "/urls");
    skip();
  }
}

EACH_CASE(story_begin, story_end)
