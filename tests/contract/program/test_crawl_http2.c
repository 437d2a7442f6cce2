/* Servers that flood a crawl over HTTP/2, several URLs of each on one connection, all of them at once: each ends with a
 * reason in pages.jsonl, memory stays bounded, and the good pages beside them are fetched, over HTTP/2 too.
 *
 * Frames are written as RFC 9113 has them, by hand: no library would send these. */
#include "tests/site/pages.h"
#include "tests/support/test.h"
#include "tests/support/tls_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/ssl.h>
#include <poll.h>

enum { DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION };
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4, PADDED = 8 };
enum { FRAME_HEAD = 9, FRAME_MAX = 16384, PREFACE = 24, BATCH = 32768 };
enum { URLS = 4, GOOD = 20, MEMORY_KB = 150 << 10 };

/* ---- frames ------------------------------------------------------------------------------------------------ */

static void put(text *out, unsigned type, unsigned flags, unsigned stream, const void *payload, size_t size)
{
  const unsigned char head[FRAME_HEAD] = {
    (unsigned char)(size >> 16),   (unsigned char)(size >> 8),   (unsigned char)size,
    (unsigned char)type,           (unsigned char)flags,         (unsigned char)(stream >> 24),
    (unsigned char)(stream >> 16), (unsigned char)(stream >> 8), (unsigned char)stream};
  text_add_bytes(out, head, sizeof head);
  text_add_bytes(out, payload, size);
}

#define PUT(out, type, flags, stream, payload) put(out, type, flags, stream, payload, sizeof(payload) - 1)

/* RFC 7541: status 200 of the static table, and a type. */
#define STATUS_200 "\x88"
#define HTML STATUS_200 "\x0f\x10\x09text/html"
#define FIELD "\x00\x01x\x01y"

/* The process ends where it cannot. */
static void give(SSL *ssl, const text *out)
{
  if (SSL_write(ssl, out->bytes, (int)out->size) <= 0)
    _exit(0);
}

/* What came is of no interest; but neither side may wait for the other. */
static void read_all(SSL *ssl)
{
  char bytes[16384];
  struct pollfd ready = {.fd = SSL_get_fd(ssl), .events = POLLIN};
  while (SSL_pending(ssl) || poll(&ready, 1, 0) > 0)
    if (SSL_read(ssl, bytes, sizeof bytes) <= 0)
      _exit(0);
}

/* The stream of the next request. */
static unsigned next_request(SSL *ssl)
{
  static unsigned char in[1 << 18];
  static size_t size;
  static bool has_begun;
  for (;;) {
    size_t at = has_begun ? 0 : PREFACE;
    while (at + FRAME_HEAD <= size) {
      const unsigned char *head = in + at;
      size_t payload = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
      if (at + FRAME_HEAD + payload > size)
        break;
      at += FRAME_HEAD + payload;
      has_begun = true;
      unsigned type = head[3], stream = (unsigned)head[7] << 8 | head[8];
      if (type != HEADERS)
        continue;
      memmove(in, in + at, size - at);
      size -= at;
      return stream;
    }
    if (has_begun) {
      memmove(in, in + at, size - at);
      size -= at;
    }
    int got = SSL_read(ssl, in + size, (int)(sizeof in - size));
    if (got <= 0)
      _exit(0);
    size += (size_t)got;
  }
}

static unsigned begin(SSL *ssl)
{
  text out = {0};
  PUT(&out, SETTINGS, 0, 0, "");
  PUT(&out, SETTINGS, ACK, 0, "");
  give(ssl, &out);
  text_free(&out);
  return next_request(ssl);
}

/* What begins an answer, and then the same frame again and again. */
static void flood(SSL *ssl, const text *first, const text *again)
{
  text many = {0};
  (void)!nice(19); /* the crawl is to have time for all of them */
  while (many.size < BATCH)
    text_add_bytes(&many, again->bytes, again->size);
  if (first->size)
    give(ssl, first);
  for (;; read_all(ssl))
    give(ssl, &many);
}

/* ---- attacks ----------------------------------------------------------------------------------------------- */

#define FLOOD(name, make_first, make_again) \
  static void name(SSL *ssl)                \
  {                                         \
    unsigned id = begin(ssl);               \
    text first = {0}, again = {0};          \
    (void)id;                               \
    make_first;                             \
    make_again;                             \
    flood(ssl, &first, &again);             \
  }

FLOOD(continuations, PUT(&first, HEADERS, 0, id, HTML), PUT(&again, CONTINUATION, 0, id, FIELD FIELD FIELD))
FLOOD(no_continuations, PUT(&first, HEADERS, 0, id, HTML), PUT(&again, CONTINUATION, 0, id, ""))
FLOOD(interim, ,
      PUT(&again, HEADERS, END_HEADERS, id,
          "\x08\x03"
          "103" FIELD))
FLOOD(bytes, PUT(&first, HEADERS, END_HEADERS, id, HTML), PUT(&again, DATA, 0, id, "<"))
FLOOD(nothing, PUT(&first, HEADERS, END_HEADERS, id, HTML), PUT(&again, DATA, 0, id, ""))
FLOOD(padding, PUT(&first, HEADERS, END_HEADERS, id, HTML), PUT(&again, DATA, PADDED, id, "\x04\0\0\0\0"))
FLOOD(pings, , PUT(&again, PING, 0, 0, "01234567"))
FLOOD(settings, , PUT(&again, SETTINGS, 0, 0, "\0\x04\0\0\xff\xff"))
FLOOD(windows, , PUT(&again, WINDOW_UPDATE, 0, 0, "\0\0\0\x01"))
FLOOD(priorities, , PUT(&again, PRIORITY, 0, id, "\0\0\0\0\x10"))
FLOOD(resets, , PUT(&again, RST_STREAM, 0, id, "\0\0\0\x08"))
FLOOD(promises, , PUT(&again, PUSH_PROMISE, END_HEADERS, id, "\0\0\0\x02\x82\x84\x87"))
FLOOD(unknown, , PUT(&again, 0xfa, 0, id, "what is this?"))
FLOOD(trailers, PUT(&first, HEADERS, END_HEADERS, id, HTML);
      PUT(&first, DATA, 0, id, "<p>"), PUT(&again, HEADERS, END_HEADERS, id, FIELD FIELD))
FLOOD(farewells, , PUT(&again, GOAWAY, 0, 0, "\x7f\xff\xff\xff\0\0\0\0"))

/* As many fields as a block may have: one of 4,000 bytes in the table, and then a byte for each time it comes again. */
static void bomb(SSL *ssl)
{
  unsigned id = begin(ssl);
  text first = {0}, block = {0}, value = {0};
  text_add_bytes(&block, HTML "\x40\x01x\x7f\xa1\x1e", sizeof HTML - 1 + 6); /* 127 + 33 + 30 * 128 = 4000 bytes */
  while (value.size < 4000)
    text_add(&value, "v");
  text_add_bytes(&block, value.bytes, value.size);
  while (block.size < FRAME_MAX - 1)
    text_add(&block, "\xbe");
  put(&first, HEADERS, END_HEADERS, id, block.bytes, block.size);
  flood(ssl, &first, &first);
}

/* All fields in one block, of a name that is new each time. */
static void fields(SSL *ssl)
{
  unsigned id = begin(ssl);
  text first = {0}, block = {0};
  text_add_bytes(&block, HTML, sizeof HTML - 1);
  while (block.size < FRAME_MAX - 5)
    text_add_bytes(&block, FIELD, sizeof FIELD - 1);
  put(&first, HEADERS, END_HEADERS, id, block.bytes, block.size);
  flood(ssl, &first, &first);
}

static void silence(SSL *ssl)
{
  for (;;)
    begin(ssl);
}

/* Every page leads to all others. */
static void good(SSL *ssl)
{
  text page = {0}, out = {0};
  for (unsigned i = 0; i < GOOD; i++)
    text_addf(&page, "<a href=/page-%u>x</a>", i);
  for (unsigned id = begin(ssl);; id = next_request(ssl)) {
    text_clear(&out);
    PUT(&out, HEADERS, END_HEADERS, id, HTML);
    put(&out, DATA, END_STREAM, id, page.bytes, page.size);
    give(ssl, &out);
  }
}

static const struct attack {
  const char *name;
  void (*http2)(SSL *ssl);
} attacks[] = {
  {"continuations", continuations},
  {"no_continuations", no_continuations},
  {"interim", interim},
  {"bytes", bytes},
  {"nothing", nothing},
  {"padding", padding},
  {"pings", pings},
  {"settings", settings},
  {"windows", windows},
  {"priorities", priorities},
  {"resets", resets},
  {"promises", promises},
  {"unknown", unknown},
  {"trailers", trailers},
  {"farewells", farewells},
  {"bomb", bomb},
  {"fields", fields},
  {"silence", silence},
};
enum { ATTACKS = sizeof attacks / sizeof *attacks };

static tls_server servers[ATTACKS + 1]; /* the last one is good */

static const struct attack *attack_of(const char *address)
{
  unsigned port = (unsigned)strtoul(strstr(address, "localhost:") + strlen("localhost:"), NULL, 10);
  for (size_t i = 0; i < ATTACKS; i++)
    if (servers[i].port == port)
      return &attacks[i];
  return NULL;
}

/* A good page is one; an attack's URL has failed, and says why, or was cut. */
static bool is_well(const struct attack *a, const json_t *line)
{
  const char *reason = json_string_value(json_object_get(line, "reason"));
  bool is_page = json_integer_value(json_object_get(line, "status")) == 200 && !reason;
  return !a ? is_page : reason ? strlen(reason) > 10 : is_page && json_is_true(json_object_get(line, "truncated"));
}

static void begin_server(size_t which)
{
  servers[which].http2 = which < ATTACKS ? attacks[which].http2 : good;
  tls_start(&servers[which], TLS_GOOD);
}

/* Starts them all; the URLs to start with, each on a line. */
static void begin_all(const char *list)
{
  FILE *file = fopen(list, "w");
  assert_non_null(file);
  const char *only = getenv("STRATA_ATTACK"); /* by hand */
  for (size_t i = 0; i <= ATTACKS; i++) {
    if (i < ATTACKS && only && strcmp(only, attacks[i].name) != 0)
      continue;
    begin_server(i);
    for (unsigned k = 0; k < (i < ATTACKS ? URLS : 1U); k++)
      fprintf(file, "https://localhost:%u/%u\n", servers[i].port, k);
  }
  fclose(file);
}

static void crawl_list(const char *list, const char *per_host)
{
  const char *const words[] = {"crawl",
                               "--dir",
                               "DIR",
                               "--delay",
                               "0",
                               "--ignore-robots",
                               "--tries",
                               "1",
                               "--allow-private",
                               "--per-host",
                               per_host,
                               "--per-address",
                               "0",
                               "--connections",
                               "64",
                               "--timeout",
                               "30",
                               "--max-body",
                               "1000000",
                               "--ca-file",
                               tls_ca,
                               "--seeds",
                               list,
                               NULL};
  assert_int_equal(small_strata(&tls_site, words, 0), 0);
  const struct rusage *ended = &tls_site.trial->end.usage;
  print_message("%.1f MB, %.1f s of CPU time\n%s", (double)ended->ru_maxrss / 1024,
                (double)(ended->ru_utime.tv_sec + ended->ru_stime.tv_sec) +
                  (double)(ended->ru_utime.tv_usec + ended->ru_stime.tv_usec) / 1e6,
                tls_site.trial->err.bytes);
#ifndef __SANITIZE_ADDRESS__
  assert_true(ended->ru_maxrss < MEMORY_KB);
#endif
}

/* Lines that are not as they must be are printed, and with STRATA_ATTACK all. */
static void assert_all_well(size_t pages)
{
  page_log log = pages_read(tls_site.trial->pages);
  unsigned faults = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    const json_t *line = json_array_get(log.list, i);
    const struct attack *a = attack_of(pages_url(&log, i));
    char *said = json_dumps(json_object_get(line, "reason"), JSON_ENCODE_ANY);
    if (!is_well(a, line) || getenv("STRATA_ATTACK"))
      print_error("%s %s: %s, %s\n", a ? a->name : "a good page", pages_url(&log, i), said ? said : "a page",
                  json_is_true(json_object_get(line, "truncated")) ? "cut" : "whole");
    faults += !is_well(a, line);
    free(said);
  }
  assert_int_equal(pages_count(&log), pages);
  assert_int_equal(faults, 0);
  pages_free(&log);
}

CASE(floods_of_every_kind)
{
  char *list = trial_path(tls_site.trial, "list");
  begin_all(list);
  crawl_list(list, "8");
  assert_all_well((getenv("STRATA_ATTACK") ? 1 : ATTACKS) * URLS + 1 + GOOD);
  free(list);
}

/* Each flood ends its connection, and the next one begins at once, maybe with the memory that the other had: a page
 * that was cut by a flood is no whole one for that. */
CASE(floods_while_connections_begin)
{
  static const char *const names[] = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
  enum { NAMES = sizeof names / sizeof *names, EACH = 8 };
  (void)state;
  size_t which = 0;
  while (strcmp(attacks[which].name, "trailers") != 0)
    which++;
  begin_server(which);
  begin_server(ATTACKS);
  char *list = trial_path(tls_site.trial, "list");
  FILE *file = fopen(list, "w");
  assert_non_null(file);
  for (unsigned i = 0; i < NAMES * EACH; i++)
    fprintf(file, "https://%s.localhost:%u/%u\n", names[i % NAMES], servers[which].port, i);
  fprintf(file, "https://localhost:%u/\n", servers[ATTACKS].port);
  fclose(file);
  crawl_list(list, "2");
  assert_all_well((size_t)NAMES * EACH + 1 + GOOD);
  free(list);
}

static int close_site(void **state)
{
  for (size_t i = 0; i <= ATTACKS; i++)
    if (servers[i].pid)
      tls_stop(&servers[i]);
  memset(servers, 0, sizeof servers);
  return tls_site_end(state);
}

ALL_CASES(tls_group_begin, tls_group_end)
EACH_CASE(tls_site_begin, close_site)
