/* The opt-in rules of key profiles: what each merges, and what it must leave apart. */
#include "tests/support/test.h"
#include "tests/support/url_test.h"

#define ID "0123456789abcdef0123456789ABCDEF" /* 32 letters or digits */

static const struct rule_row {
  url_profile profile;
  const char *href, *key, *why;
} rows[] = {
  {URL_NO_WWW, "http://www.a.example/", "http://a.example/", "dropped"},
  {URL_NO_WWW, "http://www.www.a.example:8/", "http://a.example:8/", "as often as it stands there"},
  {URL_NO_WWW, "http://www.example/", "http://www.example/", "but not the name of a domain"},
  {URL_NO_WWW, "http://www.example./", "http://www.example./", "nor before the root"},
  {URL_NO_WWW, "http://www2.a.example/", "http://www2.a.example/", "another host"},
  {URL_NO_WWW, "http://wwwa.example/", "http://wwwa.example/", "another name"},
  {URL_NO_WWW, "http://a.example/www.b", "http://a.example/www.b", "hosts only"},

  {URL_HTTP_IS_HTTPS, "https://h/a", "http://h/a", "every key says http"},
  {URL_HTTP_IS_HTTPS, "https://h:80/a", "http://h/a", "so 80 is the default port"},
  {URL_HTTP_IS_HTTPS, "https://h:8080/a", "http://h:8080/a", "other ports stay"},
  {URL_HTTP_IS_HTTPS, "https://[::80]/a", "http://[::80]/a", "not a port"},

  {URL_NO_TRAILING_SLASH, "http://h/a/", "http://h/a", "dropped"},
  {URL_NO_TRAILING_SLASH, "http://h/a//?q/", "http://h/a?q/", "all of them, the query aside"},
  {URL_NO_TRAILING_SLASH, "http://h//", "http://h/", "the root stays"},

  {URL_NO_INDEX_PAGE, "http://h/a/index.html?q", "http://h/a/?q", "the directory"},
  {URL_NO_INDEX_PAGE, "http://h/Default.ASPX", "http://h/", "in any case of letters"},
  {URL_NO_INDEX_PAGE, "http://h/index.html/x", "http://h/index.html/x", "not in the middle"},
  {URL_NO_INDEX_PAGE, "http://h/index", "http://h/index", "not without a type"},
  {URL_NO_INDEX_PAGE, "http://h/index.pdf", "http://h/index.pdf", "nor of another type"},
  {URL_NO_INDEX_PAGE, "http://h/myindex.html", "http://h/myindex.html", "nor of another name"},
  {URL_NO_INDEX_PAGE | URL_NO_TRAILING_SLASH, "http://h/a/index.php/index.html/", "http://h/a",
   "until nothing changes"},

  {URL_SORT_QUERY, "http://h/?b=1&a=2&a=1&A=3", "http://h/?A=3&a=1&a=2&b=1", "by name, then value"},
  {URL_SORT_QUERY, "http://h/?a=&a&a=0", "http://h/?a&a=&a=0", "no value before an empty one"},
  {URL_SORT_QUERY, "http://h/?&&b&&a&", "http://h/?a&b", "empty ones dropped"},
  {URL_SORT_QUERY, "http://h/?", "http://h/?", "nothing to sort"},
  {URL_SORT_QUERY, "http://h/b&a", "http://h/b&a", "queries only"},

  {URL_NO_SESSION_IDS, "http://h/?PHPSESSID=" ID "&x=1", "http://h/?x=1", "dropped, and the & after it"},
  {URL_NO_SESSION_IDS, "http://h/?x=1&sid=" ID, "http://h/?x=1", "and the & before it"},
  {URL_NO_SESSION_IDS, "http://h/?sid=" ID, "http://h/", "and the ? if nothing is left"},
  {URL_NO_SESSION_IDS, "http://h/a;jsessionid=" ID "?x", "http://h/a?x", "in a path"},
  {URL_NO_SESSION_IDS, "http://h/a;jsessionid=" ID ";v=1/b", "http://h/a;v=1/b", "in the middle of it"},
  {URL_NO_SESSION_IDS, "http://h/?x=1;jsessionid=" ID, "http://h/?x=1", "after a ; in a query"},
  {URL_NO_SESSION_IDS, "http://h/a.pl?sid=01/04/18/001236", "http://h/a.pl?sid=01/04/18/001236",
   "an article, by its value"},
  {URL_NO_SESSION_IDS, "http://h/?md5=" ID, "http://h/?md5=" ID, "a content hash, by its name"},
  {URL_NO_SESSION_IDS, "http://h/?sid=" ID "0", "http://h/?sid=" ID "0", "33 of them"},
  {URL_NO_SESSION_IDS, "http://h/..;sid=" ID "/a", "http://h/..;sid=" ID "/a", "not if \"..\" were left"},

  {URL_NO_TRACKING, "http://h/?utm_source=a&x=1&UTM_medium=b", "http://h/?x=1", "a campaign"},
  {URL_NO_TRACKING, "http://h/?gclid=a&fbclid=b", "http://h/", "clicks"},
  {URL_NO_TRACKING, "http://h/?utm=1&utm_=2&gclids=3", "http://h/?utm=1&utm_=2&gclids=3", "other names"},

  {URL_NO_DUPLICATE_SLASHES, "http://h//a///b//", "http://h/a/b/", "one each"},
  {URL_NO_DUPLICATE_SLASHES, "http://h/a?b//c", "http://h/a?b//c", "queries aside"},

  {URL_PATH_PAPER, "https://h/a?b", "//h/a?b", "no scheme"},
  {URL_PATH_PAPER, "//h:80/a", "//h/a", "a key is read again without a base"},

  {URL_REFUSE_USERINFO, "http://@h/a", "http://h/a", "empty userinfo is none"},
};

CASE(rules_merge_what_they_say)
{
  static url out;
  for (size_t i = 0; i < COUNT(rows); i++) {
    const struct rule_row *r = &rows[i];
    assert_int_equal(url_parse(r->href, strlen(r->href), r->profile, &out), URL_OK);
    if (strcmp(out.key, r->key) != 0)
      fail_msg("%s (%s): %s", r->href, r->why, out.key);
  }
}

CASE(rules_leave_the_fetch_url_alone)
{
  static url strict, out;
  for (size_t i = 0; i < COUNT(rows); i++) {
    const char *href = rows[i].href;
    if (url_parse(href, strlen(href), URL_STRICT, &strict) != URL_OK)
      continue; /* the row without a scheme */
    assert_int_equal(url_parse(href, strlen(href), rows[i].profile, &out), URL_OK);
    assert_string_equal(out.fetch, strict.fetch);
  }
}

CASE(every_mix_of_rules_is_idempotent)
{
  static url first, second;
  for (url_profile profile = 0; profile <= URL_EVERY_RULE; profile++)
    for (size_t i = 0; i < COUNT(rows); i++) {
      if (url_parse(rows[i].href, strlen(rows[i].href), profile, &first) != URL_OK)
        continue;
      assert_int_equal(url_parse(first.key, first.key_size, profile, &second), URL_OK);
      if (strcmp(first.key, second.key) != 0)
        fail_msg("profile %#x: %s, then %s", profile, first.key, second.key);
    }
}

CASE(userinfo_is_refused_on_request)
{
  static url out;
  assert_int_equal(url_parse("http://u:p@h/", 13, URL_REFUSE_USERINFO, &out), URL_HAS_USERINFO);
  assert_int_equal(url_parse("http://u:p@h/", 13, URL_STRICT, &out), URL_OK);
  assert_int_equal(url_parse("http://h/u@p", 12, URL_REFUSE_USERINFO, &out), URL_OK);
}

CASE(the_longest_query_is_sorted)
{
  static url out;
  static char href[URL_LENGTH_MAX];
  memset(href, '&', sizeof href);
  memcpy(href, "http://h/?", 10);
  for (size_t i = 10; i < sizeof href; i += 2)
    href[i] = (char)('z' - i / 2 % 26);
  assert_int_equal(url_parse(href, sizeof href, URL_SORT_QUERY, &out), URL_OK);
  for (size_t i = 12; i < out.key_size; i += 2)
    assert_true(out.key[i - 2] <= out.key[i]);
}
