/* See trap_list.h. */
#include "crawler/trap_list.h"

#include "crawler/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void host_free(trap_host *h)
{
  for (unsigned i = 0; i < h->example_count; i++)
    free(h->examples[i]);
  free(h->name);
}

void trap_list_free(trap_list *traps)
{
  for (unsigned i = 0; i < traps->count; i++)
    host_free(&traps->list[i]);
  traps->count = 0;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* In its place among those with most; the last one makes room. */
static void insert(trap_list *traps, trap_host h)
{
  unsigned at = traps->count;
  while (at && traps->list[at - 1].waiting + traps->list[at - 1].taken < h.waiting + h.taken)
    at--;
  if (at == TRAP_HOSTS) {
    host_free(&h);
    return;
  }
  if (traps->count == TRAP_HOSTS)
    host_free(&traps->list[--traps->count]);
  memmove(traps->list + at + 1, traps->list + at, (traps->count - at) * sizeof h);
  traps->list[at] = h;
  traps->count++;
}

static bool take_host(void *context, const frontier_host_info *info)
{
  trap_list *traps = context;
  trap_host h = {.waiting = info->queued[FRONTIER_TRAP], .taken = info->trap_taken, .found = info->found,
                 .suspect = info->suspect};
  if (h.waiting + h.taken == 0)
    return true;
  traps->hosts++;
  traps->waiting += h.waiting;
  traps->taken += h.taken;
  h.name = strdup(info->name);
  traps->failed |= !h.name;
  if (h.name)
    insert(traps, h);
  return !traps->failed;
}

static trap_host *find_host(trap_list *traps, const frontier_trapped *t)
{
  for (unsigned i = 0; i < traps->count; i++)
    if (strlen(traps->list[i].name) == t->host_size && memcmp(traps->list[i].name, t->host, t->host_size) == 0)
      return &traps->list[i];
  return NULL;
}

static bool has_enough(const trap_list *traps)
{
  for (unsigned i = 0; i < traps->count; i++) {
    const trap_host *h = &traps->list[i];
    if (h->example_count < TRAP_EXAMPLES && h->example_count < h->waiting + h->taken)
      return false;
  }
  return true;
}

static bool take_example(void *context, const frontier_trapped *t)
{
  trap_list *traps = context;
  trap_host *h = find_host(traps, t);
  if (!h || h->example_count == TRAP_EXAMPLES)
    return true;
  h->examples[h->example_count] = strndup(t->url, t->url_size);
  traps->failed |= !h->examples[h->example_count];
  h->example_count += !traps->failed;
  return !traps->failed && !has_enough(traps);
}

frontier_status trap_list_read(frontier *f, trap_list *traps)
{
  *traps = (trap_list){0};
  frontier_status status = frontier_each_host(f, 0, take_host, traps);
  if (status == FRONTIER_OK && traps->count && !traps->failed)
    status = frontier_each_trapped(f, take_example, traps);
  return status;
}

/* ---- showing -------------------------------------------------------------------------------------------- */

/* URLs and hosts hold no control bytes and nothing but ASCII: url.h. */
void trap_list_print(const trap_list *traps)
{
  char a[SAY_SIZE], b[SAY_SIZE];
  if (traps->hosts == 0)
    puts("traps      none: nothing looks like a URL space without end");
  else
    printf("traps      %s host%s; %s URLs that look like a trap's taken, %s waiting\n", say_count(traps->hosts, a),
           traps->hosts == 1 ? "" : "s", say_count(traps->taken, b), say_count(traps->waiting, (char[SAY_SIZE]){0}));
  for (unsigned i = 0; i < traps->count; i++) {
    const trap_host *h = &traps->list[i];
    printf("  %s: %s taken, %s waiting\n", h->name, say_count(h->taken, a), say_count(h->waiting, b));
    for (unsigned e = 0; e < h->example_count; e++)
      printf("    %s\n", h->examples[e]);
  }
  if (traps->hosts > traps->count)
    printf("  and %s hosts more\n", say_count(traps->hosts - traps->count, a));
}

void trap_list_json(const trap_list *traps, json *out)
{
  json_begin_object(out, "traps");
  json_put_number(out, "hosts", traps->hosts);
  json_put_number(out, "taken", traps->taken);
  json_put_number(out, "waiting", traps->waiting);
  json_begin_array(out, "list");
  for (unsigned i = 0; i < traps->count; i++) {
    const trap_host *h = &traps->list[i];
    json_begin(out);
    json_put_string(out, "host", h->name);
    json_put_number(out, "taken", h->taken);
    json_put_number(out, "waiting", h->waiting);
    json_put_number(out, "found", h->found);
    json_put_number(out, "suspect", h->suspect);
    json_begin_array(out, "examples");
    for (unsigned e = 0; e < h->example_count; e++)
      json_add_string(out, h->examples[e]);
    json_end_array(out);
    json_end(out);
  }
  json_end_array(out);
  json_end(out);
}
