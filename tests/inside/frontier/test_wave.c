/* Is the crawl over? Of the replies to two waves, each difference that may hide work makes it not over: wave.c. */
#include <string.h>

#include "frontier/exchange/wave.h"
#include "tests/support/test.h"

enum { P = 3 };

static frontier_wave first, second;
static frontier_reply replies[P];

static void reply_all(uint64_t wave)
{
  uint64_t beliefs = 0;
  for (uint32_t p = 0; p < P; p++) {
    replies[p] = (frontier_reply){
      .wave = wave, .partition = p, .is_idle = true, .incarnation = 5 + p, .boot = 70 + p, .version = 900};
    beliefs = beliefs_add(beliefs, replies[p].incarnation);
  }
  for (uint32_t p = 0; p < P; p++)
    replies[p].beliefs = beliefs;
}

/* All replied idle to the first wave, then the second was drawn, and all replied the same. */
static int two_waves(void **state)
{
  (void)state;
  frontier_wave_next(NULL, NULL, P, 11, &first);
  reply_all(11);
  frontier_wave_next(&first, replies, P, 12, &second);
  reply_all(12);
  return 0;
}

static bool is_over(void)
{
  return frontier_wave_is_over(&second, replies, P);
}

CASE(over_after_two_waves)
{
  assert_true(is_over());
  reply_all(11);
  assert_false(frontier_wave_is_over(&first, replies, P)); /* one is not enough */
}

CASE(not_over_after_any_change)
{
  for (uint32_t p = 0; p < P; p++) {
    frontier_reply *r = &replies[p];
#define CHANGED(change)      \
  do {                       \
    two_waves(NULL);         \
    change;                  \
    assert_false(is_over()); \
  } while (0)
    CHANGED(r->version++);
    CHANGED(r->boot++);
    CHANGED(r->incarnation++);
    CHANGED(r->beliefs++);
    CHANGED(r->is_idle = false);
    CHANGED(r->wave = 11);
    CHANGED(r->partition = (p + 1) % P);
    CHANGED(*r = (frontier_reply){0});
  }
}

/* All agree on a life that the partition itself has not. */
CASE(not_over_for_an_earlier_life)
{
  replies[1].incarnation++;
  frontier_wave_next(&second, replies, P, 13, &first);
  assert_int_equal(first.digest, 0);
}

CASE(not_over_if_the_first_wave_was_not_idle)
{
  for (uint32_t p = 0; p < P; p++) {
    frontier_wave_next(NULL, NULL, P, 11, &first);
    reply_all(11);
    replies[p].is_idle = false;
    frontier_wave_next(&first, replies, P, 12, &second);
    assert_int_equal(second.digest, 0);
    reply_all(12);
    assert_false(is_over());
  }
}

CASE(messages_are_read_back)
{
  uint8_t bytes[FRONTIER_REPLY_SIZE];
  frontier_wave wave;
  frontier_reply reply;
  (void)state;
  frontier_wave_write(&second, bytes);
  assert_true(frontier_wave_read(bytes, FRONTIER_WAVE_SIZE, &wave));
  assert_true(wave.number == second.number && wave.digest == second.digest);
  assert_false(frontier_reply_read(bytes, FRONTIER_WAVE_SIZE, &reply));
  frontier_reply_write(&replies[2], bytes);
  assert_true(frontier_reply_read(bytes, sizeof bytes, &reply));
  assert_true(reply.wave == 12 && reply.partition == 2 && reply.is_idle && reply.incarnation == 7 && reply.boot == 72);
  assert_true(reply.version == 900 && reply.beliefs == replies[2].beliefs);
  for (size_t i = 0; i < sizeof bytes; i++) {
    bytes[i] ^= 1;
    assert_false(frontier_reply_read(bytes, sizeof bytes, &reply));
    bytes[i] ^= 1;
  }
}

EACH_CASE(two_waves, NULL)
