/* crawler/html/sitemap.c, sitemap_reader.c: sitemaps of every form as rows, each cut at every byte, in random pieces,
 * gzipped, in UTF-16; and attacks, whose work and memory are counted. */
#include "crawler/html/sitemap.h"
#include "crawler/html/prescan.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

/* How many steps it took. */
static unsigned feed(sitemap *s, const char *bytes, size_t size)
{
  unsigned steps = 1;
  for (; sitemap_feed(s, &bytes, &size); steps++)
    ;
  assert_int_equal(size, 0);
  return steps;
}

/* From memory of its own size, so that a sanitizer sees what is read beyond. */
static void feed_copy(sitemap *s, const char *bytes, size_t size)
{
  char *copy = malloc(size + !size);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  feed(s, copy, size);
  free(copy);
}

static uint64_t random_state;
static found notes; /* the context of the sitemap that most cases use */

static void begin(sitemap *s)
{
  memset(&notes, 0, sizeof notes);
  sitemap_begin(s, NULL);
}

static void read_in(sitemap *s, const char *bytes, size_t size, size_t piece)
{
  begin(s);
  for (size_t at = 0; at < size; at += piece)
    feed_copy(s, bytes + at, piece < size - at ? piece : size - at);
  sitemap_finish(s);
}

static void assert_found(const char *what, const char *wanted)
{
  if (strcmp(notes.text, wanted) != 0)
    fail_msg("%s: \"%s\", not \"%s\"", what, notes.text, wanted);
}

/* In one piece, in two cut anywhere, byte by byte, and in random pieces. */
static void assert_urls(sitemap *s, const char *what, const char *bytes, size_t size, const char *wanted)
{
  read_in(s, bytes, size, size + 1);
  assert_found(what, wanted);
  for (size_t cut = 0; cut < size; cut++) {
    begin(s);
    feed_copy(s, bytes, cut);
    feed_copy(s, bytes + cut, size - cut);
    sitemap_finish(s);
    assert_found(what, wanted);
  }
  read_in(s, bytes, size, 1);
  assert_found(what, wanted);
  for (int i = 0; i < 20; i++) {
    begin(s);
    for (size_t at = 0, piece; at < size; at += piece) {
      piece = 1 + random_below(&random_state, 40);
      piece = piece < size - at ? piece : size - at;
      feed_copy(s, bytes + at, piece);
    }
    sitemap_finish(s);
    assert_found(what, wanted);
  }
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
      "http://h/1 http://h/&nbsp;2"),
  ROW("entities of its own",
      "<!DOCTYPE urlset [<!ENTITY a \"http://h/\"><!ENTITY b \"&a;&a;\">]><urlset><url><loc>&b;"
      "</loc></url></urlset>",
      "&b;"),
  ROW("a document type",
      "<!DOCTYPE urlset SYSTEM 'file:///etc/passwd'><urlset><url><loc>http://h/1</loc></url>"
      "</urlset>",
      "http://h/1"),
  ROW("an internal subset",
      "<!DOCTYPE urlset [ <!-- ' ]> --><?p ]> ' ?><!ENTITY a ']><url><loc>http://h/no</loc></url>'>"
      "<!ELEMENT url (loc)>\n%b; <![CDATA[ ]]>] ><urlset><url><loc>http://h/1</loc></url></urlset>",
      "http://h/1"),
  ROW("HTML", "<!doctype html><html><head><link rel=alternate href=http://h/1></head><body><a href=2>x</a>", ""),
  ROW("HTML without one", "<html><head><link rel='alternate' href='http://h/1'/></head><body>x</body></html>", ""),
  ROW("'>' in values", URLSET "<url a='>' b=\"'/>\"><loc c = '</ '>http://h/1</loc></url></urlset>", "http://h/1"),
  ROW("tags on several lines", "<urlset\n><url\n\tid='1'\n><loc\n>http://h/1</loc\n></url\n></urlset>", "http://h/1"),
  ROW("references",
      "<urlset><url><loc>http://h/&lt;&gt;&quot;&apos;&amp;amp;&#233;&#xe9;</loc></url><url><loc>&#32;http://h/2&#9;"
      "</loc></url></urlset>",
      "http://h/<>\"'&amp;\xC3\xA9\xC3\xA9 http://h/2"),
  ROW("no references", "<urlset><url><loc>http://h/?a&b=1&c;&amp&;&#;&#x;&#12</loc></url></urlset>",
      "http://h/?a&b=1&c;&amp&;&#;&#x;&#12"),
  ROW("references in pieces", "<urlset><url><loc>http://h/&am<!-- -->p;&am<![CDATA[p;&amp;]]></loc></url></urlset>",
      "http://h/&amp;&amp;&amp;"),
  ROW("references to no characters",
      "<urlset><url><loc>http://h/&#0;</loc></url><url><loc>http://h/&#xD800;</loc></url><url><loc>http://h/&#1114112;"
      "</loc></url><url><loc>http://h/&#1;</loc></url><url><loc>http://h/5</loc></url></urlset>",
      "http://h/5"),
  ROW(
    "cdata and its brackets",
    "<urlset><url><loc><![CDATA[http://h/]]]><![CDATA[]]]]><![CDATA[>]>]]]]]></loc></url><![CDATA[<url><loc>http://h/no"
    "</loc></url>]]><url><loc>http://h/2</loc></url></urlset>",
    "http://h/]]]>]>]]] http://h/2"),
  ROW("comments",
      "<urlset><!-- <url><loc>http://h/no</loc></url> > -- - --><url><!----><loc>http://h/1<!-- -> --></loc><!-- --->"
      "</url></urlset>",
      "http://h/1"),
  ROW("instructions",
      URLSET "<?a > <url><loc>http://h/no</loc></url> ? > ?\?><url><loc>http://h/1</loc></url></urlset>", "http://h/1"),
  ROW("a declaration without its second mark", "<?xml version='1.0'><urlset><url><loc>http://h/1</loc></url></urlset>",
      "http://h/1"),
  ROW("bytes that are no UTF-8",
      "<urlset><a b='\xE9'>\xE9<\xE9/><!-- \xE9 --></a><url><loc>http://h/1</loc></url><url><loc>http://h/\xE9</loc>"
      "</url><url><loc>http://h/\xED\xA0\x80</loc></url><url><loc>http://h/\xC3\xA9</loc></url><url><loc>http://h/3\xC3"
      "</loc></url><url><loc>http://h/\xF0\x9F\x8D\x8E</loc></url></urlset>",
      "http://h/1 http://h/\xC3\xA9 http://h/\xF0\x9F\x8D\x8E"),
  ROW("control characters",
      "<urlset><url>\0<loc>http://h/\0</loc></url><url><loc>http://h/\x1B</loc></url><url><loc>http://h/3</loc></url>"
      "</urlset>",
      "http://h/3"),
  ROW("text that is no UTF-8", "http://h/1\nhttp://h/\xE9\nhttp://h/3", "http://h/1 http://h/3"),
  ROW("Latin-1",
      "<?xml version='1.0' encoding='ISO-8859-1'?><!-- <meta charset=utf-8> --><urlset><url><loc>http://h/\xE9\x80"
      "</loc></url></urlset>",
      "http://h/\xC3\xA9\xE2\x82\xAC"),
  ROW("Latin-1, after a blank line",
      "\n <?xml version='1.0' encoding='windows-1252'?><urlset><url><loc>http://h/\xE9</loc></url></urlset>",
      "http://h/\xC3\xA9"),
  ROW(
    "a charset in content",
    "<rss><channel><item><description><![CDATA[<p><meta charset=latin1>]]></description><link>http://h/\xC3\xA9</link>"
    "</item></channel></rss>",
    "http://h/\xC3\xA9"),
  ROW("a mark against the declaration",
      "\xEF\xBB\xBF<?xml version='1.0' encoding='latin1'?><urlset><url><loc>http://h/\xC3\xA9</loc></url></urlset>",
      "http://h/\xC3\xA9"),
  ROW("UTF-16 in name only",
      "<?xml version='1.0' encoding='utf-16'?><urlset><url><loc>http://h/\xC3\xA9</loc></url></urlset>",
      "http://h/\xC3\xA9"),
  ROW("half of a UTF-16 pair",
      "\xFE\xFF\0<\0u\0r\0l\0>\0<\0l\0o\0c\0>\0h\xD8\0\0i\0<\0/\0l\0o\0c\0>\0<\0/\0u\0r\0l\0>"
      "\0<\0u\0r\0l\0>\0<\0l\0o\0c\0>\0"
      "2\0<\0/\0l\0o\0c\0>",
      "2"),
  ROW("an open quote",
      "<urlset><url id='1><loc>http://h/1</loc></url><url><loc id=\">http://h/2</loc></url><url><loc>"
      "http://h/3</loc></url></urlset>",
      "http://h/1 http://h/3"),
  ROW("an open quote around a link",
      "<feed><entry><link href='http://h/1/></entry><entry><link href='http://h/2'/></entry></feed>", "http://h/2"),
  ROW("no end tags",
      "<urlset><url><loc>http://h/1<url><loc>http://h/2</url><url><loc>http://h/3</loc><url><loc>http://h/4"
      "</loc></urlset>",
      "http://h/2 http://h/3 http://h/4"),
  ROW("end tags of nothing", "</a><urlset></b></><url></loc><loc></url2>http://h/1</loc></url></urlset></urlset>",
      "http://h/1"),
  ROW("HTML in a description",
      "<rss><channel><item><description>a<br>b<p>c & d < e<img src=x></description><link>http://h/1</link></item>"
      "</channel></rss>",
      "http://h/1"),
  ROW("'<' in text", "<urlset><url><loc>http://h/? < 1</loc></url></urlset>", "http://h/? < 1"),
  ROW("loc in loc",
      "<urlset><url><loc>http://h/0<url><loc>http://h/1</loc></url>x</loc></url><url><loc>http://h/2</loc></url>"
      "</urlset>",
      "http://h/1 http://h/2"),
  ROW("a link that is no page in loc",
      "<urlset><url><loc>http://h/0<item><link rel='self' href='http://h/1'/></item></loc></url></urlset>", ""),
  ROW("attributes of one name",
      "<feed><link href='http://h/1' href='http://h/2' rel='alternate' rel='self'/><link rel=alternate href=http://h/3>"
      "</link></feed>",
      "http://h/1 http://h/3"),
  ROW("attributes of other names",
      "<feed><link xhref='http://h/1' hrefs='http://h/2' hre='http://h/3' href"
      "/><link title='href' x='http://h/4'/></feed>",
      ""),
  ROW("an image's link", "<rss><channel><image><link>http://h/no</link></image><link>http://h/1</link></channel></rss>",
      "http://h/1"),
  ROW("RDF",
      "<rdf:RDF xmlns:rdf='r'><channel rdf:about='x'><link>http://h/1</link></channel><item><link>http://h/2</link>"
      "</item></rdf:RDF>",
      "http://h/1 http://h/2"),
  ROW("nothing", "", ""),
  ROW("a space", " ", ""),
  ROW("one byte", "h", ""),
  ROW("noise", "\xFF\x00\x01", ""),
#undef ROW
};

CASE(every_form)
{
  for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++)
    assert_urls(*state, row->what, row->bytes, row->size, row->wanted);
}

CASE(every_form_gzipped)
{
  for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
    size_t size;
    char *packed = gzip(row->bytes, row->size, &size);
    assert_urls(*state, row->what, packed, size, row->wanted);
    free(packed);
  }
}

static bool is_ascii(const char *bytes, size_t size)
{
  while (size && *bytes > 0)
    bytes++, size--;
  return !size;
}

/* To be freed by the caller. */
static char *utf16(const char *bytes, size_t size, bool is_big)
{
  char *wide = calloc(size + 1, 2);
  assert_non_null(wide);
  wide[is_big] = '\xFF';
  wide[!is_big] = '\xFE';
  for (size_t i = 0; i < size; i++)
    wide[2 * i + 2 + is_big] = bytes[i];
  return wide;
}

/* With a byte order mark, and without one where the XML declaration shows the order. */
CASE(every_form_in_utf16)
{
  for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++)
    for (int is_big = 0; is_big < 2 && is_ascii(row->bytes, row->size); is_big++) {
      char *wide = utf16(row->bytes, row->size, is_big);
      assert_urls(*state, row->what, wide, 2 * row->size + 2, row->wanted);
      if (strncmp(row->bytes, "<?xml ", 6) == 0)
        assert_urls(*state, row->what, wide + 2, 2 * row->size, row->wanted);
      free(wide);
    }
}

CASE(the_header_says_the_charset)
{
  static const char map[] = "<urlset><url><loc>http://h/\xE9</loc></url></urlset>";
  begin(*state);
  sitemap_begin(*state, charset_of_label("latin1", 6));
  feed_copy(*state, map, sizeof map - 1);
  sitemap_finish(*state);
  assert_string_equal(notes.text, "http://h/\xC3\xA9");
}

CASE(damaged_gzip)
{
  size_t size;
  char *packed = gzip(rows[0].bytes, rows[0].size, &size);
  for (size_t i = 2; i < size; i++) {
    packed[i] ^= 0x20;
    read_in(*state, packed, size, 7);
    assert_true(notes.count == 2 || sitemap_limit(*state));
    packed[i] ^= 0x20;
    read_in(*state, packed, i, 7); /* cut off */
    assert_string_equal(sitemap_limit(*state), "damaged");
  }
  free(packed);
  read_in(*state, rows[0].bytes, rows[0].size, 100);
  assert_int_equal(notes.count, 2); /* it is none the worse for it */
}

/* As gunzip reads them: one behind the other, and no matter what is behind the last. */
CASE(what_came_of_damaged_gzip)
{
  static const char lines[] = "http://h/1\nhttp://h/2", map[] = "<urlset><url><loc>http://h/1</loc></url>";
  size_t size;
  char *packed = gzip(lines, sizeof lines - 1, &size);
  read_in(*state, packed, size - 8, 7);
  assert_string_equal(notes.text, "http://h/1");
  assert_string_equal(sitemap_limit(*state), "damaged");
  free(packed);
  packed = gzip(map, sizeof map - 1, &size);
  read_in(*state, packed, size - 8, 7);
  assert_string_equal(notes.text, "http://h/1");
  assert_string_equal(sitemap_limit(*state), "damaged");
  free(packed);
}

CASE(gzip_in_several_parts)
{
  static const char wanted[] = "http://h/1 http://h/2 http://h/3";
  size_t size, all = 0;
  char packed[1000];
  for (int i = 1; i <= 3; i++) {
    char line[] = "http://h/0\n";
    line[9] = (char)('0' + i);
    char *part = gzip(line, strlen(line), &size);
    memcpy(packed + all, part, size);
    all += size;
    free(part);
  }
  assert_urls(*state, "three parts", packed, all, wanted);
  assert_null(sitemap_limit(*state));
  memset(packed + all, 0, 20);
  assert_urls(*state, "and zeros", packed, all + 20, wanted);
  assert_null(sitemap_limit(*state));
  read_in(*state, packed, all - 1, 7);
  assert_string_equal(sitemap_limit(*state), "damaged");
}

CASE(no_more_urls_than_the_protocol_has)
{
  sitemap *s = *state;
  for (int more = 0; more <= 10; more += 5) {
    begin(s);
    for (int i = 0; i < SITEMAP_URLS_MAX + more; i++)
      feed(s, "http://h/\n", 10);
    feed(s, "\n", 1);
    sitemap_finish(s);
    assert_int_equal(notes.count, SITEMAP_URLS_MAX);
    assert_true(!sitemap_limit(s) == !more);
  }
  assert_string_equal(sitemap_limit(s), "too many URLs");
}

/* 60 MiB of blanks, packed in 60 KiB: read up to the limit and no further, and step by step. */
CASE(a_bomb)
{
  sitemap *s = *state;
  size_t size, room = 60 << 20;
  char *blanks = malloc(room);
  assert_non_null(blanks);
  memset(blanks, ' ', room);
  memcpy(blanks, "<urlset>", 8);
  memcpy(blanks + room - 35, "<url><loc>http://h/late</loc></url>", 35); /* past 50 MiB, not read */
  begin(s);
  assert_int_equal(feed(s, blanks, room), SITEMAP_BYTES_MAX / SITEMAP_STEP + 1);
  sitemap_finish(s);
  assert_int_equal(notes.count, 0);
  char *packed = gzip(blanks, room, &size);
  begin(s);
  uint64_t before = sitemap_steps(s);
  const char *at = packed;
  for (bool goes_on = true; goes_on;) {
    goes_on = sitemap_feed(s, &at, &size);
    assert_true(sitemap_steps(s) - before <= SITEMAP_STEP + 4096 + 100); /* the decoder held the first 4096 back */
    before = sitemap_steps(s);
  }
  assert_true(before >= SITEMAP_BYTES_MAX && before <= SITEMAP_BYTES_MAX + SITEMAP_STEP);
  sitemap_finish(s);
  assert_string_equal(sitemap_limit(s), "too many decoded bytes");
  assert_int_equal(notes.count, 0);
  free(packed);
  free(blanks);
}

CASE(a_url_that_is_too_long)
{
  char page[20000];
  memset(page, 'x', sizeof page);
  memcpy(page, "<urlset><url><loc>http://h/", 27);
  const char end[] = "</loc></url><url><loc>http://h/2</loc></url></urlset>";
  memcpy(page + sizeof page - (sizeof end - 1), end, sizeof end - 1);
  read_in(*state, page, sizeof page, 1000);
  assert_string_equal(notes.text, "http://h/2");
  assert_string_equal(sitemap_limit(*state), "unreadable URLs");
}

/* ---- attacks --------------------------------------------------------------------------------------------- */

static size_t allocated; /* bytes asked for, ever */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_malloc(size_t size)
{
  allocated += size;
  return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  allocated += count * size;
  return __real_calloc(count, size);
}

/* `before`, then `unit` with each '#' a number of its own, again and again. */
static const struct attack {
  const char *before, *unit;
} attacks[] = {
  {"<urlset><url ", "a#='1' "},                                  /* 10^6 attributes */
  {"<urlset><url ", "xmlns:a#='b#' "},                           /* namespaces */
  {"<urlset><url ", "a='1' "},                                   /* of one name */
  {"<feed><link ", "href='#' rel='self' "},                      /* that are read */
  {"<urlset>", "<e#/>"},                                         /* 10^6 element names */
  {"<urlset>", "<e#>"},                                          /* depth */
  {"<urlset>", "<url><loc>"},                                    /* hrefs in hrefs */
  {"<urlset>", "<url><loc></loc></url>"},                        /* empty ones */
  {"<a><a><a><a><a><a><a><a><a><a><a>", "</b>"},                 /* end tags that search in vain */
  {"<urlset>", "<e#></e#>"},                                     /* and those that do not */
  {"<urlset><url><loc>", "&amp;&"},                              /* references */
  {"<urlset><url><loc>&", "#"},                                  /* one that does not end */
  {"<urlset><url><loc>&#", "0"},                                 /* nor its number */
  {"<urlset><url><loc>", "&#38;#38;"},                           /* references to references */
  {"<!DOCTYPE a [", "<!ENTITY e# '&e#;&e#;'>"},                  /* entities */
  {"<!DOCTYPE a [<!ENTITY a 'aaaa'>]><a>", "&a;"},               /* their use */
  {"<!DOCTYPE a [", "["},                                        /* subsets */
  {"<urlset>", "<!-- -"},                                        /* comments */
  {"<urlset>", "<![CDATA[ ]] >"},                                /* CDATA */
  {"<urlset><url><loc><![CDATA[", "]]"},                         /* brackets */
  {"<urlset>", "<?"},                                            /* instructions */
  {"<urlset>", "<"},                                             /* tags without a name */
  {"<urlset>", "<a b=\"<a b='"},                                 /* open quotes */
  {"<urlset><url><loc>", " "},                                   /* blanks */
  {"<urlset><", "n"},                                            /* a name */
  {"<urlset><a ", "="},                                          /* marks in a tag */
  {"<urlset><a b='", "x>"},                                      /* a value */
  {"http://h/", "x"},                                            /* a line */
  {"", "http://h/#\n"},                                          /* lines */
  {"<?xml version='1.0' encoding='latin1'?><a>", "\xE9<\xE9#>"}, /* what is converted */
};

/* What an attack of `count` units costs: steps. */
static uint64_t attack_in(sitemap *s, const struct attack *a, unsigned count)
{
  char unit[128];
  begin(s);
  size_t before = allocated;
  feed(s, a->before, strlen(a->before));
  for (unsigned i = 0; i < count; i++) {
    size_t size = 0;
    for (const char *c = a->unit; *c; c++)
      if (*c == '#')
        size += (size_t)snprintf(unit + size, sizeof unit - size, "%u", 1000000 + i);
      else
        unit[size++] = *c;
    feed(s, unit, size);
  }
  static const char after[] = "'\"> --> ]]> ?> ]> <url><loc>http://h/</loc></url>";
  feed(s, after, sizeof after - 1);
  sitemap_finish(s);
  assert_true(allocated - before < 1024);
  return sitemap_steps(s);
}

CASE(twice_the_attack_is_twice_the_work)
{
  enum { COUNT = 100000 };
  for (const struct attack *a = attacks; a < attacks + sizeof attacks / sizeof *attacks; a++) {
    uint64_t one = attack_in(*state, a, COUNT), two = attack_in(*state, a, 2 * COUNT);
    uint64_t bytes = COUNT * (uint64_t)(strlen(a->unit) + 7);
    assert_true(one >= COUNT);
    if (two > 2 * one + PRESCAN_MAX || one > 20 * bytes) /* the first PRESCAN_MAX bytes are read together */
      fail_msg("%s%s...: %lu steps for %u of them, %lu for twice as many", a->before, a->unit, (unsigned long)one,
               COUNT, (unsigned long)two);
  }
}

static int make(void **state)
{
  random_state = random_seed();
  *state = sitemap_create(note, &notes);
  return *state ? 0 : -1;
}

static int drop(void **state)
{
  sitemap_free(*state);
  return 0;
}

EACH_CASE(make, drop)
