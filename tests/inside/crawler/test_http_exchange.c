/* What of an exchange is kept: the last request, the last head, and a body that may be larger than memory wants. */
#include "crawler/http/http_exchange.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { BODY_MAX = 1000000, PIECE = 16384 };

static char directory[SCRATCH_PATH];
static const char *const headers[] = {"X-Secret: 1", NULL};

static int set_up(void **state)
{
  (void)state;
  scratch_make(directory);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

static void add(exchange *x, exchange_part part, const char *string)
{
  exchange_add(x, part, string, strlen(string));
}

static void assert_head(const exchange *x, const char *expected)
{
  size_t size;
  const char *bytes = exchange_head(x, &size);
  assert_int_equal(size, strlen(expected));
  assert_memory_equal(bytes, expected, size);
}

static char byte_at(uint64_t offset)
{
  return (char)(offset * 2654435761u >> 13);
}

static void check_body(void *context, const char *bytes, size_t size)
{
  uint64_t *offset = context;
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != byte_at(*offset + i))
      fail_msg("byte %llu is not as it came", (unsigned long long)(*offset + i));
  *offset += size;
}

static void add_body(exchange *x, uint64_t size) /* behind what is there */
{
  char piece[PIECE];
  uint64_t begin = exchange_body_size(x), end = begin + size;
  exchange_add(x, EXCHANGE_BODY, piece, 0); /* nothing, perhaps to where nothing is */
  for (uint64_t at = begin; at < end; at += PIECE) {
    size_t now = end - at < PIECE ? (size_t)(end - at) : PIECE;
    for (size_t i = 0; i < now; i++)
      piece[i] = byte_at(at + i);
    exchange_add(x, EXCHANGE_BODY, piece, now);
  }
}

static void assert_body(const exchange *x, uint64_t size)
{
  uint64_t offset = 0;
  assert_true(exchange_body(x, check_body, &offset));
  assert_int_equal(offset, size);
  assert_int_equal(exchange_body_size(x), size);
  assert_int_equal(exchange_error(x), 0);
}

CASE_WITH(bodies_of_every_size, set_up, tear_down)
{
  static const uint64_t sizes[] = {0, 1, 256 << 10, (256 << 10) + 1, 700000, BODY_MAX, BODY_MAX + 1, 2 * BODY_MAX, 5};
  exchange *x = exchange_create(directory, BODY_MAX, headers);
  assert_non_null(x);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    exchange_begin(x);
    add_body(x, sizes[i]);
    assert_body(x, sizes[i] < BODY_MAX ? sizes[i] : BODY_MAX);
    assert_int_equal(exchange_is_cut(x), sizes[i] > BODY_MAX);
  }
  exchange_free(x);
}

CASE_WITH(only_the_last_answer_counts, set_up, tear_down)
{
  size_t size;
  exchange *x = exchange_create(directory, BODY_MAX, headers);
  assert_non_null(x);
  add(x, EXCHANGE_REQUEST, "GET /old HTTP/1.1\r\n\r\n");
  add(x, EXCHANGE_HEAD, "HTTP/1.1 200 OK\r\n");
  add(x, EXCHANGE_BODY, "half");
  add(x, EXCHANGE_REQUEST, "GET /new HTTP/1.1\r\n\r\n"); /* the connection died, once more on another */
  add(x, EXCHANGE_HEAD, "HTTP/1.1 103 Early Hints\r\n");
  add(x, EXCHANGE_HEAD, "Link: x\r\n");
  add(x, EXCHANGE_HEAD, "HTTP/1.1 200 OK\r\n");
  add(x, EXCHANGE_HEAD, "A: b\r\n");
  add(x, EXCHANGE_HEAD, "\r\n");
  add_body(x, 10);
  add(x, EXCHANGE_HEAD, "Trailer: of HTTP/2\r\n");
  assert_head(x, "HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
  assert_int_equal(exchange_body_size(x), 10);
  assert_memory_equal(exchange_request(x, &size), "GET /new ", 9);
  exchange_free(x);
  exchange_free(NULL);
}

static void assert_request(exchange *x, const char *sent, const char *kept)
{
  size_t size;
  add(x, EXCHANGE_REQUEST, sent);
  const char *bytes = exchange_request(x, &size);
  assert_int_equal(size, strlen(kept));
  assert_memory_equal(bytes, kept, size);
}

CASE_WITH(no_secrets_of_the_request, set_up, tear_down)
{
  exchange *x = exchange_create(directory, BODY_MAX, headers);
  assert_non_null(x);
  assert_request(x,
                 "GET /Cookie:1 HTTP/1.1\r\nHost: h\r\nAuthorization: Basic YQ==\r\nx-secret:1\r\nX-Secrets: 2\r\n"
                 "\r\n",
                 "GET /Cookie:1 HTTP/1.1\r\nHost: h\r\nX-Secrets: 2\r\n\r\n");
  assert_request(x, "GET / HTTP/1.1\r\nCookie: a=b\r\nProxy-Authorization: c\r\n\r\n", "GET / HTTP/1.1\r\n\r\n");
  const char *cut = "GET / HTTP/1.1\r\nAccept: x\r\n"; /* a head in two pieces, parted amid the secret */
  assert_request(x, "GET / HTTP/1.1\r\nAccept: x\r\nCookie: a=", cut);
  assert_request(x, "secret\r\n\r\n", cut);
  exchange_free(x);
}

/* What no file takes is kept in memory, from the first byte or from where the disk is full. */
CASE(where_no_file_can_be)
{
  exchange *x = exchange_create("/nowhere/at/all", BODY_MAX, headers);
  assert_non_null(x);
  for (int i = 0; i < 2; i++) {
    exchange_begin(x);
    add_body(x, 800000);
    assert_body(x, 800000);
  }
  exchange_free(x);
}

CASE_WITH(a_file_that_may_not_grow, set_up, tear_down)
{
  struct rlimit none, limit = {.rlim_cur = 300000};
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &none), 0);
  limit.rlim_max = none.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  exchange *x = exchange_create(directory, BODY_MAX, headers);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  add_body(x, 800000);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
  add_body(x, 10000); /* there is room again, but the file has ended */
  assert_body(x, 810000);
  exchange_free(x);
}
