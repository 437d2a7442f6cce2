/* See counters.h. A few dozen names: a linear search is as fast as anything. */
#include "frontier/core/counters.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t index_of(const counters *c, const char *name)
{
  size_t i = 0;
  while (i < c->count && strcmp(c->each[i].name, name) != 0)
    i++;
  return i;
}

bool counters_add(counters *c, const char *name, uint64_t add)
{
  size_t i = index_of(c, name), size = strlen(name);
  if (i == c->count) {
    if (i == COUNTERS_MAX || size == 0 || size >= COUNTER_NAME_SIZE || strpbrk(name, " \n"))
      return false;
    memcpy(c->each[i].name, name, size + 1);
    c->each[i].value = 0;
    c->count++;
    assert(c->count <= COUNTERS_MAX);
  }
  c->each[i].value += add;
  return true;
}

uint64_t counters_get(const counters *c, const char *name)
{
  size_t i = index_of(c, name);
  return i < c->count ? c->each[i].value : 0;
}

size_t counters_write(const counters *c, char text[COUNTERS_TEXT_MAX])
{
  size_t at = 0;
  for (size_t i = 0; i < c->count; i++)
    at += (size_t)snprintf(text + at, COUNTERS_TEXT_MAX - at, "%s %" PRIu64 "\n", c->each[i].name, c->each[i].value);
  assert(at < COUNTERS_TEXT_MAX);
  return at;
}

bool counters_read(counters *c, const char *text, size_t size)
{
  char line[COUNTER_NAME_SIZE + 24];
  c->count = 0;
  for (const char *at = text, *end = text + size; at < end;) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    if (!newline || (size_t)(newline - at) >= sizeof line)
      return false;
    memcpy(line, at, (size_t)(newline - at));
    line[newline - at] = '\0';
    char *space = strchr(line, ' ');
    if (!space)
      return false;
    *space = '\0';
    if (!counters_add(c, line, strtoull(space + 1, NULL, 10)))
      return false;
    at = newline + 1;
  }
  return true;
}
