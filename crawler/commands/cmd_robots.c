/* strata robots: what a robots.txt decides for some URLs. */
#include "crawler/commands/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/base/input.h"
#include "crawler/robots/robots.h"
#include "crawler/base/message.h"
#include "crawler/base/shown.h"

static const char *path_of(const char *url, size_t *size)
{
  const char *authority = strstr(url, "://");
  const char *path = authority ? authority + 3 + strcspn(authority + 3, "/?#") : url;
  *size = strcspn(path, "#");
  return path;
}

/* False: out of memory. */
static bool decide(const robots *rules, const char *url)
{
  size_t size;
  const char *rule, *path = path_of(url, &size);
  char *rooted = malloc(size + 2);
  if (!rooted)
    return false;
  rooted[0] = '/';
  memcpy(rooted + 1, path, size);
  size_t skip = size > 0 && path[0] == '/'; /* "http://h?q" asks for "/?q" */
  bool allowed = robots_allows(rules, rooted + skip, size + 1 - skip, &rule);
  printf("%s\t", allowed ? "allow" : "deny");
  shown_puts(rule);
  free(rooted);
  return true;
}

static int run(const char *agent, const char *file_name, char *const *urls)
{
  size_t size;
  char *text = input_read("robots", file_name, ROBOTS_SIZE_MAX, &size);
  if (!text)
    return EXIT_FAILED;
  robots *rules = robots_parse(text, size, agent);
  bool is_done = rules != NULL;
  for (; is_done && *urls; urls++)
    is_done = decide(rules, *urls);
  if (!is_done)
    say_error("robots", "out of memory");
  else if (fflush(stdout) != 0 || ferror(stdout)) {
    say_error("robots", "standard output: %s", strerror(errno));
    is_done = false;
  }
  robots_free(rules);
  free(text);
  return is_done ? EXIT_DONE : EXIT_FAILED;
}

typedef struct robots_args {
  const char *agent;
} robots_args;

#define FIELD(member) OPTION_FIELD(robots_args, member)

static const option_row option_rows[] = {
  {"agent", "NAME", OPTION_STRING, FIELD(agent), .help = "product token whose rules apply, by default strata"},
  {.kind = OPTION_TEXT, .help = "  --help         this text"},
};

const option_table cmd_robots_options = {
  .command = "robots",
  .column = 17,
  OPTION_ROWS(option_rows),
  .least_words = 2,
  .wanted = "FILE and URL are needed; try strata robots --help",
  .before = "Usage: strata robots [--agent NAME] FILE URL...\n"
            "Print what a robots.txt decides for each URL: allow or deny, a TAB, and the line that decided, if any.\n"
            "The rules are those of RFC 9309. FILE may be - for standard input.\n",
  .after =
    "A URL may also be a path. Nothing is escaped for you: write it as a browser would send it, with %20 for a space.\n"
    "\n"
    "Examples\n"
    "  $ printf 'user-agent: *\\ndisallow: /private\\n' | strata robots - http://example.org/private/x /public\n"
    "  deny\tdisallow: /private\n"
    "  allow\t\n"
    "  $ curl -s https://example.org/robots.txt | strata robots --agent Googlebot - https://example.org/search?q=x\n",
  .exits = "0 done, whatever was decided; 1 FILE could not be read, or the output could not be written; 2 wrong usage",
};

int cmd_robots(int argc, char **argv)
{
  robots_args args = {.agent = "strata"};
  int code = options_read(&cmd_robots_options, argc, argv, &args);
  return code == OPTIONS_READ ? run(args.agent, argv[optind], argv + optind + 1) : code;
}
