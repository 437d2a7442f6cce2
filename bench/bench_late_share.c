/* Which share of a crawl's links is not certain at once (options.exact), and what becomes of them: real pages, or the
 * web in a box, crawled through a real frontier.
 *
 *     bench_late_share [--dir DIR] TREE...     each a tree of HTML files, begun at its index.html, such as
 *                                              /usr/share/doc/postgresql-doc-15/html, or a line that names a web
 *                                              (tests/contract/web/README.md), such as hosts=10000,pages=10,links=46
 *
 * Pages are had at once, with no delay, so passes come when there are many doubts, or nothing else is left to do. */
#include "crawler/html/links.h"
#include "frontier/text.h"
#include "bench/frontier_contender.h"
#include "tests/support/page_trees.h"
#include "tests/contract/web/web.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LEASES = 64, LINKS = 4096 };

typedef struct crawl {
  frontier *frontier;
  page_tree tree;
  size_t tree_name_size;
  web *web; /* NULL: a tree */
  web_reply reply;
  links_scanner *scanner;
  url_base *base;
  text hrefs; /* of a page */
  frontier_text texts[LINKS];
  frontier_answer answers[LINKS];
  size_t count, begin[LINKS];
  uint64_t fetched, links, doubts, fresh;
  uint64_t now_ms;
} crawl;

static const char tree_origin[] = "http://tree.example/";

void contender_fail(const char *who, const char *why)
{
  fprintf(stderr, "bench_late_share: %s: %s\n", who, why);
  exit(1);
}

static void demand(const crawl *c, frontier_status status)
{
  if (status != FRONTIER_OK)
    contender_fail("frontier", frontier_message(c->frontier));
}

/* ---- pages --------------------------------------------------------------------------------------------------- */

static int by_name(const void *left, const void *right)
{
  const html_page *a = left, *b = right;
  return strcmp(a->name, b->name);
}

static bool read_from_tree(crawl *c, const char *address, const char **bytes, size_t *size)
{
  char name[8192];
  if (strncmp(address, tree_origin, sizeof tree_origin - 1) != 0)
    return false;
  snprintf(name, sizeof name, "%.*s/%s", (int)c->tree_name_size, c->tree.list[0].name,
           address + sizeof tree_origin - 1);
  html_page wanted = {.name = name};
  html_page *page = bsearch(&wanted, c->tree.list, c->tree.count, sizeof wanted, by_name);
  if (!page)
    return false;
  *bytes = page->bytes;
  *size = page->size;
  return true;
}

/* A redirect is a page with one link. */
static bool ask_web(crawl *c, const char *address, const char **bytes, size_t *size)
{
  static char page[8192];
  const char *name = strstr(address, "://") + 3, *target = strchr(name, '/');
  web_request request = {.is_https = strncmp(address, "https", 5) == 0,
                         .host = name,
                         .host_size = (size_t)(target - name),
                         .target = target,
                         .target_size = strlen(target),
                         .now_ms = c->now_ms};
  web_answer(c->web, &request, &c->reply);
  if (c->reply.ending != WEB_WHOLE)
    return false;
  text_add_bytes(&c->reply.headers, "", 1);
  const char *location = strstr(c->reply.headers.bytes, "Location: ");
  *bytes = c->reply.body.bytes;
  *size = c->reply.body.size;
  if (location) {
    location += strlen("Location: ");
    *bytes = page;
    *size = (size_t)snprintf(page, sizeof page, "<a href='%.*s'>", (int)strcspn(location, "\r\n"), location);
  }
  return location || c->reply.status == 200;
}

/* ---- the crawl ----------------------------------------------------------------------------------------------- */

static void add_waiting(crawl *c)
{
  const frontier_text_rules rules = {.base = c->base};
  size_t settled;
  for (size_t i = 0; i < c->count; i++)
    c->texts[i].href = c->hrefs.bytes + c->begin[i];
  demand(c, frontier_add_texts(c->frontier, &rules, c->texts, c->count, c->now_ms, c->answers, &settled));
  for (size_t i = 0; i < c->count; i++) {
    if (c->answers[i].url != URL_OK)
      continue;
    c->links++;
    c->doubts += c->answers[i].verdict.outcome == FRONTIER_UNCONFIRMED;
    c->fresh += c->answers[i].id != 0;
  }
  c->count = 0;
  text_clear(&c->hrefs);
}

static void take_link(void *context, const link_found *link)
{
  crawl *c = context;
  if (link->kind == LINK_BASE) {
    static url u;
    add_waiting(c);
    if (url_resolve(c->base, link->href, link->size, URL_STRICT, &u) == URL_OK)
      url_base_set(c->base, u.fetch, u.fetch_size);
    return;
  }
  c->texts[c->count] = (frontier_text){.href_size = link->size};
  c->begin[c->count++] = c->hrefs.size;
  text_add_bytes(&c->hrefs, link->href, link->size);
  if (c->count == LINKS)
    add_waiting(c);
}

static void visit(crawl *c, const frontier_lease *lease)
{
  const char *bytes;
  size_t size;
  bool is_there = c->web ? ask_web(c, lease->url, &bytes, &size) : read_from_tree(c, lease->url, &bytes, &size);
  if (is_there && url_base_set(c->base, lease->url, lease->url_size) == URL_OK) {
    links_feed(c->scanner, bytes, size);
    links_finish(c->scanner);
    add_waiting(c);
  }
  c->fetched += is_there;
  demand(c, frontier_done(c->frontier, lease->id, FRONTIER_DONE, is_there ? 200 : 404, NULL, 0, c->now_ms));
}

static void go(crawl *c, const char *start, size_t start_size)
{
  static url u;
  frontier_verdict verdict;
  frontier_lease leases[LEASES];
  if (url_parse(start, start_size, URL_STRICT, &u) != URL_OK)
    contender_fail(start, "is no URL");
  demand(c, frontier_add(c->frontier, &u, (frontier_origin){0}, c->now_ms, &verdict));
  while (!frontier_is_finished(c->frontier)) {
    size_t count;
    int64_t wait_ms;
    demand(c, frontier_next(c->frontier, c->now_ms, leases, LEASES, &count, &wait_ms));
    for (size_t i = 0; i < count; i++)
      visit(c, &leases[i]);
    c->now_ms += count ? 1 : 100;
  }
}

static void report(const crawl *c, const char *name, double seconds)
{
  frontier_stats stats;
  demand(c, frontier_stats_read(c->frontier, &stats));
  double links = (double)c->links;
  printf("%s: %" PRIu64 " pages, %" PRIu64 " URLs, %.1f links a page, %.2f %% new, %.3f %% reached the buffer; %" PRIu64
         " URLs late; %.1f s\n",
         name, c->fetched, stats.done, links / (double)c->fetched, 100 * (double)c->fresh / links,
         100 * (double)c->doubts / links, stats.late, seconds);
}

static void share_of(const char *name, const char *directory)
{
  static crawl c;
  struct stat info;
  char message[FRONTIER_MESSAGE_SIZE], error[256], top[4096], command[4200];
  text start = {0};
  web_options options = web_options_plain();
  c = (crawl){.now_ms = 1000000, .base = url_base_create(), .scanner = links_create(take_link, &c)};
  if (stat(name, &info) == 0) {
    c.tree = page_tree_read(name, (size_t)1 << 30);
    c.tree_name_size = strlen(name);
    qsort(c.tree.list, c.tree.count, sizeof *c.tree.list, by_name);
    text_addf(&start, "%sindex.html", tree_origin);
  } else if (web_options_read(&options, name, error, sizeof error)) {
    c.web = web_create(&options);
    web_url(c.web, 0, 0, &start);
  } else {
    contender_fail(name, error);
  }
  snprintf(top, sizeof top, "%s/bench-late-share-XXXXXX", directory);
  frontier_options exact = {.filter = MLBF_KIND_MLBF,
                            .expected_urls = 10000,
                            .rate = 1e-2,
                            .per_host = LEASES,
                            .depth_cap = UINT16_MAX,
                            .exact = true};
  if (!c.base || !c.scanner || !mkdtemp(top) || frontier_open(top, &exact, &c.frontier, message) != FRONTIER_OK)
    contender_fail(top, message);
  clock_t began = clock();
  go(&c, start.bytes, start.size);
  report(&c, name, (double)(clock() - began) / CLOCKS_PER_SEC);
  demand(&c, frontier_close(c.frontier));
  snprintf(command, sizeof command, "rm -rf '%s'", top);
  if (system(command) != 0)
    contender_fail(command, "failed");
  links_free(c.scanner);
  url_base_free(c.base);
  web_reply_free(&c.reply);
  web_free(c.web);
  page_tree_free(&c.tree);
  text_free(&c.hrefs);
  text_free(&start);
}

int main(int argc, char **argv)
{
  const char *directory = ".";
  int first = 1;
  if (argc > 2 && strcmp(argv[1], "--dir") == 0) {
    directory = argv[2];
    first = 3;
  }
  if (first >= argc)
    contender_fail("usage", "bench_late_share [--dir DIR] TREE...");
  for (int i = first; i < argc; i++)
    share_of(argv[i], directory);
  return 0;
}
