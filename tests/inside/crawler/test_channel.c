/* crawler/http/channel.c: threads, each at its own pace. Nothing is lost, nothing overtakes, no two read one request at
 * a time, none sleeps through what is meant for it, and no more waits than has room. */
#include "crawler/http/channel.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  REQUESTS = 4,
  HERE = 2, /* the request that the main thread must read */
  READERS = 2,
  PIECES = 3000,
  PIECE_MAX = 20000,
  ROUND_TRIPS = 20000,
  ROOM = 4 << 20, /* bytes that may wait, as channel.c has it */
  PATIENCE_MS = 10000,
};

/* What was read of a request; several threads have it, one at a time. */
typedef struct reading {
  size_t taken;
  atomic_int readers;
} reading;

typedef struct line {
  channel *channel;
  request requests[REQUESTS];
  reading read[REQUESTS];
  atomic_size_t wrong; /* bytes that are not as they should be, two readers at once, the wrong thread */
  atomic_size_t by_readers;
  atomic_size_t given; /* bytes */
  pthread_t main, readers[READERS];
  sem_t wake;
} line;

static const fd_limit plenty = {.limit = SIZE_MAX};

static void open_line(line *l)
{
  l->channel = channel_create();
  assert_non_null(l->channel);
  assert_int_equal(sem_init(&l->wake, 0, 0), 0);
  l->main = pthread_self();
  for (int i = 0; i < REQUESTS; i++)
    l->requests[i].receiver.reads_anywhere = i != HERE;
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
    channel_end(l->channel, &l->requests[i]);
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

static void read_job(line *l, const channel_job *job)
{
  size_t which = (size_t)(job->request - l->requests), size;
  reading *r = &l->read[which];
  l->wrong += atomic_fetch_add(&r->readers, 1) != 0;
  l->wrong += which == HERE && !pthread_equal(pthread_self(), l->main);
  for (const struct channel_block *piece = job->pieces; piece; r->taken += size) {
    const char *bytes = channel_piece(piece, &size, &piece);
    for (size_t k = 0; k < size; k++)
      l->wrong += bytes[k] != byte_at(r->taken + k);
  }
  r->readers--;
}

static void *read_all(void *context)
{
  line *l = context;
  for (channel_job job; channel_read(l->channel, &job); channel_was_read(l->channel, &job)) {
    l->by_readers++;
    read_job(l, &job);
  }
  return NULL;
}

static void start_readers(line *l)
{
  for (int i = 0; i < READERS; i++)
    l->readers[i] = start(read_all, l);
}

static void finish(line *l)
{
  channel_finish(l->channel);
  for (int i = 0; i < READERS; i++)
    pthread_join(l->readers[i], NULL);
}

static size_t read_until_ended(line *l)
{
  size_t ended = 0;
  for (channel_job job; ended < REQUESTS; channel_wait(l->channel, ended < REQUESTS ? 1 : 0)) {
    while (channel_ended(l->channel))
      ended++;
    while (channel_read_here(l->channel, &job)) {
      read_job(l, &job);
      channel_was_read(l->channel, &job);
    }
  }
  return ended;
}

static void pieces_in_order(bool has_readers)
{
  line l = {0};
  size_t all = 0;
  void *result;
  open_line(&l);
  pthread_t thread = start(give_pieces, &l);
  if (has_readers)
    start_readers(&l);
  else
    wait_until_stuck(&l);
  assert_int_equal(read_until_ended(&l), REQUESTS);
  pthread_join(thread, &result);
  assert_ptr_equal(result, &l);
  assert_int_equal(l.wrong, 0);
  for (int i = 0; i < REQUESTS; i++)
    all += l.read[i].taken;
  assert_int_equal(all, l.given);
  assert_true(has_readers ? l.by_readers > 0 : l.by_readers == 0);
  if (has_readers)
    finish(&l);
  close_line(&l);
}

CASE(all_pieces_in_order)
{
  pieces_in_order(false);
}

CASE(all_pieces_in_order_for_many_readers)
{
  pieces_in_order(true);
}

CASE(ended_while_stuck)
{
  line l = {0};
  void *result;
  request *started;
  open_line(&l);
  for (int i = 0; i < REQUESTS; i++) /* the readers have nothing to do */
    l.requests[i].receiver.reads_anywhere = false;
  start_readers(&l);
  pthread_t thread = start(give_pieces, &l);
  wait_until_stuck(&l);
  finish(&l);
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
  channel_job job;
  while (channel_read_here(l->channel, &job)) {
    assert_true(job.is_last && !job.pieces);
    channel_was_read(l->channel, &job);
  }
  while ((idle[count] = channel_ended(l->channel)))
    count++;
  return count;
}

static void push(line *l)
{
  if (channel_push(l->channel))
    sem_post(&l->wake);
}

CASE(none_sleeps_through)
{
  line l = {0};
  request *idle[REQUESTS + 1];
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
