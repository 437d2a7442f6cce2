/* frontier_before_commit: the caller's files and the commit succeed or fail together. */
#include "frontier/frontier.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[SCRATCH_PATH];

static int set_up(void **state)
{
  (void)state;
  scratch_make(directory);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

static frontier *open_frontier(void)
{
  frontier *f;
  char path[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  const frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 100, .rate = 1e-6, .per_host = 1, .depth_cap = UINT16_MAX};
  scratch_join(directory, "f", path);
  assert_int_equal(frontier_open(path, &options, &f, message), FRONTIER_OK);
  return f;
}

static void add(frontier *f, const char *address)
{
  frontier_verdict verdict;
  url *u = malloc(sizeof *u);
  assert_non_null(u);
  assert_int_equal(url_parse(address, strlen(address), URL_STRICT, u), URL_OK);
  assert_int_equal(frontier_add(f, u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  free(u);
}

typedef struct caller {
  frontier *frontier;
  unsigned calls;
  bool fails;
} caller;

static frontier_status hook(void *context, char message[FRONTIER_MESSAGE_SIZE])
{
  caller *c = context;
  char text[16];
  c->calls++;
  if (c->fails) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "the caller's disk is full");
    return FRONTIER_NO_SPACE;
  }
  snprintf(text, sizeof text, "call %u", c->calls);
  return frontier_setting_put(c->frontier, "calls", text, strlen(text));
}

static void assert_setting(frontier *f, const char *expected)
{
  const void *value;
  size_t size;
  assert_int_equal(frontier_setting_get(f, "calls", &value, &size), FRONTIER_OK);
  assert_int_equal(size, strlen(expected));
  assert_memory_equal(value, expected, size);
}

CASE(what_it_puts_is_of_the_same_commit)
{
  caller c = {.frontier = open_frontier()};
  frontier_before_commit(c.frontier, hook, &c);
  add(c.frontier, "http://h/1");
  assert_int_equal(frontier_sync(c.frontier), FRONTIER_OK);
  assert_int_equal(c.calls, 1);
  assert_int_equal(frontier_sync(c.frontier), FRONTIER_OK); /* nothing to commit: not called */
  assert_int_equal(c.calls, 1);
  assert_int_equal(frontier_close(c.frontier), FRONTIER_OK);
  char last[16]; /* closing commits, too */
  snprintf(last, sizeof last, "call %u", c.calls);
  frontier *f = open_frontier();
  assert_setting(f, last);
  frontier_close(f);
}

CASE(if_it_fails_nothing_is_committed)
{
  frontier_stats stats;
  caller c = {.frontier = open_frontier()};
  frontier_before_commit(c.frontier, hook, &c);
  add(c.frontier, "http://h/1");
  assert_int_equal(frontier_sync(c.frontier), FRONTIER_OK);
  add(c.frontier, "http://h/2");
  c.fails = true;
  assert_int_equal(frontier_sync(c.frontier), FRONTIER_NO_SPACE);
  assert_non_null(strstr(frontier_message(c.frontier), "the caller's disk is full"));
  c.fails = false; /* mended: the batch is still there */
  assert_int_equal(frontier_sync(c.frontier), FRONTIER_OK);
  add(c.frontier, "http://h/3");
  c.fails = true;
  assert_int_equal(frontier_close(c.frontier), FRONTIER_NO_SPACE);
  frontier *f = open_frontier();
  assert_setting(f, "call 3");
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, 2);
  frontier_close(f);
}

EACH_CASE(set_up, tear_down)
