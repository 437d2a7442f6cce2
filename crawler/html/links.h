/* crawler/html/links.h: the links of an HTML page, found as the bytes arrive.
 *
 * A streaming scanner at the level of the HTML tokenizer (WHATWG HTML, section 13.2.5): no tree, fixed
 * memory whatever the page (about 56 KiB). Attribute values reach the visitor with character references decoded
 * and surrounding white space as it stood; resolving is the caller's. Comments, CDATA sections in SVG and MathML,
 * and the contents of script, style, textarea, title, xmp, iframe, noembed, noframes and plaintext hold no links;
 * those of noscript do. Nothing in a template counts, as it is another document: no link, base, meta, title, script or
 * text; a declarative shadow root (<template shadowrootmode>) is part of the page.
 *
 * Encoding: UTF-8; decoder.h converts other charsets, and replaces bytes that are none. Character references become
 * UTF-8. */
#ifndef STRATA_CRAWLER_LINKS_H
#define STRATA_CRAWLER_LINKS_H

#include "crawler/html/charset.h"

#include <stdbool.h>
#include <stddef.h>

enum {
  LINKS_VALUE_MAX = 16384, /* a longer attribute value is no link: no URL is that long */
  LINKS_BEGINNING = 1024,  /* of such a value, if it is wanted */
  LINKS_TITLE = 1024,      /* bytes of a title that are read */
};

typedef enum link_kind {
  LINK_BASE, /* <base href>: moves every relative link of the page; visited once, not itself a link */
  LINK_A,
  LINK_AREA,
  LINK_FRAME,
  LINK_IFRAME,
  LINK_LINK, /* <link href> with a rel that names another page: next, prev, alternate, canonical, ... */
  LINK_META_REFRESH,
  LINK_IMAGE, /* <img src>, <img srcset>, <source srcset>; only if asked for */
  LINK_ASSET, /* what a page is made of: scripts, style sheets, icons, media, images; only if asked for */
} link_kind;

/* Which attribute of which element a link stood in, or which header field. Edge logs on disk have these numbers
 * (crawler/loop/edge_log.h): new ones go to the end. */
typedef enum link_element {
  BY_UNKNOWN, /* not asked for */
  BY_A_HREF,
  BY_A_XLINK_HREF,
  BY_AREA_HREF,
  BY_FRAME_SRC,
  BY_IFRAME_SRC,
  BY_LINK_HREF,
  BY_META_CONTENT,
  BY_IMG_SRC,
  BY_IMG_SRCSET,
  BY_SOURCE_SRC,
  BY_SOURCE_SRCSET,
  BY_SCRIPT_SRC,
  BY_VIDEO_SRC,
  BY_VIDEO_POSTER,
  BY_AUDIO_SRC,
  BY_TRACK_SRC,
  BY_EMBED_SRC,
  BY_OBJECT_DATA,
  BY_INPUT_SRC,
  BY_HEADER_LINK, /* Link: and Refresh: of the response */
  BY_HEADER_REFRESH,
  BY_URL_LOC, /* of a sitemap or feed */
  BY_SITEMAP_LOC,
} link_element;
enum { LINK_ELEMENTS = BY_SITEMAP_LOC + 1 };

const char *link_element_name(link_element element); /* "a@href", ...; "" for BY_UNKNOWN */

const char *link_kind_name(link_kind kind); /* "a", "area", ..., "meta-refresh", "image" */

typedef struct link_found {
  link_kind kind;
  const char *href; /* decoded, not NUL-terminated, valid during the call */
  size_t size;
  const char *attribute; /* where it stood: "href", "src", "xlink:href" (SVG), "content" */
  bool nofollow;         /* rel=nofollow on the element */
  bool is_cut;           /* the value is too long: its beginning, as it stands; only if asked for */
  bool canonical;        /* LINK_LINK with rel=canonical: the page's own preferred URL */
  link_element element;  /* of the page; BY_UNKNOWN without links_want_assets */
} link_found;

typedef void links_visitor(void *context, const link_found *link);

typedef struct links_scanner links_scanner;

/* `visit` is called from within links_feed, in the order of the page, once for each link. */
links_scanner *links_create(links_visitor *visit, void *context); /* NULL: out of memory */
void links_free(links_scanner *scanner);
void links_feed(links_scanner *scanner, const char *bytes, size_t size); /* any cut of the page gives the same links */
void links_finish(links_scanner *scanner); /* end of page; the scanner is ready for the next one */

/* Images as well, from the next page on: links_create's scanner passes them over. */
void links_want_images(links_scanner *scanner, bool wanted);

/* All that a page is made of as well, as LINK_ASSET, and the element of each link; from the next page on. With
 * links_want_images images are LINK_IMAGE as before. */
void links_want_assets(links_scanner *scanner, bool wanted);

/* The beginnings of values that are too long to be links as well, from the next page on. */
void links_want_cut(links_scanner *scanner, bool wanted);

/* The page's text as it stands between tags, from the next page on; NULL: not wanted. `take` gets pieces of it,
 * their references not decoded, each with the '<' behind it if that has come; not the contents of title, script, style,
 * textarea and the like. */
typedef void links_text_taker(void *context, const char *bytes, size_t size);
void links_want_text(links_scanner *scanner, links_text_taker *take, void *context);

/* The page about to be fed is XML by its media type (application/xhtml+xml): `<script/>` is closed, a title's or
 * script's contents are markup, CDATA is text everywhere, names count as they are written (<A HREF> is no link), and
 * HTML's may have a prefix (xml_names.h). Before the page's first byte, and for it only. */
void links_expect_xml(links_scanner *scanner);

/* The relations of a link, as in <link rel>, into link->nofollow and link->canonical. True if they make a page of its
 * target: next, prev, alternate, canonical, ..., but no stylesheet. */
bool links_read_rel(const char *rel, size_t size, link_found *link);

/* The page's first <title>, decoded, with a blank for each run of white space; "" if there was none. After
 * links_finish, if assets are wanted. */
void links_title(const links_scanner *scanner, char title[LINKS_TITLE]);

/* What the page said of itself so far; reset by links_finish + the next feed. */
bool links_page_nofollow(const links_scanner *scanner); /* meta robots nofollow or none */
bool links_page_noindex(const links_scanner *scanner);
bool links_page_has_script(const links_scanner *scanner);

/* Of the first <meta> that names one; NULL: none did yet, or the page has ended. */
const charset *links_page_charset(const links_scanner *scanner);

#endif
