/* strata: dispatch only. */
#include "crawler/commands/cmd.h"
#include "crawler/commands/did_you_mean.h"
#include "crawler/commands/in_child.h"
#include "crawler/base/message.h"
#include "crawler/base/shown.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void print_usage(FILE *to)
{
  fputs("strata " STRATA_VERSION ": a web crawler's memory\n\n"
        "Usage: strata COMMAND [ARGUMENT]...\n\n",
        to);
  for (const cmd_entry *c = cmd_entries; c->run; c++)
    fprintf(to, "  %-14s %s\n", c->options->command, c->what);
  fputs("\n\"strata help COMMAND\" says more, with examples. First steps:\n\n"
        "  strata crawl https://example.org/\n"
        "  strata stat strata-example.org\n",
        to);
}

/* A URL is often given where a command belongs. */
static int refuse_command(const char *word)
{
  did_you_mean near = {.word = word, .size = strlen(word)};
  for (const cmd_entry *c = cmd_entries; c->run; c++)
    did_you_mean_offer(&near, c->options->command);
  if (strstr(word, "://"))
    say_note("strata: \"%.200s\" is no command; did you mean: strata crawl %.200s", word, word);
  else if (near.best)
    say_note("strata: there is no command \"%.100s\"; did you mean \"%s\"? \"strata help\" lists them", word,
             near.best);
  else
    say_note("strata: there is no command \"%.100s\"; \"strata help\" lists them", word);
  return EXIT_USAGE;
}

/* When its reader has gone, `strata export DIR | head` dies of SIGPIPE without a word, as such tools do; but what
 * changes a directory finishes what it began. */
static int dispatch(int argc, char **argv)
{
  char called[32]; /* what getopt puts before its sentences */
  for (const cmd_entry *c = cmd_entries; c->run; c++)
    if (strcmp(argv[0], c->options->command) == 0) {
      snprintf(called, sizeof called, "strata %s", c->options->command);
      argv[0] = called;
      if (c->is_changing)
        signal(SIGPIPE, SIG_IGN);
      return c->is_in_child ? in_child(c->run, argc, argv) : c->run(argc, argv);
    }
  return refuse_command(argv[0]);
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

static bool is_one_of(const char *word, const char *const words[])
{
  while (*words && strcmp(*words, word) != 0)
    words++;
  return *words;
}

int main(int argc, char **argv)
{
  fill_standard_streams();
  shown_guard_terminals();
  spare_address_space();
  if (argc < 2) {
    print_usage(stderr);
    return EXIT_USAGE;
  }
  if (is_one_of(argv[1], (const char *const[]){"--version", "-V", "version", NULL})) {
    puts("strata " STRATA_VERSION);
    return EXIT_DONE;
  }
  if (!is_one_of(argv[1], (const char *const[]){"help", "--help", "-h", NULL}))
    return dispatch(argc - 1, argv + 1);
  if (argc == 2 || strcmp(argv[2], "--all") == 0) { /* all commands are there anyway */
    print_usage(stdout);
    return EXIT_DONE;
  }
  char help[] = "--help", all[] = "--all";
  bool has_all = argc > 3 && strcmp(argv[3], all) == 0;
  char *words[] = {argv[2], help, has_all ? all : NULL, NULL};
  return dispatch(2 + has_all, words);
}
