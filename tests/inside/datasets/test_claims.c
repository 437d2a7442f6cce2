/* datasets/replay/claims.h: results made up so that each verdict must come out, and the paper's own numbers. */
#include "datasets/replay/claims.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3000000, QUERIES = 1000000 };

static const contender_setting setting = {.m = PAPER_M, .k = PAPER_K, .layers = PAPER_LAYERS};

static void add(replay_results *to, protocol which, const char *filter, uint64_t false_positives, double ns)
{
  to->rows[to->count++] = (replay_result){
    .protocol = which,
    .filter = filter,
    .n = N,
    .queries = QUERIES,
    .false_positives = false_positives,
    .bits = strcmp(filter, "bloom-paper") == 0 ? PAPER_M : 5 * (uint64_t)PAPER_M,
    .insert_ns = ns,
    .query_ns = ns,
    .promised_rate = strcmp(filter, "mlbf") == 0 ? 1e-4 : 0,
  };
}

static const claim *find(const claim *claims, size_t count, const char *words)
{
  for (size_t i = 0; i < count; i++)
    if (strstr(claims[i].said, words) != NULL)
      return &claims[i];
  fail_msg("no claim says \"%s\"", words);
  return NULL;
}

static claim_verdict verdict_of(const replay_results *results, const char *words)
{
  claims_input input = {results, &setting, N, 100, 3};
  claim claims[CLAIMS_MAX] = {{.said = NULL}};
  size_t count = claims_judge(&input, claims);
  return find(claims, count, words)->verdict;
}

CASE(test_verdicts_follow_the_numbers)
{
  static const struct {
    const char *words;
    protocol which;
    const char *one, *other; /* filters */
    uint64_t one_wrong, other_wrong;
    double one_ns, other_ns;
    claim_verdict verdict;
  } rows[] = {
    {"Far fewer", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 70000, 1000, 1, 1, CLAIM_HOLDS},
    {"Far fewer", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 70000, 8000, 1, 1, CLAIM_FAILS},
    {"Far fewer", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 70000, 0, 1, 1, CLAIM_HOLDS},
    {"same memory", PROTOCOL_PAPER, "bloom", "mlbf-paper", 5, 1000, 1, 1, CLAIM_FAILS},
    {"same memory", PROTOCOL_PAPER, "bloom", "mlbf-paper", 1000, 5, 1, 1, CLAIM_HOLDS},
    {"Insertion", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 1, 1, 100, 140, CLAIM_HOLDS},
    {"Insertion", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 1, 1, 100, 160, CLAIM_FAILS},
    {"query takes", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 1, 1, 100, 119, CLAIM_HOLDS},
    {"query takes", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 1, 1, 100, 140, CLAIM_FAILS},
    {"formula 4", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 1, 30, 1, 1, CLAIM_HOLDS}, /* 2.5e-5 */
    {"formula 4", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 1, 1235, 1, 1, CLAIM_FAILS},
    {"any new URL", PROTOCOL_RECOMBINED, "bloom-paper", "mlbf-paper", 70000, 75000, 1, 1, CLAIM_FAILS},
    {"any new URL", PROTOCOL_RECOMBINED, "bloom-paper", "mlbf-paper", 70000, 30000, 1, 1, CLAIM_PARTLY},
    {"tells combinations apart", PROTOCOL_REPEATED, "bloom-paper", "mlbf-paper", 1, QUERIES, 1, 1, CLAIM_FAILS},
    {"more memory", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 1, 1, 1, 1, CLAIM_HOLDS},
    {"promised rate", PROTOCOL_FRESH, "bloom", "mlbf", 1, 120, 1, 1, CLAIM_HOLDS}, /* 100 expected */
    {"promised rate", PROTOCOL_FRESH, "bloom", "mlbf", 1, 150, 1, 1, CLAIM_FAILS},
    /* too few, and just enough */
    {"Far fewer", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 0, 0, 1, 1, CLAIM_TOO_FEW},
    {"Far fewer", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 29, 1, 1, 1, CLAIM_TOO_FEW},
    /* 72 times as many as one says little of how many times it is: 4 or more */
    {"Far fewer", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 30, 1, 1, 1, CLAIM_TOO_FEW},
    {"Far fewer", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 72, 1, 1, 1, CLAIM_TOO_FEW},
    {"Far fewer", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 1473, 21, 1, 1, CLAIM_HOLDS}, /* 32 or more */
    {"Far fewer", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 1000, 99, 1, 1, CLAIM_TOO_FEW},
    {"Far fewer", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 100, 100, 1, 1, CLAIM_FAILS},
    {"same memory", PROTOCOL_PAPER, "bloom", "mlbf-paper", 100, 90, 1, 1, CLAIM_TOO_FEW},
    {"same memory", PROTOCOL_PAPER, "bloom", "mlbf-paper", 1, 29, 1, 1, CLAIM_TOO_FEW},
    {"same memory", PROTOCOL_PAPER, "bloom", "mlbf-paper", 1, 30, 1, 1, CLAIM_FAILS},
    {"formula 4", PROTOCOL_PAPER, "bloom-paper", "mlbf-paper", 1, 29, 1, 1, CLAIM_TOO_FEW},
    {"any new URL", PROTOCOL_RECOMBINED, "bloom-paper", "mlbf-paper", 29, 20, 1, 1, CLAIM_TOO_FEW},
    {"any new URL", PROTOCOL_RECOMBINED, "bloom-paper", "mlbf-paper", 30, 40, 1, 1, CLAIM_TOO_FEW},
    {"any new URL", PROTOCOL_RECOMBINED, "bloom-paper", "mlbf-paper", 120, 12, 1, 1, CLAIM_TOO_FEW}, /* 3 to 30 */
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    replay_results *results = calloc(1, sizeof *results);
    add(results, rows[i].which, rows[i].one, rows[i].one_wrong, rows[i].one_ns);
    assert_int_equal(verdict_of(results, rows[i].words), CLAIM_UNKNOWN); /* one of two is not enough */
    add(results, rows[i].which, rows[i].other, rows[i].other_wrong, rows[i].other_ns);
    if (verdict_of(results, rows[i].words) != rows[i].verdict)
      fail_msg("row %zu, %s: verdict %d", i, rows[i].words, verdict_of(results, rows[i].words));
    free(results);
  }
}

/* A forgotten member breaks the promise whatever the rate. */
CASE(test_false_negatives_break_the_promise)
{
  replay_results *results = calloc(1, sizeof *results);
  add(results, PROTOCOL_FRESH, "mlbf", 0, 1);
  assert_int_equal(verdict_of(results, "promised rate"), CLAIM_HOLDS);
  results->rows[0].false_negatives = 1;
  assert_int_equal(verdict_of(results, "promised rate"), CLAIM_FAILS);
  free(results);
}

/* The claim with these words, of rows with so many queries. */
static claim judge(replay_results *results, uint64_t queries, const char *words)
{
  for (size_t i = 0; i < results->count; i++)
    if (results->rows[i].protocol == PROTOCOL_RECOMBINED)
      results->rows[i].queries = queries;
  claims_input input = {results, &setting, N, 100, 3};
  claim claims[CLAIMS_MAX] = {{.said = NULL}};
  return *find(claims, claims_judge(&input, claims), words);
}

/* What was too little is said, with the interval. */
CASE(test_too_few_queries_are_said)
{
  replay_results *results = calloc(1, sizeof *results);
  add(results, PROTOCOL_FRESH, "mlbf", 90, 1); /* 100 expected of a million */
  add(results, PROTOCOL_RECOMBINED, "mlbf", 0, 1);
  add(results, PROTOCOL_RECOMBINED, "bloom-paper", 40, 1);
  add(results, PROTOCOL_RECOMBINED, "mlbf-paper", 0, 1);
  claim promise = judge(results, QUERIES, "promised rate");
  assert_int_equal(promise.verdict, CLAIM_HOLDS);
  promise = judge(results, 50, "promised rate");
  assert_int_equal(promise.verdict, CLAIM_TOO_FEW);
  assert_non_null(strstr(promise.measured, "too few queries to tell"));
  assert_non_null(strstr(promise.measured, "0 of 50 recombined queries (95 %: 0 to 0.0714)"));
  claim fewer = judge(results, 50, "any new URL");
  assert_int_equal(fewer.verdict, CLAIM_TOO_FEW);
  assert_non_null(strstr(fewer.measured,
                         "too few queries to tell: 0 false positives of 50 queries, 40 of the classic"));
  assert_non_null(strstr(fewer.measured, "99.9 %: 3."));
  free(results);
}

/* So many or more come by chance, from a filter that just keeps its promise of 1e-4, in these shares of all cases. */
CASE(test_what_chance_explains_is_no_rate_above_the_promise)
{
  static const struct {
    uint64_t queries, events;
    bool is_by_chance;
    const char *words;
  } rows[] = {
    {QUERIES, 100, false, "the worst is 0.0001, 100 of 1000000"},        /* not above the promise */
    {QUERIES, 116, true, "116 events of 1000000 fresh queries (95 %: "}, /* 6.3 % */
    {QUERIES, 118, false, "the worst is 0.000118, 118 of 1000000"},      /* 4.3 % */
    {3000, 1, true, "one event of 3000 fresh queries (95 %: "},          /* 26 % */
    {513, 1, true, "one event of 513 fresh queries (95 %: "},            /* 5.0 % */
    {512, 1, false, "the worst is 0.00195, 1 of 512"},                   /* 4.99 % */
    {8000, 2, true, "2 events of 8000 fresh queries (95 %: "},           /* 19 % */
    {3000, 2, false, "the worst is 0.000667, 2 of 3000"},                /* 3.7 % */
    {3000, 0, false, "the worst is 0, 0 of 3000"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    replay_results *results = calloc(1, sizeof *results);
    add(results, PROTOCOL_FRESH, "mlbf", rows[i].events, 1);
    results->rows[0].queries = rows[i].queries;
    if (results_is_by_chance(&results->rows[0]) != rows[i].is_by_chance)
      fail_msg("%llu of %llu", (unsigned long long)rows[i].events, (unsigned long long)rows[i].queries);
    claim promise = judge(results, QUERIES, "promised rate");
    if (strstr(promise.measured, rows[i].words) == NULL)
      fail_msg("\"%s\" lacks \"%s\"", promise.measured, rows[i].words);
    assert_int_equal(strstr(promise.measured, "): not significant") != NULL, rows[i].is_by_chance);
    results->rows[0].promised_rate = 0; /* what promises nothing breaks nothing */
    assert_false(results_is_by_chance(&results->rows[0]));
    free(results);
  }
}

/* The worst of all is a rate that the count shows, where there is one. */
CASE(test_chance_does_not_hide_what_is_worse)
{
  replay_results *results = calloc(1, sizeof *results);
  add(results, PROTOCOL_FRESH, "mlbf", 122, 1);  /* 1.7 % */
  add(results, PROTOCOL_NEWHOST, "mlbf", 33, 1); /* 33.3 % */
  results->rows[1].queries = 300000;
  claim promise = judge(results, QUERIES, "promised rate");
  assert_int_equal(promise.verdict, CLAIM_HOLDS);
  assert_non_null(strstr(promise.measured, "the worst is 0.000122, 122 of 1000000 fresh queries"));
  free(results);
}

/* A list of eight URLs proves nothing, whatever comes out. */
CASE(test_a_short_list_gives_no_verdict)
{
  static const char *const words[] = {"Far fewer", "same memory", "Insertion",  "query takes",
                                      "formula 4", "any new URL", "tells combi"};
  static const char *const filters[] = {"bloom-paper", "mlbf-paper", "bloom", "mlbf"};
  replay_results *results = calloc(1, sizeof *results);
  for (int which = 0; which < PROTOCOL_COUNT; which++)
    for (size_t i = 0; i < 4; i++) {
      add(results, (protocol)which, filters[i], which == PROTOCOL_RECOMBINED ? 500 : 0, 10);
      results->rows[results->count - 1].n = 6;
      results->rows[results->count - 1].queries = which == PROTOCOL_RECOMBINED ? QUERIES : 8;
    }
  claims_input input = {results, &setting, 6, 8, 0};
  claim claims[CLAIMS_MAX] = {{.said = NULL}};
  size_t count = claims_judge(&input, claims);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (find(claims, count, words[i])->verdict != CLAIM_TOO_FEW)
      fail_msg("%s: %s, %s", words[i], claim_verdict_text(find(claims, count, words[i])->verdict),
               find(claims, count, words[i])->measured);
  free(results);
}

CASE(test_the_papers_numbers)
{
  double formula = claims_formula_4(&setting, N); /* f = (1 - e^(-9/16.829152))^3 = 0.0711 */
  assert_true(formula > 2.5e-5 && formula < 2.6e-5);
  claims_input input = {&(const replay_results){.count = 0}, &setting, N, 100, 3};
  claim claims[CLAIMS_MAX] = {{.said = NULL}};
  size_t count = claims_judge(&input, claims);
  const claim *equation = find(claims, count, "equation (2)");
  assert_int_equal(equation->verdict, CLAIM_PARTLY);
  assert_non_null(strstr(equation->measured, "gives 16829146"));
}
