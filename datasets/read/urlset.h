/* datasets/read/urlset.h: the URLs of a published set of any format, one at a time.
 *
 *     file --reader.h--> lines --format.h--> URL of the row                 (ids.h: the URL of an id)
 *
 * A row that does not fit the format is counted, the first five with line number and reason, and skipped. */
#ifndef STRATA_DATASETS_URLSET_H
#define STRATA_DATASETS_URLSET_H

#include "datasets/read/ids.h"
#include "datasets/read/reader.h"

typedef struct urlset urlset;

/* Open `path` ("-": standard input). `name`: a format as --format takes it, NULL to find out from the content,
 * which reads the first 64 KiB. `ids` gives the URLs of files that hold ids, or is NULL.
 * NULL: `*reason` says why: the file cannot be read, or holds no URLs. */
urlset *urlset_open(const char *path, const char *name, const url_ids *ids, const char **reason);
void urlset_close(urlset *old); /* NULL is fine */

const char *urlset_format(const urlset *set);      /* for people */
const char *urlset_compression(const urlset *set); /* "gzip", "zstd", "xz", "none" */

/* Of a plain table: the column that has the URLs, from 1, of `*count`; 1 of 1 for a list, 0 of 0 if none has. */
unsigned urlset_column(const urlset *set, unsigned *count);

uint64_t urlset_bytes_read(const urlset *set); /* of the file so far, as it is: compressed */

/* The next URL, as text; valid until the next call. Results as dataset_next's. */
dataset_status urlset_next(urlset *set, const char **text, size_t *size);

/* Count the row urlset_next gave last as bad: it is not a URL one can take. */
void urlset_refuse(urlset *set);

const dataset_bad *urlset_bad_rows(const urlset *set);

#endif
