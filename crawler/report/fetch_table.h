/* How each URL of a crawl ended: the last line of pages.jsonl of each key, found by the key's hash, and what comes of
 * following its redirects.
 *
 *     pages.jsonl --> rows of 40 bytes --sorted by hash, on disk--> the last of each key, mapped
 *
 * In bounded memory, whatever the crawl's size. */
#ifndef STRATA_CRAWLER_FETCH_TABLE_H
#define STRATA_CRAWLER_FETCH_TABLE_H

#include "crawler/http/fetch.h"
#include "crawler/loop/edge_log.h"
#include "frontier/frontier.h"

typedef struct fetch_table fetch_table;

enum {
  FETCH_START = 1,
  FETCH_MAP = 2,
  FETCH_CHECK = 4,
  FETCH_NOINDEX = 8,
  FETCH_HTML = 16,
  FETCH_COPY = 32 /* its canonical URL is another one */
};

/* Of the last fetch of a URL. `ending`: the HTTP status, or FETCH_NO_ANSWER and a fetch_error. */
enum { FETCH_NO_ANSWER = 0x8000 };
typedef struct fetch_row {
  uint64_t key;   /* edge_hash of its key */
  uint64_t next;  /* that of where it redirects to; 0: nowhere */
  uint64_t line;  /* offset in pages.jsonl */
  uint64_t title; /* a hash of its title; 0: it has none */
  uint16_t ending;
  uint8_t flags;
  uint8_t reserved[5];
} fetch_row;

/* Of the crawl in `directory`, for its temporary files too. NULL: errno says why. */
fetch_table *fetch_table_read(const frontier *f, url_profile profile, const char *directory);
void fetch_table_free(fetch_table *t); /* NULL is fine */

/* The rows, by key. */
const fetch_row *fetch_table_rows(const fetch_table *t, uint64_t *count);
const fetch_row *fetch_table_find(const fetch_table *t, uint64_t key); /* NULL: it was not fetched */
uint64_t fetch_table_hash(const fetch_table *t, const char *key, size_t size);

/* Where the redirects of a row end. */
typedef struct fetch_end {
  const fetch_row *last; /* that was fetched */
  unsigned hops;
  bool is_loop, is_too_long; /* more than 20 */
  bool is_known;             /* else it redirects to what was not fetched */
  uint16_t ending;           /* of the last; where there is none, of the row itself */
} fetch_end;
fetch_end fetch_table_follow(const fetch_table *t, const fetch_row *row);

/* What a link to it is: broken, or fine, or not known. */
bool fetch_end_is_broken(const fetch_end *end);

/* "404", "name". */
enum { FETCH_ENDING_TEXT = 16 };
const char *fetch_ending_text(uint16_t ending, char text[FETCH_ENDING_TEXT]);

/* The URL of a row, as it was requested; valid until the next call. NULL: errno says why. */
const char *fetch_table_url(fetch_table *t, const fetch_row *row);
const char *fetch_table_title(const fetch_table *t); /* of that row */

#endif
