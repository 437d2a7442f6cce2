/* The rows of crawlers and web archives:
 *
 *   CDX         org,example)/a 20120503180000 http://example.org/a text/html 200 DIGEST - - 123 456 file.warc.gz
 *   CDXJ        org,example)/a 20120503180000 {"url": "http://example.org/a", "mime": "text/html", ...}
 *   crawl.log   2012-05-03T18:00:00.000Z   200   1234 http://example.org/a LL http://example.org/ text/html #001 ...
 *
 * A CDX file may begin with a heading, " CDX N b a m s ...": the usual order, which is read, has the URL ("a")
 * third. dns: and filedesc: rows are records of other things than pages. */
#include "datasets/read/format.h"

#include <jansson.h>
#include <string.h>

enum { STAMP_SIZE = 14, URL_FIELD_OF_LOG = 4 };

/* The next word between blanks; size 0 at the end. */
static text_span next_word(text_span row, size_t *at)
{
  while (*at < row.size && row.bytes[*at] == ' ')
    ++*at;
  size_t begin = *at;
  while (*at < row.size && row.bytes[*at] != ' ')
    ++*at;
  return (text_span){row.bytes + begin, *at - begin};
}

static bool begins(text_span text, const char *with)
{
  return text.size >= strlen(with) && memcmp(text.bytes, with, strlen(with)) == 0;
}

static row_kind kind_of(text_span url)
{
  static const char *const others[] = {"dns:", "filedesc:", "warcinfo:", "whois:", "metadata:"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (begins(url, others[i]))
      return ROW_NO_PAGE;
  return url.size > 0 ? ROW_URL : ROW_BAD;
}

/* The key and the time stamp, which both formats begin with. */
static bool skip_key_and_stamp(text_span row, size_t *at)
{
  next_word(row, at);
  text_span stamp = next_word(row, at);
  return stamp.size == STAMP_SIZE && format_is_digits(stamp);
}

row_kind format_cdx(text_span row, text_span *url, char *scratch)
{
  (void)scratch;
  size_t at = 0;
  if (begins(row, " CDX ") || begins(row, "CDX "))
    return ROW_NO_PAGE;
  if (!skip_key_and_stamp(row, &at))
    return ROW_BAD;
  *url = next_word(row, &at);
  bool has_more = next_word(row, &at).size > 0;
  return has_more && !begins(*url, "{") ? kind_of(*url) : ROW_BAD;
}

row_kind format_cdxj(text_span row, text_span *url, char *scratch)
{
  size_t at = 0;
  if (begins(row, "!"))
    return ROW_NO_PAGE; /* a heading of OpenWayback's dialect */
  if (!skip_key_and_stamp(row, &at))
    return ROW_BAD;
  row_kind kind = ROW_BAD;
  json_t *record = json_loadb(row.bytes + at, row.size - at, 0, NULL);
  const json_t *value = json_object_get(record, "url");
  size_t size = json_string_length(value);
  if (json_is_string(value) && size <= FORMAT_SCRATCH_SIZE) {
    memcpy(scratch, json_string_value(value), size);
    *url = (text_span){scratch, size};
    kind = kind_of(*url);
  }
  json_decref(record);
  return kind;
}

/* "2012-05-03T18:00:00.000Z", or "20120503180000123" before Heritrix 2 */
static bool is_log_time(text_span word)
{
  bool is_iso = word.size >= 20 && word.bytes[4] == '-' && word.bytes[7] == '-' && word.bytes[10] == 'T';
  return is_iso || (word.size == 17 && format_is_digits(word));
}

row_kind format_crawl_log(text_span row, text_span *url, char *scratch)
{
  (void)scratch;
  size_t at = 0;
  if (!is_log_time(next_word(row, &at)))
    return ROW_BAD;
  for (int field = 2; field <= URL_FIELD_OF_LOG; field++)
    *url = next_word(row, &at);
  return kind_of(*url);
}
