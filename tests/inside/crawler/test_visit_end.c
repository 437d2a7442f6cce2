/* crawler/loop/visit_end.h: a visit that cannot end for want of memory ends the crawl, and its page comes again. */
#include "crawler/loop/crawl.h"
#include "tests/site/small.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static bool is_memory_out;

char *__real_strndup(const char *bytes, size_t size);
char *__wrap_strndup(const char *bytes, size_t size);

/* In its place by --wrap. Of what runs here, only the scope calls it. */
char *__wrap_strndup(const char *bytes, size_t size)
{
  return is_memory_out ? NULL : __real_strndup(bytes, size);
}

/* The start is on 127.0.0.1, and leads to localhost. */
static void answer(int fd, const char *target)
{
  text page = {0};
  if (strcmp(target, "/") == 0)
    text_addf(&page,
              "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\n"
              "Location: http://localhost:%u/home\r\n\r\n",
              small_port);
  else
    text_add(&page, SMALL_LEAF);
  raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static void tick(void *context, const crawl *c)
{
  (void)context, (void)c;
}

static crawl_options options_with(patterns *all, scope *trusted)
{
  return (crawl_options){
    .max_pages = UINT64_MAX,
    .max_bytes = UINT64_MAX,
    .max_ms = 5000,
    .max_depth = UINT16_MAX,
    .ignore_robots = true,
    .tries = 1,
    .patterns = all,
    .trusted = trusted,
    .fetch = {.user_agent = "test", .connections = 4, .timeout_ms = 5000, .max_body = 1 << 20, .allow_private = true}};
}

static crawl_end run(const char *directory, const char *wanted_message, uint64_t wanted_pages)
{
  static url start;
  char address[64], message[FRONTIER_MESSAGE_SIZE] = "";
  int size = snprintf(address, sizeof address, "http://127.0.0.1:%u/", small_port);
  assert_int_equal(url_parse(address, (size_t)size, URL_STRICT, &start), URL_OK);
  frontier *f = NULL;
  const frontier_options of_frontier = {.filter = MLBF_KIND_MLBF,
                                        .profile = URL_STRICT,
                                        .expected_urls = 100,
                                        .rate = 1e-6,
                                        .per_host = 1,
                                        .depth_cap = UINT16_MAX};
  if (frontier_open(directory, &of_frontier, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  scope *hosts = scope_create(SCOPE_HOST), *trusted = scope_create(SCOPE_HOST);
  patterns *all = patterns_create();
  assert_true(hosts && trusted && all && scope_add(hosts, &start));
  crawl_options options = options_with(all, trusted);
  crawl *c = crawl_create(f, hosts, &options);
  assert_non_null(c);
  assert_int_equal(crawl_add_start(c, &start), FRONTIER_OK);
  assert_int_equal(crawl_sync(c), FRONTIER_OK);
  is_memory_out = *wanted_message;
  crawl_end end = crawl_run(c, tick, NULL);
  is_memory_out = false;
  assert_string_equal(crawl_message(c), wanted_message);
  assert_int_equal(frontier_counter(f, "pages"), wanted_pages);
  crawl_free(c);
  scope_free(hosts);
  scope_free(trusted);
  patterns_free(all);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  return end;
}

CASE(a_redirect_that_finds_no_memory)
{
  char directory[SCRATCH_PATH];
  small s = small_open_with(answer);
  scratch_make_fast(directory);
  assert_int_equal(run(directory, "out of memory for the scope", 0), CRAWL_BROKEN);
  assert_int_equal(run(directory, "", 1), CRAWL_FINISHED);
  scratch_remove(directory);
  small_close(&s);
}
