/* Edited copies of whole documents, found by matrix_query: the use of a pseudo-matrix filter in a crawl, for which
 * the paper has no table. On generated documents, and on a directory of real ones if given. */
#include "datasets/papers/copies.h"
#include "datasets/papers/paper.h"

enum { DOCUMENTS = 500, WORDS_MEAN = 1900, ROUNDS_USUAL = 300 }; /* as in passages.h */

static const char *const edits[COPIES_EDITS] = {"passage", "inserts"};
static const uint32_t percents[] = {0, 5, 10, 20, 50};

enum { PERCENTS = sizeof percents / sizeof *percents };

static void write_row(const paper_run *run, const char *set, copies_edit edit, uint32_t percent, size_t stored,
                      const copies_result *of)
{
  double queries = (double)of->queries, wrong = (double)of->false_alarms / (queries * (double)stored);
  bool is_copied = edit == COPIES_INSERTS || percent > 0;
  fprintf(run->csv, "3,%s-%s,by shingles,%u,,,,%.4g,,", set, edits[edit], (unsigned)percent, wrong);
  fprintf(run->html, "<tr><td>%s</td><td>%s</td><td>%u %%</td><td>%.1f</td><td>%.4f %%</td>", set, edits[edit],
          (unsigned)percent, (double)of->named / queries, 100 * wrong);
  if (is_copied) {
    double missed = (double)of->missed / queries, first = (double)of->found_first / queries;
    double near_duplicates = (double)of->near_duplicates / queries;
    fprintf(run->csv, "%.4g,%.4g,%.4g,%.4g", missed, first, near_duplicates, of->share_error);
    fprintf(run->html, "<td>%.1f %%</td><td>%.1f %%</td><td>%.1f %%</td><td>%.3f</td>", 100 * missed, 100 * first,
            100 * near_duplicates, of->share_error);
  } else {
    fputs(",,,", run->csv);
  }
  fputs("\n", run->csv);
  fputs("</tr>\n", run->html);
}

static bool write_set(const paper_run *run, const char *set, const texts *from)
{
  uint32_t rounds = run->rounds ? run->rounds : ROUNDS_USUAL;
  copies *of = copies_create(from, run->seed);
  bool is_done = of != NULL;
  for (int edit = 0; is_done && edit < COPIES_EDITS; edit++)
    for (int i = 0; is_done && i < PERCENTS; i++) {
      copies_result result;
      is_done = copies_measure(of, (copies_edit)edit, percents[i], rounds, run->seed, &result);
      if (is_done)
        write_row(run, set, (copies_edit)edit, percents[i], copies_stored(of), &result);
    }
  if (is_done)
    fprintf(run->html, "<tr><td>%s</td><td colspan=\"8\">%zu documents stored, %.0f bytes each</td></tr>\n", set,
            copies_stored(of), (double)copies_bytes(of) / (double)copies_stored(of));
  copies_free(of);
  return is_done;
}

static const char words[] =
  "<h3>Edited copies, as a query of the matrix finds them</h3>\n<p>Four documents of five are stored. A query is a"
  " thousand words of the fifth, a share of them replaced by a passage of a stored document; or a stored document into"
  " which sentences of twenty words of the fifth are put until they are that share of it. A document is named if it"
  " seems to have 2&#8239;% of the query; that is a false alarm if less than half of this is true, by all shingles of"
  " four words of both. Real documents have much in common, so that many are named, and rightly.</p>\n"
  "<div class=\"scroll\"><table>"
  "<tr><th>documents</th><th>edit</th><th>share</th><th>named, a query</th><th>false alarms, of all stored</th>"
  "<th>source not named</th><th>source named first</th><th>named a near-duplicate (90&#8239;%)</th>"
  "<th>error of the share</th></tr>\n";

bool paper_matrix_copies(const paper_run *run)
{
  texts made = {.count = 0};
  fputs(words, run->html);
  bool is_done = texts_generate(&made, DOCUMENTS, WORDS_MEAN, run->seed) && write_set(run, "generated", &made);
  if (is_done && run->files != NULL)
    is_done = write_set(run, "files", run->files);
  fputs("</table></div>\n", run->html);
  texts_free(&made);
  return is_done;
}
