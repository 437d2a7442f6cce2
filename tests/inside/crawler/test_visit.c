/* crawler/loop/visit.c: the links of a page, kept while its body streams by. */
#include "crawler/loop/visit.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char page[] = "<base href='/x/'><a href=one>1</a><a rel=nofollow href='two&amp;b'>2</a>"
                           "<base href='/y/'><area href=three>";

/* The links as "one two&b! three": '!' behind those of nofollow, '+' behind sitemaps. */
static const char *links_of(const visit *v)
{
  static char text[256];
  visit_link link;
  size_t at = 0, used = 0;
  text[0] = '\0';
  while (visit_next_link(v, &at, &link))
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s%s%s", used ? " " : "", (int)link.size, link.href,
                             link.nofollow ? "!" : "", link.is_map ? "+" : "");
  return text;
}

static void read_piece(visit *v, const char *type, const char *bytes, size_t size)
{
  while (visit_read(v, type, &bytes, &size))
    ;
}

static visit *read_as(visit *v, const char *type, const char *bytes)
{
  visit_begin(v, &(frontier_lease){.id = 1, .url = "http://h/", .url_size = 9, .host_end = 8});
  for (const char *c = bytes; *c; c++)
    read_piece(v, type, c, 1);
  visit_finish(v);
  return v;
}

CASE(links_are_kept_in_order)
{
  visit *v = read_as(*state, "text/html; charset=utf-8", page);
  assert_true(v->has_scanned);
  assert_string_equal(links_of(v), "one two&b! three");
  assert_int_equal(v->links, 3);
  assert_int_equal(v->base_size, 3);
  assert_memory_equal(v->base, "/x/", 3);
}

CASE(nothing_is_left_for_the_next_page)
{
  read_as(*state, "text/html", page);
  visit *v = read_as(*state, "TEXT/HTML", "<a href=four>");
  assert_string_equal(links_of(v), "four");
  assert_null(v->base);
}

CASE(what_is_no_html_is_not_looked_into)
{
  static const struct {
    const char *type;
    bool is_read;
  } rows[] = {
    {"text/html", true},
    {"Text/HTML ;charset=x", true},
    {"application/xhtml+xml", true},
    {"", true},
    {"text/plain", false},
    {"text/htmlx", false},
    {"text/htm", false},
    {"application/pdf", false},
    {"x", true},
    {"*/*", true},
    {"text/xml", false},
    {"text/html, x/y", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    visit *v = read_as(*state, rows[i].type, page);
    if (v->has_scanned != rows[i].is_read || (v->links > 0) != rows[i].is_read)
      fail_msg("type \"%s\": %zu links", rows[i].type, v->links);
  }
}

/* Also where fewer bytes come than it takes at most, and many more. */
CASE(xml_is_known_by_its_root)
{
  static const char begin[] = "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><a href='one'/>";
  static char text[3 * SNIFF_MAX];
  visit *v = read_as(*state, "text/xml", begin);
  assert_string_equal(links_of(v), "one");
  assert_true(v->is_page && v->sniffed == SNIFFED_XHTML);
  memcpy(text, begin, sizeof begin - 1);
  memset(text + sizeof begin - 1, ' ', sizeof text - sizeof begin);
  memcpy(text + 2 * SNIFF_MAX, "<a href='two'/>", 15);
  assert_string_equal(links_of(read_as(v, "application/xml", text)), "one two");
  assert_string_equal(links_of(read_as(v, "text/xml", "<html><a href='no'/></html>")), "");
  assert_string_equal(links_of(read_as(v, "text/xml", "<rss><item><link>three</link></item></rss>")), "three");
  assert_true(v->has_mapped && !v->is_page);
}

/* ---- charsets that are declared late, or not at all ---------------------------------------------------------- */

typedef struct long_page {
  char bytes[200 << 10];
  size_t size;
} long_page;

static void put(long_page *p, const char *text, size_t times)
{
  for (size_t size = strlen(text); times > 0; times--, p->size += size) {
    assert_true(p->size + size <= sizeof p->bytes);
    memcpy(p->bytes + p->size, text, size);
  }
}

/* The charset and the links, which are the same however the page comes. */
static void assert_read(visit *v, const long_page *p, const char *name, const char *links)
{
  static const size_t pieces[] = {1, 7, 1000, 4096, 16384, 65536, sizeof p->bytes};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    visit_begin(v, &(frontier_lease){.id = 1, .url = "http://h/", .url_size = 9, .host_end = 8});
    for (size_t at = 0; at < p->size; at += pieces[i])
      read_piece(v, "text/html", p->bytes + at, pieces[i] < p->size - at ? pieces[i] : p->size - at);
    visit_finish(v);
    assert_true(visit_gather_links(v));
    const char *found = visit_charset(v) ? charset_name(visit_charset(v)) : "";
    if (strcmp(found, name) != 0 || strcmp(links_of(v), links) != 0)
      fail_msg("pieces of %zu: \"%s\", %s, not \"%s\", %s", pieces[i], found, links_of(v), name, links);
  }
}

/* \xE6 is a letter in windows-1251: \xD0\xB6. */
CASE(a_late_meta_is_heard)
{
  static long_page p;
  static const struct {
    const char *story, *begin, *filler;
    size_t times;
    const char *end, *name, *links;
  } rows[] = {
    {"ASCII before", "<a href=1>", "<!-- -->", 1000, "<meta charset=windows-1251><a href=\xE6>", "windows-1251",
     "1 \xD0\xB6"},
    {"other bytes before", "<base href=\xE6><a href=\xE6>", "<!-- \xE6 -->", 1000, "<meta charset=windows-1251>",
     "windows-1251", "\xD0\xB6"},
    {"just in time", "<a href=\xE6>", "<p>", ((64 << 10) - 10 - 27) / 3, "<meta charset=windows-1251>", "windows-1251",
     "\xD0\xB6"},
    {"too late", "<a href=\xE6>", "<p>", 22000, "<meta charset=windows-1251><a href=\xE7>", "windows-1252",
     "\xC3\xA6 \xC3\xA7"},
    {"never too late", "<a href=1>", "<p>", 40000, "<meta charset=windows-1251><a href=\xE6>", "windows-1251",
     "1 \xD0\xB6"},
    {"the first counts", "", "<p>", 2000,
     "<meta charset=x><meta http-equiv=content-type content='a;charset=cp1251'>"
     "<meta charset=koi8-r><a href=\xE6>",
     "windows-1251", "\xD0\xB6"},
    {"one that is none", "<script>'<meta charset=koi8-r>'</script><a href=\xE6>", "", 0, "<meta charset=windows-1251>",
     "windows-1251", "\xD0\xB6"},
    {"escapes before", "<a href='\x1B$B%F\x1B(B'>", "<p>", 2000, "<meta charset=iso-2022-jp>", "ISO-2022-JP",
     "\xE3\x83\x86"},
    {"UTF-8 after all", "<a href=\xC3\xA4>", "<p>", 2000, "<meta charset=utf-8><a href=\xE4>", "UTF-8",
     "\xC3\xA4 \xEF\xBF\xBD"},
    {"UTF-16 it is not", "<a href=1>", "<p>", 2000, "<meta charset=utf-16><a href=\xC3\xA4>", "UTF-8", "1 \xC3\xA4"},
    {"no UTF-8, but at first", "<a href=\xC3\xA4>", "<p>", 2000, "<meta charset=windows-1251>", "windows-1251",
     "\xD0\x93\xC2\xA4"},
    {"in a comment", "<a href=\xE6>", "<p>", 2000, "<!-- <meta charset=windows-1251> -->", "windows-1252", "\xC3\xA6"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    p.size = 0;
    put(&p, rows[i].begin, 1);
    put(&p, rows[i].filler, rows[i].times);
    put(&p, rows[i].end, 1);
    print_message("%s\n", rows[i].story);
    assert_read(*state, &p, rows[i].name, rows[i].links);
  }
}

CASE(what_declares_nothing)
{
  static long_page p;
  static const struct {
    const char *begin;
    size_t times; /* of 10 bytes between */
    const char *end, *name, *links;
  } rows[] = {
    {"<a href=1>", 0, "", "", "1"},
    {"<a href=\xE9>", 0, "<a href=\xC3\xA9>", "windows-1252", "\xC3\xA9 \xC3\x83\xC2\xA9"},
    {"<a href=\xC3\xA9>", 0, "<a href=\xE9>", "windows-1252", "\xC3\x83\xC2\xA9 \xC3\xA9"}, /* both at once */
    {"<a href=\xC3\xA9>", 10000, "<a href=\xE9>", "UTF-8", "\xC3\xA9 \xEF\xBF\xBD"},        /* no more */
    {"<a href=1>", 10000, "<a href=\xE9><a href=\xC3\xA9>", "windows-1252", "1 \xC3\xA9 \xC3\x83\xC2\xA9"},
    {"<a href=1>", 10000, "<a href=\xC3\xA9><a href=\xE9>", "UTF-8", "1 \xC3\xA9 \xEF\xBF\xBD"},
    {"<a href=1>", 10000, "<a href=\xF0\x9F>", "windows-1252", "1 \xC3\xB0\xC5\xB8"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    p.size = 0;
    put(&p, rows[i].begin, 1);
    put(&p, "<!-- x -->", rows[i].times);
    put(&p, rows[i].end, 1);
    assert_read(*state, &p, rows[i].name, rows[i].links);
  }
}

CASE(xhtml_is_read_as_xml)
{
  visit *v = read_as(*state, "application/xhtml+xml", "<script src='x'/><a href='five'>");
  assert_string_equal(links_of(v), "five");
}

CASE(links_of_a_drawing)
{
  visit *v = read_as(*state, "image/svg+xml; charset=utf-8",
                     "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'><script/><image href='no'/>"
                     "<a xlink:href='one'><text>1</text></a><g><a href='two' xlink:href='no'/></g></svg>");
  assert_string_equal(links_of(v), "one two");
}

CASE(a_feed_is_known_by_its_type)
{
  visit *v = read_as(*state, "application/rss+xml; charset=utf-8",
                     "<rss><channel><item><link>six</link></item></channel></rss>");
  assert_string_equal(links_of(v), "six");
  assert_string_equal(links_of(read_as(*state, "text/html", "<a href=seven>")), "seven");
}

CASE(a_sitemap_is_known_by_its_origin)
{
  static const char index[] = "<sitemapindex><sitemap><loc>eight</loc></sitemap></sitemapindex>";
  visit *v = *state;
  visit_begin(v, &(frontier_lease){
                   .id = 1, .url = "http://h/", .url_size = 9, .host_end = 8, .origin = {.hops = VISIT_SITEMAP}});
  read_piece(v, "text/html", index, sizeof index - 1);
  visit_finish(v);
  assert_string_equal(links_of(v), "eight+");
  assert_string_equal(links_of(read_as(v, "application/xml", index)), "");
}

CASE(a_page_of_links_only_is_cut)
{
  visit *v = *state;
  visit_begin(v, &(frontier_lease){.id = 1, .url = "http://h/", .url_size = 9, .host_end = 8});
  for (int i = 0; i < VISIT_LINKS_MAX + 10; i++)
    read_piece(v, "text/html", "<a href=z>", 10);
  visit_finish(v);
  assert_int_equal(v->links, 100000);
  assert_int_equal(v->dropped, 10);
}

/* Whether a file takes them or not. */
CASE(many_long_links_do_not_stay_in_memory)
{
  enum { LINKS = 30000, PAGES = 3 };
  static const char *const directories[PAGES] = {"/tmp", "/no/such/directory", NULL};
  visit *v = *state;
  for (size_t i = 0; i < PAGES; i++) {
    char text[128];
    visit_link link;
    size_t at = 0;
    visit_rest(v);
    v->directory = directories[i];
    visit_begin(v, &(frontier_lease){.id = 1, .url = "http://h/", .url_size = 9, .host_end = 8});
    for (unsigned k = 0; k < LINKS; k++) {
      size_t size = (size_t)snprintf(text, sizeof text, "<a href=/%0100u>", k);
      read_piece(v, "text/html", text, size);
      assert_true(i > 0 || v->hrefs_room <= 2 * VISIT_NEAR_MAX);
    }
    visit_finish(v);
    assert_true(visit_gather_links(v));
    for (unsigned k = 0; k < LINKS; k++) {
      assert_true(visit_next_link(v, &at, &link));
      assert_int_equal(link.size, snprintf(text, sizeof text, "/%0100u", k));
      assert_memory_equal(link.href, text, link.size);
    }
    assert_false(visit_next_link(v, &at, &link));
    assert_true(visit_gather_links(v)); /* again changes nothing */
    visit_rest(v);
    assert_true(v->hrefs_room <= 2 * VISIT_NEAR_MAX && v->hrefs_fd == -1);
  }
  v->directory = NULL;
}

static int make(void **state)
{
  *state = visit_create(NULL, false);
  return *state ? 0 : -1;
}

static int drop(void **state)
{
  visit_free(*state);
  return 0;
}

EACH_CASE(make, drop)
