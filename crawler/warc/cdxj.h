/* CDXJ: the index of WARC files. One line a capture, sorted by its bytes:
 *
 *     com,example)/path?query 20261120203208 {"url":"...","mime":"text/html","status":"200",...}
 *
 * The first field is the URL's key (surt.h), by which pywb looks it up. Several URLs may have one key: the line's own
 * "url" says which it is. */
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

#define CDXJ_REVISIT "warc/revisit" /* the mime of a revisit record */

/* Appends the line, with its line feed, to `lines`. */
void cdxj_put(json *lines, const cdxj_capture *capture);

/* Sorts the lines of `from` into `to`, which appears whole or not at all, and removes `from`. A torn last line is left
 * out. false: errno says why; `from` is as it was. */
bool cdxj_sort(const char *from, const char *to);

/* `take` gets each line without its line feed. Both functions: false if the file cannot be read (errno). */
typedef void cdxj_taker(void *context, const char *line, size_t size);

/* All complete lines of a file, in order. */
bool cdxj_each(const char *path, cdxj_taker *take, void *context);

/* The lines with a URL's key, in order. `is_sorted`: look by halving. */
bool cdxj_find(const char *path, bool is_sorted, const char *url, cdxj_taker *take, void *context);

/* The value of a field that needs no escapes, as all but "url" and "mime"; NULL: the line has none. */
const char *cdxj_value(const char *line, size_t size, const char *name, size_t *value_size);

#endif
