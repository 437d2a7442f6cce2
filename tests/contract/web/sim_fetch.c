/* The fetcher of crawler/http/fetch.h on a simulated machine: nothing goes over a network, and the time until something
 * comes passes at once. Defined here, its functions are not taken from the library, and libcurl has nothing to do.
 *
 *     heap, by time and tie:   [12.0403 first byte of h7/3] [12.0405 next piece of h2/9] [42.0000 timeout of h5/1]
 *
 * fetch_poll lets time pass until the first of them, and hands out what is there by then: all of it, or, as on a
 * thread that is busy, a part. Sometimes it returns with nothing before its time, as after a signal. */
#include "crawler/http/fetch.h"

#include "tests/contract/web/sim.h"
#include "tests/contract/web/sim_flight.h"
#include "tests/contract/web/witness.h"

#include <stdlib.h>

enum { EARLY_ONE_IN = 32, PART_ONE_IN = 4 };

struct fetcher {
  fetch_options options;
  fd_limit fd_limit;
  flight **heap; /* 1-based */
  size_t count, room;
  flight *idle;
  bool is_dropped;
};

const char *fetch_header(const fetch_response *response, const char *name, const char *value)
{
  return response->head ? response_head_next(response->head, name, value) : NULL;
}

/* ---- the heap ---------------------------------------------------------------------------------------------- */

static bool is_before(const flight *a, const flight *b)
{
  return a->at_us != b->at_us ? a->at_us < b->at_us : a->tie < b->tie;
}

static bool push(fetcher *f, flight *l)
{
  if (f->count + 2 > f->room) {
    size_t room = 2 * f->room + 64;
    flight **larger = realloc(f->heap, room * sizeof(flight *));
    if (!larger)
      return false;
    f->heap = larger;
    f->room = room;
  }
  size_t at = ++f->count;
  for (; at > 1 && is_before(l, f->heap[at / 2]); at /= 2)
    f->heap[at] = f->heap[at / 2];
  f->heap[at] = l;
  return true;
}

static flight *pop(fetcher *f)
{
  flight *first = f->heap[1], *last = f->heap[f->count--];
  size_t at = 1;
  for (size_t child; (child = 2 * at) <= f->count; at = child) {
    if (child < f->count && is_before(f->heap[child + 1], f->heap[child]))
      child++;
    if (!is_before(f->heap[child], last))
      break;
    f->heap[at] = f->heap[child];
  }
  f->heap[at] = last;
  return first;
}

/* ---- the caller's ------------------------------------------------------------------------------------------- */

fetcher *fetcher_create(const fetch_options *options)
{
  fetcher *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->options = *options;
  f->fd_limit.limit = SIZE_MAX;
  return f;
}

void fetcher_free(fetcher *f)
{
  if (!f)
    return;
  while (f->count)
    flight_free(pop(f));
  for (flight *l = f->idle, *next; l; l = next) {
    next = l->next;
    flight_free(l);
  }
  free(f->heap);
  free(f);
}

bool fetch_start(fetcher *f, const char *address, fetch_receiver receiver)
{
  flight *l = f->idle;
  if (l)
    f->idle = l->next;
  else if (!(l = flight_create(&f->options)))
    return false;
  if (!flight_begin(l, address, &receiver) || !push(f, l)) {
    l->next = f->idle;
    f->idle = l;
    return false;
  }
  witness_asked(address, &l->reply.place);
  return true;
}

size_t fetch_active(const fetcher *f)
{
  return f->count;
}

const fd_limit *fetch_fd_limit(const fetcher *f)
{
  return &f->fd_limit;
}

/* What was to come now. */
static void deliver(fetcher *f)
{
  flight *l = pop(f);
  if (flight_go_on(l)) {
    if (!push(f, l))
      sim_fail("no memory for a flight");
    return;
  }
  witness_answered(l->request->url, &l->reply.place, &l->request->response);
  const fetch_receiver *receiver = &l->request->receiver;
  if (receiver->ended)
    receiver->ended(receiver->context, &l->request->response);
  receiver->finished(receiver->context, &l->request->response);
  l->next = f->idle; /* only now: the response points into it */
  f->idle = l;
}

void fetch_drop_all(fetcher *f)
{
  f->is_dropped = true;
}

uint64_t fetch_waited_ms(const fetcher *f)
{
  (void)f;
  return 0; /* only shares of time depend on it */
}

bool fetch_is_reading(const fetcher *f)
{
  (void)f;
  return false; /* asked by signal handlers, which there are not here */
}

void fetch_poll(fetcher *f, int wait_ms)
{
  if (f->is_dropped)
    return;
  uint64_t now_us = the_sim->us, until_us = now_us + (uint64_t)wait_ms * 1000;
  bool is_early = wait_ms > 0 && sim_throw(EARLY_ONE_IN) == 0;
  if (is_early)
    until_us = now_us + sim_throw((uint64_t)wait_ms * 1000);
  if (!f->count || f->heap[1]->at_us > until_us) {
    sim_pass_us(until_us - now_us);
    return;
  }
  if (f->heap[1]->at_us > now_us)
    sim_pass_us(f->heap[1]->at_us - now_us);
  size_t most = sim_throw(PART_ONE_IN) ? SIZE_MAX : 1;
  uint64_t here_us = the_sim->us; /* while they are delivered, it goes on */
  while (most-- && !f->is_dropped && f->count && f->heap[1]->at_us <= here_us)
    deliver(f);
}
