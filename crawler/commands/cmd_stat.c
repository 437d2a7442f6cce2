/* strata stat: the state of a crawl's directory, also during a crawl. */
#include "crawler/commands/cmd.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/base/shown.h"
#include "crawler/commands/crawl_args.h"
#include "crawler/commands/summary.h"
#include "crawler/loop/time_shares.h"
#include "crawler/report/missing.h"
#include "crawler/report/trap_list.h"

#include <getopt.h>
#include <stdio.h>

/* `traps` may be NULL: not asked for. */
static int print_json(frontier *f, const frontier_stats *stats, const trap_list *traps)
{
  json text = {0};
  json_begin(&text);
  summary_counters(f, stats, &text);
  if (traps)
    trap_list_json(traps, &text);
  json_end(&text);
  bool written = !text.failed && fwrite(text.text, 1, text.size, stdout) == text.size && putchar('\n') != EOF &&
                 fflush(stdout) == 0;
  json_free(&text);
  return written ? EXIT_DONE : EXIT_FAILED;
}

static void print_filter(const frontier *f, const frontier_stats *stats)
{
  char a[SAY_SIZE], b[SAY_SIZE], c[SAY_SIZE], late[SAY_LATE_SIZE], profile[URL_PROFILE_NAME_SIZE];
  bool is_exact = frontier_is_exact(f);
  url_profile_name(stats->profile, profile);
  printf("filter     %s, profile %s, %s of %s keys, %s\n", crawl_filter_name(stats->filter.kind, is_exact), profile,
         say_count(stats->filter.keys, a), say_count(stats->filter.design_keys, b),
         say_bytes(stats->filter.memory_bytes, c));
  say_count((uint64_t)(1 / stats->filter.promised_rate + 0.5), a);
  if (is_exact)
    printf("promise    no URL is missed; at most 1 in %s new URLs comes late\n"
           "late       %s\n",
           a, say_late(stats->unconfirmed, stats->late, late));
  else
    printf("promise    at most 1 in %s new URLs wrongly called seen; expected so far: %.2g URLs\n", a,
           stats->expected_lost);
}

static void print_missing(frontier *f, const frontier_stats *stats)
{
  char text[MISSING_SENTENCE];
  missing m = missing_read(f, stats);
  printf("complete   %s\n", !m.is_complete ? "no" : m.rest.too_deep ? "yes, within --max-depth" : "yes");
  for (size_t i = 0; missing_sentence(&m, i, text); i++)
    printf("missing    %s\n", text);
}

static int print_text(frontier *f, const frontier_stats *stats, const trap_list *traps)
{
  enum { NAME_SIZE = 256 }; /* of 47 bytes, each shown as four at most */
  char a[SAY_SIZE], b[SAY_SIZE], c[SAY_SIZE], shown[NAME_SIZE], time[TIME_SHARES_SIZE];
  printf("URLs       %s done, %s failed, %s skipped\n", say_count(stats->done, a), say_count(stats->failed, b),
         say_count(stats->skipped, c));
  printf("queue      %s waiting; %s host%s known\n", say_count(stats->queued + stats->in_flight, a),
         say_count(stats->hosts, b), stats->hosts == 1 ? "" : "s");
  print_missing(f, stats);
  if (time_shares_say(f, time))
    printf("time       %s\n", time);
  print_filter(f, stats);
  printf("verdicts  ");
  for (int i = 0; i < FRONTIER_OUTCOMES; i++)
    printf(" %s %s%s", say_count(stats->outcomes[i], a), frontier_outcome_name((frontier_outcome)i),
           i + 1 < FRONTIER_OUTCOMES ? "," : "\n");
  const char *name;
  uint64_t value;
  for (size_t i = 0; frontier_counter_at(f, i, &name, &value); i++)
    if (value && !time_shares_has(name)) /* what was taken back is 0 */
      printf("%-26s %s\n", shown_text(name, shown, sizeof shown), say_count(value, a));
  if (traps)
    trap_list_print(traps);
  return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

static int show(frontier *f, bool as_json, bool with_traps)
{
  frontier_stats stats;
  trap_list traps = {0};
  frontier_status status = frontier_stats_read(f, &stats);
  if (status == FRONTIER_OK && with_traps)
    status = trap_list_read(f, &traps);
  int code = EXIT_FAILED;
  if (status != FRONTIER_OK || traps.failed)
    say_error("stat", "%s", traps.failed ? "out of memory" : frontier_message(f));
  else
    code = (as_json ? print_json : print_text)(f, &stats, with_traps ? &traps : NULL);
  trap_list_free(&traps);
  return code;
}

typedef struct stat_args {
  bool is_json, has_traps;
} stat_args;

#define FIELD(member) OPTION_FIELD(stat_args, member)

static const option_row option_rows[] = {
  {"json", NULL, OPTION_FLAG, FIELD(is_json), .help = "one JSON object"},
  {"traps", NULL, OPTION_FLAG, FIELD(has_traps),
   .help = "hosts with probable trap URLs (a calendar, session ids, links in circles), the directories that\n"
           "hold most of these URLs, and examples; directories whose pages nearly all say the same",
   .manual = "Also list the hosts with probable trap URLs, those with most first: how many were fetched, how many "
             "wait, the directories that hold most of the waiting ones, and up to five examples per host; and the "
             "directories that are suspect, as their pages nearly all say the same."},
};

const option_table cmd_stat_options = {
  .command = "stat",
  .column = 11,
  OPTION_ROWS(option_rows),
  .least_words = 1,
  .most_words = 1,
  .wanted = "one directory, please: strata stat DIR",
  .before = "Usage: strata stat DIR [--json] [--traps]\n"
            "Print counters, queue, hosts and filter of the crawl in DIR; works during a crawl.\n"
            "\n"
            "  strata stat strata-example.org\n"
            "  strata stat strata-example.org --json | jq .queued\n",
};

int cmd_stat(int argc, char **argv)
{
  stat_args args = {0};
  int code = options_read(&cmd_stat_options, argc, argv, &args);
  if (code != OPTIONS_READ)
    return code;
  frontier *f = crawl_dir_open("stat", argv[optind]);
  if (!f)
    return EXIT_FAILED;
  code = show(f, args.is_json, args.has_traps);
  frontier_close(f);
  return code;
}
