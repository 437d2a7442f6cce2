/* See missing.h. */
#include "crawler/report/missing.h"

#include "crawler/base/message.h"

#include <stdio.h>

static const double LOST_LEAST = 0.01; /* that any URL was missed is then as probable as 1 in 100 */

missing missing_read(frontier *f, const frontier_stats *stats)
{
  missing m = {.rest = lacks_read_rest(f, stats), .has_page = frontier_counter(f, "start-pages") > 0};
  uint64_t all = m.rest.waiting + m.rest.held + m.rest.not_public;
  m.lost = stats->expected_lost < LOST_LEAST ? 0 : stats->expected_lost;
  for (int i = 0; i < CRAWL_LACKS; i++)
    all += m.lacks[i] = frontier_counter(f, crawl_lack_name((crawl_lack)i));
  m.is_counted = lacks_are_counted(f);
  m.is_complete = !all && m.lost <= 0 && m.has_page && m.is_counted;
  return m;
}

bool missing_is_only_held(const missing *m)
{
  missing others = *m;
  others.rest.held = 0;
  char text[MISSING_SENTENCE];
  return m->rest.held && !missing_sentence(&others, 0, text);
}

/* BEFORE COUNT ONE or BEFORE COUNT SEVERAL, AFTER: what fetches it. */
typedef struct row {
  uint64_t count;
  const char *before, *one, *several, *after;
} row;

static const char *say(const row *r, char text[MISSING_SENTENCE])
{
  char count[SAY_SIZE];
  snprintf(text, MISSING_SENTENCE, "%s%s %s%s", r->before, say_count(r->count, count),
           r->count == 1 ? r->one : r->several, r->after);
  return text;
}

const char *missing_sentence(const missing *m, size_t i, char text[MISSING_SENTENCE])
{
  const row rows[] = {
    {m->rest.waiting, "", "URL that waits", "URLs that wait", " to be fetched"},
    {m->lacks[LACK_FAILED], "", "URL", "URLs", " that failed (--retry-failed)"},
    {m->lacks[LACK_ROBOTS], "", "URL", "URLs", " without a robots.txt that could be read (--retry-failed)"},
    {m->lacks[LACK_BODY], "the rest of ", "page", "pages",
     " longer than --max-body, or cut by their server (a larger one, --recrawl-after 1s)"},
    {m->lacks[LACK_LINKS], "links of ", "page", "pages", " with too many, too long or undecidable ones"},
    {m->lacks[LACK_REDIRECTS], "the end of ", "chain", "chains", " of more than 20 redirects"},
    {m->lacks[LACK_SITEMAP], "URLs of ", "sitemap", "sitemaps", " too large, damaged, or too many"},
    {m->rest.not_public, "", "URL", "URLs", " whose address is not public (--allow-private)"},
    {m->rest.held, "", "URL", "URLs", " held back as a trap's (a larger --trap-budget, --domain-budget)"},
  };
  for (size_t at = 0; at < sizeof rows / sizeof *rows; at++)
    if (rows[at].count && i-- == 0)
      return say(&rows[at], text);
  bool is_older = !m->is_counted && i-- == 0;
  if (is_older)
    snprintf(text, MISSING_SENTENCE, "what an older version of strata left out and did not count (a new crawl)");
  else if (i == 0 && m->lost > 0)
    snprintf(text, MISSING_SENTENCE, "some %.2g URLs that the filter wrongly called seen (--filter exact misses none)",
             m->lost);
  else
    return NULL;
  return text;
}

void missing_json(const missing *m, json *out)
{
  static const char *const names[CRAWL_LACKS] = {"truncated",    "links_cut", "redirects_cut",
                                                 "sitemaps_cut", "unfetched", "robots_unread"};
  json_put_bool(out, "complete", m->is_complete);
  json_put_number(out, "waiting", m->rest.waiting);
  json_put_number(out, "held", m->rest.held);
  json_put_number(out, "not_public", m->rest.not_public);
  json_put_number(out, "too_deep", m->rest.too_deep);
  for (int i = 0; i < CRAWL_LACKS; i++)
    json_put_number(out, names[i], m->lacks[i]);
}
