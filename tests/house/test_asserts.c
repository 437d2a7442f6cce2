/* Asserts are on in this build, and a caller's mistake ends the program at the border it crosses, not somewhere behind
 * it. That a release has none: test_asserts.sh. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crawler/http/per_address.h"
#include "crawler/base/json.h"
#include "datasets/sort/sorter.h"
#include "frontier/hosts/leases.h"
#include "frontier/hosts/schedule.h"
#include "mlbf/filter/cells.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

/* In a child, which says nothing: how it ended. */
static int run(void (*act)(void))
{
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO);
    signal(SIGABRT, SIG_DFL);
    act();
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static void assert_aborts(void (*act)(void))
{
  int status = run(act);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGABRT);
}

/* ---- the flags ------------------------------------------------------------------------------------------ */

static volatile bool is_true = true; /* or it could be said as it compiles */

static void say_what_is_true(void)
{
  assert(is_true);
}

static void say_what_is_false(void)
{
  assert(!is_true);
}

CASE(asserts_are_on)
{
  assert_int_equal(run(say_what_is_true), 0);
  assert_aborts(say_what_is_false);
}

/* ---- one mistake for each room -------------------------------------------------------------------------- */

static void set_a_cell_too_large(void)
{
  unsigned char bytes[64] = {0};
  mlbf_cells cells = {.bytes = bytes, .count = 16, .bits = 4};
  mlbf_cells_set(&cells, 3, 15);
  mlbf_cells_set(&cells, 3, 16);
}

static void set_a_cell_that_is_not_there(void)
{
  unsigned char bytes[64] = {0};
  mlbf_cells cells = {.bytes = bytes, .count = 16, .bits = 4};
  mlbf_cells_set(&cells, 16, 1);
}

static void land_twice(void)
{
  int64_t wait_ms;
  hosts *h = hosts_create(0, 1, test_hasher());
  host *who = hosts_find(h, "a", 1);
  entry *e = entry_create(NULL, 1, "u", 1, 0, 1, (frontier_origin){0}, (field){0});
  e->host = who;
  hosts_push(h, e);
  if (hosts_pop_due(h, 0, &wait_ms) != e)
    return;
  hosts_landed(h, who, FRONTIER_NORMAL);
  hosts_landed(h, who, FRONTIER_NORMAL);
}

static void push_into_no_line(void)
{
  hosts *h = hosts_create(0, 1, test_hasher());
  entry *e = entry_create(NULL, 1, "u", 1, 0, 1, (frontier_origin){0}, (field){0});
  e->host = hosts_find(h, "a", 1);
  e->class = FRONTIER_LOW; /* host_reserve was forgotten */
  hosts_push(h, e);
}

static void end_a_lease_that_is_not(void)
{
  lease_table leases = {0};
  entry *e = entry_create(NULL, 1, "u", 1, 0, 1, (frontier_origin){0}, (field){0});
  leases_remove(&leases, e);
}

static int by_byte(const void *a, const void *b)
{
  return memcmp(a, b, 1);
}

static void add_to_a_finished_sorter(void)
{
  sorter *s = sorter_create("/tmp", 1, by_byte, 16);
  if (sorter_add(s, "b") && sorter_finish(s))
    sorter_add(s, "a");
}

static void leave_an_address_twice(void)
{
  address_place where;
  uint64_t wait_ms;
  per_address *a = per_address_create(1, test_secret(0));
  if (!per_address_enter(a, "example.com", 11, &where, &wait_ms))
    return;
  per_address_leave(a, where);
  per_address_leave(a, where);
}

static void end_what_was_not_begun(void)
{
  json j = {0};
  json_end(&j);
}

CASE(mistakes_are_noticed)
{
  void (*const mistakes[])(void) = {set_a_cell_too_large,   set_a_cell_that_is_not_there, land_twice,
                                    push_into_no_line,      end_a_lease_that_is_not,      add_to_a_finished_sorter,
                                    leave_an_address_twice, end_what_was_not_begun};
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    print_message("mistake %zu\n", i);
    assert_aborts(mistakes[i]);
  }
}
