/* CDXJ: the index of WARC files. One line a capture, sorted by its bytes:
 *
 *     com,example)/path?query 20261120203208 {"url":"...","mime":"text/html","status":"200",...}
 *
 * The first field is the URL as a SURT key, which sorts the URLs of a site together: host labels backwards, `www.` off,
 * all in lower case, the query's parts sorted, as pywb looks it up. Session ids stay. */
#ifndef STRATA_CRAWLER_CDXJ_H
#define STRATA_CRAWLER_CDXJ_H

#include "crawler/base/json.h"

typedef struct cdxj_capture {
  const char *url;  /* the fetch URL */
  const char *date; /* YYYYMMDDhhmmss */
  const char *mime;
  int status;
  const char *digest;    /* "sha1:..." */
  uint64_t offset, size; /* of the record in the file, compressed */
  const char *file;
} cdxj_capture;

/* The key of a URL, with a NUL, into `key`: never longer than the URL plus CDXJ_KEY_EXTRA. */
enum { CDXJ_KEY_EXTRA = 8 };
void cdxj_key(const char *url, char *key);

/* Appends the line, with its line feed, to `lines`. */
void cdxj_put(json *lines, const cdxj_capture *capture);

/* Sorts the lines of `from` into `to`, which appears whole or not at all, and removes `from`. A torn last line is left
 * out. false: errno says why; `from` is as it was. */
bool cdxj_sort(const char *from, const char *to);

/* The lines of a URL in a file, in order: `take` gets each without its line feed. `is_sorted`: look by halving. Returns
 * false if the file cannot be read (errno). */
typedef void cdxj_taker(void *context, const char *line, size_t size);
bool cdxj_find(const char *path, bool is_sorted, const char *url, cdxj_taker *take, void *context);

#endif
