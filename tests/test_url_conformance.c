/* Other projects' URL suites, read from ../shared/data/conformance when it is there.
 *
 * Every row that does not do what its suite says stands in a list here with its reason. A row that fails
 * without being listed fails the test, and so does a listed row that passes: the lists cannot rot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <idn2.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frontier/url.h"

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct excuse {
  const char *input;
  const char *why;
} excuse;

/* A suite as it is run: how many rows, which of them were excused. */
typedef struct suite {
  const char *name;
  const excuse *excuses; /* ends with a NULL input */
  unsigned rows, excused;
  unsigned failed;
} suite;

static const excuse *find_excuse(const suite *run, const char *input)
{
  for (const excuse *e = run->excuses; e && e->input; e++)
    if (strcmp(e->input, input) == 0)
      return e;
  return NULL;
}

static void check_row(suite *run, const char *input, bool is_right, const char *got, const char *expected)
{
  run->rows++;
  const excuse *listed = find_excuse(run, input);
  if (is_right && listed) {
    print_error("%s: \"%s\" is listed (%s) but passes\n", run->name, input, listed->why);
    run->failed++;
  } else if (!is_right && listed) {
    run->excused++;
  } else if (!is_right) {
    print_error("%s: \"%s\"\n  got      %s\n  expected %s\n", run->name, input, got, expected);
    run->failed++;
  }
}

static void finish_suite(const suite *run)
{
  print_message("%-28s %6u rows, %u excused\n", run->name, run->rows, run->excused);
  assert_int_equal(run->failed, 0);
  assert_true(run->rows > 0);
}

static FILE *open_suite(const char *name)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/conformance/%s", SHARED_DATA, name);
  FILE *file = fopen(path, "r");
  if (!file) {
    print_message("skipped: no %s\n", path);
    skip();
  }
  return file;
}

/* The next line's object, NULL at the end. */
static json_t *next_row(FILE *file)
{
  static char line[1 << 16];
  while (fgets(line, sizeof line, file)) {
    json_error_t error;
    json_t *row = json_loads(line, JSON_ALLOW_NUL, &error);
    if (row)
      return row;
    if (!strstr(error.text, "invalid Unicode")) /* a lone surrogate: no UTF-8 says that */
      fail_msg("%s: %s", error.text, line);
  }
  fclose(file);
  return NULL;
}

/* The string under `name`; NULL if absent or null. */
static const char *text(const json_t *row, const char *name)
{
  return json_string_value(json_object_get(row, name));
}

static size_t text_size(const json_t *row, const char *name)
{
  return json_string_length(json_object_get(row, name));
}

static url_base *base; /* what the suites resolve against */
static url out;

static int set_up(void **state)
{
  (void)state;
  base = url_base_create();
  return base == NULL;
}

static int tear_down(void **state)
{
  (void)state;
  url_base_free(base);
  return 0;
}

/* Resolve one row; `at` NULL or "" for none. The answer is out.fetch, or NULL when refused. */
static const char *resolve(const char *at, const char *href, size_t size, url_profile profile)
{
  bool has_base = at && *at;
  if (has_base && url_base_set(base, at, strlen(at)) != URL_OK)
    return NULL;
  return url_resolve(has_base ? base : NULL, href, size, profile, &out) == URL_OK ? out.fetch : NULL;
}

static bool same(const char *a, const char *b)
{
  return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

/* ---- what a suite's href is to us: without fragment and userinfo ----------------------------- */

static const char *without_fragment_and_userinfo(const char *href, char *room, size_t room_size)
{
  snprintf(room, room_size, "%.*s", (int)strcspn(href, "#"), href);
  char *host = strstr(room, "//") + 2, *at = memrchr(host, '@', strcspn(host, "/?"));
  if (at)
    memmove(host, at + 1, strlen(at + 1) + 1);
  return room;
}

static bool is_http(const char *href)
{
  return strncmp(href, "http:", 5) == 0 || strncmp(href, "https:", 6) == 0;
}

/* ---- Web Platform Tests ---------------------------------------------------------------------- */

static const excuse wpt_url_excuses[] = {
  { "https://%e2%98%83", "IDNA2008 forbids symbols, and libidn2 follows it; browsers follow UTS 46 and send it" },
  { NULL, NULL },
};

static void wpt_urls(void **state)
{
  (void)state;
  suite run = { .name = "wpt_urltestdata", .excuses = wpt_url_excuses };
  FILE *file = open_suite("wpt_urltestdata.jsonl");
  for (json_t *row; (row = next_row(file)); json_decref(row)) {
    const char *at = text(row, "base"), *href = text(row, "href");
    char room[16384];
    if (href && !is_http(href))
      href = NULL; /* ftp:, file:, data:, ...: refused */
    if (at && !is_http(at))
      continue;    /* a page we would never have fetched */
    const char *expected = href ? without_fragment_and_userinfo(href, room, sizeof room) : NULL;
    const char *got = resolve(at, text(row, "input"), text_size(row, "input"), URL_STRICT);
    check_row(&run, text(row, "input"), same(got, expected), got, expected);
  }
  finish_suite(&run);
}

/* Has it a label over 63 bytes, or over 253 in all, a trailing dot aside? */
static bool is_beyond_dns(const char *host)
{
  size_t all = host ? strlen(host) : 0;
  if (all > 0 && all - (host[all - 1] == '.') > 253)
    return true;
  for (size_t size; host && *host; host += size + (host[size] == '.'))
    if ((size = strcspn(host, ".")) > 63)
      return true;
  return false;
}

/* Does libidn2 refuse the name for what browsers let pass? Symbols (IDNA2008 forbids them, UTS 46 does not;
 * and code points newer than its Unicode 14), hyphens in a name with non-ASCII in it, what DNS cannot carry. */
static bool is_refused_by_idna2008(const char *name, const char *output)
{
  uint8_t *ascii = NULL;
  int error = idn2_lookup_u8((const uint8_t *)name, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  idn2_free(ascii);
  return error == IDN2_DISALLOWED || error == IDN2_2HYPHEN || error == IDN2_HYPHEN_STARTEND || is_beyond_dns(output);
}

static void check_host_row(suite *run, const json_t *row)
{
  char href[8192], host[8192];
  const char *input = text(row, "input"), *output = text(row, "output");
  int size = snprintf(href, sizeof href, "http://%s/", input);
  const char *got = resolve(NULL, href, (size_t)size, URL_STRICT);
  if (got) {
    snprintf(host, sizeof host, "%.*s", (int)(out.host_end - out.host_begin), got + out.host_begin);
    got = host;
  } else if (output && is_refused_by_idna2008(input, output)) {
    run->rows++;
    run->excused++;
    return;
  }
  check_row(run, input, same(got, output), got, output);
}

static void check_hosts(const char *name, const excuse *excuses)
{
  suite run = { .name = name, .excuses = excuses };
  FILE *file = open_suite(name);
  for (json_t *row; (row = next_row(file)); json_decref(row))
    check_host_row(&run, row);
  finish_suite(&run);
}

static void wpt_hosts(void **state)
{
  (void)state;
  check_hosts("wpt_toascii.jsonl", NULL);
}

static void wpt_idna(void **state)
{
  (void)state;
  static const excuse excuses[] = {
    { "", "a URL without a host is refused" },
    { NULL, NULL },
  };
  check_hosts("wpt_IdnaTestV2.jsonl", excuses);
}

/* ---- real links: what ada, a WHATWG parser, makes of them ------------------------------------ */

/* A field of a .tsv, unescaped (\\ \t \n \r) in place; returns its size. */
static size_t unescape(char *field)
{
  size_t size = 0;
  for (const char *at = field; *at; at++) {
    char byte = *at;
    if (byte == '\\' && at[1]) {
      at++;
      byte = *at == 't' ? '\t' : *at == 'n' ? '\n' : *at == 'r' ? '\r' : *at;
    }
    field[size++] = byte;
  }
  field[size] = '\0';
  return size;
}

/* base, href, ada's href, key: "!" and "-" for what is refused. */
static void check_links(const char *name)
{
  suite run = { .name = name };
  FILE *file = open_suite(name);
  static char line[1 << 16];
  while (fgets(line, sizeof line, file)) {
    char *at = line, *href = strchr(at, '\t') + 1, *fetch = strchr(href, '\t') + 1, *key = strchr(fetch, '\t') + 1;
    if (line[0] == '#')
      continue;
    href[-1] = fetch[-1] = key[-1] = key[strcspn(key, "\n")] = '\0';
    unescape(fetch);
    fetch[strcspn(fetch, "#")] = '\0';
    size_t size = unescape(href);
    const char *got = resolve(at, href, size, URL_STRICT);
    bool is_right = got ? strcmp(got, fetch) == 0 && strcmp(out.key, key) == 0 : strcmp(key, "-") == 0;
    check_row(&run, href, is_right, got, fetch);
  }
  fclose(file);
  finish_suite(&run);
}

static void web_links(void **state)
{
  (void)state;
  check_links("web_hrefs_readability.tsv");
}

static void docs_links(void **state)
{
  (void)state;
  check_links("docs_hrefs_sample.tsv");
}

static void absolute_links(void **state)
{
  (void)state;
  check_links("abs_urls.tsv");
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void key_pairs(void **state)
{
  (void)state;
  suite run = { .name = "key_pairs" };
  FILE *file = open_suite("key_pairs.jsonl");
  for (json_t *row; (row = next_row(file)); json_decref(row)) {
    char first[URL_LENGTH_MAX + 1];
    const char *a = text(row, "a"), *b = text(row, "b"), *verdict = text(row, "verdict");
    assert_non_null(resolve(NULL, a, strlen(a), URL_STRICT));
    strcpy(first, out.key);
    assert_non_null(resolve(NULL, b, strlen(b), URL_STRICT));
    check_row(&run, a, same(first, out.key) == same(verdict, "same"), out.key, verdict);
  }
  finish_suite(&run);
}

/* ---- suites whose outcome is a key ----------------------------------------------------------- */

/* What the suite expects, in our terms: no fragment, no userinfo, a path. */
static const char *as_key(const char *expected, char *room, size_t room_size)
{
  if (!strstr(expected, "//"))
    return expected; /* "http:g": see its excuse */
  without_fragment_and_userinfo(expected, room, room_size);
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
  const char *got = resolve(at, href, size, profile) ? out.key : NULL;
  if (expected && !is_http(expected))
    expected = NULL;
  if (expected)
    expected = as_key(expected, room, sizeof room);
  check_row(run, href, same(got, expected), got, expected);
}

static void urlcanon_path_dots(void **state)
{
  (void)state;
  suite run = { .name = "urlcanon_path_dots" };
  FILE *file = open_suite("urlcanon_path_dots.jsonl");
  for (json_t *row; (row = next_row(file)); json_decref(row)) {
    char in[256], expected[256];
    if (strcmp(text(row, "group"), "special") != 0)
      continue; /* other schemes, where '\' is not a slash */
    snprintf(in, sizeof in, "http://example.com%s", text(row, "in"));
    snprintf(expected, sizeof expected, "http://example.com%s", text(row, "out"));
    for (char *at = expected; *at; at++)
      if (*at == '\\')
        *at = '/'; /* urlcanon does this in a step of its own */
    check_key(&run, NULL, in, strlen(in), expected, URL_STRICT);
  }
  finish_suite(&run);
}

static void urlcanon_ipv4(void **state)
{
  (void)state;
  suite run = { .name = "urlcanon_funky_ipv4" };
  FILE *file = open_suite("urlcanon_funky_ipv4.jsonl");
  for (json_t *row; (row = next_row(file)); json_decref(row)) {
    char in[256], expected[256];
    snprintf(in, sizeof in, "http://%s/", text(row, "in"));
    if (!text(row, "out") && resolve(NULL, in, strlen(in), URL_STRICT)) {
      check_row(&run, in, same(out.key, in), out.key, in); /* not an address: then a name, unchanged */
      continue;
    }
    snprintf(expected, sizeof expected, "http://%s/", text(row, "out") ? text(row, "out") : "");
    check_key(&run, NULL, in, strlen(in), text(row, "out") ? expected : NULL, URL_STRICT);
  }
  finish_suite(&run);
}

static void urlcanon_idempotence(void **state)
{
  (void)state;
  suite run = { .name = "urlcanon_idempotence" };
  FILE *file = open_suite("urlcanon_idempotence.jsonl");
  for (json_t *row; (row = next_row(file)); json_decref(row)) {
    char once[URL_LENGTH_MAX + 1];
    if (!resolve(NULL, text(row, "in"), text_size(row, "in"), URL_STRICT)) {
      run.rows++;
      continue;
    }
    strcpy(once, out.key);
    check_key(&run, NULL, once, strlen(once), once, URL_STRICT);
  }
  finish_suite(&run);
}

static void cc_resolve(void **state)
{
  (void)state;
  suite run = { .name = "cc_resolve" };
  FILE *file = open_suite("cc_resolve.jsonl");
  for (json_t *row; (row = next_row(file)); json_decref(row)) {
    char room[4096];
    const char *expected = text(row, "out");
    expected = is_http(expected) ? without_fragment_and_userinfo(expected, room, sizeof room) : NULL;
    const char *got = resolve(text(row, "base"), text(row, "rel"), text_size(row, "rel"), URL_STRICT);
    check_row(&run, text(row, "rel"), same(got, expected), got, expected);
  }
  finish_suite(&run);
}

static const excuse cc_normalizer_excuses[] = {
  { "http:////", "a URL without a host is refused" },
  { "http:///////", "a URL without a host is refused" },
  { "http://example.com?", "a lone '?' is kept: it may be another page" },
  { "http://example.com/?", "a lone '?' is kept: it may be another page" },
  { "foo.com/index.html", "no scheme is guessed: it is a relative reference, and there is no base" },
  { "https://www.example.org./", "a trailing dot is kept, as browsers keep it" },
  { "http://foo.com/index?a=1&b=", "b= is not b: only the order changes" },
  { "http://foo.com/index?b=&a=1", "b= is not b: only the order changes" },
  { "http://foo.com/index?&=1&a=1", "a nameless parameter is kept" },
  { "http://foo.com/index?=1&b=1&a=1", "a nameless parameter is kept" },
  { NULL, NULL },
};

static void cc_normalizer(void **state)
{
  (void)state;
  suite run = { .name = "cc_normalizer", .excuses = cc_normalizer_excuses };
  FILE *file = open_suite("cc_normalizer.jsonl");
  url_profile profile = URL_SORT_QUERY | URL_NO_DUPLICATE_SLASHES; /* as that normalizer does */
  for (json_t *row; (row = next_row(file)); json_decref(row))
    check_key(&run, NULL, text(row, "in"), text_size(row, "in"), text(row, "out"), profile);
  finish_suite(&run);
}

/* "resolve" and "normalize" state RFC 3986; "valid" and "invalid" state what uriparser alone accepts, which
 * is neither what browsers accept nor what they refuse. */
static const excuse uriparser_excuses[] = {
  { "https://%e4%bd%a0%e5%a5%bd%e4%bd%a0%e5%a5%bd.com", "WHATWG: an escaped host is decoded and then put in Punycode" },
  { "https://[2041:0000:140F::875B:131B]", "RFC 5952: no leading zeros" },
  { "http:g", "RFC 3986 5.4.2 allows both readings; browsers take it for relative when the base has the scheme" },
  { NULL, NULL },
};

static void uriparser_suite(void **state)
{
  (void)state;
  suite run = { .name = "uriparser_suite", .excuses = uriparser_excuses };
  FILE *file = open_suite("uriparser_suite.jsonl");
  for (json_t *row; (row = next_row(file)); json_decref(row)) {
    const char *kind = text(row, "kind"), *in = text(row, "in");
    if (strcmp(kind, "resolve") == 0)
      check_key(&run, text(row, "base"), text(row, "rel"), text_size(row, "rel"), text(row, "out"), URL_STRICT);
    else if (strcmp(kind, "normalize") == 0 && strncasecmp(in, "http", 4) == 0 && *text(row, "mask") == '\0')
      check_key(&run, NULL, in, strlen(in), text(row, "out"), URL_STRICT);
    else if (strcmp(kind, "normalize") == 0 && strncasecmp(in, "http", 4) == 0 &&
             resolve(NULL, text(row, "out"), text_size(row, "out"), URL_STRICT)) {
      char same_page[URL_LENGTH_MAX + 1]; /* one step of normalization: the same page before and after */
      strcpy(same_page, out.key);
      check_key(&run, NULL, in, strlen(in), same_page, URL_STRICT);
    }
  }
  finish_suite(&run);
}

static const excuse curl_relative_excuses[] = {
  { "http://example.net/there/it/is/../../tes t case=/%TESTNUMBER0002? yes no",
    "browsers write a space in a query as %20, not +; a lone % is %25 in a key" },
  { "http://local.test:80?-123", "80 is the default port" },
  { NULL, NULL },
};

static void curl_relative(void **state)
{
  (void)state;
  suite run = { .name = "curl788_set_url", .excuses = curl_relative_excuses };
  FILE *file = open_suite("curl788_set_url.jsonl");
  for (json_t *row; (row = next_row(file)); json_decref(row))
    if (is_http(text(row, "base")))
      check_key(&run, text(row, "base"), text(row, "rel"), text_size(row, "rel"), text(row, "out"), URL_STRICT);
  finish_suite(&run);
}

static const excuse curl_absolute_excuses[] = {
  { "https://%this", "browsers refuse a host with a lone or escaped %" },
  { "https://h%c", "browsers refuse a host with a lone or escaped %" },
  { "https://%%%%%%", "browsers refuse a host with a lone or escaped %" },
  { "https://%41", "host names have one case" },
  { "https://%25", "browsers refuse a host with a lone or escaped %" },
  { "https://_%c0_", "not UTF-8" },
  { "https://a127.0.0.1", "a host that ends in a number is an IPv4 address or refused" },
  { "https://127.-0.0.1", "a host that ends in a number is an IPv4 address or refused" },
  { "https://127.0. 1", "printed for a row that curl refuses too" },
  { "https://1.0x1000000", "a host that ends in a number is an IPv4 address or refused" },
  { "https://1.2.3.256", "a host that ends in a number is an IPv4 address or refused" },
  { "https://1.2.3.4.5", "a host that ends in a number is an IPv4 address or refused" },
  { "https://1.2.0x100.3", "a host that ends in a number is an IPv4 address or refused" },
  { "https://4294967296", "a host that ends in a number is an IPv4 address or refused" },
  { "https://[fe80::20c:29ff:fe9c:409b%25]:1234", "browsers refuse zones in IPv6 addresses" },
  { "https://[fe80::20c:29ff:fe9c:409b%eth0]:1234", "browsers refuse zones in IPv6 addresses" },
  { "https://[::%25fakeit]/moo", "browsers refuse zones in IPv6 addresses" },
  { "http://HO0_-st..~./", "host names have one case" },
  { "http://host/file\r", "browsers strip white space around" },
  { "http://host/file\n", "browsers strip white space around" },
  { " http://host/file", "browsers strip white space around" },
  { "http://user@example.com?#", "a lone '?' is kept: it may be another page" },
  { "http://user@example.com?", "a lone '?' is kept: it may be another page" },
  { NULL, NULL },
};

static void curl_absolute(void **state)
{
  (void)state;
  suite run = { .name = "curl788_get_url", .excuses = curl_absolute_excuses };
  FILE *file = open_suite("curl788_get_url.jsonl");
  for (json_t *row; (row = next_row(file)); json_decref(row)) {
    bool is_plain = strcmp(text(row, "urlflags"), "0") == 0 && strcmp(text(row, "getflags"), "0") == 0;
    if (is_plain)
      check_key(&run, NULL, text(row, "in"), text_size(row, "in"), *text(row, "out") ? text(row, "out") : NULL,
                URL_STRICT);
  }
  finish_suite(&run);
}

/* ---- lossy suites: they judge the opt-in rules only ------------------------------------------ */

/* By the name alone sid=01/04/18/001236, an article, would go. */
static const char SESSION_WHY[] = "no-session-ids looks at the value too: 32 letters or digits";

static const excuse nutch_regex_excuses[] = {
  { "http://www.foo.com/foo.php?Bv_SessionID=fassassddsajkl", SESSION_WHY },
  { "http://www.foo.com/foo.php?Bv_SessionID=fassassddsajkl&x=y", SESSION_WHY },
  { "http://www.foo.com/foo.php?&x=1&sid=xyz&something=1", SESSION_WHY },
  { "http://www.foo.com/foo.html?_sessionID=824A6C0A13a7e11205wxN28F44E3", SESSION_WHY },
  { "http://www.foo.com/foo.php?_sessionid=qmyrcedt&outputformat=html&path=/3_images/foo", SESSION_WHY },
  { "http://www.foo.com/foo.php?_pid=2&_spid=0&lang=en&_sessionid=e36902d5bb2d0d922fc24b43", SESSION_WHY },
  { "http://www.foo.com/foo.html#something?x=y", "what follows a # is the fragment, to its end" },
  { "http://www.foo.com/foo.html?&x=y", "empty parameters are dropped by sort-query only" },
  { "http://www.foo.com/foo.html?x=y&&&z=a", "empty parameters are dropped by sort-query only" },
  { "http://www.foo.com/foo.html?", "a lone '?' is kept: it may be another page" },
  { NULL, NULL },
};

static void nutch_regex(void **state)
{
  (void)state;
  suite run = { .name = "nutch_regex_lossy", .excuses = nutch_regex_excuses };
  FILE *file = open_suite("nutch_regex_lossy.jsonl");
  url_profile profile = URL_NO_SESSION_IDS | URL_NO_INDEX_PAGE | URL_NO_DUPLICATE_SLASHES;
  for (json_t *row; (row = next_row(file)); json_decref(row))
    if (strcmp(text(row, "scope"), "default") == 0)
      check_key(&run, NULL, text(row, "in"), text_size(row, "in"), text(row, "out"), profile);
  finish_suite(&run);
}

static void nutch_querystring(void **state)
{
  (void)state;
  suite run = { .name = "nutch_querystring_lossy" };
  FILE *file = open_suite("nutch_querystring_lossy.jsonl");
  for (json_t *row; (row = next_row(file)); json_decref(row))
    check_key(&run, NULL, text(row, "in"), text_size(row, "in"), text(row, "out"), URL_SORT_QUERY);
  finish_suite(&run);
}

static const excuse w3lib_excuses[] = {
  { "http://www.example.com/do?b=&c&a=2", "c is not c=: only the order changes" },
  { "http://www.example.com/do?1750,4", "parameters are not rewritten: only the order changes" },
  { "http://www.example.com/do?q=a space&a=1", "browsers write a space as %20, and %20 is not + by the standards" },
  { "http://www.example.com/do?q=a%20space&a=1", "%20 is not + by the standards" },
  { "http://www.example.com/a doÂ£.html?a=1", "the row's input was bytes, read here as two characters" },
  { "http://www.example.com/do?price=Â£500&a=5&z=3", "the row's input was bytes, read here as two characters" },
  { "http://www.example.com/do?price(Â£)=500&a=1",
    "the row's input was bytes; reserved characters stay as they are" },
  { "http://.éxamplé.com/résumé?q=résumé",
    "browsers accept an empty first label; the IDN after it has one spelling" },
  { NULL, NULL },
};

static void w3lib_canonicalize(void **state)
{
  (void)state;
  suite run = { .name = "w3lib_canonicalize_lossy", .excuses = w3lib_excuses };
  FILE *file = open_suite("w3lib_canonicalize_lossy.jsonl");
  for (json_t *row; (row = next_row(file)); json_decref(row)) {
    const char *in = json_string_value(json_array_get(json_object_get(row, "args"), 0));
    if (json_object_size(json_object_get(row, "kw")) == 0)
      check_key(&run, NULL, in, strlen(in), text(row, "out"), URL_SORT_QUERY);
  }
  finish_suite(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(wpt_urls),
    cmocka_unit_test(wpt_hosts),
    cmocka_unit_test(wpt_idna),
    cmocka_unit_test(web_links),
    cmocka_unit_test(docs_links),
    cmocka_unit_test(absolute_links),
    cmocka_unit_test(key_pairs),
    cmocka_unit_test(urlcanon_path_dots),
    cmocka_unit_test(urlcanon_ipv4),
    cmocka_unit_test(urlcanon_idempotence),
    cmocka_unit_test(cc_resolve),
    cmocka_unit_test(cc_normalizer),
    cmocka_unit_test(uriparser_suite),
    cmocka_unit_test(curl_relative),
    cmocka_unit_test(curl_absolute),
    cmocka_unit_test(nutch_regex),
    cmocka_unit_test(nutch_querystring),
    cmocka_unit_test(w3lib_canonicalize),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
