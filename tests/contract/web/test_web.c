/* The web in a box, piece by piece. That its truth is true: test_web_truth.c. */
#include "tests/support/test.h"
#include "tests/contract/web/web_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static web *make(const char *line)
{
  web_options options;
  char error[200];
  if (!web_options_read(&options, line, error, sizeof error))
    fail_msg("%s", error);
  return web_create(&options);
}

static void ask(const web *w, web_reply *reply, const char *url, uint64_t now_ms, const char *if_none_match)
{
  bool is_https = strncmp(url, "https", 5) == 0;
  const char *host = url + (is_https ? 8 : 7), *target = strchr(host, '/');
  web_answer(w,
             &(web_request){.is_https = is_https,
                            .host = host,
                            .host_size = (size_t)(target - host),
                            .target = target,
                            .target_size = strlen(target),
                            .now_ms = now_ms,
                            .if_none_match = if_none_match},
             reply);
}

CASE(options_from_a_line)
{
  web_options options;
  char error[200];
  assert_true(web_options_read(&options, "", error, sizeof error));
  assert_int_equal(options.hosts, 1000);
  static const char line[] = "wild,seed=18446744073709551615,hosts=100000000,pages=3,latency=50-500,https=0";
  assert_true(web_options_read(&options, line, error, sizeof error));
  assert_true(options.seed == UINT64_MAX && options.hosts == 100000000 && options.pages == 3);
  assert_true(options.latency_from_ms == 50 && options.latency_to_ms == 500);
  assert_true(options.share[WEB_HTTPS] == 0 && options.share[WEB_CLOSED] > 0);
  static const char *const nonsense[] = {
    "hosts=0",     "hosts=100000001",
    "hosts=",      "hosts=ten",
    "hosts=10x",   "pages=-1",
    "latency=5-",  "latency=9-3",
    "failing=1.5", "failing=nan",
    "failing",     "strange",
    "strange=1",   "seed=18446744073709551616",
    "plain=1",     ",,",
    "bytes=1",     "hosts=1000000000000000000000000000000000000000000000000000000000000000000000000000000000",
  };
  for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
    options.seed = 77;
    if (web_options_read(&options, nonsense[i], error, sizeof error))
      fail_msg("\"%s\" was taken", nonsense[i]);
    assert_int_equal(options.seed, 77);
    assert_non_null(strstr(error, "this web has no "));
  }
}

CASE(names_and_numbers)
{
  web *w = make("seed=3,hosts=100000000,farm=0.3");
  char name[WEB_NAME_MAX], other[WEB_NAME_MAX], below[2 * WEB_NAME_MAX];
  for (uint32_t i = 0; i < 100000; i++) {
    uint32_t host = i < 1000 ? i : i < 2000 ? 99999999 - (i - 1000) : (uint32_t)(web_dice(w, 99, i, 0) % 100000000);
    bool is_own = false;
    web_host_name(w, host, name);
    assert_int_equal(web_find_host(w, name, strlen(name), &is_own), host);
    assert_true(is_own);
    name[0] = (char)(name[0] - 'a' + 'A');
    assert_int_equal(web_find_host(w, name, strlen(name), NULL), host);
    web_host_other_name(w, host, other);
    if (*other)
      assert_int_equal(web_find_host(w, other, strlen(other), &is_own), host);
    assert_false(*other && is_own);
    snprintf(below, sizeof below, "x1.%s", name);
    uint32_t found = web_find_host(w, below, strlen(below), NULL);
    assert_int_equal(found, web_host_has(w, host, WEB_FARM) ? host : WEB_NO_HOST);
  }
  /* clang-format off */
  static const char *const strangers[] = {
    "", ".", ".test", "test", "site.test", "site01.test", "site100000000.test", "group25000000.test", "www.example.org",
    "e.group1.test", "site1.test.", "site1.tes", "sitex1.test", "site99999999999999999999.test", "group.test",
    "xgroup1.test",
  };
  /* clang-format on */
  for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
    assert_int_equal(web_find_host(w, strangers[i], strlen(strangers[i]), NULL), WEB_NO_HOST);
  web_free(w);
}

/* Every host hangs on one that comes before it. */
CASE(all_hosts_hang_together)
{
  enum { HOSTS = 5000 };
  static bool hangs[HOSTS];
  web *w = make("hosts=5000");
  uint32_t child;
  for (uint32_t host = 0; host < HOSTS; host++) {
    for (uint32_t n = 0; web_host_child(w, host, n, &child); n++) {
      if (child == WEB_NO_HOST)
        continue;
      assert_true(child > host && child < HOSTS);
      assert_false(hangs[child]);
      hangs[child] = true;
    }
  }
  for (uint32_t host = 1; host < HOSTS; host++)
    assert_true(hangs[host]);
  web_free(w);
}

CASE(addresses)
{
  web *w = make("hosts=100000000,shared=0.3,nameless=0.1");
  unsigned nameless = 0, shared = 0;
  for (uint32_t host = 0; host < 100000; host++) {
    uint32_t address = web_address(w, host);
    nameless += address == 0;
    shared += web_host_has(w, host, WEB_SHARED);
    assert_true(!address || (address >= 0x7F010000u && address <= 0x7FFEFFFFu));
    assert_int_equal(address == 0, web_host_has(w, host, WEB_NAMELESS));
  }
  assert_in_range(shared, 29000, 31000);
  assert_in_range(nameless, 6500, 8500); /* a tenth of three quarters: on the others, hosts hang */
  web_free(w);
}

CASE(sizes)
{
  web *w = make("hosts=1000000,pages=50,zipf");
  uint64_t pages = 0, most = 0;
  for (uint32_t host = 0; host < 1000000; host++) {
    uint64_t n = web_host_pages(w, host);
    pages += n;
    most = n > most ? n : most;
    assert_true(n >= 1);
  }
  assert_in_range(pages, 48000000, 52000000);
  assert_in_range(most, 5000, 8000);
  web_free(w);
}

/* Every page's URL leads back to it, in other spellings too; the URL of a page that is not there does not. */
CASE(urls_and_pages)
{
  web *w = make("seed=4,hosts=300,pages=60,wild");
  text url = {0};
  for (uint32_t host = 0; host < 300; host++)
    for (uint32_t page = 0; page < web_host_pages(w, host); page++) {
      text_clear(&url);
      web_url(w, host, page, &url);
      web_place place = web_find(w, url.bytes, url.size);
      assert_true(place.what == WEB_PAGE && place.host == host && place.page == page && place.asked == host);
      text_add(&url, "#part");
      assert_int_equal(web_find(w, url.bytes, url.size).what, WEB_PAGE);
      url.bytes[0] = 'H';
      assert_int_equal(web_find(w, url.bytes, url.size).page, page);
      url.size -= 5;
      text_add(&url, "x");
      web_what what = web_host_has(w, host, WEB_LOST) ? WEB_ENDLESS : WEB_NOTHING;
      assert_int_equal(web_find(w, url.bytes, url.size).what, what);
    }
  static const char *const strangers[] = {"", "http://", "http://x.test/", "ftp://site1.test/", "/", "http:/x/"};
  for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
    assert_int_equal(web_find(w, strangers[i], strlen(strangers[i])).what, WEB_NOTHING);
  text_free(&url);
  web_free(w);
}

CASE(same_seed_same_bytes)
{
  web *one = make("seed=5,hosts=60,pages=40,wild"), *two = make("seed=5,hosts=60,pages=40,wild");
  web *other = make("seed=6,hosts=60,pages=40,wild");
  web_reply a = {0}, b = {0}, c = {0};
  text url = {0};
  unsigned different = 0;
  for (uint32_t host = 60; host-- > 0;)
    for (uint32_t page = 0; page < web_host_pages(one, host); page++) {
      text_clear(&url);
      web_url(one, host, page, &url);
      ask(one, &a, url.bytes, 1000 * page, NULL);
      ask(two, &b, url.bytes, 1000 * page, NULL);
      ask(other, &c, url.bytes, 1000 * page, NULL);
      assert_true(a.ending == b.ending && a.status == b.status && a.latency_ms == b.latency_ms && a.sent == b.sent);
      assert_true(a.body.size == b.body.size && a.headers.size == b.headers.size);
      assert_true(!a.body.size || memcmp(a.body.bytes, b.body.bytes, a.body.size) == 0);
      assert_true(!a.headers.size || memcmp(a.headers.bytes, b.headers.bytes, a.headers.size) == 0);
      different += a.body.size != c.body.size;
    }
  assert_true(different > 1000);
  web_reply_free(&a);
  web_reply_free(&b);
  web_reply_free(&c);
  text_free(&url);
  web_free(one);
  web_free(two);
  web_free(other);
}

static uint64_t add_to_hash(uint64_t hash, const text *bytes)
{
  for (size_t i = 0; i < bytes->size; i++)
    hash = (hash ^ (unsigned char)bytes->bytes[i]) * 1099511628211u; /* FNV-1a */
  return hash;
}

/* Seeds are kept because of what is found with them: whoever changes this number changes what all of them mean. */
CASE(bytes_are_what_they_were)
{
  web *w = make("seed=11,hosts=100,wild,spelled=0.5,change=10");
  uint64_t hash = 14695981039346656037u;
  web_reply reply = {0};
  text url = {0};
  for (uint32_t host = 0; host < 100; host++)
    for (uint32_t page = 0; page < web_host_pages(w, host); page++) {
      text_clear(&url);
      web_url(w, host, page, &url);
      ask(w, &reply, url.bytes, 100000, NULL);
      hash = add_to_hash(add_to_hash(hash, &reply.headers), &reply.body);
    }
  if (hash != 0x3D3EDA120CF52254u)
    fail_msg("the bytes of this web have changed: they are 0x%016llX", (unsigned long long)hash);
  text_free(&url);
  web_reply_free(&reply);
  web_free(w);
}

/* Who has it is told so, until it changes. */
CASE(conditional_requests)
{
  web *w = make("seed=1,hosts=40,change=1000");
  web_reply reply = {0};
  unsigned tagged = 0;
  for (uint32_t host = 0; host < 40; host++) {
    char tag[64] = "";
    text url = {0};
    web_url(w, host, 0, &url);
    ask(w, &reply, url.bytes, 0, NULL);
    assert_int_equal(reply.status, 200);
    sscanf(reply.headers.bytes, "ETag: %63s", tag);
    ask(w, &reply, url.bytes, 0, tag);
    assert_int_equal(reply.status, *tag ? 304 : 200);
    ask(w, &reply, url.bytes, 1000001, tag);
    assert_int_equal(reply.status, 200);
    tagged += *tag != '\0';
    text_free(&url);
  }
  assert_in_range(tagged, 8, 32);
  web_reply_free(&reply);
  web_free(w);
}

/* Half of the time, and Retry-After says for how long. */
CASE(hosts_that_rest)
{
  web *w = make("seed=1,hosts=10,resting=1,rest=100");
  web_reply reply = {0};
  for (uint32_t host = 0; host < 10; host++) {
    unsigned rests = 0;
    text url = {0};
    web_url(w, host, 0, &url);
    for (uint64_t now_s = 0; now_s < 1000; now_s++) {
      ask(w, &reply, url.bytes, 1000 * now_s, NULL);
      if (reply.status != 503)
        continue;
      uint64_t after_s = strtoull(strstr(reply.headers.bytes, "Retry-After: ") + 13, NULL, 10);
      rests++;
      ask(w, &reply, url.bytes, 1000 * (now_s + after_s), NULL);
      assert_int_equal(reply.status, 200);
    }
    assert_int_equal(rests, 500);
    text_free(&url);
  }
  web_reply_free(&reply);
  web_free(w);
}

/* Nobody can be asked twice and get a URL that was there before. */
CASE(links_without_end)
{
  static const struct {
    const char *share, *entrance;
  } rows[] = {
    {"calendar", "/calendar/2024/1/1"},
    {"sessions", "/shop/item1"},
    {"lost", "/no/such"},
    {"farm", "/best/"},
  };
  web_reply reply = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char line[64], url[200] = "";
    snprintf(line, sizeof line, "seed=8,hosts=2,%s=1", rows[i].share);
    web *w = make(line);
    web_host_name(w, 1, line);
    snprintf(url, sizeof url, "http://%s%s", line, rows[i].entrance);
    for (unsigned step = 0; step < 100; step++) {
      char next[100] = "";
      ask(w, &reply, url, step, NULL);
      assert_int_equal(reply.status, 200);
      assert_int_equal(reply.place.what, WEB_ENDLESS);
      sscanf(strstr(reply.body.bytes, "<a href=\"") + 9, "%99[^\"]", next);
      if (*next == '/')
        snprintf(url, sizeof url, "http://%s%s", line, next);
      else
        snprintf(url, sizeof url, "%s", next);
      assert_int_equal(web_find(w, url, strlen(url)).what, WEB_ENDLESS);
    }
    web_free(w);
  }
  web_reply_free(&reply);
}
