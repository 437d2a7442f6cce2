/* The server's log against the site's truth. */
#include "tests/site/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *cut_field(char **rest)
{
  const char *field = strsep(rest, "\t");
  return field ? field : "";
}

requests requests_read(const char *log_path)
{
  requests r = {0};
  if (!text_add_file(&r.file, log_path)) {
    perror(log_path);
    abort();
  }
  size_t room = 0;
  for (char *line, *rest = r.file.bytes; (line = strsep(&rest, "\n")) && rest; r.count++) {
    if (r.count == room) {
      room = room ? 2 * room : 1024;
      r.lines = realloc(r.lines, room * sizeof *r.lines);
      if (!r.lines)
        abort();
    }
    request_line *parsed = &r.lines[r.count];
    parsed->status = atoi(cut_field(&line));
    parsed->host = cut_field(&line);
    parsed->method = cut_field(&line);
    parsed->target = cut_field(&line);
    parsed->agent = cut_field(&line);
  }
  return r;
}

void requests_free(requests *r)
{
  free(r->lines);
  text_free(&r->file);
  *r = (requests){0};
}

bool request_is_mark(const request_line *line, const char *name)
{
  return strcmp(line->host, "mark") == 0 && (!name || strcmp(line->target + 1, name) == 0);
}

static void tell(unsigned nth, const char *what, const char *target)
{
  if (nth < 8)
    fprintf(stderr, "  %s: %s\n", what, target);
}

static bool is_wanted(const site_entry *entry, const requests_rules *rules)
{
  return site_entry_is_wanted(entry, rules->ignore_robots) && entry->depth <= rules->max_depth &&
         (!rules->prefix || strncmp(entry->target, rules->prefix, strlen(rules->prefix)) == 0);
}

static void judge_line(const request_line *line, const trial *t, const requests_rules *rules, unsigned *times,
                       requests_verdict *verdict)
{
  size_t host_size = strcspn(t->url + 7, "/");
  uint32_t index = site_find(t->made, line->target, strlen(line->target));
  if (strlen(line->host) != host_size || strncmp(line->host, t->url + 7, host_size) != 0)
    tell(verdict->forbidden++, "out of scope", line->host);
  else if (strcmp(line->target, "/robots.txt") == 0)
    verdict->robots++;
  else if (strcmp(line->method, "GET") != 0 || index == SITE_NOWHERE)
    tell(verdict->unknown++, "no page of the site", line->target);
  else if (!is_wanted(site_entry_at(t->made, index), rules))
    tell(verdict->forbidden++, "forbidden", line->target);
  else if (times[index]++ > 0)
    tell(verdict->again++, "again", line->target);
}

requests_verdict requests_judge(const requests *r, const trial *t, const requests_rules *rules)
{
  requests_verdict verdict = {0};
  uint32_t size = site_size(t->made);
  unsigned *times = calloc(size, sizeof *times);
  if (!times)
    abort();
  for (size_t i = 0; i < r->count; i++)
    if (!request_is_mark(&r->lines[i], NULL))
      judge_line(&r->lines[i], t, rules, times, &verdict);
  for (uint32_t i = 0; i < size; i++) {
    const site_entry *entry = site_entry_at(t->made, i);
    verdict.pages += times[i] > 0;
    if (is_wanted(entry, rules) && !times[i])
      tell(verdict.missed++, "missed", entry->target);
  }
  free(times);
  return verdict;
}
