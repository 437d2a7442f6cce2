/* The test server and the generated site tested themselves: what judges the crawler must not be wrong in its favour.
 * The judges of this judge are libgumbo (what a browser takes for a link) and uriparser (where a reference leads). */
#include "tests/site/http.h"
#include "tests/site/judge.h"
#include "tests/site/site_page.h"
#include "tests/site/random.h"
#include "tests/site/target.h"
#include "tests/site/tree.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <gumbo.h>
#include <uriparser/Uri.h>

static const spell_place place = {"127.0.0.1", 8080, NULL};

static site *make_site(uint64_t seed)
{
  return site_create(&(site_options){seed, 500, place.host, place.port});
}

CASE(http_requests)
{
  static const struct {
    http_progress progress;
    const char *head;
  } rows[] = {
    {HTTP_DONE, "GET /a?b HTTP/1.1\r\nHost: h:1\r\nUser-Agent: x/1\r\n\r\n"},
    {HTTP_DONE, "HEAD / HTTP/1.0\r\nhOST:h\r\n\r\nGET /next"},
    {HTTP_MORE, "GET / HTTP/1.1\r\nHost: h\r\n"},
    {HTTP_MORE, ""},
    {HTTP_BAD, "GET / HTTP/1.1\r\n\r\n"},               /* no Host */
    {HTTP_BAD, "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"}, /* a space in the target */
    {HTTP_BAD, "GET / HTTP/2.0\r\nHost: h\r\n\r\n"},
    {HTTP_BAD, "GET /\r\nHost: h\r\n\r\n"},
    {HTTP_BAD, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx"}, /* a body */
    {HTTP_BAD, "GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    http_request request;
    size_t used = 0;
    assert_int_equal(http_request_parse(rows[i].head, strlen(rows[i].head), &request, &used), rows[i].progress);
    if (i == 0) {
      assert_true(http_span_is(request.target, "/a?b") && http_span_is(request.host, "h:1"));
      assert_true(http_span_is(request.agent, "x/1") && request.keep_alive && used == strlen(rows[i].head));
    }
  }
}

CASE(same_page)
{
  static const struct {
    const char *target, *canonical; /* NULL: no browser sends it */
  } rows[] = {
    {"/", "/"},
    {"/%7euser/%41", "/~user/A"},
    {"/a%2fb%2e", "/a%2Fb."},
    {"/caf%c3%a9?x=%26", "/caf%C3%A9?x=%26"},
    {"/100%?a[]=1", "/100%?a[]=1"},
    {"/a//b/?x/../y", "/a//b/?x/../y"},
    {"/a/../b", NULL},
    {"/a/%2e%2E", NULL},
    {"/.", NULL},
    {"/a#b", NULL},
    {"/a b", NULL},
    {"/caf\xC3\xA9", NULL},
    {"http://h/", NULL},
    {"", NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    text out = {0};
    bool good = target_canonical(&out, rows[i].target, strlen(rows[i].target));
    assert_int_equal(good, rows[i].canonical != NULL);
    if (good)
      assert_string_equal(out.bytes, rows[i].canonical);
    text_free(&out);
  }
}

/* RFC 3986 lets "%2e%2e" stand as a name until it is normalized; browsers take it for ".." at once. */
static void decode_dots(char *reference)
{
  for (char *c; (c = strcasestr(reference, "%2e"));) {
    *c = '.';
    memmove(c + 1, c + 3, strlen(c + 3) + 1);
  }
}

/* The canonical target uriparser finds for `reference` on a page at `base`; false if it cannot read it. */
static bool resolve_by_rfc(text *out, const char *base, const char *reference)
{
  UriUriA base_uri, relative, absolute = {0};
  const char *error;
  if (uriParseSingleUriA(&base_uri, base, &error) != URI_SUCCESS)
    return false;
  bool good = uriParseSingleUriA(&relative, reference, &error) == URI_SUCCESS;
  if (good) {
    good = uriAddBaseUriA(&absolute, &relative, &base_uri) == URI_SUCCESS &&
           uriNormalizeSyntaxA(&absolute) == URI_SUCCESS;
    char string[4096] = "";
    good = good && uriToStringA(string, &absolute, sizeof string, NULL) == URI_SUCCESS;
    if (good) {
      text target = {0};
      string[strcspn(string, "#")] = '\0';
      target_of_url(&target, string);
      good = target_canonical(out, target.bytes, target.size);
      text_free(&target);
    }
    uriFreeUriMembersA(&absolute);
    uriFreeUriMembersA(&relative);
  }
  uriFreeUriMembersA(&base_uri);
  return good;
}

CASE(every_spelling_leads_home)
{
  site *s = make_site(1);
  uint64_t random = 7;
  unsigned checked = 0, browsers_only = 0;
  enum { SPELLINGS = 20000 };
  for (unsigned i = 0; i < SPELLINGS; i++) {
    const char *base = site_entry_at(s, random_below(&random, site_size(s)))->target;
    const char *target = site_entry_at(s, random_below(&random, site_size(s)))->target;
    text page = {0}, href = {0}, found = {0};
    spell_origin(&page, &place);
    text_add(&page, base);
    spell_href(&href, &random, &place, SPELL_HEADER, base, target);
    /* what RFC 3986 has no grammar for, browsers do: "http:///", "http:/\", and brackets in a query or base */
    if (strpbrk(page.bytes, "[|{") || strpbrk(href.bytes, "\\[|{") || strncasecmp(href.bytes, "http:///", 8) == 0) {
      browsers_only++;
    } else {
      decode_dots(href.bytes);
      if (!resolve_by_rfc(&found, page.bytes, href.bytes) || strcmp(found.bytes, target) != 0)
        fail_msg("%s on %s leads to %s, not %s", href.bytes, page.bytes, found.bytes, target);
      checked++;
    }
    text_free(&page);
    text_free(&href);
    text_free(&found);
  }
  print_message("%u spellings checked, %u only browsers can read\n", checked, browsers_only);
  assert_true(checked > SPELLINGS / 2);
  site_free(s);
}

typedef struct browser_view {
  unsigned links, outside, traps;
} browser_view;

static const char *attribute(const GumboElement *element, const char *name)
{
  const GumboAttribute *found = gumbo_get_attribute(&element->attributes, name);
  return found ? found->value : NULL;
}

static void view_element(const GumboElement *element, browser_view *view)
{
  const char *href = NULL, *rel = attribute(element, "rel");
  switch (element->tag) {
  case GUMBO_TAG_A:
  case GUMBO_TAG_AREA: href = rel && strcasestr(rel, "nofollow ") ? NULL : attribute(element, "href"); break;
  case GUMBO_TAG_IFRAME: href = attribute(element, "src"); break;
  case GUMBO_TAG_LINK:
    href = rel && !strstr(rel, "style") && !strstr(rel, "icon") ? attribute(element, "href") : NULL;
    break;
  case GUMBO_TAG_META: href = attribute(element, "http-equiv") ? attribute(element, "content") : NULL; break;
  default: break;
  }
  if (href && rel && strcmp(rel, "nofollow") == 0)
    href = NULL;
  if (!href || !*href || strcmp(href, "#top") == 0)
    return;
  if (strstr(href, "/trap/other-host"))
    view->outside++;
  else if (strncmp(href, "/trap/", 6) == 0)
    view->traps++;
  else if (!strstr(href, "trap") && strncmp(href, "tel:", 4) != 0)
    view->links++;
}

static void view_node(const GumboNode *node, browser_view *view)
{
  if (node->type != GUMBO_NODE_ELEMENT)
    return;
  view_element(&node->v.element, view);
  for (unsigned i = 0; i < node->v.element.children.length; i++)
    view_node(node->v.element.children.data[i], view);
}

static unsigned count_words(const char *bytes, const char *word)
{
  unsigned count = 0;
  for (const char *c = bytes; (c = strstr(c, word)); c++)
    count++;
  return count;
}

CASE(browsers_see_exactly_the_links)
{
  site *s = make_site(3);
  unsigned pages = 0, links = 0;
  for (uint32_t i = 0; i < site_size(s); i++) {
    if (site_entry_at(s, i)->kind != SITE_PAGE)
      continue;
    text page = {0};
    page_write(&page, s, i);
    browser_view view = {0};
    GumboOutput *tree = gumbo_parse_with_options(&kGumboDefaultOptions, page.bytes, page.size);
    view_node(tree->root, &view);
    gumbo_destroy_output(&kGumboDefaultOptions, tree);
    view.links += count_words(page.bytes, "<frame "); /* no frameset: a tree has no place for it */
    unsigned expected = 0;
    while (site_link(s, i, expected) != SITE_NOWHERE)
      expected++;
    if (view.traps || view.links != expected)
      print_message("%s\n", page.bytes);
    assert_int_equal(view.traps, 0);
    assert_int_equal(view.links, expected);
    pages++;
    links += view.links;
    text_free(&page);
  }
  print_message("%u pages, %u links\n", pages, links);
  site_free(s);
}

CASE(everything_can_be_reached)
{
  for (uint64_t seed = 1; seed <= 20; seed++) {
    site *s = make_site(seed);
    uint32_t depths[500];
    unsigned kinds[SITE_FORBIDDEN + 1] = {0};
    assert_int_equal(site_size(s), 500);
    site_measure(s, 0, "/", false, depths);
    for (uint32_t i = 0; i < site_size(s); i++) {
      const site_entry *entry = site_entry_at(s, i);
      kinds[entry->kind]++;
      assert_true(depths[i] < 100);
      assert_int_equal(site_find(s, entry->target, strlen(entry->target)), i);
    }
    for (unsigned kind = 0; kind <= SITE_FORBIDDEN; kind++)
      assert_true(kinds[kind] > 0);
    assert_int_equal(site_find(s, "/trap/comment.html", 18), SITE_NOWHERE);
    site_free(s);
  }
}

CASE(the_same_seed_makes_the_same_site)
{
  site *first = make_site(5), *second = make_site(5);
  for (uint32_t i = site_size(first); i-- > 0;) {
    const http_request request = {.target = {site_entry_at(first, i)->target, strlen(site_entry_at(first, i)->target)}};
    http_reply a = {0}, b = {0};
    site_answer(first, &request, &a);
    site_answer(second, &request, &b);
    assert_int_equal(a.status, b.status);
    assert_int_equal(a.body.size, b.body.size);
    if (a.body.size)
      assert_memory_equal(a.body.bytes, b.body.bytes, a.body.size);
    text_free(&a.body);
    text_free(&b.body);
  }
  site_free(first);
  site_free(second);
}

/* A log with one page missing, one twice, one forbidden, one look-alike and one of another host. */
CASE(the_judge_notices)
{
  site *s = make_site(1);
  char path[] = "/tmp/strata-judge-XXXXXX";
  int fd = mkstemp(path);
  FILE *log = fd < 0 ? NULL : fdopen(fd, "w");
  assert_non_null(log);
  unsigned forbidden = 0;
  for (uint32_t i = 0; i < site_size(s); i++) {
    const site_entry *entry = site_entry_at(s, i);
    bool ask = site_entry_is_wanted(entry, false) ? i != 7 : forbidden++ == 0;
    for (unsigned n = ask + (i == 0); n > 0; n--)
      fprintf(log, "%d\t127.0.0.1:8080\tGET\t%s\tx\n", entry->status, entry->target);
  }
  assert_true(site_entry_is_wanted(site_entry_at(s, 7), false));
  fputs("404\t127.0.0.1:8080\tGET\t/trap/comment.html\tx\n404\tlocalhost:8080\tGET\t/\tx\n"
        "200\t127.0.0.1:8080\tGET\t/robots.txt\tx\n404\tmark\tGET\t/mark\t\n",
        log);
  fclose(log);
  request_log r = requests_read(path);
  print_message("five differences follow, all on purpose\n");
  verdict v = judge_requests(&r, s, &judge_everything);
  assert_int_equal(v.missed, 1);
  assert_int_equal(v.again, 1);
  assert_int_equal(v.forbidden, 2);
  assert_int_equal(v.unknown, 1);
  assert_int_equal(v.robots, 1);
  requests_free(&r);
  remove(path);
  site_free(s);
}

CASE(files_of_a_tree)
{
  text file = {0}, decoded = {0};
  bool wants_slash;
  char *root = (char[]){TESTS_DIR};
  assert_true(tree_find(root, "/site/site.c", &file, &wants_slash));
  assert_false(tree_find(root, "/site", &file, &wants_slash));
  assert_true(wants_slash);
  assert_false(tree_find(root, "/site/../../CMakeLists.txt", &file, &wants_slash));
  assert_false(tree_find(root, "/..", &file, &wants_slash));
  assert_false(tree_find(root, "/nothing", &file, &wants_slash));
  assert_true(tree_unescape(&decoded, "/a%20b", 6));
  assert_string_equal(decoded.bytes, "/a b");
  assert_false(tree_unescape(&decoded, "/%0", 3));
  assert_false(tree_unescape(&decoded, "/%00", 4));
  assert_string_equal(tree_content_type("/a/b.HTML"), "text/html");
  text_free(&file);
  text_free(&decoded);
}
