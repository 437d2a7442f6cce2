/* What stands around the server: names, log lines, and the judge of them. The server itself: test_web_crawl.c. */
#include "tests/support/test.h"
#include "tests/contract/web/score.h"
#include "tests/contract/web/serve_dns.h"
#include "tests/contract/web/serve_log.h"
#include "tests/contract/web/web_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const web_rules everything = {.scope = WEB_SCOPE_ANY, .sitemaps = true};

static web *make(const char *line)
{
  web_options options;
  char error[200];
  if (!web_options_read(&options, line, error, sizeof error))
    fail_msg("%s", error);
  return web_create(&options);
}

/* A question for `name`, as a resolver asks it. */
static size_t make_question(unsigned char *question, const char *name, unsigned type)
{
  static const unsigned char head[12] = {0x12, 0x34, 1, 0, 0, 1};
  size_t size = sizeof head;
  memcpy(question, head, size);
  for (const char *label = name; *label;) {
    size_t length = strcspn(label, ".");
    question[size++] = (unsigned char)length;
    memcpy(question + size, label, length);
    size += length;
    label += length + (label[length] == '.');
  }
  question[size++] = 0;
  question[size++] = 0;
  question[size++] = (unsigned char)type;
  question[size++] = 0;
  question[size++] = 1;
  return size;
}

CASE(names_by_dns)
{
  enum { A = 1, AAAA = 28 };
  web *w = make("hosts=100,nameless=0.3");
  unsigned char question[DNS_MESSAGE_MAX], answer[DNS_MESSAGE_MAX];
  for (uint32_t host = 0; host < 100; host++) {
    char name[WEB_NAME_MAX];
    web_host_name(w, host, name);
    uint32_t address = web_address(w, host);
    size_t asked = make_question(question, name, A), size = serve_dns_answer(w, question, asked, answer);
    assert_int_equal(size, address ? asked + 16 : asked);
    assert_memory_equal(answer, question, 2);
    assert_int_equal(answer[3] & 15, address ? 0 : 3);
    if (address) {
      const unsigned char *at = answer + size - 4;
      assert_int_equal((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3], address);
    }
    asked = make_question(question, name, AAAA);
    assert_int_equal(serve_dns_answer(w, question, asked, answer), asked);
    assert_int_equal(answer[7], 0);
  }
  web *silent = make("hosts=100,silent=1,mute=0.5");
  unsigned mute = 0;
  for (uint32_t host = 0; host < 100; host++) {
    char name[WEB_NAME_MAX];
    web_host_name(silent, host, name);
    bool is_mute = !serve_dns_answer(silent, question, make_question(question, name, A), answer);
    assert_int_equal(is_mute, web_host_has(silent, host, WEB_MUTE));
    mute += is_mute;
  }
  assert_in_range(mute, 20, 60);
  web_free(silent);
  size_t asked = make_question(question, "www.example.org", A);
  assert_int_equal(serve_dns_answer(w, question, asked, answer), asked);
  assert_int_equal(answer[3] & 15, 3);
  for (size_t size = 0; size < asked; size++)
    assert_int_equal(serve_dns_answer(w, question, size, answer), 0); /* cut anywhere */
  web_free(w);
}

CASE(log_lines)
{
  serve_log_line read;
  char line[] = "123\thttps\twww.site1.test\t/d1/12.html\t200\t2041\tcut\n";
  assert_true(serve_log_read(line, &read));
  assert_true(read.ms == 123 && read.is_https && read.status == 200 && read.bytes == 2041 && read.ending == WEB_CUT);
  assert_string_equal(read.host, "www.site1.test");
  assert_string_equal(read.target, "/d1/12.html");
  static const char *const broken[] = {"",
                                       "\n",
                                       "1\thttp\th\t/\t200\t1\n",
                                       "1\thttp\th\t/\t200\t1\tstrange\n",
                                       "1\thttp\th\t/\t200\t1\twhole\tmore\n",
                                       "1\thttp\th\t/\t20"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    char copy[100];
    snprintf(copy, sizeof copy, "%s", broken[i]);
    assert_false(serve_log_read(copy, &read));
  }
}

/* A crawl that never was: one request every `step_ms`. */
typedef struct story {
  web *w;
  judge *j;
  uint64_t now_ms, step_ms;
} story;

static void tell(story *s, const char *host, const char *target, int status, web_ending ending)
{
  char name[WEB_NAME_MAX], path[WEB_TARGET_MAX];
  snprintf(name, sizeof name, "%s", host);
  snprintf(path, sizeof path, "%s", target);
  judge_take(s->j, &(serve_log_line){s->now_ms, false, name, path, status, 100, ending});
  s->now_ms += s->step_ms;
}

static void tell_page(story *s, uint32_t host, uint32_t page)
{
  char name[WEB_NAME_MAX], target[WEB_TARGET_MAX];
  web_host_name(s->w, host, name);
  web_page_target(s->w, host, page, target);
  tell(s, name, target, 200, WEB_WHOLE);
}

/* All that is wanted, and what more `extra` tells. */
static score judge_story(const char *line, uint64_t step_ms, uint64_t delay_ms, void (*extra)(story *))
{
  story s = {.w = make(line), .step_ms = step_ms};
  s.j = judge_create(s.w, &everything, delay_ms);
  for (uint32_t host = 0; host < web_options_of(s.w)->hosts; host++) {
    char name[WEB_NAME_MAX];
    web_host_name(s.w, host, name);
    tell(&s, name, "/robots.txt", 200, WEB_WHOLE);
    for (uint32_t page = 0; page < web_host_pages(s.w, host); page++)
      if (web_look(s.w, &everything, host, page).fate == WEB_WANTED)
        tell_page(&s, host, page);
  }
  if (extra)
    extra(&s);
  score end = judge_end(s.j);
  judge_free(s.j);
  web_free(s.w);
  return end;
}

static void stray(story *s)
{
  char name[WEB_NAME_MAX];
  web_host_name(s->w, 0, name);
  tell_page(s, 0, 0);                              /* again */
  tell(s, name, "/%31", 404, WEB_WHOLE);           /* unknown, or page 1 again */
  tell(s, name, "/ghost/1", 404, WEB_WHOLE);       /* unknown */
  tell(s, "www.example.org", "/", 0, WEB_NO_NAME); /* unknown, failed */
  tell(s, name, "/ghost/2", 503, WEB_WHOLE);       /* unknown, failed */
  for (uint32_t page = 0; page < web_host_pages(s->w, 0); page++)
    if (web_look(s->w, &everything, 0, page).fate == WEB_BARRED)
      tell_page(s, 0, page); /* barred */
}

CASE(a_judge_counts)
{
  static const char line[] = "seed=3,hosts=5,pages=40,forbidden=0.2";
  score good = judge_story(line, 1000, 1000, NULL);
  assert_true(good.wanted > 50 && good.fetched == good.wanted && good.robots == 5);
  assert_int_equal(good.requests, good.wanted + 5);
  assert_int_equal(good.again + good.too_soon + good.before_robots + good.barred + good.unknown + good.failures, 0);
  score hasty = judge_story(line, 900, 1000, NULL);
  assert_int_equal(hasty.too_soon, hasty.wanted - 5); /* all but the first of each host */
  score bad = judge_story(line, 1000, 0, stray);
  assert_true(bad.again >= 1 && bad.again + bad.unknown == 5 && bad.failures == 2);
  assert_true(bad.barred > 1 && bad.too_soon == 0 && bad.fetched == bad.wanted);
}

/* Every third request never told of. */
CASE(a_judge_misses_what_is_missing)
{
  story s = {.w = make("seed=3,hosts=10,pages=30"), .step_ms = 1};
  s.j = judge_create(s.w, &everything, 0);
  unsigned told = 0;
  for (uint32_t host = 0; host < 10; host++)
    for (uint32_t page = 0; page < 30; page++)
      if ((host + page) % 3) {
        tell_page(&s, host, page);
        told++;
      }
  score end = judge_end(s.j);
  assert_int_equal(end.wanted, 300);
  assert_int_equal(end.fetched, told);
  assert_int_equal(end.before_robots, told);
  judge_free(s.j);
  web_free(s.w);
}
