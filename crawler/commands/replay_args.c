#include "crawler/commands/replay_args.h"
#include "crawler/commands/cmd.h"
#include "crawler/base/message.h"
#include "crawler/commands/values.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const char *option, const char *takes, const char *text)
{
  say_error("replay", "--%s takes %s, not \"%.60s\"", option, takes, text);
  return false;
}

static void refuse_number(const option_row *row, const char *value)
{
  char takes[80];
  snprintf(takes, sizeof takes, "a number from %ju to %ju", (uintmax_t)row->low, (uintmax_t)row->high);
  refuse(row->name, takes, value);
}

static bool take_bits(void *args, const option_row *row, char *value)
{
  char *end;
  double bits = strtod(value, &end);
  if (end == value || *end != '\0' || !(bits >= 0.01 && bits <= 10000))
    return refuse(row->name, "a number from 0.01 to 10000", value);
  ((replay_args *)args)->setting.bits_per_url = bits;
  return true;
}

static bool add_protocol(void *args, const option_row *row, char *value)
{
  replay_args *a = args;
  protocol which;
  if (!protocol_from_name(value, &which))
    return refuse(row->name, "names that --help lists", value);
  a->protocols[which] = true;
  return true;
}

static bool add_program(replay_args *a, const option_row *row, const char *value)
{
  char failure[PROGRAM_FAILURE_SIZE];
  if (a->filter_count == REPLAY_FILTERS_MAX)
    return refuse(row->name, "at most 16 filters", value);
  if (!program_exists(value, failure)) {
    say_error("replay", "%s", failure);
    return false;
  }
  a->filters[a->filter_count++] = value;
  return true;
}

static bool add_filter(void *args, const option_row *row, char *value)
{
  replay_args *a = args;
  for (size_t i = 0; i < a->filter_count; i++)
    if (strcmp(a->filters[i], value) == 0)
      return true;
  if (program_is_name(value))
    return add_program(a, row, value);
  for (int kind = 0; kind < CONTENDER_KINDS && a->filter_count < REPLAY_FILTERS_MAX; kind++)
    if (strcmp(contender_name(kind), value) == 0) {
      a->filters[a->filter_count++] = contender_name(kind);
      return true;
    }
  return refuse(row->name, "names that --help lists", value);
}

static bool has_paper(const replay_args *args, const char *name)
{
  for (size_t i = 0; i < args->paper_count; i++)
    if (strcmp(args->papers[i], name) == 0)
      return true;
  return false;
}

static bool add_paper(void *args, const option_row *row, char *value)
{
  replay_args *a = args;
  if (has_paper(a, value))
    return true;
  for (int i = 0; paper_name(i) != NULL; i++)
    if (strcmp(paper_name(i), value) == 0 && a->paper_count < REPLAY_PAPERS_MAX) {
      a->papers[a->paper_count++] = paper_name(i);
      return true;
    }
  return refuse(row->name, "names that --help lists", value);
}

/* In their order, each once. */
static bool add_size(void *args, const option_row *row, char *value)
{
  replay_args *a = args;
  uint64_t size;
  if (!value_number_read(value, row->low, row->high, false, &size)) {
    refuse_number(row, value);
    return false;
  }
  size_t at = 0;
  while (at < a->size_count && a->sizes[at] < size)
    at++;
  if (at < a->size_count && a->sizes[at] == size)
    return true;
  if (a->size_count == REPLAY_SIZES_MAX)
    return refuse(row->name, "at most 16 numbers", value);
  memmove(a->sizes + at + 1, a->sizes + at, (a->size_count - at) * sizeof *a->sizes);
  a->sizes[at] = size;
  a->size_count++;
  return true;
}

#define FIELD(member) OPTION_FIELD(replay_args, member)

static const option_row option_rows[] = {
  {"format", "F", OPTION_STRING, FIELD(format),
   .help = "auto, plain, sogout-link, sogouq, sogou-news, sogout-pages, cdx, crawl-log  (auto)",
   .manual = "The format of {Ar FILE}: {Cm auto} (the default), "
             "{Cm plain , sogout-link , sogouq , sogou-news , sogout-pages , cdx} or {Cm crawl-log}."},
  {"ids", "FILE", OPTION_STRING, FIELD(ids),
   .help = "the id table (id2url.link) of a SogouT-link file, which holds ids only"},
  {"protocol", "P,...", OPTION_LIST, .take = add_protocol,
   .help = "queries to make; may be repeated  (all)\n"
           "  paper fresh recombined permuted repeated prefix newhost stream",
   .manual = "Queries to make; may be repeated; all if not given. {Cm paper}, each URL of the list with its number "
             "appended; {Cm fresh}, URLs that were not inserted; {Cm recombined}, known segments in a new "
             "combination; {Cm permuted}, the segments of a known URL in another order; {Cm repeated}, a known "
             "segment twice; {Cm prefix}, the directories of known URLs; {Cm newhost}, known paths on a new host; "
             "{Cm stream}, test and insert in the order of the list."},
  {"filters", "F,...", OPTION_LIST, .take = add_filter,
   .help = "filters to use: bloom-paper mlbf-paper bloom mlbf line heritrix exact, or exec:COMMAND, a program\n"
           "that reads keys and writes answers, as the manual says  (the first five)",
   .manual = "Filters to use: {Cm bloom-paper , mlbf-paper , bloom , mlbf , line , heritrix , exact}, or "
             "{Cm exec: Ns Ar COMMAND} for a program of your own; the first five if not given."},
  {"exec-limit", "SECONDS", OPTION_SECONDS, FIELD(setting.limit_ms), .low = 1,
   .help = "the longest that a program may neither read nor answer  (60)",
   .manual = "The longest that a program may neither read nor answer; 60 if not given."},
  {"n", "N,...", OPTION_LIST, .take = add_size, .low = 1, .high = (uint64_t)1 << 40,
   .help = "URLs inserted  (1000000,1500000,2000000,2500000,3000000; of fewer URLs 2 to 6 sevenths)",
   .manual = "URLs inserted; 1000000,1500000,2000000,2500000,3000000 if not given, as in the paper, or 2 to 6 sevenths "
             "of a list that is shorter."},
  {"bits-per-url", "B", OPTION_CALL, .take = take_bits,
   .help = "memory of bloom, mlbf and line  (the total of mlbf-paper)",
   .manual = "Memory of bloom, mlbf and line; the total of mlbf-paper if not given."},
  {"m", "M", OPTION_COUNT, FIELD(setting.m), .low = 64, .high = (uint64_t)1 << 40,
   .help = "bits per array of bloom-paper and mlbf-paper  (16829152 for 3000000 URLs, as in the paper,\n"
           "and in proportion for other largest N)",
   .manual =
     "Bits per array of bloom-paper and mlbf-paper. If not given, 16829152 for 3000000 URLs, as in the paper, and "
     "in proportion if the largest {Ar N} is another."},
  {"k", "K", OPTION_COUNT, FIELD(setting.k), .low = 1, .high = 32, .help = "hashes of bloom-paper and mlbf-paper  (3)",
   .manual = "Hashes of bloom-paper and mlbf-paper; 3 if not given."},
  {"layers", "L", OPTION_COUNT, FIELD(setting.layers), .low = 1, .high = MLBF_LAYERS_MAX,
   .help = "layers of mlbf-paper  (4)", .manual = "Layers of mlbf-paper; 4 if not given."},
  {"queries", "N", OPTION_COUNT, FIELD(queries), .low = 1, .high = (uint64_t)1 << 40,
   .help = "at most N queries per protocol; the protocol named paper queries the whole list  (1000000)",
   .manual = "At most {Ar N} queries per protocol; 1000000 if not given. The protocol named {Cm paper} queries the "
             "whole list."},
  {"shuffle", NULL, OPTION_FLAG, FIELD(shuffle),
   .help = "put the list into a random order that depends on the seed: for sorted lists"},
  {"seed", "S", OPTION_COUNT, FIELD(seed), .low = 0, .high = UINT64_MAX,
   .help = "for shuffle, queries and filters; same seed, same file, same counts  (1)",
   .manual = "For shuffle, queries and filters; 1 if not given. The same seed and file give the same counts."},
  {"out", "DIR", OPTION_STRING, FIELD(out),
   .help = "directory of the results, made if it does not exist  (strata-replay)",
   .manual = "Directory of the results; {Pa strata-replay} if not given."},
  {"paper", "NAME,...", OPTION_LIST, .take = add_paper,
   .help = "instead of replaying a list, compute the tables of these papers (counting, matrix, sdhash, skip)\n"
           "next to the printed numbers, into DIR/paper-NAME.csv and report.html; matrix also makes and\n"
           "finds edited copies of the documents in given directories; the others take no FILE",
   .manual = "Instead of replaying a list, compute the tables of the papers behind the other structures of this "
             "library, next to the printed numbers, into {Pa paper-NAME.csv} and {Pa report.html}: {Cm counting} (Yan "
             "and Cho, Tables 1 to 10), {Cm matrix} (Butakov, Table 1, the layouts of Table 2 on generated "
             "documents, and edited copies found among them), {Cm sdhash} (Roussev 2012, Table 5 by the rules of the "
             "papers and of sdhash 4.0, and the rates of Tables 1 to 4) and {Cm skip} (Tang, Lin and Han: printed "
             "formula, corrected, measured). Takes no {Ar FILE}; only {Cm matrix} takes directories, and also makes "
             "and finds edited copies of the documents in them."},
  {"rounds", "N", OPTION_COUNT, FIELD(rounds), .low = 1, .high = 1000000,
   .help = "repetitions of the papers' experiments  (as in the paper; counting, sdhash: some minutes)",
   .manual = "Repetitions of the papers' experiments; as many as in the paper if not given, which takes {Cm counting} "
             "some minutes and {Cm sdhash} two. With fewer than 100, {Cm sdhash} searches so many MB instead of 100."},
  {.kind = OPTION_TEXT, .help = "  --help            this text"},
};

/* clang-format off */
const option_table cmd_replay_options = {
  .command = "replay", .column = 20, OPTION_ROWS(option_rows),
  .refuse_number = refuse_number,
  .before =
  "Usage: strata replay [OPTION]... FILE...\n"
  "       strata replay --paper NAME,... [--rounds N] [--seed S] [--out DIR] [DIRECTORY...]\n"
  "Replay a list of URLs through URL-seen filters and write the errors and times of each, next to the claims of the\n"
  "paper that introduced the multi-layer filter: DIR/report.html, results.csv, fig5.svg, fig6.svg, fig7.svg.\n"
  "FILE may be compressed with gzip, zstd or xz; - is standard input. Its format is detected and printed.\n",
  .after =
  "Examples\n"
  "  $ strata replay --shuffle urls.txt.zst\n"
  "  $ strata replay --protocol fresh,recombined --filters bloom,mlbf --n 100000 --bits-per-url 12 urls.txt\n"
  "  $ strata replay --ids id2url.link --protocol stream SogouT-link\n"
  "  $ strata replay --filters 'mlbf,exec:python3 mine.py' urls.txt\n"
  "  $ strata replay --paper skip,counting --rounds 50\n",
  .exits = "0 done; 1 failed, or no URL was found; 2 wrong usage",
};
/* clang-format on */

static void set_defaults(replay_args *args)
{
  enum { FILTERS = 5 };
  bool has_protocol = false;
  for (int i = 0; i < PROTOCOL_COUNT; i++)
    has_protocol |= args->protocols[i];
  for (int i = 0; i < PROTOCOL_COUNT; i++)
    args->protocols[i] |= !has_protocol;
  if (args->filter_count == 0)
    for (; args->filter_count < FILTERS; args->filter_count++)
      args->filters[args->filter_count] = contender_name((int)args->filter_count);
  args->setting.seed = args->seed;
  args->setting.directory = args->out;
  if (args->format && strcmp(args->format, "auto") == 0)
    args->format = NULL;
}

int replay_args_read(int argc, char **argv, replay_args *args)
{
  *args = (replay_args){
    .out = "strata-replay",
    .queries = 1000000,
    .seed = 1,
    .setting = {.k = PAPER_K, .layers = PAPER_LAYERS, .limit_ms = 60000},
  };
  int code = options_read(&cmd_replay_options, argc, argv, args);
  if (code != OPTIONS_READ)
    return code;
  if (args->paper_count > 0 && !has_paper(args, "matrix") && optind < argc) {
    say_error("replay", "--paper takes no file, but for matrix: other experiments are on keys drawn by the seed");
    return EXIT_USAGE;
  }
  if (args->paper_count == 0 && args->rounds > 0) {
    say_error("replay", "--rounds is for --paper");
    return EXIT_USAGE;
  }
  if (optind == argc && args->paper_count == 0) {
    say_error("replay", "needs a file of URLs, or -; see strata replay --help");
    return EXIT_USAGE;
  }
  set_defaults(args);
  args->files = argv + optind;
  args->file_count = argc - optind;
  return OPTIONS_READ;
}
