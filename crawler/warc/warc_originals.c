/* See warc_originals.h. The table of digests (warc_dedup.h) is filled from the indexes once, when it is first asked;
 * for a server's 304 the indexes are asked for the URL. Called by warc.c, on the thread that crawls.
 *
 * The open file is on disk up to `settled`, and the rest of it in memory (warc_record.h): the one record in millions
 * whose head lies on both sides is taken for unreadable. */
#include "crawler/warc/warc_originals.h"

#include "crawler/http/http_head.h"
#include "crawler/warc/cdxj.h"
#include "crawler/warc/warc_dedup.h"
#include "crawler/warc/warc_lookup.h"
#include "crawler/warc/warc_read.h"
#include "frontier/base/own_file.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char NO_PAYLOAD[] = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"; /* of no bytes */

struct warc_originals {
  const warc_files *files;
  unsigned sorted; /* files 1 to `sorted` are of earlier runs */
  bool is_loaded;
  warc_dedup *payloads;
};

/* ---- from the indexes ------------------------------------------------------------------------------------------ */

typedef struct loading {
  warc_dedup *payloads;
  unsigned file;
  bool is_full;
} loading;

static bool is_text(const char *value, size_t size, const char *text)
{
  return value && size == strlen(text) && memcmp(value, text, size) == 0;
}

static void take_line(void *context, const char *line, size_t size)
{
  loading *l = context;
  size_t mime_size, digest_size, offset_size;
  const char *mime = cdxj_value(line, size, "mime", &mime_size);
  const char *digest = cdxj_value(line, size, "digest", &digest_size);
  const char *offset = cdxj_value(line, size, "offset", &offset_size);
  bool has_payload = digest && offset && !is_text(mime, mime_size, CDXJ_REVISIT);
  if (has_payload && !is_text(digest, digest_size, NO_PAYLOAD))
    l->is_full |= !warc_dedup_put(l->payloads, digest, digest_size, (warc_spot){l->file, strtoull(offset, NULL, 10)});
}

/* An index without its file, which was moved away, is left out. */
static void load(warc_originals *o)
{
  loading l = {.payloads = o->payloads};
  char path[WARC_PATH_SIZE];
  struct stat info;
  for (l.file = 1; l.file <= o->sorted && !l.is_full; l.file++) {
    warc_path(o->files->directory, l.file, WARC_SUFFIX, path);
    bool is_there = lstat(path, &info) == 0;
    warc_path(o->files->directory, l.file, WARC_INDEX, path);
    if (is_there)
      (void)cdxj_each(path, take_line, &l); /* what cannot be read is stored again */
  }
}

warc_originals *warc_originals_create(const warc_files *files)
{
  warc_originals *o = calloc(1, sizeof *o);
  if (!o || !(o->payloads = warc_dedup_create())) {
    free(o);
    return NULL;
  }
  o->files = files;
  o->sorted = files->number;
  return o;
}

void warc_originals_free(warc_originals *o)
{
  if (o)
    warc_dedup_free(o->payloads);
  free(o);
}

/* ---- from the record ------------------------------------------------------------------------------------------- */

typedef struct reading {
  warc_original original;
  const char *request; /* NULL: any record will do */
  size_t request_size;
  bool is_revisit; /* the record: its payload is elsewhere, too */
} reading;

static bool is_same_field(const reading *r, const char *condition, const char *head, size_t head_size, const char *name)
{
  size_t size, value_size;
  const char *wanted = http_head_find(r->request, r->request_size, condition, &size);
  const char *value = http_head_find(head, head_size, name, &value_size);
  return wanted && value && size == value_size && memcmp(wanted, value, size) == 0;
}

/* The record has the validator that the request names; of two, a server looks at the first (RFC 9110, 13.2.2). */
static bool is_validated(const reading *r, const char *head, size_t size)
{
  size_t ignored;
  if (http_head_find(r->request, r->request_size, "If-None-Match", &ignored))
    return is_same_field(r, "If-None-Match", head, size, "ETag");
  return is_same_field(r, "If-Modified-Since", head, size, "Last-Modified");
}

static void copy_field(const char *head, size_t size, const char *name, char *room, size_t room_size)
{
  size_t value_size = 0;
  const char *value = http_head_find(head, size, name, &value_size);
  snprintf(room, room_size, "%.*s", value && value_size < room_size ? (int)value_size : 0, value ? value : "");
}

static bool take_heads(void *context, const char *head, size_t size, const char *http_head, size_t http_size)
{
  reading *r = context;
  warc_original *o = &r->original;
  size_t url_size;
  const char *url = http_head_find(head, size, "WARC-Target-URI", &url_size);
  copy_field(head, size, "WARC-Record-ID", o->record, sizeof o->record);
  copy_field(head, size, "WARC-Date", o->date, sizeof o->date);
  copy_field(head, size, "WARC-Payload-Digest", o->digest, sizeof o->digest);
  r->is_revisit = http_head_says(head, size, "WARC-Type", "revisit");
  if (url && *o->date && (!r->request || is_validated(r, http_head, http_size)))
    o->url = strndup(url, url_size);
  return false;
}

/* The record at `spot`; NULL: it cannot be read. */
static FILE *open_record(const warc_originals *o, warc_spot spot)
{
  const warc_file *data = &o->files->data;
  char path[WARC_PATH_SIZE];
  if (spot.file == o->files->number && data->fd >= 0 && spot.offset >= data->settled) {
    assert(spot.offset < warc_file_end(data));
    size_t begin = (size_t)(spot.offset - data->settled);
    return fmemopen(data->pending + begin, data->size - begin, "r");
  }
  warc_path(o->files->directory, spot.file, WARC_SUFFIX, path);
  FILE *file = own_file_stream(path, "r", 0);
  if (file && fseeko(file, (off_t)spot.offset, SEEK_SET) == 0)
    return file;
  if (file)
    fclose(file);
  return NULL;
}

static void read_record(const warc_originals *o, warc_spot spot, reading *r)
{
  const warc_reader reader = {.heads = take_heads, .context = r};
  const char *why;
  FILE *file = open_record(o, spot);
  if (!file)
    return;
  (void)warc_read_stream(file, &reader, &why); /* whatever is wrong: then there is no original */
  fclose(file);
}

static warc_original none(warc_original *o)
{
  free(o->url);
  return (warc_original){0};
}

warc_original warc_originals_find(warc_originals *o, const char *digest)
{
  reading r = {0};
  if (!o->is_loaded)
    load(o);
  o->is_loaded = true;
  warc_spot spot = warc_dedup_find(o->payloads, digest, strlen(digest));
  if (spot.file)
    read_record(o, spot, &r);
  return !r.is_revisit && strcmp(r.original.digest, digest) == 0 ? r.original : none(&r.original);
}

warc_original warc_originals_unmodified(warc_originals *o, const char *url, const char *request, size_t size)
{
  reading r = {.request = request, .request_size = size};
  capture_place place = warc_lookup_success(o->files->directory, o->sorted, url);
  if (place.file)
    read_record(o, (warc_spot){place.file, place.offset}, &r);
  if (!r.original.url || !r.is_revisit)
    return r.original.url ? r.original : none(&r.original);
  free(r.original.url);
  return warc_originals_find(o, r.original.digest);
}

void warc_originals_add(warc_originals *o, const char *digest, uint64_t offset)
{
  (void)warc_dedup_put(o->payloads, digest, strlen(digest), (warc_spot){o->files->number, offset});
}
