/* tests/site/pages.h: a crawl's pages.jsonl, read back with a JSON library that is not ours. */
#ifndef STRATA_TESTS_SITE_PAGES_H
#define STRATA_TESTS_SITE_PAGES_H

#include "tests/site/grown_text.h"

#include <jansson.h>

typedef struct page_log {
  json_t *list; /* array of objects, one for each complete line */
  unsigned bad; /* complete lines that are not one JSON object with a string "url"; each is printed */
  bool torn;    /* the file does not end with a line feed */
} page_log;

/* A file that is not there reads as empty. */
page_log pages_read(const char *path);
void pages_free(page_log *p);

size_t pages_count(const page_log *p);
const char *pages_url(const page_log *p, size_t index);
long long pages_number(const page_log *p, size_t index, const char *name); /* -1 if there is no such number */

#endif
