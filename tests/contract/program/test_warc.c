/* crawl --warc and show, end to end: what a reader that knows only the standard finds in the files, and what the index
 * and `strata show` make of it. */
#include "tests/site/archive.h"
#include "tests/site/raw.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#define STRATA(t, ...) trial_strata(t, (const char *const[]){__VA_ARGS__, NULL})
#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "--warc"

static trial *served;
static pid_t raw_server;

static int clean_up(void **state)
{
  (void)state;
  process_kill(raw_server);
  raw_server = 0;
  trial_close(served);
  served = NULL;
  return 0;
}

static warc_content read_warc(const trial *t, unsigned number)
{
  char *path = archive_path(t, number, ".warc.gz");
  warc_content c = warc_content_read(path);
  free(path);
  assert_int_equal(c.bad, 0);
  return c;
}

/* The response of a URL; NULL if there is none. It must be the only one. */
static const warc_item *response_of(const warc_content *c, const char *address)
{
  const warc_item *found = NULL;
  for (size_t i = 0; i < c->count; i++)
    if (archive_is_capture(&c->items[i]) && strcmp(warc_item_field(&c->items[i], "WARC-Target-URI"), address) == 0) {
      assert_null(found);
      found = &c->items[i];
    }
  return found;
}

/* ---- index ------------------------------------------------------------------------------------------------ */

static const char *member(const json_t *fields, const char *name)
{
  const char *value = json_string_value(json_object_get(fields, name));
  if (!value)
    fail_msg("no \"%s\" in a line of the index", name);
  return value;
}

/* Each line points at a member of the file that is a capture of its URL; each capture has its line; sorted. */
static void assert_index(const trial *t, unsigned number, const warc_content *c)
{
  char *path = archive_path(t, number, ".cdxj");
  text file = {0};
  assert_true(text_add_file(&file, path));
  free(path);
  size_t captures = 0, lines = 0;
  const char *last = "";
  char *rest = file.bytes;
  for (char *line; (line = strsep(&rest, "\n")) && *line; last = line, lines++) {
    assert_true(strcmp(last, line) < 0);
    const char *blank = strchr(line, ' '); /* KEY, DATE, object */
    assert_true(blank && strspn(blank + 1, "0123456789") == 14 && blank[15] == ' ');
    json_t *fields = json_loads(blank + 16, JSON_REJECT_DUPLICATES, NULL);
    size_t offset = strtoull(member(fields, "offset"), NULL, 10), size = strtoull(member(fields, "length"), NULL, 10);
    const warc_item *item = NULL;
    for (size_t i = 0; i < c->count && !item; i++)
      item = c->items[i].offset == offset ? &c->items[i] : NULL;
    assert_true(item && item->size == size && archive_is_capture(item));
    assert_string_equal(member(fields, "url"), warc_item_field(item, "WARC-Target-URI"));
    assert_string_equal(member(fields, "digest"), warc_item_field(item, "WARC-Payload-Digest"));
    assert_memory_equal(member(fields, "status"), item->block.bytes + strlen("HTTP/1.1 "), 3);
    if (warc_item_is(item, "revisit"))
      assert_string_equal(member(fields, "mime"), "warc/revisit");
    json_decref(fields);
  }
  for (size_t i = 0; i < c->count; i++)
    captures += archive_is_capture(&c->items[i]);
  assert_int_equal(lines, captures);
  text_free(&file);
}

/* ---- a site ----------------------------------------------------------------------------------------------- */

/* Each line of pages.jsonl that has a status has its response, and no other URL has. */
static void assert_captures(const trial *t, unsigned files)
{
  archive_verdict v = archive_judge(t);
  assert_int_equal(v.files, files);
  assert_int_equal(v.bad + v.missed + v.again + v.strangers, 0);
  for (unsigned number = 1; number <= files; number++) {
    warc_content c = read_warc(t, number);
    assert_index(t, number, &c);
    warc_content_free(&c);
  }
}

CASE(a_site)
{
  trial *t = served = trial_open(&(trial_options){.seed = 31, .entries = 200});
  assert_int_equal(STRATA(t, CRAWL, "URL"), 0);
  assert_captures(t, 1);
  char *part = archive_path(t, 1, ".cdxj.part"), *next = archive_path(t, 2, ".warc.gz");
  assert_int_not_equal(access(part, F_OK), 0);
  assert_int_not_equal(access(next, F_OK), 0);
  free(part);
  free(next);
}

/* A file ends with the exchange that fills it; the next begins with its own warcinfo, which the reader demands. */
CASE(files_of_a_given_size)
{
  enum { SIZE = 30000, ONE_EXCHANGE = 10000 };
  trial *t = served = trial_open(&(trial_options){.seed = 32, .entries = 200});
  assert_int_equal(STRATA(t, CRAWL, "--warc-size", "30000", "URL"), 0);
  unsigned files = 0;
  for (;; files++) {
    text file = {0};
    char *path = archive_path(t, files + 1, ".warc.gz");
    bool read = text_add_file(&file, path);
    free(path);
    size_t size = file.size;
    text_free(&file);
    if (!read)
      break;
    assert_true(size < SIZE + ONE_EXCHANGE);
  }
  assert_true(files > 3);
  assert_captures(t, files);
}

/* Stopped and continued, with --warc, without, and with it again: each run that writes has files of its own. */
CASE(runs_one_after_another)
{
  trial *t = served = trial_open(&(trial_options){.seed = 33, .entries = 200});
  assert_int_equal(STRATA(t, CRAWL, "--max-pages", "20", "URL"), 0);
  assert_int_equal(STRATA(t, CRAWL, "--max-pages", "60"), 0);
  assert_captures(t, 2);
  assert_int_equal(STRATA(t, "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "--max-pages", "70"), 0);
  assert_int_equal(STRATA(t, CRAWL), 0);
  warc_content third = read_warc(t, 3);
  assert_true(third.count > 3);
  assert_index(t, 3, &third);
  warc_content_free(&third);
}

/* ---- bodies of every kind --------------------------------------------------------------------------------- */

enum { LARGE = 600000 }; /* more than is kept in memory */

#define OK "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
static const char zipped[] = /* "zip", 17 times: by `gzip -n` */
  "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xca\x2c\xa8\x22\x11\x01\x00\x0e\xf0\x0e\xb1\x33\x00\x00\x00";
#define UNZIPPED "zipzipzipzipzipzipzipzipzipzipzipzipzipzipzipzipzip"
#define BROTLI   \
  "\x8b\x01\x80" \
  "BYTE"         \
  "\x03" /* RFC 7932: one uncompressed meta-block */
#define ZSTD \
  "\x28\xb5\x2f\xfd\x00\x68\x4d\x00\x00\x18\x7a\x69\x70\x01\x00\x19\xb9\x21" /* UNZIPPED, by `zstd --no-check` */
#define CHUNKED "Transfer-Encoding: chunked\r\n\r\n"

static char large_byte(size_t at)
{
  return (char)('a' + at * at % 26);
}

static void answer_large(int fd)
{
  char piece[1000];
  char head[128];
  snprintf(head, sizeof head, OK "Content-Length: %d\r\n\r\n", LARGE);
  raw_send_string(fd, head);
  for (size_t sent = 0; sent < LARGE; sent += sizeof piece) {
    for (size_t i = 0; i < sizeof piece; i++)
      piece[i] = large_byte(sent + i);
    raw_send(fd, piece, sizeof piece);
  }
}

static bool is_asked_for(const char *coding)
{
  const char *line = strstr(raw_head(), "Accept-Encoding: "), *found = line ? strstr(line, coding) : NULL;
  return found && found < strstr(line, "\r\n");
}

static void answer(int fd, const char *target)
{
  if (strcmp(target, "/") == 0) {
    raw_send_string(fd, "HTTP/1.1 103 Early Hints\r\nLink: </no>\r\n\r\n"
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n");
    raw_send_string(fd, "Connection: close\r\n\r\n<a href=chunks>1<a href=zip>2<a href=zip-chunks>3<a href=large>4"
                        "<a href=again>5<a href=endless>6<a href=gone>7<a href=half>8<a href=odd>9"
                        "<a href=brotli>10<a href=zstd>11<a href=never>12"
                        "<a href=\"/q?b=\\'&a\">");
  } else if (strcmp(target, "/chunks") == 0) {
    raw_send_string(fd, OK CHUNKED "5;x=y\r\nhello\r\n7\r\n, world\r\n0\r\nX-Trailer: 1\r\n\r\n");
  } else if (strcmp(target, "/zip") == 0) {
    raw_send_string(fd, OK "Content-Encoding: gzip\r\nConnection: close\r\n\r\n");
    raw_send(fd, zipped, sizeof zipped - 1);
  } else if (strcmp(target, "/zip-chunks") == 0) {
    raw_send_string(fd, OK "Content-Encoding: gzip\r\n" CHUNKED "a\r\n");
    raw_send(fd, zipped, 10);
    raw_send_string(fd, "\r\n10\r\n");
    raw_send(fd, zipped + 10, 16);
    raw_send_string(fd, "\r\n0\r\n\r\n");
  } else if (strcmp(target, "/large") == 0) {
    answer_large(fd);
  } else if (strcmp(target, "/again") == 0) {
    raw_send_string(fd, OK "X-Again: yes\r\nContent-Length: 12\r\n\r\nhello, world"); /* as /chunks, without them */
  } else if (strcmp(target, "/endless") == 0) {
    for (raw_send_string(fd, OK "\r\n");;)
      raw_send_string(fd, "again and again ");
  } else if (strcmp(target, "/half") == 0) {
    raw_send_string(fd, OK "Content-Length: 100\r\n\r\nhalf");
  } else if (strcmp(target, "/never") == 0) {
    raw_send_string(fd, OK "Content-Length: 100\r\n\r\n");
  } else if (strcmp(target, "/odd") == 0) {
    raw_send_string(fd, OK "X-Odd: \x1b[2J\r\nContent-Length: 3\r\n\r\nodd");
  } else if (strcmp(target, "/brotli") == 0 && is_asked_for("br")) {
    raw_send_string(fd, OK "Content-Encoding: br\r\nContent-Length: 8\r\n\r\n" BROTLI);
  } else if (strcmp(target, "/zstd") == 0 && is_asked_for("zstd")) {
    raw_send_string(fd, OK "Content-Encoding: zstd\r\nContent-Length: 18\r\n\r\n");
    raw_send(fd, ZSTD, sizeof ZSTD - 1);
  } else if (strncmp(target, "/q?", 3) == 0) {
    raw_send_string(fd, OK "Content-Length: 1\r\n\r\nq");
  } else {
    raw_send_string(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone");
  }
}

static text address_of(unsigned port, const char *target)
{
  text address = {0};
  text_addf(&address, "http://127.0.0.1:%u%s", port, target);
  return address;
}

/* The trial with all of that in its WARC; `*port` of the server, which is still there. */
static trial *crawl_bodies(unsigned *port)
{
  trial *t = served = trial_open(&(trial_options){.entries = 1}); /* for its directory */
  raw_server = raw_start(answer, port);
  text start = address_of(*port, "/");
  assert_int_equal(STRATA(t, CRAWL, "--per-host", "1", "--max-body", "1000000", start.bytes), 0);
  text_free(&start);
  return t;
}

static void assert_shown(trial *t, unsigned port, const char *target, const char *expected, size_t size)
{
  text address = address_of(port, target);
  if (STRATA(t, "show", "DIR", address.bytes) != 0)
    fail_msg("%s", t->err.bytes);
  assert_int_equal(t->out.size, size);
  if (size)
    assert_memory_equal(t->out.bytes, expected, size);
  text_free(&address);
}

CASE(bodies_shown_as_a_browser_sees_them)
{
  unsigned port;
  trial *t = crawl_bodies(&port);
  assert_shown(t, port, "/chunks", "hello, world", 12);
  assert_shown(t, port, "/again", "hello, world", 12);
  assert_shown(t, port, "/zip", UNZIPPED, strlen(UNZIPPED));
  assert_shown(t, port, "/zip-chunks", UNZIPPED, strlen(UNZIPPED));
  assert_shown(t, port, "/gone", "gone", 4);
  assert_shown(t, port, "/q?b=\\'&a", "q", 1);
  char *large = malloc(LARGE);
  assert_non_null(large);
  for (size_t i = 0; i < LARGE; i++)
    large[i] = large_byte(i);
  assert_shown(t, port, "/large", large, LARGE);
  free(large);
  assert_shown(t, port, "/odd", "odd", 3);
  assert_shown(t, port, "/half", "half", 4);
  assert_shown(t, port, "/brotli", "BYTE", 4);
  assert_shown(t, port, "/zstd", UNZIPPED, strlen(UNZIPPED));
}

CASE(headers_too)
{
  unsigned port;
  trial *t = crawl_bodies(&port);
  text address = address_of(port, "/again");
  assert_int_equal(STRATA(t, "show", "DIR", address.bytes, "--headers"), 0);
  assert_string_equal(t->out.bytes, OK "X-Again: yes\r\nContent-Length: 12\r\n\r\nhello, world");
  text_free(&address);
}

CASE(what_is_not_there)
{
  unsigned port;
  trial *t = crawl_bodies(&port);
  text never = address_of(port, "/never"), no = address_of(port, "/no");
  assert_int_equal(STRATA(t, "show", "DIR", never.bytes), 1); /* nothing of it came */
  assert_int_equal(STRATA(t, "show", "DIR", no.bytes), 1);    /* from an interim response, which is no page */
  assert_non_null(strstr(t->err.bytes, "holds no response"));
  assert_int_equal(STRATA(t, "show", "DIR", "mailto:x"), 2);
  assert_int_equal(STRATA(t, "show", "DIR"), 2);
  assert_int_equal(STRATA(t, "show", "/nowhere", no.bytes), 1);
  assert_int_equal(STRATA(t, "crawl", "--no-store", "--warc", "URL"), 2);
  text_free(&never);
  text_free(&no);
}

CASE(bytes_as_they_came)
{
  unsigned port;
  crawl_bodies(&port);
  warc_content c = read_warc(served, 1);
  assert_index(served, 1, &c);
  text chunks = address_of(port, "/chunks"), endless = address_of(port, "/endless"), again = address_of(port, "/again");
  static const char wire[] = OK CHUNKED "5;x=y\r\nhello\r\n7\r\n, world\r\n0\r\nX-Trailer: 1\r\n\r\n";
  const warc_item *item = response_of(&c, chunks.bytes);
  assert_non_null(item);
  assert_true(warc_item_is(item, "response"));
  assert_string_equal(item->block.bytes, wire);
  item = response_of(&c, again.bytes);
  assert_non_null(item);
  assert_true(warc_item_is(item, "revisit")); /* the same payload came in chunks */
  assert_string_equal(warc_item_field(item, "WARC-Refers-To-Target-URI"), chunks.bytes);
  item = response_of(&c, endless.bytes);
  assert_non_null(item);
  assert_string_equal(warc_item_field(item, "WARC-Truncated"), "length");
  assert_string_equal(warc_item_field(item, "WARC-IP-Address"), "127.0.0.1");
  warc_content_free(&c);
  text_free(&chunks);
  text_free(&endless);
  text_free(&again);
}

/* Damage is said in one sentence, and nothing is made up. */
CASE(damaged_files)
{
  unsigned port;
  trial *t = crawl_bodies(&port);
  text zip = address_of(port, "/zip"), file = {0};
  char *path = archive_path(t, 1, ".warc.gz");
  assert_true(text_add_file(&file, path));
  warc_content c = read_warc(t, 1);
  const warc_item *item = response_of(&c, zip.bytes);
  assert_non_null(item);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fwrite(file.bytes, 1, item->offset + item->size / 2, out);
  fclose(out);
  assert_int_equal(STRATA(t, "show", "DIR", zip.bytes), 1);
  assert_non_null(strstr(t->err.bytes, "cut short"));
  out = fopen(path, "w");
  assert_non_null(out);
  memset(file.bytes + item->offset, 'x', item->size);
  fwrite(file.bytes, 1, file.size, out);
  fclose(out);
  assert_int_equal(STRATA(t, "show", "DIR", zip.bytes), 1);
  assert_non_null(strstr(t->err.bytes, "not compressed as it should be"));
  /* and a crawl does not go on behind a file that has lost bytes */
  assert_int_equal(truncate(path, 10), 0);
  assert_int_equal(STRATA(t, CRAWL), 1);
  assert_non_null(strstr(t->err.bytes, "bytes are missing"));
  assert_int_equal(unlink(path), 0);
  assert_int_equal(STRATA(t, CRAWL), 0); /* moved away on purpose: fine */
  warc_content_free(&c);
  text_free(&file);
  text_free(&zip);
  free(path);
}

EACH_CASE(NULL, clean_up)
