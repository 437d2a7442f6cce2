/* crawler/http/kept.c: which connections stay open, against a plain list; and real sockets that are shut down. */
#include "crawler/http/kept.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { USERS = 8, SOCKETS = 40, LIMIT = 12, STEPS = 20000 };

/* What is true of a socket, as plainly as can be. */
typedef struct plain {
  int ours, peer; /* a pair; -1: closed */
  int users;
  bool is_shut;
  uint64_t idle_since; /* 0: in use, or never used */
} plain;

static plain all[SOCKETS];
static int used_by[USERS]; /* index, -1: none */

static bool is_shut(const plain *p)
{
  char byte;
  return recv(p->peer, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

static bool use(kept *k, kept_user *user, int which, uint64_t now_ms)
{
  kept_ends ends = {.local = "127.0.0.1", .local_port = 1000 + which, .remote = "127.0.0.2", .remote_port = 443};
  return kept_use(k, user, ends, now_ms);
}

static size_t open_now(void)
{
  size_t open = 0;
  for (int i = 0; i < SOCKETS; i++)
    open += all[i].ours >= 0 && !all[i].is_shut;
  return open;
}

/* The model: may one more be kept? If there are too many, the one idle longest makes room. */
static bool has_room(uint64_t now_ms)
{
  plain *oldest = NULL;
  if (open_now() <= LIMIT)
    return true;
  for (int i = 0; i < SOCKETS; i++)
    if (all[i].ours >= 0 && !all[i].is_shut && all[i].idle_since && (!oldest || all[i].idle_since < oldest->idle_since))
      oldest = &all[i];
  if (!oldest || oldest->idle_since + KEPT_IDLE_MS > now_ms)
    return false;
  oldest->is_shut = true;
  oldest->idle_since = 0;
  return true;
}

static void let_go(kept *k, kept_user *user, int who, uint64_t now)
{
  int which = used_by[who];
  kept_release(k, user, now);
  used_by[who] = -1;
  if (which < 0)
    return;
  if (--all[which].users == 0 && !all[which].is_shut)
    all[which].idle_since = now;
}

static void compare(const kept *k)
{
  assert_int_equal(kept_open(k), open_now());
  for (int i = 0; i < SOCKETS; i++)
    if (all[i].ours >= 0)
      assert_int_equal(is_shut(&all[i]), all[i].is_shut);
}

static void open_one(kept *k, kept_user *user, int who, uint64_t now)
{
  int which = 0, pair[2];
  while (which < SOCKETS && all[which].ours >= 0)
    which++;
  if (which == SOCKETS)
    return;
  let_go(k, user, who, now);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  all[which] = (plain){.ours = pair[0], .peer = pair[1]};
  kept_opened(k, user, pair[0]);
  all[which].users = 1;
  used_by[who] = which;
  assert_int_equal(use(k, user, which, now), has_room(now));
}

static void use_again(kept *k, kept_user *user, int who, int which, uint64_t now)
{
  if (all[which].ours < 0 || all[which].is_shut || (!all[which].users && !all[which].idle_since))
    return;
  let_go(k, user, who, now);
  all[which].users++;
  all[which].idle_since = 0;
  used_by[who] = which;
  assert_int_equal(use(k, user, which, now), has_room(now));
}

static void close_one(kept *k, int which)
{
  if (all[which].ours < 0)
    return;
  kept_closed(k, all[which].ours);
  close(all[which].ours);
  close(all[which].peer);
  all[which] = (plain){.ours = -1, .peer = -1};
  for (int who = 0; who < USERS; who++)
    if (used_by[who] == which)
      used_by[who] = -1;
}

CASE(agrees_with_a_plain_list)
{
  uint64_t dice = random_seed();
  kept_user users[USERS] = {0};
  kept *k = kept_create(LIMIT);
  for (int i = 0; i < SOCKETS; i++)
    all[i] = (plain){.ours = -1, .peer = -1};
  for (int i = 0; i < USERS; i++)
    used_by[i] = -1;
  uint64_t now = 1;
  for (unsigned step = 0; step < STEPS; step++, now += 1 + random_below(&dice, 1000)) {
    int who = (int)random_below(&dice, USERS), which = (int)random_below(&dice, SOCKETS);
    switch (random_below(&dice, 8)) {
    case 0:
    case 1:
    case 2: open_one(k, &users[who], who, now); break;
    case 3:
    case 4: use_again(k, &users[who], who, which, now); break;
    case 5:
    case 6: let_go(k, &users[who], who, now); break;
    default: close_one(k, which); break;
    }
    compare(k);
  }
  for (int i = 0; i < SOCKETS; i++)
    close_one(k, i);
  assert_int_equal(kept_open(k), 0);
  kept_free(k);
  kept_free(NULL);
}

/* Bytes and an end are seen, and not taken; what is new, or in use, was not idle. */
CASE(what_came_while_it_was_idle)
{
  kept_user one = {0}, two = {0};
  kept *k = kept_create(LIMIT);
  int pair[2];
  char byte;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  kept_opened(k, &one, pair[0]);
  assert_true(use(k, &one, 0, 1));
  assert_false(one.was_idle);
  assert_true(use(k, &two, 0, 2)); /* they share it */
  assert_false(two.was_idle);
  kept_release(k, &one, 3);
  kept_release(k, &two, 3);
  assert_true(use(k, &two, 0, 4));
  assert_true(two.was_idle);
  assert_true(kept_is_silent(&two));
  assert_int_equal(write(pair[1], "x", 1), 1);
  assert_false(kept_is_silent(&two));
  assert_int_equal(read(pair[0], &byte, 1), 1);
  assert_true(kept_is_silent(&two));
  close(pair[1]);
  assert_false(kept_is_silent(&two));
  kept_closed(k, pair[0]);
  close(pair[0]);
  kept_free(k);
}

/* No more make room in a second than libcurl can look for. */
CASE(so_many_a_second)
{
  enum { MANY = KEPT_SHUT_MAX + 8, LATER_MS = 1000 * KEPT_IDLE_MS };
  static kept_user users[2 * MANY];
  kept *k = kept_create(MANY);
  int pairs[2 * MANY][2];
  unsigned kept_count = 0;
  for (int i = 0; i < 2 * MANY; i++) {
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]), 0);
    kept_opened(k, &users[i], pairs[i][0]);
    kept_count += use(k, &users[i], i, i < MANY ? 0 : LATER_MS);
    if (i < MANY)
      kept_release(k, &users[i], 0);
  }
  assert_int_equal(kept_count, MANY + KEPT_SHUT_MAX);
  for (int i = 0; i < 2 * MANY; i++) {
    plain p = {.peer = pairs[i][1]};
    assert_int_equal(is_shut(&p), i < KEPT_SHUT_MAX); /* those idle longest */
    kept_closed(k, pairs[i][0]);
    close(pairs[i][0]);
    close(pairs[i][1]);
  }
  kept_free(k);
}
