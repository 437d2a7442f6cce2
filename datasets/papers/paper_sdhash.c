/* Roussev: Managing Terabyte-Scale Investigations with Similarity Digests. Table 5 by the protocol of similarity.h,
 * with both rules for scores; and from Tables 1 to 4 what two cores can measure: the rates of one thread and two. */
#include "datasets/papers/paper.h"
#include "datasets/papers/similarity.h"

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

static double share(uint32_t part, const similarity_result *of)
{
  return (double)part / of->asked;
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

static void count_pieces(found_pieces *of, const similarity_result *found, double wrong_printed)
{
  const int rule = MLBF_DIGEST_RULE_PAPER;
  of->far_wrong += is_far(share(found->wrong[rule], found), wrong_printed, found->asked);
  of->least_right = fmin(of->least_right, share(found->right[rule], found));
  of->split += found->split;
  of->split_right += found->split_right[rule];
  of->whole += found->asked - found->split;
  of->whole_right += found->right[rule] - found->split_right[rule];
}

static void judge_pieces(const paper_run *run, const found_pieces *of, size_t target_mb)
{
  if (target_mb < TARGET_MB)
    paper_judge(run, PAPER_NOT_REPRODUCIBLE, "Table 5, false positives",
                "with --rounds below %d the target has %zu MB instead of 100, and chance finds less in it", TARGET_MB,
                target_mb);
  else
    paper_judge(
      run, of->far_wrong == 0 ? PAPER_REPRODUCED : PAPER_OFF, "Table 5, false positives",
      "by the papers' rule %u of %d sizes differ by more than chance explains; by sdhash 4.0's rule hardly any "
      "piece is found",
      of->far_wrong, PIECES);
  paper_judge(run, of->least_right >= 0.99 ? PAPER_REPRODUCED : PAPER_OFF, "Table 5, true positives",
              "down to %.3f where 0.997 is printed: of pieces in two blocks, each of which has only a part, %.3f are "
              "found; of pieces in one block %.4f, as printed",
              of->least_right, of->split > 0 ? (double)of->split_right / (double)of->split : 1,
              of->whole > 0 ? (double)of->whole_right / (double)of->whole : 1);
}

static bool write_pieces(const paper_run *run, const similarity_target *target, uint32_t rounds)
{
  found_pieces of = {.least_right = 1};
  fprintf(run->html,
          "<h3>Table 5, %u pieces of each size, target %zu MB, seed %llu</h3>\n<div class=\"scroll\"><table>"
          "<tr><th>bytes</th><th>false positives, printed</th><th>papers&#8217; rule</th><th>sdhash 4.0&#8217;s</th>"
          "<th>true positives, printed</th><th>papers&#8217; rule</th><th>sdhash 4.0&#8217;s</th></tr>\n",
          (unsigned)rounds, target->size / 1000000, (unsigned long long)run->seed);
  for (int i = 0; i < PIECES; i++) {
    similarity_result found;
    if (!similarity_measure(target, pieces[i].bytes, rounds, run->seed, &found))
      return false;
    count_pieces(&of, &found, pieces[i].wrong);
    paper_told(run, (uint64_t)i + 1, PIECES + 2);
    double paper_wrong = share(found.wrong[MLBF_DIGEST_RULE_PAPER], &found);
    double paper_right = share(found.right[MLBF_DIGEST_RULE_PAPER], &found);
    double current_wrong = share(found.wrong[MLBF_DIGEST_RULE_CURRENT], &found);
    double current_right = share(found.right[MLBF_DIGEST_RULE_CURRENT], &found);
    fprintf(run->csv, "5,%zu,%zu,%u,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,,,,,\n", target->size, pieces[i].bytes,
            (unsigned)rounds, pieces[i].wrong, paper_wrong, current_wrong, pieces[i].right, paper_right, current_right);
    fprintf(run->html,
            "<tr><td>%zu</td><td>%.4f</td><td>%.4f</td><td>%.4f</td><td>%.3f</td><td>%.3f</td><td>%.3f</td>"
            "</tr>\n",
            pieces[i].bytes, pieces[i].wrong, paper_wrong, current_wrong, pieces[i].right, paper_right, current_right);
  }
  fputs("</table></div>\n", run->html);
  judge_pieces(run, &of, target->size / 1000000);
  return true;
}

static bool write_rates(const paper_run *run, const similarity_target *target)
{
  double one = similarity_rate(target, 1), two = similarity_rate(target, 2);
  if (one <= 0 || two <= 0)
    return false;
  fputs("<h3>Tables 1 to 3: digesting, MB/s</h3>\n<p>Printed numbers are of other machines and data; ours of the target"
        " above, in blocks.</p>\n<div class=\"scroll\"><table><tr><th>table</th><th>1 thread, printed</th>"
        "<th>1 thread, ours</th><th>2 threads, ours</th><th>4 threads / 1, printed</th><th>2 threads / 1, ours</th>"
        "</tr>\n",
        run->html);
  for (int i = 0; i < RATES; i++) {
    fprintf(run->csv, "%d,%zu,,,,,,,,,%.4g,%.4g,%.4g,%.3g,%.3g\n", i + 1, target->size, rates[i].rate, one, two,
            rates[i].gain_of_four, two / one);
    fprintf(run->html, "<tr><td>%d</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.2f</td><td>%.2f</td></tr>\n", i + 1,
            rates[i].rate, one, two, rates[i].gain_of_four, two / one);
  }
  fputs("</table></div>\n", run->html);
  return true;
}

static bool write_comparisons(const paper_run *run, const similarity_target *target)
{
  double one = similarity_comparisons(target, 1), two = similarity_comparisons(target, 2);
  if (one <= 0 || two <= 0)
    return false;
  fputs("<h3>Table 4: filters compared a millisecond</h3>\n<div class=\"scroll\"><table><tr><th>threads</th>"
        "<th>printed</th><th>gain, printed</th><th>ours</th><th>gain, ours</th></tr>\n",
        run->html);
  for (int i = 0; i < COMPARISONS; i++) {
    fprintf(run->html, "<tr><td>%u</td><td>%.0f</td><td>%.2f</td>", comparisons[i].threads, comparisons[i].per_ms,
            comparisons[i].gain);
    fprintf(run->html, i == 0 ? "<td>%.0f</td><td>1</td></tr>\n" : "<td></td><td></td></tr>\n", one);
  }
  fprintf(run->html, "<tr><td>2</td><td></td><td></td><td>%.0f</td><td>%.2f</td></tr>\n</table></div>\n", two,
          two / one);
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
  fputs("table,target_bytes,piece_bytes,rounds,fp_printed,fp_paper_rule,fp_sdhash4_rule,tp_printed,tp_paper_rule,"
        "tp_sdhash4_rule,mb_per_s_printed,mb_per_s,mb_per_s_2_threads,gain_of_4_threads_printed,gain_of_2_threads\n",
        run->csv);
  fputs(words, run->html);
  bool is_done = write_pieces(run, &target, rounds) && write_rates(run, &target) && write_comparisons(run, &target);
  similarity_target_free(&target);
  return is_done;
}
