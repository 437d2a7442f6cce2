/* A run: steps by the dice, reopening, crashes, and the end. */
#include "frontier/admin.h"
#include "tests/support/model_inside.h"
#include "tests/support/second_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reopening and crashes -------------------------------------------------------------------------------- */

static void open_again(model *m)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  m->options.journal_path = m->run->keeps_nothing ? NULL : m->journal_path;
  m->read_to = 0;
  m->is_read = m->now.pages == 0 || m->run->keeps_nothing;
  frontier_status status = frontier_open(m->run->keeps_nothing ? NULL : m->directory, &m->options, &m->f, message);
  if (status != FRONTIER_OK) {
    m->f = NULL;
    model_differ(m, "open: status %d, %s", (int)status, message);
  }
}

static void change_cap(model *m)
{
  if (!model_roll(m, 3))
    m->options.depth_cap = (uint16_t)model_roll(m, 13);
}

static void hear_fault(void *context, const char *sentence)
{
  model_differ(context, "check: %s", sentence);
}

/* No row is needed any more, as no filter here is so bad that one would be; but where a link with such a key waits to
 * be confirmed. */
static void compact(model *m)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_sizes sizes;
  frontier_findings found;
  second_view v;
  if (frontier_compact(m->directory, &sizes, message) != FRONTIER_OK)
    model_differ(m, "compact: %s", message);
  second_read(m->directory, false, &v);
  if (v.revoked > v.doubt_count)
    model_differ(m, "%llu rows are left of what was forgotten", (unsigned long long)v.revoked);
  second_free(&v);
  if (!model_roll(m, 3) && frontier_check(m->directory, m->journal_path, hear_fault, m, &found, message) != FRONTIER_OK)
    model_differ(m, "check: %s", message);
}

static void reopen(model *m)
{
  if (m->run->keeps_nothing)
    return;
  if (frontier_close(m->f) != FRONTIER_OK)
    model_differ(m, "close fails");
  m->f = NULL;
  if (!model_roll(m, 3))
    compact(m);
  model_check_directory(m);
  model_check_journal(m, true);
  change_cap(m);
  model_line_up(m);
  open_again(m);
  model_note_commit(m);
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
  model_set_empty(&m->keys);
  model_set_empty(&m->segments);
  for (uint64_t s = 1; s <= m->now.pages; s++) {
    page *p = &m->pages[s];
    p->life = p->committed_life;
    p->is_forgotten = p->was_forgotten;
    if (url_parse(p->fetch, strlen(p->fetch), m->options.profile, m->u) == URL_OK)
      model_remember_key(m, m->u);
    if (p->is_forgotten)
      model_set_drop(&m->keys, p->key);
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
    model_differ(m, "after a crash, the second reader finds %u faults", v.faults);
  uint64_t keep = v.journal_offset + model_roll(m, v.owed_size + 1);
  if (v.has_journal && truncate(m->journal_path, (off_t)keep) != 0)
    model_differ(m, "truncate fails");
  second_free(&v);
  scratch_join(m->directory, model_roll(m, 2) ? "seen.0" : "seen.1", path);
  if (!model_roll(m, 3) && access(path, F_OK) == 0 && truncate(path, (off_t)model_roll(m, 5000)) != 0)
    model_differ(m, "truncate fails");
}

static void step_without_commit(model *m)
{
  if (!model_roll(m, 8))
    model_forget_one(m);
  else if (model_roll(m, 2))
    model_add_links(m);
  else
    model_end_one(m);
}

/* A full batch has 24,576 links, and 100 in the tiny build. */
#ifdef FRONTIER_TINY
enum { LINKS_MANY = 16, STEPS_OF_MANY = 1 };
#else
enum { LINKS_MANY = 1000, STEPS_OF_MANY = 3 };
#endif

static void crash(model *m)
{
  if (m->run->keeps_nothing)
    return;
  model_sync_now(m);
  uint64_t most = m->run->links > LINKS_MANY ? STEPS_OF_MANY : 6; /* a batch that is full commits by itself */
  for (uint64_t more = model_roll(m, most); more; more--)
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
  model_line_up(m);
  spoil_what_may_be_spoilt(m);
  open_again(m);
  if (m->f) {
    model_check_values(m);
    model_check_journal(m, true);
  }
}

/* ---- a run ------------------------------------------------------------------------------------------------ */

static void step(model *m)
{
  uint64_t what = model_roll(m, 1000);
  m->now_ms += model_roll(m, 4) ? model_roll(m, 30) : model_roll(m, 3 * m->options.delay_ms + 1);
  if (what < 350)
    model_add_links(m);
  else if (what < 600)
    model_take_leases(m, 1 + model_roll(m, m->run->leases));
  else if (what < 830)
    for (uint64_t ends = 1 + model_roll(m, m->run->leases); ends; ends--)
      model_end_one(m);
  else if (what < 870)
    model_release_one(m);
  else if (what < 890)
    model_slow_one(m);
  else if (what < 920)
    model_look_up(m);
  else if (what < 930)
    model_end_what_is_not_leased(m);
  else if (what < 950)
    model_put_values(m);
  else if (what < 965)
    model_check_stats(m);
  else if (what < 968)
    model_forget_many(m);
  else if (what < 972)
    model_forget_one(m);
  else if (what < 985)
    model_sync_now(m);
  else if (what < 993)
    reopen(m);
  else
    crash(m);
  if (m->f && !model_roll(m, 20))
    model_check_journal(m, false);
}

/* Everything ends, whatever it takes; then nothing is left but what is too deep, and then not even that. */
static void drain(model *m)
{
  if (!m->run->keeps_nothing) {
    m->options.depth_cap = UINT16_MAX;
    frontier_close(m->f);
    model_line_up(m);
    open_again(m);
  }
  while (m->f && !m->difference[0]) {
    model_take_leases(m, 1 + model_roll(m, m->run->leases * 4));
    if (frontier_is_finished(m->f))
      break;
    if (!m->lease_count)
      m->now_ms += 1 + m->options.delay_ms;
    while (m->lease_count && !m->difference[0])
      model_end_one(m);
  }
  if (m->difference[0])
    return;
  if (model_unconfirmed(m))
    model_differ(m, "finished, with %llu links unconfirmed", (unsigned long long)model_unconfirmed(m));
  if (model_count_of(m, QUEUED) != model_deferred(m) || model_count_of(m, IN_FLIGHT))
    model_differ(m, "finished, with %llu URLs queued", (unsigned long long)model_count_of(m, QUEUED));
  model_check_stats(m);
  model_sync_now(m);
}

static void begin(model *m)
{
  m->dice = m->run->seed;
  m->options = (frontier_options){.filter = m->run->filter,
                                  .profile = URL_NO_WWW | URL_NO_TRAILING_SLASH,
                                  .expected_urls = m->run->expected_urls,
                                  .rate = m->run->lie == LIE_EXACT ? 0.3 : 1e-9,
                                  .exact = m->run->exact,
                                  .delay_ms = m->run->delay_ms,
                                  .per_host = m->run->per_host,
                                  .depth_cap = m->run->depth_cap};
  scratch_make(m->root);
  scratch_join(m->root, "frontier", m->directory);
  scratch_join(m->root, "journal", m->journal_path);
  open_again(m);
}

static void end(model *m)
{
  if (m->f && frontier_close(m->f) != FRONTIER_OK)
    model_differ(m, "close fails");
  if (!m->run->keeps_nothing && !m->difference[0])
    model_check_directory(m);
  scratch_remove(m->root);
  model_set_empty(&m->keys);
  model_set_empty(&m->segments);
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
