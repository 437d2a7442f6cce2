/* The whole program on a web in a box, and wget2 on a plain one: what the server saw must be the truth. */
#include "tests/web/box.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const web_rules everything = {.scope = WEB_SCOPE_ANY, .sitemaps = true};

#define STRATA(b, ...) assert_int_equal(box_strata(b, (const char *const[]){__VA_ARGS__, NULL}), 0)

/* Nothing twice, nothing that was not to be asked for. */
static void check_manners(const score *s)
{
  assert_int_equal(s->again, 0);
  assert_int_equal(s->too_soon, 0);
  assert_int_equal(s->before_robots, 0);
  assert_int_equal(s->barred, 0);
  assert_int_equal(s->elsewhere, 0);
  assert_int_equal(s->unlinked, 0);
  assert_int_equal(s->unknown, 0);
  assert_int_equal(s->endless, 0);
}

static void strata_on_a_plain_web(void **state)
{
  (void)state;
  box *b = box_open("seed=1,hosts=120,pages=10,zipf,https=0.5");
  STRATA(b, "--delay", "0");
  score s = box_score(b, &everything, 0);
  assert_true(s.wanted > 700);
  assert_int_equal(s.fetched, s.wanted);
  assert_int_equal(s.failures, 0);
  check_manners(&s);
  box_close(b);
}

/* All but what never ends or takes its time. */
static void strata_on_a_wild_web(void **state)
{
  (void)state;
  box *b = box_open("seed=2,hosts=100,pages=12,wild,flaky=0,silent=0,resting=0,asleep=0,heavy=0,slowrobots=0,"
                    "crawldelay=0,calendar=0,sessions=0,lost=0,farm=0");
  STRATA(b, "--delay", "0");
  score s = box_score(b, &everything, 0);
  assert_true(s.wanted > 500);
  assert_int_equal(s.fetched, s.wanted);
  check_manners(&s);
  box_close(b);
}

/* What is bad for a second is asked for again, and comes. */
static void strata_on_a_flaky_web(void **state)
{
  (void)state;
  box *b = box_open("seed=3,hosts=20,pages=20,flaky=0.3,period=3");
  STRATA(b, "--delay", "0.1", "--per-host", "4", "--tries", "8");
  score s = box_score(b, &everything, 0);
  assert_true(s.failures > 10);
  assert_int_equal(s.fetched, s.wanted);
  check_manners(&s);
  box_close(b);
}

/* The server sees a request later than it was sent, most so on a busy machine: half of the delay must be kept. */
static void strata_keeps_the_delay(void **state)
{
  (void)state;
  box *b = box_open("seed=4,hosts=40,pages=6,door=0.2,latency=20-100,shared=0.3");
  STRATA(b, "--delay", "1");
  score s = box_score(b, &everything, 500);
  assert_int_equal(s.fetched, s.wanted);
  check_manners(&s);
  box_close(b);
}

/* A judge that would let everything pass: the delay that was not promised is noticed. */
static void the_judge_notices(void **state)
{
  (void)state;
  box *b = box_open("seed=4,hosts=10,pages=8,forbidden=0.3");
  STRATA(b, "--delay", "0", "--ignore-robots", "--max-pages", "60");
  score s = box_score(b, &everything, 300);
  assert_true(s.fetched > 0 && s.fetched < s.wanted);
  assert_true(s.too_soon > 10 && s.barred > 3 && s.before_robots > 10);
  box_close(b);
}

/* In a namespace where all names are the web's; it goes by /etc/resolv.conf and the usual ports. */
static void wget2_agrees(void **state)
{
  (void)state;
  if (access("/usr/bin/wget2", X_OK) != 0) {
    print_message("skipped: wget2 is not installed\n");
    skip();
  }
  static const char line[] = "seed=1,hosts=100,pages=10,https=0.5";
  char log[SCRATCH_PATH], authority[SCRATCH_PATH], pages[SCRATCH_PATH];
  box *b = box_open(line); /* its server is not asked: only its log is another's */
  scratch_join(b->home, "wget2.log", log);
  scratch_join(b->home, "wget2.pem", authority);
  scratch_join(b->home, "pages", pages);
  text command = {0};
  text_addf(&command, "wget2 -q -r -l inf -H --ca-certificate=%s -P %s $START", authority, pages);
  const char *const words[] = {IN_A_BOX, WEB_SERVER, line, log, authority, "sh", "-c", command.bytes, NULL};
  process_end end;
  assert_true(process_wait(process_start(words, &(process_files){.err = "/dev/null"}), 120, &end));
  text_free(&command);
  if (end.code == 77) {
    print_message("skipped: there can be no namespace here\n");
    box_close(b);
    skip();
  }
  assert_int_equal(end.code, 0);
  memcpy(b->log, log, sizeof log);
  score s = box_score(b, &everything, 0);
  assert_int_equal(s.wanted, 1000);
  assert_int_equal(s.fetched, s.wanted);
  check_manners(&s);
  box_close(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(strata_on_a_plain_web), cmocka_unit_test(strata_on_a_wild_web),
    cmocka_unit_test(strata_on_a_flaky_web), cmocka_unit_test(strata_keeps_the_delay),
    cmocka_unit_test(the_judge_notices),     cmocka_unit_test(wget2_agrees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
