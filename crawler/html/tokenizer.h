/* crawler/html/tokenizer.h: the tags of an HTML page as its bytes arrive (WHATWG HTML, section 13.2.5), and its text.
 *
 * A tag is reported piece by piece to a sink, which says after each piece whether it wants the next. Text is reported
 * as it stands between tags, if the sink wants it; what is inside title, script and the like is not. A page cut
 * anywhere gives the same reports. Fixed memory: one `tokenizer`, whatever the page. */
#ifndef STRATA_CRAWLER_TOKENIZER_H
#define STRATA_CRAWLER_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>

#include "crawler/html/plain_tag.h"

enum {
  TOKENIZER_NAME_MAX = 31,     /* longer names of elements and attributes mean nothing to us */
  TOKENIZER_VALUE_MAX = 16384, /* bytes of a value, before and after decoding; longer ones are dropped */
};

/* What follows a tag: the tree builder's part in tokenizing. */
typedef enum tokenizer_content {
  CONTENT_MARKUP,
  CONTENT_FOREIGN,   /* markup in which <![CDATA[ ]]> is text: SVG and MathML */
  CONTENT_XML,       /* ... and names are as they stand: a whole document of XML */
  CONTENT_TEXT,      /* text up to the element's own end tag: title, textarea, style, ... */
  CONTENT_SCRIPT,    /* the same with the standard's escapes for <!-- <script> --> */
  CONTENT_PLAINTEXT, /* text to the end of the page */
} tokenizer_content;

/* What of a tag the sink wants to hear after its name. */
typedef enum tokenizer_wish {
  WISH_NOTHING,    /* the content that follows is as before */
  WISH_END,        /* tag_ended */
  WISH_ATTRIBUTES, /* attribute_named for each, and tag_ended */
} tokenizer_wish;

/* Names are lower-cased, but for XML's, and NUL-terminated; a name too long is "". A tag cut off by the end of the page
 * has no tag_ended, and never was. */
typedef struct tokenizer_sink {
  tokenizer_wish (*tag_named)(void *context, const char *name, size_t size, bool is_end_tag);
  bool (*attribute_named)(void *context, const char *name, size_t size);     /* report its value? */
  void (*attribute_valued)(void *context, const char *value, size_t size);   /* decoded; not NUL-terminated */
  void (*attribute_lost)(void *context, const char *beginning, size_t size); /* of one too long; not decoded */
  tokenizer_content (*tag_ended)(void *context, bool is_self_closing);
  /* NULL, or: a piece of text, its references not decoded; it ends with the '<' behind it, if that is there already */
  void (*text)(void *context, const char *bytes, size_t size);
  /* NULL, or the same for what is in title, textarea, style and the like: CONTENT_TEXT. A '<' may be that of the end
   * tag. */
  void (*inner_text)(void *context, const char *bytes, size_t size);
} tokenizer_sink;

typedef struct tokenizer tokenizer;

/* A state of the standard: consumes at least one byte, or none and changes the state; returns where it stopped. */
typedef const char *tokenizer_state(tokenizer *machine, const char *at, const char *end);

struct tokenizer {
  const tokenizer_sink *sink;
  void *context;
  const uint16_t *matter; /* plain_tag_names that tag_named must hear of; NULL: all, and end tags */
  tokenizer_state *state;
  tokenizer_state *text_state; /* where an end tag that was none returns to */
  bool is_end_tag, is_foreign, is_xml;
  tokenizer_wish wish; /* for the tag being read */
  bool wants_value;
  char quote;            /* of the value being read */
  unsigned script_level; /* 0 plain, 1 escaped, 2 double escaped */
  unsigned matched;      /* bytes of an expected word, or dashes, seen so far */
  const char *expected;  /* the word of a markup declaration */
  size_t name_size, attribute_size, text_name_size, value_size;
  char name[TOKENIZER_NAME_MAX + 1];
  char attribute[TOKENIZER_NAME_MAX + 1];
  char text_name[TOKENIZER_NAME_MAX + 1]; /* the element whose end tag ends the text */
  char value[TOKENIZER_VALUE_MAX];
  char decoded[TOKENIZER_VALUE_MAX + 8];
};

/* Also the way to begin a new page; `sink` and `context` are kept by reference. `content`: what the page begins with,
 * CONTENT_MARKUP or CONTENT_XML. */
void tokenizer_start(tokenizer *machine, const tokenizer_sink *sink, void *context, tokenizer_content content);
void tokenizer_feed(tokenizer *machine, const char *bytes, size_t size);

#endif
