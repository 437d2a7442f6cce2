/* Every parser of bytes from outside is linear: an attack of twice the size takes twice the steps, whatever it is made
 * of. Steps are counted, not timed (tests/support/steps.h). Each attack is tried in pieces as the network gives them,
 * and in small ones. STRATA_STEPS=1 prints a line for each. */
#include "crawler/base/clip.h"
#include "crawler/base/json.h"
#include "crawler/base/mime_type.h"
#include "crawler/html/charset.h"
#include "crawler/html/link_headers.h"
#include "crawler/html/refresh.h"
#include "crawler/http/cookies.h"
#include "crawler/http/dechunk.h"
#include "crawler/http/http_head.h"
#include "crawler/http/ledger.h"
#include "crawler/http/response_head.h"
#include "crawler/loop/visit.h"
#include "crawler/robots/robots.h"
#include "crawler/scope/patterns.h"
#include "frontier/url.h"
#include "tests/support/attack.h"
#include "tests/support/steps.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

/* ---- the parsers ----------------------------------------------------------------------------------------- */

static void read_visit(const char *type, uint16_t hops, const char *bytes, size_t size, size_t piece)
{
  visit *v = visit_create(NULL, true);
  assert_non_null(v);
  assert_true(visit_want_text(v));
  visit_begin(v, &(frontier_lease){.id = 1, .url = "http://h/", .url_size = 9, .origin.hops = hops});
  for (size_t at = 0; at < size; at += piece) {
    const char *rest = bytes + at;
    size_t left = size - at < piece ? size - at : piece;
    while (visit_read(v, type, &rest, &left))
      ;
  }
  visit_finish(v);
  assert_true(visit_gather_links(v));
  visit_free(v);
}

static void html(const char *bytes, size_t size, size_t piece)
{
  read_visit("text/html", 0, bytes, size, piece);
}

static void xhtml(const char *bytes, size_t size, size_t piece)
{
  read_visit("application/xhtml+xml", 0, bytes, size, piece);
}

static void plain(const char *bytes, size_t size, size_t piece)
{
  read_visit("text/plain", 0, bytes, size, piece);
}

static void utf16(const char *bytes, size_t size, size_t piece)
{
  read_visit("text/html; charset=utf-16le", 0, bytes, size, piece);
}

static void shift_jis(const char *bytes, size_t size, size_t piece)
{
  read_visit("text/html; charset=shift_jis", 0, bytes, size, piece);
}

static void iso_2022_jp(const char *bytes, size_t size, size_t piece)
{
  read_visit("text/html; charset=iso-2022-jp", 0, bytes, size, piece);
}

static void map(const char *bytes, size_t size, size_t piece)
{
  read_visit("text/xml", VISIT_SITEMAP, bytes, size, piece);
}

static void packed_map(const char *bytes, size_t size, size_t piece)
{
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  size_t room = deflateBound(&z, size);
  unsigned char *packed = malloc(room);
  assert_non_null(packed);
  z.next_in = (unsigned char *)(uintptr_t)bytes, z.avail_in = (unsigned)size;
  z.next_out = packed, z.avail_out = (unsigned)room;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  read_visit("text/xml", VISIT_SITEMAP, (char *)packed, room - z.avail_out, piece);
  deflateEnd(&z);
  free(packed);
}

static void rules(const char *bytes, size_t size, size_t piece)
{
  robots *r = robots_parse(bytes, size, "strata");
  (void)piece;
  assert_non_null(r);
  for (size_t i = 0; robots_sitemap(r, i); i++)
    ;
  free(robots_pack(r, &size));
  robots_free(r);
}

/* More and more rules, for one path. */
static void match_rules(const char *bytes, size_t size, size_t piece)
{
  static const char path[] =
    "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%61";
  robots *r = robots_parse(bytes, size, "strata");
  (void)piece;
  assert_non_null(r);
  robots_allows(r, path, sizeof path - 1, NULL);
  robots_free(r);
}

/* A longer and longer path, for some rules. */
static void match_path(const char *bytes, size_t size, size_t piece)
{
  static const char some[] = "User-agent: *\nDisallow: /*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b\nDisallow: /*aaaaaaaaaaaab\n"
                             "Disallow: *%61*%61*a$\nAllow: *a*/*/*/*/*/*/*/*c\nDisallow: *aaaaaaaaaaabaaaaaaaaaaaaaa$";
  robots *r = robots_parse(some, sizeof some - 1, "strata");
  (void)piece;
  assert_non_null(r);
  robots_allows(r, bytes, size, NULL);
  robots_free(r);
}

/* As the network's thread takes a response's head, and the crawling thread what it says. */
static void head(const char *bytes, size_t size, size_t piece)
{
  response_head h = {0};
  ledger l = {0};
  visit *v = visit_create(NULL, true);
  cookies *jar = cookies_create();
  (void)piece;
  assert_non_null(v);
  assert_non_null(jar);
  for (const char *at = bytes, *end = bytes + size, *next; at < end; at = next) {
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    next = feed ? feed + 1 : end;
    if (!ledger_add_line(&l, at, (size_t)(next - at), false) || !response_head_add(&h, at, (size_t)(next - at)))
      break;
  }
  fetch_response response = {.head = &h};
  const char *field = NULL;
  response_head_joined(&h, "Content-Type");
  response_head_next(&h, "Location", NULL);
  while ((field = response_head_next(&h, "Set-Cookie", field)))
    cookies_take(jar, "http://h.example/a/b", field, 1000000000);
  cookies_for(jar, "http://h.example/a/b", false, 1000000001);
  visit_begin(v, &(frontier_lease){.id = 1, .url = "http://h/", .url_size = 9});
  visit_take_headers(v, &response);
  visit_free(v);
  cookies_free(jar);
  response_head_free(&h);
}

static void note_link(void *context, const link_found *link)
{
  *(size_t *)context += link->size;
}

static void link_field(const char *bytes, size_t size, size_t piece)
{
  bool nofollow, noindex;
  const char *found;
  size_t found_size, sum = 0;
  (void)piece;
  link_headers_read_link(bytes, note_link, &sum);
  link_headers_read_robots(bytes, "strata", &nofollow, &noindex);
  refresh_find_url(bytes, size, &found, &found_size);
}

static void content_type(const char *bytes, size_t size, size_t piece)
{
  (void)piece;
  mime_type type;
  mime_type_read(bytes, size, &type);
}

static void meta_content(const char *bytes, size_t size, size_t piece)
{
  (void)piece;
  charset_of_content(bytes, size);
}

/* A field for each line, from as many sites. */
static void set_cookie(const char *bytes, size_t size, size_t piece)
{
  cookies *jar = cookies_create();
  text field = {0};
  char site[64];
  unsigned nth = 0;
  (void)piece;
  assert_non_null(jar);
  for (const char *at = bytes, *end = bytes + size, *next; at < end; at = next + 1, nth++) {
    next = memchr(at, '\n', (size_t)(end - at));
    next = next ? next : end;
    text_clear(&field);
    text_add_bytes(&field, at, (size_t)(next - at));
    snprintf(site, sizeof site, "http://h%u.example/", nth / 50);
    cookies_take(jar, site, field.bytes, 1000000000 + nth);
  }
  cookies_for(jar, site, false, 1000000000 + nth);
  text_free(&field);
  cookies_free(jar);
}

static void note_bytes(void *context, const char *bytes, size_t size)
{
  (void)context, (void)bytes, (void)size;
}

static void chunks(const char *bytes, size_t size, size_t piece)
{
  dechunk d = {0};
  for (size_t at = 0; at < size; at += piece)
    dechunk_feed(&d, bytes + at, size - at < piece ? size - at : piece, note_bytes, NULL);
}

static void warc_head(const char *bytes, size_t size, size_t piece)
{
  size_t found;
  (void)piece;
  http_head_status(bytes, size);
  http_head_find(bytes, size, "Content-Type", &found);
  http_head_says(bytes, size, "Transfer-Encoding", "chunked");
}

/* Each line is an href, under every rule. */
static void hrefs(const char *bytes, size_t size, size_t piece)
{
  static url u;
  const charset *big5 = charset_of_label("big5", 4);
  char *escaped = malloc(4 * URL_LENGTH_MAX);
  url_base *base = url_base_create();
  (void)piece;
  assert_non_null(base);
  assert_non_null(escaped);
  assert_int_equal(url_base_set(base, "http://h.example/d/e/f?q", 24), URL_OK);
  for (const char *at = bytes, *end = bytes + size, *next; at < end; at = next + 1) {
    next = memchr(at, '\n', (size_t)(end - at));
    next = next ? next : end;
    charset_escape_query(big5, at, (size_t)(next - at), escaped, 4 * URL_LENGTH_MAX);
    url_resolve(base, at, (size_t)(next - at), URL_EVERY_RULE, &u);
    url_resolve(base, at, (size_t)(next - at), URL_STRICT, &u);
  }
  url_base_free(base);
  free(escaped);
}

static void match_patterns(const char *bytes, size_t size, size_t piece)
{
  static const char *const expressions[] = {"(x+x+)+[yz]", "^http://h/(a|aa)+$", "/.*/.*/.*=.*b$", "([a-z]+)*\\d"};
  char message[PATTERNS_MESSAGE];
  static url u;
  u = (url){.fetch = bytes, .fetch_size = (uint32_t)size, .key = bytes, .key_size = (uint32_t)size};
  (void)piece;
  for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
    patterns *p = patterns_create();
    assert_non_null(p);
    assert_true(patterns_add(p, true, expressions[i], message));
    patterns_take(p, &u);
    patterns_free(p);
  }
}

static void write_json(const char *bytes, size_t size, size_t piece)
{
  json j = {0};
  (void)piece, (void)size;
  json_begin(&j);
  json_put_string(&j, "url", bytes);
  json_end(&j);
  json_free(&j);
}

/* Into a line as long as the text: marks above a letter take no column. */
static void clip(const char *bytes, size_t size, size_t piece)
{
  char *line = malloc(size + 1);
  (void)piece;
  assert_non_null(line);
  clip_line(bytes, 80, 1, line, size + 1);
  free(line);
}

/* ---- the attacks ----------------------------------------------------------------------------------------- */

enum { PAGE = 200000, HREF = 3500 };

#define A10 "aaaaaaaaaa"
#define A100 A10 A10 A10 A10 A10 A10 A10 A10 A10 A10

static const attack attacks[] = {
  /* tags */
  {"nested elements", html, PAGE, "", "<b>", NULL, "", LINEAR},
  {"nested and closed", html, PAGE, "", "<div><p>", "</p></div>", "", LINEAR},
  {"names without number", html, PAGE, "", "<n" N ">", NULL, "", LINEAR},
  {"a long name", html, PAGE, "<", "n", NULL, ">", LINEAR},
  {"a tag in a tag", html, PAGE, "", "<a ", NULL, ">", LINEAR},
  {"less than", html, PAGE, "", "<", NULL, "", LINEAR},
  {"ends of nothing", html, PAGE, "", "</", NULL, "", LINEAR},
  {"ends without beginning", html, PAGE, "", "</b>", NULL, "", LINEAR},
  {"slashes in a tag", html, PAGE, "<a ", "/", NULL, ">", LINEAR},
  {"templates in templates", html, PAGE, "", "<template><a href=x>", "</template>", "", LINEAR},
  {"templates in svg", html, PAGE, "", "<svg><template><p>", NULL, "", LINEAR},
  {"svg in svg", html, PAGE, "", "<svg><desc>", "</desc></svg>", "", LINEAR},
  {"math in svg", html, PAGE, "", "<svg><math><mi><annotation-xml encoding=text/html><font color=x>", NULL, "", LINEAR},
  {"svg that ends elsewhere", html, PAGE, "<svg>", "<title></svg><p></title>", NULL, "", LINEAR},
  {"selects", html, PAGE, "", "<select><plaintext>", NULL, "</select>", LINEAR},
  /* attributes */
  {"attributes", html, PAGE, "<a", " a" N "=" N, NULL, ">", LINEAR},
  {"one attribute again", html, PAGE, "<a", " href=x", NULL, ">", LINEAR},
  {"attributes in quotes", html, PAGE, "<a", " a" N "='>'", NULL, ">", LINEAR},
  {"a quote that does not end", html, PAGE, "", "<a href=\"x", NULL, "", LINEAR},
  {"quotes of both kinds", html, PAGE, "", "<a b='\"<a b=\"'", NULL, "", LINEAR},
  {"a value without end", html, PAGE, "<a href=", "x", NULL, "", LINEAR},
  {"long values", html, PAGE, "", "<a href='" A100 A100 A100 "&amp;'>", NULL, "", LINEAR},
  {"equal signs", html, PAGE, "<a ", "=", NULL, ">", LINEAR},
  {"blanks in a tag", html, PAGE, "<a ", " ", NULL, ">", LINEAR},
  {"references", html, PAGE, "<a href='", "&amp;", NULL, "'>", LINEAR},
  {"references without end", html, PAGE, "<a href='", "&", NULL, "'>", LINEAR},
  {"references in many values", html, PAGE, "", "<a href='&notit;&CounterClockwiseContourIntegral&#x1F600;'>", NULL, "",
   LINEAR},
  {"long numbers", html, PAGE, "", "<a href='&#x00000000000000000000000000000000000000041;'>", NULL, "", LINEAR},
  {"srcset", html, PAGE, "", "<img srcset='a 1x, b 2x,,,, c (,,,,) 3x'>", NULL, "", LINEAR},
  {"srcset in one", html, PAGE, "", "<img srcset='" A100 ",(((,,(,,((,, ,,,, x y z," A100 A100 A100 "'>", NULL, "",
   LINEAR},
  {"relations", html, PAGE, "", "<a href=x rel='a b c d e f g h i j k l m n o p q r s t u v w x y z'>", NULL, "",
   LINEAR},
  {"refresh", html, PAGE, "", "<meta http-equiv=refresh content='0000000000000000.....;  ur url=url=\"x'>", NULL, "",
   LINEAR},
  {"robots", html, PAGE, "", "<meta name=robots content='a,b,c,,,, ,none'>", NULL, "", LINEAR},
  {"bases", html, PAGE, "", "<base href=" N ">", NULL, "", LINEAR},
  {"links", html, PAGE, "", "<a href=" N ">", NULL, "", LINEAR},
  {"links of a byte", html, PAGE, "", "<a href=x>", NULL, "", LINEAR},
  /* what is not markup */
  {"comments", html, PAGE, "", "<!-- x -->", NULL, "", LINEAR},
  {"comments that do not end", html, PAGE, "", "<!--", NULL, "", LINEAR},
  {"dashes", html, PAGE, "<!--", "-", NULL, "", LINEAR},
  {"dashes that do not end", html, PAGE, "<!--", "--!-", NULL, "", LINEAR},
  {"declarations", html, PAGE, "", "<!", NULL, "", LINEAR},
  {"instructions", html, PAGE, "", "<?", NULL, "", LINEAR},
  {"CDATA", html, PAGE, "<svg>", "<![CDATA[]]>", NULL, "", LINEAR},
  {"CDATA that does not end", html, PAGE, "<svg><![CDATA[", "]]", NULL, "", LINEAR},
  {"CDATA in HTML", html, PAGE, "", "<![CDATA[", NULL, "", LINEAR},
  {"scripts", html, PAGE, "", "<script></script>", NULL, "", LINEAR},
  {"ends that look like a script's", html, PAGE, "<script>", "</scrip", NULL, "", LINEAR},
  {"scripts in comments in scripts", html, PAGE, "<script>", "<!--<script></script>", NULL, "", LINEAR},
  {"escapes that do not end", html, PAGE, "<script>", "<!--<script", NULL, "", LINEAR},
  {"titles", html, PAGE, "<title>", "</titl", NULL, "", LINEAR},
  {"text areas", html, PAGE, "", "<textarea><iframe>", NULL, "", LINEAR},
  {"plain text", html, PAGE, "<plaintext>", "</plaintext>", NULL, "", LIMITED},
  {"NUL and CR", html, PAGE, "<a href='", "\r\n\r", NULL, "'>", LINEAR},
  {"elements of XML", xhtml, PAGE, "", "<a:b" N " x:href='x'/>", NULL, "", LINEAR},
  {"namespaces of XML", xhtml, PAGE, "", "<a:b" N " xmlns:c" N "='http://www.w3.org/1999/xhtml' xmlns='x'/>", NULL, "",
   LINEAR},
  {"hidden in XML", xhtml, PAGE, "", "<script/><style><![CDATA[", NULL, "", LINEAR},
  /* text */
  {"a word", html, PAGE, "<p>", "x", NULL, "", LINEAR},
  {"words", html, PAGE, "<p>", "x" N " ", NULL, "", LINEAR},
  {"the same words", html, PAGE, "<p>", "a b c ", NULL, "", LINEAR},
  {"references in text", html, PAGE, "<p>", "&nbsp;&#65;&", NULL, "", LINEAR},
  {"references cut in text", html, PAGE, "<p>", "&<b>", NULL, "", LINEAR},
  {"words of plain text", plain, PAGE, "", N " ", NULL, "", LINEAR},
  {"characters that are words", plain, PAGE, "", "\xE4\xB8\x80\xE4\xBA\x8C", NULL, "", LINEAR},
  {"bytes that are no text", plain, PAGE, "", "\xFF\x80\xC3", NULL, "", LINEAR},
  /* charsets */
  {"metas without charset", html, PAGE, "", "<meta charset=x>", NULL, "", LINEAR},
  {"metas in comments", html, PAGE, "", "<!--<meta>", NULL, "", LINEAR},
  {"surrogates", utf16, PAGE, "", "\x34\xD8", NULL, "", LINEAR},
  {"halves of characters", shift_jis, PAGE, "", "\x81\xFF", NULL, "", LINEAR},
  {"escapes to charsets", iso_2022_jp, PAGE, "", "\x1B$B\x1B(B", NULL, "", LINEAR},
  {"escapes to none", iso_2022_jp, PAGE, "", "\x1B", NULL, "", LINEAR},
  /* sitemaps and feeds */
  {"URLs of a sitemap", map, PAGE, "<urlset>", "<url><loc>http://h/" N "</loc></url>", NULL, "", LINEAR},
  {"elements without number", map, PAGE, "<urlset>", "<n" N ">", NULL, "", LINEAR},
  {"elements without end", map, PAGE, "<urlset>", "<url><loc>", NULL, "", LINEAR},
  {"elements that end elsewhere", map, PAGE, "<urlset>", "<url>", "</loc>", "", LINEAR},
  {"attributes of a sitemap", map, PAGE, "<urlset ", " a" N "=\">\"", NULL, "/>", LINEAR},
  {"entities", map, PAGE, "<urlset><url><loc>", "&amp;", NULL, "", LIMITED},
  {"entities that do not end", map, PAGE, "<urlset><url><loc>", "&", NULL, ";", LIMITED},
  {"entities of many", map, PAGE, "<urlset>", "<url><loc>&amp;&amp;&amp;&;;&&;&#x;&#99999999999;", NULL, "", LINEAR},
  {"long entities", map, PAGE, "<urlset>", "<url><loc>&#" A100 A100 A100 ";;;</loc></url>", NULL, "", LINEAR},
  {"entities declared", map, PAGE, "<!DOCTYPE x [", "<!ENTITY e" N " '&e;&e;'>", NULL, "]>", LINEAR},
  {"documents' types", map, PAGE, "<!DOCTYPE x [", "[<!--", NULL, "]>", LINEAR},
  {"CDATA of a sitemap", map, PAGE, "<urlset><url><loc>", "<![CDATA[x]]>", NULL, "", LINEAR},
  {"CDATA without end", map, PAGE, "<urlset><url><loc><![CDATA[", "]", NULL, "", LINEAR},
  {"blanks that are cut off", map, PAGE, "",
   "<entry><link>x"
   "                                        ",
   "</link>", "", LINEAR},
  {"links in links", map, PAGE, "<feed>", "<entry><link>", "</link></entry>", "", LINEAR},
  {"links of a feed", map, PAGE, "<feed>", "<entry><link rel='alternate' href='" N "'/></entry>", NULL, "", LINEAR},
  {"sitemaps of sitemaps", map, PAGE, "<sitemapindex>", "<sitemap><loc>http://h/" N "</loc></sitemap>", NULL, "",
   LINEAR},
  {"lines", map, PAGE, "http://h/\n", N "\n", NULL, "", LINEAR},
  {"a long line", map, PAGE, "http://h/", "x", NULL, "", LINEAR},
  {"a packed sitemap", packed_map, PAGE, "<urlset>", "<url><loc>http://h/" N "</loc></url>", NULL, "", LINEAR},
  {"packed blanks", packed_map, 40 * PAGE, "<urlset>", " ", NULL, "", LINEAR},
  /* robots.txt */
  {"rules", rules, PAGE, "User-agent: *\n", "Disallow: /" N "\n", NULL, "", LINEAR},
  {"rules of one length", rules, PAGE, "User-agent: *\n", "Disallow: /x\n", NULL, "", LINEAR},
  {"rules with wildcards", rules, PAGE, "User-agent: *\n", "Allow: *a*a*a*%61\xFF$\n", NULL, "", LINEAR},
  {"groups", rules, PAGE, "", "User-agent: strata\nDisallow: /" N "\n", NULL, "", LINEAR},
  {"agents", rules, PAGE, "", "User-agent: " N "\n", NULL, "Disallow: /\n", LINEAR},
  {"named sitemaps", rules, PAGE, "", "Sitemap: " N "\n", NULL, "", LINEAR},
  {"delays", rules, PAGE, "User-agent: *\n", "Crawl-delay: 99999999999999999999\n", NULL, "", LINEAR},
  {"an endless delay", rules, PAGE, "User-agent: *\nCrawl-delay: ", "9", NULL, "", LIMITED},
  {"an endless rule", rules, PAGE, "User-agent: *\nDisallow: /", "*", NULL, "", LIMITED},
  {"comments of rules", rules, PAGE, "User-agent: *\n", "# # #:\n", NULL, "", LINEAR},
  {"empty lines", rules, PAGE, "User-agent: *\n", "\r", NULL, "", LINEAR},
  {"colons", rules, PAGE, "User-agent: *\n", "::::: allow", NULL, "", LIMITED},
  {"wildcards to match", match_rules, PAGE, "User-agent: *\n", "Disallow: *a*a*a*aaaaab\n", NULL, "", LINEAR},
  {"many wildcards to match", match_rules, PAGE, "User-agent: *\n",
   "Disallow: "
   "/*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b\n",
   NULL, "", LINEAR},
  {"rules to match", match_rules, PAGE, "User-agent: *\n", "Disallow: /" A10 A10 "b\n", NULL, "", LINEAR},
  {"a path of one letter", match_path, HREF, "/", "a", NULL, "", LINEAR},
  {"a path of stars", match_path, HREF, "/", "*", NULL, "", LINEAR},
  {"a path of escapes", match_path, HREF, "/", "%61", NULL, "", LINEAR},
  /* header fields */
  {"fields", head, 8000, "HTTP/1.1 200 OK\r\n", "X: " A10 "\r\n", NULL, "\r\n", LINEAR},
  {"types", head, 8000, "HTTP/1.1 200 OK\r\n", "Content-Type: x\r\n", NULL, "\r\n", LINEAR},
  {"long types", head, 100000, "HTTP/1.1 200 OK\r\n", "Content-Type: " A100 A100 A100 "\r\n", NULL, "\r\n", LINEAR},
  {"fields of links", head, 1000, "HTTP/1.1 200 OK\r\n", "Link: <" N ">; rel=next\r\n", NULL, "\r\n", LINEAR},
  {"long fields of links", head, 25000, "HTTP/1.1 200 OK\r\n", "Link: " A100 A100 A100 A100 A100 "\r\n", NULL, "\r\n",
   LINEAR},
  {"fields for robots", head, 800, "HTTP/1.1 200 OK\r\n", "X-Robots-Tag: a\r\n", NULL, "\r\n", LINEAR},
  {"folded fields", head, 5000, "HTTP/1.1 200 OK\r\nX: x\r\n", " " A10 "\r\n", NULL, "\r\n", LINEAR},
  {"heads", head, 8000, "", "HTTP/1.1 200 OK\r\nX: " A10 "\r\n\r\n", NULL, "", LIMITED},
  {"cookies of a response", head, 2500, "HTTP/1.1 200 OK\r\n", "Set-Cookie: " N "=x\r\n", NULL, "\r\n", LINEAR},
  {"links in a field", link_field, PAGE, "", "<x>;rel=next,", NULL, "", LINEAR},
  {"targets without end", link_field, PAGE, "", "<", NULL, "", LINEAR},
  {"parameters", link_field, PAGE, "<x>", ";a=\"\\\"", NULL, "\"", LINEAR},
  {"relations in a field", link_field, PAGE, "<x>;rel=\"", "x next ", NULL, "\"", LINEAR},
  {"words for robots", link_field, PAGE, "strata:", " none,", NULL, "", LINEAR},
  {"agents for robots", link_field, PAGE, "", "a: b c: unavailable_after: 1, 2:3,", NULL, "", LINEAR},
  {"a long agent for robots", link_field, PAGE, "", "a b ", NULL, "", LINEAR},
  {"a long refresh", link_field, PAGE, "0", ".", NULL, "", LINEAR},
  {"types in a field", content_type, PAGE, "", "a/b;charset=\"c\",", NULL, "", LINEAR},
  {"parameters of a type", content_type, PAGE, "a/b", ";charset=", NULL, "", LINEAR},
  {"a long quote in a type", content_type, PAGE, "a/b;charset=\"", "\\", NULL, "", LINEAR},
  {"quotes in a type", content_type, PAGE, "a/b", "\"", NULL, "", LINEAR},
  {"charsets in a meta", meta_content, PAGE, "", "charset ", NULL, "", LINEAR},
  {"a long charset", meta_content, PAGE, "charset=", "x", NULL, "", LINEAR},
  {"cookies", set_cookie, 20000, "", "n" N "=x\n", NULL, "", LINEAR},
  {"cookies that expire", set_cookie, 20000, "", "n" N "=x; Max-Age=1\n", NULL, "", LINEAR},
  {"attributes of a cookie", set_cookie, PAGE, "a=b", ";Path=/;Domain=x;Max-Age=1", NULL, "", LINEAR},
  {"dates of a cookie", set_cookie, PAGE, "a=b", ";Expires=Wed, 09 Jun 2021 10:18:14 GMT", NULL, "", LINEAR},
  {"semicolons", set_cookie, PAGE, "a=b", ";", NULL, "", LINEAR},
  {"chunks", chunks, PAGE, "", "1\r\nx\r\n", NULL, "", LINEAR},
  {"extensions of chunks", chunks, PAGE, "1", ";x", NULL, "", LINEAR},
  {"trailers", chunks, PAGE, "0\r\n", "x:y\r\n", NULL, "", LINEAR},
  {"a head in a WARC file", warc_head, PAGE, "HTTP/1.1 200 OK\r\n", "Transfer-Encoding: x,\r\n", NULL, "", LINEAR},
  {"a list in a WARC file", warc_head, PAGE, "HTTP/1.1 200 OK\r\nTransfer-Encoding: ", ",", NULL, "\r\n", LINEAR},
  /* URLs */
  {"segments", hrefs, HREF, "/", "a/", NULL, "", LINEAR},
  {"dot segments", hrefs, HREF, "/", "../", NULL, "", LINEAR},
  {"there and back", hrefs, HREF, "/", "a/", "../", "", LINEAR},
  {"escaped dots", hrefs, 1800, "", "%2e%2E/./", NULL, "", LINEAR},
  {"escapes", hrefs, 1000, "/?", "%61%", NULL, "", LINEAR},
  {"bytes to be escaped", hrefs, 1000, "/?", "\xFF ", NULL, "", LINEAR},
  {"a query in another charset", hrefs, 1200, "?", "\xE4\xB8\x80\xE4\xBA\x8C", NULL, "", LINEAR},
  {"backslashes", hrefs, HREF, "", "\\", NULL, "", LINEAR},
  {"colons of a path", hrefs, HREF, "a", ":", NULL, "", LINEAR},
  {"parameters of a query", hrefs, HREF, "?", "b&a=" N "&", NULL, "", LINEAR},
  {"one parameter", hrefs, HREF, "?", "a&", NULL, "", LINEAR},
  {"sessions", hrefs, HREF, "/", ";sid", NULL, "", LINEAR},
  {"sessions of 32 letters", hrefs, HREF, "/", ";sid=" A10 A10 A10 "aa", NULL, "", LINEAR},
  {"sessions of a query", hrefs, HREF, "?", "sid=" A10 A10 A10 "aa;", NULL, "", LINEAR},
  {"index pages", hrefs, HREF, "/", "index.html/", NULL, "", LINEAR},
  {"slashes", hrefs, HREF, "a", "/", NULL, "", LINEAR},
  {"userinfo", hrefs, HREF, "http://", "@", NULL, "h/", LINEAR},
  {"brackets", hrefs, HREF, "http://", "[", NULL, "/", LINEAR},
  {"blanks", hrefs, HREF, "", " \t\n", NULL, "", LINEAR},
  {"labels", hrefs, PAGE, "", "http://a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a/\n", NULL, "",
   LINEAR},
  {"numbers", hrefs, PAGE, "", "http://0x00000000000000000000000000000000000000000000000000000000000000000000000/\n",
   NULL, "", LINEAR},
  {"Punycode", hrefs, PAGE, "",
   "http://xn--"
   "9999999999999999999999999999999999999999999999999999999999999999999999999999\xC3\xBC/\n",
   NULL, "", LINEAR},
  {"Punycode of its own", hrefs, PAGE, "",
   "http://\xE4\xB8\x80\xE4\xBA\x8C\xE4\xB8\x89\xE5\x9B\x9B\xE4\xBA\x94\xE5\x85\xAD\xE4\xB8\x83\xE5\x85\xAB/\n", NULL,
   "", LINEAR},
  {"letters that are parted", hrefs, PAGE, "",
   "http://\xD9\x86\xE2\x80\x8C\xD9\x86\xE2\x80\x8C\xD9\x86\xE2\x80\x8C\xD9\x86\xE2\x80\x8C\xD9\x86/\n", NULL, "",
   LINEAR},
  /* what is asked of URLs, and made of them */
  {"letters for an expression", match_patterns, HREF, "http://h/", "x", NULL, "", LIMITED},
  {"slashes for an expression", match_patterns, HREF, "http://h/", "/", NULL, "", LIMITED},
  {"letters again", match_patterns, HREF, "http://h/", "a", NULL, "", LIMITED},
  {"JSON", write_json, PAGE, "", "\xFF\"\\\x01\xC3\xBC", NULL, "", LINEAR},
  {"marks on a letter", clip, 4000, "a", "\xCC\x81", NULL, "", LINEAR},
  {"signs of direction", clip, 4000, "", "\xE2\x80\x8E", NULL, "", LIMITED},
};

/* ---- counting -------------------------------------------------------------------------------------------- */

CASE(twice_the_size_takes_twice_the_steps)
{
  int bad = 0;
  (void)state;
  for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
    bad += attack_judge(&attacks[i], NETWORK_PIECE) + attack_judge(&attacks[i], SMALL_PIECE);
  assert_int_equal(bad, 0);
}

/* Rules and path together are as long as they may be. */
CASE(an_answer_of_robots_txt_has_a_limit)
{
  static const char *const lines[] = {"Disallow: *b\n", "Disallow: *baaaaaaa\n", "Disallow: *aab\n",
                                      "Disallow: *a*a*a*aab\n", "Disallow: *" A100 "b\n"};
  enum { STEPS_MAX = 1 << 26 };
  (void)state;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    text file = {0}, path = {0};
    attack_make(&(attack){.begin = "User-agent: *\n", .repeat = lines[i]}, ROBOTS_SIZE_MAX, &file);
    attack_make(&(attack){.begin = "/", .repeat = "a"}, URL_LENGTH_MAX, &path);
    robots *r = robots_parse(file.bytes, file.size, "strata");
    assert_non_null(r);
    uint64_t before = steps_taken();
    robots_allows(r, path.bytes, path.size, NULL);
    assert_in_range(steps_taken() - before, 1, STEPS_MAX);
    robots_free(r);
    text_free(&file);
    text_free(&path);
  }
}

/* The longest URL, and expressions that look at all of it from each of its bytes. */
CASE(an_expression_has_a_limit)
{
  static const char *const expressions[] = {"[a-z]{0,300}[a-z]{0,300}\\d", "(?:[a-z]|[a-y]|[a-x]){0,9}\\d",
                                            "(?:[a-z]*+!|[a-z])*\\d", "(?=([a-z]+))\\1\\d"};
  enum { STEPS_MAX = 1 << 24 };
  char message[PATTERNS_MESSAGE];
  (void)state;
  text address = {0};
  attack_make(&(attack){.begin = "http://h/", .repeat = "a"}, URL_LENGTH_MAX, &address);
  static url u;
  u = (url){.fetch = "http://h/", .fetch_size = 9, .key = address.bytes, .key_size = (uint32_t)address.size};
  for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
    patterns *p = patterns_create();
    assert_non_null(p);
    assert_true(patterns_add(p, false, expressions[i], message));
    uint64_t before = steps_taken();
    assert_false(patterns_take(p, &u));
    uint64_t steps = steps_taken() - before;
    if (steps > STEPS_MAX || patterns_undecided(p) != 1)
      fail_msg("%s: %llu steps", expressions[i], (unsigned long long)steps);
    patterns_free(p);
  }
  text_free(&address);
}

/* The judge is judged: every byte is compared with all before it. */
static void compare_all(const char *bytes, size_t size, size_t piece)
{
  static volatile size_t sum; /* or the compiler leaves the searches out */
  (void)piece;
  for (size_t i = 1; i < size; i++)
    sum = sum + (memrchr(bytes, 'x', i) != NULL);
}

CASE(what_is_quadratic_is_found)
{
  static const attack quadratic = {"quadratic", compare_all, 1000, "", "a", NULL, "", LINEAR};
  static const attack deaf = {"deaf", meta_content, 1000, "charset=x ", "a", NULL, "", LINEAR};
  (void)state;
  assert_int_equal(attack_judge(&quadratic, SMALL_PIECE), 1);
  assert_int_equal(attack_judge(&deaf, SMALL_PIECE), 1); /* what is not read at all proves nothing */
}
