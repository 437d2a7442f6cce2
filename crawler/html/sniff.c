/* See sniff.h.
 *
 *     white space -> "<!DOCTYPE HTML", "<html", "<p", ... -> HTML
 *                    "<?xml" -> as XML
 *                    no byte of those that text has not -> text
 *
 *     <?...?>, <!-- -->, <!DOCTYPE [ ] >  ->  <prefix:name xmlns:prefix="...">  of XML, the root
 *
 * Always: a cursor goes forward only, so the work is linear in SNIFF_MAX at most. visit.c calls it, once for a body. */
#include "crawler/html/sniff.h"

#include "crawler/base/chars.h"
#include "crawler/html/xml_names.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

typedef struct cursor {
  const char *at, *end;
} cursor;

typedef struct span {
  const char *begin;
  size_t size;
} span;

const char *sniffed_type(sniffed what)
{
  static const char *const types[] = {
    [SNIFFED_NOTHING] = "",          [SNIFFED_TEXT] = "text/plain",
    [SNIFFED_HTML] = "text/html",    [SNIFFED_XHTML] = "application/xhtml+xml",
    [SNIFFED_SVG] = "image/svg+xml", [SNIFFED_FEED] = "application/rss+xml",
  };
  assert((size_t)what < sizeof types / sizeof *types);
  return types[what];
}

static void skip_spaces(cursor *in)
{
  while (in->at < in->end && is_space(*in->at))
    in->at++;
}

/* Windows' editors put one before all, also in UTF-8. */
static void skip_bom(cursor *in)
{
  if (in->end - in->at >= 3 && memcmp(in->at, "\xEF\xBB\xBF", 3) == 0)
    in->at += 3;
}

static bool begins_with(const cursor *in, const char *word)
{
  size_t size = strlen(word);
  return (size_t)(in->end - in->at) >= size && memcmp(in->at, word, size) == 0;
}

static bool is_text(span s, const char *text)
{
  return s.size == strlen(text) && memcmp(s.begin, text, s.size) == 0;
}

/* ---- XML --------------------------------------------------------------------------------------------------------- */

/* Behind the next `mark`. */
static void skip_past(cursor *in, const char *mark)
{
  while (in->at < in->end && !begins_with(in, mark))
    in->at++;
  in->at += in->at < in->end ? strlen(mark) : 0;
}

/* Up to the '>' that is in no quotes, no comment and not in the internal subset. */
static void skip_doctype(cursor *in)
{
  unsigned depth = 0; /* of '<' and '[' */
  do {
    char c = *in->at;
    if (begins_with(in, "<!--")) {
      skip_past(in, "-->");
      continue;
    }
    depth += c == '<' || c == '[';
    depth -= c == '>' || c == ']';
    in->at++;
    if (c == '"' || c == '\'')
      skip_past(in, c == '"' ? "\"" : "'");
  } while (depth && in->at < in->end);
}

/* To the '<' of the root's start tag. false: it is not there. */
static bool find_root(cursor *in)
{
  for (skip_bom(in); skip_spaces(in), in->end - in->at > 1 && *in->at == '<';)
    if (begins_with(in, "<?"))
      skip_past(in, "?>");
    else if (begins_with(in, "<!--"))
      skip_past(in, "-->");
    else if (in->at[1] == '!')
      skip_doctype(in);
    else
      return true;
  return false;
}

static span name_read(cursor *in)
{
  span name = {.begin = in->at};
  while (in->at < in->end && !is_space(*in->at) && *in->at != '>' && *in->at != '/' && *in->at != '=')
    in->at++;
  name.size = (size_t)(in->at - name.begin);
  return name;
}

/* false: there is none any more. */
static bool attribute_read(cursor *in, span *name, span *value)
{
  skip_spaces(in);
  *name = name_read(in);
  skip_spaces(in);
  if (!name->size || in->at == in->end || *in->at != '=')
    return false;
  in->at++;
  skip_spaces(in);
  if (in->end - in->at < 2 || (*in->at != '"' && *in->at != '\''))
    return false;
  char quote = *in->at++;
  *value = (span){.begin = in->at};
  while (in->at < in->end && *in->at != quote)
    in->at++;
  value->size = (size_t)(in->at - value->begin);
  in->at += in->at < in->end;
  return true;
}

/* The namespace that a start tag's attributes give a prefix; "": none. */
static span namespace_of(cursor *in, span prefix)
{
  span name, value;
  while (attribute_read(in, &name, &value)) {
    if (!xml_names_is_declaration(name.begin, name.size))
      continue;
    size_t head = prefix.size ? strlen("xmlns:") : strlen("xmlns");
    if (name.size == head + prefix.size && memcmp(name.begin + head, prefix.begin, prefix.size) == 0)
      return value;
  }
  return (span){.begin = ""};
}

static sniffed root_kind(cursor *in)
{
  in->at++;
  span name = name_read(in), prefix = {.begin = name.begin};
  const char *colon = memchr(name.begin, ':', name.size);
  if (colon) {
    prefix.size = (size_t)(colon - name.begin);
    name = (span){colon + 1, name.size - prefix.size - 1};
  }
  span space = namespace_of(in, prefix);
  if (is_text(space, XML_NAMES_HTML))
    return SNIFFED_XHTML;
  if (is_text(space, "http://www.w3.org/2000/svg"))
    return SNIFFED_SVG;
  return is_text(name, "rss") || is_text(name, "feed") || is_text(name, "RDF") ? SNIFFED_FEED : SNIFFED_NOTHING;
}

/* UTF-16 without its zeros and its mark: what is ASCII in it, as all is that counts here. */
static size_t squeeze(const char *bytes, size_t size, char ascii[SNIFF_MAX])
{
  size_t kept = 0;
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != '\0' && bytes[i] != '\xFE' && bytes[i] != '\xFF')
      ascii[kept++] = bytes[i];
  return kept;
}

sniffed sniff_xml(const char *bytes, size_t size)
{
  char ascii[SNIFF_MAX];
  assert(size <= SNIFF_MAX);
  cursor in = {bytes, bytes + size};
  if (memchr(bytes, '\0', size))
    in = (cursor){ascii, ascii + squeeze(bytes, size, ascii)};
  return find_root(&in) ? root_kind(&in) : SNIFFED_NOTHING;
}

/* ---- what says nothing ------------------------------------------------------------------------------------------- */

/* The standard's table, in any case. It wants a blank or '>' behind each but the comment, where browsers take anything
 * (Chromium's mime_sniffer.cc), as "<html" at the end of a line shows them to be right. */
static bool begins_html(const cursor *in)
{
  static const char *const tags[] = {"<!DOCTYPE HTML", "<HTML", "<HEAD",  "<SCRIPT", "<IFRAME", "<H1", "<DIV", "<FONT",
                                     "<TABLE",         "<A",    "<STYLE", "<TITLE",  "<B",      "<P",  "<!--"};
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
    if ((size_t)(in->end - in->at) >= strlen(tags[i]) && strncasecmp(in->at, tags[i], strlen(tags[i])) == 0)
      return true;
  return false;
}

/* "Binary data byte". */
static bool is_binary(char c)
{
  unsigned char byte = (unsigned char)c;
  return byte <= 0x08 || byte == 0x0B || (byte >= 0x0E && byte <= 0x1A) || (byte >= 0x1C && byte <= 0x1F);
}

sniffed sniff_unknown(const char *bytes, size_t size)
{
  assert(size <= SNIFF_MAX);
  cursor in = {bytes, bytes + size};
  skip_bom(&in);
  skip_spaces(&in);
  if (begins_html(&in))
    return SNIFFED_HTML;
  if (begins_with(&in, "<?xml"))
    return sniff_xml(bytes, size);
  for (const char *at = in.at; at < in.end; at++)
    if (is_binary(*at))
      return SNIFFED_NOTHING;
  return SNIFFED_TEXT;
}
