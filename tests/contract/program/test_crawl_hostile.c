/* Servers that send anything at all: each page fails or is cut on its own, in bounded time and memory, and the crawl
 * goes on. The first page links to every row below, and to one good page at the end. */
#include "tests/site/pages.h"
#include "tests/site/raw.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

enum { MAX_BODY = 100000 };

#define OK "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
#define MOVED "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: "
#define CLOSED "Connection: close\r\n\r\n"

/* ---- answers that cannot be written as a string ---------------------------------------------------------- */

static void endless_headers(int fd)
{
  raw_send_string(fd, OK);
  for (unsigned i = 0;; i++) {
    char line[64];
    snprintf(line, sizeof line, "X-Header-%u: the next one is the last, surely\r\n", i);
    raw_send_string(fd, line);
  }
}

static void endless_header_line(int fd)
{
  raw_send_string(fd, OK "X-Long: ");
  for (;;)
    raw_send_string(fd, "longer and longer and ");
}

static void endless_body(int fd)
{
  raw_send_string(fd, OK CLOSED);
  for (;;)
    raw_send_string(fd, "<p>and another thing</p>\n");
}

static void endless_chunks(int fd)
{
  raw_send_string(fd, OK "Transfer-Encoding: chunked\r\n\r\n");
  for (;;)
    raw_send_string(fd, "10\r\n0123456789abcdef\r\n");
}

/* A tag that never ends, in a page that does not either. */
static void endless_tag(int fd)
{
  raw_send_string(fd, OK CLOSED "<a href=\"");
  for (;;)
    raw_send_string(fd, "/dir/../dir/.././");
}

static void byte_by_byte(int fd)
{
  raw_send_string(fd, OK CLOSED);
  for (;;) {
    raw_send_string(fd, ".");
    usleep(50000);
  }
}

static void silence(int fd)
{
  (void)fd;
  pause();
}

static void reset(int fd)
{
  const struct linger none = {.l_onoff = 1};
  raw_send_string(fd, OK "Content-Length: 100\r\n\r\nhalf");
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

/* Twenty megabytes in ninety kilobytes. */
static void compressed_bomb(int fd)
{
  static unsigned char zeros[1 << 20], packed[16384];
  z_stream z = {.next_out = packed, .avail_out = sizeof packed};
  deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  raw_send_string(fd, OK "Content-Encoding: gzip\r\n" CLOSED);
  for (int megabytes = 0; megabytes < 20; megabytes++) {
    z.next_in = zeros;
    z.avail_in = sizeof zeros;
    deflate(&z, megabytes < 19 ? Z_NO_FLUSH : Z_FINISH);
    raw_send(fd, packed, sizeof packed - z.avail_out);
    z.next_out = packed;
    z.avail_out = sizeof packed;
  }
  deflateEnd(&z);
}

/* The same in two kilobytes. */
static void zstd_bomb(int fd)
{
  enum { ZEROS = 20000000 };
  size_t room = ZSTD_compressBound(ZEROS);
  char *zeros = calloc(1, ZEROS), *packed = malloc(room);
  raw_send_string(fd, OK "Content-Encoding: zstd\r\n" CLOSED);
  if (zeros && packed)
    raw_send(fd, packed, ZSTD_compress(packed, room, zeros, ZEROS, 1));
  free(zeros);
  free(packed);
}

/* Ten megabytes of one kind of thing. */
static void send_again_and_again(int fd, const char *piece)
{
  size_t size = strlen(piece);
  raw_send_string(fd, OK CLOSED);
  for (size_t sent = 0; sent < 10000000; sent += size)
    raw_send(fd, piece, size);
}

static void million_links(int fd)
{
  send_again_and_again(fd, "<a href=/good.html>x</a><a href='http://elsewhere.example/1'>x</a>");
}

static void deep_nesting(int fd)
{
  send_again_and_again(fd, "<svg><math><div><table><b><p><font>");
}

static void long_attribute(int fd)
{
  raw_send_string(fd, OK CLOSED "<a href=\"/trap");
  for (int i = 0; i < 20000; i++)
    raw_send_string(fd, "01234567890123456789012345678901234567890123456789");
  raw_send_string(fd, "\">x</a><a href=/good.html>x</a>");
}

/* Not a byte of it is HTML. */
static void binary(int fd)
{
  unsigned random = 1;
  char piece[1000];
  raw_send_string(fd, OK CLOSED);
  for (int i = 0; i < 1000; i++) {
    for (size_t k = 0; k < sizeof piece; k++)
      piece[k] = (char)((random = random * 1664525 + 1013904223) >> 24);
    raw_send(fd, piece, sizeof piece);
  }
}

static void slow_headers(int fd)
{
  for (const char *c = OK "X-Slow: 1\r\nX-Slower: "; *c; c++) {
    raw_send(fd, c, 1);
    usleep(50000);
  }
}

static void long_location(int fd)
{
  raw_send_string(fd, "HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nLocation: /");
  for (int i = 0; i < 5000; i++)
    raw_send_string(fd, "ten bytes/");
  raw_send_string(fd, "\r\n\r\n");
}

/* ---- the rows -------------------------------------------------------------------------------------------- */

enum { ERROR = -1, ANY = -2 };

static const struct row {
  const char *target;
  int status; /* in pages.jsonl; ERROR: no response that counts; ANY: either is fine */
  const char *bytes;
  size_t size;
  void (*answer)(int fd); /* instead of bytes */
} rows[] = {
#define ROW(target, status, bytes)                       \
  {                                                      \
    (target), (status), (bytes), sizeof(bytes) - 1, NULL \
  }
  ROW("/half-a-body", 200, OK "Content-Length: 100\r\n\r\nhalf"),
  ROW("/nothing", ERROR, ""),
  ROW("/no-http", ERROR, "<html><a href=/trap.html>HTTP/0.9</a></html>"),
  ROW("/garbage", ERROR, "\x00\x01\x02\xff garbage \x1b[2J\r\n\r\n"),
  ROW("/bad-chunk", ERROR, OK "Transfer-Encoding: chunked\r\n\r\nZZ\r\nxx\r\n"),
  ROW("/half-a-chunk", 200, OK "Transfer-Encoding: chunked\r\n\r\n10\r\nxx"),
  ROW("/chunk-size", ERROR, OK "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nxx\r\n"),
  ROW("/negative-length", ANY, OK "Content-Length: -1\r\n" CLOSED "x"),
  ROW("/huge-length", ANY, OK "Content-Length: 99999999999999999999\r\n" CLOSED "x"),
  ROW("/bad-gzip", ERROR, OK "Content-Encoding: gzip\r\n" CLOSED "this is not gzip"),
  ROW("/unknown-coding", 200, OK "Content-Encoding: rot13\r\n" CLOSED "<n uers=/genc.ugzy>"),
  ROW("/type", 200, "HTTP/1.1 200 OK\r\nContent-Type: text/html\xff\x1b[31m\"\\;\t\xc3\r\nContent-Length: 1\r\n\r\nx"),
  ROW("/no-type", 200, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
  ROW("/status-999", 999, "HTTP/1.1 999 \xff\xfe\r\nContent-Length: 1\r\n\r\nx"),
  ROW("/early-hints", 200, "HTTP/1.1 103 Early Hints\r\nLink: </trap.html>\r\n\r\n" OK "Content-Length: 1\r\n\r\nx"),
  ROW("/no-content", 204, "HTTP/1.1 204 No Content\r\n\r\n"),
  ROW("/not-modified", ANY, "HTTP/1.1 304 Not Modified\r\n\r\n"),
  ROW("/upgrade", ANY, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n\x00\x00\x00"),
  ROW("/location-control", ANY, MOVED "/a\x01\x1b[2J\x7f/b.html\r\n\r\n"),
  ROW("/location-bytes", ANY, MOVED "/caf\xe9\xff\r\n\r\n"),
  ROW("/location-private", 302, MOVED "http://169.254.169.254/trap\r\n\r\n"),
  ROW("/location-file", 302, MOVED "file:///etc/passwd\r\n\r\n"),
  ROW("/zeros", 200, OK CLOSED "\0\0<a \0 href=/after-zeros.html>\0\0"),
  ROW("/after-zeros.html", 200, OK "Content-Length: 1\r\n\r\nx"),
  ROW("/bytes", 200,
      OK CLOSED "<a href=\"/\xff\xfe\xc3(\xed\xa0\x80\">x</a>"
                "<a href='\x1b]0;title\x07'>x</a><a href=//>x</a>"),
  ROW("/entities", 200, OK CLOSED "<a href=\"&#0;&#x110000;&#xD800;&#99999999999999999999;&#x1b;[2J\">x</a>"),
  ROW("/links", 200,
      OK CLOSED "<a href=http://>x<a href=http://:80/>x<a href=http://127.0.0.1:0/>x"
                "<a href=http://[::]/>x<a href=http://a:b@127.0.0.1:1/trap>x"
                "<a href=http://%00/>x<a href=http://xn--/>x<a href=?>x"),
  ROW("/base", 200, OK CLOSED "<base href='javascript:1'><base href='//[/'><a href=\"after-base.html\">x</a>"),
  ROW("/refresh", 200, OK CLOSED "<meta http-equiv=refresh content=\"0;url=\x00/c.html\"><meta http-equiv=refresh>"),
  {"/endless-headers", ERROR, NULL, 0, endless_headers},
  {"/endless-header-line", ERROR, NULL, 0, endless_header_line},
  {"/endless-body", 200, NULL, 0, endless_body},
  {"/endless-chunks", 200, NULL, 0, endless_chunks},
  {"/endless-tag", 200, NULL, 0, endless_tag},
  {"/compressed-bomb", 200, NULL, 0, compressed_bomb},
  ROW("/brotli-bomb", 200,
      OK "Content-Encoding: br\r\n" CLOSED "\xcf\xff\xff\x7f\xf8\x27\x00\xe2\xb1\x40\x20\xf7"
         "\xfe\x3f\xff\x59\x62\xf0\x4f\x00\xc4\x61\x01\x80\x2e\x49\x0c"), /* twenty megabytes of zeros */
  {"/zstd-bomb", 200, NULL, 0, zstd_bomb},
  {"/million-links", 200, NULL, 0, million_links},
  {"/deep-nesting", 200, NULL, 0, deep_nesting},
  {"/long-attribute", 200, NULL, 0, long_attribute},
  {"/binary", 200, NULL, 0, binary},
  {"/slow-headers", ERROR, NULL, 0, slow_headers},
  // NOLINTNEXTLINE(misc-misleading-bidirectional): what is tested is that it misleads nobody
  ROW("/bidi", 200, OK CLOSED "<title>\xe2\x80\xae gpj.exe</title><a href='/\xe2\x80\xae\xe2\x81\xa6/x'>x</a>"),
  ROW("/loop-a", 302, MOVED "/loop-b\r\n\r\n"),
  ROW("/loop-b", 302, MOVED "/loop-a\r\n\r\n"),
  ROW("/loop-self", 302, MOVED "/loop-self\r\n\r\n"),
  {"/byte-by-byte", 200, NULL, 0, byte_by_byte},
  {"/silence", ERROR, NULL, 0, silence},
  {"/reset", ANY, NULL, 0, reset}, /* what came may be lost with the connection */
  {"/long-location", ANY, NULL, 0, long_location},
  ROW("/good.html", 200, OK "Content-Length: 4\r\n\r\ngood"), /* after all of that */
};
enum { ROWS = sizeof rows / sizeof *rows };

static void answer_index(int fd)
{
  raw_send_string(fd, OK CLOSED);
  for (size_t i = 0; i < ROWS; i++) {
    raw_send_string(fd, "<a href=");
    raw_send_string(fd, rows[i].target);
    raw_send_string(fd, ">x</a>\n");
  }
  raw_send_string(fd, "<a href=/chain/0>a chain of redirects without end</a>");
}

static void answer_chain(int fd, const char *target)
{
  char response[256];
  unsigned long nth = strtoul(target + strlen("/chain/"), NULL, 10);
  snprintf(response, sizeof response, MOVED "/chain/%lu\r\n\r\n", nth + 1);
  raw_send_string(fd, response);
}

static void answer(int fd, const char *target)
{
  for (size_t i = 0; i < ROWS; i++)
    if (strcmp(rows[i].target, target) == 0) {
      if (rows[i].answer)
        rows[i].answer(fd);
      else
        raw_send(fd, rows[i].bytes, rows[i].size);
      return;
    }
  if (strcmp(target, "/") == 0)
    answer_index(fd);
  else if (strncmp(target, "/chain/", 7) == 0)
    answer_chain(fd, target);
  else
    raw_send_string(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
}

/* ---- what the crawl made of it --------------------------------------------------------------------------- */

static const json_t *line_of(const page_log *log, const char *target)
{
  for (size_t i = 0; i < pages_count(log); i++) {
    const char *path = strchr(pages_url(log, i) + strlen("http://"), '/');
    if (path && strcmp(path, target) == 0)
      return json_array_get(log->list, i);
  }
  return NULL;
}

static void assert_row(const page_log *log, const struct row *row)
{
  const json_t *line = line_of(log, row->target);
  const json_t *status = json_object_get(line, "status");
  long long got = json_is_integer(status) ? json_integer_value(status) : ERROR;
  if (!line || (row->status != ANY && got != row->status))
    print_error("%s: %s, status %lld, not %d\n", row->target, line ? "there" : "not in pages.jsonl", got, row->status);
  assert_non_null(line);
  assert_true(row->status == ANY || got == row->status);
  if (got == ERROR)
    assert_true(json_is_string(json_object_get(line, "error")));
  else
    assert_true(json_integer_value(json_object_get(line, "body_bytes")) <= MAX_BODY);
}

static void assert_no_control_bytes(const char *bytes)
{
  for (const char *c = bytes; c && *c; c++)
    assert_true(*c == '\n' || (unsigned char)*c >= 0x20);
}

static trial *served;

static int clean_up(void **state)
{
  (void)state;
  trial_close(served);
  return 0;
}

CASE(a_hostile_server)
{
  trial *t = served = trial_open(&(trial_options){.entries = 1}); /* for its directory */
  unsigned port;
  pid_t server = raw_start(answer, &port);
  text url = {0};
  text_addf(&url, "http://127.0.0.1:%u/", port);
  const char *const words[] = {"crawl",      "--dir",  "DIR",     "--delay", "0",         "--allow-private",
                               "--per-host", "8",      "--tries", "1",       "--timeout", "3",
                               "--max-body", "100000", url.bytes, NULL};
  int code = trial_strata(t, words); /* killed if something here held it up for long */
  process_kill(server);
  print_message("%.1f MB\n%s", (double)t->end.usage.ru_maxrss / 1024, t->err.bytes);
  assert_int_equal(code, 0);
#ifndef __SANITIZE_ADDRESS__
  assert_true(t->end.usage.ru_maxrss < 100 * 1024L);
#endif
  assert_no_control_bytes(t->err.bytes);
  page_log log = pages_read(t->pages);
  assert_int_equal(log.bad, 0);
  for (size_t i = 0; i < ROWS; i++)
    assert_row(&log, &rows[i]);
  unsigned hops = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    assert_null(strstr(pages_url(&log, i), "trap"));
    hops += strstr(pages_url(&log, i), "/chain/") != NULL;
  }
  assert_int_equal(hops, 21); /* the first, and twenty redirects in a row */
  pages_free(&log);
  text_free(&url);
}

EACH_CASE(NULL, clean_up)
