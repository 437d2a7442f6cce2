/* crawler/html/xml_names.h: which element names of an XML document are HTML's (Namespaces in XML 1.0).
 *
 *     <h:html xmlns:h="http://www.w3.org/1999/xhtml">   h:a is HTML's, a is not
 *
 * What is declared is not taken back where its element ends: a prefix means what was said of it last. Names without a
 * prefix are HTML's, unless the root says otherwise, and then from the first element on that says that they are. Fixed
 * memory: of XML_NAMES_PREFIXES prefixes at once; one of more than XML_NAMES_PREFIX bytes is none. */
#ifndef STRATA_CRAWLER_XML_NAMES_H
#define STRATA_CRAWLER_XML_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define XML_NAMES_HTML "http://www.w3.org/1999/xhtml"

enum { XML_NAMES_PREFIXES = 4, XML_NAMES_PREFIX = 23 };

typedef struct xml_names {
  bool is_default_other;                                   /* names without a prefix are not HTML's */
  char prefixes[XML_NAMES_PREFIXES][XML_NAMES_PREFIX + 1]; /* HTML's; "": none */
} xml_names;                                               /* all zero: nothing is declared yet */

/* An attribute of a start tag declares something: xmlns or xmlns:prefix. */
bool xml_names_is_declaration(const char *attribute, size_t size);

/* Such an attribute and its value. */
void xml_names_declare(xml_names *names, const char *attribute, size_t attribute_size, bool is_root, const char *value,
                       size_t size);

/* Are names with this prefix HTML's? "": those without. */
bool xml_names_has(const xml_names *names, const char *prefix, size_t size);

#endif
