/* The rows of Sogou Labs' sets, as published:
 *
 *   SogouQ 2008   00:00:00 TAB user TAB [query] TAB rank SPACE order TAB www.host/path       GB18030
 *   SogouQ 2012   20111230000005 TAB user TAB query TAB rank TAB order TAB http://host/path  GB18030 or UTF-8
 *   id2url.link   <page, 16 hex>-<host, 16 hex> TAB http://host/path
 *   SogouT-link   id TAB id: the page, and the page it links to
 *   news, pages   <doc> / <url>http://host/path</url> / ... / </doc>, a line each
 *
 * Queries hold what people typed, TABs included: fields are counted from both ends. */
#include "datasets/read/format.h"

#include <string.h>

enum { FIELDS_MAX = 16, ID_SIZE = 33 };

/* The fields of a row; 0 if there are too many. */
static size_t split(text_span row, text_span fields[FIELDS_MAX])
{
  size_t at = 0, count = 0;
  for (text_span field; format_field(row, &at, &field);) {
    if (count == FIELDS_MAX)
      return 0;
    fields[count++] = field;
  }
  return count;
}

static bool is_rank_and_order(text_span field)
{
  const char *space = memchr(field.bytes, ' ', field.size);
  if (space == NULL)
    return false;
  text_span rank = {field.bytes, (size_t)(space - field.bytes)};
  return format_is_digits(rank) && format_is_digits((text_span){space + 1, field.size - rank.size - 1});
}

row_kind format_sogouq_2008(text_span row, text_span *url, char *scratch)
{
  (void)scratch;
  text_span fields[FIELDS_MAX];
  size_t count = split(row, fields);
  if (count < 5 || !is_rank_and_order(fields[count - 2]))
    return ROW_BAD;
  *url = fields[count - 1];
  return url->size > 0 ? ROW_URL : ROW_BAD;
}

row_kind format_sogouq_2012(text_span row, text_span *url, char *scratch)
{
  (void)scratch;
  text_span fields[FIELDS_MAX];
  size_t count = split(row, fields);
  if (count < 6 || !format_is_digits(fields[0]) || !format_is_digits(fields[count - 3]) ||
      !format_is_digits(fields[count - 2]))
    return ROW_BAD;
  *url = fields[count - 1];
  return url->size > 0 ? ROW_URL : ROW_BAD;
}

static bool is_id(text_span text)
{
  if (text.size != ID_SIZE || text.bytes[16] != '-')
    return false;
  for (size_t i = 0; i < ID_SIZE; i++)
    if (i != 16 && (text.bytes[i] == '\0' || strchr("0123456789abcdefABCDEF", text.bytes[i]) == NULL))
      return false;
  return true;
}

static row_kind id_and_field(text_span row, text_span *last)
{
  size_t at = 0;
  text_span id;
  format_field(row, &at, &id);
  *last = format_last_field(row);
  return is_id(id) && at <= row.size && last->size > 0 ? ROW_URL : ROW_BAD;
}

row_kind format_sogout_ids(text_span row, text_span *url, char *scratch)
{
  (void)scratch;
  return id_and_field(row, url) == ROW_URL && !is_id(*url) ? ROW_URL : ROW_BAD;
}

row_kind format_sogout_links(text_span row, text_span *url, char *scratch)
{
  (void)scratch;
  return id_and_field(row, url) == ROW_URL && is_id(*url) ? ROW_URL : ROW_BAD;
}

/* One line of a document: the URL if it is that line, else nothing. */
row_kind format_document(text_span row, text_span *url, char *scratch)
{
  static const char open[] = "<url>", close[] = "</url>";
  enum { OPEN = sizeof open - 1, CLOSE = sizeof close - 1 };
  (void)scratch;
  if (row.size < OPEN || memcmp(row.bytes, open, OPEN) != 0)
    return ROW_NO_PAGE;
  const char *end = memmem(row.bytes + OPEN, row.size - OPEN, close, CLOSE);
  if (end == NULL)
    return ROW_BAD;
  *url = (text_span){row.bytes + OPEN, (size_t)(end - row.bytes) - OPEN};
  return url->size > 0 ? ROW_URL : ROW_BAD;
}
