/* crawler/html/sitemap.c: sitemaps of every form as rows, each read whole, byte by byte, and gzipped. */
#include "crawler/html/sitemap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

/* What a sitemap gave, as text: "http://a/ +http://b/map.xml" (+ another sitemap). */
typedef struct found {
  char text[4096];
  size_t size;
  unsigned count;
} found;

static void note(void *context, bool is_map, const char *href, size_t size)
{
  found *said = context;
  said->count++;
  int added = snprintf(said->text + said->size, sizeof said->text - said->size, "%s%s%.*s", said->size ? " " : "",
                       is_map ? "+" : "", (int)size, href);
  said->size += (size_t)added < sizeof said->text - said->size ? (size_t)added : 0;
}

static void feed_copy(sitemap *s, const char *bytes, size_t size)
{
  char *copy = malloc(size + !size);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  sitemap_feed(s, copy, size);
  free(copy);
}

static found notes; /* the context of the sitemap that most cases use */

static void read_in(sitemap *s, const char *bytes, size_t size, size_t piece)
{
  memset(&notes, 0, sizeof notes);
  sitemap_begin(s);
  for (size_t at = 0; at < size; at += piece)
    feed_copy(s, bytes + at, piece < size - at ? piece : size - at);
  sitemap_finish(s);
}

/* To be freed by the caller. */
static char *gzip(const char *bytes, size_t size, size_t *packed_size)
{
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  size_t room = deflateBound(&z, size);
  char *packed = malloc(room);
  assert_non_null(packed);
  z.next_in = (unsigned char *)(uintptr_t)bytes;
  z.avail_in = (unsigned)size;
  z.next_out = (unsigned char *)packed;
  z.avail_out = (unsigned)room;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  *packed_size = room - z.avail_out;
  deflateEnd(&z);
  return packed;
}

#define URLSET                                   \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" \
  "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"

static const struct row {
  const char *what, *bytes;
  size_t size;
  const char *wanted;
} rows[] = {
#define ROW(what, bytes, wanted)                 \
  {                                              \
    (what), (bytes), sizeof(bytes) - 1, (wanted) \
  }
  ROW("urls",
      URLSET "<url><loc>http://h/a</loc><lastmod>2020</lastmod></url><url><loc>\n http://h/b?x=1&amp;y=2 \n"
             "</loc></url></urlset>",
      "http://h/a http://h/b?x=1&y=2"),
  ROW("cdata", URLSET "<url><loc><![CDATA[http://h/a?b&c]]></loc></url></urlset>", "http://h/a?b&c"),
  ROW("pieces of text", URLSET "<url><loc>http://h/&#x41;<!-- x -->B</loc></url></urlset>", "http://h/AB"),
  ROW("an index",
      "<sitemapindex><sitemap><loc>http://h/1.xml.gz</loc></sitemap><sitemap><loc>2.xml</loc></sitemap>"
      "</sitemapindex>",
      "+http://h/1.xml.gz +2.xml"),
  ROW("a prefix", "<s:urlset xmlns:s='x'><s:url><s:loc>http://h/p</s:loc></s:url></s:urlset>", "http://h/p"),
  ROW("pictures are no pages",
      URLSET "<url><loc>http://h/a</loc><i:image xmlns:i='x'><i:loc>http://h/i.png</i:loc>"
             "</i:image></url></urlset>",
      "http://h/a"),
  ROW("other languages",
      URLSET "<url><loc>http://h/en</loc><x:link xmlns:x='h' rel='alternate' hreflang='de' "
             "href='http://h/de'/></url></urlset>",
      "http://h/en http://h/de"),
  ROW("RSS",
      "<rss version='2.0'><channel><title>t</title><link>http://h/</link><a:link xmlns:a='x' rel='self' "
      "href='http://h/feed'/><item><title>x</title><link>http://h/1</link><guid>http://h/no</guid></item></channel>"
      "</rss>",
      "http://h/ http://h/1"),
  ROW("Atom",
      "<feed xmlns='http://www.w3.org/2005/Atom'><link href='http://h/'/><link rel='self' href='http://h/f'/>"
      "<entry><link rel='alternate' href='http://h/1'/><link rel='edit' href='http://h/e'/><id>http://h/no</id></entry>"
      "</feed>",
      "http://h/ http://h/1"),
  ROW("text", "http://h/1\r\nhttps://h/2\n\n  HTTP://h/3 \nftp://h/4\nnot a URL\nhttp://h/5",
      "http://h/1 https://h/2 HTTP://h/3 http://h/5"),
  ROW("text with a mark", "\xEF\xBB\xBFhttp://h/1\n", "http://h/1"),
  ROW("XML with a mark", "\xEF\xBB\xBF<urlset><url><loc>http://h/1</loc></url></urlset>", "http://h/1"),
  ROW("cut off", URLSET "<url><loc>http://h/1</loc></url><url><loc>http://h/2", "http://h/1"),
  ROW("broken", "<urlset><url><loc>http://h/1</loc></url><url></wrong>", "http://h/1"),
  ROW("no such entity", "<urlset><url><loc>http://h/1</loc></url><url><loc>http://h/&nbsp;2</loc></url></urlset>",
      "http://h/1 http://h/2"),
  ROW("entities of its own",
      "<!DOCTYPE urlset [<!ENTITY a \"http://h/\"><!ENTITY b \"&a;&a;\">]><urlset><url><loc>&b;"
      "</loc></url></urlset>",
      ""),
  ROW("a document type",
      "<!DOCTYPE urlset SYSTEM 'file:///etc/passwd'><urlset><url><loc>http://h/1</loc></url>"
      "</urlset>",
      ""),
  ROW("HTML", "<!doctype html><html><head><link rel=alternate href=http://h/1></head><body><a href=2>x</a>", ""),
  ROW("HTML without one", "<html><head><link rel='alternate' href='http://h/1'/></head><body>x</body></html>", ""),
  ROW("nothing", "", ""),
  ROW("a space", " ", ""),
  ROW("one byte", "h", ""),
  ROW("noise", "\xFF\x00\x01", ""),
#undef ROW
};

static void every_form(void **state)
{
  sitemap *s = *state;
  for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++)
    for (size_t piece = 1; piece <= 4096; piece *= 8) {
      read_in(s, row->bytes, row->size, piece);
      if (strcmp(notes.text, row->wanted) != 0)
        fail_msg("%s, in pieces of %zu: \"%s\", not \"%s\"", row->what, piece, notes.text, row->wanted);
    }
}

static void every_form_gzipped(void **state)
{
  sitemap *s = *state;
  for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
    size_t size;
    char *packed = gzip(row->bytes, row->size, &size);
    for (size_t piece = 1; piece <= 4096; piece *= 8) {
      read_in(s, packed, size, piece);
      if (strcmp(notes.text, row->wanted) != 0)
        fail_msg("%s, gzipped, in pieces of %zu: \"%s\", not \"%s\"", row->what, piece, notes.text, row->wanted);
    }
    free(packed);
  }
}

static void damaged_gzip(void **state)
{
  size_t size;
  char *packed = gzip(rows[0].bytes, rows[0].size, &size);
  for (size_t i = 2; i < size; i++) {
    packed[i] ^= 0x20;
    read_in(*state, packed, size, 7);
    read_in(*state, packed, i, 7); /* and cut off */
    packed[i] ^= 0x20;
  }
  free(packed);
  read_in(*state, rows[0].bytes, rows[0].size, 100);
  assert_int_equal(notes.count, 2); /* it is none the worse for it */
}

static void no_more_urls_than_the_protocol_has(void **state)
{
  sitemap *s = *state;
  memset(&notes, 0, sizeof notes);
  sitemap_begin(s);
  for (int i = 0; i < SITEMAP_URLS_MAX + 10; i++)
    sitemap_feed(s, "http://h/\n", 10);
  sitemap_finish(s);
  assert_int_equal(notes.count, SITEMAP_URLS_MAX);
}

/* A gigabyte of one tag, or of blanks, in a megabyte: read up to the limit and no further. */
static void a_bomb(void **state)
{
  sitemap *s = *state;
  size_t size, room = 1 << 20;
  char *blanks = malloc(room);
  memset(&notes, 0, sizeof notes);
  assert_non_null(blanks);
  memset(blanks, ' ', room);
  memcpy(blanks, "<urlset>", 8);
  sitemap_begin(s);
  feed_copy(s, blanks, room);
  for (int i = 0; i < 60; i++) {
    memset(blanks, ' ', room);
    sitemap_feed(s, blanks, room);
  }
  sitemap_feed(s, "<url><loc>http://h/late</loc></url>", 35); /* past 50 MiB: nobody listens */
  sitemap_finish(s);
  assert_int_equal(notes.count, 0);
  char *packed = gzip(blanks, room, &size);
  sitemap_begin(s);
  feed_copy(s, packed, size);
  sitemap_finish(s);
  free(packed);
  free(blanks);
}

static void a_url_that_is_too_long(void **state)
{
  char page[20000];
  memset(page, 'x', sizeof page);
  memcpy(page, "<urlset><url><loc>http://h/", 27);
  const char end[] = "</loc></url><url><loc>http://h/2</loc></url></urlset>";
  memcpy(page + sizeof page - (sizeof end - 1), end, sizeof end - 1);
  read_in(*state, page, sizeof page, 1000);
  assert_string_equal(notes.text, "http://h/2");
}

static int make(void **state)
{
  *state = sitemap_create(note, &notes);
  return *state ? 0 : -1;
}

static int drop(void **state)
{
  sitemap_free(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_form),   cmocka_unit_test(every_form_gzipped),
    cmocka_unit_test(damaged_gzip), cmocka_unit_test(no_more_urls_than_the_protocol_has),
    cmocka_unit_test(a_bomb),       cmocka_unit_test(a_url_that_is_too_long),
  };
  return cmocka_run_group_tests(tests, make, drop);
}
