/* strata robots: what a robots.txt decides for some URLs. */
#include "crawler/cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/robots.h"

static const char usage[] =
  "Usage: strata robots [--agent NAME] FILE URL...\n"
  "For each URL one line: `allow` or `deny` by the robots.txt in FILE, TAB, and the rule that decides. FILE `-` is\n"
  "standard input.\n"
  "\n"
  "  curl -s https://example.org/robots.txt | strata robots - https://example.org/a /b?c\n"
  "\n"
  "  --agent NAME  the crawler's name to look for (default strata)\n"
  "  --help        this text\n"
  "\n"
  "Exit: 0 done, 1 failed, 2 usage.\n";

/* The first 500 KiB of a file; NULL with a sentence on stderr. */
static char *file_read(const char *name, size_t *size)
{
  FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
  char *text = file ? malloc(ROBOTS_SIZE_MAX) : NULL;
  if (text)
    *size = fread(text, 1, ROBOTS_SIZE_MAX, file);
  if (!text || ferror(file)) {
    perror(name);
    free(text);
    text = NULL;
  }
  if (file && file != stdin)
    fclose(file);
  return text;
}

/* Path and query as they stand: a crawl asks with the path of its request line, so escape as you would there. */
static const char *path_of(const char *url, size_t *size)
{
  const char *authority = strstr(url, "://");
  const char *path = authority ? authority + 3 + strcspn(authority + 3, "/?#") : url;
  *size = strcspn(path, "#");
  return path;
}

static void print_escaped(const char *text)
{
  for (; *text; text++)
    if ((unsigned char)*text < 0x20 || *text == 0x7F)
      printf("\\x%02X", (unsigned char)*text);
    else
      putchar(*text);
}

static int decide(const robots *rules, const char *url)
{
  size_t size;
  const char *rule, *path = path_of(url, &size);
  char *rooted = malloc(size + 2);
  if (!rooted)
    return 1;
  rooted[0] = '/';
  memcpy(rooted + 1, path, size);
  size_t skip = size > 0 && path[0] == '/'; /* "http://h?q" asks for "/?q" */
  bool allowed = robots_allows(rules, rooted + skip, size + 1 - skip, &rule);
  printf("%s\t", allowed ? "allow" : "deny");
  print_escaped(rule);
  putchar('\n');
  free(rooted);
  return 0;
}

int cmd_robots(int argc, char **argv)
{
  static const struct option options[] = {
    { "agent", required_argument, NULL, 'a' },
    { "help", no_argument, NULL, 'h' },
    { 0 },
  };
  const char *agent = "strata";
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
    switch (option) {
    case 'a': agent = optarg; break;
    case 'h': fputs(usage, stdout); return EXIT_DONE;
    default: return EXIT_USAGE; /* getopt has said why */
    }
  if (argc - optind < 2) {
    fputs("strata robots: one FILE and at least one URL, please; see \"strata robots --help\"\n", stderr);
    return EXIT_USAGE;
  }
  size_t size = 0;
  char *text = file_read(argv[optind], &size);
  robots *rules = text ? robots_parse(text, size, agent) : NULL;
  int failed = !rules;
  for (int i = optind + 1; i < argc && !failed; i++)
    failed = decide(rules, argv[i]);
  if (fflush(stdout) != 0 || ferror(stdout))
    failed = 1;
  robots_free(rules);
  free(text);
  return failed;
}
