/* Tang, Lin, Han: the SKIP Bloom filter. Figures 4 and 5 vary m and k without saying w and print no numbers; only their
 * formula and their claim about decaying filters can be checked by measurement.
 *
 *   false negatives     claimed 0, measured 0: keys of every age up to w are queried
 *   false positives     printed formula, corrected formula (mlbf_skip_expected), measured, side by side
 *   decaying filter     Shen and Zhang 2008: a cell counts down from w with every insertion. Exact like SKIP, with one
 *                       array. SKIP has two: it is better at equal m, but not at equal bits
 *   epoch cells         ours, at equal bits */
#include "datasets/papers/paper.h"
#include "datasets/sort/xorshift.h"
#include "mlbf/secret.h"
#include "mlbf/window_epoch.h"
#include "mlbf/papers/window_skip.h"

#include <stdlib.h>

enum { ROUNDS_USUAL = 100, EPOCH_CELL_BITS = 4 };

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

static bool decaying_insert(decaying *of, uint64_t key)
{
  bool is_seen = true;
  uint64_t dice = random_mix(key);
  of->now++;
  for (uint32_t i = 0; i < of->hashes; i++) {
    uint64_t *cell = &of->set_at[random_roll(&dice, of->cells)];
    is_seen = is_seen && (*cell == of->now || (*cell > 0 && of->now - *cell <= of->window));
    *cell = of->now;
  }
  return is_seen;
}

/* False positives a filter calls among `asked` keys that all differ. */
typedef struct counts {
  uint64_t asked, missed, skip, epoch, decaying_same_m, decaying_same_bits;
} counts;

typedef struct contest {
  mlbf_skip *skip;
  mlbf_epoch *epoch;
  decaying same_m, same_bits;
} contest;

static decaying decaying_make(uint64_t window, uint64_t cells, uint32_t hashes)
{
  return (decaying){window, cells, 0, calloc(cells, sizeof(uint64_t)), hashes};
}

static bool contest_make(contest *of, int row, uint64_t seed)
{
  uint64_t window = rows[row].window, cells = rows[row].cells;
  uint8_t secret[MLBF_SECRET_BYTES];
  mlbf_window_options options = {.unit = MLBF_WINDOW_INSERTIONS,
                                 .window = window,
                                 .hashes = rows[row].hashes,
                                 .bits = cells * 2 * rows[row].cell_bits,
                                 .secret = secret,
                                 .seed = seed};
  mlbf_secret_from_seed(seed, secret);
  *of = (contest){.same_m = decaying_make(window, cells, rows[row].hashes),
                  .same_bits = decaying_make(window, 2 * cells, rows[row].hashes)};
  return of->same_m.set_at && of->same_bits.set_at && mlbf_skip_create(&options, &of->skip) == MLBF_OK &&
         mlbf_epoch_create(&options, &of->epoch) == MLBF_OK;
}

static void contest_free(contest *of)
{
  free(of->same_m.set_at);
  free(of->same_bits.set_at);
  mlbf_skip_free(of->skip);
  mlbf_epoch_free(of->epoch);
}

static void insert_key(contest *of, uint64_t key, bool is_counted, counts *count)
{
  bool skip_saw, epoch_saw;
  mlbf_span span = {&key, sizeof key};
  mlbf_skip_insert(of->skip, span, 0, &skip_saw);
  mlbf_epoch_insert(of->epoch, span, 0, &epoch_saw);
  bool same_m_saw = decaying_insert(&of->same_m, key), same_bits_saw = decaying_insert(&of->same_bits, key);
  if (!is_counted)
    return;
  count->asked++;
  count->skip += skip_saw;
  count->epoch += epoch_saw;
  count->decaying_same_m += same_m_saw;
  count->decaying_same_bits += same_bits_saw;
}

/* Is the key inserted `age` insertions ago still seen? Asked of every age up to w. */
static void look_back(const contest *of, uint64_t window, uint64_t first, uint64_t last, counts *count)
{
  for (uint64_t key = last; key > first && last - key < window; key--) {
    bool skip_sees, epoch_sees;
    mlbf_skip_test(of->skip, (mlbf_span){&key, sizeof key}, 0, &skip_sees);
    mlbf_epoch_test(of->epoch, (mlbf_span){&key, sizeof key}, 0, &epoch_sees);
    count->missed += !skip_sees + !epoch_sees;
  }
}

static bool measure(int row, const paper_run *run, uint32_t rounds, counts *count)
{
  contest of;
  *count = (counts){.asked = 0};
  bool is_made = contest_make(&of, row, run->seed);
  uint64_t first = run->seed << 40, key = first, window = rows[row].window;
  for (uint64_t i = 0; is_made && i < window * (rounds + 1); i++) {
    insert_key(&of, ++key, i >= window, count);
    if (i % (window * 7 / 5) == 0)
      look_back(&of, window, first, key, count);
  }
  contest_free(&of);
  return is_made;
}

static double share(uint64_t part, const counts *of)
{
  return (double)part / (double)of->asked;
}

static void write_row(const paper_run *run, int row, const counts *of)
{
  double cells = (double)rows[row].cells, window = (double)rows[row].window;
  double printed = mlbf_skip_printed(window, cells, rows[row].hashes);
  double expected = mlbf_skip_expected(window, cells, rows[row].hashes);
  double skip = share(of->skip, of), epoch = share(of->epoch, of);
  double same_m = share(of->decaying_same_m, of), same_bits = share(of->decaying_same_bits, of);
  double epoch_cells = cells * 2 * rows[row].cell_bits / EPOCH_CELL_BITS;
  double epoch_expected = mlbf_epoch_expected(window, epoch_cells, rows[row].hashes);
  fprintf(run->csv, "%d,%.0f,%.0f,%u,%llu,%llu,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.4g\n", rows[row].figure, window,
          cells, (unsigned)rows[row].hashes, (unsigned long long)of->asked, (unsigned long long)of->missed, printed,
          expected, skip, same_m, same_bits, epoch, epoch_expected, expected / epoch_expected);
  fprintf(run->html,
          "<tr><td>%d</td><td>%.0f</td><td>%.0f</td><td>%u</td><td>%llu</td><td>%.3g</td><td>%.3g</td>"
          "<td>%.3g</td><td>%.1f</td><td>%.3g</td><td>%.3g</td><td>%.3g</td><td>%.3g</td><td>%.3g</td></tr>\n",
          rows[row].figure, window, cells, (unsigned)rows[row].hashes, (unsigned long long)of->missed, printed,
          expected, skip, expected / printed, same_m, same_bits, epoch, epoch_expected, expected / epoch_expected);
}

static const char words[] =
  "<h2>SKIP: seen within the last w</h2>\n<p>Tang, Lin, Han: <cite>SKIP Bloom filter</cite>. Keys that all differ,"
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
  " cells (with a fifth of the window as slack) less than 0.03.</p>\n"
  "<div class=\"scroll\"><table><tr><th>figure</th><th>w</th><th>m</th><th>k</th><th>false negatives</th>"
  "<th>printed formula</th><th>corrected</th><th>measured</th><th>corrected / printed</th><th>decaying, same m</th>"
  "<th>decaying, equal bits</th><th>epoch cells, equal bits</th>"
  "<th>their formula</th><th>SKIP / epoch, by the formulas</th></tr>\n";

bool paper_skip(const paper_run *run)
{
  uint32_t rounds = run->rounds ? run->rounds : ROUNDS_USUAL;
  counts count;
  fputs("figure,w,m,k,queries,false_negatives,printed_formula,corrected_formula,skip,decaying_same_m,"
        "decaying_equal_bits,epoch_equal_bits,epoch_formula,skip_over_epoch\n",
        run->csv);
  fputs(words, run->html);
  for (int row = 0; row < ROWS; row++) {
    if (!measure(row, run, rounds, &count))
      return false;
    write_row(run, row, &count);
  }
  fputs("</table></div>\n", run->html);
  return true;
}
