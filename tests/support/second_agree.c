/* The second reader's last look: do the tables agree with each other? */
#include "tests/support/second_inside.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void agree_on_names(second_view *v)
{
  const char **names = calloc(v->host_count + 1, sizeof *names);
  if (!names)
    abort();
  for (size_t i = 0; i < v->host_count; i++)
    names[i] = v->hosts[i].name;
  qsort(names, v->host_count, sizeof *names, by_name);
  for (size_t i = 1; i < v->host_count; i++)
    if (strcmp(names[i - 1], names[i]) == 0)
      second_fault(v, "host %s is there twice", names[i]);
  free(names);
}

static void agree_on_urls(second_view *v)
{
  if (v->next_change && !v->changes_agree)
    second_fault(v, "host-changes: the last one tells of other hosts than are there");
  second_host *counted = calloc(v->host_count + 1, sizeof *counted);
  if (!counted)
    abort();
  uint64_t all[5] = {0};
  for (uint64_t i = 1; i < v->url_room; i++) {
    const second_url *u = &v->urls[i];
    if (u->found != 1 || !u->text || u->is_again != u->has_again || u->was_noted != (u->state == 4)) {
      second_fault(v, "sequence %llu is there %u times; or its newer row is missing, or it was not noted",
                   (unsigned long long)i, u->found);
      continue;
    }
    second_host *h = &counted[u->host];
    uint64_t nowhere = 0, *of_host[5] = {&h->queued[u->class], &h->done, &h->failed, &h->skipped, &nowhere};
    unsigned state = u->state <= 4 ? u->state : 0;
    ++*of_host[state];
    h->trap_ended += state >= 1 && state <= 3 && u->was_trap;
    all[state]++;
  }
  for (size_t i = 0; i < v->host_count; i++) {
    const second_host *h = &v->hosts[i], *c = &counted[i];
    if (memcmp(h->queued, c->queued, sizeof h->queued) != 0 || h->done != c->done || h->failed != c->failed ||
        h->skipped != c->skipped || h->trap_ended != c->trap_ended)
      second_fault(v, "host %s: its counts are not those of its URLs", h->name);
  }
  if (all[1] != v->progress[DONE] || all[2] != v->progress[FAILED] || all[3] != v->progress[SKIPPED] ||
      all[4] != v->noted)
    second_fault(v, "progress counts other endings than there are");
  free(counted);
}

static void agree_on_log(second_view *v)
{
  uint64_t new_ones = v->forced + v->known_before;
  for (size_t i = NEW; i < PROGRESS; i++)
    new_ones += v->progress[i];
  v->checkpoint_is_at_chunk |= v->log_keys == v->progress[CHECKPOINT_KEYS];
  if (v->log_has_gap || v->log_keys != v->progress[LOG_KEYS])
    second_fault(v, "the log has %llu keys%s, progress says %llu", (unsigned long long)v->log_keys,
                 v->log_has_gap ? " with gaps" : "", (unsigned long long)v->progress[LOG_KEYS]);
  if (v->log_keys != v->url_room - 1 || v->log_keys != new_ones)
    second_fault(v, "%llu keys in the log, %llu URLs, %llu verdicts of new", (unsigned long long)v->log_keys,
                 (unsigned long long)v->url_room - 1, (unsigned long long)new_ones);
  if (v->progress[CHECKPOINT_KEYS] && !v->checkpoint_is_at_chunk)
    second_fault(v, "the checkpoint ends inside a chunk");
  if (v->progress[SLOT] > 1)
    second_fault(v, "filter file %llu", (unsigned long long)v->progress[SLOT]);
  if (v->is_exact && v->expected_lost != 0)
    second_fault(v, "%g URLs lost where keys are exact", v->expected_lost);
}

void second_agree(second_view *v)
{
  agree_on_names(v);
  agree_on_urls(v);
  agree_on_log(v);
}
