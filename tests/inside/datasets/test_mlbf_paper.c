/* The seed paper's filters as printed: what they claim, what is wrong with them by construction, and a slow model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "datasets/replay/contender.h"
#include "tests/support/dice.h"
#include "tests/support/test.h"

enum { KEYS = 20000, LAYERS = 4 };

static contender make(bool has_layers, uint64_t m)
{
  const contender_setting setting = {.m = m, .k = 3, .layers = LAYERS, .seed = 5};
  contender made;
  const char *reason;
  assert_true(contender_make(has_layers ? "mlbf-paper" : "bloom-paper", &setting, KEYS, &made, &reason));
  assert_int_equal(made.bits, has_layers ? (LAYERS + 1) * m : m);
  return made;
}

static bool visit(const contender *filter, bool is_insert, const char *key)
{
  static key_batch *batch;
  bool seen;
  if (batch == NULL)
    batch = batch_create();
  assert_non_null(batch);
  batch_clear(batch);
  batch_add(batch, key, strlen(key));
  (is_insert ? filter->insert : filter->test)(filter->state, batch, &seen);
  return seen;
}

CASE(permuted_and_repeated_segments_collide_with_certainty)
{
  contender filter = make(true, 100000);
  visit(&filter, true, "//h/a/b");
  visit(&filter, true, "//h/b/c");
  assert_false(visit(&filter, true, "//h/c/a"));
  assert_true(visit(&filter, false, "//h/b/a"));
  visit(&filter, true, "//h/x/x"); /* x ^ x = 0: only h is left of it */
  assert_true(visit(&filter, false, "//h/a/a"));
  contender_free(&filter);
}

CASE(an_unknown_segment_or_combination_is_new)
{
  contender filter = make(true, 100000);
  visit(&filter, true, "//h/a/b/c");
  visit(&filter, true, "//i/d/e/f");
  assert_false(visit(&filter, false, "//x/a"));
  assert_false(visit(&filter, false, "//h/a/x"));
  assert_false(visit(&filter, false, "//h/d/b/f")); /* each segment is known at its depth */
  assert_true(visit(&filter, false, "//h/a/b/c"));
  /* deeper than L = 4: layer 4 is the whole remainder */
  visit(&filter, true, "//h/a/b/c/d/e");
  assert_false(visit(&filter, false, "//h/a/b/c/e/d"));
  assert_true(visit(&filter, false, "//h/a/b/c/d/e"));
  contender_free(&filter);
}

/* Equation (1): k = 3 and m = 5.6 bits a key give one in ten, for fresh whole keys. */
CASE(the_classic_filter_has_the_rate_of_equation_1)
{
  contender filter = make(false, (uint64_t)(KEYS * 4.8083));
  char text[32];
  unsigned wrong = 0;
  for (unsigned id = 0; id < 4 * KEYS; id++) {
    snprintf(text, sizeof text, "//host/%u", id);
    wrong += visit(&filter, id < KEYS, text) && id >= KEYS;
  }
  print_message("measured %g\n", wrong / (3.0 * KEYS));
  assert_true(fabs(wrong / (3.0 * KEYS) - 0.1) < 0.01);
  contender_free(&filter);
}

/* ---- a slow model ---------------------------------------------------------------------------- */

enum { M = 997, K = 3, DEPTH_MAX = 7 };

typedef struct model {
  bool has_layers, bits[LAYERS + 1][M]; /* the last is the extra one, or the only one */
} model;

static uint64_t address_of(const char *text, size_t size, uint64_t j)
{
  XXH128_hash_t hash = XXH3_128bits_withSeed(text, size, 5);
  uint64_t bytes[] = {hash.low64, hash.high64};
  return XXH3_64bits_withSeed(bytes, sizeof bytes, j) % M;
}

static bool touch(model *m, size_t array, uint64_t bit, bool is_insert)
{
  bool was_set = m->bits[array][bit];
  m->bits[array][bit] = was_set || is_insert;
  return was_set;
}

/* Where segment `number` of the key ends: each begins with '/', the host with "//". */
static const char *end_of(const char *segment)
{
  const char *next = strchr(segment + 2, '/');
  return next ? next : segment + strlen(segment);
}

static bool model_visit(model *m, bool is_insert, const char *key)
{
  bool was_seen = true;
  for (uint64_t j = 1; j <= K; j++) {
    uint64_t xored = 0;
    const char *segment = key;
    for (size_t layer = 0; m->has_layers && layer < LAYERS && *segment; layer++) {
      const char *end = layer + 1 < LAYERS ? end_of(segment) : segment + strlen(segment);
      uint64_t bit = address_of(segment, (size_t)(end - segment), j);
      was_seen = touch(m, layer, bit, is_insert) && was_seen;
      xored ^= bit;
      segment = end;
    }
    uint64_t bit = m->has_layers ? xored % M : address_of(key, strlen(key), j);
    was_seen = touch(m, LAYERS, bit, is_insert) && was_seen;
  }
  return was_seen;
}

/* Segments of one letter or more, few of them. */
static void random_key(char text[64])
{
  char *to = text + sprintf(text, "//host-%u", (unsigned)dice_throw(20));
  for (unsigned depth = (unsigned)dice_throw(DEPTH_MAX); depth > 0; depth--)
    to += sprintf(to, "/%u", 10 + (unsigned)dice_throw(30));
}

CASE(answers_are_those_of_a_slow_model)
{
  dice_begin(random_commit_seed());
  for (int has_layers = 0; has_layers < 2; has_layers++) {
    static model slow;
    contender filter = make(has_layers, M);
    unsigned seen = 0, asked = 4000;
    slow = (model){.has_layers = has_layers};
    for (unsigned i = 0; i < asked; i++) {
      char key[64];
      random_key(key);
      bool is_insert = dice_throw(8) == 0, answer = visit(&filter, is_insert, key);
      if (answer != model_visit(&slow, is_insert, key))
        fail_msg("%s %s: %d", is_insert ? "insert" : "test", key, answer);
      seen += answer;
    }
    assert_true(seen > asked / 20 && seen < asked);
    contender_free(&filter);
  }
}
