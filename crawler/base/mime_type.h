/* crawler/base/mime_type.h: what a response says its body is, from its Content-Type.
 *
 *     Content-Type fields, joined by ", " -> mime_type_read -> essence, charset
 *
 * Fetch, "extract a MIME type", which parses each value as MIME Sniffing, section 4.4, does: the last one that can be
 * read counts, and the charset of one before it stays if both are the same type. The work is linear. */
#ifndef STRATA_CRAWLER_MIME_TYPE_H
#define STRATA_CRAWLER_MIME_TYPE_H

#include <stdbool.h>
#include <stddef.h>

enum {
  MIME_TYPE_ESSENCE = 256, /* two names of up to 127 bytes (RFC 6838, 4.2); a longer one is cut, and none we know */
  MIME_TYPE_CHARSET = 48,  /* no label has as many bytes */
};

typedef struct mime_type {
  char essence[MIME_TYPE_ESSENCE]; /* "text/html", in lower case; "": it says none that can be read */
  char charset[MIME_TYPE_CHARSET]; /* value of the parameter, as it stands; "": none, or none that fits */
} mime_type;

void mime_type_read(const char *content_type, size_t size, mime_type *type);

bool mime_type_is(const mime_type *type, const char *essence);

bool mime_type_is_html(const mime_type *type); /* HTML, or XHTML by its own name */
bool mime_type_is_feed(const mime_type *type); /* RSS or Atom by their own names */
bool mime_type_is_xml(const mime_type *type);  /* of any kind: text/xml, application/xml, and all that ends in +xml */

/* It says nothing, so that the body must be looked at (MIME Sniffing, section 7): none, unknown/unknown, ... */
bool mime_type_is_unknown(const mime_type *type);

#endif
