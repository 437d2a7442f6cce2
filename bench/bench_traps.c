/* How soon a trap is known, and how many honest URLs are taken for one's.
 *
 *     bench_traps [LIST]      LIST: URLs, one a line, read through zstd -dcf; host after host is the harder order
 *
 * No opponent: a rule is right or wrong. Before it was judged by its directories' children as well, of 20,000 URLs
 * `days` were never known, and of `filters` 577 were handed out before it was. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontier/traps/fanout.h"
#include "frontier/traps.h"
#include "tests/support/trap_web.h"
#include "tests/support/test_hasher.h"

enum { URLS = 20000 };

static url u;

typedef struct crawl {
  frontier *f;
  uint64_t site, others, lowered, lowered_site;
} crawl;

static frontier_class note_class(void *context, const frontier_link *link, frontier_verdict verdict,
                                 frontier_class by_rule)
{
  crawl *c = context;
  bool is_site = strstr(link->target->fetch, "/docs/") != NULL, is_low = by_rule == FRONTIER_TRAP;
  (void)verdict;
  c->site += is_site;
  c->others += !is_site;
  c->lowered += is_low && !is_site;
  c->lowered_site += is_low && is_site;
  return FRONTIER_NORMAL; /* the trap is walked in the order it is found */
}

static void begin(crawl *c, uint64_t expected)
{
  char why[FRONTIER_MESSAGE_SIZE] = "";
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = expected, .rate = 1e-9, .per_host = 64, .depth_cap = UINT16_MAX};
  *c = (crawl){0};
  if (frontier_open(NULL, &options, &c->f, why) != FRONTIER_OK || frontier_watch_traps(c->f, 0) != FRONTIER_OK) {
    fprintf(stderr, "bench_traps: %s\n", why);
    exit(1);
  }
  frontier_classify(c->f, note_class, c);
}

static void add(crawl *c, const char *text, size_t size)
{
  frontier_verdict verdict;
  if (url_parse(text, size, URL_STRICT, &u) == URL_OK &&
      frontier_add(c->f, &u, (frontier_origin){0}, 0, &verdict) != FRONTIER_OK) {
    fprintf(stderr, "bench_traps: %s\n", frontier_message(c->f));
    exit(1);
  }
}

__attribute__((format(printf, 2, 3))) static void add_link(void *context, const char *format, ...)
{
  char text[URL_LENGTH_MAX] = "http://trap.test";
  size_t head = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(text + head, sizeof text - head, format, arguments);
  va_end(arguments);
  add(context, text, head + (size_t)size);
}

static void walk(const char *name, trap_web *beside)
{
  crawl c;
  frontier_lease lease;
  size_t count = 1;
  int64_t wait_ms;
  begin(&c, 2 * URLS);
  add_link(&c, "/");
  while (count && c.others < URLS && frontier_next(c.f, 0, &lease, 1, &count, &wait_ms) == FRONTIER_OK && count) {
    char path[URL_LENGTH_MAX];
    snprintf(path, sizeof path, "%s", lease.url + lease.host_end);
    trap_web_site(path, beside, add_link, &c);
    frontier_done(c.f, lease.id, FRONTIER_DONE, 200, NULL, 0, 0);
  }
  printf("%-16s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", name, c.others - c.lowered, c.others, c.lowered_site);
  frontier_close(c.f);
}

static int read_list(const char *path)
{
  char command[4096], text[URL_LENGTH_MAX + 2];
  crawl c;
  snprintf(command, sizeof command, "zstd -dcf '%s'", path);
  FILE *list = strchr(path, '\'') ? NULL : popen(command, "r");
  if (!list)
    return 1;
  begin(&c, 10000000);
  while (fgets(text, sizeof text, list))
    add(&c, text, strcspn(text, "\n"));
  uint64_t all = c.others + c.site, lowered = c.lowered + c.lowered_site;
  printf("\n%s: %" PRIu64 " different URLs, %" PRIu64 " taken for a trap's, one of %.0f\n", path, all, lowered,
         (double)all / (double)(lowered ? lowered : 1));
  frontier_close(c.f);
  return pclose(list) == 0 && all ? 0 : 1;
}

/* Bytes of this process in memory. */
static double resident_bytes(void)
{
  unsigned long all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu %lu", &all, &resident) != 2)
    exit(1);
  fclose(file);
  return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* The counting filter behind it, full: of URLs whose three parameters are all new it keeps five counts each. */
static void print_memory(void)
{
  enum { FULL = 52000, EACH = 5 };
  double before = resident_bytes();
  fanout *c = fanout_create(test_hasher());
  for (uint32_t i = 0; c && i < FULL; i++) {
    char query[64];
    int size = snprintf(query, sizeof query, "a=%u&b=%u&c=%u", i, i, i);
    fanout_note(c, i, (span){"list", 4}, (span){query, (size_t)size}, 1);
  }
  double bytes = resident_bytes() - before;
  printf("\nchildren: %.1f MB for %d directories and parameters, %.1f bytes each\n", bytes / 1e6, FULL * EACH,
         bytes / (FULL * EACH));
  fanout_free(c);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    trap_web *web;
  } traps[] = {{"calendar", trap_calendar}, {"sessions", trap_sessions}, {"relative links", trap_relative_links},
               {"facets", trap_facets},     {"days", trap_days},         {"filters", trap_filters}};
  printf("%-16s %12s %12s %12s\n", "trap", "before known", "of its URLs", "honest ones");
  for (size_t i = 0; i < sizeof traps / sizeof *traps; i++)
    walk(traps[i].name, traps[i].web);
  print_memory();
  return argc > 1 ? read_list(argv[1]) : 0;
}
