/* strata plan: the memory that each kind of filter needs. */
#include "crawler/commands/cmd.h"
#include "crawler/base/message.h"
#include "mlbf/plan.h"

#include <getopt.h>
#include <stdio.h>

static const struct {
  const char *name;
  mlbf_kind kind;
  bool signals;
  const char *remark;
} rows[] = {
  {"bloom", MLBF_KIND_BLOOM, false, "classic: the fewest bits"},
  {"line", MLBF_KIND_LINE, false, "one or two cache lines a key: the fastest"},
  {"mlbf", MLBF_KIND_MLBF, false, "says whether the host is new"},
  {"mlbf, signals", MLBF_KIND_MLBF, true, "says which segment is new; what crawls use"},
};

enum { ROWS = sizeof rows / sizeof *rows };

static bool make_plans(uint64_t urls, double rate, mlbf_plan plans[ROWS])
{
  for (size_t i = 0; i < ROWS; i++) {
    mlbf_options options = {
      .size = sizeof(mlbf_options), .kind = rows[i].kind, .keys = urls, .rate = rate, .signals = rows[i].signals};
    char reason[MLBF_REASON_SIZE];
    if (mlbf_plan_make(&options, &plans[i], reason) != MLBF_OK) {
      say_error("plan", "%s: %s", rows[i].name, reason);
      return false;
    }
  }
  return true;
}

static int print_plans(uint64_t urls, double rate)
{
  mlbf_plan plans[ROWS];
  char count[SAY_SIZE], in[SAY_SIZE], memory[SAY_SIZE];
  if (!make_plans(urls, rate, plans))
    return EXIT_USAGE;
  printf("%s URLs, at most 1 in %s new ones wrongly called seen\n", say_count(urls, count),
         say_count((uint64_t)(1 / rate + 0.5), in));
  printf("%-14s %9s %9s %3s  %s\n", "filter", "memory", "bits/URL", "k", "at 2 N");
  for (size_t i = 0; i < ROWS; i++)
    printf("%-14s %9s %9.2f %3u  %-8.2g %s\n", rows[i].name, say_bytes(plans[i].bits / 8, memory),
           (double)plans[i].bits / (double)urls, (unsigned)plans[i].arrays[0].hashes,
           mlbf_plan_rate(&plans[i], 2 * urls), rows[i].remark);
  printf("%-14s %9s %9.2f %3s  %-8s %s\n", "exact hashes", say_bytes(urls * 16, memory), 128.0, "-", "0",
         "128 bits a URL, without the table around them");
  return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

typedef struct plan_args {
  uint64_t urls;
  double rate;
} plan_args;

#define FIELD(member) OPTION_FIELD(plan_args, member)

static const option_row option_rows[] = {
  {"urls", "N", OPTION_COUNT, FIELD(urls), .low = 1, .high = (uint64_t)1 << 48, .help = "distinct URLs"},
  {"fp", "P", OPTION_RATE, FIELD(rate), .help = "probability that a new URL is called seen, from 1e-12 to 0.5",
   .manual = "Probability that a new URL is called seen, from 1e-12 to 0.5."},
};

const option_table cmd_plan_options = {
  .command = "plan",
  .column = 13,
  OPTION_ROWS(option_rows),
  .before =
    "Usage: strata plan --urls N --fp P\n"
    "Print the memory that each kind of filter needs for N URLs at the error rate P: the probability that it calls a\n"
    "new URL seen.\n"
    "\n"
    "  strata plan --urls 100000000 --fp 1e-6\n",
  .after = "\"at 2 N\" is the rate with twice as many URLs in a filter that does not grow; "
           "a crawl's filter grows by itself.\n",
  .exits = "0 done, 2 usage",
};

int cmd_plan(int argc, char **argv)
{
  plan_args args = {0};
  int code = options_read(&cmd_plan_options, argc, argv, &args);
  if (code != OPTIONS_READ)
    return code;
  if (args.urls && args.rate > 0 && optind == argc)
    return print_plans(args.urls, args.rate);
  say_error("plan", "how many URLs, and how few mistakes? strata plan --urls N --fp P");
  return EXIT_USAGE;
}
