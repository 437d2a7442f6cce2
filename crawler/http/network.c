/* Requests on libcurl's multi interface. A transfer is an easy handle, used again and again:
 *
 *     idle --network_begin--> running --collect--> idle, and its request is `finished`
 *               |                |  ^
 *               |     no descriptor  `-- a second try, at once
 *               |                v
 *               '----------> waiting --start_waiting--> running
 *          as many run as fd_limit allows
 *
 * Always: a transfer is in one of these three. `active` counts running and waiting, and only running ones are in
 * libcurl's multi handle. A transfer has a request while it is not idle. Each request that is begun is finished once,
 * also when memory runs out; network_free drops those that are under way. To find no descriptor is no failure: the
 * transfer waits until fewer run than fd_limit allows.
 *
 * Called by fetch.c on one thread, the network's own or the caller's; network_wake on any. Nothing is on disk. */
#include "crawler/http/network.h"

#include "crawler/http/address_share.h"
#include "crawler/http/ssrf_guard.h"
#include "crawler/http/header_list.h"
#include "crawler/http/transfer.h"
#include "frontier/base/machine.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  DESCRIPTORS_MS = 50,
  PAUSE_MS = 10, /* where waiting itself fails */
  LOOK_MS = 250, /* what came over the wire, and whose time is over, is looked at so often */
  TURN_MS = 250, /* a turn of libcurl's that takes longer takes no one's time but its own */
};

struct network {
  CURLM *multi;
  const fetch_options *options;
  transfer_setting setting;
  network_receiver receiver;
  transfer *waiting; /* for others to give descriptors back */
  size_t waiting_count;
  fd_limit fd_limit;
  transfer *idle;
  transfer **all;
  size_t all_count, all_room;
  size_t active;
  name_limit names;
  length_doubts doubts;
  uint64_t look_ms; /* the next */
  /* The time that transfers have (their until_ms), which stands still while libcurl has no turn: because one of them
   * holds it up, or readers do, or, without a thread, the caller. */
  uint64_t clock_ms, turn_ms, awaited_ms; /* as of turn_ms; since then there was so much waiting for the network */
};

/* ---- transfers ------------------------------------------------------------------------------------------ */

/* Those without a request are idle; those that wait are active, too. */
static void assert_network(const network *n)
{
  assert(n->waiting_count <= n->active && n->active <= n->all_count && n->all_count <= n->all_room);
  assert((n->waiting != NULL) == (n->waiting_count > 0));
  assert(!n->idle || (!n->idle->request && n->active < n->all_count));
  (void)n;
}

static transfer *make_transfer(network *n)
{
  if (!HAS_ROOM(n->all, n->all_room, n->all_count + 1))
    return NULL;
  transfer *t = transfer_create(&n->setting);
  if (t)
    n->all[n->all_count++] = t;
  return t;
}

static transfer *take_idle(network *n)
{
  transfer *t = n->idle;
  if (!t)
    return make_transfer(n);
  n->idle = t->next;
  return t;
}

static void put_idle(network *n, transfer *t)
{
  t->request = NULL;
  t->next = n->idle;
  n->idle = t;
}

/* ---- their time ------------------------------------------------------------------------------------------- */

static void pass_time(network *n)
{
  uint64_t now_ms = machine_monotonic_ms(), passed = now_ms - n->turn_ms, most = n->awaited_ms + TURN_MS;
  n->clock_ms += passed < most ? passed : most;
  n->turn_ms = now_ms;
  n->awaited_ms = 0;
}

/* With all of its time; false: out of memory. */
static bool run(network *n, transfer *t)
{
  t->until_ms = n->clock_ms + (uint64_t)n->options->timeout_ms;
  return curl_multi_add_handle(n->multi, t->easy) == CURLM_OK;
}

/* By its own time; libcurl, which looks at connecting alone, has only the machine's. */
static bool is_late(const network *n, const transfer *t)
{
  return n->clock_ms + LOOK_MS >= t->until_ms;
}

/* ---- without descriptors --------------------------------------------------------------------------------- */

/* So many transfers bring several pieces in a moment: they then cost one poll and one change of threads. That saves a
 * tenth of the CPU time of a crawl of small pages, and each piece was to wait for the reader anyway. */
enum { GATHER_LEAST = 8, GATHER_US = 50 };

static size_t running(const network *n)
{
  return n->active - n->waiting_count;
}

static void put_waiting(network *n, transfer *t)
{
  t->until_ms = 0;
  t->next = n->waiting;
  n->waiting = t;
  n->waiting_count++;
}

/* Those in use are limited by who begins requests, those kept for later by kept.h. While descriptors are short none is
 * kept, and libcurl itself opens no more than there may be. */
static void limit_connections(network *n)
{
  const fetch_options *o = n->options;
  bool is_short = n->fd_limit.limit < o->connections;
  long most = is_short ? (long)n->fd_limit.limit : 0; /* no limit */
  kept_limit(n->setting.kept, is_short ? n->fd_limit.limit : (size_t)o->connections + o->kept);
  curl_multi_setopt(n->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, most);
  curl_multi_setopt(n->multi, CURLMOPT_MAXCONNECTS, most);
}

/* It has not failed. Connections kept for later give their descriptors back first. */
static void postpone(network *n, transfer *t)
{
  curl_multi_remove_handle(n->multi, t->easy);
  put_waiting(n, t);
  fd_limit_note(&n->fd_limit, running(n), machine_monotonic_ms());
  limit_connections(n);
}

static void relieve(network *n)
{
  if (n->fd_limit.was_met && fd_limit_relieve(&n->fd_limit, n->options->connections, machine_monotonic_ms()))
    limit_connections(n);
}

const fd_limit *network_fd_limit(const network *n)
{
  return &n->fd_limit;
}

/* ---- how a request ends ---------------------------------------------------------------------------------- */

static void finish(network *n, transfer *t, CURLcode code)
{
  request *r = t->request;
  assert(r && n->active > n->waiting_count); /* no request ends while it waits */
  transfer_conclude(t, code);
  curl_multi_remove_handle(n->multi, t->easy);
  n->active--;
  put_idle(n, t);
  n->receiver.finished(n->receiver.context, r);
}

static bool try_again(network *n, transfer *t, CURLcode code)
{
  bool is_early = code == CURLE_OPERATION_TIMEDOUT && !is_late(n, t);
  if (!is_early && ((n->options->delay_ms && !t->was_stale) || !transfer_deserves_second_try(t, code)))
    return false;
  curl_multi_remove_handle(n->multi, t->easy);
  if (!is_early)
    transfer_set_second_try(t);
  return curl_multi_add_handle(n->multi, t->easy) == CURLM_OK;
}

/* It came to nothing, and not because of the network. */
static void fail(network *n, request *r, fetch_error error, const char *explanation)
{
  r->response.error = error;
  r->response.explanation = explanation;
  n->receiver.finished(n->receiver.context, r);
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

static bool make_setting(network *n)
{
  const fetch_options *o = n->options;
  bool has_trust = o->user || o->headers, has_share = o->per_address && o->delay_ms && !o->proxy;
  n->setting = (transfer_setting){.options = o,
                                  .headers = header_list_create(o, NULL),
                                  .body = n->receiver.body,
                                  .context = n->receiver.context,
                                  .uses_handle_once = transfer_uses_handle_once(),
                                  .trusted_headers = has_trust ? header_list_create(o, o->headers) : NULL,
                                  .cookies = o->cookie_file ? cookies_create() : NULL,
                                  .tls = o->trust ? tls_create(o->trust) : NULL,
                                  .kept = kept_create(SIZE_MAX),
                                  .names = &n->names,
                                  .doubts = &n->doubts,
                                  .addresses = has_share ? address_share_create(o->per_address, o->delay_ms) : NULL};
  if (n->setting.cookies)
    cookies_read(n->setting.cookies, o->cookie_file, machine_wall_ms() / 1000); /* "": none but those that are set */
  return n->setting.headers && (n->setting.trusted_headers || !has_trust) && (n->setting.cookies || !o->cookie_file) &&
         (n->setting.tls || !o->trust) && n->setting.kept && (n->setting.addresses || !has_share);
}

network *network_create(const fetch_options *options, network_receiver receiver)
{
  network *n = calloc(1, sizeof *n);
  if (!n || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    free(n);
    return NULL;
  }
  n->options = options;
  n->receiver = receiver;
  n->fd_limit.limit = SIZE_MAX;
  n->names.threads = (uint64_t)options->connections + options->readers + NAME_LIMIT_GIVEN_UP;
  n->multi = curl_multi_init();
  if (!n->multi || !make_setting(n)) {
    network_free(n);
    return NULL;
  }
  limit_connections(n);
  return n;
}

void network_free(network *n)
{
  if (!n)
    return;
  for (size_t i = 0; i < n->all_count; i++) {
    curl_multi_remove_handle(n->multi, n->all[i]->easy);
    transfer_free(n->all[i]);
  }
  free(n->all);
  curl_multi_cleanup(n->multi);
  curl_slist_free_all(n->setting.headers);
  curl_slist_free_all(n->setting.trusted_headers);
  cookies_free(n->setting.cookies);
  tls_free(n->setting.tls);
  kept_free(n->setting.kept);
  address_share_free(n->setting.addresses);
  length_doubts_clear(&n->doubts);
  curl_global_cleanup();
  free(n);
}

/* A proxy would connect to whatever we name. */
static bool is_for_proxy_to_refuse(const fetch_options *o, const char *url)
{
  const char *host = strstr(url, "://");
  if (o->allow_private || !o->proxy)
    return false;
  return !host || !ssrf_host_is_public(host + 3, strcspn(host + 3, "/?#"));
}

void network_begin(network *n, request *r)
{
  static const char no_memory[] = "out of memory";
  if (is_for_proxy_to_refuse(n->options, r->url)) {
    fail(n, r, FETCH_PRIVATE, transfer_not_public);
    return;
  }
  transfer *t = take_idle(n);
  if (!t) {
    fail(n, r, FETCH_OTHER, no_memory);
    return;
  }
  assert_network(n);
  pass_time(n);
  bool is_set = transfer_set(t, r), is_turn = running(n) < n->fd_limit.limit;
  if (!is_set || (is_turn && !run(n, t))) {
    put_idle(n, t);
    fail(n, r, FETCH_OTHER, no_memory);
    return;
  }
  n->active++;
  if (!is_turn)
    put_waiting(n, t);
}

static void collect(network *n)
{
  int left;
  for (CURLMsg *message; (message = curl_multi_info_read(n->multi, &left));) {
    if (message->msg != CURLMSG_DONE)
      continue;
    transfer *t;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t);
    CURLcode code = message->data.result; /* the message goes with the handle */
    if (transfer_lacks_descriptor(t, code)) {
      postpone(n, t);
      continue;
    }
    relieve(n);
    if (!try_again(n, t, code))
      finish(n, t, code);
  }
}

/* Ends what sends too much that is no body, what takes too long, and what does not send the body of a redirect. */
static void end_endless(network *n)
{
  if (n->turn_ms < n->look_ms)
    return;
  n->look_ms = n->turn_ms + LOOK_MS;
  for (size_t i = 0; i < n->all_count; i++) {
    transfer *t = n->all[i];
    if (t->request && t->connection.uses.serial && transfer_exceeds_wire(t))
      finish(n, t, CURLE_WRITE_ERROR);
    else if (t->request && ((t->until_ms && n->clock_ms >= t->until_ms) || transfer_lingers(t, n->turn_ms)))
      finish(n, t, CURLE_OPERATION_TIMEDOUT);
  }
}

static void start_waiting(network *n)
{
  if (!n->waiting || machine_monotonic_ms() < n->fd_limit.retry_at_ms)
    return;
  while (n->waiting && running(n) < n->fd_limit.limit) {
    transfer *t = n->waiting;
    n->waiting = t->next;
    n->waiting_count--;
    t->was_without_descriptor = false;
    if (!run(n, t))
      finish(n, t, CURLE_OUT_OF_MEMORY);
  }
}

void network_work(network *n)
{
  int still;
  assert_network(n);
  pass_time(n);
  start_waiting(n);
  if (n->setting.tls)
    tls_went_on(n->setting.tls);
  curl_multi_perform(n->multi, &still);
  collect(n);
  end_endless(n);
  assert_network(n);
}

void network_gather(const network *n)
{
  if (running(n) >= GATHER_LEAST)
    machine_sleep_us(GATHER_US);
}

void network_wait(network *n, int wait_ms)
{
  if (n->waiting && wait_ms > DESCRIPTORS_MS)
    wait_ms = DESCRIPTORS_MS; /* no event says that descriptors are free again */
  if (running(n) && wait_ms > LOOK_MS)
    wait_ms = LOOK_MS;
  n->awaited_ms += wait_ms > 0 ? (uint64_t)wait_ms : 0;
  /* poll(2) refuses more than RLIMIT_NOFILE */
  if (curl_multi_poll(n->multi, NULL, 0, wait_ms, NULL) != CURLM_OK)
    machine_sleep_ms(PAUSE_MS);
}

void network_wake(network *n)
{
  curl_multi_wakeup(n->multi);
}
