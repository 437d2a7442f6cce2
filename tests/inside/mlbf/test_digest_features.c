/* mlbf/similar/digest_features.c against a slow model of sdhash's rules. */
#include <string.h>
#include <time.h>

#include "mlbf/digest.h"
#include "mlbf/similar/digest_features.h"
#include "tests/support/dice.h"
#include "tests/support/test.h"

/* The scores as sdhash's rules tell it, a rank at a time, from one array over all. */
static void slow_scores(const uint16_t *ranks, size_t windows, uint8_t *scores)
{
  size_t best = 0;
  uint16_t rank = 0;
  memset(scores, 0, windows + DIGEST_WINDOW + 1);
  for (size_t begin = 0; begin < windows; begin++) {
    uint16_t coming = ranks[begin + DIGEST_WINDOW];
    bool is_sliding = rank > 0 && begin < best && coming >= rank;
    if (is_sliding && coming == rank)
      best = begin + DIGEST_WINDOW;
    if (!is_sliding) {
      best = begin;
      rank = ranks[begin];
      for (size_t i = begin + 1; i < begin + DIGEST_WINDOW && rank; i++)
        if ((ranks[i] && ranks[i] < rank) || (ranks[i] == rank && best == i - 1)) {
          rank = ranks[i];
          best = i;
        }
    }
    scores[best] += rank > 0;
  }
}

CASE(scores_are_the_same_in_any_pieces)
{
  enum { WINDOWS = 5000, ALL = WINDOWS + DIGEST_WINDOW + 1 };
  static uint16_t ranks[ALL];
  static uint8_t wanted[ALL], scores[ALL];
  for (int round = 0; round < 60; round++) {
    uint64_t variety = 1 + dice_throw(round % 2 ? 5 : 1001); /* few ranks: many ties and runs */
    memset(ranks, 0, sizeof ranks);
    for (size_t i = 0; i < WINDOWS; i++)
      ranks[i] = (uint16_t)(dice_throw(10) ? dice_throw(variety) : 0);
    slow_scores(ranks, WINDOWS, wanted);
    memset(scores, 0, sizeof scores);
    digest_scorer scorer = {0};
    size_t base = 0;
    for (size_t end = 0; end < WINDOWS;) {
      end = end + 1 + dice_throw(700) < WINDOWS ? end + 1 + dice_throw(700) : WINDOWS;
      end = end < WINDOWS ? end : WINDOWS;
      digest_score_windows(&scorer, ranks + base, end - base, scores + base);
      if (dice_throw(2)) {
        digest_scorer_shift(&scorer, end - base);
        base = end;
      }
    }
    assert_memory_equal(scores, wanted, WINDOWS);
  }
}

CASE(classes_are_those_of_each_window_alone)
{
  enum { SIZE = 4000, MOST = SIZE - DIGEST_WINDOW + 1 };
  static uint8_t bytes[SIZE];
  static uint16_t classes[MOST], itself[MLBF_ENTROPY_CLASSES];
  size_t windows = MOST - dice_throw(2); /* odd and even */
  for (size_t i = 0; i < SIZE; i++)      /* noise, and runs of few letters */
    bytes[i] = (uint8_t)dice_throw(i / 200 % 2 ? 3 : 256);
  for (size_t i = 0; i < MLBF_ENTROPY_CLASSES; i++)
    itself[i] = (uint16_t)i;
  digest_classes(bytes, windows, itself, classes);
  for (size_t i = 0; i < windows; i++) {
    uint16_t alone;
    digest_classes(bytes + i, 1, itself, &alone);
    assert_int_equal(classes[i], alone);
  }
  memset(bytes, 7, DIGEST_WINDOW);
  digest_classes(bytes, 1, itself, classes);
  assert_int_equal(classes[0], 0);
  for (int i = 0; i < DIGEST_WINDOW; i++)
    bytes[i] = (uint8_t)i;
  digest_classes(bytes, 1, itself, classes);
  assert_int_equal(classes[0], 1000);
}

static int prepare(void **state)
{
  (void)state;
  dice_begin((uint64_t)time(NULL));
  return 0;
}

EACH_CASE(prepare, NULL)
