/* The known formats, in the order in which they are tried: format.h.
 *
 * Always: a field lies within its row; nothing is copied but into the caller's scratch. A row function changes nothing,
 * so a sample may be tried with each. Called by urlset.c and column.c. */
#include "datasets/read/format.h"

#include <string.h>
#include <strings.h>

/* A list of URLs and nothing else, or a table; which column is found from all lines. */
static row_kind plain(text_span row, text_span *url, char *scratch)
{
  (void)scratch;
  *url = format_last_field(row);
  return ROW_URL;
}

/* What a crawler keeps instead of URLs: SHA-1 of each in Scrapy's requests.seen, MD5 or SHA-256 elsewhere. */
static row_kind fingerprint(text_span row, text_span *url, char *scratch)
{
  (void)scratch;
  *url = row;
  size_t digits = 0;
  while (digits < row.size && strchr("0123456789abcdefABCDEF", row.bytes[digits]) != NULL)
    digits++;
  return digits == row.size && (digits == 32 || digits == 40 || digits == 64) ? ROW_URL : ROW_BAD;
}

/* The more particular before the more general: the first that most lines agree with wins. */
static const format formats[] = {
  {.name = "sogou-news", .text = "Sogou news, <url> in <doc> blocks", .url = format_document, .is_documents = true},
  {.name = "sogout-pages",
   .text = "SogouT pages, <url> and raw HTML in <doc> blocks",
   .url = format_document,
   .is_documents = true},
  {.name = "sogout-link",
   .text = "SogouT-link, a link between two ids a row",
   .url = format_sogout_links,
   .is_ids = true},
  {.name = "sogout-link", .text = "SogouT id table (id2url.link), an id and its URL a row", .url = format_sogout_ids},
  {.name = "sogouq", .text = "SogouQ 2008, a query log of 5 fields, URL without scheme", .url = format_sogouq_2008},
  {.name = "sogouq", .text = "SogouQ 2012, a query log of 6 fields", .url = format_sogouq_2012},
  {.name = "cdx", .text = "CDXJ, an index of archived pages with JSON", .url = format_cdxj},
  {.name = "cdx", .text = "CDX, an index of archived pages", .url = format_cdx},
  {.name = "crawl-log", .text = "crawl.log of Heritrix", .url = format_crawl_log},
  {.name = "plain",
   .text = "fingerprints, one a line",
   .url = fingerprint,
   .refusal = "holds fingerprints of URLs (as Scrapy's requests.seen does), from which no URL can be had back"},
  {.name = "plain", .text = "plain list, one URL a line", .url = plain, .is_table = true},
};
enum { FORMATS = sizeof formats / sizeof formats[0], NEWS = 0, PAGES = 1 };

bool format_next_line(text_span sample, bool is_whole, size_t *at, text_span *line)
{
  while (*at < sample.size) {
    const char *begin = sample.bytes + *at;
    const char *end = memchr(begin, '\n', sample.size - *at);
    if (end == NULL && !is_whole && *at > 0)
      return false; /* cut by the end of the sample */
    *line = (text_span){begin, end != NULL ? (size_t)(end - begin) : sample.size - *at};
    *at += line->size + 1;
    if (line->size > 0 && begin[line->size - 1] == '\r')
      line->size--;
    if (line->size > 0)
      return true;
  }
  return false;
}

/* Lines of the sample that agree with the format, and all of them. */
static void count_rows(const format *with, text_span sample, bool is_whole, size_t *rows, size_t *lines)
{
  char scratch[FORMAT_SCRATCH_SIZE];
  text_span line, url;
  *rows = *lines = 0;
  for (size_t at = 0; *lines < FORMAT_SAMPLE_LINES && format_next_line(sample, is_whole, &at, &line); ++*lines)
    *rows += with->url(line, &url, scratch) != ROW_BAD;
}

static bool has_line(text_span sample, bool is_whole, const char *beginning)
{
  text_span line;
  for (size_t at = 0; format_next_line(sample, is_whole, &at, &line);)
    if (line.size >= strlen(beginning) && memcmp(line.bytes, beginning, strlen(beginning)) == 0)
      return true;
  return false;
}

/* Most lines of documents are text: what tells them is a beginning and a URL; news have their own title. */
static bool is_documents(text_span sample, bool is_whole, const format **found)
{
  if (!has_line(sample, is_whole, "<doc>") || !has_line(sample, is_whole, "<url>"))
    return false;
  *found = &formats[has_line(sample, is_whole, "<contenttitle>") ? NEWS : PAGES];
  return true;
}

/* Of the formats of that name the one most lines agree with; the most general if none does. */
static const format *best_of_name(const char *name, text_span sample, bool is_whole)
{
  const format *best = NULL;
  size_t best_rows = 0;
  for (int i = 0; i < FORMATS; i++) {
    size_t rows, lines;
    if (strcmp(formats[i].name, name) != 0)
      continue;
    count_rows(&formats[i], sample, is_whole, &rows, &lines);
    if (best_rows == 0 || rows > best_rows) {
      best = &formats[i];
      best_rows = rows;
    }
  }
  return best;
}

const format *format_detect(const char *name, text_span sample, bool is_whole)
{
  const format *found;
  if (name != NULL)
    return best_of_name(name, sample, is_whole);
  if (is_documents(sample, is_whole, &found))
    return found;
  for (int i = 0; i < FORMATS; i++) {
    size_t rows, lines;
    count_rows(&formats[i], sample, is_whole, &rows, &lines);
    if (!formats[i].is_documents && rows > 0 && 2 * rows >= lines)
      return &formats[i];
  }
  return &formats[FORMATS - 1];
}

bool format_field(text_span row, size_t *at, text_span *field)
{
  if (*at > row.size)
    return false;
  const char *begin = row.bytes + *at;
  const char *end = memchr(begin, '\t', row.size - *at);
  *field = (text_span){begin, end != NULL ? (size_t)(end - begin) : row.size - *at};
  *at += field->size + 1;
  return true;
}

text_span format_last_field(text_span row)
{
  const char *tab = memrchr(row.bytes, '\t', row.size);
  if (tab == NULL)
    return row;
  return (text_span){tab + 1, row.size - (size_t)(tab + 1 - row.bytes)};
}

bool format_is_digits(text_span text)
{
  for (size_t i = 0; i < text.size; i++)
    if (text.bytes[i] < '0' || text.bytes[i] > '9')
      return false;
  return text.size > 0;
}
