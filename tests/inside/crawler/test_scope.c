/* crawler/scope/scope.c: what belongs to a crawl, and that it is the same after being written and read. */
#include "crawler/scope/scope.h"
#include "tests/support/test.h"

#include <limits.h>

#include <stdlib.h>
#include <string.h>

static url u;

static void resolve(const char *text)
{
  if (url_parse(text, strlen(text), URL_STRICT, &u) != URL_OK)
    fail_msg("not a URL: %s", text);
}

static const struct {
  scope_kind kind;
  const char *start, *url;
  bool is_in;
  const char *why;
} rows[] = {
  {SCOPE_HOST, "http://h.example/", "http://h.example/a/b?c", true, "below the start"},
  {SCOPE_HOST, "http://h.example/deep/page", "http://h.example/", true, "the whole host"},
  {SCOPE_HOST, "http://h.example/", "https://h.example/", true, "http and https, default ports equal"},
  {SCOPE_HOST, "http://h.example:80/", "https://h.example:443/", true, "default ports written out"},
  {SCOPE_HOST, "http://h.example/", "http://H.EXAMPLE/", true, "case"},
  {SCOPE_HOST, "http://h.example/", "http://h.example:8080/", false, "another port"},
  {SCOPE_HOST, "http://h.example:8080/", "https://h.example:8080/", true, "same port"},
  {SCOPE_HOST, "http://h.example/", "http://www.h.example/", false, "another host"},
  {SCOPE_HOST, "http://h.example/", "http://h.example.evil.example/", false, "a longer name"},
  {SCOPE_HOST, "http://h.example/", "http://evil.example/h.example", false, "the name in a path"},
  {SCOPE_PREFIX, "http://h.example/docs/index.html", "http://h.example/docs/a/b", true, "below the directory"},
  {SCOPE_PREFIX, "http://h.example/docs/index.html", "http://h.example/docs/", true, "the directory"},
  {SCOPE_PREFIX, "http://h.example/docs/index.html", "http://h.example/docs", false, "its name without a slash"},
  {SCOPE_PREFIX, "http://h.example/docs/index.html", "http://h.example/docsother/", false, "a longer name"},
  {SCOPE_PREFIX, "http://h.example/docs/index.html", "http://h.example/", false, "above"},
  {SCOPE_PREFIX, "http://h.example/docs/?x=/y/", "http://h.example/docs/z", true, "a slash in the start's query"},
  {SCOPE_PREFIX, "http://h.example/a/b/", "http://h.example/x?/a/b/", false, "the prefix in a query"},
  {SCOPE_PREFIX, "http://h.example/docs/", "https://h.example/docs/a", true, "https"},
  {SCOPE_PREFIX, "http://h.example", "http://h.example/any?x", true, "the root is a prefix of all"},
  {SCOPE_DOMAIN, "http://www.example.co.uk/", "https://a.b.example.co.uk:8080/x", true, "any name below the domain"},
  {SCOPE_DOMAIN, "http://www.example.co.uk/", "http://example.co.uk./", true, "the domain itself, with its dot"},
  {SCOPE_DOMAIN, "http://www.example.co.uk/", "http://other.co.uk/", false, "a public suffix is nobody's"},
  {SCOPE_DOMAIN, "http://www.example.com/", "http://notexample.com/", false, "a longer name"},
  {SCOPE_DOMAIN, "http://127.0.0.1/", "http://127.0.0.1:81/", true, "an address, another port"},
  {SCOPE_DOMAIN, "http://127.0.0.1/", "http://126.0.0.1/", false, "an address has no domain"},
  {SCOPE_DOMAIN, "http://[::1]/", "http://[::1]:81/", true, "an address of IPv6"},
  {SCOPE_DOMAIN, "http://[::1]/", "http://[::2]/", false, "another one"},
  {SCOPE_DOMAIN, "http://localhost/", "http://localhost:8080/", true, "a name without a dot"},
  {SCOPE_DOMAIN, "http://localhost/", "http://evil.localhost/", false, "below it"},
  {SCOPE_DOMAIN, "http://a.github.io/", "http://b.github.io/", false, "a suffix in private hands"},
  {SCOPE_DOMAIN,
   "http://b\xC3\xBC"
   "cher.example.de/",
   "http://x.example.de/", true, "IDN below it"},
  {SCOPE_ANY, "http://h.example/", "https://elsewhere.example:99/", true, "the whole web"},
  {SCOPE_ORIGIN, "https://h.example/a", "https://h.example:443/b?c", true, "same scheme, host and port"},
  {SCOPE_ORIGIN, "https://h.example/", "http://h.example/", false, "in clear text"},
  {SCOPE_ORIGIN, "https://h.example:8080/", "http://h.example:8080/", false, "in clear text, at that port"},
  {SCOPE_ORIGIN, "http://h.example/", "https://h.example/", false, "another server, perhaps"},
  {SCOPE_ORIGIN, "http://h.example/", "http://h.example:81/", false, "another port"},
  {SCOPE_ORIGIN, "http://h.example/", "http://h.example.evil.example/", false, "a longer name"},
};

static void check_row(const scope *s, size_t i, const char *when)
{
  resolve(rows[i].url);
  if (scope_has(s, &u) != rows[i].is_in)
    fail_msg("%s start %s, URL %s (%s): %s", scope_kind_name(rows[i].kind), rows[i].start, rows[i].url, when,
             rows[i].why);
}

CASE(rows_hold_before_and_after_writing)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    scope *s = scope_create(rows[i].kind);
    resolve(rows[i].start);
    assert_true(scope_add(s, &u));
    assert_true(scope_is_dirty(s));
    check_row(s, i, "as made");
    size_t size;
    char *text = scope_write(s, &size);
    assert_false(scope_is_dirty(s));
    scope *back = scope_read(text, size);
    assert_non_null(back);
    assert_int_equal(scope_kind_of(back), rows[i].kind);
    check_row(back, i, "as read back");
    free(text);
    scope_free(s);
    scope_free(back);
  }
}

CASE(adding_twice_changes_nothing)
{
  size_t first_size, second_size;
  scope *s = scope_create(SCOPE_HOST);
  resolve("http://h.example/");
  assert_true(scope_add(s, &u));
  char *first = scope_write(s, &first_size);
  resolve("https://H.example/other");
  assert_true(scope_add(s, &u));
  assert_false(scope_is_dirty(s));
  char *second = scope_write(s, &second_size);
  assert_int_equal(first_size, second_size);
  assert_memory_equal(first, second, first_size);
  free(first);
  free(second);
  scope_free(s);
}

CASE(what_is_no_scope_is_refused)
{
  assert_null(scope_read("", 0));
  assert_null(scope_read("galaxy\nh.example\n", 17));
  assert_null(scope_read("host", 4)); /* cut before its newline */
  assert_null(scope_read("host\nh.example", 14));
}

static unsigned copies_left = UINT_MAX;

char *__real_strndup(const char *bytes, size_t size);
char *__wrap_strndup(const char *bytes, size_t size);

/* In its place by --wrap: each entry is copied by it. */
char *__wrap_strndup(const char *bytes, size_t size)
{
  return copies_left && copies_left-- ? __real_strndup(bytes, size) : NULL;
}

/* What a smaller scope leaves out would never be fetched. */
CASE(it_is_read_whole_or_not_at_all)
{
  static const char text[] = "host\na.example\nb.example\n";
  for (unsigned copies = 0; copies <= 2; copies++) {
    copies_left = copies;
    scope *s = scope_read(text, sizeof text - 1);
    copies_left = UINT_MAX;
    assert_int_equal(s != NULL, copies == 2);
    scope_free(s);
  }
}
