/* See settings.h. */
#include "frontier/core/state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
  struct setting *next;
  bool is_dirty;
  size_t size;
  uint8_t *value;
  char name[];
} setting;

static setting *find_setting(frontier *f, const char *name)
{
  setting *s = f->settings.first;
  while (s && strcmp(s->name, name) != 0)
    s = s->next;
  return s;
}

/* The setting of that name, made if it is not there; NULL: no memory. */
static setting *make_setting(frontier *f, const char *name)
{
  setting *s = find_setting(f, name);
  if (s)
    return s;
  s = calloc(1, sizeof *s + strlen(name) + 1);
  if (!s)
    return NULL;
  memcpy(s->name, name, strlen(name) + 1);
  s->next = f->settings.first;
  f->settings.first = s;
  return s;
}

frontier_status frontier_setting_put(frontier *f, const char *name, const void *value, size_t size)
{
  LOCKED(f);
  if (f->options.read_only)
    return refuse_reader(f);
  if (!*name || strlen(name) > SETTING_NAME_MAX)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a setting's name has 1 to %d bytes", SETTING_NAME_MAX);
  uint8_t *copy = malloc(size + 1); /* also of nothing */
  setting *s = copy ? make_setting(f, name) : NULL;
  if (!s) {
    free(copy);
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for the setting \"%s\"", name);
  }
  if (size)
    memcpy(copy, value, size);
  free(s->value);
  s->value = copy;
  s->size = size;
  s->is_dirty = true;
  batch_touch(&f->batch);
  return FRONTIER_OK;
}

/* NOT_FOUND comes without a message. */
static frontier_status look_up(frontier *f, const char *name, setting **found)
{
  *found = find_setting(f, name);
  if (*found || !f->store || strlen(name) > SETTING_NAME_MAX)
    return *found ? FRONTIER_OK : FRONTIER_NOT_FOUND;
  char full[SETTING_NAME_MAX + sizeof SETTING_PREFIX];
  uint8_t *body;
  size_t body_size;
  snprintf(full, sizeof full, SETTING_PREFIX "%s", name);
  frontier_status status = store_get_meta(f->store, full, &body, &body_size);
  if (status == FRONTIER_NOT_FOUND)
    return status;
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: setting \"%s\": %s", f->directory, name, store_message(f->store));
  setting *s = make_setting(f, name);
  if (!s) {
    free(body);
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for the setting \"%s\"", name);
  }
  s->value = body;
  s->size = body_size;
  *found = s;
  return FRONTIER_OK;
}

frontier_status frontier_setting_get(frontier *f, const char *name, const void **value, size_t *size)
{
  LOCKED(f);
  setting *s;
  frontier_status status = look_up(f, name, &s);
  if (status == FRONTIER_NOT_FOUND)
    return frontier_fail(f, status, "there is no setting \"%s\"", name);
  if (status != FRONTIER_OK)
    return status;
  *value = s->value;
  *size = s->size;
  return FRONTIER_OK;
}

frontier_status frontier_count(frontier *f, const char *name, uint64_t add)
{
  LOCKED(f);
  if (f->options.read_only)
    return refuse_reader(f);
  if (!counters_add(&f->settings.counters, name, add))
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "no counter can be named \"%s\", or there are %d already", name,
                         COUNTERS_MAX);
  batch_touch(&f->batch);
  return FRONTIER_OK;
}

uint64_t frontier_counter(const frontier *f, const char *name)
{
  LOCKED(f);
  return counters_get(&f->settings.counters, name);
}

bool frontier_counter_at(const frontier *f, size_t index, const char **name, uint64_t *value)
{
  LOCKED(f);
  if (index >= f->settings.counters.count)
    return false;
  *name = f->settings.counters.each[index].name;
  *value = f->settings.counters.each[index].value;
  return true;
}

/* ---- the transaction ---------------------------------------------------------------------------------- */

frontier_status counters_take(frontier *f, const uint8_t *body, size_t size)
{
  return counters_read(&f->settings.counters, (const char *)body, size)
           ? FRONTIER_OK
           : frontier_fail(f, FRONTIER_DAMAGED, "%s: the counters are damaged", f->directory);
}

static void put(frontier *f)
{
  char name[SETTING_NAME_MAX + sizeof SETTING_PREFIX], text[COUNTERS_TEXT_MAX];
  for (const setting *s = f->settings.first; s; s = s->next)
    if (s->is_dirty) {
      snprintf(name, sizeof name, SETTING_PREFIX "%s", s->name);
      store_put_meta(f->store, name, s->value, s->size);
    }
  store_put_meta(f->store, "counters", text, counters_write(&f->settings.counters, text));
}

static void sealed(frontier *f)
{
  for (setting *s = f->settings.first; s; s = s->next)
    s->is_dirty = false;
}

static void close_it(frontier *f)
{
  for (setting *s = f->settings.first, *next; s; s = next) {
    next = s->next;
    free(s->value);
    free(s);
  }
}

static void check(const frontier *f)
{
  assert(f->settings.counters.count <= COUNTERS_MAX);
  (void)f;
}

const part settings_part = {.check = check, .put = put, .sealed = sealed, .close = close_it};
