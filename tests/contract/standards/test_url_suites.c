/* The suites of other programs that read or normalize URLs. What they expect becomes a key of ours. */
#include "tests/support/test.h"
#include "tests/support/url_suite.h"

#include <string.h>
#include <strings.h>

/* What the suite expects, in our terms: no fragment, no userinfo, a path. */
static const char *as_key(const char *expected, char *room, size_t room_size)
{
  if (!strstr(expected, "//"))
    return expected; /* "http:g": see its excuse */
  suite_plain(expected, room, room_size);
  char *host = strstr(room, "//") + 2, *end = host + strcspn(host, "/?");
  if (*end != '/') {
    memmove(end + 1, end, strlen(end) + 1);
    *end = '/';
  }
  return room;
}

static void check_key(suite *run, const char *at, const char *href, size_t size, const char *expected,
                      url_profile profile)
{
  char room[16384];
  const char *got = suite_resolve(at, href, size, profile) ? suite_answer.key : NULL;
  if (expected && !suite_is_http(expected))
    expected = NULL;
  if (expected)
    expected = as_key(expected, room, sizeof room);
  suite_check(run, href, suite_same(got, expected), got, expected);
}

/* The reference under `name`, on the row's base if it has one, and what comes out. */
static void check_reference(suite *run, const json_t *row, const char *name, url_profile profile)
{
  check_key(run, suite_text(row, "base"), suite_text(row, name), suite_text_size(row, name), suite_text(row, "out"),
            profile);
}

CASE(urlcanon_path_dots)
{
  suite run = {.name = "urlcanon_path_dots"};
  FILE *file = suite_open("urlcanon_path_dots.jsonl");
  for (json_t *row; (row = suite_next(file)); json_decref(row)) {
    char in[256], expected[256];
    if (strcmp(suite_text(row, "group"), "special") != 0)
      continue; /* other schemes, where '\' is not a slash */
    snprintf(in, sizeof in, "http://example.com%s", suite_text(row, "in"));
    snprintf(expected, sizeof expected, "http://example.com%s", suite_text(row, "out"));
    for (char *at = expected; *at; at++)
      if (*at == '\\')
        *at = '/'; /* urlcanon does this in a step of its own */
    check_key(&run, NULL, in, strlen(in), expected, URL_STRICT);
  }
  suite_finish(&run);
}

CASE(urlcanon_ipv4)
{
  suite run = {.name = "urlcanon_funky_ipv4"};
  FILE *file = suite_open("urlcanon_funky_ipv4.jsonl");
  for (json_t *row; (row = suite_next(file)); json_decref(row)) {
    char in[256], expected[256];
    snprintf(in, sizeof in, "http://%s/", suite_text(row, "in"));
    if (!suite_text(row, "out") && suite_resolve(NULL, in, strlen(in), URL_STRICT)) {
      const char *got = suite_answer.key; /* not an address: then a name, unchanged */
      suite_check(&run, in, suite_same(got, in), got, in);
      continue;
    }
    snprintf(expected, sizeof expected, "http://%s/", suite_text(row, "out") ? suite_text(row, "out") : "");
    check_key(&run, NULL, in, strlen(in), suite_text(row, "out") ? expected : NULL, URL_STRICT);
  }
  suite_finish(&run);
}

CASE(urlcanon_idempotence)
{
  suite run = {.name = "urlcanon_idempotence"};
  FILE *file = suite_open("urlcanon_idempotence.jsonl");
  for (json_t *row; (row = suite_next(file)); json_decref(row)) {
    char once[URL_LENGTH_MAX + 1];
    if (!suite_resolve(NULL, suite_text(row, "in"), suite_text_size(row, "in"), URL_STRICT)) {
      run.rows++;
      continue;
    }
    strcpy(once, suite_answer.key);
    check_key(&run, NULL, once, strlen(once), once, URL_STRICT);
  }
  suite_finish(&run);
}

CASE(cc_resolve)
{
  suite run = {.name = "cc_resolve"};
  FILE *file = suite_open("cc_resolve.jsonl");
  for (json_t *row; (row = suite_next(file)); json_decref(row)) {
    char room[4096];
    const char *expected = suite_text(row, "out");
    expected = suite_is_http(expected) ? suite_plain(expected, room, sizeof room) : NULL;
    const char *rel = suite_text(row, "rel");
    const char *got = suite_resolve(suite_text(row, "base"), rel, suite_text_size(row, "rel"), URL_STRICT);
    suite_check(&run, rel, suite_same(got, expected), got, expected);
  }
  suite_finish(&run);
}

static const excuse cc_normalizer_excuses[] = {
  {"http:////", "a URL without a host is refused"},
  {"http:///////", "a URL without a host is refused"},
  {"http://example.com?", "a lone '?' is kept: it may be another page"},
  {"http://example.com/?", "a lone '?' is kept: it may be another page"},
  {"foo.com/index.html", "no scheme is guessed: it is a relative reference, and there is no base"},
  {"https://www.example.org./", "a trailing dot is kept, as browsers keep it"},
  {"http://foo.com/index?a=1&b=", "b= is not b: only the order changes"},
  {"http://foo.com/index?b=&a=1", "b= is not b: only the order changes"},
  {"http://foo.com/index?&=1&a=1", "a nameless parameter is kept"},
  {"http://foo.com/index?=1&b=1&a=1", "a nameless parameter is kept"},
  {NULL, NULL},
};

CASE(cc_normalizer)
{
  suite run = {.name = "cc_normalizer", .excuses = cc_normalizer_excuses};
  FILE *file = suite_open("cc_normalizer.jsonl");
  url_profile profile = URL_SORT_QUERY | URL_NO_DUPLICATE_SLASHES; /* as that normalizer does */
  for (json_t *row; (row = suite_next(file)); json_decref(row))
    check_reference(&run, row, "in", profile);
  suite_finish(&run);
}

/* "resolve" and "normalize" state RFC 3986; "valid" and "invalid" state what uriparser alone accepts, which
 * is neither what browsers accept nor what they refuse. */
static const excuse uriparser_excuses[] = {
  {"https://%e4%bd%a0%e5%a5%bd%e4%bd%a0%e5%a5%bd.com", "WHATWG: an escaped host is decoded and then put in Punycode"},
  {"https://[2041:0000:140F::875B:131B]", "RFC 5952: no leading zeros"},
  {"http:g", "RFC 3986 5.4.2 allows both readings; browsers take it for relative when the base has the scheme"},
  {NULL, NULL},
};

CASE(uriparser_suite)
{
  suite run = {.name = "uriparser_suite", .excuses = uriparser_excuses};
  FILE *file = suite_open("uriparser_suite.jsonl");
  for (json_t *row; (row = suite_next(file)); json_decref(row)) {
    const char *kind = suite_text(row, "kind"), *in = suite_text(row, "in");
    if (strcmp(kind, "resolve") == 0)
      check_reference(&run, row, "rel", URL_STRICT);
    else if (strcmp(kind, "normalize") == 0 && strncasecmp(in, "http", 4) == 0 && *suite_text(row, "mask") == '\0')
      check_key(&run, NULL, in, strlen(in), suite_text(row, "out"), URL_STRICT);
    else if (strcmp(kind, "normalize") == 0 && strncasecmp(in, "http", 4) == 0 &&
             suite_resolve(NULL, suite_text(row, "out"), suite_text_size(row, "out"), URL_STRICT)) {
      char same_page[URL_LENGTH_MAX + 1]; /* one step of normalization: the same page before and after */
      strcpy(same_page, suite_answer.key);
      check_key(&run, NULL, in, strlen(in), same_page, URL_STRICT);
    }
  }
  suite_finish(&run);
}

static const excuse curl_relative_excuses[] = {
  {"http://example.net/there/it/is/../../tes t case=/%TESTNUMBER0002? yes no",
   "browsers write a space in a query as %20, not +; a lone % is %25 in a key"},
  {"http://local.test:80?-123", "80 is the default port"},
  {NULL, NULL},
};

CASE(curl_relative)
{
  suite run = {.name = "curl788_set_url", .excuses = curl_relative_excuses};
  FILE *file = suite_open("curl788_set_url.jsonl");
  for (json_t *row; (row = suite_next(file)); json_decref(row))
    if (suite_is_http(suite_text(row, "base")))
      check_reference(&run, row, "rel", URL_STRICT);
  suite_finish(&run);
}

static const excuse curl_absolute_excuses[] = {
  {"https://%this", "browsers refuse a host with a lone or escaped %"},
  {"https://h%c", "browsers refuse a host with a lone or escaped %"},
  {"https://%%%%%%", "browsers refuse a host with a lone or escaped %"},
  {"https://%41", "host names have one case"},
  {"https://%25", "browsers refuse a host with a lone or escaped %"},
  {"https://_%c0_", "not UTF-8"},
  {"https://a127.0.0.1", "a host that ends in a number is an IPv4 address or refused"},
  {"https://127.-0.0.1", "a host that ends in a number is an IPv4 address or refused"},
  {"https://127.0. 1", "printed for a row that curl refuses too"},
  {"https://1.0x1000000", "a host that ends in a number is an IPv4 address or refused"},
  {"https://1.2.3.256", "a host that ends in a number is an IPv4 address or refused"},
  {"https://1.2.3.4.5", "a host that ends in a number is an IPv4 address or refused"},
  {"https://1.2.0x100.3", "a host that ends in a number is an IPv4 address or refused"},
  {"https://4294967296", "a host that ends in a number is an IPv4 address or refused"},
  {"https://[fe80::20c:29ff:fe9c:409b%25]:1234", "browsers refuse zones in IPv6 addresses"},
  {"https://[fe80::20c:29ff:fe9c:409b%eth0]:1234", "browsers refuse zones in IPv6 addresses"},
  {"https://[::%25fakeit]/moo", "browsers refuse zones in IPv6 addresses"},
  {"http://HO0_-st..~./", "host names have one case"},
  {"http://host/file\r", "browsers strip white space around"},
  {"http://host/file\n", "browsers strip white space around"},
  {" http://host/file", "browsers strip white space around"},
  {"http://user@example.com?#", "a lone '?' is kept: it may be another page"},
  {"http://user@example.com?", "a lone '?' is kept: it may be another page"},
  {NULL, NULL},
};

CASE(curl_absolute)
{
  suite run = {.name = "curl788_get_url", .excuses = curl_absolute_excuses};
  FILE *file = suite_open("curl788_get_url.jsonl");
  for (json_t *row; (row = suite_next(file)); json_decref(row)) {
    bool is_plain = strcmp(suite_text(row, "urlflags"), "0") == 0 && strcmp(suite_text(row, "getflags"), "0") == 0;
    const char *expected = suite_text(row, "out");
    if (is_plain)
      check_key(&run, NULL, suite_text(row, "in"), suite_text_size(row, "in"), *expected ? expected : NULL, URL_STRICT);
  }
  suite_finish(&run);
}

/* ---- lossy suites: they judge the opt-in rules only ------------------------------------------ */

/* By the name alone sid=01/04/18/001236, an article, would go. */
static const char SESSION_WHY[] = "no-session-ids looks at the value too: 32 letters or digits";

static const excuse nutch_regex_excuses[] = {
  {"http://www.foo.com/foo.php?Bv_SessionID=fassassddsajkl", SESSION_WHY},
  {"http://www.foo.com/foo.php?Bv_SessionID=fassassddsajkl&x=y", SESSION_WHY},
  {"http://www.foo.com/foo.php?&x=1&sid=xyz&something=1", SESSION_WHY},
  {"http://www.foo.com/foo.html?_sessionID=824A6C0A13a7e11205wxN28F44E3", SESSION_WHY},
  {"http://www.foo.com/foo.php?_sessionid=qmyrcedt&outputformat=html&path=/3_images/foo", SESSION_WHY},
  {"http://www.foo.com/foo.php?_pid=2&_spid=0&lang=en&_sessionid=e36902d5bb2d0d922fc24b43", SESSION_WHY},
  {"http://www.foo.com/foo.html#something?x=y", "what follows a # is the fragment, to its end"},
  {"http://www.foo.com/foo.html?&x=y", "empty parameters are dropped by sort-query only"},
  {"http://www.foo.com/foo.html?x=y&&&z=a", "empty parameters are dropped by sort-query only"},
  {"http://www.foo.com/foo.html?", "a lone '?' is kept: it may be another page"},
  {NULL, NULL},
};

CASE(nutch_regex)
{
  suite run = {.name = "nutch_regex_lossy", .excuses = nutch_regex_excuses};
  FILE *file = suite_open("nutch_regex_lossy.jsonl");
  url_profile profile = URL_NO_SESSION_IDS | URL_NO_INDEX_PAGE | URL_NO_DUPLICATE_SLASHES;
  for (json_t *row; (row = suite_next(file)); json_decref(row))
    if (strcmp(suite_text(row, "scope"), "default") == 0)
      check_reference(&run, row, "in", profile);
  suite_finish(&run);
}

CASE(nutch_querystring)
{
  suite run = {.name = "nutch_querystring_lossy"};
  FILE *file = suite_open("nutch_querystring_lossy.jsonl");
  for (json_t *row; (row = suite_next(file)); json_decref(row))
    check_reference(&run, row, "in", URL_SORT_QUERY);
  suite_finish(&run);
}

static const excuse w3lib_excuses[] = {
  {"http://www.example.com/do?b=&c&a=2", "c is not c=: only the order changes"},
  {"http://www.example.com/do?1750,4", "parameters are not rewritten: only the order changes"},
  {"http://www.example.com/do?q=a space&a=1", "browsers write a space as %20, and %20 is not + by the standards"},
  {"http://www.example.com/do?q=a%20space&a=1", "%20 is not + by the standards"},
  {"http://www.example.com/a doÂ£.html?a=1", "the row's input was bytes, read here as two characters"},
  {"http://www.example.com/do?price=Â£500&a=5&z=3", "the row's input was bytes, read here as two characters"},
  {"http://www.example.com/do?price(Â£)=500&a=1", "the row's input was bytes; reserved characters stay as they are"},
  {"http://.éxamplé.com/résumé?q=résumé", "browsers accept an empty first label; the IDN after it has one spelling"},
  {NULL, NULL},
};

CASE(w3lib_canonicalize)
{
  suite run = {.name = "w3lib_canonicalize_lossy", .excuses = w3lib_excuses};
  FILE *file = suite_open("w3lib_canonicalize_lossy.jsonl");
  for (json_t *row; (row = suite_next(file)); json_decref(row)) {
    const char *in = json_string_value(json_array_get(json_object_get(row, "args"), 0));
    if (json_object_size(json_object_get(row, "kw")) == 0)
      check_key(&run, NULL, in, strlen(in), suite_text(row, "out"), URL_SORT_QUERY);
  }
  suite_finish(&run);
}

EACH_CASE(suite_set_up, suite_tear_down)
