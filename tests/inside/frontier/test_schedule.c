/* frontier/hosts/schedule.h: whose turn it is. The model (test_frontier) checks that nobody is early; here, that turns
 * are fair, that the heap, against a plain search over all hosts, gives one that is due, and that classes wait by the
 * rule and never starve. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <malloc.h>

#include "frontier/hosts/schedule.h"
#include "tests/site/random.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

static uint64_t next_sequence;

static entry *push(hosts *h, const char *name)
{
  host *who = hosts_find(h, name, strlen(name));
  assert_non_null(who);
  entry *e = entry_create(NULL, ++next_sequence, "u", 1, 0, 1, (frontier_origin){0}, (field){0});
  assert_non_null(e);
  e->host = who;
  hosts_push(h, e);
  return e;
}

static entry *pop_entry(hosts *h, uint64_t now_ms, int64_t *wait_ms)
{
  entry *e = hosts_pop_due(h, now_ms, wait_ms);
  if (e)
    hosts_offer(h, e->host);
  return e;
}

/* Whose URL comes; "" if none is due. */
static const char *pop(hosts *h, uint64_t now_ms, int64_t *wait_ms)
{
  entry *e = pop_entry(h, now_ms, wait_ms);
  const char *name = e ? e->host->name : "";
  free(e);
  return name;
}

CASE(hosts_take_turns)
{
  static const char wanted[] = "abcabcab"
                               "b"
                               "b";
  hosts *h = hosts_create(0, 100, test_hasher());
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

static void ask_delay(hosts *h, host *who, uint64_t delay_ms)
{
  uint64_t before_ms = host_delay(h, who);
  who->asked_ms = delay_ms;
  hosts_shift(h, who, before_ms, 0);
}

CASE(one_at_a_time_and_not_too_soon)
{
  int64_t wait_ms = 7;
  hosts *h = hosts_create(100, 1, test_hasher());
  push(h, "a");
  push(h, "a");
  host *a = hosts_find(h, "a", 1);
  assert_string_equal(pop(h, 1000, &wait_ms), "a");
  assert_string_equal(pop(h, 5000, &wait_ms), ""); /* one is in flight */
  assert_int_equal(wait_ms, FRONTIER_WAIT_FOREVER);
  hosts_landed(h, a, FRONTIER_NORMAL);
  assert_string_equal(pop(h, 1040, &wait_ms), "");
  assert_int_equal(wait_ms, 60);
  ask_delay(h, a, 30); /* never below the default */
  assert_string_equal(pop(h, 1099, &wait_ms), "");
  assert_int_equal(wait_ms, 1);
  ask_delay(h, a, 500); /* counted from the last start */
  assert_string_equal(pop(h, 1100, &wait_ms), "");
  assert_int_equal(wait_ms, 400);
  assert_string_equal(pop(h, 1500, &wait_ms), "a");
  hosts_free(h);
}

CASE(a_slow_host_holds_nobody)
{
  int64_t wait_ms;
  hosts *h = hosts_create(10, 1, test_hasher());
  for (int i = 0; i < 50; i++) {
    push(h, "slow");
    push(h, "quick");
  }
  assert_string_equal(pop(h, 0, &wait_ms), "slow"); /* and it is never landed */
  for (uint64_t now_ms = 0; now_ms < 500; now_ms += 10) {
    assert_string_equal(pop(h, now_ms, &wait_ms), "quick");
    hosts_landed(h, hosts_find(h, "quick", 5), FRONTIER_NORMAL);
  }
  hosts_free(h);
}

/* The least due time of all that may start one, by looking at each. */
static uint64_t least_due(host *const *all, size_t count, uint32_t per_host)
{
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < count; i++)
    if (all[i]->normal.last && all[i]->in_flight < per_host && all[i]->due_ms < least)
      least = all[i]->due_ms;
  return least;
}

CASE(the_heap_is_as_good_as_a_search)
{
  enum { HOSTS = 300, STEPS = 60000, PER_HOST = 2 };
  static host *all[HOSTS], *in_flight[HOSTS * PER_HOST];
  size_t flying = 0, popped = 0;
  uint64_t dice = 1, now_ms = 0;
  hosts *h = hosts_create(5, PER_HOST, test_hasher());
  for (unsigned i = 0; i < HOSTS; i++) {
    char name[16];
    all[i] = hosts_find(h, name, (size_t)snprintf(name, sizeof name, "h%u", i));
    assert_ptr_equal(all[i], hosts_find(h, all[i]->name, strlen(all[i]->name)));
  }
  for (unsigned step = 0; step < STEPS; step++) {
    uint32_t what = random_below(&dice, 10), at;
    now_ms += random_below(&dice, 3);
    if (what < 3) {
      push(h, all[random_below(&dice, HOSTS)]->name);
    } else if (what < 6) {
      uint64_t least = least_due(all, HOSTS, PER_HOST);
      int64_t wait_ms = 0;
      entry *e = pop_entry(h, now_ms, &wait_ms);
      assert_true((e != NULL) == (least <= now_ms));
      assert_true(e || wait_ms == (least == UINT64_MAX ? FRONTIER_WAIT_FOREVER : (int64_t)(least - now_ms)));
      if (e) {
        assert_true(e->host->due_ms == now_ms + host_delay(h, e->host));
        in_flight[flying++] = e->host;
        popped++;
        free(e);
      }
    } else if (what < 9 && flying) {
      at = random_below(&dice, (uint32_t)flying);
      hosts_landed(h, in_flight[at], FRONTIER_NORMAL);
      in_flight[at] = in_flight[--flying];
    } else if (flying) {
      ask_delay(h, in_flight[random_below(&dice, (uint32_t)flying)], random_below(&dice, 2000));
    }
  }
  assert_true(popped > STEPS / 10);
  hosts_free(h);
}

/* ---- classes ------------------------------------------------------------------------------------------- */

static void push_class(hosts *h, const char *name, frontier_class class)
{
  host *who = hosts_find(h, name, strlen(name));
  entry *e = entry_create(NULL, ++next_sequence, "u", 1, 0, 1, (frontier_origin){0}, (field){0});
  assert_non_null(e);
  assert_true(host_reserve(who, class));
  e->host = who;
  e->class = class;
  hosts_push(h, e);
}

CASE(the_rule_of_turns)
{
  unsigned given[FRONTIER_CLASSES] = {0};
  for (uint64_t turn = 0; turn < 64; turn++)
    given[schedule_class(turn, 15)]++;
  assert_int_equal(given[FRONTIER_TRAP], 1);
  assert_int_equal(given[FRONTIER_LOW], 3);
  assert_int_equal(given[FRONTIER_NORMAL], 12);
  assert_int_equal(given[FRONTIER_HIGH], 48);
  for (uint64_t turn = 0; turn < 64; turn++)
    for (unsigned has = 1; has < 16; has++)
      assert_true(has & 1u << schedule_class(turn, has));
  assert_int_equal(schedule_class(0, 1u << FRONTIER_LOW | 1u << FRONTIER_TRAP), FRONTIER_LOW);
  assert_int_equal(schedule_class(63, 1u << FRONTIER_NORMAL | 1u << FRONTIER_LOW), FRONTIER_NORMAL);
}

typedef struct follow {
  uint64_t last[8][FRONTIER_CLASSES]; /* sequence, by host and class */
  unsigned since[FRONTIER_CLASSES];   /* turns */
} follow;

/* FIFO within host and class, and no class waits more than 64 turns. */
static void check_turn(follow *t, const hosts *h, const entry *e)
{
  uint64_t *last = &t->last[e->host->id][e->class];
  assert_true(e->sequence > *last);
  *last = e->sequence;
  for (unsigned class = 0; class < FRONTIER_CLASSES; ++class) {
    t->since[class] = class == e->class || !h->waiting[class] ? 0 : t->since[class] + 1;
    assert_in_range(t->since[class], 0, 64);
  }
}

/* One host with all classes, and each class with a host of its own: both ways nobody starves. */
CASE(classes_wait_and_never_starve)
{
  static const unsigned spreads[] = {1, FRONTIER_CLASSES};
  (void)state;
  for (unsigned s = 0; s < 2; s++) {
    follow t = {0};
    unsigned left = 0;
    int64_t wait_ms;
    hosts *h = hosts_create(0, 10000, test_hasher());
    for (unsigned i = 0; i < 2000; i++, left++) {
      char name[2] = {(char)('a' + i % spreads[s]), 0};
      push_class(h, name, (frontier_class)(i % FRONTIER_CLASSES));
    }
    for (entry *e; (e = pop_entry(h, 0, &wait_ms)); left--) {
      check_turn(&t, h, e);
      free(e);
    }
    assert_int_equal(left, 0);
    hosts_free(h);
  }
}

/* With dice: arrivals of all classes for hosts with delays and few connections. Whoever has something of the best class
 * is not asked for less out of its turn. */
CASE(classes_against_a_model)
{
  enum { HOSTS = 8, STEPS = 40000 };
  uint64_t dice = 7, now_ms = 0;
  follow t = {0};
  entry *flying[HOSTS * 2];
  size_t flying_count = 0, popped = 0, best = 0;
  hosts *h = hosts_create(3, 2, test_hasher());
  for (unsigned step = 0; step < STEPS; step++) {
    int64_t wait_ms;
    if (random_below(&dice, 2)) {
      char name[2] = {(char)('a' + random_below(&dice, HOSTS)), 0};
      push_class(h, name, (frontier_class)random_below(&dice, FRONTIER_CLASSES));
    } else if (flying_count && random_below(&dice, 2)) {
      size_t at = random_below(&dice, (uint32_t)flying_count);
      entry *e = flying[at];
      flying[at] = flying[--flying_count];
      hosts_landed(h, e->host, e->class);
      free(e);
    } else {
      now_ms += random_below(&dice, 5);
      entry *e = pop_entry(h, now_ms, &wait_ms);
      if (!e)
        continue;
      assert_true(e->sequence > t.last[e->host->id][e->class]);
      t.last[e->host->id][e->class] = e->sequence;
      unsigned has = 1u << e->class;
      for (unsigned class = 0; class < FRONTIER_CLASSES; ++class)
        if (host_line(e->host, (frontier_class) class) && host_line(e->host, (frontier_class) class)->last)
          has |= 1u << class;
      assert_int_equal(e->class, schedule_class((uint8_t)(e->host->turns - 1), has));
      best += e->class == FRONTIER_HIGH;
      popped++;
      flying[flying_count++] = e;
    }
  }
  assert_true(popped > STEPS / 10 && best > popped / 5);
  while (flying_count)
    free(flying[--flying_count]);
  hosts_free(h);
}

/* A host that is due, with a trap's URL to give, gets a better one: it does not stand in the worse line. */
CASE(a_better_url_is_not_held_back)
{
  int64_t wait_ms;
  hosts *h = hosts_create(0, 1000, test_hasher());
  for (unsigned i = 0; i < 300; i++) {
    char name[8];
    snprintf(name, sizeof name, "t%u", i);
    push_class(h, name, FRONTIER_TRAP);
  }
  free(pop_entry(h, 0, &wait_ms)); /* all are ready now */
  push_class(h, "t200", FRONTIER_NORMAL);
  unsigned turns = 0;
  for (bool found = false; !found; turns++) {
    entry *e = pop_entry(h, 0, &wait_ms);
    assert_non_null(e);
    found = e->class == FRONTIER_NORMAL;
    free(e);
  }
  assert_in_range(turns, 1, 2);
  hosts_free(h);
}

/* ---- budgets ------------------------------------------------------------------------------------------- */

CASE(traps_have_a_budget)
{
  int64_t wait_ms;
  unsigned traps = 0, others = 0;
  hosts *h = hosts_create(0, 1000, test_hasher());
  h->trap_budget = 10;
  for (unsigned i = 0; i < 100; i++) {
    push_class(h, "a", FRONTIER_TRAP);
    push_class(h, "a", FRONTIER_NORMAL);
  }
  host *a = hosts_find(h, "a", 1);
  host_line(a, FRONTIER_TRAP)->queued = host_line(a, FRONTIER_NORMAL)->queued = 100; /* as the frontier counts */
  for (entry *e; (e = pop_entry(h, 0, &wait_ms)); free(e)) {
    traps += e->class == FRONTIER_TRAP;
    others += e->class == FRONTIER_NORMAL;
  }
  assert_int_equal(wait_ms, FRONTIER_WAIT_FOREVER);
  assert_int_equal(traps, 10);
  assert_int_equal(others, 100);
  assert_int_equal(h->blocked, 90);
  h->trap_budget = 20; /* more is allowed, and one of those in flight comes back */
  hosts_recount(h, a);
  hosts_offer(h, a);
  assert_int_equal(h->blocked, 0);
  while (traps < 20) {
    entry *e = pop_entry(h, 0, &wait_ms);
    assert_non_null(e);
    free(e);
    traps++;
  }
  assert_null(pop_entry(h, 0, &wait_ms));
  hosts_free(h);
}

/* ---- many ---------------------------------------------------------------------------------------------- */

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { MANY = 50000 };
#else
enum { MANY = 1000000 };
#endif

/* A million hosts, by a clock that now and then jumps an hour ahead: in each round every host has its turn once, and
 * what a host costs is what the README says. */
CASE(a_million_hosts_take_turns)
{
  enum { ROUNDS = 2, DELAY_MS = 1000 };
  static uint8_t turns[MANY];
  uint64_t now_ms = 0;
  size_t before = mallinfo2().uordblks + mallinfo2().hblkhd, size_of_entries = 0;
  hosts *h = hosts_create(DELAY_MS, 1, test_hasher());
  for (unsigned i = 0; i < MANY; i++) {
    char name[32];
    snprintf(name, sizeof name, "host-%u.example", i);
    size_of_entries += malloc_usable_size(push(h, name)) + sizeof(size_t);
  }
#ifndef __SANITIZE_ADDRESS__
  size_t each = (mallinfo2().uordblks + mallinfo2().hblkhd - before - size_of_entries + h->memory.taken) / MANY;
  print_message("  %zu bytes a host\n", each);
  assert_in_range(each, 100, 280);
#endif
  for (unsigned round = 1; round <= ROUNDS; round++, now_ms += round == 2 ? 3600000 : DELAY_MS)
    for (unsigned i = 0; i < MANY; i++) {
      int64_t wait_ms;
      entry *e = pop_entry(h, now_ms, &wait_ms);
      assert_non_null(e);
      assert_int_equal(++turns[e->host->id], round);
      hosts_landed(h, e->host, FRONTIER_NORMAL);
      hosts_push(h, e); /* it has another one */
    }
  hosts_free(h);
  (void)before;
}
