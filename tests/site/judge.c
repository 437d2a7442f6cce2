/* Counting how often each entry of the site was there. */
#include "tests/site/judge.h"
#include "tests/site/target.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const judge_rules judge_everything = {.max_depth = UINT32_MAX - 1, .prefix = "/"};
const judge_rules judge_after_a_crash = {.max_depth = UINT32_MAX - 1, .prefix = "/", .may_repeat = true};

typedef struct court {
  const site *site;
  const judge_rules *rules;
  text authority;
  unsigned *times;  /* for each entry */
  unsigned tries;   /* of an entry that answers with a server error */
  uint32_t *clicks; /* as well: links from the start ... */
  uint32_t *hops;   /* ... and links and redirects */
  verdict verdict;
} court;

text judge_authority(const site *s)
{
  text origin = {0}, authority = {0};
  spell_origin(&origin, site_place(s));
  text_add(&authority, origin.bytes + strlen("http://"));
  text_free(&origin);
  return authority;
}

static void tell(unsigned nth, const char *what, const char *where)
{
  enum { TOLD = 8 };
  if (nth < TOLD)
    fprintf(stderr, "  %s: %s\n", what, where);
}

static bool is_allowed(const court *c, uint32_t index)
{
  return site_entry_is_wanted(site_entry_at(c->site, index), c->rules->ignore_robots) &&
         c->clicks[index] <= c->rules->max_depth;
}

static bool is_wanted(const court *c, uint32_t index)
{
  return is_allowed(c, index) && c->hops[index] <= c->rules->max_depth;
}

/* A circle asks for a second spelling of an entry, which is asked for, too; and what redirects to itself is asked for
 * once more. */
static unsigned most_times(const court *c, uint32_t index)
{
  return site_is_in_circle(c->site, index) ? 3 : site_entry_at(c->site, index)->status >= 500 ? c->tries : 1;
}

static void count(court *c, const char *authority, size_t authority_size, const char *target)
{
  verdict *v = &c->verdict;
  uint32_t index = site_find(c->site, target, strlen(target));
  if (authority_size != c->authority.size || memcmp(authority, c->authority.bytes, authority_size) != 0)
    tell(v->forbidden++, "out of scope", authority);
  else if (strcmp(target, "/robots.txt") == 0)
    v->robots++;
  else if (index == SITE_NOWHERE)
    tell(v->unknown++, "no page of the site", target);
  else if (!is_allowed(c, index))
    tell(v->forbidden++, "forbidden", target);
  else if (c->times[index]++ >= most_times(c, index)) {
    tell(c->rules->may_repeat ? UINT_MAX : v->again, "again", target), v->again++;
    v->again_hops += site_entry_at(c->site, index)->kind == SITE_REDIRECT;
  }
}

static court open_court(const site *s, const judge_rules *rules)
{
  court c = {.site = s, .rules = rules, .authority = judge_authority(s), .tries = 1};
  c.times = calloc(site_size(s), sizeof *c.times);
  c.clicks = calloc(site_size(s), sizeof *c.clicks);
  c.hops = calloc(site_size(s), sizeof *c.hops);
  if (!c.times || !c.clicks || !c.hops)
    abort();
  site_measure(s, rules->start, rules->prefix, false, c.clicks);
  site_measure(s, rules->start, rules->prefix, true, c.hops);
  return c;
}

static verdict close_court(court *c)
{
  for (uint32_t i = 0; i < site_size(c->site); i++) {
    c->verdict.pages += c->times[i] > 0;
    if (is_wanted(c, i) && !c->times[i])
      tell(c->verdict.missed++, "missed", site_entry_at(c->site, i)->target);
  }
  free(c->times);
  free(c->clicks);
  free(c->hops);
  text_free(&c->authority);
  return c->verdict;
}

verdict judge_requests(const request_log *r, const site *s, const judge_rules *rules)
{
  enum { TRIES = 3 }; /* the program's default */
  court c = open_court(s, rules);
  c.tries = TRIES;
  for (size_t i = 0; i < r->count; i++) {
    const request_line *line = &r->lines[i];
    if (!request_is_mark(line, NULL))
      count(&c, line->host, strlen(line->host), strcmp(line->method, "GET") == 0 ? line->target : line->method);
  }
  return close_court(&c);
}

verdict judge_pages(const page_log *p, const site *s, const judge_rules *rules)
{
  court c = open_court(s, rules);
  for (size_t i = 0; i < pages_count(p); i++) {
    const char *url = pages_url(p, i);
    const char *authority = strncmp(url, "http://", 7) == 0 ? url + 7 : url;
    text target = {0};
    target_of_url(&target, url);
    count(&c, authority, strcspn(authority, "/?#"), target.bytes);
    text_free(&target);
  }
  return close_court(&c);
}
