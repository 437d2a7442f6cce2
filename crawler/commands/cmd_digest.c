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

typedef enum task { DIGEST, COMPARE, SEARCH, MAKE_RANKS } task;

typedef struct orders {
  task task;
  digest_manner manner;
  mlbf_digest_ranks ranks;
  mlbf_digest_rule rule;
  const char *search_set, *ranks_path;
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

/* '|' parts them. */
static void print_name(const char *name)
{
  for (; *name; name++)
    putchar(*name == '|' ? '?' : *name);
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

static bool read_ranks(orders *o)
{
  size_t size, line;
  char *text = input_read("digest", o->ranks_path, 1 << 20, &size);
  if (!text)
    return false;
  bool is_table = mlbf_digest_ranks_parse(text, size, &o->ranks, &line) == MLBF_OK;
  if (!is_table)
    say_error("digest", "%s: line %zu: not a table of %d ranks, one number a line", o->ranks_path, line,
              MLBF_ENTROPY_CLASSES);
  free(text);
  o->manner.options.ranks = &o->ranks;
  return is_table;
}

static int run(const orders *o, int count, char *const *paths)
{
  bool is_done;
  if (o->task == COMPARE && count > 2) {
    say_error("digest", "--compare takes one set or two; try strata digest --help");
    return EXIT_USAGE;
  }
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

static bool take_search(void *args, const option_row *row, char *value)
{
  orders *o = args;
  (void)row;
  o->task = SEARCH;
  o->search_set = value;
  return true;
}

#define FIELD(member) OPTION_FIELD(orders, member)
#define GIVEN(member) .given = offsetof(orders, member)

static const option_row option_rows[] = {
  {"dd", NULL, OPTION_FLAG, FIELD(manner.options.blocks),
   .help = "one part of the digest per 16 KiB of the file: for disk images; always used above 16 MiB",
   .manual = "One part of the digest per 16 KiB of the file: for disk images. Always used for files above 16 MiB."},
  {"threads", "N", OPTION_COUNT, FIELD(manner.options.threads), .low = 1, .high = 64,
   .help = "with --dd: blocks in parallel, by default 1",
   .manual = "With {Fl -dd}, blocks in parallel; 1 if not given. The digest is the same."},
  {"ranks", "FILE", OPTION_STRING, FIELD(ranks_path),
   .help = "replace the built-in table of how common each entropy is: 1001 numbers, one per line, as\n"
           "--make-ranks prints them. Digests made with different tables cannot be compared",
   .manual = "Replace the built-in table of how common each entropy is: 1001 numbers, one per line, as "
             "{Fl -make-ranks} prints them. With sdhash 4.0's table the digests are identical to those of sdhash. "
             "Digests made with different tables cannot be compared."},
  {"paths", NULL, OPTION_FLAG, FIELD(manner.keep_paths), .help = "name files by the given path, not by its last part"},
  {"compare", NULL, OPTION_FLAG, FIELD(task), .low = COMPARE,
   .help = "print NAME|NAME|SCORE for all pairs in one SET, or for each digest of the first SET with each of\n"
           "the second. A SET is a file of digests; any other file is digested first",
   .manual = "Print {Ar NAME Ns | Ns Ar NAME Ns | Ns Ar SCORE} for all pairs in one {Ar FILE} of digests, or for each "
             "digest of the first {Ar FILE} with each of the second. A file without digests is digested first."},
  {"search", "SET", OPTION_CALL, .take = take_search, .help = "for each FILE, print the most similar digests of SET",
   .manual = "Print the digests in {Ar SET} that are most similar to each {Ar FILE}."},
  {"top", "N", OPTION_COUNT, FIELD(top), .low = 1, .high = UINT32_MAX,
   .help = "with --search: print at most N digests for each FILE, by default 10"},
  {"min", "N", OPTION_COUNT, FIELD(min), GIVEN(has_min), .low = 0, .high = 100,
   .help = "leave out scores below this, by default 0 for --compare and 1 for --search",
   .manual = "Leave out lower scores."},
  {"paper-score", NULL, OPTION_FLAG, FIELD(rule), .low = MLBF_DIGEST_RULE_PAPER,
   .help = "the score of the papers, not that of sdhash 4.0",
   .manual = "Score as the papers do: only filters of 6 or more features count, and the score begins at 0.35 of the "
             "way from the overlap expected by chance to the full one."},
  {"make-ranks", NULL, OPTION_FLAG, FIELD(task), .low = MAKE_RANKS,
   .help = "print a table of ranks, made from these files"},
  {.kind = OPTION_TEXT, .help = "  --help           this text"},
};

/* clang-format off */
const option_table cmd_digest_options = {
  .command = "digest", .column = 19, OPTION_ROWS(option_rows),
  .least_words = 1, .wanted = "which files?; try strata digest --help",
  .before =
  "Usage: strata digest [--dd] FILE...\n"
  "       strata digest --compare SET [SET]\n"
  "       strata digest --search SET FILE...\n"
  "       strata digest --make-ranks FILE...\n"
  "Similarity digests after Roussev (sdhash): one line for each FILE. Two of them show how much of one file is in\n"
  "another, without the files. sdhash 4.0 writes and reads the same lines.\n",
  .after =
  "A score says how much of the smaller file is found in the larger: 0 nothing, 100 all, -1 too little data. It is\n"
  "not a metric: a part and its whole score high, and for two files of equal size it can depend on which comes first.\n"
  "\n"
  "Examples\n"
  "  $ strata digest *.pdf > known.sdbf\n"
  "  $ strata digest --search known.sdbf draft.pdf\n"
  "  $ strata digest --compare report-1.txt report-2.txt\n",
  .exits = "0 done; 1 some file could not be read or digested, the others were; 2 wrong usage",
};
/* clang-format on */

int cmd_digest(int argc, char **argv)
{
  orders o = {.top = 10, .manner.options = MLBF_DIGEST_OPTIONS_DEFAULT};
  int code = options_read(&cmd_digest_options, argc, argv, &o);
  if (code != OPTIONS_READ)
    return code;
  if (o.ranks_path && !read_ranks(&o))
    return EXIT_FAILED;
  return run(&o, argc - optind, argv + optind);
}
