/* strata digest: similarity digests of files, and how alike they are. */
#include "crawler/commands/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/commands/digest_set.h"
#include "crawler/base/input.h"
#include "crawler/base/message.h"
#include "crawler/commands/values.h"

static const char HELP[] =
  "Usage: strata digest [--dd] FILE...\n"
  "       strata digest --compare SET [SET]\n"
  "       strata digest --search SET FILE...\n"
  "       strata digest --make-ranks FILE...\n"
  "Similarity digests after Roussev (sdhash): one line for each FILE, from which one can tell how much of one file is\n"
  "in another without having either. The lines are those of sdhash 4.0 and can be read by it.\n"
  "\n"
  "  --dd             one filter for each 16 KiB, as for disk images; files above 16 MiB are done so anyway\n"
  "  --threads N      for --dd: how many at once, by default 1\n"
  "  --ranks FILE     another table of entropy ranks (1001 numbers, one a line) than the one built in. Digests made\n"
  "                   with different tables cannot be compared\n"
  "  --paths          call files as they are given, not by the last part of their names\n"
  "  --compare        for each pair, \"NAME|NAME|SCORE\": all pairs of one SET, or each of the first with each of the\n"
  "                   second. A SET is a file of digests, or any other file, which is then digested\n"
  "  --search SET     for each FILE, those of SET most like it\n"
  "  --top N          with --search: at most so many for each FILE, by default 10\n"
  "  --min N          leave out scores below this, by default 0 for --compare and 1 for --search\n"
  "  --paper-score    the score of the papers, not that of sdhash 4.0\n"
  "  --make-ranks     print a table of ranks, made from these files\n"
  "  --help           this text\n"
  "\n"
  "A score says how much of the smaller file is found in the larger: 0 nothing, 100 all, -1 too little to say. It is\n"
  "no distance: a part and its whole score high, and of two files of one size it can depend on which comes first.\n"
  "\n"
  "Examples\n"
  "  $ strata digest *.pdf > known.sdbf\n"
  "  $ strata digest --search known.sdbf draft.pdf\n"
  "  $ strata digest --compare report-1.txt report-2.txt\n"
  "\n"
  "Exit: 0 done; 1 some file could not be read or digested, the others were; 2 wrong usage.\n";

typedef enum task { DIGEST, COMPARE, SEARCH, MAKE_RANKS } task;

typedef struct orders {
  task task;
  digest_manner manner;
  mlbf_digest_ranks ranks;
  mlbf_digest_rule rule;
  const char *search_set;
  uint64_t top, min;
  bool has_min;
} orders;

/* ---- digests ------------------------------------------------------------------------------------------- */

static bool print_digest(const digest_item *item)
{
  char *text = mlbf_digest_text(item->digest, item->name);
  if (text)
    puts(text);
  else
    say_error("digest", "%s: out of memory", item->name);
  free(text);
  return text != NULL;
}

/* One file at a time, so that the first lines come early and memory is that of one. */
static bool digest_files(const orders *o, char *const *paths)
{
  bool is_done = true;
  for (; *paths; paths++) {
    digest_set one = {0};
    is_done &= digest_set_add_file(&one, &o->manner, *paths) && print_digest(&one.items[0]);
    digest_set_free(&one);
  }
  return is_done;
}

static bool make_ranks(char *const *paths)
{
  uint64_t counts[MLBF_ENTROPY_CLASSES] = {0};
  mlbf_digest_ranks ranks;
  bool is_done = true;
  for (; *paths; paths++) {
    size_t size;
    char *bytes = input_read("digest", *paths, SIZE_MAX, &size);
    if (bytes)
      mlbf_digest_count(bytes, size, counts);
    is_done &= bytes != NULL;
    free(bytes);
  }
  mlbf_digest_ranks_from_counts(counts, &ranks);
  puts("# entropy class 0..1000 -> rank, by strata digest --make-ranks");
  for (int i = 0; i < MLBF_ENTROPY_CLASSES; i++)
    printf("%u\n", (unsigned)ranks.rank[i]);
  return is_done;
}

/* ---- scores -------------------------------------------------------------------------------------------- */

/* Names come from files, and '|' parts them. */
static void print_name(const char *name)
{
  for (; *name; name++)
    putchar((unsigned char)*name < 0x20 || *name == 0x7f || *name == '|' ? '?' : *name);
}

static void print_score(const digest_item *a, const digest_item *b, int score)
{
  print_name(a->name);
  putchar('|');
  print_name(b->name);
  printf(score < 0 ? "|%d\n" : "|%03d\n", score);
}

static bool compare_pair(const orders *o, const digest_item *a, const digest_item *b)
{
  int score = mlbf_digest_score(a->digest, b->digest, o->rule);
  if (score == MLBF_DIGEST_NO_MEMORY) {
    say_error("digest", "out of memory");
    return false;
  }
  if (!o->has_min || score >= (int)o->min)
    print_score(a, b, score);
  return true;
}

static bool compare(const orders *o, char *const *paths)
{
  digest_set a = {0}, b = {0};
  bool is_done = digest_set_add(&a, &o->manner, paths[0]) && (!paths[1] || digest_set_add(&b, &o->manner, paths[1]));
  const digest_set *other = paths[1] ? &b : &a;
  for (size_t i = 0; is_done && i < a.count; i++)
    for (size_t j = paths[1] ? 0 : i + 1; is_done && j < other->count; j++)
      is_done = compare_pair(o, &a.items[i], &other->items[j]);
  digest_set_free(&a);
  digest_set_free(&b);
  return is_done;
}

typedef struct found {
  const digest_item *item;
  int score;
} found;

static int best_first(const void *a, const void *b)
{
  const found *x = a, *y = b;
  return x->score != y->score ? y->score - x->score : strcmp(x->item->name, y->item->name);
}

static bool search_one(const orders *o, const digest_set *set, const digest_item *wanted, found *all)
{
  for (size_t i = 0; i < set->count; i++) {
    all[i] = (found){&set->items[i], mlbf_digest_score(wanted->digest, set->items[i].digest, o->rule)};
    if (all[i].score == MLBF_DIGEST_NO_MEMORY) {
      say_error("digest", "out of memory");
      return false;
    }
  }
  qsort(all, set->count, sizeof *all, best_first);
  for (size_t i = 0; i < set->count && i < o->top && all[i].score >= (o->has_min ? (int)o->min : 1); i++)
    print_score(wanted, all[i].item, all[i].score);
  return true;
}

static bool search(const orders *o, char *const *paths)
{
  digest_set set = {0}, wanted = {0};
  bool is_done = digest_set_add(&set, &o->manner, o->search_set);
  found *all = is_done ? calloc(set.count + 1, sizeof *all) : NULL;
  if (is_done && !all)
    say_error("digest", "out of memory");
  for (; all && *paths; paths++)
    is_done &= digest_set_add(&wanted, &o->manner, *paths);
  for (size_t i = 0; all && i < wanted.count; i++)
    is_done &= search_one(o, &set, &wanted.items[i], all);
  free(all);
  digest_set_free(&set);
  digest_set_free(&wanted);
  return is_done && set.count;
}

/* ---- what it was told ---------------------------------------------------------------------------------- */

static bool read_ranks(orders *o, const char *path)
{
  size_t size, line;
  char *text = input_read("digest", path, 1 << 20, &size);
  if (!text)
    return false;
  bool is_table = mlbf_digest_ranks_parse(text, size, &o->ranks, &line) == MLBF_OK;
  if (!is_table)
    say_error("digest", "%s: line %zu: not a table of %d ranks, one number a line", path, line, MLBF_ENTROPY_CLASSES);
  free(text);
  o->manner.options.ranks = &o->ranks;
  return is_table;
}

static int usage_error(const char *what, const char *text)
{
  say_error("digest", "%s%s; try strata digest --help", what, text);
  return EXIT_USAGE;
}

static int run(const orders *o, int count, char *const *paths)
{
  bool is_done;
  if (count == 0)
    return usage_error("which files?", "");
  if (o->task == COMPARE && count > 2)
    return usage_error("--compare takes one set or two", "");
  switch (o->task) {
  case COMPARE: is_done = compare(o, paths); break;
  case SEARCH: is_done = search(o, paths); break;
  case MAKE_RANKS: is_done = make_ranks(paths); break;
  default: is_done = digest_files(o, paths); break;
  }
  if (fflush(stdout) != 0 || ferror(stdout)) {
    say_error("digest", "standard output: %s", strerror(errno));
    is_done = false;
  }
  return is_done ? EXIT_DONE : EXIT_FAILED;
}

int cmd_digest(int argc, char **argv)
{
  static const struct option options[] = {
    {"dd", no_argument, NULL, 'd'}, {"threads", required_argument, NULL, 't'}, {"ranks", required_argument, NULL, 'r'},
    {"paths", no_argument, NULL, 'p'}, {"compare", no_argument, NULL, 'c'}, {"search", required_argument, NULL, 's'},
    {"top", required_argument, NULL, 'n'}, {"min", required_argument, NULL, 'm'},
    {"paper-score", no_argument, NULL, 'o'},
    {"make-ranks", no_argument, NULL, 'k'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
  orders o = {.top = 10};
  uint64_t threads = 1;
  optind = 1;
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;)
    switch (option) {
    case 'd': o.manner.options.blocks = true; break;
    case 't':
      if (!value_number("digest", "threads", optarg, 1, 64, false, &threads))
        return EXIT_USAGE;
      break;
    case 'r':
      if (!read_ranks(&o, optarg))
        return EXIT_FAILED;
      break;
    case 'p': o.manner.keep_paths = true; break;
    case 'c': o.task = COMPARE; break;
    case 's': o.task = SEARCH, o.search_set = optarg; break;
    case 'n':
      if (!value_number("digest", "top", optarg, 1, UINT32_MAX, false, &o.top))
        return EXIT_USAGE;
      break;
    case 'm':
      if (!value_number("digest", "min", optarg, 0, 100, false, &o.min))
        return EXIT_USAGE;
      o.has_min = true;
      break;
    case 'o': o.rule = MLBF_DIGEST_RULE_PAPER; break;
    case 'k': o.task = MAKE_RANKS; break;
    case 'h': fputs(HELP, stdout); return EXIT_DONE;
    case ':': return usage_error(argv[optind - 1], " needs a value");
    default: return usage_error("no such option: ", argv[optind - 1]);
    }
  o.manner.options.threads = (unsigned)threads;
  return run(&o, argc - optind, argv + optind);
}
