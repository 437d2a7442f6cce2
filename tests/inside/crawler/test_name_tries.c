/* crawler/http/name_tries.c: what RES_OPTIONS is for a resolv.conf and a --timeout, and that the C library heeds it. */
#include "crawler/http/name_tries.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <resolv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char home[SCRATCH_PATH], path[SCRATCH_PATH];

CASE(as_long_as_a_fetch)
{
  static const char server[] = "nameserver 127.0.0.1\n";
  static const struct {
    const char *file, *before;
    long timeout_ms;
    const char *after;
  } rows[] = {
    {server, NULL, 1000, " timeout:1 attempts:1"},
    {server, NULL, 1, " timeout:1 attempts:1"},
    {server, NULL, 4001, " timeout:5 attempts:1"},
    {server, NULL, 5000, " timeout:5 attempts:1"},
    {server, NULL, 5001, NULL},
    {server, NULL, 30000, NULL},
    {"# timeout:1\noptions rotate\n", "ndots:3", 2000, "ndots:3 timeout:2 attempts:1"},
    {server, "attempts:3", 2000, "attempts:3"},
    {"nameserver 127.0.0.1\noptions rotate timeout:1\n", NULL, 2000, NULL},
    {"options attempts:3\n", "ndots:3", 2000, "ndots:3"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(rows[i].file, file);
    fclose(file);
    unsetenv("RES_OPTIONS");
    if (rows[i].before)
      setenv("RES_OPTIONS", rows[i].before, 1);
    name_tries_limit(path, rows[i].timeout_ms);
    const char *after = getenv("RES_OPTIONS");
    if (!rows[i].after != !after || (after && strcmp(after, rows[i].after) != 0))
      fail_msg("row %zu: %s", i, after ? after : "none");
  }
}

/* Once a process: it remembers what it read. */
CASE(the_library_heeds_it)
{
  struct __res_state found = {0};
  (void)state;
  unsetenv("RES_OPTIONS");
  name_tries_limit("/nowhere", 3000);
  assert_int_equal(res_ninit(&found), 0);
  assert_int_equal(found.retrans, 3);
  assert_int_equal(found.retry, 1);
  res_nclose(&found);
}

static int set_up(void **state)
{
  (void)state;
  scratch_make(home);
  scratch_join(home, "resolv.conf", path);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  scratch_remove(home);
  return 0;
}

EACH_CASE(set_up, tear_down)
