/* The paper's filters as printed: what they claim, and what is wrong with them by construction. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mlbf/filter.h"
#include "tests/support/test.h"

enum { KEYS = 20000 };

static mlbf_filter *create(mlbf_kind kind)
{
  mlbf_options options = {.kind = kind, .keys = KEYS, .rate = 0.1};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  return filter;
}

static mlbf_verdict visit(mlbf_filter *filter, bool is_insert, const char *const *words, size_t count)
{
  mlbf_span segments[8];
  mlbf_hashes hashes;
  mlbf_verdict verdict;
  for (size_t i = 0; i < count; i++)
    segments[i] = (mlbf_span){words[i], strlen(words[i])};
  mlbf_hash(filter, segments, count, &hashes);
  if (!is_insert)
    return mlbf_test(filter, &hashes);
  mlbf_insert(filter, &hashes, &verdict);
  return verdict;
}

CASE(permuted_and_repeated_segments_collide_with_certainty)
{
  mlbf_filter *filter = create(MLBF_KIND_MLBF_PAPER);
  visit(filter, true, (const char *[]){"h", "a", "b"}, 3);
  visit(filter, true, (const char *[]){"h", "b", "c"}, 3);
  visit(filter, true, (const char *[]){"h", "c", "a"}, 3);
  assert_int_equal(visit(filter, false, (const char *[]){"h", "b", "a"}, 3).outcome, MLBF_SEEN);

  visit(filter, true, (const char *[]){"h", "x", "x"}, 3); /* x ^ x = 0: only h is left of it */
  assert_int_equal(visit(filter, false, (const char *[]){"h", "a", "a"}, 3).outcome, MLBF_SEEN);
  mlbf_free(filter);
}

CASE(a_verdict_names_the_first_unknown_layer)
{
  mlbf_filter *filter = create(MLBF_KIND_MLBF_PAPER);
  visit(filter, true, (const char *[]){"h", "a", "b", "c"}, 4);
  visit(filter, true, (const char *[]){"i", "d", "e", "f"}, 4);
  assert_int_equal(visit(filter, false, (const char *[]){"x", "a"}, 2).layer, 1);
  assert_int_equal(visit(filter, false, (const char *[]){"h", "a", "x"}, 3).layer, 3);
  assert_int_equal(visit(filter, false, (const char *[]){"h", "a", "b", "x"}, 4).outcome, MLBF_NEW_SEGMENT);
  assert_int_equal(visit(filter, false, (const char *[]){"h", "d", "b", "f"}, 4).outcome, MLBF_NEW_COMBINATION);
  /* deeper than L = 4: layer 4 is the whole remainder */
  visit(filter, true, (const char *[]){"h", "a", "b", "c", "d", "e"}, 6);
  assert_int_equal(visit(filter, false, (const char *[]){"h", "a", "b", "c", "e", "d"}, 6).layer, 4);
  assert_int_equal(visit(filter, false, (const char *[]){"h", "a", "b", "cd", "e"}, 5).outcome, MLBF_SEEN);
  mlbf_free(filter);
}

/* Equation (1): k = 3 at the design load gives the planned rate, for fresh whole keys. */
CASE(the_classic_filter_has_the_rate_of_equation_1)
{
  mlbf_filter *filter = create(MLBF_KIND_BLOOM_PAPER);
  char text[32];
  unsigned wrong = 0;
  for (unsigned id = 0; id < 4 * KEYS; id++) {
    snprintf(text, sizeof text, "host/%u", id);
    wrong += visit(filter, id < KEYS, (const char *[]){text}, 1).outcome == MLBF_SEEN && id >= KEYS;
  }
  print_message("measured %g\n", wrong / (3.0 * KEYS));
  assert_true(fabs(wrong / (3.0 * KEYS) - 0.1) < 0.01);
  mlbf_free(filter);
}
