/* See second_reader.h: what each record means, by the offsets of FORMAT.md. */
#include "tests/support/second_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void second_fault(second_view *v, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  v->faults++;
  if (!v->is_quiet && v->faults <= 20) {
    fputs("second reader: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
  }
  va_end(arguments);
}

static double real(const uint8_t *at)
{
  uint64_t bits = number(at, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* ---- one record ---------------------------------------------------------------------------------------- */

static void read_host_at(second_view *v, const second_record *r, uint64_t id)
{
  const uint8_t *at = r->value;
  second_host h = {.name = (const char *)at + 36,
                   .queued = {number(at + 4, 7)},
                   .done = number(at + 12, 8),
                   .failed = number(at + 20, 8),
                   .skipped = number(at + 28, 8)};
  if (at[11] > 1 || (at[11] == 1 && r->value_size < 114)) {
    second_fault(v, "host %llu: a head of kind %u", (unsigned long long)id, at[11]);
  } else if (at[11] == 1) {
    h.name = (const char *)at + 114;
    for (unsigned class = 1; class < 4; ++class) {
      h.queued[class] = number(at + 28 + 8 * class, 8);
      h.queued[0] -= h.queued[class];
    }
    h.trap_ended = number(at + 60, 8);
    if (h.trap_ended > h.done + h.failed + h.skipped || number(at + 72, 4) > number(at + 68, 4) || at[112] > 3 ||
        at[113] > 1)
      second_fault(v, "host %s: what is said of traps and controls cannot be", h.name);
  }
  v->hosts[id] = h;
  v->host_count += id == v->host_count;
}

static void read_host(second_view *v, const second_record *r)
{
  if (number(r->key, 8) != v->host_count)
    second_fault(v, "host %zu is missing", v->host_count);
  read_host_at(v, r, v->host_count);
}

/* As a value of `hosts` with no checksum; its name points into it. */
static uint8_t *keep_host(second_view *v, const uint8_t *record, size_t size)
{
  v->changed_hosts = realloc(v->changed_hosts, (v->changed_count + 1) * sizeof *v->changed_hosts);
  if (!v->changed_hosts)
    abort();
  uint8_t **value = &v->changed_hosts[v->changed_count++];
  *value = calloc(1, 4 + size + 1);
  if (!*value)
    abort();
  memcpy(*value + 4, record, size);
  return *value;
}

/* One change, from `at` on; returns where it ends. */
static size_t read_change(second_view *v, const second_record *r, size_t at)
{
  size_t end = r->value_size;
  uint64_t id = second_number(r->value, &at, end), kind = at < end ? r->value[at++] : 3, size = 0;
  second_host h = {0};
  if (kind == 2) {
    size = second_number(r->value, &at, end);
    if (at > end || size > end - at || size < 32 || id > v->host_count)
      return end + 1;
    second_record whole = {.table = SECOND_HOSTS, .value_size = 4 + size, .value = keep_host(v, r->value + at, size)};
    read_host_at(v, &whole, id);
    return at + size;
  }
  if (kind > 2 || id >= v->host_count)
    return end + 1;
  h.name = v->hosts[id].name;
  h.queued[0] = second_number(r->value, &at, end);
  h.done = second_number(r->value, &at, end);
  h.failed = second_number(r->value, &at, end);
  h.skipped = second_number(r->value, &at, end);
  for (unsigned class = 1; kind == 1 && class < 4; ++class)
    h.queued[class] = second_number(r->value, &at, end);
  if (kind == 1) {
    h.trap_ended = second_number(r->value, &at, end);
    (void)second_number(r->value, &at, end); /* counted by the trap watch, */
    (void)second_number(r->value, &at, end); /* and like a trap's */
  }
  v->hosts[id] = h;
  return at;
}

static void read_changes(second_view *v, const second_record *r)
{
  uint64_t key = number(r->key, 8), changes = number(r->value + 12, 8), read = 0;
  size_t at = 37;
  if (!v->next_change) {
    v->first_change = key;
    v->host_records = v->host_count;
  } else if (key != v->next_change) {
    second_fault(v, "host-changes: number %llu is missing", (unsigned long long)v->next_change);
  }
  v->next_change = key + 1;
  for (; at < r->value_size && read < changes; read++)
    at = read_change(v, r, at);
  if (at != r->value_size || read != changes || r->value[20] != 255)
    second_fault(v, "host-changes, number %llu: it makes no sense", (unsigned long long)key);
  v->changes_agree = number(r->value + 4, 8) == v->host_count && number(r->value + 21, 8) == v->first_change &&
                     number(r->value + 29, 8) == v->host_records;
}

static void read_visit(second_view *v, const second_record *r)
{
  const uint8_t *at = r->value;
  size_t etag = number(at + 37, 2), modified = number(at + 39, 2), head = 43 + etag + modified;
  uint64_t sequence = number(r->key, 8);
  const second_url *u = sequence < v->url_room ? &v->urls[sequence] : NULL;
  v->visits++;
  bool is_queued = at[20] & 2, has_due = number(at + 16, 4) != 0;
  if (at[20] > 3 || is_queued == has_due || at[41] > 3 || at[42] < 1 || at[42] > 3 || etag > 1024 || modified > 1024 ||
      r->value_size != head)
    second_fault(v, "visit %llu: fields that cannot be", (unsigned long long)sequence);
  else if (!u || !u->found || is_queued != (u->state == 0))
    second_fault(v, "visit %llu: its URL is not as it says", (unsigned long long)sequence);
}

static void read_due(second_view *v, const second_record *r)
{
  uint64_t key = number(r->key, 8), sequence = number(r->value + 4, 8);
  v->dues++;
  if (r->value_size != 12 || (uint32_t)sequence != (uint32_t)key)
    second_fault(v, "due %llx: its key is of another URL", (unsigned long long)key);
  for (size_t i = 0; i < v->record_count; i++) {
    const second_record *visit = &v->records[i];
    if (visit->table == SECOND_VISITS && number(visit->key, 8) == sequence && visit->value_size >= 43 &&
        number(visit->value + 16, 4) == key >> 32)
      return;
  }
  second_fault(v, "due %llx: no visit is due then", (unsigned long long)key);
}

static void keep_hash(second_view *v, const uint8_t *hash)
{
  if ((v->log_keys & (v->log_keys - 1)) == 0)
    v->log_hashes = realloc(v->log_hashes, (v->log_keys ? 2 * v->log_keys : 1) * sizeof *v->log_hashes);
  if (!v->log_hashes)
    abort();
  v->log_hashes[v->log_keys] = hash;
}

static void read_hashes(second_view *v, const second_record *r)
{
  v->log_has_gap |= number(r->key, 8) != v->log_keys;
  v->checkpoint_is_at_chunk |= v->log_keys == v->progress[CHECKPOINT_KEYS];
  size_t at = 4;
  while (at + 17 <= r->value_size && r->value[at + 16] <= 16) {
    unsigned segments = r->value[at + 16];
    keep_hash(v, r->value + at);
    at += 17;
    for (; segments && at + 17 <= r->value_size; segments--, at += 17, v->log_segments++)
      if (r->value[at] < 1 || r->value[at] > 16)
        second_fault(v, "hashes: a segment of layer %u", r->value[at]);
    v->log_keys++;
  }
  if (at != r->value_size)
    second_fault(v, "hashes: a chunk of %zu bytes ends at %zu", r->value_size, at);
}

static void read_revoked(second_view *v, const second_record *r)
{
  v->revoked += (r->value_size - 4) / 8;
  if (r->value_size < 12 || r->value_size % 8 != 4)
    second_fault(v, "revoked: a row of %zu bytes", r->value_size);
}

/* ---- meta ---------------------------------------------------------------------------------------------- */

const second_record *second_meta(const second_view *v, const char *name)
{
  for (size_t i = 0; i < v->record_count; i++)
    if (v->records[i].table == SECOND_META && strcmp((const char *)v->records[i].key, name) == 0)
      return &v->records[i];
  return NULL;
}

static void read_identity(second_view *v)
{
  const second_record *r = second_meta(v, "identity");
  if (!r || r->value_size < 176 || r->value_size - 176 >= sizeof v->profile) {
    second_fault(v, "identity: missing, or of a wrong size");
    return;
  }
  const second_record *second = NULL;
  for (size_t i = 0; i < v->record_count; i++)
    if (v->records[i].table == SECOND_IDENTITY)
      second = &v->records[i];
  if (!second || second->key_size != r->key_size || memcmp(second->key, r->key, r->key_size) != 0 ||
      second->value_size != r->value_size || memcmp(second->value, r->value, r->value_size) != 0)
    second_fault(v, "identity: the second copy is missing, or another");
  memcpy(v->identity_magic, r->value + 4, 16);
  v->version = (uint32_t)number(r->value + 20, 4);
  v->filter = (uint32_t)number(r->value + 24, 4);
  v->is_exact = v->filter >> 8 == 1;
  v->filter &= ~(uint32_t)0x100;
  v->rate = real(r->value + 28);
  v->expected_urls = number(r->value + 36, 8);
  memcpy(v->secret, r->value + 44, sizeof v->secret);
  v->id = number(r->value + 76, 8);
  memcpy(v->profile, r->value + 176, r->value_size - 176);
  if (memcmp(r->value + 4, "STRATA frontier", 16) != 0 || v->version != 8)
    second_fault(v, "identity: \"%s\", version %u", v->identity_magic, v->version);
}

static void read_progress(second_view *v)
{
  const second_record *r = second_meta(v, "progress");
  v->progress[NEXT_SEQUENCE] = 1;
  if (!r)
    return;
  if (r->value_size != 108) {
    second_fault(v, "progress: %zu bytes", r->value_size);
    return;
  }
  for (size_t i = 0; i < PROGRESS; i++)
    v->progress[i] = number(r->value + 4 + 8 * i, 8);
  v->expected_lost = real(r->value + 100);
  r = second_meta(v, "acceptance");
  if (r && r->value_size != 28)
    second_fault(v, "acceptance: %zu bytes", r->value_size);
  else if (r) {
    v->noted = number(r->value + 4, 8);
    v->forced = number(r->value + 12, 8);
    v->known_before = number(r->value + 20, 8);
  }
}

static void read_texts(second_view *v)
{
  const second_record *r = second_meta(v, "counters");
  v->counters = r ? (const char *)r->value + 4 : "";
  r = second_meta(v, "journal");
  if (r && r->value_size >= 12) {
    v->has_journal = true;
    v->journal_offset = number(r->value + 4, 8);
    v->owed = (const char *)r->value + 12;
    v->owed_size = r->value_size - 12;
  }
}

/* So many hosts at most are in `host-changes` alone: a change has two bytes. */
static size_t host_room(const second_view *v)
{
  size_t bytes = 0;
  for (size_t i = 0; i < v->record_count; i++)
    bytes += v->records[i].table == SECOND_HOST_CHANGES ? v->records[i].value_size : 0;
  return bytes / 2;
}

void second_read(const char *directory, bool is_quiet, second_view *view)
{
  static const struct {
    second_table table;
    size_t head;
    void (*read)(second_view *, const second_record *);
  } order[] = {{SECOND_HOSTS, 36, read_host},
               {SECOND_HOST_CHANGES, 37, read_changes},
               {SECOND_TEXT, 4, second_text},
               {SECOND_STATES, 4, second_states},
               {SECOND_ENDED, 4, second_ended},
               {SECOND_AGAIN, 4, second_again},
               {SECOND_HASHES, 4, read_hashes},
               {SECOND_REVOKED, 4, read_revoked},
               {SECOND_VISITS, 43, read_visit},
               {SECOND_DUE, 12, read_due},
               {SECOND_UNCONFIRMED, 4, second_unconfirmed}};
  *view = (second_view){.is_quiet = is_quiet};
  second_view *v = view;
  second_records(v, directory);
  read_identity(v);
  read_progress(v);
  read_texts(v);
  v->url_room = v->progress[NEXT_SEQUENCE] < (uint64_t)1 << 32 ? v->progress[NEXT_SEQUENCE] : 1;
  v->urls = calloc(v->url_room + 1, sizeof *v->urls);
  v->hosts = calloc(v->record_count + host_room(v) + 1, sizeof *v->hosts);
  if (!v->urls || !v->hosts)
    abort();
  for (size_t t = 0; t < sizeof order / sizeof *order; t++)
    for (size_t i = 0; i < v->record_count; i++) {
      const second_record *r = &v->records[i];
      if (r->table != order[t].table)
        continue;
      if (r->key_size != 8 || r->value_size < order[t].head)
        second_fault(v, "table %d: a record of %zu bytes", (int)r->table, r->value_size);
      else
        order[t].read(v, r);
    }
  second_agree(v);
  second_late(v, directory);
}

void second_free(second_view *v)
{
  for (size_t i = 0; i < v->record_count; i++) {
    free(v->records[i].key);
    free(v->records[i].value);
  }
  for (size_t i = 0; i < v->changed_count; i++)
    free(v->changed_hosts[i]);
  free(v->changed_hosts);
  for (uint64_t i = 0; i < v->url_room; i++)
    free(v->urls[i].text);
  free(v->log_hashes);
  free(v->doubts);
  free(v->records);
  free(v->urls);
  free(v->hosts);
}

const second_url *second_find(const second_view *v, const char *text)
{
  for (uint64_t i = 1; i < v->url_room; i++)
    if (v->urls[i].text && strcmp(v->urls[i].text, text) == 0)
      return &v->urls[i];
  return NULL;
}
