/* What filters with equal secrets can do together, and filters with different ones cannot: the table of mlbf/README.md,
 * "Equal and different secrets", row by row. Nothing is changed by what is refused, and no key is lost. */
#include <stdio.h>
#include <string.h>

#include "tests/support/one_key.h"
#include "mlbf/count.h"
#include "mlbf/chain.h"
#include "mlbf/key_set.h"
#include "mlbf/secret.h"
#include "mlbf/window.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

enum { KEYS = 400 };

static char root[SCRATCH_PATH], path[SCRATCH_PATH];

static mlbf_span key_of(unsigned number)
{
  static char text[32];
  return (mlbf_span){text, (size_t)snprintf(text, sizeof text, "key %u", number)};
}

static mlbf_options options_of(mlbf_kind kind, const uint8_t *secret)
{
  return (mlbf_options){.size = sizeof(mlbf_options), .kind = kind, .keys = 2 * KEYS, .rate = 1e-9, .secret = secret};
}

static mlbf_filter *filter_with(mlbf_kind kind, const uint8_t *secret, unsigned first)
{
  mlbf_options options = options_of(kind, secret);
  mlbf_filter *filter;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  for (unsigned i = first; i < first + KEYS; i++) {
    mlbf_span key = key_of(i);
    one_key hashes;
    mlbf_verdict verdict;
    one_key_hash(filter, &key, 1, &hashes);
    assert_int_equal(one_key_insert(filter, &hashes, &verdict), MLBF_OK);
  }
  return filter;
}

static unsigned count_seen(const mlbf_filter *filter, unsigned first)
{
  unsigned seen = 0;
  for (unsigned i = first; i < first + KEYS; i++) {
    mlbf_span key = key_of(i);
    one_key hashes;
    one_key_hash(filter, &key, 1, &hashes);
    seen += one_key_test(filter, &hashes).outcome == MLBF_SEEN;
  }
  return seen;
}

static const mlbf_kind kinds[] = {MLBF_KIND_BLOOM, MLBF_KIND_MLBF, MLBF_KIND_LINE};
enum { KINDS = sizeof kinds / sizeof *kinds };

CASE(only_equal_secrets_unite)
{
  for (int i = 0; i < KINDS; i++) {
    mlbf_filter *a = filter_with(kinds[i], test_secret(0), 0), *b = filter_with(kinds[i], test_secret(0), KEYS);
    mlbf_filter *other = filter_with(kinds[i], test_secret(1), KEYS), *drawn = filter_with(kinds[i], NULL, KEYS);
    assert_int_equal(mlbf_union(a, other), MLBF_MISMATCH);
    assert_int_equal(mlbf_union(a, drawn), MLBF_MISMATCH);
    assert_int_equal(count_seen(a, 0), KEYS);
    assert_int_equal(count_seen(a, KEYS), 0);
    assert_int_equal(mlbf_union(a, b), MLBF_OK);
    assert_int_equal(count_seen(a, 0), KEYS);
    assert_int_equal(count_seen(a, KEYS), KEYS);
    mlbf_free(a);
    mlbf_free(b);
    mlbf_free(other);
    mlbf_free(drawn);
  }
}

/* However both came by it. */
CASE(a_secret_is_equal_wherever_it_came_from)
{
  mlbf_options seeded = options_of(MLBF_KIND_MLBF, NULL);
  uint8_t secret[MLBF_SECRET_BYTES];
  mlbf_filter *a, *b = NULL;
  seeded.seed = 7;
  mlbf_secret_from_seed(7, secret);
  assert_int_equal(mlbf_create(&seeded, &a), MLBF_OK);
  b = filter_with(MLBF_KIND_MLBF, secret, 0);
  assert_int_equal(mlbf_union(a, b), MLBF_OK);
  assert_int_equal(count_seen(a, 0), KEYS);
  mlbf_free(a);
  mlbf_free(b);
}

static void save_chain(const uint8_t *secret)
{
  mlbf_options options = options_of(MLBF_KIND_MLBF, secret);
  mlbf_chain *chain;
  options.keys = 50; /* so that there are several slices */
  assert_int_equal(mlbf_chain_create(&options, &chain), MLBF_OK);
  for (unsigned i = 0; i < KEYS; i++) {
    mlbf_span key = key_of(i);
    mlbf_verdict verdict;
    size_t done;
    assert_int_equal(mlbf_chain_insert(chain, &(mlbf_key){&key, 1}, 1, &verdict, &done), MLBF_OK);
  }
  assert_int_equal(mlbf_chain_save(chain, path), MLBF_OK);
  mlbf_chain_free(chain);
}

CASE(chains)
{
  mlbf_chain *chain = NULL;
  save_chain(test_secret(0));
  assert_int_equal(mlbf_chain_load(path, NULL, &chain), MLBF_SECRET);
  assert_int_equal(mlbf_chain_load(path, test_secret(1), &chain), MLBF_SECRET);
  for (int drawn = 0; drawn < 2; drawn++) {
    if (drawn)
      save_chain(NULL);
    assert_int_equal(mlbf_chain_load(path, drawn ? NULL : test_secret(0), &chain), MLBF_OK);
    for (unsigned i = 0; i < KEYS; i++) {
      mlbf_span key = key_of(i);
      mlbf_verdict verdict;
      mlbf_chain_test(chain, &(mlbf_key){&key, 1}, 1, &verdict);
      assert_int_equal(verdict.outcome, MLBF_SEEN);
    }
    mlbf_chain_free(chain);
  }
}

CASE(key_sets)
{
  for (int drawn = 0; drawn < 2; drawn++) {
    const uint8_t *secret = drawn ? NULL : test_secret(0);
    mlbf_key_set *set, *again = NULL;
    bool was_seen;
    assert_int_equal(mlbf_key_set_create(secret, 0, "", &set), MLBF_OK);
    for (unsigned i = 0; i < KEYS; i++)
      assert_int_equal(mlbf_key_set_insert(set, mlbf_key_set_hash(set, key_of(i)), &was_seen), MLBF_OK);
    assert_int_equal(mlbf_key_set_save(set, path), MLBF_OK);
    assert_int_equal(mlbf_key_set_load(path, test_secret(1), &again), MLBF_SECRET);
    assert_int_equal(mlbf_key_set_load(path, NULL, &again), drawn ? MLBF_OK : MLBF_SECRET);
    if (!drawn)
      assert_int_equal(mlbf_key_set_load(path, secret, &again), MLBF_OK);
    for (unsigned i = 0; i < KEYS; i++) {
      assert_int_equal(mlbf_key_set_insert(again, mlbf_key_set_hash(again, key_of(i)), &was_seen), MLBF_OK);
      assert_true(was_seen);
    }
    mlbf_key_set_free(set);
    mlbf_key_set_free(again);
  }
}

CASE(windows)
{
  for (int drawn = 0; drawn < 2; drawn++) {
    mlbf_window_options options = {.size = sizeof(mlbf_window_options),
                                   .unit = MLBF_WINDOW_INSERTIONS,
                                   .window = 2 * KEYS,
                                   .rate = 1e-9,
                                   .secret = drawn ? NULL : test_secret(0)};
    mlbf_epoch *window, *again = NULL;
    bool was_seen;
    assert_int_equal(mlbf_epoch_create(&options, &window), MLBF_OK);
    for (unsigned i = 0; i < KEYS; i++)
      was_seen = mlbf_epoch_insert(window, key_of(i), 0);
    assert_int_equal(mlbf_epoch_save(window, path), MLBF_OK);
    assert_int_equal(mlbf_epoch_load(path, test_secret(1), &again), MLBF_SECRET);
    assert_int_equal(mlbf_epoch_load(path, NULL, &again), drawn ? MLBF_OK : MLBF_SECRET);
    if (!drawn)
      assert_int_equal(mlbf_epoch_load(path, options.secret, &again), MLBF_OK);
    for (unsigned i = 0; i < KEYS; i++) {
      was_seen = mlbf_epoch_test(again, key_of(i), 0);
      assert_true(was_seen);
    }
    mlbf_epoch_free(window);
    mlbf_epoch_free(again);
  }
}

static mlbf_count *count_with(const uint8_t *secret, unsigned first)
{
  mlbf_count_options options = MLBF_COUNT_OPTIONS_DEFAULT;
  options.keys = 2 * KEYS;
  options.rate = 1e-6;
  options.secret = secret;
  mlbf_count *count;
  uint32_t now;
  assert_int_equal(mlbf_count_create(&options, &count), MLBF_OK);
  for (unsigned i = first; i < first + KEYS; i++)
    assert_int_equal(mlbf_count_add(count, key_of(i), 1, &now), MLBF_OK);
  return count;
}

CASE(counts)
{
  mlbf_count *a = count_with(test_secret(0), 0), *b = count_with(test_secret(0), KEYS / 2);
  mlbf_count *other = count_with(test_secret(1), 0), *delta = NULL;
  uint8_t secret[MLBF_SECRET_BYTES];
  uint32_t times;
  assert_int_equal(mlbf_count_merge(a, other), MLBF_MISMATCH);
  assert_int_equal(mlbf_count_difference(a, other, &delta), MLBF_MISMATCH);
  assert_null(delta);
  assert_int_equal(mlbf_count_merge(a, b), MLBF_OK);
  for (unsigned i = 0; i < KEYS + KEYS / 2; i++) {
    times = mlbf_count_get(a, key_of(i));
    assert_true(times >= (i >= KEYS / 2 && i < KEYS ? 2 : 1));
  }
  mlbf_count_secret(a, secret);
  assert_memory_equal(secret, test_secret(0), sizeof secret);
  assert_int_equal(mlbf_count_save(a, path), MLBF_OK);
  mlbf_count_free(a);
  assert_int_equal(mlbf_count_load(path, NULL, &a), MLBF_SECRET);
  assert_int_equal(mlbf_count_load(path, secret, &a), MLBF_OK);
  mlbf_count_free(a);
  mlbf_count_free(b);
  mlbf_count_free(other);
}

/* The hash alone: of a number and bytes, and of nothing else. */
CASE(hashers)
{
  mlbf_hasher *other = mlbf_hasher_create(test_secret(1));
  const mlbf_span text = {"example.org", 11}, longer = {"example.org ", 12};
  mlbf_hash128 hash = mlbf_hasher_hash(test_hasher(), 5, text);
  assert_non_null(other);
  assert_true(hash.low != mlbf_hasher_hash(test_hasher(), 6, text).low);
  assert_true(hash.low != mlbf_hasher_hash(test_hasher(), 5, longer).low);
  assert_true(hash.low != mlbf_hasher_hash(other, 5, text).low);
  mlbf_hasher_rekey(other, test_secret(0));
  mlbf_hash128 again = mlbf_hasher_hash(other, 5, text);
  assert_true(hash.low == again.low && hash.high == again.high);
  mlbf_hasher_free(other);
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "file", path);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

EACH_CASE(begin, end)
