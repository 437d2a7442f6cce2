/* crawler/html/entities.h: character references in attribute values (WHATWG HTML, section 13.2.5.72 and on). */
#ifndef STRATA_CRAWLER_ENTITIES_H
#define STRATA_CRAWLER_ENTITIES_H

#include <stddef.h>

enum { ENTITY_UTF8_MAX = 8 }; /* the longest reference stands for two code points, six bytes */

/* The reference at the start of `text`, the bytes after an '&': "amp;x", "#8217;", "copy".
 *
 * Returns how many bytes it takes, and writes what it stands for: UTF-8, `*utf8_size` bytes. Returns 0, and
 * writes nothing, if the '&' is only an '&'. By the rule for attributes a name without its semicolon is no
 * reference before '=' or an alphanumeric, so that "?a=1&copy=2" stays what its author meant. `text` must reach
 * to the end of the value. */
size_t entity_read(const char *text, size_t size, char utf8[ENTITY_UTF8_MAX], size_t *utf8_size);

#endif
