/* crawler/http/channel.c: two threads, each at its own pace. Nothing is lost, nothing overtakes, nobody sleeps through
 * what is meant for him, and no more waits than has room. */
#include "crawler/http/channel.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum {
  REQUESTS = 4,
  PIECES = 3000,
  PIECE_MAX = 20000,
  ROUND_TRIPS = 20000,
  ROOM = 4 << 20, /* bytes that may wait, as channel.c has it */
  PATIENCE_MS = 10000,
};

typedef struct line {
  channel *channel;
  request requests[REQUESTS];
  atomic_size_t given; /* bytes */
  sem_t wake;
} line;

static const fd_limit plenty = {.limit = SIZE_MAX};

static void open_line(line *l)
{
  l->channel = channel_create();
  assert_non_null(l->channel);
  assert_int_equal(sem_init(&l->wake, 0, 0), 0);
}

static void close_line(line *l)
{
  channel_free(l->channel);
  sem_destroy(&l->wake);
}

static char byte_at(size_t i)
{
  return (char)(i * i >> 5);
}

/* Every piece goes on where the last one of its request ended. */
static void *give_pieces(void *context)
{
  line *l = context;
  static char bytes[PIECE_MAX];
  size_t given[REQUESTS] = {0};
  bool goes_on = true;
  for (unsigned i = 0; i < PIECES && goes_on; i++) {
    unsigned to = i * 7 % 13 % REQUESTS;
    size_t size = i * 2654435761U % PIECE_MAX + 1;
    for (size_t k = 0; k < size; k++)
      bytes[k] = byte_at(given[to] + k);
    goes_on = channel_body(l->channel, &l->requests[to], bytes, size);
    given[to] += size;
    l->given += size;
    if (i % 5 == 0)
      channel_publish(l->channel, &plenty);
  }
  for (unsigned i = 0; i < REQUESTS && goes_on; i++)
    goes_on = channel_end(l->channel, &l->requests[i]);
  channel_publish(l->channel, &plenty);
  return goes_on ? l : NULL;
}

static pthread_t start(void *(*work)(void *), line *l)
{
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, work, l), 0);
  return thread;
}

/* Until it has given so much that it must be about to wait. */
static void wait_until_stuck(line *l)
{
  for (int ms = 0; l->given < ROOM / 2; ms++) {
    assert_true(ms < PATIENCE_MS);
    usleep(1000);
  }
  usleep(20000);
  assert_true(l->given < ROOM);
}

static void all_pieces_in_order(void **state)
{
  (void)state;
  line l = {0};
  size_t taken[REQUESTS] = {0}, wrong = 0, ended = 0, all = 0;
  void *result;
  open_line(&l);
  pthread_t thread = start(give_pieces, &l);
  wait_until_stuck(&l);
  for (; ended < REQUESTS; channel_wait(l.channel, ended < REQUESTS ? PATIENCE_MS : 0)) {
    for (channel_event event; channel_next(l.channel, &event);) {
      size_t which = (size_t)(event.request - l.requests);
      for (size_t k = 0; event.bytes && k < event.size; k++)
        wrong += event.bytes[k] != byte_at(taken[which] + k);
      taken[which] += event.size;
      all += event.size;
      ended += !event.bytes;
    }
  }
  pthread_join(thread, &result);
  assert_ptr_equal(result, &l);
  assert_int_equal(wrong, 0);
  assert_int_equal(all, l.given);
  close_line(&l);
}

static void ended_while_stuck(void **state)
{
  (void)state;
  line l = {0};
  void *result;
  request *started;
  open_line(&l);
  pthread_t thread = start(give_pieces, &l);
  wait_until_stuck(&l);
  channel_finish(l.channel);
  pthread_join(thread, &result);
  assert_null(result);
  assert_false(channel_take(l.channel, &started));
  close_line(&l);
}

/* What is started ends; sleeps when it may, as the network does in poll(2). */
static void *end_at_once(void *context)
{
  line *l = context;
  for (request *started, *next; channel_take(l->channel, &started);) {
    for (; started; started = next) {
      next = started->next;
      channel_end(l->channel, started);
    }
    if (channel_publish(l->channel, &(fd_limit){.limit = 7}))
      sem_wait(&l->wake);
  }
  return NULL;
}

static size_t take_ends(line *l, request *idle[REQUESTS])
{
  size_t count = 0;
  for (channel_event event; channel_next(l->channel, &event);) {
    assert_null(event.bytes);
    idle[count++] = event.request;
  }
  return count;
}

static void push(line *l)
{
  if (channel_push(l->channel))
    sem_post(&l->wake);
}

static void nobody_sleeps_through(void **state)
{
  (void)state;
  line l = {0};
  request *idle[REQUESTS];
  size_t count = REQUESTS;
  for (size_t i = 0; i < REQUESTS; i++)
    idle[i] = &l.requests[i];
  open_line(&l);
  assert_false(channel_push(l.channel));
  pthread_t thread = start(end_at_once, &l);
  for (unsigned trips = 0; trips < ROUND_TRIPS; trips += count) {
    for (size_t i = 0; i < count; i++)
      channel_start(l.channel, idle[i]);
    push(&l);
    while ((count = take_ends(&l, idle)) == 0)
      channel_wait(l.channel, -1); /* for ever, if it was forgotten */
  }
  assert_int_equal(channel_fd_limit(l.channel)->limit, 7);
  channel_finish(l.channel);
  sem_post(&l.wake);
  pthread_join(thread, NULL);
  close_line(&l);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_pieces_in_order),
    cmocka_unit_test(ended_while_stuck),
    cmocka_unit_test(nobody_sleeps_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
