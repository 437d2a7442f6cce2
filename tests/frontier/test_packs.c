/* frontier/store/packs.h, through the store: queues and history against a plain model, whatever the order of changes.
 * */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lmdb.h>

#include "frontier/store/packs.h"
#include "tests/support/scratch.h"

enum { URLS = 3000, TRANSACTIONS = 300, CHANGES = 60, ENDED = PACK_QUEUES };

static char directory[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];

/* Where each URL is, and with which body: a number. 0: not there. */
static unsigned model[PACK_QUEUES + 1][URLS];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  memset(model, 0, sizeof model);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

static store *open_store(void)
{
  store *s = NULL;
  if (store_open(directory, false, "us", 2, &s, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return s;
}

static store_table table_of(unsigned where)
{
  return (store_table)(STORE_QUEUE + where);
}

/* Bodies of many sizes, some over a page. */
static size_t make_body(unsigned number, char body[8192])
{
  int size = snprintf(body, 8192, "%u ", number);
  size_t padding = number % 50 == 0 ? 6000 : number % 90;
  memset(body + size, 'x', padding);
  return (size_t)size + padding;
}

static void put(store *s, unsigned where, unsigned sequence, unsigned number)
{
  char body[8192];
  store_put(s, table_of(where), sequence, body, make_body(number, body));
  if (where != ENDED)
    for (unsigned other = 0; other < PACK_QUEUES; other++)
      model[other][sequence] = 0; /* it waits in one queue only */
  model[where][sequence] = number;
}

static void take(store *s, unsigned where, unsigned sequence)
{
  store_delete(s, table_of(where), sequence);
  model[where][sequence] = 0;
}

typedef struct comparison {
  unsigned where, count;
  uint64_t last;
  bool is_found; /* in no order */
} comparison;

static bool compare(void *context, uint64_t sequence, const uint8_t *bytes, size_t size)
{
  comparison *c = context;
  char body[8192];
  assert_true(sequence < URLS);
  assert_true(c->where == ENDED || c->is_found || sequence >= c->last); /* queues are in order */
  assert_int_equal(size, make_body(model[c->where][sequence], body));
  assert_memory_equal(bytes, body, size);
  c->last = sequence + 1;
  c->count++;
  return true;
}

/* Of neighbours and strangers, those that wait in the queue, in the order asked for. */
static void find_some(store *s, unsigned where)
{
  enum { ASKED = 40 };
  uint64_t asked[ASKED];
  comparison c = {.where = where};
  unsigned there = 0, begin = model[where][where] % URLS;
  for (unsigned i = 0; i < ASKED; i++) {
    asked[i] = (begin + (i % 2 ? i * i * i : i)) % URLS;
    there += model[where][asked[i]] != 0;
  }
  c.is_found = true;
  assert_int_equal(store_find(s, table_of(where), asked, ASKED, compare, &c), FRONTIER_OK);
  assert_int_equal(c.count, there);
}

static void compare_all(store *s)
{
  for (unsigned where = 0; where <= ENDED; where++) {
    comparison c = {.where = where};
    unsigned there = 0;
    for (unsigned sequence = 0; sequence < URLS; sequence++)
      there += model[where][sequence] != 0;
    assert_int_equal(store_each(s, table_of(where), 0, compare, &c), FRONTIER_OK);
    assert_int_equal(c.count, there);
    if (where != ENDED)
      find_some(s, where);
  }
}

static unsigned seed_of_run(void)
{
  const char *given = getenv("STRATA_SEED");
  unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : 1;
  printf("seed %u\n", seed);
  return seed;
}

static void any_changes_in_any_order(void **state)
{
  (void)state;
  unsigned seed = seed_of_run(), number = 0;
  store *s = open_store();
  for (int i = 0; i < TRANSACTIONS; i++) {
    static unsigned before[PACK_QUEUES + 1][URLS];
    memcpy(before, model, sizeof model);
    assert_int_equal(store_begin(s), FRONTIER_OK);
    for (int j = 0; j < CHANGES; j++) {
      unsigned where = (unsigned)rand_r(&seed) % (ENDED + 1), sequence = (unsigned)rand_r(&seed) % URLS;
      if (rand_r(&seed) % 3)
        put(s, where, sequence, ++number);
      else
        take(s, where, sequence);
    }
    if (i % 7 == 6) { /* a transaction that fails changes nothing */
      store_fail(s);
      assert_int_equal(store_commit(s), FRONTIER_NO_MEMORY);
      memcpy(model, before, sizeof model);
    } else {
      assert_int_equal(store_commit(s), FRONTIER_OK);
    }
    if (i % 20 == 19)
      compare_all(s);
  }
  store_close(s);
  s = open_store();
  compare_all(s);
  store_close(s);
}

static void packs_without_urls_go(void **state)
{
  (void)state;
  uint64_t count;
  store *s = open_store();
  assert_int_equal(store_begin(s), FRONTIER_OK);
  for (unsigned sequence = 0; sequence < URLS; sequence++)
    put(s, 0, sequence, sequence + 1);
  assert_int_equal(store_commit(s), FRONTIER_OK);
  assert_int_equal(store_count(s, STORE_QUEUE, &count), FRONTIER_OK);
  assert_int_equal(count, (URLS + PACK_ROWS - 1) / PACK_ROWS);
  for (unsigned step = 0; step < 7; step++) { /* scattered, as a crawl ends them */
    assert_int_equal(store_begin(s), FRONTIER_OK);
    for (unsigned sequence = step; sequence < URLS; sequence += 7) {
      take(s, 0, sequence);
      put(s, ENDED, sequence, sequence + 1);
    }
    assert_int_equal(store_commit(s), FRONTIER_OK);
    compare_all(s);
  }
  assert_int_equal(store_count(s, STORE_QUEUE, &count), FRONTIER_OK);
  assert_int_equal(count, 0);
  store_close(s);
}

/* As fetches of a page that is looked at again and again do. */
static void of_many_endings_the_last_counts(void **state)
{
  (void)state;
  store *s = open_store();
  for (unsigned i = 1; i <= 1500; i++) {
    assert_int_equal(store_begin(s), FRONTIER_OK);
    put(s, 0, 5, i);
    assert_int_equal(store_commit(s), FRONTIER_OK);
    assert_int_equal(store_begin(s), FRONTIER_OK);
    take(s, 0, 5);
    put(s, ENDED, 5, i);
    assert_int_equal(store_commit(s), FRONTIER_OK);
    if (i % 500 == 0)
      compare_all(s);
  }
  compare_all(s);
  store_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(any_changes_in_any_order, begin, end),
    cmocka_unit_test_setup_teardown(packs_without_urls_go, begin, end),
    cmocka_unit_test_setup_teardown(of_many_endings_the_last_counts, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
