/* See fetch.h. On a thread of its own the network goes on while the caller waits for the disk; bodies are read by more
 * threads, and by the caller's when it has nothing else to do (channel.h). A caller that wants nothing of this leaves
 * its receivers' reads_anywhere false: then fetch_poll calls them, and nothing else is shared.
 *
 * It pays where the caller waits for disks, and where a second core is free: README.md has the figures. */
#include "crawler/http/fetch.h"

#include "crawler/http/channel.h"
#include "crawler/http/network.h"
#include "frontier/base/machine.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { IDLE_MS = 1000 }; /* of the network's thread; it is woken when there is work */

struct fetcher {
  fetch_options options;
  network *network;
  channel *channel; /* NULL: the network is on the caller's thread */
  pthread_t thread;
  bool has_thread;
  pthread_t *readers;
  unsigned reader_count;
  atomic_bool is_dropped; /* nothing of any fetch is wanted any more */
  atomic_bool is_reading;
  uint64_t waited_ms;
  request *started, **started_last; /* without a thread: to be begun by the next poll */
  bool has_news;                    /* since that poll began */
  request *idle;
  request **all;
  size_t all_count, all_room;
  size_t active;
};

const char *fetch_header(const fetch_response *response, const char *name, const char *value)
{
  return response->head ? response_head_next(response->head, name, value) : NULL;
}

/* ---- requests --------------------------------------------------------------------------------------------- */

static void assert_fetcher(const fetcher *f)
{
  assert(f->active <= f->all_count && f->all_count <= f->all_room);
  assert(!f->idle || f->active < f->all_count); /* no request is both; one whose receiver is called is neither */
  assert((f->started != NULL) == (f->started_last != &f->started) && !*f->started_last);
  assert(!f->channel || !f->started);
  (void)f;
}

static request *make_request(fetcher *f)
{
  if (!HAS_ROOM(f->all, f->all_room, f->all_count + 1))
    return NULL;
  request *r = request_create(&f->options);
  if (r)
    f->all[f->all_count++] = r;
  return r;
}

static void put_idle(fetcher *f, request *r)
{
  r->next = f->idle;
  f->idle = r;
}

static void give_piece(const request *r, const char *bytes, size_t size)
{
  r->receiver.body(r->receiver.context, &r->response, bytes, size);
}

static void give_end(const request *r)
{
  if (r->receiver.ended)
    r->receiver.ended(r->receiver.context, &r->response);
}

static void give_response(fetcher *f, request *r)
{
  assert(f->active);
  f->active--;
  f->has_news = true;
  r->receiver.finished(r->receiver.context, &r->response);
  put_idle(f, r); /* only now: the response points into it */
}

/* ---- the network tells ------------------------------------------------------------------------------------ */

static bool body_came(void *context, request *r, const char *bytes, size_t size)
{
  fetcher *f = context;
  if (f->is_dropped)
    return false;
  if (f->channel)
    return channel_body(f->channel, r, bytes, size);
  f->is_reading = true;
  give_piece(r, bytes, size);
  f->is_reading = false;
  return true;
}

static void request_ended(void *context, request *r)
{
  fetcher *f = context;
  if (f->is_dropped) /* it goes with the fetcher */
    return;
  if (f->channel) {
    channel_end(f->channel, r); /* if the whole ends, so does the request, with the fetcher */
    return;
  }
  f->is_reading = true;
  give_end(r);
  f->is_reading = false;
  if (!f->is_dropped)
    give_response(f, r);
}

static void begin_all(network *n, request *started)
{
  for (request *next; started; started = next) {
    next = started->next; /* once begun, it may be over, and the caller's again */
    network_begin(n, started);
  }
}

/* ---- its thread ------------------------------------------------------------------------------------------- */

static void *work(void *context)
{
  fetcher *f = context;
  for (request *started; channel_take(f->channel, &started);) {
    begin_all(f->network, started);
    network_work(f->network);
    if (!channel_publish(f->channel, network_fd_limit(f->network)))
      continue;
    network_gather(f->network);
    network_wait(f->network, IDLE_MS);
  }
  return NULL;
}

/* Of a job; how many bytes. */
static size_t read_job(const fetcher *f, const channel_job *job)
{
  size_t all = 0, size;
  for (const struct channel_block *piece = job->pieces; piece && !f->is_dropped; all += size) {
    const char *bytes = channel_piece(piece, &size, &piece);
    give_piece(job->request, bytes, size);
  }
  if (job->is_last && !f->is_dropped)
    give_end(job->request);
  return all;
}

static void *read_all(void *context)
{
  const fetcher *f = context;
  for (channel_job job; channel_read(f->channel, &job); channel_was_read(f->channel, &job))
    read_job(f, &job);
  return NULL;
}

static unsigned cores(void)
{
  cpu_set_t ours;
  return sched_getaffinity(0, sizeof ours, &ours) == 0 ? (unsigned)CPU_COUNT(&ours) : 1;
}

static bool start_readers(fetcher *f)
{
  unsigned count = f->options.readers;
  f->readers = calloc(count + 1, sizeof *f->readers);
  while (f->readers && f->reader_count < count && pthread_create(&f->readers[f->reader_count], NULL, read_all, f) == 0)
    f->reader_count++;
  return f->readers && f->reader_count == count;
}

/* Signals are for the thread that crawls: they end its waiting. */
static bool start_threads(fetcher *f)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  f->has_thread = pthread_create(&f->thread, NULL, work, f) == 0;
  bool has_all = f->has_thread && start_readers(f);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return has_all;
}

static void stop_threads(fetcher *f)
{
  channel_finish(f->channel);
  network_wake(f->network);
  pthread_join(f->thread, NULL);
  for (unsigned i = 0; i < f->reader_count; i++)
    pthread_join(f->readers[i], NULL);
}

/* One that waits to be read is read here; its bytes are added. false: none waits. */
static bool read_one(fetcher *f, size_t *bytes)
{
  channel_job job;
  if (!channel_read_here(f->channel, &job))
    return false;
  f->is_reading = true;
  *bytes += read_job(f, &job);
  f->is_reading = false;
  channel_was_read(f->channel, &job);
  return true;
}

/* Those that are over first, then what is to be read, DELIVERED_MAX bytes of it, so that the caller sees soon that it
 * is to stop; false: there was nothing. */
static bool deliver(fetcher *f)
{
  enum { DELIVERED_MAX = 1 << 20 };
  size_t bytes = 0;
  /* then the caller may start others, so that the network has work while it goes on; a quarter of them costs more
   * wake-ups, with all of them one side waits for the other */
  size_t most = f->active / 2 + 1;
  bool any = false, is_more = true;
  while (most && is_more && !f->is_dropped && bytes < DELIVERED_MAX) {
    request *r = channel_ended(f->channel);
    if (r) {
      give_response(f, r);
      most--;
    } else {
      is_more = read_one(f, &bytes);
    }
    any |= is_more;
  }
  return any;
}

static void poll_thread(fetcher *f, int wait_ms)
{
  if (channel_push(f->channel))
    network_wake(f->network);
  if (deliver(f) || wait_ms == 0)
    return;
  uint64_t since_ms = machine_monotonic_ms();
  channel_wait(f->channel, wait_ms);
  f->waited_ms += machine_monotonic_ms() - since_ms;
  deliver(f);
}

/* ---- the caller's ----------------------------------------------------------------------------------------- */

fetcher *fetcher_create(const fetch_options *options)
{
  fetcher *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->options = *options;
  f->started_last = &f->started;
  unsigned others = options->has_thread ? cores() - 1 : 0;
  bool wants_threads = others > 0;
  f->options.readers = options->readers < others ? options->readers : others;
  f->network = network_create(&f->options, (network_receiver){body_came, request_ended, f});
  if (wants_threads)
    f->channel = channel_create();
  if (f->network && (!wants_threads || (f->channel && start_threads(f))))
    return f;
  fetcher_free(f);
  return NULL;
}

void fetcher_free(fetcher *f)
{
  if (!f)
    return;
  f->is_dropped = true;
  if (f->has_thread)
    stop_threads(f);
  free(f->readers);
  network_free(f->network);
  channel_free(f->channel);
  for (size_t i = 0; i < f->all_count; i++)
    request_free(f->all[i]);
  free(f->all);
  free(f);
}

bool fetch_start(fetcher *f, const char *url, fetch_receiver receiver)
{
  request *r = f->idle;
  assert_fetcher(f);
  if (r)
    f->idle = r->next;
  else if (!(r = make_request(f)))
    return false;
  if (!request_begin(r, url, &receiver)) {
    put_idle(f, r);
    return false;
  }
  f->active++;
  if (f->channel) {
    channel_start(f->channel, r);
    return true;
  }
  r->next = NULL;
  *f->started_last = r;
  f->started_last = &r->next;
  return true;
}

size_t fetch_active(const fetcher *f)
{
  return f->active;
}

const fd_limit *fetch_fd_limit(const fetcher *f)
{
  return f->channel ? channel_fd_limit(f->channel) : network_fd_limit(f->network);
}

static void poll_network(fetcher *f, int wait_ms)
{
  request *started = f->started;
  f->started = NULL;
  f->started_last = &f->started;
  f->has_news = false;
  begin_all(f->network, started);
  network_work(f->network);
  if (f->has_news)
    return;
  uint64_t since_ms = machine_monotonic_ms();
  network_wait(f->network, wait_ms);
  f->waited_ms += machine_monotonic_ms() - since_ms;
}

void fetch_drop_all(fetcher *f)
{
  f->is_dropped = true;
}

uint64_t fetch_waited_ms(const fetcher *f)
{
  return f->waited_ms;
}

bool fetch_is_reading(const fetcher *f)
{
  return f->is_reading;
}

void fetch_poll(fetcher *f, int wait_ms)
{
  assert_fetcher(f);
  if (f->is_dropped)
    return;
  if (f->channel)
    poll_thread(f, wait_ms);
  else
    poll_network(f, wait_ms);
}
