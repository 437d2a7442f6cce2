/* The whole program on a web in a box, and wget2 on a plain one: what the server saw must be the truth. */
#include "tests/support/test.h"
#include "tests/support/unclean.h"
#include "tests/contract/web/box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

CASE(strata_on_a_plain_web)
{
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
CASE(strata_on_a_wild_web)
{
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
CASE(strata_on_a_flaky_web)
{
  box *b = box_open("seed=3,hosts=20,pages=20,flaky=0.3,period=3");
  STRATA(b, "--delay", "0.1", "--per-host", "4", "--tries", "8");
  score s = box_score(b, &everything, 0);
  assert_true(s.failures > 10);
  assert_int_equal(s.fetched, s.wanted);
  check_manners(&s);
  box_close(b);
}

/* The server sees a request later than it was sent, most so on a busy machine: half of the delay must be kept. */
CASE(strata_keeps_the_delay)
{
  box *b = box_open("seed=4,hosts=40,pages=6,door=0.2,latency=20-100,shared=0.3");
  STRATA(b, "--delay", "1");
  score s = box_score(b, &everything, 500);
  assert_int_equal(s.fetched, s.wanted);
  check_manners(&s);
  box_close(b);
}

/* A judge that would let everything pass: the delay that was not promised is noticed. */
CASE(the_judge_notices)
{
  box *b = box_open("seed=4,hosts=10,pages=8,forbidden=0.3");
  STRATA(b, "--delay", "0", "--ignore-robots", "--max-pages", "60");
  score s = box_score(b, &everything, 300);
  assert_true(s.fetched > 0 && s.fetched < s.wanted);
  assert_true(s.too_soon > 10 && s.barred > 3 && s.before_robots > 10);
  box_close(b);
}

/* In a namespace where all names are the web's; it goes by /etc/resolv.conf and the usual ports. */
CASE(wget2_agrees)
{
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
  assert_true(process_wait(process_start(words, &(process_files){.err = "/dev/null"}), &end));
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

/* Responses with too much of something end by their limit, and all else is fetched. */
CASE(strata_among_floods)
{
  char pages[SCRATCH_PATH], crawl[SCRATCH_PATH];
  text log = {0};
  box *b = box_open("seed=8,hosts=14,pages=4,https=0.5,calendar=0.4,flood=1");
  STRATA(b, "--delay", "0", "--tries", "1", "--timeout", "20");
  scratch_join(b->home, "crawl", crawl);
  scratch_join(crawl, "pages.jsonl", pages);
  assert_true(text_add_file(&log, pages));
  static const char *const limits[] = {
    "too many header fields", "too many bytes of header fields", "too many cookies", "too long a header field",
    "too many redirects",     "too many decoded bytes",          "too many links"};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (!strstr(log.bytes, limits[i]))
      fail_msg("%s: not in pages.jsonl", limits[i]);
  text_free(&log);
  score s = box_score(b, &everything, 0);
  assert_true(s.wanted > 30);
  assert_int_equal(s.fetched, s.wanted);
  box_close(b);
}

/* Control characters in titles, headers, redirects and links: all is fetched, and no file of the crawl has them. */
CASE(strata_among_graffiti)
{
  static const char *const files[] = {"crawl/pages.jsonl", "crawl/pages-00001.cdxj"};
  box *b = box_open("seed=8,hosts=60,pages=6,https=0.5,sessions=0.4,graffiti=1");
  STRATA(b, "--delay", "0", "--tries", "1", "--warc");
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[SCRATCH_PATH];
    text content = {0};
    scratch_join(b->home, files[i], path);
    assert_true(text_add_file(&content, path));
    assert_non_null(strstr(content.bytes, "/wall/type\""));
    assert_int_equal(first_unclean(content.bytes, content.size, false), content.size);
    text_free(&content);
  }
  score s = box_score(b, &everything, 0);
  assert_true(s.wanted > 250);
  assert_int_equal(s.fetched, s.wanted);
  box_close(b);
}

/* Runs `command` by a shell where all names are those of the box's web, with $STRATA and $START; what it printed. The
 * box's log is then that of the server there. Skips the test where there can be no namespace. */
static text in_its_own_net(box *b, const char *command)
{
  text said = {0}, script = {0};
  char log[SCRATCH_PATH], authority[SCRATCH_PATH], out[SCRATCH_PATH];
  process_end end;
  scratch_join(b->home, "net.log", log);
  scratch_join(b->home, "net.pem", authority);
  scratch_join(b->home, "said", out);
  text_addf(&script,
            "STRATA='" STRATA_PROGRAM " crawl --dir %s/crawl --quiet --allow-private --per-address 0 --scope any "
            "--ca-file '$SSL_CERT_FILE' --delay 0 --tries 1'\n%s",
            b->home, command);
  const char *const words[] = {IN_A_BOX, WEB_SERVER, b->line, log, authority, "sh", "-c", script.bytes, NULL};
  assert_true(process_wait(process_start(words, &(process_files){.out = out}), &end));
  assert_true(text_add_file(&said, out));
  text_free(&script);
  if (end.code == 77) {
    print_message("skipped: there can be no namespace here\n");
    box_close(b);
    skip();
  }
  memcpy(b->log, log, sizeof log);
  return said;
}

/* However it is ended: getaddrinfo cannot be told to give up. Here it needs seven and a half minutes for a name of a
 * silent host, five rounds of 30, 20 and 40 seconds. So what waits for it takes as long, and what does not is over in
 * seconds, or on a busy machine in minutes. */
CASE(a_stop_does_not_wait_for_the_dns)
{
  enum { DNS_S = 450 };
  static const char *const ends[] = {"timeout --foreground -s INT 3 $STRATA $START",
                                     "timeout --foreground -s TERM 3 $STRATA $START", "$STRATA --max-seconds 3 $START"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    box *b = box_open("seed=5,hosts=200,pages=4,silent=0.5,mute=1");
    text command = {0};
    text_addf(&command,
              "echo nameserver 127.0.0.1 >>/etc/resolv.conf\n"
              "echo nameserver 127.0.0.1 >>/etc/resolv.conf\n"
              "echo options timeout:30 attempts:5 >>/etc/resolv.conf\n"
              "began=$(date +%%s%%N)\n%s\necho $(($(date +%%s%%N) - began))",
              ends[i]);
    text said = in_its_own_net(b, command.bytes);
    double seconds = strtod(said.bytes, NULL) / 1e9;
    print_message("%s: %.2f s\n", ends[i], seconds);
    assert_true(seconds > 2.5 && seconds < DNS_S);
    text_free(&said);
    text_free(&command);
    box_close(b);
  }
}

/* Names that take long to fail hold nothing up but their own URLs. They are three times as many as threads may be, and
 * with a --timeout of a second none takes longer, where ten are usual. A crawl that is told to wait five seconds for
 * each is begun before, and ends later; a busy machine delays both. */
CASE(other_pages_do_not_wait_for_the_dns)
{
  box *b = box_open("seed=5,hosts=500,pages=2,silent=0.8,mute=1");
  text said = in_its_own_net(b, "slow=$(mktemp -d)\n"
                                "RES_OPTIONS='timeout:5 attempts:1' $STRATA --timeout 1 --dir $slow/crawl $START &\n"
                                "$STRATA --timeout 1 $START\n"
                                "kill -INT $! && echo it ended first\n"
                                "wait $!\n"
                                "rm -r $slow");
  assert_string_equal(said.bytes, "it ended first\n");
  text_free(&said);
  box_close(b);
}

/* A thread that resolves a name outlives the fetch that needed it, for six seconds here. So further names wait, and
 * all pages of other hosts are fetched. */
CASE(dead_names_do_not_pile_up_threads)
{
  enum { CONNECTIONS = 64, GIVEN_UP = 64 };
  box *b = box_open("seed=5,hosts=700,pages=2,silent=0.6,mute=1");
  text said = in_its_own_net(b, "echo options timeout:8 attempts:1 >>/etc/resolv.conf\n"
                                "$STRATA --timeout 2 $START &\n"
                                "while kill -0 $! 2>/dev/null; do\n"
                                "  set -- /proc/$!/task/*\n"
                                "  echo $#\n"
                                "  sleep 0.05\n"
                                "done\n"
                                "wait $!");
  long most = 0;
  for (char *at = said.bytes, *next; at && *at; at = next) {
    long threads = strtol(at, &next, 10);
    most = threads > most ? threads : most;
    next += strspn(next, "\n");
  }
  score s = box_score(b, &everything, 0);
  print_message("%ld threads at most, %llu of %llu pages\n", most, (unsigned long long)s.fetched,
                (unsigned long long)s.wanted);
  long readers = sysconf(_SC_NPROCESSORS_ONLN) - 1;
  assert_in_range(most, CONNECTIONS, CONNECTIONS + GIVEN_UP + readers);
  assert_true(s.wanted > 400);
  assert_int_equal(s.fetched, s.wanted);
  check_manners(&s);
  text_free(&said);
  box_close(b);
}

/* A thread's stack takes 8 MB of addresses, so that not all of them have room at once: their names wait. A few may fail
 * all the same, if memory ends within getaddrinfo; without waiting it is over a hundred. */
CASE(names_wait_for_address_space)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  print_message("skipped: sanitizers need more address space\n");
  skip();
#endif
  char pages[SCRATCH_PATH];
  text log = {0};
  unsigned failed = 0;
  box *b = box_open("seed=5,hosts=300,pages=2,silent=0.5,mute=1");
  text said = in_its_own_net(b, "ulimit -v 700000\n$STRATA --timeout 1 $START");
  scratch_join(b->home, "crawl/pages.jsonl", pages);
  assert_true(text_add_file(&log, pages));
  assert_non_null(strstr(log.bytes, "\"error\":\"timeout\""));
  for (const char *at = log.bytes; (at = strstr(at, "\"error\":\"name\"")); at++)
    failed++;
  print_message("%u names failed\n", failed);
  assert_in_range(failed, 0, 20);
  text_free(&log);
  text_free(&said);
  box_close(b);
}
