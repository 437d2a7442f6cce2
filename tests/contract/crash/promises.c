/* What pages.jsonl promised, and when. */
#include "tests/contract/crash/promises.h"
#include "tests/site/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

promises promises_open(trial *t)
{
  promises p = {.trial = t, .since = calloc(site_size(t->made), sizeof *p.since)};
  if (!p.since)
    abort();
  return p;
}

void promises_free(promises *p)
{
  free(p->since);
  p->since = NULL;
}

static uint32_t entry_of_url(const site *s, const char *url)
{
  text target = {0};
  target_of_url(&target, url);
  uint32_t index = site_find(s, target.bytes, target.size);
  text_free(&target);
  return index;
}

void promises_note(promises *p)
{
  const site *s = p->trial->made;
  char name[32];
  snprintf(name, sizeof name, "mark-%u", ++p->marks);
  trial_mark(p->trial, name);
  bool *there = calloc(site_size(s), sizeof *there);
  if (!there)
    abort();
  page_log log = pages_read(p->trial->pages);
  p->broken += log.bad;
  for (size_t i = 0; i < pages_count(&log); i++) {
    uint32_t index = entry_of_url(s, pages_url(&log, i));
    if (index == SITE_NOWHERE)
      continue; /* robots.txt */
    there[index] = true;
    if (!p->since[index])
      p->since[index] = p->marks;
  }
  for (uint32_t i = 0; i < site_size(s); i++)
    if (p->since[i] && !there[i]) {
      fprintf(stderr, "  gone at mark %u: %s\n", p->marks, site_entry_at(s, i)->target);
      p->broken++;
    }
  pages_free(&log);
  free(there);
}

unsigned promises_made(const promises *p)
{
  unsigned made = 0;
  for (uint32_t i = 0; i < site_size(p->trial->made); i++)
    made += p->since[i] != 0;
  return made;
}

unsigned promises_count_broken(const promises *p)
{
  const site *s = p->trial->made;
  unsigned broken = p->broken, marks = 0;
  request_log log = requests_read(p->trial->log);
  for (size_t i = 0; i < log.count; i++) {
    const request_line *line = &log.lines[i];
    marks += request_is_mark(line, NULL);
    uint32_t index = site_find(s, line->target, strlen(line->target));
    bool may_come = index == SITE_NOWHERE || site_is_in_circle(s, index); /* judge.c */
    if (!may_come && p->since[index] && p->since[index] <= marks) {
      fprintf(stderr, "  done at mark %u, asked again after mark %u: %s\n", p->since[index], marks, line->target);
      broken++;
    }
  }
  requests_free(&log);
  return broken;
}
