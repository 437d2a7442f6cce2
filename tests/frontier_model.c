#include "tests/frontier_model.h"

#include "tests/scratch.h"
#include "tests/second_reader.h"

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum page_life {
  QUEUED, DONE = FRONTIER_DONE, FAILED = FRONTIER_FAILED, SKIPPED = FRONTIER_SKIPPED,
  NOTED = FRONTIER_NOTED, IN_FLIGHT
} page_life;

enum { BATCH = 6, PAYLOAD = 300 };

typedef struct page {
  char *fetch, *key;
  size_t host;
  frontier_origin origin;
  frontier_verdict verdict;
  page_life life, committed_life;
  bool is_forgotten, was_forgotten; /* its key, since it was accepted; and at the last commit */
  size_t payload_size;
  uint8_t payload_byte;             /* all of them */
  uint16_t code;
} page;

typedef struct host_line { /* of sequences: the first is next */
  uint64_t *at;
  size_t begin, end, room;
} host_line;

typedef struct model_host {
  char name[64];
  host_line line;
  uint64_t due_ms, delay_ms;
  uint64_t ready; /* the round in which it was first found to be due, 0: it is not; see note_ready */
  unsigned in_flight;
} model_host;

/* What a commit makes last. */
typedef struct books {
  size_t pages;              /* sequences 1..pages are given */
  size_t hosts;
  uint64_t verdicts[FRONTIER_OUTCOMES], counter, setting, forced;
  size_t journal_size;
} books;

typedef struct model {
  const model_run *run;
  uint64_t dice, now_ms;
  frontier *f;
  frontier_options options;
  char root[SCRATCH_PATH], directory[SCRATCH_PATH], journal_path[SCRATCH_PATH];
  page *pages;               /* by sequence */
  size_t page_room;
  model_host *hosts;
  size_t host_room;
  void *keys, *segments;     /* trees of strings */
  char *journal;
  size_t journal_room;
  uint64_t round;            /* hosts found to be due in one round go by due time */
  books now, committed;
  frontier_lease *leases;    /* those in flight, as the frontier gave them */
  size_t lease_count, lease_room;
  bool has_lied;
  char difference[MODEL_TEXT];
  url urls[BATCH], *u;       /* u: the one in hand */
} model;

__attribute__((format(printf, 2, 3))) static void differ(model *m, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (!m->difference[0])
    vsnprintf(m->difference, sizeof m->difference, format, arguments);
  va_end(arguments);
}

static bool holds(model *m, frontier_status status, const char *doing)
{
  if (status != FRONTIER_OK)
    differ(m, "%s: status %d, %s", doing, (int)status, frontier_message(m->f));
  return status == FRONTIER_OK;
}

/* True once, at a time when the lie can be told; and again after each reopening and crash, which may have taken what
 * it was about with it (a URL that was never committed, the place of one in its line) before anybody could notice. */
static bool lies(model *m, model_lie lie)
{
  if (m->run->lie != lie || m->has_lied)
    return false;
  m->has_lied = true;
  return true;
}

static uint64_t roll(model *m, uint64_t sides)
{
  m->dice += 0x9e3779b97f4a7c15;
  uint64_t x = m->dice;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (x ^ x >> 31) % sides;
}

static void *enough(void *array, size_t count, size_t *room, size_t element)
{
  if (count < *room)
    return array;
  *room = count < 64 ? 128 : 2 * count;
  array = realloc(array, *room * element);
  if (!array)
    abort();
  return array;
}

/* ---- sets of strings ----------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
  return strcmp(a, b);
}

static bool set_has(void *const *set, const char *text)
{
  return tfind(text, set, by_text) != NULL;
}

static void set_put(void **set, const char *text)
{
  if (set_has(set, text))
    return;
  char *copy = strdup(text);
  if (!copy || !tsearch(copy, set, by_text))
    abort();
}

static void set_drop(void **set, const char *text)
{
  char **found = tfind(text, set, by_text);
  char *copy = found ? *found : NULL;
  if (copy)
    tdelete(text, set, by_text);
  free(copy);
}

static void set_empty(void **set)
{
  tdestroy(*set, free);
  *set = NULL;
}

/* "3 /b": segment i (from 0) of the key, at its depth. */
static void segment_text(const url *u, uint32_t i, char text[URL_LENGTH_MAX + 8])
{
  uint32_t begin = u->segment_begin[i];
  snprintf(text, URL_LENGTH_MAX + 8, "%u %.*s", i, (int)(u->segment_begin[i + 1] - begin), u->key + begin);
}

static bool segment_is_known(model *m, const url *u, uint32_t i)
{
  char text[URL_LENGTH_MAX + 8];
  segment_text(u, i, text);
  return set_has(&m->segments, text);
}

static void remember_key(model *m, const url *u)
{
  char text[URL_LENGTH_MAX + 8];
  if (m->run->lie != LIE_KEY)
    set_put(&m->keys, u->key);
  for (uint32_t i = 0; i < u->segment_count; i++) {
    segment_text(u, i, text);
    set_put(&m->segments, text);
  }
}

/* ---- lines --------------------------------------------------------------------------------------------- */

static void line_push(host_line *l, uint64_t sequence)
{
  l->at = enough(l->at, l->end, &l->room, sizeof *l->at);
  l->at[l->end++] = sequence;
}

static void line_push_front(host_line *l, uint64_t sequence)
{
  if (l->begin == 0) {
    line_push(l, 0);
    memmove(l->at + 1, l->at, (l->end - 1) * sizeof *l->at);
  } else {
    l->begin--;
  }
  l->at[l->begin] = sequence;
}

/* Takes it out, wherever it stands; its place from the head, or SIZE_MAX: it is not in the line. */
static size_t line_take(host_line *l, uint64_t sequence)
{
  for (size_t i = l->begin; i < l->end; i++)
    if (l->at[i] == sequence) {
      memmove(l->at + l->begin + 1, l->at + l->begin, (i - l->begin) * sizeof *l->at);
      return i - l->begin++;
    }
  return SIZE_MAX;
}

static bool line_is_empty(const host_line *l)
{
  return l->begin == l->end;
}

static size_t host_number(model *m, const char *name, size_t size)
{
  for (size_t i = 0; i < m->now.hosts; i++)
    if (strlen(m->hosts[i].name) == size && memcmp(m->hosts[i].name, name, size) == 0)
      return i;
  m->hosts = enough(m->hosts, m->now.hosts, &m->host_room, sizeof *m->hosts);
  model_host *h = &m->hosts[m->now.hosts];
  *h = (model_host){.delay_ms = m->options.delay_ms};
  snprintf(h->name, sizeof h->name, "%.*s", (int)size, name);
  return m->now.hosts++;
}

/* All that is not ended waits again, in order of sequence. */
static void line_up(model *m)
{
  for (size_t i = 0; i < m->now.hosts; i++) {
    m->hosts[i].line.begin = m->hosts[i].line.end = 0;
    m->hosts[i].due_ms = m->hosts[i].ready = m->hosts[i].in_flight = 0;
    m->hosts[i].delay_ms = m->options.delay_ms;
  }
  for (uint64_t s = 1; s <= m->now.pages; s++) {
    page *p = &m->pages[s];
    if (p->life == IN_FLIGHT)
      p->life = QUEUED;
    if (p->life == QUEUED && p->origin.depth <= m->options.depth_cap)
      line_push(&m->hosts[p->host].line, s);
  }
  m->lease_count = 0;
  m->has_lied = false;
}

/* ---- in ------------------------------------------------------------------------------------------------ */

static void make_url(model *m)
{
  char text[256];
  int size = snprintf(text, sizeof text, "http://%sh%u.test%s", roll(m, 8) ? "" : "www.",
                      (unsigned)roll(m, m->run->hosts), roll(m, 10) ? "" : ":8080");
  for (uint64_t segments = 1 + roll(m, 4); segments; segments--)
    size += snprintf(text + size, sizeof text - (size_t)size, "/%x", (unsigned)roll(m, m->run->words));
  size += snprintf(text + size, sizeof text - (size_t)size, "%s", roll(m, 8) ? "" : "/");
  if (!roll(m, 6))
    size += snprintf(text + size, sizeof text - (size_t)size, "?q=%x&r", (unsigned)roll(m, m->run->words));
  if (url_parse(text, (size_t)size, m->options.profile, m->u) != URL_OK)
    differ(m, "url_parse refuses %s", text);
}

/* "New" is certain, and so is what is said to be new; the rate is small enough, or the mode exact, to make SEEN
 * certain too. */
static void check_verdict(model *m, frontier_verdict v)
{
  const url *u = m->u;
  bool is_known = set_has(&m->keys, u->key);
  if ((v.outcome == FRONTIER_SEEN) != is_known)
    differ(m, "%s is %s", u->key, is_known ? "seen, and called new" : "new, and called seen");
  bool names_segment = v.outcome == FRONTIER_NEW_HOST || v.outcome == FRONTIER_NEW_SEGMENT;
  if (names_segment && (v.layer < 1 || v.layer > u->segment_count || segment_is_known(m, u, v.layer - 1)))
    differ(m, "%s: its segment %u is called new", u->key, v.layer);
  if ((v.outcome == FRONTIER_NEW_HOST) != (v.layer == 1) || (!names_segment && v.layer != 0))
    differ(m, "%s: outcome %d with layer %u", u->key, (int)v.outcome, v.layer);
  if (v.outcome != FRONTIER_SEEN && (v.outcome == FRONTIER_NEW) != (m->run->filter != MLBF_KIND_MLBF))
    differ(m, "%s: outcome %d of this kind", u->key, (int)v.outcome);
}

static page *accept(model *m, frontier_origin origin, frontier_verdict verdict, page_life life)
{
  const url *u = m->u;
  remember_key(m, u);
  m->pages = enough(m->pages, m->now.pages + 1, &m->page_room, sizeof *m->pages);
  uint64_t sequence = ++m->now.pages;
  page *p = &m->pages[sequence];
  *p = (page){.fetch = strdup(u->fetch), .key = strdup(u->key), .origin = origin, .verdict = verdict,
              .life = life};
  if (!p->fetch || !p->key)
    abort();
  p->host = host_number(m, u->fetch + u->host_begin, u->host_end - u->host_begin);
  if (life == QUEUED && origin.depth <= m->options.depth_cap && !lies(m, LIE_QUEUE))
    line_push(&m->hosts[p->host].line, sequence);
  return p;
}

static frontier_origin make_origin(model *m)
{
  return (frontier_origin){roll(m, m->now.pages + 1), (uint16_t)roll(m, 12), (uint16_t)roll(m, 3)};
}

static void check_and_count(model *m, frontier_verdict v)
{
  check_verdict(m, v);
  m->now.verdicts[v.outcome] += lies(m, LIE_VERDICT) ? 2 : 1;
}

static void add_link(model *m)
{
  frontier_origin origin = make_origin(m);
  frontier_verdict v = {.layer = UINT32_MAX};
  make_url(m);
  if (!holds(m, frontier_add(m->f, m->u, origin, m->now_ms, &v), "add"))
    return;
  check_and_count(m, v);
  if (v.outcome != FRONTIER_SEEN)
    accept(m, origin, v, QUEUED);
}

static void add_batch(model *m, size_t count)
{
  frontier_link links[BATCH];
  frontier_verdict verdicts[BATCH];
  size_t settled;
  uint8_t payloads[BATCH][PAYLOAD];
  for (size_t i = 0; i < count; i++) {
    m->u = &m->urls[i];
    make_url(m);
    links[i] = (frontier_link){.target = m->u, .origin = make_origin(m), .payload = payloads[i],
                               .payload_size = roll(m, 2) ? roll(m, PAYLOAD) : 0};
    memset(payloads[i], (int)roll(m, 256), PAYLOAD);
  }
  if (!holds(m, frontier_add_batch(m->f, links, count, m->now_ms, verdicts, &settled), "add_batch") || settled != count)
    differ(m, "%zu of %zu links settled", settled, count);
  for (size_t i = 0; i < count && !m->difference[0]; i++) {
    m->u = &m->urls[i];
    check_and_count(m, verdicts[i]);
    if (verdicts[i].outcome == FRONTIER_SEEN)
      continue;
    page *p = accept(m, links[i].origin, verdicts[i], QUEUED);
    p->payload_size = links[i].payload_size;
    p->payload_byte = payloads[i][0] ^ (p->payload_size && lies(m, LIE_PAYLOAD));
  }
  m->u = m->urls;
}

static void force_one(model *m)
{
  frontier_verdict v;
  make_url(m);
  frontier_link link = {.target = m->u, .origin = make_origin(m)};
  if (!holds(m, frontier_force(m->f, &link, m->now_ms, &v), "force"))
    return;
  check_and_count(m, v);
  m->now.forced += v.outcome == FRONTIER_SEEN;
  accept(m, link.origin, v, QUEUED);
}

static void note_one(model *m)
{
  frontier_verdict v;
  make_url(m);
  frontier_link link = {.target = m->u, .origin = make_origin(m)};
  if (!holds(m, frontier_note(m->f, &link, m->now_ms, &v), "note"))
    return;
  check_and_count(m, v);
  if (v.outcome != FRONTIER_SEEN)
    accept(m, link.origin, v, NOTED);
}

static void add_links(model *m)
{
  for (uint64_t links = 1 + roll(m, m->run->links); links && !m->difference[0];) {
    size_t together = roll(m, 2) ? 1 : 1 + roll(m, BATCH);
    if (together > links)
      together = (size_t)links;
    if (together > 1)
      add_batch(m, together);
    else
      add_link(m);
    links -= together;
  }
  if (!roll(m, 4))
    force_one(m);
  if (!roll(m, 4))
    note_one(m);
}

static void look_up(model *m)
{
  frontier_verdict v;
  make_url(m);
  if (holds(m, frontier_lookup(m->f, m->u, &v), "lookup"))
    check_verdict(m, v);
}

/* ---- out ----------------------------------------------------------------------------------------------- */

static bool may_start(const model *m, const model_host *h)
{
  return !line_is_empty(&h->line) && h->in_flight < m->options.per_host;
}

static bool all_are(const void *bytes, uint8_t value, size_t size)
{
  const uint8_t *at = bytes;
  for (size_t i = 0; i < size; i++)
    if (at[i] != value)
      return false;
  return true;
}

/* Those that may start one now and might not before stand behind all others that might. */
static void note_ready(model *m)
{
  m->round++;
  for (size_t i = 0; i < m->now.hosts; i++) {
    model_host *h = &m->hosts[i];
    if (!h->ready && may_start(m, h) && h->due_ms <= m->now_ms)
      h->ready = m->round;
  }
}

static bool is_before(const model_host *a, const model_host *b)
{
  return a->ready && (a->ready != b->ready ? a->ready < b->ready : a->due_ms < b->due_ms);
}

/* This lease is the head of its host's line, its host may start one, and none waits longer. (A host that is crowded
 * out to disk keeps its order but roughly.) */
static void check_lease(model *m, const frontier_lease *l)
{
  if (l->id < 1 || l->id > m->now.pages) {
    differ(m, "lease %llu was never accepted", (unsigned long long)l->id);
    return;
  }
  page *p = &m->pages[l->id];
  model_host *h = &m->hosts[p->host];
  bool may_start_one = may_start(m, h) && h->due_ms <= m->now_ms;
  size_t place = line_take(&h->line, l->id);
  if (p->life != QUEUED || place == SIZE_MAX || (place && !m->run->overflows)) {
    differ(m, "lease %llu of %s, in state %d: it is not next in line", (unsigned long long)l->id, h->name, (int)p->life);
    return;
  }
  if (strcmp(l->url, p->fetch) != 0 || l->url_size != strlen(p->fetch) || l->origin.via != p->origin.via ||
      l->origin.depth != p->origin.depth || l->origin.hops != p->origin.hops ||
      l->host_end - l->host_begin != strlen(h->name) || strncmp(l->url + l->host_begin, h->name, strlen(h->name)) != 0)
    differ(m, "lease %llu is %s, not %s", (unsigned long long)l->id, l->url, p->fetch);
  if (l->verdict.outcome != p->verdict.outcome || l->verdict.layer != p->verdict.layer)
    differ(m, "lease %llu was let in by another verdict", (unsigned long long)l->id);
  if (l->payload_size != p->payload_size || !all_are(l->payload, p->payload_byte, p->payload_size))
    differ(m, "lease %llu comes with another payload", (unsigned long long)l->id);
  if (!may_start_one)
    differ(m, "%s may not start one now", h->name);
  for (size_t i = 0; i < m->now.hosts && !m->run->overflows; i++)
    if (is_before(&m->hosts[i], h))
      differ(m, "%s is due before %s", m->hosts[i].name, h->name);
  h->in_flight++;
  h->due_ms = m->now_ms + h->delay_ms + (m->run->lie == LIE_DUE ? 1 : 0);
  p->life = IN_FLIGHT;
  h->ready = 0;
  note_ready(m);
}

/* Where more wait than memory holds, the time may be too short, or to the end of a lease; but nobody waits for ever. */
static void check_wait(model *m, int64_t wait_ms)
{
  int64_t expected = FRONTIER_WAIT_FOREVER;
  for (size_t i = 0; i < m->now.hosts; i++) {
    const model_host *h = &m->hosts[i];
    if (!may_start(m, h))
      continue;
    int64_t wait = h->due_ms > m->now_ms ? (int64_t)(h->due_ms - m->now_ms) : 0;
    if (expected == FRONTIER_WAIT_FOREVER || wait < expected)
      expected = wait;
  }
  bool hangs = wait_ms == FRONTIER_WAIT_FOREVER && expected != FRONTIER_WAIT_FOREVER && !m->lease_count;
  if (m->run->overflows ? hangs : wait_ms != expected)
    differ(m, "to wait: %lld ms, not %lld", (long long)wait_ms, (long long)expected);
}

static uint64_t count_of(const model *m, page_life life)
{
  uint64_t count = 0;
  for (uint64_t s = 1; s <= m->now.pages; s++)
    count += m->pages[s].life == life;
  return count;
}

static uint64_t deferred(const model *m)
{
  uint64_t count = 0;
  for (uint64_t s = 1; s <= m->now.pages; s++)
    count += m->pages[s].life == QUEUED && m->pages[s].origin.depth > m->options.depth_cap;
  return count;
}

static void take_leases(model *m, size_t max)
{
  size_t count = 0;
  int64_t wait_ms;
  m->leases = enough(m->leases, m->lease_count + max, &m->lease_room, sizeof *m->leases);
  frontier_lease *new = m->leases + m->lease_count;
  note_ready(m);
  if (!holds(m, frontier_next(m->f, m->now_ms, new, max, &count, &wait_ms), "next"))
    return;
  for (size_t i = 0; i < count; i++)
    check_lease(m, &new[i]);
  m->lease_count += count;
  if (m->run->overflows ? count == 0 : count < max)
    check_wait(m, wait_ms);
}

static frontier_lease drop_lease(model *m, size_t at)
{
  frontier_lease lease = m->leases[at];
  m->leases[at] = m->leases[--m->lease_count];
  m->hosts[m->pages[lease.id].host].in_flight--;
  return lease;
}

static void write_report(model *m, uint64_t lease, char *report, size_t size)
{
  size_t length = roll(m, 5) ? (size_t)snprintf(report, size, "%llu %llx", (unsigned long long)lease,
                                                (unsigned long long)roll(m, UINT64_MAX)) : 0;
  report[length] = '\0';
}

static void end_one(model *m)
{
  if (!m->lease_count)
    return;
  frontier_lease lease = drop_lease(m, roll(m, m->lease_count));
  page *p = &m->pages[lease.id];
  char report[64];
  if (strcmp(lease.url, p->fetch) != 0)
    differ(m, "lease %llu has lost its URL", (unsigned long long)lease.id);
  write_report(m, lease.id, report, sizeof report);
  p->life = (page_life)(FRONTIER_DONE + roll(m, 3));
  p->code = (uint16_t)roll(m, 65536);
  frontier_state state = (frontier_state)p->life;
  uint16_t code = (uint16_t)(p->code ^ lies(m, LIE_CODE));
  if (!holds(m, frontier_done(m->f, lease.id, state, code, report, strlen(report), m->now_ms), "done"))
    return;
  if (!*report || m->run->keeps_nothing)
    return;
  size_t needed = m->now.journal_size + strlen(report) + 2;
  m->journal = enough(m->journal, needed, &m->journal_room, 1);
  m->now.journal_size += (size_t)sprintf(m->journal + m->now.journal_size, "%s\n", report);
  m->journal[m->now.journal_size - 2] ^= lies(m, LIE_REPORT);
}

static void release_one(model *m)
{
  if (!m->lease_count)
    return;
  frontier_lease lease = drop_lease(m, roll(m, m->lease_count));
  page *p = &m->pages[lease.id];
  holds(m, frontier_release(m->f, lease.id, m->now_ms), "release");
  p->life = QUEUED;
  line_push_front(&m->hosts[p->host].line, lease.id);
}

static void slow_one(model *m)
{
  if (!m->lease_count)
    return;
  const frontier_lease *lease = &m->leases[roll(m, m->lease_count)];
  model_host *h = &m->hosts[m->pages[lease->id].host];
  uint64_t delay_ms = roll(m, 3 * m->options.delay_ms + 2);
  holds(m, frontier_host_delay(m->f, lease->id, delay_ms), "host_delay");
  if (delay_ms < m->options.delay_ms)
    delay_ms = m->options.delay_ms;
  h->due_ms = h->due_ms - h->delay_ms + delay_ms;
  h->delay_ms = delay_ms;
  h->ready = 0;
}

static void end_what_is_not_leased(model *m)
{
  uint64_t id = roll(m, m->now.pages + 3);
  if (id >= 1 && id <= m->now.pages && m->pages[id].life == IN_FLIGHT)
    return;
  if (frontier_done(m->f, id, FRONTIER_DONE, 200, "no", 2, m->now_ms) != FRONTIER_NOT_FOUND ||
      frontier_release(m->f, id, m->now_ms) != FRONTIER_NOT_FOUND ||
      frontier_host_delay(m->f, id, 5) != FRONTIER_NOT_FOUND)
    differ(m, "lease %llu is not in flight, and was ended", (unsigned long long)id);
}

/* ---- counts and values --------------------------------------------------------------------------------- */

static void check_stats(model *m)
{
  frontier_stats s;
  if (!holds(m, frontier_stats_read(m->f, &s), "stats"))
    return;
  if (s.queued != count_of(m, QUEUED) || s.in_flight != count_of(m, IN_FLIGHT) ||
      s.done != count_of(m, DONE) + lies(m, LIE_COUNT) || s.failed != count_of(m, FAILED) ||
      s.skipped != count_of(m, SKIPPED) || s.noted != count_of(m, NOTED) || s.forced != m->now.forced ||
      s.hosts != m->now.hosts || s.profile != m->options.profile)
    differ(m, "queued %llu, in flight %llu, done %llu, failed %llu, skipped %llu of %zu", (unsigned long long)s.queued,
           (unsigned long long)s.in_flight, (unsigned long long)s.done, (unsigned long long)s.failed,
           (unsigned long long)s.skipped, m->now.pages);
  if (memcmp(s.outcomes, m->now.verdicts, sizeof s.outcomes) != 0)
    differ(m, "verdicts are counted otherwise");
  if (s.deferred > deferred(m))
    differ(m, "%llu deferred, not %llu", (unsigned long long)s.deferred, (unsigned long long)deferred(m));
  if (s.filter.keys > s.filter.design_keys)
    differ(m, "%llu keys in a filter for %llu", (unsigned long long)s.filter.keys,
           (unsigned long long)s.filter.design_keys);
  if (m->run->exact && s.expected_lost != 0)
    differ(m, "%g URLs lost, where none can be", s.expected_lost);
  if (s.expected_lost < 0 || s.expected_lost > m->options.rate * (double)m->now.pages)
    differ(m, "%g URLs lost", s.expected_lost);
}

static void check_values(model *m)
{
  const void *value;
  size_t size;
  if (frontier_counter(m->f, "model") != m->now.counter)
    differ(m, "the counter is %llu", (unsigned long long)frontier_counter(m->f, "model"));
  frontier_status status = frontier_setting_get(m->f, "model", &value, &size);
  bool agrees = m->now.setting ? status == FRONTIER_OK && size == m->now.setting % 40 &&
                                   (size == 0 || memchr(value, 'a' + (int)(m->now.setting % 26), size) == value)
                               : status == FRONTIER_NOT_FOUND;
  if (!agrees)
    differ(m, "the setting is not %llu", (unsigned long long)m->now.setting);
}

static void put_values(model *m)
{
  char value[40];
  uint64_t more = roll(m, 5);
  m->now.setting = 1 + roll(m, 1000);
  memset(value, 'a' + (int)(m->now.setting % 26), sizeof value);
  holds(m, frontier_setting_put(m->f, "model", value, m->now.setting % 40), "setting_put");
  holds(m, frontier_count(m->f, "model", more), "count");
  m->now.counter += more;
  check_values(m);
}

/* ---- what lasts ---------------------------------------------------------------------------------------- */

static void check_journal(model *m, bool is_all)
{
  size_t size = 0;
  char *text = m->run->keeps_nothing ? NULL : scratch_read(m->journal_path, &size);
  if (text && (size > m->now.journal_size || (is_all && size != m->now.journal_size) ||
               (size && memcmp(text, m->journal, size) != 0)))
    differ(m, "the journal has %zu bytes, not %zu, or others", size, m->now.journal_size);
  free(text);
}

static void note_commit(model *m)
{
  m->committed = m->now;
  for (uint64_t s = 1; s <= m->now.pages; s++) {
    m->pages[s].committed_life = m->pages[s].life == IN_FLIGHT ? QUEUED : m->pages[s].life;
    m->pages[s].was_forgotten = m->pages[s].is_forgotten;
  }
}

typedef struct walk {
  model *m;
  size_t count;
  uint8_t *times; /* by sequence */
} walk;

static bool check_record(void *context, const frontier_record *r)
{
  walk *w = context;
  model *m = w->m;
  w->count++;
  if (r->id < 1 || r->id > m->now.pages || w->times[r->id]++) {
    differ(m, "each: %llu is met twice, or was never accepted", (unsigned long long)r->id);
    return false;
  }
  const page *p = &m->pages[r->id];
  bool is_queued = p->life == QUEUED || p->life == IN_FLIGHT;
  if (r->is_queued != is_queued || (!is_queued && (r->state != (frontier_state)p->life || r->code != p->code)) ||
      r->url_size != strlen(p->fetch) || memcmp(r->url, p->fetch, r->url_size) != 0 ||
      r->origin.via != p->origin.via || r->origin.depth != p->origin.depth || r->origin.hops != p->origin.hops)
    differ(m, "each: %s is not as it ended", p->fetch);
  return true;
}

/* Right after a commit: every URL, once. */
static void check_each(model *m)
{
  walk w = {.m = m, .times = calloc(m->now.pages + 1, 1)};
  if (!w.times)
    abort();
  holds(m, frontier_each(m->f, check_record, &w), "each");
  if (!m->run->keeps_nothing && w.count != m->now.pages)
    differ(m, "each: %zu URLs, not %zu", w.count, m->now.pages);
  free(w.times);
}

static void sync_now(model *m)
{
  if (!holds(m, frontier_sync(m->f), "sync"))
    return;
  note_commit(m);
  check_journal(m, true);
  check_each(m);
}

static void open_again(model *m)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  m->options.journal_path = m->run->keeps_nothing ? NULL : m->journal_path;
  frontier_status status = frontier_open(m->run->keeps_nothing ? NULL : m->directory, &m->options, &m->f, message);
  if (status != FRONTIER_OK) {
    m->f = NULL;
    differ(m, "open: status %d, %s", (int)status, message);
  }
}

static void check_directory(model *m)
{
  second_view v;
  second_read(m->directory, false, &v);
  if (v.faults || v.url_room != m->now.pages + 1)
    differ(m, "the second reader finds %u faults and %llu URLs, not %zu", v.faults, (unsigned long long)v.url_room - 1,
           m->now.pages);
  for (uint64_t s = 1; s < v.url_room && !m->difference[0]; s++) {
    const second_url *u = &v.urls[s];
    const page *p = &m->pages[s];
    page_life life = p->life == IN_FLIGHT ? QUEUED : p->life;
    if (u->state != (unsigned)life || strcmp(u->text, p->fetch) != 0 || u->depth != p->origin.depth ||
        u->hops != p->origin.hops || u->via != p->origin.via || (life != QUEUED && u->code != p->code) ||
        (life == QUEUED && (u->outcome != (unsigned)p->verdict.outcome || u->layer != p->verdict.layer)))
      differ(m, "on disk, %s is %s in state %u with code %u", p->fetch, u->text, u->state, u->code);
  }
  second_free(&v);
}

/* ---- made new again ------------------------------------------------------------------------------------- */

/* The keys of a set, which is emptied. */
static void forget_keys(model *m, void **gone)
{
  for (uint64_t s = 1; s <= m->now.pages; s++)
    m->pages[s].is_forgotten |= set_has(gone, m->pages[s].key);
  for (uint64_t s = 1; s <= m->now.pages && m->run->lie != LIE_FORGET; s++)
    if (set_has(gone, m->pages[s].key))
      set_drop(&m->keys, m->pages[s].key);
  set_empty(gone);
}

/* One that was met, mostly; and then it is new at once. */
static void forget_one(model *m)
{
  bool was_seen;
  void *gone = NULL;
  const char *met = m->now.pages ? m->pages[1 + roll(m, m->now.pages)].fetch : NULL;
  make_url(m);
  if (met && roll(m, 3) && url_parse(met, strlen(met), m->options.profile, m->u) != URL_OK)
    differ(m, "url_parse refuses %s", met);
  if (!holds(m, frontier_forget(m->f, &(frontier_link){.target = m->u}, &was_seen), "forget"))
    return;
  if (was_seen != set_has(&m->keys, m->u->key))
    differ(m, "%s was %s, it is said", m->u->key, was_seen ? "seen" : "new");
  set_put(&gone, m->u->key);
  forget_keys(m, &gone);
  frontier_verdict v;
  if (holds(m, frontier_lookup(m->f, m->u, &v), "lookup"))
    check_verdict(m, v);
}

static bool matches(const model *m, const page *p, bool by_host, const char *text, size_t size)
{
  const char *name = m->hosts[p->host].name;
  return by_host ? strlen(name) == size && memcmp(name, text, size) == 0 : strncmp(p->fetch, text, size) == 0;
}

static bool is_waiting(const page *p)
{
  return p->life == QUEUED || p->life == IN_FLIGHT;
}

/* All that ended on the host, or under the first segment, of a URL, and do not wait as well. */
static void forget_many(model *m)
{
  void *waiting = NULL, *gone = NULL;
  uint64_t forgotten, count = 0;
  make_url(m);
  const url *u = m->u;
  bool by_host = roll(m, 2);
  char text[URL_LENGTH_MAX];
  size_t end = by_host ? u->host_end : u->path_begin + 2, begin = by_host ? u->host_begin : 0, size = end - begin;
  memcpy(text, u->fetch + begin, size);
  frontier_status status = by_host ? frontier_forget_host(m->f, text, size, &forgotten)
                                   : frontier_forget_prefix(m->f, text, size, &forgotten);
  if (m->run->keeps_nothing ? status != FRONTIER_BAD_ARGUMENT : !holds(m, status, "forget_many"))
    differ(m, "forget: status %d", (int)status);
  if (status != FRONTIER_OK)
    return;
  note_commit(m);
  for (uint64_t s = 1; s <= m->now.pages; s++)
    if (is_waiting(&m->pages[s]) && matches(m, &m->pages[s], by_host, text, size))
      set_put(&waiting, m->pages[s].key);
  for (uint64_t s = 1; s <= m->now.pages; s++) {
    const page *p = &m->pages[s];
    if (!matches(m, p, by_host, text, size) || set_has(&waiting, p->key) || set_has(&gone, p->key) ||
        !set_has(&m->keys, p->key))
      continue;
    set_put(&gone, p->key);
    count++;
  }
  if (count != forgotten)
    differ(m, "%llu keys forgotten, not %llu", (unsigned long long)forgotten, (unsigned long long)count);
  forget_keys(m, &gone);
  set_empty(&waiting);
}

/* ---- reopening and crashes ------------------------------------------------------------------------------- */

static void change_cap(model *m)
{
  if (!roll(m, 3))
    m->options.depth_cap = (uint16_t)roll(m, 13);
}

static void reopen(model *m)
{
  if (m->run->keeps_nothing)
    return;
  if (frontier_close(m->f) != FRONTIER_OK)
    differ(m, "close fails");
  m->f = NULL;
  check_directory(m);
  check_journal(m, true);
  change_cap(m);
  line_up(m);
  open_again(m);
  note_commit(m);
}

static void forget_uncommitted(model *m)
{
  for (uint64_t s = m->committed.pages + 1; s <= m->now.pages; s++) {
    free(m->pages[s].fetch);
    free(m->pages[s].key);
  }
  for (size_t i = m->committed.hosts; i < m->now.hosts; i++)
    free(m->hosts[i].line.at);
  m->now = m->committed;
  set_empty(&m->keys);
  set_empty(&m->segments);
  for (uint64_t s = 1; s <= m->now.pages; s++) {
    page *p = &m->pages[s];
    p->life = p->committed_life;
    p->is_forgotten = p->was_forgotten;
    if (url_parse(p->fetch, strlen(p->fetch), m->options.profile, m->u) == URL_OK)
      remember_key(m, m->u);
    if (p->is_forgotten)
      set_drop(&m->keys, p->key);
  }
}

/* The journal as it may be when a crash came between commit and write: some of the owed bytes are not there. And the
 * filter files are worth no more than their checksums. */
static void spoil_what_may_be_spoilt(model *m)
{
  second_view v;
  char path[SCRATCH_PATH];
  second_read(m->directory, false, &v);
  if (v.faults)
    differ(m, "after a crash, the second reader finds %u faults", v.faults);
  uint64_t keep = v.journal_offset + roll(m, v.owed_size + 1);
  if (v.has_journal && truncate(m->journal_path, (off_t)keep) != 0)
    differ(m, "truncate fails");
  second_free(&v);
  scratch_join(m->directory, roll(m, 2) ? "seen.0" : "seen.1", path);
  if (!roll(m, 3) && access(path, F_OK) == 0 && truncate(path, (off_t)roll(m, 5000)) != 0)
    differ(m, "truncate fails");
}

static void step_without_commit(model *m)
{
  if (!roll(m, 8))
    forget_one(m);
  else if (roll(m, 2))
    add_links(m);
  else
    end_one(m);
}

static void crash(model *m)
{
  if (m->run->keeps_nothing)
    return;
  sync_now(m);
  for (uint64_t more = roll(m, m->run->links > 1000 ? 3 : 6); more; more--) /* a batch that is full commits by itself */
    step_without_commit(m);
  char old_root[SCRATCH_PATH], old[SCRATCH_PATH];
  memcpy(old_root, m->root, sizeof old_root);
  memcpy(old, m->directory, sizeof old);
  scratch_make(m->root);
  scratch_join(m->root, "frontier", m->directory);
  scratch_join(m->root, "journal", m->journal_path);
  if (mkdir(m->directory, 0777) != 0)
    abort();
  scratch_copy(old, m->directory);
  scratch_copy(old_root, m->root);
  frontier_close(m->f);
  m->f = NULL;
  scratch_remove(old_root);
  forget_uncommitted(m);
  change_cap(m);
  line_up(m);
  spoil_what_may_be_spoilt(m);
  open_again(m);
  if (m->f) {
    check_values(m);
    check_journal(m, true);
  }
}

/* ---- a run --------------------------------------------------------------------------------------------- */

static void step(model *m)
{
  uint64_t what = roll(m, 1000);
  m->now_ms += roll(m, 4) ? roll(m, 30) : roll(m, 3 * m->options.delay_ms + 1);
  if (what < 350)
    add_links(m);
  else if (what < 600)
    take_leases(m, 1 + roll(m, m->run->leases));
  else if (what < 830)
    for (uint64_t ends = 1 + roll(m, m->run->leases); ends; ends--)
      end_one(m);
  else if (what < 870)
    release_one(m);
  else if (what < 890)
    slow_one(m);
  else if (what < 920)
    look_up(m);
  else if (what < 930)
    end_what_is_not_leased(m);
  else if (what < 950)
    put_values(m);
  else if (what < 965)
    check_stats(m);
  else if (what < 968)
    forget_many(m);
  else if (what < 972)
    forget_one(m);
  else if (what < 985)
    sync_now(m);
  else if (what < 993)
    reopen(m);
  else
    crash(m);
  if (m->f && !roll(m, 20))
    check_journal(m, false);
}

/* Everything ends, whatever it takes; then nothing is left but what is too deep, and then not even that. */
static void drain(model *m)
{
  if (!m->run->keeps_nothing) {
    m->options.depth_cap = UINT16_MAX;
    frontier_close(m->f);
    line_up(m);
    open_again(m);
  }
  while (m->f && !m->difference[0]) {
    take_leases(m, 1 + roll(m, m->run->leases * 4));
    if (frontier_is_finished(m->f))
      break;
    if (!m->lease_count)
      m->now_ms += 1 + m->options.delay_ms;
    while (m->lease_count && !m->difference[0])
      end_one(m);
  }
  if (m->difference[0])
    return;
  if (count_of(m, QUEUED) != deferred(m) || count_of(m, IN_FLIGHT))
    differ(m, "finished, with %llu URLs queued", (unsigned long long)count_of(m, QUEUED));
  check_stats(m);
  sync_now(m);
}

static void begin(model *m)
{
  m->dice = m->run->seed;
  m->options = (frontier_options){
    .filter = m->run->filter, .profile = URL_NO_WWW | URL_NO_TRAILING_SLASH, .expected_urls = m->run->expected_urls,
    .rate = m->run->exact || m->run->lie == LIE_EXACT ? 0.3 : 1e-9, .exact = m->run->exact,
    .delay_ms = m->run->delay_ms, .per_host = m->run->per_host, .depth_cap = m->run->depth_cap};
  scratch_make(m->root);
  scratch_join(m->root, "frontier", m->directory);
  scratch_join(m->root, "journal", m->journal_path);
  open_again(m);
}

static void end(model *m)
{
  if (m->f && frontier_close(m->f) != FRONTIER_OK)
    differ(m, "close fails");
  if (!m->run->keeps_nothing && !m->difference[0])
    check_directory(m);
  scratch_remove(m->root);
  set_empty(&m->keys);
  set_empty(&m->segments);
  for (uint64_t s = 1; s <= m->now.pages; s++) {
    free(m->pages[s].fetch);
    free(m->pages[s].key);
  }
  for (size_t i = 0; i < m->now.hosts; i++)
    free(m->hosts[i].line.at);
  free(m->pages);
  free(m->hosts);
  free(m->journal);
  free(m->leases);
}

bool model_agrees(const model_run *run, char difference[MODEL_TEXT])
{
  model *m = calloc(1, sizeof *m);
  if (!m)
    abort();
  m->run = run;
  m->u = m->urls;
  begin(m);
  unsigned done = 0;
  while (m->f && !m->difference[0] && done < run->steps) {
    step(m);
    done++;
  }
  if (m->f && !m->difference[0])
    drain(m);
  size_t pages = m->now.pages;
  end(m);
  printf("%s, seed %llu: %u steps, %zu URLs%s%s\n", run->name, (unsigned long long)run->seed, done, pages,
         m->difference[0] ? ": " : "", m->difference);
  memcpy(difference, m->difference, MODEL_TEXT);
  free(m);
  return !difference[0];
}
