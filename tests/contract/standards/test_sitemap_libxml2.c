/* Sitemaps and feeds against libxml2, a whole XML parser: well-formed documents made from a seed, in UTF-8, Latin-1 and
 * UTF-16, in which elements, attributes, references, CDATA, comments and instructions stand wherever XML lets them. The
 * URLs must be the same. */
#include "crawler/html/sitemap.h"
#include "tests/site/grown_text.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <string.h>

#include <libxml/parser.h>

enum { DOCUMENTS = 5000, DEPTH_MAX = 6 };

/* ---- libxml2's URLs ----------------------------------------------------------------------------------------- */

typedef struct theirs {
  text found, value;
  const char *names[DEPTH_MAX + 1];
  unsigned depth, collects_at; /* 0: nothing */
} theirs;

static void add_url(text *found, bool is_map, const char *href, size_t size)
{
  while (size && strchr(" \t\r\n", *href))
    href++, size--;
  while (size && strchr(" \t\r\n", href[size - 1]))
    size--;
  if (size)
    text_addf(found, "%s%.*s\n", is_map ? "+" : "", (int)size, href);
}

static bool is_any(const char *name, const char *const *names)
{
  while (*names && strcmp(name, *names) != 0)
    names++;
  return *names;
}

static const char *const feeds[] = {"item", "entry", "channel", "feed", NULL}, *const page[] = {"url", NULL},
                         *const map[] = {"sitemap", NULL};

static void element_begins(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                           int namespace_count, const xmlChar **namespaces, int count, int defaulted,
                           const xmlChar **attributes)
{
  theirs *t = context;
  (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;
  const char *parent = t->depth ? t->names[t->depth - 1] : "", *own = (const char *)name;
  const xmlChar **href = NULL, **rel = NULL;
  assert_true(t->depth <= DEPTH_MAX);
  t->names[t->depth++] = own; /* it lives in the parser's dictionary */
  for (const xmlChar **a = attributes; a < attributes + 5 * (ptrdiff_t)count; a += 5) {
    href = !href && strcmp((const char *)*a, "href") == 0 ? a : href;
    rel = !rel && strcmp((const char *)*a, "rel") == 0 ? a : rel;
  }
  bool is_link = strcmp(own, "link") == 0, is_loc = strcmp(own, "loc") == 0;
  bool is_page = !rel || (rel[4] - rel[3] == 9 && memcmp(rel[3], "alternate", 9) == 0);
  if (is_link && (is_any(parent, feeds) || is_any(parent, page)) && href && is_page)
    add_url(&t->found, false, (const char *)href[3], (size_t)(href[4] - href[3]));
  if ((is_link && is_any(parent, feeds)) || (is_loc && (is_any(parent, page) || is_any(parent, map)))) {
    t->collects_at = t->depth;
    text_clear(&t->value);
  }
}

static void element_ends(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
  theirs *t = context;
  (void)name, (void)prefix, (void)uri;
  if (t->depth == t->collects_at) {
    add_url(&t->found, is_any(t->names[t->depth - 2], map), t->value.bytes, t->value.size);
    t->collects_at = 0;
  }
  t->depth--;
}

static void text_comes(void *context, const xmlChar *bytes, int size)
{
  theirs *t = context;
  if (t->depth == t->collects_at)
    text_add_bytes(&t->value, bytes, (size_t)size);
}

/* false: they say it is not well-formed. */
static bool read_theirs(theirs *t, const text *document)
{
  static xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC,
                              .startElementNs = element_begins,
                              .endElementNs = element_ends,
                              .characters = text_comes,
                              .cdataBlock = text_comes};
  text_clear(&t->found);
  t->depth = t->collects_at = 0;
  xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&sax, t, NULL, 0, NULL);
  assert_non_null(parser);
  xmlCtxtUseOptions(parser, XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  xmlParseChunk(parser, document->bytes, (int)document->size, 1);
  bool is_good = parser->wellFormed;
  xmlFreeDoc(parser->myDoc);
  xmlFreeParserCtxt(parser);
  return is_good;
}

/* ---- ours ---------------------------------------------------------------------------------------------------- */

static void note(void *context, bool is_map, const char *href, size_t size)
{
  add_url(context, is_map, href, size);
}

static void read_ours(sitemap *s, const text *document, uint64_t *seed)
{
  sitemap_begin(s, NULL);
  for (size_t at = 0, piece; at < document->size; at += piece) {
    piece = 1 + random_below(seed, 200);
    piece = piece < document->size - at ? piece : document->size - at;
    const char *bytes = document->bytes + at;
    for (size_t left = piece; sitemap_feed(s, &bytes, &left);)
      ;
  }
  sitemap_finish(s);
}

/* ---- documents ----------------------------------------------------------------------------------------------- */

typedef struct writer {
  text *out;
  uint64_t *seed;
} writer;

#define ONE_OF(w, list) (list)[random_below((w)->seed, sizeof(list) / sizeof *(list))]

static void add_pieces(const writer *w, const char *const *pieces, unsigned count)
{
  for (unsigned i = random_below(w->seed, 5); i--;)
    text_add(w->out, pieces[random_below(w->seed, count)]);
}

#define ADD_PIECES(w, ...) \
  add_pieces((w), (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void add_aside(const writer *w)
{
  switch (random_below(w->seed, 3)) {
  case 0:
    text_add(w->out, "<!--");
    ADD_PIECES(w, "x", "<url><loc>no</loc>", "- ", ">", "'", "\"", "]]>", "?>");
    text_add(w->out, "-->");
    break;
  case 1:
    text_add(w->out, "<?p ");
    ADD_PIECES(w, "x", "<url><loc>no</loc>", "? ", ">", "'", "\"", "-->", "xml");
    text_add(w->out, "?>");
    break;
  default:
    text_add(w->out, "<![CDATA[");
    ADD_PIECES(w, "x", "<url><loc>no</loc>", "] ", "]] ", "> ", "&amp;", "&", "'", "-->", "\xC3\xA9");
    text_add(w->out, random_one_in(w->seed, 4) ? "x]]]]>" : "]]>");
  }
}

static void add_text(const writer *w)
{
  ADD_PIECES(w, "http://h/", "x", " ", "\n", "\xC3\xA9", "&amp;", "&lt;", "&#65;", "&#xe9;", "&apos;", ">", "'", "\"",
             ";");
}

static void add_attributes(const writer *w)
{
  static const char *const names[] = {"href", "rel", "id", "x:title", "hreflang"};
  unsigned first = random_below(w->seed, 5);
  for (unsigned i = first; i < first + 5; i++) {
    if (random_one_in(w->seed, 2))
      continue;
    char quote = random_one_in(w->seed, 2) ? '"' : '\'';
    text_addf(w->out, "%s%s%s%c", random_one_in(w->seed, 5) ? "\n\t" : " ", names[i % 5],
              random_one_in(w->seed, 5) ? " = " : "=", quote);
    if (i % 5 == 1)
      text_add(w->out, random_one_in(w->seed, 2) ? "alternate" : "self");
    else
      ADD_PIECES(w, "http://h/", "x", " ", "\xC3\xBC", "&amp;", "&quot;", "&#65;", ">", "/>", "=", "href=", "]]>");
    text_add_byte(w->out, quote);
  }
}

/* In a loc or a link there is no other. */
static void add_element(const writer *w, unsigned depth, bool is_plain)
{
  static const char *const plain[] = {"a", "b", "x:image", "locs"};
  static const char *const entries[] = {"url", "sitemap", "item", "entry", "channel", "feed", "x:url", "urlset"};
  static const char *const urls[] = {"loc", "link", "x:loc", "x:link"};
  const char *name = is_plain                             ? ONE_OF(w, plain)
                     : depth && random_one_in(w->seed, 2) ? ONE_OF(w, urls)
                                                          : ONE_OF(w, entries);
  text_addf(w->out, "<%s", name);
  if (!depth)
    text_add(w->out, " xmlns:x='x'");
  add_attributes(w);
  if (random_one_in(w->seed, 6)) {
    text_add(w->out, random_one_in(w->seed, 2) ? "/>" : " />");
    return;
  }
  text_add(w->out, ">");
  for (unsigned parts = 2 + random_below(w->seed, 5); parts--;)
    if (depth < DEPTH_MAX - 1 && random_one_in(w->seed, 2))
      add_element(w, depth + 1, is_plain || strstr(name, "loc") || strstr(name, "link"));
    else if (random_one_in(w->seed, 3))
      add_aside(w);
    else
      add_text(w);
  text_addf(w->out, "</%s%s>", name, random_one_in(w->seed, 5) ? "\n" : "");
}

static void add_document(const writer *w, const char *encoding)
{
  if (encoding)
    text_addf(w->out, "<?xml version='1.0' encoding='%s'?>", encoding);
  if (random_one_in(w->seed, 3))
    text_add(w->out, "<!-- '\" --><!DOCTYPE a [<!ENTITY e ']><url>'>\n<!-- ' ]> --><?p ]> ?><!ELEMENT a ANY>] >\n");
  add_element(w, 0, false);
}

/* As UTF-16, with its mark, or as Latin-1: what the documents hold beyond ASCII is below U+0100. */
static void convert(const text *utf8, bool is_wide, bool is_big, text *out)
{
  if (is_wide)
    text_add(out, is_big ? "\xFE\xFF" : "\xFF\xFE");
  for (size_t i = 0; i < utf8->size; i++) {
    unsigned char c = (unsigned char)utf8->bytes[i];
    if (c >= 0x80)
      c = (unsigned char)(c << 6 | (utf8->bytes[++i] & 0x3F));
    if (is_wide && is_big)
      text_add_byte(out, '\0');
    text_add_byte(out, (char)c);
    if (is_wide && !is_big)
      text_add_byte(out, '\0');
  }
}

static void make_document(uint64_t *seed, text *out, text *utf8)
{
  static const char *const encodings[] = {NULL, "UTF-8", "ISO-8859-1", "UTF-16", "UTF-16"};
  unsigned which = random_below(seed, 5);
  text_clear(out);
  text_clear(utf8);
  add_document(&(writer){which < 2 ? out : utf8, seed}, encodings[which]);
  if (which >= 2)
    convert(utf8, which > 2, which > 3, out);
}

/* ---- */

CASE(the_same_urls)
{
  uint64_t seed = random_seed();
  theirs t = {0};
  text document = {0}, utf8 = {0}, ours = {0};
  size_t urls = 0;
  sitemap *s = sitemap_create(note, &ours);
  assert_non_null(s);
  for (unsigned i = 0; i < DOCUMENTS; i++) {
    make_document(&seed, &document, &utf8);
    assert_true(read_theirs(&t, &document));
    text_clear(&ours);
    read_ours(s, &document, &seed);
    if (ours.size != t.found.size || (ours.size && memcmp(ours.bytes, t.found.bytes, ours.size) != 0))
      fail_msg("%s\nours:\n%s\nlibxml2's:\n%s", document.bytes, ours.bytes, t.found.bytes);
    for (const char *c = ours.bytes; ours.size && *c; c++)
      urls += *c == '\n';
  }
  printf("%d documents, %zu URLs\n", DOCUMENTS, urls);
  assert_true(urls > DOCUMENTS);
  sitemap_free(s);
  text_free(&t.found);
  text_free(&t.value);
  text_free(&document);
  text_free(&utf8);
  text_free(&ours);
  xmlCleanupParser();
}
