/* The jar of cookies: which are kept, who gets them, and how many there may be. */
#include "crawler/http/cookies.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOW = 1700000000 };

/* Up to two fields of one response, and what another request gets then. */
static const struct row {
  const char *from, *field, *also, *to, *sent, *why;
} rows[] = {
  {"http://h.test/", "a=b", NULL, "http://h.test/x?y", "a=b", "its host"},
  {"http://h.test/", " a = b ; Path=/", NULL, "http://h.test/", "a=b", "blanks"},
  {"http://h.test/", "a=b=c; x", NULL, "http://h.test/", "a=b=c", "another ="},
  {"http://h.test/", "a=", NULL, "http://h.test/", "a=", "no value"},
  {"http://h.test/", "word", NULL, "http://h.test/", "word", "no name"},
  {"http://h.test/", "=", NULL, "http://h.test/", "", "neither"},
  {"http://h.test/", "", NULL, "http://h.test/", "", "nothing"},
  {"http://h.test/", "a=b\x01", NULL, "http://h.test/", "", "a control"},
  {"http://h.test/", "a=b\x7f", NULL, "http://h.test/", "", "another"},
  {"http://h.test/", "a=b", "a=c", "http://h.test/", "a=c", "replaced"},
  {"http://h.test/", "a=b", "c=d", "http://h.test/", "a=b; c=d", "in their order"},
  {"http://h.test/x/y", "a=b; Path=/", "c=d", "http://h.test/x/y", "c=d; a=b", "longer paths first"},
  /* hosts */
  {"http://h.test/", "a=b", NULL, "http://www.h.test/", "", "a host's own, below it"},
  {"http://h.test/", "a=b", NULL, "http://other.test/", "", "another host"},
  {"http://www.h.test/", "a=b; Domain=h.test", NULL, "http://x.h.test/", "a=b", "the domain"},
  {"http://www.h.test/", "a=b; domain=.H.TEST", NULL, "http://h.test/", "a=b", "with a dot, in capitals"},
  {"http://www.h.test/", "a=b; Domain=h.test", NULL, "http://xh.test/", "", "a longer name"},
  {"http://h.test/", "a=b; Domain=h.test", NULL, "http://www.h.test/", "a=b", "its own name as a domain"},
  {"http://h.test/", "a=b; Domain=www.h.test", NULL, "http://www.h.test/", "", "for one below"},
  {"http://h.test/", "a=b; Domain=evil.test", NULL, "http://evil.test/", "", "for another"},
  {"http://h.test/", "a=b; Domain=test", NULL, "http://h.test/", "", "for a public suffix"},
  {"http://a.co.uk/", "a=b; Domain=co.uk", NULL, "http://a.co.uk/", "", "of two labels"},
  {"http://a.github.io/", "a=b; Domain=github.io", NULL, "http://b.github.io/", "", "in private hands"},
  {"http://github.io/", "a=b; Domain=github.io", NULL, "http://github.io/", "a=b", "for itself"},
  {"http://github.io/", "a=b; Domain=github.io", NULL, "http://b.github.io/", "", "and those below"},
  {"http://127.0.0.1/", "a=b; Domain=127.0.0.1", NULL, "http://127.0.0.1/", "a=b", "an address"},
  {"http://127.0.0.1/", "a=b; Domain=0.1", NULL, "http://127.0.0.1/", "", "a part of it"},
  {"http://[::1]:8080/", "a=b", NULL, "http://[::1]:8080/", "a=b", "an address of IPv6"},
  {"http://localhost/", "a=b; Domain=localhost", NULL, "http://localhost/", "a=b", "a name without a dot"},
  {"http://h.test/", "a=b; Domain=", NULL, "http://h.test/", "a=b", "no domain"},
  /* scheme and port */
  {"https://h.test/", "a=b", NULL, "http://h.test/", "", "in clear text"},
  {"https://h.test/", "a=b; Domain=h.test", NULL, "http://h.test/", "", "in clear text, with a domain"},
  {"https://h.test:8080/", "a=b", NULL, "http://h.test:8080/", "", "at that port"},
  {"https://h.test/", "a=b; Secure", NULL, "https://h.test/", "a=b", "secure"},
  {"http://h.test/", "a=b; Secure", NULL, "http://h.test/", "", "secure, set by http"},
  {"http://h.test/", "a=b", NULL, "http://h.test:81/", "", "another port"},
  {"http://h.test:81/", "a=b", NULL, "http://h.test:81/", "a=b", "the same"},
  {"https://h.test/", "__Secure-a=b; Secure", NULL, "https://h.test/", "__Secure-a=b", "a prefix that holds"},
  {"https://h.test/", "__Secure-a=b", NULL, "https://h.test/", "", "one that does not"},
  {"https://h.test/", "__host-a=b; Secure; Path=/", NULL, "https://h.test/", "__host-a=b", "of a host"},
  {"https://h.test/", "__Host-a=b; Secure; Path=/; Domain=h.test", NULL, "https://h.test/", "", "of a domain"},
  {"https://h.test/x/", "__Host-a=b; Secure", NULL, "https://h.test/x/", "", "of a path"},
  {"https://h.test/", "=__Host-a=b; Secure; Path=/", NULL, "https://h.test/", "", "a prefix without a name"},
  /* paths */
  {"http://h.test/a/b", "a=b", NULL, "http://h.test/a/c", "a=b", "the directory"},
  {"http://h.test/a/b", "a=b", NULL, "http://h.test/a", "a=b", "the directory's name"},
  {"http://h.test/a/b", "a=b", NULL, "http://h.test/ab", "", "a longer one"},
  {"http://h.test/a/b", "a=b", NULL, "http://h.test/", "", "above"},
  {"http://h.test/a?b/c", "a=b", NULL, "http://h.test/d", "a=b", "a slash in the query"},
  {"http://h.test/", "a=b; Path=/x", NULL, "http://h.test/x/y", "a=b", "a path"},
  {"http://h.test/a/b", "a=b; Path=x", NULL, "http://h.test/a/", "a=b", "no path"},
  /* time */
  {"http://h.test/", "a=b; Max-Age=1", NULL, "http://h.test/", "a=b", "still young"},
  {"http://h.test/", "a=b", "a=c; Max-Age=0", "http://h.test/", "", "taken back"},
  {"http://h.test/", "a=b", "a=c; Max-Age=-1", "http://h.test/", "", "taken back"},
  {"http://h.test/", "a=b; Max-Age=99999999999999999999999", NULL, "http://h.test/", "a=b", "for ever"},
  {"http://h.test/", "a=b", "a=c; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://h.test/", "", "long ago"},
  {"http://h.test/", "a=b; Expires=Wed, 09 Jun 2100 10:18:14 GMT", NULL, "http://h.test/", "a=b", "in the future"},
  {"http://h.test/", "a=b; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT", NULL, "http://h.test/", "a=b",
   "Max-Age counts"},
  {"http://h.test/", "a=b; Expires=soon", NULL, "http://h.test/", "a=b", "no date"},
  {"http://h.test/", "a=b", "a=; Expires=Thu, 01-Jan-70 00:00:10 GMT", "http://h.test/", "", "long ago, in two digits"},
  {"http://h.test/", "a=b; Expires=Thu, 01-Jan-70 00:00:10 GMT; Max-Age=9", NULL, "http://h.test/", "a=b",
   "Max-Age counts behind it, too"},
  {"http://h.test/", "a=b", "a=c; Expires=01 Jan 2001 0:0:0; Max-Age=x; Max-Age=; Max-Age=1s", "http://h.test/", "",
   "but only a number"},
  {"http://h.test/", "a=b; Expires=01 Jan 2001 0:0:0; Expires=01 Jan 2100 0:0:0", NULL, "http://h.test/", "a=b",
   "the last date counts"},
  {"http://h.test/", "a=b; Max-Age=0; Max-Age=9", NULL, "http://h.test/", "a=b", "the last age, too"},
};

CASE(who_gets_what)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cookies *c = cookies_create();
    cookies_take(c, rows[i].from, rows[i].field, NOW);
    if (rows[i].also)
      cookies_take(c, rows[i].from, rows[i].also, NOW);
    const char *sent = cookies_for(c, rows[i].to, false, NOW);
    if (strcmp(sent, rows[i].sent) != 0)
      fail_msg("%s by %s to %s (%s): \"%s\"", rows[i].field, rows[i].from, rows[i].to, rows[i].why, sent);
    cookies_free(c);
  }
}

CASE(http_does_not_replace_what_https_set)
{
  cookies *c = cookies_create();
  assert_true(cookies_take(c, "https://h.test/", "a=b; Domain=h.test", NOW));
  assert_false(cookies_take(c, "http://h.test/", "a=evil; Domain=h.test", NOW));
  assert_string_equal(cookies_for(c, "https://h.test/", false, NOW), "a=b");
  cookies_free(c);
}

CASE(they_expire)
{
  cookies *c = cookies_create();
  assert_true(cookies_take(c, "http://h.test/", "a=b; Max-Age=10", NOW));
  assert_string_equal(cookies_for(c, "http://h.test/", false, NOW + 9), "a=b");
  assert_string_equal(cookies_for(c, "http://h.test/", false, NOW + 10), "");
  cookies_free(c);
}

static char *of_size(const char *begin, size_t size)
{
  char *text = malloc(strlen(begin) + size + 1);
  assert_non_null(text);
  memset(text, 'x', strlen(begin) + size);
  memcpy(text, begin, strlen(begin));
  text[strlen(begin) + size] = '\0';
  return text;
}

static bool takes(const char *begin, size_t size)
{
  cookies *c = cookies_create();
  char *field = of_size(begin, size);
  bool is_taken = cookies_take(c, "http://h.test/", field, NOW);
  free(field);
  cookies_free(c);
  return is_taken;
}

CASE(sizes_are_limited)
{
  assert_true(takes("a=", COOKIE_MAX - 1));
  assert_false(takes("a=", COOKIE_MAX));
  assert_true(takes("", COOKIE_MAX));
  assert_false(takes("", COOKIE_MAX + 1));
  cookies *c = cookies_create();
  char *path = of_size("a=b; Path=/", COOKIE_ATTRIBUTE_MAX - 1), *longer = of_size("c=d; Path=/", COOKIE_ATTRIBUTE_MAX);
  assert_true(cookies_take(c, "http://h.test/", path, NOW));
  assert_string_equal(cookies_for(c, "http://h.test/", false, NOW), "");
  assert_true(cookies_take(c, "http://h.test/", longer, NOW)); /* without it */
  assert_string_equal(cookies_for(c, "http://h.test/", false, NOW), "c=d");
  free(path);
  free(longer);
  cookies_free(c);
}

static void set(cookies *c, const char *host, unsigned nth)
{
  char url[96], field[64];
  snprintf(url, sizeof url, "http://%s/", host);
  snprintf(field, sizeof field, "n%u=%u", nth, nth);
  assert_true(cookies_take(c, url, field, NOW));
}

static unsigned count_sent(cookies *c, const char *host)
{
  char url[96];
  snprintf(url, sizeof url, "http://%s/", host);
  const char *sent = cookies_for(c, url, false, NOW);
  unsigned count = *sent != '\0';
  for (; (sent = strchr(sent, ';')); sent++)
    count++;
  return count;
}

/* The one not used for longest goes. */
CASE(fifty_of_a_host)
{
  cookies *c = cookies_create();
  for (unsigned i = 0; i < COOKIES_DOMAIN_MAX; i++)
    set(c, "h.test", i);
  assert_true(cookies_take(c, "http://h.test/", "n0=used", NOW));
  for (unsigned i = COOKIES_DOMAIN_MAX; i < 2 * COOKIES_DOMAIN_MAX - 1; i++)
    set(c, "h.test", i);
  assert_int_equal(count_sent(c, "h.test"), COOKIES_DOMAIN_MAX);
  assert_memory_equal(cookies_for(c, "http://h.test/", false, NOW), "n0=used; n50=50; ", 17);
  assert_int_equal(cookies_count(c), COOKIES_DOMAIN_MAX);
  cookies_free(c);
}

/* One domain with names without end takes no other's. */
CASE(of_a_domain_and_in_all)
{
  char host[64];
  cookies *c = cookies_create();
  set(c, "good.test", 1);
  for (unsigned i = 0; i < 10 * COOKIES_MAX; i++) {
    snprintf(host, sizeof host, "x%u.evil.test", i / 40);
    set(c, host, i);
  }
  assert_int_equal(cookies_count(c), COOKIES_SITE_MAX + 1);
  assert_int_equal(count_sent(c, "good.test"), 1);
  for (unsigned i = 0; i < 10 * COOKIES_MAX; i++) {
    snprintf(host, sizeof host, "x%u.test", i);
    set(c, host, i);
    assert_true(cookies_count(c) <= COOKIES_MAX);
    assert_true(i % 1000 || count_sent(c, "good.test") == 1); /* what is used stays */
  }
  assert_int_equal(cookies_count(c), COOKIES_MAX);
  cookies_free(c);
}

CASE(a_request_gets_so_many_bytes)
{
  cookies *c = cookies_create();
  for (unsigned i = 0; i < 10; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%u=", i);
    char *field = of_size(name, 1000);
    assert_true(cookies_take(c, "http://h.test/", field, NOW));
    free(field);
  }
  size_t size = strlen(cookies_for(c, "http://h.test/", false, NOW));
  assert_in_range(size, COOKIES_SENT_MAX - 1100, COOKIES_SENT_MAX);
  cookies_free(c);
}

/* The user's go to trusted servers, also when a server has given another value. */
CASE(from_a_file)
{
  char path[] = "/tmp/strata-cookies-XXXXXX";
  int fd = mkstemp(path);
  static const char text[] = "# Netscape HTTP Cookie File\n"
                             "h.test\tFALSE\t/\tFALSE\t0\town\t1\n"
                             ".h.test\tTRUE\t/\tTRUE\t0\tsafe\t2\r\n"
                             "#HttpOnly_h.test\tFALSE\t/x\tFALSE\t4000000000\tpath\t3\n"
                             "h.test\tFALSE\t/\tFALSE\t1\told\t4\n"
                             "com\tTRUE\t/\tFALSE\t0\tsuffix\t5\n"
                             "h.test\tFALSE\t/\tFALSE\t0\tempty\n"
                             "no cookie\n\n\t\t\t\t\t\t\n";
  assert_true(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1);
  close(fd);
  cookies *c = cookies_create();
  assert_true(cookies_read(c, path, NOW));
  unlink(path);
  assert_false(cookies_read(c, path, NOW));
  assert_string_equal(cookies_for(c, "http://h.test/", true, NOW), "own=1; empty=");
  assert_string_equal(cookies_for(c, "http://h.test/", false, NOW), "");
  assert_string_equal(cookies_for(c, "https://www.h.test/", true, NOW), "safe=2");
  assert_string_equal(cookies_for(c, "https://h.test/x", true, NOW), "path=3; own=1; safe=2; empty=");
  assert_string_equal(cookies_for(c, "http://other.com/", true, NOW), "");
  assert_true(cookies_take(c, "https://www.h.test/", "safe=new; Domain=h.test", NOW));
  assert_string_equal(cookies_for(c, "https://www.h.test/", false, NOW), "");
  assert_string_equal(cookies_for(c, "https://www.h.test/", true, NOW), "safe=new");
  assert_true(cookies_take(c, "http://h.test:81/", "own=new", NOW));
  assert_string_equal(cookies_for(c, "http://h.test:81/", true, NOW), "own=new; empty=");
  assert_string_equal(cookies_for(c, "http://h.test:81/", false, NOW), "");
  assert_string_equal(cookies_for(c, "http://h.test/", true, NOW), "empty=");
  assert_false(cookies_take(c, "http://h.test/", "empty=; Max-Age=0", NOW));
  assert_string_equal(cookies_for(c, "http://h.test:81/", true, NOW), "own=new");
  cookies_free(c);
}
