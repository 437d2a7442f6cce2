/* The fetcher alone, on its caller's thread and with one of its own, against a server that sends what each row says:
 * what it reports, many at once, and what is left when it goes in the midst of work. */
#include "crawler/http/fetch.h"
#include "tests/site/process.h"
#include "frontier/base/machine.h"
#include "tests/site/raw.h"
#include "tests/site/grown_text.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OK "HTTP/1.1 200 OK\r\nConnection: close\r\n"

static const struct row {
  const char *target, *bytes;
  fetch_error error;
  long status;
  const char *type, *location, *body;
  uint64_t retry_after_s;
  fetch_cut truncated;
} rows[] = {
  {"/plain", OK "Content-Type: text/plain\r\n\r\nhello", FETCH_OK, 200, "text/plain", "", "hello", 0, FETCH_WHOLE},
  {"/nothing", OK "\r\n", FETCH_OK, 200, "", "", "", 0, FETCH_WHOLE},
  {"/moved", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", FETCH_OK, 302, "", "/x", "", 0,
   FETCH_WHOLE},
  {"/busy", "HTTP/1.1 503 No\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno", FETCH_OK, 503, "", "", "no", 7,
   FETCH_WHOLE},
  {"/chunks", OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", FETCH_OK, 200, "", "", "abcde",
   0, FETCH_WHOLE},
  {"/long", OK "\r\n0123456789ABCDEF", FETCH_OK, 200, "", "", "0123456789", 0, FETCH_CUT_LENGTH}, /* max_body is 10 */
  {"/half", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", FETCH_BROKEN, 200, NULL, NULL, "half", 0,
   FETCH_CUT_DISCONNECT},
  {"/half-chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf", FETCH_BROKEN, 200, NULL, NULL,
   "half", 0, FETCH_CUT_DISCONNECT},
  {"/no-half", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", FETCH_BROKEN, 200, NULL, NULL, "", 0, FETCH_WHOLE},
  {"/moved-half", "HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 9\r\n\r\nhalf", FETCH_OK, 301, "", "/x",
   "half", 0, FETCH_CUT_DISCONNECT},
  {"/moved-badly", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nno gzip",
   FETCH_OK, 302, "", "/x", "", 0, FETCH_CUT_CODING},
  {"/gone-half", "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngone\r\nZZ\r\n", FETCH_OK, 404, "", "",
   "gone", 0, FETCH_CUT_DISCONNECT},
  {"/hint-alone", "HTTP/1.1 103 Early Hints\r\nLocation: /x\r\n\r\n", FETCH_BROKEN, 103, NULL, NULL, "", 0,
   FETCH_WHOLE},
  {"/unknown-coding", OK "Content-Encoding: gzip, utf-8\r\n\r\nplain", FETCH_OK, 200, "", "", "plain", 0, FETCH_WHOLE},
  {"/codings", OK "Content-Encoding: gzip, gzip, br, gzip, gzip, gzip\r\n\r\nx", FETCH_LIMIT, 200, NULL, NULL, "", 0,
   FETCH_WHOLE},
  {"/bad-zip", OK "Content-Encoding: gzip\r\n\r\nno gzip", FETCH_ENCODING, 200, NULL, NULL, "", 0, FETCH_WHOLE},
  {"/no-status", "HTTP/200 OK\r\nContent-Length: 4\r\n\r\nbody", FETCH_BROKEN, 0, NULL, NULL, "", 0, FETCH_WHOLE},
  {"/no-status-no-body", "HTTP/200 OK\r\nContent-Length: 0\r\n\r\n", FETCH_BROKEN, 0, NULL, NULL, "", 0, FETCH_WHOLE},
  {"/no-version", "HTTP/oops\r\nContent-Length: 4\r\n\r\nbody", FETCH_BROKEN, 200, NULL, NULL, "", 0, FETCH_WHOLE},
  {"/other-status", "HTTP/9 404 No\r\nContent-Length: 4\r\n\r\nbody", FETCH_BROKEN, 200, NULL, NULL, "", 0,
   FETCH_WHOLE},
  {"/blanks", "HTTP/1.1  404 No\r\nContent-Length: 2\r\n\r\nno", FETCH_OK, 404, "", "", "no", 0, FETCH_WHOLE},
  {"/closed", "", FETCH_BROKEN, 0, NULL, NULL, "", 0, FETCH_WHOLE},
  {"/silent", NULL, FETCH_TIMEOUT, 0, NULL, NULL, "", 0, FETCH_WHOLE},
};
/* The first line of its head goes on with one that is not there. */
static const struct row folded = {
  "/folded",    "HTTP/1.1 200 OK\r\n\tContent-Type: text/html\r\n more\r\nContent-Length: 2\r\n\r\nhi",
  FETCH_BROKEN, 0,
  NULL,         NULL,
  "",           0,
  FETCH_WHOLE};
static const struct row slow = {"/slow", OK "\r\nat last", FETCH_OK, 200, "", "", "at last", 0, FETCH_WHOLE};
enum { ROWS = sizeof rows / sizeof *rows, LARGE = 1 << 20, SLOW_MS = 1200 };

/* More than may wait between two threads, if many are asked for at once. */
static void send_large(int fd)
{
  static char bytes[LARGE];
  for (size_t i = 0; i < LARGE; i++)
    bytes[i] = (char)(i * i >> 7);
  raw_send_string(fd, OK "Content-Type: image/x\r\n\r\n");
  raw_send(fd, bytes, LARGE);
}

static void answer(int fd, const char *target)
{
  if (strcmp(target, "/large") == 0)
    send_large(fd);
  if (strcmp(target, folded.target) == 0)
    raw_send_string(fd, folded.bytes);
  if (strcmp(target, slow.target) == 0) {
    usleep(SLOW_MS * 1000);
    raw_send_string(fd, slow.bytes);
  }
  for (size_t i = 0; i < ROWS; i++)
    if (strcmp(rows[i].target, target) == 0 && rows[i].bytes)
      raw_send_string(fd, rows[i].bytes);
    else if (strcmp(rows[i].target, target) == 0)
      pause();
}

typedef struct landing {
  const struct row *row;
  text body;
  unsigned finished;
} landing;

static void take_body(void *context, const fetch_response *response, const char *bytes, size_t size)
{
  landing *l = context;
  assert_int_equal(response->status, l->row->status);
  text_add_bytes(&l->body, bytes, size);
}

static void finish(void *context, const fetch_response *response)
{
  landing *l = context;
  const struct row *row = l->row;
  l->finished++;
  if (response->error != row->error)
    fail_msg("%s: %s (%s)", row->target, fetch_error_name(response->error), response->explanation);
  assert_int_equal(response->truncated, row->truncated);
  assert_string_equal(l->body.bytes ? l->body.bytes : "", row->body);
  assert_int_equal(response->body_bytes, strlen(row->body));
  assert_true(response->seconds > 0 && response->start_ms > 0);
  assert_true(row->error == FETCH_OK || strlen(response->explanation) > 10);
  if (row->error != FETCH_OK)
    return;
  assert_int_equal(response->status, row->status);
  assert_string_equal(response->content_type, row->type);
  assert_string_equal(response->location, row->location);
  assert_int_equal(response->retry_after_s, row->retry_after_s);
  assert_string_equal(response->address, "127.0.0.1");
  assert_null(response->exchange); /* nobody asked for it */
}

static pid_t server;
static unsigned port;

/* Each case runs twice: its state says whether the fetcher may have a thread. */
static const bool alone = false, beside = true;

static int serve(void **state)
{
  (void)state;
  server = raw_start(answer, &port);
  return 0;
}

static int stop(void **state)
{
  (void)state;
  process_kill(server);
  return 0;
}

enum { SOON_MS = 1000, LATE_MS = 60000 };

static fetcher *make_fetcher(void **state, bool allow_private, long timeout_ms)
{
  const fetch_options options = {.user_agent = "test",
                                 .connections = ROWS,
                                 .timeout_ms = timeout_ms,
                                 .max_body = 10,
                                 .allow_private = allow_private,
                                 .has_thread = *(const bool *)*state};
  fetcher *f = fetcher_create(&options);
  assert_non_null(f);
  return f;
}

static void start(fetcher *f, landing *l)
{
  text address = {0};
  text_addf(&address, "http://127.0.0.1:%u%s", port, l->row->target);
  assert_true(fetch_start(f, address.bytes, (fetch_receiver){.body = take_body, .finished = finish, .context = l}));
  text_free(&address);
}

/* A case with its body read by the thread of the fetches, and by one beside it. */
static int serve_alone(void **state)
{
  *state = (void *)(uintptr_t)&alone;
  return serve(state);
}

static int serve_beside(void **state)
{
  *state = (void *)(uintptr_t)&beside;
  return serve(state);
}

#define TWICE(test)                            \
  static void test(void **state);              \
  CASE_WITH(test##_alone, serve_alone, stop)   \
  {                                            \
    test(state);                               \
  }                                            \
  CASE_WITH(test##_beside, serve_beside, stop) \
  {                                            \
    test(state);                               \
  }                                            \
  static void test(void **state)

/* The silent row alone is waited for in vain: on a busy machine the others may take longer than it may. */
TWICE(all_rows_at_once)
{
  enum { SILENT = ROWS - 1 };
  landing landings[ROWS] = {0};
  fetcher *f = make_fetcher(state, true, LATE_MS), *hasty = make_fetcher(state, true, SOON_MS);
  for (size_t i = 0; i < ROWS; i++) {
    landings[i].row = &rows[i];
    start(i == SILENT ? hasty : f, &landings[i]);
  }
  assert_int_equal(fetch_active(f) + fetch_active(hasty), ROWS);
  while (fetch_active(f))
    fetch_poll(f, 100);
  while (fetch_active(hasty))
    fetch_poll(hasty, 100);
  fetcher_free(hasty);
  for (size_t i = 0; i < ROWS; i++) {
    assert_int_equal(landings[i].finished, 1);
    text_free(&landings[i].body);
  }
  fetcher_free(f);
}

/* libcurl before 8.1.0 freed memory twice there, on a handle that had another response before. */
TWICE(a_folded_line_before_any_field)
{
  fetcher *f = make_fetcher(state, true, LATE_MS);
  for (unsigned i = 0; i < 4; i++) {
    landing l = {.row = i % 2 ? &folded : &rows[0]};
    start(f, &l);
    while (fetch_active(f))
      fetch_poll(f, 100);
    assert_int_equal(l.finished, 1);
    text_free(&l.body);
  }
  fetcher_free(f);
}

TWICE(a_private_address)
{
  static const struct row refused = {"/plain", NULL, FETCH_PRIVATE, 0, NULL, NULL, "", 0, FETCH_WHOLE};
  landing l = {.row = &refused};
  fetcher *f = make_fetcher(state, false, LATE_MS);
  start(f, &l);
  while (fetch_active(f))
    fetch_poll(f, 100);
  assert_int_equal(l.finished, 1);
  fetcher_free(f);
}

/* What is under way is dropped, and nobody is called any more. */
TWICE(freed_in_the_midst)
{
  landing landings[ROWS] = {0};
  fetcher *f = make_fetcher(state, true, LATE_MS);
  for (size_t i = 0; i < ROWS; i++) {
    landings[i].row = &rows[ROWS - 1]; /* the silent one */
    start(f, &landings[i]);
  }
  fetch_poll(f, 10);
  fetcher_free(f);
  for (size_t i = 0; i < ROWS; i++)
    assert_int_equal(landings[i].finished, 0);
  fetcher_free(NULL);
}

typedef struct tally {
  size_t received;
  unsigned finished, wrong;
} tally;

static void check_large(void *context, const fetch_response *response, const char *bytes, size_t size)
{
  tally *seen = context;
  assert_int_equal(response->status, 200);
  assert_string_equal(response->content_type, "image/x");
  for (size_t i = seen->received; i < seen->received + size; i++)
    seen->wrong += *bytes++ != (char)(i * i >> 7);
  seen->received += size;
}

static void count_finished(void *context, const fetch_response *response)
{
  tally *seen = context;
  assert_int_equal(response->error, FETCH_OK);
  assert_int_equal(response->body_bytes, LARGE);
  const char *type = fetch_header(response, "content-TYPE", NULL);
  assert_string_equal(type, "image/x");
  assert_null(fetch_header(response, "Content-Type", type));
  assert_null(fetch_header(response, "Link", NULL));
  seen->finished++;
}

/* A caller that takes its time gets every byte all the same, and a fetcher that goes meanwhile does not wait for it. */
TWICE(more_than_is_taken)
{
  tally seen[ROWS] = {0};
  fetcher *f = make_fetcher(state, true, LATE_MS);
  text address = {0};
  text_addf(&address, "http://127.0.0.1:%u/large", port);
  const fetch_receiver receiver = {.body = check_large, .finished = count_finished, .max_body = LARGE};
  for (size_t i = 0; i < ROWS; i++) {
    fetch_receiver mine = receiver;
    mine.context = &seen[i];
    assert_true(fetch_start(f, address.bytes, mine));
  }
  fetch_poll(f, 0);
  usleep(200000);
  while (seen[0].finished + seen[1].finished < 2)
    fetch_poll(f, 100);
  assert_int_equal(seen[0].received, LARGE);
  assert_int_equal(seen[1].received, LARGE);
  for (size_t i = 0; i < ROWS; i++)
    assert_int_equal(seen[i].wrong, 0);
  fetcher_free(f);
  text_free(&address);
}

typedef struct dropping {
  fetcher *f;
  unsigned pieces, finished;
} dropping;

static void drop_all(void *context, const fetch_response *response, const char *bytes, size_t size)
{
  dropping *d = context;
  (void)response, (void)bytes, (void)size;
  d->pieces++;
  fetch_drop_all(d->f);
}

static void count_dropped(void *context, const fetch_response *response)
{
  (void)response;
  ((dropping *)context)->finished++;
}

/* The first piece of a body is the last call there is. */
TWICE(nothing_comes_of_what_was_dropped)
{
  dropping d = {.f = make_fetcher(state, true, LATE_MS)};
  text address = {0};
  text_addf(&address, "http://127.0.0.1:%u/large", port);
  for (size_t i = 0; i < ROWS; i++)
    assert_true(fetch_start(d.f, address.bytes,
                            (fetch_receiver){
                              .body = drop_all, .finished = count_dropped, .context = &d, .max_body = LARGE}));
  while (!d.pieces && !d.finished)
    fetch_poll(d.f, 100);
  for (unsigned i = 0; i < 20; i++)
    fetch_poll(d.f, 10);
  assert_int_equal(d.pieces, 1);
  assert_int_equal(d.finished, 0);
  assert_int_equal(fetch_active(d.f), ROWS);
  fetcher_free(d.f);
  text_free(&address);
}

/* A fetch has no time while nobody works on it: neither to connect nor for its answer. */
TWICE(a_caller_that_is_away)
{
  enum { TIME_MS = 2500, AWAY_MS = 3500, CONNECTED_MS = 200 };
  landing quick = {.row = &rows[0]}, late = {.row = &slow};
  if (*(const bool *)*state)
    return; /* its thread is there */
  fetcher *f = make_fetcher(state, true, TIME_MS);
  start(f, &late);
  for (uint64_t since_ms = machine_monotonic_ms(); machine_monotonic_ms() < since_ms + CONNECTED_MS;)
    fetch_poll(f, 10);
  start(f, &quick);
  fetch_poll(f, 0);
  assert_int_equal(fetch_active(f), 2);
  usleep(AWAY_MS * 1000);
  while (fetch_active(f))
    fetch_poll(f, 100);
  assert_int_equal(quick.finished + late.finished, 2);
  text_free(&quick.body);
  text_free(&late.body);
  fetcher_free(f);
}

CASE(every_error_has_a_word)
{
  for (int i = 0; i < FETCH_ERRORS; i++)
    for (int k = 0; k < i; k++)
      assert_string_not_equal(fetch_error_name((fetch_error)i), fetch_error_name((fetch_error)k));
}
