/* See partition_stat.h. */
#include "crawler/cluster/partition_stat.h"

#include "crawler/base/json.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

void partition_stat_write(const partition_stat *s, struct json *out)
{
  json_begin(out);
  json_put_number(out, "partition", s->partition);
  json_put_string(out, "worker", s->worker);
  json_put_string(out, "directory", s->directory);
  json_put_number(out, "incarnation", s->incarnation);
  json_put_number(out, "pages", s->pages);
  json_put_number(out, "done", s->done);
  json_put_number(out, "waiting", s->waiting);
  json_put_number(out, "hosts", s->hosts);
  json_put_number(out, "outbox", s->outbox);
  json_put_number(out, "unacknowledged", s->unacknowledged);
  json_put_number(out, "oldest_ms", s->oldest_ms);
  json_put_number(out, "copied_ms", s->copied_ms);
  json_put_number(out, "at_ms", s->at_ms);
  json_put_real(out, "pages_per_second", s->rate, 1);
  json_end(out);
}

static uint64_t number_of(const json_t *object, const char *name)
{
  json_int_t value = json_integer_value(json_object_get(object, name));
  return value > 0 ? (uint64_t)value : 0;
}

static void take_text(const json_t *object, const char *name, char *text, size_t room)
{
  const char *value = json_string_value(json_object_get(object, name));
  snprintf(text, room, "%s", value ? value : "");
}

bool partition_stat_read(const char *text, size_t size, partition_stat *s)
{
  json_t *object = json_loadb(text, size, 0, NULL);
  memset(s, 0, sizeof *s);
  if (!json_is_object(object)) {
    json_decref(object);
    return false;
  }
  s->partition = (uint32_t)number_of(object, "partition");
  take_text(object, "worker", s->worker, sizeof s->worker);
  take_text(object, "directory", s->directory, sizeof s->directory);
  s->incarnation = number_of(object, "incarnation");
  s->pages = number_of(object, "pages");
  s->done = number_of(object, "done");
  s->waiting = number_of(object, "waiting");
  s->hosts = number_of(object, "hosts");
  s->outbox = number_of(object, "outbox");
  s->unacknowledged = number_of(object, "unacknowledged");
  s->oldest_ms = number_of(object, "oldest_ms");
  s->copied_ms = number_of(object, "copied_ms");
  s->at_ms = number_of(object, "at_ms");
  s->rate = json_number_value(json_object_get(object, "pages_per_second"));
  json_decref(object);
  return true;
}
