/* crawler/cluster/cluster_name.c and definition.c: what is typed, and what is agreed on. */
#include "crawler/cluster/cluster_name.h"
#include "crawler/cluster/definition.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

/* "kind user server:port,... master name" of what was read. */
static void written(const cluster_name *n, char text[1024])
{
  size_t size = (size_t)snprintf(text, 1024, "%s '%s' ", n->is_sentinel ? "sentinel" : "redis", n->user);
  for (int i = 0; i < n->server_count; i++)
    size += (size_t)snprintf(text + size, 1024 - size, "%s%s:%d", i ? "," : "", n->servers[i].host, n->servers[i].port);
  snprintf(text + size, 1024 - size, " '%s' %s", n->master, n->name);
}

CASE(each_text_names_servers_and_a_crawl)
{
  static const char *const rows[][2] = {
    {"redis://127.0.0.1/demo", "redis '' 127.0.0.1:6379 '' demo"},
    {"redis://crawler@cache.example.org:7000/news-2026.1", "redis 'crawler' cache.example.org:7000 '' news-2026.1"},
    {"redis://a,b:1,[::1]:65535/n", "redis '' a:6379,b:1,::1:65535 '' n"},
    {"redis+sentinel://s1,s2:26380/mymaster/n", "sentinel '' s1:26379,s2:26380 'mymaster' n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cluster_name name;
    char message[CLUSTER_NAME_MESSAGE] = "", text[1024];
    if (!cluster_name_read(rows[i][0], &name, message))
      fail_msg("%s: %s", rows[i][0], message);
    written(&name, text);
    assert_string_equal(text, rows[i][1]);
  }
}

CASE(what_is_none_is_refused_without_its_password)
{
  static const char *const rows[] = {
    "",
    "demo",
    "http://127.0.0.1/demo",
    "redis://",
    "redis:///demo",
    "redis://h",
    "redis://h/",
    "redis://h/a/b",
    "redis://h/a b",
    "redis://h:0/a",
    "redis://h:65536/a",
    "redis://h:x/a",
    "redis://h:/a",
    "redis://[::1/a",
    "redis://[::1]x/a",
    "redis://h,/a",
    "redis://,h/a",
    "redis://user:secret@h/a",
    "redis://:secret@h/a",
    "redis://@h/a",
    "rediss://h/a",
    "redis+sentinel://h/a",
    "redis+sentinel://h//a",
    "redis://h/\xC3\xA4",
    "redis://a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q/x",
    "redis://h/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cluster_name name;
    char message[CLUSTER_NAME_MESSAGE] = "";
    if (cluster_name_read(rows[i], &name, message))
      fail_msg("%s was taken", rows[i]);
    assert_true(strlen(message) > 10);
    assert_null(strstr(message, "secret"));
  }
}

CASE(the_option_that_differs_is_named)
{
  definition ours = {.size = 0}, theirs = {.size = 0};
  char message[DEFINITION_MESSAGE], value[32];
  definition_put(&ours, "partitions", "%d", 4);
  definition_put(&ours, "filter", "exact");
  definition_put(&ours, ".route-key", "aa");
  definition_put(&theirs, "partitions", "%d", 4);
  definition_put(&theirs, "filter", "exact");
  definition_put(&theirs, ".route-key", "bb");
  assert_true(definition_agrees(theirs.text, ours.text, message));
  assert_true(definition_get(theirs.text, ".route-key", value, sizeof value));
  assert_string_equal(value, "bb");
  assert_false(definition_get(theirs.text, "part", value, sizeof value));
  assert_false(definition_get(theirs.text, "partitions", value, 1));
  definition_put(&theirs, "max-pages", "10");
  assert_false(definition_agrees(theirs.text, ours.text, message));
  assert_string_equal(message, "--max-pages: the crawl was begun with 10, and this is another version of strata");
  definition_put(&ours, "max-pages", "20");
  assert_false(definition_agrees(theirs.text, ours.text, message));
  assert_string_equal(message, "--max-pages: the crawl was begun with 10, and this is 20");
  assert_false(definition_agrees("nonsense", ours.text, message));
  for (int i = 0; i < 1000; i++)
    definition_put(&ours, "line", "%d", i);
  assert_true(ours.is_cut && ours.size < sizeof ours.text && !ours.text[ours.size]);
}
