/* See trap_list.h. */
#include "crawler/report/trap_list.h"

#include "crawler/base/message.h"
#include "crawler/base/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void host_free(trap_host *h)
{
  for (unsigned i = 0; i < h->example_count; i++)
    free(h->examples[i]);
  for (unsigned i = 0; i < h->directory_count; i++)
    free(h->directories[i].name);
  free(h->name);
}

void trap_list_free(trap_list *traps)
{
  for (unsigned i = 0; i < traps->count; i++)
    host_free(&traps->list[i]);
  for (uint64_t i = 0; i < traps->suspects && i < TRAP_SUSPECTS; i++)
    free(traps->suspect_names[i]);
  traps->count = 0;
  traps->suspects = 0;
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
  trap_host h = {
    .waiting = info->queued[FRONTIER_TRAP], .taken = info->trap_taken, .found = info->found, .suspect = info->suspect};
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

static void take_example(trap_list *traps, trap_host *h, const frontier_trapped *t)
{
  if (h->example_count == TRAP_EXAMPLES)
    return;
  h->examples[h->example_count] = strndup(t->url, t->url_size);
  traps->failed |= !h->examples[h->example_count];
  h->example_count += !traps->failed;
}

/* What stands behind the host, with the '?' of a query. */
static char *name_of(const frontier_trapped *t)
{
  size_t begin = (size_t)(t->host - t->url) + t->host_size, end = t->directory_end;
  end += end < t->url_size && t->url[end] == '?';
  return end > begin ? strndup(t->url + begin, end - begin) : strdup("");
}

/* Its place among those with most; NULL: it has none yet, for `waiting` URLs are too few. */
static trap_directory *place_of(trap_list *traps, trap_host *h, const frontier_trapped *t, uint32_t waiting)
{
  trap_directory *last = &h->directories[h->directory_count];
  for (unsigned i = 0; i < h->directory_count; i++)
    if (h->directories[i].id == t->directory)
      return &h->directories[i];
  if (h->directory_count == TRAP_DIRECTORIES && (--last)->waiting >= waiting)
    return NULL;
  char *name = name_of(t);
  traps->failed |= !name;
  if (!name)
    return NULL;
  h->directory_count += h->directory_count < TRAP_DIRECTORIES;
  free(last->name);
  *last = (trap_directory){.name = name, .id = t->directory};
  return last;
}

static void count_below(trap_list *traps, trap_host *h, const frontier_trapped *t)
{
  uint32_t waiting;
  if (mlbf_count_add(traps->below, (mlbf_span){&t->directory, sizeof t->directory}, 1, &waiting) != MLBF_OK) {
    traps->failed = true;
    return;
  }
  trap_directory *at = place_of(traps, h, t, waiting);
  if (!at)
    return;
  at->waiting = waiting;
  for (; at > h->directories && at[-1].waiting < at->waiting; at--) {
    trap_directory less = at[-1];
    at[-1] = *at;
    *at = less;
  }
}

static bool take_url(void *context, const frontier_trapped *t)
{
  trap_list *traps = context;
  trap_host *h = find_host(traps, t);
  if (h && t->is_queued)
    count_below(traps, h, t);
  if (h)
    take_example(traps, h, t);
  return !traps->failed && (t->is_queued || !has_enough(traps));
}

static frontier_status read_urls(frontier *f, trap_list *traps)
{
  enum { DIRECTORIES = 1 << 16 };
  /* the seed may be known: directories are keyed hashes */
  mlbf_count_options options = MLBF_COUNT_OPTIONS_DEFAULT;
  options.keys = DIRECTORIES;
  options.seed = 1;
  traps->failed = mlbf_count_create(&options, &traps->below) != MLBF_OK;
  frontier_status status = traps->failed ? FRONTIER_OK : frontier_each_trapped(f, take_url, traps);
  mlbf_count_free(traps->below);
  traps->below = NULL;
  return status;
}

static bool take_suspect(void *context, const frontier_mark *mark)
{
  trap_list *traps = context;
  char *name = traps->suspects < TRAP_SUSPECTS ? strndup(mark->name, mark->name_size) : NULL;
  traps->failed |= traps->suspects < TRAP_SUSPECTS && !name;
  if (name)
    traps->suspect_names[traps->suspects] = name;
  traps->suspects += !traps->failed;
  return !traps->failed;
}

frontier_status trap_list_read(frontier *f, trap_list *traps)
{
  *traps = (trap_list){0};
  frontier_status status = frontier_each_mark(f, take_suspect, traps);
  if (status == FRONTIER_OK && !traps->failed)
    status = frontier_each_host(f, 0, take_host, traps);
  return status == FRONTIER_OK && traps->count && !traps->failed ? read_urls(f, traps) : status;
}

/* ---- showing -------------------------------------------------------------------------------------------- */

static void print_suspects(const trap_list *traps)
{
  char count[SAY_SIZE];
  if (!traps->suspects)
    return;
  printf("suspect    %s director%s whose pages nearly all say the same\n", say_count(traps->suspects, count),
         traps->suspects == 1 ? "y" : "ies");
  for (uint64_t i = 0; i < traps->suspects && i < TRAP_SUSPECTS; i++) {
    fputs("  ", stdout);
    shown_puts(traps->suspect_names[i]);
  }
  if (traps->suspects > TRAP_SUSPECTS)
    printf("  and %s more\n", say_count(traps->suspects - TRAP_SUSPECTS, count));
}

/* URLs and hosts are ASCII without control bytes (url.h), unless somebody forged the directory. */
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
    fputs("  ", stdout);
    shown_put(stdout, h->name);
    printf(": %s taken, %s waiting\n", say_count(h->taken, a), say_count(h->waiting, b));
    for (unsigned d = 0; d < h->directory_count; d++) {
      printf("    %s%s below ", say_count(h->directories[d].waiting, a),
             h->directories[d].waiting == MLBF_COUNT_LIMIT_MOST ? " or more" : "");
      shown_puts(h->directories[d].name);
    }
    for (unsigned e = 0; e < h->example_count; e++) {
      fputs("    ", stdout);
      shown_puts(h->examples[e]);
    }
  }
  if (traps->hosts > traps->count)
    printf("  and %s hosts more\n", say_count(traps->hosts - traps->count, a));
  print_suspects(traps);
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
    json_begin_array(out, "directories");
    for (unsigned d = 0; d < h->directory_count; d++) {
      json_begin(out);
      json_put_string(out, "directory", h->directories[d].name);
      json_put_number(out, "waiting", h->directories[d].waiting);
      json_end(out);
    }
    json_end_array(out);
    json_begin_array(out, "examples");
    for (unsigned e = 0; e < h->example_count; e++)
      json_add_string(out, h->examples[e]);
    json_end_array(out);
    json_end(out);
  }
  json_end_array(out);
  json_begin_array(out, "suspect_directories");
  for (uint64_t i = 0; i < traps->suspects && i < TRAP_SUSPECTS; i++)
    json_add_string(out, traps->suspect_names[i]);
  json_end_array(out);
  json_end(out);
}
