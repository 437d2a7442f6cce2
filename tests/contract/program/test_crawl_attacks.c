/* Servers that send without end, all kinds of it at once over 64 connections: each such response ends by the limit that
 * it exceeds, which pages.jsonl names, memory stays bounded, and the good pages beside them are all fetched. */
#include "tests/site/pages.h"
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

enum { GOOD = 40, MEMORY_KB = 150 << 10 };

#define OK "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"
#define CLOSED "Connection: close\r\n\r\n"

/* The same again and again, 16 kB at a time. */
static void send_endless(int fd, const char *begin, const char *piece)
{
  text many = {0};
  while (many.size < 16384)
    text_add(&many, piece);
  raw_send_string(fd, begin);
  for (;;)
    raw_send(fd, many.bytes, many.size);
}

static void drip(int fd, const char *begin, const char *piece)
{
  raw_send_string(fd, begin);
  for (;; usleep(20000))
    raw_send_string(fd, piece);
}

static void gzip_bomb(int fd)
{
  static unsigned char zeros[1 << 20], packed[1 << 16];
  z_stream z = {.next_out = packed};
  deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  raw_send_string(fd, OK "Content-Encoding: gzip\r\n" CLOSED);
  for (;;) {
    z.next_in = zeros;
    z.avail_in = sizeof zeros;
    z.next_out = packed;
    z.avail_out = sizeof packed;
    deflate(&z, Z_NO_FLUSH);
    raw_send(fd, packed, sizeof packed - z.avail_out);
  }
}

/* Empty blocks: nothing comes of them. */
static void gzip_of_nothing(int fd)
{
  static const char head[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03", empty[] = "\0\0\0\xff\xff";
  text many = {0};
  raw_send_string(fd, OK "Content-Encoding: gzip\r\n" CLOSED);
  raw_send(fd, head, sizeof head - 1);
  while (many.size < 16000)
    text_add_bytes(&many, empty, sizeof empty - 1);
  for (;;)
    raw_send(fd, many.bytes, many.size);
}

static void zstd_bomb(int fd)
{
  enum { ZEROS = 64 << 20 };
  size_t room = ZSTD_compressBound(ZEROS);
  char *zeros = calloc(1, ZEROS), *packed = malloc(room);
  raw_send_string(fd, OK "Content-Encoding: zstd\r\n" CLOSED);
  if (zeros && packed)
    raw_send(fd, packed, ZSTD_compress(packed, room, zeros, ZEROS, 1));
  free(zeros);
  free(packed);
}

/* Twenty megabytes of zeros. */
static void brotli_bomb(int fd)
{
  static const char packed[] = "\xcf\xff\xff\x7f\xf8\x27\x00\xe2\xb1\x40\x20\xf7"
                               "\xfe\x3f\xff\x59\x62\xf0\x4f\x00\xc4\x61\x01\x80\x2e\x49\x0c";
  raw_send_string(fd, OK "Content-Encoding: br\r\n" CLOSED);
  raw_send(fd, packed, sizeof packed - 1);
}

/* As much as may be kept of a page's links, for as long as the page may take. */
static void send_long_links(int fd)
{
  char link[128];
  text page = {0};
  text_add(&page, SMALL_HTML);
  for (unsigned i = 0; page.size < 9500000; i++) {
    snprintf(link, sizeof link, "<a href=//elsewhere.invalid/%070u>", i);
    text_add(&page, link);
  }
  raw_send(fd, page.bytes, page.size);
  for (;; usleep(20000))
    raw_send_string(fd, " ");
}

typedef struct attack {
  const char *name;
  const char *reason; /* in pages.jsonl; NULL: it is a page, and truncated */
  const char *begin, *piece;
  void (*send)(int fd, const char *begin, const char *piece);
} attack;

#define TEN_TIMES(x) x x x x x x x x x x

static const attack attacks[] = {
  {"fields", "too many header fields", OK, "X: y\r\n", send_endless},
  {"long-fields", "too many bytes of header fields", OK,
   "X-Long: 0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
   "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
   "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
   "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\r\n",
   send_endless},
  {"line", "too long a header field", OK "X-Long: ", "longer and ", send_endless},
  {"folded", "too many header fields", OK "X-Fold: 1\r\n", " 2\r\n", send_endless},
  {"cookies", "too many cookies", OK, "Set-Cookie: a=b\r\n", send_endless},
  {"trailers", "too many trailers", CHUNKED "1\r\nx\r\n0\r\n", "X-Trailer: and another one\r\n", send_endless},
  {"trailer-line", "too long a header field", CHUNKED "1\r\nx\r\n0\r\nX-Trailer: ", "longer and ", send_endless},
  {"hints", "too many interim responses", "", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", send_endless},
  {"continue", "too many interim responses", "", "HTTP/1.1 100 Continue\r\n\r\n", send_endless},
  {"extension", "too many bytes for its body", CHUNKED "1;", "extension;", send_endless},
  {"extensions", "too many bytes for its body", CHUNKED, "1;" TEN_TIMES(TEN_TIMES("0123456789")) "\r\nx\r\n",
   send_endless}, /* so long that they are seen before there are enough of them for a body of --max-body */
  {"nothing", "too many bytes for its body", NULL, NULL, NULL},
  {"drip", NULL, OK CLOSED, "<p>", drip},
  {"drip-fields", "Timeout was reached", OK, "X: y\r\n", drip},
  {"body", NULL, OK CLOSED, "<p>and another thing</p>\n", send_endless},
  {"chunks", NULL, CHUNKED, "1\r\nx\r\n", send_endless},
  {"links", NULL, OK CLOSED, "<a href=/page-0>x</a>", send_endless},
  {"long-links", NULL, NULL, NULL, NULL},
  {"gzip", NULL, NULL, NULL, NULL},
  {"zstd", NULL, NULL, NULL, NULL},
  {"br", NULL, NULL, NULL, NULL},
};
enum { ATTACKS = sizeof attacks / sizeof *attacks, CONNECTIONS = 64 };

static const char *only; /* NULL: all */

/* Links beyond what a page may have, and redirects beyond what may be in a row. */
static void send_too_many(int fd)
{
  text page = {0};
  text_add(&page, SMALL_HTML "<a href=/chain/0>x</a>");
  for (unsigned i = 0; i < 100000; i++)
    text_add(&page, "<a href=/many>");
  raw_send(fd, page.bytes, page.size);
}

static void send_chain(int fd, const char *target)
{
  char answer[128];
  snprintf(answer, sizeof answer, "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /chain/%lu\r\n\r\n",
           strtoul(target + strlen("/chain/"), NULL, 10) + 1);
  raw_send_string(fd, answer);
}

static const attack *attack_of(const char *target)
{
  for (size_t i = 0; i < ATTACKS; i++) {
    size_t size = strlen(attacks[i].name);
    if (strncmp(target + 1, attacks[i].name, size) == 0 && target[1 + size] == '/')
      return &attacks[i];
  }
  return NULL;
}

static void send_index(int fd)
{
  raw_send_string(fd, OK CLOSED);
  for (unsigned i = 0; i < CONNECTIONS; i++) {
    const char *name = only ? only : attacks[i % ATTACKS].name;
    char link[80];
    snprintf(link, sizeof link, "<a href=/%s/%u>x</a>", name, i);
    raw_send_string(fd, link);
  }
  for (unsigned i = 0; i < GOOD; i++) {
    char link[80];
    snprintf(link, sizeof link, "<a href=/page-%u>x</a>", i);
    raw_send_string(fd, link);
  }
}

static void send_attack(int fd, const attack *a)
{
  if (a->send)
    a->send(fd, a->begin, a->piece);
  else if (strcmp(a->name, "gzip") == 0)
    gzip_bomb(fd);
  else if (strcmp(a->name, "br") == 0)
    brotli_bomb(fd);
  else if (strcmp(a->name, "long-links") == 0)
    send_long_links(fd);
  else if (strcmp(a->name, "zstd") == 0)
    zstd_bomb(fd);
  else if (strcmp(a->name, "nothing") == 0)
    gzip_of_nothing(fd);
}

/* robots.txt leads to rules whose head does not end. */
static void answer_with_rules(int fd, const char *target)
{
  if (strcmp(target, "/rules") == 0)
    send_endless(fd, OK, "X: y\r\n");
  raw_send_string(fd, "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /rules\r\n\r\n");
}

static void answer(int fd, const char *target)
{
  const attack *a = attack_of(target);
  if (a)
    send_attack(fd, a);
  else if (strcmp(target, "/") == 0)
    send_index(fd);
  else if (strcmp(target, "/many") == 0)
    send_too_many(fd);
  else if (strncmp(target, "/chain/", 7) == 0)
    send_chain(fd, target);
  else if (strncmp(target, "/page-", 6) == 0)
    raw_send_string(fd, SMALL_LEAF);
  else
    raw_send_string(fd, "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

/* ---- what the crawl made of it --------------------------------------------------------------------------- */

/* What is wrong with this line; NULL: nothing. */
static const char *fault_of(const attack *a, const json_t *line)
{
  const char *reason = json_string_value(json_object_get(line, "reason"));
  if (!a)
    return reason ? reason : json_integer_value(json_object_get(line, "status")) == 200 ? NULL : "no page";
  if (!a->reason)
    return reason ? reason : json_is_true(json_object_get(line, "truncated")) ? NULL : "it is not cut";
  return !reason ? "it ended well" : strcmp(reason, a->reason) == 0 ? NULL : reason;
}

static unsigned count_faults(const page_log *log)
{
  unsigned faults = 0;
  for (size_t i = 0; i < pages_count(log); i++) {
    const char *target = strchr(pages_url(log, i) + strlen("http://"), '/');
    const attack *a = attack_of(target);
    const char *fault = fault_of(a, json_array_get(log->list, i));
    if (fault)
      print_error("%s: %s, not %s\n", target, fault, !a ? "a good page" : a->reason ? a->reason : "a page cut off");
    faults += fault != NULL;
  }
  return faults;
}

static small served;

static int clean_up(void **state)
{
  (void)state;
  small_close(&served);
  return 0;
}

/* All kinds, or 64 of one; the log of their crawl. `seconds`: its --timeout. */
static page_log crawl_among(const char *kind, const char *max_body, const char *seconds)
{
  only = kind;
  served = small_open_with(answer);
  trial *t = served.trial;
  char *cookies = trial_path(t, "cookies.txt");
  fclose(fopen(cookies, "w"));
  const char *const words[] = {
    "crawl",     "--dir",         "DIR", "--delay", "0", "--allow-private", "--per-host", "64",         "--per-address",
    "0",         "--connections", "64",  "--tries", "1", "--timeout",       seconds,      "--max-body", max_body,
    "--cookies", cookies,         "URL", NULL};
  assert_int_equal(small_strata(&served, words, 0), 0);
  const struct rusage *used = &t->end.usage;
  double cpu = (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
               (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6;
  print_message("%.1f MB, %.1f s of CPU time\n%s", (double)used->ru_maxrss / 1024, cpu, t->err.bytes);
#ifndef __SANITIZE_ADDRESS__
  assert_true(used->ru_maxrss < MEMORY_KB);
#endif
  free(cookies);
  page_log log = pages_read(t->pages);
  assert_int_equal(log.bad, 0);
  assert_int_equal(pages_count(&log), 1 + CONNECTIONS + GOOD);
  return log;
}

static bool is_timeout(const json_t *line)
{
  const char *reason = json_string_value(json_object_get(line, "reason")),
             *limit = json_string_value(json_object_get(line, "limit"));
  return (reason && strcmp(reason, "Timeout was reached") == 0) || (limit && strcmp(limit, "timeout") == 0);
}

/* What was to end by its limit, and ended by its time. */
static unsigned count_late(const page_log *log)
{
  unsigned late = 0;
  for (size_t i = 0; i < pages_count(log); i++) {
    const attack *a = attack_of(strchr(pages_url(log, i) + strlen("http://"), '/'));
    late += is_timeout(json_array_get(log->list, i)) && !(a && a->send == drip);
  }
  return late;
}

/* Only what drips is to need all of its time. Where the machine is too busy for that, there is more of it. */
CASE(all_at_once)
{
  static const char *const seconds[] = {"5", "20", "80"};
  (void)state;
  unsigned late = 1;
  for (size_t i = 0; i < sizeof seconds / sizeof *seconds && late; i++) {
    if (i)
      small_close(&served);
    page_log log = crawl_among(getenv("STRATA_ATTACK"), "1000000", seconds[i]); /* by hand: one kind, 64 times */
    late = count_late(&log);
    if (!late)
      assert_int_equal(count_faults(&log), 0);
    pages_free(&log);
  }
  assert_int_equal(late, 0);
}

/* 64 pages at once, of which all links are kept until their time is over. */
CASE(many_links_at_once)
{
  static const char *const seconds[] = {"5", "20", "80"}; /* as above */
  unsigned timeouts = 0, faults = 1;
  (void)state;
  for (size_t nth = 0; nth < sizeof seconds / sizeof *seconds && faults; nth++) {
    if (nth)
      small_close(&served);
    page_log log = crawl_among("long-links", "10000000", seconds[nth]);
    timeouts = faults = 0;
    for (size_t i = 0; i < pages_count(&log); i++) {
      const json_t *line = json_array_get(log.list, i);
      bool is_attack = strstr(pages_url(&log, i), "/long-links/");
      timeouts += is_attack && is_timeout(line);
      faults += !is_attack && json_object_get(line, "error");
    }
    pages_free(&log);
  }
  assert_int_equal(timeouts, CONNECTIONS);
  assert_int_equal(faults, 0);
}

static void assert_limit(const page_log *log, const char *target, const char *limit)
{
  for (size_t i = 0; i < pages_count(log); i++)
    if (strcmp(strchr(pages_url(log, i) + strlen("http://"), '/'), target) == 0) {
      const char *found = json_string_value(json_object_get(json_array_get(log->list, i), "limit"));
      assert_string_equal(found ? found : "", limit);
      return;
    }
  fail_msg("%s was not fetched", target);
}

CASE(what_is_left_out_is_named)
{
  char start[64];
  served = small_open_with(answer);
  snprintf(start, sizeof start, "http://127.0.0.1:%u/many", small_port);
  const char *const words[] = {"crawl",           "--dir",           "DIR", "--delay", "0",
                               "--allow-private", "--ignore-robots", start, NULL};
  assert_int_equal(small_strata(&served, words, 0), 0);
  page_log log = pages_read(served.trial->pages);
  assert_limit(&log, "/many", "too many links");
  assert_limit(&log, "/chain/19", "");
  assert_limit(&log, "/chain/20", "too many redirects");
  assert_int_equal(pages_count(&log), 22);
  pages_free(&log);
}

/* With a delay, as the two requests then have turns of their own. */
CASE(rules_without_end)
{
  served = small_open_with(answer_with_rules);
  const char *const words[] = {"crawl", "--dir", "DIR", "--delay", "0.1", "--allow-private", "URL", NULL};
  assert_int_not_equal(trial_strata(served.trial, words), 0);
  page_log log = pages_read(served.trial->pages);
  assert_int_equal(pages_count(&log), 1);
  const json_t *line = json_array_get(log.list, 0);
  assert_string_equal(json_string_value(json_object_get(line, "robots")), "unreachable");
  assert_string_equal(json_string_value(json_object_get(line, "error")), "limit");
  assert_string_equal(json_string_value(json_object_get(line, "reason")), "too many header fields");
  pages_free(&log);
}

EACH_CASE(NULL, clean_up)
