/* pages.jsonl holds what PAGES.md documents: in every kind of outcome each field is there exactly when the table says
 * so, with the type it says, and no other field is. */
#include "tests/site/pages.h"
#include "tests/site/raw.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the documented fields --------------------------------------------------------------------------------- */

enum { FIELDS_MAX = 64 };

typedef struct field {
  char name[32], type[16], when[16];
} field;

static field fields[FIELDS_MAX];
static size_t field_count;

/* The rows of the table: | `name` | type | when | meaning | */
static void read_fields(void)
{
  text file = {0};
  assert_true(text_add_file(&file, TESTS_DIR "/../crawler/loop/PAGES.md"));
  char *rest = file.bytes;
  field_count = 0;
  for (char *line; (line = strsep(&rest, "\n"));) {
    assert_true(field_count < FIELDS_MAX);
    field *f = &fields[field_count];
    field_count += sscanf(line, "| `%31[^`]` | %15[^ ] | %15[^ ] |", f->name, f->type, f->when) == 3;
  }
  assert_true(field_count > 20);
  text_free(&file);
}

static bool is_type(const json_t *value, const char *type)
{
  return strcmp(type, "integer") == 0  ? json_is_integer(value) && json_integer_value(value) >= 0
         : strcmp(type, "real") == 0   ? json_is_real(value) && json_real_value(value) >= 0
         : strcmp(type, "string") == 0 ? json_is_string(value)
         : strcmp(type, "true") == 0   ? json_is_true(value)
                                       : false;
}

static const char *string_of(const json_t *line, const char *name)
{
  const char *value = json_string_value(json_object_get(line, name));
  return value ? value : "";
}

static bool is_audit; /* of the lines that are looked at */

/* Does the condition hold for this line? Said from other fields than the one in question. */
static bool holds(const json_t *line, const char *when, const char *name)
{
  const char *robots = string_of(line, "robots");
  bool requested = strcmp(robots, "allowed") == 0 || strcmp(robots, "ignored") == 0;
  bool answered = json_object_get(line, strcmp(name, "status") == 0 ? "links" : "status");
  if (strcmp(when, "always") == 0)
    return true;
  if (strcmp(when, "requested") == 0)
    return requested;
  if (strcmp(when, "answered") == 0)
    return answered;
  if (strcmp(when, "unanswered") == 0)
    return !answered;
  if (strcmp(when, "body") == 0)
    return answered && json_integer_value(json_object_get(line, "body_bytes")) > 0;
  if (strcmp(when, "redirect") == 0)
    return json_integer_value(json_object_get(line, "status")) / 100 == 3;
  if (strcmp(when, "truncated") == 0 || strcmp(when, "limited") == 0)
    return strstr(string_of(line, "url"), "/endless") || strstr(string_of(line, "url"), "/half");
  if (strcmp(when, "sitemap") == 0)
    return strstr(string_of(line, "url"), "/map.xml") != NULL;
  if (strcmp(when, "sniffed") == 0)
    return holds(line, "body", name) && !*string_of(line, "type") &&
           json_integer_value(json_object_get(line, "status")) / 100 == 2;
  if (strcmp(when, "near") == 0) /* generated pages may be alike, too */
    return strstr(string_of(line, "url"), "/copy") || json_object_get(line, name);
  if (strcmp(when, "asked") == 0) /* generated pages may ask as well */
    return strstr(string_of(line, "url"), "/asks") || json_object_get(line, name);
  if (strcmp(when, "redirected") == 0)
    return strstr(string_of(line, "url"), "/target") || json_object_get(line, name);
  if (strcmp(when, "audited") == 0)
    return is_audit && json_object_get(line, name);
  fail_msg("PAGES.md: nobody knows when \"%s\" is", when);
  return false;
}

static void assert_documented(const json_t *line)
{
  size_t there = 0;
  for (size_t i = 0; i < field_count; i++) {
    const json_t *value = json_object_get(line, fields[i].name);
    bool expected = holds(line, fields[i].when, fields[i].name);
    if ((value != NULL) != expected || (value && !is_type(value, fields[i].type)))
      fail_msg("%s: \"%s\" should be %s", string_of(line, "url"), fields[i].name, expected ? fields[i].type : "absent");
    there += value != NULL;
  }
  assert_int_equal(there, json_object_size(line)); /* no field that nobody documented */
}

/* ---- the server ----------------------------------------------------------------------------------------------- */

#define OK "HTTP/1.1 200 OK\r\nConnection: close\r\n"

static void endless(int fd)
{
  raw_send_string(fd, OK "Content-Type: text/plain\r\n\r\n");
  for (;;)
    raw_send_string(fd, "again and again ");
}

static void answer(int fd, const char *target)
{
  static const char zipped[] = /* "zip", 17 times: by `gzip -n` */
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xca\x2c\xa8\x22\x11\x01\x00\x0e\xf0\x0e\xb1\x33\x00\x00\x00";
  if (strcmp(target, "/robots.txt") == 0)
    raw_send_string(fd, OK "\r\nUser-agent: *\nDisallow: /denied\nSitemap: /map.xml\n");
  else if (strcmp(target, "/") == 0)
    raw_send_string(fd, OK "Content-Type: text/html; charset=\"Windows-1252\"\r\n\r\n<a href=/moved>1<a href=/moved>2"
                           "<a href=/missing>3<a href=/denied/a>4<a href=/silent>5<a href=/half>6<a href=/bad-zip>7"
                           "<a href=/endless>8<a href=/zip>9<a href=/empty>10<a href=/asks>11"
                           "<a href=http://elsewhere.invalid/>12");
  else if (strcmp(target, "/map.xml") == 0)
    raw_send_string(fd, OK "Content-Type: text/xml\r\n\r\n<urlset><url><loc>/</loc></url></urlset>");
  else if (strcmp(target, "/moved") == 0)
    raw_send_string(fd, "HTTP/1.1 301 Gone there\r\nLocation: /target#x\r\nContent-Length: 0\r\n\r\n");
  else if (strcmp(target, "/asks") == 0)
    raw_send_string(fd, OK "Content-Type: text/html\r\nX-Robots-Tag: none\r\n\r\n<link rel=canonical href=/better>");
  else if (strcmp(target, "/target") == 0)
    raw_send_string(fd, OK "\r\nabc");
  else if (strcmp(target, "/silent") == 0)
    pause();
  else if (strcmp(target, "/half") == 0)
    raw_send_string(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  else if (strcmp(target, "/bad-zip") == 0)
    raw_send_string(fd, OK "Content-Encoding: gzip\r\n\r\nno gzip at all");
  else if (strcmp(target, "/endless") == 0)
    endless(fd);
  else if (strcmp(target, "/empty") == 0)
    raw_send_string(fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  else if (strcmp(target, "/zip") == 0) {
    raw_send_string(fd, OK "Content-Encoding: gzip\r\n\r\n");
    raw_send(fd, zipped, sizeof zipped - 1);
  } else
    raw_send_string(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone");
}

static void unwilling(int fd, const char *target)
{
  (void)target;
  raw_send_string(fd, "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n");
}

/* ---- what is expected ------------------------------------------------------------------------------------------ */

/* by sha256sum */
#define HASH_OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define HASH_OF_GONE "283bb9deef02e6843abfb538efa1eca70801bd8a701c3f98191e123496339247"

static const struct row {
  const char *target, *members; /* of its line */
} rows[] = {
  {"/", "{'id':1,'depth':0,'via':0,'verdict':'new-host','layer':1,'outcome':'done','robots':'allowed','status':200,"
        "'charset':'windows-1252','type':'text/html; charset=\"Windows-1252\"','links':12,'new':10}"},
  {"/asks", "{'outcome':'done','status':200,'canonical':'http://127.0.0.1:PORT/better','links':1,'new':0}"},
  {"/moved", "{'depth':1,'via':1,'verdict':'new-segment','layer':2,'outcome':'done','status':301,"
             "'redirect':'http://127.0.0.1:PORT/target','links':1,"
             "'new':1,'body_bytes':0}"},
  {"/target",
   "{'depth':1,'via':5,'outcome':'done','status':200,'type':'','sniffed':'text/plain','charset':'','wire_bytes':3,"
   "'body_bytes':3,'sha256':'" HASH_OF_ABC "','links':0,'new':0}"},
  {"/missing", "{'outcome':'failed','robots':'allowed','status':404,'body_bytes':4,'sha256':'" HASH_OF_GONE "'}"},
  {"/map.xml", "{'outcome':'done','sitemap':true,'status':200,'depth':0,'links':1,'new':0}"},
  {"/silent", "{'outcome':'failed','robots':'allowed','error':'timeout'}"},
  {"/half", "{'outcome':'done','status':200,'body_bytes':4,'limit':'disconnected'}"},
  {"/bad-zip", "{'outcome':'failed','error':'encoding'}"},
  {"/endless", "{'outcome':'done','status':200,'body_bytes':1000,'type':'text/plain',"
               "'limit':'too many decoded bytes'}"},
  {"/empty", "{'outcome':'done','status':200,'body_bytes':0,'links':0}"},
  {"/zip", "{'outcome':'done','status':200,'wire_bytes':26,'body_bytes':51,"
           "'sha256':'a7af1f83e31e56c15e0e154a876a4768304d0bb9a988b904af9df87759d4bf52'}"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static trial *served;
static pid_t servers[2];

static int clean_up(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
    process_kill(servers[i]);
    servers[i] = 0;
  }
  trial_close(served);
  served = NULL;
  return 0;
}

static char *url_at(unsigned port)
{
  text address = {0};
  text_addf(&address, "http://127.0.0.1:%u/", port);
  return address.bytes;
}

static json_t *members_of(const char *members, unsigned port)
{
  char number[8];
  text source = {0};
  snprintf(number, sizeof number, "%u", port);
  for (const char *at = members; *at; at++)
    if (strncmp(at, "PORT", 4) == 0) {
      text_add(&source, number);
      at += 3;
    } else {
      text_addf(&source, "%s%c", *at == '"' ? "\\" : "", *at == '\'' ? '"' : *at);
    }
  json_t *object = json_loads(source.bytes, 0, NULL);
  assert_non_null(object);
  text_free(&source);
  return object;
}

static const json_t *line_of(const page_log *log, const char *address)
{
  for (size_t i = 0; i < pages_count(log); i++)
    if (strcmp(pages_url(log, i), address) == 0)
      return json_array_get(log->list, i);
  fail_msg("%s is not in pages.jsonl", address);
  return NULL;
}

static void assert_members(const page_log *log, const char *address, json_t *members)
{
  const json_t *line = line_of(log, address);
  const char *name;
  json_t *value;
  json_object_foreach(members, name, value) if (!json_equal(value, json_object_get(line, name)))
  {
    char *got = json_dumps(line, 0);
    print_error("%s\n", got);
    free(got);
    fail_msg("%s: \"%s\" is not as expected", address, name);
  }
  json_decref(members);
}

static void assert_all_documented(const page_log *log)
{
  assert_int_equal(log->bad, 0);
  for (size_t i = 0; i < pages_count(log); i++)
    assert_documented(json_array_get(log->list, i));
}

CASE(every_outcome)
{
  unsigned port, unwilling_port;
  trial *t = served = trial_open(&(trial_options){.entries = 1}); /* for its directory */
  servers[0] = raw_start(answer, &port);
  servers[1] = raw_start(unwilling, &unwilling_port);
  char *address = url_at(port), *unwilling_url = url_at(unwilling_port);
  const char *const words[] = {"crawl",
                               "--dir",
                               "DIR",
                               "--delay",
                               "0",
                               "--allow-private",
                               "--per-host",
                               "8",
                               "--timeout",
                               "1",
                               "--tries",
                               "1",
                               "--max-body",
                               "1000",
                               address,
                               unwilling_url,
                               "http://127.0.0.1:1/",
                               NULL};
  assert_int_equal(trial_strata(t, words), 0);
  page_log log = pages_read(t->pages);
  assert_all_documented(&log);
  assert_int_equal(pages_count(&log), ROWS + 1); /* not /denied/a, and nothing of the unwilling server */
  for (size_t i = 0; i < ROWS; i++) {
    text one = {0};
    text_addf(&one, "http://127.0.0.1:%u%s", port, rows[i].target);
    assert_members(&log, one.bytes, members_of(rows[i].members, port));
    assert_string_equal(string_of(line_of(&log, one.bytes), "key"), one.bytes);
    text_free(&one);
  }
  assert_members(&log, "http://127.0.0.1:1/",
                 members_of("{'outcome':'failed','robots':'unreachable','error':'connect','seconds':0.0}", port));
  pages_free(&log);
  free(address);
  free(unwilling_url);
}

/* The same machine without --allow-private, where robots.txt is not even asked for: the URL waits, and has no line. */
CASE(a_private_address)
{
  unsigned port;
  trial *t = served = trial_open(&(trial_options){.entries = 1});
  servers[0] = raw_start(answer, &port);
  char *address = url_at(port);
  const char *const words[] = {"crawl",           "--dir",   "DIR", "--delay", "0",
                               "--ignore-robots", "--tries", "1",   address,   NULL};
  assert_int_equal(trial_strata(t, words), 1);
  page_log log = pages_read(t->pages);
  assert_int_equal(pages_count(&log), 0);
  pages_free(&log);
  free(address);
}

static void to_be_audited(int fd, const char *target)
{
  if (strcmp(target, "/") == 0)
    raw_send_string(fd, OK "Content-Type: text/html\r\n\r\n<title>a</title><a href=/round>1<img src=/image.png>");
  else if (strcmp(target, "/round") == 0)
    raw_send_string(fd, "HTTP/1.1 301 Again\r\nLocation: /round\r\nContent-Length: 0\r\n\r\n");
  else
    raw_send_string(fd, "HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n");
}

CASE(an_audit)
{
  unsigned port;
  trial *t = served = trial_open(&(trial_options){.entries = 1});
  servers[0] = raw_start(to_be_audited, &port);
  char *address = url_at(port);
  text round = {0}, image = {0};
  text_addf(&round, "%sround", address);
  text_addf(&image, "%simage.png", address);
  assert_int_equal(trial_strata(t, (const char *const[]){"audit", "--dir", "DIR", "--delay", "0", "--allow-private",
                                                         address, NULL}),
                   4);
  page_log log = pages_read(t->pages);
  is_audit = true;
  assert_all_documented(&log);
  is_audit = false;
  assert_members(&log, address, members_of("{'title':'a','links':2,'new':1}", port));
  assert_members(&log, round.bytes, members_of("{'loop':true,'status':301}", port));
  /* tries: HEAD, and GET */
  assert_members(&log, image.bytes, members_of("{'check':true,'status':404,'outcome':'failed','tries':2}", port));
  pages_free(&log);
  text_free(&round);
  text_free(&image);
  free(address);
}

/* The start page, and what it leads to: the same but for its end, as plain text, and something else. */
static void says_it_again(int fd, const char *target)
{
  bool is_copy = strcmp(target, "/copy") == 0;
  text body = {0};
  for (int i = 0; i < 100; i++)
    text_addf(&body, "On page %d anyone may read about %d things. ", i, i * i);
  if (strcmp(target, "/") != 0 && !is_copy)
    raw_send_string(fd, OK "Content-Type: text/html\r\n\r\nSomething else.");
  else
    raw_send_string(fd, is_copy ? OK "Content-Type: text/plain\r\n\r\nCopied. "
                                : OK "Content-Type: text/html\r\n\r\n<a href=/copy>Copy</a> <a href=/other></a>");
  if (strcmp(target, "/") == 0 || is_copy)
    raw_send_string(fd, body.bytes);
  text_free(&body);
}

CASE(near_duplicates)
{
  unsigned port;
  trial *t = served = trial_open(&(trial_options){.entries = 1});
  servers[0] = raw_start(says_it_again, &port);
  char *address = url_at(port);
  text copy = {0};
  text_addf(&copy, "%scopy", address);
  const char *const words[] = {"crawl",           "--dir",           "DIR",   "--delay", "0",
                               "--ignore-robots", "--allow-private", address, NULL};
  assert_int_equal(trial_strata(t, words), 0);
  page_log log = pages_read(t->pages);
  assert_all_documented(&log);
  assert_int_equal(pages_count(&log), 3);
  assert_members(&log, copy.bytes, members_of("{'near':'http://127.0.0.1:PORT/'}", port));
  assert_true(json_real_value(json_object_get(line_of(&log, copy.bytes), "near_share")) >= 0.9);
  pages_free(&log);
  text_free(&copy);
  free(address);
}

/* Times follow each other, and agree with the clock on the wall. */
CASE(times_make_sense)
{
  trial *t = served = trial_open(&(trial_options){.seed = 5, .entries = 40, .latency_ms = 20});
  const char *const words[] = {"crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "URL", NULL};
  long long before_ms = (long long)time(NULL) * 1000, last_ms = 0;
  assert_int_equal(trial_strata(t, words), 0);
  page_log log = pages_read(t->pages);
  assert_all_documented(&log);
  for (size_t i = 0; i < pages_count(&log); i++) {
    const json_t *line = json_array_get(log.list, i);
    long long start_ms = pages_number(&log, i, "start_ms");
    double connect = json_real_value(json_object_get(line, "connect_ms"));
    double first = json_real_value(json_object_get(line, "first_byte_ms"));
    double all = 1000 * json_real_value(json_object_get(line, "seconds"));
    assert_true(start_ms >= before_ms && start_ms >= last_ms && start_ms < before_ms + 1000 * PROCESS_SECONDS_MAX);
    assert_true(connect <= first && first <= all && first >= 19);
    last_ms = start_ms;
  }
  pages_free(&log);
}

static int prepare(void **state)
{
  (void)state;
  read_fields();
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(NULL, clean_up)
