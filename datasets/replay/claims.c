/* See claims.h. Each claim is a row of a table at the end: what is said, the rows of the results that it needs, and
 * a judge, which is called only if they are there.
 *
 * Always: a verdict other than CLAIM_TOO_FEW has events enough and an interval on one side of what is claimed. The
 * report and `strata replay` call it. */
#include "datasets/replay/claims.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* How much is "far", "much" and "almost": ours, as the paper gives no number. */
static const double far_fewer = 10, helps = 1.1, not_much_longer = 1.5, almost_the_same = 1.2;

static const char too_few[] = "too few queries to tell: ";

const char *claim_verdict_text(claim_verdict verdict)
{
  static const char *const texts[] = {
    [CLAIM_UNKNOWN] = "unknown",         [CLAIM_HOLDS] = "holds", [CLAIM_PARTLY] = "partly", [CLAIM_FAILS] = "fails",
    [CLAIM_TOO_FEW] = "too few to tell",
  };
  return texts[verdict];
}

/* Queries that are composed of parts of so few URLs are a few queries asked again and again. */
enum { PARTS_MIN = 1000, TIMES_TEXT = 80 };

/* What a judge gets: the rows that its claim needs, of the input's n. */
typedef struct evidence {
  const claims_input *input;
  const replay_result *classic, *layered; /* NULL: not needed */
} evidence;

/* ---- comparing two rates ---------------------------------------------------------------------------------------- */

/* How many times the rate of `few` that of `many` is. Between `low` and `high` in 999 of 1,000 cases; with eight
 * protocols, what is wrong in one of 20 would be seen often. */
typedef struct times {
  double measured, low, high; /* INFINITY: no event in `few` */
  bool has_too_few;           /* events on both sides */
} times;

static times compare(const replay_result *many, const replay_result *few)
{
  double many_low, many_high, few_low, few_high;
  results_interval(many, RESULTS_Z_999, &many_low, &many_high);
  results_interval(few, RESULTS_Z_999, &few_low, &few_high);
  return (times){.measured = few->false_positives ? results_rate(many) / results_rate(few) : INFINITY,
                 .low = many_low / few_high,
                 .high = few->false_positives && few_low > 0 ? many_high / few_low : INFINITY,
                 .has_too_few = many->false_positives < CLAIM_EVENTS && few->false_positives < CLAIM_EVENTS};
}

/* Is it at least `least` times? HOLDS, FAILS, or it may be either. */
static claim_verdict is_at_least(const times *t, double least)
{
  if (t->has_too_few)
    return CLAIM_TOO_FEW;
  return t->low >= least ? CLAIM_HOLDS : t->high < least ? CLAIM_FAILS : CLAIM_TOO_FEW;
}

/* "70 times (99.9 %: 31 to 160)" */
static void times_text(const times *t, char text[TIMES_TEXT])
{
  char high[24] = "any number", measured[32] = "any number of";
  if (isfinite(t->high))
    snprintf(high, sizeof high, "%.3g", t->high);
  if (isfinite(t->measured))
    snprintf(measured, sizeof measured, "%.3g", t->measured);
  snprintf(text, TIMES_TEXT, "%s times (99.9 %%: %.3g to %s)", measured, t->low, high);
}

/* What was counted, and behind it what else there is to say; of too few queries nothing else. */
__attribute__((format(printf, 4, 5))) static void say_times(claim *made, const replay_result *layered,
                                                            const replay_result *classic, const char *format, ...)
{
  times t = compare(classic, layered);
  char text[TIMES_TEXT];
  va_list arguments;
  times_text(&t, text);
  int size = snprintf(made->measured, sizeof made->measured,
                      "%s%llu false positives of %llu queries, %llu of the classic filter, %s",
                      made->verdict == CLAIM_TOO_FEW ? too_few : "", (unsigned long long)layered->false_positives,
                      (unsigned long long)(layered->queries - layered->members),
                      (unsigned long long)classic->false_positives, text);
  va_start(arguments, format);
  if (made->verdict != CLAIM_TOO_FEW) // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
    vsnprintf(made->measured + size, sizeof made->measured - (size_t)size, format, arguments);
  va_end(arguments);
}

static void judge_fewer(const evidence *e, claim *made)
{
  times t = compare(e->classic, e->layered);
  made->verdict = is_at_least(&t, far_fewer);
  say_times(made, e->layered, e->classic, ", with %.3g times the memory of its m bits",
            (double)e->layered->bits / (double)e->classic->bits);
}

static void judge_equal_memory(const evidence *e, claim *made)
{
  times t = compare(e->classic, e->layered);
  made->verdict = is_at_least(&t, 1);
  say_times(made, e->layered, e->classic, ", with %.1f bits a URL where it has %.1f (k = %u)",
            (double)e->layered->bits / (double)e->input->n, (double)e->classic->bits / (double)e->input->n,
            (unsigned)e->classic->hashes);
}

/* ---- the other claims ------------------------------------------------------------------------------------------- */

/* `events`: keys that were timed. */
static void judge_time(double one, double other, double limit, uint64_t events, claim *made)
{
  made->verdict = other <= limit * one ? CLAIM_HOLDS : CLAIM_FAILS;
  if (events < (uint64_t)CLAIM_EVENTS * BATCH_KEYS)
    made->verdict = CLAIM_TOO_FEW; /* a timing is of a batch */
  snprintf(made->measured, sizeof made->measured, "%.0f ns against %.0f ns: %.2f times (we call up to %.1f times that)",
           other, one, other / one, limit);
}

static void judge_insertion(const evidence *e, claim *made)
{
  judge_time(e->classic->insert_ns, e->layered->insert_ns, not_much_longer, e->classic->n, made);
}

static void judge_query(const evidence *e, claim *made)
{
  judge_time(e->classic->query_ns, e->layered->query_ns, almost_the_same, e->classic->queries, made);
}

double claims_formula_4(const contender_setting *setting, uint64_t n)
{
  double one = pow(-expm1(-(double)setting->k * (double)n / (double)setting->m), setting->k);
  return pow(one, setting->layers);
}

static void judge_formula_4(const evidence *e, claim *made)
{
  const replay_result *layered = e->layered;
  double printed = claims_formula_4(e->input->setting, e->input->n), low, high;
  results_interval(layered, RESULTS_Z_95, &low, &high);
  made->verdict = printed >= low && printed <= high ? CLAIM_HOLDS : CLAIM_FAILS;
  double expected = printed * (double)(layered->queries - layered->members);
  if (layered->false_positives < CLAIM_EVENTS && expected < CLAIM_EVENTS) {
    made->verdict = CLAIM_TOO_FEW;
    snprintf(made->measured, sizeof made->measured,
             "%sformula %.3g, measured %llu of %llu queries (95 %%: %.3g to %.3g)", too_few, printed,
             (unsigned long long)layered->false_positives, (unsigned long long)(layered->queries - layered->members),
             low, high);
    return;
  }
  snprintf(made->measured, sizeof made->measured,
           "formula %.3g, measured %.3g (95 %%: %.3g to %.3g): %.3g times the formula", printed, results_rate(layered),
           low, high, results_rate(layered) / printed);
}

static void judge_recombined(const evidence *e, claim *made)
{
  times t = compare(e->classic, e->layered);
  claim_verdict far = is_at_least(&t, far_fewer), any = is_at_least(&t, helps);
  made->verdict = any == CLAIM_HOLDS && far == CLAIM_FAILS ? CLAIM_PARTLY : far;
  if (any != CLAIM_HOLDS)
    made->verdict = any;
  if (e->input->n < PARTS_MIN)
    made->verdict = CLAIM_TOO_FEW;
  say_times(made, e->layered, e->classic, ", where every segment is known and only the combination new");
}

static void judge_repeated(const evidence *e, claim *made)
{
  const replay_result *layered = e->layered;
  uint64_t strangers = layered->queries - layered->members;
  double low, high;
  if (strangers == 0)
    return;
  results_interval(layered, RESULTS_Z_999, &low, &high);
  made->verdict = high < 0.5 ? CLAIM_HOLDS : low > 0.5 ? CLAIM_FAILS : CLAIM_TOO_FEW;
  if (strangers < CLAIM_EVENTS || e->input->n < PARTS_MIN)
    made->verdict = CLAIM_TOO_FEW;
  snprintf(made->measured, sizeof made->measured,
           "%shost/page/x/x with x known at both depths: %.4g %% of %llu queries (99.9 %%: %.3g to %.3g) are false "
           "positives, as x XOR x = 0",
           made->verdict == CLAIM_TOO_FEW ? too_few : "", 100 * results_rate(layered), (unsigned long long)strangers,
           100 * low, 100 * high);
}

static void judge_memory(const evidence *e, claim *made)
{
  made->verdict = e->layered->bits > e->classic->bits ? CLAIM_HOLDS : CLAIM_FAILS;
  snprintf(made->measured, sizeof made->measured, "%.3g times: %llu bits against %llu",
           (double)e->layered->bits / (double)e->classic->bits, (unsigned long long)e->layered->bits,
           (unsigned long long)e->classic->bits);
}

static void judge_schemes(const evidence *e, claim *made)
{
  made->verdict = CLAIM_PARTLY;
  snprintf(made->measured, sizeof made->measured,
           "%llu of %llu URLs came with both schemes and are counted once here; a list cannot tell whether the pages"
           " differ",
           (unsigned long long)e->input->both_schemes, (unsigned long long)e->input->distinct);
}

/* Equation (1) at k=3, n=3.5 M, f=0.1, which the text takes for equation (2). */
static void judge_equation(const evidence *e, claim *made)
{
  double one = -3 * 3.5e6 / log1p(-cbrt(0.1)), two = 3.5e6 * log(0.1) / log(0.6185);
  (void)e;
  made->verdict = fabs(two - PAPER_M) < 8 ? CLAIM_HOLDS : CLAIM_PARTLY;
  snprintf(made->measured, sizeof made->measured,
           "equation (2), f = 0.6185^(m/n), gives %.0f; equation (1) at k = 3, n = 3.5 M, f = 0.1 gives %.0f, and in "
           "whole bytes the paper's m",
           ceil(two), ceil(one));
}

/* Broken only by what chance brings once in a thousand times: with eight protocols, one in 20 would be seen often. */
static bool keeps_promise(const replay_result *row)
{
  return row->false_negatives == 0 && results_chance(row) >= 0.001;
}

/* False positives of a filter that just keeps its promise, or those there were. */
static double expected_events(const replay_result *row)
{
  return fmax(row->promised_rate * (double)(row->queries - row->members), (double)row->false_positives);
}

/* A rate above the promise that the count shows is worse than any that may be chance. */
static bool is_worse(const replay_result *row, const replay_result *than)
{
  bool is_shown = results_rate(row) > row->promised_rate && !results_is_by_chance(row);
  bool is_shown_there = results_rate(than) > than->promised_rate && !results_is_by_chance(than);
  return is_shown != is_shown_there ? is_shown : results_rate(row) > results_rate(than);
}

static void promise_text(const replay_result *shown, bool is_worst, claim *made)
{
  double low, high;
  results_interval(shown, RESULTS_Z_95, &low, &high);
  char rate[64], events[RESULTS_EVENTS_SIZE];
  if (results_is_by_chance(shown))
    snprintf(rate, sizeof rate, "%s", results_events_text(shown, events));
  else
    snprintf(rate, sizeof rate, "%s %.3g, %llu", is_worst ? "the worst is" : "measured", results_rate(shown),
             (unsigned long long)shown->false_positives);
  snprintf(made->measured, sizeof made->measured, "%spromised %.3g; %s of %llu %s queries (95 %%: %.3g to %.3g)%s",
           made->verdict == CLAIM_TOO_FEW ? too_few : "", shown->promised_rate, rate,
           (unsigned long long)(shown->queries - shown->members), protocol_name(shown->protocol), low, high,
           results_is_by_chance(shown) ? ": not significant" : "");
}

/* Every kind needs enough queries: 0 of 50 of one kind says nothing of it, however many there were of another. */
static void judge_promise(const evidence *e, claim *made)
{
  const replay_result *worst = NULL, *fewest = NULL;
  bool is_kept = true;
  for (int which = 0; which < PROTOCOL_COUNT; which++) {
    const replay_result *row = results_find(e->input->results, (protocol)which, "mlbf", e->input->n);
    if (row == NULL)
      continue;
    is_kept = is_kept && keeps_promise(row);
    if (worst == NULL || is_worse(row, worst))
      worst = row;
    if (fewest == NULL || expected_events(row) < expected_events(fewest))
      fewest = row;
  }
  if (worst == NULL)
    return;
  made->verdict = is_kept ? CLAIM_HOLDS : CLAIM_FAILS;
  if (is_kept && expected_events(fewest) < CLAIM_EVENTS)
    made->verdict = CLAIM_TOO_FEW;
  const replay_result *shown = made->verdict == CLAIM_TOO_FEW ? fewest : worst;
  promise_text(shown, shown == worst, made);
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

static const struct {
  const char *said;
  protocol which;
  const char *classic, *layered; /* filters; NULL: not needed */
  void (*judge)(const evidence *e, claim *made);
} rows[] = {
  {"Far fewer false positives than a classic Bloom filter", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", judge_fewer},
  {"The same against a classic filter of the same memory (the paper does not ask)", PROTOCOL_PAPER, "bloom",
   "mlbf-paper", judge_equal_memory},
  {"Insertion takes not much longer", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", judge_insertion},
  {"A query takes almost the same time", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", judge_query},
  {"The false-positive rate is f^L (formula 4)", PROTOCOL_PAPER, NULL, "mlbf-paper", judge_formula_4},
  {"The layers help on any new URL (implied)", PROTOCOL_RECOMBINED, "bloom-paper", "mlbf-paper", judge_recombined},
  {"The XOR over layers tells combinations apart (implied)", PROTOCOL_REPEATED, NULL, "mlbf-paper", judge_repeated},
  {"It takes more memory (conceded)", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", judge_memory},
  {"http and https are one page", PROTOCOL_PAPER, NULL, NULL, judge_schemes},
  {"m = 16,829,152 follows from equation (2)", PROTOCOL_PAPER, NULL, NULL, judge_equation},
  {"This library's mlbf: at most the promised rate on every kind of query", PROTOCOL_PAPER, NULL, NULL, judge_promise},
};

enum { ROWS = sizeof rows / sizeof *rows };
static_assert((int)ROWS <= (int)CLAIMS_MAX, "there is room for all claims");

size_t claims_judge(const claims_input *input, claim claims[CLAIMS_MAX])
{
  for (size_t i = 0; i < ROWS; i++) {
    evidence found = {.input = input};
    if (rows[i].classic != NULL)
      found.classic = results_find(input->results, rows[i].which, rows[i].classic, input->n);
    if (rows[i].layered != NULL)
      found.layered = results_find(input->results, rows[i].which, rows[i].layered, input->n);
    claims[i] = (claim){
      .said = rows[i].said,
      .measured = "not measured: its protocol or one of its filters was not run",
      .verdict = CLAIM_UNKNOWN,
    };
    if ((rows[i].classic == NULL || found.classic != NULL) && (rows[i].layered == NULL || found.layered != NULL))
      rows[i].judge(&found, &claims[i]);
  }
  return ROWS;
}
