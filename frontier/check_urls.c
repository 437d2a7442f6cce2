/* Every URL is in one place, belongs to a host that counts it, and is known to the filters. */
#include "frontier/check.h"

#include "frontier/record.h"
#include "frontier/spill.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What a record of `hosts` said. */
typedef struct recorded {
  bool is_there;
  host *counted;      /* the same host, with the counts of its URLs */
  uint64_t queued, done, failed, skipped;
} recorded;

typedef struct url_walk {
  check *c;
  const char *table;
  uint8_t *places;      /* by sequence: how many records it has; NULL: no progress to compare with */
  uint64_t sequences;   /* it has this many */
  hosts *counted;       /* by the URLs */
  recorded *hosts;      /* by the host table */
  size_t host_count, host_room;
  uint32_t names;       /* of them, different ones */
  uint64_t done, failed, skipped, beyond;
} url_walk;

/* ---- hosts ---------------------------------------------------------------------------------------------- */

static bool hosts_make_room(url_walk *w, size_t wanted)
{
  if (wanted < w->host_room)
    return true;
  size_t room = 2 * wanted + 64;
  recorded *larger = realloc(w->hosts, room * sizeof *larger);
  if (!larger)
    return false;
  memset(larger + w->host_room, 0, (room - w->host_room) * sizeof *larger);
  w->hosts = larger;
  w->host_room = room;
  return true;
}

static bool read_host(void *context, uint64_t id, const uint8_t *body, size_t size)
{
  url_walk *w = context;
  if (id >= UINT32_MAX || size <= HOST_HEAD || size > HOST_HEAD + URL_LENGTH_MAX) {
    check_say(w->c, IN_DATA, "host %" PRIu64 ": its record makes no sense", id);
    return true;
  }
  for (; w->host_count < id; w->host_count++) {
    check_say(w->c, IN_DATA, "host %zu: there is no record of it", w->host_count);
    if (id - w->host_count > 1000) { /* each would be a line: say it once */
      check_say(w->c, IN_DATA, "nor of those up to host %" PRIu64, id - 1);
      w->host_count = (size_t)id - 1;
    }
  }
  host *counted = hosts_make_room(w, (size_t)id) ? hosts_find(w->counted, (const char *)body + HOST_HEAD, size - HOST_HEAD)
                                                : NULL;
  if (!counted) {
    check_fail(w->c, FRONTIER_NO_MEMORY, "out of memory for one more host");
    return false;
  }
  w->hosts[id] = (recorded){.is_there = true, .counted = counted, .queued = get_le(body, 8), .done = get_le(body + 8, 8),
                            .failed = get_le(body + 16, 8), .skipped = get_le(body + 24, 8)};
  w->host_count = (size_t)id + 1;
  w->c->found->hosts++;
  return true;
}

static void check_hosts(url_walk *w)
{
  char text[RECORDS_QUOTE_SIZE];
  for (size_t id = 0; id < w->host_count; id++) {
    const recorded *r = &w->hosts[id];
    const host *is = r->counted;
    if (!r->is_there)
      continue;
    if (is->id != id && w->hosts[is->id].is_there && w->hosts[is->id].counted == is)
      check_say(w->c, IN_DATA, "host %zu, %s: host %u has the same name", id, records_quote(is->name, is->name_size, text), is->id);
    if (r->queued != is->queued || r->done != is->done || r->failed != is->failed || r->skipped != is->skipped)
      check_say(w->c, IN_DATA, "host %zu, %s: it counts %" PRIu64 " URLs waiting and %" PRIu64 " ended, and has %" PRIu64
                " and %" PRIu64, id, records_quote(is->name, is->name_size, text), r->queued,
                r->done + r->failed + r->skipped, is->queued, is->done + is->failed + is->skipped);
  }
  host *who;
  for (uint32_t id = w->names; (who = hosts_at(w->counted, id)); id++)
    check_say(w->c, IN_DATA, "URLs of %s: the host has no record", records_quote(who->name, who->name_size, text));
}

/* ---- one URL -------------------------------------------------------------------------------------------- */

static void count_place(url_walk *w, uint64_t sequence)
{
  w->c->found->urls++;
  if (sequence == 0 || sequence > w->sequences)
    w->beyond++;
  else if (w->places && w->places[sequence]++)
    check_say(w->c, IN_DATA, "URL %" PRIu64 ": it is in table %s, and in another place too", sequence, w->table);
}

/* The host of the URL, which is thereby known to be one; NULL after saying so. */
static host *host_of(url_walk *w, uint64_t sequence, const char *text, size_t size)
{
  url *u = w->c->u;
  char shown[RECORDS_QUOTE_SIZE];
  if (size == 0 || url_parse(text, size, w->c->f->options.profile, u) != URL_OK) {
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table %s: %s is none", sequence, w->table, records_quote(text, size, shown));
    return NULL;
  }
  host *who = hosts_find(w->counted, u->fetch + u->host_begin, u->host_end - u->host_begin);
  if (!who)
    check_fail(w->c, FRONTIER_NO_MEMORY, "out of memory for one more host");
  return who;
}

/* The filter has no false negative: not the file's, nor the one the log makes. */
static void check_known(url_walk *w, uint64_t sequence, const char *text, size_t size)
{
  char shown[RECORDS_QUOTE_SIZE];
  if (w->c->from_log && !check_is_known(w->c->from_log, w->c->u))
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", %s: the hash log does not have it", sequence, records_quote(text, size, shown));
  if (w->c->from_file && !check_is_known(w->c->from_file, w->c->u))
    check_say(w->c, IN_FILTER, "URL %" PRIu64 ", %s: the filter file seen.%u does not know it", sequence,
              records_quote(text, size, shown), w->c->f->checkpoint_slot);
}

static bool read_ended(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  url_walk *w = context;
  uint64_t state = size > HISTORY_HEAD ? get_le(body, 2) : 0;
  count_place(w, sequence);
  if (state < FRONTIER_DONE || state > FRONTIER_SKIPPED) {
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table history: its end makes no sense", sequence);
    return true;
  }
  const char *text = (const char *)body + HISTORY_HEAD;
  host *who = host_of(w, sequence, text, size - HISTORY_HEAD);
  if (!who)
    return w->c->status == FRONTIER_OK;
  check_known(w, sequence, text, size - HISTORY_HEAD);
  ++*(state == FRONTIER_DONE ? &who->done : state == FRONTIER_FAILED ? &who->failed : &who->skipped);
  ++*(state == FRONTIER_DONE ? &w->done : state == FRONTIER_FAILED ? &w->failed : &w->skipped);
  return true;
}

static bool read_queued(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  url_walk *w = context;
  entry *e = NULL;
  frontier_status status = entry_read(sequence, body, size, &e);
  count_place(w, sequence);
  if (status == FRONTIER_NO_MEMORY)
    check_fail(w->c, status, "out of memory for one more URL");
  else if (status != FRONTIER_OK)
    check_say(w->c, IN_DATA, "URL %" PRIu64 ", table %s: its record makes no sense", sequence, w->table);
  host *who = e ? host_of(w, sequence, e->url, e->url_size) : NULL;
  uint64_t id = size >= 4 ? get_le(body, 4) : 0;
  if (who) {
    check_known(w, sequence, e->url, e->url_size);
    who->queued++;
    if (id >= w->host_count || !w->hosts[id].is_there || w->hosts[id].counted != who)
      check_say(w->c, IN_DATA, "URL %" PRIu64 ", table %s: host %" PRIu64 " is not its host", sequence, w->table, id);
  }
  free(e);
  return w->c->status == FRONTIER_OK;
}

typedef struct chunk_walk {
  url_walk *urls;
  uint64_t next;  /* the key that would follow the last chunk without gap */
} chunk_walk;

static bool read_chunk(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  chunk_walk *w = context;
  check *c = w->urls->c;
  if (w->next && key >> 32 == w->next >> 32 && key != w->next)
    check_say(c, IN_DATA, "chunks of host %" PRIu64 ": %" PRIu64 " to %" PRIu64 " are missing", key >> 32, w->next & UINT32_MAX,
              (key & UINT32_MAX) - 1);
  w->next = key + 1;
  if (!spill_each(body, size, read_queued, w->urls) && c->status == FRONTIER_OK)
    check_say(c, IN_DATA, "chunk %" PRIu64 " of host %" PRIu64 ": it ends within a URL", key & UINT32_MAX, key >> 32);
  return c->status == FRONTIER_OK;
}

/* ---- all ------------------------------------------------------------------------------------------------ */

/* Those that are not here are on record: lost, and given up by a repair, or of another crawl. */
static void excuse_absent(url_walk *w)
{
  const check *c = w->c;
  for (size_t at = 0; at + 16 <= c->absent_size; at += 16) {
    uint64_t first = get_le(c->absent + at, 8), count = get_le(c->absent + at + 8, 8);
    for (uint64_t i = first; i - first < count && i <= w->sequences; i++)
      w->places[i] |= 1;
  }
}

static void check_places(url_walk *w)
{
  excuse_absent(w);
  for (uint64_t i = 1; i <= w->sequences; i++) {
    uint64_t first = i;
    while (i <= w->sequences && !w->places[i])
      i++;
    if (i > first)
      check_say(w->c, IN_DATA, "URLs %" PRIu64 " to %" PRIu64 ": they are nowhere", first, i - 1);
  }
  if (w->beyond)
    check_say(w->c, IN_DATA, "%" PRIu64 " URLs have a number that was never given", w->beyond);
  const frontier *f = w->c->f;
  if (w->done != f->done || w->failed != f->failed || w->skipped != f->skipped)
    check_say(w->c, IN_DATA, "the history has %" PRIu64 " URLs done, %" PRIu64 " failed and %" PRIu64 " skipped, not %" PRIu64
              ", %" PRIu64 " and %" PRIu64, w->done, w->failed, w->skipped, f->done, f->failed, f->skipped);
}

static void read_tables(url_walk *w)
{
  chunk_walk chunks = {.urls = w};
  records_each(w->c->p, "hosts", read_host, w);
  w->names = (uint32_t)hosts_count(w->counted);
  w->table = "history";
  records_each(w->c->p, w->table, read_ended, w);
  w->table = "queue";
  records_each(w->c->p, w->table, read_queued, w);
  w->table = "chunks";
  records_each(w->c->p, w->table, read_chunk, &chunks);
}

void check_urls(check *c)
{
  url_walk w = {.c = c, .counted = hosts_create(0, 1), .sequences = c->has_progress ? c->f->next_sequence - 1 : UINT64_MAX};
  if (c->has_progress && w.sequences < SIZE_MAX - 1)
    w.places = calloc((size_t)w.sequences + 1, 1);
  if (!w.counted || (c->has_progress && !w.places))
    check_fail(c, FRONTIER_NO_MEMORY, "out of memory for a byte for each URL");
  else
    read_tables(&w);
  if (c->status == FRONTIER_OK)
    check_hosts(&w);
  if (c->status == FRONTIER_OK && w.places)
    check_places(&w);
  hosts_free(w.counted);
  free(w.hosts);
  free(w.places);
}
