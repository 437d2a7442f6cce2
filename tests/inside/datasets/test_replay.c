/* datasets/replay/replay.h: every protocol against a brute-force model on a small list, with filters that lie on
 * purpose and with real ones. The model keeps keys as strings in an array and looks at each. */
#include "datasets/make/generator.h"
#include "datasets/replay/replay.h"
#include "datasets/replay/results.h"
#include "datasets/read/rowkey.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GENERATED = 700, ROWS = GENERATED + GENERATED / 4, INSERTED = 400, QUERIES = 900, LAYERS = 4 };

static char directory[] = "/tmp/strata-replay-XXXXXX";
static char *rows[ROWS];     /* the keys, as they come */
static char *distinct[ROWS]; /* each once, in order of first appearance */
static size_t distinct_count;
static urllist *list;

/* ---- the model ------------------------------------------------------------------------------- */

static bool is_among(char *const *keys, size_t count, const char *key, size_t size)
{
  for (size_t i = 0; i < count; i++)
    if (strlen(keys[i]) == size && memcmp(keys[i], key, size) == 0)
      return true;
  return false;
}

static bool is_inserted(const char *key, size_t size)
{
  return is_among(distinct, INSERTED, key, size);
}

/* The segments of a key, cut at '/': "//host" "/a" "/b". */
static size_t cut(const char *key, size_t size, char segments[32][256])
{
  size_t count = 0;
  for (size_t i = 0; i < size; i++) {
    if (i == 0 || (i >= 2 && key[i] == '/'))
      segments[count++][0] = '\0';
    strncat(segments[count - 1], key + i, 1);
  }
  return count;
}

/* Segments of depth LAYERS and more are one, as the paper's last layer has them. */
static size_t cut_into_layers(const char *key, size_t size, char segments[32][256])
{
  size_t count = cut(key, size, segments);
  for (size_t i = LAYERS; i < count; i++)
    strcat(segments[LAYERS - 1], segments[i]);
  return count < LAYERS ? count : LAYERS;
}

/* Is each layer's segment that of an inserted key, at that layer? */
static bool has_known_segments(const char *key, size_t size)
{
  static char ours[32][256], theirs[32][256];
  size_t count = cut_into_layers(key, size, ours);
  for (size_t layer = 0; layer < count; layer++) {
    bool is_known = false;
    for (size_t i = 0; i < INSERTED && !is_known; i++) {
      size_t depth = cut_into_layers(distinct[i], strlen(distinct[i]), theirs);
      is_known = layer < depth && strcmp(ours[layer], theirs[layer]) == 0;
    }
    if (!is_known)
      return false;
  }
  return true;
}

static int by_text(const void *a, const void *b)
{
  return strcmp(a, b);
}

/* Host first, the same segments behind it in any order? */
static bool is_permutation(const char *key, size_t size)
{
  static char ours[32][256], theirs[32][256];
  size_t count = cut(key, size, ours);
  qsort(ours[1], count - 1, sizeof ours[0], by_text);
  for (size_t i = 0; i < INSERTED; i++) {
    if (cut(distinct[i], strlen(distinct[i]), theirs) != count || strcmp(ours[0], theirs[0]) != 0)
      continue;
    qsort(theirs[1], count - 1, sizeof theirs[0], by_text);
    size_t equal = 1;
    while (equal < count && strcmp(ours[equal], theirs[equal]) == 0)
      equal++;
    if (equal == count)
      return true;
  }
  return false;
}

static bool is_proper_prefix(const char *key, size_t size)
{
  for (size_t i = 0; i < INSERTED; i++)
    if (strlen(distinct[i]) > size && distinct[i][size] == '/' && memcmp(distinct[i], key, size) == 0)
      return true;
  return false;
}

static bool is_repetition(const char *key, size_t size)
{
  static char segments[32][256];
  if (cut(key, size, segments) != 4 || strcmp(segments[2], segments[3]) != 0)
    return false;
  return is_inserted(key, strlen(segments[0]) + strlen(segments[1])) && has_known_segments(key, size);
}

static bool has_new_host(const char *key, size_t size)
{
  static char ours[32][256], theirs[32][256];
  cut(key, size, ours);
  for (size_t i = 0; i < distinct_count; i++) {
    cut(distinct[i], strlen(distinct[i]), theirs);
    if (strcmp(ours[0], theirs[0]) == 0)
      return false;
  }
  return true;
}

static bool is_of_protocol(protocol which, size_t position, const char *key, size_t size)
{
  char text[512];
  switch (which) {
  case PROTOCOL_PAPER:
    snprintf(text, sizeof text, "%s%010zu", rows[position], position);
    return strlen(text) == size && memcmp(text, key, size) == 0;
  case PROTOCOL_FRESH: return is_among(distinct + INSERTED + position, 1, key, size);
  case PROTOCOL_RECOMBINED: return has_known_segments(key, size);
  case PROTOCOL_PERMUTED: return is_permutation(key, size);
  case PROTOCOL_REPEATED: return is_repetition(key, size);
  case PROTOCOL_PREFIX: return is_proper_prefix(key, size);
  case PROTOCOL_NEWHOST: return has_new_host(key, size);
  default: return false;
  }
}

/* ---- filters --------------------------------------------------------------------------------- */

/* Says the truth, by the model, but for what it was told to lie about. */
typedef struct liar {
  char *keys[ROWS];
  size_t count;
  bool lies_often;                  /* whenever the key's length says so */
  const char *invented, *forgotten; /* "seen" of the one, "new" of the other; NULL: none */
} liar;

static bool lie(const liar *of, const char *key, size_t size, bool truth)
{
  if (of->lies_often && (truth ? size % 7 == 0 : size % 5 == 0))
    return !truth;
  if (of->invented != NULL && strlen(of->invented) == size && memcmp(of->invented, key, size) == 0)
    return true;
  if (of->forgotten != NULL && strlen(of->forgotten) == size && memcmp(of->forgotten, key, size) == 0)
    return false;
  return truth;
}

static size_t key_of(const key_batch *batch, size_t i, const char **key)
{
  const mlbf_key *of = &batch->keys[CUT_PAPER][i];
  *key = of->segments[0].bytes;
  const mlbf_span *last = &of->segments[of->count - 1];
  return (size_t)((const char *)last->bytes + last->size - *key);
}

static void liar_test(void *state, const key_batch *batch, bool *is_seen)
{
  const liar *of = state;
  for (size_t i = 0; i < batch->count; i++) {
    const char *key;
    size_t size = key_of(batch, i, &key);
    is_seen[i] = lie(of, key, size, is_among(of->keys, of->count, key, size));
  }
}

static void liar_insert(void *state, const key_batch *batch, bool *was_seen)
{
  liar *of = state;
  for (size_t i = 0; i < batch->count; i++) {
    const char *key;
    size_t size = key_of(batch, i, &key);
    bool was_there = is_among(of->keys, of->count, key, size);
    was_seen[i] = lie(of, key, size, was_there);
    if (!was_there)
      of->keys[of->count++] = strndup(key, size);
  }
}

static void liar_free(void *state)
{
  liar *old = state;
  for (size_t i = 0; i < old->count; i++)
    free(old->keys[i]);
  free(old);
}

static bool make_liar(void *context, size_t index, uint64_t keys, contender *made, const char **reason)
{
  (void)index;
  (void)keys;
  (void)reason;
  liar *copy = malloc(sizeof *copy);
  *copy = *(const liar *)context;
  *made = (contender){.name = "liar", .state = copy, .insert = liar_insert, .test = liar_test, .free = liar_free};
  return true;
}

static const contender_setting setting = {.m = 2048, .k = 3, .layers = LAYERS, .seed = 1}; /* small: errs often */

static bool make_real(void *context, size_t index, uint64_t keys, contender *made, const char **reason)
{
  (void)context;
  return contender_make(contender_name((int)index), &setting, keys, made, reason);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static replay_options options_with(replay_make make, void *context, size_t filters)
{
  replay_options options = {
    .list = list,
    .filter_count = filters,
    .make = make,
    .make_context = context,
    .size_count = 1,
    .sizes = {INSERTED},
    .queries = QUERIES,
    .layers = LAYERS,
    .seed = 3,
    .directory = directory,
  };
  for (int i = 0; i < PROTOCOL_COUNT; i++)
    options.protocols[i] = true;
  return options;
}

static replay_results *run(replay_make make, void *context, size_t filters)
{
  replay_options options = options_with(make, context, filters);
  replay_results *results = malloc(sizeof *results);
  const char *reason;
  assert_true(replay_run(&options, results, &reason));
  assert_int_equal(results->count, PROTOCOL_COUNT * filters);
  return results;
}

static query_source *open_queries(protocol which)
{
  query_options asked = {list, INSERTED, QUERIES, LAYERS, 3, directory};
  query_source *source = query_open(which, &asked);
  assert_non_null(source);
  return source;
}

static size_t expected_queries(protocol which)
{
  if (which == PROTOCOL_PAPER)
    return ROWS;
  return which == PROTOCOL_FRESH ? distinct_count - INSERTED : QUERIES;
}

CASE(test_queries_are_what_the_protocol_says)
{
  key_batch *batch = batch_create();
  for (int which = 0; which < PROTOCOL_STREAM; which++) {
    query_source *source = open_queries((protocol)which);
    size_t position = 0;
    while (query_next(source, batch))
      for (size_t i = 0; i < batch->count; i++, position++) {
        const char *key;
        size_t size = key_of(batch, i, &key);
        if (!is_of_protocol((protocol)which, position, key, size))
          fail_msg("%s asked %.*s", protocol_name((protocol)which), (int)size, key);
      }
    assert_int_equal(position, expected_queries((protocol)which));
    query_close(source);
  }
  free(batch);
}

/* What the counts must be: ask the filter and the model, one key after another. */
static void model_counts(protocol which, contender *filter, replay_result *expected)
{
  key_batch *batch = batch_create();
  query_source *source = open_queries(which);
  bool is_seen[BATCH_KEYS];
  while (query_next(source, batch)) {
    filter->test(filter->state, batch, is_seen);
    for (size_t i = 0; i < batch->count; i++) {
      const char *key;
      size_t size = key_of(batch, i, &key);
      bool is_member = is_inserted(key, size);
      expected->queries++;
      expected->members += is_member;
      expected->false_positives += is_seen[i] && !is_member;
      expected->false_negatives += !is_seen[i] && is_member;
    }
  }
  query_close(source);
  free(batch);
}

/* Insert one by one; of all the inserted, those called new after. */
static uint64_t model_insert(contender *filter)
{
  key_batch *batch = batch_create();
  bool was_seen[BATCH_KEYS];
  uint64_t forgotten = 0;
  for (size_t i = 0; i < INSERTED; i++) {
    batch_clear(batch);
    batch_add(batch, distinct[i], strlen(distinct[i]));
    filter->insert(filter->state, batch, was_seen);
  }
  for (size_t i = 0; i < INSERTED; i++) {
    batch_clear(batch);
    batch_add(batch, distinct[i], strlen(distinct[i]));
    filter->test(filter->state, batch, was_seen);
    forgotten += !was_seen[0];
  }
  free(batch);
  return forgotten;
}

static void model_stream(contender *filter, replay_result *expected)
{
  key_batch *batch = batch_create();
  size_t seen = 0;
  for (size_t i = 0; i < ROWS && seen < INSERTED; i++) {
    bool is_member = is_among(rows, i, rows[i], strlen(rows[i])), was_seen[BATCH_KEYS];
    batch_clear(batch);
    batch_add(batch, rows[i], strlen(rows[i]));
    filter->insert(filter->state, batch, was_seen);
    seen += !is_member;
    expected->queries++;
    expected->members += is_member;
    expected->false_positives += was_seen[0] && !is_member;
    expected->false_negatives += !was_seen[0] && is_member;
  }
  free(batch);
}

static void assert_as_modelled(const replay_results *results, replay_make make, void *context, size_t index)
{
  const char *reason;
  contender filter;
  for (int which = 0; which < PROTOCOL_COUNT; which++) {
    replay_result expected = {.queries = 0};
    assert_true(make(context, index, INSERTED, &filter, &reason));
    if (which == PROTOCOL_STREAM) {
      model_stream(&filter, &expected);
    } else {
      expected.false_negatives = model_insert(&filter);
      model_counts((protocol)which, &filter, &expected);
    }
    const replay_result *had = results_find(results, (protocol)which, filter.name, INSERTED);
    assert_non_null(had);
    if (had->queries != expected.queries || had->members != expected.members ||
        had->false_positives != expected.false_positives || had->false_negatives != expected.false_negatives)
      fail_msg("%s, %s: %llu queries, %llu members, %llu false positives, %llu false negatives; the model: %llu, "
               "%llu, %llu, %llu",
               protocol_name((protocol)which), filter.name, (unsigned long long)had->queries,
               (unsigned long long)had->members, (unsigned long long)had->false_positives,
               (unsigned long long)had->false_negatives, (unsigned long long)expected.queries,
               (unsigned long long)expected.members, (unsigned long long)expected.false_positives,
               (unsigned long long)expected.false_negatives);
    contender_free(&filter);
  }
}

CASE(test_a_filter_that_lies_often)
{
  liar often = {.lies_often = true};
  replay_results *results = run(make_liar, &often, 1);
  assert_as_modelled(results, make_liar, &often, 0);
  for (size_t i = 0; i < results->count; i++) { /* and there was something to be noticed everywhere */
    assert_true(results->rows[i].false_positives > 0);
    assert_true(results->rows[i].false_negatives > 0);
  }
  free(results);
}

/* One wrong answer among thousands is counted once, where its key is asked for, and nowhere else. */
CASE(test_one_planted_lie)
{
  liar honest = {.lies_often = false}, invents = {.invented = distinct[INSERTED + 5]};
  liar forgets = {.forgotten = distinct[17]};
  replay_results *none = run(make_liar, &honest, 1), *positive = run(make_liar, &invents, 1);
  replay_results *negative = run(make_liar, &forgets, 1);
  for (size_t i = 0; i < none->count; i++) {
    assert_int_equal(none->rows[i].false_positives + none->rows[i].false_negatives, 0);
    assert_int_equal(positive->rows[i].false_negatives, 0);
    assert_int_equal(negative->rows[i].false_positives, 0);
    if (positive->rows[i].protocol == PROTOCOL_FRESH)
      assert_int_equal(positive->rows[i].false_positives, 1);
    else if (positive->rows[i].protocol != PROTOCOL_RECOMBINED)
      assert_int_equal(positive->rows[i].false_positives, 0);
    if (negative->rows[i].protocol == PROTOCOL_PAPER || negative->rows[i].protocol == PROTOCOL_FRESH)
      assert_int_equal(negative->rows[i].false_negatives, 1);
    else if (negative->rows[i].protocol != PROTOCOL_STREAM)
      assert_true(negative->rows[i].false_negatives >= 1);
  }
  free(none);
  free(positive);
  free(negative);
}

CASE(test_real_filters)
{
  replay_results *results = run(make_real, NULL, CONTENDER_KINDS);
  for (size_t index = 0; index < CONTENDER_KINDS; index++)
    assert_as_modelled(results, make_real, NULL, index);
  for (size_t i = 0; i < results->count; i++) {
    const replay_result *row = &results->rows[i];
    assert_int_equal(row->false_negatives, 0);
    if (strcmp(row->filter, "exact") == 0)
      assert_int_equal(row->false_positives, 0);
    assert_true(row->query_ns > 0 && row->insert_ns > 0);
  }
  const replay_result *repeated = results_find(results, PROTOCOL_REPEATED, "mlbf-paper", INSERTED);
  assert_int_equal(repeated->false_positives, repeated->queries - repeated->members); /* with certainty */
  free(results);
}

CASE(test_same_seed_same_counts)
{
  replay_results *one = run(make_real, NULL, 2), *two = run(make_real, NULL, 2);
  for (size_t i = 0; i < one->count; i++) {
    assert_int_equal(one->rows[i].false_positives, two->rows[i].false_positives);
    assert_int_equal(one->rows[i].members, two->rows[i].members);
  }
  free(one);
  free(two);
}

/* 95 of 100 rates of 0.02 from 1,000 throws lie in their own interval: of 400 about 380, never under 365. */
CASE(test_intervals)
{
  unsigned dice = 5, inside = 0;
  for (int experiment = 0; experiment < 400; experiment++) {
    replay_result row = {.queries = 1500, .members = 500};
    for (int i = 0; i < 1000; i++)
      row.false_positives += rand_r(&dice) % 1000 < 20;
    double low, high;
    results_interval(&row, RESULTS_Z_95, &low, &high);
    inside += low <= 0.02 && 0.02 <= high;
  }
  assert_in_range(inside, 365, 395);
}

static int make_list(void **state)
{
  (void)state;
  static url made;
  char text[GENERATOR_URL_SIZE];
  unsigned dice = 11;
  bool is_https;
  if (mkdtemp(directory) == NULL || (list = urllist_create(directory, false, 0)) == NULL)
    return 1;
  url_generator *generator = generator_create(GENERATED, 4, &shape_usual);
  for (size_t i = 0; i < ROWS; i++) {
    if (i % 5 == 4) { /* one row in five comes again */
      rows[i] = strdup(rows[(size_t)rand_r(&dice) % i]);
    } else {
      size_t size = generator_next(generator, text);
      if (rowkey_make(text, size, &made, &is_https) != URL_OK)
        return 1;
      rows[i] = strdup(made.key);
    }
    if (!is_among(distinct, distinct_count, rows[i], strlen(rows[i])))
      distinct[distinct_count++] = rows[i];
    if (!urllist_add(list, rows[i], strlen(rows[i]), i % 2))
      return 1;
  }
  generator_free(generator);
  return !urllist_finish(list, NULL) || urllist_distinct(list) != distinct_count;
}

static int free_list(void **state)
{
  (void)state;
  urllist_free(list);
  for (size_t i = 0; i < ROWS; i++)
    free(rows[i]);
  return rmdir(directory); /* nothing may be left in it */
}

EACH_CASE(make_list, free_list)
