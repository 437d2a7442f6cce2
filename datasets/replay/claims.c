#include "datasets/replay/claims.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

static const replay_result *row_of(const claims_input *input, protocol which, const char *filter)
{
  return results_find(input->results, which, filter, input->n);
}

static claim unknown(const char *said)
{
  claim made = {.said = said, .verdict = CLAIM_UNKNOWN};
  snprintf(made.measured, sizeof made.measured, "not measured: its protocol or one of its filters was not run");
  return made;
}

/* ---- comparing two rates ---------------------------------------------------------------------------------------- */

/* How many times the rate of `few` that of `many` is. Between `low` and `high` in 999 of 1,000 cases; with eight
 * protocols, what is wrong in one of 20 would be seen often. */
typedef struct times {
  double measured, low, high; /* INFINITY: no event in `few` */
  bool has_too_few;           /* events on both sides */
} times;

static times times_of(const replay_result *many, const replay_result *few)
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
  times t = times_of(classic, layered);
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

static claim judge_fewer(const claims_input *input)
{
  const char *said = "Far fewer false positives than a classic Bloom filter";
  const replay_result *classic = row_of(input, PROTOCOL_PAPER, "bloom-paper");
  const replay_result *layered = row_of(input, PROTOCOL_PAPER, "mlbf-paper");
  if (classic == NULL || layered == NULL)
    return unknown(said);
  times t = times_of(classic, layered);
  claim made = {.said = said, .verdict = is_at_least(&t, far_fewer)};
  say_times(&made, layered, classic, ", with %.3g times the memory of its m bits",
            (double)layered->bits / (double)classic->bits);
  return made;
}

static claim judge_equal_memory(const claims_input *input)
{
  const char *said = "The same against a classic filter of the same memory (the paper does not ask)";
  const replay_result *classic = row_of(input, PROTOCOL_PAPER, "bloom");
  const replay_result *layered = row_of(input, PROTOCOL_PAPER, "mlbf-paper");
  if (classic == NULL || layered == NULL)
    return unknown(said);
  times t = times_of(classic, layered);
  claim made = {.said = said, .verdict = is_at_least(&t, 1)};
  say_times(&made, layered, classic, ", with %.1f bits a URL where it has %.1f (k = %u)",
            (double)layered->bits / (double)input->n, (double)classic->bits / (double)input->n,
            (unsigned)classic->hashes);
  return made;
}

/* ---- the other claims ------------------------------------------------------------------------------------------- */

static claim judge_time(const claims_input *input, bool is_insert)
{
  const char *said = is_insert ? "Insertion takes not much longer" : "A query takes almost the same time";
  const replay_result *classic = row_of(input, PROTOCOL_PAPER, "bloom-paper");
  const replay_result *layered = row_of(input, PROTOCOL_PAPER, "mlbf-paper");
  if (classic == NULL || layered == NULL)
    return unknown(said);
  double one = is_insert ? classic->insert_ns : classic->query_ns;
  double other = is_insert ? layered->insert_ns : layered->query_ns;
  double limit = is_insert ? not_much_longer : almost_the_same;
  claim made = {.said = said, .verdict = other <= limit * one ? CLAIM_HOLDS : CLAIM_FAILS};
  if ((is_insert ? classic->n : classic->queries) < (uint64_t)CLAIM_EVENTS * BATCH_KEYS)
    made.verdict = CLAIM_TOO_FEW; /* a timing is of a batch */
  snprintf(made.measured, sizeof made.measured, "%.0f ns against %.0f ns: %.2f times (we call up to %.1f times that)",
           other, one, other / one, limit);
  return made;
}

double claims_formula_4(const contender_setting *setting, uint64_t n)
{
  double one = pow(-expm1(-(double)setting->k * (double)n / (double)setting->m), setting->k);
  return pow(one, setting->layers);
}

static claim judge_formula_4(const claims_input *input)
{
  const char *said = "The false-positive rate is f^L (formula 4)";
  const replay_result *layered = row_of(input, PROTOCOL_PAPER, "mlbf-paper");
  if (layered == NULL)
    return unknown(said);
  double printed = claims_formula_4(input->setting, input->n), low, high;
  results_interval(layered, RESULTS_Z_95, &low, &high);
  claim made = {.said = said, .verdict = printed >= low && printed <= high ? CLAIM_HOLDS : CLAIM_FAILS};
  double expected = printed * (double)(layered->queries - layered->members);
  if (layered->false_positives < CLAIM_EVENTS && expected < CLAIM_EVENTS) {
    made.verdict = CLAIM_TOO_FEW;
    snprintf(made.measured, sizeof made.measured, "%sformula %.3g, measured %llu of %llu queries (95 %%: %.3g to %.3g)",
             too_few, printed, (unsigned long long)layered->false_positives,
             (unsigned long long)(layered->queries - layered->members), low, high);
    return made;
  }
  snprintf(made.measured, sizeof made.measured,
           "formula %.3g, measured %.3g (95 %%: %.3g to %.3g): %.3g times the formula", printed, results_rate(layered),
           low, high, results_rate(layered) / printed);
  return made;
}

static claim judge_recombined(const claims_input *input)
{
  const char *said = "The layers help on any new URL (implied)";
  const replay_result *classic = row_of(input, PROTOCOL_RECOMBINED, "bloom-paper");
  const replay_result *layered = row_of(input, PROTOCOL_RECOMBINED, "mlbf-paper");
  if (classic == NULL || layered == NULL)
    return unknown(said);
  times t = times_of(classic, layered);
  claim_verdict far = is_at_least(&t, far_fewer), any = is_at_least(&t, helps);
  claim made = {.said = said, .verdict = any == CLAIM_HOLDS && far == CLAIM_FAILS ? CLAIM_PARTLY : far};
  if (any != CLAIM_HOLDS)
    made.verdict = any;
  if (input->n < PARTS_MIN)
    made.verdict = CLAIM_TOO_FEW;
  say_times(&made, layered, classic, ", where every segment is known and only the combination new");
  return made;
}

static claim judge_repeated(const claims_input *input)
{
  const char *said = "The XOR over layers tells combinations apart (implied)";
  const replay_result *layered = row_of(input, PROTOCOL_REPEATED, "mlbf-paper");
  if (layered == NULL || layered->queries == layered->members)
    return unknown(said);
  double low, high;
  results_interval(layered, RESULTS_Z_999, &low, &high);
  claim made = {.said = said, .verdict = high < 0.5 ? CLAIM_HOLDS : low > 0.5 ? CLAIM_FAILS : CLAIM_TOO_FEW};
  if (layered->queries - layered->members < CLAIM_EVENTS || input->n < PARTS_MIN)
    made.verdict = CLAIM_TOO_FEW;
  snprintf(made.measured, sizeof made.measured,
           "%shost/page/x/x with x known at both depths: %.4g %% of %llu queries (99.9 %%: %.3g to %.3g) are false "
           "positives, as x XOR x = 0",
           made.verdict == CLAIM_TOO_FEW ? too_few : "", 100 * results_rate(layered),
           (unsigned long long)(layered->queries - layered->members), 100 * low, 100 * high);
  return made;
}

static claim judge_memory(const claims_input *input)
{
  const char *said = "It takes more memory (conceded)";
  const replay_result *classic = row_of(input, PROTOCOL_PAPER, "bloom-paper");
  const replay_result *layered = row_of(input, PROTOCOL_PAPER, "mlbf-paper");
  if (classic == NULL || layered == NULL)
    return unknown(said);
  claim made = {.said = said, .verdict = layered->bits > classic->bits ? CLAIM_HOLDS : CLAIM_FAILS};
  snprintf(made.measured, sizeof made.measured, "%.3g times: %llu bits against %llu",
           (double)layered->bits / (double)classic->bits, (unsigned long long)layered->bits,
           (unsigned long long)classic->bits);
  return made;
}

static claim judge_schemes(const claims_input *input)
{
  claim made = {.said = "http and https are one page", .verdict = CLAIM_PARTLY};
  snprintf(made.measured, sizeof made.measured,
           "%llu of %llu URLs came with both schemes and are counted once here; a list cannot tell whether the pages"
           " differ",
           (unsigned long long)input->both_schemes, (unsigned long long)input->distinct);
  return made;
}

/* Equation (1) at k=3, n=3.5 M, f=0.1, which the text takes for equation (2). */
static claim judge_equation(void)
{
  double one = -3 * 3.5e6 / log1p(-cbrt(0.1)), two = 3.5e6 * log(0.1) / log(0.6185);
  claim made = {.said = "m = 16,829,152 follows from equation (2)"};
  made.verdict = fabs(two - PAPER_M) < 8 ? CLAIM_HOLDS : CLAIM_PARTLY;
  snprintf(made.measured, sizeof made.measured,
           "equation (2), f = 0.6185^(m/n), gives %.0f; equation (1) at k = 3, n = 3.5 M, f = 0.1 gives %.0f, and in "
           "whole bytes the paper's m",
           ceil(two), ceil(one));
  return made;
}

/* Broken only by what chance brings once in a thousand times: with eight protocols, one in 20 would be seen often. */
static bool keeps_promise(const replay_result *row)
{
  return row->false_negatives == 0 && results_chance(row) >= 0.001;
}

/* False positives of a filter that just keeps its promise, or those there were. */
static double events_of(const replay_result *row)
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
static claim judge_promise(const claims_input *input)
{
  const char *said = "This library's mlbf: at most the promised rate on every kind of query";
  const replay_result *worst = NULL, *fewest = NULL;
  bool is_kept = true;
  for (int which = 0; which < PROTOCOL_COUNT; which++) {
    const replay_result *row = row_of(input, (protocol)which, "mlbf");
    if (row == NULL)
      continue;
    is_kept = is_kept && keeps_promise(row);
    if (worst == NULL || is_worse(row, worst))
      worst = row;
    if (fewest == NULL || events_of(row) < events_of(fewest))
      fewest = row;
  }
  if (worst == NULL)
    return unknown(said);
  claim made = {.said = said, .verdict = is_kept ? CLAIM_HOLDS : CLAIM_FAILS};
  if (is_kept && events_of(fewest) < CLAIM_EVENTS)
    made.verdict = CLAIM_TOO_FEW;
  const replay_result *shown = made.verdict == CLAIM_TOO_FEW ? fewest : worst;
  promise_text(shown, shown == worst, &made);
  return made;
}

size_t claims_judge(const claims_input *input, claim claims[CLAIMS_MAX])
{
  size_t count = 0;
  claims[count++] = judge_fewer(input);
  claims[count++] = judge_equal_memory(input);
  claims[count++] = judge_time(input, true);
  claims[count++] = judge_time(input, false);
  claims[count++] = judge_formula_4(input);
  claims[count++] = judge_recombined(input);
  claims[count++] = judge_repeated(input);
  claims[count++] = judge_memory(input);
  claims[count++] = judge_schemes(input);
  claims[count++] = judge_equation();
  claims[count++] = judge_promise(input);
  return count;
}
