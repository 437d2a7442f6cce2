/* One line of pages.jsonl: what a fetch gave. The fields are documented in crawler/README.md. */
#ifndef STRATA_CRAWLER_PAGES_LOG_H
#define STRATA_CRAWLER_PAGES_LOG_H

#include "crawler/fetch.h"
#include "crawler/json.h"
#include "crawler/visit.h"

typedef struct page_links {
  uint64_t found, fresh; /* links on the page; those of them that were new and queued */
  const char *canonical; /* the URL the page prefers for itself; NULL: it says none */
} page_links;

/* Into `line`, without a newline. `target` is where a redirect leads, NULL for none. */
void pages_log_line(json *line, const visit *v, const fetch_response *response, page_links links, const char *target);

#endif
