/* See warc.h. */
#include "crawler/warc/warc.h"

#include "crawler/base/body_hash.h"
#include "crawler/base/mime_type.h"
#include "crawler/warc/cdxj.h"
#include "crawler/http/dechunk.h"
#include "crawler/http/http_head.h"
#include "crawler/warc/warc_files.h"
#include "crawler/warc/warc_originals.h"
#include "crawler/warc/warc_record.h"
#include "frontier/base/machine.h"
#include "frontier/base/own_file.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { URN = 45 + 1, DATE = 24 + 1, STAMP = 14 + 1, DIGEST = 5 + BODY_HASH_TEXT };

struct warc {
  warc_options options;
  char *directory;
  warc_files files;
  warc_originals *originals;
  body_hash *block, *payload;
  char warcinfo[URN];  /* of the file that is open */
  uint8_t chance[256]; /* of the kernel, for the next names of records; */
  size_t chance_left;  /* so many, at its end */
  int torn;            /* errno of what ended a record in its middle: nothing more may be called committed; or 0 */
  char message[WARC_MESSAGE_SIZE];
};

/* ---- names and numbers --------------------------------------------------------------------------------------- */

/* A call to the kernel for each of three names a page took longer than all that is done with them. */
static void draw(warc *w, uint8_t bytes[16])
{
  if (w->chance_left < 16) {
    while (!machine_random(w->chance, sizeof w->chance))
      continue; /* so few bytes there are, sooner or later */
    w->chance_left = sizeof w->chance;
  }
  memcpy(bytes, w->chance + sizeof w->chance - w->chance_left, 16);
  w->chance_left -= 16;
}

/* RFC 4122, version 4: "urn:uuid:" and 36 characters. */
static void make_urn(warc *w, char urn[URN])
{
  uint8_t b[16];
  draw(w, b);
  b[6] = (uint8_t)((b[6] & 0x0F) | 0x40);
  b[8] = (uint8_t)((b[8] & 0x3F) | 0x80);
  snprintf(urn, URN, "urn:uuid:%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
           b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

/* "2026-11-20T20:32:08.123Z" for WARC-Date, "20261120203208" for the index. */
static void make_dates(uint64_t epoch_ms, char date[DATE], char stamp[STAMP])
{
  time_t seconds = (time_t)(epoch_ms / 1000);
  struct tm utc;
  char day[16], clock[16];
  gmtime_r(&seconds, &utc);
  strftime(day, sizeof day, "%Y-%m-%d", &utc);
  strftime(clock, sizeof clock, "%H:%M:%S", &utc);
  snprintf(date, DATE, "%.10sT%.8s.%03uZ", day, clock, (unsigned)(epoch_ms % 1000));
  strftime(stamp, STAMP, "%Y%m%d%H%M%S", &utc);
}

/* ---- digests --------------------------------------------------------------------------------------------------- */

typedef struct digests {
  char block[DIGEST], payload[DIGEST]; /* "sha1:..." */
  uint64_t payload_size;
} digests;

typedef struct digesting {
  warc *warc;
  bool is_chunked;
  dechunk dechunk;
  uint64_t payload_size;
} digesting;

static void take_payload(void *context, const char *bytes, size_t size)
{
  digesting *d = context;
  body_hash_add(d->warc->payload, bytes, size);
  d->payload_size += size;
}

static void take_block(void *context, const char *bytes, size_t size)
{
  digesting *d = context;
  body_hash_add(d->warc->block, bytes, size);
  if (d->is_chunked)
    dechunk_feed(&d->dechunk, bytes, size, take_payload, d);
  else
    take_payload(d, bytes, size);
}

static void end_digest(body_hash *h, char digest[DIGEST])
{
  memcpy(digest, "sha1:", 5);
  body_hash_end(h, digest + 5);
}

/* Of the block: head and body as they came. Of the payload: the body without its transfer coding, by the standard. */
static bool digest_exchange(warc *w, const exchange *x, const char *head, size_t head_size, digests *out)
{
  digesting d = {.warc = w, .is_chunked = http_head_says(head, head_size, "Transfer-Encoding", "chunked")};
  body_hash_begin(w->block);
  body_hash_begin(w->payload);
  body_hash_add(w->block, head, head_size);
  bool read = exchange_body(x, take_block, &d);
  end_digest(w->block, out->block);
  end_digest(w->payload, out->payload);
  out->payload_size = d.payload_size;
  return read;
}

/* ---- records ---------------------------------------------------------------------------------------------- */

/* What the three records of a fetch have in common. */
typedef struct capture {
  const warc_fetch *fetch;
  char date[DATE], stamp[STAMP], urn[URN];
  char *head, *request; /* as HTTP/1.1 */
  size_t head_size, request_size;
  bool is_http_2;
  digests digests;
  bool is_unmodified;     /* a server's 304 */
  warc_original original; /* what its payload is to be read from; url NULL: this record, or an unknown one */
} capture;

/* HTTP/2 has no start lines; libcurl writes them as "HTTP/2 200" and "GET / HTTP/2". Readers of WARC know HTTP/1.1
 * alone, so that is what the records say, with a WARC-Protocol field for the truth. */
static char *as_http_1(const char *head, size_t size, size_t *out_size, bool *was_2)
{
  if (!head) /* nothing was sent, or came */
    head = "";
  const char *line_end = memchr(head, '\n', size);
  const char *at = line_end ? memmem(head, (size_t)(line_end - head), "HTTP/2", 6) : NULL;
  char *copy = malloc(size + 3), *out = copy;
  *was_2 = at != NULL && at[6] != '.';
  if (!copy)
    return NULL;
  if (*was_2) {
    size_t before = (size_t)(at - head);
    out = mempcpy(mempcpy(out, head, before), "HTTP/1.1", 8);
    head += before + 6;
    size -= before + 6;
  }
  if (size)
    out = mempcpy(out, head, size);
  *out_size = (size_t)(out - copy);
  assert(!*was_2 || *out_size >= 8);
  return copy;
}

static void begin_record(warc *w, const char *type, const capture *c, const char *urn)
{
  warc_file *f = &w->files.data;
  warc_record_begin(f);
  warc_record_text(f,
                   "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <%s>\r\nWARC-Warcinfo-ID: <%s>\r\nWARC-Date: %s\r\n"
                   "WARC-Target-URI: %s\r\n",
                   type, urn, w->warcinfo, c->date, c->fetch->url);
}

static void put_server(warc *w, const capture *c)
{
  if (*c->fetch->address)
    warc_record_text(&w->files.data, "WARC-IP-Address: %s\r\n", c->fetch->address);
  if (c->is_http_2)
    warc_record_text(&w->files.data, "WARC-Protocol: h2\r\n");
}

static void end_head(warc *w, const char *content_type, uint64_t size)
{
  warc_record_text(&w->files.data, "Content-Type: %s\r\nContent-Length: %llu\r\n\r\n", content_type,
                   (unsigned long long)size);
}

static void add_piece(void *context, const char *bytes, size_t size)
{
  warc *w = context;
  warc_record_add(&w->files.data, bytes, size);
}

static bool put_response(warc *w, const capture *c)
{
  begin_record(w, "response", c, c->urn);
  put_server(w, c);
  warc_record_text(&w->files.data, "WARC-Block-Digest: %s\r\nWARC-Payload-Digest: %s\r\n", c->digests.block,
                   c->digests.payload);
  const char *truncated = exchange_is_cut(c->fetch->exchange) ? "length" : c->fetch->truncated;
  if (truncated)
    warc_record_text(&w->files.data, "WARC-Truncated: %s\r\n", truncated);
  end_head(w, "application/http;msgtype=response", c->head_size + exchange_body_size(c->fetch->exchange));
  warc_record_add(&w->files.data, c->head, c->head_size);
  bool read = exchange_body(c->fetch->exchange, add_piece, w);
  warc_record_end(&w->files.data);
  return read;
}

/* The payload is in another record: the head alone, and which that is, unless a 304 is of a page that is not stored. */
static void put_revisit(warc *w, const capture *c)
{
  static const char profile[] = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/";
  const warc_original *o = &c->original;
  warc_file *f = &w->files.data;
  begin_record(w, "revisit", c, c->urn);
  put_server(w, c);
  warc_record_text(f, "%s%s\r\n", profile, c->is_unmodified ? "server-not-modified" : "identical-payload-digest");
  if (!c->is_unmodified)
    warc_record_text(f, "WARC-Truncated: length\r\n"); /* the standard wants it: 6.7.2 */
  if (o->url)
    warc_record_text(f, "WARC-Refers-To-Target-URI: %s\r\nWARC-Refers-To-Date: %s\r\n", o->url, o->date);
  if (*o->record)
    warc_record_text(f, "WARC-Refers-To: %s\r\n", o->record);
  if (*o->digest)
    warc_record_text(f, "WARC-Payload-Digest: %s\r\n", o->digest);
  end_head(w, "application/http;msgtype=response", c->head_size);
  warc_record_add(f, c->head, c->head_size);
  warc_record_end(f);
}

static bool is_revisit(const capture *c)
{
  return c->is_unmodified || c->original.url;
}

static void put_request(warc *w, const capture *c)
{
  char urn[URN];
  make_urn(w, urn);
  begin_record(w, "request", c, urn);
  warc_record_text(&w->files.data, "WARC-Concurrent-To: <%s>\r\n", c->urn);
  put_server(w, c);
  end_head(w, "application/http;msgtype=request", c->request_size);
  warc_record_add(&w->files.data, c->request, c->request_size);
  warc_record_end(&w->files.data);
}

/* How the crawl came here, by the numbers of pages.jsonl. */
static void put_metadata(warc *w, const capture *c)
{
  char urn[URN], block[160];
  const warc_fetch *f = c->fetch;
  int size = snprintf(block, sizeof block, "id: %llu\r\nvia-id: %llu\r\ndepth: %u\r\nfetchTimeMs: %.0f\r\n",
                      (unsigned long long)f->id, (unsigned long long)f->via, f->depth, 1000 * f->seconds);
  make_urn(w, urn);
  begin_record(w, "metadata", c, urn);
  warc_record_text(&w->files.data, "WARC-Concurrent-To: <%s>\r\n", c->urn);
  end_head(w, "application/warc-fields", (uint64_t)size);
  warc_record_add(&w->files.data, block, (size_t)size);
  warc_record_end(&w->files.data);
}

static void put_warcinfo(warc *w)
{
  char date[DATE], stamp[STAMP], block[1024], path[WARC_PATH_SIZE];
  warc_file *f = &w->files.data;
  make_dates(machine_wall_ms(), date, stamp);
  make_urn(w, w->warcinfo);
  warc_path("", w->files.number, WARC_SUFFIX, path);
  int size = snprintf(block, sizeof block,
                      "software: strata/" STRATA_VERSION "\r\nformat: WARC File Format 1.1\r\n"
                      "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
                      "robots: %s\r\nhttp-header-user-agent: %.512s\r\n",
                      w->options.robots, w->options.user_agent);
  warc_record_begin(f);
  warc_record_text(f,
                   "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <%s>\r\nWARC-Date: %s\r\n"
                   "WARC-Filename: %s\r\n",
                   w->warcinfo, date, path + 1);
  end_head(w, "application/warc-fields", (uint64_t)size);
  warc_record_add(f, block, (size_t)size);
  warc_record_end(f);
}

/* ---- a fetch ---------------------------------------------------------------------------------------------- */

static void put_index(warc *w, const capture *c, uint64_t offset, uint64_t end)
{
  mime_type type;
  char file[WARC_PATH_SIZE];
  assert(end > offset || w->files.data.error);
  const char *digest = !c->is_unmodified ? c->digests.payload : *c->original.digest ? c->original.digest : "-";
  mime_type_read(c->fetch->type, strlen(c->fetch->type), &type);
  warc_path("", w->files.number, WARC_SUFFIX, file);
  cdxj_put(&w->files.lines, &(cdxj_capture){.url = c->fetch->url,
                                            .date = c->stamp,
                                            .mime = is_revisit(c)   ? CDXJ_REVISIT
                                                    : *type.essence ? type.essence
                                                                    : "unk", /* as indexes say */
                                            .status = http_head_status(c->head, c->head_size),
                                            .digest = digest,
                                            .offset = offset,
                                            .size = end - offset,
                                            .file = file + 1});
}

static int report(warc *w, int error)
{
  const char *file = w->files.not_made;
  if (error)
    snprintf(w->message, sizeof w->message, "%.400s%s: writing the WARC: %s", *file ? file : w->directory,
             *file ? "" : "/", own_file_words(error));
  return error;
}

/* A file with room: the open one, or the next. */
static int find_room(warc *w)
{
  bool is_new;
  int error = warc_files_ready(&w->files, w->options.file_bytes, &is_new);
  if (!error && is_new)
    put_warcinfo(w);
  return error;
}

static int gather(warc *w, const warc_fetch *fetch, capture *c)
{
  size_t size;
  bool was_2;
  const char *bytes = exchange_head(fetch->exchange, &size);
  c->fetch = fetch;
  c->head = as_http_1(bytes, size, &c->head_size, &c->is_http_2);
  bytes = exchange_request(fetch->exchange, &size);
  c->request = as_http_1(bytes, size, &c->request_size, &was_2);
  if (!c->head || !c->request)
    return ENOMEM;
  make_dates(fetch->start_ms, c->date, c->stamp);
  make_urn(w, c->urn);
  return digest_exchange(w, fetch->exchange, c->head, c->head_size, &c->digests) ? 0 : errno;
}

static warc_original find_original(const warc *w, const capture *c)
{
  if (c->is_unmodified)
    return warc_originals_unmodified(w->originals, c->fetch->url, c->request, c->request_size);
  return c->digests.payload_size ? warc_originals_find(w->originals, c->digests.payload) : (warc_original){0};
}

static int put_records(warc *w, capture *c)
{
  enum { NOT_MODIFIED = 304 };
  c->is_unmodified = http_head_status(c->head, c->head_size) == NOT_MODIFIED;
  c->original = find_original(w, c);
  uint64_t offset = warc_file_end(&w->files.data);
  assert(w->files.data.fd >= 0 && *w->warcinfo && !w->torn); /* every record names the warcinfo of its file */
  int error = 0;
  if (is_revisit(c))
    put_revisit(w, c);
  else
    error = put_response(w, c) ? 0 : errno;
  if (!is_revisit(c) && c->digests.payload_size)
    warc_originals_add(w->originals, c->digests.payload, offset);
  put_index(w, c, offset, warc_file_end(&w->files.data));
  put_request(w, c);
  put_metadata(w, c);
  return w->files.data.error ? w->files.data.error : w->files.lines.failed ? ENOMEM : error;
}

int warc_write(warc *w, const warc_fetch *fetch)
{
  capture c = {0};
  int error = w->torn ? w->torn : exchange_error(fetch->exchange);
  if (!error)
    error = find_room(w);
  if (!error)
    error = gather(w, fetch, &c);
  if (!error)
    error = w->torn = put_records(w, &c);
  free(c.head);
  free(c.request);
  free(c.original.url);
  return report(w, error);
}

int warc_settle(warc *w, warc_place *place)
{
  int error = w->torn ? w->torn : warc_files_settle(&w->files);
  if (!error)
    *place = warc_files_place(&w->files);
  return report(w, error);
}

/* ---- before and after ------------------------------------------------------------------------------------- */

warc *warc_open(const warc_options *options, warc_place place, char message[WARC_MESSAGE_SIZE])
{
  warc *w = calloc(1, sizeof *w);
  if (!w || !(w->directory = strdup(options->directory)) || !warc_files_init(&w->files, w->directory)) {
    snprintf(message, WARC_MESSAGE_SIZE, "out of memory for the WARC");
    if (w)
      free(w->directory);
    free(w);
    return NULL;
  }
  w->options = *options;
  w->block = body_hash_create(BODY_HASH_SHA1);
  w->payload = body_hash_create(BODY_HASH_SHA1);
  bool is_recovered = warc_files_recover(&w->files, place, message);
  if (is_recovered && w->block && w->payload && (w->originals = warc_originals_create(&w->files)))
    return w;
  if (is_recovered)
    snprintf(message, WARC_MESSAGE_SIZE, "out of memory for the WARC");
  warc_close(w, false, w->message);
  return NULL;
}

bool warc_close(warc *w, bool is_committed, char message[WARC_MESSAGE_SIZE])
{
  if (!w)
    return true;
  bool sorted = !is_committed || warc_files_sort(&w->files, message);
  warc_files_free(&w->files);
  warc_originals_free(w->originals);
  body_hash_free(w->block);
  body_hash_free(w->payload);
  free(w->directory);
  free(w);
  return sorted;
}

const char *warc_message(const warc *w)
{
  return w->message;
}
