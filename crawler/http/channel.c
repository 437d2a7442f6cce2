/* The channel between the thread that crawls and the network's thread, and its blocks. channel.h has both directions.
 *
 *               network's thread       |  under the lock  |  thread that crawls
 *     block     filling --> filled ----+--> up -----------+--> reading --> emptied --.
 *                  ^-------------------+--- free <--------+--------------------------'
 *     request                     <----+--- down <--------+--- started
 *
 * A block holds records one behind the other; a record is a head and, for a piece of a body, its bytes.
 *
 * Always: a block is in one of these lists at a time, or is `filling`, and only the side that has it touches its bytes.
 * A block in `filled`, `up` or `reading` has a record in it. Each field of `struct channel` is one thread's, or belongs
 * to the lock, as marked there. A side says under the lock that it sleeps; the other clears that mark and wakes it.
 *
 * The network waits for a free block only when there is none, after it has published what it filled. The thread that
 * crawls waits only for events, and as long as its caller says. So they never wait for each other. fetch.c calls this.
 * Nothing is on disk: what is under way in a crash is fetched again. */
#include "crawler/http/channel.h"

#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
  BLOCK = 32 << 10, /* some ten pages of a text site, so that what one side wrote is still in the other's cache */
  BLOCKS = 128,     /* 4 MiB in all; pages of memory that were never needed are never touched */
};

typedef struct record {
  request *request;
  size_t size; /* of the bytes behind it */
  bool is_end;
} record;

typedef struct block {
  struct block *next;
  size_t used;
  char bytes[BLOCK];
} block;

typedef struct block_list {
  block *first, **last;
} block_list;

struct channel {
  pthread_mutex_t lock;
  pthread_cond_t room; /* there is a free block again, or the end */
  /* under the lock */
  request *down, **down_last;
  block_list up;
  block *free;
  fd_limit fd_limit;
  bool is_network_asleep, is_network_stuck, is_caller_asleep, is_ending;
  /* of the crawling thread */
  request *started, **started_last;
  block_list reading;
  size_t at; /* in the first of them */
  block *emptied;
  fd_limit last_fd_limit;
  int wake_fd;
  /* of the network's thread */
  block *filling; /* NULL: none at hand */
  block_list filled;
  block *blocks;
};

static void list_clear(block_list *list)
{
  list->first = NULL;
  list->last = &list->first;
}

static void assert_list(const block_list *list)
{
  assert((list->first == NULL) == (list->last == &list->first));
  assert(!*list->last);
  (void)list;
}

static void list_add(block_list *list, block *b)
{
  assert_list(list);
  assert(b->used && b->used <= BLOCK); /* the reader of a block finds a record in it */
  b->next = NULL;
  *list->last = b;
  list->last = &b->next;
}

/* All of `from` behind all of `to`. */
static void list_move(block_list *to, block_list *from)
{
  assert_list(to);
  assert_list(from);
  if (!from->first)
    return;
  *to->last = from->first;
  to->last = from->last;
  list_clear(from);
}

channel *channel_create(void)
{
  channel *h = calloc(1, sizeof *h);
  if (!h)
    return NULL;
  pthread_mutex_init(&h->lock, NULL);
  pthread_cond_init(&h->room, NULL);
  h->down_last = &h->down;
  h->started_last = &h->started;
  list_clear(&h->up);
  list_clear(&h->reading);
  list_clear(&h->filled);
  h->fd_limit.limit = h->last_fd_limit.limit = SIZE_MAX;
  h->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  h->blocks = malloc(BLOCKS * sizeof *h->blocks);
  if (h->wake_fd < 0 || !h->blocks) {
    channel_free(h);
    return NULL;
  }
  for (size_t i = BLOCKS; i--;) {
    h->blocks[i].next = h->free;
    h->free = &h->blocks[i];
  }
  return h;
}

void channel_free(channel *h)
{
  if (!h)
    return;
  if (h->wake_fd >= 0)
    close(h->wake_fd);
  pthread_cond_destroy(&h->room);
  pthread_mutex_destroy(&h->lock);
  free(h->blocks);
  free(h);
}

/* ---- of the crawling thread ------------------------------------------------------------------------------ */

void channel_start(channel *h, request *r)
{
  r->next = NULL;
  assert(!*h->started_last && (h->started != NULL) == (h->started_last != &h->started));
  *h->started_last = r;
  h->started_last = &r->next;
}

bool channel_push(channel *h)
{
  if (!h->started)
    return false;
  pthread_mutex_lock(&h->lock);
  assert(!*h->down_last && (h->down != NULL) == (h->down_last != &h->down));
  *h->down_last = h->started;
  h->down_last = h->started_last;
  bool is_asleep = h->is_network_asleep;
  h->is_network_asleep = false; /* one wake-up is enough */
  pthread_mutex_unlock(&h->lock);
  h->started = NULL;
  h->started_last = &h->started;
  return is_asleep;
}

/* The blocks that were read for those that were filled. */
static void exchange_blocks(channel *h)
{
  pthread_mutex_lock(&h->lock);
  while (h->emptied) {
    block *b = h->emptied;
    h->emptied = b->next;
    b->next = h->free;
    h->free = b;
  }
  if (h->is_network_stuck && h->free)
    pthread_cond_signal(&h->room);
  list_move(&h->reading, &h->up);
  h->last_fd_limit = h->fd_limit;
  pthread_mutex_unlock(&h->lock);
}

static void leave_block(channel *h)
{
  block *b = h->reading.first;
  assert_list(&h->reading);
  assert(h->at == b->used);
  h->reading.first = b->next;
  if (!b->next)
    h->reading.last = &h->reading.first;
  b->next = h->emptied;
  h->emptied = b;
  h->at = 0;
}

static size_t aligned(size_t size)
{
  return (size + sizeof(record *) - 1) / sizeof(record *) * sizeof(record *);
}

bool channel_next(channel *h, channel_event *event)
{
  if (h->reading.first && h->at == h->reading.first->used)
    leave_block(h);
  if (!h->reading.first)
    exchange_blocks(h);
  const block *b = h->reading.first;
  if (!b)
    return false;
  record head;
  assert(h->at + sizeof head <= b->used);
  memcpy(&head, b->bytes + h->at, sizeof head);
  *event = (channel_event){.request = head.request, .size = head.size};
  if (!head.is_end)
    event->bytes = b->bytes + h->at + sizeof head;
  h->at += sizeof head + aligned(head.size);
  assert(head.request && h->at <= b->used && (head.is_end ? !head.size : head.size > 0));
  return true;
}

void channel_wait(channel *h, int wait_ms)
{
  pthread_mutex_lock(&h->lock);
  h->is_caller_asleep = !h->up.first;
  bool is_asleep = h->is_caller_asleep;
  pthread_mutex_unlock(&h->lock);
  if (!is_asleep)
    return;
  struct pollfd wake = {.fd = h->wake_fd, .events = POLLIN};
  uint64_t times;
  if (poll(&wake, 1, wait_ms) > 0)
    (void)!read(h->wake_fd, &times, sizeof times);
  pthread_mutex_lock(&h->lock);
  h->is_caller_asleep = false;
  pthread_mutex_unlock(&h->lock);
}

const fd_limit *channel_fd_limit(const channel *h)
{
  return &h->last_fd_limit;
}

void channel_finish(channel *h)
{
  pthread_mutex_lock(&h->lock);
  h->is_ending = true;
  pthread_cond_signal(&h->room);
  pthread_mutex_unlock(&h->lock);
}

/* ---- of the network's thread ----------------------------------------------------------------------------- */

bool channel_take(channel *h, request **started)
{
  pthread_mutex_lock(&h->lock);
  *started = h->down;
  h->down = NULL;
  h->down_last = &h->down;
  h->is_network_asleep = false;
  bool goes_on = !h->is_ending;
  pthread_mutex_unlock(&h->lock);
  return goes_on;
}

/* true: and the caller sleeps, so wake it; once is enough. The lock is held. */
static bool publish_filled(channel *h)
{
  list_move(&h->up, &h->filled);
  bool is_to_wake = h->is_caller_asleep && h->up.first;
  h->is_caller_asleep &= !is_to_wake;
  return is_to_wake;
}

static void wake_caller(const channel *h)
{
  static const uint64_t once = 1;
  (void)!write(h->wake_fd, &once, sizeof once); /* cannot fail: the counter never gets near its end */
}

/* A free block, when there is one; false: the end. */
static bool wait_for_block(channel *h)
{
  pthread_mutex_lock(&h->lock);
  while (!h->free && !h->is_ending) {
    if (publish_filled(h))
      wake_caller(h);
    h->is_network_stuck = true;
    pthread_cond_wait(&h->room, &h->lock);
    h->is_network_stuck = false;
  }
  block *b = h->is_ending ? NULL : h->free;
  if (b)
    h->free = b->next;
  pthread_mutex_unlock(&h->lock);
  if (!b)
    return false;
  b->used = 0;
  h->filling = b;
  return true;
}

/* Room in a block for a record and at least some bytes; how many. 0: the end. */
static size_t make_room(channel *h)
{
  enum { LEAST = 256 }; /* rather than a few bytes here and the rest in the next block */
  if (h->filling && BLOCK - h->filling->used < sizeof(record) + LEAST) {
    list_add(&h->filled, h->filling);
    h->filling = NULL;
  }
  if (!h->filling && !wait_for_block(h))
    return 0;
  assert(h->filling->used + sizeof(record) < BLOCK);
  return BLOCK - h->filling->used - sizeof(record);
}

static void put(channel *h, record head, const char *bytes)
{
  block *b = h->filling;
  assert(b->used + sizeof head + aligned(head.size) <= BLOCK);
  memcpy(b->bytes + b->used, &head, sizeof head);
  memcpy(b->bytes + b->used + sizeof head, bytes, head.size);
  b->used += sizeof head + aligned(head.size);
}

bool channel_body(channel *h, request *r, const char *bytes, size_t size)
{
  while (size) {
    size_t room = make_room(h), part = size < room ? size : room;
    if (!room)
      return false;
    put(h, (record){.request = r, .size = part}, bytes);
    bytes += part;
    size -= part;
  }
  return true;
}

bool channel_end(channel *h, request *r)
{
  if (!make_room(h))
    return false;
  put(h, (record){.request = r, .is_end = true}, "");
  return true;
}

bool channel_publish(channel *h, const fd_limit *s)
{
  if (h->filling && h->filling->used) {
    list_add(&h->filled, h->filling);
    h->filling = NULL;
  }
  pthread_mutex_lock(&h->lock);
  h->fd_limit = *s;
  bool is_to_wake = publish_filled(h), is_asleep = !h->down && !h->is_ending;
  h->is_network_asleep = is_asleep;
  pthread_mutex_unlock(&h->lock);
  if (is_to_wake)
    wake_caller(h);
  return is_asleep;
}
