/* Tang, Lin, Han: the SKIP Bloom filter. Figures 4 and 5 vary m and k without saying w and print no numbers; only
 * their formula and their claim about decaying filters can be checked by measurement.
 *
 *   false negatives     claimed 0, measured 0: keys of every age up to w are queried
 *   false positives     printed formula, corrected formula (skip_expected), measured, side by side
 *   decaying filter     Shen and Zhang 2008: a cell counts down from w with every insertion. Exact like SKIP, with one
 *                       array. SKIP has two: it is better at equal m, but not at equal bits
 *   epoch cells         ours, at equal bits */
#include "datasets/papers/paper.h"
#include "datasets/papers/skip_window.h"
#include "datasets/replay/html.h"
#include "datasets/replay/plots.h"
#include "datasets/replay/table.h"
#include "datasets/sort/rng.h"
#include "mlbf/secret.h"
#include "mlbf/window.h"

#include <stdlib.h>

enum { ROUNDS_USUAL = 100, EPOCH_CELL_BITS = 4, SERIES = 3 };

/* The least and the largest of some ratios. */
typedef struct range {
  double least, most;
} range;

static void widen(range *bounds, double value)
{
  bounds->least = bounds->least == 0 || value < bounds->least ? value : bounds->least;
  bounds->most = value > bounds->most ? value : bounds->most;
}

enum { FIGURES = 2, WINDOWS = 2 }; /* 4 and 5 */
static const uint64_t windows[WINDOWS] = {1023, 4095};

typedef struct findings {
  uint64_t missed;
  range printed;                      /* the corrected formula, by the printed one */
  range measured[FIGURES][WINDOWS];   /* a decaying filter of the same m, by SKIP as measured */
  range by_formula[FIGURES][WINDOWS]; /* ... and by the formula that is printed for SKIP */
  bool is_four_best;                  /* k = 4 is the best of Figure 5, for both filters and windows */
} findings;

/* The largest w whose cells have 10 bits, and 12. */
static const struct {
  int figure;
  uint64_t window, cells;
  uint32_t hashes, cell_bits;
} rows[] = {
  {4, 1023, 4096, 4, 10}, {4, 1023, 8192, 4, 10}, {4, 1023, 16384, 4, 10}, {4, 1023, 65536, 4, 10},
  {5, 1023, 8192, 4, 10}, {5, 1023, 8192, 8, 10}, {5, 1023, 8192, 12, 10}, {5, 1023, 8192, 16, 10},
  {4, 4095, 4096, 4, 12}, {4, 4095, 8192, 4, 12}, {4, 4095, 16384, 4, 12}, {4, 4095, 65536, 4, 12},
  {5, 4095, 8192, 4, 12}, {5, 4095, 8192, 8, 12}, {5, 4095, 8192, 12, 12}, {5, 4095, 8192, 16, 12},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* A decaying filter. Counting every cell down costs m steps an insertion; when each cell was last set says the same. */
typedef struct decaying {
  uint64_t window, cells, now, *set_at; /* insertion number from 1; 0: never */
  uint32_t hashes;
} decaying;

static bool decaying_insert(decaying *filter, uint64_t key)
{
  bool is_seen = true;
  uint64_t rng = rng_mix(key);
  filter->now++;
  for (uint32_t i = 0; i < filter->hashes; i++) {
    uint64_t *cell = &filter->set_at[rng_below(&rng, filter->cells)];
    is_seen = is_seen && (*cell == filter->now || (*cell > 0 && filter->now - *cell <= filter->window));
    *cell = filter->now;
  }
  return is_seen;
}

/* False positives a filter calls among `asked` keys that all differ. */
typedef struct counts {
  uint64_t asked, missed, skip, epoch, decaying_same_m, decaying_same_bits;
} counts;

typedef struct contest {
  skip_window *skip;
  mlbf_epoch *epoch;
  decaying same_m, same_bits;
} contest;

static decaying decaying_make(uint64_t window, uint64_t cells, uint32_t hashes)
{
  return (decaying){window, cells, 0, calloc(cells, sizeof(uint64_t)), hashes};
}

static bool contest_make(contest *race, int row, uint64_t seed)
{
  uint64_t window = rows[row].window, cells = rows[row].cells;
  uint8_t secret[MLBF_SECRET_BYTES];
  mlbf_window_options options = {.size = sizeof(mlbf_window_options),
                                 .unit = MLBF_WINDOW_INSERTIONS,
                                 .window = window,
                                 .hashes = rows[row].hashes,
                                 .bits = cells * 2 * rows[row].cell_bits,
                                 .secret = secret,
                                 .seed = seed};
  mlbf_secret_from_seed(seed, secret);
  *race = (contest){.skip = skip_create(window, cells, rows[row].hashes, seed),
                    .same_m = decaying_make(window, cells, rows[row].hashes),
                    .same_bits = decaying_make(window, 2 * cells, rows[row].hashes)};
  return race->same_m.set_at && race->same_bits.set_at && race->skip &&
         mlbf_epoch_create(&options, &race->epoch) == MLBF_OK;
}

static void contest_free(contest *race)
{
  free(race->same_m.set_at);
  free(race->same_bits.set_at);
  skip_free(race->skip);
  mlbf_epoch_free(race->epoch);
}

static void insert_key(contest *race, uint64_t key, bool is_counted, counts *count)
{
  bool skip_saw = skip_insert(race->skip, key), epoch_saw;
  epoch_saw = mlbf_epoch_insert(race->epoch, (mlbf_span){&key, sizeof key}, 0);
  bool same_m_saw = decaying_insert(&race->same_m, key), same_bits_saw = decaying_insert(&race->same_bits, key);
  if (!is_counted)
    return;
  count->asked++;
  count->skip += skip_saw;
  count->epoch += epoch_saw;
  count->decaying_same_m += same_m_saw;
  count->decaying_same_bits += same_bits_saw;
}

/* Is the key inserted `age` insertions ago still seen? Asked of every age up to w. */
static void look_back(const contest *race, uint64_t window, uint64_t first, uint64_t last, counts *count)
{
  for (uint64_t key = last; key > first && last - key < window; key--) {
    bool skip_sees = skip_test(race->skip, key), epoch_sees;
    epoch_sees = mlbf_epoch_test(race->epoch, (mlbf_span){&key, sizeof key}, 0);
    count->missed += !skip_sees + !epoch_sees;
  }
}

static bool measure(int row, const paper_run *run, uint32_t rounds, counts *count)
{
  contest race;
  *count = (counts){.asked = 0};
  bool is_made = contest_make(&race, row, run->seed);
  uint64_t first = run->seed << 40, key = first, window = rows[row].window;
  for (uint64_t i = 0; is_made && i < window * (rounds + 1); i++) {
    insert_key(&race, ++key, i >= window, count);
    if (i % (window * 7 / 5) == 0)
      look_back(&race, window, first, key, count);
  }
  contest_free(&race);
  return is_made;
}

static double share(uint64_t part, const counts *count)
{
  return (double)part / (double)count->asked;
}

static const table_column columns[] = {
  {"figure", TABLE_WHOLE, "figure", TABLE_WHOLE},
  {"w", TABLE_WHOLE, "w", TABLE_WHOLE},
  {"m", TABLE_WHOLE, "m", TABLE_WHOLE},
  {"k", TABLE_WHOLE, "k", TABLE_WHOLE},
  {"queries", TABLE_WHOLE, NULL, TABLE_NONE},
  {"false_negatives", TABLE_WHOLE, "false negatives", TABLE_WHOLE},
  {"printed_formula", TABLE_GENERAL(6), "printed formula", TABLE_GENERAL(3)},
  {"corrected_formula", TABLE_GENERAL(6), "corrected", TABLE_GENERAL(3)},
  {"skip", TABLE_GENERAL(6), "measured", TABLE_GENERAL(3)},
  {NULL, TABLE_NONE, "corrected / printed", TABLE_FIXED(1)},
  {"decaying_same_m", TABLE_GENERAL(6), "decaying, same m", TABLE_GENERAL(3)},
  {"decaying_equal_bits", TABLE_GENERAL(6), "decaying, equal bits", TABLE_GENERAL(3)},
  {"epoch_equal_bits", TABLE_GENERAL(6), "epoch cells, equal bits", TABLE_GENERAL(3)},
  {"epoch_formula", TABLE_GENERAL(6), "their formula", TABLE_GENERAL(3)},
  {"skip_over_epoch", TABLE_GENERAL(4), "SKIP / epoch, by the formulas", TABLE_GENERAL(3)},
};

static void write_row(const table *t, int row, const counts *count)
{
  double cells = (double)rows[row].cells, window = (double)rows[row].window;
  double printed = skip_printed(window, cells, rows[row].hashes);
  double expected = skip_expected(window, cells, rows[row].hashes);
  double epoch_cells = cells * 2 * rows[row].cell_bits / EPOCH_CELL_BITS;
  double epoch_formula = epoch_expected(window, epoch_cells, rows[row].hashes);
  table_row(t, (table_cell[]){
                 TABLE_NUMBER(rows[row].figure),
                 TABLE_NUMBER(window),
                 TABLE_NUMBER(cells),
                 TABLE_NUMBER(rows[row].hashes),
                 TABLE_NUMBER(count->asked),
                 TABLE_NUMBER(count->missed),
                 TABLE_NUMBER(printed),
                 TABLE_NUMBER(expected),
                 TABLE_NUMBER(share(count->skip, count)),
                 TABLE_NUMBER(expected / printed),
                 TABLE_NUMBER(share(count->decaying_same_m, count)),
                 TABLE_NUMBER(share(count->decaying_same_bits, count)),
                 TABLE_NUMBER(share(count->epoch, count)),
                 TABLE_NUMBER(epoch_formula),
                 TABLE_NUMBER(expected / epoch_formula),
               });
}

enum { FEW = 30 }; /* events, with fewer of which no ratio is taken */

static void find(findings *found, const counts all[ROWS])
{
  *found = (findings){.is_four_best = true};
  for (int row = 0, four = 0; row < ROWS; row++) {
    const counts *at = &all[row];
    double window = (double)rows[row].window, cells = (double)rows[row].cells;
    double printed = skip_printed(window, cells, rows[row].hashes);
    found->missed += at->missed;
    widen(&found->printed, skip_expected(window, cells, rows[row].hashes) / printed);
    int figure = rows[row].figure - 4, wide = rows[row].window > 1023;
    if (at->skip >= FEW)
      widen(&found->measured[figure][wide], (double)at->decaying_same_m / (double)at->skip);
    if (at->decaying_same_m >= FEW)
      widen(&found->by_formula[figure][wide], share(at->decaying_same_m, at) / printed);
    four = rows[row].hashes == 4 ? row : four;
    if (rows[row].figure == 5 && row != four)
      found->is_four_best = found->is_four_best && all[four].skip < at->skip &&
                            all[four].decaying_same_m < at->decaying_same_m;
  }
}

static void judge_decaying(const paper_run *run, const char *claim, const findings *found, int figure)
{
  const range *measured = found->measured[figure], *formula = found->by_formula[figure];
  paper_judge(run, PAPER_OFF, claim,
              "as SKIP is measured %.3g to %.3g times (w = 1,023) and %.3g to %.3g (4,095); by the formula that is "
              "printed for SKIP, which is too low, %.3g to %.3g and %.3g to %.3g: the claim fits the formula, not the "
              "filter. At equal bits the decaying filter is the better one",
              measured[0].least, measured[0].most, measured[1].least, measured[1].most, formula[0].least,
              formula[0].most, formula[1].least, formula[1].most);
}

static void judge(const paper_run *run, const counts all[ROWS])
{
  findings found;
  find(&found, all);
  paper_judge(run, found.missed == 0 ? PAPER_REPRODUCED : PAPER_OFF, "No false negative",
              "%llu of the keys of every age up to w that were asked again were called new",
              (unsigned long long)found.missed);
  paper_judge(
    run, PAPER_OFF, "False-positive formula",
    "%.2g to %.2g times too low: it takes the two arrays for one of 2m cells, but a key is seen if either says so",
    found.printed.least, found.printed.most);
  judge_decaying(run, "Figure 4: a decaying filter of the same m is wrong 2 to 12 times as often", &found, 0);
  judge_decaying(run, "Figure 5: 3 to 11 times", &found, 1);
  paper_judge(run, found.is_four_best ? PAPER_REPRODUCED : PAPER_OFF, "k = 4 is the best for both (Figure 5)",
              found.is_four_best
                ? "of k = 4, 8, 12, 16, for both filters and both windows tried"
                : "for w = 1,023 more hashes are better with one of them; the paper does not say its w");
  paper_judge(run, PAPER_NOT_REPRODUCIBLE, "Curves of Figures 4 and 5",
              "they are drawn without numbers, and w is not said: ours are for w = 1,023 and 4,095");
}

static const char words[] =
  "<p>Tang, Lin, Han: <cite>SKIP Bloom filter</cite>. Keys that all differ,"
  " the paper leaves w open. The printed formula, (1&#8722;(1&#8722;1/2m)<sup>wk</sup>)<sup>k</sup>, takes the two"
  " arrays for one of 2m cells, but a key is seen if <em>either</em> says so; the corrected one is the average over the"
  " pointer p of 1&#8722;(1&#8722;f(p))(1&#8722;f(w&#8722;p)), f(q)&nbsp;=&nbsp;(1&#8722;e<sup>&#8722;kq/m</sup>)<sup>"
  "k</sup>. The paper finds a decaying filter 2 to 12 times worse at the same m; that filter has half the cells then,"
  " and at equal bits it is the better one. Epoch cells (4 bits, ours) have b/2 times"
  " the places of one of SKIP&#8217;s arrays at equal bits, b being the bits of its counters, and are wrong"
  " (1&#8722;e<sup>&#8722;kn/M</sup>)<sup>k</sup> of the time, n between w and 13w/12. Fifty times fewer false"
  " positives than SKIP&#8217;s are to be had while w/m is below 0.34 (b&nbsp;=&nbsp;10), 0.52 (12) or 1.0 (20) at"
  " k&nbsp;=&nbsp;4; beyond, SKIP calls most keys seen, and 0.85 is fifty times little: at w&nbsp;=&nbsp;4&#8239;095,"
  " m&nbsp;=&nbsp;4&#8239;096 no 4-bit cells of as many bits can be wrong less often than 0.062, whatever k, nor 3-bit"
  " cells (with a fifth of the window as slack) less than 0.03.</p>\n";

/* Each figure of the paper for each w. What there are no events for is left out. */
static bool write_series(FILE *script, int figure, uint64_t window, int series, const counts all[ROWS])
{
  bool has_point = false;
  for (int row = 0; row < ROWS; row++) {
    const counts *at = &all[row];
    double cells = (double)rows[row].cells;
    double values[SERIES] = {share(at->skip, at), skip_printed((double)window, cells, rows[row].hashes),
                             share(at->decaying_same_m, at)};
    if (rows[row].figure != figure || rows[row].window != window || values[series] <= 0)
      continue;
    fprintf(script, "%.9g %.6g\n", figure == 4 ? cells : (double)rows[row].hashes, values[series]);
    has_point = true;
  }
  return has_point;
}

static void write_plot(FILE *script, int figure, uint64_t window, const counts all[ROWS])
{
  static const plot_series looks[SERIES] = {
    {"SKIP, measured", "#1f5fa8", 5}, {"SKIP, printed formula", "#a87900", 7}, {"decaying, same m", "#c1440e", 9}};
  fprintf(script,
          "set output 'skip-fig%d-%llu.svg'\nset xlabel '%s'\n%s\nset title 'w = %llu'\n"
          "set logscale y 10\nset format y '%%g'\n",
          figure, (unsigned long long)window, figure == 4 ? "m, at k = 4" : "k, at m = 8192",
          figure == 4 ? "set logscale x 2" : "unset logscale x\nset xtics 4", (unsigned long long)window);
  for (int series = 0; series < SERIES; series++) {
    fprintf(script, "$d%d << EOD\n", series);
    if (!write_series(script, figure, window, series, all))
      fputs("1 NaN\n", script);
    fputs("EOD\n", script);
  }
  for (int series = 0; series < SERIES; series++) {
    char data[8];
    snprintf(data, sizeof data, "$d%d", series);
    plots_add_series(script, data, &looks[series], series == 0);
  }
  fputc('\n', script);
}

static void draw(const paper_run *run, const counts all[ROWS])
{
  static const plot plots[] = {
    {"skip-fig4-1023.svg", "Figure 4 for w = 1,023: false positives against m"},
    {"skip-fig4-4095.svg", "Figure 4 for w = 4,095"},
    {"skip-fig5-1023.svg", "Figure 5 for w = 1,023: false positives against k"},
    {"skip-fig5-4095.svg", "Figure 5 for w = 4,095"},
  };
  char *text = NULL;
  size_t size;
  FILE *script = open_memstream(&text, &size);
  if (script == NULL)
    return;
  for (int figure = 4; figure <= 5; figure++)
    for (int i = 0; i < WINDOWS; i++)
      write_plot(script, figure, windows[i], all);
  const char *reason = "out of memory";
  if (fclose(script) == 0)
    reason = plots_draw(run->directory, "paper-skip.gnuplot", "", text, plots, sizeof plots / sizeof *plots);
  free(text);
  if (reason == NULL) {
    plots_show(run->html, run->directory, plots, sizeof plots / sizeof *plots);
    return;
  }
  fputs("<p>There are no plots: ", run->html);
  html_text(run->html, reason);
  fputs(".</p>\n", run->html);
}

bool paper_skip(const paper_run *run)
{
  uint32_t rounds = run->rounds ? run->rounds : ROUNDS_USUAL;
  counts all[ROWS];
  fputs(words, run->html);
  table measured = {.csv = run->csv, .html = run->html, .title = run->heading, TABLE_COLUMNS(columns)};
  table_begin(&measured);
  for (int row = 0; row < ROWS; row++) {
    paper_told(run, (uint64_t)row, ROWS);
    if (!measure(row, run, rounds, &all[row]))
      return false;
    write_row(&measured, row, &all[row]);
  }
  table_end(&measured);
  judge(run, all);
  draw(run, all);
  return true;
}
