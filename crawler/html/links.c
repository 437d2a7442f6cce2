/* What the tags mean: which attribute of which element is a link. The tokenizer finds the tags, foreign.c knows
 * where HTML ends, refresh.c reads a refresh; here is the table of elements. */
#include "crawler/html/links.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/base/chars.h"
#include "crawler/html/attribute_words.h"
#include "crawler/html/entities.h"
#include "crawler/html/foreign.h"
#include "crawler/html/refresh.h"
#include "crawler/html/srcset.h"
#include "crawler/html/tokenizer.h"
#include "crawler/html/xml_names.h"

_Static_assert((int)LINKS_VALUE_MAX == (int)TOKENIZER_VALUE_MAX, "one limit, said in both headers");

/* clang-format off */
enum element {
  OTHER, A, AREA, BASE, FRAME, IFRAME, LINK, META, /* of links */
  IMG, SOURCE,                                     /* of images */
  AUDIO, EMBED, INPUT, OBJECT, TRACK, VIDEO,       /* of what else a page is made of */
  TEXT, TITLE, SCRIPT, PLAINTEXT, SELECT,          /* of text */
  FOREIGN_ROOT, TEMPLATE, ANNOTATION_XML, FONT,    /* around SVG and MathML, and templates */
};

enum { HREF = 1, XLINK_HREF = 2, SRC = 4, REL = 8, HTTP_EQUIV = 16, NAME = 32, CONTENT = 64, ENCODING = 128, LOOK = 256,
       SRCSET = 512, DATA = 1024, POSTER = 2048, SHADOW = 4096, DECLARATION = 8192, CHARSET = 16384 };

enum { AROUND = ENCODING | LOOK | SHADOW }; /* of those around SVG, MathML and templates */

static const unsigned attributes_of[FONT + 1] = {
  [A] = HREF | XLINK_HREF | REL, [AREA] = HREF | REL, [BASE] = HREF, [FRAME] = SRC, [IFRAME] = SRC, [LINK] = HREF | REL,
  [IMG] = SRC | SRCSET, [SOURCE] = SRC | SRCSET, [AUDIO] = SRC, [EMBED] = SRC, [INPUT] = SRC, [OBJECT] = DATA,
  [TRACK] = SRC, [VIDEO] = SRC | POSTER, [SCRIPT] = SRC,
  [META] = HTTP_EQUIV | NAME | CONTENT | CHARSET, [ANNOTATION_XML] = ENCODING, [FONT] = LOOK,
  [TEMPLATE] = SHADOW,
};
/* clang-format on */

/* The start tag being read. */
typedef struct open_tag {
  enum element element;
  bool is_end_tag;
  bool is_foreign;    /* of SVG or MathML */
  unsigned wanted;    /* attributes not yet seen: of two with one name the first counts */
  unsigned attribute; /* the one whose value comes next */
  unsigned rel;
  bool is_refresh, is_type, is_robots, has_html_attribute;
  const charset *charset; /* of a <meta charset> */
  char name[TOKENIZER_NAME_MAX + 1];
  size_t prefix_size, declared_size; /* in XML */
  char prefix[TOKENIZER_NAME_MAX];
  char declared[TOKENIZER_NAME_MAX]; /* the xmlns attribute whose value comes next */
  const char *url_attribute;         /* where `url` stood; NULL: none yet */
  size_t url_size;
  char url[LINKS_VALUE_MAX]; /* or a meta's content */
} open_tag;

struct links_scanner {
  links_visitor *visit;
  void *context;
  bool is_finished; /* the next feed begins a page */
  bool is_xml;
  bool has_root; /* XML: another element is not the root */
  xml_names names;
  bool wants_images, wants_assets, wants_cut;
  bool is_hidden; /* XHTML: inside script, style and the like */
  bool is_in_select;
  links_text_taker *take_text;
  void *text_context;
  bool has_base, nofollow, noindex, has_script;
  const charset *charset; /* as a <meta> says */
  foreign_place place;
  bool is_in_title, has_title;
  size_t title_size;
  char title[LINKS_TITLE];
  open_tag tag;
  tokenizer machine;
};

const char *link_kind_name(link_kind kind)
{
  static const char *const names[] = {"base", "a", "area", "frame", "iframe", "link", "meta-refresh", "image", "asset"};
  return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

static const char *const element_names[LINK_ELEMENTS] = {
  [BY_UNKNOWN] = "",
  [BY_A_HREF] = "a@href",
  [BY_A_XLINK_HREF] = "a@xlink:href",
  [BY_AREA_HREF] = "area@href",
  [BY_FRAME_SRC] = "frame@src",
  [BY_IFRAME_SRC] = "iframe@src",
  [BY_LINK_HREF] = "link@href",
  [BY_META_CONTENT] = "meta@content",
  [BY_IMG_SRC] = "img@src",
  [BY_IMG_SRCSET] = "img@srcset",
  [BY_SOURCE_SRC] = "source@src",
  [BY_SOURCE_SRCSET] = "source@srcset",
  [BY_SCRIPT_SRC] = "script@src",
  [BY_VIDEO_SRC] = "video@src",
  [BY_VIDEO_POSTER] = "video@poster",
  [BY_AUDIO_SRC] = "audio@src",
  [BY_TRACK_SRC] = "track@src",
  [BY_EMBED_SRC] = "embed@src",
  [BY_OBJECT_DATA] = "object@data",
  [BY_INPUT_SRC] = "input@src",
  [BY_HEADER_LINK] = "header@link",
  [BY_HEADER_REFRESH] = "header@refresh",
  [BY_URL_LOC] = "url@loc",
  [BY_SITEMAP_LOC] = "sitemap@loc",
};

const char *link_element_name(link_element element)
{
  return (unsigned)element < LINK_ELEMENTS ? element_names[element] : "";
}

/* Names. */

static enum element element_named(const char *name, size_t size)
{
/* clang-format off */
#define NAMED(word, element) if (size == sizeof word - 1 && memcmp(name, word, sizeof word - 1) == 0) return element
  switch (name[0]) {
  case 'a': NAMED("a", A); NAMED("area", AREA); NAMED("annotation-xml", ANNOTATION_XML); NAMED("audio", AUDIO); break;
  case 'b': NAMED("base", BASE); break;
  case 'e': NAMED("embed", EMBED); break;
  case 'f': NAMED("frame", FRAME); NAMED("font", FONT); break;
  case 'i': NAMED("iframe", IFRAME); NAMED("img", IMG); NAMED("input", INPUT); break;
  case 'l': NAMED("link", LINK); break;
  case 'm': NAMED("meta", META); NAMED("math", FOREIGN_ROOT); break;
  case 'n': NAMED("noembed", TEXT); NAMED("noframes", TEXT); break;
  case 'o': NAMED("object", OBJECT); break;
  case 'p': NAMED("plaintext", PLAINTEXT); break;
  case 's': NAMED("script", SCRIPT); NAMED("style", TEXT); NAMED("svg", FOREIGN_ROOT); NAMED("source", SOURCE);
    NAMED("select", SELECT); break;
  case 't': NAMED("title", TITLE); NAMED("textarea", TEXT); NAMED("track", TRACK); NAMED("template", TEMPLATE); break;
  case 'v': NAMED("video", VIDEO); break;
  case 'x': NAMED("xmp", TEXT); break;
  default: break;
  }
#undef NAMED
  return OTHER;
}

static unsigned attribute_named(const char *name, size_t size)
{
  static const struct { char name[15]; unsigned char size; unsigned short attribute; } names[] = {
    { "href", 4, HREF }, { "rel", 3, REL }, { "src", 3, SRC }, { "srcset", 6, SRCSET }, { "content", 7, CONTENT },
    { "name", 4, NAME }, { "http-equiv", 10, HTTP_EQUIV }, { "xlink:href", 10, XLINK_HREF },
    { "encoding", 8, ENCODING }, { "color", 5, LOOK }, { "face", 4, LOOK }, { "size", 4, LOOK },
    { "data", 4, DATA }, { "poster", 6, POSTER }, { "shadowrootmode", 14, SHADOW }, { "charset", 7, CHARSET },
  };
  /* clang-format on */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].size == size && memcmp(name, names[i].name, size) == 0)
      return names[i].attribute;
  return 0;
}

/* Element names outside of SVG and MathML that element_named knows, by first letter and length; those of assets only if
 * they are wanted. */
static const plain_tag_names matter = {
  ['a' - 'a'] = 1 << 1 | 1 << 4, ['b' - 'a'] = 1 << 4, ['f' - 'a'] = 1 << 5,
  ['i' - 'a'] = 1 << 3 | 1 << 6, ['l' - 'a'] = 1 << 4, ['m' - 'a'] = 1 << 4,
  ['n' - 'a'] = 1 << 7 | 1 << 8, ['p' - 'a'] = 1 << 9, ['s' - 'a'] = 1 << 3 | 1 << 5 | 1 << 6,
  ['t' - 'a'] = 1 << 5 | 1 << 8, ['x' - 'a'] = 1 << 3,
};

static const plain_tag_names matter_with_assets = {
  ['a' - 'a'] = 1 << 1 | 1 << 4 | 1 << 5,
  ['b' - 'a'] = 1 << 4,
  ['e' - 'a'] = 1 << 5,
  ['f' - 'a'] = 1 << 5,
  ['i' - 'a'] = 1 << 3 | 1 << 5 | 1 << 6,
  ['l' - 'a'] = 1 << 4,
  ['m' - 'a'] = 1 << 4,
  ['n' - 'a'] = 1 << 7 | 1 << 8,
  ['o' - 'a'] = 1 << 6,
  ['p' - 'a'] = 1 << 9,
  ['s' - 'a'] = 1 << 3 | 1 << 5 | 1 << 6,
  ['t' - 'a'] = 1 << 5 | 1 << 8,
  ['v' - 'a'] = 1 << 5,
  ['x' - 'a'] = 1 << 3,
};

/* In foreign content, in a template and in a <select> end tags and all names count; in XML any tag ends what is
 * hidden. */
static void choose_what_matters(links_scanner *scanner)
{
  bool any = scanner->is_xml || scanner->is_in_select || scanner->place.depth > 0;
  scanner->machine.matter = any ? NULL : scanner->wants_assets ? matter_with_assets : matter;
}

/* In SVG and MathML only <a> links. <meta> ends them, font and annotation-xml may. */
static bool has_meaning_in_foreign(enum element element)
{
  return element == A || element == META || element == FONT || element == ANNOTATION_XML;
}

/* Until 2025 the standard ignored <plaintext> in a <select>, and the links behind it were links; now all is text there.
 * It is ignored here: rather a link too many than a page of them lost. Only </select> is known to end a <select>. */
static enum element select_follow(links_scanner *scanner, enum element element, const char *name, bool is_end_tag)
{
  if (element == SELECT)
    scanner->is_in_select |= !foreign_is_inside(&scanner->place) && !foreign_is_inert(&scanner->place);
  else if (is_end_tag && strcmp(name, "select") == 0)
    scanner->is_in_select = false;
  return is_end_tag ? element : OTHER;
}

/* Those that have links of their own kind, which are wanted or not. */
static bool is_wanted(const links_scanner *scanner, enum element element)
{
  if (element == IMG || element == SOURCE)
    return scanner->wants_images || scanner->wants_assets;
  return element < AUDIO || element > VIDEO || scanner->wants_assets;
}

/* Their links need no second attribute. */
static bool links_at_once(enum element element)
{
  return (element >= IMG && element <= VIDEO) || element == SCRIPT;
}

/* XML. */

/* The name without its prefix, which the tag keeps. */
static const char *local_name(open_tag *tag, const char *name, size_t *size)
{
  const char *colon = memchr(name, ':', *size);
  tag->prefix_size = colon ? (size_t)(colon - name) : 0;
  memcpy(tag->prefix, name, tag->prefix_size);
  if (!colon)
    return name;
  *size -= tag->prefix_size + 1;
  return colon + 1;
}

/* The open tag's name is one that we know: in XML its prefix must be HTML's, which its own attributes may say. */
static bool has_known_name(const links_scanner *scanner)
{
  const open_tag *tag = &scanner->tag;
  return !scanner->is_xml || tag->is_foreign || xml_names_has(&scanner->names, tag->prefix, tag->prefix_size);
}

static void declare(links_scanner *scanner, const char *value, size_t size)
{
  const open_tag *tag = &scanner->tag;
  xml_names_declare(&scanner->names, tag->declared, tag->declared_size, !scanner->has_root, value, size);
}

/* The sink of the tokenizer. */

/* For foreign.h, which knows names in lower case. */
static void name_store(open_tag *tag, const char *name, size_t size)
{
  for (size_t i = 0; i <= size; i++)
    tag->name[i] = lower(name[i]);
  if (memchr(name, '\0', size))
    tag->name[0] = '\0'; /* with a NUL inside it is no name we know */
}

static tokenizer_wish on_tag_named(void *context, const char *name, size_t size, bool is_end_tag)
{
  links_scanner *scanner = context;
  open_tag *tag = &scanner->tag;
  if (scanner->is_xml)
    name = local_name(tag, name, &size);
  enum element element = is_end_tag ? OTHER : element_named(name, size);
  assert(element == OTHER || element > FOREIGN_ROOT || matter_with_assets[name[0] - 'a'] >> size & 1);
  scanner->is_in_title = false;
  if (!is_wanted(scanner, element))
    element = OTHER;
  if (element == SELECT || (scanner->is_in_select && (is_end_tag || element == PLAINTEXT)))
    element = select_follow(scanner, element, name, is_end_tag);
  choose_what_matters(scanner);
  bool is_near_foreign = scanner->place.depth > 0 || element == FOREIGN_ROOT || element == TEMPLATE;
  bool is_inert = foreign_is_inert(&scanner->place);
  scanner->has_script |= element == SCRIPT && !is_inert;
  scanner->is_hidden = scanner->is_xml && (element == TEXT || element == TITLE || element == SCRIPT);
  if (!scanner->is_xml && !is_near_foreign && (element == OTHER || element > FOREIGN_ROOT))
    return WISH_NOTHING;
  bool is_foreign = tag->is_foreign = foreign_is_inside(&scanner->place);
  tag->is_end_tag = is_end_tag;
  tag->element = is_foreign && !has_meaning_in_foreign(element) ? OTHER : element;
  tag->has_html_attribute = false;
  if (is_near_foreign)
    name_store(tag, name, size);
  bool is_to_end = !attributes_of[tag->element] || (element == SCRIPT && !scanner->wants_assets);
  if (is_to_end && (is_end_tag || !scanner->is_xml))
    return WISH_END;
  tag->wanted = is_to_end ? 0 : attributes_of[tag->element] & (is_foreign ? ~0U : ~(unsigned)XLINK_HREF);
  if (is_inert)
    tag->wanted &= AROUND; /* which says where the template ends */
  tag->rel = 0;
  tag->is_refresh = tag->is_type = tag->is_robots = false;
  tag->charset = NULL;
  tag->url_attribute = NULL;
  return WISH_ATTRIBUTES;
}

static bool on_attribute_named(void *context, const char *name, size_t size)
{
  const links_scanner *scanner = context;
  open_tag *tag = &((links_scanner *)context)->tag;
  if (scanner->is_xml && xml_names_is_declaration(name, size)) {
    tag->attribute = DECLARATION;
    memcpy(tag->declared, name, size);
    tag->declared_size = size;
    return true;
  }
  tag->attribute = attribute_named(name, size) & tag->wanted;
  assert((tag->attribute & (tag->attribute - 1)) == 0); /* one, or none */
  tag->wanted &= ~tag->attribute;
  return tag->attribute != 0;
}

static void url_store(open_tag *tag, const char *attribute, const char *value, size_t size)
{
  assert(size <= LINKS_VALUE_MAX);
  tag->url_attribute = attribute;
  tag->url_size = size;
  memcpy(tag->url, value, size);
}

/* Only the first letter of an attribute counts: of each element they differ by it, but for src and srcset. */
static link_element element_of(const open_tag *tag)
{
  char first = *tag->url_attribute;
  bool is_set = tag->attribute == SRCSET;
  switch (tag->element) {
  case A: return first == 'x' ? BY_A_XLINK_HREF : BY_A_HREF;
  case AREA: return BY_AREA_HREF;
  case FRAME: return BY_FRAME_SRC;
  case IFRAME: return BY_IFRAME_SRC;
  case LINK: return BY_LINK_HREF;
  case META: return BY_META_CONTENT;
  case IMG: return is_set ? BY_IMG_SRCSET : BY_IMG_SRC;
  case SOURCE: return is_set ? BY_SOURCE_SRCSET : BY_SOURCE_SRC;
  case SCRIPT: return BY_SCRIPT_SRC;
  case VIDEO: return first == 'p' ? BY_VIDEO_POSTER : BY_VIDEO_SRC;
  case AUDIO: return BY_AUDIO_SRC;
  case TRACK: return BY_TRACK_SRC;
  case EMBED: return BY_EMBED_SRC;
  case OBJECT: return BY_OBJECT_DATA;
  case INPUT: return BY_INPUT_SRC;
  default: return BY_UNKNOWN;
  }
}

static void visit(const links_scanner *scanner, link_kind kind, const char *href, size_t size)
{
  const open_tag *tag = &scanner->tag;
  scanner->visit(scanner->context, &(link_found){.kind = kind,
                                                 .href = href,
                                                 .size = size,
                                                 .attribute = tag->url_attribute,
                                                 .nofollow = tag->rel & REL_NOFOLLOW,
                                                 .canonical = tag->rel & REL_CANONICAL && kind == LINK_LINK,
                                                 .element = scanner->wants_assets ? element_of(tag) : BY_UNKNOWN});
}

static const char *at_once_name(unsigned attribute)
{
  return attribute == SRCSET ? "srcset" : attribute == POSTER ? "poster" : attribute == DATA ? "data" : "src";
}

/* Images and other assets are told at once, one by one: a srcset may have many. <source src> is no image. */
static void visit_at_once(links_scanner *scanner, const char *value, size_t size)
{
  open_tag *tag = &scanner->tag;
  bool is_set = tag->attribute == SRCSET, is_image = tag->element == IMG || (tag->element == SOURCE && is_set);
  link_kind kind = is_image && scanner->wants_images ? LINK_IMAGE : LINK_ASSET;
  tag->url_attribute = at_once_name(tag->attribute);
  if ((kind == LINK_ASSET && !scanner->wants_assets) || !has_known_name(scanner))
    return;
  if (!is_set)
    visit(scanner, kind, value, size);
  const char *url;
  size_t url_size;
  for (const char *at = value, *end = value + size; is_set && srcset_next(&at, end, &url, &url_size);)
    visit(scanner, kind, url, url_size);
}

/* A link, but for its length. What else the tag says of it is not known yet, or does not matter any more. */
static void on_attribute_lost(void *context, const char *beginning, size_t size)
{
  links_scanner *scanner = context;
  const open_tag *tag = &scanner->tag;
  if (!scanner->wants_cut || !(tag->attribute & (HREF | XLINK_HREF | SRC | SRCSET)) || tag->element == BASE ||
      !has_known_name(scanner))
    return;
  scanner->visit(scanner->context, &(link_found){.kind = LINK_A,
                                                 .href = beginning,
                                                 .size = size < LINKS_BEGINNING ? size : LINKS_BEGINNING,
                                                 .attribute = "href",
                                                 .is_cut = true});
}

static void on_attribute_valued(void *context, const char *value, size_t size)
{
  links_scanner *scanner = context;
  open_tag *tag = &scanner->tag;
  if (tag->attribute == DECLARATION) {
    declare(scanner, value, size);
    return;
  }
  if (links_at_once(tag->element)) {
    visit_at_once(scanner, value, size);
    return;
  }
  switch (tag->attribute) {
  case HREF:
    url_store(tag, "href", value, size);
    tag->wanted &= ~(unsigned)XLINK_HREF; /* SVG 2: href wins, wherever it stands */
    break;
  case XLINK_HREF: url_store(tag, "xlink:href", value, size); break;
  case SRC: url_store(tag, "src", value, size); break;
  case CONTENT: url_store(tag, "content", value, size); break;
  case REL: tag->rel = words_rel(value, size); break;
  case CHARSET: tag->charset = charset_of_label(value, size); break;
  case HTTP_EQUIV:
    tag->is_refresh = words_equal(value, size, "refresh");
    tag->is_type = words_equal(value, size, "content-type");
    break;
  case NAME: tag->is_robots = words_equal(value, size, "robots") || words_equal(value, size, "strata"); break;
  case ENCODING:
    tag->has_html_attribute = words_equal(value, size, "text/html") ||
                              words_equal(value, size, "application/xhtml+xml");
    break;
  case SHADOW: tag->has_html_attribute = words_equal(value, size, "open") || words_equal(value, size, "closed"); break;
  default: tag->has_html_attribute = true; break;
  }
}

/* HTML 4.2.5.4: one that is not known is as none, so that the next <meta> may say another. */
static void charset_read(links_scanner *scanner)
{
  const open_tag *tag = &scanner->tag;
  const charset *said = tag->charset;
  if (!said && tag->is_type && tag->url_attribute)
    said = charset_of_content(tag->url, tag->url_size);
  if (!scanner->charset)
    scanner->charset = charset_of_meta(said);
}

static void meta_ended(links_scanner *scanner)
{
  const open_tag *tag = &scanner->tag;
  const char *url;
  size_t size;
  if (tag->is_refresh && refresh_find_url(tag->url, tag->url_size, &url, &size))
    visit(scanner, LINK_META_REFRESH, url, size);
  if (tag->is_robots)
    words_robots(tag->url, tag->url_size, &scanner->nofollow, &scanner->noindex);
}

/* A <link> that names no page. */
static void link_ended(const links_scanner *scanner)
{
  const open_tag *tag = &scanner->tag;
  if (scanner->wants_assets && tag->rel & REL_ASSET)
    visit(scanner, LINK_ASSET, tag->url, tag->url_size);
}

static void visit_tag(links_scanner *scanner)
{
  static const link_kind kinds[] = {
    [A] = LINK_A,         [AREA] = LINK_AREA,     [BASE] = LINK_BASE,
    [FRAME] = LINK_FRAME, [IFRAME] = LINK_IFRAME, [LINK] = LINK_LINK,
  };
  const open_tag *tag = &scanner->tag;
  assert(attributes_of[tag->element] && tag->url_size <= LINKS_VALUE_MAX);
  if (tag->element == META)
    meta_ended(scanner);
  else if (tag->element == LINK && (!(tag->rel & REL_PAGE) || tag->rel & REL_STYLESHEET))
    link_ended(scanner);
  else if (tag->element != BASE || !scanner->has_base)
    visit(scanner, kinds[tag->element], tag->url, tag->url_size);
  scanner->has_base |= tag->element == BASE;
}

/* Where the tag leads to: into SVG, MathML or a template, or out of it. */
static void follow_tag(links_scanner *scanner, bool is_self_closing)
{
  const open_tag *tag = &scanner->tag;
  foreign_place *place = &scanner->place;
  bool begins = tag->element == FOREIGN_ROOT || (tag->element == TEMPLATE && has_known_name(scanner));
  assert(place->depth <= FOREIGN_DEPTH_MAX);
  if (place->depth > 0 && tag->is_end_tag)
    foreign_leave(place, tag->name);
  else if ((place->depth > 0 || begins) && !(scanner->is_xml && is_self_closing))
    foreign_enter(place, tag->name, is_self_closing, tag->has_html_attribute);
}

static tokenizer_content on_tag_ended(void *context, bool is_self_closing)
{
  links_scanner *scanner = context;
  const open_tag *tag = &scanner->tag;
  const foreign_place *place = &scanner->place;
  follow_tag(scanner, is_self_closing);
  choose_what_matters(scanner);
  if (tag->element == META)
    charset_read(scanner);
  if (attributes_of[tag->element] & (HREF | SRC | CONTENT) && !links_at_once(tag->element) && tag->url_attribute &&
      has_known_name(scanner))
    visit_tag(scanner);
  scanner->has_root |= !tag->is_end_tag;
  scanner->is_in_title = tag->element == TITLE && !tag->is_end_tag && scanner->wants_assets && !scanner->has_title &&
                         !foreign_is_inert(place) && has_known_name(scanner);
  scanner->has_title |= scanner->is_in_title;
  if (scanner->is_xml)
    return CONTENT_XML;
  switch (tag->element) {
  case IFRAME:
  case TITLE:
  case TEXT: return CONTENT_TEXT;
  case SCRIPT: return CONTENT_SCRIPT;
  case PLAINTEXT: return CONTENT_PLAINTEXT;
  default: return foreign_has_cdata(place) ? CONTENT_FOREIGN : CONTENT_MARKUP;
  }
}

static void on_inner_text(void *context, const char *bytes, size_t size)
{
  links_scanner *scanner = context;
  size_t room = LINKS_TITLE - scanner->title_size, taken = size < room ? size : room;
  if (!scanner->is_in_title)
    return;
  memcpy(scanner->title + scanner->title_size, bytes, taken);
  scanner->title_size += taken;
}

static void on_text(void *context, const char *bytes, size_t size)
{
  const links_scanner *scanner = context;
  if (scanner->is_in_title)
    on_inner_text(context, bytes, size); /* XHTML */
  if (!scanner->is_hidden && !foreign_is_inert(&scanner->place))
    scanner->take_text(scanner->text_context, bytes, size);
}

static const tokenizer_sink sink = {
  on_tag_named, on_attribute_named, on_attribute_valued, on_attribute_lost, on_tag_ended, NULL, on_inner_text};
static const tokenizer_sink text_sink = {
  on_tag_named, on_attribute_named, on_attribute_valued, on_attribute_lost, on_tag_ended, on_text, on_inner_text};

links_scanner *links_create(links_visitor *visit_link, void *context)
{
  links_scanner *scanner = malloc(sizeof *scanner);
  if (!scanner)
    return NULL;
  scanner->visit = visit_link;
  scanner->context = context;
  scanner->nofollow = scanner->noindex = scanner->has_script = false;
  scanner->is_xml = scanner->wants_images = scanner->wants_assets = scanner->wants_cut = false;
  scanner->take_text = NULL;
  scanner->is_finished = true;
  return scanner;
}

void links_free(links_scanner *scanner)
{
  free(scanner);
}

void links_feed(links_scanner *scanner, const char *bytes, size_t size)
{
  if (scanner->is_finished) {
    scanner->is_finished = scanner->has_base = scanner->nofollow = scanner->noindex = scanner->has_script = false;
    scanner->is_hidden = scanner->is_in_select = scanner->is_in_title = scanner->has_title = false;
    scanner->has_root = false;
    scanner->charset = NULL;
    scanner->names = (xml_names){.is_default_other = false};
    scanner->title_size = 0;
    scanner->place.depth = 0;
    tokenizer_start(&scanner->machine, scanner->take_text ? &text_sink : &sink, scanner,
                    scanner->is_xml ? CONTENT_XML : CONTENT_MARKUP);
    choose_what_matters(scanner);
  }
  tokenizer_feed(&scanner->machine, bytes, size);
}

void links_finish(links_scanner *scanner)
{
  scanner->is_finished = true;
  scanner->is_xml = false;
}

void links_expect_xml(links_scanner *scanner)
{
  scanner->is_xml = true;
}

void links_want_images(links_scanner *scanner, bool wanted)
{
  scanner->wants_images = wanted;
}

void links_want_assets(links_scanner *scanner, bool wanted)
{
  scanner->wants_assets = wanted;
}

void links_want_cut(links_scanner *scanner, bool wanted)
{
  scanner->wants_cut = wanted;
}

void links_want_text(links_scanner *scanner, links_text_taker *take, void *context)
{
  scanner->take_text = take;
  scanner->text_context = context;
}

bool links_read_rel(const char *rel, size_t size, link_found *link)
{
  unsigned read = words_rel(rel, size);
  link->nofollow = read & REL_NOFOLLOW;
  link->canonical = read & REL_CANONICAL;
  return read & REL_PAGE && !(read & REL_STYLESHEET);
}

void links_title(const links_scanner *scanner, char title[LINKS_TITLE])
{
  const char *at = scanner->title, *end = at + scanner->title_size;
  size_t size = 0, utf8_size;
  char utf8[ENTITY_UTF8_MAX];
  end -= end > at && end[-1] == '<'; /* of the end tag */
  while (at < end && size + ENTITY_UTF8_MAX < LINKS_TITLE) {
    size_t taken = *at == '&' ? entity_read(at + 1, (size_t)(end - at - 1), utf8, &utf8_size) : 0;
    if (taken) {
      memcpy(title + size, utf8, utf8_size);
      size += utf8_size;
    } else if (!is_space(*at)) {
      title[size++] = *at;
    } else if (size && title[size - 1] != ' ') {
      title[size++] = ' ';
    }
    at += taken + 1;
  }
  size -= size && title[size - 1] == ' ';
  title[size] = '\0';
}

bool links_page_nofollow(const links_scanner *scanner)
{
  return scanner->nofollow;
}

const charset *links_page_charset(const links_scanner *scanner)
{
  return scanner->is_finished ? NULL : scanner->charset;
}

bool links_page_has_script(const links_scanner *scanner)
{
  return scanner->has_script;
}

bool links_page_noindex(const links_scanner *scanner)
{
  return scanner->noindex;
}
