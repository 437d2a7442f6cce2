/* What a web says of itself, against a slow reading that knows nothing of it (truth_reader.h): each page has the end
 * that the truth says, and nothing else was met. A lie is told on purpose, and must be noticed. */
#include "tests/site/random.h"
#include "tests/support/test.h"
#include "tests/contract/web/truth_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static web *make(const char *line)
{
  web_options options;
  char error[200];
  if (!web_options_read(&options, line, error, sizeof error))
    fail_msg("%s", error);
  return web_create(&options);
}

/* Did the reader end there as it should? A host that is dead or closed may also have pages that nobody linked to. */
static bool agrees(web_fate fate, reader_end end)
{
  switch (fate) {
  case WEB_WANTED: return end == READER_GOT;
  case WEB_BAD: return end == READER_FAILED;
  case WEB_DEAD: return end == READER_DEAD || end == READER_ABSENT;
  case WEB_BARRED: return end == READER_BARRED || end == READER_ABSENT;
  default: return end == READER_ABSENT;
  }
}

typedef struct lie {
  uint32_t host, page;
  web_fate fate;
} lie;

/* How many pages ended otherwise than the truth, or the lie about one of them, has it. */
static size_t count_differences(const web *w, const web_rules *rules, const reader *r, const lie *told)
{
  size_t differences = 0;
  text url = {0};
  for (uint32_t host = 0; host < web_options_of(w)->hosts; host++)
    for (uint32_t page = 0; page < web_host_pages(w, host); page++) {
      web_truth truth = web_look(w, rules, host, page);
      if (told && told->host == host && told->page == page)
        truth.fate = told->fate;
      text_clear(&url);
      web_url(w, host, page, &url);
      reader_end end = reader_look(r, url.bytes).end;
      if (agrees(truth.fate, end))
        continue;
      if (!told && differences++ < 10)
        print_message("%s is %s, and the reader ended with %d\n", url.bytes, web_fate_name(truth.fate), (int)end);
      differences += told != NULL;
    }
  text_free(&url);
  return differences;
}

/* All that the reader met is of this web, and known by its URL. */
static void check_finding(const web *w, const reader *r)
{
  text url = {0};
  for (size_t i = 0; i < reader_count(r); i++) {
    const reader_page *met = reader_page_at(r, i);
    web_place place = web_find(w, met->url, strlen(met->url));
    if (place.what != WEB_PAGE && place.what != WEB_HOP)
      fail_msg("%s is not of this web", met->url);
    text_clear(&url);
    web_url(w, place.host, place.page, &url);
    if (place.what == WEB_PAGE)
      assert_string_equal(url.bytes, met->url);
  }
  text_free(&url);
}

static uint64_t hash_at(const web *w, const reader *r, uint32_t host, uint32_t page)
{
  text url = {0};
  web_url(w, host, page, &url);
  uint64_t hash = reader_look(r, url.bytes).body_hash;
  text_free(&url);
  return hash;
}

static int compare_hashes(const void *a, const void *b)
{
  const uint64_t *left = a, *right = b;
  return (*left > *right) - (*left < *right);
}

/* Copies are copies, and nothing else is. */
static void check_copies(const web *w, const web_rules *rules, const reader *r, const web_counts *counts)
{
  uint64_t *hashes = malloc((reader_count(r) + 1) * sizeof *hashes);
  size_t got = 0, different = 0;
  assert_non_null(hashes);
  for (uint32_t host = 0; host < web_options_of(w)->hosts; host++)
    for (uint32_t page = 0; page < web_host_pages(w, host); page++) {
      web_truth truth = web_look(w, rules, host, page);
      if (truth.fate != WEB_WANTED)
        continue;
      hashes[got++] = hash_at(w, r, host, page);
      if (truth.has_original)
        assert_int_equal(hashes[got - 1] == hash_at(w, r, host, truth.original), truth.is_exact);
    }
  qsort(hashes, got, sizeof *hashes, compare_hashes);
  for (size_t i = 0; i < got; i++)
    different += i == 0 || hashes[i] != hashes[i - 1];
  assert_int_equal(got, counts->pages[WEB_WANTED]);
  assert_int_equal(different, got - counts->copies);
  free(hashes);
}

static size_t count_got(const reader *r)
{
  size_t got = 0;
  for (size_t i = 0; i < reader_count(r); i++)
    got += reader_page_at(r, i)->end == READER_GOT;
  return got;
}

/* The whole comparison, for one web and one way to crawl it. */
static void compare(const char *line, web_rules rules)
{
  web *w = make(line);
  text start = {0};
  web_url(w, rules.start, 0, &start);
  reader *r = reader_run(w, &rules, start.bytes);
  web_counts counts = web_count(w, &rules);
  print_message("%s: %zu URLs, %llu wanted, %llu bad, %llu barred, %llu unlinked\n", line, reader_count(r),
                (unsigned long long)counts.pages[WEB_WANTED], (unsigned long long)counts.pages[WEB_BAD],
                (unsigned long long)counts.pages[WEB_BARRED], (unsigned long long)counts.pages[WEB_UNLINKED]);
  assert_int_equal(count_differences(w, &rules, r, NULL), 0);
  assert_int_equal(count_got(r), counts.pages[WEB_WANTED]);
  check_finding(w, r);
  check_copies(w, &rules, r, &counts);
  reader_free(r);
  text_free(&start);
  web_free(w);
}

static const web_rules everything = {.scope = WEB_SCOPE_ANY, .sitemaps = true};

CASE(a_plain_web)
{
  compare("seed=1,hosts=40,pages=10", everything);
  compare("seed=2,hosts=1,pages=300", everything);
  compare("seed=3,hosts=60,pages=20,zipf", everything);
}

CASE(each_trouble_alone)
{
  for (web_share share = 0; share < WEB_SHARES; share++) {
    char line[100];
    snprintf(line, sizeof line, "seed=%d,hosts=24,pages=30,%s=0.5", (int)share, web_share_name(share));
    compare(line, everything);
  }
}

CASE(wild_webs)
{
  uint64_t seed = random_seed();
  for (unsigned i = 0; i < 12; i++) {
    char line[100];
    snprintf(line, sizeof line, "seed=%llu,hosts=%u,pages=%u,zipf,wild", (unsigned long long)random_next(&seed),
             1 + random_below(&seed, 100), 1 + random_below(&seed, 60));
    compare(line, everything);
  }
}

CASE(other_ways_to_crawl)
{
  for (unsigned i = 0; i < 16; i++) {
    char line[100];
    web_rules rules = {.scope = (web_scope)(i % 3), .sitemaps = i & 1, .ignores_robots = i & 4};
    rules.start = rules.scope == WEB_SCOPE_HOST ? i : rules.scope == WEB_SCOPE_DOMAIN ? i - i % 4 : 0;
    snprintf(line, sizeof line, "seed=%u,hosts=20,pages=50,wild,forbidden=0.2", i);
    compare(line, rules);
  }
}

/* Large hosts have several sitemaps. */
CASE(a_large_host)
{
  compare("seed=5,hosts=1,pages=4000,wild,sitemap=1,norobots=0", everything);
}

/* For each fate, the first page that has it is said to have another. */
CASE(a_lie_is_noticed)
{
  web *w = make("seed=9,hosts=30,pages=30,wild,forbidden=0.1");
  text start = {0};
  web_url(w, 0, 0, &start);
  reader *r = reader_run(w, &everything, start.bytes);
  unsigned told = 0;
  for (uint32_t page = 1; page < web_host_pages(w, 0); page++) {
    web_fate fate = web_look(w, &everything, 0, page).fate;
    lie lies[] = {{0, page, fate == WEB_WANTED ? WEB_BAD : WEB_WANTED},
                  {0, page, fate == WEB_WANTED || fate == WEB_BAD || fate == WEB_BARRED ? WEB_UNLINKED : WEB_BAD}};
    for (size_t i = 0; i < 2; i++, told++)
      assert_int_equal(count_differences(w, &everything, r, &lies[i]), 1);
  }
  assert_true(told > 20);
  web_rules wrong = everything;
  wrong.ignores_robots = true;
  assert_true(count_differences(w, &wrong, r, &(lie){.host = WEB_NO_HOST}) > 0);
  reader_free(r);
  text_free(&start);
  web_free(w);
}
