/* datasets/read/format.h: the formats of URL sets: where a row has its URL, and how a file's format is recognized.
 *
 * Rules for all: bytes stay as they are (GB18030 needs no decoding, as none of its bytes looks like TAB, LF or '<';
 * HTML's "&amp;" in id tables stays "&amp;"); a scheme may be missing. */
#ifndef STRATA_DATASETS_FORMAT_H
#define STRATA_DATASETS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct text_span {
  const char *bytes;
  size_t size;
} text_span;

typedef enum row_kind {
  ROW_BAD,     /* not a row of this format */
  ROW_URL,     /* its URL has been given */
  ROW_NO_PAGE, /* a row as it should be, but of something else than a page: a heading, a DNS lookup */
} row_kind;

/* Room for what a row must be rewritten into: the JSON string of a CDXJ row without its escapes. */
enum { FORMAT_SCRATCH_SIZE = 16 * 1024 };

typedef struct format {
  const char *name; /* as --format takes it; several formats may share one */
  const char *text; /* for people */
  row_kind (*url)(text_span row, text_span *url, char scratch[FORMAT_SCRATCH_SIZE]);
  bool is_documents;   /* rows are lines of documents in <doc> ... </doc>; the URL is in <url> ... </url> */
  bool is_ids;         /* what comes out is the id of a URL */
  bool is_table;       /* the URL is in the column that column.h finds */
  const char *refusal; /* not NULL: this is no list of URLs, and why */
} format;

/* The format that most lines of `sample`, the beginning of a file, are rows of; `is_whole` if nothing follows it.
 * With `name`, of those so called. plain takes anything. NULL: no format has that name. */
const format *format_detect(const char *name, text_span sample, bool is_whole);

/* The next line of a sample that is not empty, without its end; false: no more whole ones. */
enum { FORMAT_SAMPLE_LINES = 200 };
bool format_next_line(text_span sample, bool is_whole, size_t *at, text_span *line);

/* The next TAB field of `row` from `*at` on; moves `*at` after it. false: no more fields. */
bool format_field(text_span row, size_t *at, text_span *field);
text_span format_last_field(text_span row);
bool format_is_digits(text_span text);

row_kind format_sogouq_2008(text_span row, text_span *url, char *scratch); /* format_sogou.c */
row_kind format_sogouq_2012(text_span row, text_span *url, char *scratch);
row_kind format_sogout_ids(text_span row, text_span *url, char *scratch);
row_kind format_sogout_links(text_span row, text_span *url, char *scratch);
row_kind format_document(text_span row, text_span *url, char *scratch);
row_kind format_cdx(text_span row, text_span *url, char *scratch); /* format_archive.c */
row_kind format_cdxj(text_span row, text_span *url, char *scratch);
row_kind format_crawl_log(text_span row, text_span *url, char *scratch);

#endif
