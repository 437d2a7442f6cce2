/* What the model knows: its dice, its sets of strings, its lines of URLs. */
#include "tests/support/model_inside.h"
#include "tests/site/random.h"

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) void model_differ(model *m, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (!m->difference[0])
    vsnprintf(m->difference, sizeof m->difference, format, arguments);
  va_end(arguments);
}

bool model_holds(model *m, frontier_status status, const char *doing)
{
  if (status != FRONTIER_OK)
    model_differ(m, "%s: status %d, %s", doing, (int)status, frontier_message(m->f));
  return status == FRONTIER_OK;
}

/* True once, at a time when the lie can be told; and again after each reopening and crash, which may have taken what
 * it was about with it (a URL that was never committed, the place of one in its line) before anybody could notice. */
bool model_lies(model *m, model_lie lie)
{
  if (m->run->lie != lie || m->has_lied)
    return false;
  m->has_lied = true;
  return true;
}

uint64_t model_roll(model *m, uint64_t sides)
{
  return random_next(&m->dice) % sides;
}

void *model_enough(void *array, size_t count, size_t *room, size_t element)
{
  if (count < *room)
    return array;
  *room = count < 64 ? 128 : 2 * count;
  array = realloc(array, *room * element);
  if (!array)
    abort();
  return array;
}

/* ---- sets of strings -------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
  return strcmp(a, b);
}

bool model_set_has(void *const *set, const char *text)
{
  return tfind(text, set, by_text) != NULL;
}

void model_set_put(void **set, const char *text)
{
  if (model_set_has(set, text))
    return;
  char *copy = strdup(text);
  if (!copy || !tsearch(copy, set, by_text))
    abort();
}

void model_set_drop(void **set, const char *text)
{
  char **found = tfind(text, set, by_text);
  char *copy = found ? *found : NULL;
  if (copy)
    tdelete(text, set, by_text);
  free(copy);
}

void model_set_empty(void **set)
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

bool model_segment_is_known(model *m, const url *u, uint32_t i)
{
  char text[URL_LENGTH_MAX + 8];
  segment_text(u, i, text);
  return model_set_has(&m->segments, text);
}

void model_remember_key(model *m, const url *u)
{
  char text[URL_LENGTH_MAX + 8];
  if (m->run->lie != LIE_KEY)
    model_set_put(&m->keys, u->key);
  for (uint32_t i = 0; i < u->segment_count; i++) {
    segment_text(u, i, text);
    model_set_put(&m->segments, text);
  }
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

void model_line_push(host_line *l, uint64_t sequence)
{
  l->at = model_enough(l->at, l->end, &l->room, sizeof *l->at);
  l->at[l->end++] = sequence;
}

void model_line_push_front(host_line *l, uint64_t sequence)
{
  if (l->begin == 0) {
    model_line_push(l, 0);
    memmove(l->at + 1, l->at, (l->end - 1) * sizeof *l->at);
  } else {
    l->begin--;
  }
  l->at[l->begin] = sequence;
}

/* Takes it out, wherever it stands; its place from the head, or SIZE_MAX: it is not in the line. */
size_t model_line_take(host_line *l, uint64_t sequence)
{
  for (size_t i = l->begin; i < l->end; i++)
    if (l->at[i] == sequence) {
      memmove(l->at + l->begin + 1, l->at + l->begin, (i - l->begin) * sizeof *l->at);
      return i - l->begin++;
    }
  return SIZE_MAX;
}

bool model_line_is_empty(const host_line *l)
{
  return l->begin == l->end;
}

size_t model_host_number(model *m, const char *name, size_t size)
{
  for (size_t i = 0; i < m->now.hosts; i++)
    if (strlen(m->hosts[i].name) == size && memcmp(m->hosts[i].name, name, size) == 0)
      return i;
  m->hosts = model_enough(m->hosts, m->now.hosts, &m->host_room, sizeof *m->hosts);
  model_host *h = &m->hosts[m->now.hosts];
  *h = (model_host){.delay_ms = m->options.delay_ms};
  snprintf(h->name, sizeof h->name, "%.*s", (int)size, name);
  return m->now.hosts++;
}

/* All that is not ended waits again, in order of sequence. */
void model_line_up(model *m)
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
      model_line_push(&m->hosts[p->host].line, s);
  }
  m->lease_count = 0;
  m->has_lied = false;
}

/* ---- all pages -------------------------------------------------------------------------------------------- */

uint64_t model_count_of(const model *m, page_life life)
{
  uint64_t count = 0;
  for (uint64_t s = 1; s <= m->now.pages; s++)
    count += m->pages[s].life == life;
  return count;
}

uint64_t model_deferred(const model *m)
{
  uint64_t count = 0;
  for (uint64_t s = 1; s <= m->now.pages; s++)
    count += m->pages[s].life == QUEUED && m->pages[s].origin.depth > m->options.depth_cap;
  return count;
}

void model_note_commit(model *m)
{
  m->committed = m->now;
  for (uint64_t s = 1; s <= m->now.pages; s++) {
    m->pages[s].committed_life = m->pages[s].life == IN_FLIGHT ? QUEUED : m->pages[s].life;
    m->pages[s].was_forgotten = m->pages[s].is_forgotten;
  }
}
