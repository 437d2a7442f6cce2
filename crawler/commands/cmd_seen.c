/* strata seen: the verdict on URLs, without changing anything. */
#include "crawler/commands/cmd.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/base/shown.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool print_verdict(frontier *f, url_profile profile, const char *text, url *u)
{
  url_status status = url_parse(text, strlen(text), profile, u);
  frontier_verdict verdict;
  if (status != URL_OK) {
    printf("!%s\t-\t", url_status_name(status));
    shown_puts(text);
    return true;
  }
  if (frontier_lookup(f, u, &verdict) != FRONTIER_OK)
    return false;
  if (verdict.layer)
    printf("%s\t%u\t%s\n", frontier_outcome_name(verdict.outcome), (unsigned)verdict.layer, u->key);
  else
    printf("%s\t-\t%s\n", frontier_outcome_name(verdict.outcome), u->key);
  return true;
}

static int print_verdicts(frontier *f, char **urls, int count)
{
  frontier_stats stats;
  url *u = malloc(sizeof *u);
  bool good = u && frontier_stats_read(f, &stats) == FRONTIER_OK;
  for (int i = 0; i < count && good; i++)
    good = print_verdict(f, stats.profile, urls[i], u);
  free(u);
  if (!good)
    say_error("seen", "%s", frontier_message(f));
  return good && fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

const option_table cmd_seen_options = {
  .command = "seen",
  .least_words = 2,
  .wanted = "a directory and URLs, please: strata seen DIR URL...",
  .before =
    "Usage: strata seen DIR URL...\n"
    "Print for each URL one line: the verdict of the crawl in DIR, the layer that decided (1 = host, 2 = first path\n"
    "segment, ...; - if none), and the canonical form. For an invalid URL: !reason, -, the word as given.\n"
    "\n"
    "  strata seen strata-example.org https://example.org/a https://EXAMPLE.org:443/b\n"
    "  seen\t-\thttps://example.org/a\n"
    "  new-segment\t2\thttps://example.org/b\n"
    "\n"
    "\"new\" verdicts are certain; \"seen\" is wrong with at most the crawl's --fp probability. With --filter exact\n"
    "\"seen\" is certain too, or it is \"unconfirmed\": the URL was found, and whether it is new is not known yet.\n",
};

int cmd_seen(int argc, char **argv)
{
  int code = options_read(&cmd_seen_options, argc, argv, NULL);
  if (code != OPTIONS_READ)
    return code;
  frontier *f = crawl_dir_open("seen", argv[optind]);
  if (!f)
    return EXIT_FAILED;
  code = crawl_dir_has_url_keys("seen", argv[optind], f) ? print_verdicts(f, argv + optind + 1, argc - optind - 1)
                                                         : EXIT_FAILED;
  frontier_close(f);
  return code;
}
