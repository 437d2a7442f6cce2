/* The truth: what should become of each page in a crawl. */
#include "tests/contract/web/web_inside.h"

const char *web_fate_name(web_fate fate)
{
  static const char *const names[WEB_FATES] = {
    [WEB_WANTED] = "wanted", [WEB_BAD] = "bad",           [WEB_DEAD] = "dead",
    [WEB_BARRED] = "barred", [WEB_UNLINKED] = "unlinked", [WEB_ELSEWHERE] = "elsewhere",
  };
  return names[fate];
}

static bool is_in_scope(const web *w, const web_rules *rules, uint32_t host)
{
  switch (rules->scope) {
  case WEB_SCOPE_HOST: return host == rules->start;
  case WEB_SCOPE_DOMAIN: return web_domain_head(w, host) == web_domain_head(w, rules->start);
  case WEB_SCOPE_ANY: return true;
  }
  return false;
}

static bool is_dead(const web *w, uint32_t host)
{
  const web_kind *kind = web_host_kind(w, host);
  return kind && kind->ending != WEB_WHOLE;
}

static bool is_closed(const web *w, uint32_t host)
{
  web_share robots = web_host_robots(w, host);
  return robots == WEB_CLOSED || robots == WEB_BROKENROBOTS;
}

static bool rests(const web *w, uint32_t host)
{
  return web_host_has(w, host, WEB_RESTING) || web_host_has(w, host, WEB_ASLEEP);
}

static bool is_flaky_on_the_way(const web *w, uint32_t host, uint32_t page)
{
  while (page && !web_page_is_flaky(w, host, page) && !web_page_is_map_only(w, host, page))
    page = web_page_parent(w, host, page);
  return web_page_is_flaky(w, host, page);
}

static web_fate fate_of(const web *w, const web_rules *rules, uint32_t host, uint32_t page)
{
  if (!is_in_scope(w, rules, host))
    return WEB_ELSEWHERE;
  if (is_dead(w, host))
    return WEB_DEAD;
  if (!rules->ignores_robots && is_closed(w, host))
    return WEB_BARRED;
  if (!web_page_is_linked(w, host, page, rules->sitemaps, rules->ignores_robots))
    return WEB_UNLINKED;
  switch (web_page_form(w, host, page)) {
  case WEB_FORM_FAILING: return WEB_BAD;
  case WEB_FORM_FORBIDDEN: return rules->ignores_robots ? WEB_WANTED : WEB_BARRED;
  default: return WEB_WANTED;
  }
}

web_truth web_look(const web *w, const web_rules *rules, uint32_t host, uint32_t page)
{
  web_truth truth = {.fate = fate_of(w, rules, host, page), .rests = rests(w, host)};
  web_form form = web_page_form(w, host, page);
  truth.is_flaky = is_flaky_on_the_way(w, host, page);
  truth.is_exact = form == WEB_FORM_COPY;
  truth.has_original = truth.is_exact || form == WEB_FORM_SIMILAR;
  if (truth.has_original)
    truth.original = web_page_original(w, host, page);
  return truth;
}

static void count_page(const web *w, const web_rules *rules, uint32_t host, uint32_t page, web_counts *counts)
{
  web_fate fate = fate_of(w, rules, host, page);
  counts->pages[fate]++;
  if (fate != WEB_WANTED)
    return;
  web_form form = web_page_form(w, host, page);
  counts->copies += form == WEB_FORM_COPY;
  counts->similar += form == WEB_FORM_SIMILAR;
  counts->rests += rests(w, host);
  counts->flaky += is_flaky_on_the_way(w, host, page);
}

web_counts web_count(const web *w, const web_rules *rules)
{
  web_counts counts = {0};
  for (uint32_t host = 0; host < w->options.hosts; host++) {
    uint32_t pages = web_host_pages(w, host);
    if (!is_in_scope(w, rules, host))
      counts.pages[WEB_ELSEWHERE] += pages;
    else
      for (uint32_t page = 0; page < pages; page++)
        count_page(w, rules, host, page, &counts);
  }
  return counts;
}
