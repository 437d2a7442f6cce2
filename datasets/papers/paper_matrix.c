/* Butakov: the pseudo-matrix Bloom filter. Table 1 is arithmetic, with slips; Table 2 compares two layouts on PAN-09.
 * Here they are compared on generated documents of similar lengths (passages.h), and in shape only. */
#include "datasets/papers/paper.h"
#include "datasets/papers/passages.h"
#include "datasets/replay/table.h"

enum { DOCUMENTS = 500, ROUNDS_USUAL = 300 };

const char paper_matrix_fields[] =
  "table,what,score,percent_copied,printed,ours,false_positives_printed,false_positives,false_negatives_printed,"
  "false_negatives,found_first,near_duplicates,share_error";

static const char *const score_names[PASSAGES_SCORES] = {"literal", "corrected"};
static const uint32_t percents[] = {0, 5, 10, 20, 50};

enum { PERCENTS = sizeof percents / sizeof *percents };

/* ---- Table 1 --------------------------------------------------------------------------------- */

static const double documents = 14428, words_mean = 38000, row_words = 123000, printed_rows = 4489,
                    printed_bits = 766933;

static const table_column number_columns[] = {
  {"table", TABLE_WHOLE, NULL, TABLE_NONE},
  {"what", TABLE_TEXT, "", TABLE_MARKUP},
  {"printed", TABLE_GENERAL(9), "printed", TABLE_GENERAL(9)},
  {"ours", TABLE_TEXT, "ours", TABLE_MARKUP},
  {NULL, TABLE_NONE, "", TABLE_MARKUP},
};

static void write_number(const table *t, const char *what, double printed, double ours, int digits, const char *remark)
{
  char number[40];
  snprintf(number, sizeof number, "%.*f", digits, ours);
  table_row(t, (table_cell[]){TABLE_NUMBER(1), TABLE_WORDS(what), TABLE_NUMBER(printed), TABLE_WORDS(number),
                              TABLE_WORDS(remark)});
}

static void write_sizes(const paper_run *run)
{
  double bits = (double)matrix_row_bits((uint64_t)row_words, 0.05);
  table t = {.csv = run->csv,
             .html = run->html,
             .fields = paper_matrix_fields,
             .title = "Table 1",
             TABLE_COLUMNS(number_columns)};
  fprintf(run->html, "<h3>%s</h3>\n", t.title);
  table_begin(&t);
  write_number(&t, "m_bits", printed_bits, bits, 0, "&#8722;n ln p / (ln 2)&#178;, n = 123&#8239;000, p = 0.05");
  write_number(&t, "d_rows", printed_rows, documents * words_mean / row_words, 0,
               "14&#8239;428 documents of 38&#8239;000 words: its own rounded means");
  write_number(&t, "M_MiB", 411, printed_rows * bits / 8 / 1048576, 1, "the printed 4489 rows");
  write_number(&t, "ratio", 3.1, documents / printed_rows, 2,
               "rows of one document each against 4489; the text says 3.1 and, a paragraph on, 3.2");
  table_end(&t);
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

static const table_column columns[] = {
  {"table", TABLE_WHOLE, NULL, TABLE_NONE},
  {"percent_copied", TABLE_WHOLE, "copied", {TABLE_KIND_WHOLE, 0, 0, " %"}},
  {"what", TABLE_TEXT, "layout", TABLE_MARKUP},
  {"score", TABLE_TEXT, "score", TABLE_MARKUP},
  {"false_positives_printed", TABLE_GENERAL(4), "false positives, printed", TABLE_PERCENT(2)},
  {"false_positives", TABLE_GENERAL(4), "ours", TABLE_PERCENT(3)},
  {"false_negatives_printed", TABLE_GENERAL(4), "false negatives, printed", TABLE_PERCENT(0)},
  {"false_negatives", TABLE_GENERAL(4), "ours", TABLE_PERCENT(1)},
};

/* Passages of `percent` of the query; 0: none was copied, and none can be missed. */
static void write_outcome(const table *t, uint32_t percent, const outcome *found)
{
  table_row(t, (table_cell[]){TABLE_NUMBER(2), TABLE_NUMBER(percent), TABLE_WORDS(found->layout),
                              TABLE_WORDS(found->score), TABLE_EMPTY, TABLE_NUMBER(found->wrong / found->rows),
                              TABLE_EMPTY, percent > 0 ? TABLE_NUMBER(found->missed / found->queries) : TABLE_ABSENT});
}

static void write_sum(const table *t, int layout, const outcome *sum)
{
  table_row(t, (table_cell[]){TABLE_NUMBER(2), TABLE_WORDS("all"), TABLE_WORDS(sum->layout), TABLE_WORDS(sum->score),
                              TABLE_NUMBER(layouts[layout].wrong), TABLE_NUMBER(sum->wrong / sum->rows),
                              TABLE_NUMBER(layouts[layout].missed), TABLE_NUMBER(sum->missed / sum->queries)});
}

static void write_result(const table *t, uint32_t percent, const passages_result *result,
                         outcome sums[MATRIX_LAYOUTS][PASSAGES_SCORES])
{
  for (int l = 0; l < MATRIX_LAYOUTS; l++)
    for (int s = 0; s < PASSAGES_SCORES; s++) {
      outcome one = {layouts[l].name,
                     score_names[s],
                     (double)result->rows_asked[l],
                     (double)result->wrong[l][s],
                     percent > 0 ? (double)result->queries : 0,
                     (double)result->missed[l][s]};
      outcome *sum = &sums[l][s];
      write_outcome(t, percent, &one);
      *sum = (outcome){one.layout,
                       one.score,
                       sum->rows + one.rows,
                       sum->wrong + one.wrong,
                       sum->queries + one.queries,
                       sum->missed + one.missed};
    }
  double queries = (double)result->queries;
  outcome exact = {"documents",
                   "by shingles",
                   queries * DOCUMENTS,
                   (double)result->documents_wrong,
                   queries,
                   (double)result->documents_missed};
  write_outcome(t, percent, &exact);
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

static bool write_passages(const paper_run *run, const passages *corpus, uint32_t rounds)
{
  outcome sums[MATRIX_LAYOUTS][PASSAGES_SCORES] = {0};
  char title[80];
  snprintf(title, sizeof title, "Table 2, %u queries for each share copied", (unsigned)rounds);
  table t = {.csv = run->csv, .html = run->html, .fields = paper_matrix_fields, .title = title, TABLE_COLUMNS(columns)};
  fprintf(run->html,
          "<h3>%s</h3>\n<p>%d documents; n = %llu; %zu rows of a document each, %zu distributed. Seed %llu.</p>\n",
          title, DOCUMENTS, (unsigned long long)passages_row_shingles(corpus), passages_rows(corpus, MATRIX_ROW_EACH),
          passages_rows(corpus, MATRIX_DISTRIBUTED), (unsigned long long)run->seed);
  table_begin(&t);
  for (int i = 0; i < PERCENTS; i++) {
    passages_result result;
    if (!passages_measure(corpus, percents[i], rounds, run->seed, &result))
      return false;
    write_result(&t, percents[i], &result, sums);
    paper_told(run, (uint64_t)i + 1, 2 * PERCENTS);
  }
  for (int l = 0; l < MATRIX_LAYOUTS; l++)
    for (int s = 0; s < PASSAGES_SCORES; s++)
      write_sum(&t, l, &sums[l][s]);
  table_end(&t);
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
  passages *corpus = passages_create(DOCUMENTS, run->seed);
  if (corpus == NULL)
    return false;
  fprintf(run->csv, "%s\n", paper_matrix_fields);
  fputs(words, run->html);
  write_sizes(run);
  bool is_done = write_passages(run, corpus, rounds) && paper_matrix_copies(run);
  passages_free(corpus);
  return is_done;
}
