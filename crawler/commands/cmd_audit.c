/* strata audit: strata crawl with --audit, under a name of its own. */
#include "crawler/base/message.h"
#include "crawler/commands/cmd.h"

#include <stdlib.h>
#include <string.h>

const option_table cmd_audit_options = {
  .command = "audit",
  .before = "Usage: strata audit [OPTION]... URL...\n"
            "Crawl a site, check each of its links, and say what is broken: pages and redirects, images, scripts and\n"
            "style sheets, and links to other sites, which are asked for once and not followed.\n"
            "\n"
            "  strata audit https://example.org/                 the whole site, politely, into ./audit-example.org/\n"
            "  strata export audit-example.org --broken          each broken link, with its page and element\n"
            "  strata report audit-example.org                   all of it as one page\n"
            "\n"
            "The options are those of strata crawl: strata crawl --help\n",
  .exits = "0 no link is broken; 1 failed; 2 usage; 3 stopped by a signal, resumable; 4 links are broken",
};

static bool asks_for_help(int argc, char **argv)
{
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
      return true;
  return false;
}

int cmd_audit(int argc, char **argv)
{
  static char command[] = "strata crawl", help[] = "--help", audit[] = "--audit";
  if (asks_for_help(argc, argv))
    return options_read(&cmd_audit_options, 2, (char *[]){argv[0], help, NULL}, NULL);
  char **words = calloc((size_t)argc + 2, sizeof *words);
  if (!words) {
    say_error("audit", "out of memory");
    return EXIT_FAILED;
  }
  words[0] = command;
  words[1] = audit;
  memcpy(words + 2, argv + 1, (size_t)argc * sizeof *words); /* and the NULL behind them */
  say_as("crawl", "audit");
  int code = cmd_crawl(argc + 1, words);
  free(words);
  return code;
}
