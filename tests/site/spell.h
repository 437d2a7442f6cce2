/* tests/site/spell.h: the many ways in which people write one URL.
 *
 * Every spelling here leads a browser (WHATWG URL Standard) to the same page: relative and absolute forms, dot
 * segments written out or escaped, odd case, escapes nobody needed, raw UTF-8 and spaces, back slashes, white
 * space around and inside, fragments, and the other names of the host 127.0.0.1. */
#ifndef STRATA_TESTS_SITE_SPELL_H
#define STRATA_TESTS_SITE_SPELL_H

#include "tests/site/grown_text.h"

#include <stdint.h>

typedef struct spell_place {
  const char *host; /* "127.0.0.1" or a name */
  unsigned port;
  const char *plain; /* letters of targets that begin with this are never escaped; NULL: there are none such */
} spell_place;

typedef enum spell_medium {
  SPELL_ATTRIBUTE, /* an attribute value, before character references: anything goes */
  SPELL_HEADER,    /* one word of ASCII, as in a Location header or inside a meta refresh */
} spell_medium;

/* Append a spelling of the canonical `target` as seen from a page (or base) whose canonical target is `base`. */
void spell_href(text *out, uint64_t *random, const spell_place *place, spell_medium medium, const char *base,
                const char *target);

/* Append "http://host:port", the port left out if it is 80. */
void spell_origin(text *out, const spell_place *place);

#endif
