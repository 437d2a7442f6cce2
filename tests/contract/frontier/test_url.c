/* The rules of frontier/url/URL.md, one row each: what is the same page, what is not, what a browser requests. */
#include "tests/support/test.h"
#include "tests/support/url_test.h"

/* `fetch` and `key` of a page, or the status of a refusal. `key` NULL: as fetch. */
typedef struct row {
  const char *base, *href, *fetch, *key;
  const char *why;
} row;

#define PAGE "http://a.example/b/c/d.html?q"

static const row accepted[] = {
  /* scheme and host */
  {"", "HTTP://EXAMPLE.com/A", "http://example.com/A", NULL, "scheme and host have one case, paths have two"},
  {"", "http://example.com", "http://example.com/", NULL, "an empty path is /"},
  {"", "http://example.com?q", "http://example.com/?q", NULL, "also before a query"},
  {"", "http://example.com:80/", "http://example.com/", NULL, "80 is http's port"},
  {"", "https://example.com:443/", "https://example.com/", NULL, "443 is https's port"},
  {"", "http://example.com:443/", "http://example.com:443/", NULL, "but not http's"},
  {"", "http://example.com:/", "http://example.com/", NULL, "an empty port is none"},
  {"", "http://example.com:008080/", "http://example.com:8080/", NULL, "zeros before a port"},
  {"", "http://example.com:0/", "http://example.com:0/", NULL, "0 is a port"},
  {"", "http://example.com:65535/", "http://example.com:65535/", NULL, "the last port"},
  {"", "http://user:pw@example.com/", "http://example.com/", NULL, "userinfo is not sent to the page's name"},
  {"", "http://a@b@example.com/", "http://example.com/", NULL, "the last @ ends it"},
  {"", "http:example.com/x", "http://example.com/x", NULL, "without a base, slashes may be missing"},
  {"", "https:////example.com/x", "https://example.com/x", NULL, "or be too many"},
  {"", "http:\\\\example.com\\x", "http://example.com/x", NULL, "or lean the wrong way"},
  {"", "http://exam%70le.com/", "http://example.com/", NULL, "escapes in a host are decoded"},
  {"",
   "http://B\xC3\x9C"
   "CHER.example/",
   "http://xn--bcher-kva.example/", NULL, "a name outside ASCII goes to Punycode"},
  {"", "http://i\xE2\x9D\xA4.ws/", "http://xn--i-7iq.ws/", NULL, "a symbol is as good as a letter"},
  {"", "http://fa\xC3\x9F.example/", "http://xn--fa-hia.example/", NULL, "non-transitional: sharp s stays itself"},
  {"",
   "http://a\xE3\x80\x82"
   "b/",
   "http://a.b/", NULL, "the ideographic full stop is a dot"},
  {"", "http://-a.example/", "http://-a.example/", NULL, "plain ASCII goes round IDNA"},
  {"", "http://ab--c.example/", "http://ab--c.example/", NULL, "hyphens and all"},
  {"", "http://a_b.example/", "http://a_b.example/", NULL, "underscores too: such hosts answer"},
  {"", "http://example.com./", "http://example.com./", NULL, "a trailing dot is another name to servers"},
  {"", "http://0x7f.1/", "http://127.0.0.1/", NULL, "IPv4 in hexadecimal, parts left out"},
  {"", "http://017700000001/", "http://127.0.0.1/", NULL, "in octal, as one number"},
  {"", "http://127.0.0.1./", "http://127.0.0.1/", NULL, "an address needs no root"},
  {"", "http://1.2.3.4.example/", "http://1.2.3.4.example/", NULL, "a name may begin with numbers"},
  {"", "http://[2001:DB8:0:0:1:0:0:1]/", "http://[2001:db8::1:0:0:1]/", NULL,
   "RFC 5952: the first longest run of zeros"},
  {"", "http://[1:0:2:3:4:5:6:7]/", "http://[1:0:2:3:4:5:6:7]/", NULL, "one zero is no run"},
  {"", "http://[::ffff:1.2.3.4]:81/", "http://[::ffff:102:304]:81/", NULL, "a dotted tail is two pieces"},

  /* path */
  {"", "http://h/a/./b/../c", "http://h/a/c", NULL, "dot segments"},
  {"", "http://h/../../a", "http://h/a", NULL, "nothing is above the root"},
  {"", "http://h/a/%2E%2e/b/%2e", "http://h/b/", NULL, "escaped dots are dots to browsers"},
  {"", "http://h//a///b/", "http://h//a///b/", NULL, "empty segments are segments"},
  {"", "http://h/a\\b", "http://h/a/b", NULL, "\\ is / to browsers"},
  {"", "http://h/a%5Cb", "http://h/a%5Cb", NULL, "but an escaped one is not"},
  {"", "http://h/a b\"<>^`{}", "http://h/a%20b%22%3C%3E%5E%60%7B%7D", NULL, "what browsers escape in a path"},
  {"", "http://h/a|[b]", "http://h/a|[b]", "http://h/a%7C%5Bb%5D",
   "what only RFC 3986 forbids is sent raw, escaped in the key"},
  {"", "http://h/caf\xC3\xA9", "http://h/caf%C3%A9", NULL, "UTF-8 is escaped"},
  {"", "http://h/caf\xE9", "http://h/caf%E9", NULL, "a byte that is not UTF-8 too, as it stands"},
  {"", "http://h/\x01\x7F", "http://h/%01%7F", NULL, "control bytes in a path are escaped"},
  {"", "http://h/%7euser%2d", "http://h/%7euser%2d", "http://h/~user-", "an escape of an unreserved byte is that byte"},
  {"", "http://h/%c3%a9", "http://h/%c3%a9", "http://h/%C3%A9", "escapes have one case"},
  {"", "http://h/a%2Fb", "http://h/a%2Fb", NULL, "an escaped / is no /"},
  {"", "http://h/a%40b@", "http://h/a%40b@", NULL, "reserved bytes differ from their escapes"},
  {"", "http://h/100%", "http://h/100%", "http://h/100%25", "a lone % can only mean itself"},
  {"", "http://h/%%41%4", "http://h/%%41%4", "http://h/%25A%254", "and nothing is decoded twice"},
  {"", "http://h/a%2541", "http://h/a%2541", NULL, "not even when it looks like it"},
  {"", "http://h/a%00b", "http://h/a%00b", NULL, "an escaped NUL does not end the key"},

  /* query and fragment */
  {"", "http://h/?a b\"<>'", "http://h/?a%20b%22%3C%3E%27", NULL, "what browsers escape in a query"},
  {"", "http://h/?{|}[]^`\\", "http://h/?{|}[]^`\\", "http://h/?%7B%7C%7D%5B%5D%5E%60%5C",
   "and what the key escapes beyond it"},
  {"", "http://h/'", "http://h/'", NULL, "' is not escaped in a path"},
  {"", "http://h/?/../x", "http://h/?/../x", NULL, "a query has no segments"},
  {"", "http://h/??", "http://h/??", NULL, "the second ? is query"},
  {"", "http://h/?", "http://h/?", NULL, "an empty query is not none: servers can tell"},
  {"", "http://h/?a+b%2Bc", "http://h/?a+b%2Bc", NULL, "+ and %2B differ"},
  {"", "http://h/?b=1&a=2&sid=x&utm_source=y", "http://h/?b=1&a=2&sid=x&utm_source=y", NULL, "queries are kept whole"},
  {"", "http://h/a#b?c#d", "http://h/a", NULL, "a fragment is not sent"},
  {"", " \t\nhttp://h/a\r\n \x1F", "http://h/a", NULL, "white space and control bytes around"},
  {"", "ht\ntp://h/a\tb", "http://h/ab", NULL, "TAB, CR, LF anywhere"},

  /* references */
  {PAGE, "", "http://a.example/b/c/d.html?q", NULL, "an empty link is the page"},
  {PAGE, "#top", "http://a.example/b/c/d.html?q", NULL, "so is a fragment"},
  {PAGE, "?x", "http://a.example/b/c/d.html?x", NULL, "a query replaces the query"},
  {PAGE, "e", "http://a.example/b/c/e", NULL, "a name replaces the last one"},
  {PAGE, "../e/", "http://a.example/b/e/", NULL, ".. in front"},
  {PAGE, ".././../../e", "http://a.example/e", NULL, "more of them than there are directories"},
  {PAGE, "..", "http://a.example/b/", NULL, ".. alone"},
  {PAGE, "./", "http://a.example/b/c/", NULL, "the directory itself"},
  {PAGE, "..//e", "http://a.example/b//e", NULL, "an empty segment after it"},
  {PAGE, ".hidden/..e", "http://a.example/b/c/.hidden/..e", NULL, "names may begin with dots"},
  {PAGE, "e/../f", "http://a.example/b/c/f", NULL, "dots in the middle"},
  {PAGE, "/e?f#g", "http://a.example/e?f", NULL, "a path from the root"},
  {PAGE, "//Other.example:80/e", "http://other.example/e", NULL, "another host, the same scheme"},
  {PAGE, "///other.example/e", "http://other.example/e", NULL, "slashes too many"},
  {PAGE, "\\\\other.example\\e", "http://other.example/e", NULL, "slashes the wrong way"},
  {PAGE, "http:e", "http://a.example/b/c/e", NULL, "the page's scheme without slashes is relative"},
  {PAGE, "http:/e", "http://a.example/e", NULL, "with one slash too"},
  {PAGE, "https:other.example/e", "https://other.example/e", NULL, "another scheme is not"},
  {PAGE, ":e", "http://a.example/b/c/:e", NULL, "no scheme before the colon"},
  {PAGE, "1:e", "http://a.example/b/c/1:e", NULL, "a scheme begins with a letter"},
  {PAGE, "e/f:g", "http://a.example/b/c/e/f:g", NULL, "a colon after a slash ends no scheme"},
  {PAGE, "a b|c", "http://a.example/b/c/a%20b|c", "http://a.example/b/c/a%20b%7Cc", "escaping in a reference"},
  {"http://h//a//b", "c", "http://h//a//c", NULL, "a base that begins with //"},
  {"http://u:p@h/a", "b", "http://h/b", NULL, "a base's userinfo is not inherited"},
  {"http://h/%7e/x", "y", "http://h/%7e/y", "http://h/~/y", "a base keeps its spelling, the key has its own"},
  {"http://h/a%", "", "http://h/a%", "http://h/a%25", "also where one is the beginning of the other"},
  {"http://h/a%", "?b", "http://h/a%?b", "http://h/a%25?b", "and a query follows"},
};

CASE(pages_have_one_fetch_url_and_one_key)
{
  static url out;
  for (size_t i = 0; i < COUNT(accepted); i++) {
    const row *r = &accepted[i];
    url_status status = resolve_row(r->base, r->href, strlen(r->href), URL_STRICT, &out);
    if (status != URL_OK)
      fail_msg("%s (%s): refused, %s", r->href, r->why, url_status_name(status));
    if (strcmp(out.fetch, r->fetch) != 0)
      fail_msg("%s (%s): fetches %s", r->href, r->why, out.fetch);
    if (strcmp(out.key, r->key ? r->key : r->fetch) != 0)
      fail_msg("%s (%s): has key %s", r->href, r->why, out.key);
  }
}

/* What is accepted twice is the same page the second time. */
CASE(keys_and_fetch_urls_keep_their_key)
{
  static url first, second;
  for (size_t i = 0; i < COUNT(accepted); i++) {
    const row *r = &accepted[i];
    assert_int_equal(resolve_row(r->base, r->href, strlen(r->href), URL_STRICT, &first), URL_OK);
    assert_int_equal(url_parse(first.key, first.key_size, URL_STRICT, &second), URL_OK);
    assert_string_equal(first.key, second.key);
    assert_int_equal(url_parse(first.fetch, first.fetch_size, URL_STRICT, &second), URL_OK);
    assert_string_equal(first.key, second.key);
    assert_string_equal(first.fetch, second.fetch);
  }
}

static const struct refusal {
  const char *base, *href;
  url_status status;
  const char *why;
} refused[] = {
  {PAGE, "mailto:a@b.example", URL_BAD_SCHEME, "not a page"},
  {PAGE, "javascript:void(0)", URL_BAD_SCHEME, "not a page"},
  {PAGE, "data:text/html,x", URL_BAD_SCHEME, "not a page"},
  {PAGE, "ftp://h/x", URL_BAD_SCHEME, "not http"},
  {PAGE, "file:///etc/passwd", URL_BAD_SCHEME, "not http"},
  {PAGE, "httpx://h/", URL_BAD_SCHEME, "not http either"},
  {PAGE, "h+.-1:x", URL_BAD_SCHEME, "all bytes a scheme may have"},
  {"", "http://", URL_BAD_HOST, "no host"},
  {"", "http:///", URL_BAD_HOST, "only slashes"},
  {"", "http://user@/x", URL_BAD_HOST, "userinfo, but no host"},
  {"", "http://:80/", URL_BAD_HOST, "a port, but no host"},
  {"", "http://h:65536/", URL_BAD_HOST, "no such port"},
  {"", "http://h:99999999999999999999/", URL_BAD_HOST, "nor this one"},
  {"", "http://h:8o/", URL_BAD_HOST, "not a number"},
  {"", "http://a b/", URL_BAD_HOST, "a space"},
  {"", "http://a%20b/", URL_BAD_HOST, "an escaped one"},
  {"", "http://a%2Fb/", URL_BAD_HOST, "a slash that would be decoded"},
  {"", "http://a%3Ab/", URL_BAD_HOST, "a colon that would be"},
  {"", "http://a%40b/", URL_BAD_HOST, "an @ that would be"},
  {"", "http://a%/", URL_BAD_HOST, "a lone %"},
  {"", "http://a<b>/", URL_BAD_HOST, "< and >"},
  {"", "http://a|b/", URL_BAD_HOST, "|"},
  {"", "http://a^b/", URL_BAD_HOST, "^"},
  {"", "http://[::1/", URL_BAD_HOST, "a bracket that does not close"},
  {"", "http://[::1]x/", URL_BAD_HOST, "something after it"},
  {"", "http://[1:2:3:4:5:6:7]/", URL_BAD_HOST, "too few pieces"},
  {"", "http://[1:2:3:4:5:6:7:8:9]/", URL_BAD_HOST, "too many"},
  {"", "http://[1::2::3]/", URL_BAD_HOST, "two gaps"},
  {"", "http://[::12345]/", URL_BAD_HOST, "a piece too long"},
  {"", "http://[::1.2.3]/", URL_BAD_HOST, "three bytes of four"},
  {"", "http://[::1.2.3.256]/", URL_BAD_HOST, "not a byte"},
  {"", "http://[::1.2.3.04]/", URL_BAD_HOST, "a leading zero"},
  {"", "http://[fe80::1%25eth0]/", URL_BAD_HOST, "a zone means nothing elsewhere"},
  {"", "http://256.256.256.256/", URL_BAD_HOST, "ends in a number, but is no address"},
  {"", "http://1.2.3.4.5/", URL_BAD_HOST, "five parts"},
  {"", "http://4294967296/", URL_BAD_HOST, "2^32"},
  {"", "http://a.09/", URL_BAD_HOST, "not octal"},
  {"", "http://a\xFF/", URL_BAD_HOST, "not UTF-8"},
  {"", "http://\xC2\xAD/", URL_BAD_HOST, "nothing is left of a soft hyphen"},
  {"", "http://a\xE2\x80\x8E/", URL_BAD_HOST, "a mark of direction"},
  {"",
   "http://\xD9\x8A"
   "a/",
   URL_BAD_HOST, "right-to-left and left-to-right in one label"},
  {"",
   "http://a\xEF\xBC\x8F"
   "b/",
   URL_BAD_HOST, "a full-width slash becomes a slash"},
  {"", "x", URL_BAD_SYNTAX, "relative, and no base"},
  {"", "", URL_BAD_SYNTAX, "nothing"},
  {"", "//h/x", URL_BAD_SYNTAX, "no scheme"},
  {"", "://h/x", URL_BAD_SYNTAX, "a scheme has a name"},
  {"", "http://a\x01.b/", URL_HAS_CONTROL, "a control byte in the host"},
  {"", "http://a%00.b/", URL_HAS_CONTROL, "an escaped one"},
  {"", "http://\xC3\xA9%0A/", URL_HAS_CONTROL, "in a name for IDNA"},
  {"", "http://\xC3\xA9%00/", URL_HAS_CONTROL, "and a NUL there"},
};

CASE(refusals_say_why)
{
  static url out;
  for (size_t i = 0; i < COUNT(refused); i++) {
    url_status status = resolve_row(refused[i].base, refused[i].href, strlen(refused[i].href), URL_STRICT, &out);
    if (status != refused[i].status)
      fail_msg("%s (%s): %s", refused[i].href, refused[i].why, url_status_name(status));
  }
}

CASE(a_raw_nul_is_seen)
{
  static url out;
  assert_int_equal(url_parse("http://a\0b/", 11, URL_STRICT, &out), URL_HAS_CONTROL);
  assert_int_equal(url_parse("http://h/a\0b", 12, URL_STRICT, &out), URL_OK);
  assert_string_equal(out.key, "http://h/a%00b");
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* `head`, then `byte` until the whole has `size` bytes. The caller frees it. */
static char *long_text(const char *head, char byte, size_t size)
{
  char *text = malloc(size + 1);
  assert_non_null(text);
  memset(text, byte, size);
  memcpy(text, head, strlen(head));
  text[size] = '\0';
  return text;
}

static url_status status_of(const char *head, char byte, size_t size)
{
  static url out;
  char *text = long_text(head, byte, size);
  url_status status = url_parse(text, size, URL_STRICT, &out);
  free(text);
  return status;
}

CASE(length_is_limited)
{
  assert_int_equal(status_of("http://h/", 'a', URL_LENGTH_MAX), URL_OK);
  assert_int_equal(status_of("http://h/", 'a', URL_LENGTH_MAX + 1), URL_TOO_LONG);
  assert_int_equal(status_of("http://h/", 'a', 10000000), URL_TOO_LONG);
  /* three bytes each in the fetch URL */
  assert_int_equal(status_of("http://h/", '"', URL_LENGTH_MAX / 2), URL_TOO_LONG);
  assert_int_equal(status_of("http://h/", '|', URL_LENGTH_MAX / 2), URL_TOO_LONG); /* three bytes each in the key */
  assert_int_equal(status_of("http://h/#", 'a', 10000000), URL_OK);                /* a fragment does not count */
  assert_int_equal(status_of("http://h/", '\n', 10000000), URL_OK);                /* nor does what is dropped */
  assert_int_equal(status_of("http://h/", '/', URL_LENGTH_MAX), URL_OK);           /* the most segments there can be */
  assert_int_equal(status_of("http://h/", ',', URL_LENGTH_MAX), URL_OK);           /* what overran uriparser's stack */
}

CASE(host_length_is_limited)
{
  static url out;
  char text[7 + URL_HOST_MAX + 3];
  int size = snprintf(text, sizeof text, "http://%0*d/", URL_HOST_MAX, 0);
  memset(text + 7, 'a', URL_HOST_MAX);
  assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, &out), URL_OK);
  memcpy(text + 7 + URL_HOST_MAX, "a/", 3);
  assert_int_equal(url_parse(text, (size_t)size + 1, URL_STRICT, &out), URL_BAD_HOST);
}

CASE(a_long_base_and_a_long_link_are_too_long_together)
{
  static url out;
  char *page = long_text("http://h/", 'a', 5000), *href = long_text("x", 'b', 5000);
  page[4999] = '/';
  assert_int_equal(resolve_row(page, href, 5000, URL_STRICT, &out), URL_TOO_LONG);
  assert_int_equal(resolve_row(page, href, 3000, URL_STRICT, &out), URL_OK);
  assert_int_equal(out.fetch_size, 8000);
  free(page);
  free(href);
}

/* ---- base ------------------------------------------------------------------------------------ */

CASE(a_refused_base_leaves_the_old_one)
{
  static url out;
  url_base *base = url_base_create();
  assert_int_equal(url_resolve(base, "x", 1, URL_STRICT, &out), URL_BAD_SYNTAX); /* none set yet */
  assert_int_equal(url_base_set(base, "http://h/a/b", 12), URL_OK);
  assert_int_equal(url_base_set(base, "mailto:x", 8), URL_BAD_SCHEME);
  assert_int_equal(url_base_set(base, "relative", 8), URL_BAD_SYNTAX);
  assert_int_equal(url_resolve(base, "x", 1, URL_STRICT, &out), URL_OK);
  assert_string_equal(out.fetch, "http://h/a/x");
  assert_int_equal(url_base_set(base, "https://other/", 14), URL_OK);
  assert_int_equal(url_resolve(base, "x", 1, URL_STRICT, &out), URL_OK);
  assert_string_equal(out.fetch, "https://other/x");
  url_base_free(base);
  url_base_free(NULL);
}

/* ---- parts ----------------------------------------------------------------------------------- */

CASE(offsets_name_host_and_path)
{
  static url out;
  static const char *const texts[] = {"https://h.example:8/p?q", "https://H.example:8/%7e/../p?q"};
  for (size_t i = 0; i < COUNT(texts); i++) {
    assert_int_equal(url_parse(texts[i], strlen(texts[i]), URL_STRICT, &out), URL_OK);
    assert_int_equal(out.host_begin, 8);
    assert_int_equal(out.host_end, 19);
    assert_int_equal(out.path_begin, 19);
    assert_int_equal(out.fetch_size, strlen(out.fetch));
    assert_int_equal(out.key_size, strlen(out.key));
  }
}

/* Segments of a key, joined by spaces. */
static const char *segments_of(const char *base, const char *href, url_profile profile, char *room)
{
  static url out;
  assert_int_equal(resolve_row(base, href, strlen(href), profile, &out), URL_OK);
  char *end = room;
  for (uint32_t i = 0; i < out.segment_count; i++)
    end += sprintf(end, "%s%.*s", i ? " " : "", (int)(out.segment_begin[i + 1] - out.segment_begin[i]),
                   out.key + out.segment_begin[i]);
  assert_int_equal(out.segment_begin[0], 0);
  assert_int_equal(out.segment_begin[out.segment_count], out.key_size);
  return room;
}

CASE(segments_begin_with_their_delimiter)
{
  static const struct {
    const char *base, *href, *segments;
    url_profile profile;
    const char *why;
  } rows[] = {
    {"", "http://h:8/a/b?x&y", "http://h:8 /a /b ?x &y", URL_STRICT, "all there are"},
    {"", "http://h", "http://h /", URL_STRICT, "the root is one"},
    {"", "http://h//a/", "http://h / /a /", URL_STRICT, "empty ones count"},
    {"", "http://h/a&b?c/d?e&&f", "http://h /a&b ?c/d?e & &f", URL_STRICT, "/ before the ?, & after it"},
    {"", "http://h/|?[&{", "http://h /%7C ?%5B &%7B", URL_STRICT, "by the slow path"},
    {"http://h/a/b?c", "../d/e?f", "http://h /d /e ?f", URL_STRICT, "behind a base"},
    {"http://h/a/b?c&d", "#e", "http://h /a /b ?c &d", URL_STRICT, "the base itself"},
    {"http://h/a/b?c&d", "?e", "http://h /a /b ?e", URL_STRICT, "a new query"},
    {"", "http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17?x",
     "http://h /1 /2 /3 /4 /5 /6 /7 /8 /9 /10 /11 /12 /13 /14 /15/16/17?x", URL_STRICT, "the last takes the rest"},
    {"http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", "../18",
     "http://h /1 /2 /3 /4 /5 /6 /7 /8 /9 /10 /11 /12 /13 /14 /15/18", URL_STRICT, "also behind a base"},
    {"http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", "../../../18",
     "http://h /1 /2 /3 /4 /5 /6 /7 /8 /9 /10 /11 /12 /13 /18", URL_STRICT, "unless it climbs out of it"},
    {"", "https://h/a/b?x&y/z", "//h /a /b?x&y /z", URL_PATH_PAPER, "the paper knows '/' alone"},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    char room[1024];
    if (strcmp(segments_of(rows[i].base, rows[i].href, rows[i].profile, room), rows[i].segments) != 0)
      fail_msg("%s (%s): %s", rows[i].href, rows[i].why, room);
  }
}

CASE(statuses_have_names)
{
  static const char *const names[URL_STATUS_COUNT] = {"ok",     "scheme",  "host",     "too-long",
                                                      "syntax", "control", "userinfo", "memory"};
  for (int i = 0; i < URL_STATUS_COUNT; i++)
    assert_string_equal(url_status_name((url_status)i), names[i]);
  assert_string_equal(url_status_name((url_status)99), "unknown");
}
