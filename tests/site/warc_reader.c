/* See warc_reader.h. */
#include "tests/site/warc_reader.h"

#include <ctype.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

/* ---- fields ---------------------------------------------------------------------------------------------------- */

/* The value of a field in "Name: value CRLF" lines, copied; "" if there is none. */
static const char *field_of(const char *head, const char *name)
{
  enum { KEPT = 4 };
  static char values[KEPT][16384];
  static unsigned turn;
  char *value = values[turn++ % KEPT];
  size_t name_size = strlen(name);
  *value = '\0';
  for (const char *line = strstr(head, "\r\n"); line && line[2]; line = strstr(line + 2, "\r\n"))
    if (strncasecmp(line + 2, name, name_size) == 0 && line[2 + name_size] == ':') {
      const char *from = line + 3 + name_size + strspn(line + 3 + name_size, " \t");
      snprintf(value, sizeof values[0], "%.*s", (int)strcspn(from, "\r"), from);
    }
  return value;
}

const char *warc_item_field(const warc_item *item, const char *name)
{
  return field_of(item->head.bytes, name);
}

bool warc_item_is(const warc_item *item, const char *type)
{
  return strcmp(warc_item_field(item, "WARC-Type"), type) == 0;
}

/* ---- members --------------------------------------------------------------------------------------------------- */

/* One gzip member from `at` on; its size, or 0: it is not whole. */
static size_t inflate_member(const text *file, size_t at, text *out)
{
  unsigned char piece[65536];
  z_stream z = {.next_in = (unsigned char *)file->bytes + at, .avail_in = (uInt)(file->size - at)};
  int status = inflateInit2(&z, 15 + 16);
  while (status == Z_OK) {
    z.next_out = piece;
    z.avail_out = sizeof piece;
    status = inflate(&z, Z_NO_FLUSH);
    text_add_bytes(out, (const char *)piece, sizeof piece - z.avail_out);
  }
  size_t size = z.total_in;
  inflateEnd(&z);
  return status == Z_STREAM_END ? size : 0;
}

__attribute__((format(printf, 3, 4))) static void fault(warc_content *c, const warc_item *item, const char *format,
                                                        ...);
static void fault(warc_content *c, const warc_item *item, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "  record at byte %zu: ", item->offset);
  vfprintf(stderr, format, arguments); // NOLINT(clang-analyzer-valist.Uninitialized)
  fprintf(stderr, "\n%s", item->head.bytes ? item->head.bytes : "");
  va_end(arguments);
  c->bad++;
}

/* version CRLF *(named-field CRLF) CRLF block CRLF CRLF, and not a byte more. */
static void split(warc_content *c, warc_item *item, const text *record)
{
  const char *end = record->bytes ? strstr(record->bytes, "\r\n\r\n") : NULL;
  if (!end || strncmp(record->bytes, "WARC/1.1\r\n", 10) != 0) {
    fault(c, item, "no WARC head");
    return;
  }
  size_t head_size = (size_t)(end + 4 - record->bytes);
  text_add_bytes(&item->head, record->bytes, head_size);
  const char *length = warc_item_field(item, "Content-Length");
  size_t block_size = strtoull(length, NULL, 10);
  if (!isdigit((unsigned char)*length) || record->size != head_size + block_size + 4 ||
      memcmp(record->bytes + record->size - 4, "\r\n\r\n", 4) != 0)
    fault(c, item, "Content-Length and two line ends do not end the record");
  else
    text_add_bytes(&item->block, record->bytes + head_size, block_size);
}

/* ---- digests --------------------------------------------------------------------------------------------------- */

/* "sha1:" and RFC 4648 base32, found bit by bit. */
static void label(const char *bytes, size_t size, char out[40])
{
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned hash_size = 0;
  EVP_Digest(bytes, size, hash, &hash_size, EVP_sha1(), NULL);
  memcpy(out, "sha1:", 5);
  for (unsigned i = 0; i < 32; i++) {
    unsigned value = 0;
    for (unsigned bit = 5 * i; bit < 5 * i + 5; bit++)
      value = value << 1 | (hash[bit / 8] >> (7 - bit % 8) & 1);
    out[5 + i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[value];
  }
  out[37] = '\0';
}

text warc_item_payload(const warc_item *item)
{
  text payload = {0}, head = {0};
  const char *end = item->block.bytes ? memmem(item->block.bytes, item->block.size, "\r\n\r\n", 4) : NULL;
  const char *at = end ? end + 4 : "", *stop = end ? item->block.bytes + item->block.size : at;
  if (end)
    text_add_bytes(&head, item->block.bytes, (size_t)(at - item->block.bytes));
  bool is_chunked = end && strcasecmp(field_of(head.bytes, "Transfer-Encoding"), "chunked") == 0;
  text_free(&head);
  if (!is_chunked) {
    text_add_bytes(&payload, at, (size_t)(stop - at));
    return payload;
  }
  while (at < stop) {
    char *line_end;
    size_t size = strtoull(at, &line_end, 16);
    const char *data = memchr(line_end, '\n', (size_t)(stop - line_end));
    if (!data || size == 0)
      break;
    size_t left = (size_t)(stop - data - 1);
    text_add_bytes(&payload, data + 1, size < left ? size : left);
    at = size < left ? data + 1 + size + 2 : stop;
  }
  return payload;
}

/* ---- what the standard demands ---------------------------------------------------------------------------- */

static bool is_date(const char *date)
{
  int y, mo, d, h, mi, end = 0;
  double s;
  return sscanf(date, "%4d-%2d-%2dT%2d:%2d:%lfZ%n", &y, &mo, &d, &h, &mi, &s, &end) == 6 && end && !date[end];
}

/* Looked for backwards: it stands close before. */
static bool has_record(const warc_content *c, size_t before, const char *id, const char *type)
{
  for (size_t i = before; i-- > 0;)
    if (strcmp(warc_item_field(&c->items[i], "WARC-Record-ID"), id) == 0 && warc_item_is(&c->items[i], type))
      return true;
  return false;
}

static void judge_digests(warc_content *c, const warc_item *item)
{
  char right[40];
  if (*warc_item_field(item, "WARC-Block-Digest")) {
    label(item->block.bytes, item->block.size, right);
    if (strcmp(right, warc_item_field(item, "WARC-Block-Digest")) != 0)
      fault(c, item, "the block's digest is %s", right);
  }
  if (warc_item_is(item, "response")) {
    text payload = warc_item_payload(item);
    label(payload.bytes ? payload.bytes : "", payload.size, right);
    if (strcmp(right, warc_item_field(item, "WARC-Payload-Digest")) != 0)
      fault(c, item, "the payload's digest is %s", right);
    text_free(&payload);
  }
}

static bool agree(const warc_item *a, const char *field_of_a, const warc_item *b, const char *field_of_b)
{
  return strcmp(warc_item_field(a, field_of_a), warc_item_field(b, field_of_b)) == 0;
}

bool warc_content_has_original(const warc_content *c, size_t before, const warc_item *revisit)
{
  for (size_t i = 0; i < before; i++)
    if (warc_item_is(&c->items[i], "response") &&
        agree(&c->items[i], "WARC-Target-URI", revisit, "WARC-Refers-To-Target-URI") &&
        agree(&c->items[i], "WARC-Payload-Digest", revisit, "WARC-Payload-Digest") &&
        agree(&c->items[i], "WARC-Record-ID", revisit, "WARC-Refers-To") &&
        agree(&c->items[i], "WARC-Date", revisit, "WARC-Refers-To-Date"))
      return true;
  return false;
}

/* Whom it refers to may be in an earlier file: archive_judge knows those. A 304 is there as it came, head alone. */
static void judge_revisit(warc_content *c, const warc_item *item)
{
  static const char equal[] = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
                    not_modified[] = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";
  bool is_304 = item->block.size > 13 && memcmp(item->block.bytes + 8, " 304 ", 5) == 0;
  if (is_304 && strcmp(warc_item_field(item, "WARC-Profile"), not_modified) == 0)
    return;
  if (strcmp(warc_item_field(item, "WARC-Profile"), equal) != 0)
    fault(c, item, "not the profile of equal payloads");
  if (strcmp(warc_item_field(item, "WARC-Truncated"), "length") != 0)
    fault(c, item, "not said to be cut");
}

static void judge_http(warc_content *c, const warc_item *item, const char *start, const char *type)
{
  if (strcmp(warc_item_field(item, "Content-Type"), type) != 0 || item->block.size < strlen(start) ||
      memcmp(item->block.bytes, start, strlen(start)) != 0 ||
      !memmem(item->block.bytes, item->block.size, "\r\n\r\n", 4))
    fault(c, item, "no HTTP message in the block");
}

static void judge(warc_content *c, size_t at)
{
  const warc_item *item = &c->items[at];
  const char *id = warc_item_field(item, "WARC-Record-ID");
  bool is_response = warc_item_is(item, "response") || warc_item_is(item, "revisit");
  if (strlen(id) != 47 || strncmp(id, "<urn:uuid:", 10) != 0 || !is_date(warc_item_field(item, "WARC-Date")))
    fault(c, item, "record id or date");
  if (warc_item_is(item, "warcinfo")) {
    if (at != 0)
      fault(c, item, "a warcinfo record in the middle");
    return;
  }
  if (at == 0 || !agree(item, "WARC-Warcinfo-ID", &c->items[0], "WARC-Record-ID"))
    fault(c, item, "it is not of this file's warcinfo");
  const char *target = warc_item_field(item, "WARC-Target-URI");
  if (strncmp(target, "http://", 7) != 0 && strncmp(target, "https://", 8) != 0)
    fault(c, item, "no target");
  if (is_response) {
    judge_http(c, item, "HTTP/1.", "application/http;msgtype=response");
    judge_digests(c, item);
    if (warc_item_is(item, "revisit"))
      judge_revisit(c, item);
    return;
  }
  if (warc_item_is(item, "request"))
    judge_http(c, item, "GET ", "application/http;msgtype=request");
  else if (!warc_item_is(item, "metadata"))
    fault(c, item, "an unknown type");
  char with[64];
  snprintf(with, sizeof with, "%s", warc_item_field(item, "WARC-Concurrent-To"));
  if (!has_record(c, at, with, "response") && !has_record(c, at, with, "revisit"))
    fault(c, item, "not concurrent to a response before it");
}

warc_content warc_content_read(const char *path)
{
  warc_content c = {0};
  text file = {0};
  if (!text_add_file(&file, path))
    return c;
  for (size_t at = 0, size; at < file.size; at += size) {
    text record = {0};
    warc_item item = {.offset = at};
    item.size = size = inflate_member(&file, at, &record);
    if (!size) {
      fault(&c, &item, "no whole gzip member");
      text_free(&record);
      break;
    }
    split(&c, &item, &record);
    text_free(&record);
    warc_item *larger = realloc(c.items, (c.count + 1) * sizeof *larger);
    if (!larger)
      abort();
    c.items = larger;
    c.items[c.count++] = item;
  }
  for (size_t i = 0; i < c.count; i++)
    judge(&c, i);
  text_free(&file);
  return c;
}

void warc_content_free(warc_content *c)
{
  for (size_t i = 0; i < c->count; i++) {
    text_free(&c->items[i].head);
    text_free(&c->items[i].block);
  }
  free(c->items);
  *c = (warc_content){0};
}
