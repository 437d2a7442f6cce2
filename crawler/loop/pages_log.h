/* One line of pages.jsonl: the result of a fetch. PAGES.md documents every field. */
#ifndef STRATA_CRAWLER_PAGES_LOG_H
#define STRATA_CRAWLER_PAGES_LOG_H

#include "crawler/loop/fingerprint_index.h"
#include "crawler/http/fetch.h"
#include "crawler/base/json.h"
#include "crawler/loop/visit.h"

typedef struct page_links {
  uint64_t found, fresh; /* links on the page; those of them that were new and queued */
  const char *limit;     /* why not all of them were taken, in words; NULL: they were */
  unsigned lacks;        /* what that leaves out: bits of lacks.h */
  const char *canonical; /* the URL the page prefers for itself; NULL: it says none */
  bool is_cut;           /* the crawl ends before all of them are taken: the page comes again, and has no line yet */
} page_links;

typedef struct page_facts {
  const visit *visit;
  frontier_state outcome;
  const char *robots;             /* "allowed", "ignored", "unreachable" */
  const fetch_response *response; /* NULL: robots.txt could not be had, so it was not asked for */
  page_links links;
  const char *redirect;         /* where it leads; NULL for none */
  bool is_loop;                 /* which leads back here */
  const fingerprint_near *near; /* what the page is a near-duplicate of; NULL: nothing that is known */
  const char *error, *reason;   /* a word and a phrase, when there is no answer; else NULL */
} page_facts;

/* Into `line`, without a newline. Ends the visit's hash. `scratch` is room for the key, made by `profile`. */
void pages_log_line(json *line, const page_facts *facts, url_profile profile, url *scratch);

#endif
