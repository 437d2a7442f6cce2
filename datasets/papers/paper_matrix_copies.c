/* Edited copies of whole documents, found by matrix_query: the use of a pseudo-matrix filter in a crawl, for which
 * the paper has no table. On generated documents, and on a directory of real ones if given. */
#include "datasets/papers/copies.h"
#include "datasets/papers/paper.h"
#include "datasets/replay/table.h"

enum { DOCUMENTS = 500, WORDS_MEAN = 1900, ROUNDS_USUAL = 300 }; /* as in passages.h */

static const char *const edits[COPIES_EDITS] = {"passage", "inserts"};
static const uint32_t percents[] = {0, 5, 10, 20, 50};

enum { PERCENTS = sizeof percents / sizeof *percents };

static const table_column columns[] = {
  {"table", TABLE_WHOLE, NULL, TABLE_NONE},
  {"what", TABLE_TEXT, NULL, TABLE_NONE},
  {"score", TABLE_TEXT, NULL, TABLE_NONE},
  {NULL, TABLE_NONE, "documents", TABLE_MARKUP},
  {NULL, TABLE_NONE, "edit", TABLE_MARKUP},
  {"percent_copied", TABLE_WHOLE, "share", {TABLE_KIND_WHOLE, 0, 0, " %"}},
  {NULL, TABLE_NONE, "named, a query", TABLE_FIXED(1)},
  {"false_positives", TABLE_GENERAL(4), "false alarms, of all stored", TABLE_PERCENT(4)},
  {"false_negatives", TABLE_GENERAL(4), "source not named", TABLE_PERCENT(1)},
  {"found_first", TABLE_GENERAL(4), "source named first", TABLE_PERCENT(1)},
  {"near_duplicates", TABLE_GENERAL(4), "named a near-duplicate (90&#8239;%)", TABLE_PERCENT(1)},
  {"share_error", TABLE_GENERAL(4), "error of the share", TABLE_FIXED(3)},
};

static void write_row(const table *t, const char *set, copies_edit edit, uint32_t percent, size_t stored,
                      const copies_result *found)
{
  double queries = (double)found->queries;
  bool is_copied = edit == COPIES_INSERTS || percent > 0;
  char what[60];
  snprintf(what, sizeof what, "%s-%s", set, edits[edit]);
  table_row(t, (table_cell[]){
                 TABLE_NUMBER(3),
                 TABLE_WORDS(what),
                 TABLE_WORDS("by shingles"),
                 TABLE_WORDS(set),
                 TABLE_WORDS(edits[edit]),
                 TABLE_NUMBER(percent),
                 TABLE_NUMBER((double)found->named / queries),
                 TABLE_NUMBER((double)found->false_alarms / (queries * (double)stored)),
                 is_copied ? TABLE_NUMBER((double)found->missed / queries) : TABLE_ABSENT,
                 is_copied ? TABLE_NUMBER((double)found->found_first / queries) : TABLE_ABSENT,
                 is_copied ? TABLE_NUMBER((double)found->near_duplicates / queries) : TABLE_ABSENT,
                 is_copied ? TABLE_NUMBER(found->share_error) : TABLE_ABSENT,
               });
}

/* In the page only. */
static void write_stored(const table *t, const char *set, size_t stored, double bytes)
{
  table page = *t;
  char text[80];
  table_cell cells[sizeof columns / sizeof *columns] = {[3] = TABLE_WORDS(set)};
  snprintf(text, sizeof text, "%zu documents stored, %.0f bytes each", stored, bytes / (double)stored);
  cells[4] = (table_cell){.text = text, .span = 8};
  page.csv = NULL;
  table_row(&page, cells);
}

static bool write_set(const paper_run *run, const table *t, const char *set, const texts *documents)
{
  uint32_t rounds = run->rounds ? run->rounds : ROUNDS_USUAL;
  copies *store = copies_create(documents, run->seed);
  bool is_done = store != NULL;
  for (int edit = 0; is_done && edit < COPIES_EDITS; edit++)
    for (int i = 0; is_done && i < PERCENTS; i++) {
      copies_result result;
      is_done = copies_measure(store, (copies_edit)edit, percents[i], rounds, run->seed, &result);
      if (is_done)
        write_row(t, set, (copies_edit)edit, percents[i], copies_stored(store), &result);
    }
  if (is_done)
    write_stored(t, set, copies_stored(store), (double)copies_bytes(store));
  copies_free(store);
  return is_done;
}

static const char title[] = "Edited copies, as a query of the matrix finds them";

static const char words[] =
  "<p>Four documents of five are stored. A query is a"
  " thousand words of the fifth, a share of them replaced by a passage of a stored document; or a stored document into"
  " which sentences of twenty words of the fifth are put until they are that share of it. A document is named if it"
  " seems to have 2&#8239;% of the query; that is a false alarm if less than half of this is true, by all shingles of"
  " four words of both. Real documents have much in common, so that many are named, and rightly.</p>\n";

bool paper_matrix_copies(const paper_run *run)
{
  texts made = {.count = 0};
  table t = {.csv = run->csv, .html = run->html, .fields = paper_matrix_fields, .title = title, TABLE_COLUMNS(columns)};
  fprintf(run->html, "<h3>%s</h3>\n%s", title, words);
  table_begin(&t);
  bool is_done = texts_generate(&made, DOCUMENTS, WORDS_MEAN, run->seed) && write_set(run, &t, "generated", &made);
  if (is_done && run->files != NULL)
    is_done = write_set(run, &t, "files", run->files);
  table_end(&t);
  texts_free(&made);
  return is_done;
}
