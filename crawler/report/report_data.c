/* See report_data.h. The file is not trusted: lines that are not JSON objects are counted and left out. */
#include "crawler/report/report_data.h"
#include "crawler/report/report_urls.h"
#include "frontier/base/own_file.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NOT_MODIFIED = 304 };

typedef struct body {
  uint64_t hash;
  uint64_t count_bytes; /* 24 bits of count, 40 of bytes: 16 bytes a page matter */
} body;

/* COUNT takes each line for the one that counts. Where a URL has several, all is counted once more: RECOUNT. */
typedef enum pass { COUNT, RECOUNT, FIND_COPIES } pass;

typedef struct reading {
  report_data *data;
  report_urls *urls;
  body *bodies; /* open addressing; hash 0: free */
  size_t body_count, body_room;
  pass pass;
  bool has_failed;
} reading;

static const char *string_of(const json_t *line, const char *name)
{
  const char *value = json_string_value(json_object_get(line, name));
  return value ? value : "";
}

static uint64_t number_of(const json_t *line, const char *name)
{
  json_int_t value = json_integer_value(json_object_get(line, name));
  return value > 0 ? (uint64_t)value : 0;
}

/* ---- lists ----------------------------------------------------------------------------------------------------- */

static void list_add(reading *r, report_list *list, const char *address, double value)
{
  size_t at = list->count;
  if (at == REPORT_TOP && value <= list->pages[at - 1].value)
    return;
  char *copy = strdup(address);
  if (!copy) {
    r->has_failed = true;
    return;
  }
  if (at == REPORT_TOP)
    free(list->pages[--at].url);
  else
    list->count++;
  for (; at > 0 && list->pages[at - 1].value < value; at--)
    list->pages[at] = list->pages[at - 1];
  list->pages[at] = (report_page){copy, value};
}

/* ---- equal bodies ----------------------------------------------------------------------------------------- */

enum { COUNT_SHIFT = 40 };
static const uint64_t BYTES_MASK = ((uint64_t)1 << COUNT_SHIFT) - 1;

static body *find_body(const reading *r, uint64_t hash)
{
  size_t at = (size_t)hash & (r->body_room - 1);
  while (r->bodies[at].hash && r->bodies[at].hash != hash)
    at = (at + 1) & (r->body_room - 1);
  return &r->bodies[at];
}

static bool grow_bodies(reading *r)
{
  if (2 * (r->body_count + 1) <= r->body_room)
    return true;
  body *old = r->bodies;
  size_t old_room = r->body_room;
  r->body_room = old_room ? 2 * old_room : 1024;
  r->bodies = calloc(r->body_room, sizeof *r->bodies);
  if (!r->bodies) {
    r->bodies = old;
    r->body_room = old_room;
    return false;
  }
  for (size_t i = 0; i < old_room; i++)
    if (old[i].hash)
      *find_body(r, old[i].hash) = old[i];
  free(old);
  return true;
}

static uint64_t hash_of(const json_t *line)
{
  char digits[17] = "";
  memcpy(digits, string_of(line, "sha256"), strnlen(string_of(line, "sha256"), 16));
  return strtoull(digits, NULL, 16);
}

static void count_body(reading *r, const json_t *line, uint64_t bytes)
{
  uint64_t hash = hash_of(line);
  if (!hash)
    return;
  if (!grow_bodies(r)) {
    r->has_failed = true;
    return;
  }
  body *b = find_body(r, hash);
  r->body_count += b->hash == 0;
  r->data->copied_pages += b->hash != 0;
  b->hash = hash;
  b->count_bytes = ((b->count_bytes >> COUNT_SHIFT) + 1) << COUNT_SHIFT | (bytes & BYTES_MASK);
}

/* The bodies with the most copies, before the second pass looks for their URLs. */
static void choose_copies(reading *r)
{
  report_data *d = r->data;
  for (size_t i = 0; i < r->body_room; i++) {
    report_copies c = {.hash = r->bodies[i].hash,
                       .count = r->bodies[i].count_bytes >> COUNT_SHIFT,
                       .bytes = r->bodies[i].count_bytes & BYTES_MASK};
    size_t at = d->copies_count;
    if (c.count < 2 || (at == REPORT_TOP && c.count <= d->copies[at - 1].count))
      continue;
    if (at == REPORT_TOP)
      at--;
    else
      d->copies_count++;
    for (; at > 0 && d->copies[at - 1].count < c.count; at--)
      d->copies[at] = d->copies[at - 1];
    d->copies[at] = c;
  }
}

/* What an audit checks is no page: of its body there is only a part. */
static bool is_check(const json_t *line)
{
  return json_object_get(line, "check");
}

static void note_example(reading *r, const json_t *line)
{
  uint64_t hash = is_check(line) ? 0 : hash_of(line);
  for (size_t i = 0; hash && i < r->data->copies_count; i++) {
    report_copies *c = &r->data->copies[i];
    for (size_t k = 0; c->hash == hash && k < REPORT_EXAMPLES; k++)
      if (!c->examples[k]) {
        c->examples[k] = strdup(string_of(line, "url"));
        r->has_failed |= !c->examples[k];
        return;
      }
  }
}

/* ---- the timeline ----------------------------------------------------------------------------------------- */

/* Nobody knows how long the crawl took until the end: stretches double, pairs of bars become one. */
static void count_time(report_data *d, uint64_t end_ms, bool failed)
{
  if (!d->first_ms) {
    d->first_ms = end_ms;
    d->bar_ms = 1000;
  }
  uint64_t passed = end_ms > d->first_ms ? end_ms - d->first_ms : 0;
  while (passed / d->bar_ms >= REPORT_BARS) {
    for (size_t i = 0; i < REPORT_BARS; i++) {
      d->bars[i] = i < REPORT_BARS / 2 ? d->bars[2 * i] + d->bars[2 * i + 1] : 0;
      d->failed_bars[i] = i < REPORT_BARS / 2 ? d->failed_bars[2 * i] + d->failed_bars[2 * i + 1] : 0;
    }
    d->bar_ms *= 2;
  }
  d->bars[passed / d->bar_ms]++;
  d->failed_bars[passed / d->bar_ms] += failed;
  if (end_ms > d->last_ms)
    d->last_ms = end_ms;
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

static size_t size_class(uint64_t bytes)
{
  size_t class = 0;
  for (uint64_t limit = 1000; bytes >= limit && class + 1 < REPORT_SIZES; limit *= 2)
    class ++;
  return class;
}

static void count_name(reading *r, tally *t, const char *name, size_t size, const json_t *line, bool failed)
{
  tally_row *row = tally_at(t, name, size);
  if (!row) {
    r->has_failed = true;
    return;
  }
  row->count++;
  row->failed += failed;
  row->bytes += number_of(line, "body_bytes");
  row->seconds += json_number_value(json_object_get(line, "seconds"));
}

static void count_type(reading *r, const json_t *line)
{
  char type[128] = "(none)";
  const char *said = string_of(line, "type");
  size_t size = strcspn(said, "; ");
  for (size_t i = 0; size && i <= size && i + 1 < sizeof type; i++)
    type[i] = i < size ? (char)tolower((unsigned char)said[i]) : '\0';
  type[sizeof type - 1] = '\0';
  count_name(r, &r->data->types, type, strlen(type), line, false);
}

/* A 2xx response with a body, as --max-pages counts them. */
static void count_page(reading *r, const json_t *line)
{
  report_data *d = r->data;
  uint64_t bytes = number_of(line, "body_bytes");
  d->pages++;
  d->sizes[size_class(bytes)]++;
  count_type(r, line);
  list_add(r, &d->largest, string_of(line, "url"), (double)bytes);
  count_body(r, line, bytes);
}

static void count_near(reading *r, const json_t *line)
{
  const char *near = string_of(line, "near");
  if (*near)
    r->has_failed |= !report_pairs_add(&r->data->near, string_of(line, "url"), near,
                                       json_number_value(json_object_get(line, "near_share")));
}

static bool is_failed(const json_t *line)
{
  return strcmp(string_of(line, "outcome"), "failed") == 0;
}

/* What its URL is counted by. */
static void count_url(reading *r, const json_t *line)
{
  report_data *d = r->data;
  const char *address = string_of(line, "url"), *error = string_of(line, "error");
  uint64_t status = number_of(line, "status"), depth = number_of(line, "depth");
  bool failed = is_failed(line), is_redirect = json_object_get(line, "redirect");
  const char *host = strstr(address, "://");
  host = host ? host + 3 : address;
  d->redirects += !failed && is_redirect;
  d->statuses[status < REPORT_STATUSES ? status : 0]++;
  d->depths[depth < REPORT_DEPTHS ? depth : REPORT_DEPTHS - 1]++;
  count_name(r, &d->hosts, host, strcspn(host, "/?#"), line, failed);
  if (*error)
    count_name(r, &d->errors, error, strlen(error), line, true);
  if (!failed && !is_redirect && status >= 200 && status < 400 && status != NOT_MODIFIED &&
      number_of(line, "body_bytes") && !json_object_get(line, "sitemap") && !is_check(line))
    count_page(r, line);
  list_add(r, &d->slowest, address, json_number_value(json_object_get(line, "seconds")));
}

static void count_fetch(report_data *d, const json_t *line)
{
  uint64_t start_ms = number_of(line, "start_ms");
  double seconds = json_number_value(json_object_get(line, "seconds"));
  d->fetches++;
  d->wire_bytes += number_of(line, "wire_bytes");
  d->body_bytes += number_of(line, "body_bytes");
  if (start_ms && seconds >= 0 && seconds < 1e6)
    count_time(d, start_ms + (uint64_t)(1000 * seconds), is_failed(line));
}

static void take_line(reading *r, const json_t *line, uint64_t number)
{
  const char *address = string_of(line, "url");
  uint64_t sha256 = hash_of(line);
  if (r->pass == COUNT)
    r->has_failed |= !report_urls_add(r->urls, address, number, number_of(line, "status"), sha256);
  report_line what = r->pass == COUNT ? REPORT_LINE_COUNTS : report_urls_look(r->urls, address, number, sha256);
  if (r->pass == FIND_COPIES) {
    if (what == REPORT_LINE_COUNTS)
      note_example(r, line);
    return;
  }
  count_fetch(r->data, line);
  if (what == REPORT_LINE_COUNTS)
    count_url(r, line);
  if (what != REPORT_LINE_OLD) /* it is said once of a text, with its first fetch */
    count_near(r, line);
}

static void show(const reading *r, progress *shown, FILE *file, uint64_t bytes, uint64_t lines)
{
  enum { EACH = 256 }; /* lines */
  struct stat info;
  if (shown && lines % EACH == 0 && fstat(fileno(file), &info) == 0)
    progress_show(shown, r->pass == FIND_COPIES ? "finding copies" : "reading pages.jsonl", bytes,
                  (uint64_t)info.st_size, lines, "lines");
}

static bool read_lines(reading *r, const char *path, progress *shown)
{
  uint64_t bytes = 0, lines = 0;
  char *line = NULL;
  size_t room = 0;
  ssize_t size;
  FILE *file = own_file_stream(path, "r", 0);
  if (!file)
    return false;
  while (!r->has_failed && (size = getline(&line, &room, file)) > 0) {
    json_t *object = json_loadb(line, (size_t)size, 0, NULL);
    if (!json_is_string(json_object_get(object, "url")))
      r->data->bad_lines += r->pass != FIND_COPIES;
    else
      take_line(r, object, lines);
    json_decref(object);
    show(r, shown, file, bytes += (uint64_t)size, lines++);
  }
  bool read = !ferror(file) && !r->has_failed;
  if (r->has_failed)
    errno = ENOMEM;
  int error = errno;
  free(line);
  fclose(file);
  errno = error;
  return read;
}

static void free_list(report_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    free(list->pages[i].url);
}

static void free_contents(report_data *d)
{
  for (size_t i = 0; i < d->copies_count; i++)
    for (size_t k = 0; k < REPORT_EXAMPLES; k++)
      free(d->copies[i].examples[k]);
  report_pairs_free(&d->near);
  report_pairs_free(&d->bodies);
  free_list(&d->slowest);
  free_list(&d->largest);
  tally_free(&d->hosts);
  tally_free(&d->types);
  tally_free(&d->errors);
}

void report_data_free(report_data *d)
{
  if (d)
    free_contents(d);
  free(d);
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

static void forget_counts(reading *r)
{
  free_contents(r->data);
  *r->data = (report_data){0};
  free(r->bodies);
  r->bodies = NULL;
  r->body_count = r->body_room = 0;
}

static bool read_passes(reading *r, const char *path, progress *shown)
{
  if (!read_lines(r, path, shown))
    return false;
  if (report_urls_is_any_again(r->urls)) {
    forget_counts(r);
    r->pass = RECOUNT;
    if (!read_lines(r, path, shown))
      return false;
  }
  r->data->urls = report_urls_count(r->urls);
  r->data->unchanged = report_urls_unchanged(r->urls);
  choose_copies(r);
  r->pass = FIND_COPIES;
  return r->data->copies_count == 0 || read_lines(r, path, shown);
}

report_data *report_data_read(const char *path, progress *shown)
{
  reading r = {.data = calloc(1, sizeof *r.data), .urls = report_urls_create()};
  errno = ENOMEM;
  bool read = r.data && r.urls && read_passes(&r, path, shown);
  int error = errno;
  free(r.bodies);
  report_urls_free(r.urls);
  if (!read) {
    report_data_free(r.data);
    errno = error;
    return NULL;
  }
  tally_sort(&r.data->hosts);
  tally_sort(&r.data->types);
  tally_sort(&r.data->errors);
  return r.data;
}
