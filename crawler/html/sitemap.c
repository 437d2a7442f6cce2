/* See sitemap.h.
 *
 *     bytes -> [gunzip] -> XML:  libxml2's push parser, which builds no tree -> <loc>, <link>
 *                          text: lines
 */
#include "crawler/html/sitemap.h"

#include "crawler/base/chars.h"

#include "frontier/url.h"

#include <assert.h>
#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#define ZLIB_CONST
#include <zlib.h>

enum { DEPTH_MAX = 64, MAGIC = 2 };

/* What an element's children may be. */
typedef enum family { NO_FAMILY, PAGE_ENTRY, MAP_ENTRY, FEED_ENTRY } family;

typedef enum sitemap_form { UNDECIDED, XML, TEXT } sitemap_form;

struct sitemap {
  sitemap_visitor *visit;
  void *context;
  sitemap_form form;
  bool is_over; /* no more is heard */
  bool is_gzip, is_unpacked;
  size_t head_size;
  char head[MAGIC];  /* the first bytes: is it gzipped? */
  size_t read, urls; /* so far, unpacked */
  z_stream unpacker;
  xmlParserCtxtPtr parser;
  unsigned depth;
  uint8_t families[DEPTH_MAX];
  bool is_collecting, is_map, is_too_long;
  unsigned collected_at; /* depth of the element whose text is collected */
  size_t text_size;
  char text[URL_LENGTH_MAX];
};

static void assert_sitemap(const sitemap *s)
{
  assert(s->text_size <= sizeof s->text && s->head_size <= MAGIC);
  assert(s->urls <= SITEMAP_URLS_MAX && s->read <= SITEMAP_BYTES_MAX);
  assert(s->is_over || s->urls < SITEMAP_URLS_MAX);
  assert(!s->is_collecting || (s->depth >= s->collected_at && s->collected_at));
  assert(!s->parser || s->form == XML);
  (void)s;
}

/* ---- URLs ------------------------------------------------------------------------------------------------ */

static void give(sitemap *s, bool is_map, const char *href, size_t size)
{
  while (size && is_space(*href))
    href++, size--;
  while (size && is_space(href[size - 1]))
    size--;
  if (!size || s->is_over)
    return;
  s->visit(s->context, is_map, href, size);
  s->is_over = ++s->urls >= SITEMAP_URLS_MAX;
}

static void collect(sitemap *s, const char *bytes, size_t size)
{
  s->is_too_long |= size > sizeof s->text - s->text_size;
  if (s->is_too_long)
    return;
  memcpy(s->text + s->text_size, bytes, size);
  s->text_size += size;
  assert(s->text_size <= sizeof s->text);
}

static void collect_begin(sitemap *s)
{
  s->text_size = 0;
  s->is_too_long = false;
}

/* ---- XML ------------------------------------------------------------------------------------------------- */

static bool is_named(const xmlChar *name, const char *wanted)
{
  return strcmp((const char *)name, wanted) == 0;
}

static family family_of(const xmlChar *name)
{
  if (is_named(name, "url"))
    return PAGE_ENTRY;
  if (is_named(name, "sitemap"))
    return MAP_ENTRY;
  bool is_feed = is_named(name, "item") || is_named(name, "entry") || is_named(name, "channel") ||
                 is_named(name, "feed");
  return is_feed ? FEED_ENTRY : NO_FAMILY;
}

/* libxml2 gives an attribute as name, prefix, namespace, begin and end of the value. */
static const xmlChar **attribute(const xmlChar **attributes, int count, const char *name)
{
  for (int i = 0; i < count; i++)
    if (is_named(attributes[5 * i], name))
      return attributes + 5 * (size_t)i;
  return NULL;
}

/* Atom's <link href>, and <xhtml:link> of a page's other languages. */
static void take_link(sitemap *s, const xmlChar **attributes, int count)
{
  const xmlChar **href = attribute(attributes, count, "href"), **rel = attribute(attributes, count, "rel");
  bool is_page = !rel || (rel[4] - rel[3] == 9 && memcmp(rel[3], "alternate", 9) == 0);
  if (href && is_page && (size_t)(href[4] - href[3]) < sizeof s->text)
    give(s, false, (const char *)href[3], (size_t)(href[4] - href[3]));
}

static void element_begins(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                           int namespace_count, const xmlChar **namespaces, int attribute_count, int defaulted,
                           const xmlChar **attributes)
{
  sitemap *s = context;
  (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;
  family parent = s->depth > 0 && s->depth <= DEPTH_MAX ? (family)s->families[s->depth - 1] : NO_FAMILY;
  if (s->depth < DEPTH_MAX)
    s->families[s->depth] = (uint8_t)family_of(name);
  s->depth++;
  bool is_loc = (parent == PAGE_ENTRY || parent == MAP_ENTRY) && is_named(name, "loc");
  bool is_link = (parent == FEED_ENTRY || parent == PAGE_ENTRY) && is_named(name, "link");
  if (is_link)
    take_link(s, attributes, attribute_count);
  if (!s->is_collecting && (is_loc || (is_link && parent == FEED_ENTRY))) {
    s->is_collecting = true;
    s->is_map = parent == MAP_ENTRY;
    s->collected_at = s->depth;
    collect_begin(s);
  }
}

static void element_ends(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
  sitemap *s = context;
  (void)name, (void)prefix, (void)uri;
  if (s->is_collecting && s->depth == s->collected_at) {
    s->is_collecting = false;
    if (!s->is_too_long)
      give(s, s->is_map, s->text, s->text_size);
  }
  s->depth -= s->depth > 0;
}

static void text_comes(void *context, const xmlChar *bytes, int size)
{
  sitemap *s = context;
  if (s->is_collecting && s->depth == s->collected_at)
    collect(s, (const char *)bytes, (size_t)size);
}

/* Entities are declared here, and grow like anything: no sitemap needs one. */
static void subset_comes(void *context, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
  sitemap *s = context;
  (void)name, (void)external, (void)system;
  s->is_over = true;
  xmlStopParser(s->parser);
}

static void feed_xml(sitemap *s, const char *bytes, size_t size)
{
  static xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC,
                              .startElementNs = element_begins,
                              .endElementNs = element_ends,
                              .characters = text_comes,
                              .cdataBlock = text_comes,
                              .internalSubset = subset_comes};
  enum { STEP = 4096 }; /* so that what must stop it is noticed soon */
  if (!s->parser) {
    s->parser = xmlCreatePushParserCtxt(&sax, s, NULL, 0, NULL);
    if (!s->parser) {
      s->is_over = true;
      return;
    }
    xmlCtxtUseOptions(s->parser, XML_PARSE_NONET | XML_PARSE_RECOVER | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  }
  for (; size && !s->is_over; bytes += STEP < size ? STEP : size, size -= STEP < size ? STEP : size)
    xmlParseChunk(s->parser, bytes, STEP < size ? STEP : (int)size, 0);
}

/* ---- text ------------------------------------------------------------------------------------------------ */

/* Only whole URLs: else each line of an error page in place of a sitemap would be a relative link. */
static void line_ends(sitemap *s)
{
  bool is_url = s->text_size > 8 &&
                (strncasecmp(s->text, "http://", 7) == 0 || strncasecmp(s->text, "https://", 8) == 0);
  if (is_url && !s->is_too_long)
    give(s, false, s->text, s->text_size);
  collect_begin(s);
}

static void feed_text(sitemap *s, const char *bytes, size_t size)
{
  for (size_t i = 0; i < size && !s->is_over; i++)
    if (bytes[i] == '\n' || bytes[i] == '\r')
      line_ends(s);
    else if (s->text_size || !is_space(bytes[i]))
      collect(s, bytes + i, 1);
}

/* ---- both ------------------------------------------------------------------------------------------------ */

/* White space, or a byte of UTF-8's byte order mark: nothing before the first byte that counts. */
static bool is_before_all(char c)
{
  return is_space(c) || c == '\xEF' || c == '\xBB' || c == '\xBF';
}

static void feed_plain(sitemap *s, const char *bytes, size_t size)
{
  assert_sitemap(s);
  size_t left = SITEMAP_BYTES_MAX - s->read;
  bool is_last = size >= left;
  if (is_last)
    size = left;
  s->read += size;
  while (s->form == UNDECIDED && size && is_before_all(*bytes))
    bytes++, size--;
  if (s->form == UNDECIDED && size) /* a UTF-16 byte order mark: XML, as lists of URLs are not written in UTF-16 */
    s->form = *bytes == '<' || *bytes == '\xFE' || *bytes == '\xFF' ? XML : TEXT;
  if (s->form == XML)
    feed_xml(s, bytes, size);
  else if (s->form == TEXT)
    feed_text(s, bytes, size);
  s->is_over |= is_last;
}

static void feed_gzip(sitemap *s, const char *bytes, size_t size)
{
  unsigned char out[16384];
  s->unpacker.next_in = (const unsigned char *)bytes;
  s->unpacker.avail_in = (unsigned)size;
  do {
    s->unpacker.next_out = out;
    s->unpacker.avail_out = sizeof out;
    int status = inflate(&s->unpacker, Z_NO_FLUSH);
    if (sizeof out - s->unpacker.avail_out)
      feed_plain(s, (const char *)out, sizeof out - s->unpacker.avail_out);
    s->is_unpacked = status != Z_OK && status != Z_BUF_ERROR; /* its end, or damage */
  } while (!s->is_over && !s->is_unpacked && s->unpacker.avail_out == 0);
}

static void feed(sitemap *s, const char *bytes, size_t size)
{
  if (s->is_over || s->is_unpacked || !size)
    return;
  if (s->is_gzip)
    feed_gzip(s, bytes, size);
  else
    feed_plain(s, bytes, size);
}

static void feed_head(sitemap *s)
{
  s->is_gzip = s->head_size == MAGIC && memcmp(s->head, "\x1F\x8B", MAGIC) == 0;
  if (s->is_gzip && inflateInit2(&s->unpacker, 15 + 16) != Z_OK) /* the largest window; gzip's header */
    s->is_gzip = false, s->is_over = true;
  feed(s, s->head, s->head_size);
}

void sitemap_feed(sitemap *s, const char *bytes, size_t size)
{
  assert_sitemap(s);
  if (s->head_size < MAGIC) {
    while (size && s->head_size < MAGIC)
      s->head[s->head_size++] = *bytes++, size--;
    if (s->head_size < MAGIC)
      return;
    feed_head(s);
  }
  feed(s, bytes, size);
}

void sitemap_finish(sitemap *s)
{
  assert_sitemap(s);
  if (s->head_size < MAGIC)
    feed_head(s);
  if (s->form == TEXT && !s->is_over)
    line_ends(s);
  if (s->parser && !s->is_over)
    xmlParseChunk(s->parser, NULL, 0, 1);
}

sitemap *sitemap_create(sitemap_visitor *visit, void *context)
{
  sitemap *s = calloc(1, sizeof *s);
  if (s) {
    s->visit = visit;
    s->context = context;
  }
  return s;
}

void sitemap_begin(sitemap *s)
{
  sitemap_visitor *visit = s->visit;
  void *context = s->context;
  if (s->is_gzip)
    inflateEnd(&s->unpacker);
  if (s->parser)
    xmlFreeDoc(s->parser->myDoc); /* libxml2 makes one for declarations, asked or not */
  xmlFreeParserCtxt(s->parser);
  memset(s, 0, sizeof *s);
  s->visit = visit;
  s->context = context;
}

void sitemap_free(sitemap *s)
{
  if (!s)
    return;
  sitemap_begin(s);
  free(s);
}
