/* Which column has the URLs: column.h.
 *
 * Always: a column is chosen from the sample alone, and gives a field of any row, or none: a row that has
 * too few fields is counted as refused, never read beyond its end. Called by urlset.c. */
#include "datasets/read/column.h"
#include "datasets/read/rowkey.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
  SAMPLE_SIZE = 8 * 1024, /* of some hundred rows, and each is tried four times */
  COLUMNS = 32,
  WITH_SCHEME = 3,
  WITHOUT = 2,      /* a host name may also be a title or a file's name */
  TIMES_BETTER = 2, /* blanks, commas and semicolons are also part of URLs */
};

/* Lines in which a column has a URL, each with its weight; the last field also counts by itself. */
typedef struct tally {
  size_t weight[COLUMNS], last;
  size_t lines, fields;
} tally;

/* Behind the quote that closes a field, as in `"a,b",`; NULL: it does not begin with one, or none closes it. No quote
 * stands in a URL, so doubled ones need no care. */
static const char *quoted_end(char separator, const char *begin, const char *end)
{
  if (begin == end || *begin != '"')
    return NULL;
  const char *quote = begin + 1;
  while ((quote = memchr(quote, '"', (size_t)(end - quote))) != NULL) {
    quote++;
    if (quote == end || *quote == separator)
      return quote;
  }
  return NULL;
}

/* What the quotes are around. */
static text_span inside(text_span field)
{
  bool is_quoted = field.size >= 2 && field.bytes[0] == '"' && field.bytes[field.size - 1] == '"';
  return is_quoted ? (text_span){field.bytes + 1, field.size - 2} : field;
}

static bool next_field(char separator, text_span row, size_t *at, text_span *field)
{
  if (*at > row.size)
    return false;
  const char *begin = row.bytes + *at, *past = row.bytes + row.size, *end = quoted_end(separator, begin, past);
  if (end == NULL && (end = memchr(begin, separator, row.size - *at)) == NULL)
    end = past;
  *at += (size_t)(end - begin) + 1;
  *field = inside((text_span){begin, (size_t)(end - begin)});
  return true;
}

static text_span last_field(char separator, text_span row)
{
  text_span field = {row.bytes, 0};
  const char *end = memrchr(row.bytes, separator, row.size);
  if (row.size == 0 || row.bytes[row.size - 1] != '"')
    return end != NULL ? (text_span){end + 1, row.size - (size_t)(end + 1 - row.bytes)} : row;
  for (size_t at = 0; next_field(separator, row, &at, &field);)
    ;
  return field;
}

static bool has_scheme(text_span field)
{
  return (field.size > 7 && strncasecmp(field.bytes, "http://", 7) == 0) ||
         (field.size > 8 && strncasecmp(field.bytes, "https://", 8) == 0);
}

static bool is_key(text_span field)
{
  bool is_https;
  url *made = malloc(sizeof *made);
  bool is_url = made != NULL && rowkey_make(field.bytes, field.size, made, &is_https) == URL_OK;
  free(made);
  return is_url;
}

static size_t weigh(text_span field)
{
  while (field.size > 0 && field.bytes[0] == ' ')
    field.bytes++, field.size--;
  while (field.size > 0 && field.bytes[field.size - 1] == ' ')
    field.size--;
  bool may_be_one = has_scheme(field) || memchr(field.bytes, '.', field.size) != NULL;
  if (!may_be_one || memchr(field.bytes, ' ', field.size) != NULL || !is_key(field))
    return 0;
  return has_scheme(field) ? WITH_SCHEME : WITHOUT;
}

static void count_line(char separator, text_span line, tally *of)
{
  text_span field;
  size_t weight = 0, fields = 0;
  for (size_t at = 0; next_field(separator, line, &at, &field); fields++) {
    weight = weigh(field);
    if (fields < COLUMNS)
      of->weight[fields] += weight;
  }
  of->last += weight;
  of->lines++;
  of->fields = fields > of->fields ? fields : of->fields;
}

static tally count(char separator, text_span sample, bool is_whole)
{
  tally of = {.lines = 0};
  text_span line;
  for (size_t at = 0; of.lines < FORMAT_SAMPLE_LINES && format_next_line(sample, is_whole, &at, &line);)
    count_line(separator, line, &of);
  return of;
}

/* The last field if that is as good as any. */
static size_t best_of(const tally *of, int *index)
{
  size_t best = of->last;
  *index = -1;
  for (int i = COLUMNS - 1; i >= 0; i--)
    if (of->weight[i] > best) {
      best = of->weight[i];
      *index = i;
    }
  return best;
}

url_column column_find(text_span sample, bool is_whole)
{
  static const char separators[] = "\t ,;";
  url_column found = {.separator = '\t', .index = -1};
  size_t best = 0;
  if (sample.size > SAMPLE_SIZE) {
    sample.size = SAMPLE_SIZE;
    is_whole = false;
  }
  for (const char *separator = separators; *separator != '\0'; separator++) {
    int index;
    tally of = count(*separator, sample, is_whole);
    size_t weight = best_of(&of, &index);
    if (weight < TIMES_BETTER * best || weight == 0)
      continue;
    best = weight;
    found = (url_column){*separator, index, index < 0 ? (unsigned)of.fields : (unsigned)index + 1, (unsigned)of.fields};
  }
  return found;
}

text_span column_take(url_column from, text_span row)
{
  text_span field = {row.bytes, 0};
  size_t at = 0;
  if (from.index < 0)
    return last_field(from.separator, row);
  for (int i = 0; i <= from.index; i++)
    if (!next_field(from.separator, row, &at, &field))
      return (text_span){row.bytes, 0};
  return field;
}
