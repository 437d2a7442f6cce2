/* See audit_ending.h. */
#include "crawler/commands/audit_ending.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/base/shown.h"
#include "crawler/commands/cmd.h"
#include "crawler/loop/lacks.h"
#include "crawler/report/broken_links.h"

#include <stdio.h>

/* So that nobody takes for fine what nobody looked at. */
static void print_unchecked(uint64_t count, frontier *f, const frontier_stats *stats)
{
  char a[SAY_SIZE];
  lacks_rest rest = lacks_read_rest(f, stats);
  if (!count)
    return;
  fprintf(stderr, "; %s %s", say_count(count, a), count == 1 ? "is" : "are");
  if (rest.waiting + rest.held)
    fputs(" not checked yet", stderr);
  else
    fputs(" not checked, for robots.txt or a private address", stderr);
}

static void print_counts(const char *directory, const broken_counts *n, frontier *f, const frontier_stats *stats)
{
  char b[SAY_SIZE], c[SAY_MANY_SIZE], d[SAY_MANY_SIZE], e[SAY_MANY_SIZE];
  fprintf(stderr, "Audit: %s", say_many(n->links, "link", e));
  if (n->broken)
    fprintf(stderr, ", %s of them broken (%s), on %s", say_count(n->broken, b), say_many(n->targets, "target", c),
            say_many(n->sources, "page", d));
  else
    fputs(", none of them known to be broken", stderr);
  if (n->mixed)
    fprintf(stderr, "; %s from https to http", say_count(n->mixed, b));
  print_unchecked(n->unchecked, f, stats);
  fputs(".\n", stderr);
  if (n->broken)
    say_note("  The broken links: strata export %s --broken", directory);
  say_note("  The whole report: strata report %s", directory);
  if (n->broken)
    say_note("  To check again: the same command, and --recrawl-after 1s --retry-failed");
}

int audit_ending(const char *directory, bool is_quiet)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier *f = crawl_dir_open("audit", directory);
  if (!f)
    return EXIT_FAILED;
  broken_links *b = broken_links_read(f, directory, message);
  frontier_stats stats;
  if (b && frontier_stats_read(f, &stats) != FRONTIER_OK) {
    broken_links_free(b);
    b = NULL;
    snprintf(message, sizeof message, "%s", frontier_message(f));
  }
  broken_counts counts = b ? broken_links_count(b) : (broken_counts){0};
  if (!b)
    say_error("audit", "%s", message);
  else if (!is_quiet)
    print_counts(directory, &counts, f, &stats);
  int code = !b ? EXIT_FAILED : counts.broken ? EXIT_BROKEN : EXIT_DONE;
  broken_links_free(b);
  frontier_close(f);
  return code;
}
