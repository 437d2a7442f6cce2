/* See held_hosts.h. Nothing but this blocks hosts of a crawl's directory. */
#include "crawler/loop/held_hosts.h"

#include "frontier/host.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char setting[] = "domain-links";

enum { REVIEW_MS = 60 * 1000 };

/* Names of hosts that are blocked, each with its NUL. */
typedef struct blocked {
  crawl *crawl;
  bool counts; /* what was fetched, too */
  char *names;
  size_t size;
  FILE *out;
} blocked;

static bool is_over_budget(const crawl *c, const char *host, size_t size)
{
  return c->budgets && domain_budget_is_over(c->budgets, host, size);
}

static bool look_at(void *context, const frontier_host_info *host)
{
  const blocked *all = context;
  domain_budget *b = all->crawl->budgets;
  if (b && all->counts && host->done + host->failed)
    domain_budget_count(b, host->name, strlen(host->name), host->done + host->failed);
  if (host->control->is_blocked)
    fwrite(host->name, strlen(host->name) + 1, 1, all->out);
  return true;
}

static void let_go(crawl *c, bool counts)
{
  blocked all = {.crawl = c, .counts = counts};
  all.out = open_memstream(&all.names, &all.size);
  bool is_read = all.out && frontier_each_host(c->frontier, c->now_ms, look_at, &all) == FRONTIER_OK;
  if (all.out && fclose(all.out) != 0)
    is_read = false;
  for (size_t at = 0; is_read && at < all.size; at += strlen(all.names + at) + 1) {
    const char *name = all.names + at;
    if (!is_over_budget(c, name, strlen(name)))
      crawl_holds(c, frontier_host_unblock(c->frontier, name));
  }
  free(all.names);
}

/* "origin", and a line for each start URL's (scope.h); in older directories "host", and host[:port] in each. */
static void exempt_starts(crawl *c)
{
  const void *text;
  size_t size;
  if (frontier_setting_get(c->frontier, "trusted", &text, &size) != FRONTIER_OK)
    return;
  const char *at = memchr(text, '\n', size), *end = (const char *)text + size;
  for (at = at ? at + 1 : end; at < end;) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *line_end = newline ? newline : end, *scheme = memmem(at, (size_t)(line_end - at), "://", 3);
    at = scheme ? scheme + 3 : at;
    domain_budget_exempt(c->budgets, at, (size_t)(line_end - at));
    at = line_end + 1;
  }
}

static void read_links(crawl *c)
{
  const void *saved;
  size_t size;
  if (frontier_setting_get(c->frontier, setting, &saved, &size) == FRONTIER_OK)
    domain_budget_read(c->budgets, saved, size);
}

void held_hosts_keep(crawl *c)
{
  size_t size;
  void *saved = c->budgets ? domain_budget_save(c->budgets, &size) : NULL;
  c->kept_links_ms = c->now_ms;
  if (saved && size)
    crawl_holds(c, frontier_setting_put(c->frontier, setting, saved, size));
  free(saved);
}

void held_hosts_begin(crawl *c)
{
  if (c->budgets) {
    exempt_starts(c);
    read_links(c);
  }
  let_go(c, true);
  c->reviewed_ms = c->kept_links_ms = c->now_ms;
}

/* false: out of memory, and nothing is done. */
static bool hold(crawl *c, visit *v)
{
  const frontier_lease *l = &v->lease;
  char *name = strndup(l->url + l->host_begin, l->host_end - l->host_begin);
  if (!name)
    return false;
  crawl_holds(c, frontier_release(c->frontier, l->id, c->now_ms));
  crawl_holds(c, frontier_host_block(c->frontier, name));
  crawl_let_go(c, v);
  free(name);
  return true;
}

bool held_hosts_allow(crawl *c, visit *v)
{
  const frontier_lease *l = &v->lease;
  return !is_over_budget(c, l->url + l->host_begin, l->host_end - l->host_begin) || !hold(c, v);
}

void held_hosts_refuse(crawl *c, visit *v)
{
  if (!hold(c, v))
    crawl_break_off(c, "out of memory to hold a host");
}

typedef struct waiting {
  const crawl *crawl;
  uint64_t urls;
} waiting;

static bool count_waiting(void *context, const frontier_host_info *host)
{
  waiting *w = context;
  if (host->control->is_blocked && !is_over_budget(w->crawl, host->name, strlen(host->name)))
    w->urls += host->held;
  return true;
}

uint64_t held_hosts_not_public(crawl *c)
{
  waiting w = {.crawl = c};
  if (frontier_held(c->frontier))
    crawl_holds(c, frontier_each_host(c->frontier, c->now_ms, count_waiting, &w));
  assert(w.urls <= frontier_held(c->frontier));
  return w.urls;
}

void held_hosts_review(crawl *c)
{
  if (c->budgets && c->now_ms - c->kept_links_ms >= REVIEW_MS)
    held_hosts_keep(c);
  if (!c->budgets || !domain_budget_has_grown(c->budgets) ||
      (c->now_ms - c->reviewed_ms < REVIEW_MS && !frontier_is_finished(c->frontier)))
    return;
  domain_budget_reviewed(c->budgets);
  c->reviewed_ms = c->now_ms;
  let_go(c, false);
}
