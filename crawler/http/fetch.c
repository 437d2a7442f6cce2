/* See fetch.h. On a thread of its own the network goes on while the caller reads pages and waits for the disk. The
 * caller need not know of it: receivers are called by fetch_poll, and nothing else is shared (channel.h).
 *
 * It pays where the caller waits for disks, and where a second core is free: README.md has the figures. */
#include "crawler/http/fetch.h"

#include "crawler/http/channel.h"
#include "crawler/http/network.h"
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
  atomic_bool is_dropped;           /* nothing of any fetch is wanted any more */
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
  r->receiver.body(r->receiver.context, r->response.status, r->response.content_type, bytes, size);
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
  const fetcher *f = context;
  if (f->is_dropped)
    return false;
  if (f->channel)
    return channel_body(f->channel, r, bytes, size);
  give_piece(r, bytes, size);
  return true;
}

static void request_ended(void *context, request *r)
{
  fetcher *f = context;
  if (f->is_dropped) /* it goes with the fetcher */
    return;
  if (f->channel)
    channel_end(f->channel, r); /* if the whole ends, so does the request, with the fetcher */
  else
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
    if (channel_publish(f->channel, network_fd_limit(f->network)))
      network_wait(f->network, IDLE_MS);
  }
  return NULL;
}

static bool has_second_core(void)
{
  cpu_set_t ours;
  return sched_getaffinity(0, sizeof ours, &ours) == 0 && CPU_COUNT(&ours) > 1;
}

/* Signals are for the thread that crawls: they end its waiting. */
static bool start_thread(fetcher *f)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  f->has_thread = pthread_create(&f->thread, NULL, work, f) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return f->has_thread;
}

static void stop_thread(fetcher *f)
{
  channel_finish(f->channel);
  network_wake(f->network);
  pthread_join(f->thread, NULL);
}

/* Call the receivers with what came, DELIVERED_MAX bytes of it, so that the caller sees soon that it is to stop; false:
 * nothing did. */
static bool deliver(fetcher *f)
{
  enum { DELIVERED_MAX = 1 << 20 };
  size_t bytes = 0;
  /* then the caller may start others, so that the network has work while it goes on; a quarter of them costs more
   * wake-ups, with all of them one side waits for the other */
  size_t most = f->active / 2 + 1;
  bool any = false;
  for (channel_event event; most && !f->is_dropped && bytes < DELIVERED_MAX && channel_next(f->channel, &event);
       any = true) {
    bytes += event.size;
    if (event.bytes) {
      give_piece(event.request, event.bytes, event.size);
    } else {
      give_response(f, event.request);
      most--;
    }
  }
  return any;
}

static void poll_thread(fetcher *f, int wait_ms)
{
  if (channel_push(f->channel))
    network_wake(f->network);
  if (deliver(f) || wait_ms == 0)
    return;
  channel_wait(f->channel, wait_ms);
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
  f->network = network_create(&f->options, (network_receiver){body_came, request_ended, f});
  bool wants_thread = options->has_thread && has_second_core();
  if (wants_thread)
    f->channel = channel_create();
  if (f->network && (!wants_thread || (f->channel && start_thread(f))))
    return f;
  fetcher_free(f);
  return NULL;
}

void fetcher_free(fetcher *f)
{
  if (!f)
    return;
  if (f->has_thread)
    stop_thread(f);
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
  if (!f->has_news)
    network_wait(f->network, wait_ms);
}

void fetch_drop_all(fetcher *f)
{
  f->is_dropped = true;
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
