/* One URL at a time from a set of any format: urlset.h.
 *
 * Always: a row is given, counted as refused, or part of another's document; none is two of these. Called by
 * datasets/replay and by `strata crawl --seeds`. */
#include "datasets/read/urlset.h"
#include "datasets/read/column.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct urlset {
  dataset_reader *reader;
  const format *format;
  const url_ids *ids;
  url_column column; /* of a table */
  bool is_inside;    /* a document has begun */
  bool has_url;      /* and its URL has been given: what looks like another is its text */
  char scratch[FORMAT_SCRATCH_SIZE];
};

/* NULL, or why not. */
static const char *find_format(urlset *set, const char *name)
{
  text_span sample;
  dataset_status status;
  do
    status = dataset_peek(set->reader, &sample.bytes, &sample.size);
  while (status == DATASET_IO && errno == EINTR);
  if (status != DATASET_OK)
    return dataset_failure_text(status);
  set->format = format_detect(name, sample, sample.size < DATASET_PEEK);
  if (set->format == NULL)
    return "there is no such format";
  if (set->format->is_ids && set->ids == NULL)
    return "holds ids, not URLs (SogouT-link); give its id table: --ids id2url.link";
  if (set->format->is_table)
    set->column = column_find(sample, sample.size < DATASET_PEEK);
  if (set->format->is_documents)
    dataset_ignore_unreadable(set->reader);
  return set->format->refusal;
}

urlset *urlset_open(const char *path, const char *name, const url_ids *ids, const char **reason)
{
  urlset *made = calloc(1, sizeof *made);
  if (made == NULL) {
    *reason = "out of memory";
    return NULL;
  }
  made->ids = ids;
  made->reader = dataset_open(path);
  *reason = made->reader != NULL ? find_format(made, name) : strerror(errno);
  if (*reason == NULL)
    return made;
  urlset_close(made);
  return NULL;
}

void urlset_close(urlset *old)
{
  if (old == NULL)
    return;
  dataset_close(old->reader);
  free(old);
}

const char *urlset_format(const urlset *set)
{
  return set->format->text;
}

unsigned urlset_column(const urlset *set, unsigned *count)
{
  *count = set->column.count;
  return set->column.place;
}

uint64_t urlset_bytes_read(const urlset *set)
{
  return dataset_bytes_read(set->reader);
}

const char *urlset_compression(const urlset *set)
{
  return dataset_compression(set->reader);
}

static bool is_tag(text_span row, const char *tag)
{
  return row.size >= strlen(tag) && memcmp(row.bytes, tag, strlen(tag)) == 0;
}

/* Documents: the first <url> after a <doc> counts; a document without one is reported (ROW_NO_PAGE) at its
 * end. False: the line is neither. */
static bool is_news(urlset *set, text_span row, row_kind *kind)
{
  bool begins = is_tag(row, "<doc>"), ends = is_tag(row, "</doc>");
  if (begins || ends) {
    bool lacks_url = set->is_inside && !set->has_url;
    set->is_inside = begins;
    set->has_url = false;
    return lacks_url;
  }
  bool counts = set->is_inside && !set->has_url && *kind != ROW_NO_PAGE;
  set->has_url |= counts;
  return counts;
}

/* False: the row is bad, and is counted now. */
static bool settle(urlset *set, row_kind kind, text_span *url)
{
  if (kind == ROW_BAD)
    dataset_refuse(set->reader, DATASET_MALFORMED);
  else if (kind == ROW_NO_PAGE)
    dataset_refuse(set->reader, DATASET_NO_URL);
  else if (set->format->is_ids && !ids_find(set->ids, *url, url))
    dataset_refuse(set->reader, DATASET_UNKNOWN_ID);
  else
    return true;
  return false;
}

dataset_status urlset_next(urlset *set, const char **text, size_t *size)
{
  for (;;) {
    text_span row, url = {NULL, 0};
    dataset_status status = dataset_next(set->reader, &row.bytes, &row.size);
    if (status != DATASET_OK)
      return status;
    row_kind kind = set->format->url(row, &url, set->scratch);
    if (set->format->is_table)
      url = column_take(set->column, row);
    if (set->format->is_documents ? !is_news(set, row, &kind) : kind == ROW_NO_PAGE)
      continue;
    if (!settle(set, kind, &url))
      continue;
    *text = url.bytes;
    *size = url.size;
    return DATASET_OK;
  }
}

void urlset_refuse(urlset *set)
{
  dataset_refuse(set->reader, DATASET_REFUSED);
}

const dataset_bad *urlset_bad_rows(const urlset *set)
{
  return dataset_bad_lines(set->reader);
}
