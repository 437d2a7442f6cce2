/* The papers' tables computed anew: the printed numbers are what the papers print, the experiments give them, and the
 * library's own counting filter gives the very same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/papers/counting.h"
#include "datasets/papers/paper.h"
#include "datasets/papers/passages.h"
#include "datasets/papers/similarity.h"
#include "mlbf/count.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { SEED = 1 };

static const counting_row *printed_row(int experiment, uint32_t cells, uint32_t hashes)
{
  for (size_t i = 0; i < counting_printed_count; i++) {
    const counting_row *row = &counting_printed[i];
    if (row->experiment == experiment && row->cells == cells && row->hashes == hashes)
      return row;
  }
  fail();
  return NULL;
}

CASE(the_printed_numbers_are_the_papers)
{
  size_t size;
  char *text = scratch_read(SHARED_DATA "/papers/002_tables3-10.csv", &size);
  if (!text) {
    printf("skipped: no %s\n", SHARED_DATA "/papers");
    skip();
  }
  size_t row = 0;
  const char *line = strchr(text, '\n');
  for (; line && line[1]; line = strchr(line + 1, '\n'), row++) {
    counting_row read = {.table = 0};
    unsigned keys = 0;
    int fields = sscanf(line + 1, "%d,%d,%u,%u,%u,%lf,%lf,%lf,%lf,%lf", &read.table, &read.experiment, &read.cells,
                        &keys, &read.hashes, &read.plain, &read.plain_sd, &read.refined, &read.refined_sd,
                        &read.reduction);
    assert_true(fields >= 9 && keys == COUNTING_KEYS && row < counting_printed_count);
    const counting_row *ours = &counting_printed[row];
    assert_true(read.table == ours->table && read.experiment == ours->experiment && read.cells == ours->cells &&
                read.hashes == ours->hashes && read.plain == ours->plain && read.plain_sd == ours->plain_sd &&
                read.refined == ours->refined && read.refined_sd == ours->refined_sd &&
                read.reduction == ours->reduction);
  }
  assert_int_equal(row, counting_printed_count);
  free(text);
}

/* A few rounds of each: no mean may be a surprise of one in ten thousand. */
CASE(the_experiments_give_the_printed_numbers)
{
  enum { ROUNDS = 12 };
  for (int experiment = 1; experiment <= COUNTING_EXPERIMENTS; experiment++)
    for (uint32_t hashes = 4; hashes <= 8; hashes += 4) {
      counting_result ours;
      const counting_row *row = printed_row(experiment, 80000, hashes);
      assert_true(counting_measure(experiment, 80000, hashes, ROUNDS, SEED, &ours));
      assert_true(counting_surprise(ours.plain, row->plain_sd, ROUNDS, row->plain, row->plain_sd) > 1e-4);
      assert_true(counting_surprise(ours.refined, row->refined_sd, ROUNDS, row->refined, row->refined_sd) > 1e-4);
    }
}

/* Another experiment's numbers are one: else the comparison above compares nothing. */
CASE(a_wrong_reading_would_be_a_surprise)
{
  counting_result ours;
  const counting_row *row = printed_row(3, 80000, 4);
  assert_true(counting_measure(2, 80000, 4, 12, SEED, &ours));
  assert_true(counting_surprise(ours.refined, row->refined_sd, 12, row->refined, row->refined_sd) < 1e-9);
}

static double share_wrong(const mlbf_count *count, const counting_round *round, uint32_t hashes)
{
  uint64_t wrong = 0;
  for (uint32_t i = 0; i < COUNTING_KEYS; i++) {
    uint32_t times;
    times = mlbf_count_get_at(count, round->places[i], hashes);
    assert_true(times >= round->times[i]);
    wrong += times > round->times[i] ? round->times[i] : 0;
  }
  return (double)wrong / (double)round->sum;
}

CASE(the_librarys_filter_gives_the_same)
{
  static const int experiments[] = {1, 3, 4, 5, 6};
  for (size_t e = 0; e < sizeof experiments / sizeof *experiments; e++) {
    static counting_round round;
    counting_result ours;
    mlbf_count *plain = NULL, *refined = NULL;
    uint32_t now, hashes = 6;
    mlbf_count_options options = {.size = sizeof(mlbf_count_options),
                                  .keys = COUNTING_KEYS,
                                  .cells = 80000,
                                  .hashes = hashes,
                                  .base_bits = 3,
                                  .limit = MLBF_COUNT_LIMIT_MOST};
    assert_int_equal(mlbf_count_create(&options, &plain), MLBF_OK);
    options.minimal = true;
    assert_int_equal(mlbf_count_create(&options, &refined), MLBF_OK);
    memset(&round, 0, sizeof round);
    assert_true(counting_round_make(experiments[e], 80000, hashes, 0, SEED, &round));
    for (uint64_t at = 0; at < round.sum; at++) {
      const uint64_t *places = round.places[round.order[at]];
      mlbf_count_add_at(plain, places, hashes, 1, &now);
      mlbf_count_add_at(refined, places, hashes, 1, &now);
    }
    assert_true(counting_measure(experiments[e], 80000, hashes, 1, SEED, &ours));
    assert_true(fabs(share_wrong(plain, &round, hashes) - ours.plain) < 1e-12);
    assert_true(fabs(share_wrong(refined, &round, hashes) - ours.refined) < 1e-12);
    free(round.order);
    mlbf_count_free(plain);
    mlbf_count_free(refined);
  }
}

CASE(surprises_are_probabilities)
{
  assert_true(fabs(counting_surprise(0.01, 1e-3, 1000, 0.01, 1e-3) - 1) < 1e-12);
  double error = sqrt(2e-6 / 1000); /* a difference of 1.96 standard errors */
  assert_true(fabs(counting_surprise(0.01 + 1.959964 * error, 1e-3, 1000, 0.01, 1e-3) - 0.05) < 1e-6);
  /* none against five, equal rounds: twice 1/2^5; and against none */
  assert_true(fabs(counting_surprise(0, 0, 1000, 5e-7, 1e-6) - 0.0625) < 1e-9);
  assert_true(fabs(counting_surprise(0, 0, 1000, 0, 0) - 1) < 1e-12);
}

CASE(skip_is_written_with_no_false_negative)
{
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  size_t size, rows = 0;
  paper_run run = {.seed = SEED, .rounds = 10, .html = tmpfile()};
  scratch_make_fast(directory);
  assert_true(paper_write("skip", directory, &run));
  scratch_join(directory, "paper-skip.csv", path);
  char *text = scratch_read(path, &size);
  for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n'), rows++) {
    double window, cells, hashes, queries, missed, printed, expected, skip, same_m, same_bits, epoch;
    int fields = sscanf(line + 1, "%*d,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &window, &cells, &hashes, &queries,
                        &missed, &printed, &expected, &skip, &same_m, &same_bits, &epoch);
    assert_int_equal(fields, 11);
    assert_true(missed == 0 && expected > printed);
    double events = expected * queries;
    if (events > 1000)
      assert_true(fabs(skip / expected - 1) < 0.10);
    if (events > 100)
      assert_true(epoch < skip && same_bits < skip && skip < same_m);
  }
  assert_int_equal(rows, 16);
  assert_true(ftell(run.html) > 1000);
  fclose(run.html);
  free(text);
  assert_false(paper_write("moon", directory, &run));
  scratch_remove(directory);
}

/* Few enough rounds that the target is small: false positives are as much rarer as there are fewer blocks. */
CASE(short_pieces_are_found_by_the_papers_rule)
{
  similarity_target target;
  similarity_result found;
  assert_true(similarity_target_make(1000000, SEED, &target));
  assert_true(similarity_measure(&target, 1000, 200, SEED, &found));
  assert_int_equal(found.asked, 200);
  assert_in_range(found.right[MLBF_DIGEST_RULE_PAPER], 180, 200);
  assert_in_range(found.wrong[MLBF_DIGEST_RULE_PAPER], 0, 10);
  assert_int_equal(found.right[MLBF_DIGEST_RULE_CURRENT], 0);
  assert_true(similarity_measure(&target, 3800, 50, SEED, &found));
  assert_in_range(found.right[MLBF_DIGEST_RULE_CURRENT], 30, 50);
  assert_true(similarity_rate(&target, 2) > 0);
  similarity_target_free(&target);
}

/* A target of one block, and pieces as long as it: nothing reaches beyond its ends. */
CASE(a_piece_may_be_the_whole_target)
{
  similarity_target target;
  similarity_result found;
  assert_true(similarity_target_make(4000, SEED, &target));
  assert_true(similarity_measure(&target, 4000, 5, SEED, &found));
  assert_int_equal(found.right[MLBF_DIGEST_RULE_PAPER], 5);
  assert_int_equal(found.wrong[MLBF_DIGEST_RULE_PAPER], 0);
  similarity_target_free(&target);
}

CASE(sdhash_is_written_with_the_papers_numbers)
{
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  size_t size, row = 0;
  char *printed = scratch_read(SHARED_DATA "/papers/004_table5.csv", &size);
  if (!printed) {
    printf("skipped: no %s\n", SHARED_DATA "/papers");
    skip();
  }
  paper_run run = {.seed = SEED, .rounds = 2, .html = tmpfile()};
  scratch_make_fast(directory);
  assert_true(paper_write("sdhash", directory, &run));
  scratch_join(directory, "paper-sdhash.csv", path);
  char *text = scratch_read(path, &size);
  const char *line = strchr(text, '\n'), *theirs = strchr(printed, '\n');
  for (; line && theirs && theirs[1]; line = strchr(line + 1, '\n'), theirs = strchr(theirs + 1, '\n'), row++) {
    double bytes, wrong, right, bytes_printed, wrong_printed, right_printed;
    assert_int_equal(sscanf(line + 1, "5,2000000,%lf,2,%lf,%*f,%*f,%lf", &bytes, &wrong, &right), 3);
    assert_int_equal(sscanf(theirs + 1, "%lf,%lf,%lf", &bytes_printed, &wrong_printed, &right_printed), 3);
    assert_true(bytes == bytes_printed && wrong == wrong_printed && right == right_printed);
  }
  assert_int_equal(row, 20);
  assert_non_null(strstr(text, "\n3,2000000,,,,,,,,,28.25,"));
  assert_true(ftell(run.html) > 1000);
  fclose(run.html);
  free(text);
  free(printed);
  scratch_remove(directory);
}

/* The section of a paper in report.html. */
static char *section_of(const char *paper, uint32_t rounds, const char *directory)
{
  static char *html; /* static: gcc takes the stream's pointer to it for one that is used later */
  static size_t size;
  paper_run run = {.seed = SEED, .rounds = rounds, .html = open_memstream(&html, &size)};
  assert_true(paper_write(paper, directory, &run));
  fclose(run.html);
  return html;
}

static void assert_says(const char *html, const char *words)
{
  if (strstr(html, words) == NULL)
    fail_msg("no \"%s\" in the section", words);
}

#define EXAMPLE_ROW(times, intuitive, refined)                                                    \
  "<tr><td data-label=\"x added\">" times "</td><td data-label=\"intuitive, printed\">" intuitive \
  "</td><td data-label=\"ours\">" intuitive "</td><td data-label=\"refined, printed\">" refined   \
  "</td><td data-label=\"ours\">" refined "</td></tr>"

CASE(a_section_opens_with_its_verdicts)
{
  static const struct {
    const char *paper;
    uint32_t rounds;
    const char *words[4]; /* verdicts, and tables and plots behind them */
  } rows[] = {
    {"skip",
     2,
     {">No false negative</td><td data-label=\"Verdict\" class=\"holds\">reproduced</td>", "is printed for SKIP",
      "Figure 4"}},
    {"counting",
     1,
     {">Table 2</td><td data-label=\"Verdict\" class=\"holds\">reproduced</td>", "Table 2: the worked example",
      EXAMPLE_ROW("4", "5 5 4", "4 4 4"), EXAMPLE_ROW("0", "1 1 0", "1 1 0")}},
    {"sdhash", 2, {"Table 4: filters compared", "of pieces in two blocks", "not reproducible", ">58270</td>"}},
  };
  char directory[SCRATCH_PATH];
  scratch_make_fast(directory);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *html = section_of(rows[i].paper, rows[i].rounds, directory);
    const char *verdicts = strstr(html, "<th scope=\"col\">Verdict</th>"), *text = strstr(html, "<p>");
    assert_true(strncmp(html, "<h2>", 4) == 0 && verdicts != NULL && text != NULL && verdicts < text);
    for (size_t w = 0; w < 4 && rows[i].words[w] != NULL; w++)
      assert_says(html, rows[i].words[w]);
    free(html);
  }
  scratch_remove(directory);
}

/* Those of a piece that lies in two blocks are in neither as a whole: they are the ones that are missed. */
CASE(pieces_in_two_blocks_are_missed)
{
  enum { PIECES = 300 };
  similarity_target target;
  similarity_result found;
  const int rule = MLBF_DIGEST_RULE_PAPER;
  assert_true(similarity_target_make(2000000, SEED, &target));
  assert_true(similarity_measure(&target, 3800, PIECES, SEED, &found));
  assert_in_range(found.split, PIECES / 8, PIECES / 3);
  assert_int_equal(found.right[rule] - found.split_right[rule], PIECES - found.split);
  assert_true(found.split_right[rule] < found.split);
  assert_true(similarity_comparisons(&target, 1) > 0 && similarity_comparisons(&target, 2) > 0);
  similarity_target_free(&target);
}

CASE(passages_are_found_in_their_documents)
{
  enum { QUERIES = 20 };
  passages_result none, half;
  passages *of = passages_create(60, SEED);
  assert_non_null(of);
  assert_int_equal(passages_rows(of, MATRIX_ROW_EACH), 60);
  assert_in_range(passages_rows(of, MATRIX_DISTRIBUTED), 10, 40);
  assert_true(passages_measure(of, 0, QUERIES, SEED, &none));
  assert_int_equal(none.rows_asked[MATRIX_ROW_EACH], 60 * QUERIES);
  assert_int_equal(none.documents_wrong, 0);
  assert_true(passages_measure(of, 50, QUERIES, SEED, &half));
  assert_int_equal(half.rows_asked[MATRIX_ROW_EACH], 59 * QUERIES);
  assert_int_equal(half.documents_wrong + half.documents_missed, 0);
  for (int l = 0; l < MATRIX_LAYOUTS; l++)
    for (int s = 0; s < PASSAGES_SCORES; s++) {
      assert_int_equal(none.missed[l][s] + half.missed[l][s], 0);
      assert_in_range(none.wrong[l][s], 0, none.rows_asked[l] / 10);
    }
  passages_free(of);
}

/* What is spread over rows is missed more often; rows that are not overfull are wrong less often. */
CASE(layouts_differ_as_the_paper_says)
{
  passages_result few;
  passages *of = passages_create(100, SEED);
  assert_non_null(of);
  assert_true(passages_measure(of, 5, 150, SEED, &few));
  const uint64_t *each = few.wrong[MATRIX_ROW_EACH], *spread = few.wrong[MATRIX_DISTRIBUTED];
  assert_true(few.missed[MATRIX_ROW_EACH][PASSAGES_CORRECTED] < few.missed[MATRIX_DISTRIBUTED][PASSAGES_CORRECTED]);
  for (int s = 0; s < PASSAGES_SCORES; s++)
    assert_true(each[s] * few.rows_asked[MATRIX_DISTRIBUTED] > spread[s] * few.rows_asked[MATRIX_ROW_EACH]);
  passages_free(of);
}

/* The paper's slips beside its numbers. */
CASE(matrix_is_written_with_the_papers_shape)
{
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  static const char *const exact[] = {"\n1,m_bits,,,766933,766933,",
                                      "\n1,d_rows,,,4489,4457,",
                                      "\n1,M_MiB,,,411,410.4,",
                                      "\n1,ratio,,,3.1,3.21,",
                                      "\n3,generated-inserts,by shingles,0,,,,0,,0,1,1,0\n",
                                      "\n3,files-passage,by shingles,0,,,,0,,,,,\n"};
  static const char *const sums[] = {"\n2,row-each,corrected,all,", "\n2,distributed,corrected,all,"};
  double wrong[2];
  size_t size;
  texts files = {.count = 0};
  assert_true(texts_generate(&files, 40, 1900, SEED + 1));
  paper_run run = {.seed = SEED, .rounds = 5, .html = tmpfile(), .files = &files};
  scratch_make_fast(directory);
  assert_true(paper_write("matrix", directory, &run));
  scratch_join(directory, "paper-matrix.csv", path);
  char *text = scratch_read(path, &size);
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
    assert_non_null(strstr(text, exact[i]));
  for (int i = 0; i < 2; i++) {
    const char *sum = strstr(text, sums[i]);
    assert_non_null(sum);
    assert_int_equal(sscanf(sum + strlen(sums[i]), ",,%*f,%lf", &wrong[i]), 1);
  }
  assert_true(wrong[1] < wrong[0]);
  assert_true(ftell(run.html) > 1000);
  fclose(run.html);
  free(text);
  texts_free(&files);
  scratch_remove(directory);
}
