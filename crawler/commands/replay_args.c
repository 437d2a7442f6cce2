#include "crawler/commands/replay_args.h"
#include "crawler/commands/cmd.h"
#include "crawler/base/message.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
  "Usage: strata replay [OPTION]... FILE...\n"
  "       strata replay --paper NAME,... [--rounds N] [--seed S] [--out DIR] [DIRECTORY...]\n"
  "Replay a list of URLs through URL-seen filters and write what each got wrong and how long it took, beside the\n"
  "claims of the paper the multi-layer filter comes from: DIR/report.html, results.csv, fig5.svg, fig6.svg, fig7.svg.\n"
  "FILE may be compressed with gzip, zstd or xz; - is standard input. Its format is found out and said.\n"
  "\n"
  "  --format F        auto, plain, sogout-link, sogouq, sogou-news, sogout-pages, cdx, crawl-log  (auto)\n"
  "  --ids FILE        the id table (id2url.link) of a SogouT-link file, which holds ids only\n"
  "  --protocol P,...  what is asked; repeatable  (all)\n"
  "                      paper fresh recombined permuted repeated prefix newhost stream\n"
  "  --filters F,...   who is asked: bloom-paper mlbf-paper bloom mlbf line heritrix exact  (the first five)\n"
  "  --n N,...         URLs inserted  (1000000,1500000,2000000,2500000,3000000)\n"
  "  --bits-per-url B  memory of bloom, mlbf and line  (as many bits as mlbf-paper takes in all)\n"
  "  --m M --k K --layers L  of bloom-paper and mlbf-paper  (16829152, 3, 4: the paper's)\n"
  "  --queries N       the most a protocol asks; paper asks the whole list  (1000000)\n"
  "  --shuffle         take the list in an order drawn by the seed: for lists that are sorted\n"
  "  --seed S          of shuffle, queries and filters; same seed, same file, same counts  (1)\n"
  "  --out DIR         where the results go, made if it is not there  (strata-replay)\n"
  "  --paper NAME,...  counting, matrix, sdhash, skip: the tables of these papers instead, printed numbers beside\n"
  "                    ours, in DIR/paper-NAME.csv and report.html; matrix also takes directories of\n"
  "                    documents, of which it makes and finds edited copies; the others take no FILE\n"
  "  --rounds N        how often their experiments are repeated  (as in the paper; counting, sdhash: some minutes)\n"
  "  --help            this text\n"
  "\n"
  "Examples\n"
  "  $ strata replay --shuffle urls.txt.zst\n"
  "  $ strata replay --protocol fresh,recombined --filters bloom,mlbf --n 100000 --bits-per-url 12 urls.txt\n"
  "  $ strata replay --ids id2url.link --protocol stream SogouT-link\n"
  "  $ strata replay --paper skip,counting --rounds 50\n"
  "\n"
  "Exit: 0 done; 1 failed, or no URL was found; 2 wrong usage.\n";

enum { OPTION_FORMAT = 256, OPTION_IDS, OPTION_PROTOCOL, OPTION_FILTERS, OPTION_N, OPTION_BITS, OPTION_M, OPTION_K,
       OPTION_LAYERS, OPTION_QUERIES, OPTION_SHUFFLE, OPTION_SEED, OPTION_OUT, OPTION_PAPER, OPTION_ROUNDS,
       OPTION_HELP };

static const struct option options[] = {
  { "format", required_argument, NULL, OPTION_FORMAT },
  { "ids", required_argument, NULL, OPTION_IDS },
  { "protocol", required_argument, NULL, OPTION_PROTOCOL },
  { "filters", required_argument, NULL, OPTION_FILTERS },
  { "n", required_argument, NULL, OPTION_N },
  { "bits-per-url", required_argument, NULL, OPTION_BITS },
  { "m", required_argument, NULL, OPTION_M },
  { "k", required_argument, NULL, OPTION_K },
  { "layers", required_argument, NULL, OPTION_LAYERS },
  { "queries", required_argument, NULL, OPTION_QUERIES },
  { "shuffle", no_argument, NULL, OPTION_SHUFFLE },
  { "seed", required_argument, NULL, OPTION_SEED },
  { "out", required_argument, NULL, OPTION_OUT },
  { "paper", required_argument, NULL, OPTION_PAPER },
  { "rounds", required_argument, NULL, OPTION_ROUNDS },
  { "help", no_argument, NULL, OPTION_HELP },
  { NULL, 0, NULL, 0 },
};

static bool refuse(const char *option, const char *takes, const char *text)
{
  say_error("replay", "--%s takes %s, not \"%.60s\"", option, takes, text);
  return false;
}

/* Decimal digits only: strtoull alone takes blanks, signs and an empty string. */
static bool read_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
  errno = 0;
  bool is_digits = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
  uint64_t read = is_digits ? strtoull(text, NULL, 10) : 0;
  if (is_digits && errno == 0 && read >= least && read <= most) {
    *number = read;
    return true;
  }
  char takes[80];
  snprintf(takes, sizeof takes, "a number from %llu to %llu", (unsigned long long)least, (unsigned long long)most);
  return refuse(option, takes, text);
}

static bool read_bits(const char *text, double *bits)
{
  char *end;
  double read = strtod(text, &end);
  if (end != text && *end == '\0' && read >= 0.01 && read <= 10000)
    *bits = read;
  else
    return refuse("bits-per-url", "a number from 0.01 to 10000", text);
  return true;
}

static bool add_protocol(replay_args *args, const char *name)
{
  protocol which;
  if (!protocol_from_name(name, &which))
    return refuse("protocol", "names that --help lists", name);
  args->protocols[which] = true;
  return true;
}

static bool add_filter(replay_args *args, const char *name)
{
  for (size_t i = 0; i < args->filter_count; i++)
    if (strcmp(args->filters[i], name) == 0)
      return true;
  for (int kind = 0; kind < CONTENDER_KINDS; kind++)
    if (strcmp(contender_name(kind), name) == 0) {
      args->filters[args->filter_count++] = contender_name(kind);
      return true;
    }
  return refuse("filters", "names that --help lists", name);
}

static bool has_paper(const replay_args *args, const char *name)
{
  for (size_t i = 0; i < args->paper_count; i++)
    if (strcmp(args->papers[i], name) == 0)
      return true;
  return false;
}

static bool add_paper(replay_args *args, const char *name)
{
  if (has_paper(args, name))
    return true;
  for (int i = 0; paper_name(i) != NULL; i++)
    if (strcmp(paper_name(i), name) == 0 && args->paper_count < REPLAY_PAPERS_MAX) {
      args->papers[args->paper_count++] = paper_name(i);
      return true;
    }
  return refuse("paper", "names that --help lists", name);
}

/* In their order, each once. */
static bool add_size(replay_args *args, const char *text)
{
  uint64_t size;
  if (!read_number("n", text, 1, UINT64_C(1) << 40, &size))
    return false;
  size_t at = 0;
  while (at < args->size_count && args->sizes[at] < size)
    at++;
  if (at < args->size_count && args->sizes[at] == size)
    return true;
  if (args->size_count == REPLAY_SIZES_MAX)
    return refuse("n", "at most 16 numbers", text);
  memmove(args->sizes + at + 1, args->sizes + at, (args->size_count - at) * sizeof *args->sizes);
  args->sizes[at] = size;
  args->size_count++;
  return true;
}

static bool add_each(replay_args *args, char *list, bool (*add)(replay_args *args, const char *name))
{
  char *rest;
  for (char *name = strtok_r(list, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest))
    if (!add(args, name))
      return false;
  return true;
}

static bool read_option(replay_args *args, int option, char *value)
{
  uint64_t number;
  switch (option) {
    case OPTION_FORMAT: args->format = strcmp(value, "auto") == 0 ? NULL : value; return true;
    case OPTION_IDS: args->ids = value; return true;
    case OPTION_OUT: args->out = value; return true;
    case OPTION_SHUFFLE: args->shuffle = true; return true;
    case OPTION_PROTOCOL: return add_each(args, value, add_protocol);
    case OPTION_FILTERS: return add_each(args, value, add_filter);
    case OPTION_N: return add_each(args, value, add_size);
    case OPTION_BITS: return read_bits(value, &args->setting.bits_per_url);
    case OPTION_M: return read_number("m", value, 64, UINT64_C(1) << 40, &args->setting.m);
    case OPTION_QUERIES: return read_number("queries", value, 1, UINT64_C(1) << 40, &args->queries);
    case OPTION_SEED: return read_number("seed", value, 0, UINT64_MAX, &args->seed);
    case OPTION_K:
      if (!read_number("k", value, 1, 32, &number))
        return false;
      args->setting.k = (uint32_t)number;
      return true;
    case OPTION_LAYERS:
      if (!read_number("layers", value, 1, MLBF_LAYERS_MAX, &number))
        return false;
      args->setting.layers = (uint32_t)number;
      return true;
    case OPTION_PAPER: return add_each(args, value, add_paper);
    case OPTION_ROUNDS:
      if (!read_number("rounds", value, 1, 1000000, &number))
        return false;
      args->rounds = (uint32_t)number;
      return true;
    default: return false; /* getopt_long has said what is wrong */
  }
}

static void set_defaults(replay_args *args)
{
  static const uint64_t sizes[] = { 1000000, 1500000, 2000000, 2500000, 3000000 };
  enum { FILTERS = 5 };
  bool has_protocol = false;
  for (int i = 0; i < PROTOCOL_COUNT; i++)
    has_protocol |= args->protocols[i];
  for (int i = 0; i < PROTOCOL_COUNT; i++)
    args->protocols[i] |= !has_protocol;
  if (args->filter_count == 0)
    for (; args->filter_count < FILTERS; args->filter_count++)
      args->filters[args->filter_count] = contender_name((int)args->filter_count);
  if (args->size_count == 0)
    for (; args->size_count < sizeof sizes / sizeof sizes[0]; args->size_count++)
      args->sizes[args->size_count] = sizes[args->size_count];
  args->setting.seed = args->seed;
}

int replay_args_read(int argc, char **argv, replay_args *args)
{
  *args = (replay_args){
    .out = "strata-replay",
    .queries = 1000000,
    .seed = 1,
    .setting = { .m = PAPER_M, .k = PAPER_K, .layers = PAPER_LAYERS },
  };
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    if (option == OPTION_HELP) {
      fputs(help, stdout);
      return EXIT_DONE;
    }
    if (!read_option(args, option, optarg))
      return EXIT_USAGE;
  }
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
  return EXIT_DONE;
}
