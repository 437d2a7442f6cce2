/* See sitemap_reader.h. One function a state:
 *
 *     content --'<'--> markup --name--> tag_name --> in_tag --'>'--> content
 *                        |                            |  ^
 *                        |                            v  |
 *                        +--"?"--> instruction      before_value, value
 *                        +--"!"--> declaration --> comment | cdata | doctype | bogus
 *
 * Always: all that is known of a text is in its sitemap_reader, so a text that is cut anywhere gives the same URLs. A
 * state is called with at least one byte and takes it, or moves on to a state that does, so the work is linear; the
 * search for the element that an end tag closes ends after SITEMAP_READER_DEPTH names. `text` holds one href: that of
 * the last element that could have one. An element inside it which could too takes `text` away, and it has none.
 *
 * sitemap.c feeds it, on the thread that reads the sitemap. Nothing is allocated, and no byte is trusted. */
#include "crawler/html/sitemap_reader.h"

#include "crawler/base/chars.h"
#include "crawler/base/utf8.h"
#include "crawler/html/entities.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

/* What an element is to us, by its name and its parent's kind. */
enum { OTHER, PAGE_ENTRY, MAP_ENTRY, FEED_ENTRY, PAGE_LINK, FEED_LINK, PAGE_LOC, MAP_LOC };

/* What an attribute's value is to us. */
enum { NOTHING, HREF, REL };

static const size_t NO_REFERENCE = SIZE_MAX;

static sitemap_state beginning, line, content, markup, tag_name, in_tag, before_value, value, instruction, declaration,
  comment, cdata, doctype, bogus;

static const char *turn(sitemap_reader *r, sitemap_state *next, const char *at)
{
  r->state = next;
  return at;
}

/* ---- the href -------------------------------------------------------------------------------------------- */

static void text_begin(sitemap_reader *r)
{
  r->text_size = 0;
  r->reference = NO_REFERENCE;
  r->is_bad = r->is_long = false;
}

static void put(sitemap_reader *r, const char *at, const char *end)
{
  while (at < end && !r->text_size && is_space(*at))
    at++;
  size_t size = (size_t)(end - at);
  r->is_long |= !r->is_bad && size > URL_LENGTH_MAX - r->text_size;
  r->is_bad |= r->is_long;
  if (r->is_bad)
    return;
  memcpy(r->text + r->text_size, at, size);
  r->text_size += size;
}

/* Of what follows the '&': the character XML has for it, or NULL. */
static const char *predefined(const char *name, size_t size)
{
  static const char *const five[][2] = {{"amp;", "&"}, {"lt;", "<"}, {"gt;", ">"}, {"quot;", "\""}, {"apos;", "'"}};
  for (size_t i = 0; i < sizeof five / sizeof *five; i++)
    if (size == strlen(five[i][0]) && memcmp(name, five[i][0], size) == 0)
      return five[i][1];
  return NULL;
}

/* The end of `text` may be a reference, from its '&' to its ';'. */
static void resolve(sitemap_reader *r)
{
  char utf8[ENTITY_UTF8_MAX];
  const char *name = r->text + r->reference + 1, *stands_for = utf8;
  size_t size = r->text_size - r->reference - 1, utf8_size = 0;
  r->steps += size;
  if (*name != '#')
    utf8_size = (stands_for = predefined(name, size)) ? 1 : 0;
  else if (entity_read(name, size, utf8, &utf8_size) != size)
    utf8_size = 0;
  if (utf8_size) {
    memcpy(r->text + r->reference, stands_for, utf8_size);
    r->text_size = r->reference + utf8_size;
  }
  r->reference = NO_REFERENCE;
}

/* Text in which references count. */
static void collect(sitemap_reader *r, const char *at, const char *end)
{
  while (at < end && !r->is_bad) {
    const char *stop = at;
    while (stop < end && *stop != '&' && *stop != ';')
      stop++;
    put(r, at, stop);
    if (stop == end)
      return;
    if (*stop == '&')
      r->reference = r->text_size;
    put(r, stop, stop + 1);
    if (*stop == ';' && r->reference != NO_REFERENCE && !r->is_bad)
      resolve(r);
    at = stop + 1;
  }
}

/* UTF-8 with no control characters, and none that did not survive its conversion to UTF-8. */
static bool is_sound(const char *at, const char *end)
{
  for (size_t size; at < end; at += size) {
    bool is_ascii = (unsigned char)*at < 0x80;
    size = is_ascii ? 1 : utf8_sequence(at);
    if (!size || (is_ascii && (unsigned char)*at < ' ' && !is_space(*at)) || memcmp(at, "\xEF\xBF\xBD", size) == 0)
      return false;
  }
  return true;
}

static void give(sitemap_reader *r, bool is_map)
{
  char *begin = r->text, *end = r->text + r->text_size;
  r->steps += r->text_size;
  while (begin < end && is_space(*begin))
    begin++;
  while (begin < end && is_space(end[-1]))
    end--;
  *end = '\0';
  bool is_there = begin < end && !r->is_bad, is_good = is_there && is_sound(begin, end);
  if (is_good)
    r->visit(r->context, is_map, begin, (size_t)(end - begin));
  r->has_lost |= r->is_long || is_there != is_good;
  r->is_bad = true; /* once */
  r->is_long = false;
}

/* ---- elements -------------------------------------------------------------------------------------------- */

static uint8_t top_kind(const sitemap_reader *r)
{
  return r->depth ? r->kinds[r->top] : OTHER;
}

static bool has_text(uint8_t kind)
{
  return kind == FEED_LINK || kind == PAGE_LOC || kind == MAP_LOC;
}

static uint8_t kind_of(const char *name, uint8_t parent)
{
  static const struct {
    const char *name;
    uint8_t kind;
  } entries[] = {{"url", PAGE_ENTRY},   {"sitemap", MAP_ENTRY},  {"item", FEED_ENTRY},
                 {"entry", FEED_ENTRY}, {"channel", FEED_ENTRY}, {"feed", FEED_ENTRY}};
  if (strcmp(name, "loc") == 0)
    return parent == PAGE_ENTRY ? PAGE_LOC : parent == MAP_ENTRY ? MAP_LOC : OTHER;
  if (strcmp(name, "link") == 0)
    return parent == PAGE_ENTRY ? PAGE_LINK : parent == FEED_ENTRY ? FEED_LINK : OTHER;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
    if (strcmp(name, entries[i].name) == 0)
      return entries[i].kind;
  return OTHER;
}

static void push(sitemap_reader *r)
{
  r->top = (r->top + 1) % SITEMAP_READER_DEPTH;
  r->names[r->top] = r->name;
  r->kinds[r->top] = r->kind;
  r->depth += r->depth < SITEMAP_READER_DEPTH;
}

static void pop(sitemap_reader *r)
{
  assert(r->depth);
  uint8_t kind = top_kind(r);
  if (has_text(kind))
    give(r, kind == MAP_LOC);
  r->top = (r->top + SITEMAP_READER_DEPTH - 1) % SITEMAP_READER_DEPTH;
  r->depth--;
}

static void close(sitemap_reader *r)
{
  unsigned above = 0;
  while (above < r->depth && r->names[(r->top + SITEMAP_READER_DEPTH - above) % SITEMAP_READER_DEPTH] != r->name)
    above++;
  r->steps += above;
  if (above == r->depth)
    return;
  do
    pop(r);
  while (above--);
}

/* An end tag's attributes, should it have any, mean nothing. */
static void tag_ended(sitemap_reader *r)
{
  if (r->is_end_tag) {
    close(r);
    return;
  }
  r->is_bad |= r->has_href && r->has_rel && !r->is_page;
  if (r->has_href) /* Atom's <link href>, <xhtml:link> of a page's other languages */
    give(r, false);
  if (has_text(r->kind))
    text_begin(r);
  push(r);
  if (r->is_empty)
    pop(r);
}

/* ---- words ----------------------------------------------------------------------------------------------- */

static void word_begin(sitemap_reader *r)
{
  r->word_size = 0;
  r->is_word_over = false;
}

static void word_add(sitemap_reader *r, char c)
{
  if (r->word_size < SITEMAP_READER_WORD)
    r->word[r->word_size] = c;
  r->word_size += r->word_size <= SITEMAP_READER_WORD;
}

/* A word that is too long is "". */
static const char *word(sitemap_reader *r)
{
  r->word[r->word_size <= SITEMAP_READER_WORD ? r->word_size : 0] = '\0';
  return r->word;
}

/* Of a name, without what is before its colon. */
static void name_add(sitemap_reader *r, char c)
{
  if (c == ':')
    r->word_size = 0;
  else
    word_add(r, c);
}

/* ---- tags ------------------------------------------------------------------------------------------------ */

static const char *content(sitemap_reader *r, const char *at, const char *end)
{
  const char *found = memchr(at, '<', (size_t)(end - at)), *stop = found ? found : end;
  if (has_text(top_kind(r)))
    collect(r, at, stop);
  return found ? turn(r, markup, found + 1) : end;
}

static bool begins_name(char c)
{
  return is_letter(c) || c == '_' || c == ':' || (unsigned char)c >= 0x80;
}

static const char *after_declaration(sitemap_reader *r, const char *at)
{
  return turn(r, r->in_doctype ? doctype : content, at);
}

static const char *markup(sitemap_reader *r, const char *at, const char *end)
{
  static const char less_than[] = {'<'};
  (void)end;
  r->matched = 0;
  r->reference = NO_REFERENCE;
  word_begin(r);
  if (*at == '!')
    return turn(r, declaration, at + 1);
  if (*at == '?')
    return turn(r, instruction, at + 1);
  if (r->in_doctype)
    return turn(r, doctype, at);
  r->is_end_tag = *at == '/';
  r->name = 0x811C9DC5; /* FNV-1a */
  if (r->is_end_tag || begins_name(*at))
    return turn(r, tag_name, at + r->is_end_tag);
  if (has_text(top_kind(r)))
    collect(r, less_than, less_than + 1);
  return turn(r, content, at);
}

static const char *tag_name(sitemap_reader *r, const char *at, const char *end)
{
  for (; at < end && !is_space(*at) && *at != '>' && *at != '/' && *at != '<'; at++) {
    r->name = (r->name ^ (unsigned char)*at) * 0x01000193;
    name_add(r, *at);
  }
  if (at == end)
    return end;
  r->kind = r->is_end_tag ? OTHER : kind_of(word(r), top_kind(r));
  r->has_href = r->has_rel = r->is_empty = false;
  r->is_word_over = true;
  return turn(r, in_tag, at);
}

/* Attributes up to the '=' of the next, or the end of the tag. */
static const char *in_tag(sitemap_reader *r, const char *at, const char *end)
{
  for (; at < end; at++) {
    if (*at == '>' || *at == '<') {
      tag_ended(r);
      return turn(r, *at == '>' ? content : markup, at + 1);
    }
    r->is_empty = *at == '/' || (r->is_empty && is_space(*at));
    if (*at == '=')
      return turn(r, before_value, at + 1);
    if (is_space(*at)) {
      r->is_word_over = true;
      continue;
    }
    if (r->is_word_over)
      word_begin(r);
    name_add(r, *at);
  }
  return end;
}

/* Of two attributes of one name the first counts. */
static void value_begin(sitemap_reader *r)
{
  bool is_link = r->kind == PAGE_LINK || r->kind == FEED_LINK;
  const char *name = is_link ? word(r) : "";
  r->wanted = NOTHING;
  if (!r->has_href && strcmp(name, "href") == 0) {
    r->wanted = HREF;
    text_begin(r);
  } else if (!r->has_rel && strcmp(name, "rel") == 0) {
    r->wanted = REL;
  }
  r->has_href |= r->wanted == HREF;
  r->has_rel |= r->wanted == REL;
  word_begin(r);
}

static const char *before_value(sitemap_reader *r, const char *at, const char *end)
{
  while (at < end && is_space(*at))
    at++;
  if (at == end)
    return end;
  value_begin(r);
  bool is_quoted = *at == '"' || *at == '\'';
  r->quote = is_quoted ? *at : '\0';
  return turn(r, value, at + is_quoted);
}

static void value_comes(sitemap_reader *r, const char *at, const char *end)
{
  if (r->wanted == HREF)
    collect(r, at, end);
  for (; r->wanted == REL && at < end; at++)
    word_add(r, *at);
}

static const char *value(sitemap_reader *r, const char *at, const char *end)
{
  const char *stop = at;
  if (r->quote)
    while (stop < end && *stop != r->quote && *stop != '<')
      stop++;
  else
    while (stop < end && !is_space(*stop) && *stop != '>' && *stop != '<')
      stop++;
  value_comes(r, at, stop);
  if (stop == end)
    return end;
  r->is_bad |= r->quote && *stop == '<'; /* never closed: this is the next tag */
  if (r->wanted == REL)
    r->is_page = strcmp(word(r), "alternate") == 0;
  r->is_word_over = true;
  return turn(r, in_tag, stop + (r->quote && *stop == r->quote));
}

/* ---- what begins with <? or <! --------------------------------------------------------------------------- */

/* `matched`: the byte before was a '?'. An XML declaration may do without, as some are written. */
static const char *instruction(sitemap_reader *r, const char *at, const char *end)
{
  for (; at < end; at++) {
    if (*at == '>' && (r->matched || (!r->in_doctype && strcmp(word(r), "xml") == 0)))
      return after_declaration(r, at + 1);
    r->matched = *at == '?';
    r->is_word_over |= is_space(*at);
    if (!r->is_word_over)
      word_add(r, *at);
  }
  return end;
}

static const char *declaration(sitemap_reader *r, const char *at, const char *end)
{
  if (!r->matched)
    r->expected = *at == '-' ? "--" : *at == '[' ? "[CDATA[" : "DOCTYPE";
  while (at < end && r->expected[r->matched] && *at == r->expected[r->matched])
    at++, r->matched++;
  if (r->expected[r->matched])
    return at < end ? turn(r, bogus, at) : end;
  r->matched = 0;
  r->in_doctype |= *r->expected == 'D';
  r->quote = '\0';
  return turn(r, *r->expected == '-' ? comment : *r->expected == '[' ? cdata : doctype, at);
}

/* Declarations of entities and the like, which the state of the document type passes over. */
static const char *bogus(sitemap_reader *r, const char *at, const char *end)
{
  if (r->in_doctype)
    return turn(r, doctype, at);
  const char *found = memchr(at, '>', (size_t)(end - at));
  return found ? turn(r, content, found + 1) : end;
}

/* `matched`: dashes seen, up to two. */
static const char *comment(sitemap_reader *r, const char *at, const char *end)
{
  for (; at < end; at++) {
    if (*at == '>' && r->matched == 2)
      return after_declaration(r, at + 1);
    r->matched = *at != '-' ? 0 : r->matched < 2 ? r->matched + 1 : 2;
  }
  return end;
}

/* `matched`: closing brackets held back, up to two. */
static const char *cdata(sitemap_reader *r, const char *at, const char *end)
{
  static const char brackets[] = "]]";
  bool is_wanted = has_text(top_kind(r)) && !r->in_doctype;
  for (; at < end; at++) {
    if (*at == '>' && r->matched == 2)
      return after_declaration(r, at + 1);
    unsigned held = r->matched;
    r->matched = *at != ']' ? 0 : held < 2 ? held + 1 : 2;
    if (!is_wanted)
      continue;
    put(r, brackets, brackets + (*at != ']' ? held : held == 2));
    if (*at != ']')
      put(r, at, at + 1);
  }
  return end;
}

/* Up to the '>' that is in no quotes and not in the internal subset. */
static const char *doctype(sitemap_reader *r, const char *at, const char *end)
{
  for (; at < end; at++) {
    if (r->quote) {
      r->quote = *at == r->quote ? '\0' : r->quote;
      continue;
    }
    switch (*at) {
    case '"':
    case '\'': r->quote = *at; break;
    case '[': r->in_subset = true; break;
    case ']': r->in_subset = false; break;
    case '<': return turn(r, markup, at + 1);
    case '>':
      if (r->in_subset)
        break;
      r->in_doctype = false;
      return turn(r, content, at + 1);
    default: break;
    }
  }
  return end;
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

/* Only whole URLs: else each line of an error page in place of a sitemap would be a relative link. */
static void line_ends(sitemap_reader *r)
{
  bool is_url = r->text_size > 8 &&
                (strncasecmp(r->text, "http://", 7) == 0 || strncasecmp(r->text, "https://", 8) == 0);
  if (is_url)
    give(r, false);
  text_begin(r);
}

static const char *line(sitemap_reader *r, const char *at, const char *end)
{
  const char *stop = at;
  while (stop < end && *stop != '\n' && *stop != '\r')
    stop++;
  put(r, at, stop);
  if (stop == end)
    return end;
  line_ends(r);
  return stop + 1;
}

/* ---- both ------------------------------------------------------------------------------------------------ */

/* White space, or a byte of the byte order mark: nothing before the first byte that counts. */
static bool is_before_all(char c)
{
  return is_space(c) || c == '\xEF' || c == '\xBB' || c == '\xBF';
}

static const char *beginning(sitemap_reader *r, const char *at, const char *end)
{
  while (at < end && is_before_all(*at))
    at++;
  return at < end ? turn(r, *at == '<' ? content : line, at) : end;
}

void sitemap_reader_begin(sitemap_reader *r, sitemap_visitor *visit, void *context)
{
  *r = (sitemap_reader){.visit = visit, .context = context, .state = beginning};
  text_begin(r);
}

void sitemap_reader_feed(sitemap_reader *r, const char *bytes, size_t size)
{
  const char *at = bytes, *end = bytes + size;
  while (at < end) {
    const char *before = at;
    at = r->state(r, at, end);
    assert(at >= before && at <= end && r->text_size <= URL_LENGTH_MAX);
    r->steps += (size_t)(at - before) + 1;
  }
}

void sitemap_reader_finish(sitemap_reader *r)
{
  if (r->state == line)
    line_ends(r);
}
