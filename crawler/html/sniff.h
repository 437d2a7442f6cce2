/* crawler/html/sniff.h: what a body is whose Content-Type does not say it, from its first bytes.
 *
 *     says nothing      MIME Sniffing, 7.1 (rules for an unknown type): the tags that an HTML page begins with; "<?xml"
 *     says it is XML    the root element: HTML's or SVG's namespace, or the name of a feed's
 *
 * The whole of it is decided by SNIFF_MAX bytes: an XML document whose root begins later is not recognised. */
#ifndef STRATA_CRAWLER_SNIFF_H
#define STRATA_CRAWLER_SNIFF_H

#include <stddef.h>

enum { SNIFF_MAX = 4096 };

typedef enum sniffed {
  SNIFFED_NOTHING, /* nothing that has links */
  SNIFFED_TEXT,
  SNIFFED_HTML,
  SNIFFED_XHTML,
  SNIFFED_SVG,
  SNIFFED_FEED, /* RSS, Atom, or RDF, as RSS 1.0 is */
} sniffed;

sniffed sniff_unknown(const char *bytes, size_t size);
sniffed sniff_xml(const char *bytes, size_t size);

/* The type as which the body is read; "" for SNIFFED_NOTHING. */
const char *sniffed_type(sniffed what);

#endif
