/* strata: dispatch only. */
#include "crawler/commands/cmd.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
  bool is_changing; /* a directory of a crawl */
  const char *what;
} commands[] = {
  {"crawl", cmd_crawl, true, "crawl sites, each page once; continue where it stopped"},
  {"stat", cmd_stat, false, "counters, queue, hosts and filter of a crawl"},
  {"seen", cmd_seen, false, "has a crawl seen these URLs, and what decided"},
  {"forget", cmd_forget, true, "make URLs of a crawl new again"},
  {"show", cmd_show, false, "the stored response of a URL, from the WARC"},
  {"report", cmd_report, false, "a crawl as one HTML page"},
  {"export", cmd_export, false, "the URLs of a crawl, one a line"},
  {"check", cmd_check, false, "is a crawl's directory sound"},
  {"compact", cmd_compact, true, "disk space back after a large crawl"},
  {"merge", cmd_merge, true, "what several crawls have seen, as the memory of a new one"},
  {"inlinks", cmd_inlinks, false, "the URLs of a crawl that most pages link to"},
  {"like", cmd_like, false, "the pages of a crawl that resemble this one"},
  {"uniq", cmd_uniq, false, "URL lines in, first sightings out"},
  {"url", cmd_url, false, "canonical key of each line"},
  {"plan", cmd_plan, false, "memory of every filter for so many URLs"},
  {"links", cmd_links, false, "links a crawl would take from a page"},
  {"robots", cmd_robots, false, "what a robots.txt allows"},
  {"digest", cmd_digest, false, "similarity digests of files, and how alike they are"},
  {"replay", cmd_replay, false, "a URL set through every filter: what each gets wrong, and a report"},
  {"generate-urls", cmd_generate_urls, false, "a URL list of any size, from a seed"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_usage(FILE *to)
{
  fputs("strata " STRATA_VERSION ": a web crawler's memory\n\n"
        "Usage: strata COMMAND [ARGUMENT]...\n\n", to);
  for (int i = 0; i < COMMANDS; i++)
    fprintf(to, "  %-14s %s\n", commands[i].name, commands[i].what);
  fputs("\n\"strata help COMMAND\" says more, with examples. First steps:\n\n"
        "  strata crawl https://example.org/\n"
        "  strata stat strata-example.org\n", to);
}

/* When nobody reads on, `strata export DIR | head` dies of SIGPIPE without a word, as such tools do; but what changes a
 * directory finishes what it began. */
static int dispatch(int argc, char **argv)
{
  char called[32]; /* what getopt puts before its sentences */
  for (int i = 0; i < COMMANDS; i++)
    if (strcmp(argv[0], commands[i].name) == 0) {
      snprintf(called, sizeof called, "strata %s", commands[i].name);
      argv[0] = called;
      if (commands[i].is_changing)
        signal(SIGPIPE, SIG_IGN);
      return commands[i].run(argc, argv);
    }
  fprintf(stderr, "strata: there is no command \"%.100s\"; \"strata help\" lists them\n", argv[0]);
  return EXIT_USAGE;
}

/* Started without standard streams, as some daemons do it, the first files opened would get their numbers, and what
 * is said to people would be written into the database. */
static void fill_standard_streams(void)
{
  int fd;
  do
    fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    close(fd);
}

/* malloc reserves 64 to 128 MiB of address space for each thread that allocates. Under a limit (ulimit -v) that is what
 * the frontier's map (frontier/store/store_map.c) has just found free, so that all threads share one arena then. */
static void spare_address_space(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    mallopt(M_ARENA_MAX, 1);
}

int main(int argc, char **argv)
{
  fill_standard_streams();
  spare_address_space();
  if (argc < 2) {
    print_usage(stderr);
    return EXIT_USAGE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("strata " STRATA_VERSION);
    return EXIT_DONE;
  }
  if (strcmp(argv[1], "help") != 0 && strcmp(argv[1], "--help") != 0)
    return dispatch(argc - 1, argv + 1);
  if (argc == 2) {
    print_usage(stdout);
    return EXIT_DONE;
  }
  char help[] = "--help";
  char *words[] = {argv[2], help, NULL};
  return dispatch(2, words);
}
