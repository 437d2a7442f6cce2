/* frontier/hosts.h: whose turn it is. The model (test_frontier) checks that nobody is early; here, that turns are
 * fair, and that the heap, against a plain search over all hosts, gives the one that is due first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontier/hosts.h"
#include "frontier/record.h"

static uint64_t next_sequence;

static entry *push(hosts *h, const char *name)
{
  host *who = hosts_find(h, name, strlen(name));
  assert_non_null(who);
  entry *e = entry_create(++next_sequence, "u", 1, 0, 1, (frontier_origin){0});
  assert_non_null(e);
  e->host = who;
  hosts_push(h, e);
  return e;
}

/* Whose URL comes; "" if none is due. */
static const char *pop(hosts *h, uint64_t now_ms, int64_t *wait_ms)
{
  entry *e = hosts_pop_due(h, now_ms, wait_ms);
  const char *name = e ? e->host->name : "";
  free(e);
  return name;
}

static void hosts_take_turns(void **state)
{
  (void)state;
  static const char wanted[] = "abcabcab" "b" "b";
  hosts *h = hosts_create(0, 100);
  for (int i = 0; i < 3; i++)
    push(h, "a");
  for (int i = 0; i < 5; i++)
    push(h, "b");
  push(h, "c");
  push(h, "c");
  char order[16] = "";
  int64_t wait_ms;
  for (int i = 0; i < 10; i++)
    strcat(order, pop(h, 0, &wait_ms));
  assert_string_equal(order, wanted);
  assert_string_equal(pop(h, 0, &wait_ms), "");
  assert_int_equal(wait_ms, FRONTIER_WAIT_FOREVER);
  hosts_free(h);
}

static void one_at_a_time_and_not_too_soon(void **state)
{
  (void)state;
  int64_t wait_ms = 7;
  hosts *h = hosts_create(100, 1);
  push(h, "a");
  push(h, "a");
  host *a = hosts_find(h, "a", 1);
  assert_string_equal(pop(h, 1000, &wait_ms), "a");
  assert_string_equal(pop(h, 5000, &wait_ms), ""); /* one is in flight */
  assert_int_equal(wait_ms, FRONTIER_WAIT_FOREVER);
  hosts_landed(h, a);
  assert_string_equal(pop(h, 1040, &wait_ms), "");
  assert_int_equal(wait_ms, 60);
  hosts_set_delay(h, a, 30);                        /* never below the default */
  assert_string_equal(pop(h, 1099, &wait_ms), "");
  assert_int_equal(wait_ms, 1);
  hosts_set_delay(h, a, 500);                       /* counted from the last start */
  assert_string_equal(pop(h, 1100, &wait_ms), "");
  assert_int_equal(wait_ms, 400);
  assert_string_equal(pop(h, 1500, &wait_ms), "a");
  hosts_free(h);
}

static void a_slow_host_holds_nobody(void **state)
{
  (void)state;
  int64_t wait_ms;
  hosts *h = hosts_create(10, 1);
  for (int i = 0; i < 50; i++) {
    push(h, "slow");
    push(h, "quick");
  }
  assert_string_equal(pop(h, 0, &wait_ms), "slow"); /* and it is never landed */
  for (uint64_t now_ms = 0; now_ms < 500; now_ms += 10) {
    assert_string_equal(pop(h, now_ms, &wait_ms), "quick");
    hosts_landed(h, hosts_find(h, "quick", 5));
  }
  hosts_free(h);
}

static uint32_t roll(uint64_t *dice, uint32_t sides)
{
  *dice = *dice * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*dice >> 33) % sides;
}

/* The least due time of all that may start one, by looking at each. */
static uint64_t least_due(host *const *all, size_t count, uint32_t per_host)
{
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < count; i++)
    if (all[i]->first && all[i]->in_flight < per_host && all[i]->due_ms < least)
      least = all[i]->due_ms;
  return least;
}

static void the_heap_is_as_good_as_a_search(void **state)
{
  (void)state;
  enum { HOSTS = 300, STEPS = 60000, PER_HOST = 2 };
  static host *all[HOSTS], *in_flight[HOSTS * PER_HOST];
  size_t flying = 0, popped = 0;
  uint64_t dice = 1, now_ms = 0;
  hosts *h = hosts_create(5, PER_HOST);
  for (unsigned i = 0; i < HOSTS; i++) {
    char name[16];
    all[i] = hosts_find(h, name, (size_t)snprintf(name, sizeof name, "h%u", i));
    assert_ptr_equal(all[i], hosts_find(h, all[i]->name, strlen(all[i]->name)));
  }
  for (unsigned step = 0; step < STEPS; step++) {
    uint32_t what = roll(&dice, 10), at;
    now_ms += roll(&dice, 3);
    if (what < 3) {
      push(h, all[roll(&dice, HOSTS)]->name);
    } else if (what < 6) {
      uint64_t least = least_due(all, HOSTS, PER_HOST);
      int64_t wait_ms = 0;
      entry *e = hosts_pop_due(h, now_ms, &wait_ms);
      assert_true((e != NULL) == (least <= now_ms));
      assert_true(e || wait_ms == (least == UINT64_MAX ? FRONTIER_WAIT_FOREVER : (int64_t)(least - now_ms)));
      if (e) {
        assert_true(e->host->due_ms == now_ms + e->host->delay_ms);
        in_flight[flying++] = e->host;
        popped++;
        free(e);
      }
    } else if (what < 9 && flying) {
      at = roll(&dice, (uint32_t)flying);
      hosts_landed(h, in_flight[at]);
      in_flight[at] = in_flight[--flying];
    } else if (flying) {
      hosts_set_delay(h, in_flight[roll(&dice, (uint32_t)flying)], roll(&dice, 2000));
    }
  }
  assert_true(popped > STEPS / 10);
  hosts_free(h);
}

static void records(void **state)
{
  (void)state;
  uint8_t body[HOST_HEAD + URL_LENGTH_MAX + 1] = {0};
  hosts *h = hosts_create(0, 1), *again = hosts_create(0, 1);
  host *who = hosts_find(h, "example.org:8080", 16);
  who->queued = 1;
  who->done = UINT64_MAX;
  who->failed = 3;
  who->skipped = 4;
  host_write(who, body);
  assert_int_equal(hosts_read(again, 0, body, HOST_HEAD + 16), FRONTIER_OK);
  const host *read = hosts_find(again, "example.org:8080", 16);
  assert_true(read->queued == 1 && read->done == UINT64_MAX && read->failed == 3 && read->skipped == 4);
  assert_null(hosts_dirty(again, 0)); /* it is on disk */
  assert_ptr_equal(hosts_dirty(h, 0), who); /* it is not */
  hosts_touch(h, who);
  assert_null(hosts_dirty(h, 1));
  hosts_clean(h);
  assert_null(hosts_dirty(h, 0));

  body[HOST_HEAD] = 'f';
  assert_int_equal(hosts_read(again, 2, body, HOST_HEAD + 16), FRONTIER_DAMAGED);         /* number 1 is missing */
  assert_int_equal(hosts_read(again, 1, body, HOST_HEAD - 1), FRONTIER_DAMAGED);
  assert_int_equal(hosts_read(again, 1, body, sizeof body), FRONTIER_DAMAGED);            /* longer than any URL */
  assert_int_equal(hosts_read(again, 1, body, HOST_HEAD + URL_LENGTH_MAX), FRONTIER_OK);
  body[HOST_HEAD] = 'e';
  assert_int_equal(hosts_read(again, 2, body, HOST_HEAD + 16), FRONTIER_DAMAGED);         /* a name twice */
  assert_int_equal(hosts_count(again), 2);
  hosts_free(h);
  hosts_free(again);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(hosts_take_turns),
    cmocka_unit_test(one_at_a_time_and_not_too_soon),
    cmocka_unit_test(a_slow_host_holds_nobody),
    cmocka_unit_test(the_heap_is_as_good_as_a_search),
    cmocka_unit_test(records),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
