/* The threads of a fetcher, and what passes between them. channel.h has all directions.
 *
 *                network's thread     |  under the lock         |  who reads       |  thread that crawls
 *     block      box.filling ---------+--> box.up --------------+--> job.pieces --. |
 *                   ^-----------------+--- free <---------------+-----------------' |
 *     request  <----------------------+--- down <---------------+------------------ | started
 *                touched -------------+--> line, or line_here --+--> job -----------+-->  over --> ended
 *
 * Always: a block is in one of these lists at a time, and only the side that has it touches its bytes. A request is
 * QUIET, IN_LINE, or READ as some thread's job; what comes meanwhile waits in its box, and who has read it puts it in
 * line again. Each field of `struct channel` is one thread's, or belongs to the lock, as marked there. A side says
 * under the lock that it sleeps; another clears that mark and wakes it.
 *
 * The network waits for a free block only when there is none, after it has published what it filled. Readers wait only
 * for work, and the thread that crawls as long as its caller says. So they never wait for each other. fetch.c calls
 * this. Nothing is on disk: what is under way in a crash is fetched again. */
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
  BLOCK = 16 << 10, /* the largest piece that libcurl gives */
  BLOCKS = 256,     /* 4 MiB in all; pages of memory that were never needed are never touched */
  WORTH = 64 << 10, /* bytes in line that a reader is woken for */
};

typedef struct channel_block block;
struct channel_block {
  struct channel_block *next;
  size_t used;
  char bytes[BLOCK];
};

/* Requests linked by `next`. */
typedef struct request_line {
  request *first, **last;
} request_line;

struct channel {
  pthread_mutex_t lock;
  pthread_cond_t room; /* there is a free block again, or the end */
  pthread_cond_t work; /* for readers, or the end */
  /* under the lock */
  request_line down;
  request_line line;      /* to be read by anyone */
  request_line line_here; /* ... by the thread that crawls */
  request_line over;      /* were read to their end */
  size_t waiting;         /* bytes of those in `line` */
  unsigned idle_readers;
  block *free;  /* were used */
  size_t fresh; /* of `blocks`, those from here on never were */
  fd_limit fd_limit;
  bool is_network_asleep, is_network_stuck, is_caller_asleep, is_ending;
  /* of the thread that crawls */
  request_line started;
  request_line ended;
  fd_limit last_fd_limit;
  int wake_fd;
  /* of the network's thread */
  request *touched; /* linked by box.next */
  block *spare;
  block *blocks;
};

/* ---- lines and lists -------------------------------------------------------------------------------------- */

static void line_clear(request_line *l)
{
  l->first = NULL;
  l->last = &l->first;
}

static void assert_line(const request_line *l)
{
  assert((l->first == NULL) == (l->last == &l->first));
  assert(!*l->last);
  (void)l;
}

static void line_add(request_line *l, request *r)
{
  assert_line(l);
  r->next = NULL;
  *l->last = r;
  l->last = &r->next;
}

static request *line_take(request_line *l)
{
  request *r = l->first;
  assert_line(l);
  if (r && !(l->first = r->next))
    l->last = &l->first;
  return r;
}

/* All of `from` behind all of `to`. */
static void line_move(request_line *to, request_line *from)
{
  assert_line(to);
  assert_line(from);
  if (!from->first)
    return;
  *to->last = from->first;
  to->last = from->last;
  line_clear(from);
}

/* All of `from` behind all of `to`. */
static void list_move(block_list *to, block_list *from)
{
  if (!from->first)
    return;
  if (to->last)
    to->last->next = from->first;
  else
    to->first = from->first;
  to->last = from->last;
  *from = (block_list){NULL, NULL};
}

channel *channel_create(void)
{
  channel *h = calloc(1, sizeof *h);
  if (!h)
    return NULL;
  pthread_mutex_init(&h->lock, NULL);
  pthread_cond_init(&h->room, NULL);
  pthread_cond_init(&h->work, NULL);
  line_clear(&h->down);
  line_clear(&h->line);
  line_clear(&h->line_here);
  line_clear(&h->over);
  line_clear(&h->started);
  line_clear(&h->ended);
  h->fd_limit.limit = h->last_fd_limit.limit = SIZE_MAX;
  h->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  h->blocks = malloc(BLOCKS * sizeof *h->blocks);
  if (h->wake_fd < 0 || !h->blocks) {
    channel_free(h);
    return NULL;
  }
  return h;
}

void channel_free(channel *h)
{
  if (!h)
    return;
  if (h->wake_fd >= 0)
    close(h->wake_fd);
  pthread_cond_destroy(&h->work);
  pthread_cond_destroy(&h->room);
  pthread_mutex_destroy(&h->lock);
  free(h->blocks);
  free(h);
}

/* ---- of the thread that crawls ---------------------------------------------------------------------------- */

void channel_start(channel *h, request *r)
{
  assert(r->box.state == BOX_QUIET && !r->box.up.first);
  r->box = (mailbox){.state = BOX_QUIET};
  line_add(&h->started, r);
}

bool channel_push(channel *h)
{
  if (!h->started.first)
    return false;
  pthread_mutex_lock(&h->lock);
  line_move(&h->down, &h->started);
  bool is_asleep = h->is_network_asleep;
  h->is_network_asleep = false; /* one wake-up is enough */
  pthread_mutex_unlock(&h->lock);
  return is_asleep;
}

request *channel_ended(channel *h)
{
  if (!h->ended.first) {
    pthread_mutex_lock(&h->lock);
    line_move(&h->ended, &h->over);
    h->last_fd_limit = h->fd_limit;
    pthread_mutex_unlock(&h->lock);
  }
  return line_take(&h->ended);
}

void channel_wait(channel *h, int wait_ms)
{
  pthread_mutex_lock(&h->lock);
  bool is_asleep = h->is_caller_asleep = !h->over.first && !h->line_here.first && !h->line.first;
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
  pthread_cond_broadcast(&h->work);
  pthread_mutex_unlock(&h->lock);
}

/* true: the caller sleeps, so wake it; once is enough. The lock is held. */
static bool is_caller_to_wake(channel *h)
{
  bool was_asleep = h->is_caller_asleep;
  h->is_caller_asleep = false;
  return was_asleep;
}

static void wake_caller(const channel *h)
{
  static const uint64_t once = 1;
  (void)!write(h->wake_fd, &once, sizeof once); /* cannot fail: the counter never gets near its end */
}

/* ---- of those who read ------------------------------------------------------------------------------------ */

const char *channel_piece(const block *piece, size_t *size, const block **next)
{
  *size = piece->used;
  *next = piece->next;
  return piece->bytes;
}

/* Something came of it, and it is no one's job. The lock is held. */
static void stand_in_line(channel *h, request *r)
{
  assert(r->box.state == BOX_QUIET && (r->box.up.first || r->box.is_over));
  r->box.state = BOX_IN_LINE;
  if (r->receiver.reads_anywhere)
    h->waiting += r->box.bytes;
  line_add(r->receiver.reads_anywhere ? &h->line : &h->line_here, r);
}

/* The lock is held. */
static bool take_job(channel_job *job, request *r)
{
  if (!r)
    return false;
  assert(r->box.state == BOX_IN_LINE);
  *job = (channel_job){.request = r, .pieces = r->box.up.first, .is_last = r->box.is_over};
  r->box.state = BOX_READ;
  r->box.up = (block_list){NULL, NULL};
  r->box.bytes = 0;
  return true;
}

/* The lock is held. */
static bool take_anyones(channel *h, channel_job *job)
{
  request *r = line_take(&h->line);
  if (r) {
    assert(h->waiting >= r->box.bytes);
    h->waiting -= r->box.bytes;
  }
  return take_job(job, r);
}

bool channel_read_here(channel *h, channel_job *job)
{
  pthread_mutex_lock(&h->lock);
  bool has_one = take_job(job, line_take(&h->line_here)) || take_anyones(h, job);
  pthread_mutex_unlock(&h->lock);
  return has_one;
}

bool channel_read(channel *h, channel_job *job)
{
  bool has_one = false;
  pthread_mutex_lock(&h->lock);
  while (!h->is_ending && !(has_one = take_anyones(h, job))) {
    h->idle_readers++;
    pthread_cond_wait(&h->work, &h->lock);
    h->idle_readers--;
  }
  pthread_mutex_unlock(&h->lock);
  return has_one;
}

/* The lock is held. */
static void give_back(channel *h, block *pieces)
{
  if (pieces && h->is_network_stuck)
    pthread_cond_signal(&h->room);
  for (block *next; pieces; pieces = next) {
    next = pieces->next;
    pieces->next = h->free;
    h->free = pieces;
  }
}

void channel_was_read(channel *h, channel_job *job)
{
  request *r = job->request;
  bool is_to_wake = false;
  pthread_mutex_lock(&h->lock);
  assert(r->box.state == BOX_READ);
  give_back(h, job->pieces);
  r->box.state = BOX_QUIET;
  if (job->is_last) {
    assert(!r->box.up.first);
    line_add(&h->over, r);
    is_to_wake = is_caller_to_wake(h);
  } else if (r->box.up.first || r->box.is_over) {
    stand_in_line(h, r);
  }
  pthread_mutex_unlock(&h->lock);
  if (is_to_wake)
    wake_caller(h);
}

/* ---- of the network's thread ------------------------------------------------------------------------------ */

bool channel_take(channel *h, request **started)
{
  pthread_mutex_lock(&h->lock);
  *started = h->down.first;
  line_clear(&h->down);
  h->is_network_asleep = false;
  bool goes_on = !h->is_ending;
  pthread_mutex_unlock(&h->lock);
  return goes_on;
}

/* What was filled for it goes where readers see it. The lock is held. */
static void deliver(channel *h, request *r)
{
  mailbox *box = &r->box;
  list_move(&box->up, &box->filling);
  box->bytes += box->filled;
  if (box->state == BOX_IN_LINE && r->receiver.reads_anywhere)
    h->waiting += box->filled;
  box->is_over = box->is_ended;
  box->filled = 0;
  box->is_touched = false;
  if (box->state == BOX_QUIET)
    stand_in_line(h, r);
}

/* true: and the caller is to be woken. The lock is held. */
static bool deliver_all(channel *h)
{
  while (h->touched) {
    request *r = h->touched;
    h->touched = r->box.next;
    deliver(h, r);
  }
  for (size_t i = 0; i < h->idle_readers && (i + 1) * WORTH <= h->waiting; i++)
    pthread_cond_signal(&h->work);
  return (h->line.first || h->line_here.first) && is_caller_to_wake(h);
}

static void touch(channel *h, request *r)
{
  if (r->box.is_touched)
    return;
  r->box.is_touched = true;
  r->box.next = h->touched;
  h->touched = r;
}

/* The lock is held. NULL: all are in use. */
static block *take_free(channel *h)
{
  block *b = h->free;
  if (b)
    h->free = b->next;
  else if (h->fresh < BLOCKS)
    b = &h->blocks[h->fresh++];
  return b;
}

/* Some free blocks, when there are any; false: the end. */
static bool wait_for_blocks(channel *h)
{
  enum { TOGETHER = 8 };
  pthread_mutex_lock(&h->lock);
  while (!h->free && h->fresh == BLOCKS && !h->is_ending) {
    if (deliver_all(h))
      wake_caller(h);
    h->is_network_stuck = true;
    pthread_cond_wait(&h->room, &h->lock);
    h->is_network_stuck = false;
  }
  block *b;
  for (int i = 0; i < TOGETHER && !h->is_ending && (b = take_free(h)); i++) {
    b->next = h->spare;
    h->spare = b;
  }
  pthread_mutex_unlock(&h->lock);
  return h->spare != NULL;
}

/* An empty block at the end of what is filled for it; false: the end. */
static bool add_block(channel *h, request *r)
{
  if (!h->spare && !wait_for_blocks(h))
    return false;
  block *b = h->spare;
  h->spare = b->next;
  b->next = NULL;
  b->used = 0;
  list_move(&r->box.filling, &(block_list){b, b});
  return true;
}

bool channel_body(channel *h, request *r, const char *bytes, size_t size)
{
  while (size) {
    const block *last = r->box.filling.last;
    if ((!last || last->used == BLOCK) && !add_block(h, r))
      return false;
    block *b = r->box.filling.last;
    size_t room = BLOCK - b->used, part = size < room ? size : room;
    memcpy(b->bytes + b->used, bytes, part);
    b->used += part;
    r->box.filled += part;
    touch(h, r);
    bytes += part;
    size -= part;
  }
  return true;
}

void channel_end(channel *h, request *r)
{
  r->box.is_ended = true;
  touch(h, r);
}

bool channel_publish(channel *h, const fd_limit *s)
{
  pthread_mutex_lock(&h->lock);
  h->fd_limit = *s;
  bool is_to_wake = deliver_all(h), is_asleep = !h->down.first && !h->is_ending;
  h->is_network_asleep = is_asleep;
  pthread_mutex_unlock(&h->lock);
  if (is_to_wake)
    wake_caller(h);
  return is_asleep;
}
