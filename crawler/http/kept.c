/* See kept.h. Connections are found by socket number, and by a hash of both end points, which is all that libcurl
 * reports of a reused one. Idle connections are also in a list, the one idle longest first. */
#include "crawler/http/kept.h"

#include "frontier/base/vector.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { BUCKETS = 4096, NONE = -1 };

typedef struct connection {
  uint64_t ends;    /* hash of both; 0: not known yet */
  uint64_t serial;  /* 0: the socket is not open */
  int next;         /* in its bucket */
  int older, newer; /* among the idle */
  uint64_t idle_since_ms;
  unsigned users; /* several share one that multiplexes */
  bool is_idle, is_shut;
} connection;

struct kept {
  connection *all; /* by socket */
  size_t room;
  size_t limit, open;
  uint64_t serials;
  uint64_t second, shut; /* so many were shut down in that second */
  int oldest, newest;    /* idle */
  int buckets[BUCKETS];
};

kept *kept_create(size_t limit)
{
  kept *k = calloc(1, sizeof *k);
  if (!k)
    return NULL;
  k->limit = limit;
  k->oldest = k->newest = NONE;
  for (size_t i = 0; i < BUCKETS; i++)
    k->buckets[i] = NONE;
  return k;
}

void kept_free(kept *k)
{
  if (!k)
    return;
  free(k->all);
  free(k);
}

size_t kept_open(const kept *k)
{
  return k->open;
}

/* ---- the idle ones ---------------------------------------------------------------------------------------- */

static void make_idle(kept *k, int socket, uint64_t now_ms)
{
  connection *c = &k->all[socket];
  assert(c->serial && !c->is_idle && !c->is_shut && !c->users);
  c->is_idle = true;
  c->idle_since_ms = now_ms;
  c->older = k->newest;
  c->newer = NONE;
  *(k->newest == NONE ? &k->oldest : &k->all[k->newest].newer) = socket;
  k->newest = socket;
}

static void end_idle(kept *k, connection *c)
{
  if (!c->is_idle)
    return;
  *(c->older == NONE ? &k->oldest : &k->all[c->older].newer) = c->newer;
  *(c->newer == NONE ? &k->newest : &k->all[c->newer].older) = c->older;
  c->is_idle = false;
}

/* The one idle longest; false: none is idle for long enough, or enough made room in this second. */
static bool make_room_for_one(kept *k, uint64_t now_ms)
{
  int socket = k->oldest;
  if (now_ms / 1000 != k->second) {
    k->second = now_ms / 1000;
    k->shut = 0;
  }
  if (socket == NONE || k->all[socket].idle_since_ms + KEPT_IDLE_MS > now_ms || k->shut == KEPT_SHUT_MAX)
    return false;
  end_idle(k, &k->all[socket]);
  k->all[socket].is_shut = true;
  k->open--;
  k->shut++;
  shutdown(socket, SHUT_RDWR);
  return true;
}

void kept_limit(kept *k, size_t limit)
{
  k->limit = limit;
}

/* ---- sockets come and go ---------------------------------------------------------------------------------- */

static bool have_sockets(kept *k, size_t size)
{
  size_t before = k->room;
  if (!HAS_ROOM(k->all, k->room, size))
    return false;
  for (size_t i = before; i < k->room; i++)
    k->all[i] = (connection){.serial = 0};
  return true;
}

/* Without memory for it, it is open and not counted. */
void kept_opened(kept *k, kept_user *user, int socket)
{
  if (!have_sockets(k, (size_t)socket + 1))
    return;
  kept_closed(k, socket); /* if libcurl closed it without a word */
  k->all[socket] = (connection){.serial = ++k->serials};
  k->open++;
  unsigned at = user->openings++ % (sizeof user->opened / sizeof *user->opened);
  user->opened[at].socket = socket;
  user->opened[at].serial = k->serials;
}

static int *bucket_of(kept *k, uint64_t ends)
{
  return &k->buckets[ends % BUCKETS];
}

void kept_closed(kept *k, int socket)
{
  connection *c = (size_t)socket < k->room ? &k->all[socket] : NULL;
  if (!c || !c->serial)
    return;
  end_idle(k, c);
  if (c->ends) {
    int *at = bucket_of(k, c->ends);
    while (*at != socket)
      at = &k->all[*at].next;
    *at = c->next;
  }
  k->open -= !c->is_shut;
  c->serial = 0;
}

/* ---- used, and let go ------------------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
  for (; *text; text++)
    hash = (hash ^ (uint8_t)*text) * 0x100000001B3U;
  return hash;
}

static uint64_t hash_ends(kept_ends ends)
{
  uint64_t hash = hash_text(hash_text(0xCBF29CE484222325U, ends.local), ends.remote);
  hash = (hash ^ (uint64_t)ends.local_port << 16 ^ (uint64_t)ends.remote_port) * 0x9E3779B97F4A7C15U;
  return (hash ^ hash >> 32) | 1;
}

static int find(kept *k, uint64_t ends)
{
  int socket = *bucket_of(k, ends);
  while (socket != NONE && k->all[socket].ends != ends)
    socket = k->all[socket].next;
  return socket;
}

/* Of those opened for this user the one that is still there: others lost the race of addresses, and were closed. */
static int find_new(kept *k, const kept_user *user, uint64_t ends)
{
  for (size_t i = 0; i < sizeof user->opened / sizeof *user->opened; i++) {
    int socket = user->opened[i].socket;
    if (!user->opened[i].serial || k->all[socket].serial != user->opened[i].serial || k->all[socket].ends)
      continue;
    k->all[socket].ends = ends;
    k->all[socket].next = *bucket_of(k, ends);
    *bucket_of(k, ends) = socket;
    return socket;
  }
  return NONE;
}

bool kept_use(kept *k, kept_user *user, kept_ends ends, uint64_t now_ms)
{
  uint64_t hash = hash_ends(ends);
  int socket = find(k, hash);
  bool was_used = socket != NONE;
  if (!was_used)
    socket = find_new(k, user, hash);
  kept_release(k, user, now_ms);
  if (socket == NONE)
    return false;
  connection *c = &k->all[socket];
  user->was_idle = was_used && !c->users;
  end_idle(k, c);
  c->users++;
  user->uses.socket = socket;
  user->uses.serial = c->serial;
  return k->open <= k->limit || make_room_for_one(k, now_ms);
}

void kept_release(kept *k, kept_user *user, uint64_t now_ms)
{
  int socket = user->uses.socket;
  bool is_there = user->uses.serial && k->all[socket].serial == user->uses.serial;
  user->uses.serial = 0;
  user->was_idle = false;
  if (!is_there)
    return;
  connection *c = &k->all[socket];
  assert(c->users > 0);
  if (--c->users == 0 && !c->is_shut)
    make_idle(k, socket, now_ms);
}

bool kept_is_silent(const kept_user *user)
{
  char byte;
  assert(user->uses.serial);
  return recv(user->uses.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}
