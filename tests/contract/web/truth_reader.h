/* tests/contract/web/truth_reader.h: a web read slowly, without a word from those who made it.
 *
 * Breadth first over web_answer, one request after the other, with a clock of its own: libgumbo builds the tree of each
 * page as a browser does, iconv reads its charset (where none is said: UTF-8 if it is valid, else windows-1252),
 * libcurl's URL API resolves its links, and 20 redirects in a row are followed. robots.txt and sitemaps are read
 * naively. What may heal is asked for again until it has. URLs without end are left alone by their first letters:
 * /calendar/, /shop/, /lost/, /best/. Of web.h it uses web_answer alone. */
#ifndef STRATA_TESTS_WEB_READER_H
#define STRATA_TESTS_WEB_READER_H

#include "tests/contract/web/web.h"

typedef enum reader_end {
  READER_GOT,     /* 200 */
  READER_SENT_ON, /* a redirect */
  READER_FAILED,  /* an answer, and never 200 */
  READER_DEAD,    /* never an answer */
  READER_BARRED,  /* by robots.txt */
  READER_ABSENT,  /* no such URL was met: only of reader_look */
} reader_end;

typedef struct reader_page {
  char *url; /* canonical, without a fragment */
  reader_end end;
  uint64_t body_hash;
  unsigned redirects; /* by which it was met */
} reader_page;

typedef struct reader reader;

/* Reads all that `rules` allow, beginning at `start`. */
reader *reader_run(const web *w, const web_rules *rules, const char *start);
void reader_free(reader *r);

size_t reader_count(const reader *r);
const reader_page *reader_page_at(const reader *r, size_t index);
reader_page reader_look(const reader *r, const char *url);

#endif
