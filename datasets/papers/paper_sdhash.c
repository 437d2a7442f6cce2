/* Roussev: Managing Terabyte-Scale Investigations with Similarity Digests. Table 5 by the protocol of similarity.h,
 * with both rules for scores; and from Tables 1 to 3 what two cores can measure: the rates of one thread and two. */
#include "datasets/papers/paper.h"
#include "datasets/papers/similarity.h"

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

static const char words[] =
  "<h2>Similarity digests</h2>\n<p>Roussev: <cite>Managing Terabyte-Scale Investigations with Similarity Digests</cite>"
  ", 2012. Is a short piece found in a large target? This protocol, found by trying, gives the printed"
  " false positives: the target is random bytes,"
  " digested in blocks of 16&#8239;KiB; a piece is digested as a stream and found if its"
  " score is above 0. False positives: pieces of other random bytes, asked of the whole target. True positives:"
  " pieces from anywhere in the target, asked of the blocks they lie in. The papers&#8217; rule compares filters from"
  " 6 features on and cuts 0.35 of the way from what chance gives to all bits; sdhash&#8239;4.0 compares them from 16"
  " on and cuts by the features of both filters together, which is more than all the bits of a short piece: it finds"
  " none.</p>\n";

static bool write_pieces(const paper_run *run, const similarity_target *target, uint32_t rounds)
{
  fprintf(run->html,
          "<h3>Table 5, %u pieces of each size, target %zu MB, seed %llu</h3>\n<div class=\"scroll\"><table>"
          "<tr><th>bytes</th><th>false positives, printed</th><th>papers&#8217; rule</th><th>sdhash 4.0&#8217;s</th>"
          "<th>true positives, printed</th><th>papers&#8217; rule</th><th>sdhash 4.0&#8217;s</th></tr>\n",
          (unsigned)rounds, target->size / 1000000, (unsigned long long)run->seed);
  for (int i = 0; i < PIECES; i++) {
    similarity_result found;
    if (!similarity_measure(target, pieces[i].bytes, rounds, run->seed, &found))
      return false;
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
  bool is_done = write_pieces(run, &target, rounds) && write_rates(run, &target);
  similarity_target_free(&target);
  return is_done;
}
