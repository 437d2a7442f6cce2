/* The way in, and keys made new again: what the verdict on a URL must be. */
#include "tests/support/model_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOAD = 300 };

static void make_url(model *m)
{
  char text[256];
  int size = snprintf(text, sizeof text, "http://%sh%u.test%s", model_roll(m, 8) ? "" : "www.",
                      (unsigned)model_roll(m, m->run->hosts), model_roll(m, 10) ? "" : ":8080");
  for (uint64_t segments = 1 + model_roll(m, 4); segments; segments--)
    size += snprintf(text + size, sizeof text - (size_t)size, "/%x", (unsigned)model_roll(m, m->run->words));
  size += snprintf(text + size, sizeof text - (size_t)size, "%s", model_roll(m, 8) ? "" : "/");
  if (!model_roll(m, 6))
    size += snprintf(text + size, sizeof text - (size_t)size, "?q=%x&r", (unsigned)model_roll(m, m->run->words));
  if (url_parse(text, (size_t)size, m->options.profile, m->u) != URL_OK)
    model_differ(m, "url_parse refuses %s", text);
}

/* "New" is certain, and so is what is said to be new; the rate is small enough to make SEEN certain too. */
static void check_verdict(model *m, frontier_verdict v)
{
  const url *u = m->u;
  bool is_known = model_set_has(&m->keys, u->key);
  if ((v.outcome == FRONTIER_SEEN) != is_known)
    model_differ(m, "%s is %s", u->key, is_known ? "seen, and called new" : "new, and called seen");
  bool names_segment = v.outcome == FRONTIER_NEW_HOST || v.outcome == FRONTIER_NEW_SEGMENT;
  if (names_segment && (v.layer < 1 || v.layer > u->segment_count || model_segment_is_known(m, u, v.layer - 1)))
    model_differ(m, "%s: its segment %u is called new", u->key, v.layer);
  if ((v.outcome == FRONTIER_NEW_HOST) != (v.layer == 1) || (!names_segment && v.layer != 0))
    model_differ(m, "%s: outcome %d with layer %u", u->key, (int)v.outcome, v.layer);
  if (v.outcome != FRONTIER_SEEN && (v.outcome == FRONTIER_NEW) != (m->run->filter != MLBF_KIND_MLBF))
    model_differ(m, "%s: outcome %d of this kind", u->key, (int)v.outcome);
}

static page *accept(model *m, frontier_origin origin, frontier_verdict verdict, page_life life)
{
  const url *u = m->u;
  model_remember_key(m, u);
  m->pages = model_enough(m->pages, m->now.pages + 1, &m->page_room, sizeof *m->pages);
  uint64_t sequence = ++m->now.pages;
  page *p = &m->pages[sequence];
  *p = (page){.fetch = strdup(u->fetch), .key = strdup(u->key), .origin = origin, .verdict = verdict, .life = life};
  if (!p->fetch || !p->key)
    abort();
  p->host = model_host_number(m, u->fetch + u->host_begin, u->host_end - u->host_begin);
  if (life == QUEUED && origin.depth <= m->options.depth_cap && !model_lies(m, LIE_QUEUE))
    model_line_push(&m->hosts[p->host].line, sequence);
  return p;
}

static frontier_origin make_origin(model *m)
{
  return (frontier_origin){model_roll(m, m->now.pages + 1), (uint16_t)model_roll(m, 12), (uint16_t)model_roll(m, 3)};
}

/* Of a link that was added: the filter calls it seen, so it is. */
static frontier_verdict confirm(const model *m, frontier_verdict v)
{
  return v.outcome == FRONTIER_UNCONFIRMED && m->run->exact ? (frontier_verdict){FRONTIER_SEEN, v.layer} : v;
}

static void check_and_count(model *m, frontier_verdict v)
{
  check_verdict(m, v);
  m->now.verdicts[v.outcome] += model_lies(m, LIE_VERDICT) ? 2 : 1;
}

static void add_link(model *m)
{
  frontier_origin origin = make_origin(m);
  frontier_verdict v = {.layer = UINT32_MAX};
  make_url(m);
  if (!model_holds(m, frontier_add(m->f, m->u, origin, m->now_ms, &v), "add"))
    return;
  v = confirm(m, v);
  check_and_count(m, v);
  if (v.outcome != FRONTIER_SEEN)
    accept(m, origin, v, QUEUED);
}

static void add_batch(model *m, size_t count)
{
  frontier_link links[MODEL_BATCH];
  frontier_verdict verdicts[MODEL_BATCH];
  size_t settled;
  uint8_t payloads[MODEL_BATCH][PAYLOAD];
  for (size_t i = 0; i < count; i++) {
    m->u = &m->urls[i];
    make_url(m);
    links[i] = (frontier_link){.target = m->u,
                               .origin = make_origin(m),
                               .payload = payloads[i],
                               .payload_size = model_roll(m, 2) ? model_roll(m, PAYLOAD) : 0};
    memset(payloads[i], (int)model_roll(m, 256), PAYLOAD);
  }
  frontier_status status = frontier_add_batch(m->f, links, count, m->now_ms, verdicts, &settled);
  if (!model_holds(m, status, "add_batch") || settled != count)
    model_differ(m, "%zu of %zu links settled", settled, count);
  for (size_t i = 0; i < count && !m->difference[0]; i++) {
    m->u = &m->urls[i];
    verdicts[i] = confirm(m, verdicts[i]);
    check_and_count(m, verdicts[i]);
    if (verdicts[i].outcome == FRONTIER_SEEN)
      continue;
    page *p = accept(m, links[i].origin, verdicts[i], QUEUED);
    p->payload_size = links[i].payload_size;
    p->payload_byte = payloads[i][0] ^ (p->payload_size && model_lies(m, LIE_PAYLOAD));
  }
  m->u = m->urls;
}

static void force_one(model *m)
{
  frontier_verdict v;
  make_url(m);
  frontier_link link = {.target = m->u, .origin = make_origin(m)};
  if (!model_holds(m, frontier_force(m->f, &link, m->now_ms, &v), "force"))
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
  if (!model_holds(m, frontier_note(m->f, &link, m->now_ms, &v), "note"))
    return;
  v = confirm(m, v);
  check_and_count(m, v);
  if (v.outcome != FRONTIER_SEEN)
    accept(m, link.origin, v, NOTED);
}

void model_add_links(model *m)
{
  for (uint64_t links = 1 + model_roll(m, m->run->links); links && !m->difference[0];) {
    size_t together = model_roll(m, 2) ? 1 : 1 + model_roll(m, MODEL_BATCH);
    if (together > links)
      together = (size_t)links;
    if (together > 1)
      add_batch(m, together);
    else
      add_link(m);
    links -= together;
  }
  if (!model_roll(m, 4))
    force_one(m);
  if (!model_roll(m, 4))
    note_one(m);
}

void model_look_up(model *m)
{
  frontier_verdict v;
  make_url(m);
  if (model_holds(m, frontier_lookup(m->f, m->u, &v), "lookup"))
    check_verdict(m, v);
}

/* ---- made new again --------------------------------------------------------------------------------------- */

/* The keys of a set, which is emptied. */
static void forget_keys(model *m, void **gone)
{
  for (uint64_t s = 1; s <= m->now.pages; s++)
    m->pages[s].is_forgotten |= model_set_has(gone, m->pages[s].key);
  for (uint64_t s = 1; s <= m->now.pages && m->run->lie != LIE_FORGET; s++)
    if (model_set_has(gone, m->pages[s].key))
      model_set_drop(&m->keys, m->pages[s].key);
  model_set_empty(gone);
}

/* One that was met, mostly; and then it is new at once. */
void model_forget_one(model *m)
{
  bool was_seen;
  void *gone = NULL;
  const char *met = m->now.pages ? m->pages[1 + model_roll(m, m->now.pages)].fetch : NULL;
  make_url(m);
  if (met && model_roll(m, 3) && url_parse(met, strlen(met), m->options.profile, m->u) != URL_OK)
    model_differ(m, "url_parse refuses %s", met);
  if (!model_holds(m, frontier_forget(m->f, &(frontier_link){.target = m->u}, &was_seen), "forget"))
    return;
  if (was_seen != model_set_has(&m->keys, m->u->key))
    model_differ(m, "%s was %s, it is said", m->u->key, was_seen ? "seen" : "new");
  model_set_put(&gone, m->u->key);
  forget_keys(m, &gone);
  frontier_verdict v;
  if (model_holds(m, frontier_lookup(m->f, m->u, &v), "lookup"))
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
void model_forget_many(model *m)
{
  void *waiting = NULL, *gone = NULL;
  uint64_t forgotten, count = 0;
  make_url(m);
  const url *u = m->u;
  bool by_host = model_roll(m, 2);
  char text[URL_LENGTH_MAX];
  size_t end = by_host ? u->host_end : u->path_begin + 2, begin = by_host ? u->host_begin : 0, size = end - begin;
  memcpy(text, u->fetch + begin, size);
  frontier_status status = by_host ? frontier_forget_host(m->f, text, size, &forgotten)
                                   : frontier_forget_prefix(m->f, text, size, &forgotten);
  if (m->run->keeps_nothing ? status != FRONTIER_BAD_ARGUMENT : !model_holds(m, status, "forget_many"))
    model_differ(m, "forget: status %d", (int)status);
  if (status != FRONTIER_OK)
    return;
  model_note_commit(m);
  for (uint64_t s = 1; s <= m->now.pages; s++)
    if (is_waiting(&m->pages[s]) && matches(m, &m->pages[s], by_host, text, size))
      model_set_put(&waiting, m->pages[s].key);
  for (uint64_t s = 1; s <= m->now.pages; s++) {
    const page *p = &m->pages[s];
    if (!matches(m, p, by_host, text, size) || model_set_has(&waiting, p->key) || model_set_has(&gone, p->key) ||
        !model_set_has(&m->keys, p->key))
      continue;
    model_set_put(&gone, p->key);
    count++;
  }
  if (count != forgotten)
    model_differ(m, "%llu keys forgotten, not %llu", (unsigned long long)forgotten, (unsigned long long)count);
  forget_keys(m, &gone);
  model_set_empty(&waiting);
}
