/* Roussev: Managing Terabyte-Scale Investigations with Similarity Digests. Table 5 by the protocol of similarity.h,
 * with both rules for scores; and from Tables 1 to 4 what two cores can measure: the rates of one thread and two. */
#include "datasets/papers/paper.h"
#include "datasets/papers/similarity.h"
#include "datasets/replay/table.h"

#include <math.h>

enum {
  ROUNDS_USUAL = 1000,
  TARGET_MB = 100, /* fewer rounds than that have a target of as many MB: a try, not the table */
};

/* Table 5. */
static const struct {
  size_t bytes;
  double wrong, right;
} pieces[] = {
  {1000, 0.1906, 1},     {1100, 0.0964, 1},     {1200, 0.0465, 1},     {1300, 0.019, 1},      {1400, 0.0098, 1},
  {1500, 0.0058, 1},     {1600, 0.0029, 0.999}, {1700, 0.0023, 0.999}, {1800, 0.0013, 0.999}, {1900, 0.001, 0.998},
  {2000, 0.0006, 0.997}, {2200, 0.0005, 1},     {2400, 0.0001, 1},     {2600, 0.0001, 0.997}, {2800, 0, 1},
  {3000, 0, 0.999},      {3200, 0, 0.998},      {3400, 0, 0.998},      {3600, 0, 1},          {3800, 0, 0.998},
};

/* Tables 1 to 3, of other data and machines: MB/s of one thread, and how much faster four were. */
static const struct {
  double rate, gain_of_four;
} rates[] = {{26.74, 4.02}, {29.08, 3.32}, {28.25, 3.54}};

enum { PIECES = sizeof pieces / sizeof *pieces, RATES = sizeof rates / sizeof *rates };

static double share(uint32_t part, const similarity_result *found)
{
  return (double)part / found->asked;
}

/* Table 4: filters compared a millisecond, by so many threads. */
static const struct {
  unsigned threads;
  double per_ms, gain;
} comparisons[] = {{1, 19027, 1}, {4, 38054, 2}, {8, 41902, 2.2}, {12, 57373, 3.02}, {24, 58270, 3.06}};

enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

/* What Table 5 comes to. */
typedef struct found_pieces {
  unsigned far_wrong;          /* sizes whose false positives are off by more than chance */
  double least_right;          /* share found, of all pieces, by the papers' rule */
  uint64_t whole, whole_right; /* pieces that lie in one block */
  uint64_t split, split_right; /* in two */
} found_pieces;

static const char words[] =
  "<p>Roussev: <cite>Managing Terabyte-Scale Investigations with Similarity Digests</cite>"
  ", 2012. Is a short piece found in a large target? This protocol, found by trying, gives the printed"
  " false positives: the target is random bytes,"
  " digested in blocks of 16&#8239;KiB; a piece is digested as a stream and found if its"
  " score is above 0. False positives: pieces of other random bytes, asked of the whole target. True positives:"
  " pieces from anywhere in the target, asked of the blocks they lie in. The papers&#8217; rule compares filters from"
  " 6 features on and cuts 0.35 of the way from what chance gives to all bits; sdhash&#8239;4.0 compares them from 16"
  " on and cuts by the features of both filters together, which is more than all the bits of a short piece: it finds"
  " none.</p>\n";

/* Three standard errors of a share of `asked`, and one event of slack. */
static bool is_far(double ours, double printed, double asked)
{
  double most = fmax(ours, printed);
  return fabs(ours - printed) > 3 * sqrt(most * (1 - most) / asked) + 1 / asked;
}

static void count_pieces(found_pieces *sums, const similarity_result *found, double wrong_printed)
{
  const int rule = MLBF_DIGEST_RULE_PAPER;
  sums->far_wrong += is_far(share(found->wrong[rule], found), wrong_printed, found->asked);
  sums->least_right = fmin(sums->least_right, share(found->right[rule], found));
  sums->split += found->split;
  sums->split_right += found->split_right[rule];
  sums->whole += found->asked - found->split;
  sums->whole_right += found->right[rule] - found->split_right[rule];
}

static void judge_pieces(const paper_run *run, const found_pieces *sums, size_t target_mb)
{
  if (target_mb < TARGET_MB)
    paper_judge(run, PAPER_NOT_REPRODUCIBLE, "Table 5, false positives",
                "with --rounds below %d the target has %zu MB instead of 100, and chance finds less in it", TARGET_MB,
                target_mb);
  else
    paper_judge(
      run, sums->far_wrong == 0 ? PAPER_REPRODUCED : PAPER_OFF, "Table 5, false positives",
      "by the papers' rule %u of %d sizes differ by more than chance explains; by sdhash 4.0's rule hardly any "
      "piece is found",
      sums->far_wrong, PIECES);
  paper_judge(run, sums->least_right >= 0.99 ? PAPER_REPRODUCED : PAPER_OFF, "Table 5, true positives",
              "down to %.3f where 0.997 is printed: of pieces in two blocks, each of which has only a part, %.3f are "
              "found; of pieces in one block %.4f, as printed",
              sums->least_right, sums->split > 0 ? (double)sums->split_right / (double)sums->split : 1,
              sums->whole > 0 ? (double)sums->whole_right / (double)sums->whole : 1);
}

static const char fields[] =
  "table,target_bytes,piece_bytes,rounds,fp_printed,fp_paper_rule,fp_sdhash4_rule,tp_printed,tp_paper_rule,"
  "tp_sdhash4_rule,mb_per_s_printed,mb_per_s,mb_per_s_2_threads,gain_of_4_threads_printed,gain_of_2_threads";

static const table_column piece_columns[] = {
  {"table", TABLE_WHOLE, NULL, TABLE_NONE},
  {"target_bytes", TABLE_WHOLE, NULL, TABLE_NONE},
  {"piece_bytes", TABLE_WHOLE, "bytes", TABLE_WHOLE},
  {"rounds", TABLE_WHOLE, NULL, TABLE_NONE},
  {"fp_printed", TABLE_GENERAL(4), "false positives, printed", TABLE_FIXED(4)},
  {"fp_paper_rule", TABLE_GENERAL(4), "papers&#8217; rule", TABLE_FIXED(4)},
  {"fp_sdhash4_rule", TABLE_GENERAL(4), "sdhash 4.0&#8217;s", TABLE_FIXED(4)},
  {"tp_printed", TABLE_GENERAL(4), "true positives, printed", TABLE_FIXED(3)},
  {"tp_paper_rule", TABLE_GENERAL(4), "papers&#8217; rule", TABLE_FIXED(3)},
  {"tp_sdhash4_rule", TABLE_GENERAL(4), "sdhash 4.0&#8217;s", TABLE_FIXED(3)},
};

static bool write_pieces(const paper_run *run, const similarity_target *target, uint32_t rounds)
{
  found_pieces pieces_found = {.least_right = 1};
  char title[100];
  snprintf(title, sizeof title, "Table 5, %u pieces of each size, target %zu MB, seed %llu", (unsigned)rounds,
           target->size / 1000000, (unsigned long long)run->seed);
  table t = {.csv = run->csv, .html = run->html, .fields = fields, .title = title, TABLE_COLUMNS(piece_columns)};
  fprintf(run->html, "<h3>%s</h3>\n", title);
  table_begin(&t);
  for (int i = 0; i < PIECES; i++) {
    similarity_result found;
    if (!similarity_measure(target, pieces[i].bytes, rounds, run->seed, &found))
      return false;
    count_pieces(&pieces_found, &found, pieces[i].wrong);
    paper_told(run, (uint64_t)i + 1, PIECES + 2);
    table_row(&t, (table_cell[]){
                    TABLE_NUMBER(5), TABLE_NUMBER(target->size), TABLE_NUMBER(pieces[i].bytes), TABLE_NUMBER(rounds),
                    TABLE_NUMBER(pieces[i].wrong), TABLE_NUMBER(share(found.wrong[MLBF_DIGEST_RULE_PAPER], &found)),
                    TABLE_NUMBER(share(found.wrong[MLBF_DIGEST_RULE_CURRENT], &found)), TABLE_NUMBER(pieces[i].right),
                    TABLE_NUMBER(share(found.right[MLBF_DIGEST_RULE_PAPER], &found)),
                    TABLE_NUMBER(share(found.right[MLBF_DIGEST_RULE_CURRENT], &found))});
  }
  table_end(&t);
  judge_pieces(run, &pieces_found, target->size / 1000000);
  return true;
}

static const table_column rate_columns[] = {
  {"table", TABLE_WHOLE, "table", TABLE_WHOLE},
  {"target_bytes", TABLE_WHOLE, NULL, TABLE_NONE},
  {"mb_per_s_printed", TABLE_GENERAL(4), "1 thread, printed", TABLE_FIXED(1)},
  {"mb_per_s", TABLE_GENERAL(4), "1 thread, ours", TABLE_FIXED(1)},
  {"mb_per_s_2_threads", TABLE_GENERAL(4), "2 threads, ours", TABLE_FIXED(1)},
  {"gain_of_4_threads_printed", TABLE_GENERAL(3), "4 threads / 1, printed", TABLE_FIXED(2)},
  {"gain_of_2_threads", TABLE_GENERAL(3), "2 threads / 1, ours", TABLE_FIXED(2)},
};

static bool write_rates(const paper_run *run, const similarity_target *target)
{
  double one = similarity_rate(target, 1), two = similarity_rate(target, 2);
  if (one <= 0 || two <= 0)
    return false;
  table t = {.csv = run->csv,
             .html = run->html,
             .fields = fields,
             .title = "Tables 1 to 3: digesting, MB/s",
             TABLE_COLUMNS(rate_columns)};
  fprintf(run->html,
          "<h3>%s</h3>\n<p>Printed numbers are of other machines and data; ours of the target above, in blocks.</p>\n",
          t.title);
  table_begin(&t);
  for (int i = 0; i < RATES; i++)
    table_row(&t, (table_cell[]){TABLE_NUMBER(i + 1), TABLE_NUMBER(target->size), TABLE_NUMBER(rates[i].rate),
                                 TABLE_NUMBER(one), TABLE_NUMBER(two), TABLE_NUMBER(rates[i].gain_of_four),
                                 TABLE_NUMBER(two / one)});
  table_end(&t);
  return true;
}

static const table_column comparison_columns[] = {
  {NULL, TABLE_NONE, "threads", TABLE_WHOLE},          {NULL, TABLE_NONE, "printed", TABLE_FIXED(0)},
  {NULL, TABLE_NONE, "gain, printed", TABLE_FIXED(2)}, {NULL, TABLE_NONE, "ours", TABLE_FIXED(0)},
  {NULL, TABLE_NONE, "gain, ours", TABLE_FIXED(2)},
};

static bool write_comparisons(const paper_run *run, const similarity_target *target)
{
  double one = similarity_comparisons(target, 1), two = similarity_comparisons(target, 2);
  if (one <= 0 || two <= 0)
    return false;
  table t = {.html = run->html, .title = "Table 4: filters compared a millisecond", TABLE_COLUMNS(comparison_columns)};
  fprintf(run->html, "<h3>%s</h3>\n", t.title);
  table_begin(&t);
  for (int i = 0; i < COMPARISONS; i++)
    table_row(&t, (table_cell[]){TABLE_NUMBER(comparisons[i].threads), TABLE_NUMBER(comparisons[i].per_ms),
                                 TABLE_NUMBER(comparisons[i].gain), i == 0 ? TABLE_NUMBER(one) : TABLE_EMPTY,
                                 i == 0 ? TABLE_WORDS("1") : TABLE_EMPTY});
  table_row(&t, (table_cell[]){TABLE_NUMBER(2), TABLE_EMPTY, TABLE_EMPTY, TABLE_NUMBER(two), TABLE_NUMBER(two / one)});
  table_end(&t);
  paper_judge(
    run, PAPER_NOT_REPRODUCIBLE, "Tables 1 to 4",
    "they time another machine; ours compares %.0f filters a millisecond with one thread (printed: 19027), and "
    "%.2f times as many with two (printed: 2.0 times with four)",
    one, two / one);
  return true;
}

bool paper_sdhash(const paper_run *run)
{
  uint32_t rounds = run->rounds ? run->rounds : ROUNDS_USUAL;
  size_t target_mb = rounds < TARGET_MB ? rounds : TARGET_MB;
  similarity_target target;
  if (!similarity_target_make(target_mb * 1000000, run->seed, &target))
    return false;
  if (run->note != NULL)
    run->note("sdhash: pieces of 20 sizes");
  fprintf(run->csv, "%s\n", fields);
  fputs(words, run->html);
  bool is_done = write_pieces(run, &target, rounds) && write_rates(run, &target) && write_comparisons(run, &target);
  similarity_target_free(&target);
  return is_done;
}
