/* The auditor: what the frontier says of itself, and what lies on disk, against what the model knows. */
#include "tests/support/model_inside.h"
#include "tests/support/second_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- counts and values ------------------------------------------------------------------------------------ */

uint64_t model_unconfirmed(model *m)
{
  frontier_stats s;
  return model_holds(m, frontier_stats_read(m->f, &s), "stats") ? s.unconfirmed : 0;
}

void model_check_stats(model *m)
{
  frontier_stats s;
  if (!model_holds(m, frontier_stats_read(m->f, &s), "stats"))
    return;
  if (s.queued != model_count_of(m, QUEUED) || s.in_flight != model_count_of(m, IN_FLIGHT) ||
      s.done != model_count_of(m, DONE) + model_lies(m, LIE_COUNT) || s.failed != model_count_of(m, FAILED) ||
      s.skipped != model_count_of(m, SKIPPED) || s.noted != model_count_of(m, NOTED) || s.forced != m->now.forced ||
      s.hosts != m->now.hosts || s.profile != m->options.profile)
    model_differ(m, "queued %llu, in flight %llu, done %llu, failed %llu, skipped %llu of %zu",
                 (unsigned long long)s.queued, (unsigned long long)s.in_flight, (unsigned long long)s.done,
                 (unsigned long long)s.failed, (unsigned long long)s.skipped, m->now.pages);
  if (s.late || (s.unconfirmed && !m->run->exact))
    model_differ(m, "%llu unconfirmed, %llu late", (unsigned long long)s.unconfirmed, (unsigned long long)s.late);
  s.outcomes[FRONTIER_SEEN] += s.unconfirmed;
  if (memcmp(s.outcomes, m->now.verdicts, sizeof s.outcomes) != 0)
    model_differ(m, "verdicts are counted otherwise");
  if (s.deferred > model_deferred(m))
    model_differ(m, "%llu deferred, not %llu", (unsigned long long)s.deferred, (unsigned long long)model_deferred(m));
  if (s.filter.keys > s.filter.design_keys)
    model_differ(m, "%llu keys in a filter for %llu", (unsigned long long)s.filter.keys,
                 (unsigned long long)s.filter.design_keys);
  if (m->run->exact && s.expected_lost != 0)
    model_differ(m, "%g URLs lost, where none can be", s.expected_lost);
  if (s.expected_lost < 0 || s.expected_lost > m->options.rate * (double)m->now.pages)
    model_differ(m, "%g URLs lost", s.expected_lost);
}

void model_check_values(model *m)
{
  const void *value;
  size_t size;
  if (frontier_counter(m->f, "model") != m->now.counter)
    model_differ(m, "the counter is %llu", (unsigned long long)frontier_counter(m->f, "model"));
  frontier_status status = frontier_setting_get(m->f, "model", &value, &size);
  bool agrees = m->now.setting ? status == FRONTIER_OK && size == m->now.setting % 40 &&
                                   (size == 0 || memchr(value, 'a' + (int)(m->now.setting % 26), size) == value)
                               : status == FRONTIER_NOT_FOUND;
  if (!agrees)
    model_differ(m, "the setting is not %llu", (unsigned long long)m->now.setting);
}

void model_put_values(model *m)
{
  char value[40];
  uint64_t more = model_roll(m, 5);
  m->now.setting = 1 + model_roll(m, 1000);
  memset(value, 'a' + (int)(m->now.setting % 26), sizeof value);
  model_holds(m, frontier_setting_put(m->f, "model", value, m->now.setting % 40), "setting_put");
  model_holds(m, frontier_count(m->f, "model", more), "count");
  m->now.counter += more;
  model_check_values(m);
}

/* ---- what lasts ------------------------------------------------------------------------------------------- */

void model_check_journal(model *m, bool is_all)
{
  size_t size = 0;
  char *text = m->run->keeps_nothing ? NULL : scratch_read(m->journal_path, &size);
  if (text && (size > m->now.journal_size || (is_all && size != m->now.journal_size) ||
               (size && memcmp(text, m->journal, size) != 0)))
    model_differ(m, "the journal has %zu bytes, not %zu, or others", size, m->now.journal_size);
  free(text);
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
    model_differ(m, "each: %llu is met twice, or was never accepted", (unsigned long long)r->id);
    return false;
  }
  const page *p = &m->pages[r->id];
  bool is_queued = p->life == QUEUED || p->life == IN_FLIGHT;
  if (r->is_queued != is_queued || (!is_queued && (r->state != (frontier_state)p->life || r->code != p->code)) ||
      r->url_size != strlen(p->fetch) || memcmp(r->url, p->fetch, r->url_size) != 0 || r->origin.via != p->origin.via ||
      r->origin.depth != p->origin.depth || r->origin.hops != p->origin.hops)
    model_differ(m, "each: %s is not as it ended", p->fetch);
  return true;
}

/* Right after a commit: every URL, once. */
static void check_each(model *m)
{
  walk w = {.m = m, .times = calloc(m->now.pages + 1, 1)};
  if (!w.times)
    abort();
  model_holds(m, frontier_each(m->f, check_record, &w), "each");
  if (!m->run->keeps_nothing && w.count != m->now.pages)
    model_differ(m, "each: %zu URLs, not %zu", w.count, m->now.pages);
  free(w.times);
}

void model_sync_now(model *m)
{
  if (!model_holds(m, frontier_sync(m->f), "sync"))
    return;
  model_note_commit(m);
  model_check_journal(m, true);
  check_each(m);
}

void model_check_directory(model *m)
{
  second_view v;
  second_read(m->directory, false, &v);
  if (v.faults || v.url_room != m->now.pages + 1)
    model_differ(m, "the second reader finds %u faults and %llu URLs, not %zu", v.faults,
                 (unsigned long long)v.url_room - 1, m->now.pages);
  for (uint64_t s = 1; s < v.url_room && !m->difference[0]; s++) {
    const second_url *u = &v.urls[s];
    const page *p = &m->pages[s];
    page_life life = p->life == IN_FLIGHT ? QUEUED : p->life;
    if (u->state != (unsigned)life || strcmp(u->text, p->fetch) != 0 || u->depth != p->origin.depth ||
        u->hops != p->origin.hops || u->via != p->origin.via || (life != QUEUED && u->code != p->code) ||
        (life == QUEUED && (u->outcome != (unsigned)p->verdict.outcome || u->layer != p->verdict.layer)))
      model_differ(m, "on disk, %s is %s in state %u with code %u", p->fetch, u->text, u->state, u->code);
  }
  second_free(&v);
}
