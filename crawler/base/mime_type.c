/* See mime_type.h.
 *
 *     values   split at commas outside of quotes, also where fields were joined: an open quote goes on in the next
 *     value    type "/" subtype { ";" name "=" ( token | quoted string ) }
 *
 * Always: a cursor goes forward only, and a value is read once to find its end and once to take it apart. Nothing is
 * allocated. Called for each response, by whoever wants to know its type, and for each line of pages.jsonl. */
#include "crawler/base/mime_type.h"

#include "crawler/base/chars.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

typedef struct cursor {
  const char *at, *end;
} cursor;

typedef struct span {
  const char *begin;
  size_t size;
} span;

/* A value so far: of two parameters of one name the first counts. */
typedef struct parsed {
  span type, subtype;
  bool has_charset;
  char charset[MIME_TYPE_CHARSET];
} parsed;

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

/* HTTP's white space. */
static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_token(span s)
{
  for (size_t i = 0; i < s.size; i++)
    if (!is_letter(s.begin[i]) && !is_digit(s.begin[i]) && (!s.begin[i] || !strchr("!#$%&'*+-.^_`|~", s.begin[i])))
      return false;
  return s.size > 0;
}

/* "HTTP quoted-string token code points": all but controls. */
static bool is_quotable(char c)
{
  return c == '\t' || ((unsigned char)c >= ' ' && c != 0x7F);
}

/* Two bytes that end it; twice the same, if there is one. */
static span span_until(cursor *in, const char stops[2])
{
  span found = {.begin = in->at};
  while (in->at < in->end && *in->at != stops[0] && *in->at != stops[1])
    in->at++;
  found.size = (size_t)(in->at - found.begin);
  return found;
}

/* None at its end. */
static span without_blanks(span s)
{
  while (s.size && is_blank(s.begin[s.size - 1]))
    s.size--;
  return s;
}

static void skip_blanks(cursor *in)
{
  while (in->at < in->end && is_blank(*in->at))
    in->at++;
}

/* What is inside a quoted string, whose first quote is at the cursor; without a last one it ends where all ends. */
static span quoted_read(cursor *in)
{
  assert(in->at < in->end && *in->at == '"');
  span inside = {.begin = ++in->at};
  while (in->at < in->end && *in->at != '"')
    in->at += *in->at == '\\' && in->end - in->at > 1 ? 2 : 1;
  inside.size = (size_t)(in->at - inside.begin);
  in->at += in->at < in->end;
  return inside;
}

/* ---- parameters ------------------------------------------------------------------------------------------------- */

/* The value whole, or "". false: it has a byte that no value may have, and is no parameter. */
static bool charset_copy(span value, bool is_quoted, char charset[MIME_TYPE_CHARSET])
{
  size_t size = 0;
  *charset = '\0';
  for (size_t i = 0; i < value.size; i++, size++) {
    i += is_quoted && value.begin[i] == '\\' && i + 1 < value.size;
    if (!is_quotable(value.begin[i]))
      return false;
  }
  if (size >= MIME_TYPE_CHARSET)
    return true;
  for (size_t i = 0; i < value.size; i++) {
    i += is_quoted && value.begin[i] == '\\' && i + 1 < value.size;
    *charset++ = value.begin[i];
  }
  *charset = '\0';
  return true;
}

/* The cursor is at the ';' before it. */
static void parameter_read(cursor *in, parsed *p)
{
  assert(*in->at == ';');
  in->at++;
  skip_blanks(in);
  span name = span_until(in, ";=");
  if (in->at == in->end || *in->at == ';' || ++in->at == in->end)
    return;
  bool is_quoted = *in->at == '"';
  span value = is_quoted ? quoted_read(in) : without_blanks(span_until(in, ";;"));
  span_until(in, ";;"); /* what is behind the quotes */
  bool is_charset = name.size == strlen("charset") && strncasecmp(name.begin, "charset", name.size) == 0;
  if (is_charset && !p->has_charset && (is_quoted || value.size))
    p->has_charset = charset_copy(value, is_quoted, p->charset);
}

/* "Parse a MIME type". false: it is none. */
static bool value_parse(span value, parsed *p)
{
  value = without_blanks(value);
  cursor in = {value.begin, value.begin + value.size};
  skip_blanks(&in);
  *p = (parsed){.type = span_until(&in, "//")};
  if (!is_token(p->type) || in.at == in.end)
    return false;
  in.at++;
  p->subtype = without_blanks(span_until(&in, ";;"));
  if (!is_token(p->subtype))
    return false;
  while (in.at < in.end)
    parameter_read(&in, p);
  return true;
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

/* Up to the next comma that is in no quotes. */
static span value_next(cursor *in)
{
  span value = {.begin = in->at};
  for (span_until(in, "\","); in->at < in->end && *in->at == '"'; span_until(in, "\","))
    quoted_read(in);
  value.size = (size_t)(in->at - value.begin);
  in->at += in->at < in->end;
  return value;
}

static void essence_write(const parsed *p, char essence[MIME_TYPE_ESSENCE])
{
  char *to = essence, *end = essence + MIME_TYPE_ESSENCE - 1;
  for (size_t i = 0; i < p->type.size && to < end; i++)
    *to++ = lower(p->type.begin[i]);
  if (to < end)
    *to++ = '/';
  for (size_t i = 0; i < p->subtype.size && to < end; i++)
    *to++ = lower(p->subtype.begin[i]);
  *to = '\0';
}

void mime_type_read(const char *content_type, size_t size, mime_type *type)
{
  cursor in = {content_type, content_type + size};
  char essence[MIME_TYPE_ESSENCE], first[MIME_TYPE_CHARSET] = ""; /* charset of the first value of this essence */
  parsed p;
  *type = (mime_type){.essence = ""};
  while (in.at < in.end) {
    if (!value_parse(value_next(&in), &p))
      continue;
    essence_write(&p, essence);
    if (strcmp(essence, "*/*") == 0)
      continue;
    if (strcmp(essence, type->essence) != 0)
      memcpy(first, p.charset, sizeof first);
    memcpy(type->charset, p.has_charset ? p.charset : first, sizeof type->charset);
    memcpy(type->essence, essence, sizeof type->essence);
  }
  assert(*type->essence || !*type->charset);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------ */

bool mime_type_is(const mime_type *type, const char *essence)
{
  return strcmp(type->essence, essence) == 0;
}

bool mime_type_is_html(const mime_type *type)
{
  return mime_type_is(type, "text/html") || mime_type_is(type, "application/xhtml+xml");
}

bool mime_type_is_feed(const mime_type *type)
{
  return mime_type_is(type, "application/rss+xml") || mime_type_is(type, "application/atom+xml");
}

bool mime_type_is_xml(const mime_type *type)
{
  size_t size = strlen(type->essence);
  bool has_suffix = size > 4 && strcmp(type->essence + size - 4, "+xml") == 0;
  return has_suffix || mime_type_is(type, "text/xml") || mime_type_is(type, "application/xml");
}

bool mime_type_is_unknown(const mime_type *type)
{
  return !*type->essence || mime_type_is(type, "unknown/unknown") || mime_type_is(type, "application/unknown");
}
