/* Butakov: the pseudo-matrix Bloom filter. Table 1 is arithmetic, with slips; Table 2 compares two layouts on PAN-09.
 * Here they are compared on generated documents of similar lengths (passages.h), and in shape only. */
#include "datasets/papers/paper.h"
#include "datasets/papers/passages.h"

enum { DOCUMENTS = 500, ROUNDS_USUAL = 300 };

static const char *const score_names[PASSAGES_SCORES] = {"literal", "corrected"};
static const uint32_t percents[] = {0, 5, 10, 20, 50};

enum { PERCENTS = sizeof percents / sizeof *percents };

/* ---- Table 1 --------------------------------------------------------------------------------- */

static const double documents = 14428, words_mean = 38000, row_words = 123000, printed_rows = 4489,
                    printed_bits = 766933;

static void write_number(const paper_run *run, const char *what, double printed, double ours, int digits,
                         const char *remark)
{
  fprintf(run->csv, "1,%s,,,%.9g,%.*f,,,,,,,\n", what, printed, digits, ours);
  fprintf(run->html, "<tr><td>%s</td><td>%.9g</td><td>%.*f</td><td>%s</td></tr>\n", what, printed, digits, ours,
          remark);
}

static void write_sizes(const paper_run *run)
{
  double bits = (double)matrix_row_bits((uint64_t)row_words, 0.05);
  fputs("<h3>Table 1</h3>\n<div class=\"scroll\"><table><tr><th></th><th>printed</th><th>ours</th><th></th></tr>\n",
        run->html);
  write_number(run, "m_bits", printed_bits, bits, 0, "&#8722;n ln p / (ln 2)&#178;, n = 123&#8239;000, p = 0.05");
  write_number(run, "d_rows", printed_rows, documents * words_mean / row_words, 0,
               "14&#8239;428 documents of 38&#8239;000 words: its own rounded means");
  write_number(run, "M_MiB", 411, printed_rows * bits / 8 / 1048576, 1, "the printed 4489 rows");
  write_number(run, "ratio", 3.1, documents / printed_rows, 2,
               "rows of one document each against 4489; the text says 3.1 and, a paragraph on, 3.2");
  fputs("</table></div>\n", run->html);
  paper_judge(run, bits == printed_bits ? PAPER_REPRODUCED : PAPER_OFF, "Table 1, m and M",
              "%.0f bits a row by its formula, and %.1f MiB, printed 411", bits, printed_rows * bits / 8 / 1048576);
  paper_judge(run, PAPER_OFF, "Table 1, rows and ratio",
              "%.0f rows by its rounded means, printed 4489; 1:%.2f, printed 1:3.1 and a paragraph on 1:3.2",
              documents * words_mean / row_words, documents / printed_rows);
}

/* ---- Table 2 --------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  double wrong, missed; /* printed, as shares */
} layouts[MATRIX_LAYOUTS] = {{"row-each", 0.01, 0.05}, {"distributed", 0.0001, 0.11}};

/* What was asked and what came of it, by one layout and score. */
typedef struct outcome {
  const char *layout, *score;
  double rows, wrong, queries, missed;
} outcome;

/* Passages of `percent` of the query; 0: none was copied, and none can be missed. */
static void write_outcome(const paper_run *run, uint32_t percent, const outcome *of)
{
  double wrong = of->wrong / of->rows;
  fprintf(run->csv, "2,%s,%s,%u,,,,%.4g,,", of->layout, of->score, (unsigned)percent, wrong);
  fprintf(run->html, "<tr><td>%u %%</td><td>%s</td><td>%s</td><td></td><td>%.3f %%</td><td></td>", (unsigned)percent,
          of->layout, of->score, 100 * wrong);
  if (percent > 0) {
    fprintf(run->csv, "%.4g", of->missed / of->queries);
    fprintf(run->html, "<td>%.1f %%</td>", 100 * of->missed / of->queries);
  }
  fputs(",,,\n", run->csv);
  fputs("</tr>\n", run->html);
}

static void write_sum(const paper_run *run, int layout, const outcome *of)
{
  double wrong = of->wrong / of->rows, missed = of->missed / of->queries;
  fprintf(run->csv, "2,%s,%s,all,,,%.4g,%.4g,%.4g,%.4g,,,\n", of->layout, of->score, layouts[layout].wrong, wrong,
          layouts[layout].missed, missed);
  fprintf(run->html,
          "<tr><td>all</td><td>%s</td><td>%s</td><td>%.2f %%</td><td>%.3f %%</td><td>%.0f %%</td>"
          "<td>%.1f %%</td></tr>\n",
          of->layout, of->score, 100 * layouts[layout].wrong, 100 * wrong, 100 * layouts[layout].missed, 100 * missed);
}

static void write_result(const paper_run *run, uint32_t percent, const passages_result *of,
                         outcome sums[MATRIX_LAYOUTS][PASSAGES_SCORES])
{
  for (int l = 0; l < MATRIX_LAYOUTS; l++)
    for (int s = 0; s < PASSAGES_SCORES; s++) {
      outcome one = {layouts[l].name,
                     score_names[s],
                     (double)of->rows_asked[l],
                     (double)of->wrong[l][s],
                     percent > 0 ? (double)of->queries : 0,
                     (double)of->missed[l][s]};
      outcome *sum = &sums[l][s];
      write_outcome(run, percent, &one);
      *sum = (outcome){one.layout,
                       one.score,
                       sum->rows + one.rows,
                       sum->wrong + one.wrong,
                       sum->queries + one.queries,
                       sum->missed + one.missed};
    }
  double queries = (double)of->queries;
  outcome exact = {"documents",
                   "by shingles",
                   queries * DOCUMENTS,
                   (double)of->documents_wrong,
                   queries,
                   (double)of->documents_missed};
  write_outcome(run, percent, &exact);
}

/* By the corrected score. */
static void judge_passages(const paper_run *run, outcome sums[MATRIX_LAYOUTS][PASSAGES_SCORES])
{
  const outcome *each = &sums[MATRIX_ROW_EACH][PASSAGES_CORRECTED];
  const outcome *spread = &sums[MATRIX_DISTRIBUTED][PASSAGES_CORRECTED];
  double wrong[] = {each->wrong / each->rows, spread->wrong / spread->rows};
  double missed[] = {each->missed / each->queries, spread->missed / spread->queries};
  paper_judge(run, PAPER_NOT_REPRODUCIBLE, "Table 2, its numbers",
              "they are of PAN-09, which is not here; ours are of generated documents");
  paper_judge(
    run, wrong[1] < wrong[0] && missed[1] > missed[0] ? PAPER_REPRODUCED : PAPER_OFF, "Table 2, its shape",
    "distributed documents have %.3f %% instead of %.3f %% false positives, and miss %.1f %% instead of %.1f %%",
    100 * wrong[1], 100 * wrong[0], 100 * missed[1], 100 * missed[0]);
}

static bool write_passages(const paper_run *run, const passages *of, uint32_t rounds)
{
  outcome sums[MATRIX_LAYOUTS][PASSAGES_SCORES] = {0};
  fprintf(run->html,
          "<h3>Table 2, %u queries for each share copied</h3>\n<p>%d documents; n = %llu; %zu rows of"
          " a document each, %zu distributed. Seed %llu.</p>\n<div class=\"scroll\"><table><tr><th>copied</th>"
          "<th>layout</th><th>score</th><th>false positives, printed</th><th>ours</th><th>false negatives, printed</th>"
          "<th>ours</th></tr>\n",
          (unsigned)rounds, DOCUMENTS, (unsigned long long)passages_row_shingles(of),
          passages_rows(of, MATRIX_ROW_EACH), passages_rows(of, MATRIX_DISTRIBUTED), (unsigned long long)run->seed);
  for (int i = 0; i < PERCENTS; i++) {
    passages_result result;
    if (!passages_measure(of, percents[i], rounds, run->seed, &result))
      return false;
    write_result(run, percents[i], &result, sums);
    paper_told(run, (uint64_t)i + 1, 2 * PERCENTS);
  }
  for (int l = 0; l < MATRIX_LAYOUTS; l++)
    for (int s = 0; s < PASSAGES_SCORES; s++)
      write_sum(run, l, &sums[l][s]);
  fputs("</table></div>\n", run->html);
  judge_passages(run, sums);
  return true;
}

static const char words[] =
  "<p>Butakov: documents packed into rows, each a Bloom filter of their shingles. Table"
  " 2 is of PAN-09; ours of generated documents whose lengths fall like that corpus&#8217;s, a twentieth as long. A"
  " query has as many words as the mean document, a part of them copied from a stored one. The paper&#8217;s score is"
  " the number of common shingles of a row (literal; here found from 9&#8239;% of the query on, as a full row knows"
  " 5&#8239;% of anything); the corrected one takes out what the row&#8217;s fill explains (found from 4&#8239;%). A"
  " row for one document that is longer than n is overfull and answers to everything; distributed, no row is, but a"
  " long document is spread over several rows, each with too little of a passage. That is the table&#8217;s shape: far"
  " fewer false positives, more false negatives, the latter only with the corrected score, as half-empty rows know"
  " less by chance and so miss more by the literal one. Documents compared by their stored shingles, as"
  " a query of the matrix does, give no false positive; what they miss has less than 4&#8239;% of its shingles in"
  " common.</p>\n";

bool paper_matrix(const paper_run *run)
{
  uint32_t rounds = run->rounds ? run->rounds : ROUNDS_USUAL;
  if (run->note != NULL)
    run->note("matrix: passages of five lengths");
  passages *of = passages_create(DOCUMENTS, run->seed);
  if (of == NULL)
    return false;
  fputs("table,what,score,percent_copied,printed,ours,false_positives_printed,false_positives,false_negatives_printed,"
        "false_negatives,found_first,near_duplicates,share_error\n",
        run->csv);
  fputs(words, run->html);
  write_sizes(run);
  bool is_done = write_passages(run, of, rounds) && paper_matrix_copies(run);
  passages_free(of);
  return is_done;
}
