/* See url_records.h. A row has its host's id; the name is in the host table.
 *
 * Called under the handle's mutex. A reader's host table is of the time of its opening, and it may meet URLs of later
 * hosts: it then reads that table again. */
#include "frontier/core/state.h"

#include "frontier/base/record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

typedef struct reading {
  frontier *f;
  const hosts *hosts;
  url_record_visitor *visit;
  void *context;
  frontier_status status;
  bool may_lack_hosts; /* the table is of an earlier commit */
  bool lacks_host;     /* so it was */
  char url[URL_LENGTH_MAX + 1];
} reading;

static bool visit_row(void *context, const stored_url *u)
{
  reading *r = context;
  const url_row *row = &u->row;
  host *who = hosts_at(r->hosts, row->host);
  r->lacks_host = !who && r->may_lack_hosts;
  if (r->lacks_host)
    return false;
  size_t size = who ? url_row_url(row, who->name, who->name_size, r->url) : 0;
  if (!size) {
    r->status = frontier_fail(r->f, FRONTIER_DAMAGED, "%s: the record of URL %" PRIu64 " is damaged", r->f->directory,
                              u->sequence);
    return false;
  }
  r->url[size] = '\0';
  uint32_t host_begin, host_end;
  url_row_host(row, r->url, size, who->name_size, &host_begin, &host_end);
  return r->visit(r->context, &(url_record){.sequence = u->sequence,
                                            .state = u->state,
                                            .class = row->class,
                                            .origin = row->origin,
                                            .verdict = row->verdict,
                                            .who = who,
                                            .url = r->url,
                                            .url_size = size,
                                            .host_begin = host_begin,
                                            .host_end = host_end,
                                            .is_opaque = row->form == URL_FORM_OPAQUE,
                                            .fields = {row->fields, row->fields_size}});
}

static frontier_status tell(reading *r, frontier_status status)
{
  if (status == FRONTIER_OK || status == FRONTIER_NOT_FOUND)
    return r->status == FRONTIER_OK ? status : r->status;
  return frontier_fail(r->f, status, "%s: %s", r->f->directory, store_message(r->f->store));
}

static reading *begin(frontier *f, url_record_visitor *visit, void *context)
{
  reading *r = malloc(sizeof *r);
  if (!r) {
    frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more URL");
    return NULL;
  }
  r->f = f;
  r->hosts = f->hosts;
  r->visit = visit;
  r->context = context;
  r->status = FRONTIER_OK;
  r->may_lack_hosts = r->lacks_host = false;
  return r;
}

/* For a reader: the hosts of now, and all that is read is as of the same commit. */
static frontier_status read_hosts(reading *r, hosts **fresh)
{
  frontier *f = r->f;
  bool of_store;
  host_changes changes = {0};
  *fresh = hosts_create(0, 1, secret_hasher(f));
  if (!*fresh)
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for the hosts");
  frontier_status status = store_pin(f->store);
  if (status == FRONTIER_OK)
    status = host_changes_load(&changes, *fresh, f->store, &of_store);
  host_changes_free(&changes);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: the host table: %s", f->directory, store_message(f->store));
  r->hosts = *fresh;
  return FRONTIER_OK;
}

static frontier_status end(reading *r, hosts *fresh, frontier_status status)
{
  if (r->f->options.read_only)
    store_unpin(r->f->store);
  hosts_free(fresh);
  free(r);
  return status;
}

frontier_status url_records_each(frontier *f, unsigned wanted, uint64_t from, url_record_visitor *visit, void *context)
{
  reading *r = begin(f, visit, context);
  if (!r)
    return FRONTIER_NO_MEMORY;
  hosts *fresh = NULL;
  frontier_status status = f->options.read_only ? read_hosts(r, &fresh) : FRONTIER_OK;
  if (status == FRONTIER_OK)
    status = tell(r, store_each_url(f->store, wanted, from, visit_row, r));
  return end(r, fresh, status);
}

/* ---- in steps ------------------------------------------------------------------------------------------------- */

enum { STEP_URLS = 2048, STEP_BYTES = 256 << 10 };

/* What one transaction read, to be visited after it. */
typedef struct step {
  reading *reading;
  hosts *fresh; /* a reader's */
  store_steps urls;
  url_record *records;
  size_t count;
  char *bytes; /* that the records point to */
  size_t size;
} step;

static const void *keep(step *s, const void *bytes, size_t size)
{
  char *copy = s->bytes + s->size;
  if (size)
    memcpy(copy, bytes, size);
  s->size += size;
  assert(s->size <= STEP_BYTES);
  return copy;
}

/* false: it is for the next step. */
static bool keep_record(void *context, const url_record *record)
{
  step *s = context;
  size_t more = record->url_size + 1 + record->fields.size;
  if (more > STEP_BYTES) /* none is larger than a payload and a URL */
    s->reading->status = frontier_fail(s->reading->f, FRONTIER_DAMAGED, "%s: the record of URL %" PRIu64 " is damaged",
                                       s->reading->f->directory, record->sequence);
  if (s->count == STEP_URLS || s->size + more > STEP_BYTES)
    return false;
  url_record *copy = &s->records[s->count++];
  *copy = *record;
  copy->url = keep(s, record->url, record->url_size + 1);
  copy->fields.bytes = keep(s, record->fields.bytes, record->fields.size);
  return true;
}

/* The hosts as of the transaction, at first and where a URL's was not among them. */
static frontier_status pin(step *s)
{
  reading *r = s->reading;
  hosts *old = s->fresh;
  r->may_lack_hosts = old && !r->lacks_host;
  r->lacks_host = false;
  if (r->may_lack_hosts)
    return store_pin(r->f->store);
  frontier_status status = read_hosts(r, &s->fresh);
  hosts_free(old);
  return status;
}

static frontier_status read_step(step *s, unsigned wanted)
{
  reading *r = s->reading;
  s->count = s->size = 0;
  frontier_status status = r->f->options.read_only ? pin(s) : FRONTIER_OK;
  if (status == FRONTIER_OK)
    status = tell(r, store_next_urls(r->f->store, wanted, &s->urls, visit_row, r));
  if (r->f->options.read_only)
    store_unpin(r->f->store);
  return status;
}

/* false: enough. */
static bool visit_step(const step *s, url_record_visitor *visit, void *context)
{
  bool go_on = true;
  for (size_t i = 0; i < s->count && go_on; i++)
    go_on = visit(context, &s->records[i]);
  return go_on;
}

frontier_status url_records_each_in_steps(frontier *f, unsigned wanted, url_record_visitor *visit, void *context)
{
  step s = {0};
  frontier_status status = FRONTIER_NO_MEMORY;
  s.reading = begin(f, keep_record, &s);
  s.records = malloc(STEP_URLS * sizeof *s.records);
  s.bytes = malloc(STEP_BYTES);
  if (s.reading && s.records && s.bytes)
    do
      status = read_step(&s, wanted);
    while (visit_step(&s, visit, context) && status == FRONTIER_OK && !s.urls.is_over);
  else
    frontier_fail(f, status, "out of memory for URLs");
  store_end_steps(&s.urls);
  hosts_free(s.fresh);
  free(s.reading);
  free(s.records);
  free(s.bytes);
  return status;
}

/* ---- single ones ---------------------------------------------------------------------------------------------- */

/* A reader knows the hosts of the URLs that there were when it was opened. */
frontier_status url_records_one(frontier *f, uint64_t sequence, url_record_visitor *visit, void *context)
{
  reading *r = begin(f, visit, context);
  if (!r)
    return FRONTIER_NO_MEMORY;
  hosts *fresh = NULL;
  bool is_later = f->options.read_only && sequence >= counts_next_sequence(&f->counts);
  frontier_status status = is_later ? read_hosts(r, &fresh) : FRONTIER_OK;
  if (status == FRONTIER_OK)
    status = tell(r, store_find_url(f->store, sequence, visit_row, r));
  return end(r, fresh, status);
}

frontier_status url_records_find(frontier *f, const uint64_t *sequences, size_t count, url_record_visitor *visit,
                                 void *context)
{
  reading *r = begin(f, visit, context);
  frontier_status status = r ? tell(r, store_find_urls(f->store, sequences, count, visit_row, r)) : FRONTIER_NO_MEMORY;
  free(r);
  return status;
}

frontier_status url_records_waiting(frontier *f, frontier_class class, uint64_t from, size_t most,
                                    url_record_visitor *visit, void *context, uint64_t *next, bool *is_over)
{
  reading *r = begin(f, visit, context);
  if (!r)
    return FRONTIER_NO_MEMORY;
  frontier_status status = tell(r, store_read_waiting(f->store, class, from, most, visit_row, r, next, is_over));
  free(r);
  return status;
}

static bool visit_again(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  reading *r = context;
  stored_url u = {.sequence = sequence, .state = {.what = URL_WAITS_AGAIN}};
  if (url_row_read(&u.row, sequence, body, size))
    return visit_row(r, &u);
  r->status = frontier_fail(r->f, FRONTIER_DAMAGED, "%s: the record of URL %" PRIu64 " is damaged", r->f->directory,
                            sequence);
  return false;
}

frontier_status url_records_again(frontier *f, uint64_t from, url_record_visitor *visit, void *context)
{
  reading *r = begin(f, visit, context);
  frontier_status status = r ? tell(r, store_each(f->store, STORE_AGAIN, from, visit_again, r)) : FRONTIER_NO_MEMORY;
  free(r);
  return status;
}

entry *url_record_entry(const url_record *record, entry_pool *pool)
{
  entry *e = entry_create(pool, record->sequence, record->url, (uint32_t)record->url_size, record->host_begin,
                          record->host_end, record->origin, record->fields);
  if (!e)
    return NULL;
  e->verdict = record->verdict;
  e->class = record->class;
  e->host = record->who;
  e->is_again = record->state.what == URL_WAITS_AGAIN;
  e->is_opaque = record->is_opaque;
  return e;
}

static void set_text(url_row *row, bool is_opaque, const char *text, size_t size, const host *who)
{
  if (is_opaque)
    url_row_set_opaque(row, text, size);
  else
    url_row_set_url(row, text, size, who->name, who->name_size);
}

url_row url_record_row(const url_record *record, frontier_class class)
{
  url_row row = {.host = record->who->id,
                 .origin = record->origin,
                 .verdict = record->verdict,
                 .class = class,
                 .fields = record->fields.bytes,
                 .fields_size = record->fields.size};
  set_text(&row, record->is_opaque, record->url, record->url_size, record->who);
  return row;
}

url_row entry_row(const entry *e, frontier_class class)
{
  field fields = entry_fields(e);
  url_row row = {.host = e->host->id,
                 .origin = e->origin,
                 .verdict = e->verdict,
                 .class = class,
                 .fields = fields.bytes,
                 .fields_size = fields.size};
  set_text(&row, e->is_opaque, e->url, e->url_size, e->host);
  return row;
}
